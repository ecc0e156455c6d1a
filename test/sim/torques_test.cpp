// Shares of torques, columns of results, batches.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "formulation/kane_stanford.hpp"
#include "sim/drives.hpp"
#include "sim/robots.hpp"
#include "sim/torques.hpp"

namespace ulna::internal::sim {
namespace {

/// Everything at once: rotors and friction of the PUMA, a wrench, a payload and a base that spins.
Scenario spinning_puma() {
  Scenario s(load("puma560"));
  s.limits = LimitPolicy::ignore;
  s.friction.on = true;
  s.reference.kind = ReferenceKind::quintic;
  s.reference.from = s.q;
  s.reference.to = {1, 0.5, -1, 0.3, 0.2, 0.1};
  s.disturbances = {{{.link = 5, .force = {3, 2, 1}}, 0.2, 0.6}};
  s.payloads = {{.link = 6, .mass = 2, .com = {0, 0, 0.1}, .from = 0.4, .to = 0.8}};
  s.base = {.moves = true, .angular_velocity = {0.1, 0.2, 0.3}};
  return s;
}

TEST(Torques, SharesAddUp) {
  const TorqueStudy study = study_torques(spinning_puma());
  EXPECT_TRUE(study.along_reference);
  const Trajectory& r = study.run.trajectory;
  for (std::size_t row = 0; row < r.rows(); ++row)
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < kShares; ++k) sum += study.share(row, static_cast<Share>(k))[i];
      EXPECT_NEAR(sum, r.tau[row * 6 + i], 1e-11) << "row " << row << ", joint " << i;
    }
  for (const Share share : {Share::inertia, Share::coriolis, Share::gravity, Share::rotor, Share::friction, Share::external})
    EXPECT_GT(study.joints[1].share[static_cast<std::size_t>(share)].peak, 0) << to_string(share);
}

// A pendulum swung from rest to rest: I a, no Coriolis, m g l cos q; viscous b v and rotor g² J a.
TEST(Torques, SharesOfAPendulum) {
  Scenario s(pendulum(", viscous: 0.3, rotor: 0.01, gear: 5, effort: 8, lower: -9, upper: 9, velocity: 3"));
  s.friction.on = true;
  s.reference.kind = ReferenceKind::quintic;
  s.reference.from = {-0.5};
  s.reference.to = {1};
  const TorqueStudy study = study_torques(s);
  const Trajectory& r = study.run.trajectory;
  double sum = 0, peak = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    EXPECT_NEAR(study.share(k, Share::inertia)[0], kPendulumInertia * r.a[k], 1e-12);
    EXPECT_NEAR(study.share(k, Share::coriolis)[0], 0, 1e-12);
    EXPECT_NEAR(study.share(k, Share::gravity)[0], kPendulumWeight * std::cos(r.q[k]), 1e-12);
    EXPECT_NEAR(study.share(k, Share::rotor)[0], 0.25 * r.a[k], 1e-12);
    EXPECT_NEAR(study.share(k, Share::friction)[0], 0.3 * r.v[k], 1e-12);
    sum += r.tau[k] * r.tau[k];
    peak = std::max(peak, std::abs(r.tau[k]));
  }
  const JointTorques& j = study.joints.at(0);
  EXPECT_EQ(j.total.peak, peak);
  EXPECT_NEAR(j.total.rms, std::sqrt(sum / static_cast<double>(r.rows())), 1e-12);
  EXPECT_EQ(j.effort_limit, 8);
  EXPECT_EQ(j.speed_limit, 3);
  EXPECT_NEAR(j.speed.peak, 15.0 / 8 * 1.5, 1e-12);
}

// Under the same torque, two joints in a plane: the Coriolis share is what the other joint's speed makes, -m2 l1 c2 sin(q2) (2 v1 v2 + v2²) on the first.
TEST(Torques, CoriolisOfTwoLinks) {
  Scenario s(load("planar-2r"));
  s.q = {0.3, 0.8};
  s.v = {1.5, -2};
  s.limits = LimitPolicy::ignore;
  s.duration = 0.1;
  const TorqueStudy study = study_torques(s);
  EXPECT_FALSE(study.along_reference);
  const double h = 4.0 * 1.0 * 0.4 * std::sin(0.8);
  EXPECT_NEAR(study.share(0, Share::coriolis)[0], -h * (2 * 1.5 * -2 + 4), 1e-12);
  EXPECT_NEAR(study.share(0, Share::coriolis)[1], h * 1.5 * 1.5, 1e-12);
}

