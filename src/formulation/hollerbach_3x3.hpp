// The recursive Lagrangian formulation with 3x3 rotations and vectors: O(n), at half the cost of the 4x4 form.
//
// J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity", IEEE
// Transactions on Systems, Man, and Cybernetics, vol. SMC-10, no. 11, pp. 730-736, November 1980, eqs 15 to 18 and appendices A and B.
//
//   paper       here            meaning
//   A_i         joint_[i].A     rotation from frame i to frame i-1
//   W_i         motion_[i].W    A_1 ... A_i: rotation from frame i to the base, with W_dot and W_ddot its derivatives by time
//   ⁱp*_i       p_own_[i]       from origin i-1 to origin i, in frame i;  ⁱ⁻¹p*_i is p_before_[i], the same in frame i-1
//   p̈_i         p_ddot_[i]      acceleration of origin i, in frame 0
//   n_i         links_[i-1].n   m_i r*_i: first moments of link i about the origin of frame i, in frame i
//   J_i         links_[i-1].J   ∫ h hᵀ dm about the origin of frame i, in frame i
//   e_i         e               Σ_{j>=i} (m_j p̈_j + W_ddot_j n_j): inertia force of the links from i on, in frame 0 (a row in the paper)
//   D_i         D               Σ_{j>=i}: their inertia forces by place of action, seen from origin i
//   c_i         c               Σ_{j>=i}: their first moments about origin i, in frame i
//   (none)      links_[i-1].M   Σ_{j>=i} m_j
//   g           g_              gravity in frame 0, pointing down; it enters through the potential energy of the links
//   F_i         tau[i-1]        generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture; the paper's 3x3 form has revolute joints only. Loads on the links and a base that moves
// are ours, too (see hollerbach.hpp): the base gives W_dot_0, W_ddot_0 and p̈_0, a load is taken off e_i and D_i.
// Cost with every product formed in full and the entries of A and its derivatives free, revolute joints: 410n - 274 mul, 317n - 225 add. The equations as
// printed would cost 398n - 271 and 302n - 222; the paper's table I has 412n - 277 and 320n - 201.
//
// Differs from the paper, whose printed equations hold only without gravity and with all a_i = 0:
//   (a) eq. 16 is printed with a minus; the acceleration of origin j is that of origin j-1 plus W_ddot_j ʲp*_j;
//   (b) n_i is defined as r*_i / m_i; appendix A needs m_i r*_i;
//   (c) the gravity terms of eqs 15 and A11 rotate the mass centre about origin j only; ∂p_j/∂q_i has to be added, and so c_i has to collect the moments
//       M_{i+1} ⁱp*_{i+1} of the shift of origin;
//   (d) eq. B1 drops ∂p_i/∂q_i: in these frames origin i lies off the axis of joint i, by ⁱp*_i from origin i-1, which is on it. The lever is taken up by
//       ⁱp*_i e_i beside D_i and M_i ⁱp*_i beside c_i in eq. 17;
//   (e) ⁱp_{i+1} of eq. 18 is ⁱp*_{i+1}, from origin i to origin i+1;
//   (f) prismatic joints: p̈_j gains 2 W_dot_j z v + W_j z a, and as ∂W_i/∂q_i = 0 the force is z_{i-1} . (e_i - M_i g) in place of eq. 17.
#pragma once

