// A number that an override replaces means what it means in the file: whatever follows from it follows from the new one.
#include <gtest/gtest.h>

#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "text/message.hpp"

namespace ulna::internal::sim {
namespace {

/// Everything that a scenario may leave open is left open here.
struct Numbers {
  double duration = 0.1, q1 = 0, v2 = 0, step = 0.001, kp = 100, kd = 20, mass = 2, g = -9.81;
};

std::string text_of(const Numbers& x, const std::string& reference, const std::string& law) {
  return cat("model: panda\ngravity: [0, 0, ", x.g, "]\nduration: ", x.duration, "\ninitial: {q: [", x.q1, ", -0.4, 0, -2.0, 0, 1.6, 0.8], v: {joint2: ", x.v2,
             "}}\nreference: {", reference, "}\nlaw: {type: ", law, law == "feedforward" || law == "prescribed" ? "" : cat(", kp: ", x.kp, ", kd: ", x.kd),
             "}\ndisturbances:\n  - {link: hand, from: 0.05, force: [10, 0, 0]}\npayloads:\n  - {link: hand, mass: ", x.mass,
             ", from: 0.02}\nlimits: ignore\nintegrator: {type: rk4, step: ", x.step, "}\noutput: {step: 0.01}\n");
}

Scenario scenario_of(const std::string& text) {
  const ScenarioResult read = try_parse_scenario(text, "s.yaml");
  std::string problems;
  for (const Diagnostic& d : read.diagnostics) problems += to_string(d) + "\n";
  if (!read.scenario) throw std::runtime_error(problems + text);
  return *read.scenario;
}

struct Change {
  const char* name;
  double Numbers::*number;
  double value;
};
const std::vector<Change> kChanges{{"duration", &Numbers::duration, 0.2},
                                   {"duration", &Numbers::duration, 0.06},
                                   {"q.joint1", &Numbers::q1, 0.5},
                                   {"v.joint2", &Numbers::v2, 0.3},
                                   {"step", &Numbers::step, 0.0017},
                                   {"kp", &Numbers::kp, 50},
                                   {"kd", &Numbers::kd, 10},
                                   {"payload.mass", &Numbers::mass, 3.5},
                                   {"gravity.z", &Numbers::g, -1.62}};

void expect_same(const Outcome& one, const Outcome& two) {
  EXPECT_EQ(one.ending, two.ending);
  EXPECT_EQ(one.end, two.end);
  EXPECT_EQ(one.trajectory.t, two.trajectory.t);
  EXPECT_EQ(one.trajectory.q, two.trajectory.q);
  EXPECT_EQ(one.trajectory.v, two.trajectory.v);
  EXPECT_EQ(one.trajectory.tau, two.trajectory.tau);
  EXPECT_EQ(one.audit.external, two.audit.external);
}

void expect_as_written(const std::string& reference, const std::string& law, const Change& change) {
  SCOPED_TRACE(cat(reference, " ", law, " ", change.name));
  Numbers changed;
  changed.*change.number = change.value;
  expect_same(simulate(scenario_of(text_of(changed, reference, law))),
              simulate(with_overrides(scenario_of(text_of({}, reference, law)), {change.name}, {change.value})));
}

TEST(Overrides, AreWhatTheFileWouldSay) {
  const std::string quintic = "type: quintic, to: {joint1: 0.6, joint4: -1.6}";
  for (const Change& change : kChanges) {
    expect_as_written(quintic, "computed-torque", change);
    if (change.name[0] == 'k') continue;
    for (const std::string law : {"feedforward", "prescribed"}) expect_as_written(quintic, law, change);
  }
  for (const std::string reference :
       {"type: trapezoidal, to: 0.3, start: 0.01", "type: hold, to: 0.3", "type: rest-to-rest, from: 0.1, to: 0.2, duration: 0.04"})
    for (const std::size_t k : {0u, 1u, 2u}) expect_as_written(reference, "computed-torque", kChanges[k]);
}

// A push without an end acts to the end of the run, whatever that is: a mass of 2 kg on a rail, pushed by 6 N from 0.5 s on, has v = 3 (t - 0.5).
TEST(Overrides, ADisturbanceWithoutAnEndGoesOn) {
  const std::string robot =
      "<robot name=\"r\"><link name=\"b\"/><link name=\"l\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial></link><joint name=\"x\" type=\"prismatic\"><parent link=\"b\"/><child link=\"l\"/><axis xyz=\"1 0 0\"/>"
      "<limit lower=\"-9\" upper=\"9\" effort=\"9\" velocity=\"9\"/></joint></robot>";
  Scenario s(parse(robot, "r.urdf"));
  s.duration = 1;
  s.disturbances = {{{.link = 1, .force = {6, 0, 0}}, 0.5}};
  EXPECT_NEAR(simulate(s).v[0], 1.5, 1e-12);
  EXPECT_NEAR(simulate(with_overrides(s, {"duration"}, {2})).v[0], 4.5, 1e-12);
  EXPECT_NEAR(simulate_batch(s, {{"duration"}, {{2}, {3}}})[1].v[0], 7.5, 1e-12);
}

// What the run leaves no room for is refused, as the file would be.
TEST(Overrides, AReferenceThatBeginsAfterTheEndIsRefused) {
  const Scenario s = scenario_of(text_of({}, "type: quintic, to: 0.3, start: 0.05", "computed-torque"));
  EXPECT_NO_THROW(simulate(with_overrides(s, {"duration"}, {0.07})));
  EXPECT_THROW(simulate(with_overrides(s, {"duration"}, {0.04})), std::invalid_argument);
  EXPECT_EQ(simulate_batch(s, {{"duration"}, {{0.04}}}).front().ending, Ending::diverged);
}

}  // namespace
}  // namespace ulna::internal::sim
