// Robots whose base is free: closed forms, laws of mechanics, orders of convergence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

constexpr IntegratorKind kAll[] = {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4, IntegratorKind::dormand_prince_5, IntegratorKind::implicit_midpoint};

// --- A symmetric top whose mass centre is not the origin of its link.

constexpr double kAcross = 0.4, kAlong = 0.7, kMass = 3;  // principal moments
const Vec3<double> kCentre{0.1, -0.05, 0.2};

Model top(const Vec3<double>& gravity = {}) {
  LoadOptions options;
  options.gravity = gravity;
  return parse(
      "<robot name='top'><link name='world'/><joint name='base' type='floating'><parent link='world'/><child link='body'/></joint><link name='body'><inertial>"
      "<origin xyz='0.1 -0.05 0.2'/><mass value='3'/><inertia ixx='0.4' ixy='0' ixz='0' iyy='0.4' iyz='0' izz='0.7'/></inertial></link></robot>",
      "top.urdf", options);
}

struct Attitude {
  Mat3<double> R;
  Vec3<double> p, w;  // of the link's origin; w in the body's axes
};

/// Euler's top: w_1 and w_2 turn at the rate (C - A)/A w_3 in the body, whose attitude is a turn about the angular momentum after one about its own axis. The
/// mass centre goes along a parabola.
Attitude top_at(double t, double across, double along, const Vec3<double>& velocity, const Vec3<double>& gravity) {
  const double rate = (kAlong - kAcross) / kAcross * along;
  const Vec3<double> L{kAcross * across, 0, kAlong * along};
  const double size = std::sqrt(dot(L, L));
  const Mat3<double> R = rotation_about((1 / size) * L, size / kAcross * t) * rotation_about({0, 0, 1}, -rate * t);
  const Vec3<double> centre = kCentre + t * velocity + (t * t / 2) * gravity;
  return {R, centre - R * kCentre, {across * std::cos(rate * t), across * std::sin(rate * t), along}};
}

Scenario spinning_top(IntegratorKind kind, double step, const Vec3<double>& gravity = {}) {
  Scenario s(top(gravity));
  const Vec3<double> w{1.5, 0, 2}, velocity{0.3, -0.2, 0.5}, origin = velocity - cross(w, kCentre);
  s.v = {w.x, w.y, w.z, origin.x, origin.y, origin.z};
  s.duration = 2;
  s.output_step = 0.5;
  s.integrator = {kind, step, 1e-12};
  return s;
}

double distance_from_closed_form(const Outcome& run, const Vec3<double>& gravity = {}) {
  const Attitude is = top_at(run.end, 1.5, 2, {0.3, -0.2, 0.5}, gravity);
  const Quaternion q = quaternion(is.R);
  const double sign = q.x * run.q[3] + q.y * run.q[4] + q.z * run.q[5] + q.w * run.q[6] < 0 ? -1 : 1;
  const double wanted[] = {is.p.x, is.p.y, is.p.z, sign * q.x, sign * q.y, sign * q.z, sign * q.w};
  double worst = 0;
  for (std::size_t i = 0; i < 7; ++i) worst = std::max(worst, std::abs(run.q[i] - wanted[i]));
  const double rates[] = {is.w.x, is.w.y, is.w.z};
  for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(run.v[i] - rates[i]));
  return worst;
}

TEST(FreeBase, SymmetricTopConverges) {
  for (const auto& [kind, order, step] :
       {std::tuple{IntegratorKind::rk4, 4.0, 0.02}, {IntegratorKind::adams_bashforth_4, 4.0, 0.005}, {IntegratorKind::implicit_midpoint, 2.0, 0.01}}) {
    const double coarse = distance_from_closed_form(simulate(spinning_top(kind, step))),
                 fine = distance_from_closed_form(simulate(spinning_top(kind, step / 2)));
    EXPECT_LT(coarse, 1e-3) << to_string(kind);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << to_string(kind) << ": " << coarse << " " << fine;
  }
  EXPECT_LT(distance_from_closed_form(simulate(spinning_top(IntegratorKind::dormand_prince_5, 0.01))), 2e-10);
}

