// Scenario files: what is read, and what every mistake is told as.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "jit/tamper.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {
namespace {

std::string all_of(const ScenarioResult& result) {
  std::string text;
  for (const Diagnostic& d : result.diagnostics) text += to_string(d) + "\n";
  return text;
}

Scenario read(const std::string& text) {
  ScenarioResult result = try_parse_scenario(text, "s.yaml");
  EXPECT_TRUE(result.scenario) << all_of(result);
  return result.scenario.value();
}

TEST(Scenario, ReadingMakesNoMachineCode) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code can be made here";
  int encoded = 0;
  jit::tamper().program = [&](auto&&...) { ++encoded; };
  const Scenario s = read("{model: planar-2r, duration: 0.1, law: {type: computed-torque, kp: 4, kd: 4}, reference: {type: hold, to: 0.5}}");
  EXPECT_EQ(encoded, 0);
  simulate(s);
  EXPECT_GT(encoded, 0);
  jit::tamper() = {};
}

TEST(Scenario, EveryKeyIsRead) {
  const Scenario s = read(R"(
scenario: mine
description: a test of the reader
model: stanford
gravity: [0, 0, -1.62]
lock: {q5: pi/4}
duration: 3
initial:
  q: {q2: pi/2, q6: 0.2}
  v: [1, 2, 3, 4, 5]
integrator: {type: rk4, step: 0.002}
formulation: newton-euler
rotor: yes
friction: {smooth: 0.01}
limits: stop
law: {type: pid, kp: 10, kd: [1, 2, 3, 4, 5], ki: {q2: 7}, gravity: no, saturate: yes}
reference: {type: trapezoidal, from: 0, to: 0.5, start: 0.5, duration: 2, blend: 0.3}
payloads:
  - {link: E, mass: 2, com: [0, 0, 0.1], inertia: [1, 1.5, 2, 0.1, 0.2, 0.3], from: 1, to: 2}
  - {link: D, mass: 1}
output: {step: 0.05}
)");
  EXPECT_EQ(s.name, "mine");
  EXPECT_EQ(s.description, "a test of the reader");
  EXPECT_EQ(s.model.gravity().z, -1.62);
  EXPECT_EQ(s.model.nv(), 5);
  EXPECT_EQ(s.duration, 3);
  EXPECT_EQ(s.q, (std::vector<double>{0, std::numbers::pi / 2, 0.2, 0, 0}));
  EXPECT_EQ(s.v, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.integrator.kind, IntegratorKind::rk4);
  EXPECT_EQ(s.integrator.step, 0.002);
  EXPECT_EQ(s.formulation, "newton-euler");
  EXPECT_TRUE(s.friction.on);
  EXPECT_EQ(s.friction.smooth, 0.01);
  EXPECT_EQ(s.limits, LimitPolicy::stop);
  EXPECT_EQ(s.law.kind, LawKind::pid);
  EXPECT_EQ(s.law.kp, std::vector<double>(5, 10.0));
  EXPECT_EQ(s.law.kd, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.law.ki, (std::vector<double>{0, 7, 0, 0, 0}));
  EXPECT_FALSE(s.law.gravity);
  EXPECT_TRUE(s.law.saturate);
  EXPECT_EQ(s.reference.kind, ReferenceKind::trapezoidal);
  EXPECT_EQ(s.reference.to, std::vector<double>(5, 0.5));
  EXPECT_EQ(s.reference.start, 0.5);
  EXPECT_EQ(s.reference.blend, 0.3);
  ASSERT_EQ(s.payloads.size(), 2u);
  EXPECT_EQ(s.payloads[0].inertia.yz, 0.3);
  EXPECT_EQ(s.payloads[0].to, 2);
  EXPECT_TRUE(std::isinf(s.payloads[1].to));
  EXPECT_EQ(s.output_step, 0.05);

  const Scenario t = read(R"(
model: planar-2r
duration: 1
rotor: off
friction: on
limits: ignore
law: {type: table, interpolate: hold, rows: [[0, 1, 2], [0.5, 3, 4]]}
disturbances:
  - {link: forearm, from: 0.1, to: 0.2, force: [1, 2, 3], moment: [4, 5, 6], axes: world}
base: {rock: [0, pi/8, 0], shake: [0.1, 0, 0], linear_acceleration: [1, 0, 0], frequency: 2}
)");
  EXPECT_FALSE(t.rotor);
  EXPECT_TRUE(t.friction.dry());
  const FrictionSettings broken_away = read("model: planar-2r\nduration: 1\nfriction: {static: 1.5}\n").friction;
  EXPECT_TRUE(broken_away.dry());
  EXPECT_EQ(broken_away.static_factor, 1.5);
  EXPECT_TRUE(t.law.table.hold);
  EXPECT_EQ(t.law.table.tau[1], (std::vector<double>{3, 4}));
  EXPECT_EQ(t.disturbances.at(0).wrench.moment.z, 6);
  EXPECT_EQ(t.disturbances[0].wrench.axes, Axes::world);
  EXPECT_TRUE(t.base.moves);
  EXPECT_EQ(t.base.rock.y, std::numbers::pi / 8);
  EXPECT_EQ(t.base.frequency, 2);
}

