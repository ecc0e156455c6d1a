// What acts on a robot besides its drives, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ulna/model/model.hpp>
#include <ulna/sim/simulate.hpp>

#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

TEST(Actions, ADisturbanceIsAnImpulse) {
  Scenario s(slider());
  s.disturbances = {{{.link = 1, .force = {0, 0, 3}}, 0.203, 0.7041}, {{.link = 1, .axes = Axes::world, .force = {1, 1, 4}}, 0.5, 0.6}};
  for (const IntegratorKind kind :
       {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4, IntegratorKind::dormand_prince_5, IntegratorKind::implicit_midpoint}) {
    s.integrator.kind = kind;
    const Outcome run = simulate(s);
    EXPECT_NEAR(run.v[0], (3 * (0.7041 - 0.203) + 4 * 0.1) / 2, 1e-11) << to_string(kind);
    EXPECT_NEAR(run.audit.external, run.v[0] * run.v[0], 1e-9);  // m v² / 2, m = 2
    EXPECT_LT(run.audit.energy_drift, 1e-9);
    EXPECT_LT(run.audit.momenta.at(0).drift, 1e-11);
    EXPECT_FALSE(run.audit.momenta[0].constant);
  }
}

TEST(Actions, ViscousFrictionSlowsExponentially) {
  Scenario s(slider(", viscous: 3"));
  s.v = {2};
  s.friction.on = true;
  s.integrator.tolerance = 1e-11;
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], 2 * std::exp(-1.5), 1e-9);
  EXPECT_NEAR(run.q[0], 2 / 1.5 * (1 - std::exp(-1.5)), 1e-9);
  EXPECT_NEAR(run.audit.losses, 4 - run.v[0] * run.v[0], 1e-9);
  EXPECT_FALSE(run.audit.conservative);
  s.friction.on = false;
  EXPECT_EQ(simulate(s).v[0], 2);
}

// Coulomb friction c stops m at v0 after m v0² / (2 c) metres; the smooth speed adds a creep of about its size.
TEST(Actions, CoulombFrictionStops) {
  Scenario s(slider(", coulomb: 4"));
  s.v = {2};
  s.friction = {true, 1e-4};
  s.duration = 2;  // stops after 1 s
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.q[0], 1, 1e-3);
  EXPECT_NEAR(run.v[0], 0, 1e-6);
  EXPECT_NEAR(run.audit.losses, 4, 1e-6);
}

// Half of what it would take to move it: c tanh(v / smooth) = 2 N has a solution, and at that speed it creeps.
TEST(Actions, SmoothFrictionNeverSticks) {
  Scenario s(slider(", coulomb: 4"));
  s.friction = {true, 1e-2};
  s.law.kind = LawKind::constant;
  s.law.tau = {2};
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], 1e-2 * std::atanh(0.5), 1e-9);
  EXPECT_GT(run.q[0], 5e-3);
}

TEST(Actions, RotorsAddToTheInertia) {
  Scenario s(slider(", rotor: 0.02, gear: 10"));
  s.law.kind = LawKind::constant;
  s.law.tau = {6};
  EXPECT_NEAR(simulate(s).v[0], 6.0 / (2 + 0.02 * 100), 1e-9);
  s.rotor = false;
  EXPECT_NEAR(simulate(s).v[0], 3, 1e-9);
}

// 2 kg under 6 N for 0.4 s, with 1 kg more until 0.7 s, then 2 kg again.
TEST(Actions, PayloadsComeAndGo) {
  Scenario s(slider());
  s.law.kind = LawKind::constant;
  s.law.tau = {6};
  s.payloads = {{.link = 1, .mass = 1, .com = {0.3, 0, 0.1}, .from = 0.4, .to = 0.7}};
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], 3 * 0.4 + 2 * 0.3 + 3 * 0.3, 1e-9);
  EXPECT_LT(run.audit.energy_drift, 1e-9);  // what the payload brings and takes is not a drift
  EXPECT_LT(run.audit.momenta.at(0).drift, 1e-9);
  EXPECT_NEAR(run.trajectory.a[39], 3, 1e-9);
  EXPECT_NEAR(run.trajectory.a[40], 2, 1e-9);  // a row at the jump shows what is after it
}

TEST(Actions, APayloadChangesTheLinkAsTwoBodies) {
  const Model carrying = with_payload(pendulum(), {.link = 1, .mass = 3, .com = {0.2, 0, 0}, .inertia = {0.01, 0.02, 0.03, 0, 0, 0}});
  const Link& link = carrying.links()[1];
  EXPECT_DOUBLE_EQ(link.mass, 5);
  EXPECT_NEAR(link.com.x, (2 * -0.5 + 3 * 0.2) / 5, 1e-15);
  // About z through the common mass centre: the parts' own moments, and m1 m2 / (m1 + m2) d².
  EXPECT_NEAR(link.inertia.zz, 0.1 + 0.03 + 6.0 / 5 * 0.7 * 0.7, 1e-15);
  EXPECT_NEAR(link.inertia.xx, 0.1 + 0.01, 1e-15);
  const Model panda = load("panda"), hand = with_payload(panda, {.link = *panda.find_link("hand"), .mass = 1});
  EXPECT_EQ(hand.coordinate_names(), panda.coordinate_names());
  for (std::size_t k = 0; k < panda.links().size(); ++k) EXPECT_EQ(hand.links()[k].name, panda.links()[k].name);
}

