// Data of several runs in lanes, number i of lane l at [i * lanes + l], each with its own parameters: sampled laws, and friction.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/sim/scenario.hpp>

#include "sim/base_state.hpp"

namespace ulna::internal::sim {

/// A sampled controller: it measures at equal periods, and its torques are held in between and delayed. Each run has its own delay, and its own
/// stream of noise, which no other run changes.
class SampledLaw {
 public:
  /// `runs` of every lane; `law` for all of them; `closer` closes measured positions of a robot with loops, and is null for others.
  SampledLaw(const std::vector<const Scenario*>& runs, Law& law, const Dynamics* closer);

  /// At sample k, at time t: measurement and torques. Samples are consecutive, from 0 on.
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

/// Friction of every joint.
class FrictionLanes {
 public:
  /// `plan` of the first run's robot: the others differ in numbers only.
  FrictionLanes(const Plan& plan, const std::vector<const Scenario*>& runs);

  /// What friction takes of each coordinate of the tree, at speeds of all joints.
  void torques(const double* speeds, double* tau);
  /// Derivatives of each one's by its own rate. A jump has none. Of one run.
  void slopes(const double* speeds, double* out) const;

 private:
  struct Rubbing {
    std::size_t v;
    double multiplier;
  };
  void rub(const double* rate, double* taken) const;

  std::size_t lanes_, size_;
  bool direct_ = false;  // every coordinate is one joint's rate, in order
  double smooth_;
  std::vector<Rubbing> bodies_;
  std::vector<double> viscous_, coulomb_, rate_, taken_;   // of each of them, in lanes
  std::vector<std::pair<std::size_t, Friction>> further_;  // those of them with more than viscous and Coulomb friction, whose jump has a speed where it has any
};

}  // namespace ulna::internal::sim
