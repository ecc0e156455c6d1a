// Machine code of every built-in robot, done instruction by instruction on the test's own processor: against the templates, and bit for bit against the
// processor of this computer, as far as it has the instructions.
#include <gtest/gtest.h>

#include <optional>

#include "bytes/expected.hpp"
#include "bytes/interpreted.hpp"
#include "support/builtin.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// What differs, or nothing.
template <class T>
std::string fault_of(const Model& model, const RobotPrograms& programs, const Expected& expected, const robot::TaskProgram& task, InstructionSet set,
                     bool lanes) {
  const Program program = RobotPrograms::for_set(task, set);
  const Interpreted<T> interpreted(program, set, lanes, programs.parameters(task), false, task.alike);
  const std::size_t width = interpreted.width(), sane = lanes ? 2 * width : 1, strange = lanes ? width : 3;
  const std::vector<std::vector<T>> states = states_of<T>(model, program, sane, strange), got = run(interpreted, states, lanes);
  for (std::size_t s = 0; s < sane; ++s)
    if (const double off = expected.off(task, states[s], got[s]); !(off <= allowed<T>(task.quantity)))
      return cat("state ", s, " is off by ", off, " of the largest");
  if (set > best_instruction_set()) return {};
  const std::vector<std::vector<T>> real = run(MachineCode<T>(program, set, lanes, programs.parameters(task), task.alike), states, lanes);
  for (std::size_t s = 0; s < states.size(); ++s)
    for (std::size_t k = 0; k < got[s].size(); ++k)
      if (!same_bits(got[s][k], real[s][k]))
        return cat("result ", k, " of state ", s, " is ", static_cast<double>(got[s][k]), ", by this computer's processor ", static_cast<double>(real[s][k]));
  return {};
}

template <class T>
void interpret(const Model& model) {
  check_robot<T>(model, kAllSets, [](auto&&... all) { return fault_of<T>(all...); });
}

/// Columns against lanes, both interpreted.
void interpret_columns(const Model& model) {
  const RobotPrograms programs(model, false);
  for (const robot::TaskProgram& task : programs.all()) {
    SCOPED_TRACE(to_string(task.quantity));
    const Program program = RobotPrograms::for_set(task, InstructionSet::avx512);
    if (program.results.size() > 512) continue;  // as Dynamics does
    const Interpreted<double> lanes(program, InstructionSet::avx512, true, programs.parameters(task));
    const auto columns = Interpreted<double>::columns(program, programs.parameters(task));
    for (const std::size_t blocks : {1, 2, 4}) {
      const std::vector<std::vector<double>> states = states_of<double>(model, program, 8 * blocks - 3, 3), expected = lanes(states), got = columns(states);
      ASSERT_EQ(got.size(), states.size()) << "something was written between the states";
      for (std::size_t s = 0; s < states.size(); ++s)
        for (std::size_t k = 0; k < got[s].size(); ++k) ASSERT_TRUE(same_bits(got[s][k], expected[s][k])) << "result " << k << " of state " << s;
    }
  }
}

// The only jumps are loops over blocks of states, by a counter in a general register, which no number of a state can reach: every state takes the same
// instructions. What else might branch is no instruction that decode() knows.
TEST(EncodedKernels, BranchOnTheNumberOfBlocksAlone) {
  for (const char* id : {"panda", "torso", "scara"}) {
    const Model model = load(id);
    const RobotPrograms programs(model, false);
    for (const robot::TaskProgram& task : programs.all())
      for (const InstructionSet set : kAllSets)
        for (const bool lanes : {false, true}) {
          SCOPED_TRACE(::testing::Message() << id << " " << to_string(task.quantity) << (lanes ? " lanes" : ""));
          const Interpreted<double> kernel(RobotPrograms::for_set(task, set), set, lanes, programs.parameters(task), false, task.alike);
          const std::vector<MachineInstruction>& all = kernel.instructions();
          for (std::size_t k = 0; k < all.size(); ++k) {
            const std::string& name = all[k].name;
            if (name.front() == 'j' || name.starts_with("loop") || name.starts_with("cmov") || name.starts_with("call")) {
              EXPECT_EQ(name, "jnz");
              ASSERT_GT(k, 0u);
              EXPECT_EQ(all[k - 1].name, "dec");
            }
            const bool general = !all[k].operands.empty() && all[k].operands[0].kind == MachineOperand::general;
            for (const MachineOperand& operand : all[k].operands)
              EXPECT_FALSE(general && operand.kind == MachineOperand::vector) << name << " brings a number of a state into a general register";
          }
        }
  }
}

class EncodedBytes : public ::testing::TestWithParam<std::string> {};

TEST_P(EncodedBytes, GiveTheRobotsDynamicsInDoubles) { interpret<double>(load(GetParam())); }
TEST_P(EncodedBytes, GiveTheSameForColumns) { interpret_columns(load(GetParam())); }
TEST_P(EncodedBytes, GiveTheRobotsDynamicsInFloats) { interpret<float>(load(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Of, EncodedBytes, ::testing::ValuesIn(builtin_ids()), test_name);

}  // namespace
}  // namespace ulna::test
