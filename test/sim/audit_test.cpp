// The audit against closed forms, and against runs that are wrong.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "sim/audit.hpp"
#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

/// A bead of 2 kg that slides along an arm, which turns about the vertical and has 0.5 kg m² of its own about it.
Model bead() {
  return parse(
      "robot: bead\nconvention: standard\ngravity: [0, 0, -9.81]\nlinks:\n"
      "  - {joint: revolute, name: arm, link: arm, a: 0, alpha: pi/2, d: 0, theta: pi/2, mass: 1, com: [0, 0, 0], inertia: [0, 0.5, 0.5]}\n"
      "  - {joint: prismatic, name: bead, link: bead, a: 0, alpha: 0, d: 0, theta: 0, mass: 2, com: [0, 0, 0], inertia: [0, 0, 0]}\n",
      "bead.yaml");
}
constexpr double kArm = 0.5, kBead = 2;

/// Two sliders that do not feel each other: 5 kg along x, on which 2 kg slide upwards.
Model two_sliders(const std::string& more = "") {
  return parse(
      "robot: two\nconvention: standard\ngravity: [0, -9.81, 0]\nlinks:\n"
      "  - {joint: prismatic, name: x, link: car, a: 0, alpha: -pi/2, d: 0, theta: 0, mass: 3, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]" +
          more +
          "}\n"
          "  - {joint: prismatic, name: y, link: lift, a: 0, alpha: 0, d: 0, theta: 0, mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n",
      "two.yaml");
}

// The arm turns at w = 3 rad/s and the bead goes out by r = 1 + t²/4. What each drive does is known: tau = d/dt (I + m r²) w and f = m (r'' - r w²). Neither
// work is the change of an energy: the drive of the arm does twice the work that the bead takes up by turning, and the bead's drive gets half of it back.
TEST(Audit, WorkByJointOfABeadOnATurningArm) {
  Scenario s(bead());
  s.limits = LimitPolicy::ignore;
  s.duration = 1;
  s.law.kind = LawKind::function;
  s.q = {0, 1};
  s.v = {3, 0};
  // w stays 3 rad/s and r'' = 1/2.
  s.law.function = [](double t, auto, auto, auto tau) {
    const double r = 1 + t * t / 4, rate = t / 2;
    tau[0] = kBead * 2 * r * rate * 3;
    tau[1] = kBead * (0.5 - r * 9);
  };
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::dormand_prince_5, IntegratorKind::adams_bashforth_4}) {
    s.integrator = {kind, 1e-3, 1e-12};
    const Outcome run = simulate(s);
    ASSERT_NEAR(run.q[1], 1.25, 1e-9);
    const double spin = kBead * 9 * (1.25 * 1.25 - 1), out = kBead * 0.5 * 0.5 / 2;
    EXPECT_NEAR(run.audit.joints[0].work, spin, 1e-8);
    EXPECT_NEAR(run.audit.joints[1].work, out - spin / 2, 1e-8);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(run.audit.joints[i].uptake, run.audit.joints[i].work, 1e-8) << to_string(kind);
      EXPECT_LT(run.audit.joints[i].drift, 1e-8) << to_string(kind);
    }
    EXPECT_LT(run.audit.uptake_error, 1e-8);
    EXPECT_LT(run.audit.energy_drift, 1e-8);
    EXPECT_FALSE(run.audit.conservative);
  }
}

