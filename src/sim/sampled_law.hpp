// A law as a controller runs it: it measures at equal periods, and its torques are held in between and come late.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/sim/scenario.hpp>

#include "sim/base_state.hpp"

namespace ulna::internal::sim {

/// Of several runs side by side, number i of lane l at [i * lanes + l]. Each has its own delay, and its own stream of noise, which no other run changes.
class SampledLaw {
 public:
  /// `runs` of every lane; `law` for all of them; `closer` closes measured positions of a robot with loops, and is null for others.
  SampledLaw(const std::vector<const Scenario*>& runs, Law& law, const Dynamics* closer);

  /// At sample k, at time t: what is measured, and what the law makes of it. Samples come one after the other, from 0 on.
  void sample(std::uint64_t k, double t, const double* q, const double* v);
  /// That act until the next sample.
  const double* torques() const { return tau_.data(); }

 private:
  void measure(std::uint64_t k, const double* q, const double* v);

  Law& law_;
  const Dynamics* closer_;
  BaseState base_;
  double period_;
  std::uint64_t seed_;
  std::size_t lanes_, n_;                                    // n_: of the joints that v lists
  std::vector<std::size_t> driven_, delay_;                  // driven_: see driven_positions(); delay_: of each lane, in samples
  std::vector<std::uint32_t> joint_, run_low_, run_high_;    // of each number of noise: which joint's it is, and which run's
  std::vector<double> noise_q_, noise_v_, step_q_, step_v_;  // standard deviations, and what is measured in multiples of; 0 for none
  std::vector<double> drawn_q_, drawn_v_, q_, v_, asked_, tau_, late_, memory_, rate_;
  bool noisy_ = false, coarse_ = false;
};

}  // namespace ulna::internal::sim
