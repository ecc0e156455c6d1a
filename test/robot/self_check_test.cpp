// Dynamics tries its kernels against the templates: a deliberate error is seen, told, and costs nothing but speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <ulna/ulna.hpp>

#include "support/compiled.hpp"
#include "support/geared.hpp"
#include "support/soak.hpp"
#include "support/tampered.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

constexpr jit::Way kWays[] = {jit::Way::one, jit::Way::lanes, jit::Way::once, jit::Way::columns};
const char* name_of(jit::Way way) {
  constexpr const char* kNames[] = {"one", "lanes", "once", "columns"};
  return kNames[static_cast<int>(way)];
}

DynamicsOptions everything(const Model& model) {
  DynamicsOptions options;
  options.quantities = all_compiled();
  options.links = {model.links().back().name};
  options.threads = 1;
  return options;
}
DynamicsOptions only(const Model& model, Quantity quantity) {
  DynamicsOptions options = everything(model);
  options.quantities = {quantity};
  return options;
}

/// One sum or difference in the middle of the program becomes the other.
void turn_a_sign(Program& program) { change_sign(program, sums_of(program) / 2); }

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

// Every quantity, each of its functions: the error is found where it is, and no other quantity is blamed for it.
TYPED_TEST(SelfCheckOf, AWrongSignIsSeenInEveryTask) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  std::set<jit::Way> tried;
  const bool turns = best_instruction_set() == InstructionSet::avx512 && sizeof(TypeParam) == 8;  // there are kernels for columns
  for (const char* robot : {"panda", "stanford", "torso"}) {
    const Model model = load(robot);
    const DynamicsOf<TypeParam> right(model, everything(model));
    ASSERT_TRUE(right.refused().empty());
    for (const Quantity wrong : all_compiled())
      for (const jit::Way wrong_way : kWays) {
        if (wrong_way == jit::Way::columns && !turns) continue;
        SCOPED_TRACE(cat(robot, " ", to_string(wrong), " ", name_of(wrong_way)));
        bool there_is = false;
        const Tampered errors({.program = [&](std::string_view task, jit::Way way, Program& program) {
          if (task != to_string(wrong) || way != wrong_way) return;
          there_is = true;
          turn_a_sign(program);
        }});
        const bool all = wrong == Quantity::inverse && wrong_way != jit::Way::columns;
        const DynamicsOf<TypeParam> dynamics(model, all ? everything(model) : only(model, wrong));
        ASSERT_EQ(dynamics.refused().size(), there_is ? 1u : 0u);
        if (!there_is) continue;
        tried.insert(wrong_way);
        const RefusedKernel& refused = dynamics.refused().front();
        EXPECT_EQ(refused.quantity, wrong);
        EXPECT_EQ(refused.lanes, wrong_way == jit::Way::one ? 1 : dynamics.lanes());
        EXPECT_GT(refused.difference, 1);
        for (const Quantity task : all_compiled()) EXPECT_EQ(dynamics.compiled(task, model.links().size() - 1), all && task != wrong) << to_string(task);
        if (wrong == Quantity::inverse) expect_templates(dynamics);
        EXPECT_NE(to_string(refused).find(cat("the machine code of ", to_string(wrong))), std::string::npos);
      }
  }
  EXPECT_EQ(tried.size(), turns ? 4u : 3u);
}

