// Instructions in another order: the same program, and fewer values that wait.
#include "jit/order.hpp"

#include <array>

#include <ulna/source/load.hpp>

#include "jit/machine.hpp"
#include "jit/random_program.hpp"
#include "robot/programs.hpp"
#include "support/imagined_processor.hpp"

namespace ulna::test {
namespace {

void expect_operands_come_first(const Program& program) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const std::size_t value = program.first_instruction() + i;
    const Instruction& step = program.instructions[i];
    for (const std::uint32_t operand : {step.a, step.b, step.c}) ASSERT_TRUE(operand < value || operand == kNoValue) << "instruction " << i;
  }
}

std::array<int, 9> operations(const Program& program) {
  std::array<int, 9> counts{};
  for (const Instruction& step : program.instructions) ++counts[static_cast<std::size_t>(step.op)];
  return counts;
}

TEST(Order, ChangesNoResult) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program program = random_program(seed, {.instructions = random.integer(30, 400), .angles = random.integer(0, 9), .fused = random.chance(0.5)});
    const Program other = jit::ordered(program);
    expect_operands_come_first(other);
    std::vector<double> inputs;
    for (std::size_t k = 0; k < program.input_count(); ++k) inputs.push_back(random.uniform(0.5, 2));
    const std::vector<double> expected = evaluated(program, inputs), got = evaluated(other, inputs);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(got[k] == expected[k] || (std::isnan(got[k]) && std::isnan(expected[k]))) << k;
  }
}

TEST(Order, OfRobotsNeedsFewerSpills) {
  const auto spills = [](const Program& program) { return static_cast<double>(jit::allocate(jit::tape_of(program), {.count = 15}).spills); };
  for (const char* name : {"panda", "stanford", "ur5", "puma560", "torso", "humanoid-38"}) {
    SCOPED_TRACE(name);
    double all_before = 0, all_after = 0;
    Searches searches(load(name));
    for (const robot::TaskProgram& task : robot::Programs(searches, {}, false).all) {
      const Program before = fused(task.program), after = jit::ordered(before);
      expect_operands_come_first(after);
      EXPECT_EQ(after.instructions.size(), before.instructions.size());
      EXPECT_EQ(after.counts(), before.counts());
      all_before += spills(before);
      all_after += spills(after);
    }
    EXPECT_LT(all_after, 0.97 * all_before);
  }
}

TEST(Order, TakesDifferencesTheOtherWayRoundWhenOnlyTheOppositeIsWanted) {
  Program program;
  program.inputs = {{"q", 3}};
  program.instructions = {{Op::subtract, 0, 1, kNoValue}, {Op::multiply_subtract, 0, 1, 2}, {Op::subtract_product, 0, 1, 2},
                          {Op::subtract, 1, 2, kNoValue}, {Op::multiply, 6, 6, kNoValue},   {Op::add, 0, 1, kNoValue}};
  program.names.resize(program.instructions.size());
  program.outputs = {{"y", 8}};
  // Both signs of the first but one are wanted, and the fourth is needed with its own.
  program.results = {{3, true}, {3, true}, {4, true}, {5, true}, {5, false}, {6, true}, {7, false}, {8, true}};
  const Program other = jit::ordered(program);
  std::vector<bool> negative;
  for (const Output& out : other.results) negative.push_back(out.negative);
  EXPECT_EQ(negative, (std::vector<bool>{false, false, false, true, false, true, false, true}));
  EXPECT_EQ(evaluated(other, std::vector<double>{2, 3, 7}), evaluated(program, std::vector<double>{2, 3, 7}));
  EXPECT_EQ(operations(other)[static_cast<std::size_t>(Op::subtract_product)], 2);
}

}  // namespace
}  // namespace ulna::test
