// Runs side by side through the batch kernels against the same runs one by one.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "sim/forward_model.hpp"
#include "sim/robots.hpp"
#include "sim/system.hpp"

namespace ulna::internal::sim {
namespace {

/// Seven runs: whatever the lanes of the machine code are, a block is full and one is not.
Overrides seven(const std::vector<std::string>& names, std::size_t count = 7) {
  Overrides overrides{names, {}};
  for (std::size_t k = 0; k < count; ++k) {
    overrides.rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) overrides.rows.back().push_back(0.3 * std::sin(1.7 * static_cast<double>(k) + 0.9 * static_cast<double>(i)));
  }
  return overrides;
}

Scenario panda(IntegratorKind kind) {
  Scenario s(load("panda"));
  s.q = {0, -0.4, 0, -2.0, 0, 1.6, 0.8};
  s.limits = LimitPolicy::ignore;
  s.duration = 0.0437;  // neither a multiple of the step nor of the output step
  s.output_step = 0.0073;
  s.integrator = {kind, 1e-3, 1e-9};
  return s;
}

std::size_t together(const std::vector<BatchRun>& runs) {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [](const BatchRun& run) { return run.together; }));
}

/// Every number of every run is that of simulate(), bit for bit, for any number of threads. Returns how many went in step.
std::size_t expect_same(const Scenario& s, const Overrides& overrides) {
  const std::vector<BatchRun> runs = simulate_batch(s, overrides, 1), three = simulate_batch(s, overrides, 3);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Outcome alone = simulate(with_overrides(s, overrides.names, overrides.rows[k]));
    const BatchRun& run = runs[k];
    EXPECT_EQ(run.ending, alone.ending) << k;
    EXPECT_EQ(run.message, alone.message) << k;
    EXPECT_EQ(run.end, alone.end) << k;
    EXPECT_EQ(run.q, alone.q) << k;
    EXPECT_EQ(run.v, alone.v) << k;
    EXPECT_EQ(run.energy_drift, alone.audit.energy_drift) << k;
    EXPECT_EQ(run.smallest_pivot, alone.audit.smallest_pivot) << k;
    EXPECT_EQ(run.closed, alone.audit.closed) << k;
    EXPECT_EQ(run.evaluations, alone.audit.evaluations) << k;
    for (std::size_t row = 0; row < alone.trajectory.rows(); ++row)
      for (std::size_t i = 0; i < run.peak_tau.size(); ++i) EXPECT_GE(run.peak_tau[i], std::abs(alone.trajectory.tau[row * run.peak_tau.size() + i]));
    EXPECT_NE(run.together, !run.why_alone.empty());
    EXPECT_EQ(three[k].q, run.q);
    EXPECT_EQ(three[k].v, run.v);
    EXPECT_EQ(three[k].energy_drift, run.energy_drift);
    EXPECT_EQ(three[k].together, run.together);
  }
  return together(runs);
}

/// Of seven runs, those that are left over from full blocks go together, too, unless it is one.
std::size_t of_seven(const Scenario& s) {
  const Dynamics dynamics(s.model, {.threads = 1});
  const std::size_t lanes = dynamics.lanes();
  if (dynamics.instruction_set() == InstructionSet::none) return 0;
  return 7 % lanes == 1 ? 6 : 7;
}

