// Lagrange's equations with 4x4 matrices, in the form of Uicker and Kahn: O(n⁴).
//
// J. J. Uicker, "On the dynamic analysis of spatial linkages using 4x4 matrices", Ph.D. thesis, Northwestern University, 1965; M. E. Kahn, "The
// near-minimum-time control of open-loop articulated kinematic chains", Stanford AI Project Memo AIM-106, 1969; here as set forth by J. M. Hollerbach,
// IEEE Trans. Systems, Man, and Cybernetics SMC-10 (11), 1980, eqs 1 to 5.
//
//   paper      here            meaning
//   A_i        joint_[i].A     frame i to frame i-1, 4x4, the 1 of homogeneous vectors in front
//   ᵏW_j       W(k, j)         A_{k+1} ... A_j: frame j to frame k; W_j = ⁰W_j
//   ∂W_j/∂q_k  dW(k, j)        for k <= j
//   ∂²W_j/…    d2W(k, l, j)    ∂²W_j/∂q_k∂q_l for k <= l <= j
//   J_j        links_[j-1].J   pseudo-inertia of link j about the origin of frame j: [m nᵀ; n ∫h hᵀ dm] with n = m r
//   r_j, m_j   links_[j-1]     mass centre (1, x, y, z) in frame j, and mass
//   g          g_              gravity in frame 0, pointing down, (0, x, y, z); it enters through the potential energy of each link
//   F_i        tau[i-1]        generalized force
//
// Takes: serial chains of revolute and prismatic joints in any mixture (as in the paper); loads on the links (ours): the work of their forces, see
// hollerbach.hpp. A base that moves has no place in eq. 4, whose velocities are those of the joints alone.
// Cost as set forth, with every product formed in full and the entries of A and its derivatives free: 32½n⁴ + 118⅔n³ + 203½n² + 53⅓n - 128 mul,
// 25n⁴ + 91⅓n³ + 155n² + 40⅔n - 96 add. The paper's table I has smaller n³, n² and n terms, which its text does not explain.
// Differs from the paper: eq. 5 is printed without the left superscripts of its inner factors, which would put the base transform W_j where the
// transform ᵏW_j from joint k onwards belongs.
#pragma once

#include "formulation/hollerbach.hpp"

namespace ulna::internal::hollerbach {

template <class P, Scalar T>
class UickerKahn {
 public:
  explicit UickerKahn(const DhChain<P>& chain)
      : n_(chain.size()),
        rows_(chain.rows),
        links_(make_links4<T>(chain)),
        g_(gravity4<T>(chain)),
        joint_(n_ + 1),
        W_((n_ + 1) * (n_ + 1)),
        dW_((n_ + 1) * (n_ + 1)),
        d2W_((n_ + 1) * (n_ + 1) * (n_ + 1)) {}

  void torque(const T* q, const T* v, const T* a, T* tau, std::span<const LinkLoad<T>> loads = {}) {
    for (std::size_t j = 1; j <= n_; ++j) joint_[j] = joint_matrices4(rows_[j - 1], q[j - 1]);  // (2)
    transforms();
    first_derivatives();
    second_derivatives();
    for (std::size_t i = 1; i <= n_; ++i) tau[i - 1] = force(i, v, a, loads);
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol J{"J", "mass, first and second moments about the origin of frame j: [m, n^T; n, int h h^T dm]", "", "4"},
        A{"A", "transform from frame j to frame j-1", "", "2"}, dA{"dA", "its derivative to q(j)", "", "5"},
        ddA{"ddA", "its second derivative to q(j)", "", "5"}, W_kj{"W", "transform from frame j to frame k, numbered kj", "A(k+1) ... A(j)", "3"},
        dW_kj{"dW", "derivative of W(0j) to q(k), numbered kj", "W(0k-1) dA(k) W(kj)", "5, corrected"},
        ddW_klj{"ddW", "second derivative of W(0j) to q(k) and q(l), numbered kl, above it j",
                "W(0k-1) dA(k) W(kl-1) dA(l) W(lj), W(0k-1) ddA(k) W(kj) for k = l", "5, corrected"};
    const PaperQuantities<T> show(shown);
    const std::size_t width = n_ + 1;
    for (std::size_t j = 1; j <= n_; ++j) {
      show(J, {j}, links_[j - 1].J);
      show(A, {j}, joint_[j].A);
      show(dA, {j}, joint_[j].dA);
      show(ddA, {j}, joint_[j].d2A);
    }
    for (std::size_t k = 0; k <= n_; ++k)
      for (std::size_t j = k + 2; j <= n_; ++j) show(W_kj, {k, j}, W_[k * width + j]);
    for (std::size_t k = 1; k <= n_; ++k)
      for (std::size_t j = k; j <= n_; ++j) show(dW_kj, {k, j}, dW_[k * width + j]);
    for (std::size_t k = 1; k <= n_; ++k)
      for (std::size_t l = k; l <= n_; ++l)
        for (std::size_t j = l; j <= n_; ++j) show(ddW_klj, {k, l, j}, d2W_[(k * width + l) * width + j]);
  }

