// The inertia matrix by Renaud's composite bodies: first moment and inertia of the links j..n about the origin of E_j, split into a part that never
// changes (Renaud's augmented body) and a part that is carried in from the next joint.
//
// M. Renaud, "A near minimum iterative analytical procedure for obtaining a robot manipulator dynamic model", in Dynamics of Multibody Systems,
// Springer, 1986, pp. 201-212; extended to translational joints by J. W. Burdick, IEEE ICRA 1986, pp. 212-218. The algorithm here is the one of
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991, Figure A1 and (A1)-(A9).
//
//   paper            here              meaning, joints counted from 0 here
//   m̂_j              m_hat             mass of the links j..n
//   c_j, I_j         com, inertia      mass centre of link j from the origin of E_j; inertia about the mass centre
//   c̄_j, J̄_j         c_bar, J_bar      (A5), (A6): the constant parts
//   ĉ_j, Ĵ_j         c_hat, J_hat      (A2), (A3): first moment and inertia of the composite body j about the origin of E_j, in E_j
//   u_m^(j)          u(m, j)           axis of joint m in E_j
//   ŝ_m^(j)          s_hat(m, j)       (A4): u_m x (from the origin of E_m to that of E_j), in E_j
//   N_JR             first_rotational  the first rotational joint
//
// Takes serial chains of revolute and prismatic joints in any mixture, in modified frames; massless links too, nothing is divided.
// Cost, n revolute joints, n >= 2, entries of R not counted: 13.5n² + 22.5n - 68 mul, 9n² + 26n - 64 add.
// Differs from Figure A1 as printed: e_j is built from ĉ_j (printed p̂_j, which is Lin's moment about the base); the entries for a translational
// joint j take the z component (printed x); the term of a translational joint i+1 in (Ĵ)_33 is s_x² + s_y² (printed s_z² + s_y²).
#pragma once

#include <limits>

#include "formulation/composite_bias.hpp"
#include "formulation/paper_quantity.hpp"
#include "formulation/steiner.hpp"

namespace ulna::internal::composite_body {

/// (A5)-(A8): the composite bodies, which the algorithm of Fijany and Bejczy starts from as well.
template <class P, Scalar T>
class RenaudBodies {
 public:
  /// Figure A1, "initialization".
  explicit RenaudBodies(const MdhChain<P>& chain) : frames_(chain), m_hat_(chain.size()), constant_(chain.size()), c_hat_(chain.size()), J_hat_(chain.size()) {
    for (std::size_t i = chain.size(); i-- > 0;) {
      const DhRow<P>& link = chain.rows[i];
      Constant& k = constant_[i];
      k.c_bar = link.mass * link.com;
      k.J_bar = link.inertia + steiner(link.mass, link.com);
      m_hat_[i] = link.mass;
      if (i + 1 == chain.size()) continue;
      const DhRow<P>& next = chain.rows[i + 1];
      m_hat_[i] = m_hat_[i + 1] + link.mass;
      if (next.prismatic) continue;  // its s moves: K*_{i+1} = 0 in (A5), (A6)
      const Vec3<P> s{next.a, -(next.d * next.sin_alpha), next.d * next.cos_alpha};
      k.c_bar = k.c_bar + m_hat_[i + 1] * s;
      k.J_bar = k.J_bar + steiner(m_hat_[i + 1], s);
      k.twice_s = s + s;
    }
  }

  void set_configuration(const T* q) { frames_.set_configuration(q); }

  /// (A7) for all joints, (A8) for those behind the first rotational one; of that one only the entry (3,3), of those before it nothing.
  void form(bool inertias = true) {
    if (frames_.size() == 0) return;
    const std::size_t first = frames_.first_rotational();
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const Constant& k = constant_[i];
      c_hat_[i] = {T(k.c_bar.x), T(k.c_bar.y), T(k.c_bar.z)};
      J_hat_[i] = k.J_bar.template cast<T>();
      if (i + 1 == frames_.size()) continue;
      const DrivingAxisStep<T>& next = frames_.step(i + 1);
      const bool slides = !frames_.rotational(i + 1);
      const Vec3<T> c = next.inward(c_hat_[i + 1]);  // ĉ_{i+1} in E_i
      c_hat_[i] = c_hat_[i] + c;
      if (slides) c_hat_[i] = c_hat_[i] + m_hat_[i + 1] * next.s;
      if (i > first && inertias) {
        J_hat_[i] = J_hat_[i] + next.inward(J_hat_[i + 1]) + shifted(next.s, c);
        if (slides) J_hat_[i] = J_hat_[i] + steiner(m_hat_[i + 1], next.s);
      } else if (i == first && inertias) {
        const Vec3<T> row = next.previous_axis();
        const Vec3<T> twice_s = slides ? next.s + next.s : Vec3<T>{T(k.twice_s.x), T(k.twice_s.y), T(k.twice_s.z)};
        J_hat_[i].zz = J_hat_[i].zz + dot(row, J_hat_[i + 1] * row) + (twice_s.x * c.x + twice_s.y * c.y);
        if (slides) J_hat_[i].zz = J_hat_[i].zz + m_hat_[i + 1] * (next.s.x * next.s.x + next.s.y * next.s.y);
      }
    }
  }

