// Dynamics of a closed robot as straight lines of operations, on any scalar: dependent speeds by an elimination of fixed order. No pivot is chosen while it
// runs, so that programs can be made of it; pivots are among the results, for whoever runs it to look at.
#pragma once

#include <vector>

#include <ulna/dynamics/compute-inl.hpp>

#include <ulna/dynamics/loops-inl.hpp>

namespace ulna::internal {

/// Numbers of conditions().
template <class P>
std::size_t condition_count(const PlanOf<P>& plan) {
  std::size_t count = plan.conditions;
  for (const LoopRowsOf<P>& loop : plan.loops) count += turning_rows(loop.type) == 0 ? 0 : turning_rows(loop.type) - 1;
  return count;
}

/// J_D⁻¹. Up to three rows by determinants, which vanish in singular assemblies alone; more of them by L U, whose pivots may vanish elsewhere, too.
template <Scalar T>
class FixedInverse {
 public:
  FixedInverse(const T* J, std::size_t n, const EliminationOrder& order) : r_(order.rows.size()), A_(r_ * r_), inverse_pivots_(r_) {
    for (std::size_t i = 0; i < r_; ++i)
      for (std::size_t k = 0; k < r_; ++k) at(i, k) = J[order.rows[i] * n + order.columns[k]];
    if (r_ <= 3)
      invert();
    else
      factor();
  }

  /// The determinant, or the pivots one after the other.
  const std::vector<T>& pivots() const { return pivots_; }

  std::vector<T> solve(const std::vector<T>& b) const { return r_ <= 3 ? times(b, false) : by_factors(b); }
  std::vector<T> solve_transposed(const std::vector<T>& b) const { return r_ <= 3 ? times(b, true) : by_factors_transposed(b); }

 private:
  T& at(std::size_t i, std::size_t k) { return A_[i * r_ + k]; }
  const T& at(std::size_t i, std::size_t k) const { return A_[i * r_ + k]; }

  void invert() {
    if (r_ == 0) return;
    if (r_ == 1) {
      pivots_ = {at(0, 0)};
      at(0, 0) = T(1) / at(0, 0);
      return;
    }
    std::vector<T> cofactor(r_ * r_);  // of entry (i, k), at (k, i): the adjugate
    if (r_ == 2) {
      cofactor = {at(1, 1), -at(0, 1), -at(1, 0), at(0, 0)};
    } else {
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
          cofactor[k * 3 + i] = at(i1, k1) * at(i2, k2) - at(i1, k2) * at(i2, k1);
        }
    }
    T determinant = T(0);
    for (std::size_t k = 0; k < r_; ++k) determinant = determinant + at(0, k) * cofactor[k * r_];
    pivots_ = {determinant};
    const T inverse = T(1) / determinant;
    for (std::size_t k = 0; k < r_ * r_; ++k) A_[k] = inverse * cofactor[k];
  }

  void factor() {
    for (std::size_t k = 0; k < r_; ++k) {
      pivots_.push_back(at(k, k));
      inverse_pivots_[k] = T(1) / at(k, k);
      for (std::size_t i = k + 1; i < r_; ++i) {
        at(i, k) = at(i, k) * inverse_pivots_[k];
        for (std::size_t j = k + 1; j < r_; ++j) at(i, j) = at(i, j) - at(i, k) * at(k, j);
      }
    }
  }

  std::vector<T> times(const std::vector<T>& b, bool transposed) const {
    std::vector<T> x(r_, T(0));
    for (std::size_t i = 0; i < r_; ++i)
      for (std::size_t k = 0; k < r_; ++k) x[i] = x[i] + (transposed ? at(k, i) : at(i, k)) * b[k];
    return x;
  }

  std::vector<T> by_factors(std::vector<T> x) const {
    for (std::size_t i = 0; i < r_; ++i)
      for (std::size_t j = 0; j < i; ++j) x[i] = x[i] - at(i, j) * x[j];
    for (std::size_t i = r_; i-- > 0;) {
      for (std::size_t j = i + 1; j < r_; ++j) x[i] = x[i] - at(i, j) * x[j];
      x[i] = inverse_pivots_[i] * x[i];
    }
    return x;
  }

  std::vector<T> by_factors_transposed(std::vector<T> x) const {
    for (std::size_t i = 0; i < r_; ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] = x[i] - at(j, i) * x[j];
      x[i] = inverse_pivots_[i] * x[i];
    }
    for (std::size_t i = r_; i-- > 0;)
      for (std::size_t j = i + 1; j < r_; ++j) x[i] = x[i] - at(j, i) * x[j];
    return x;
  }

  std::size_t r_;
  std::vector<T> A_, inverse_pivots_, pivots_;
};

/// One configuration of the tree, near closed.
template <class P, Scalar T>
class ClosedKernels {
 public:
  ClosedKernels(const PlanOf<P>& plan, const EliminationOrder& order, const std::vector<T>& q)
      : plan_(plan),
        order_(order),
        q_(q),
        ws_(plan),
        phi_(plan.conditions),
        J_(jacobian()),
        inverse_(J_.data(), n(), order) {}

  /// What is left of them: the equations, then opposed().
  std::vector<T> conditions() {
    std::vector<T> out = phi_;
    out.resize(condition_count(plan_));
    kernel::opposed(plan_, ws_, out.data() + phi_.size(), ws_.closed);
    return out;
  }
  const std::vector<T>& pivots() const { return inverse_.pivots(); }

  /// Dependent positions after a step of Newton's method.
  std::vector<T> step() const {
    std::vector<T> rest;
    for (const std::size_t row : order_.rows) rest.push_back(phi_[row]);
    std::vector<T> x = inverse_.solve(rest);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = q_[order_.columns[k]] - x[k];
    return x;
  }

