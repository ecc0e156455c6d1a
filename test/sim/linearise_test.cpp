// Linearised motions against closed forms, and sensitivities of runs against differences of runs.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/model/model.hpp>
#include <ulna/sim/linearise.hpp>

#include "model/describe.hpp"
#include "robots.hpp"

namespace ulna::internal::sim {
namespace {

/// Compares a column, at the end, with differences of order six of whole runs. `change(scenario, step)` is what the column stands for. Each run keeps a
/// tolerance of 1e-12, which differences over steps of 1e-3 make 1e-9.
template <class Change>
void expect_column(const Scenario& scenario, const Sensitivity& s, std::size_t column, double step, const Change& change) {
  const std::size_t n = scenario.model.nv(), last = s.t.size() - 1;
  const Outcome middle = simulate(scenario);
  std::vector<double> slope(2 * n), turned(scenario.model.nv_tree());
  const std::vector<std::size_t> own = scenario.model.order().independent;
  for (int k = 1; k <= 3; ++k)
    for (const double side : {1.0, -1.0}) {
      Scenario other = scenario;
      change(other, side * k * step);
      const Outcome run = simulate(other);
      EXPECT_EQ(run.ending, Ending::done) << run.message;
      difference(scenario.model, middle.q, run.q, turned);
      const double weight = side * (k == 1 ? 45.0 : k == 2 ? -9.0 : 1.0) / (60 * step);
      for (std::size_t i = 0; i < n; ++i) slope[i] += weight * turned[own[i]], slope[n + i] += weight * (run.v[i] - middle.v[i]);
    }
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    worst = std::max(worst, std::abs(slope[i] - s.at(last)[i + column * 2 * n]));
    scale = std::max(scale, std::abs(slope[i]));
  }
  EXPECT_GT(scale, 0);
  EXPECT_LT(worst, 1e-7 * scale + 2e-9);
}

/// All of q and v, and what else is asked for.
void expect_differences(Scenario scenario, const std::vector<std::string>& more = {}) {
  scenario.dynamics = std::make_shared<const Dynamics>(scenario.model, DynamicsOptions{.rotor = scenario.rotor, .threads = 1});
  scenario.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-12};
  scenario.limits = LimitPolicy::ignore;
  std::vector<std::string> by{"q", "v"};
  by.insert(by.end(), more.begin(), more.end());
  const Sensitivity s = sensitivity(scenario, by);
  const std::size_t n = scenario.model.nv();
  ASSERT_EQ(s.rows.size(), 2 * n);
  ASSERT_EQ(s.columns.size(), 2 * n + more.size());
  EXPECT_EQ(s.t.back(), scenario.duration);
  for (std::size_t c = 0; c < s.columns.size(); ++c) {
    SCOPED_TRACE(s.columns[c]);
    expect_column(scenario, s, c, 1e-3, [&](Scenario& other, double step) {
      if (c < n) {
        std::vector<double> direction(scenario.model.nv_tree());
        direction[scenario.model.order().independent[c]] = 1;  // a run closes loops where it begins
        integrate(scenario.model, scenario.q, direction, step, other.q);
      } else if (c < 2 * n) {
        other.v[c - n] += step;
      } else if (s.columns[c] == "kp") {
        for (double& gain : other.law.kp) gain += step;
      } else if (s.columns[c] == "payload.mass") {
        other.payloads.front().mass += step;
      } else if (s.columns[c] == "gravity.y") {
        Vec3<double> g = other.model.gravity();
        g.y += step;
        other.model = with_gravity(other.model, g);
      } else {
        other.law.tau.back() += step;  // tau of the last joint
      }
    });
  }
}

