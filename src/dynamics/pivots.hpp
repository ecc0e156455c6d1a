// The pivots of an inertia matrix: the inertia of each coordinate with all coordinates after it free.
#pragma once

#include <cstddef>

#include <ulna/export.hpp>

namespace ulna::internal {

/// M = Lᵀ D L from the last coordinate to the first, in the lower triangle of M (n x n, row by row), which is overwritten. `use(k, pivot)` gets each pivot
/// and says whether to eliminate it; one that is not stays as if its joint were locked. O(n³).
template <class T, class Use>
void for_each_pivot(T* M, std::size_t n, Use use) {
  for (std::size_t k = n; k-- > 0;) {
    const T* const row = M + k * n;
    if (!use(k, row[k])) continue;
    const T inverse = 1 / row[k];
    for (std::size_t i = 0; i < k; ++i) {
      const T factor = row[i] * inverse;
      if (factor == 0) continue;  // no common path: most entries, in a tree
      for (std::size_t j = 0; j <= i; ++j) M[i * n + j] -= factor * row[j];
    }
  }
}

/// Whether a pivot of n coordinates is more than rounding of the diagonal entry that it is left over from: each elimination rounds once at that size, and the
/// entry itself is a sum of a few terms. The factor is room for robots whose terms are larger than their sums.
inline bool pivot_holds(double pivot, double diagonal, std::size_t n, double unit_roundoff) {
  return pivot > 32 * static_cast<double>(n + 4) * unit_roundoff * diagonal;
}

}  // namespace ulna::internal
