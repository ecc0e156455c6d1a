// An arm in the notation of J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", University of Michigan, 1980,
// sec. 1, in one configuration, on any scalar: what the equations of its sec. 4 are made of. Links, joints and frames are numbered from 1 as there.
//
//   paper                          here            meaning
//   R_j^i, p_j^i                   R(j, i), p(j, i)    from frame i to frame j: rotation, and place of origin i (eqs 1.2, 1.15)
//   R_i^{j-1} z_{j-1}              z(i, j)         the axis of joint j in frame i
//   Q_i^{j-1}                      Q(i, j)         its cross product as a matrix (eq. 1.8)
//   r_i, rbar_i, m_i, I_i, J_i     r[i], …         of link i, in frame i (eqs 1.14, 1.24 … 1.27)
//   g z_0                          up              the acceleration that stands for gravity, in frame 0
//   ∂R_0^i/∂θ_j, ∂p_0^i/∂θ_j       dR(i, j), dp(i, j)  by eqs 1.11 and 1.18
//   ∂²R_0^i/∂θ_j∂θ_k, …            ddR(i, j, k), ddp(i, j, k)  by eqs 1.12 and 1.19
//   T_j^i, ∂T_0^i/∂θ_j, …          T4(j, i), dT(i, j), ddT(i, j, k)  the 4x4 matrices that have these as parts (eq. 1.13)
//
// Sliding joints are ours. A slide does not rotate: its Q is zero; it moves every origin behind it along its axis. So wherever the paper has Q_i^{j-1} R_i^m
// r_m, the change of r_m with joint j, here is dr(i, m, j), which for a slide is its axis when m = j, and nothing else.
#pragma once

#include <algorithm>
#include <vector>

#include "formulation/frames.hpp"
#include "formulation/hollerbach.hpp"
#include "formulation/mat4.hpp"
#include "formulation/turney_link.hpp"
#include "verify/link_integral.hpp"

namespace ulna::internal::proof {

using hollerbach::outer;
using hollerbach::trace;
using hollerbach::operator*;
using turney::zero;

template <class T>
Mat3<T> zero_matrix() {
  const T o(0);
  return {o, o, o, o, o, o, o, o, o};
}
/// spin(a) b = a x b: the sum of the sigma matrices of eq. 1.7.
template <class T>
Mat3<T> spin(const Vec3<T>& a) {
  return {T(0), -a.z, a.y, a.z, T(0), -a.x, -a.y, a.x, T(0)};
}
template <class T>
Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy, a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}
/// Tr{A} E - A, which makes an inertia tensor of second moments (eqs 1.20, 1.27).
template <class T>
Mat3<T> trace_less(const Mat3<T>& A) {
  return trace(A) * Mat3<T>::identity() - A;
}

template <class T>
class TurneyArm {
 public:
  TurneyArm(const DhChain<T>& chain, const std::vector<T>& q) : n(chain.size()), up(-chain.gravity_0) {
    revolute.assign(n + 1, true);
    m.resize(n + 1);
    r.resize(n + 1);
    rbar.resize(n + 1);
    I.resize(n + 1);
    J.resize(n + 1);
    R_.resize((n + 1) * (n + 1), Mat3<T>::identity());
    p_.resize((n + 1) * (n + 1), zero<T>());
    for (std::size_t i = 1; i <= n; ++i) {
      const DhRow<T>& row = chain.rows[i - 1];
      revolute[i] = !row.prismatic;
      m[i] = row.mass;
      rbar[i] = row.com;
      I[i] = row.inertia.full();
      J[i] = T(0.5) * row.inertia.trace() * Mat3<T>::identity() - I[i] + m[i] * outer(rbar[i], rbar[i]);  // 1.26, for any axes
      const SinCos<T> theta = turney::joint_angle(row, q[i - 1]);
      const T d = row.prismatic ? row.d + q[i - 1] : row.d;
      r[i] = {row.a, row.sin_alpha * d, row.cos_alpha * d};
      const Mat3<T> R_step = turney::rotation(row, theta);            // 1.10
      const Vec3<T> p_step{row.a * theta.cos, row.a * theta.sin, d};  // p_{i-1}^i
      for (std::size_t j = 0; j < i; ++j) {
        at(R_, j, i) = at(R_, j, i - 1) * R_step;                     // 1.2
        at(p_, j, i) = at(p_, j, i - 1) + at(R_, j, i - 1) * p_step;  // 1.15
      }
    }
  }

  std::size_t n;
  std::vector<bool> revolute;  // revolute
  std::vector<T> m;
  std::vector<Vec3<T>> r, rbar;
  std::vector<Mat3<T>> I, J;
  Vec3<T> up;

