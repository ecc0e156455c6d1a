// Newton-Euler dynamics in link coordinates.
//
// J. Y. S. Luh, M. W. Walker, R. P. C. Paul, "On-line computational scheme for mechanical manipulators", Trans. ASME, J. Dynamic Systems, Measurement,
// and Control 102 (1980) 69-76, as written down by J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics",
// Systems Engineering Laboratory, The University of Michigan, Ann Arbor, December 1980, sec. 3, eqs 3.15-3.21.
//
//   paper                  here               meaning; all in frame i (standard Denavit-Hartenberg)
//   omega_i, alpha_i       omega, alpha       angular velocity and acceleration of link i
//   a_i, abar_i            a, abar            acceleration of the origin of frame i and of the mass centre, gravity included
//   f_i, n_i               f, n               force and moment that link i-1 exerts on link i, the moment about the origin of frame i-1
//   f_{n+1}, n_{n+1}       -F, -N of a load   what the hand exerts on the environment, at the origin of frame n
//   I_i                    I                  inertia about the mass centre
//   R, r, rbar, z, m       see turney_link.hpp
//
// Takes: serial chains of revolute joints (the paper) and prismatic joints (ours), in any mixture. Gravity enters as an upward acceleration of the base,
// a_0 = -g, the printed "a_0 = 9.8 m/s²" being the vector 9.8 z_0 for gravity along -z_0. A base that moves gives omega_0, alpha_0 and its own part of a_0
// (the paper's are zero); a load may act on any link, where the paper has one on the hand.
// Corrected: the printed eq. 3.16 has omega_i x z and theta-dot where omega_{i-1} x z and theta-double-dot belong (eq. 3.4 has both right).
// Cost: O(n); 112 n - 24 mul, 98 n - 24 add for revolute joints when R is dense and zeros of the base are not exploited. Table 3 of the paper prints
// 108 n - 12, 100 n - 9; docs/formulations/newton-euler.md says where the difference comes from. in_row() names the rows of that table.
#pragma once

#include "formulation/loads.hpp"
#include "formulation/paper_quantity.hpp"
#include "formulation/turney_link.hpp"

namespace ulna::internal::turney {

/// omega x (omega x b) + alpha x b = A b for every b (sec. 5). The printed entry (3,2) has alpha_z in place of alpha_x. 6 mul, 9 add.
template <class T>
Mat3<T> acceleration_operator(const Vec3<T>& omega, const Vec3<T>& alpha) {
  const T xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
  const T xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
  return {-(yy + zz),   xy - alpha.z, xz + alpha.y,  //
          xy + alpha.z, -(zz + xx),   yz - alpha.x,  //
          xz - alpha.y, yz + alpha.x, -(xx + yy)};
}

/// Motion of frame 0.
template <class T>
struct Base {
  Vec3<T> omega = zero<T>();
  Vec3<T> alpha = zero<T>();
  Vec3<T> a = zero<T>();
};
/// At rest under gravity. The paper counts the first link like the others, so the zeros are variables.
template <class P, class T>
Base<T> resting_base(const Vec3<P>& gravity_0) {
  return {variables<T, T>(zero<T>()), variables<T, T>(zero<T>()), variables<P, T>(-gravity_0)};
}

/// The same, moving.
template <class T>
Base<T> moving_base(const Base<T>& at_rest, const Loads<T>& loads) {
  const MovingBase<T> base = loads.motion();
  return {at_rest.omega + base.w, at_rest.alpha + base.dw, at_rest.a + base.dv};
}

/// What link i exerts on all that lies beyond it, at the origin of frame i: to R f_{i+1} and R n_{i+1} comes what it exerts on the environment, the opposite of
/// the load on it. For the hand, beyond which there is no link, this is the paper's f_{n+1} and n_{n+1}, R_n^{n+1} being E.
template <class T>
void subtract_load(std::span<const LinkLoad<T>> loads, std::size_t i, Vec3<T>& Rf, Vec3<T>& Rn) {
  if (loads.empty()) return;
  Rf = Rf - loads[i].F;
  Rn = Rn - loads[i].N;
}

/// omega_i and alpha_i from those of link i-1 (eqs 3.15, 3.16). 20 mul, 16 add for a revolute joint.
template <class T>
void turn(const Link<T>& link, const Vec3<T>& omega_before, const Vec3<T>& alpha_before, const T& v, const T& a, Vec3<T>& omega, Vec3<T>& alpha) {
  // In frame i-1 the axis z_{i-1} is (0, 0, 1).
  omega = in_row<T>("omega", [&] { return tmul(link.R, link.prismatic ? omega_before : Vec3<T>{omega_before.x, omega_before.y, omega_before.z + v}); });
  alpha = in_row<T>("alpha", [&] {
    if (link.prismatic) return tmul(link.R, alpha_before);
    return tmul(link.R, Vec3<T>{alpha_before.x + omega_before.y * v, alpha_before.y - omega_before.x * v, alpha_before.z + a});
  });
}
/// What a sliding joint adds to the acceleration of link i: z d'' + 2 omega_i x z d'. Not in the paper. 10 mul, 5 add.
template <class T>
Vec3<T> slide(const Link<T>& link, const Vec3<T>& omega, const T& v, const T& a) {
  return a * link.z + (v + v) * cross(omega, link.z);
}

/// Shows R, omega and alpha of link i.
template <class T>
void show_turn(const PaperQuantities<T>& show, std::size_t i, const Link<T>& link, const Vec3<T>& omega, const Vec3<T>& alpha) {
  static constexpr PaperSymbol R{"R", "rotation from frame i to frame i-1", "", "1.10"}, w{"omega", "angular velocity", "R^T (omega(i-1) + q(i)' z)", "3.15"},
      w_dot{"alpha", "angular acceleration", "R^T (alpha(i-1) + omega(i-1) x z q(i)' + q(i)'' z)", "3.16, corrected"};
  show(R, {i}, link.R);
  show(w, {i}, omega);
  show(w_dot, {i}, alpha);
}

template <class P, Scalar T>
class NewtonEuler {
 public:
  explicit NewtonEuler(const DhChain<P>& chain) : rows_(chain.rows), base_(resting_base<P, T>(chain.gravity_0)) {
    for (const DhRow<P>& row : rows_) {
      LinkState link;
      static_cast<Link<T>&>(link) = make_link<P, T>(row);
      const Sym3<P>& I = row.inertia;
      link.I = {as_variable(T(I.xx)), as_variable(T(I.yy)), as_variable(T(I.zz)), as_variable(T(I.xy)), as_variable(T(I.xz)), as_variable(T(I.yz))};
      links_.push_back(link);
    }
  }

