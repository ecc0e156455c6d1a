// ulna explain: the contract of its JSON and its exit status; MJCF through the program.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

namespace {

std::string urdf(const std::string& id) {
  const Outcome converted = ulna("convert " + id + " --to urdf");
  EXPECT_EQ(converted.status, 0) << converted.err;
  return converted.out;
}

TEST(Explain, TwoThatAgree) {
  const Outcome same = ulna("explain panda panda --json");
  EXPECT_EQ(same.status, 0) << same.err;
  const nlohmann::json result = nlohmann::json::parse(same.out);
  EXPECT_EQ(result["agree"], true);
  EXPECT_TRUE(result["causes"].empty());
  EXPECT_LT(result["residual"].get<double>(), 1e-12);
  // Limits alone: listed apart, and no disagreement.
  const TemporaryFile other("b.urdf", replaced(urdf("ur5"), "effort=\"150\"", "effort=\"149\""));
  const Outcome limits = ulna("explain ur5 " + other.path() + " --json");
  EXPECT_EQ(limits.status, 0) << limits.out;
  const nlohmann::json listed = nlohmann::json::parse(limits.out);
  ASSERT_EQ(listed["causes"].size(), 1u);
  EXPECT_EQ(listed["causes"][0]["kind"], "other");
  EXPECT_EQ(listed["causes"][0]["share"], 0);
}

TEST(Explain, AFaultInAFile) {
  const std::string text = urdf("scara");
  const std::size_t at = text.find("<mass value=\"") + 13, end = text.find('"', at);
  const double mass = std::stod(text.substr(at, end - at));
  const TemporaryFile other("b.urdf", replaced(text, "<mass value=\"" + text.substr(at, end - at), "<mass value=\"" + std::to_string(2 * mass)));
  const Outcome outcome = ulna("explain scara " + other.path() + " --json");
  EXPECT_EQ(outcome.status, outcome.out.find("\"agree\": true") != std::string::npos ? 0 : 1) << outcome.out;
  const nlohmann::json cause = nlohmann::json::parse(outcome.out)["causes"][0];
  for (const char* key : {"kind", "where", "share", "from", "to", "edit", "residual_after"}) EXPECT_TRUE(cause.contains(key)) << key;
  EXPECT_EQ(cause["kind"], "mass");
  EXPECT_DOUBLE_EQ(cause["from"].get<double>(), mass);
  EXPECT_DOUBLE_EQ(cause["to"].get<double>(), 2 * mass);
  EXPECT_NE(ulna("explain scara " + other.path()).out.find("set the mass of link"), std::string::npos);
}

TEST(Explain, NumbersOfAnotherProgram) {
  // A pendulum of 2 kg at half a metre, and a program that knows of a rotor: tau = (I + 0.1) a + m g l sin(q) is what its closed form says.
  const TemporaryFile model("pendulum.urdf", R"(<robot name="p"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>)");
  std::ostringstream rows;
  rows.precision(17);
  rows << "q.j,v.j,a.j,tau.j\n";
  for (int i = 0; i < 20; ++i) {
    const double q = 0.3 * i - 2, v = 0.1 * i, a = 1 - 0.2 * i;
    rows << q << ',' << v << ',' << a << ',' << 0.6 * a + 2 * 9.81 * 0.5 * std::sin(q) << '\n';
  }
  const TemporaryFile numbers("b.csv", rows.str());
  const Outcome outcome = ulna("explain " + model.path() + " " + numbers.path() + " --json");
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  const nlohmann::json result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["causes"][0]["kind"], "armature");
  EXPECT_NEAR(result["causes"][0]["to"].get<double>(), 0.1, 1e-9);
  EXPECT_LT(result["residual"].get<double>(), 1e-9);
  // The other way about, the edit is of B.
  const nlohmann::json turned = nlohmann::json::parse(ulna("explain " + numbers.path() + " " + model.path() + " --json").out);
  EXPECT_NEAR(turned["causes"][0]["from"].get<double>(), 0.1, 1e-9);
  // Nonsense cannot be explained.
  std::ostringstream nonsense;
  nonsense << "q.j,v.j,a.j,tau.j\n";
  for (int i = 0; i < 20; ++i) nonsense << 0.3 * i << ",0,0," << std::sin(17.0 * i * i) << '\n';
  const TemporaryFile worse("c.csv", nonsense.str());
  EXPECT_EQ(ulna("explain " + model.path() + " " + worse.path()).status, 3);
}

TEST(Explain, AModelThatBreaksALawIsComparedWithAWarning) {
  std::string text = urdf("ur5");
  text.insert(text.rfind("<mass value=\"") + 13, "-");
  const TemporaryFile broken("b.urdf", text);
  expect_refused("inverse " + broken.path(), "a mass cannot be negative");
  const Outcome compared = ulna("explain ur5 " + broken.path());
  EXPECT_TRUE(compared.status == 1 || compared.status == 3) << compared.err;
  EXPECT_NE(compared.err.find("warning"), std::string::npos) << compared.err;
  EXPECT_NE(compared.err.find("a mass cannot be negative"), std::string::npos) << compared.err;
}

TEST(Explain, OptionsOfOneSide) {
  EXPECT_EQ(ulna("explain panda panda --a-lock joint7 --b-lock joint7").status, 0);
  EXPECT_EQ(ulna("explain panda panda --b-gravity 0,0,-1.62").status, 1);
  EXPECT_EQ(ulna("explain panda panda --gravity 0,0,-1.62").status, 0);
  expect_refused("explain panda panda --a-lock joint7", "A has 6 coordinates and B has 7; joint 'joint7' moves in B alone: --b-lock NAME");
  expect_refused("explain panda panda --b-base free", "the base of A is fixed and that of B free: --a-base free");
  expect_refused("explain panda", "takes two things");
  expect_refused("explain a.csv b.csv", "needs a model");
  expect_refused("explain panda nothing.csv", "nothing.csv");
  expect_refused("explain panda panda --tolerance 0", "--tolerance");
}

TEST(Explain, DrawsAChart) {
  const TemporaryFile place("chart.svg", "");
  EXPECT_EQ(ulna("explain panda panda --b-gravity 0,0,-1.62 --svg " + place.path() + " --force").status, 1);
  std::ifstream file(place.path());
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("gravity"), std::string::npos);
}

TEST(Explain, LoopsOfMjcfAreHonouredOrIgnored) {
  const TemporaryFile loop("loop.xml", R"(<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1" pos="1 0 0"/>
<body name="b" pos="1 0 0"><joint name="k"/><geom size="0.1" pos="1 0 0"/></body></body></worldbody>
<equality><connect body1="b" anchor="0 0 0"/></equality></mujoco>)");
  EXPECT_EQ(ulna_json("info " + loop.path())["nv"], 1);
  EXPECT_EQ(ulna("inverse " + loop.path() + " --q 0,0 --loops ignore").status, 0);
}

}  // namespace
