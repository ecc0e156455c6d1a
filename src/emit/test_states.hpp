// Self-tests of generated code: states, and expected results, by an independent recursion in extended precision.
#pragma once

#include <optional>
#include <vector>

#include "emit/quantities.hpp"
#include "trace/run_time.hpp"

namespace ulna::internal {

/// The link of quantities that are of one.
std::size_t link_of(const Model& model, const GenerateOptions& options);
/// Whether the inertia matrix is written, or measures the rounding of what is.
bool needs_matrices(Quantity quantity);
/// Quantity::closure by the kernels in extended precision.
std::vector<long double> closure_by_kernels(const Plan& plan, const std::vector<double>& q);

/// `fold` and `run_time`: of functions that take the table of run-time parameters; else null and none.
std::vector<TestState> test_states(const Model& model, const QuantityRow& row, const GenerateOptions& options, const std::vector<RunTimeInput>& run_time,
                                   const Program* fold);
std::vector<TestState> fold_tests(const Model& model, const Program& fold, const std::vector<RunTimeInput>& inputs, const GenerateOptions& options);
std::vector<TestState> speeds_tests(const Model& model, const GenerateOptions& options);

/// Where floats fail their test because the inertia matrix is singular in floats, the message says so.
void require_pivots(const Model& model, Quantity quantity, const Generated& made, const GenerateOptions& options);

/// Over states within the joint limits, or closed ones. Forward dynamics gets the torques that belong to such a state, as a controller would have them: forces
/// of another size would measure the error of motions that the robot does not make.
void measure_single(const Model& model, Quantity quantity, const GenerateOptions& options, Generated& made);

// Generated code is tested before it is written: it must pass its own self-test.

/// A result of the self-test that is not what it should be.
struct Miss {
  std::size_t state = 0, result = 0;  // from 0
  double difference = 0, allowed = 0;
};

/// Runs the program in the precision that the code will have on the states of its self-test, and compares as that does. The first miss; none when all pass.
std::optional<Miss> first_miss(const Generated& made, Real real);

/// Throws std::invalid_argument, with cause and cure, when there is one.
void require_passed(const Generated& made, const std::string& robot, const GenerateOptions& options);

}  // namespace ulna::internal
