// The recursive Newton-Euler formulation in base coordinates, and referred to link coordinates: O(n).
//
// J. Y. S. Luh, M. W. Walker and R. P. Paul, "On-line computational scheme for mechanical manipulators", 2nd IFAC/IFIP Symposium on Information Control
// Problems in Manufacturing Technology, Stuttgart, 1979; here as revised by J. M. Hollerbach, IEEE Trans. Systems, Man, and Cybernetics SMC-10 (11), 1980,
// section "Recursive Newton-Euler dynamics". Those equations carry no numbers; they are named by their left sides.
//
//   paper      here            meaning, in the axes of frame 0, or of frame i
//   z_{i-1}    z               axis of joint i: third column of W_{i-1}; in link coordinates (0, 0, 1) of frame i-1, and A_iᵀ times it
//   p*_i       p               from origin i-1 to origin i
//   r*_i       r               from origin i to the mass centre of link i
//   ω_i, ω̇_i   w, w_dot        angular velocity and acceleration of link i (w_WB_W, alpha_WB_W)
//   p̈_i, r̈_i   p_ddot, r_ddot  acceleration of origin i and of the mass centre, less gravity
//   I_i        I               inertia about the mass centre: W_i ⁱI_i W_iᵀ, or ⁱI_i
//   F_i, N_i   F, N            total force on link i, and total moment about its mass centre
//   f_i, n_i   f, n_moment     force and moment that link i-1 exerts on link i, the moment about origin i-1
//   A_i        A               rotation from frame i to frame i-1: in link coordinates alone
//   τ_i        tau[i-1]        generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture; the paper prints revolute joints, the lines for prismatic ones are added.
// Gravity enters as an upward acceleration of the base, p̈_0 = -g: the paper does not say, and this is Luh's way. A base that moves gives ω_0, ω̇_0 and its own
// part of p̈_0; a load on link i is taken off what link i exerts on link i+1, at origin i. The paper has neither.
// In link coordinates the paper prints three of the equations, as examples: ω_i = A_iᵀ (ω_{i-1} + z_{i-1} q̇_i), N_i, and f_i = F_i + A_{i+1} f_{i+1} (its left
// side is misprinted F_i). The others follow them: what comes from frame i-1 is multiplied by A_iᵀ, what comes from frame i+1 by A_{i+1}.
// Cost in base coordinates: 183n - 100 mul, 141n - 98 add for n >= 2 revolute joints in general position, the entries of the rotations included. In link
// coordinates, counted as the paper counts (A_i and p*_i given, no zero skipped): 144n - 30 mul, 119n - 36 add for revolute joints; the paper prints 150n - 48
// and 131n - 48.
#pragma once

