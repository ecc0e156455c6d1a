// The programs of one robot that kernels are made of.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "jit/routine.hpp"
#include "robot/parameters.hpp"
#include "trace/digits.hpp"
#include "trace/recipe.hpp"
#include "trace/searches.hpp"

namespace ulna::internal::robot {

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

/// What the options ask for. One search for the torques serves all but gravity, which has its own: the counts are
/// within some per cent of what find_best() reaches for each, in a tenth of the time. Nothing is minimised beyond what the graph folds and shares. Every
/// program keeps the digits of its precision (trace/digits.hpp), so floats may get other ones than doubles.
struct Programs {
  Programs(Searches& searches, const DynamicsOptions& options, bool single);

  std::vector<Variant> variants;
  std::vector<TaskProgram> all;
  std::vector<Quantity> too_long;  // asked for, but left to the templates, which have loops

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
  std::optional<std::vector<double>> parameters(const Variant& variant, const Plan& plan) const;

  Precision precision_;
  std::vector<Pose<double>> frames_;  // of all links on their bodies
};

}  // namespace ulna::internal::robot