TEST(FreeBase, FallingTop) {
  const Vec3<double> g{1, -2, -9.81};
  const Outcome run = simulate(spinning_top(IntegratorKind::dormand_prince_5, 0.01, g));
  EXPECT_LT(distance_from_closed_form(run, g), 1e-9);
  ASSERT_EQ(run.audit.world.size(), 2u);
  for (const WorldMomentum& w : run.audit.world) {
    EXPECT_FALSE(w.constant);
    EXPECT_LT(w.drift, 1e-9 * w.scale) << w.kind;
  }
  EXPECT_LT(run.audit.energy_drift, 1e-9 * run.audit.energy_scale);
  EXPECT_TRUE(run.audit.closed);
}

TEST(FreeBase, QuaternionsHaveUnitLength) {
  for (const IntegratorKind kind : kAll) {
    Scenario s = spinning_top(kind, 0.02);
    s.output_step = 0.007;  // between the steps, too
    const Outcome run = simulate(s);
    const Trajectory& r = run.trajectory;
    ASSERT_EQ(r.positions, 7u);
    ASSERT_EQ(r.size, 6u);
    for (std::size_t k = 0; k < r.rows(); ++k) {
      const double* q = &r.q[k * 7];
      EXPECT_NEAR(std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]), 1, 4e-16) << to_string(kind);
    }
  }
}

// --- An arm without momentum on a satellite.

/// The velocity of the base at which there is no momentum: M_bb v_b = -M_bj v_j, by Gauss and Jordan.
std::vector<double> without_momentum(const Model& model, const std::vector<double>& q, const std::vector<double>& joints) {
  const std::size_t n = model.nv();
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  std::vector<double> M(n * n);
  mass_matrix(plan, workspace, q.data(), M.data());
  double A[6][7];
  for (std::size_t i = 0; i < 6; ++i) {
    A[i][6] = 0;
    for (std::size_t j = 0; j < 6; ++j) A[i][j] = M[i * n + j];
    for (std::size_t j = 0; j < joints.size(); ++j) A[i][6] -= M[i * n + 6 + j] * joints[j];
  }
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < 6; ++i) {
      const double l = A[i][k] / A[k][k];
      for (std::size_t j = k; i != k && j < 7; ++j) A[i][j] -= l * A[k][j];
    }
  std::vector<double> v;
  for (std::size_t i = 0; i < 6; ++i) v.push_back(A[i][6] / A[i][i]);
  return v;
}

Scenario swinging(IntegratorKind kind, double step) {
  Scenario s(with_base(load("servicer"), RootJoint::free));
  s.q = neutral(s.model);
  for (std::size_t i = 0; i < 6; ++i) s.q[7 + i] = 0.4 * static_cast<double>(i) - 0.9;
  for (std::size_t i = 0; i < 6; ++i) s.v[6 + i] = 0.3 - 0.15 * static_cast<double>(i % 3);
  const std::vector<double> base = without_momentum(s.model, s.q, {s.v.begin() + 6, s.v.end()});
  std::copy(base.begin(), base.end(), s.v.begin());
  s.duration = 10;
  s.output_step = 0.5;
  s.limits = LimitPolicy::ignore;
  s.integrator = {kind, step, 1e-10};
  return s;
}

double momentum_error(const Outcome& run) {
  double worst = 0;
  for (const WorldMomentum& w : run.audit.world) worst = std::max(worst, w.drift / w.scale);
  return worst;
}