#include "formulation/hollerbach.hpp"
#include "formulation/loads.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T, bool kLinkAxes>
class NewtonEulerIn {
 public:
  explicit NewtonEulerIn(const DhChain<P>& chain) : rows_(chain.rows), g_(chain.gravity_0), links_(chain.size()) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    Mat3<T> W = Mat3<T>::identity();
    const MovingBase<T> base = loads.motion();
    Vec3<T> w = base.w, w_dot = base.dw, p_ddot = fixed(-g_) + base.dv;
    for (std::size_t i = 1; i <= rows_.size(); ++i) {  // "backward": from the base to the end link
      const DhRow<P>& row = rows_[i - 1];
      Link& link = links_[i - 1];
      const T& qd = v[i - 1];
      const T& qdd = a[i - 1];
      const Place<T> at = place(row, q[i - 1]);
      const Vec3<T> z = kLinkAxes ? as_variables<T>(Vec3<P>{P(0), P(0), P(1)}) : W.column_z();
      Vec3<T>& p = link.p;
      if constexpr (kLinkAxes) {
        const NotCounted<T> entries;
        link.R = as_variables<T>(rotation(row, at));
        p = as_variables<T>(offset(row, at));
      } else {
        link.R = W = W * rotation(row, at);
        p = W * offset(row, at);
      }
      const auto carry = [&](const Vec3<T>& x) {  // from frame i-1 to frame i
        if constexpr (kLinkAxes) return tmul(link.R, x);
        return x;
      };
      const Vec3<T> r = kLinkAxes ? fixed(row.com) : W * row.com;
      link.z = carry(z);
      link.p_plus_r = p + r;
      if (!row.prismatic) {
        const Vec3<T> z_qd = qd * z;
        w_dot = w_dot + qdd * z + cross(w, z_qd);  // ω̇_i, with ω_{i-1}
        w = w + z_qd;                              // ω_i
      }
      w = link.w = carry(w);
      w_dot = link.w_dot = carry(w_dot);
      p_ddot = cross(w_dot, p) + cross(w, cross(w, p)) + carry(p_ddot);                  // p̈_i
      if (row.prismatic) p_ddot = p_ddot + qdd * link.z + T(2) * cross(w, qd * link.z);  // added: a slide along z_{i-1}
      const Vec3<T> r_ddot = cross(w, cross(w, r)) + cross(w_dot, r) + p_ddot;           // r̈_i
      link.p_ddot = p_ddot, link.r_ddot = r_ddot;
      if constexpr (kLinkAxes)
        link.I = fixed(row.inertia);
      else
        link.I = congruence(W, row.inertia);
      link.F = row.mass * r_ddot;                      // F_i
      link.N = link.I * w_dot + cross(w, link.I * w);  // N_i
      if (loads.links.empty()) continue;
      const LinkLoad<T>& load = loads.links[i - 1];
      link.load = kLinkAxes ? load : LinkLoad<T>{W * load.F, W * load.N};
    }
    Vec3<T> f = zero_vector<T>(), n_moment = zero_vector<T>();
    for (std::size_t i = rows_.size(); i >= 1; --i) {  // "forward": from the end link to the base
      Link& link = links_[i - 1];
      if (!loads.links.empty()) f = f - link.load.F, n_moment = n_moment - link.load.N;  // f_{i+1} and n_{i+1}, and what link i exerts on the environment
      n_moment = n_moment + link.N + cross(link.p_plus_r, link.F) + cross(link.p, f);    // n_i, with f_{i+1}
      f = link.F + f;                                                                    // f_i
      tau[i - 1] = dot(link.z, rows_[i - 1].prismatic ? f : n_moment);                   // τ_i; f for a slide is added
      link.f = f, link.n = n_moment;
      if (kLinkAxes && i > 1) f = link.R * f, n_moment = link.R * n_moment;  // in frame i-1
    }
  }

  /// Of the last call, in frame i about its origin.
  LinkLoad<T> transmitted(std::size_t i) const {
    const Link& link = links_[i];
    const LinkLoad<T> load{link.f, link.n - cross(link.p, link.f)};
    return kLinkAxes ? load : LinkLoad<T>{tmul(link.R, load.F), tmul(link.R, load.N)};
  }
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr const char* kUnnumbered = "section Recursive Newton-Euler dynamics";  // its equations have no numbers
    static constexpr PaperSymbol R = kLinkAxes ? PaperSymbol{"A", "rotation from frame i to frame i-1", "", kUnnumbered}
                                               : PaperSymbol{"W", "rotation from frame i to the base", "", kUnnumbered};
    static constexpr PaperSymbol p{"p", "from origin i-1 to origin i", "", kUnnumbered, 0, "*"},
        w{"omega", "angular velocity", kLinkAxes ? "A(i)^T (omega(i-1) + z(i-1) q(i)')" : "omega(i-1) + z(i-1) q(i)'", kUnnumbered},
        w_dot{"omega", "angular acceleration",
              kLinkAxes ? "A(i)^T (omega(i-1)' + z(i-1) q(i)'' + omega(i-1) x z(i-1) q(i)')" : "omega(i-1)' + z(i-1) q(i)'' + omega(i-1) x z(i-1) q(i)'",
              kUnnumbered, 1},
        p_ddot{
            "p", "acceleration of origin i less gravity",
            kLinkAxes ? "omega(i)' x p*(i) + omega(i) x (omega(i) x p*(i)) + A(i)^T p(i-1)''" : "omega(i)' x p*(i) + omega(i) x (omega(i) x p*(i)) + p(i-1)''",
            kUnnumbered, 2},
        r_ddot{"r", "acceleration of the mass centre less gravity", "omega(i) x (omega(i) x r*(i)) + omega(i)' x r*(i) + p(i)''", kUnnumbered, 2},
        I{"I", "inertia about the mass centre, in the base's axes", "W(i) I W(i)^T", kUnnumbered, 0, "0"},
        F{"F", "total force on the link", "m(i) r(i)''", kUnnumbered},
        N{"N", "total moment about its mass centre", "I(i) omega(i)' + omega(i) x (I(i) omega(i))", kUnnumbered},
        f{"f", "force of link i-1 on link i", kLinkAxes ? "F(i) + A(i+1) f(i+1)" : "F(i) + f(i+1)", kUnnumbered},
        n{"n", "moment of link i-1 on link i, about origin i-1",
          kLinkAxes ? "A(i+1) n(i+1) + N(i) + (p*(i) + r*(i)) x F(i) + p*(i) x A(i+1) f(i+1); tau(i) = A(i)^T z(i-1) . n(i)"
                    : "n(i+1) + N(i) + (p*(i) + r*(i)) x F(i) + p*(i) x f(i+1); tau(i) = z(i-1) . n(i)",
          kUnnumbered};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 1; i <= links_.size(); ++i) {
      const Link& link = links_[i - 1];
      show(R, {i}, link.R);
      show(p, {i}, link.p);
      show(w, {i}, link.w);
      show(w_dot, {i}, link.w_dot);
      show(p_ddot, {i}, link.p_ddot);
      show(r_ddot, {i}, link.r_ddot);
      if (!kLinkAxes) show(I, {i}, link.I);
      show(F, {i}, link.F);
      show(N, {i}, link.N);
    }
    for (std::size_t i = links_.size(); i >= 1; --i) {
      show(f, {i}, links_[i - 1].f);
      show(n, {i}, links_[i - 1].n);
    }
  }

 private:
  /// Numbers of the robot: in link coordinates none is skipped, as nothing is in the paper's matrices.
  static Vec3<T> fixed(const Vec3<P>& x) {
    if constexpr (kLinkAxes) return as_variables<T>(x);
    return x.template cast<T>();
  }

  static Sym3<T> fixed(const Sym3<P>& I) {
    return {as_variable(T(I.xx)), as_variable(T(I.yy)), as_variable(T(I.zz)), as_variable(T(I.xy)), as_variable(T(I.xz)), as_variable(T(I.yz))};
  }

  struct Link {
    Vec3<T> z, p, p_plus_r;  // axis of the joint, p*_i, p*_i + r*_i
    Vec3<T> F, N;
    LinkLoad<T> load;
    Mat3<T> R;  // W_i or A_i
    // what else the paper names
    Vec3<T> w, w_dot, p_ddot, r_ddot;
    Sym3<T> I;
    Vec3<T> f, n;
  };

  std::vector<DhRow<P>> rows_;
  Vec3<P> g_;
  std::vector<Link> links_;
};

template <class P, Scalar T>
class NewtonEulerBase : public NewtonEulerIn<P, T, false> {
  using NewtonEulerIn<P, T, false>::NewtonEulerIn;
};
template <class P, Scalar T>
class NewtonEulerLink : public NewtonEulerIn<P, T, true> {
  using NewtonEulerIn<P, T, true>::NewtonEulerIn;
};

}  // namespace ulna::internal::hollerbach