  std::vector<T> velocities(const std::vector<T>& u) const { return completed(u, nullptr); }

  std::vector<T> accelerations(const std::vector<T>& v, const std::vector<T>& u_dot) {
    std::vector<T> c(plan_.conditions);
    T* nothing = nullptr;
    kernel::loop_equations(plan_, ws_, v.data(), nothing, nothing, c.data(), ws_.closed);
    return completed(u_dot, c.data());
  }

  /// Gᵀ tau.
  std::vector<T> gathered(const std::vector<T>& tau) const {
    std::vector<T> dependent, out;
    for (const std::size_t k : order_.columns) dependent.push_back(tau[k]);
    const std::vector<T> mu = inverse_.solve_transposed(dependent);
    for (const std::size_t k : order_.independent) {
      T sum = tau[k];
      for (std::size_t i = 0; i < mu.size(); ++i) sum = sum - J_[order_.rows[i] * n() + k] * mu[i];
      out.push_back(sum);
    }
    return out;
  }

  std::vector<T> torques(const std::vector<T>& v, const std::vector<T>& a, bool rotor) {
    std::vector<T> tau(n());
    EffectsOf<T> effects;
    effects.rotor = rotor;
    kernel::inverse_dynamics(plan_, ws_, q_.data(), v.data(), a.data(), tau.data(), effects);
    return gathered(tau);
  }

  /// In the order of step().
  std::vector<T> of_dependent(const std::vector<T>& all) const {
    std::vector<T> out;
    for (const std::size_t k : order_.columns) out.push_back(all[k]);
    return out;
  }

  std::vector<T> gravity() {
    std::vector<T> tau(n());
    const T* none = nullptr;
    kernel::inverse_dynamics(plan_, ws_, q_.data(), none, none, tau.data(), EffectsOf<T>{});
    return gathered(tau);
  }

  /// Kinetic, potential.
  std::vector<T> energy(const std::vector<T>& v, bool rotor) {
    EffectsOf<T> effects;
    effects.rotor = rotor;
    const EnergyOf<T> e = kernel::energy(plan_, ws_, q_.data(), v.data(), effects);
    return {e.kinetic, e.potential};
  }

  /// GᵀMG, full.
  std::vector<T> mass(bool rotor) {
    const std::size_t m = order_.independent.size();
    std::vector<T> M(n() * n()), reduced(m * m);
    kernel::mass_matrix(plan_, ws_, q_.data(), M.data(), n(), rotor);
    std::vector<std::vector<T>> G;
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<T> unit(m, T(0));
      unit[k] = T(1);
      G.push_back(velocities(unit));
    }
    for (std::size_t l = 0; l < m; ++l) {
      std::vector<T> MG(n(), T(0));
      for (std::size_t i = 0; i < n(); ++i)
        for (std::size_t j = 0; j < n(); ++j) MG[i] = MG[i] + M[i * n() + j] * G[l][j];
      for (std::size_t k = 0; k <= l; ++k) {
        T sum = T(0);
        for (std::size_t i = 0; i < n(); ++i) sum = sum + G[k][i] * MG[i];
        reduced[k * m + l] = reduced[l * m + k] = sum;
      }
    }
    return reduced;
  }

  /// M x = b by L D Lᵀ, which needs no choice of pivots.
  static std::vector<T> solve_symmetric(std::vector<T> M, std::vector<T> x) {
    const std::size_t m = x.size();
    std::vector<T> inverse(m);
    for (std::size_t k = 0; k < m; ++k) {
      inverse[k] = T(1) / M[k * m + k];
      for (std::size_t i = k + 1; i < m; ++i) {
        const T factor = M[i * m + k] * inverse[k];
        for (std::size_t j = k + 1; j <= i; ++j) M[i * m + j] = M[i * m + j] - factor * M[j * m + k];
        x[i] = x[i] - factor * x[k];
      }
    }
    for (std::size_t k = m; k-- > 0;) {
      x[k] = inverse[k] * x[k];
      for (std::size_t i = k + 1; i < m; ++i) x[k] = x[k] - inverse[k] * (M[i * m + k] * x[i]);
    }
    return x;
  }

 private:
  std::size_t n() const { return plan_.nv; }

  std::vector<T> jacobian() {
    kernel::place(plan_, ws_, q_.data());
    std::vector<T> J(plan_.conditions * n());
    const T* none = nullptr;
    T* nothing = nullptr;
    kernel::loop_equations(plan_, ws_, none, phi_.data(), J.data(), nothing, ws_.closed);
    return J;
  }

  std::vector<T> completed(const std::vector<T>& x, const T* c) const {
    std::vector<T> right, all(n());
    for (const std::size_t row : order_.rows) {
      T sum = c == nullptr ? T(0) : -c[row];
      for (std::size_t k = 0; k < x.size(); ++k) sum = sum - J_[row * n() + order_.independent[k]] * x[k];
      right.push_back(sum);
    }
    const std::vector<T> dependent = inverse_.solve(right);
    for (std::size_t k = 0; k < dependent.size(); ++k) all[order_.columns[k]] = dependent[k];
    for (std::size_t k = 0; k < x.size(); ++k) all[order_.independent[k]] = x[k];
    return all;
  }

  const PlanOf<P>& plan_;
  const EliminationOrder& order_;
  const std::vector<T>& q_;
  WorkspaceOf<T> ws_;
  std::vector<T> phi_;
  std::vector<T> J_;
  FixedInverse<T> inverse_;
};

}  // namespace ulna::internal