TEST(Linearise, PendulumHangsAndStands) {
  const Dynamics dynamics(pendulum());
  const double rate = std::sqrt(kPendulumWeight / kPendulumInertia), pi = std::numbers::pi;
  for (const bool stands : {false, true}) {
    const std::vector<double> q{stands ? pi / 2 : -pi / 2}, zero{0};
    const LinearMotion linear = linearise(dynamics, q, zero, zero);
    EXPECT_NEAR(linear.A[1], stands ? rate * rate : -rate * rate, 1e-13 * rate * rate);  // g l m sin
    EXPECT_EQ(linear.A[2], 1);
    EXPECT_NEAR(linear.B[1], 1 / kPendulumInertia, 1e-14);
    const auto found = eigenvalues(linear.A);
    ASSERT_EQ(found.size(), 2u);
    const std::complex<double> first = stands ? std::complex<double>(rate, 0) : std::complex<double>(0, rate);
    EXPECT_LT(std::abs(found[0] - first), 1e-12 * rate);
    EXPECT_LT(std::abs(found[1] + first), 1e-12 * rate);
  }
  EXPECT_THROW(linearise(dynamics, std::vector<double>(2), std::vector<double>(1), std::vector<double>(1)), std::invalid_argument);
}

TEST(Linearise, EigenvaluesComeLargestFirst) {
  // Companion matrix of (x - 2)(x + 1)(x² + 9), column by column.
  const std::vector<double> companion{0, 0, 0, 18, 1, 0, 0, 9, 0, 1, 0, -7, 0, 0, 1, 1};
  const auto found = eigenvalues(companion);
  const std::complex<double> wanted[] = {{2, 0}, {0, 3}, {0, -3}, {-1, 0}};
  for (const std::complex<double>& x : wanted) {
    double nearest = 1;
    for (const auto& y : found) nearest = std::min(nearest, std::abs(x - y));
    EXPECT_LT(nearest, 1e-12);
  }
  EXPECT_GE(found[0].real(), found[1].real());
  EXPECT_TRUE(std::isnan(eigenvalues({std::nan("")})[0].real()));
  EXPECT_THROW(eigenvalues({1, 2, 3}), std::invalid_argument);
}

/// A hanging pendulum under a PD law is a damped oscillator: eigenvalues -d ± i sqrt(w² - d²).
TEST(Linearise, TheLawAnswers) {
  Scenario s(pendulum());
  s.q = {-std::numbers::pi / 2};
  s.duration = 0.1;
  s.law = {};
  s.law.kind = LawKind::pd;
  s.law.kp = {3};
  s.law.kd = {0.6};
  s.law.gravity = false;
  s.reference = {.kind = ReferenceKind::hold, .to = s.q};
  const std::vector<LinearRow> rows = linearise(s);
  ASSERT_EQ(rows.size(), 11u);
  EXPECT_EQ(rows.back().t, 0.1);
  const double half = 0.6 / (2 * kPendulumInertia), stiff = (kPendulumWeight + 3) / kPendulumInertia;
  for (const LinearRow& row : rows) {
    const auto closed = eigenvalues(row.A), open = eigenvalues(row.open.A);
    EXPECT_LT(std::abs(closed[0] - std::complex<double>(-half, std::sqrt(stiff - half * half))), 1e-10);
    EXPECT_LT(std::abs(open[0] - std::complex<double>(0, std::sqrt(kPendulumWeight / kPendulumInertia))), 1e-10);
  }
}

/// At its limit a torque does not answer.
TEST(Linearise, ATorqueAtItsLimitIsHeld) {
  Scenario s(pendulum(", effort: 2"));
  s.q = {-std::numbers::pi / 2};
  s.duration = 0.01;
  s.law = {};
  s.law.kind = LawKind::pd;
  s.law.kp = {100};
  s.law.kd = {1};
  s.law.saturate = true;
  s.reference = {.kind = ReferenceKind::hold, .to = {1.0}};
  const LinearRow row = linearise(s).front();
  EXPECT_EQ(row.tau[0], 2);
  EXPECT_EQ(row.A, row.open.A);
}

