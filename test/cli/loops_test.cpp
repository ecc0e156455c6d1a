// Robots with loops through the program: the keys of its JSON, and a message for every way a loop can be wrong.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

// A parallelogram of cranks of half a metre, laid flat at q = 0, where it is singular; LOOP in line 9.
constexpr const char* kParallelogram = R"(<robot name="p">
<link name="base"/>
<link name="left"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.03"/></inertial></link>
<link name="rod"><inertial><mass value="3.3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial></link>
<link name="right"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.04"/></inertial></link>
<joint name="a" type="continuous" MARK><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="left"/><child link="rod"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="base"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
LOOP
</robot>)";
constexpr const char* kPin =
    R"(<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="1 0 0"/></predecessor><successor link="right"><origin xyz="0.5 0 0"/></successor><axis xyz="0 0 1"/></loop>)";

std::string parallelogram(const std::string& loop = kPin, const std::string& mark = "independent=\"true\"") {
  return replaced(replaced(kParallelogram, "LOOP", loop), "MARK", mark);
}

TEST(Loops, JsonOfTheParallelogram) {
  const TemporaryFile file("p.urdf", parallelogram());
  const nlohmann::json info = ulna_json("info " + file.path());
  EXPECT_EQ(info["mobility"], 1);
  EXPECT_EQ(info["redundant"], 3);
  EXPECT_EQ(info["independent"], nlohmann::json({"a"}));
  EXPECT_EQ(info["dependent"], nlohmann::json({"b", "c"}));
  EXPECT_EQ(info["closure"], "closed form");
  const TemporaryFile states("s.csv", "q.a,q.b,q.c,v.a,a.a\n0.8,-0.79,0.81,1.5,-0.4\n0.3,-0.3,0.3,0,1\n");
  const nlohmann::json done = ulna_json("inverse " + file.path() + " --gravity 0,-9.81,0 --states " + states.path());
  EXPECT_EQ(done["joints"], nlohmann::json({"a"}));
  EXPECT_EQ(done["passive"]["joints"], nlohmann::json({"b", "c"}));
  const double M = 0.03 + 0.04 + 3.3 * 0.25;
  const double q[] = {0.8, 0.3}, v[] = {1.5, 0}, a[] = {-0.4, 1};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(done["tau"][k][0].get<double>(), M * a[k] + 3.3 * 9.81 * 0.5 * std::cos(q[k]), 1e-11);
    EXPECT_NEAR(done["passive"]["q"][k][0].get<double>(), -q[k], 1e-12);
    EXPECT_NEAR(done["passive"]["v"][k][1].get<double>(), v[k], 1e-12);
    EXPECT_NEAR(done["passive"]["a"][k][0].get<double>(), -a[k], 1e-11);
    EXPECT_LT(done["residual"][k].get<double>(), 1e-12);
  }
  EXPECT_NEAR(ulna_json("mass " + file.path() + " --q 1.1")["M"][0][0][0].get<double>(), M, 1e-12);
  EXPECT_NEAR(ulna_json("forward " + file.path() + " --q 1.1 --tau 2")["a"][0][0].get<double>(), 2 / M, 1e-11);
  EXPECT_NEAR(ulna_json("energy " + file.path() + " --q 1.1 --v 2")["kinetic"][0].get<double>(), 2 * M, 1e-11);
  const nlohmann::json tree = ulna_json("info planar-2r");
  EXPECT_EQ(tree["mobility"], 2);
  EXPECT_EQ(tree["redundant"], 0);
  EXPECT_TRUE(tree["dependent"].empty());
}

TEST(Loops, AFileBesideARobot) {
  const TemporaryFile file("p.urdf", parallelogram("", ""));
  const TemporaryFile pairs("l.yaml", "closed_loop: [['rod', 'right']]\ntype: ['6d']\n");
  const TemporaryFile loops("m.yaml",
                            "loops:\n  - {name: pin, type: spherical, predecessor: {link: rod, xyz: [1, 0, 0]}, successor: {link: right, xyz: [0.5, 0, 0]}}\n");
  const nlohmann::json info = ulna_json("info " + file.path() + " --loops " + loops.path() + " --independent c");
  EXPECT_EQ(info["independent"], nlohmann::json({"c"}));
  EXPECT_EQ(info["redundant"], 1);
  EXPECT_NE(ulna("info " + file.path() + " --loops " + pairs.path()).err.find("l.yaml:1: error: loop 'loop1': it cannot be closed: residual"),
            std::string::npos);
  expect_refused("info " + file.path() + " --loops nothing.yaml", "nothing.yaml");
  const TemporaryFile wrong("w.yaml", "closed_loop: [['rod', 'wright']]\ntype: ['3d']\nname_mot: ['z']\n");
  expect_refused("info " + file.path() + " --loops " + wrong.path(), "w.yaml:1: error: loop 'loop1': its successor 'wright' does not exist");
  const TemporaryFile types("t.yaml", "closed_loop: [['rod', 'right']]\ntype: ['4d']\n");
  expect_refused("info " + file.path() + " --loops " + types.path(), "t.yaml:2: error: loop 'loop1': unknown type '4d'");
}

