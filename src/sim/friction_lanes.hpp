// Friction of every joint of several runs side by side, each with numbers of its own.
#pragma once

#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/sim/scenario.hpp>

namespace ulna::internal::sim {

class FrictionLanes {
 public:
  /// `plan` of the first run's robot: the others differ in numbers only.
  FrictionLanes(const Plan& plan, const std::vector<const Scenario*>& runs);

  /// What friction takes of each coordinate of the tree, at speeds of all joints.
  void torques(const double* speeds, double* tau);

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
  std::vector<double> viscous_, coulomb_, rate_, taken_;  // of each of them, in lanes
};

}  // namespace ulna::internal::sim
