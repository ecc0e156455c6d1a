#include "support/locks.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ULNA_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ULNA_SANITIZED
#endif

#if defined(ULNA_SANITIZED)

long ulna::test::locks() { return -1; }

#else

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<long> calls{0};

/// The function of the C library that is hidden by the one below.
template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

long ulna::test::locks() { return calls; }

// What std::mutex, std::shared_mutex and std::condition_variable come down to.
#define ULNA_COUNTED(name, Type)                               \
  extern "C" int name(Type* which) noexcept {                  \
    static int (*const real)(Type*) = next<int(Type*)>(#name); \
    ++calls;                                                   \
    return real(which);                                        \
  }
ULNA_COUNTED(pthread_mutex_lock, pthread_mutex_t)
ULNA_COUNTED(pthread_mutex_trylock, pthread_mutex_t)
ULNA_COUNTED(pthread_rwlock_rdlock, pthread_rwlock_t)
ULNA_COUNTED(pthread_rwlock_wrlock, pthread_rwlock_t)
ULNA_COUNTED(pthread_cond_signal, pthread_cond_t)
ULNA_COUNTED(pthread_cond_broadcast, pthread_cond_t)

#endif