TEST(Loops, WhatIsWrongIsToldWithItsLine) {
  const auto refused = [](const std::string& text, const std::string& arguments, const std::string& piece) {
    const TemporaryFile file("p.urdf", text);
    expect_refused("inverse " + file.path() + " --q 0.8 " + arguments, piece);
  };
  refused(parallelogram(replaced(kPin, "link=\"right\"", "link=\"wright\"")), "", "p.urdf:9: error: loop 'pin': its successor 'wright' does not exist");
  refused(parallelogram(replaced(kPin, "revolute", "hinge")), "", "p.urdf:9: error: loop 'pin': unknown loop type 'hinge'");
  refused(parallelogram(replaced(kPin, "xyz=\"0.5 0 0\"", "xyz=\"5 0 0\"")), "", "p.urdf:9: error: loop 'pin': it cannot be closed: residual");
  refused(parallelogram(replaced(replaced(kPin, "revolute", "fixed"), "\"0.5 0 0\"", "\"0.5 0 0\" rpy=\"0 0 -0.8\""), ""), "",
          "p.urdf:9: error: loop 'pin': the loops leave the robot no motion: its mobility is 0");
  refused(parallelogram(), "--independent a,c", "joint 'a': it is taken as independent, but the loops determine it");
  refused(parallelogram(), "--independent d", "joint 'd': it is named as independent, but there is no such joint");
  refused(parallelogram(kPin, "independent=\"maybe\""), "", "p.urdf:6: error: joint 'a': independent is 'maybe'");
  const TemporaryFile five("five.urdf", ulna("models five-bar").out);
  expect_refused("info " + five.path() + " --independent left_motor", "the independent joints do not determine it");
  // States: out of reach, singular, another branch.
  const TemporaryFile file("p.urdf", parallelogram());
  expect_refused("inverse " + file.path() + " --q 0,0,0", "singular");
  expect_refused("inverse five-bar --q 1.6,-1.6", "does not close in this state: residual");
}

TEST(Loops, EveryCommandTakesThem) {
  const TemporaryFile file("p.urdf", parallelogram());
  for (const char* command : {"coriolis --q 0.8", "schedule", "derivatives --of inverse --q 0.8", "derivatives --of forward --q 0.8", "parameters", "count",
                              "lint", "regressor --q 0.8"}) {
    const Outcome done = ulna(std::string(command) + " " + file.path());
    EXPECT_EQ(done.status, 0) << command << "\n" << done.err;
  }
  EXPECT_EQ(ulna("pose " + file.path() + " --q 0,0,0 --loops ignore").status, 0);
  expect_refused("pose " + file.path() + " --q 0,0", "has 1 independent joints: a (or one number for each of its 3 joints)");
  // M of the parallelogram does not depend on q, so nothing is left of C.
  EXPECT_NEAR(ulna_json("coriolis " + file.path() + " --q 0.8 --v 1.5")["C"][0][0][0].get<double>(), 0, 1e-12);
  // d tau / d q along the closed motion: gravity turns with the rod's path.
  const nlohmann::json d = ulna_json("derivatives --of inverse " + file.path() + " --gravity 0,-9.81,0 --q 0.8 --v 1.5 --a -0.4");
  EXPECT_NEAR(d["d_q"][0][0][0].get<double>(), -3.3 * 9.81 * 0.5 * std::sin(0.8), 1e-11);
  EXPECT_NEAR(d["d_v"][0][0][0].get<double>(), 0, 1e-11);
  EXPECT_NEAR(d["d_a"][0][0][0].get<double>(), 0.03 + 0.04 + 3.3 * 0.25, 1e-12);
  // Cranks and rod turn as one mass: J_zz of both cranks and half a metre squared of the rod, m r and a component across it.
  EXPECT_EQ(ulna_json("parameters " + file.path() + " --gravity 0,-9.81,0")["count"], 3);
}

