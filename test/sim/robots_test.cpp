// All that a scenario can hold, at once, on whole robots: by every integrator, on every built-in robot, and against a robot whose base is a joint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

#include "sim/forward_model.hpp"
#include "sim/robots.hpp"
#include "support/builtin.hpp"

namespace ulna::internal::sim {
namespace {

TEST(Robots, EveryBuiltinFallsByItsLaws) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    Scenario s(load(std::string(robot.id)));
    s.limits = LimitPolicy::ignore;
    s.duration = 0.05;
    s.integrator.tolerance = 1e-10;
    for (std::size_t i = 0; i < s.q.size(); ++i) {
      s.q[i] = 0.1 * static_cast<double>(i % 5);
      s.v[i] = 0.3 - 0.1 * static_cast<double>(i % 4);
    }
    const Outcome run = simulate(s);
    EXPECT_EQ(run.ending, Ending::done) << robot.id << ": " << run.message;
    EXPECT_LT(run.audit.energy_drift, 1e-8 * std::max(1.0, run.audit.energy_scale)) << robot.id;
    EXPECT_TRUE(run.audit.closed) << robot.id;
    EXPECT_GT(run.audit.smallest_pivot, 0) << robot.id;
  }
}

/// With gravity, rotors and all, on bases that are free and planar; by error control and in step.
void expect_in_step(const Scenario& given);
TEST(Robots, FreeAndPlanarOnesFallByTheirLaws) {
  for (const char* id : {"servicer", "panda", "mini-cheetah", "humanoid-32"})
    for (const RootJoint base : {RootJoint::free, RootJoint::planar}) {
      Scenario s(with_gravity(with_base(load(id), base), {0.5, -0.3, -9.81}));
      s.limits = LimitPolicy::ignore;
      s.duration = 0.05;
      s.integrator.tolerance = 1e-10;
      const std::size_t first = base_nq(base);
      for (std::size_t i = 0; i < 3; ++i) s.q[i] = 0.4 - 0.3 * static_cast<double>(i);
      for (std::size_t i = first; i < s.q.size(); ++i) s.q[i] = 0.1 * static_cast<double>(i % 5);
      for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i] = 0.3 - 0.1 * static_cast<double>(i % 4);
      if (base == RootJoint::free) {
        s.q[3] = 0.5, s.q[4] = -0.5, s.q[5] = 0.1, s.q[6] = 0.7;
        normalize(s.model, s.q);
      }
      const Outcome run = simulate(s);
      EXPECT_EQ(run.ending, Ending::done) << id << ": " << run.message;
      EXPECT_LT(run.audit.energy_drift, 1e-8 * std::max(1.0, run.audit.energy_scale)) << id;
      EXPECT_TRUE(run.audit.closed) << id;
      EXPECT_GT(run.audit.smallest_pivot, 0) << id;
      for (const WorldMomentum& w : run.audit.world) EXPECT_LT(w.drift, 1e-8 * w.scale) << id;
      EXPECT_EQ(run.audit.world.size(), base == RootJoint::free ? 2u : 0u);
      expect_in_step(s);
    }
}

/// Three runs in step are the three runs alone, bit for bit.
void expect_in_step(const Scenario& given) {
  Scenario s = given;
  s.limits = LimitPolicy::ignore;
  s.duration = 0.012;
  s.integrator = {IntegratorKind::rk4, 2e-3, 1e-9};
  const std::string joint = s.model.coordinate_names().front();
  const Overrides overrides{{"q." + joint, "v." + joint}, {{0.1, 0}, {-0.2, 0.3}, {0.3, 1}}};
  const std::vector<BatchRun> runs = simulate_batch(s, overrides);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Outcome alone = simulate(with_overrides(s, overrides.names, overrides.rows[k]));
    EXPECT_EQ(runs[k].q, alone.q) << s.model.name();
    EXPECT_EQ(runs[k].v, alone.v) << s.model.name();
    EXPECT_EQ(runs[k].energy_drift, alone.audit.energy_drift) << s.model.name();
  }
}

TEST(Robots, EveryBuiltinInStep) {
  for (const BuiltinRobot& robot : test::builtin_trees()) expect_in_step(Scenario(load(std::string(robot.id))));
}

/// Rotors and friction of the PUMA under a law with a memory, a wrench, a payload and a base that rocks.
Scenario rocking_puma() {
  Scenario s(load("puma560"));
  s.limits = LimitPolicy::ignore;
  s.friction = {true, 0.1};
  s.reference.kind = ReferenceKind::trapezoidal;
  s.reference.from = s.q;
  s.reference.to = {1, 0.5, -1, 0.3, 0.2, 0.1};
  s.law.kind = LawKind::pid;
  s.law.kp.assign(6, 100);
  s.law.kd.assign(6, 20);
  s.law.ki.assign(6, 30);
  s.disturbances = {{{.link = 5, .axes = Axes::world, .force = {3, 2, 1}, .moment = {0.1, 0.2, 0.3}}, 0.2, 0.6}};
  s.payloads = {{.link = 6, .mass = 2, .com = {0, 0, 0.1}, .inertia = {0.01, 0.01, 0.01, 0, 0, 0}, .from = 0.4, .to = 0.8}};
  s.base = {.moves = true, .linear_acceleration = {0.1, 0, 0}, .shake = {0, 0.01, 0}, .rock = {0.1, 0.2, 0.3}, .frequency = 1};
  return s;
}