TEST(Together, EveryLawGivesTheSameBits) {
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4}) {
    const Scenario plain = panda(kind);
    const std::size_t wanted = of_seven(plain);
    const std::vector<std::string> states{"q.joint1", "q.joint4", "v.joint2", "v.joint7"};
    EXPECT_EQ(expect_same(plain, seven(states)), wanted);

    Scenario s = plain;
    s.law.kind = LawKind::constant;
    s.law.tau = {1, 2, 3, 4, 5, 6, 7};
    s.law.saturate = true;
    EXPECT_EQ(expect_same(s, seven({"q.joint2", "tau.joint1", "tau.joint6"})), wanted);

    s.law = {};
    s.law.kind = LawKind::table;
    s.law.table = {{0, 0.011, 0.02}, {{1, 1, 1, 1, 1, 1, 1}, {3, 2, 1, 0, 1, 2, 3}, {0, 0, 0, 0, 0, 0, 0}}, false};
    EXPECT_EQ(expect_same(s, seven(states)), wanted);

    s.law = {};
    s.law.kind = LawKind::function;
    s.law.function = [](double t, auto q, auto v, auto tau) {
      for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = std::sin(q[i] + t) - v[i];
    };
    EXPECT_EQ(expect_same(s, seven(states)), wanted);

    s.law = {};
    s.reference = {.kind = ReferenceKind::quintic, .from = s.q, .to = {0.3, -0.2, 0.1, -1.8, 0, 1.5, 0.5}, .start = 0.01, .duration = 0.03};
    s.law.kp.assign(7, 100);
    s.law.kd.assign(7, 20);
    s.law.ki.assign(7, 30);
    for (const LawKind law : {LawKind::pd, LawKind::pid, LawKind::computed_torque, LawKind::feedforward}) {
      s.law.kind = law;
      s.law.saturate = law == LawKind::computed_torque;
      Overrides gains = seven({"v.joint3", "kp", "kd"});
      for (std::vector<double>& row : gains.rows) row[1] += 100;
      EXPECT_EQ(expect_same(s, gains), wanted) << to_string(law);
      // Without `from`, every run's reference begins at its own q.
      Scenario own = s;
      own.reference.from.clear();
      const Overrides begins = seven({"q.joint1", "q.joint4", "kd"});
      EXPECT_EQ(expect_same(own, begins), wanted) << to_string(law);
      EXPECT_NE(simulate_batch(own, begins)[1].q, simulate_batch(s, begins)[1].q) << to_string(law);
      // Each run's law has its own model of the robot.
      own.law.payload = BelievedPayload{*s.model.find_link("hand"), {1, {0, 0, 0.1}, {}}};
      own.law.kd.assign(7, 0.2);
      const bool models = law == LawKind::computed_torque || law == LawKind::feedforward;
      Overrides beliefs = seven(models ? std::vector<std::string>{"q.joint1", "law.payload.mass", "law.coriolis", "law.inertia"}
                                       : std::vector<std::string>{"q.joint1", "law.payload.mass"});
      for (std::vector<double>& row : beliefs.rows)
        for (std::size_t i = 1; i < row.size(); ++i) row[i] = std::abs(row[i]);
      EXPECT_EQ(expect_same(own, beliefs), wanted) << to_string(law);
      for (std::vector<double>& row : beliefs.rows) row[1] = 0.7;
      EXPECT_EQ(expect_same(own, beliefs), wanted) << to_string(law);
    }
  }
}

TEST(Together, FrictionPayloadsAndTheStanfordArm) {
  Scenario s = panda(IntegratorKind::rk4);
  s.friction = {true, 1e-3};
  s.payloads = {{.link = *s.model.find_link("hand"), .mass = 2, .com = {0, 0, 0.1}, .from = 0.0105, .to = 0.03}};
  EXPECT_EQ(expect_same(s, seven({"q.joint1", "v.joint2"})), of_seven(s));

  Scenario rough(slider(", viscous: 3, coulomb: 4"));
  rough.friction = {true, 1e-2};
  rough.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  rough.duration = 0.2;
  EXPECT_EQ(expect_same(rough, seven({"v.x"})), of_seven(rough));
  EXPECT_GT(std::abs(simulate_batch(rough, seven({"v.x"}))[1].energy_drift), 0);

  Scenario kane(load("stanford"));
  kane.law.kind = LawKind::kane_levinson;
  kane.q = {0, 1.5, 0.1, 0.1, 0.1, 0.1};
  kane.duration = 0.05;
  kane.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  EXPECT_EQ(expect_same(kane, seven({"q.q1", "v.q6"})), of_seven(kane));
}

