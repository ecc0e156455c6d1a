// The modified Newton-Euler dynamics of Turney, Mudge and Lee.
//
// J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", Systems Engineering Laboratory, The University of
// Michigan, Ann Arbor, December 1980, sec. 5, eqs 5.1 and 5.2.
//
//   paper                  here               meaning; all in frame i (standard Denavit-Hartenberg)
//   A_i                    A                  A b = omega x (omega x b) + alpha x b for every b fixed in link i
//   K_i                    K                  tr(I_i) E / 2 - I_i, that is, the integral of d dᵗ dm about the mass centre
//   Tr{A_i K_i sigmaᵗ}     moment(A, K)       what I alpha + omega x (I omega) is in these matrices
//   the rest               see newton_euler.hpp and turney_link.hpp
//
// Takes: serial chains of revolute joints (the paper) and prismatic joints (ours), in any mixture; any inertia tensor (the paper assumes principal axes).
// Gravity enters as an upward acceleration of the base, a_0 = -g. A base that moves and loads on the links: see newton_euler.hpp.
// Corrected: A_i entry (3,2) has alpha_x, not alpha_z. K_i is about the mass centre, as its printed matrix is, and not about the origin of frame i-1, as
// the text says. Its contribution to n_x is (A K)_zy - (A K)_yz, the text having the opposite sign. Eq. 5.1 prints r_i + r_i for rbar_i + r_i, eq. 5.2
// n_i for n_{i+1} on the right.
// Cost: O(n); 94 n - 42 mul, 83 n - 39 add for revolute joints, principal axes and gravity along z_0, when R is dense and zeros of the base are not
// exploited. Table 4 of the paper prints 90 n - 27, 88 n - 24. Products of inertia cost 12 mul and 12 add more per link. in_row() names the rows of that table.
#pragma once

#include "formulation/newton_euler.hpp"

namespace ulna::internal::turney {

/// Tr{A K sigmaᵗ}, the axial vector of A K: (A K)_zy - (A K)_yz and so on around. 6 mul, 3 add for a diagonal K; products of inertia that are 0 drop out.
template <class T>
Vec3<T> moment(const Mat3<T>& A, const Sym3<T>& K) {
  return {A.zx * K.xy + A.zy * K.yy + A.zz * K.yz - (A.yx * K.xz + A.yy * K.yz + A.yz * K.zz),
          A.xx * K.xz + A.xy * K.yz + A.xz * K.zz - (A.zx * K.xx + A.zy * K.xy + A.zz * K.xz),
          A.yx * K.xx + A.yy * K.xy + A.yz * K.xz - (A.xx * K.xy + A.xy * K.yy + A.xz * K.yz)};
}

template <class P, Scalar T>
class ModifiedNewtonEuler {
 public:
  explicit ModifiedNewtonEuler(const DhChain<P>& chain) : rows_(chain.rows), base_(resting_base<P, T>(chain.gravity_0)) {
    for (const DhRow<P>& row : rows_) {
      LinkState link;
      static_cast<Link<T>&>(link) = make_link<P, T>(row);
      const Sym3<P>& I = row.inertia;
      const P half = P(0.5) * I.trace();
      link.K = {as_variable(T(half - I.xx)), as_variable(T(half - I.yy)), as_variable(T(half - I.zz)), T(-I.xy), T(-I.xz), T(-I.yz)};
      links_.push_back(link);
    }
    if constexpr (std::is_same_v<T, Counted>) vertical_ = T(chain.gravity_0.x).is(0) && T(chain.gravity_0.y).is(0);
  }
  std::size_t size() const { return links_.size(); }

  /// Under gravity.
  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    place(q);
    torque_placed(v, a, moving_base(base_, loads), tau, loads.links);
  }