TEST(FreeBase, MomentumAndEnergyErrorsFallWithTheOrder) {
  for (const auto& [kind, order, step] : {std::tuple{IntegratorKind::rk4, 4.0, 0.25}, {IntegratorKind::adams_bashforth_4, 4.0, 0.015625}}) {
    const Outcome coarse = simulate(swinging(kind, step)), fine = simulate(swinging(kind, step / 2));
    EXPECT_TRUE(coarse.audit.world[0].constant && coarse.audit.world[1].constant);
    EXPECT_LT(momentum_error(fine), 1e-4);
    EXPECT_GT(std::log2(momentum_error(coarse) / momentum_error(fine)), order - 0.5)
        << to_string(kind) << momentum_error(coarse) << " " << momentum_error(fine);
    EXPECT_GT(std::log2(coarse.audit.energy_drift / fine.audit.energy_drift), order - 0.5)
        << to_string(kind) << coarse.audit.energy_drift << " " << fine.audit.energy_drift;
  }
  const Outcome controlled = simulate(swinging(IntegratorKind::dormand_prince_5, 0.01));
  EXPECT_LT(momentum_error(controlled), 1e-8);
  // The midpoint rule keeps momentum at any step, and its energy to order two.
  const Outcome coarse = simulate(swinging(IntegratorKind::implicit_midpoint, 0.1)), fine = simulate(swinging(IntegratorKind::implicit_midpoint, 0.05));
  EXPECT_LT(momentum_error(coarse), 1e-12);
  EXPECT_LT(momentum_error(fine), 1e-12);
  EXPECT_NEAR(std::log2(coarse.audit.energy_drift / fine.audit.energy_drift), 2, 0.3);
}

TEST(FreeBase, MidpointKeepsMomentumOverManySteps) {
  Scenario s = swinging(IntegratorKind::implicit_midpoint, 0.01);
  s.duration = 1000;  // 1e5 steps
  s.output_step = 5;
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::done) << run.message;
  EXPECT_EQ(run.audit.steps, 100000);
  EXPECT_LT(momentum_error(run), 1e-9);
  EXPECT_LT(run.audit.energy_drift, 1e-3 * run.audit.energy_scale);
}

TEST(FreeBase, RunsInStepAreTheRunsAlone) {
  for (const LawKind law : {LawKind::none, LawKind::computed_torque}) {
    Scenario s = swinging(IntegratorKind::rk4, 0.01);
    s.duration = 0.5;
    s.output_step = 0.1;
    if (law == LawKind::computed_torque) {
      s.law.kind = law;
      s.law.kp.assign(6, 4.0);
      s.law.kd.assign(6, 4.0);
      s.reference.kind = ReferenceKind::hold;
      s.reference.to.assign(6, 0.2);
    }
    Overrides overrides{{"q.base.x", "v.base.wz", "q.shoulder_yaw"}, {}};
    for (int k = 0; k < 9; ++k) overrides.rows.push_back({0.1 * k, 0.02 * k, 0.3 - 0.1 * k});
    const std::vector<BatchRun> runs = simulate_batch(s, overrides, 1);
    std::size_t together = 0;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Outcome alone = simulate(with_overrides(s, overrides.names, overrides.rows[k]));
      EXPECT_EQ(runs[k].q, alone.q);
      EXPECT_EQ(runs[k].v, alone.v);
      together += runs[k].together ? 1 : 0;
    }
    if (Dynamics(s.model).instruction_set() != InstructionSet::none) {
      EXPECT_GE(together, 8u);
    }
  }
}

// --- The scenarios.

