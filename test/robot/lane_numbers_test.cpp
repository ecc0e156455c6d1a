// Lanes of one kernel whose robots have numbers of their own, as campaigns run them.
#include "robot/lane_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "support/tampered.hpp"

namespace ulna::test {
namespace {

TEST(LaneNumbers, AreThoseOfEachRobotAloneBitForBit) {
  const Model panda = load("panda");
  const Model like = with_payload(panda, "hand", {1.5, {0.01, 0.02, 0.1}, {0.01, 0.02, 0.015, 0.001, 0.002, 0.003}});
  const Dynamics one(like, {.threads = 1});
  if (one.instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const std::size_t W = one.lanes(), n = one.nv();
  internal::LaneNumbers lanes(std::make_shared<const internal::LaneCode>(like, true));
  std::vector<double> q(n * W), v(n * W), tau(n * W), a(n * W), own(n), own_q(n), own_v(n), own_tau(n);
  std::vector<Dynamics> each;
  for (std::size_t l = 0; l < W; ++l) {
    const double m = 0.4 * static_cast<double>(l);  // the first lane carries nothing
    const Model model = m == 0 ? panda : with_payload(panda, "hand", {m, {0.02 * m, -0.01, 0.1}, {}});
    ASSERT_TRUE(lanes.set(l, model)) << l;
    each.push_back(one.with_parameters(model));
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i * W + l);
      q[i * W + l] = std::sin(x), v[i * W + l] = 2 * std::cos(1.3 * x), tau[i * W + l] = 20 * std::sin(2.1 * x);
    }
  }
  lanes.forward(q.data(), v.data(), tau.data(), a.data());
  for (std::size_t l = 0; l < W; ++l) {
    for (std::size_t i = 0; i < n; ++i) own_q[i] = q[i * W + l], own_v[i] = v[i * W + l], own_tau[i] = tau[i * W + l];
    each[l].forward(own_q.data(), own_v.data(), own_tau.data(), own.data());
    // And by another way: torques of these accelerations.
    std::vector<double> back(n);
    Dynamics(each[l].model(), {.threads = 1, .most = InstructionSet::none}).inverse(own_q.data(), own_v.data(), own.data(), back.data());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(a[i * W + l], own[i]) << l << " " << i;
      EXPECT_NEAR(back[i], own_tau[i], 1e-9 * 20);
    }
  }
}

TEST(LaneCode, WhatIsWrongIsNotUsed) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("stanford");
  ASSERT_TRUE(internal::LaneCode(model, true).ok());
  std::size_t sums = 0, numbers = 0, seen = 0;
  {
    const Tampered looking({.program = [&](std::string_view, jit::Way, Program& program) { sums = sums_of(program), numbers = program.parameter_count(); }});
    ASSERT_TRUE(internal::LaneCode(model, true).ok());
  }
  ASSERT_GT(numbers, 10u);
  for (std::size_t k = sums / 16; k < sums; k += sums / 8) {
    bool wrong = false;
    Program right, changed;
    const Tampered errors({.program =
                               [&](std::string_view, jit::Way, Program& program) {
                                 right = program;
                                 change_sign(program, k);
                                 changed = program;
                               },
                           .parameters = [&](std::string_view, jit::Way, const std::vector<double>& p) { wrong = differ(right, changed, p, p); }});
    const bool ok = internal::LaneCode(model, true).ok();  // sets `wrong`
    EXPECT_EQ(ok, !wrong) << "sum " << k;
    seen += wrong ? 1 : 0;
  }
  EXPECT_GT(seen, 3u);
  for (std::size_t k = numbers / 8; k < numbers; k += numbers / 4) {
    bool wrong = false;
    Program right;
    const Tampered errors({.program = [&](std::string_view, jit::Way, const Program& program) { right = program; },
                           .parameters =
                               [&](std::string_view, jit::Way, std::vector<double>& p) {
                                 const std::vector<double> given = p;
                                 p[k] *= 1 + 1e-6;
                                 wrong = differ(right, right, given, p);
                               }});
    const bool ok = internal::LaneCode(model, true).ok();
    if (wrong) {
      EXPECT_FALSE(ok) << "number " << k;
    }
    seen += wrong ? 1 : 0;
  }
  EXPECT_GT(seen, 5u);
}

}  // namespace
}  // namespace ulna::test
