// Inertia matrix, Coriolis coefficients and gravity terms from an inverse dynamics that is called with unit vectors.
//
// J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", Systems Engineering Laboratory, The University of
// Michigan, Ann Arbor, December 1980: end of sec. 3, and sec. 7, which uses it with the modified Newton-Euler set for simulation.
//
//   paper                             here
//   tau = M a + (v' C^i v)_i + G      eq. 2.11
//   column j of M                     the torque of the unit acceleration j, at rest, without gravity
//   C^i_jj                            the torque of the unit speed j, unaccelerated, without gravity
//   C^i_jk                            half of: the torque of unit speeds j and k together, less the two runs with one of them
//   C + G                             the torque of the given speeds under gravity (sec. 7)
//
// Takes: what modified_newton_euler.hpp takes; loads and a base that moves enter the bias. Gravity is put off by a base without acceleration.
// Corrected: the paper says the run with theta-dot_j = theta-dot_k = 1 gives C_jk. It gives C_jj + C_kk + 2 C_jk.
// Truncated: links before the joint that is strobed stand still, and symmetry leaves the torques before it unasked for. So M takes n (n + 1) / 2 links outward
// and as many inward, which are the paper's cost forms k1 n (n + 1) / 2 and d1 n (n + 1) / 2 (sec. 6); C takes n (n + 1) (2n + 1) / 6 links outward, the
// paper's k2 form. Inward every run for C has a torque at each of the n joints: n² (n + 1) / 2 links, where the paper has d2 n (n + 1) / 2. Cost: k1 = 39 mul,
// 27 add and d1 = 32 mul, 31 add for an inner link of turning joints and principal axes; one run for G or the bias. Unit vectors are literals, so the counting
// scalar skips what they void.
#pragma once

#include "formulation/modified_newton_euler.hpp"

namespace ulna::internal::turney {

template <class P, Scalar T>
class Strobing {
 public:
  explicit Strobing(const DhChain<P>& chain) : arm_(chain), n_(chain.size()), zeros_(n_, T(0)), unit_(n_, T(0)), tau_(n_, T(0)), columns_(n_) {}
  std::size_t size() const { return n_; }

  /// Row by row, full and symmetric: column j is taken from the diagonal down and mirrored.
  void mass(const T* q, T* M) {
    strobed_ = true;
    arm_.place(q);
    for (std::size_t j = 0; j < n_; ++j) {
      unit_[j] = T(1);
      arm_.torque_placed(zeros_.data(), unit_.data(), weightless_, tau_.data(), {}, j, j);
      unit_[j] = T(0);
      for (std::size_t i = j; i < n_; ++i) M[i * n_ + j] = M[j * n_ + i] = tau_[i];
      columns_[j].assign(tau_.begin() + static_cast<std::ptrdiff_t>(j), tau_.end());
    }
  }

  /// C^i_jk at C[(i n + j) n + k], both orders of j and k.
  void coriolis_coefficients(const T* q, T* C) {
    arm_.place(q);
    const auto at = [&](std::size_t i, std::size_t j, std::size_t k) -> T& { return C[(i * n_ + j) * n_ + k]; };
    for (std::size_t j = 0; j < n_; ++j) {
      strobe_speeds(j, j);
      for (std::size_t i = 0; i < n_; ++i) at(i, j, j) = tau_[i];
    }
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = j + 1; k < n_; ++k) {
        strobe_speeds(j, k);
        for (std::size_t i = 0; i < n_; ++i) at(i, j, k) = at(i, k, j) = T(0.5) * (tau_[i] - at(i, j, j) - at(i, k, k));
      }
  }

  void gravity(const T* q, T* G) {
    arm_.place(q);
    Base<T> still;  // zeros as literals: no rotation
    still.a = arm_.base().a;
    arm_.torque_placed(zeros_.data(), zeros_.data(), still, G);
  }

  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads = {}) {
    strobed_ = false;
    arm_.torque(q, v, zeros_.data(), bias, loads);
  }

  /// Of the bias the recursion's; of M what each run has from the joint on that it accelerates.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol column{"tau", "torques at joint j and behind it, of the unit acceleration of joint j at rest without gravity", "",
                                        "section 7"};
    if (!strobed_) return arm_.visit(shown);
    const PaperQuantities<T> show(shown);
    for (std::size_t j = 0; j < n_; ++j) show(column, {j + 1}, n_ - j, 1, columns_[j].data());
  }

 private:
  /// j <= k.
  void strobe_speeds(std::size_t j, std::size_t k) {
    unit_[j] = unit_[k] = T(1);
    arm_.torque_placed(unit_.data(), zeros_.data(), weightless_, tau_.data(), {}, j);
    unit_[j] = unit_[k] = T(0);
  }

  ModifiedNewtonEuler<P, T> arm_;
  std::size_t n_;
  Base<T> weightless_;
  std::vector<T> zeros_, unit_, tau_;
  std::vector<std::vector<T>> columns_;  // of the lower triangle of the last M
  bool strobed_ = false;                 // whether the last call was of M
};

}  // namespace ulna::internal::turney