/// A linkage that the file draws closed: that is where it is, whatever the order of its ends, and as MJCF.
TEST(Loops, TheDrawnAssemblyIsTheReference) {
  constexpr const char* kDrawn = R"(<robot name="k"><link name="g"/>
<link name="a"><inertial><origin xyz="0.4 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="b"><inertial><origin xyz="0.3 0.3 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="c"><inertial><origin xyz="0 0.2 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<joint name="j1" type="continuous"><parent link="g"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><origin xyz="0.4 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="j3" type="continuous"><origin xyz="1.1 0.1 0"/><parent link="g"/><child link="c"/><axis xyz="0 0 1"/></joint>
<loop name="pin" type="revolute"><predecessor link="b"><origin xyz="0.5 0.6 0"/></predecessor><successor link="c"><origin xyz="-0.2 0.5 0"/></successor>
<axis xyz="0 0 1"/></loop></robot>)";
  const TemporaryFile file("k.urdf", kDrawn);
  for (const double q : ulna_json("info " + file.path())["reference"].get<std::vector<double>>()) EXPECT_NEAR(q, 0, 1e-12);
  const double alone = ulna_json("inverse " + file.path() + " --q 0 --gravity 0,-9.81,0")["tau"][0][0].get<double>();
  EXPECT_NEAR(alone, ulna_json("inverse " + file.path() + " --q 0,0,0 --gravity 0,-9.81,0")["tau"][0][0].get<double>(), 1e-11);
  const TemporaryFile again("k2.urdf", ulna("convert " + file.path() + " --to urdf").out);
  EXPECT_NEAR(alone, ulna_json("inverse " + again.path() + " --q 0 --gravity 0,-9.81,0")["tau"][0][0].get<double>(), 1e-11);
}

/// Torques of passive joints: as what they are at the drives, Gᵀ tau, by machine code and by the templates.
TEST(Loops, TorquesOfPassiveJointsAreGathered) {
  const nlohmann::json motion = ulna_json("energy four-bar --q 0.1 --v 1");
  const double rocker = motion["passive"]["v"][0][1].get<double>();
  for (const char* way : {" --compiled on", " --compiled off"}) {
    const double passive = ulna_json(std::string("forward four-bar --q 0.1 --tau 0,0,3") + way)["a"][0][0].get<double>();
    std::ostringstream same;
    same.precision(17);
    same << "forward four-bar --q 0.1 --tau=" << 3 * rocker << way;
    EXPECT_NEAR(passive, ulna_json(same.str())["a"][0][0].get<double>(), 1e-10 * (1 + std::abs(passive)));
  }
  expect_refused("derivatives four-bar --of forward --q 0.1 --tau 0,0,3", "torques act at passive joints");
}

TEST(Loops, PlacesAndRatesOfTheParallelogram) {
  const TemporaryFile file("p.urdf", parallelogram());
  const double q = 0.8, u = 1.5;
  // The rod is carried along without turning.
  const nlohmann::json pose = ulna_json("pose " + file.path() + " --link rod --q 0.8");
  EXPECT_NEAR(pose["pose"][0][0][0].get<double>(), 0.5 * std::cos(q), 1e-12);
  EXPECT_NEAR(pose["pose"][0][0][6].get<double>(), 1, 1e-12);
  EXPECT_NEAR(pose["passive"]["q"][0][1].get<double>(), q, 1e-12);
  const nlohmann::json J = ulna_json("jacobian " + file.path() + " --link rod --q 0.8");
  EXPECT_EQ(J["joints"], nlohmann::json({"a"}));
  const double expected[] = {0, 0, 0, -0.5 * std::sin(q), 0.5 * std::cos(q), 0};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(J["J"][0][k][0].get<double>(), expected[k], 1e-12);
  const nlohmann::json momentum = ulna_json("momentum " + file.path() + " --q 0.8 --v 1.5");
  EXPECT_NEAR(momentum["linear"][0][1].get<double>(), 3.3 * 0.5 * std::cos(q) * u, 1e-12);
  // Y times the parameters are the torques.
  const nlohmann::json regressor = ulna_json("regressor " + file.path() + " --gravity 0,-9.81,0 --q 0.8 --v 1.5 --a -0.4");
  double tau = 0;
  for (std::size_t c = 0; c < regressor["values"].size(); ++c) tau += regressor["Y"][0][0][c].get<double>() * regressor["values"][c].get<double>();
  EXPECT_NEAR(tau, (0.03 + 0.04 + 3.3 * 0.25) * -0.4 + 3.3 * 9.81 * 0.5 * std::cos(q), 1e-11);
}