// Where joints do not feel each other, what comes in through a joint is its own energy: m v² / 2 along x, m v² / 2 + m g y along y, and viscous friction takes
// F v (t - T (1 - exp(-t/T))) of a car that F pushes, T = m / c.
TEST(Audit, WorkByJointOfTwoSliders) {
  Scenario s(two_sliders(", viscous: 4"));
  s.friction.on = true;
  s.law.kind = LawKind::constant;
  s.law.tau = {6, 25};
  s.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  const Outcome run = simulate(s);
  const double T = 5.0 / 4, final = 6.0 / 4, x = final * (1 - T * (1 - std::exp(-1 / T))), v = final * (1 - std::exp(-1 / T));
  const double up = 25.0 / 2 - 9.81;
  ASSERT_NEAR(run.q[0], x, 1e-10);
  ASSERT_NEAR(run.q[1], up / 2, 1e-10);
  EXPECT_NEAR(run.audit.joints[0].work, 6 * x, 1e-9);
  EXPECT_NEAR(run.audit.joints[0].losses, 6 * x - 5 * v * v / 2, 1e-9);
  EXPECT_NEAR(run.audit.joints[0].uptake, 5 * v * v / 2, 1e-9);
  EXPECT_NEAR(run.audit.joints[1].work, 25 * up / 2, 1e-9);
  EXPECT_EQ(run.audit.joints[1].losses, 0);
  EXPECT_NEAR(run.audit.joints[1].uptake, 2 * up * up / 2 + 2 * 9.81 * up / 2, 1e-9);
  EXPECT_LT(run.audit.joints[0].drift, 1e-9);
  EXPECT_LT(run.audit.joints[1].drift, 1e-9);
  // A wrench on the lift, along the rail of the car, works on the car: 2 N on 5 kg for half a second, between rows.
  s.friction.on = false;
  s.law.tau = {0, 2 * 9.81};
  s.disturbances = {{{.link = 2, .axes = Axes::world, .force = {0, 0, 2}}, 0.203, 0.703}};
  const Outcome pushed = simulate(s);
  EXPECT_NEAR(pushed.v[0], 0.2, 1e-11);
  EXPECT_NEAR(pushed.audit.joints[0].external, 0.1, 1e-10);
  EXPECT_NEAR(pushed.audit.joints[0].uptake, 0.1, 1e-10);
  EXPECT_NEAR(pushed.audit.joints[1].external, 0, 1e-12);
  EXPECT_LT(pushed.audit.joints[0].drift, 1e-10);
}

// Nothing works on a free bead on a free arm: no joint takes anything up, though the kinetic energy wanders from one to the other.
TEST(Audit, NothingComesInThroughFreeJoints) {
  Scenario s(bead());
  s.limits = LimitPolicy::ignore;
  s.q = {0, 1};
  s.v = {3, 0};
  s.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  const Outcome run = simulate(s);
  EXPECT_TRUE(run.audit.conservative);
  EXPECT_NEAR((kArm + kBead * run.q[1] * run.q[1]) * run.v[0], (kArm + kBead) * 3, 1e-9);
  for (const JointWork& joint : run.audit.joints) {
    EXPECT_EQ(joint.work, 0);
    EXPECT_LT(std::abs(joint.uptake), 1e-7);  // differences over the rows
  }
}

// A coarse step shows in the joints, with the size of what the energy lost. Rows are fine enough for it here: an arm in free fall whips its wrist about.
TEST(Audit, DriftByJointTellsABadRun) {
  Scenario s(load("panda"));
  s.limits = LimitPolicy::ignore;
  for (std::size_t i = 0; i < s.q.size(); ++i) s.q[i] = 0.3 + 0.2 * static_cast<double>(i);
  s.output_step = 0.001;
  s.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  const Outcome good = simulate(s);
  s.integrator.step = 4e-3;
  const Outcome bad = simulate(s);
  double largest = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_LT(good.audit.joints[i].drift, 5e-5) << i;
    EXPECT_GT(bad.audit.joints[i].drift, 50 * good.audit.joints[i].drift) << i;
    largest = std::max(largest, bad.audit.joints[i].drift);
  }
  EXPECT_GT(bad.audit.energy_drift, 1e-3);
  EXPECT_GT(largest, 0.5 * bad.audit.energy_drift);
  EXPECT_LT(good.audit.uptake_error, 2e-5);
}

