// The recursive Lagrangian formulation with 4x4 matrices: O(n).
//
// J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity", IEEE
// Transactions on Systems, Man, and Cybernetics, vol. SMC-10, no. 11, pp. 730-736, November 1980, eqs 8 to 14.
//
//   paper      here             meaning
//   A_i        joint_[i].A      frame i to frame i-1, 4x4, the 1 of homogeneous vectors in front
//   W_i        motion_[i].W     A_1 ... A_i: frame i to the base, with W_dot and W_ddot its derivatives by time
//   J_i        links_[i-1].J    pseudo-inertia of link i about the origin of frame i: [m nᵀ; n ∫h hᵀ dm] with n = m r
//   ⁱr_i, m_i  links_[i-1]      mass centre (1, x, y, z) in frame i, and mass
//   D_i        D                Σ_{j>=i} ⁱW_j J_j W_ddot_jᵀ: the inertia forces of the links from i on
//   c_i        c                Σ_{j>=i} m_j ⁱW_j r_j: their first moments, in frame i
//   g          g_               gravity in frame 0, pointing down, (0, x, y, z); it enters through the potential energy of the links
//   F_i        tau[i-1]         generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture (as in the paper); loads on the links and a base that moves (ours, see hollerbach.hpp).
// Cost as set forth, with every product formed in full and the entries of A and its derivatives free: 810n - 609 mul, 643n - 512 add
// (the paper's table I: 830n - 592 and 675n - 464).
#pragma once

#include "formulation/hollerbach.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T>
class Hollerbach4x4 {
 public:
  explicit Hollerbach4x4(const DhChain<P>& chain)
      : n_(chain.size()),
        rows_(chain.rows),
        links_(make_links4<T>(chain)),
        g_(gravity4<T>(chain)),
        joint_(n_ + 1),
        motion_(n_ + 1),
        dW_(n_ + 1),
        D_(n_ + 1),
        c_(n_ + 1) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    motion_[0] = motion_of_base<Mat4<T>>(loads);
    for (std::size_t i = 1; i <= n_; ++i) {
      joint_[i] = joint_matrices4(rows_[i - 1], q[i - 1]);                                             // (2)
      motion_[i] = next_motion(motion_[i - 1], i == 1 && !loads.base, joint_[i], v[i - 1], a[i - 1]);  // (8) to (10)
    }
    for (std::size_t i = n_; i >= 1; --i) {
      const Link4<T>& link = links_[i - 1];
      Mat4<T> D_own = link.J * motion_[i].W_ddot.transposed();
      if (!loads.links.empty()) D_own = D_own + load_matrix(motion_[i].W, loads.links[i - 1]).transposed();
      const Vec4<T> c_own = link.m * link.r;
      D_[i] = i == n_ ? D_own : D_own + joint_[i + 1].A * D_[i + 1];  // (12)
      c_[i] = i == n_ ? c_own : c_own + joint_[i + 1].A * c_[i + 1];  // (13)
      dW_[i] = motion_[i - 1].W * joint_[i].dA;
      tau[i - 1] = trace(dW_[i] * D_[i]) - dot(g_, dW_[i] * c_[i]);  // (14)
    }
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol J{"J", "mass, first and second moments about the origin of frame i: [m, n^T; n, int h h^T dm]", "", "12"},
        D{"D", "inertia forces of the links from i on", "J(i) W(i)''^T + A(i+1) D(i+1)", "12"},
        c{"c", "first moments of the links from i on, in frame i", "m(i) r(i) + A(i+1) c(i+1)", "13"},
        dW{"dW", "derivative of W(i) to q(i)", "W(i-1) dA(i); tau(i) = tr(dW(i) D(i)) - g^T dW(i) c(i)", "14"};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 1; i <= n_; ++i) show(J, {i}, links_[i - 1].J);
    for (std::size_t i = 1; i <= n_; ++i) show_motion(show, i, joint_[i], motion_[i]);
    for (std::size_t i = n_; i >= 1; --i) {
      show(D, {i}, D_[i]);
      show(c, {i}, c_[i]);
      show(dW, {i}, dW_[i]);
    }
  }

 private:
  std::size_t n_;
  std::vector<DhRow<P>> rows_;
  std::vector<Link4<T>> links_;
  Vec4<T> g_;
  std::vector<JointMatrices<Mat4<T>>> joint_;
  std::vector<Motion<Mat4<T>>> motion_;
  std::vector<Mat4<T>> dW_, D_;
  std::vector<Vec4<T>> c_;
};

}  // namespace ulna::internal::hollerbach
