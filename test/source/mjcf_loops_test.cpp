// connect and weld of MJCF as loops: against MuJoCo (mjcf/loops.py), written and read again as URDF and MJCF, and what is wrong with them.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

#include "support/cases.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using nlohmann::json;
using Numbers = std::vector<double>;

/// M and torques of a closed state. Positions by the names of the joints.
struct ClosedState {
  std::map<std::string, double> q;
  Numbers base, v, a;
};

Numbers positions_of(const Model& model, const ClosedState& state) {
  Numbers q = state.base;
  for (const std::string& name : model.coordinate_names()) q.push_back(state.q.at(name));
  return q;
}

Numbers computed(const Model& model, Quantity quantity, const ClosedState& state) {
  return test::numbers_of(quantity, make_plan(model), {positions_of(model, state), state.v, state.a});
}

void expect_same_numbers(const Numbers& got, const Numbers& wanted, double part, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  double most = 0;
  for (const double x : wanted) most = std::fmax(most, std::fabs(x));
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], part * most) << what << " " << k;
}

std::vector<std::string> driven_names(const Model& model) {
  std::vector<std::string> names;
  for (const std::size_t j : model.driven()) names.push_back(model.joints()[j].name);
  return names;
}

json files() {
  std::ifstream in(std::string(ULNA_MJCF_DIR) + "/loops.json");
  return json::parse(in);
}

std::vector<ClosedState> states_of(const json& file) {
  std::vector<ClosedState> states;
  for (const json& s : file["states"]) states.push_back({s["q"], s["base"], s["v"], s["a"]});
  return states;
}

TEST(MjcfLoops, AreMujocos) {
  for (const json& file : files()) {
    const LoadResult result = try_parse(file["xml"].get<std::string>(), "robot.xml");
    test::expect_well_formed(result.diagnostics);
    ASSERT_TRUE(result.model) << test::listing(result.diagnostics);
    const Model& model = *result.model;
    EXPECT_EQ(driven_names(model), file["independent"].get<std::vector<std::string>>()) << model.name();  // those with actuators
    const Mechanism loops = Mechanism::of(model);
    const std::vector<ClosedState> states = states_of(file);
    for (std::size_t k = 0; k < states.size(); ++k) {
      EXPECT_LT(loops.residual(positions_of(model, states[k])).residual, 1e-13) << model.name();
      expect_same_numbers(computed(model, Quantity::mass, states[k]), file["states"][k]["M"], 1e-12, cat(model.name(), " mass"));
      // dJ/dt by differences leaves MuJoCo's torques ten digits.
      expect_same_numbers(computed(model, Quantity::inverse, states[k]), file["states"][k]["tau"], 1e-10, cat(model.name(), " torques"));
    }
  }
}

TEST(MjcfLoops, AreWrittenAndReadAgain) {
  for (const json& file : files()) {
    const Model model = parse(file["xml"].get<std::string>(), "robot.xml");
    for (const bool urdf : {true, false}) {
      Diagnostics told;
      const std::optional<std::string> text = urdf ? write_urdf(model, told) : write_mjcf(model, told);
      ASSERT_TRUE(text) << test::listing(told.all());
      const LoadResult again = try_parse(*text, urdf ? "again.urdf" : "again.xml", {.gravity = model.gravity()});
      ASSERT_TRUE(again.model) << test::listing(again.diagnostics) << *text;
      EXPECT_EQ(driven_names(*again.model), driven_names(model));
      for (const ClosedState& state : states_of(file))
        for (const Quantity quantity : {Quantity::mass, Quantity::inverse})
          expect_same_numbers(computed(*again.model, quantity, state), computed(model, quantity, state), 1e-10, cat(model.name(), " ", *text));
    }
  }
}

/// Robots with hinges that close loops: two points on the axis in MJCF.
TEST(MjcfLoops, BuiltInRobotsAreWrittenAndReadAgain) {
  for (const char* name : {"four-bar", "five-bar", "palletizer"}) {
    const Model model = load(name);
    ClosedState state{{}, {}, Numbers(model.nv(), 0.7), Numbers(model.nv(), -0.4)};
    const Numbers reference = model.reference();
    const std::vector<std::string> names = model.coordinate_names();
    for (std::size_t k = 0; k < names.size(); ++k) state.q[names[k]] = reference[k];
    for (const bool urdf : {true, false}) {
      Diagnostics told;
      const std::optional<std::string> text = urdf ? write_urdf(model, told) : write_mjcf(model, told);
      ASSERT_TRUE(text) << test::listing(told.all());
      const LoadResult again = try_parse(*text, urdf ? "again.urdf" : "again.xml", {.gravity = model.gravity()});
      ASSERT_TRUE(again.model) << test::listing(again.diagnostics) << *text;
      EXPECT_EQ(driven_names(*again.model), driven_names(model)) << name;
      EXPECT_LT(Mechanism::of(*again.model).residual(positions_of(*again.model, state)).residual, 1e-12) << name;
      for (const Quantity quantity : {Quantity::mass, Quantity::inverse})
        expect_same_numbers(computed(*again.model, quantity, state), computed(model, quantity, state), 1e-10, name);
    }
  }
}

