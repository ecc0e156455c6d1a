// Simulated friction against closed forms: drag, loads, Stribeck curves, offsets and asymmetries, of joints that slide and of joints that stand.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

constexpr double kGravity = 9.81;

Scenario with_friction_on(Model model, double duration, double smooth = 0) {
  Scenario s(std::move(model));
  s.friction = {true, smooth};
  s.limits = LimitPolicy::ignore;
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-12};
  s.duration = duration;
  return s;
}
void expect_balanced(const Outcome& run) {
  EXPECT_EQ(run.ending, Ending::done) << run.message;
  EXPECT_TRUE(run.audit.closed);
  EXPECT_LT(run.audit.energy_drift, 1e-9);
}

// m v' = -c v²: v = v0 / (1 + c v0 t / m).
TEST(FrictionLaw, DragSlowsAsItShould) {
  Scenario s = with_friction_on(slider(", quadratic: 0.5"), 3);
  s.v = {4};
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], 4 / (1 + 0.5 * 4 * 3 / 2.0), 1e-9);
  EXPECT_NEAR(run.q[0], 2 / 0.5 * std::log(1 + 0.5 * 4 * 3 / 2.0), 1e-9);
  expect_balanced(run);
}

// A force F lifts 2 kg: the links get F / (1 + load) of it, or, with a rotor r, T with T + load T + r a = F and T = m (a + g).
TEST(FrictionLaw, LoadsTakeTheirShare) {
  for (const double rotor : {0.0, 0.7}) {
    const Model lift = with_gravity(slider(rotor > 0 ? ", load: 0.2, rotor: 0.7" : ", load: 0.2"), {0, 0, -kGravity});
    Scenario s = with_friction_on(lift, 1, 0.01);
    s.law.kind = LawKind::constant;
    s.law.tau = {40};
    s.v = {5};  // where tanh(v / 0.01) is 1
    const Outcome run = simulate(s);
    const double a = (40 - 1.2 * 2 * kGravity) / (1.2 * 2 + rotor), passed = 2 * (a + kGravity);
    EXPECT_NEAR(run.v[0], 5 + a, 1e-9) << rotor;
    EXPECT_NEAR(run.audit.losses, 0.2 * passed * (5 + a / 2), 1e-7);
    expect_balanced(run);
  }
}

// Friction is offset + asymmetry ± level: where gravity pulls with less, and with more, it moves.
TEST(FrictionLaw, StandsBetweenTwoLevels) {
  const double offset = -3, asymmetry = 1, level = 5, pull[] = {offset + asymmetry - level, offset + asymmetry + level};
  for (const double where : {pull[0] - 1e-3, pull[0] + 1e-3, 0.0, pull[1] - 1e-3, pull[1] + 1e-3}) {
    const Model model = with_gravity(slider(", coulomb: 4, static: 5, asymmetry: 1, offset: -3"), {0, 0, where / 2});
    const Outcome run = simulate(with_friction_on(model, 0.5));
    if (where > pull[0] && where < pull[1]) {
      EXPECT_EQ(run.v[0], 0) << where;
    } else {
      const double s = where > 0 ? 1 : -1, a = (where - (offset + asymmetry + s * 4)) / 2;
      EXPECT_NEAR(run.v[0], a * 0.5, 1e-9) << where;
    }
    expect_balanced(run);
  }
}

// A joint breaks away at its static level and slides on against what is left of it: m v' = F - C - (S - C) exp(-v / v_s), whose time to v is a logarithm.
TEST(FrictionLaw, AStribeckCurveIsFollowed) {
  const double C = 4, S = 6, v_s = 0.5, F = 6.5, m = 2, v = 1.25;
  const Model model = with_gravity(slider(", coulomb: 4, static: 6, stribeck_speed: 0.5, stribeck_exponent: 1"), {0, 0, F / m});
  const double A = F - C, B = S - C, t = m * v_s / A * std::log((A * std::exp(v / v_s) - B) / (A - B));
  const Outcome run = simulate(with_friction_on(model, t));
  EXPECT_NEAR(run.v[0], v, 1e-8);
  expect_balanced(run);
  EXPECT_EQ(simulate(with_friction_on(with_gravity(model, {0, 0, 5.99 / m}), 1)).v[0], 0);
}

// A joint's own smoothing speed holds where the scenario's friction is dry.
TEST(FrictionLaw, ASmoothJointCreeps) {
  const Model model = with_gravity(slider(", coulomb: 4, smoothing_speed: 0.1"), {0, 0, 1});  // pulled by 2 N
  const Outcome run = simulate(with_friction_on(model, 10));
  EXPECT_NEAR(run.v[0], 0.1 * std::atanh(0.5), 1e-9);
  expect_balanced(run);
}

TEST(FrictionLaw, WhatCannotBeIsRefused) {
  EXPECT_THROW(simulate(with_friction_on(slider(", coulomb: 1, load: 0.1"), 1)), std::invalid_argument);
  EXPECT_NO_THROW(simulate(with_friction_on(slider(", viscous: 1, load: 0.1"), 1)));
}

}  // namespace
}  // namespace ulna::internal::sim