TEST(Output, Columns) {
  const Scenario s = load_scenario("kane-figure-1");
  const std::vector<std::string> names = column_names(s);
  ASSERT_EQ(names.size(), 1u + 4 * 6 + 6 + 1);
  EXPECT_EQ(names[0], "t");
  EXPECT_EQ(names[3], "q.q6");
  EXPECT_EQ(names[19], "tau.q1");
  EXPECT_EQ(names[30], "sigma");
  EXPECT_EQ(names.back(), "W31");
  const Outcome run = simulate(s);
  std::vector<double> row;
  row_values(s, run.trajectory, 0, row);
  ASSERT_EQ(row.size(), names.size());
  // The torques of figure 1 at t = 0 hold the arm: tau2 and tau4 are its weight's moments, and act on the inner body.
  EXPECT_NEAR(row[20], -14.67576, 1e-12);
  EXPECT_NEAR(row[26], 14.67576, 1e-12);
  EXPECT_NEAR(row[28], 1.33416, 1e-12);
  EXPECT_EQ(row.back(), 0);  // W31 of an arm at rest
  EXPECT_THROW(row_values(s, run.trajectory, 1001, row), std::invalid_argument);
  EXPECT_EQ(position_unit(s.model, 2), "m");
  EXPECT_EQ(effort_unit(s.model, 1), "N m");
}

TEST(Batch, RunsEqualSingleOnes) {
  const Scenario s = load_scenario("payload-drop");
  Diagnostics diagnostics("o.csv");
  const auto overrides =
      parse_overrides("q.joint1, v.joint2, payload.mass, kp, duration\n0.1,0,1,300,0.2\n-0.1,0.5,2,200,0.3\n0,0,3,100,0.1\n", s, diagnostics);
  ASSERT_TRUE(overrides);
  const std::vector<BatchRun> one = simulate_batch(s, *overrides, 1), two = simulate_batch(s, *overrides, 2);
  ASSERT_EQ(one.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(one[k].q, two[k].q);
    EXPECT_EQ(one[k].ending, Ending::done);
  }
  Scenario second = s;
  second.q[0] = -0.1;
  second.v[1] = 0.5;
  second.payloads[0].mass = 2;
  second.law.kp.assign(7, 200);
  second.duration = 0.3;
  const Outcome run = simulate(second);
  EXPECT_EQ(run.q, one[1].q);
  EXPECT_EQ(run.audit.evaluations, one[1].evaluations);
  double peak = 0;
  for (std::size_t k = 0; k < run.trajectory.rows(); ++k) peak = std::max(peak, std::abs(run.trajectory.tau[k * 7 + 3]));
  EXPECT_EQ(one[1].peak_tau[3], peak);
}

// 2 kg under the row's force for a second, with the row's start; gravity along the rail pulls, too.
TEST(Batch, EveryNumberCanBeReplaced) {
  Scenario s(slider());
  s.law.kind = LawKind::constant;
  s.law.tau = {7};
  Diagnostics diagnostics("o.csv");
  const auto overrides = parse_overrides("tau.x,q.x,v.x,gravity.z\n4,0,0,0\n6,1,2,0\n0,0,0,-3\n", s, diagnostics);
  ASSERT_TRUE(overrides);
  const std::vector<BatchRun> runs = simulate_batch(s, *overrides);
  EXPECT_NEAR(runs[0].q[0], 1, 1e-9);
  EXPECT_NEAR(runs[1].q[0], 1 + 2 + 1.5, 1e-9);
  EXPECT_NEAR(runs[2].v[0], -3, 1e-9);
  EXPECT_EQ(with_overrides(s, {"step", "tolerance"}, {0.5, 0.25}).integrator.step, 0.5);
  EXPECT_EQ(with_overrides(s, {"step", "tolerance"}, {0.5, 0.25}).integrator.tolerance, 0.25);
  EXPECT_THROW(with_overrides(s, {"step"}, {}), std::invalid_argument);
}

TEST(Batch, ARunThatCannotBeginIsToldAndTheOthersGoOn) {
  const Scenario s(slider());
  const Overrides overrides{{"duration", "v.x"}, {{1, 1}, {-1, 1}, {2, 1}}};  // of a program's own: a table that is read is refused
  const std::vector<BatchRun> runs = simulate_batch(s, overrides, 1);
  EXPECT_EQ(runs[0].ending, Ending::done);
  EXPECT_EQ(runs[1].ending, Ending::diverged);
  EXPECT_NE(runs[1].message.find("duration must be positive"), std::string::npos);
  EXPECT_NEAR(runs[2].q[0], 2, 1e-12);
  // Interrupted after the first.
  const std::vector<BatchRun> cut = simulate_batch(s, overrides, 1, [](std::size_t done) { return done < 1; });
  EXPECT_EQ(cut[0].ending, Ending::done);
  EXPECT_EQ(cut[2].ending, Ending::interrupted);
}

