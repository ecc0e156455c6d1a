// Dynamics tries its kernels against the templates: a deliberate error is seen, told, and costs nothing but speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <ulna/ulna.hpp>

#include "robot/tamper.hpp"
#include "support/geared.hpp"
#include "text/cat.hpp"

namespace ulna::test {
namespace {

/// Errors that are there as long as the object is.
class Tampered {
 public:
  explicit Tampered(jit::Tamper errors) { jit::tamper() = std::move(errors); }
  ~Tampered() { jit::tamper() = {}; }
  Tampered(const Tampered&) = delete;
  Tampered& operator=(const Tampered&) = delete;
};

constexpr Quantity kTasks[] = {Quantity::inverse,      Quantity::forward,  Quantity::mass, Quantity::bias,     Quantity::gravity,
                               Quantity::mass_inverse, Quantity::coriolis, Quantity::pose, Quantity::jacobian, Quantity::regressor};

DynamicsOptions everything(const Model& model) {
  DynamicsOptions options;
  options.mass_inverse = true;
  options.coriolis = true;
  options.regressor = true;
  options.links = {model.links().back().name};
  options.threads = 1;
  return options;
}

/// One sum or difference in the middle of the program becomes the other: one bit of one instruction.
void turn_a_sign(Program& program) {
  const std::size_t middle = (program.precomputed + program.instructions.size()) / 2;
  for (std::size_t k = middle; k < program.instructions.size(); ++k) {
    Op& op = program.instructions[k].op;
    const Op was = op;
    switch (op) {
      case Op::add: op = Op::subtract; break;
      case Op::subtract: op = Op::add; break;
      case Op::multiply_add: op = Op::multiply_subtract; break;
      case Op::multiply_subtract: op = Op::multiply_add; break;
      case Op::subtract_product: op = Op::multiply_add; break;
      default: break;
    }
    if (op != was) return;
  }
  FAIL() << "no sum in the second half of the program";
}

/// Bit for bit what an object without machine code gives.
template <class T>
void expect_templates(const DynamicsOf<T>& dynamics) {
  DynamicsOptions options = everything(dynamics.model());
  options.most = InstructionSet::none;
  const DynamicsOf<T> templates(dynamics.model(), options);
  const std::size_t n = dynamics.nv(), states = 37;
  std::vector<T> x(3 * n * states), got(n * states), wanted(n * states);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(std::sin(static_cast<double>(k + 1)));
  const MatrixView<const T> q(x.data(), n, states), v(x.data() + n * states, n, states), a(x.data() + 2 * n * states, n, states);
  dynamics.inverse(x.data(), x.data() + n, x.data() + 2 * n, got.data());
  templates.inverse(x.data(), x.data() + n, x.data() + 2 * n, wanted.data());
  EXPECT_EQ(got, wanted);
  dynamics.inverse_batch(q, v, a, MatrixView<T>(got.data(), n, states));
  templates.inverse_batch(q, v, a, MatrixView<T>(wanted.data(), n, states));
  EXPECT_EQ(got, wanted);
}

template <class T>
class SelfCheckOf : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(SelfCheckOf, Precisions);

TYPED_TEST(SelfCheckOf, AWrongSignIsSeenInEveryTask) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  for (const char* robot : {"panda", "stanford", "torso"}) {
    const Model model = load(robot);
    ASSERT_TRUE(DynamicsOf<TypeParam>(model, everything(model)).refused().empty());
    for (const Quantity wrong : kTasks)
      for (const bool lanes : {false, true}) {
        SCOPED_TRACE(cat(robot, " ", to_string(wrong), lanes ? " lanes" : " one"));
        const Tampered errors({.program = [&](Quantity task, bool of_lanes, Program& program) {
          if (task == wrong && of_lanes == lanes) turn_a_sign(program);
        }});
        const DynamicsOf<TypeParam> dynamics(model, everything(model));
        ASSERT_EQ(dynamics.refused().size(), 1u);
        const RefusedKernel& refused = dynamics.refused().front();
        EXPECT_EQ(refused.quantity, wrong);
        EXPECT_EQ(refused.lanes, lanes ? dynamics.lanes() : 1);
        EXPECT_GT(refused.difference, 1);
        for (const Quantity task : kTasks) EXPECT_EQ(dynamics.compiled(task, model.links().size() - 1), task != wrong) << to_string(task);
        if (wrong == Quantity::inverse) expect_templates(dynamics);
        EXPECT_NE(to_string(refused).find(cat("the machine code of ", to_string(wrong))), std::string::npos);
      }
  }
}

// The angle of what follows a gear is a product, and a rounding of many turns is a large angle: no kernel is wrong for that.
TYPED_TEST(SelfCheckOf, GearsAndScrewsAreNotRefused) {
  for (const char* leader : {"prismatic", "revolute", "continuous"})
    for (const char* multiplier : {"100", "1257", "-10000.1"}) {
      const Model model = geared(leader, multiplier);
      const DynamicsOf<TypeParam> dynamics(model, everything(model));
      for (const RefusedKernel& refused : dynamics.refused()) ADD_FAILURE() << leader << " " << multiplier << ": " << to_string(refused);
    }
}

TEST(SelfCheck, WhatIsNotFiniteIsCalledSo) {
  RefusedKernel refused;
  refused.difference = std::numeric_limits<double>::infinity();
  EXPECT_NE(to_string(refused).find("(a number that is not finite)"), std::string::npos) << to_string(refused);
}

// Each of the numbers that a kernel reads, off by a millionth: doubles see all that they can see.
TEST(SelfCheck, AConstantOffByAMillionthIsSeen) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("panda");
  std::set<std::size_t> used;  // parameters that the program of inverse reads
  {
    const Tampered looking({.program = [&](Quantity task, bool, Program& program) {
      const std::size_t first = program.input_count(), end = program.first_constant();
      for (const Instruction& step : program.instructions)
        for (const std::uint32_t value : {step.a, step.b, step.c})
          if (task == Quantity::inverse && value >= first && value < end) used.insert(value - first);
    }});
    EXPECT_TRUE(Dynamics(model).refused().empty());
  }
  ASSERT_GT(used.size(), 40u);
  for (const std::size_t k : used)
    for (const bool lanes : {false, true}) {
      const Tampered errors({.parameters = [&](Quantity task, bool of_lanes, std::vector<double>& p) {
        if (task == Quantity::inverse && of_lanes == lanes) p[k] *= 1 + 1e-6;
      }});
      const Dynamics dynamics(model);
      ASSERT_EQ(dynamics.refused().size(), 1u) << "number " << k;
      EXPECT_EQ(dynamics.refused().front().quantity, Quantity::inverse);
      EXPECT_FALSE(dynamics.compiled(Quantity::inverse));
      EXPECT_TRUE(dynamics.compiled(Quantity::mass));
    }
}

