// The recursive Newton-Euler formulation in base coordinates: O(n).
//
// J. Y. S. Luh, M. W. Walker and R. P. Paul, "On-line computational scheme for mechanical manipulators", 2nd IFAC/IFIP Symposium on Information Control
// Problems in Manufacturing Technology, Stuttgart, 1979, before its move to link coordinates; here as revised by J. M. Hollerbach, IEEE Trans. Systems, Man,
// and Cybernetics SMC-10 (11), 1980, section "Recursive Newton-Euler dynamics". Those equations carry no numbers; they are named by their left sides.
//
//   paper      here            meaning, everything in the axes of frame 0
//   z_{i-1}    z               axis of joint i: third column of W_{i-1}
//   p*_i       p               from origin i-1 to origin i
//   r*_i       r               from origin i to the mass centre of link i
//   ω_i, ω̇_i   w, w_dot        angular velocity and acceleration of link i (w_WB_W, alpha_WB_W)
//   p̈_i, r̈_i   p_ddot, r_ddot  acceleration of origin i and of the mass centre, less gravity
//   I_i        I               inertia about the mass centre: W_i ⁱI_i W_iᵀ
//   F_i, N_i   F, N            total force on link i, and total moment about its mass centre
//   f_i, n_i   f, n_moment     force and moment that link i-1 exerts on link i, the moment about origin i-1
//   τ_i        tau[i-1]        generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture; the paper prints revolute joints, the lines for prismatic ones are added.
// Gravity enters as an upward acceleration of the base, p̈_0 = -g: the paper does not say, and this is Luh's way. A base that moves gives ω_0, ω̇_0 and its own
// part of p̈_0; a load on link i is taken off what link i exerts on link i+1, at origin i. The paper has neither.
// Cost: 183n - 100 mul, 141n - 98 add for n >= 2 revolute joints in general position, the entries of the rotations included. The paper gives a count only for
// the recursion in link coordinates (150n - 48 and 131n - 48), which need not turn each I_i into base axes.
#pragma once

#include "formulation/hollerbach.hpp"
#include "formulation/loads.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T>
class NewtonEulerBase {
 public:
  explicit NewtonEulerBase(const DhChain<P>& chain) : rows_(chain.rows), g_(chain.gravity_0), links_(chain.size()) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    Mat3<T> W = Mat3<T>::identity();
    const MovingBase<T> base = loads.motion();
    Vec3<T> w = base.w, w_dot = base.dw, p_ddot = (-g_).template cast<T>() + base.dv;
    for (std::size_t i = 1; i <= rows_.size(); ++i) {  // "backward": from the base to the end link
      const DhRow<P>& row = rows_[i - 1];
      Link& link = links_[i - 1];
      const T& qd = v[i - 1];
      const T& qdd = a[i - 1];
      const Vec3<T> z = link.z = W.column_z();
      const Place<T> at = place(row, q[i - 1]);
      W = W * rotation(row, at);
      const Vec3<T> p = link.p = W * offset(row, at);
      const Vec3<T> r = W * row.com;
      link.p_plus_r = p + r;
      if (!row.prismatic) {
        const Vec3<T> z_qd = qd * z;
        w_dot = w_dot + qdd * z + cross(w, z_qd);  // ω̇_i, with ω_{i-1}
        w = w + z_qd;                              // ω_i
      }
      link.W = W, link.w = w, link.w_dot = w_dot;
      p_ddot = cross(w_dot, p) + cross(w, cross(w, p)) + p_ddot;                // p̈_i
      if (row.prismatic) p_ddot = p_ddot + qdd * z + T(2) * cross(w, qd * z);   // added: a slide along z_{i-1}
      const Vec3<T> r_ddot = cross(w, cross(w, r)) + cross(w_dot, r) + p_ddot;  // r̈_i
      const Sym3<T> I = congruence(W, row.inertia);
      link.p_ddot = p_ddot, link.r_ddot = r_ddot, link.I = I;
      link.F = row.mass * r_ddot;            // F_i
      link.N = I * w_dot + cross(w, I * w);  // N_i
      if (!loads.links.empty()) link.load = {W * loads.links[i - 1].F, W * loads.links[i - 1].N};
    }
    Vec3<T> f = zero_vector<T>(), n_moment = zero_vector<T>();
    for (std::size_t i = rows_.size(); i >= 1; --i) {  // "forward": from the end link to the base
      Link& link = links_[i - 1];
      if (!loads.links.empty()) f = f - link.load.F, n_moment = n_moment - link.load.N;  // f_{i+1} and n_{i+1}, and what link i exerts on the environment
      n_moment = n_moment + link.N + cross(link.p_plus_r, link.F) + cross(link.p, f);    // n_i, with f_{i+1}
      f = link.F + f;                                                                    // f_i
      tau[i - 1] = dot(link.z, rows_[i - 1].prismatic ? f : n_moment);                   // τ_i; f for a slide is added
      link.f = f, link.n = n_moment;
    }
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol W{"W", "rotation from frame i to the base"}, p{"p", "from origin i-1 to origin i", "", 0, "*"},
        w{"omega", "angular velocity", "omega(i-1) + z(i-1) q(i)'"},
        w_dot{"omega", "angular acceleration", "omega(i-1)' + z(i-1) q(i)'' + omega(i-1) x z(i-1) q(i)'", 1},
        p_ddot{"p", "acceleration of origin i less gravity", "omega(i)' x p*(i) + omega(i) x (omega(i) x p*(i)) + p(i-1)''", 2},
        r_ddot{"r", "acceleration of the mass centre less gravity", "omega(i) x (omega(i) x r*(i)) + omega(i)' x r*(i) + p(i)''", 2},
        I{"I", "inertia about the mass centre, in the base's axes", "W(i) I W(i)^T", 0, "0"}, F{"F", "total force on the link", "m(i) r(i)''"},
        N{"N", "total moment about its mass centre", "I(i) omega(i)' + omega(i) x (I(i) omega(i))"}, f{"f", "force of link i-1 on link i", "F(i) + f(i+1)"},
        n{"n", "moment of link i-1 on link i, about origin i-1", "n(i+1) + N(i) + (p*(i) + r*(i)) x F(i) + p*(i) x f(i+1); tau(i) = z(i-1) . n(i)"};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 1; i <= links_.size(); ++i) {
      const Link& link = links_[i - 1];
      show(W, {i}, link.W);
      show(p, {i}, link.p);
      show(w, {i}, link.w);
      show(w_dot, {i}, link.w_dot);
      show(p_ddot, {i}, link.p_ddot);
      show(r_ddot, {i}, link.r_ddot);
      show(I, {i}, link.I);
      show(F, {i}, link.F);
      show(N, {i}, link.N);
    }
    for (std::size_t i = links_.size(); i >= 1; --i) {
      show(f, {i}, links_[i - 1].f);
      show(n, {i}, links_[i - 1].n);
    }
  }

 private:
  struct Link {
    Vec3<T> z, p, p_plus_r;  // axis of the joint, p*_i, p*_i + r*_i
    Vec3<T> F, N;
    LinkLoad<T> load;  // in frame 0
    // what else the paper names
    Mat3<T> W;
    Vec3<T> w, w_dot, p_ddot, r_ddot;
    Sym3<T> I;
    Vec3<T> f, n;
  };

  std::vector<DhRow<P>> rows_;
  Vec3<P> g_;
  std::vector<Link> links_;
};

}  // namespace ulna::internal::hollerbach
