// A chain on dual numbers: its parameters stand still, its joints move as one says.
#pragma once

#include "formulation/frames.hpp"
#include "scalar/dual.hpp"

namespace ulna::internal::proof {

/// x with all derivatives zero, of duals of duals as well.
template <class U>
struct Constant {
  static const U& of(const U& x) { return x; }
};
template <class X>
struct Constant<Dual<X>> {
  template <class T>
  static Dual<X> of(const T& x) {
    return {Constant<X>::of(x), X(0.0)};
  }
};

template <class U, class T>
DhChain<U> constant_chain(const DhChain<T>& from) {
  const auto fixed = [](const T& x) { return Constant<U>::of(x); };
  const auto vector = [&](const Vec3<T>& v) { return Vec3<U>{fixed(v.x), fixed(v.y), fixed(v.z)}; };
  DhChain<U> to;
  for (const DhRow<T>& row : from.rows) {
    const Sym3<T>& I = row.inertia;
    to.rows.push_back({row.prismatic, fixed(row.a), fixed(row.alpha), fixed(row.cos_alpha), fixed(row.sin_alpha), fixed(row.d), fixed(row.theta),
                       fixed(row.cos_theta), fixed(row.sin_theta), fixed(row.mass), vector(row.com),
                       Sym3<U>{fixed(I.xx), fixed(I.yy), fixed(I.zz), fixed(I.xy), fixed(I.xz), fixed(I.yz)}});
  }
  to.gravity_0 = vector(from.gravity_0);
  return to;
}

/// One derivative of each entry: part(entry).
template <class T, class U, class Part>
Mat3<T> parts(const Mat3<U>& m, const Part& part) {
  return {part(m.xx), part(m.xy), part(m.xz), part(m.yx), part(m.yy), part(m.yz), part(m.zx), part(m.zy), part(m.zz)};
}
template <class T, class U, class Part>
Vec3<T> parts(const Vec3<U>& v, const Part& part) {
  return {part(v.x), part(v.y), part(v.z)};
}

}  // namespace ulna::internal::proof
