#include <cstring>

#include "jit/kernel.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define ULNA_HAS_MMAP 1
#else
#define ULNA_HAS_MMAP 0
#endif

namespace ulna::internal::jit {

void CodeMemory::fill(std::span<const Encoded* const> functions) {
  constexpr std::size_t kAlign = 64;
  std::size_t size = 0;
  for (const Encoded* function : functions) {
    offsets_.push_back(size);
    size = (size + function->code.size() + kAlign - 1) / kAlign * kAlign;
  }
  if (size == 0) return;
#if ULNA_HAS_MMAP
  // Writable first, executable after: where the system forbids the change there are no kernels, and no security hole.
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  for (std::size_t k = 0; k < functions.size(); ++k)
    if (!functions[k]->code.empty()) std::memcpy(static_cast<std::byte*>(memory) + offsets_[k], functions[k]->code.data(), functions[k]->code.size());
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, size);
    return;
  }
#if defined(__aarch64__)
  // The instruction cache does not see what was written.
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + size);
#endif
  memory_ = memory;
  size_ = size;
#endif
}

CodeMemory::~CodeMemory() {
#if ULNA_HAS_MMAP
  if (memory_ != nullptr) munmap(memory_, size_);
#endif
}

KernelFunction CodeMemory::function(std::size_t k) const { return reinterpret_cast<KernelFunction>(static_cast<std::byte*>(memory_) + offsets_[k]); }

}  // namespace ulna::internal::jit
