// Torque laws and reference motions, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/sim/simulate.hpp>

#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

ReferenceSettings from_to(ReferenceKind kind, std::vector<double> from, std::vector<double> to, double duration) {
  ReferenceSettings r;
  r.kind = kind;
  r.from = std::move(from);
  r.to = std::move(to);
  r.duration = duration;
  return r;
}

struct Point {
  double q[2], v[2], a[2];
};
Point at(const ReferenceMotion& motion, double t) {
  Point p;
  motion.at(t, p.q, p.v, p.a);
  return p;
}

/// v is the slope of q and a the slope of v, everywhere but at breaks.
void expect_consistent(const ReferenceMotion& motion, double from, double to) {
  const double h = 1e-5;
  const std::vector<double> breaks = motion.breaks();
  for (double t = from; t < to; t += (to - from) / 97) {
    if (std::any_of(breaks.begin(), breaks.end(), [&](double b) { return std::abs(b - t) < 2 * h; })) continue;
    const Point before = at(motion, t - h), here = at(motion, t), after = at(motion, t + h);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR((after.q[i] - before.q[i]) / (2 * h), here.v[i], 1e-7) << t;
      EXPECT_NEAR((after.v[i] - before.v[i]) / (2 * h), here.a[i], 1e-6) << t;
    }
  }
}

TEST(Reference, MotionsFromPointToPoint) {
  for (const ReferenceKind kind : {ReferenceKind::rest_to_rest, ReferenceKind::quintic, ReferenceKind::trapezoidal}) {
    ReferenceSettings settings = from_to(kind, {1, -1}, {2, 3}, 2);
    settings.start = 0.5;
    const auto motion = make_reference(settings, 2);
    expect_consistent(*motion, 0, 3);
    EXPECT_EQ(motion->end(), 2.5);
    for (const double t : {0.0, 0.5}) {
      EXPECT_EQ(at(*motion, t).q[1], -1);
      EXPECT_EQ(at(*motion, t).v[1], 0);
    }
    EXPECT_NEAR(at(*motion, 1.5).q[1], 1, 1e-14);  // half way in half the time, by symmetry
    for (const double t : {2.5, 3.0}) {
      EXPECT_EQ(at(*motion, t).q[0], 2);
      EXPECT_EQ(at(*motion, t).v[0], 0);
    }
  }
}

TEST(Reference, Shapes) {
  // Eq. 127 at a quarter of the time: T/4 - T/(2 pi).
  EXPECT_NEAR(at(*make_reference(from_to(ReferenceKind::rest_to_rest, {0, 0}, {1, 2}, 10), 2), 2.5).q[1], 2 * (0.25 - 1 / (2 * kPi)), 1e-15);
  // The fastest moment of a quintic is 15/8 of the mean speed.
  EXPECT_NEAR(at(*make_reference(from_to(ReferenceKind::quintic, {0, 0}, {1, 2}, 4), 2), 2).v[0], 15.0 / 8 / 4, 1e-15);
  // A trapezoid that speeds up for a fifth of the time cruises at 1 / (1 - 0.2) of the mean speed.
  ReferenceSettings trapezoid = from_to(ReferenceKind::trapezoidal, {0, 0}, {1, 2}, 4);
  trapezoid.blend = 0.2;
  const auto motion = make_reference(trapezoid, 2);
  EXPECT_NEAR(at(*motion, 2).v[0], 0.25 / 0.8, 1e-15);
  EXPECT_NEAR(at(*motion, 0.4).a[0], 0.25 / 0.8 / 0.8, 1e-15);
  EXPECT_NEAR(at(*motion, 3.6).a[0], -0.25 / 0.8 / 0.8, 1e-15);
  EXPECT_EQ(at(*make_reference(from_to(ReferenceKind::hold, {}, {1, 2}, 1), 2), 7).q[1], 2);
}