TEST(Scenario, DefaultsAreThoseOfTheDocumentation) {
  const Scenario s = read("model: planar-2r\nduration: 2\n");
  EXPECT_EQ(s.law.kind, LawKind::none);
  EXPECT_EQ(s.integrator.kind, IntegratorKind::dormand_prince_5);
  EXPECT_EQ(s.integrator.tolerance, 1e-9);
  EXPECT_EQ(s.integrator.step, 1e-3);
  EXPECT_EQ(s.output_step, 0.01);
  EXPECT_EQ(s.limits, LimitPolicy::report);
  EXPECT_TRUE(s.rotor);
  EXPECT_FALSE(s.friction.on);
  EXPECT_EQ(s.formulation, "ulna");
  // A reference starts where the robot does and takes the whole run, unless it says otherwise.
  const Scenario r = read("model: planar-2r\nduration: 2\ninitial: {q: [1, 2]}\nlaw: {type: prescribed}\nreference: {type: quintic, to: [0, 0]}\n");
  const auto motion = make_reference(r);
  std::vector<double> q(2), v(2), a(2);
  motion->at(0, q.data(), v.data(), a.data());
  EXPECT_EQ(q, (std::vector<double>{1, 2}));
  EXPECT_EQ(motion->end(), 2);
}

// A thin rod at 45 degrees, in digits that people write: a principal moment is 0 but for rounding.
TEST(Scenario, APayloadMayBeThin) {
  for (const char* inertia : {"[0.1, 0.1, 0.2, -0.1, 0, 0]", "[0.0333333, 0.0333333, 0.0666667, -0.0333333, 0, 0]", "[0.1, 0.2, 0.3]", "[-6e-21, 0, 0]"}) {
    const ScenarioResult read =
        try_parse_scenario(cat("model: planar-2r\nduration: 2\npayloads:\n  - {link: forearm, mass: 1, com: [0.1, 0, 0], inertia: ", inertia, "}\n"), "s.yaml");
    EXPECT_TRUE(read.scenario) << inertia;
  }
}

struct Mistake {
  const char* text;  // added to a scenario of two lines
  int line;
  const char* piece;
};

