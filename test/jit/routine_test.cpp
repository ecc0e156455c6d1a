// The one way from a program to a function: what has not passed its comparison cannot be called.
#include "jit/routine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulna::test {
namespace {

/// x² + p, of one input.
Program square() {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 1), p = graph.parameters("p", 1), results{x[0] * x[0] + p[0]};
  const OutputOf output{"y", results};
  return make_program(graph, {&output, 1});
}

std::shared_ptr<const jit::RoutineCode> code_of(jit::States states) {
  std::vector<jit::Source> sources;
  sources.push_back({"square", square()});
  return std::make_shared<const jit::RoutineCode>(std::move(sources), best_instruction_set(), false, states);
}

TEST(Routine, RunsWhatPassed) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const std::vector<double> p{0.5};
  const double x = 3;
  const jit::Routine routine(code_of(jit::States::one), 0, p, [&](const jit::Trial& trial) {
    double y = 0;
    trial.function(&x, nullptr, nullptr, &y, trial.constants, 1);
    return y == 9.5 ? 0.0 : 2.0;
  });
  ASSERT_TRUE(routine.ok());
  EXPECT_EQ(routine.why_not(), "");
  double y = 0;
  routine(&x, nullptr, nullptr, &y);
  EXPECT_EQ(y, 9.5);
  const jit::Routine copy = routine;  // shares the constants
  EXPECT_EQ(copy.kernel().one_constants, routine.kernel().one_constants);
}

TEST(Routine, HasNothingToCallWithoutAPassedComparison) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const std::vector<double> p{0.5};
  for (const double difference : {1 + 1e-15, 2.0, std::nan(""), std::numeric_limits<double>::infinity()})
    for (const jit::Way wrong : {jit::Way::one, jit::Way::lanes, jit::Way::columns}) {
      bool compared = false;
      const jit::Routine routine(code_of(jit::States::many), 0, p, [&](const jit::Trial& trial) {
        compared = compared || trial.way == wrong;
        return trial.way == wrong ? difference : 0.0;
      });
      if (!compared) continue;  // columns are for AVX-512
      EXPECT_FALSE(routine.ok());
      const jit::Kernel& kernel = routine.kernel();
      EXPECT_TRUE(kernel.one == nullptr && kernel.lanes == nullptr && kernel.once == nullptr && kernel.columns == nullptr);
      ASSERT_EQ(routine.refused().size(), 1u);
      EXPECT_GT(routine.refused().front().difference, 1);
      EXPECT_EQ(routine.refused().front().width == 1, wrong == jit::Way::one);
      EXPECT_NE(routine.why_not().find("gives other results"), std::string::npos) << routine.why_not();
    }
}

TEST(Routine, SaysWhyThereIsNoMachineCode) {
  EXPECT_EQ(jit::Routine({"square", square()}, InstructionSet::none, [](const jit::Trial&) { return 0.0; }).why_not(), "machine code may not be made here");
}

}  // namespace
}  // namespace ulna::test
