// Random states of a robot, the same on every machine, for what is found out by numbers. Those of a robot with loops are closed.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <ulna/loop/mechanism.hpp>
#include "dynamics/compute-inl.hpp"

namespace ulna::internal {

template <class T>
class RandomStates {
 public:
  struct Most {
    T q, v, a;
  };
  RandomStates(const Model& model, const Plan& plan, std::uint64_t seed, const Most& most)
      : q(plan.nq), v(plan.sizes().nv), a(v.size()), model_(model), plan_(plan), ws_(plan), random_(seed), most_(most) {
    if (plan.closed()) loops_.emplace(Mechanism::of(model)), out_.resize(row_of(Quantity::closure).size(plan.sizes()));
  }

  std::vector<T> q, v, a;

  void next() {
    for (T& x : q) x = most_.q * number();
    if (plan_.free) {
      const T length = std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
      for (std::size_t k = 3; k < 7; ++k) q[k] /= length;
    }
    if (plan_.closed()) close();
    for (T& x : v) x = most_.v * number();
    for (T& x : a) x = most_.a * number();
  }

  /// At this state: nv rows, column by column.
  void regressor(T* out) {
    const std::size_t n = v.size();
    if (!plan_.closed()) return kernel::regressor<double, T>(plan_, ws_, q.data(), v.data(), a.data(), out, n, {});
    kernel::compute_closed<double, T>(Quantity::regressor, plan_, ws_, {q.data(), v.data(), a.data()}, out, {}, n);
  }

 private:
  T number() { return static_cast<T>(random_() >> 11) * T(0x1p-52) - 1; }  // -1 to 1

  /// The independent positions of q, nearer to the reference assembly where the loops do not close there; then as exactly as T can.
  void close() {
    constexpr double kSound = 0.05;  // of Closure::singularity
    const std::vector<double> reference = model_.reference();
    std::vector<double> at;
    for (double part = 1; part > 1e-3; part /= 2) {
      at = reference;
      for (const std::size_t k : model_.independent_positions())
        at[k] = k < base_nq(model_.base()) ? static_cast<double>(q[k]) : reference[k] + part * static_cast<double>(q[k]);
      const Closure closure = loops_->assemble(at);
      if (closure.closed && !closure.crossed && closure.singularity > std::fmin(kSound, model_.singularity() / 2)) break;
    }
    for (std::size_t k = 0; k < q.size(); ++k)
      if (k >= base_nq(model_.base())) q[k] = at[k];
    for (int step = 0; step < 3; ++step) {
      kernel::compute_closed<double, T>(Quantity::closure, plan_, ws_, {q.data()}, out_.data(), {}, 0);
      std::copy_n(out_.begin(), q.size(), q.begin());
    }
  }

  const Model& model_;
  const Plan& plan_;
  WorkspaceOf<T> ws_;
  std::mt19937_64 random_;
  Most most_;
  std::optional<Mechanism> loops_;
  std::vector<T> out_;
};

}  // namespace ulna::internal