TEST(Batch, WrongTablesAreRefused) {
  const auto told = [](const char* text, int line, const char* piece) {
    const Scenario s(slider());
    Diagnostics diagnostics("o.csv");
    EXPECT_FALSE(parse_overrides(text, s, diagnostics));
    ASSERT_FALSE(diagnostics.all().empty());
    EXPECT_NE(to_string(diagnostics.all().front()).find(piece), std::string::npos) << to_string(diagnostics.all().front());
    EXPECT_EQ(diagnostics.all().front().line, line);
  };
  told("duration,v.x\n1,1\n-1,1\n", 3, "duration must be positive");
  told("q.y\n1\n", 1, "has no free joint 'y'");
  told("duratoin\n1\n", 1, "did you mean 'duration'?");
  told("kp\n1\n", 1, "the law none has no kp");
  told("payload.mass\n1\n", 1, "the scenario has no payload");
  told("tau.x\n1\n", 1, "where the law is constant only");
  told("q.x,v.x\n1\n", 2, "it has 1 cells, but the header has 2");
  told("q.x\n1\nabc\n", 3, "column 'q.x'");
  told("q.x,q.x\n1,2\n", 1, "it stands there twice");
  told("q.x\n", 0, "it has no rows");
}

TEST(Batch, Spread) {
  const Spread s = spread_of({1, 2, 6});
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 6);
  EXPECT_NEAR(s.mean, 3, 1e-15);
  EXPECT_NEAR(s.deviation, std::sqrt((4.0 + 1 + 9) / 2), 1e-15);
  EXPECT_EQ(spread_of({5}).deviation, 0);
}

// A motor behind a gear of 50: held still it gives m g l cos q / 50, and heats by R (tau / k)²; at speed it has what the curve leaves.
TEST(Torques, DrivesOfAPendulum) {
  Scenario s(pendulum(", gear: 50, lower: -9, upper: 9"));
  s.reference.kind = ReferenceKind::hold;
  s.reference.to = {0.4};
  s.q = {0.4};
  Diagnostics diagnostics;
  const std::vector<Drive> drives = read_drives(
      "drives:\n  hinge: {constant: 0.05, resistance: 0.4, continuous: 5, peak: 12, curve: [[0, 0.6], [100, 0.6], [200, 0.1]]}\n", diagnostics, {}, s.model);
  ASSERT_EQ(diagnostics.all().size(), 0u);
  ASSERT_EQ(drives.size(), 1u);
  EXPECT_EQ(drives[0].available(50), 0.6);
  EXPECT_NEAR(drives[0].available(150), 0.35, 1e-15);
  EXPECT_EQ(drives[0].available(201), 0);
  const double torque = kPendulumWeight * std::cos(0.4) / 50;
  const DriveUse still = use_of(drives[0], s.model, study_torques(s).run.trajectory);
  EXPECT_NEAR(still.torque.rms, torque, 1e-12);
  EXPECT_NEAR(still.current.peak, torque / 0.05, 1e-10);
  EXPECT_NEAR(still.heat, 0.4 * torque * torque / 0.05 / 0.05, 1e-9);
  EXPECT_NEAR(still.share, torque / 0.6, 1e-10);
  s.reference.kind = ReferenceKind::quintic;
  s.reference.from = {-0.5};
  s.reference.to = {3.5};
  EXPECT_TRUE(std::isinf(use_of(drives[0], s.model, study_torques(s).run.trajectory).share));  // faster than the motor goes
  s.reference.to = {1.2};
  const Trajectory moves = study_torques(s).run.trajectory;
  const DriveUse moving = use_of(drives[0], s.model, moves);
  for (std::size_t k = 0; k < moves.rows(); ++k)
    EXPECT_LE(std::fabs(moves.tau[k] / 50), moving.share * drives[0].available(50 * std::fabs(moves.v[k])) + 1e-12);
  EXPECT_NEAR(moving.at_torque / drives[0].available(moving.at_speed), moving.share, 1e-12);

  for (const char* wrong : {"drives: {hinj: {constant: 1}}", "drives: {hinge: {peak: 3}}", "drives: {hinge: {curve: [[1, 2]]}}", "drives: {hinge: {curve: 3}}",
                            "drives: {hinge: 3}", "drives: [hinge]", "drives: {hinge: {constant: -1}}", "motors: {}"}) {
    Diagnostics problems;
    read_drives(wrong, problems, {}, s.model);
    EXPECT_TRUE(problems.has_errors()) << wrong;
  }
}

}  // namespace
}  // namespace ulna::internal::sim
