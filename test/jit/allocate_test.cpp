// The register allocation by itself: its steps, done one after the other on an imagined processor, give what the program gives. The imagined processor knows
// nothing of how the steps were found, and notices a register or slot that is read before it was written.
#include "jit/machine.hpp"

#include "jit/random_program.hpp"
#include "support/imagined_processor.hpp"

namespace ulna::test {
namespace {

using jit::Place;
using jit::Registers;
using jit::Step;

TEST(Allocate, StepsGiveWhatTheProgramGives) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program program = random_program(seed, {.instructions = random.integer(40, 300),
                                                  .inputs = random.integer(3, 20),
                                                  .constants = random.integer(1, 30),
                                                  .angles = random.integer(0, 5),
                                                  .fused = random.chance(0.7)});
    const std::vector<double> inputs = random.numbers(program.input_count(), 0.5, 2);
    const std::vector<double> expected = evaluated(program, inputs);
    const jit::Tape tape = jit::tape_of(program);
    for (const int registers : {4, 5, 7, 15, 31}) {
      SCOPED_TRACE(registers);
      const Registers processor{.count = registers, .input_operands = random.chance(0.5), .patience = static_cast<std::uint32_t>(random.integer(0, 40))};
      const std::vector<double> got = ImaginedProcessor(program, tape, registers, inputs).run(jit::allocate(tape, processor));
      for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_TRUE(same(got[k], expected[k])) << "result " << k << ": " << got[k] << " for " << expected[k];
    }
  }
}

TEST(Allocate, MoreRegistersMeanFewerSpills) {
  long few = 0, many = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Program program = random_program(seed, {.instructions = 300, .fused = true});
    few += static_cast<long>(jit::allocate(jit::tape_of(program), {.count = 6}).spills);
    many += static_cast<long>(jit::allocate(jit::tape_of(program), {.count = 24}).spills);
  }
  EXPECT_GT(few, 2 * many);
}

TEST(Allocate, InputsThatMayNotBeOperandsAreLoaded) {
  const Program program = random_program(3, {.instructions = 100});
  for (const Step& step : jit::allocate(jit::tape_of(program), {.count = 8, .input_operands = false}).steps)
    EXPECT_TRUE(step.kind == Step::load || step.b.kind != Place::input);
}

TEST(Allocate, AngleOfASineIsRefused) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 1);
  const std::vector<Expr> result{sincos(sincos(q[0]).sin).cos};
  const OutputOf output{"y", result};
  EXPECT_THROW(jit::allocate(jit::tape_of(make_program(graph, {&output, 1})), {}), std::invalid_argument);
}

TEST(Fuse, KeepsEveryValue) {
  long fusions = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program = random_program(seed, {.instructions = 60, .angles = 2});
    const Program shorter = fused(program);
    fusions += shorter.fused();
    EXPECT_EQ(shorter.counts(), program.counts());
    Random random(seed);
    const std::vector<double> inputs = random.numbers(9, 0.5, 2);
    const std::vector<double> a = evaluated(program, inputs), b = evaluated(shorter, inputs);
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_TRUE(!(std::fabs(a[k]) < 1e6) || std::fabs(b[k] - a[k]) < 1e-6 * (1 + std::fabs(a[k]))) << b[k] << " for " << a[k];
  }
  EXPECT_GT(fusions, 200);
}

}  // namespace
}  // namespace ulna::test
