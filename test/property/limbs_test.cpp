// Random robots with limbs that are alike: kernels that compute those side by side give the bits of kernels that do not.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "jit/machine_code.hpp"
#include "jit/order.hpp"
#include "property/comparison.hpp"
#include "property/whole_robot.hpp"
#include "robot/programs.hpp"
#include "support/imagined_processor.hpp"
#include "support/random.hpp"
#include "trace/searches.hpp"

#if defined(__x86_64__)  // where there are pairs
namespace ulna::test {
namespace {

struct Limbs {
  long programs = 0, paired = 0;
  std::string fault;
};

/// The robot's numbers; then others, as a load in one hand leaves them. States: two, then one with a number that is none, then one of zeros and tiny numbers.
void compare(const Program& program, const std::vector<jit::InputPair>& alike, InstructionSet set, std::vector<double> numbers, Limbs& limbs) {
  Random random(1);
  ++limbs.programs;
  for (const bool loaded : {false, true}) {
    for (double& x : numbers)
      if (loaded && random.chance(0.3)) x *= random.uniform(0.5, 2);
    const MachineCode<double> plain(program, set, false, numbers), pairs(program, set, false, numbers, alike);
    if (!loaded && pairs.encoded().instructions < plain.encoded().instructions) ++limbs.paired;
    for (int k = 0; k < 4; ++k) {
      std::vector<double> state = random.numbers(program.input_count(), -2, 2);
      if (k == 2) state[random.below(state.size())] = std::numeric_limits<double>::quiet_NaN();
      if (k == 3)
        for (double& x : state) x *= random.chance(0.3) ? 0 : random.chance(0.3) ? 1e-310 : 1;
      const std::vector<double> got = pairs({state}).at(0), expected = plain({state}).at(0);
      for (std::size_t i = 0; i < got.size(); ++i)
        if (!same(got[i], expected[i])) limbs.fault = cat(to_string(set), ": number ", i, " is ", got[i], " for ", expected[i]);
    }
  }
}

void compare(const Model& model, const DynamicsOptions& options, Limbs& limbs) {
  Searches searches(model);
  const robot::Programs programs(searches, options, false);
  const std::vector<std::vector<double>> numbers = programs.parameters();
  for (const robot::TaskProgram& task : programs.all) {
    const Program program = jit::ordered(fused(task.program));
    for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512})
      if (set == best_instruction_set(set))
        compare(program, task.alike, set, program.parameter_count() == 0 ? std::vector<double>() : numbers[task.variant], limbs);
    if (!limbs.fault.empty()) return limbs.fault = cat(to_string(task.quantity), ", ", limbs.fault), void();
  }
}

TEST(RandomLimbs, GiveTheSameBitsSideBySide) {
  const InstructionSet set = best_instruction_set();
  if (set != InstructionSet::avx2 && set != InstructionSet::avx512) GTEST_SKIP() << "without fused multiplication on x86";
  const int count = robots() >= 100000 ? 20000 : 60;
  Limbs limbs;
  long coupled = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const WholeRobot one = whole_robot(5)(rc::Random(static_cast<std::uint64_t>(seed)), 100).value();
    Random random(static_cast<std::uint64_t>(seed));
    const WholeRobot spec = with_limbs(one, 1 + random.below(one.joints.size()), 1 + random.below(3));
    Diagnostics diagnostics("random");
    const std::optional<Model> fixed = build(random_description(spec), diagnostics);
    ASSERT_TRUE(fixed.has_value());
    if (fixed->nv() == 0) continue;
    for (const WholeJoint& s : spec.joints) coupled += s.follows > 0;
    const bool all = fixed->nv() <= 6;
    DynamicsOptions options;
    for (const Quantity more : {Quantity::mass_inverse, Quantity::coriolis}) options.quantities.push_back(more);
    if (all) {
      for (const Quantity more : {Quantity::regressor, Quantity::inverse_derivatives}) options.quantities.push_back(more);
      options.links = {fixed->links().back().name};
    }
    compare(with_base(*fixed, std::array{RootJoint::fixed, RootJoint::planar, RootJoint::free}[random.below(3)]), options, limbs);
    ASSERT_EQ(limbs.fault, "") << "seed " << seed << ", " << spec;
    const std::string fault = seed % 4 == 0 ? Comparison(*fixed).machine_code() : std::string();
    ASSERT_EQ(fault, "") << "seed " << seed << ", " << spec;
  }
  std::printf("%ld of %ld programs have pairs\n", limbs.paired, limbs.programs);
  EXPECT_GT(limbs.paired, limbs.programs / 4);
  EXPECT_GT(coupled, count / 5);
}

}  // namespace
}  // namespace ulna::test
#endif