/// The facts of a run's rows, changed on the way to the audit.
template <class Change>
Audit audit_with(const Scenario& s, const Change& change) {
  System system(s);
  Auditor auditor(s, system);
  Trajectory rows;
  rows.size = system.coordinates();
  std::vector<double> x = system.initial();
  RowFacts facts = system.row(0, x.data())[0];
  auditor.after_break(0, facts, 0);
  for (int k = 0; k < 3; ++k) {
    const double t = 0.01 * k;
    x[0] = 0.1 * k;
    facts = system.row(t, x.data())[0];
    change(facts);
    auditor.row(t, facts, 0, rows);
  }
  return auditor.finish(0.02, facts, 0, rows, 3);
}

// Torques that are written down are not those that acted, or the motion is not theirs: the closing check says no. The least that it tells is 1e-9.
TEST(Audit, TheClosingCheckSaysNo) {
  Scenario s(pendulum());
  EXPECT_TRUE(audit_with(s, [](RowFacts&) {}).closed);
  const Audit wrong = audit_with(s, [](RowFacts& facts) { facts.tau[0] += 1e-6; });
  EXPECT_FALSE(wrong.closed);
  EXPECT_NEAR(wrong.closing[0], 1e-6, 1e-12);
  EXPECT_FALSE(audit_with(s, [](RowFacts& facts) { facts.closing[0] *= 1 + 1e-8, facts.tau[0] = kPendulumWeight; }).closed);
  EXPECT_TRUE(audit_with(s, [](RowFacts& facts) { facts.closing[0] += 1e-12; }).closed);
  EXPECT_FALSE(audit_with(s, [](RowFacts& facts) { facts.closing[0] = NAN; }).closed);
}

// A joint that nothing drives and no gravity pulls, at rest: M a is all there is, and its rounding is no break.
TEST(Audit, AJointWithoutTorqueCloses) {
  Scenario s(with_gravity(load("planar-2r"), {}));
  s.q = {0.3, 1.1};
  s.law.kind = LawKind::constant;
  s.law.tau = {0.7, 0};
  s.duration = 0.001;
  const Outcome run = simulate(s);
  EXPECT_TRUE(run.audit.closed);
  EXPECT_GT(run.audit.torque_scale[1], 0.01);
}

// In the plane of symmetry of an arm the torques of joints 1, 3, 5 and 7 are zero but for rounding, which is no break either.
TEST(Audit, JointsThatAreQuietBySymmetryClose) {
  Scenario s(load("panda"));
  s.q = {0, -0.4, 0, -2.0, 0, 1.6, 0};
  s.duration = 0.1;
  const Outcome run = simulate(s);
  EXPECT_TRUE(run.audit.closed);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_GT(run.audit.torque_scale[i], 1e-4) << i;
}

// Polynomials of degree five are integrated exactly from uneven points, and from both sides of a jump.
TEST(Audit, PowerIntegral) {
  const auto f = [](double t) { return 1 + t - 3 * t * t + 2 * std::pow(t, 5); };
  const auto F = [](double t) { return t + t * t / 2 - t * t * t + std::pow(t, 6) / 3; };
  PowerIntegral power(1);
  const auto add = [&](double t, int stretch, double value) { power.power(power.add({t, stretch, 0}))[0] = value; };
  for (const double t : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75}) add(t, 0, f(t));
  for (const double t : {0.75, 0.8, 0.9, 1.0}) add(t, 1, 10 + t * t);
  for (const double t : {1.0, 1.2}) add(t, 2, t);
  const std::vector<double> sums = power.integrals();
  for (const std::size_t k : {1u, 2u, 4u, 7u, 8u}) EXPECT_NEAR(sums[k], F(power.points()[k].t), 1e-14) << k;
  EXPECT_EQ(sums[9], sums[8]);
  EXPECT_NEAR(sums[12], F(0.75) + 2.5 + (1 - std::pow(0.75, 3)) / 3, 1e-14);
  EXPECT_NEAR(sums[14], sums[12] + 0.22, 1e-14);
}

}  // namespace
}  // namespace ulna::internal::sim