TEST(Loops, MachineCodeComputesWhatTheTemplatesDo) {
  for (const char* state :
       {"inverse five-bar --q 0.3,-0.2 --v 2,-1 --a 3,5", "bias delta --q 0.3,0.2,0.1 --v 2,-1,0.5", "gravity palletizer --q 0.5,0.2,-0.3,1",
        "mass delta --q 0.3,0.2,0.1", "forward palletizer --q 0.5,0.2,-0.3,1 --v 1,1,-1,2 --tau 10,20,30,1"}) {
    const nlohmann::json fast = ulna_json(std::string(state) + " --compiled on"), slow = ulna_json(std::string(state) + " --compiled off");
    EXPECT_EQ(slow["computed_by"], "templates");
    if (fast["computed_by"] != "compiled-double") GTEST_SKIP() << "no machine code here";
    const std::string key = state[0] == 'i' ? "tau" : state[0] == 'b' ? "bias" : state[0] == 'g' ? "gravity" : state[0] == 'm' ? "M" : "a";
    const nlohmann::json a = fast[key].flatten(), b = slow[key].flatten();
    ASSERT_FALSE(a.empty()) << state;
    for (const auto& [place, value] : a.items()) EXPECT_NEAR(value.get<double>(), b[place].get<double>(), 1e-10 * (1 + std::abs(value.get<double>()))) << state;
  }
  EXPECT_EQ(ulna_json("inverse five-bar --friction on")["computed_by"], "templates");
  EXPECT_EQ(ulna_json("inverse five-bar --formulation kane")["computed_by"], "kane");
  expect_refused("inverse five-bar --formulation lagrange", "has loops, which only 'kane' takes");
}

TEST(Loops, CountsOfTheClosedRobot) {
  const nlohmann::json done = ulna_json("count five-bar");
  ASSERT_EQ(done["counts"].size(), 8u);
  EXPECT_EQ(done["counts"][1]["quantity"], "inverse");
  EXPECT_GT(done["counts"][1]["optimised"]["mul"].get<int>(), 50);
  EXPECT_LE(done["counts"][1]["optimised"]["mul"].get<int>(), 118);
  EXPECT_EQ(done["counts"][0]["quantity"], "close");
  EXPECT_EQ(done["mobility"], 2);
  EXPECT_GT(ulna_json("count five-bar --program --quantity inverse")["program"].size(), 50u);
  const nlohmann::json kane = ulna_json("count five-bar --formulation kane --quantity inverse")["formulations"];
  ASSERT_EQ(kane.size(), 1u);
  EXPECT_GT(kane[0]["as_written"]["mul"].get<int>(), kane[0]["minimal"]["mul"].get<int>());
}

TEST(Loops, VerifyTakesThemAsTrees) {
  const nlohmann::json done = ulna_json("verify four-bar --samples 20 --generated off");
  EXPECT_EQ(done["agree"], true);
  EXPECT_EQ(done["reference"], "multipliers");
  EXPECT_EQ(done["samples"].get<int>() + done["left_out"].get<int>() + done["not_sure"].get<int>(), 20);
  for (const char* id : {"kane", "templates", "compiled-double", "compiled-float", "continuation"}) {
    bool compared = false;
    for (const nlohmann::json& row : done["formulations"]) compared = compared || (row["id"] == id && row["applies"] == true && row["agree"] == true);
    EXPECT_TRUE(compared) << id;
  }
  for (const nlohmann::json& law : done["laws"]) EXPECT_EQ(law["holds"], true) << law;
}

/// Times mean nothing here; what is compared before them does.
TEST(Loops, BenchComparesBeforeItTimes) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "not an optimised build";
#endif
  for (const char* robot : {"four-bar", "five-bar", "delta", "palletizer"}) {
    const nlohmann::json done = ulna_json(std::string("bench --library ulna --time 0.01 ") + robot);
    ASSERT_FALSE(done["comparisons"].empty());
    for (const nlohmann::json& row : done["comparisons"]) EXPECT_EQ(row["agree"], true) << row;
    EXPECT_EQ(done["comparisons"].size(), done["results"].size());
  }
}