/// A hanging pendulum that swings a little: δq(t) = cos(w t), and a constant torque adds (1 - cos(w t)) / (I w²).
TEST(Sensitivity, OfASmallSwingIsACosine) {
  Scenario s(pendulum());
  s.q = {-std::numbers::pi / 2};
  s.integrator.tolerance = 1e-12;
  const Sensitivity found = sensitivity(s, {"q.hinge", "v", "tau.hinge"});
  EXPECT_EQ(found.columns, (std::vector<std::string>{"q.hinge", "v.hinge", "tau.hinge"}));
  const double w = std::sqrt(kPendulumWeight / kPendulumInertia);
  for (std::size_t k = 0; k < found.t.size(); ++k) {
    const double c = std::cos(w * found.t[k]), sine = std::sin(w * found.t[k]);
    const double wanted[] = {c, -w * sine, sine / w, c, (1 - c) / kPendulumWeight, w * sine / kPendulumWeight};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.at(k)[i], wanted[i], 1e-9) << i;
  }
}

TEST(Sensitivity, OfAFreeRunIsWhatDifferencesOfRunsAre) {
  Scenario s = load_scenario("double-pendulum");
  s.duration = 0.7;
  expect_differences(s, {"gravity.y"});
  s.law = {};
  s.law.kind = LawKind::constant;
  s.law.tau = {0.3, -0.2};
  s.friction = {.on = true, .smooth = 0.1};
  expect_differences(s, {"tau." + s.model.effort_names().back()});
}

/// Dry and viscous friction of drives and of a joint that follows one backwards, spread over a speed: of the run, and of its linearised motion.
TEST(Sensitivity, OfARunWithFriction) {
  Scenario s(parse(R"(<robot name="rubbing"><link name="base"/>
<link name="one"><inertial><origin xyz="0.3 0.05 0"/><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.04"/></inertial></link>
<link name="two"><inertial><origin xyz="0.1 0 0.2"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.2 0.1 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/><dynamics damping="0.3" friction="2"/></joint>
<joint name="b" type="prismatic"><parent link="one"/><child link="two"/><origin xyz="0.6 0 0"/><axis xyz="1 0 0"/><dynamics friction="3"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="c" type="continuous"><parent link="two"/><child link="hand"/><origin xyz="0.1 0 0" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/>
<dynamics damping="0.1" friction="1.5"/><mimic joint="a" multiplier="-0.7" offset="0.2"/></joint></robot>)",
                   "rubbing.urdf"));
  s.duration = 0.4;
  s.q = {0.3, 0.1};
  s.v = {1.1, -0.7};
  s.friction = {.on = true, .smooth = 0.2};
  s.integrator.tolerance = 1e-11;
  s.law = {};
  s.law.kind = LawKind::pd;
  s.law.kp = {60, 200};
  s.law.kd = {6, 20};
  s.reference = {.kind = ReferenceKind::hold, .to = {0.5, 0.0}};
  s.payloads = {{.link = s.model.links().size() - 1, .mass = 0.7, .com = {0.05, 0.02, 0.1}, .inertia = {0.01, 0.02, 0.015}}};
  expect_differences(s, {"kp", "payload.mass", "gravity.y"});
  // δv̇ at the beginning, by differences of accelerations under torques less friction.
  const LinearRow row = linearise(s).front();
  const Dynamics dynamics(with_payload(s.model, "hand", {0.7, {0.05, 0.02, 0.1}, {0.01, 0.02, 0.015}}));
  const auto acceleration = [&](std::size_t column, double step) {
    std::vector<double> q = row.q, v = row.v, tau = row.tau, a(2);
    (column < 2 ? q : v)[column % 2] += step;
    const auto taken = [](double viscous, double coulomb, double rate) { return viscous * rate + coulomb * std::tanh(rate / 0.2); };
    tau[0] -= taken(0.3, 2, v[0]) - 0.7 * taken(0.1, 1.5, -0.7 * v[0]);
    tau[1] -= taken(0, 3, v[1]);
    dynamics.forward(q, v, tau, a);
    return a;
  };
  for (std::size_t column = 0; column < 4; ++column) {
    constexpr double kStep = 1e-3, kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    double wanted[2] = {};
    for (int k = 1; k <= 3; ++k)
      for (const double side : {1.0, -1.0})
        for (std::size_t i = 0; i < 2; ++i) wanted[i] += side * kWeights[k - 1] / kStep * acceleration(column, side * k * kStep)[i];
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(row.open.A[2 + i + 4 * column], wanted[i], 1e-7) << i << column;
  }
}