/// The attitude that is left over, by the law alone: without momentum the base's velocity is -M_bb⁻¹ M_bj times the joints', and nothing of the simulation's
/// path is asked but the inertia matrix.
Mat3<double> left_over(const Scenario& s, int steps) {
  const auto reference = make_reference(s);
  std::vector<double> q = neutral(s.model), a(6), v(6), r(6);
  const auto rate = [&](double t) {
    reference->at(t, r.data(), v.data(), a.data());
    std::copy(r.begin(), r.end(), q.begin() + 7);
    const std::vector<double> base = without_momentum(s.model, q, v);
    return Vec3<double>{base[0], base[1], base[2]};
  };
  // Magnus's method of order four, two Gauss points a step; the body's rates turn from the right.
  Mat3<double> R = Mat3<double>::identity();
  const double h = s.duration / steps, root = std::sqrt(3.0) / 6;
  for (int k = 0; k < steps; ++k) {
    const Vec3<double> first = rate((k + 0.5 - root) * h), second = rate((k + 0.5 + root) * h);
    const Vec3<double> turn = (h / 2) * (first + second) + (std::sqrt(3.0) / 12 * h * h) * cross(first, second);
    const double angle = std::sqrt(dot(turn, turn));
    if (angle > 0) R = R * rotation_about((1 / angle) * turn, angle);
  }
  return R;
}

TEST(FreeBase, ArmTurnsItsSatellite) {
  const Scenario s = load_scenario("servicer-turn");
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::done);
  EXPECT_LT(momentum_error(run), 1e-8);
  // The joints have come back, the satellite rests, and it is turned.
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(run.q[7 + i], s.q[7 + i], 1e-6);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(run.v[i], 0, 1e-6);
  const Mat3<double> R = left_over(s, 9000);
  const Quaternion wanted = quaternion(R);
  EXPECT_LT(std::abs(wanted.w), std::cos(0.02)) << "half of the angle that it has turned by";
  const double sign = wanted.w * run.q[6] < 0 ? -1 : 1;
  const double numbers[] = {wanted.x, wanted.y, wanted.z, wanted.w};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(run.q[3 + i], sign * numbers[i], 1e-7);
  const Quaternion coarse = quaternion(left_over(s, 4500));
  EXPECT_NEAR(coarse.w, wanted.w, 1e-9) << "what it is compared with has converged";
}

Vec3<double> mass_centre(const Model& model, const double* q) {
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  std::vector<Pose<double>> poses(model.links().size());
  link_poses(plan, workspace, VectorView<const double>(q, model.nq()), VectorView<Pose<double>>(poses.data(), poses.size()));
  Vec3<double> sum{};
  for (std::size_t l = 0; l < poses.size(); ++l) sum = sum + model.links()[l].mass * (poses[l].R * model.links()[l].com + poses[l].p);
  return (1 / model.mass()) * sum;
}

TEST(FreeBase, QuadrupedFallsAlongAParabola) {
  const Scenario s = load_scenario("quadruped-fall");
  const Outcome run = simulate(s);
  ASSERT_EQ(run.ending, Ending::done) << run.message;
  const Trajectory& r = run.trajectory;
  const Vec3<double> begin = mass_centre(s.model, s.q.data());
  // Its velocity at the beginning: total momentum over mass.
  const Plan plan = make_plan(s.model);
  Workspace workspace(plan);
  const Vec3<double> velocity =
      (1 / s.model.mass()) *
      momentum(plan, workspace, VectorView<const double>(s.q.data(), s.q.size()), VectorView<const double>(s.v.data(), s.v.size())).linear;
  for (std::size_t k = 0; k < r.rows(); k += 10) {
    const double t = r.t[k];
    const Vec3<double> is = mass_centre(s.model, &r.q[k * r.positions]), wanted = begin + t * velocity + (t * t / 2) * s.model.gravity();
    EXPECT_NEAR(is.x, wanted.x, 1e-8);
    EXPECT_NEAR(is.y, wanted.y, 1e-8);
    EXPECT_NEAR(is.z, wanted.z, 1e-8);
  }
  EXPECT_LT(momentum_error(run), 1e-8);
  EXPECT_LT(run.audit.energy_drift, 1e-7 * run.audit.energy_scale);
  EXPECT_GT(run.audit.losses, 0);
  EXPECT_TRUE(run.audit.closed);
}

