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
  std::vector<double> inputs;
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

  std::string what() const { return std::string(to_string(quantity)); }
};

struct GeneratedRobot {
  std::string name;   // identifier
  std::string robot;  // the model's own name, unescaped
  std::string hash;
  Sizes sizes;
  bool free = false;                // its base; then nq is not nv
  std::vector<std::string> joints;  // independent coordinates, those of a planar base among them; of a free one see coordinate_lines()
  std::vector<bool> prismatic;
  Real real = Real::double_precision;
  std::vector<Generated> functions;
};

/// The states over which errors of single precision are measured: so many of a StateSampler with this seed.
inline constexpr int kErrorStates = 1000;
inline constexpr std::uint64_t kErrorSeed = 21;

/// What stands where in the vectors of a robot, a line each; indices count from `base`.
std::vector<std::string> coordinate_lines(const GeneratedRobot& robot, std::size_t base);

GeneratedRobot prepare(const Analysis& analysis, const GenerateOptions& options);

}  // namespace ulna::internal
