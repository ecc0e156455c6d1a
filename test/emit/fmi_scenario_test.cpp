// Scenarios as units of FMI: at communication points they are where `ulna simulate` is, law by law and reference by reference.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "emit/unit.hpp"

namespace ulna::test {
namespace {

using support::Folder;

sim::Scenario scenario_of(const std::string& text) { return sim::try_parse_scenario(text, "s.yaml").scenario.value(); }

/// q, v, a and the torque of the law at every row of the run.
void expect_as_simulated(const std::string& text) {
  constexpr double allowed = 1e-12;
  SCOPED_TRACE(text);
  const sim::Scenario s = scenario_of(text);
  const Folder folder;
  const Unit unit(folder, s, {});
  ASSERT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  const sim::Outcome run = simulate(s);
  ASSERT_EQ(run.ending, sim::Ending::done);
  const sim::Trajectory& r = run.trajectory;
  const std::vector<std::string> q = s.model.position_names(), v = s.model.velocity_names(), tau = s.model.effort_names();
  double moved = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    if (row > 0) {
      ASSERT_EQ(unit.step(r.t[row - 1], r.t[row] - r.t[row - 1]), 0);
    }
    const auto expect = [&](const std::string& name, double expected, double scale) {
      EXPECT_NEAR(unit.get(name), expected, allowed * std::max(scale, std::abs(expected))) << name << " at " << r.t[row];
    };
    for (std::size_t i = 0; i < r.positions; ++i) expect("q." + q[i], r.q[row * r.positions + i], 1);
    for (std::size_t i = 0; i < r.size; ++i) {
      expect("v." + v[i], r.v[row * r.size + i], 1);
      moved = std::max(moved, std::abs(r.v[row * r.size + i]));
      if (row + 1 == r.rows()) continue;  // the end of a run may be a break, before which it is and behind which a unit is
      expect("a." + v[i], r.a[row * r.size + i], 1e3);
      expect("law." + tau[i], r.tau[row * r.size + i], 1e2);
    }
  }
  EXPECT_GT(moved, 0.05);
}

const char* const kSteps = "integrator: {type: rk4, step: 0.001}\nlimits: ignore\noutput: {step: 0.01}\n";

std::string scara(const std::string& law, const std::string& reference) {
  return cat(
      "model: scara\nduration: 0.4\ninitial: {q: 0.1, v: {elbow: 0.2}}\nfriction: {smooth: 0.05}\npayloads: [{link: flange, mass: 1, com: [0.05, 0, "
      "0]}]\nlaw: ",
      law, "\n", reference.empty() ? "" : cat("reference: ", reference, "\n"), kSteps);
}

TEST(FmiScenario, EveryLawAndReference) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const std::string to = "to: [0.5, -0.4, 0.05, 0.3]";
  expect_as_simulated(scara("{type: pid, kp: [400, 200, 4000, 2], kd: [40, 20, 200, 0.2], ki: [500, 500, 900, 1], saturate: yes}",
                            "{type: trapezoidal, " + to + ", start: 0.0453, duration: 0.3}"));
  expect_as_simulated(scara("{type: pd, kp: [400, 200, 4000, 2], kd: [40, 20, 200, 0.2], payload: {link: flange, mass: 0.5}}",
                            "{type: rest-to-rest, " + to + ", duration: 0.25}"));
  expect_as_simulated(scara("{type: pd, kp: [400, 200, 4000, 2], kd: [40, 20, 200, 0.2], gravity: no}", "{type: hold, " + to + "}"));
  expect_as_simulated(scara("{type: computed-torque, kp: 200, kd: 20, coriolis: 0.36, inertia: 0.5}", "{type: quintic, " + to + "}"));
  expect_as_simulated(scara("{type: computed-torque, kp: 200, kd: 20, saturate: yes, payload: {link: flange, mass: 2}}",
                            "{type: waypoints, points: [{t: 0.05, q: 0.1}, {t: 0.1553, q: [0.3, 0.2, 0.1, 0]}, {t: 0.35, q: 0}]}"));
  expect_as_simulated(scara("{type: feedforward, coriolis: no}", "{type: trapezoidal, " + to + ", duration: 0.3, blend: 0.4}"));
  expect_as_simulated(scara("{type: constant, tau: [1, -2, 10, 0.1], saturate: yes}", ""));
  expect_as_simulated(scara("{type: table, rows: [[0.05, 1, 2, 3, 0.1], [0.1234, -3, 0, 20, 0], [0.3, 5, 1, -9, 0.2]]}", ""));
  expect_as_simulated(scara("{type: table, interpolate: hold, rows: [[0, 1, 2, 3, 0.1], [0.1234, -3, 0, 20, 0]]}", ""));
  expect_as_simulated(scara("{type: none}", ""));
}