TEST(MjcfLoops, WhatMjcfCannotHoldIsNotWritten) {
  const Model tree = load("four-bar", {.loops = LoopPolicy::ignore});
  LoopDescription::Entry entry;
  entry.loop.name = "slot";
  entry.loop.type = LoopType::planar;
  entry.predecessor = tree.links().front().name;
  entry.successor = tree.links().back().name;
  const Model slotted = with_loops(tree, {{entry}});
  Diagnostics told, none;
  EXPECT_FALSE(write_mjcf(slotted, told));
  EXPECT_TRUE(test::has_problem(told.all(), Severity::error, 0, "loop 'slot': it is planar, and equalities of MJCF hold points or frames together"))
      << test::listing(told.all());
  EXPECT_TRUE(write_urdf(slotted, none)) << test::listing(none.all());
}

constexpr std::string_view kParallelogram = R"(<mujoco model="p"><compiler angle="radian"/><worldbody>
<body name="left"><joint name="a" axis="0 1 0"/><inertial pos="0 0 0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
<body name="rod" pos="0 0 0.5"><joint name="b" axis="0 1 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/><site name="end" pos="1 0 0"/></body></body>
<body name="right" pos="1 0 0"><joint name="c" axis="0 1 0"/><inertial pos="0 0 0.2" mass="1" diaginertia="0.1 0.1 0.1"/><site name="top" pos="0 0 0.5"/></body>
</worldbody><equality>
<connect name="pin" body1="rod" body2="right" anchor="1 0 0"/>
</equality></mujoco>)";

LoadResult with(std::string_view from, std::string_view to, const LoadOptions& options = {}) {
  const LoadResult result = try_parse(test::replaced(std::string(kParallelogram), from, to), "p.xml", options);
  test::expect_well_formed(result.diagnostics);
  return result;
}

TEST(MjcfLoops, Messages) {
  const test::BadInput cases[] = {
      {"nothing named", "<connect anchor=\"0 0 0\"/>", 6, "<connect>: it names neither bodies nor sites"},
      {"both named", "<connect body1=\"rod\" anchor=\"0 0 0\" site1=\"end\"/>", 6, "<connect>: it names sites and bodies"},
      {"one site", "<connect site1=\"end\"/>", 6, "<connect>: site2 is missing"},
      {"no first body", "<weld body2=\"rod\"/>", 6, "<weld>: body1 is missing"},
      {"no anchor", "<connect name=\"x\" body1=\"rod\" body2=\"right\"/>", 6, "<connect> 'x': anchor is missing"},
      {"body", "<connect body1=\"rid\" anchor=\"1 0 0\"/>", 6, "there is no body 'rid'; correct the name; did you mean 'rod'?"},
      {"site", "<connect site1=\"end\" site2=\"tip\"/>", 6, "there is no site 'tip'"},
      {"numbers", "<weld body1=\"rod\" relpose=\"0 0 0 1\"/>", 6, "relpose", Severity::error, false},
      {"one body", "<connect name=\"x\" body1=\"rod\" body2=\"rod\" anchor=\"1 0 0\"/>", 6, "loop 'x': both of its ends are on one link"},
      {"no motion", "<weld name=\"x\" body1=\"rod\" body2=\"right\"/><weld body1=\"rod\"/>", 6, "the loops leave the robot no motion"},
      {"curved", "<joint joint1=\"b\" joint2=\"a\" polycoef=\"0 1 0.1 0 0\"/>", 6,
       "it binds joint 'b' to joint 'a' by a polynomial that is not linear, and Ulna couples joints by straight lines alone; write the line"},
  };
  const std::string pin = "<connect name=\"pin\" body1=\"rod\" body2=\"right\" anchor=\"1 0 0\"/>";
  for (const test::BadInput& bad : cases) {
    const LoadResult result = with(pin, bad.text);
    EXPECT_FALSE(result.model) << bad.name;
    test::expect_problem(bad, result.diagnostics);
  }
  const LoadResult open = with(pin, pin + "<joint joint1=\"b\" joint2=\"a\" polycoef=\"0 1 0.1 0 0\"/>", {.loops = LoopPolicy::ignore});
  ASSERT_TRUE(open.model);
  EXPECT_EQ(open.model->nv(), 3u);
  EXPECT_TRUE(test::has_problem(open.diagnostics, Severity::warning, 6, "the tree is open here")) << test::listing(open.diagnostics);
  EXPECT_TRUE(test::has_problem(open.diagnostics, Severity::warning, 6, "both joints are free here")) << test::listing(open.diagnostics);
}