TEST(Robots, EveryIntegratorFindsTheSameMotion) {
  Scenario s = rocking_puma();
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-12};
  const Outcome exact = simulate(s);
  for (const auto& [kind, step, bound] :
       {std::tuple{IntegratorKind::rk4, 1e-3, 1e-8}, {IntegratorKind::adams_bashforth_4, 2e-4, 1e-8}, {IntegratorKind::implicit_midpoint, 1e-3, 1e-4}}) {
    s.integrator = {kind, step, 1e-9};
    const Outcome run = simulate(s);
    ASSERT_EQ(run.ending, Ending::done) << run.message;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(run.q[i], exact.q[i], bound) << to_string(kind) << ", joint " << i;
  }
  // Of order two under all of this, too.
  const auto error = [&](double step) {
    s.integrator = {IntegratorKind::implicit_midpoint, step, 1e-9};
    const Outcome run = simulate(s);
    double worst = 0;
    for (std::size_t i = 0; i < 6; ++i) worst = std::max(worst, std::abs(run.q[i] - exact.q[i]));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.004) / error(0.002)), 2, 0.3);
}

// A base that moves is a robot with joints below it that are moved: a slide along z that shakes and a hinge about z that turns or rocks.
TEST(Robots, ABaseThatMovesIsAJointThatIsDriven) {
  const std::string table = *general_robot("general-RRPR");
  const std::size_t rows = table.find("links:");
  ASSERT_NE(rows, std::string::npos);
  const std::size_t first = table.find('\n', rows) + 1;
  const std::string row = ", a: 0, alpha: 0, d: 0, theta: 0, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n";
  const std::string longer = table.substr(0, first) + "  - {joint: prismatic, name: lift, link: below1" + row +
                             "  - {joint: revolute, name: turn, link: below2" + row + table.substr(first);
  LoadOptions options;
  options.gravity = Vec3<double>{1, -9, 2};
  const Model arm = parse(table, "arm.yaml", options), whole = parse(longer, "whole.yaml", options);
  ForwardModel robot(arm), moved(whole);
  ASSERT_EQ(robot.size(), 4u);
  ASSERT_EQ(moved.size(), 6u);

  const double t = 0.37, f = 0.8, w = 2 * std::numbers::pi * f;
  const double q[6] = {0.02 * std::sin(w * t), 0, 0.3, -0.5, 0.2, 0.9};
  struct Case {
    BaseSettings base;
    double angle, rate, acceleration;
  };
  const Case cases[] = {{{.moves = true, .angular_velocity = {0, 0, 1.7}, .shake = {0, 0, 0.02}, .frequency = f}, 1.7 * t, 1.7, 0},
                        {{.moves = true, .shake = {0, 0, 0.02}, .rock = {0, 0, 0.6}, .frequency = f},
                         0.6 * std::sin(w * t),
                         0.6 * w * std::cos(w * t),
                         -0.6 * w * w * std::sin(w * t)}};
  for (const Case& c : cases) {
    const double all_q[6] = {q[0], c.angle, q[2], q[3], q[4], q[5]};
    const double all_v[6] = {0.02 * w * std::cos(w * t), c.rate, 1.1, -0.7, 0.4, 0.6},
                 all_a[6] = {-0.02 * w * w * std::sin(w * t), c.acceleration, 0.5, 2, -1, 3};
    double tau[4], all_tau[6];
    robot.torques(all_q + 2, all_v + 2, all_a + 2, tau, base_motion(c.base, arm.gravity(), t));
    moved.torques(all_q, all_v, all_a, all_tau);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(tau[i], all_tau[i + 2], 1e-11) << i;
  }
}

const char* const kGripper = R"(<robot name="gripper">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="finger" type="revolute"><parent link="arm"/><child link="left"/><origin xyz="0.6 0 0"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
  <joint name="follower" type="revolute"><parent link="arm"/><child link="right"/><origin xyz="0.6 0 0"/><axis xyz="0 1 0"/><limit lower="-9" upper="0.5" effort="9" velocity="9"/>
    <mimic joint="finger" multiplier="-2" offset="0.1"/></joint>
</robot>)";

// A coupled joint is a constraint that does no work: energy stays; and its own limit counts.
TEST(Robots, MimicJoints) {
  Scenario s(parse(kGripper, "gripper.urdf"));
  ASSERT_EQ(s.q.size(), 2u);
  s.q = {0.2, 0.3};
  expect_in_step(s);
  s.v = {0.5, -3};
  s.duration = 0.5;
  s.integrator.tolerance = 1e-11;
  const Outcome run = simulate(s);
  EXPECT_LT(run.audit.energy_drift, 1e-9);
  EXPECT_TRUE(run.audit.closed);
  // The first row beyond it is at most one output step after the event.
  std::size_t row = 0;
  while (row < run.trajectory.rows() && -2 * run.trajectory.q[2 * row + 1] + 0.1 <= 0.5) ++row;
  ASSERT_LT(row, run.trajectory.rows());
  ASSERT_GE(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].joint, "follower");
  EXPECT_TRUE(run.events[0].upper);
  EXPECT_LE(run.events[0].t, run.trajectory.t[row]);
  EXPECT_GE(run.events[0].t, run.trajectory.t[row - 1]);
  EXPECT_NEAR(run.events[0].speed, -2 * run.trajectory.v[2 * row + 1], 0.5);
  s.integrator = {IntegratorKind::implicit_midpoint, 1e-4, 1e-9};
  const Outcome midpoint = simulate(s);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(midpoint.q[i], run.q[i], 1e-6);
}

}  // namespace
}  // namespace ulna::internal::sim