// The code for narrower registers has other lanes: the runs are the same there, too.
TEST(Together, EveryInstructionSet) {
  for (const InstructionSet most : {InstructionSet::none, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    Scenario s = panda(IntegratorKind::rk4);
    s.dynamics = std::make_shared<const Dynamics>(s.model, DynamicsOptions{.threads = 1, .most = most});
    const std::size_t went = expect_same(s, seven({"q.joint1", "v.joint5"}));
    EXPECT_EQ(went > 0, s.dynamics->instruction_set() != InstructionSet::none);
    if (went == 0) {
      EXPECT_EQ(simulate_batch(s, seven({"q.joint1"}))[3].why_alone, "no machine code can be made here");
    }
  }
}

TEST(Together, RunsOfOtherStepsLoadsAndGravityStayApart) {
  Scenario s = panda(IntegratorKind::rk4);
  s.payloads = {{.link = *s.model.find_link("hand"), .mass = 2}};
  Overrides overrides{{"step", "payload.mass", "gravity.x", "duration", "q.joint1"}, {}};
  const std::vector<double> base{1e-3, 1, 0, 0.02, 0};
  for (int k = 0; k < 2; ++k) {
    overrides.rows.push_back(base);
    for (std::size_t i = 0; i < 4; ++i) {
      overrides.rows.push_back(base);
      overrides.rows.back()[i] = std::vector<double>{2e-3, 2, 1, 0.03}[i];
      overrides.rows.back()[4] = 0.1 * k;
    }
  }
  overrides.rows.push_back({5e-4, 1, 0, 0.02, 0});  // no other like it
  const std::size_t went = expect_same(s, overrides);
  if (of_seven(s) == 0) return;
  EXPECT_EQ(went, 10u);
  EXPECT_NE(simulate_batch(s, overrides).back().why_alone.find("no other run"), std::string::npos);
}

// Some leave the limit and come back within a step; the others do not come so far.
TEST(Together, LimitsCrossedWithinAStep) {
  Scenario s(slider(", lower: -1, upper: 3e-4"));
  s.limits = LimitPolicy::stop;
  s.law.kind = LawKind::constant;
  s.law.tau = {-20};
  s.duration = 0.1;
  const Overrides overrides{{"v.x"}, {{0.1}, {0.05}, {0.09}, {0.07}, {0.02}, {-0.1}, {0.078}, {0.077}}};  // the highest point is v² / 20
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4}) {
    s.integrator = {kind, 0.02, 1e-9};
    expect_same(s, overrides);
    const std::vector<BatchRun> runs = simulate_batch(s, overrides);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const double v = overrides.rows[k][0];
      EXPECT_EQ(runs[k].ending, v > 0 && v * v / 20 > 3e-4 ? Ending::stopped : Ending::done) << v;
    }
  }
}

// One comes to its limit and one diverges; the others go on and do not notice.
TEST(Together, RunsThatEndEarlyAreMadeAlone) {
  Scenario s(slider(", lower: -1, upper: 0.5"));
  s.limits = LimitPolicy::stop;
  s.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  s.duration = 0.3;
  s.law.kind = LawKind::function;
  s.law.function = [](double, auto q, auto, auto tau) { tau[0] = q[0] < 0 ? -1e13 * q[0] * q[0] * q[0] : 0; };
  const Overrides overrides{{"q.x", "v.x"}, {{0, 0.1}, {0.4, 1}, {0.1, 0.2}, {0.7, 0}, {0.2, 0.1}, {-0.9, 0}, {0.3, 0.1}, {0.3, 0.2}}};
  expect_same(s, overrides);
  const std::vector<BatchRun> runs = simulate_batch(s, overrides);
  EXPECT_EQ(runs[0].ending, Ending::done);
  EXPECT_NEAR(runs[0].q[0], 0.03, 1e-12);
  EXPECT_EQ(runs[1].ending, Ending::stopped);
  EXPECT_NEAR(runs[1].end, 0.1, 1e-9);
  EXPECT_EQ(runs[3].end, 0);
  EXPECT_NE(runs[3].message.find("starts beyond its upper limit"), std::string::npos);
  EXPECT_NE(runs[5].ending, Ending::done);
  if (of_seven(s) > 0) {
    EXPECT_EQ(together(runs), 5u);
    EXPECT_EQ(runs[1].why_alone, "it diverged or came to a limit");
  }
}