// Signs all over every program, of trees and of loops: each that changes a result is seen. In machine code it is seen by its bits; in the program itself, by
// the templates, of floats' programs in doubles, too.
TYPED_TEST(SelfCheckOf, EverySignIsSeen) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  std::size_t tried = 0, seen = 0;
  for (const char* robot : {"panda", "ur5", "torso", "five-bar", "delta"}) {
    const Model model = load(robot);
    for (const Quantity wrong : {Quantity::inverse, Quantity::forward, Quantity::mass, Quantity::forward_derivatives})
      for (const bool in_source : {false, true}) {
        const double part = in_source ? 1e-8 : sizeof(TypeParam) == 4 ? 1e-6 : 1e-14;
        std::size_t sums = 0;
        {
          const auto count = [&](std::string_view task, const Program& program) {
            if (task == to_string(wrong)) sums = sums_of(program);
          };
          jit::Tamper counting;
          if (in_source)
            counting.source = count;
          else
            counting.program = [&](std::string_view task, jit::Way, Program& program) { count(task, program); };
          const Tampered looking(std::move(counting));
          ASSERT_TRUE(DynamicsOf<TypeParam>(model, only(model, wrong)).refused().empty()) << robot;
        }
        const std::size_t step = so_many<std::size_t>(std::max<std::size_t>(sums / 4, 1), std::max<std::size_t>(sums / 200, 1));
        for (std::size_t k = step / 2; k < sums; k += step) {
          Program right, changed;
          std::vector<double> parameters;
          const auto change = [&](std::string_view task, Program& program) {
            if (task != to_string(wrong)) return;
            right = program;
            change_sign(program, k);
            changed = program;
          };
          jit::Tamper errors{.parameters = [&](std::string_view task, jit::Way, std::vector<double>& p) {
            if (task == to_string(wrong)) parameters = p;
          }};
          if (in_source)
            errors.source = change;
          else
            errors.program = [&](std::string_view task, jit::Way way, Program& program) {
              if (way == jit::Way::one) change(task, program);
            };
          const Tampered there(std::move(errors));
          const DynamicsOf<TypeParam> dynamics(model, only(model, wrong));
          const bool differs = differ(right, changed, parameters, parameters, part, model.closed() ? model.reference() : std::vector<double>());
          ++tried, seen += differs ? 1 : 0;
          EXPECT_TRUE(!differs || !dynamics.refused().empty()) << robot << " " << to_string(wrong) << ", sum " << k << " of " << sums << ", " << in_source;
        }
      }
  }
  EXPECT_GT(2 * seen, tried);
}

// Numbers of every program, each off by a millionth (floats: by a hundred): those of the program, and the robot's, which are its parameters.
TYPED_TEST(SelfCheckOf, AWrongNumberIsSeenInEveryTask) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const double factor = sizeof(TypeParam) == 4 ? 1 + 1e-4 : 1 + 1e-6, part = sizeof(TypeParam) == 4 ? 1e-6 : 1e-12;
  const Model model = load("stanford");
  for (const Quantity wrong : all_compiled())
    for (const jit::Way wrong_way : {jit::Way::one, jit::Way::lanes}) {
      std::size_t constants = 1, parameters = 0, seen = 0;
      const std::size_t few = so_many<std::size_t>(8, 1000);  // of each kind
      for (std::size_t k = 0; k < constants + parameters;) {
        bool differs = false;
        Program made;
        const Tampered errors({.program =
                                   [&](std::string_view, jit::Way way, Program& program) {
                                     if (way != wrong_way) return;
                                     made = program;
                                     constants = program.constants.size(), parameters = program.parameter_count();
                                     if (k >= constants) return;
                                     program.constants[k] *= factor;
                                     if (parameters == 0) differs = differ(made, program, {}, {}, part);
                                   },
                               .parameters =
                                   [&](std::string_view, jit::Way way, std::vector<double>& p) {
                                     if (way != wrong_way || parameters == 0) return;
                                     Program changed = made;
                                     const std::vector<double> given = p;
                                     if (k < constants)
                                       changed.constants[k] *= factor;
                                     else
                                       p[k - constants] *= factor;
                                     differs = differ(made, changed, given, p, part);
                                   }});
        const DynamicsOf<TypeParam> dynamics(model, only(model, wrong));
        if (differs) {
          EXPECT_FALSE(dynamics.refused().empty()) << to_string(wrong) << " " << name_of(wrong_way) << ", number " << k;
          EXPECT_FALSE(dynamics.compiled(wrong, model.links().size() - 1));
        }
        seen += differs ? 1 : 0;
        k += std::max<std::size_t>(1, (k < constants ? constants : parameters) / few);
      }
      EXPECT_GE(seen, 1u) << to_string(wrong);
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
    const Tampered looking({.program = [&](std::string_view task, jit::Way, Program& program) {
      const std::size_t first = program.input_count(), end = program.first_constant();
      for (const Instruction& step : program.instructions)
        for (const std::uint32_t value : {step.a, step.b, step.c})
          if (task == "inverse" && value >= first && value < end) used.insert(value - first);
    }});
    EXPECT_TRUE(Dynamics(model).refused().empty());
  }
  ASSERT_GT(used.size(), 40u);
  for (const std::size_t k : used)
    for (const jit::Way wrong : {jit::Way::one, jit::Way::lanes}) {
      const Tampered errors({.parameters = [&](std::string_view task, jit::Way way, std::vector<double>& p) {
        if (task == "inverse" && way == wrong) p[k] *= 1 + 1e-6;
      }});
      const Dynamics dynamics(model, {.quantities = {Quantity::inverse, Quantity::mass}});
      ASSERT_EQ(dynamics.refused().size(), 1u) << "number " << k;
      EXPECT_EQ(dynamics.refused().front().quantity, Quantity::inverse);
      EXPECT_FALSE(dynamics.compiled(Quantity::inverse));
      EXPECT_TRUE(dynamics.compiled(Quantity::mass));
    }
}

