// Lagrange's equations with 4x4 matrices and a backward recursion of velocities and accelerations: O(n²).
//
// R. C. Waters, "Mechanical arm control", M.I.T. Artificial Intelligence Laboratory Memo 549, 1979; here in the simpler form of J. M. Hollerbach, IEEE
// Trans. Systems, Man, and Cybernetics SMC-10 (11), 1980, eqs 6 to 10.
//
//   paper      here               meaning
//   A_j        joint_[j].A        frame j to frame j-1, 4x4, the 1 of homogeneous vectors in front
//   W_j        motion_[j].W       A_1 ... A_j: frame j to the base, with W_dot and W_ddot its derivatives by time
//   ∂W_j/∂q_i  dW                 for i <= j
//   J_j        links_[j-1].J      pseudo-inertia of link j about the origin of frame j: [m nᵀ; n ∫h hᵀ dm] with n = m r
//   r_j, m_j   links_[j-1]        mass centre (1, x, y, z) in frame j, and mass
//   g          g_                 gravity in frame 0, pointing down, (0, x, y, z); it enters through the potential energy of each link
//   F_i        tau[i-1]           generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture (as in the paper); loads on the links and a base that moves (ours, see hollerbach.hpp).
// Cost as set forth, with every product formed in full and the entries of A and its derivatives free: 106½n² + 620½n - 529 mul, 82n² + 481n - 432 add
// (the paper's table I: 106½n² + 620¼n - 512 and 82n² + 514n - 384).
#pragma once

#include "formulation/hollerbach.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T>
class Waters {
 public:
  explicit Waters(const DhChain<P>& chain)
      : n_(chain.size()), rows_(chain.rows), links_(make_links4<T>(chain)), g_(gravity4<T>(chain)), joint_(n_ + 1), motion_(n_ + 1), dW_((n_ + 1) * (n_ + 1)) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads = {}) {
    motion_[0] = motion_of_base<Mat4<T>>(loads);
    for (std::size_t j = 1; j <= n_; ++j) {
      joint_[j] = joint_matrices4(rows_[j - 1], q[j - 1]);                                             // (2)
      motion_[j] = next_motion(motion_[j - 1], j == 1 && !loads.base, joint_[j], v[j - 1], a[j - 1]);  // (8) to (10)
    }
    for (std::size_t i = 1; i <= n_; ++i) tau[i - 1] = force(i, loads.links);
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol J{"J", "mass, first and second moments about the origin of frame i: [m, n^T; n, int h h^T dm]", "", "6"},
        dW{"dW", "derivative of W(j) to q(i), numbered ij",
           "dW(ij-1) A(j), dW(ii) = W(i-1) dA(i); tau(i) = sum over j >= i of tr(dW(ij) J(j) W(j)''^T) - m(j) g^T dW(ij) r(j)", "6"};
    const PaperQuantities<T> show(shown);
    for (std::size_t j = 1; j <= n_; ++j) show(J, {j}, links_[j - 1].J);
    for (std::size_t j = 1; j <= n_; ++j) show_motion(show, j, joint_[j], motion_[j]);
    for (std::size_t i = 1; i <= n_; ++i)
      for (std::size_t j = i; j <= n_; ++j) show(dW, {i, j}, dW_[i * (n_ + 1) + j]);
  }

 private:
  /// Eq. 6. ∂W_j/∂q_i grows by one A_j a link: one product a pair (i, j).
  T force(std::size_t i, std::span<const LinkLoad<T>> loads) {
    T F = T(0);
    for (std::size_t j = i; j <= n_; ++j) {
      Mat4<T>& dW = dW_[i * (n_ + 1) + j];
      dW = j == i ? motion_[i - 1].W * joint_[i].dA : dW_[i * (n_ + 1) + j - 1] * joint_[j].A;
      const Link4<T>& link = links_[j - 1];
      F = F + (trace(dW * link.J * motion_[j].W_ddot.transposed()) - link.m * dot(g_, dW * link.r));
      if (!loads.empty()) F = F + trace(dW * load_matrix(motion_[j].W, loads[j - 1]).transposed());
    }
    return F;
  }

  std::size_t n_;
  std::vector<DhRow<P>> rows_;
  std::vector<Link4<T>> links_;
  Vec4<T> g_;
  std::vector<JointMatrices<Mat4<T>>> joint_;
  std::vector<Motion<Mat4<T>>> motion_;
  std::vector<Mat4<T>> dW_;  // of pair (i, j), j >= i, at i (n + 1) + j
};

}  // namespace ulna::internal::hollerbach
