// The numbers of a plan as parameters of programs, so that machine code outlives a change of payload.
#pragma once

#include <optional>
#include <vector>

#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal::robot {

/// Which numbers of a plan are 0 or ±1, and which of one body are equal but for sign: all that a program takes for granted. The others are its parameters.
/// Rotations and couplings are no parameters: no payload changes them.
class Pattern {
 public:
  explicit Pattern(const Plan& plan);

  std::size_t size() const { return count_; }
  /// The plan with parameters of the graph in place of its numbers.
  PlanOf<Expr> symbolic(const Plan& plan, Graph& graph) const;
  /// The parameters' values for a plan of the same robot; none when what is taken for granted does not hold for it.
  std::optional<std::vector<double>> values(const Plan& plan) const;

 private:
  std::vector<std::int32_t> codes_;  // per number: 0 and ±1 for themselves, ±(2 + k) for parameter k
  std::vector<double> rotations_;    // entries of R_PB, multipliers, and frames of loops, which must stay
  std::vector<std::uint8_t> flags_;  // aligned and flat, likewise
  std::size_t count_ = 0;
};

}  // namespace ulna::internal::robot
