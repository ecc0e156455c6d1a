// States of robots with loops: dependent positions that the user leaves out are computed, and dependent results are printed with every result.
#pragma once

#include "evaluate.hpp"

namespace ulna::cli {

/// Throws UsageError for options that cannot be combined with loops.
void refuse_for_loops(const Model& model, const Arguments& arguments);

/// States as they are read, with numbers of all joints of the tree, to states as Dynamics takes them. One thread's own.
class Closing {
 public:
  explicit Closing(const Setup& setup);

  /// Valid until the next call.
  const StateBlock& close(const StateBlock& read);
  /// Of the last states: largest condition that is not met; NaN where an input is not finite.
  const std::vector<double>& residuals() const { return residuals_; }
  /// Why a state is not computed.
  std::optional<StateProblem> problem(const StateView& state);

 private:
  std::size_t positions(const StateBlock& read, Closure& worst);

  const Setup& setup_;
  EliminationOrder order_;
  std::vector<std::size_t> independent_positions_;
  StateBlock one_, closed_;
  std::vector<double> alone_, tests_, residuals_;
};

/// A result with the dependent joints' positions, speeds and accelerations, the residual of the loops and, for torques, the loops' wrenches.
Result with_dependents(const Setup& setup, Quantity quantity, Result result);

}  // namespace ulna::cli