TEST(MjcfLoops, AreExactAndSaySo) {
  const LoadResult result = with("anchor=\"1 0 0\"/>", "anchor=\"1 0 0\" solref=\"0.1 1\"/><connect site1=\"end\" site2=\"top\"/>");
  ASSERT_TRUE(result.model) << test::listing(result.diagnostics);
  EXPECT_EQ(result.model->nv(), 1u);  // the second says what the first does
  EXPECT_EQ(test::count(result.diagnostics, Severity::note), 1) << test::listing(result.diagnostics);
  EXPECT_TRUE(test::has_problem(result.diagnostics, Severity::note, 6, "here they are closed exactly"));
}

/// Joints with actuators are the independent ones, also where they stand far from the base; where loops tie them together, one is left.
TEST(MjcfLoops, ActuatorsAreMotors) {
  const auto driven = [](std::string_view actuators) {
    const LoadResult result = with("</equality>", cat("</equality><actuator>", actuators, "</actuator>"));
    EXPECT_TRUE(result.model) << test::listing(result.diagnostics);
    const bool told = test::has_problem(result.diagnostics, Severity::note, 0, "its loops tie joints together that have actuators each");
    return std::pair(result.model ? driven_names(*result.model) : std::vector<std::string>{}, told);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(driven("<motor joint=\"c\"/>"), std::pair(Names{"c"}, false));
  EXPECT_EQ(driven("<position joint=\"b\"/>"), std::pair(Names{"b"}, false));
  const auto [names, told] = driven("<motor joint=\"a\"/><motor joint=\"c\"/>");
  EXPECT_EQ(names.size(), 1u);
  EXPECT_TRUE(told);
  const LoadResult named = with("</equality>", "</equality><actuator><motor joint=\"c\"/></actuator>", {.independent = {"a"}});
  ASSERT_TRUE(named.model);
  EXPECT_EQ(driven_names(*named.model), Names{"a"});
}

TEST(MjcfLoops, ToTheWorldOfAFreeBaseAreRefusedWithTheReason) {
  const std::string_view text = R"(<mujoco><worldbody><body name="post" pos="0 0 1"/>
<body name="trunk" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="leg"><joint name="hip" axis="0 1 0"/><inertial pos="0 0 -0.1" mass="1" diaginertia="1 1 1"/></body></body></worldbody>
<equality><connect name="held" body1="leg" body2="post" anchor="0 0 0"/></equality></mujoco>)";
  const LoadResult result = try_parse(text, "p.xml");
  EXPECT_FALSE(result.model);
  EXPECT_TRUE(test::has_problem(result.diagnostics, Severity::error, 4, "loop 'held': its successor is the world, which robot"))
      << test::listing(result.diagnostics);
}

// A rod on a ball joint pushes a slider: three hinges stand in for the ball, as if the file had them, and a warning says so.
TEST(MjcfLoops, HingesStandInForBallJoints) {
  const auto rod_on = [](std::string_view joints) {
    return cat(R"(<mujoco><compiler angle="radian"/><worldbody><body><joint name="a" axis="0 0 1"/><inertial pos="0.1 0 0" mass="1" diaginertia=".01 .02 .02"/>
<body name="rod" pos="0.2 0 0" euler="0 0 1">)",
               joints, R"(<inertial pos="0.3 0 0" mass="0.5" diaginertia=".002 .02 .02"/></body></body><body name="slider" pos="0.7 0.4 0.1">
<joint name="s" type="slide" axis="1 0 0.2"/><inertial pos="0 0 0" mass="2" diaginertia=".01 .01 .01"/></body></worldbody>
<equality><connect body1="rod" body2="slider" anchor="0.5 0 0"/></equality></mujoco>)");
  };
  const std::string ball = rod_on(R"(<joint name="c" type="ball"/>)");
  const LoadResult result = try_parse(ball, "rod.xml");
  ASSERT_TRUE(result.model) << test::listing(result.diagnostics);
  EXPECT_NE(test::listing(result.diagnostics).find("c_x, c_y and c_z stand in its place"), std::string::npos);
  const Model hinges = parse(rod_on(R"(<joint name="c_x" axis="1 0 0"/><joint name="c_y" axis="0 1 0"/><joint name="c_z" axis="0 0 1"/>)"), "rod.xml");
  ASSERT_EQ(result.model->nv(), 2u);
  EXPECT_EQ(driven_names(*result.model), driven_names(hinges));
  const Numbers q = hinges.reference();
  EXPECT_EQ(result.model->reference(), q);
  const State state{q, {0.7, -0.4}, {1.1, 0.3}};
  expect_same_numbers(numbers_of(Quantity::inverse, make_plan(*result.model), state), numbers_of(Quantity::inverse, make_plan(hinges), state), 1e-13,
                      "torques");
  EXPECT_EQ(parse(ball, "rod.xml", {.loops = LoopPolicy::ignore}).nv(), 5u);  // the ball stays
}

}  // namespace
}  // namespace ulna::test
