// The compiled and generated code: implementations that verify() compares besides the formulations.
#pragma once

#include <optional>
#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/verify/verify.hpp>
#include "verify/reference.hpp"

#include "dynamics/rounding.hpp"
#include "verify/bounds.hpp"

namespace ulna::internal {

class ImplementationChecks {
 public:
  ImplementationChecks(const Model& model, const VerifyOptions& options);

  /// One more state. Implementations in floats get it rounded to floats, with the reference for that.
  void add(const Reference& reference, const Terms& terms, const Bounds& exact, const std::vector<double>& q, const std::vector<double>& v,
           const std::vector<double>& a);
  /// The rows of a quantity, in the order in which the implementations were given.
  std::vector<FormulationCheck> rows(Quantity quantity) const;

 private:
  struct Row {
    std::shared_ptr<Implementation> implementation;
    FormulationCheck check;
    int compared = 0, beyond = 0;  // states, and those in which the equations leave the range of floats
    int singular = 0;              // and those in which M has no inverse among floats
  };
  struct State {
    const Bounds& exact;
    const std::vector<double>&q, &v, &a;
    std::vector<double> tau;
  };
  void compare(Row& row, const State& state);
  bool floats_hold(Quantity quantity, const State& state);

  std::vector<Row> rows_;
  bool singles_ = false;
  Plan plan_;
  std::optional<Rounding> floats_;
};

}  // namespace ulna::internal