TEST(Actions, ABaseThatAcceleratesLeavesTheCarBehind) {
  Scenario s(slider());
  s.base = {.moves = true, .linear_acceleration = {0, 0, 1.5}};
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], -1.5, 1e-12);
  EXPECT_FALSE(run.audit.balanced);
  EXPECT_TRUE(run.audit.momenta.empty());
}

// On a base that spins across the rail, the car flies outwards: q'' = w² q.
TEST(Actions, ABaseThatSpinsThrowsTheCarOut) {
  Scenario s(with_gravity(slider(), {}));
  s.q = {0.1};
  s.base = {.moves = true, .angular_velocity = {1.2, 1.6, 0}};
  s.integrator.tolerance = 1e-11;
  EXPECT_NEAR(simulate(s).q[0], 0.1 * std::cosh(2.0), 1e-9);
}

TEST(Actions, AShakenBase) {
  Scenario s(slider());
  s.base = {.moves = true, .shake = {0, 0, 0.05}, .frequency = 2};
  s.integrator.tolerance = 1e-11;
  const double w = 4 * std::numbers::pi;
  // Relative to the base the car moves as x - x_base, x going straight on: it rests relative to the base at t = 0, while that has the speed 0.05 w.
  EXPECT_NEAR(simulate(s).q[0], 0.05 * w * 1 - 0.05 * std::sin(w), 1e-9);
}

// Gravity turns with the base: a quarter turn about x of a base that turns at pi/2 a second brings it from -y to -z of the base's axes.
TEST(Actions, GravityInTheAxesOfABaseThatTurns) {
  const Vec3<double> g{0, -9.81, 0};
  const BaseMotion turning = base_motion({.moves = true, .angular_velocity = {std::numbers::pi / 2, 0, 0}}, g, 1);
  const Vec3<double> felt = g - turning.linear_acceleration;
  EXPECT_NEAR(felt.x, 0, 1e-14);
  EXPECT_NEAR(felt.y, 0, 1e-14);
  EXPECT_NEAR(felt.z, 9.81, 1e-13);  // base +y points along old +z after the turn, so that old -y is base +z
  // Rocking: at the end of a swing of a quarter turn the same, at rest.
  const BaseMotion rocking = base_motion({.moves = true, .rock = {std::numbers::pi / 2, 0, 0}, .frequency = 1}, g, 0.25);
  EXPECT_NEAR((g - rocking.linear_acceleration).z, 9.81, 1e-13);
  EXPECT_NEAR(rocking.angular_velocity.x, 0, 1e-14);
  EXPECT_NEAR(rocking.angular_acceleration.x, -std::numbers::pi / 2 * std::pow(2 * std::numbers::pi, 2), 1e-12);
}

TEST(Actions, LimitsAreFoundAndStopTheRun) {
  Scenario s(slider(", lower: -1, upper: 0.32"));
  s.v = {1};
  s.law.kind = LawKind::constant;
  s.law.tau = {0.8};  // q = t + 0.2 t²
  const double when = (-1 + std::sqrt(1 + 4 * 0.2 * 0.32)) / 0.4;
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::dormand_prince_5}) {
    s.integrator.kind = kind;
    s.limits = LimitPolicy::report;
    const Outcome report = simulate(s);
    ASSERT_EQ(report.events.size(), 1u);
    EXPECT_EQ(report.events[0].joint, "x");
    EXPECT_TRUE(report.events[0].upper);
    EXPECT_NEAR(report.events[0].t, when, 1e-9);
    EXPECT_NEAR(report.events[0].speed, 1 + 0.4 * when, 1e-8);
    EXPECT_EQ(report.ending, Ending::done);
    s.limits = LimitPolicy::stop;
    const Outcome stop = simulate(s);
    EXPECT_EQ(stop.ending, Ending::stopped);
    EXPECT_NEAR(stop.end, when, 1e-9);
    EXPECT_NEAR(stop.q[0], 0.32, 1e-9);
    EXPECT_EQ(stop.trajectory.t.back(), std::floor(when * 100) / 100);
    EXPECT_NE(stop.message.find("joint 'x' reached its upper limit 0.32"), std::string::npos) << stop.message;
    s.limits = LimitPolicy::ignore;
    EXPECT_TRUE(simulate(s).events.empty());
  }
}