TEST(FreeBase, CaptureKeepsMomentum) {
  const Scenario s = load_scenario("satellite-capture");
  const Outcome run = simulate(s);
  ASSERT_EQ(run.ending, Ending::done) << run.message;
  for (const WorldMomentum& w : run.audit.world) {
    EXPECT_TRUE(w.constant);
    EXPECT_LT(w.drift, 1e-8 * w.scale) << w.kind;
  }
  const Trajectory& r = run.trajectory;
  // From the contact on the joints stand, and what moves is one rigid body with all of the momentum: by the model with the other satellite in its hand.
  const auto contact = static_cast<std::size_t>(std::lower_bound(r.t.begin(), r.t.end(), 5.0) - r.t.begin());
  for (std::size_t k = contact; k < r.rows(); ++k)
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(r.v[k * 12 + 6 + i], 0);
      EXPECT_EQ(r.q[k * 13 + 7 + i], r.q[contact * 13 + 7 + i]);
    }
  EXPECT_NE(r.v[(contact - 1) * 12 + 6], 0);
  const auto in_world = [](const Model& model, const double* q, const double* v) {
    const Plan plan = make_plan(model);
    Workspace workspace(plan);
    return momentum(plan, workspace, VectorView<const double>(q, 13), VectorView<const double>(v, 12));
  };
  const Payload& caught = s.payloads.front();
  const Momentum before = in_world(s.model, &r.q[(contact - 1) * 13], &r.v[(contact - 1) * 12]);
  const Momentum after = in_world(with_payload(s.model, caught), &r.q[contact * 13], &r.v[contact * 12]);
  const Plan plan = make_plan(s.model);
  Workspace workspace(plan);
  const Pose<double> hand = link_pose(plan, workspace, VectorView<const double>(&r.q[contact * 13], 13), caught.link);
  const Vec3<double> centre = hand.R * caught.com + hand.p, linear = caught.mass * caught.flight->velocity;
  const Vec3<double> spin = hand.R * (caught.inertia * tmul(hand.R, caught.flight->angular_velocity));
  const Vec3<double> miss = after.linear - before.linear - linear, twist = after.angular - before.angular - spin - cross(centre, linear);
  EXPECT_LT(std::sqrt(dot(miss, miss)), 1e-8);
  EXPECT_LT(std::sqrt(dot(twist, twist)), 1e-7);
  // An impact loses energy.
  const auto kinetic = [&](const Vec3<double>& v, const Vec3<double>& w) {
    return 0.5 * (caught.mass * dot(v, v) + dot(tmul(hand.R, w), caught.inertia * tmul(hand.R, w)));
  };
  EXPECT_LT(r.kinetic[contact], r.kinetic[contact - 1] + kinetic(caught.flight->velocity, caught.flight->angular_velocity));
}

TEST(FreeBase, SliderCatches) {
  Scenario s(slider());
  s.v = {0.5};
  s.duration = 2;
  s.limits = LimitPolicy::ignore;
  s.payloads.push_back({.link = 1, .mass = 1, .from = 1, .flight = Flight{{0, 0, -2.0}, {}}});
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.v[0], (2 * 0.5 + 1 * -2.0) / 3, 1e-12);
  EXPECT_NEAR(run.q[0], 0.5 - 1.0 / 3, 1e-9);
  // And is stopped.
  s.payloads.clear();
  s.brakes.push_back({.joints = {0}, .from = 0.5, .to = 1});
  const Outcome stopped = simulate(s);
  EXPECT_NEAR(stopped.q[0], 0.25, 1e-9);
  EXPECT_EQ(stopped.v[0], 0);
}

