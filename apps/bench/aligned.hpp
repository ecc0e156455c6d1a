// Memory for many states.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

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

/// As blocks of lanes: number i of lane l of block b stands at (b * n + i) * lanes + l. States that do not fill a block are left out.
template <class T>
std::vector<T, Aligned<T>> blocked(const std::vector<T>& x, std::size_t n, std::size_t lanes) {
  const std::size_t count = x.size() / n / lanes * lanes;
  std::vector<T, Aligned<T>> out(count * n);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) out[(k / lanes * n + i) * lanes + k % lanes] = x[k * n + i];
  return out;
}

}  // namespace ulna::bench
