// Memory for many states.
#pragma once

#include <cstddef>
#include <new>

namespace ulna::bench {

/// Begins at a 64-byte boundary: vectors of such numbers are read and written fastest.
template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const Aligned&, const Aligned&) { return true; }
};

}  // namespace ulna::bench
