// The programs of one robot that kernels are made of.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include <ulna/expr/expr.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "jit/routine.hpp"
#include "scalar/exact.hpp"
#include "trace/digits.hpp"
#include "trace/recipe.hpp"
#include "trace/searches.hpp"

namespace ulna::internal::robot {

// --- The numbers of a plan as parameters of programs, so that machine code outlives a change of payload.

/// Which numbers of a plan are 0 or ±1, and which of one body are equal but for sign: all that a program assumes. The others are its parameters.
/// Rotations and couplings are no parameters: no payload changes them.
class Pattern {
 public:
  explicit Pattern(const Plan& plan);

  std::size_t size() const { return count_; }
  /// The plan with parameters of the graph in place of its numbers.
  PlanOf<Expr> symbolic(const Plan& plan, Graph& graph) const;
  /// The parameters' values for a plan of the same robot; none when these assumptions do not hold for it.
  std::optional<std::vector<double>> values(const Plan& plan) const;
  /// Of a plan in exact numbers, which must be of the pattern.
  std::vector<Exact> values(const PlanOf<Exact>& plan) const;

 private:
  std::vector<std::int32_t> codes_;  // per number: 0 and ±1 for themselves, ±(2 + k) for parameter k
  std::vector<double> rotations_;    // entries of R_PB, multipliers, and frames of loops, which must stay
  std::vector<std::uint8_t> flags_;  // aligned and flat, likewise
  std::size_t count_ = 0;
};

// --- The programs of one robot that kernels are made of.

struct TaskProgram : jit::Source {
  Quantity quantity{};
  std::size_t link = kNone;     // of pose and jacobian
  std::size_t variant = kNone;  // whose parameters it takes; none for those of a link, and for the regressor
};

/// Frames and parameters that several programs share.
struct Variant {
  Recipe recipe;
  Pattern pattern;
  Digits::Question question;   // what its digits are measured by
  std::vector<double> values;  // of the pattern's parameters, for the robot that was searched
};

/// Operations of the longest program that is made, roughly: beyond, code without loops is megabytes long, takes seconds to make, and is no faster than the
/// templates. The inertia matrix takes as many of a chain of 178 joints, its factors of one of 91, its inverse of one of 63.
inline constexpr long kMostOperations = 400'000;

/// The programs for the options. One search for the torques serves all but gravity, which has its own: the counts are
/// within some per cent of what find_best() reaches for each, in a tenth of the time. Nothing is minimised beyond what the graph folds and shares. Every
/// program keeps the digits of its precision (trace/digits.hpp), so floats may get other ones than doubles.
struct Programs {
  /// `loops`: whose registers solve what is better solved in loops (jit/tree_solve.hpp); none for programs that do all.
  Programs(Searches& searches, const DynamicsOptions& options, bool single, InstructionSet loops = InstructionSet::none);

  std::vector<Variant> variants;
  std::vector<TaskProgram> all;
  std::vector<Quantity> too_long;  // requested, but left to the templates, which have loops

  /// What machine code is made of, moved there.
  std::vector<jit::Source> sources() { return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())}; }

  /// Values of every variant's parameters for the robot that they were made for.
  std::vector<std::vector<double>> parameters() const;

  /// The same for a robot that differs in numbers only; none when a program does not fit it, or would cost it digits. Poses,
  /// Jacobians and the regressor fit when no link has moved, and gravity is the same.
  /// `plan`: the model's, not lumped.
  std::optional<std::vector<std::vector<double>>> parameters(const Plan& plan) const;
  /// Of one variant, whose programs have no frames of links in them.
  std::optional<std::vector<double>> parameters(std::size_t variant, const Model& model, const DynamicsOptions& options) const;

 private:
  Digits digits_of(const Plan& plan) const;
  std::optional<std::vector<double>> parameters(const Variant& variant, const Plan& plan, Digits& digits) const;

  Precision precision_;
  std::vector<Pose<double>> frames_;  // of all links on their bodies
};

}  // namespace ulna::internal::robot