#include "formulation/hollerbach.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T>
class Hollerbach3x3 {
 public:
  explicit Hollerbach3x3(const DhChain<P>& chain)
      : n_(chain.size()),
        rows_(chain.rows),
        links_(n_),
        g_(as_variables<T>(chain.gravity_0)),
        joint_(n_ + 1),
        p_own_(n_ + 1),
        p_before_(n_ + 1),
        motion_(n_ + 1),
        p_ddot_(n_ + 1),
        dW_(n_ + 1),
        D_(n_ + 1),
        e_(n_ + 1),
        c_(n_ + 1) {
    P M = P(0);
    for (std::size_t i = n_; i >= 1; --i) {
      const DhRow<P>& row = rows_[i - 1];
      M = M + row.mass;
      links_[i - 1] = {as_variable(T(row.mass)), as_variables<T>(row.mass * row.com), as_variables<T>(second_moments(row).full()), as_variable(T(M)),
                       as_variables<T>(Vec3<P>{P(0), row.sin_alpha, row.cos_alpha})};
    }
  }

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    motion_[0] = motion_of_base<Mat3<T>>(loads);
    p_ddot_[0] = loads.motion().dv;
    for (std::size_t i = 1; i <= n_; ++i) {
      place_joint(i, q[i - 1]);
      move(i, i == 1 && !loads.base, v[i - 1], a[i - 1]);
    }
    for (std::size_t i = n_; i >= 1; --i) {
      const Link& link = links_[i - 1];
      const Mat3<T>& W_ddot = motion_[i].W_ddot;
      Mat3<T> D_own = outer(link.n, p_ddot_[i]) + link.J * W_ddot.transposed();
      Vec3<T> e_own = link.m * p_ddot_[i] + W_ddot * link.n;
      if (!loads.links.empty()) {  // its force acts at origin i
        D_own = D_own + load_matrix(motion_[i].W, loads.links[i - 1]).transposed();
        e_own = e_own - motion_[i].W * loads.links[i - 1].F;
      }
      if (i == n_) {
        D_[i] = D_own;
        e_[i] = e_own;
        c_[i] = link.n;
      } else {
        const Mat3<T>& A = joint_[i + 1].A;
        const Vec3<T>& p = p_before_[i + 1];
        D_[i] = A * D_[i + 1] + outer(p, e_[i + 1]) + D_own;  // (18), (e)
        e_[i] = e_[i + 1] + e_own;                            // (18)
        c_[i] = link.n + (A * c_[i + 1] + links_[i].M * p);   // (13) for vectors, (c): links_[i] is link i+1
      }
      tau[i - 1] = force(i);
    }
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol n{"n", "first moment m r* about the origin of frame i", "", "15"},
        J{"J", "second moments int h h^T dm about the origin of frame i", "", "15"}, M{"M", "mass of the links from i on", "", "13"},
        p_star{"p", "from origin i-1 to origin i, in frame i", "", "16", 0, "*"},
        p_ddot{"p", "acceleration of origin i, in frame 0", "p(i-1)'' + W(i)'' p*(i)", "16, corrected", 2},
        D{"D", "moments of the inertia forces of the links from i on", "A(i+1) D(i+1) + p*(i+1) e(i+1) + n(i) p(i)''^T + J(i) W(i)''^T", "18"},
        e{"e", "inertia force of the links from i on, in frame 0", "e(i+1) + m(i) p(i)'' + W(i)'' n(i)", "18"},
        c{"c", "first moment of the links from i on, in frame i", "n(i) + A(i+1) c(i+1) + M(i+1) p*(i+1)", "13, corrected"},
        dW{"dW", "derivative of W(i) to q(i)", "W(i-1) dA(i); tau(i) = tr(dW(i) (D(i) + p*(i) e(i)^T)) - g^T dW(i) (c(i) + M(i) p*(i))", "17, corrected"};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 1; i <= n_; ++i) {
      show(n, {i}, links_[i - 1].n);
      show(J, {i}, links_[i - 1].J);
    }
    for (std::size_t i = n_; i >= 1; --i) show(M, {i}, links_[i - 1].M);
    for (std::size_t i = 1; i <= n_; ++i) {
      show(p_star, {i}, p_own_[i]);
      show_motion(show, i, joint_[i], motion_[i]);
      show(p_ddot, {i}, p_ddot_[i]);
    }
    for (std::size_t i = n_; i >= 1; --i) {
      show(D, {i}, D_[i]);
      show(e, {i}, e_[i]);
      show(c, {i}, c_[i]);
      if (!rows_[i - 1].prismatic) show(dW, {i}, dW_[i]);
    }
  }

 private:
  struct Link {
    T m{};
    Vec3<T> n;
    Mat3<T> J;
    T M{};      // mass of this link and of all behind it
    Vec3<T> z;  // ⁱz_{i-1}: the axis of joint i, in frame i
  };

  /// A_i with its derivatives, and p*_i seen from both sides. The paper's count has all this for free.
  void place_joint(std::size_t i, const T& q) {
    [[maybe_unused]] const NotCounted<T> entries{};
    const DhRow<P>& row = rows_[i - 1];
    const Place<T> at = place(row, q);
    joint_[i] = joint_matrices3(row, at);
    p_before_[i] = as_variables<T>(Vec3<T>{row.a * at.cos_theta, row.a * at.sin_theta, at.s});
    p_own_[i] = as_variables<T>(offset(row, at));
  }

  /// Eqs 8 to 10 for rotations, then eq. 16 with a plus, see (a); (f) for a slide.
  void move(std::size_t i, bool at_rest, const T& v, const T& a) {
    motion_[i] = next_motion(motion_[i - 1], at_rest, joint_[i], v, a);
    p_ddot_[i] = p_ddot_[i - 1] + motion_[i].W_ddot * p_own_[i];
    if (!rows_[i - 1].prismatic) return;
    const Vec3<T>& z = links_[i - 1].z;
    p_ddot_[i] = p_ddot_[i] + (T(2) * v) * (motion_[i].W_dot * z) + a * (motion_[i].W * z);
  }

  /// Eq. 17 with (c) and (d); (f) for a slide.
  T force(std::size_t i) {
    const Link& link = links_[i - 1];
    if (rows_[i - 1].prismatic) return dot(motion_[i].W * link.z, e_[i] - link.M * g_);
    const Mat3<T>& dW = dW_[i] = motion_[i - 1].W * joint_[i].dA;
    const Vec3<T>& p = p_own_[i];
    return trace(dW * (D_[i] + outer(p, e_[i]))) - dot(g_, dW * (c_[i] + link.M * p));
  }

  std::size_t n_;
  std::vector<DhRow<P>> rows_;
  std::vector<Link> links_;
  Vec3<T> g_;
  std::vector<JointMatrices<Mat3<T>>> joint_;
  std::vector<Vec3<T>> p_own_, p_before_;
  std::vector<Motion<Mat3<T>>> motion_;
  std::vector<Vec3<T>> p_ddot_;
  std::vector<Mat3<T>> dW_, D_;
  std::vector<Vec3<T>> e_, c_;
};

}  // namespace ulna::internal::hollerbach