TEST(Scenario, EveryMistakeIsToldWithItsLine) {
  const Mistake mistakes[] = {
      {"duratoin: 3\n", 3, "unknown key 'duratoin'; did you mean 'duration'?"},
      {"rotor: yes\ninitial: {q: [0, 2e6]}\n", 4, "initial q: the initial angle of joint 'elbow' is 2"},
      {"initial: {q: [1, 2, 3]}\n", 3, "initial q: it has 3 entries, but robot 'planar-2r' has 2 coordinates; give one number for each of shoulder, elbow"},
      {"initial: {q: [1, nan]}\n", 3, "initial q of joint 'elbow'"},
      {"initial: {q: {elbo: 1}}\n", 3, "robot 'planar-2r' has no free joint 'elbo'; did you mean 'elbow'?"},
      {"initial: {p: [1, 2]}\n", 3, "initial: unknown key 'p'"},
      {"initial: [1, 2]\n", 3, "a mapping belongs here, not a list"},
      {"integrator: {type: rk5}\n", 3, "there is no 'rk5'; did you mean 'rk4'?"},
      {"integrator: {type: rk4, step: -0.1}\n", 3, "integrator step: -0.1 is not positive"},
      {"integrator: {type: rk4, step: 0}\n", 3, "0 is not positive"},
      {"integrator: {type: rk4, step: 1e-18}\n", 3, "steps, more than 1e+09"},
      {"integrator: {type: rk4, step: 1e-300}\n", 3, "steps, more than 1e+09"},
      {"integrator: {type: rk4, step: 1ms}\n", 3, "integrator step"},
      {"integrator: {type: rk4, step: 5}\n", 3, "5 s is longer than the whole run of 2 s"},
      {"integrator: {type: rk4, tolerance: 1e-9}\n", 3, "rk4 has steps of one length and no error control"},
      {"integrator: {tolerance: 1e-20}\n", 3, "less than rounding errors"},
      {"integrator: {type: rk4, change: 0.01, fastest: 2, step: 0.01}\n", 3, "step cannot be combined with change"},
      {"integrator: {type: rk4, fastest: 2}\n", 3, "only together with the largest change"},
      {"integrator: {type: rk4, change: 10, fastest: 2}\n", 3, "5 s is longer than the whole run of 2 s"},
      {"integrator: {change: 0.01, fastest: 2}\n", 3, "dormand-prince-5 chooses its steps by their errors"},
      {"integrator: {type: rk4, change: -1, fastest: 2}\n", 3, "-1 is not positive"},
      {"output: {step: 1e-9}\n", 3, "more than two million rows"},
      {"output: {step: 3}\n", 3, "longer than the whole run"},
      {"output: {paper_columns: yes}\n", 3, "the paper's columns are for the Stanford arm"},
      {"formulation: newton-eule\n", 3, "there is no formulation 'newton-eule'; did you mean 'newton-euler'?"},
      {"formulation: kane-stanford\n", 3, "formulation kane-stanford does not take robot 'planar-2r'"},
      {"limits: halt\n", 3, "there is no 'halt'"},
      {"rotor: maybe\n", 3, "'maybe' is neither yes nor no; write yes or no"},
      {"friction: {smoth: 1}\n", 3, "did you mean 'smooth'?"},
      {"friction: {static: 0.5}\n", 3, "but must not be below it; write a factor of at least 1"},
      {"friction: {static: 2, smooth: 0.1}\n", 3, "smooth friction has no static level"},
      {"law: {type: pd, kp: 1, kd: 1, ki: 1}\n", 3, "law: unknown key 'ki'"},
      {"law: {type: pd, kp: 1, kd: 1}\n", 3, "the law pd needs a reference motion"},
      {"law: {type: pd, kp: 1}\nreference: {type: hold, to: 0}\n", 3, "law: the key 'kd' is missing"},
      {"law: {type: pd, kp: -1, kd: 1}\nreference: {type: hold, to: 0}\n", 3, "a gain is negative"},
      {"law: {type: pd, kp: 1, kd: 1, coriolis: no}\nreference: {type: hold, to: 0}\n", 3, "law: unknown key 'coriolis'"},
      {"law: {type: feedforward, coriolis: some}\nreference: {type: hold, to: 0}\n", 3, "'some' is neither yes nor no"},
      {"law: {type: feedforward, inertia: -0.5}\nreference: {type: hold, to: 0}\n", 3, "-0.5 is negative"},
      {"law: {type: feedforward, payload: {link: hand, mass: 1}}\nreference: {type: hold, to: 0}\n", 3, "has no link 'hand'"},
      {"law: {type: feedforward, payload: {link: forearm, mass: -1}}\nreference: {type: hold, to: 0}\n", 3, "law's payload mass: -1 is negative"},
      {"law: {type: feedforward, payload: {link: forearm}}\nreference: {type: hold, to: 0}\n", 3, "the key 'mass' is missing"},
      {"law: {type: dp}\n", 3, "there is no 'dp'; write one of none, constant, table"},
      {"law: {kp: 1}\n", 3, "law: the key 'type' is missing"},
      {"law: pd\n", 3, "a mapping belongs here, not a single value"},
      {"law: {type: kane-levinson}\n", 3, "Kane and Levinson's law is for the Stanford arm"},
      {"law: {type: prescribed, saturate: yes}\nreference: {type: hold, to: 0}\n", 3, "torques of a prescribed motion cannot be saturated"},
      {"law: {type: table}\n", 3, "neither rows nor file is given"},
      {"law:\n  type: table\n  rows:\n    - [0, 1, 2]\n    - [1, 2]\n", 7, "law row 2: it has 2 entries; write a list of 3 numbers"},
      {"law: {type: table, rows: [[1, 0, 0], [1, 0, 0]]}\n", 3, "t = 1 s is not after the row before it"},
      {"law: {type: table, file: nowhere.csv}\n", 3, "it cannot be opened"},
      {"law: {type: constant, tau: [1]}\n", 3, "law tau: it has 1 entry, but robot"},
      {"reference: {type: quintic}\n", 3, "reference: the key 'to' is missing"},
      {"reference: {type: quintic, to: 1, duration: 0}\n", 3, "0 is not positive"},
      {"reference: {type: quintic, to: 1, blend: 0.2}\n", 3, "only a trapezoidal motion has it"},
      {"reference: {type: trapezoidal, to: 1, blend: 0.7}\n", 3, "blend must lie above 0 and up to 0.5, but it is 0.7"},
      {"reference: {type: waypoints, points: [{t: 0, q: 0}, {t: 0, q: 1}]}\n", 3, "waypoint 2 is at t = 0 s, which is not after the one before it"},
      {"reference: {type: waypoints, points: [{t: 0}]}\n", 3, "point 1: the key 'q' is missing"},
      {"disturbances:\n  - {link: forarm, from: 0, to: 1, force: [1, 0, 0]}\n", 4, "has no link 'forarm'; did you mean 'forearm'?"},
      {"disturbances:\n  - {link: forearm, from: 1, to: 0.5, force: [1, 0, 0]}\n", 4, "0.5 s is not after the beginning at 1 s"},
      {"disturbances:\n  - {link: forearm}\n", 4, "neither force nor moment is given"},
      {"disturbances:\n  - {link: forearm, force: [1, 0]}\n", 4, "it has 2 components, but 3 are needed"},
      {"disturbances: {link: forearm}\n", 3, "a list belongs here, not a mapping"},
      {"payloads:\n  - {link: forearm}\n", 4, "payload 1: the key 'mass' is missing"},
      {"payloads:\n  - {link: forearm, mass: -2}\n", 4, "-2 is not positive"},
      {"payloads:\n  - {link: forearm, mass: 1, inertia: [1, 1, 5]}\n", 4, "belong to no body"},
      {"base: {shake: [1, 0, 0]}\n", 3, "its frequency is missing"},
      {"base: {rock: [1, 0, 0], frequency: 1, angular_velocity: [0, 0, 1]}\n", 3, "cannot be joined with a constant angular velocity"},
      {"formulation: uicker-kahn\nbase: {angular_velocity: [0, 0, 1]}\n", 3,
       "'uicker-kahn': it takes no base that moves: its eq. 4 has the velocities of the joints only"},
      {"lock: {elbw: 1}\n", 1, "'planar-2r' has errors"},
      {"initial: {q: 0}\ninitial: {q: 0}\n", 4, "this key is already in line 3"},
      {"law: {type: none\n", 4, "the text is broken here"},
  };
  for (const Mistake& m : mistakes) {
    const ScenarioResult result = try_parse_scenario("model: planar-2r\nduration: 2\n" + std::string(m.text), "s.yaml");
    SCOPED_TRACE(m.text);
    EXPECT_FALSE(result.scenario);
    ASSERT_FALSE(result.diagnostics.empty());
    bool found = false;
    for (const Diagnostic& d : result.diagnostics) {
      found = found || (to_string(d).find(m.piece) != std::string::npos && d.line == m.line);
      EXPECT_TRUE(d.severity != Severity::error || !d.cure.empty()) << to_string(d);
    }
    EXPECT_TRUE(found) << all_of(result);
  }
}