// A spring of stiffness k on 2 kg is beyond what rk4 can follow where h sqrt(k / 2) > 2.83.
TEST(Together, RunsThatDivergeDoNotDisturbOthers) {
  Scenario s(slider());
  s.integrator = {IntegratorKind::rk4, 1e-2, 1e-9};
  s.reference = {.kind = ReferenceKind::hold, .to = {0}};
  s.law.kind = LawKind::pd;
  s.law.kp = {1};
  s.law.kd = {0};
  const Overrides overrides{{"q.x", "kp"}, {{0.1, 100}, {0.2, 3e5}, {0.3, 200}, {0.4, 5e4}, {0.5, 2.5e5}, {0.6, 300}}};
  expect_same(s, overrides);
  const std::vector<BatchRun> runs = simulate_batch(s, overrides);
  for (std::size_t k = 0; k < runs.size(); ++k) EXPECT_EQ(runs[k].ending, overrides.rows[k][1] > 2e5 ? Ending::diverged : Ending::done) << k;
  EXPECT_NE(runs[1].message.find("the run diverged"), std::string::npos);
  EXPECT_NEAR(runs[0].q[0], 0.1 * std::cos(std::sqrt(50.0)), 1e-5);
}

// Machine code that runs share is taken as it is only where all numbers are the same.
TEST(Together, SharedMachineCodeGetsTheNumbersOfTheModel) {
  const Dynamics other(slider(", rotor: 0.02, gear: 10"), {.threads = 1});
  const double q = 0.1, v = 0, tau = 6;
  for (const auto& [keys, mass] : {std::pair{", rotor: 0.02, gear: 10", 4.0}, {", rotor: 0.04, gear: 10", 6.0}, {", rotor: 0.02, gear: 20", 10.0}}) {
    ForwardModel robot(slider(keys), "ulna", true, &other);
    double a = 0;
    robot.accelerations(&q, &v, &tau, &a);
    EXPECT_NEAR(a, 6 / mass, 1e-14) << keys;
  }
}

TEST(Together, ARunThatCannotBeginDoesNotKeepOthersBack) {
  Scenario s(slider());
  s.integrator.kind = IntegratorKind::rk4;
  const std::vector<BatchRun> runs = simulate_batch(s, Overrides{{"v.x"}, {{1}, {NAN}, {2}}});
  EXPECT_EQ(runs[0].ending, Ending::done);
  EXPECT_EQ(runs[1].ending, Ending::diverged);
  EXPECT_NE(runs[1].message.find("initial state of joint 'x' is not finite"), std::string::npos);
  EXPECT_NEAR(runs[2].q[0], 2, 1e-12);
  EXPECT_THROW(simulate_batch(s, Overrides{{"v.y"}, {{1}}}), std::invalid_argument);
  EXPECT_THROW(simulate_batch(s, Overrides{{"v.x"}, {{1, 2}}}), std::invalid_argument);
}

TEST(Together, WhatCannotShare) {
  const auto why = [](auto change) {
    Scenario s(slider());
    s.integrator.kind = IntegratorKind::rk4;
    change(s);
    return why_alone(s);
  };
  EXPECT_EQ(why([](Scenario&) {}), "");
  EXPECT_NE(why([](Scenario& s) { s.integrator.kind = IntegratorKind::dormand_prince_5; }).find("different steps"), std::string::npos);
  EXPECT_NE(why([](Scenario& s) { s.integrator.kind = IntegratorKind::implicit_midpoint; }).find("iterations"), std::string::npos);
  EXPECT_NE(why([](Scenario& s) { s.formulation = "newton-euler"; }).find("newton-euler"), std::string::npos);
  EXPECT_NE(why([](Scenario& s) { s.law.kind = LawKind::prescribed; }).find("prescribed"), std::string::npos);
  EXPECT_NE(why([](Scenario& s) { s.disturbances = {{{.link = 1}, 0, 1}}; }).find("wrenches"), std::string::npos);
  EXPECT_NE(why([](Scenario& s) { s.base.moves = true; }).find("base"), std::string::npos);
}

TEST(Together, EndedFromOutside) {
  Scenario s(slider());
  s.integrator = {IntegratorKind::rk4, 1e-3, 1e-9};
  s.duration = 100;
  std::size_t asked = 0;
  const std::vector<BatchRun> runs = simulate_batch(s, seven({"q.x"}), 1, [&](std::size_t) { return ++asked < 3; });
  for (const BatchRun& run : runs) EXPECT_EQ(run.ending, Ending::interrupted);
  EXPECT_NEAR(runs[0].end, 3, 1e-9);  // asked every thousand steps
  EXPECT_EQ(asked, 4u);               // and after the block
}

}  // namespace
}  // namespace ulna::internal::sim
