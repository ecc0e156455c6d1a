#include "support/allocations.hpp"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<long> calls{0};

}  // namespace

long ulna::test::allocations() { return calls; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// A sanitizer has functions of its own in place of these, and tells of their calls. gcc 12 comes without the header of this.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, std::size_t), void (*freed)(const volatile void*));

namespace {

[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++calls; }, [](const volatile void*) {});

}  // namespace

#else

// In place of the C library's, which are reached by their other names. operator new calls the first, or aligned_alloc.
extern "C" {

void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t number, std::size_t size) noexcept;
void* __libc_realloc(void* p, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;

void* malloc(std::size_t size) noexcept { return ++calls, __libc_malloc(size); }
void* calloc(std::size_t number, std::size_t size) noexcept { return ++calls, __libc_calloc(number, size); }
void* realloc(void* p, std::size_t size) noexcept { return ++calls, __libc_realloc(p, size); }
void* memalign(std::size_t alignment, std::size_t size) noexcept { return ++calls, __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return ++calls, __libc_memalign(alignment, size); }
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  ++calls;
  *p = __libc_memalign(alignment, size);
  return *p != nullptr ? 0 : 12;  // ENOMEM
}

}  // extern "C"

#endif