TEST(Loops, StudyDrawsThem) {
  const support::Folder folder;
  const Outcome made = ulna("study five-bar --samples 20 --out " + folder.at("study"));
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string page = folder.text_of("study/index.html");
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("class=\"loop-pin\""), 1u);
  EXPECT_EQ(count("class=\"loop-path\""), 1u);
  EXPECT_EQ(count("class=\"driven\""), 2u);
  EXPECT_EQ(count("class=\"passive\""), 2u);
  EXPECT_EQ(nlohmann::json::parse(folder.text_of("study/certificate.json"))["agree"], true);
  EXPECT_EQ(nlohmann::json::parse(folder.text_of("study/report.json"))["mobility"], 2);
  EXPECT_EQ(ulna("study five-bar --samples 20 --force --out " + folder.at("study")).status, 0);
}

TEST(Loops, ScenariosRun) {
  for (const char* scenario : {"four-bar-spin", "five-bar-pick", "delta-pick", "palletizer-lift"}) {
    const nlohmann::json done = ulna_json(std::string("simulate ") + scenario);
    EXPECT_EQ(done["ending"], "done") << scenario;
    EXPECT_EQ(done["audit"]["closed"], true) << scenario;
    EXPECT_LT(done["audit"]["residual"].get<double>(), 1e-11) << scenario;
    EXPECT_LT(done["audit"]["energy_drift"].get<double>(), 1e-7 * done["audit"]["energy_scale"].get<double>()) << scenario;
  }
  EXPECT_EQ(ulna_json("simulate four-bar-spin --independent crank")["independent"], nlohmann::json({"crank"}));
  expect_refused("simulate four-bar-spin --independent crank,rocker", "taken as independent, but the loops determine it");
  // Torques along the reference, and the motion about the run: computed torque makes two critically damped joints of the motors.
  const nlohmann::json torques = ulna_json("torques five-bar-pick");
  ASSERT_EQ(torques["joints"].size(), 2u);
  EXPECT_EQ(torques["joints"][0]["joint"], "left_motor");
  EXPECT_GT(torques["joints"][0]["torque"]["peak"].get<double>(), 0.01);
  const nlohmann::json linear = ulna_json("simulate five-bar-pick --linearise");
  EXPECT_EQ(linear["states"], nlohmann::json({"q.left_motor", "q.right_motor", "v.left_motor", "v.right_motor"}));
  ASSERT_EQ(linear["rows"][0]["A_law"].size(), 4u);
  for (const nlohmann::json& value : linear["rows"][0]["eigenvalues_law"]) EXPECT_NEAR(value[0].get<double>(), -50, 1e-3);
}

TEST(Loops, GeneratedCTestsItself) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
  const support::Folder folder;
  // A follower's angle is a sum of its own: names of sums must not meet those of the lines after them.
  const TemporaryFile follower("f.urdf", R"(<robot name="f"><link name="g"/>
<link name="a"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
<link name="s"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
<link name="t"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
<joint name="crank" type="continuous"><parent link="g"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="half" type="continuous"><origin xyz="0.5 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><mimic joint="crank" multiplier="0.5"/></joint>
<joint name="x" type="prismatic"><parent link="g"/><child link="s"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="z" type="prismatic"><parent link="s"/><child link="t"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<loop name="pin" type="spherical"><predecessor link="b"><origin xyz="0.5 0 0"/></predecessor><successor link="t"><origin xyz="1 0 0"/></successor></loop>
</robot>)");
  for (const std::string& robot : {follower.path(), std::string("five-bar"), std::string("delta")}) {
    const Outcome made = ulna("generate " + robot + " --what inverse,forward,mass,bias,gravity,energy --name closed --force --out " + folder.at(""));
    ASSERT_EQ(made.status, 0) << made.err;
    std::string output;
    EXPECT_EQ(folder.run("cc -std=c99 -O1 -Wall -Wextra -Werror -DCLOSED_SELFTEST_MAIN closed.c -lm -o test && ./test", &output), 0) << output;
    EXPECT_EQ(output, "closed: all 32 checks passed\n");  // of speeds and closure, too
  }
  // A changed number is seen.
  std::string text = folder.text_of("closed.c");
  const std::size_t table = text.find("static const double expected["), at = text.find("\n    {", table) + 6;
  ASSERT_NE(table, std::string::npos);
  text.insert(at, "1.0 + ");
  folder.write("closed.c", text);
  EXPECT_NE(folder.run("cc -std=c99 -O1 -DCLOSED_SELFTEST_MAIN closed.c -lm -o test && ./test"), 0);
}

