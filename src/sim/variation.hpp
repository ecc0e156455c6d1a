// The equations of motion of a run, linearised: ẋ = A x + B u about a state, x = (δq, δv, δ memory of the law), u = δtau.
#pragma once

#include <functional>

#include "sim/system.hpp"

namespace ulna::internal::sim {

/// δq̇ = δv and δv̇ = δa of the derivatives of forward dynamics (by q, v and tau, side by side), into the upper left of A and the top of B, whose columns lie
/// `stride` apart and which come as zeros. Of a free base velocities are numbers in rotating axes: ξ̇ = δV - V × ξ, and δv̇ is less by δ(w × v).
void motion_matrices(const double* v, const double* d, std::size_t n, bool free, double* A, double* B, std::size_t stride);

class Variation {
 public:
  /// Both must outlive it.
  Variation(const Scenario& scenario, System& system);

  /// Of x.
  std::size_t size() const { return 2 * n_ + memory_; }
  /// At (t, x), `state` being as System has it. `held`: the torques are held, without the law. A is size() × size(), B is size() × nv, column by column.
  void linearise(double t, const double* state, bool held, double* A, double* B);
  // There, until the next call.
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& v() const { return v_; }
  const std::vector<double>& tau() const { return tau_; }

  /// Feedback part of the law: its torque minus the feed-forward of the nominal run, where that is not at its limits, and the rates of the law's
  /// memory: zero for a run with the same parameters, and linear in most of these.
  void excess(double t, const Variation& at, double* torques, double* rates);

 private:
  void friction_of_loops(const std::function<void(std::size_t column, const double* torques)>& add);
  void ask(double t, const double* q, const double* v, const double* memory, double* out);

  const Scenario& scenario_;
  System& system_;
  std::unique_ptr<ReferenceMotion> reference_;
  std::unique_ptr<Law> law_;  // without limits of torques: differences must not step over them
  std::size_t n_, memory_;
  std::vector<double> q_, v_, a_, tau_, state_;  // state_: of the law's memory
  std::vector<double> effort_;                   // limits of torques
  std::vector<bool> limited_;                    // torques that are at theirs
  std::vector<double> d_, slope_, answer_, moved_q_, moved_v_, moved_state_, direction_, closing_;
};

}  // namespace ulna::internal::sim
