// One link in its own coordinates, as Turney, Mudge & Lee 1980 (sec. 1) and, before them, Luh, Walker & Paul 1980 describe it: what the Newton-Euler
// recursion and its modified form share. Links are numbered from 1 in the paper and from 0 here.
//
//   paper             here       meaning
//   R_{i-1}^i         R          rotates vectors of frame i to frame i-1 (eq. 1.10); R_i^{i-1} is its transpose
//   r_i               r          from the origin of frame i-1 to that of frame i, in frame i (eq. 1.14; the printed R_{i-1}^{i-1} there must read R_i^{i-1})
//   rbar_i            rbar       from the origin of frame i to the mass centre of link i, in frame i
//   R_i^{i-1} z_{i-1} z          joint axis in frame i: (0, sin alpha, cos alpha), the paper's phi being our alpha
//   m_i               m          mass
//
// The paper counts R as dense (9 mul, 6 add for every R times vector) and takes the forming of R, r and r + rbar as given, so every entry here is a
// variable of the counting scalar, and place() is not counted as long as the joint is revolute. Prismatic joints are ours: there r moves with q.
#pragma once

#include "formulation/frames.hpp"

#include "formulation/as_variable.hpp"

namespace ulna::internal::turney {

template <class P, class T>
Vec3<T> variables(const Vec3<P>& v) {
  return {as_variable(T(v.x)), as_variable(T(v.y)), as_variable(T(v.z))};
}

template <class T>
Vec3<T> zero() {
  return {T(0), T(0), T(0)};
}

/// R_{i-1}^i of eq. 1.10 from sine and cosine of the joint angle: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha). 4 mul.
template <class P, class T>
Mat3<T> rotation(const DhRow<P>& row, const SinCos<T>& theta) {
  const T c_sin = row.cos_alpha * theta.sin, s_sin = row.sin_alpha * theta.sin, c_cos = row.cos_alpha * theta.cos, s_cos = row.sin_alpha * theta.cos;
  return {theta.cos, -c_sin, s_sin, theta.sin, c_cos, -s_cos, T(0), T(row.sin_alpha), T(row.cos_alpha)};
}
/// Sine and cosine of theta + q, or of theta alone when the joint slides.
template <class P, class T>
SinCos<T> joint_angle(const DhRow<P>& row, const T& q) {
  if (row.prismatic) return {T(row.sin_theta), T(row.cos_theta)};
  return sincos(q, row.theta);
}

template <class T>
struct Link {
  // known in advance
  bool prismatic = false;
  T m{};
  Vec3<T> rbar{};
  Vec3<T> z{};
  Vec3<T> r0{};  // r at q = 0
  // set by place()
  Mat3<T> R{};
  Vec3<T> r{};
  Vec3<T> s{};  // r + rbar: from the origin of frame i-1 to the mass centre
};

template <class P, class T>
Link<T> make_link(const DhRow<P>& row) {
  Link<T> link;
  link.prismatic = row.prismatic;
  link.m = as_variable(T(row.mass));
  link.rbar = variables<P, T>(row.com);
  link.z = {T(0), as_variable(T(row.sin_alpha)), as_variable(T(row.cos_alpha))};
  link.r0 = variables<P, T>({row.a, row.d * row.sin_alpha, row.d * row.cos_alpha});
  return link;
}

template <class P, class T>
void place(Link<T>& link, const DhRow<P>& row, const T& q) {
  {
    const NotCounted<T> given;
    const Mat3<T> R = rotation(row, joint_angle(row, q));
    link.R = {as_variable(R.xx), as_variable(R.xy), as_variable(R.xz), as_variable(R.yx), as_variable(R.yy),
              as_variable(R.yz), as_variable(R.zx), as_variable(R.zy), as_variable(R.zz)};
    link.r = link.r0;
    link.s = link.r0 + link.rbar;
  }
  if (!link.prismatic) return;
  const Vec3<T> slide = q * link.z;
  link.r = link.r + slide;
  link.s = link.s + slide;
}

}  // namespace ulna::internal::turney
