// Runs of robots with loops: laws of mechanics, and the same motion by other coordinates.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>

#include "support/folder.hpp"
#include "verify/multipliers.hpp"

namespace ulna::internal::sim {
namespace {

Scenario scenario(const std::string& text) {
  ScenarioResult result = try_parse_scenario(text, "s.yaml");
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == Severity::error) ADD_FAILURE() << to_string(d);
  return result.scenario.value();
}

std::string problems(const std::string& text) {
  std::string all;
  for (const Diagnostic& d : try_parse_scenario(text, "s.yaml").diagnostics)
    if (d.severity == Severity::error) all += to_string(d) + "\n";
  return all;
}

double at_end(const Outcome& outcome, const Scenario& s, const std::string& joint) {
  const std::vector<std::string> names = s.model.position_names();
  return outcome.q[static_cast<std::size_t>(std::find(names.begin(), names.end(), joint) - names.begin())];
}

/// A four-bar that turns over, one that swings, 1e5 steps each; a Delta that falls until its motors do not determine it any more, which it says.
TEST(SimulatedLoops, EnergyOfUnforcedLoopsStays) {
  struct Case {
    const char *robot, *initial;
    double seconds;
    Ending ending;
  };
  const Case cases[] = {{"four-bar", "{q: [0.3], v: [6]}", 100, Ending::done},
                        {"four-bar", "{q: [-1.2]}", 100, Ending::done},
                        {"delta", "{q: [0.9, 1.0, 1.1]}", 2, Ending::diverged}};
  for (const Case& one : cases) {
    Scenario s =
        scenario(std::string("model: ") + one.robot + "\nduration: 1\ninitial: " + one.initial + "\nlimits: ignore\nintegrator: {type: rk4, step: 0.001}\n");
    s.duration = one.seconds;
    const Outcome outcome = simulate(s);
    EXPECT_EQ(outcome.ending, one.ending) << outcome.message;
    if (one.ending == Ending::diverged) {
      EXPECT_NE(outcome.message.find("the assembly is singular"), std::string::npos) << outcome.message;
    }
    EXPECT_TRUE(outcome.audit.conservative);
    EXPECT_LT(outcome.audit.energy_drift, 1e-6 * outcome.audit.energy_scale) << one.robot << " " << one.initial;
    EXPECT_LT(outcome.audit.loop_residual, 1e-11) << one.robot;
    EXPECT_LT(outcome.audit.loop_drift, 1e-9) << one.robot;
    EXPECT_TRUE(outcome.audit.closed);
    EXPECT_GT(outcome.audit.steps, 1000);
  }
}

/// Crank and rocker as the independent joint have different equations: one motion.
TEST(SimulatedLoops, OtherIndependentJointsGiveTheSameMotion) {
  const auto run = [](const std::string& independent, const std::string& initial) {
    const Scenario s = scenario("model: four-bar\nindependent: [" + independent + "]\nduration: 0.25\ninitial: " + initial +
                                "\nintegrator: {type: dormand-prince-5, tolerance: 1e-11}\n");
    const Outcome outcome = simulate(s);
    EXPECT_EQ(outcome.ending, Ending::done) << outcome.message;
    return std::pair(at_end(outcome, s, "crank"), at_end(outcome, s, "rocker"));
  };
  const Scenario first = scenario("model: four-bar\nduration: 1\ninitial: {q: [0.8], v: [1]}\n");
  const std::vector<double> q = first.q, one{1}, none{0};
  const std::vector<long double> v = ulna::internal::inverse_by_multipliers(Mechanism::of(first.model), q.data(), one.data(), none.data(), {}).v;
  const std::vector<std::string> names = first.model.position_names();
  const std::size_t rocker = static_cast<std::size_t>(std::find(names.begin(), names.end(), "rocker") - names.begin());
  const auto by_crank = run("crank", "{q: [0.8], v: [1]}");
  std::ostringstream initial;
  initial.precision(17);
  initial << "{q: {";
  for (std::size_t k = 0; k < 3; ++k) initial << (k == 0 ? "" : ", ") << names[k] << ": " << q[k];
  initial << "}, v: [" << static_cast<double>(v[rocker]) << "]}";
  const auto by_rocker = run("rocker", initial.str());
  EXPECT_NEAR(by_crank.first, by_rocker.first, 1e-8);
  EXPECT_NEAR(by_crank.second, by_rocker.second, 1e-8);
}

TEST(SimulatedLoops, EnergyIsBalancedWithFrictionWrenchesAndPayloads) {
  const Scenario s = scenario(R"(
model: four-bar
duration: 1
initial: {q: [0.5], v: [3]}
friction: {smooth: 0.01}
law: {type: constant, tau: [2]}
disturbances:
  - {link: coupler, force: [5, 0, -3], axes: world, from: 0.2, to: 0.6}
payloads:
  - {link: coupler, mass: 0.5, com: [0.4, 0, 0.1], from: 0.3}
integrator: {type: dormand-prince-5, tolerance: 1e-10}
)");
  Scenario rubs = s;
  rubs.friction.on = true;
  const Outcome outcome = simulate(rubs);
  EXPECT_EQ(outcome.ending, Ending::done) << outcome.message;
  EXPECT_NE(outcome.audit.external, 0);
  EXPECT_LT(outcome.audit.energy_drift, 1e-7 * outcome.audit.energy_scale);
  EXPECT_TRUE(outcome.audit.closed);
}

TEST(SimulatedLoops, PrescribedMotionTakesTheTorquesOfInverseDynamics) {
  const Scenario s = scenario(R"(
model: five-bar
duration: 0.5
initial: {q: [0.1, -0.1]}
reference: {type: quintic, to: [0.5, 0.2], duration: 0.5}
law: {type: prescribed}
)");
  const Outcome outcome = simulate(s);
  ASSERT_EQ(outcome.ending, Ending::done) << outcome.message;
  const Trajectory& r = outcome.trajectory;
  const Mechanism robot = Mechanism::of(s.model);
  const std::size_t n = robot.nv(), m = robot.mobility();
  ASSERT_EQ(r.positions, n);
  ASSERT_EQ(r.size, m);
  const std::vector<std::string> names = column_names(s);
  ASSERT_EQ(names.size(), 1 + 4 * n);
  std::vector<double> values;
  for (std::size_t row = 0; row < r.rows(); row += 10) {
    const std::vector<double> q(&r.q[row * n], &r.q[row * n] + n), u(&r.v[row * m], &r.v[row * m] + m), u_dot(&r.a[row * m], &r.a[row * m] + m);
    EXPECT_LT(robot.residual(q).residual, 1e-11);
    const auto by_multipliers = ulna::internal::inverse_by_multipliers(robot, q.data(), u.data(), u_dot.data(), {});
    // Rows that are written have all joints: those that loops determine have speeds, accelerations and no torques.
    row_values(s, r, row, values);
    ASSERT_EQ(values.size(), names.size());
    for (std::size_t k = 0; k < n; ++k) {
      const double v = static_cast<double>(by_multipliers.v[k]), a = static_cast<double>(by_multipliers.a[k]);
      EXPECT_NEAR(values[1 + n + k], v, 1e-11 * (1 + std::abs(v))) << names[1 + n + k];
      EXPECT_NEAR(values[1 + 2 * n + k], a, 1e-10 * (1 + std::abs(a))) << names[1 + 2 * n + k];
    }
    for (std::size_t k = 0; k < m; ++k) {
      const double wanted = static_cast<double>(by_multipliers.tau[k]);
      EXPECT_NEAR(r.tau[row * m + k], wanted, 1e-10);
      EXPECT_EQ(values[1 + 3 * n + robot.independent()[k]], r.tau[row * m + k]);
    }
    for (const std::size_t k : robot.dependent()) EXPECT_EQ(values[1 + 3 * n + k], 0) << names[1 + 3 * n + k];
  }
}

TEST(SimulatedLoops, LawsFollowTheirReference) {
  for (const char* law :
       {"{type: computed-torque, kp: 100, kd: 20}", "{type: feedforward}", "{type: pd, kp: 40, kd: 0.6}", "{type: pid, kp: 40, kd: 0.6, ki: 50}"}) {
    const Scenario s = scenario(std::string(R"(
model: five-bar
duration: 0.6
initial: {q: [0.1, -0.1]}
reference: {type: quintic, to: [0.4, 0.2], duration: 0.5}
integrator: {type: rk4, step: 0.0005}
law: )") + law + "\n");
    const Outcome outcome = simulate(s);
    ASSERT_EQ(outcome.ending, Ending::done) << law << ": " << outcome.message;
    const bool exact = std::string(law).find("p") == std::string::npos || std::string(law).find("computed") != std::string::npos;
    EXPECT_NEAR(at_end(outcome, s, "left_motor"), 0.4, exact ? 1e-6 : 1e-2) << law;
    EXPECT_NEAR(at_end(outcome, s, "right_motor"), 0.2, exact ? 1e-6 : 1e-2) << law;
  }
}

/// Two parallelograms carry the hand level.
TEST(SimulatedLoops, PalletizerKeepsItsHandLevel) {
  const ScenarioResult loaded = try_load_scenario("palletizer-lift");
  ASSERT_TRUE(loaded.scenario);
  const Outcome outcome = simulate(*loaded.scenario);
  ASSERT_EQ(outcome.ending, Ending::done) << outcome.message;
  const double level = at_end(outcome, *loaded.scenario, "shoulder") + at_end(outcome, *loaded.scenario, "elbow") + at_end(outcome, *loaded.scenario, "wrist");
  EXPECT_NEAR(level, 0, 1e-12);
}

/// Arms that are driven apart until the forearms are stretched: the motors do not determine the motion there.
TEST(SimulatedLoops, SingularAssembliesEndTheRun) {
  const Outcome outcome = simulate(scenario(R"(
model: five-bar
duration: 2
limits: ignore
law: {type: constant, tau: [3, -3]}
integrator: {type: rk4, step: 0.001}
)"));
  EXPECT_EQ(outcome.ending, Ending::diverged);
  EXPECT_NE(outcome.message.find("the run cannot go on after t = "), std::string::npos) << outcome.message;
}

// A crank that only just turns over: links in the ratio of Grashof's sum less 2 % of the crank. Its circuits come near each other twice a turn.
constexpr const char* kCrankRocker = R"(<robot name="crank-rocker"><link name="ground"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="lever"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<joint name="crank" type="continuous" independent="true"><parent link="ground"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="coupler" type="continuous"><origin xyz="0.4 0 0" rpy="0 -0.9 0"/><parent link="arm"/><child link="rod"/><axis xyz="0 1 0"/></joint>
<joint name="rocker" type="continuous"><origin xyz="1.492 0 0" rpy="0 -2 0"/><parent link="ground"/><child link="lever"/><axis xyz="0 1 0"/></joint>
<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="1 0 0"/></predecessor><successor link="lever"><origin xyz="0.9 0 0"/></successor>
<axis xyz="0 1 0"/></loop></robot>)";

/// Steps may be too long for a run. They do not lead it to the other circuit without a word.
TEST(SimulatedLoops, RunsStayOnTheirCircuitOrEnd) {
  const support::Folder folder;
  folder.write("c.urdf", kCrankRocker);
  int done = 0, ended = 0;
  for (const double step : {0.0005, 0.002, 0.01, 0.02, 0.03, 0.05}) {
    std::ostringstream text;
    text << "model: " << folder.at("c.urdf") << "\nduration: 3\ninitial: {q: [0.3], v: [9]}\nintegrator: {type: rk4, step: " << step << "}\n";
    const Scenario s = scenario(text.str());
    const Outcome outcome = simulate(s);
    (outcome.ending == Ending::done ? done : ended) += 1;
    const Mechanism robot = Mechanism::of(s.model);
    const std::size_t n = robot.nv();
    for (std::size_t row = 0; row < outcome.trajectory.rows(); ++row) {
      std::vector<double> q(&outcome.trajectory.q[row * n], &outcome.trajectory.q[row * n] + n), expected = q;
      const Closure closure = robot.assemble(expected);  // the closed form is its test (test/loop/circuit_test.cpp)
      ASSERT_TRUE(closure.closed && !closure.crossed);
      for (std::size_t k = 0; k < n; ++k) ASSERT_NEAR(std::remainder(q[k] - expected[k], 2 * std::acos(-1.0)), 0, 1e-6) << step << ", row " << row;
    }
    if (outcome.ending != Ending::done) {
      EXPECT_EQ(outcome.ending, Ending::diverged) << step;
      EXPECT_NE(outcome.message.find("make the step smaller"), std::string::npos) << outcome.message;
    } else if (step < 0.005) {
      EXPECT_GT(outcome.trajectory.q[(outcome.trajectory.rows() - 1) * n + robot.independent()[0]], 10) << "it was to turn over";
    }
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(ended, 0);
}

/// Mass centre of all links, from the poses of the tree, and their mass.
Vec3<double> centre_of_mass(const Model& robot, const double* q) {
  const Model tree = without_loops(robot);
  const Dynamics dynamics(tree, {.threads = 1, .most = InstructionSet::none});
  Vec3<double> sum{};
  for (std::size_t k = 0; k < tree.links().size(); ++k) {
    const Pose<double> X = dynamics.pose({q, tree.nq()}, k);
    sum = sum + tree.links()[k].mass * (X.p + X.R * tree.links()[k].com);
  }
  return (1 / tree.mass()) * sum;
}

/// Nothing acts on a robot that floats: its momenta and its energy stay, and its mass centre goes straight on. Under gravity the mass centre falls.
TEST(SimulatedLoops, AFreeBaseKeepsItsMomenta) {
  for (const char* gravity : {"[0, 0, 0]", "[0, 0, -9.81]"}) {
    const Scenario s = scenario(std::string(R"(
model: four-bar
base: free
gravity: )") + gravity + R"(
duration: 1.5
initial: {q: {crank: 0.5}, v: {crank: 7, base.wx: 0.4, base.wy: -0.3, base.wz: 0.8, base.vx: 0.2, base.vz: 0.1}}
integrator: {type: dormand-prince-5, tolerance: 1e-11}
)");
    ASSERT_EQ(s.model.nv(), 7u);
    ASSERT_EQ(s.model.nq(), 10u);
    const Outcome outcome = simulate(s);
    ASSERT_EQ(outcome.ending, Ending::done) << outcome.message;
    const Audit& audit = outcome.audit;
    EXPECT_TRUE(audit.conservative);
    EXPECT_TRUE(audit.closed);
    EXPECT_LT(audit.energy_drift, 1e-8 * audit.energy_scale);
    EXPECT_LT(audit.loop_residual, 1e-11);
    ASSERT_EQ(audit.world.size(), 2u);
    for (const WorldMomentum& momentum : audit.world) EXPECT_LT(momentum.drift, 1e-8 * momentum.scale) << momentum.kind;
    const Trajectory& r = outcome.trajectory;
    const Vec3<double> begin = centre_of_mass(s.model, r.q.data()), g = s.model.gravity();
    Vec3<double> speed = (1 / r.t[100]) * (centre_of_mass(s.model, &r.q[100 * r.positions]) - begin) - (r.t[100] / 2) * g;
    for (const std::size_t row : {std::size_t{30}, std::size_t{150}}) {
      const double t = r.t[row];
      const Vec3<double> off = centre_of_mass(s.model, &r.q[row * r.positions]) - begin - t * speed - (t * t / 2) * g;
      EXPECT_LT(std::sqrt(dot(off, off)), 1e-7) << t;
    }
    EXPECT_GT(std::abs(r.q[150 * r.positions + 3]) + std::abs(r.q[150 * r.positions + 4]), 0.05) << "it was to tumble";
  }
}

/// Whatever happens inside, momentum is what a body brings that is caught.
TEST(SimulatedLoops, AFreeBaseCatches) {
  const Scenario s = scenario(R"(
model: four-bar
base: free
gravity: [0, 0, 0]
duration: 0.4
initial: {q: {crank: 0.5}}
payloads:
  - {link: coupler, mass: 0.7, com: [0.2, 0, 0.1], from: 0.1, velocity: [1, 2, -3], angular_velocity: [0, 1, 0], inertia: [0.01, 0.01, 0.01]}
integrator: {type: dormand-prince-5, tolerance: 1e-11}
)");
  const Outcome outcome = simulate(s);
  ASSERT_EQ(outcome.ending, Ending::done) << outcome.message;
  ASSERT_GT(std::abs(outcome.v[6]), 1e-3) << "the loop was to move";
  const Model with = without_loops(with_payload(s.model, s.payloads.front()));
  const Momentum p = Dynamics(with, {.threads = 1, .most = InstructionSet::none}).momentum(outcome.q, outcome.joint_v);
  EXPECT_NEAR(p.linear.x, 0.7 * 1, 1e-9);
  EXPECT_NEAR(p.linear.y, 0.7 * 2, 1e-9);
  EXPECT_NEAR(p.linear.z, 0.7 * -3, 1e-9);
}

/// A brake at one of its motors makes a five-bar a four-bar: the robot with that joint locked.
TEST(SimulatedLoops, BrakesLockJoints) {
  const std::string run = R"(
model: five-bar
gravity: [0, -9.81, 0]
duration: 0.25
limits: ignore
law: {type: constant, tau: [0.02, 0.05]}
friction: no
integrator: {type: dormand-prince-5, tolerance: 1e-11}
)";
  const Scenario braked = scenario(run + "initial: {q: [0.1, -0.1], v: {right_motor: 2}}\nbrakes:\n  - {joints: left_motor}\n");
  Scenario locked = scenario(std::string("lock: {left_motor: 0.1}\n") + run.substr(0, run.find("law:")) + run.substr(run.find("friction:")) +
                             "initial: {q: {right_motor: -0.1}, v: [2]}\nlaw: {type: constant, tau: [0.05]}\n");
  ASSERT_EQ(locked.model.nv(), 1u);
  ASSERT_EQ(locked.model.velocity_names().front(), "right_motor");
  const Outcome one = simulate(braked), other = simulate(locked);
  ASSERT_EQ(one.ending, Ending::done) << one.message;
  ASSERT_EQ(other.ending, Ending::done) << other.message;
  for (const char* joint : {"right_motor", "left_elbow", "right_elbow"}) EXPECT_NEAR(at_end(one, braked, joint), at_end(other, locked, joint), 1e-8) << joint;
  EXPECT_NEAR(at_end(one, braked, "left_motor"), 0.1, 1e-13);
  EXPECT_GT(std::abs(at_end(one, braked, "right_motor") + 0.1), 0.2);
  // All motors: the robot stands, and the brakes hold its weight.
  const Scenario stands = scenario(run + "initial: {q: [0.1, -0.1], v: [1, 2]}\nbrakes:\n  - {joints: all, from: 0.1}\n");
  const Outcome stopped = simulate(stands);
  ASSERT_EQ(stopped.ending, Ending::done) << stopped.message;
  for (const double v : stopped.joint_v) EXPECT_EQ(v, 0);
  const std::vector<double> still(2, 0.0);
  const auto weight = ulna::internal::inverse_by_multipliers(Mechanism::of(stands.model), stopped.q.data(), still.data(), still.data(), {});
  const Trajectory& r = stopped.trajectory;
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(r.tau[(r.rows() - 1) * 2 + k], static_cast<double>(weight.tau[k]), 1e-11);
}

/// To one who stands on a base that accelerates upwards, gravity is larger.
TEST(SimulatedLoops, APrescribedBaseIsGravity) {
  const std::string run = "model: four-bar\nduration: 0.7\ninitial: {q: [0.5], v: [2]}\nintegrator: {type: dormand-prince-5, tolerance: 1e-11}\n";
  const Scenario moved = scenario(run + "gravity: [0, 0, -9.81]\nbase: {linear_acceleration: [1, 0, 3]}\n");
  const Scenario heavy = scenario(run + "gravity: [-1, 0, -12.81]\n");
  const Outcome one = simulate(moved), other = simulate(heavy);
  ASSERT_EQ(one.ending, Ending::done) << one.message;
  EXPECT_GT(std::abs(one.q[0] - 0.5), 0.5);
  for (std::size_t k = 0; k < one.q.size(); ++k) EXPECT_NEAR(one.q[k], other.q[k], 1e-8);
}

TEST(SimulatedLoops, BadScenariosSayWhatIsWrong) {
  const std::string head = "model: five-bar\nduration: 1\n";
  struct Case {
    std::string text, expected;
  };
  const Case cases[] = {
      {head + "initial: {q: [1, 2, 3]}\n",
       "s.yaml:3: error: initial q: it has 3 entries, but robot 'five-bar' has 2 independent joints; give one number for each of left_motor, right_motor"},
      {head + "initial: {q: [1.6, -1.6]}\n", "does not close in this state: residual"},
      {head + "initial: {v: {left_elbow: 1}}\n", "has no joint 'left_elbow' that is independent"},
      {head + "integrator: {type: implicit-midpoint, step: 0.001}\n", "implicit-midpoint does not keep closed: use rk4 or dormand-prince-5"},
      {head + "formulation: newton-euler\n", "the robot has loops, which 'newton-euler' does not simulate"},
      {head + "brakes:\n  - {joints: [left_elbow], from: 0.5}\n", "robot 'five-bar' has no independent joint 'left_elbow'"},
      {head + "law: {type: pd, kp: [1, 2, 3, 4], kd: 1}\nreference: {type: hold, to: 0}\n", "it has 4 entries, but robot 'five-bar' has 2 independent joints"},
      {head + "independent: [left_motor]\n", "five-bar"},
      {head + "loops: nowhere.yaml\n", "nowhere.yaml"},
  };
  for (const Case& one : cases) {
    const std::string told = problems(one.text);
    EXPECT_NE(told.find(one.expected), std::string::npos) << one.text << "\n" << told;
  }
}

TEST(SimulatedLoops, BatchesTakeThem) {
  const Scenario s = scenario("model: four-bar\nduration: 0.1\ninitial: {q: [0.5]}\nintegrator: {type: rk4, step: 0.001}\n");
  const std::vector<BatchRun> runs = simulate_batch(s, {{"q.crank", "gravity.z"}, {{0.5, -9.81}, {0.9, -1.62}}}, 1);
  ASSERT_EQ(runs.size(), 2u);
  for (const BatchRun& run : runs) {
    EXPECT_EQ(run.ending, Ending::done) << run.message;
    EXPECT_EQ(run.why_alone, "the number of closure steps differs between runs");
  }
  EXPECT_NE(runs[0].q, runs[1].q);
  EXPECT_EQ(runs[0].q, simulate(s).q);
}

}  // namespace
}  // namespace ulna::internal::sim