  /// In two steps, for many motions in one configuration and for a base that moves in its own way (strobing puts gravity off like this).
  void place(const T* q) {
    for (std::size_t i = 0; i < links_.size(); ++i) turney::place(static_cast<Link<T>&>(links_[i]), rows_[i], q[i]);
  }
  /// Links before `from` are at rest, as the base then has to be: the recursion begins with that one. It ends with joint `to`; no torque before it is touched.
  void torque_placed(const T* v, const T* a, const Base<T>& base, T* tau, std::span<const LinkLoad<T>> loads = {}, std::size_t from = 0, std::size_t to = 0) {
    const std::size_t n = links_.size();

    // From the base to the hand.
    Vec3<T> omega = base.omega, alpha = base.alpha, acceleration = base.a;
    for (std::size_t i = to; i < from; ++i) links_[i].mabar = links_[i].moment = zero<T>();
    for (std::size_t i = from; i < n; ++i) {
      LinkState& link = links_[i];
      Vec3<T> omega_i, alpha_i;
      turn(link, omega, alpha, v[i], a[i], omega_i, alpha_i);  // 3.15, 3.16
      const Mat3<T> A = in_row<T>("A", [&] { return acceleration_operator(omega_i, alpha_i); });
      Vec3<T> Ra = carried(i, acceleration);
      if (link.prismatic) Ra = Ra + slide(link, omega_i, v[i], a[i]);
      if (i + 1 < n) acceleration = in_row<T>("a", [&] { return A * link.r + Ra; });  // 3.17 by A; eq. 5.1 does not need that of the last link
      link.mabar = in_row<T>("m abar", [&] { return link.m * (A * link.s + Ra); });   // 5.1, first two terms
      link.moment = in_row<T>("Tr A K sigma", [&] { return moment(A, link.K); });     // 5.2, first term
      link.omega = omega_i, link.alpha = alpha_i, link.A = A, link.a = acceleration;
      omega = omega_i;
      alpha = alpha_i;
    }

    // From the hand to the base.
    Vec3<T> Rf = zero<T>(), Rn = zero<T>();  // R_i^{i+1} f_{i+1} and R_i^{i+1} n_{i+1}
    for (std::size_t i = n; i-- > to;) {
      LinkState& link = links_[i];
      subtract_load(loads, i, Rf, Rn);
      const Vec3<T> f = in_row<T>("f", [&] { return link.mabar + Rf; });  // 5.1
      const Vec3<T> own = in_row<T>("m (r + rbar) x abar", [&] { return cross(link.s, link.mabar); });
      const Vec3<T> behind = in_row<T>("r x R f", [&] { return cross(link.r, Rf); });
      const Vec3<T> n_i = in_row<T>("add n", [&] { return link.moment + own + behind + Rn; });        // 5.2
      tau[i] = in_row<T>("tau", [&] { return link.prismatic ? dot(link.z, f) : dot(link.z, n_i); });  // 3.21
      link.f = f, link.n = n_i;
      if (i == to) break;
      Rf = in_row<T>("f", [&] { return link.R * f; });
      Rn = in_row<T>("R n", [&] { return link.R * n_i; });
    }
  }
  const Base<T>& base() const { return base_; }

  /// Of the last call: f_i, and n_i about the origin of frame i.
  LinkLoad<T> transmitted(std::size_t i) const { return {links_[i].f, links_[i].n - cross(links_[i].r, links_[i].f)}; }
  /// Of the last call, in frame i.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol A{"A", "A b = omega x (omega x b) + alpha x b for every b fixed in the link", "", "section 5"},
        K{"K", "second moments about the mass centre: tr(I)/2 - I", "", "section 5"},
        a{"a", "acceleration of origin i, gravity included", "A(i) r(i) + R^T a(i-1)", "3.17"},
        mabar{"F", "mass times the acceleration of the mass centre", "m(i) (A(i) (rbar(i) + r(i)) + R^T a(i-1))", "5.1"},
        t{"N", "axial vector of A(i) K(i)", "Tr{A K sigma^T}", "5.2"}, f{"f", "force of link i-1 on link i", "F(i) + R f(i+1)", "5.1"},
        n{"n", "moment of link i-1 on link i, about origin i-1", "N(i) + (rbar(i) + r(i)) x F(i) + r(i) x R f(i+1) + R n(i+1); tau(i) = z . n(i)", "5.2, 3.21"};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const LinkState& link = links_[i];
      show(K, {i + 1}, link.K);
      show_turn(show, i + 1, link, link.omega, link.alpha);
      show(A, {i + 1}, link.A);
      if (i + 1 < links_.size()) show(a, {i + 1}, link.a);
      show(mabar, {i + 1}, link.mabar);
      show(t, {i + 1}, link.moment);
    }
    for (std::size_t i = links_.size(); i-- > 0;) {
      show(f, {i + 1}, links_[i].f);
      show(n, {i + 1}, links_[i].n);
    }
  }

 private:
  /// R_i^{i-1} a_{i-1}. With gravity along z_0, as in the paper, R_1^0 a_0 is g times the axis R_1^0 z_0, which is given.
  Vec3<T> carried(std::size_t i, const Vec3<T>& a) const {
    const auto carry = [&] { return tmul(links_[i].R, a); };
    if (i > 0 || !vertical_) return in_row<T>("a", carry);
    const NotCounted<T> given;
    return carry();
  }

  struct LinkState : Link<T> {
    Sym3<T> K{};
    Vec3<T> mabar{}, moment{};
    // what else the paper names
    Vec3<T> omega{}, alpha{}, a{}, f{}, n{};
    Mat3<T> A{};
  };
  std::vector<DhRow<P>> rows_;
  Base<T> base_;
  bool vertical_ = false;  // gravity is along z_0; used for counting only
  std::vector<LinkState> links_;
};

}  // namespace ulna::internal::turney
