// The regressor of many states, by machine code.
#pragma once

#include <memory>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/plan/plan.hpp>

#include "identify/motion.hpp"

namespace ulna::internal {

class Regressors {
 public:
  Regressors(const Model& model, double snap);
  ~Regressors();
  /// `out` gets size() numbers for each sample, column by column.
  void operator()(const Samples& samples, std::vector<double>& out) const;
  const Plan& plan() const { return plan_; }  // not lumped
  std::size_t size() const { return kBodyParameters * plan_.nv * plan_.bodies.size(); }

 private:
  struct Code;
  Plan plan_;
  std::unique_ptr<Code> code_;
};

}  // namespace ulna::internal
