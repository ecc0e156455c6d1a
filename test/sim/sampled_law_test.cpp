// Laws that are sampled, held, late, noisy and coarse: `control` of a scenario.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/linearise.hpp>
#include <ulna/sim/simulate.hpp>

#include "sim/torques.hpp"

namespace ulna::internal::sim {
namespace {

constexpr const char* kSlide = R"(<robot name="slide"><link name="base"/>
  <link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="900" velocity="90"/></joint></robot>)";

Scenario held(double kp, double kd, double period) {
  Scenario s(*try_parse(kSlide, "slide.urdf").model);
  s.duration = 0.5;
  s.q = {0.3};
  s.reference.kind = ReferenceKind::hold;
  s.reference.to = {0};
  s.law.kind = LawKind::pd;
  s.law.kp = {kp}, s.law.kd = {kd};
  s.control.period = period;
  s.output_step = period;
  s.integrator = {IntegratorKind::rk4, period};
  return s;
}

/// A mass under a force that is held: x and v follow by two sums. `late` samples of delay.
std::vector<double> by_hand(double kp, double kd, double h, std::size_t samples, std::size_t late, double step_q = 0) {
  std::vector<double> all, asked;
  double x = 0.3, v = 0;
  for (std::size_t k = 0; k < samples; ++k) {
    all.push_back(x);
    const double seen = step_q > 0 ? step_q * std::nearbyint(x / step_q) : x;
    asked.push_back(-kp * seen - kd * v);
    const double a = asked[k >= late ? k - late : 0] / 2;
    x += h * v + h * h / 2 * a;
    v += h * a;
  }
  all.push_back(x);
  return all;
}

void expect_motion(const Outcome& outcome, const std::vector<double>& wanted) {
  ASSERT_EQ(outcome.ending, Ending::done) << outcome.message;
  ASSERT_EQ(outcome.trajectory.rows(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(outcome.trajectory.q[k], wanted[k], 1e-12) << k;
}

TEST(SampledLaw, HoldsItsTorques) {
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4, IntegratorKind::dormand_prince_5}) {
    Scenario s = held(60, 5, 0.01);
    s.integrator.kind = kind;
    const Outcome outcome = simulate(s);
    expect_motion(outcome, by_hand(60, 5, 0.01, 50, 0));
    EXPECT_TRUE(outcome.audit.closed);
    EXPECT_LT(outcome.audit.energy_drift, 1e-10 * outcome.audit.energy_scale);
    EXPECT_LT(outcome.audit.uptake_error, 1e-10 * outcome.audit.energy_scale);
  }
}

TEST(SampledLaw, ComesLate) {
  Scenario s = held(60, 5, 0.01);
  s.control.delay = 0.031;  // to the nearest sample
  expect_motion(simulate(s), by_hand(60, 5, 0.01, 50, 3));
}

TEST(SampledLaw, SeesMultiplesOfAStep) {
  Scenario s = held(60, 5, 0.01);
  s.control.step_q = {0.02};
  expect_motion(simulate(s), by_hand(60, 5, 0.01, 50, 0, 0.02));
}

// The integral of the error is a sum, too.
TEST(SampledLaw, KeepsItsMemory) {
  Scenario s = held(60, 5, 0.01);
  s.law.kind = LawKind::pid;
  s.law.ki = {40};
  const Outcome outcome = simulate(s);
  double x = 0.3, v = 0, sum = 0;
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_NEAR(outcome.trajectory.q[k], x, 1e-12) << k;
    const double a = (-60 * x - 5 * v + 40 * sum) / 2;
    sum += 0.01 * (0 - x);
    x += 0.01 * v + 5e-5 * a, v += 0.01 * a;
  }
}

// Steps that do not divide a period, and samples between rows.
TEST(SampledLaw, StepsEndAtSamples) {
  Scenario s = held(60, 5, 0.01);
  s.integrator.step = 0.003;
  s.output_step = 0.025;
  const Outcome outcome = simulate(s);
  const std::vector<double> wanted = by_hand(60, 5, 0.01, 50, 0);
  for (std::size_t k = 0; k < outcome.trajectory.rows(); k += 2) EXPECT_NEAR(outcome.trajectory.q[k], wanted[k / 2 * 5], 1e-12) << k;
}

