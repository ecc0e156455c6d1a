// Integrals over the mass of a link, on any scalar.
#pragma once

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal::proof {

/// Moments of a link's mass about the origin of its frame: ∫dm, ∫d dm, ∫d dᵗ dm.
template <class T>
struct LinkMoments {
  T m;
  Vec3<T> first;
  Mat3<T> second;
};

/// ∫ f(d) dm for an f that is quadratic in the place d of a particle, as all kinetic energies, forces and moments of a rigid link are. No particle has to be
/// known: f at the origin, at ± a unit along each axis and at the sums of two units has all coefficients of f, and the integral of each power is a moment.
template <class T, class F>
T integral(const LinkMoments<T>& link, const F& f) {
  const T o(0), e(1), half(0.5);
  const Vec3<T> x{e, o, o}, y{o, e, o}, z{o, o, e};
  const T at_0 = f(Vec3<T>{o, o, o});
  const T at_x = f(x), at_y = f(y), at_z = f(z), back_x = f(-x), back_y = f(-y), back_z = f(-z);
  const auto linear = [&](const T& ahead, const T& back) { return half * (ahead - back); };
  const auto square = [&](const T& ahead, const T& back) { return half * (ahead + back) - at_0; };
  const auto mixed = [&](const Vec3<T>& sum, const T& a, const T& b) { return f(sum) - a - b + at_0; };
  return link.m * at_0                                                                                                            //
         + link.first.x * linear(at_x, back_x) + link.first.y * linear(at_y, back_y) + link.first.z * linear(at_z, back_z)        //
         + link.second.xx * square(at_x, back_x) + link.second.yy * square(at_y, back_y) + link.second.zz * square(at_z, back_z)  //
         + link.second.xy * mixed(x + y, at_x, at_y) + link.second.xz * mixed(x + z, at_x, at_z) + link.second.yz * mixed(y + z, at_y, at_z);
}

}  // namespace ulna::internal::proof