  Mat3<T> R(std::size_t j, std::size_t i) const { return j <= i ? R_[j * (n + 1) + i] : R_[i * (n + 1) + j].transposed(); }
  /// j <= i.
  const Vec3<T>& p(std::size_t j, std::size_t i) const { return p_[j * (n + 1) + i]; }
  Vec3<T> z(std::size_t i, std::size_t j) const { return R(i, j - 1).column_z(); }
  Mat3<T> Q(std::size_t i, std::size_t j) const { return revolute[j] ? spin(z(i, j)) : zero_matrix<T>(); }

  /// Change of the link vector R_i^m r_m with joint j, in frame i.
  Vec3<T> dr(std::size_t i, std::size_t link, std::size_t j) const {
    if (j > link) return zero<T>();
    if (revolute[j]) return Q(i, j) * (R(i, link) * r[link]);
    return j == link ? z(i, j) : zero<T>();
  }
  /// And with two: the inner joint, min(j, k), rotates what the outer one changes.
  Vec3<T> ddr(std::size_t i, std::size_t link, std::size_t j, std::size_t k) const { return Q(i, std::min(j, k)) * dr(i, link, std::max(j, k)); }

  /// R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^i, j <= i.
  Mat3<T> dR(std::size_t i, std::size_t j) const { return R(0, j - 1) * Q(j - 1, j) * R(j - 1, i); }
  Vec3<T> dp(std::size_t i, std::size_t j) const { return R(0, j - 1) * (revolute[j] ? Q(j - 1, j) * p(j - 1, i) : z(j - 1, j)); }
  Mat3<T> ddR(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t v = std::min(j, k), u = std::max(j, k);
    return R(0, v - 1) * Q(v - 1, v) * R(v - 1, u - 1) * Q(u - 1, u) * R(u - 1, i);
  }
  Vec3<T> ddp(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t v = std::min(j, k), u = std::max(j, k);
    return R(0, v - 1) * (Q(v - 1, v) * (R(v - 1, u - 1) * (revolute[u] ? Q(u - 1, u) * p(u - 1, i) : z(u - 1, u))));
  }

  Mat4<T> T4(std::size_t j, std::size_t i) const { return homogeneous(R(j, i), p(j, i), T(1)); }
  Mat4<T> dT(std::size_t i, std::size_t j) const { return T4(0, j - 1) * (Q4(j) * T4(j - 1, i)); }
  Mat4<T> ddT(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t v = std::min(j, k), u = std::max(j, k);
    return T4(0, v - 1) * (Q4(v) * (T4(v - 1, u - 1) * (Q4(u) * T4(u - 1, i))));
  }
  /// J_i^a (eq. 1.28).
  Mat4<T> J4(std::size_t i) const {
    Mat4<T> J_a = homogeneous(J[i], m[i] * rbar[i], m[i]);
    for (std::size_t c = 0; c < 3; ++c) J_a(3, c) = J_a(c, 3);
    return J_a;
  }
  /// g (z_0^a)ᵗ X rbar_i^a: what lifting the mass centre as X does takes, for a unit of mass.
  T lifted(std::size_t i, const Mat4<T>& X) const {
    const Vec4<T> c = X * Vec4<T>{{rbar[i].x, rbar[i].y, rbar[i].z, T(1)}};
    return up.x * c[0] + up.y * c[1] + up.z * c[2];
  }
  LinkMoments<T> moments(std::size_t i) const { return {m[i], m[i] * rbar[i], J[i]}; }

 private:
  template <class X>
  X& at(std::vector<X>& list, std::size_t j, std::size_t i) const {
    return list[j * (n + 1) + i];
  }
  static Mat4<T> homogeneous(const Mat3<T>& A, const Vec3<T>& b, const T& one) {
    const T o(0);
    return {{{{A.xx, A.xy, A.xz, b.x}, {A.yx, A.yy, A.yz, b.y}, {A.zx, A.zy, A.zz, b.z}, {o, o, o, one}}}};
  }
  /// ∂T_{j-1}^j/∂q_j = Q4 T_{j-1}^j.
  Mat4<T> Q4(std::size_t j) const { return homogeneous(Q(j - 1, j), revolute[j] ? zero<T>() : z(j - 1, j), T(0)); }

  std::vector<Mat3<T>> R_;  // through R()
  std::vector<Vec3<T>> p_;  // through p()
};

/// Tr{X Yᵗ}.
template <class T>
T trace_of(const Mat3<T>& X, const Mat3<T>& Y) {
  return trace(X * Y.transposed());
}
template <class T>
T trace_of(const Mat4<T>& X, const Mat4<T>& Y) {
  return trace(X * Y.transposed());
}

}  // namespace ulna::internal::proof
