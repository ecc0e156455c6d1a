// One quantity of one plan on expressions: what the search repeats for every variant of the plan.
#pragma once

#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/trace/best.hpp>

#include "trace/digits.hpp"
#include "trace/run_time.hpp"

namespace ulna::internal {

/// What enters a program besides the rigid bodies and rotors, as inputs of its own behind those of the quantity, where the quantity depends on it.
struct Extras {
  bool friction = false;                // input "side": the signs of v, which no program can make; see src/trace/friction.hpp
  bool smooth = false;                  // the program will be differentiated
  std::size_t wrench_link = kNone;      // input "wrench": force, then moment about the link's origin, in its axes, that the environment exerts on this link
  const RunTimeTable* table = nullptr;  // input "table": lumped numbers that are known at run time only
  bool any() const { return table != nullptr || friction || wrench_link != kNone; }
};

/// A graph and scratch memory, used again for every trace.
class Tracer {
 public:
  Tracer(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method = ForwardMethod::mass_matrix);

  /// Replaces the graph by the quantity's equations for this plan, which has the joints of the first one. `unit` is the plan's length unit, which matters
  /// to forces alone.
  const std::vector<Expr>& operator()(const Plan& plan, const Extras& extras = {}, double unit = 1);

  /// Names what the kernels keep of each body, numbered from 1: c, s (of the joint's angle), w, dw (angular velocity and acceleration), a, U, f, n.
  void name_quantities();

  const Graph& graph() const { return graph_; }
  const std::vector<Expr>& results() const { return results_; }
  std::string output() const { return std::string(row_of(quantity_).symbol); }
  /// The results under their name, and what is behind them under another one: see with_friction().
  static std::vector<OutputOf> outputs(const std::string& name, std::size_t size, const std::vector<Expr>& results) {
    const auto end = results.begin() + static_cast<std::ptrdiff_t>(std::min(size, results.size()));
    std::vector<OutputOf> all{{name, {results.begin(), end}}};
    if (end != results.end()) all.push_back({"transmitted", {end, results.end()}});
    return all;
  }
  /// The question for which digits are measured.
  Digits::Question question() const { return {quantity_, rotor_, method_, form_}; }

  /// Form of derivatives in the next trace; it depends on the robot.
  void write_as(const DerivativeForm& form) { form_ = form; }
  /// How a quantity's derivatives are written to begin with: programs know neither friction nor wrenches nor a moving base.
  static DerivativeForm first_form(Quantity quantity) { return {.rates_give_bias = quantity == Quantity::forward_derivatives}; }

 private:
  const std::vector<Expr>& with_extras(const Plan& plan, const Extras& extras, double unit);

  Quantity quantity_;
  bool rotor_;
  ForwardMethod method_;
  DerivativeForm form_;
  Graph graph_;
  WorkspaceOf<Expr> ws_;
  std::vector<Expr> results_;
};

/// Objective of the search: multiplications, additions and divisions, then multiplications alone.
struct Cost {
  long operations = 0;
  long multiplications = 0;
  explicit Cost(const OperationCounts& c) : operations(c.mul + c.add + c.div), multiplications(c.mul + c.div) {}
  friend auto operator<=>(const Cost&, const Cost&) = default;  // NOLINT(modernize-use-nullptr): clang-tidy takes its zero for a pointer
};

}  // namespace ulna::internal
