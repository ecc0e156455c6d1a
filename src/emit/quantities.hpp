// What is generated for one robot, before a language is chosen: programs, what they mean, and states with expected results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/expr/program.hpp>

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

  std::string suffix;  // of what is derived from a quantity; see derived.hpp

  std::string own_name;  // of a function that is no quantity's: "fold"

  std::string what() const { return own_name.empty() ? std::string(to_string(quantity)) + suffix : own_name; }
  /// The inputs that a caller gives. The signs of v, which friction takes, a function makes itself.
  std::vector<Signal> arguments() const;
  std::size_t argument_count() const;
  bool takes_sides() const { return program.inputs.back().name == kSides; }
  static constexpr const char* kSides = "side";
};

/// Numbers of the arguments as inputs of the program.
template <class T>
std::vector<T> program_inputs(const Generated& made, const std::vector<double>& numbers) {
  std::vector<T> inputs(numbers.begin(), numbers.end());
  if (!made.takes_sides()) return inputs;
  const std::size_t v = made.program.inputs.front().size;
  for (std::size_t k = 0; k < made.program.inputs.back().size; ++k) inputs.push_back(static_cast<T>((numbers[v + k] > 0) - (numbers[v + k] < 0)));
  return inputs;
}

struct GeneratedRobot {
  std::string name;   // identifier
  std::string robot;  // the model's own name, unescaped
  std::string hash;
  Sizes sizes;
  bool free = false;                // its base; then nq is not nv
  std::vector<std::string> joints;  // independent coordinates, those of a planar base among them; of a free one see coordinate_lines()
  std::vector<bool> prismatic;
  Real real = Real::double_precision;
  std::string prefix;  // of functions, as it was asked for; empty for the language's own
  bool single_file = false, static_const = false, batch = false, misra = false;
  bool friction = false;
  std::string wrench_link;  // empty for no wrench
  std::string note;
  std::vector<Generated> functions;

  std::string prefix_or(const std::string& own) const { return prefix.empty() ? own : prefix; }
};

/// The states over which errors of single precision are measured: so many of a StateSampler with this seed.
inline constexpr int kErrorStates = 1000;
inline constexpr std::uint64_t kErrorSeed = 21;

/// What stands where in the vectors of a robot, a line each; indices count from `base`.
std::vector<std::string> coordinate_lines(const GeneratedRobot& robot, std::size_t base);

GeneratedRobot prepare(const Analysis& analysis, const GenerateOptions& options);

}  // namespace ulna::internal
