// Derivatives by dual numbers through the templates: the reference of Derivative's programs, and their replacement where there is none.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/robot/derivative.hpp>

namespace ulna::internal::robot {

/// What Derivative computes on one robot, and the order of the numbers that it is called with: q, v, last, parameters (masses or a payload), x, y.
struct DerivativeTask {
  /// Throws std::invalid_argument for what the quantity or the robot does not have.
  DerivativeTask(const Model& model, const DerivativeOptions& options);

  bool by(const char* name) const { return options.by == name; }
  bool multiplied() const { return options.product == Product::times || options.product == Product::second; }
  bool weighted() const { return options.product == Product::weights || options.product == Product::second; }
  /// Whether columns by q are tangents: of quaternions, and of loops, whose dependent positions move, too.
  bool in_tangents() const { return (!plan.quaternions.empty() || plan.closed()) && by("q"); }
  std::size_t state() const { return inputs[0] + inputs[1] + inputs[2]; }
  std::size_t first_x() const { return state() + parameters; }
  std::size_t first_y() const { return first_x() + (multiplied() ? columns : 0); }
  std::size_t numbers() const { return first_y() + (weighted() ? rows : 0); }
  std::size_t results() const { return options.product == Product::matrix ? rows * columns : options.product == Product::times ? rows : columns; }
  /// The first of the numbers that it differentiates by.
  std::size_t first_variable() const { return parameters > 0 ? state() : by("q") ? 0 : by("v") ? inputs[0] : inputs[0] + inputs[1]; }

  DerivativeOptions options;
  std::vector<Wrench> wrenches;  // of the options
  Plan plan;                     // not lumped
  std::array<std::size_t, 3> inputs{};
  std::size_t parameters = 0, rows = 0, columns = 0;
  std::vector<std::size_t> bodies;  // by "masses": the bodies of these columns
  std::vector<std::string> names;   // of the columns
};

/// Columns one at a time: each is a direction in which the numbers move. O(columns) times the quantity.
class DualDerivative {
 public:
  /// Of the task's robot, or of one whose numbers differ; `task` must outlive it.
  DualDerivative(const DerivativeTask& task, const Plan& plan);
  ~DualDerivative();
  DualDerivative(DualDerivative&&) noexcept;

  /// `numbers` as DerivativeTask orders them; results as those of Derivative. NaN where an input is bad (dynamics/guard.hpp). Allocates nothing.
  void operator()(const double* numbers, double* out);
  /// The largest number of the quantity itself, in the last call.
  double largest() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::internal::robot