TEST(FreeBase, PlanarBase) {
  Scenario s(with_base(load("scara"), RootJoint::planar));
  s.v = {0.2, -0.1, 0.7, 1, -1, 0.1, 2};
  s.duration = 1;
  s.limits = LimitPolicy::ignore;
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-11};
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::done) << run.message;
  EXPECT_LT(run.audit.energy_drift, 1e-8 * run.audit.energy_scale);
  ASSERT_EQ(run.audit.momenta.size(), 1u);
  EXPECT_EQ(run.audit.momenta[0].joint, "base.x");
  EXPECT_LT(run.audit.momenta[0].drift, 1e-9 * run.audit.momenta[0].largest);
  EXPECT_EQ(column_names(s)[3], "q.base.yaw");
  s.integrator = {IntegratorKind::implicit_midpoint, 1e-3, 1e-11};
  EXPECT_LT(simulate(s).audit.momenta[0].drift, 1e-11 * run.audit.momenta[0].largest);
}

TEST(FreeBase, ColumnsAreNamed) {
  const std::vector<std::string> names = column_names(Scenario(top()));
  const std::vector<std::string> wanted{"t",           "q.base.x",    "q.base.y",    "q.base.z",    "q.base.qx",  "q.base.qy", "q.base.qz",
                                        "q.base.qw",   "v.base.wx",   "v.base.wy",   "v.base.wz",   "v.base.vx",  "v.base.vy", "v.base.vz",
                                        "a.base.wx",   "a.base.wy",   "a.base.wz",   "a.base.vx",   "a.base.vy",  "a.base.vz", "tau.base.nx",
                                        "tau.base.ny", "tau.base.nz", "tau.base.fx", "tau.base.fy", "tau.base.fz"};
  EXPECT_EQ(names, wanted);
}

/// A force on a link, in world axes, and thrusters at the base: their impulse is all that changes the momentum.
TEST(FreeBase, PushesAreAccountedFor) {
  Scenario s = swinging(IntegratorKind::dormand_prince_5, 0.01);
  s.duration = 4;
  s.disturbances.push_back({{*s.model.find_link("hand"), Axes::world, {3, -2, 1}, {0.5, 0, 0}}, 1, 3});
  s.law.kind = LawKind::constant;
  s.law.tau.assign(12, 0.0);
  s.law.tau[0] = 0.2;
  s.law.tau[4] = -1;
  const Outcome run = simulate(s);
  for (const WorldMomentum& w : run.audit.world) {
    EXPECT_FALSE(w.constant);
    EXPECT_LT(w.drift, 1e-8 * w.scale) << w.kind;
  }
  EXPECT_LT(run.audit.energy_drift, 1e-8 * run.audit.energy_scale);
}

TEST(FreeBase, WhatItDoesNotGoWithIsRefused) {
  const auto why = [](const Scenario& s) -> std::string {
    try {
      simulate(s);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  Scenario s(top());
  s.q[6] = 1.01;
  EXPECT_NE(why(s).find("length 1.01"), std::string::npos) << why(s);
  s = Scenario(top());
  s.base.moves = true;
  EXPECT_NE(why(s).find("cannot be prescribed"), std::string::npos) << why(s);
  s = Scenario(with_base(load("servicer"), RootJoint::free));
  s.law.kind = LawKind::prescribed;
  s.reference.kind = ReferenceKind::hold;
  s.reference.to.assign(6, 0.0);
  EXPECT_NE(why(s).find("computed-torque"), std::string::npos) << why(s);
  s = Scenario(with_base(load("servicer"), RootJoint::free));
  s.brakes.push_back({.joints = {0}});
  s.integrator.kind = IntegratorKind::implicit_midpoint;
  EXPECT_NE(why(s).find("brakes"), std::string::npos) << why(s);
}

TEST(FreeBase, OldNameOfTheHeldArmSaysSo) {
  const ScenarioResult old = try_load_scenario("space-arm-free");
  ASSERT_TRUE(old.scenario);
  EXPECT_EQ(old.scenario->name, "space-arm-push");
  ASSERT_FALSE(old.diagnostics.empty());
  EXPECT_NE(to_string(old.diagnostics.front()).find("space-arm-push"), std::string::npos);
}

}  // namespace
}  // namespace ulna::internal::sim
