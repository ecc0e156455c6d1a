// Huygens and Steiner's term, which every composite-body method needs.
#pragma once

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal::composite_body {

/// m (r·r E - r rᵀ) = -m [r x][r x]: what a mass m at r adds to an inertia tensor about the origin (Huygens-Steiner). 9 mul, 3 add.
template <class M, class T>
auto steiner(const M& m, const Vec3<T>& r) -> Sym3<decltype(m * r.x)> {
  const auto h = m * r;
  const auto xx = h.x * r.x, yy = h.y * r.y, zz = h.z * r.z;
  return {yy + zz, xx + zz, xx + yy, -(h.x * r.y), -(h.x * r.z), -(h.y * r.z)};
}

}  // namespace ulna::internal::composite_body