  const DrivingAxisChain<P, T>& frames() const { return frames_; }
  const P& m_hat(std::size_t i) const { return m_hat_[i]; }
  const Vec3<T>& c_hat(std::size_t i) const { return c_hat_[i]; }
  const Sym3<T>& J_hat(std::size_t i) const { return J_hat_[i]; }

  void visit(const PaperQuantities<T>& show) const {
    static constexpr PaperSymbol c{"chat", "first moment of the links from j on about the origin of E(j), in E(j)",
                                   "cbar(j) + R chat(j+1), + mhat(j+1) s behind a sliding joint", "A7"},
        J{"Jhat", "their inertia about it", "Jbar(j) + R Jhat(j+1) R^T - [s x][chat(j+1) x] - [chat(j+1) x][s x], - mhat(j+1) [s x][s x] behind a slide", "A8"};
    const std::size_t first = frames_.first_rotational();
    for (std::size_t j = c_hat_.size(); j-- > 0;) {
      show(c, {j + 1}, c_hat_[j]);
      if (j > first) show(J, {j + 1}, J_hat_[j]);
      if (j == first) show(J, {j + 1}, only_zz(J_hat_[j]));
    }
  }

 private:
  struct Constant {
    Vec3<P> c_bar{};
    Sym3<P> J_bar{};
    Vec3<P> twice_s{};  // of a rotational joint i+1
  };
  /// On numbers, NaN where nothing was formed.
  static Sym3<T> only_zz(Sym3<T> J) {
    if constexpr (std::is_floating_point_v<T>) {
      const T none = std::numeric_limits<T>::quiet_NaN();
      J = {none, none, J.zz, none, none, none};
    }
    return J;
  }
  /// -[s x][c x] - [c x][s x] = 2 s·c E - s cᵀ - c sᵀ. 9 mul, 9 add.
  static Sym3<T> shifted(const Vec3<T>& s, const Vec3<T>& c) {
    const T x = s.x * c.x, y = s.y * c.y, z = s.z * c.z;
    const T xx = y + z, yy = x + z, zz = x + y;
    return {xx + xx, yy + yy, zz + zz, -(s.x * c.y + s.y * c.x), -(s.x * c.z + s.z * c.x), -(s.y * c.z + s.z * c.y)};
  }

  DrivingAxisChain<P, T> frames_;
  std::vector<P> m_hat_;
  std::vector<Constant> constant_;
  std::vector<Vec3<T>> c_hat_;
  std::vector<Sym3<T>> J_hat_;
};

template <class P, Scalar T>
class Renaud {
 public:
  explicit Renaud(const MdhChain<P>& chain)
      : bodies_(chain), bias_(chain), e_(chain.size()), u_(chain.size() * chain.size()), s_hat_(chain.size() * chain.size()) {}

  std::size_t size() const { return bodies_.frames().size(); }
  /// The entries of the rotation matrices, which the paper's count leaves out.
  void set_configuration(const T* q) { bodies_.set_configuration(q); }

  /// H, row by row, full and symmetric.
  void mass(T* H) {
    form_axes();
    bodies_.form();
    const std::size_t n = size();
    const DrivingAxisChain<P, T>& frames = bodies_.frames();
    for (std::size_t j = 0; j < n; ++j) {
      const Vec3<T>& c = bodies_.c_hat(j);
      const Sym3<T>& J = bodies_.J_hat(j);
      const T m_hat(bodies_.m_hat(j));
      const bool revolute = frames.rotational(j);
      const Vec3<T> e{-c.y, c.x, T(0)};   // u_j x ĉ_j
      const Vec3<T> a{J.xz, J.yz, J.zz};  // Ĵ_j u_j
      H[j * n + j] = revolute ? J.zz : m_hat;
      for (std::size_t m = 0; m < j; ++m) {  // (A1)
        const Vec3<T>& u = u_[m * n + j];
        const Vec3<T>& s_hat = s_hat_[m * n + j];
        T& entry = H[m * n + j];
        if (revolute)
          entry = frames.rotational(m) ? dot(a, u) + dot(s_hat, e) : dot(e, u);
        else
          entry = frames.rotational(m) ? m_hat * s_hat.z - dot(e, u) : m_hat * u.z;
        H[j * n + m] = entry;
      }
    }
  }

