// Runs by the papers' equations: any formulation that gives what the scenario needs, and what the others are refused with.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <ulna/formulation/formulation.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

#include "sim/robots.hpp"
#include "support/builtin.hpp"

namespace ulna::internal::sim {
namespace {

Scenario falling(const char* robot) {
  Scenario s(load(robot));
  for (std::size_t i = 0; i < s.q.size(); ++i) s.q[i] = 0.4 + 0.2 * static_cast<double>(i), s.v[i] = 0.3 - 0.1 * static_cast<double>(i);
  s.duration = 0.1;
  s.limits = LimitPolicy::ignore;
  s.integrator = {IntegratorKind::rk4, 1e-3};
  return s;
}

std::string why_refused(const Scenario& s, const std::string& id) {
  try {
    with_formulation(s, id);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return {};
}

// Every row, on a robot that all but one take: the same motion, by other equations.
TEST(ByFormulation, EveryOneMakesTheSameMotion) {
  for (const char* robot : {"planar-3r", "stanford"}) {
    const Scenario s = falling(robot);
    const Outcome ours = simulate(s);
    EXPECT_TRUE(ours.audit.difference.empty());
    std::size_t run = 0;
    for (const Formulation& row : formulations()) {
      if (row.production || !why_refused(s, std::string(row.id)).empty()) continue;
      const Outcome theirs = simulate(with_formulation(s, std::string(row.id)));
      SCOPED_TRACE(row.id);
      EXPECT_TRUE(theirs.audit.closed);
      EXPECT_NE(theirs.equations.find(row.id), std::string::npos) << theirs.equations;
      EXPECT_EQ(theirs.audit.difference.size(), s.model.nv());
      EXPECT_LT(theirs.audit.relative_difference(), 1e-11);
      for (std::size_t i = 0; i < s.q.size(); ++i) EXPECT_NEAR(theirs.q[i], ours.q[i], 1e-9) << i;
      ++run;
    }
    EXPECT_GE(run, 16u) << robot;
  }
}

// A prescribed motion's torques come from the formulation, too.
TEST(ByFormulation, TorquesOfAPrescribedMotion) {
  Scenario s = falling("planar-3r");
  s.law.kind = LawKind::prescribed;
  s.reference = {.kind = ReferenceKind::quintic, .to = {1, -1, 0.5}};
  const Outcome ours = simulate(s);
  std::size_t run = 0;
  for (const Formulation& row : formulations()) {
    const bool gives = row.gives(Quantity::inverse) || row.gives(Quantity::mass);
    const std::string why = why_refused(s, std::string(row.id));
    if (!gives) {
      EXPECT_NE(why.find("a prescribed motion needs the torques that it takes: use one that gives torque"), std::string::npos) << row.id << why;
    }
    if (row.production || !why.empty()) continue;
    const Outcome theirs = simulate(with_formulation(s, std::string(row.id)));
    SCOPED_TRACE(row.id);
    EXPECT_LT(theirs.audit.relative_difference(), 1e-12);
    for (std::size_t k = 0; k < ours.trajectory.tau.size(); ++k) ASSERT_NEAR(theirs.trajectory.tau[k], ours.trajectory.tau[k], 1e-9);
    ++run;
  }
  EXPECT_GE(run, 13u);
}

// Base motion, wrenches and control torques, by Nasser's passes and by whatever else takes them.
TEST(ByFormulation, NassersSpaceArm) {
  const Scenario s = load_scenario("nasser-space-arm");
  EXPECT_EQ(s.formulation, "nasser");
  const Outcome run = simulate(s), ours = simulate(with_formulation(s, "ulna")), kane = simulate(with_formulation(s, "kane"));
  EXPECT_EQ(run.equations, "accelerations by nasser");
  EXPECT_TRUE(run.audit.closed);
  EXPECT_LT(run.audit.relative_difference(), 1e-11);
  EXPECT_GT(run.audit.relative_difference(), 0);
  for (std::size_t i = 0; i < s.q.size(); ++i) {
    EXPECT_NEAR(run.q[i], ours.q[i], 1e-10) << i;
    EXPECT_NEAR(kane.q[i], ours.q[i], 1e-10) << i;
  }
  // What acts on it matters.
  Scenario still = s;
  still.base.moves = false;
  EXPECT_GT(std::abs(simulate(still).q[0] - run.q[0]), 1e-3);
  still = s;
  still.disturbances.clear();
  EXPECT_GT(std::abs(simulate(still).q[0] - run.q[0]), 1e-4);
  EXPECT_NE(why_refused(s, "lin").find("no base that moves"), std::string::npos);
}

TEST(ByFormulation, WhatIsRefused) {
  EXPECT_NE(why_refused(falling("panda"), "kane-stanford").find("not the Stanford arm"), std::string::npos);
  EXPECT_NE(why_refused(falling("planar-3r"), "horn-raibert").find("a tabulated formulation cannot be simulated: use another one"), std::string::npos);
  EXPECT_NE(why_refused(falling("planar-3r"), "nassr").find("did you mean 'nasser'?"), std::string::npos);
  Scenario singular = falling("stanford");
  singular.q[1] = kPi;
  EXPECT_NE(why_refused(singular, "kane-stanford").find("cannot begin at the initial q: its generalized speeds are singular where q2 is 0 or 180 degrees"),
            std::string::npos);
  EXPECT_EQ(why_refused(singular, "kane"), "");
}

// A run that comes to where the speeds are singular ends there, with what there is.
TEST(ByFormulation, SpeedsBecomeSingularOnTheWay) {
  Scenario s(load("stanford"));
  s.formulation = "kane-stanford";
  s.law.kind = LawKind::prescribed;
  s.q[1] = 0.5;
  s.reference = {.kind = ReferenceKind::rest_to_rest, .to = {0, 0, 0, 0, 0, 0}, .duration = 0.5};
  s.duration = 1;
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::diverged);
  EXPECT_NE(run.message.find("singular where q2 is 0"), std::string::npos) << run.message;
  EXPECT_NE(run.message.find("use another formulation"), std::string::npos) << run.message;
  EXPECT_GT(run.trajectory.rows(), 10u);
  s.formulation = "kane";
  EXPECT_EQ(simulate(s).ending, Ending::done);
}

/// The Stanford arm with limits to cross.
Model limited_stanford() {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    if (robot.id != "stanford") continue;
    std::string text(robot.text);
    for (const char* joint : {"    name: q1\n", "    name: q3\n", "    name: q5\n"}) text.insert(text.find(joint), "    lower: -0.3\n    upper: 0.4\n");
    return parse(text, "stanford.yaml");
  }
  throw std::logic_error("there is no Stanford arm");
}

// x holds u where v would be: whatever looks at speeds must not take one for the other.
TEST(ByFormulation, LimitsAndSpeedsOfARunInGeneralizedSpeeds) {
  Scenario s(limited_stanford());
  s.q = {0.2, 1.2, 0.1, 0.3, -0.4, 0.5};
  s.v = {0.7, -0.5, 0.05, 0.9, 0.8, -1.1};
  s.duration = 3;
  s.friction.on = true;
  s.law.kind = LawKind::pid;  // with a memory of its own
  s.law.kp = s.law.kd = s.law.ki = std::vector<double>(6, 0.05);
  s.reference = {.kind = ReferenceKind::hold, .to = std::vector<double>(6, 0.0)};
  const Outcome ours = simulate(s), theirs = simulate(with_formulation(s, "kane-stanford"));
  ASSERT_EQ(ours.ending, Ending::done);
  ASSERT_EQ(theirs.ending, Ending::done);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(theirs.q[i], ours.q[i], 1e-6) << i;
    EXPECT_NEAR(theirs.v[i], ours.v[i], 1e-6) << i;
  }
  EXPECT_GE(ours.events.size(), 2u);
  EXPECT_EQ(theirs.events.size(), ours.events.size());
  for (std::size_t k = 0; k < std::min(theirs.events.size(), ours.events.size()); ++k) {
    EXPECT_EQ(theirs.events[k].joint, ours.events[k].joint);
    EXPECT_NEAR(theirs.events[k].t, ours.events[k].t, 1e-6);
    EXPECT_NEAR(theirs.events[k].speed, ours.events[k].speed, 1e-5);
  }
  // The midpoint rule has momenta of its own.
  s.integrator = {IntegratorKind::implicit_midpoint, 1e-3};
  s.duration = 0.1;
  const Outcome midpoint = simulate(with_formulation(s, "kane-stanford")), plain = simulate(s);
  EXPECT_EQ(midpoint.equations, "accelerations by kane-stanford");
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(midpoint.v[i], plain.v[i], 1e-9) << i;
}

}  // namespace
}  // namespace ulna::internal::sim