  /// Of the last call: f_i, and n_i about the origin of frame i.
  LinkLoad<T> transmitted(std::size_t i) const { return {links_[i].f, links_[i].n - cross(links_[i].r, links_[i].f)}; }
  /// Of the last call of torque(), in frame i.
  void visit(const PaperVisitor<T>& shown) const {
    const PaperQuantities<T> show(shown);
    static constexpr PaperSymbol a{"a", "acceleration of origin i, gravity included", "omega(i) x (omega(i) x r(i)) + alpha(i) x r(i) + R^T a(i-1)", "3.17"},
        mabar{"F", "mass times the acceleration of the mass centre", "m(i) (omega(i) x (omega(i) x rbar(i)) + alpha(i) x rbar(i) + a(i))", "3.18"},
        f{"f", "force of link i-1 on link i", "F(i) + R f(i+1)", "3.19"},
        n{"n", "moment of link i-1 on link i, about origin i-1",
          "I(i) alpha(i) + omega(i) x (I(i) omega(i)) + (rbar(i) + r(i)) x F(i) + r(i) x R f(i+1) + R n(i+1); tau(i) = z . n(i)", "3.20, 3.21"};
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const LinkState& link = links_[i];
      show_turn(show, i + 1, link, link.omega, link.alpha);
      show(a, {i + 1}, link.a);
      show(mabar, {i + 1}, link.mabar);
    }
    for (std::size_t i = links_.size(); i-- > 0;) {
      show(f, {i + 1}, links_[i].f);
      show(n, {i + 1}, links_[i].n);
    }
  }

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    const std::size_t n = links_.size();

    // From the base to the hand.
    const Base<T> base = moving_base(base_, loads);
    Vec3<T> omega = base.omega, alpha = base.alpha, acceleration = base.a;
    for (std::size_t i = 0; i < n; ++i) {
      LinkState& link = links_[i];
      place(link, rows_[i], q[i]);
      turn(link, omega, alpha, v[i], a[i], link.omega, link.alpha);  // 3.15, 3.16
      // A is used here already, as Table 3 does.
      const Mat3<T> A = in_row<T>("A", [&] { return acceleration_operator(link.omega, link.alpha); });
      acceleration = in_row<T>("a", [&] { return A * link.r + tmul(link.R, acceleration); });  // 3.17
      if (link.prismatic) acceleration = acceleration + slide(link, link.omega, v[i], a[i]);
      const Vec3<T> abar = in_row<T>("abar", [&] { return A * link.rbar + acceleration; });  // 3.18
      link.mabar = in_row<T>("f", [&] { return link.m * abar; });
      link.a = acceleration;
      omega = link.omega;
      alpha = link.alpha;
    }

    // From the hand to the base.
    Vec3<T> Rf = zero<T>(), Rn = zero<T>();  // R_i^{i+1} f_{i+1} and R_i^{i+1} n_{i+1}
    for (std::size_t i = n; i-- > 0;) {
      LinkState& link = links_[i];
      subtract_load(loads.links, i, Rf, Rn);
      const Vec3<T> f = in_row<T>("f", [&] { return link.mabar + Rf; });  // 3.19
      const Vec3<T> spun = in_row<T>("I alpha", [&] { return link.I * link.alpha; });
      const Vec3<T> gyroscopic = in_row<T>("omega x I omega", [&] { return cross(link.omega, link.I * link.omega); });
      const Vec3<T> own = in_row<T>("m (r + rbar) x abar", [&] { return cross(link.s, link.mabar); });
      const Vec3<T> behind = in_row<T>("r x R f", [&] { return cross(link.r, Rf); });
      const Vec3<T> n_i = in_row<T>("add n", [&] { return spun + gyroscopic + own + behind + Rn; });  // 3.20
      tau[i] = in_row<T>("tau", [&] { return link.prismatic ? dot(link.z, f) : dot(link.z, n_i); });  // 3.21; the force along the axis of a sliding joint
      link.f = f, link.n = n_i;
      if (i == 0) break;
      Rf = in_row<T>("f", [&] { return link.R * f; });
      Rn = in_row<T>("R n", [&] { return link.R * n_i; });
    }
  }

 private:
  struct LinkState : Link<T> {
    Sym3<T> I{};
    Vec3<T> omega{}, alpha{}, a{}, mabar{}, f{}, n{};
  };
  std::vector<DhRow<P>> rows_;
  Base<T> base_;
  std::vector<LinkState> links_;
};

}  // namespace ulna::internal::turney