 private:
  /// Eq. 3, all pairs: n(n-1)/2 products.
  void transforms() {
    for (std::size_t k = 0; k <= n_; ++k) {
      W(k, k) = Mat4<T>::identity();
      for (std::size_t j = k + 1; j <= n_; ++j) W(k, j) = W(k, j - 1) * joint_[j].A;
    }
  }

  /// Eq. 5, first line, corrected: ∂W_j/∂q_k = W_{k-1} ∂A_k/∂q_k ᵏW_j.
  void first_derivatives() {
    for (std::size_t k = 1; k <= n_; ++k) {
      const Mat4<T> head = W(0, k - 1) * joint_[k].dA;
      for (std::size_t j = k; j <= n_; ++j) dW(k, j) = head * W(k, j);
    }
  }

  /// Eq. 5, second and third line, corrected: W_{k-1} ∂A_k/∂q_k ᵏW_{l-1} ∂A_l/∂q_l ˡW_j for k < l, W_{k-1} ∂²A_k/∂q_k² ᵏW_j for k = l. The first three factors
  /// of the former are a first derivative, which is at hand.
  void second_derivatives() {
    for (std::size_t k = 1; k <= n_; ++k)
      for (std::size_t l = k; l <= n_; ++l) {
        const Mat4<T> head = k == l ? W(0, k - 1) * joint_[k].d2A : dW(k, l - 1) * joint_[l].dA;
        for (std::size_t j = l; j <= n_; ++j) d2W(k, l, j) = head * W(l, j);
      }
  }

  /// Eq. 4, term by term: nothing is shared between terms, and every term costs an addition, the first one too.
  T force(std::size_t i, const T* v, const T* a, std::span<const LinkLoad<T>> loads) {
    T F = as_variable(T(0));
    for (std::size_t j = i; j <= n_; ++j) {
      const Link4<T>& link = links_[j - 1];
      for (std::size_t k = 1; k <= j; ++k) F = F + trace(dW(i, j) * link.J * dW(k, j).transposed()) * a[k - 1];
      for (std::size_t k = 1; k <= j; ++k)
        for (std::size_t l = 1; l <= j; ++l) {
          const Mat4<T>& second = k <= l ? d2W(k, l, j) : d2W(l, k, j);
          F = F + trace(dW(i, j) * link.J * second.transposed()) * v[k - 1] * v[l - 1];
        }
      F = F - link.m * dot(g_, dW(i, j) * link.r);
      if (!loads.empty()) F = F + trace(dW(i, j) * load_matrix(W(0, j), loads[j - 1]).transposed());
    }
    return F;
  }

  Mat4<T>& W(std::size_t k, std::size_t j) { return W_[k * (n_ + 1) + j]; }
  Mat4<T>& dW(std::size_t k, std::size_t j) { return dW_[k * (n_ + 1) + j]; }
  Mat4<T>& d2W(std::size_t k, std::size_t l, std::size_t j) { return d2W_[(k * (n_ + 1) + l) * (n_ + 1) + j]; }

  std::size_t n_;
  std::vector<DhRow<P>> rows_;
  std::vector<Link4<T>> links_;
  Vec4<T> g_;
  std::vector<JointMatrices<Mat4<T>>> joint_;
  std::vector<Mat4<T>> W_, dW_, d2W_;
};

}  // namespace ulna::internal::hollerbach
