// Closed forms of closure, found by the robot's geometry, against Newton's method.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "loop/dyads.hpp"
#include "loop/machines.hpp"
#include "loop/parts.hpp"

namespace ulna::test {
namespace {

/// From the reference to the independent positions by Newton's method, in small steps.
std::vector<double> by_newton(const Mechanism& robot, const std::vector<double>& independent) {
  std::vector<double> q = robot.reference();
  constexpr int kSteps = 200;
  for (int step = 1; step <= kSteps; ++step) {
    for (std::size_t k = 0; k < independent.size(); ++k) {
      const double from = robot.reference()[robot.independent()[k]];
      q[robot.independent()[k]] = from + (independent[k] - from) * step / kSteps;
    }
    EXPECT_TRUE(robot.close(q).closed);
  }
  return q;
}

void expect_closed_form(const Mechanism& robot, double range) {
  ASSERT_TRUE(robot.closed_form()) << robot.tree().name();
  const Mechanism::Parts& parts = robot.parts();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-range, range);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> u, q = robot.reference();
    for (const std::size_t k : robot.independent()) u.push_back(q[k] + part(random));
    for (std::size_t k = 0; k < u.size(); ++k) q[robot.independent()[k]] = u[k];
    // Nothing but the closed form, from wherever the dependent joints are.
    std::vector<double> direct = q;
    for (const std::size_t k : robot.dependent()) direct[k] += part(random);
    internal::LoopState state(parts.plan);
    ASSERT_TRUE(internal::solve_dyads(parts.plan, parts.dyads, parts.branch, state, direct)) << robot.tree().name();
    EXPECT_LT(robot.residual(direct).residual, 1e-13 * (1 + range)) << robot.tree().name();
    EXPECT_TRUE(robot.assemble(q).closed);
    const std::vector<double> expected = by_newton(robot, u);
    for (std::size_t k = 0; k < q.size(); ++k) {
      EXPECT_NEAR(q[k], expected[k], 1e-10) << robot.tree().name() << " " << k;
      EXPECT_NEAR(std::remainder(direct[k] - expected[k], 2 * std::acos(-1.0)), 0, 1e-10) << robot.tree().name() << " " << k;
    }
  }
}

TEST(ClosedForm, OfFourBarsParallelogramsAndSliderCranks) {
  expect_closed_form(loop_robot("four-bar"), 9);  // it turns over
  expect_closed_form(loop_robot("five-bar"), 0.4);
  expect_closed_form(loop_robot("palletizer"), 0.3);  // one parallelogram after the other
  expect_closed_form(slider_crank(0.2, 0.5, 1.5), 9);
  LoadOptions other;
  other.independent = {"rocker"};
  expect_closed_form(loop_robot("four-bar", other), 0.02);  // both unknown joints on one side of the cut; drawn next to the end of its reach
}

TEST(ClosedForm, SpatialLoopsHaveNone) {
  EXPECT_FALSE(loop_robot("delta").closed_form());
  const RandomLoop loop = random_loop(LoopType::spherical, 4, 3);
  Diagnostics diagnostics;
  EXPECT_FALSE(LoopRobot(build(loop.robot, diagnostics).value(), loop.loops).closed_form());
}

/// A guess from which Newton's method does not get there is closed on its own branch.
TEST(ClosedForm, OutOfReachIsTold) {
  const LoopRobot robot = loop_robot("five-bar");
  std::vector<double> q = robot.reference();
  q[robot.independent()[0]] = 1.6, q[robot.independent()[1]] = -1.6;
  const Closure closure = robot.assemble(q);
  EXPECT_FALSE(closure.closed);
  EXPECT_GT(closure.residual, 1e-3);
}

}  // namespace
}  // namespace ulna::test