// A crank of 0.35 m that turns over, 10 % of it from where it would not: its two circuits come near each other. Nearly closed at q = 0.
constexpr const char* kCrankRocker = R"(<robot name="crank-rocker"><link name="ground"/>
<link name="arm"><inertial><origin xyz="0.18 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="rod"><inertial><origin xyz="0.7 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="lever"><inertial><origin xyz="0.6 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<joint name="crank" type="continuous" independent="true"><parent link="ground"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="coupler" type="continuous"><origin xyz="0.35 0 0" rpy="0 -0.7 0"/><parent link="arm"/><child link="rod"/><axis xyz="0 1 0"/></joint>
<joint name="rocker" type="continuous"><origin xyz="0.685 0 0" rpy="0 -0.9 0"/><parent link="ground"/><child link="lever"/><axis xyz="0 1 0"/></joint>
<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="1.4 0 0"/></predecessor><successor link="lever"><origin xyz="1.1 0 0"/></successor>
<axis xyz="0 1 0"/></loop></robot>)";

TEST(Loops, VerifyHasTwoWaysFarAnglesAndBothCircuits) {
  const TemporaryFile file("c.urdf", kCrankRocker);
  for (const std::string& robot : {std::string("five-bar"), std::string("four-bar"), file.path()}) {
    const nlohmann::json done = ulna_json("verify " + robot + " --samples 200");
    EXPECT_EQ(done["agree"], true) << done;
    EXPECT_GE(done["formulations"].size(), 5u);
    EXPECT_GT(done["far"].get<int>(), 50) << robot;
    EXPECT_GT(done["elsewhere"].get<int>(), 20) << robot;
    const nlohmann::json& positions = done["formulations"].back();
    EXPECT_EQ(positions["id"], "continuation");
    EXPECT_GT(positions["difference"].get<double>(), 0) << "no state was followed in small steps";
  }
}

TEST(Loops, FarAnglesAreNearOnes) {
  const TemporaryFile file("c.urdf", kCrankRocker);
  const double turn = 2 * std::acos(-1.0);
  for (const std::string& robot : {std::string("four-bar"), file.path()})
    for (const std::string& command : std::vector<std::string>{"gravity", "mass", "energy"})
      for (const double angle : {0.0498903071795862, 0.3, 2.9, -2.2}) {
        const auto at = [&](double q) {
          std::ostringstream text;
          text.precision(17);
          text << command << " " << robot << " --q=" << q;
          return ulna_json(text.str());
        };
        const std::string key = command == "gravity" ? "gravity" : command == "mass" ? "M" : "potential";
        const double near = at(angle)[key].flatten().begin().value().get<double>();
        for (const double turns : {1.0, -1.0, 10.0, -150.0}) {
          const double far = at(angle + turns * turn)[key].flatten().begin().value().get<double>();
          EXPECT_NEAR(far, near, 1e-10 * (1 + std::abs(near))) << robot << " " << command << " " << angle << " " << turns;
        }
      }
  EXPECT_NEAR(ulna_json("inverse four-bar --q 63.13185307179586")["tau"][0][0].get<double>(), 0.2332, 1e-4);
}

TEST(Loops, NaNSpreads) {
  for (const char* state : {"--q 0.3 --v 1 --tau nan", "--q 0.3 --v nan --tau 1", "--q nan --v 1 --tau 1"}) {
    const nlohmann::json done = ulna_json(std::string("forward four-bar ") + state);
    for (const nlohmann::json& all :
         {done["a"].flatten(), done["residual"].flatten(), done["passive"]["q"].flatten(), done["passive"]["v"].flatten(), done["passive"]["a"].flatten()})
      for (const nlohmann::json& value : all) EXPECT_TRUE(value.is_null()) << state << " " << done;
  }
}

TEST(Loops, SingularAssembliesAndOtherCircuitsAreRefused) {
  expect_refused("inverse five-bar --q 1.7368310313,-1.8752882263 --v 1,1 --a 1,1", "the assembly is singular: the independent joints do not determine");
  const TemporaryFile file("p.urdf", parallelogram());
  expect_refused("mass " + file.path() + " --q 0.8,0,0.3", "the loops close beyond a singular assembly only, perhaps on another circuit");
}

}  // namespace