TEST(Scenario, WhatTheTopLacks) {
  const auto told = [](const char* text, const char* piece) {
    const ScenarioResult result = try_parse_scenario(text, "s.yaml");
    EXPECT_FALSE(result.scenario);
    EXPECT_NE(all_of(result).find(piece), std::string::npos) << all_of(result);
  };
  told("", "it is empty; give a scenario in YAML");
  told("# nothing\n", "it holds nothing but comments; write a scenario");
  told("- a\n", "a scenario is a mapping, but this is a list");
  told("duration: 1\n", "the key 'model' is missing");
  told("model: panda\n", "the key 'duration' is missing");
  told("model: pandda\nduration: 1\n", "did you mean 'panda'?");
  told("model: panda\nduration: -1\n", "-1 is not positive");
  told("model: panda\nduration: nan\n", "s.yaml:2: error: duration");
  // All at once.
  told("model: planar-2r\nduration: -1\nlimits: halt\nlaw: {type: dp}\n", "s.yaml:4: error: law type: there is no 'dp'");
  told("model: planar-2r\nduration: -1\nlimits: halt\nlaw: {type: dp}\n", "s.yaml:2: error: duration: -1");
  EXPECT_FALSE(try_load_scenario("nowhere.yaml").found);
  EXPECT_NE(all_of(try_load_scenario("kane-figure3")).find("did you mean 'kane-figure-3'?"), std::string::npos);
  EXPECT_FALSE(try_load_scenario("").found);
}