TEST(FmiScenario, BasesThatMoveAndTheRace) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  for (const auto& [base, spin] : {std::pair{"free", "base.wz"}, std::pair{"planar", "base.yaw"}})
    expect_as_simulated(cat("model: servicer\nbase: ", base, "\nduration: 0.5\ninitial: {v: {", spin, ": 0.1}}\nlaw: {type: pid, kp: 40, kd: 2, ki: 20}\n",
                            "reference: {type: quintic, to: {shoulder_yaw: 0.3}}\n", kSteps));
  std::string text;
  for (const sim::BuiltinScenario& own : sim::builtin_scenarios())
    if (own.id == "law-race") text = own.text;
  expect_as_simulated(text);
}

// Torques that a simulator adds, gains that it changes, states that it restores, and steps that it cuts.
TEST(FmiScenario, Inputs) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const std::string text = scara("{type: pid, kp: [400, 200, 4000, 2], kd: [40, 20, 200, 0.2], ki: [500, 500, 900, 1]}", "{type: hold, to: 0.2}");
  const Folder folder;
  const Unit unit(folder, scenario_of(text), {});
  EXPECT_EQ(unit.get("step"), 0.001);
  EXPECT_EQ(unit.get("kp.elbow"), 200);
  EXPECT_EQ(unit.get("friction.smooth"), 0.05);
  ASSERT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  const double a = unit.get("a.lift"), law = unit.get("law.lift");
  EXPECT_EQ(unit.set("tau.lift", 5), 0);
  EXPECT_GT(unit.get("a.lift"), a);
  EXPECT_EQ(unit.get("law.lift"), law);
  EXPECT_EQ(unit.set("tau.lift", 0), 0);
  EXPECT_EQ(unit.set("kp.lift", 4400), 0);
  EXPECT_NEAR(unit.get("law.lift") - law, 400 * 0.1, 1e-9);
  EXPECT_EQ(unit.set("kp.lift", 4000), 0);
  EXPECT_NE(unit.set("step", 0.01), 0);
  // The memory of the law is a part of the state.
  void* kept = nullptr;
  ASSERT_EQ(unit.step(0, 0.1), 0);
  ASSERT_EQ(unit.function<int(void*, void**)>("fmi2GetFMUstate")(unit.handle(), &kept), 0);
  ASSERT_EQ(unit.step(0.1, 0.1), 0);
  const double once = unit.get("q.elbow");
  ASSERT_EQ(unit.function<int(void*, void*)>("fmi2SetFMUstate")(unit.handle(), kept), 0);
  ASSERT_EQ(unit.step(0.1, 0.0337), 0);  // a step is cut here
  ASSERT_EQ(unit.step(0.1337, 0.2 - 0.1337), 0);
  EXPECT_NEAR(unit.get("q.elbow"), once, 1e-9);
  EXPECT_NE(unit.get("q.elbow"), 0.1);
  EXPECT_EQ(unit.function<int(void*, void**)>("fmi2FreeFMUstate")(unit.handle(), &kept), 0);
  ASSERT_EQ(unit.set("tau.lift", std::nan("")), 0);
  EXPECT_NE(unit.step(0.2, 0.1), 0);
}