// q = 0.1 t - 5 t²: it is beyond 3e-4 for a while and back again at the end of the first step.
TEST(Actions, ALimitCrossedWithinAStepIsFound) {
  Scenario s(slider(", lower: -1, upper: 3e-4"));
  s.v = {0.1};
  s.law.kind = LawKind::constant;
  s.law.tau = {-20};
  s.duration = 0.2;
  const double when = (0.1 - std::sqrt(0.01 - 20 * 3e-4)) / 10;
  for (const IntegratorKind kind :
       {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4, IntegratorKind::dormand_prince_5, IntegratorKind::implicit_midpoint}) {
    SCOPED_TRACE(to_string(kind));
    s.integrator = {kind, 0.02, 1e-9};
    s.limits = LimitPolicy::report;
    const Outcome report = simulate(s);
    ASSERT_EQ(report.events.size(), 1u);
    EXPECT_TRUE(report.events[0].upper);
    EXPECT_NEAR(report.events[0].t, when, 1e-14);
    EXPECT_NEAR(report.events[0].speed, 0.1 - 10 * when, 1e-13);
    s.limits = LimitPolicy::stop;
    const Outcome stop = simulate(s);
    EXPECT_EQ(stop.ending, Ending::stopped);
    EXPECT_NEAR(stop.end, when, 1e-14);
    EXPECT_NEAR(stop.q[0], 3e-4, 1e-16);
  }
}

// From beyond one limit to beyond the other: each counts where it is left. The motion is prescribed, so it is known where that is.
TEST(Actions, FromLimitToLimit) {
  Scenario s(slider(", lower: -0.01, upper: 0.01"));
  s.law.kind = LawKind::prescribed;
  s.reference.kind = ReferenceKind::waypoints;
  s.reference.waypoints = {{0, {0}}, {0.1, {0.02}}, {0.2, {-0.02}}, {0.3, {0}}};
  s.duration = 0.3;
  const Outcome report = simulate(s);
  ASSERT_EQ(report.events.size(), 2u);
  EXPECT_TRUE(report.events[0].upper);
  EXPECT_FALSE(report.events[1].upper);
  const auto reference = make_reference(s);
  for (const LimitEvent& event : report.events) {
    double q = 0, v = 0, a = 0;
    reference->at(event.t, &q, &v, &a);
    EXPECT_NEAR(q, event.limit, 1e-12);
    EXPECT_NEAR(v, event.upper ? event.speed : -event.speed, 1e-10);
  }
}

// A pendulum that comes 2e-5 rad beyond its limit of 3 rad and falls back, steps of a tenth of a second. Energy gives the speed there:
// I (v² - v0²) / 2 = m g l (cos 3 - cos q0), hanging upwards.
TEST(Actions, ATurningPointBeyondALimitIsFound) {
  const std::string robot =
      "<robot name=\"fr\"><link name=\"b\"/><link name=\"l\"><inertial><origin xyz=\"0 0 0.5\"/><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent link=\"b\"/><child link=\"l\"/><axis xyz=\"1 0 0\"/>"
      "<limit lower=\"-3.0\" upper=\"3.0\" effort=\"100\" velocity=\"10\"/></joint></robot>";
  Scenario s(with_gravity(parse(robot, "fr.urdf"), {0, 0, 9.81}));
  s.q = {-2.99};
  s.v = {0.23498703022171244};
  s.duration = 2;
  const double inertia = 0.01 + 0.25, weight = 9.81 * 0.5;
  const double speed = std::sqrt(s.v[0] * s.v[0] - 2 * weight / inertia * (std::cos(s.q[0]) - std::cos(3.0)));
  const Outcome report = simulate(s);
  ASSERT_FALSE(report.events.empty());
  EXPECT_TRUE(report.events[0].upper);
  EXPECT_NEAR(report.events[0].speed, speed, 1e-2 * speed);  // the tolerance of 1e-9 of a step is 1e-4 of the way beyond
}

// A run of microseconds is a run like others: the torque rises from 0 to 1e6 N in 1 µs, so that 2 kg have v = 0.25 m/s then.
TEST(Actions, ATableOfMicroseconds) {
  Scenario s(slider());
  s.law.kind = LawKind::table;
  s.law.table = {{0, 1e-6}, {{0}, {1e6}}, false};
  s.duration = 1e-6;
  s.output_step = 1e-7;
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::dormand_prince_5}) {
    s.integrator = {kind, 1e-7, 1e-12};
    EXPECT_NEAR(simulate(s).v[0], 0.25, 1e-12) << to_string(kind);
  }
}

TEST(Actions, AJointThatStartsBeyondItsLimitIsTold) {
  Scenario s(slider(", lower: -1, upper: 0.3"));
  s.q = {-2};
  const Outcome run = simulate(s);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].t, 0);
  EXPECT_FALSE(run.events[0].upper);
  EXPECT_EQ(run.ending, Ending::done);
  s.limits = LimitPolicy::stop;
  const Outcome stop = simulate(s);
  EXPECT_EQ(stop.ending, Ending::stopped);
  EXPECT_EQ(stop.end, 0);
  EXPECT_NE(stop.message.find("starts beyond its lower limit -1"), std::string::npos) << stop.message;
}

}  // namespace
}  // namespace ulna::internal::sim