TEST(Reference, WaypointsAreMet) {
  ReferenceSettings settings;
  settings.kind = ReferenceKind::waypoints;
  settings.waypoints = {{0.5, {0, 1}}, {1, {1, 0}}, {2.5, {-1, 0.5}}, {3, {2, 2}}};
  const auto motion = make_reference(settings, 2);
  for (const Waypoint& w : settings.waypoints)
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(at(*motion, w.t).q[i], w.q[i], 1e-14);
  expect_consistent(*motion, 0, 3.5);
  EXPECT_NEAR(at(*motion, 0.5).v[0], 0, 1e-14);
  EXPECT_NEAR(at(*motion, 3).v[0], 0, 1e-13);
  // Accelerations are continuous where cubics meet.
  for (const double t : {1.0, 2.5})
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(at(*motion, t - 1e-9).a[i], at(*motion, t + 1e-9).a[i], 1e-6);
  // Two points: the cubic of rest to rest.
  settings.waypoints = {{0, {0, 0}}, {2, {1, 4}}};
  EXPECT_NEAR(at(*make_reference(settings, 2), 0.5).q[1], 4 * (3.0 / 16 - 2.0 / 64), 1e-15);
}

TEST(Reference, WrongOnesAreRefused) {
  EXPECT_THROW(make_reference(from_to(ReferenceKind::quintic, {0}, {1, 2}, 1), 2), std::invalid_argument);
  EXPECT_THROW(make_reference(from_to(ReferenceKind::quintic, {0, 0}, {1}, 1), 2), std::invalid_argument);
  EXPECT_THROW(make_reference(from_to(ReferenceKind::quintic, {0, 0}, {1, 2}, 0), 2), std::invalid_argument);
  ReferenceSettings r = from_to(ReferenceKind::trapezoidal, {0, 0}, {1, 2}, 1);
  r.blend = 0.6;
  EXPECT_THROW(make_reference(r, 2), std::invalid_argument);
  r.kind = ReferenceKind::waypoints;
  r.waypoints = {{0, {0, 0}}};
  EXPECT_THROW(make_reference(r, 2), std::invalid_argument);
  r.waypoints = {{1, {0, 0}}, {1, {0, 0}}};
  EXPECT_THROW(make_reference(r, 2), std::invalid_argument);
  EXPECT_EQ(make_reference({}, 2), nullptr);
}

Scenario car(LawKind kind) {
  Scenario s(slider());
  s.law.kind = kind;
  s.integrator.tolerance = 1e-11;
  return s;
}

TEST(Law, TablesInTime) {
  Scenario s = car(LawKind::table);
  s.law.table = {{0.2, 0.5, 0.81}, {{1}, {4}, {-2}}, false};
  // The area under the straight lines, over 2 kg.
  const double area = 0.2 * 1 + 0.3 * 2.5 + 0.31 * 1 + 0.19 * -2;
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::dormand_prince_5, IntegratorKind::adams_bashforth_4}) {
    s.integrator.kind = kind;
    s.law.table.hold = false;
    EXPECT_NEAR(simulate(s).v[0], area / 2, 1e-11) << to_string(kind);
    s.law.table.hold = true;
    EXPECT_NEAR(simulate(s).v[0], (0.2 * 1 + 0.3 * 1 + 0.31 * 4 + 0.19 * -2) / 2, 1e-11) << to_string(kind);
  }
}

// kp = m w², kd = 2 m w: the critically damped way to the goal.
TEST(Law, PdIsAnOscillator) {
  Scenario s = car(LawKind::pd);
  s.law.kp = {2 * 25};
  s.law.kd = {2 * 2 * 5};
  s.reference = from_to(ReferenceKind::hold, {}, {1}, 1);
  EXPECT_NEAR(simulate(s).q[0], 1 - (1 + 5) * std::exp(-5), 1e-9);
}

