// Robots of hundreds of joints: what is compiled, what is left to the templates, and what happens when memory runs out.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "support/cases.hpp"
#include "support/compiled.hpp"

namespace ulna::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // they reserve terabytes
#else
constexpr bool kSanitized = false;
#endif

Model chain(int joints, std::uint64_t seed) {
  return random_model(seed, {.fewest = joints, .most = joints, .fixed = false, .branches = false, .massless = false});
}

double worst(const std::vector<double>& got, const std::vector<double>& wanted) {
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < got.size(); ++k) difference = std::fmax(difference, std::fabs(got[k] - wanted[k])), size = std::fmax(size, std::fabs(wanted[k]));
  return difference / size;
}

TEST(Large, ChainOfThreeHundredJointsIsCompiledButForItsMatrices) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = chain(300, 3);
  const Dynamics dynamics(model, {.quantities = and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}), .threads = 1});
  EXPECT_TRUE(dynamics.refused().empty());
  for (const Quantity quantity : {Quantity::inverse, Quantity::forward, Quantity::bias, Quantity::gravity}) EXPECT_TRUE(dynamics.compiled(quantity));
  for (const Quantity quantity : {Quantity::mass, Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}) {
    EXPECT_FALSE(dynamics.compiled(quantity));
    EXPECT_NE(dynamics.why_not_compiled(quantity).find("more than 400000 operations"), std::string::npos) << dynamics.why_not_compiled(quantity);
  }
  // Machine code and templates: accelerations of torques are what the torques were made of.
  Random random(5);
  const State s = random_state(model, random);
  const Plan plan = make_plan(model);
  const std::vector<double> tau = inverse_of(plan, s);
  std::vector<double> got(tau.size());
  dynamics.inverse(s.q, s.v, s.a, got);
  EXPECT_LT(worst(got, tau), 1e-11);
}

TEST(Large, AccelerationsOfManyCoupledJointsAreLeftToTheTemplates) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = random_model(4, {.fewest = 150, .most = 150, .fixed = false, .branches = false, .massless = false, .mimic = true});
  ASSERT_TRUE(make_plan(model).coupled);
  const Dynamics dynamics(model, {.threads = 1});
  EXPECT_TRUE(dynamics.compiled(Quantity::inverse));
  EXPECT_FALSE(dynamics.compiled(Quantity::forward));
  EXPECT_NE(dynamics.why_not_compiled(Quantity::forward).find("more than"), std::string::npos);
}

/// Ends the process: 7 if memory ran out as it should.
[[noreturn]] void make_with_little_memory(const Model& model) {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const rlim_t room = pages * 4096 + (rlim_t{6} << 20);
  const rlimit limit{room, room};
  setrlimit(RLIMIT_AS, &limit);
  try {
    const Dynamics dynamics(model, {.threads = 1});
  } catch (const std::bad_alloc&) {
    std::_Exit(7);
  }
  std::_Exit(1);
}

TEST(Large, MemoryThatRunsOutIsAnException) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need all the memory there is";
  const Model model = chain(120, 6);
  EXPECT_EXIT(make_with_little_memory(model), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace ulna::test
