// The regressor of many states, by machine code.
#pragma once

#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "identify/motion.hpp"

namespace ulna::internal {

class Regressors {
 public:
  Regressors(const Model& model, double snap);
  /// `out` gets size() numbers for each sample, column by column.
  void operator()(const Samples& samples, std::vector<double>& out) const;
  /// Torques of the rotors, rows() numbers for each sample.
  void rotors(const Samples& samples, std::vector<double>& out) const;
  /// Configurations of the samples: of a robot with loops, whose samples have the independent positions alone, in `closed`; and the first sample that cannot be
  /// closed, or their number.
  const double* configurations(const Samples& samples, std::vector<double>& closed, std::size_t& bad) const;
  const Plan& plan() const { return plan_; }  // not lumped
  std::size_t rows() const { return plan_.sizes().nv; }
  std::size_t size() const { return kBodyParameters * rows() * plan_.bodies.size(); }

 private:
  const double* closed(const Samples& samples, std::vector<double>& q) const;
  Plan plan_;
  std::vector<double> rotors_;  // of each row, seen from its coordinate; without loops
  std::vector<Parameter> drives_;
  Dynamics dynamics_;
};

}  // namespace ulna::internal
