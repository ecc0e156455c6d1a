// Generated functions of one robot, independent of the language: programs, their meaning, and states with expected results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/expr/program.hpp>

#include "trace/friction.hpp"

namespace ulna::internal {

/// One state of a self-test. Inputs are numbers of the generated precision; expected results come from an independent recursion in extended precision.
struct TestState {
  std::vector<double> inputs;  // of the function's arguments
  std::vector<long double> expected;
  double tolerance = 0;  // of every result, absolute
};

struct Generated {
  Quantity quantity{};
  std::string method;   // how it was found
  std::string meaning;  // of the result, with units
  Program program;
  std::vector<TestState> tests;
  double single_error = 0;  // single precision only: largest difference from double over states within the joint limits, relative to `single_scale`
  double single_scale = 0;  // the largest result over those states

  std::string suffix;  // of a derivative, for CasADi

  std::string own_name;                                       // of a function that is no quantity's: "fold", "speeds"
  bool folds() const { return own_name.starts_with(kFold); }  // no function of a state
  static constexpr const char *kFold = "fold", *kSpeeds = "speeds";
  std::shared_ptr<const Sides> sides;     // of a function with friction
  std::shared_ptr<const Program> speeds;  // of a robot with loops: from q and v to the tree's speeds, whose signs friction has; else null, and they are v's

  std::string what() const { return own_name.empty() ? std::string(to_string(quantity)) + suffix : own_name; }
  /// The arguments of a function. It computes the signs of v, which friction needs, itself.
  std::vector<Signal> arguments() const;
  std::size_t argument_count() const;
  std::size_t results() const { return program.outputs.front().size; }
  bool takes_sides() const { return program.inputs.back().name == kSides; }
  static constexpr const char* kSides = "side";
};

/// Numbers of the arguments as inputs of the program.
template <class T>
std::vector<T> program_inputs(const Generated& made, const std::vector<double>& numbers) {
  std::vector<T> inputs(numbers.begin(), numbers.end());
  if (!made.takes_sides()) return inputs;
  const std::size_t v = made.program.inputs.front().size;
  std::vector<T> rates(inputs.begin() + static_cast<std::ptrdiff_t>(v), inputs.end());
  if (made.speeds) {
    const std::vector<T> state(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(made.speeds->input_count()));
    rates.resize(made.speeds->results.size());
    EvaluationOf<T> evaluation(*made.speeds);
    evaluation(state, rates);
  }
  const std::vector<T> given = inputs;
  const auto tau = [&](std::size_t k) {  // where there are any
    const std::size_t last = v + made.program.inputs[1].size + k;
    return last < given.size() ? given[last] : T(0);
  };
  for (const Side& side : made.sides->list()) inputs.push_back((*made.sides)(side, rates[side.k], tau(side.k)));
  return inputs;
}
/// Results of a program that took `inputs`, and friction by load.
template <class T>
void add_loads(const Generated& made, const std::vector<T>& inputs, std::vector<T>& results) {
  if (results.size() == made.results()) return;
  const std::vector<Sides::Load>& loads = made.sides->loads();
  const std::size_t first = inputs.size() - made.sides->list().size();
  for (std::size_t j = 0; j < loads.size(); ++j) results[loads[j].row] += inputs[first + loads[j].side] * std::fabs(results[made.results() + j]);
  results.resize(made.results());
}

struct GeneratedRobot {
  std::string name;   // identifier
  std::string robot;  // the model's own name, unescaped
  std::string hash;
  Sizes sizes;
  bool free = false;                // its base; then nq is not nv
  std::vector<std::string> joints;  // coordinates of q, those of a planar base among them; of a free one see coordinate_lines()
  std::vector<bool> prismatic;
  std::vector<std::size_t> places;       // of q, where these stand
  std::vector<std::size_t> quaternions;  // of q, where unit quaternions begin
  std::vector<std::size_t> driven;       // of a robot with loops: which of them v lists
  std::vector<double> pivots;            // of a robot with loops: sizes below which pivots of its elimination are too small to be trusted
  Real real = Real::double_precision;
  std::string prefix;  // of functions, from the options; empty for the language's own
  bool single_file = false, static_const = false, batch = false, misra = false;
  bool friction = false;
  std::string wrench_link;  // empty for no wrench
  std::string note;
  std::vector<Generated> functions;

  std::string prefix_or(const std::string& own) const { return prefix.empty() ? own : prefix; }
  bool closed() const { return !pivots.empty(); }          // it has loops: functions "closure" and "close" are there
  bool two_sizes() const { return sizes.nq != sizes.nv; }  // not one for all vectors
  /// Numbers of closure behind the positions, before the pivots: how far the loops are from closed.
  std::size_t conditions() const { return sizes.tests - pivots.size(); }
};

/// The states over which errors of single precision are measured: so many of a StateSampler with this seed.
inline constexpr int kErrorStates = 1000;
inline constexpr std::uint64_t kErrorSeed = 21;

/// What stands where in the vectors of a robot, a line each; indices count from `base`.
std::vector<std::string> coordinate_lines(const GeneratedRobot& robot, std::size_t base);

/// The program of these results with the fewest operations that the graph's own passes find.
Program minimal_program(const Graph& graph, const std::vector<Expr>& results, std::string name);

GeneratedRobot prepare(const Analysis& analysis, const GenerateOptions& options);

}  // namespace ulna::internal