/// With a law that has memory, a payload that comes and goes, and a reference that begins where the run does.
TEST(Sensitivity, OfAFollowingRun) {
  Scenario s(load("scara"));
  const std::size_t n = s.model.nv();
  s.duration = 0.5;
  s.q = std::vector<double>(n, 0.1);
  s.v = std::vector<double>(n, 0.05);
  s.reference = {.kind = ReferenceKind::quintic, .to = std::vector<double>(n, 0.3)};
  s.payloads = {{.link = s.model.links().size() - 1, .mass = 0.7, .com = {0.05, 0.02, 0.1}, .inertia = {0.01, 0.02, 0.015}, .from = 0.1, .to = 0.4}};
  s.law = {};
  s.law.kind = LawKind::pid;
  s.law.kp = std::vector<double>(n, 60);
  s.law.kd = std::vector<double>(n, 12);
  s.law.ki = std::vector<double>(n, 20);
  expect_differences(s, {"kp", "payload.mass"});
  s.law.kind = LawKind::computed_torque;
  expect_differences(s);
  s.law.kind = LawKind::feedforward;
  expect_differences(s);
}

TEST(Sensitivity, OfAFreeBase) {
  Scenario s = load_scenario("servicer-turn");
  s.duration = 0.3;
  for (std::size_t i = 0; i < 6; ++i) s.v[i] = 0.1 * static_cast<double>(i + 1);
  expect_differences(s);
}

TEST(Sensitivity, WhatHasNoneIsRefused) {
  Scenario s(pendulum());
  EXPECT_THROW(sensitivity(s, {"q.hing"}), std::invalid_argument);
  EXPECT_THROW(sensitivity(s, {"payload.mass"}), std::invalid_argument);
  Scenario braked = s;
  braked.brakes = {{.joints = {0}}};
  EXPECT_THROW(sensitivity(braked), std::invalid_argument);
  EXPECT_THROW(linearise(braked), std::invalid_argument);
  Scenario rough = s;
  rough.friction = {.on = true, .smooth = 0};
  EXPECT_THROW(sensitivity(rough), std::invalid_argument);
  Scenario led = s;
  led.law.kind = LawKind::prescribed;
  led.reference = {.kind = ReferenceKind::quintic, .to = {1.0}};
  EXPECT_THROW(sensitivity(led), std::invalid_argument);
  EXPECT_TRUE(linearise(led).back().A.empty());
}

/// Along closed motions: joints that loops determine have friction, too, steep at rest.
TEST(Sensitivity, OfRobotsWithLoops) {
  Description d = ulna::internal::describe(load("five-bar"));
  const Model five = load("five-bar");
  double size = 0.01;
  for (Description::JointEntry& entry : d.joints) entry.joint.friction.viscous = size += 0.004, entry.joint.friction.coulomb = 0.3 * size;
  Diagnostics diagnostics;
  const Model rubs =
      with_gravity(with_closed(build(d, diagnostics).value(), {five.loops(), five.order(), five.reference(), five.singularity()}), {0, -9.81, 0});
  Scenario s(rubs);
  s.duration = 0.15;
  s.v = {1.1, -0.7};
  s.friction = {true, 0.05};
  s.law.kind = LawKind::constant;
  s.law.tau = {0.03, -0.01};
  expect_differences(s, {"gravity.y"});
  s.law = {};
  s.law.kind = LawKind::pd;
  s.law.kp = {0.5, 0.4};
  s.law.kd = {0.02, 0.03};
  s.reference = {.kind = ReferenceKind::hold, .to = {0.3, 0.1}};
  expect_differences(s, {"kp"});
}

}  // namespace
}  // namespace ulna::internal::sim