// Noise has the deviation that was asked for, is the same for the same run, and another for another one.
TEST(SampledLaw, NoiseIsAsLargeAsItIsSaid) {
  Scenario s = held(1, 0, 0.001);
  s.duration = 4;
  s.q = {0};
  s.control.noise_q = {0.2};
  const Outcome one = simulate(s), again = simulate(s);
  EXPECT_EQ(one.trajectory.tau, again.trajectory.tau);
  s.control.run = 1;
  EXPECT_NE(simulate(s).trajectory.tau, one.trajectory.tau);
  double square = 0;
  for (std::size_t k = 0; k < 4000; ++k) square += std::pow(one.trajectory.tau[k] + one.trajectory.q[k], 2);
  EXPECT_NEAR(std::sqrt(square / 4000), 0.2, 0.01);
}

// What has no derivative is not linearised as if it were another law; torques along a reference do not ask it.
TEST(SampledLaw, IsNotLinearised) {
  const Scenario s = held(60, 5, 0.01);
  EXPECT_THROW(linearise(s), std::invalid_argument);
  EXPECT_THROW(sensitivity(s), std::invalid_argument);
  EXPECT_EQ(study_torques(s).joints.size(), 1u);
}

// An unstable one under error control ends: steps do not become shorter and shorter between two samples.
TEST(SampledLaw, ThatIsUnstableEnds) {
  Scenario s(load("panda"));
  s.duration = 5;
  s.reference.kind = ReferenceKind::hold;
  s.reference.to.assign(7, 0.3);
  s.law.kind = LawKind::pd;
  s.law.kp.assign(7, 600), s.law.kd.assign(7, 50);
  s.limits = LimitPolicy::ignore;
  s.control.period = 1e-3;
  const Outcome outcome = simulate(s);
  EXPECT_EQ(outcome.ending, Ending::diverged);
  EXPECT_NE(outcome.message.find("diverged"), std::string::npos) << outcome.message;
}

TEST(SampledLaw, BadNumbersAreToldBeforeARun) {
  for (const auto& [change, word] : std::vector<std::pair<std::function<void(Scenario&)>, const char*>>{
           {[](Scenario& s) { s.control.delay = 1; }, "delay"},
           {[](Scenario& s) {
              s.control.noise_q = {1, 2};
            },
            "2 entries"},
           {[](Scenario& s) { s.control.step_v = {-1}; }, "negative"},
           {[](Scenario& s) { s.integrator.kind = IntegratorKind::implicit_midpoint; }, "midpoint"}}) {
    Scenario s = held(60, 5, 0.01);
    change(s);
    try {
      simulate(s);
      FAIL() << word;
    } catch (const std::invalid_argument& problem) {
      EXPECT_NE(std::string(problem.what()).find(word), std::string::npos) << problem.what();
    }
  }
}

TEST(SampledLaw, IsReadFromFiles) {
  const auto read = [](const std::string& control) {
    return try_parse_scenario(
        "model: ur5\nduration: 1\nlaw: {type: pd, kp: 1, kd: 1}\nreference: {type: hold, to: [0, 0, 0, 0, 0, 0]}\ncontrol: " + control + "\n", "s.yaml");
  };
  const ScenarioResult good = read("{rate: 2 kHz, delay: 1 ms, noise: {q: 0.1 mrad}, quantisation: {q: [1 mrad, 0, 0, 0, 0, 0]}, seed: 5}");
  ASSERT_TRUE(good.scenario) << to_string(good.diagnostics.front());
  const ControlSettings& c = good.scenario->control;
  EXPECT_DOUBLE_EQ(c.period, 5e-4);
  EXPECT_DOUBLE_EQ(c.delay, 1e-3);
  EXPECT_EQ(c.noise_q, std::vector<double>(6, 1e-4));
  EXPECT_EQ(c.step_q.front(), 1e-3);
  const ScenarioResult listed = read("{noise: {q: [1, 1, 1, 1, 1, 2 mrad]}}");  // a unit at the end is that of all
  ASSERT_TRUE(listed.scenario);
  EXPECT_DOUBLE_EQ(listed.scenario->control.noise_q.front(), 1e-3);
  EXPECT_EQ(c.seed, 5u);
  for (const char* bad :
       {"{rate: 0}", "{rate: 0.5}", "{delay: 2}", "{noise: {q: -1}}", "{rates: 1}", "{noise: {q: [1, 2]}}", "{rate: 1e12}", "{rate: 1e8, delay: 1}"}) {
    const ScenarioResult result = read(bad);
    EXPECT_FALSE(result.scenario && result.diagnostics.empty()) << bad;
    ASSERT_FALSE(result.diagnostics.empty()) << bad;
    EXPECT_NE(to_string(result.diagnostics.front()).find("s.yaml:5"), std::string::npos) << to_string(result.diagnostics.front());
  }
}

}  // namespace
}  // namespace ulna::internal::sim