// New numbers for old code are tried, too.
TEST(SelfCheck, PayloadsParametersAndThreadsAreChecked) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("panda");
  const Dynamics dynamics(model);
  const std::string link = model.links().back().name;
  const Payload payload{.mass = 1, .com = {0.01, 0.02, 0.05}, .inertia = {0.002, 0.002, 0.002, 0, 0, 0}};
  EXPECT_TRUE(dynamics.with_payload(link, payload).refused().empty());
  EXPECT_TRUE(dynamics.with_threads(2).refused().empty());
  const Tampered errors({.parameters = [](Quantity task, bool, std::vector<double>& p) {
    if (task == Quantity::forward) p[p.size() / 2] *= 1 + 1e-6;
  }});
  for (const Dynamics& wrong : {dynamics.with_payload(link, payload), dynamics.with_parameters(model), dynamics.with_threads(2)}) {
    ASSERT_EQ(wrong.refused().size(), 2u);
    EXPECT_EQ(wrong.refused().front().quantity, Quantity::forward);
    EXPECT_FALSE(wrong.compiled(Quantity::forward));
    EXPECT_TRUE(wrong.shares_code(dynamics));
  }
}

TEST(SelfCheck, CanBeSwitchedOff) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Tampered errors({.program = [](Quantity, bool, Program& program) { turn_a_sign(program); }});
  const Model model = load("panda");
  EXPECT_EQ(Dynamics(model).refused().size(), 10u);
  const Dynamics unchecked(model, {.check = false});
  EXPECT_TRUE(unchecked.refused().empty());
  EXPECT_TRUE(unchecked.compiled(Quantity::inverse));
}

}  // namespace
}  // namespace ulna::test