// A pendulum that is held by PD with gravity compensation stays; without, it settles where kp e = m g l cos q.
TEST(Law, GravityCompensation) {
  Scenario s(pendulum());
  s.q = {0.3};
  s.law.kind = LawKind::pd;
  s.law.kp = {40};
  s.law.kd = {10};
  s.reference = from_to(ReferenceKind::hold, {}, {0.3}, 1);
  s.duration = 10;
  EXPECT_NEAR(simulate(s).q[0], 0.3, s.integrator.tolerance);  // law and motion round differently, and that much may be made of it
  s.law.gravity = false;
  const double q = simulate(s).q[0];
  EXPECT_NEAR(40 * (0.3 - q), kPendulumWeight * std::cos(q), 1e-6);
  // The integral takes the rest away.
  s.law.kind = LawKind::pid;
  s.law.ki = {40};
  s.duration = 40;
  EXPECT_NEAR(simulate(s).q[0], 0.3, 1e-6);
}

// m s³ + kd s² + kp s + ki = m (s + 1) (s + 2) (s + 3): the error is -5/2 exp(-t) + 8 exp(-2 t) - 9/2 exp(-3 t).
TEST(Law, PidIsALinearSystemOfOrderThree) {
  Scenario s = car(LawKind::pid);
  s.law.kd = {2 * 6};
  s.law.kp = {2 * 11};
  s.law.ki = {2 * 6};
  s.reference = from_to(ReferenceKind::hold, {}, {1}, 1);
  EXPECT_NEAR(simulate(s).q[0], 1 + 2.5 * std::exp(-1) - 8 * std::exp(-2) + 4.5 * std::exp(-3), 1e-9);
}

// Computed torque makes every joint of any robot the same linear system: e'' + kd e' + kp e = 0.
TEST(Law, ComputedTorqueMakesErrorsLinear) {
  Scenario s(load("panda"));
  s.limits = LimitPolicy::ignore;
  const std::vector<double> from{0, -0.4, 0, -2.0, 0, 1.6, 0.8}, to{0.6, 0.1, 0.2, -1.2, 0.3, 1.7, 0.8};
  s.reference = from_to(ReferenceKind::quintic, from, to, 1);
  s.q = from;
  for (std::size_t i = 0; i < 7; ++i) s.q[i] += 0.01 * (static_cast<double>(i) - 3);
  s.law.kind = LawKind::computed_torque;
  s.law.kp.assign(7, 36);
  s.law.kd.assign(7, 12);
  s.duration = 0.5;
  s.integrator.tolerance = 1e-11;
  const Outcome run = simulate(s);
  std::vector<double> q(7), v(7), a(7);
  make_reference(s.reference, 7)->at(0.5, q.data(), v.data(), a.data());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(run.q[i] - q[i], 0.01 * (static_cast<double>(i) - 3) * (1 + 3) * std::exp(-3), 1e-8) << i;
}

TEST(Law, FeedforwardFollowsWithoutFeedback) {
  Scenario s(load("scara"));
  const std::size_t n = s.q.size();
  s.limits = LimitPolicy::ignore;
  s.law.kind = LawKind::feedforward;
  s.reference = from_to(ReferenceKind::trapezoidal, s.q, std::vector<double>(n, 0.4), 1);
  s.integrator.tolerance = 1e-11;
  const Outcome run = simulate(s);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(run.q[i], 0.4, 1e-8) << i;
}

TEST(Law, TorquesStopAtTheLimit) {
  Scenario s(slider(", effort: 3, lower: -9, upper: 9, velocity: 9"));
  s.law.kind = LawKind::constant;
  s.law.tau = {-8};
  EXPECT_NEAR(simulate(s).v[0], -4, 1e-9);
  s.law.saturate = true;
  EXPECT_NEAR(simulate(s).v[0], -1.5, 1e-9);
}

TEST(Law, AProgramsOwnFunction) {
  Scenario s = car(LawKind::function);
  s.q = {0.5};
  s.law.function = [](double, VectorView<const double> q, VectorView<const double>, VectorView<double> tau) { tau[0] = -2 * 9 * q[0]; };
  EXPECT_NEAR(simulate(s).q[0], 0.5 * std::cos(3), 1e-8);
}

}  // namespace
}  // namespace ulna::internal::sim