  /// The bias in Renaud's quantities, to which M. Vukobratovic, S. G. Li and N. Kircanski extended the method (Robotica 3, 1985, 147-152, Lin's reference 10).
  /// Their equations are not in Lin's article. His (46) does not depend on the point that all is measured from; from the origin of E_j it has ŝ_j = 0, p̂_j =
  /// ĉ_j, ŝ_m of the opposite sign and J̄_j = Ĵ_j - ½ tr(Ĵ_j) E.
  void bias(const T* qd, T* b) {
    form_moments();
    bias_.gravity(bodies_.frames(), e_, b);
    bias_.form_zeta(bodies_.frames(), u_, qd);
    bias_.add_to(bodies_.frames(), b);
  }
  void coriolis_coefficients(const T* q, T* D) {
    set_configuration(q);
    form_moments();
    bias_.coefficients(bodies_.frames(), u_, D);
  }
  /// η.
  void gravity(T* eta) {
    bodies_.form(false);
    form_e();
    bias_.gravity(bodies_.frames(), e_, eta);
  }

  /// What figure A1 forms; a number above in brackets is that of the frame.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol u{"u", "axis of joint m, in the frame above", "", "A1"},
        s_hat{"shat", "u(m) x (from joint m to joint j), in the frame above", "R (shat(m) + u(m) x s)", "A9"};
    const PaperQuantities<T> show(shown);
    const std::size_t n = size();
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t j = m + 1; j < n; ++j) {
        show(u, {m + 1, 0, j + 1}, u_[m * n + j]);
        if (bodies_.frames().rotational(m)) show(s_hat, {m + 1, 0, j + 1}, s_hat_[m * n + j]);
      }
    bodies_.visit(show);
  }

 private:
  /// (A9) and its counterpart for the axes.
  void form_axes() {
    const std::size_t n = size();
    const DrivingAxisChain<P, T>& frames = bodies_.frames();
    for (std::size_t m = 0; m + 1 < n; ++m) {
      const bool revolute = frames.rotational(m);
      const DrivingAxisStep<T>& next = frames.step(m + 1);
      u_[m * n + m + 1] = next.previous_axis();
      if (revolute) {  // R (u_m x s) with u_m x s = [-s_y, s_x, 0]; its z, -b sin(beta), is a constant
        const DhRow<P>& row = frames.row(m + 1);
        s_hat_[m * n + m + 1] = {next.cos_beta_sin_theta * next.s.x - next.cos_theta * next.s.y, next.cos_beta_cos_theta * next.s.x + next.sin_theta * next.s.y,
                                 T(-(row.a * row.sin_alpha))};
      }
      for (std::size_t i = m + 2; i < n; ++i) {
        const DrivingAxisStep<T>& step = frames.step(i);
        const Vec3<T>& u = u_[m * n + i - 1];
        u_[m * n + i] = step.outward(u);
        if (revolute) s_hat_[m * n + i] = step.outward(s_hat_[m * n + i - 1] + cross(u, step.s));
      }
    }
  }

  void form_e() {
    for (std::size_t j = 0; j < size(); ++j) e_[j] = {-bodies_.c_hat(j).y, bodies_.c_hat(j).x, T(0)};  // u_j x ĉ_j
  }
  /// e_j and d_mj; the latter where ζ_j is not zero.
  void form_moments() {
    form_axes();
    bodies_.form();
    form_e();
    const std::size_t n = size();
    const DrivingAxisChain<P, T>& frames = bodies_.frames();
    for (std::size_t j = frames.first_rotational(); j < n; ++j) {
      const Vec3<T>& c = bodies_.c_hat(j);
      const Sym3<T>& J = bodies_.J_hat(j);
      const T m_hat(bias_.m_hat[j]), half = T(0.5) * J.trace();
      const T xx = J.xx - half, yy = J.yy - half;  // of J̄
      for (std::size_t m = 0; m < j; ++m) {
        const Vec3<T>&u = u_[m * n + j], &s_hat = s_hat_[m * n + j];
        Vec3<T>& d = bias_.d[m * n + j];
        if (frames.rotational(j) && frames.rotational(m))
          d = Vec3<T>{xx * u.y - J.xy * u.x, J.xy * u.y - yy * u.x, J.xz * u.y - J.yz * u.x} - cross(s_hat, e_[j]);  // -J̄ (u_j x u_m) - …
        else if (frames.rotational(j))
          d = cross(e_[j], u);
        else if (frames.rotational(m))
          d = {-(u.z * c.x - u.x * c.z + m_hat * s_hat.y), u.y * c.z - u.z * c.y + m_hat * s_hat.x, T(0)};  // u_j x (u_m x ĉ_j + m̂_j ŝ_m)
        else
          d = {m_hat * -u.y, m_hat * u.x, T(0)};
      }
    }
  }

  RenaudBodies<P, T> bodies_;
  CompositeBias<P, T> bias_;
  std::vector<Vec3<T>> e_;
  std::vector<Vec3<T>> u_, s_hat_;  // (m, j) at m n + j, m < j
};

}  // namespace ulna::internal::composite_body