TEST(Scenario, PathsAreRelativeToTheFile) {
  const std::string folder = testing::TempDir() + "ulna-scenario-test";
  std::system(("mkdir -p '" + folder + "'").c_str());
  std::ofstream(folder + "/tau.csv") << "# torques\ntau.elbow, t, tau.shoulder\n1, 0, 2\n3, pi, 4\n";
  std::ofstream(folder + "/arm.yaml") << "robot: arm\nconvention: standard\nlinks:\n"
                                         "  - {joint: revolute, name: shoulder, a: 1, alpha: 0, d: 0, theta: 0, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
                                         "  - {joint: revolute, name: elbow, a: 1, alpha: 0, d: 0, theta: 0, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n";
  std::ofstream(folder + "/s.yaml") << "model: arm.yaml\nduration: 1\nlaw: {type: table, file: tau.csv}\n";
  std::ofstream(folder + "/bad.csv") << "t,tau.shoulder,tau.elbw\n0,1,2\n";
  std::ofstream(folder + "/t.yaml") << "model: arm.yaml\nduration: 1\nlaw: {type: table, file: bad.csv}\n";
  const Scenario s = load_scenario(folder + "/s.yaml");
  EXPECT_EQ(s.law.table.t, (std::vector<double>{0, std::numbers::pi}));
  EXPECT_EQ(s.law.table.tau[1], (std::vector<double>{4, 3}));
  const std::string told = all_of(try_load_scenario(folder + "/t.yaml"));
  EXPECT_NE(told.find("has no column 'tau.elbow'"), std::string::npos) << told;
  EXPECT_NE(told.find("'tau.elbw' that no joint answers to"), std::string::npos) << told;
  EXPECT_THROW(load_scenario(folder + "/t.yaml"), SourceError);
  std::system(("rm -r '" + folder + "'").c_str());
}

TEST(Scenario, BuiltinOnesRunToTheirEnd) {
  EXPECT_EQ(builtin_scenarios().size(), 17u);
  for (const BuiltinScenario& builtin : builtin_scenarios()) {
    Scenario s = load_scenario(std::string(builtin.id));
    EXPECT_EQ(s.name, builtin.id);
    if (s.name == "double-pendulum") s.duration = 5;
    const Outcome run = simulate(s);
    EXPECT_EQ(run.ending, Ending::done) << builtin.id;
    EXPECT_LT(run.audit.energy_drift, 1e-3 * run.audit.energy_scale) << builtin.id;
    for (std::size_t i = 0; i < run.audit.closing.size(); ++i) EXPECT_LT(run.audit.closing[i], 1e-11 * run.audit.torque_scale[i]) << builtin.id;
  }
}

// Section 7 of Turney, Mudge & Lee: the step by the largest change in one and the arm's largest speed, written, or the robot's limit.
TEST(Scenario, AStepByTheLargestSpeed) {
  const Scenario turney = load_scenario("turney-rk4");
  EXPECT_DOUBLE_EQ(turney.integrator.step, 0.0025 / 2.5);
  const Outcome run = simulate(turney);
  for (std::size_t row = 1; row < run.trajectory.rows(); ++row)
    for (std::size_t i = 0; i < 6; ++i) {
      const auto& q = run.trajectory.q;
      const double steps = turney.output_step / turney.integrator.step;
      EXPECT_LE(std::abs(q[row * 6 + i] - q[(row - 1) * 6 + i]), 0.0025 * steps);
    }
  const ScenarioResult limited = try_parse_scenario("scenario: x\nmodel: panda\nduration: 2\nintegrator: {type: rk4, change: 0.01}\n", "x.yaml");
  ASSERT_TRUE(limited.scenario);
  double fastest = 0;
  for (const std::size_t j : limited.scenario->model.independent()) fastest = std::max(fastest, limited.scenario->model.joints()[j].velocity);
  EXPECT_DOUBLE_EQ(limited.scenario->integrator.step, 0.01 / fastest);
  const ScenarioResult unlimited = try_parse_scenario("scenario: x\nmodel: puma560\nduration: 2\nintegrator: {type: rk4, change: 0.01}\n", "x.yaml");
  EXPECT_FALSE(unlimited.scenario);
  ASSERT_FALSE(unlimited.diagnostics.empty());
  EXPECT_NE(unlimited.diagnostics.front().problem.find("not every joint of the robot has a velocity limit"), std::string::npos);
  EXPECT_EQ(unlimited.diagnostics.front().line, 4);
}

// Turney's way and Lin's, of the same robot under the same torques: another matrix, another integrator, the same motion.
TEST(Scenario, TurneyAndLinAgree) {
  const Outcome turney = simulate(load_scenario("turney-rk4")), lin = simulate(load_scenario("lin-adams"));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(turney.q[i], lin.q[i], 1e-10);
  EXPECT_GT(std::abs(turney.q[2] + std::numbers::pi / 2), 0.1);  // it did move
}

}  // namespace
}  // namespace ulna::internal::sim
