// Kernels for AArch64 of every built-in robot, in the simulator: against the templates, and bit for bit against their operations, one number at a time.
#include <gtest/gtest.h>

#include "arm/simulated.hpp"
#include "bytes/expected.hpp"
#include "bytes/same_bits.hpp"
#include "support/builtin.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// What differs, or nothing.
template <class T>
std::string fault_of(const Model& model, const RobotPrograms& programs, const Expected& expected, const robot::TaskProgram& task, InstructionSet set,
                     bool lanes) {
  const Program program = RobotPrograms::for_set(task, set);
  const std::vector<double> parameters = programs.parameters(task);
  const Simulated<T> kernel(program, set, lanes, parameters);
  if (kernel.encoded().code.empty()) return "there is no code";
  const std::size_t width = kernel.width(), sane = lanes ? width : 1, strange = lanes ? width : 1;
  const std::vector<std::vector<T>> states = states_of<T>(model, program, sane, strange), got = run(kernel, states, lanes);
  for (std::size_t s = 0; s < sane; ++s)
    if (const double off = expected.off(task, states[s], got.at(s)); !(off <= allowed<T>(task.quantity)))
      return cat("state ", s, " is off by ", off, " of the largest");
  for (std::size_t s = 0; s < states.size(); ++s) {
    const std::vector<T> wanted = modelled(program, states[s], parameters);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (!same_bits(got[s][k], wanted[k]))
        return cat("result ", k, " of state ", s, " is ", static_cast<double>(got[s][k]), ", by its operations ", static_cast<double>(wanted[k]));
  }
  return {};
}

template <class T>
void simulate_robot(const Model& model) {
  constexpr InstructionSet kOnly[] = {InstructionSet::neon};
  check_robot<T>(model, kOnly, [](auto&&... all) { return fault_of<T>(all...); });
}

class ArmKernels : public ::testing::TestWithParam<std::string> {};

TEST_P(ArmKernels, GiveTheRobotsDynamicsInDoubles) { simulate_robot<double>(load(GetParam())); }
TEST_P(ArmKernels, GiveTheRobotsDynamicsInFloats) { simulate_robot<float>(load(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Of, ArmKernels, ::testing::ValuesIn(builtin_ids()), test_name);

}  // namespace
}  // namespace ulna::test