TEST(FmiScenario, WhatAUnitDoesNotHaveIsRefused) {
  const std::string head = "model: planar-2r\nduration: 1\n", rk4 = "integrator: {type: rk4}\n";
  const auto why = [](const std::string& text) {
    GenerateOptions options;
    options.target = "fmi";
    try {
      generate(scenario_of(text), options);
    } catch (const std::invalid_argument& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(why(head).find("write 'integrator: {type: rk4, step: ...}'"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "formulation: newton-euler\n").find("not by the formulation newton-euler"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "rotor: no\n").find("rotor: yes"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "base: {angular_velocity: [0, 0, 1]}\n").find("its base is prescribed"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "disturbances: [{link: forearm, force: [1, 0, 0]}]\n").find("--wrench-at"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "friction: yes\n").find("friction is dry"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "control: {rate: 1000}\n").find("its law is sampled"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "brakes: [{joints: all, from: 0.5}]\n").find("brakes act"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "payloads: [{link: forearm, mass: 1, from: 0.5}]\n").find("from the beginning to the end"), std::string::npos);
  EXPECT_NE(why(head + rk4 + "law: {type: prescribed}\nreference: {type: hold, to: 0}\n").find("the law prescribed is not written in C"), std::string::npos);
  EXPECT_NE(why("model: servicer\nbase: free\nduration: 1\nlaw: {type: feedforward}\nreference: {type: hold, to: 0}\n" + rk4).find("use pd or pid"),
            std::string::npos);
  EXPECT_NE(why("model: four-bar\nduration: 1\n" + rk4).find("has loops"), std::string::npos);
  EXPECT_THROW(generate(scenario_of(head + rk4), {}), std::invalid_argument);  // no target
}

// Version 3 of the standard calls the same unit by other names.
TEST(FmiScenario, VersionThreeGivesTheSameBits) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const sim::Scenario s = scenario_of(scara("{type: pid, kp: [400, 200, 4000, 2], kd: [40, 20, 200, 0.2], ki: 50}", "{type: quintic, to: 0.2, duration: 0.2}"));
  const Folder folder, other;
  const Unit unit(folder, s, {});
  ASSERT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  GenerateOptions options;
  options.target = "fmi3";
  options.name = "robot";
  const auto files = unzipped(generate(s, options)[0].text);
  const std::string description = files.at("modelDescription.xml");
  EXPECT_NE(files.at("sources/buildDescription.xml").find("robot_law.c"), std::string::npos);
  other.write("robot.so", files.at("binaries/x86_64-linux/robot.so"));
  void* const library = dlopen(other.at("robot.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto call = [&]<class F>(const char* name, F*) { return reinterpret_cast<F*>(dlsym(library, name)); };
  auto* begin =
      call("fmi3InstantiateCoSimulation",
           static_cast<void* (*)(const char*, const char*, const char*, bool, bool, bool, bool, const unsigned*, std::size_t, void*, void*, void*)>(nullptr));
  auto* enter = call("fmi3EnterInitializationMode", static_cast<int (*)(void*, bool, double, double, bool, double)>(nullptr));
  auto* leave = call("fmi3ExitInitializationMode", static_cast<int (*)(void*)>(nullptr));
  auto* step = call("fmi3DoStep", static_cast<int (*)(void*, double, double, bool, bool*, bool*, bool*, double*)>(nullptr));
  auto* get = call("fmi3GetFloat64", static_cast<int (*)(void*, const unsigned*, std::size_t, double*, std::size_t)>(nullptr));
  auto* end = call("fmi3FreeInstance", static_cast<void (*)(void*)>(nullptr));
  auto* events = call("fmi3EnterEventMode", static_cast<int (*)(void*)>(nullptr));
  const std::size_t at = description.find("instantiationToken=\"") + 20;
  const std::string token = description.substr(at, description.find('"', at) - at);
  EXPECT_EQ(begin("x", "another", "", false, false, false, false, nullptr, 0, nullptr, nullptr, nullptr), nullptr);
  void* const three = begin("x", token.c_str(), "", false, false, false, false, nullptr, 0, nullptr, nullptr, nullptr);
  ASSERT_NE(three, nullptr);
  ASSERT_EQ(enter(three, false, 0, 0, false, 0), 0);
  ASSERT_EQ(leave(three), 0);
  EXPECT_NE(events(three), 0);
  const auto value = [&](const std::string& name) {
    const unsigned r = reference(description, name);
    double x = 0;
    EXPECT_EQ(get(three, &r, 1, &x, 1), 0);
    return x;
  };
  for (int k = 0; k < 20; ++k) {
    bool event = true, ends = true, early = true;
    double last = 0;
    ASSERT_EQ(unit.step(0.01 * k, 0.01), 0);
    ASSERT_EQ(step(three, 0.01 * k, 0.01, true, &event, &ends, &early, &last), 0);
    EXPECT_FALSE(event || ends || early);
    EXPECT_EQ(last, value("time"));
    for (const std::string& joint : s.model.velocity_names())
      for (const char* const kind : {"q.", "v.", "a.", "law."}) EXPECT_EQ(value(kind + joint), unit.get(kind + joint));
  }
  end(three);
  dlclose(library);
}

// Both sources compile without a warning, and test themselves.
TEST(FmiScenario, SourcesCompileWithoutAWarning) {
  if (!support::installed("gcc")) GTEST_SKIP() << "no gcc";
  GenerateOptions options;
  options.name = "robot";
  std::string output;
  for (const auto& [law, reference] :
       {std::pair{"{type: pid, kp: 1, kd: 1, ki: 1, saturate: yes}", "{type: trapezoidal, to: 0.1}"},
        std::pair{"{type: computed-torque, kp: 1, kd: 1, coriolis: no}", "{type: waypoints, points: [{t: 0, q: 0}, {t: 1, q: 0.1}]}"},
        std::pair{"{type: none}", "{type: hold, to: 0}"}}) {
    const Folder folder;
    options.target = options.target == "fmi" ? "fmi3" : "fmi";
    const auto files = unzipped(generate(scenario_of(scara(law, reference)), options)[0].text);
    std::string names;
    for (const char* const name : {"robot.c", "robot_law.c"})
      if (const auto found = files.find(cat("sources/", name)); found != files.end()) folder.write(name, found->second), names += cat(" ", name);
    EXPECT_EQ(folder.run("gcc -std=c99 -O1 -Wall -Wextra -pedantic -Werror -Wshadow -DROBOT_SELFTEST_MAIN" + names + " -lm -o t && ./t", &output), 0) << output;
  }
}

}  // namespace
}  // namespace ulna::test
