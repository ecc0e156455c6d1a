// Deliberate errors, for the tests of what checks kernels: nothing else may set them.
#pragma once

#include <functional>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/robot/dynamics.hpp>

namespace ulna::internal::jit {

/// What is done to a program before it is encoded, and to the parameters before they go into a table of constants: for one state, or for lanes.
struct Tamper {
  std::function<void(Quantity quantity, bool lanes, Program& program)> program{};
  std::function<void(Quantity quantity, bool lanes, std::vector<double>& parameters)> parameters{};
  std::function<void(std::size_t task, Program& program)> closed{};  // of ClosedDynamics, by ClosedTask
};

/// Of the calling thread; empty but in such tests.
Tamper& tamper();

}  // namespace ulna::internal::jit