// New numbers for old code are compared, too. Another number of threads has the same numbers.
TEST(SelfCheck, PayloadsAndParametersAreChecked) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("panda");
  const Dynamics dynamics(model);
  const std::string link = model.links().back().name;
  const Payload payload{.mass = 1, .com = {0.01, 0.02, 0.05}, .inertia = {0.002, 0.002, 0.002, 0, 0, 0}};
  EXPECT_TRUE(dynamics.with_payload(link, payload).refused().empty());
  EXPECT_TRUE(dynamics.with_threads(2).refused().empty());
  const Tampered errors({.parameters = [](std::string_view task, jit::Way, std::vector<double>& p) {
    if (task == "forward") p[p.size() / 2] *= 1 + 1e-6;
  }});
  const Dynamics loaded = dynamics.with_payload(link, payload);
  for (const Dynamics& wrong : {loaded, dynamics.with_parameters(model), loaded.with_threads(2)}) {
    ASSERT_EQ(wrong.refused().size(), 2u);
    EXPECT_EQ(wrong.refused().front().quantity, Quantity::forward);
    EXPECT_FALSE(wrong.compiled(Quantity::forward));
    EXPECT_TRUE(wrong.shares_code(dynamics));
  }
}

// The code is not compared again bit by bit then, and in one state only: each number of the new table, off by a millionth, is seen all the same.
TEST(SelfCheck, EveryNumberOfAPayloadIsChecked) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("panda");
  const DynamicsOptions options{.quantities = {Quantity::inverse, Quantity::forward, Quantity::mass}};
  const std::string link = model.links().back().name;
  const Payload payload{.mass = 1, .com = {0.01, 0.02, 0.05}, .inertia = {0.002, 0.002, 0.002, 0, 0, 0}};
  Program program;  // of inverse
  {
    const Tampered looking({.program = [&](std::string_view task, jit::Way, const Program& made) {
      if (task == "inverse") program = made;
    }});
    EXPECT_TRUE(Dynamics(model, options).refused().empty());
  }
  const Dynamics dynamics(model, options);
  const std::size_t numbers = program.parameter_count();
  ASSERT_GT(numbers, 20u);
  std::size_t seen = 0;
  for (std::size_t k = 0; k < numbers; ++k)
    for (const jit::Way wrong : {jit::Way::one, jit::Way::lanes}) {
      bool differs = false;
      const Tampered errors({.parameters = [&](std::string_view task, jit::Way way, std::vector<double>& p) {
        if (task != "inverse" || way != wrong) return;
        const std::vector<double> given = p;
        p[k] *= 1 + 1e-6;
        differs = differ(program, program, given, p);
      }});
      const Dynamics loaded = dynamics.with_payload(link, payload);
      ASSERT_TRUE(loaded.shares_code(dynamics));
      seen += differs ? 1 : 0;
      EXPECT_TRUE(!differs || !loaded.compiled(Quantity::inverse)) << "number " << k << ", " << name_of(wrong);
      EXPECT_TRUE(loaded.compiled(Quantity::mass));
    }
  EXPECT_GT(seen, numbers / 2);
}

// All at once: nothing is left that could run.
TEST(SelfCheck, NoKernelRunsThatIsWrong) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Tampered errors({.program = [](std::string_view, jit::Way, Program& program) { turn_a_sign(program); }});
  const Model model = load("panda");
  const Dynamics dynamics(model, everything(model));
  EXPECT_EQ(dynamics.refused().size(), 2 * all_compiled().size());
  for (const Quantity quantity : all_compiled()) EXPECT_FALSE(dynamics.compiled(quantity, model.links().size() - 1)) << to_string(quantity);
  expect_templates(dynamics);
}

}  // namespace
}  // namespace ulna::test
