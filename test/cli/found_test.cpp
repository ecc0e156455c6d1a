// Files that random search found wrong results with, as a user would run them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "program.hpp"
#include "support/folder.hpp"

namespace {

using nlohmann::json;
using support::Folder;

/// A robot of these parts.
std::string robot(const std::string& name, const std::vector<std::string>& parts) {
  std::string text = "<robot name=\"";
  text += name;
  text += "\"><link name=\"b\"/>\n";
  for (const std::string& part : parts) text += part;
  return text += "</robot>";
}

std::string link(const std::string& name, const std::string& com) {
  return "<link name=\"" + name + "\"><inertial><origin xyz=\"" + com +
         "\"/><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>\n";
}

// An attribute in capitals: the mass centre was lost with a note, and gravity was 0 in place of -3.924.
TEST(Found, AnAttributeOfAnotherCase) {
  const std::string joint = R"(<joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/></joint>)";
  std::string text = robot("r", {link("l", "0.4 0 0"), joint});
  const TemporaryFile good("good.urdf", text);
  EXPECT_NEAR(ulna_json("gravity '" + good.path() + "' --q 0")["gravity"][0][0].get<double>(), -9.81 * 0.4, 1e-14);
  const TemporaryFile bad("bad.urdf", text.replace(text.find("xyz"), 3, "XYZ"));
  const Outcome refused = ulna("gravity '" + bad.path() + "' --q 0");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find(":2: error: link 'l' <inertial> <origin>: attribute 'XYZ' is unknown; write 'xyz'"), std::string::npos) << refused.err;
}

// A lock within a chain of mimic joints: 0.5 + (2 * 0.5 + 0.1) rad about y.
TEST(Found, LockWithinAChainOfMimics) {
  const TemporaryFile file("chain.urdf", robot("chain", {link("l1", "0.1 0 0"), link("l2", "0.1 0 0"), link("l3", "0.1 0 0"),
                                                         R"(<joint name="lead" type="continuous"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/></joint>
<joint name="mid" type="continuous"><origin xyz="0.2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/><mimic joint="lead"/></joint>
<joint name="tip" type="continuous"><origin xyz="0.2 0 0"/><parent link="l2"/><child link="l3"/><axis xyz="0 1 0"/><mimic joint="mid" multiplier="2" offset="0.1"/></joint>)"}));
  const json pose = ulna_json("pose '" + file.path() + "' --lock mid=0.5 --link l3 --q 0")["pose"][0][0];
  EXPECT_NEAR(pose[4].get<double>(), std::sin(0.8), 1e-15);
  EXPECT_NEAR(pose[6].get<double>(), std::cos(0.8), 1e-15);
  // Torques: with everything beyond l1 held, this is one body. Weight at the three mass centres, about y.
  const double x = 0.1 + (0.2 + 0.1 * std::cos(0.5)) + (0.2 + 0.2 * std::cos(0.5) + 0.1 * std::cos(1.6));
  EXPECT_NEAR(ulna_json("gravity '" + file.path() + "' --lock mid=0.5 --q 0")["gravity"][0][0].get<double>(), -9.81 * x, 1e-13);
  expect_refused("pose '" + file.path() + "' --lock lead=1e308 --lock mid=1e308 --link l3", "overflow");
}

TEST(Found, MimicOfNobodyIsNoHindranceWhereMimicsAreIgnored) {
  const TemporaryFile file(
      "nobody.urdf",
      robot("r", {link("l1", "0.1 0 0"),
                  R"(<joint name="j" type="continuous"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/><mimic joint="nobody"/></joint>)"}));
  expect_refused("gravity '" + file.path() + "' --q 0", "which does not exist");
  const Outcome ignored = ulna("gravity '" + file.path() + "' --q 0 --mimic ignore");
  EXPECT_EQ(ignored.status, 0);
  EXPECT_NE(ignored.err.find("warning: joint 'j': it mimics joint 'nobody', which does not exist"), std::string::npos) << ignored.err;
}

// A pendulum that swings 2e-5 rad beyond its limit and back within one step.
TEST(Found, LimitCrossedWithinAStep) {
  const Folder folder;
  folder.write(
      "fr.urdf",
      robot(
          "fr",
          {link("l", "0 0 0.5"),
           R"(<joint name="j" type="revolute"><parent link="b"/><child link="l"/><axis xyz="1 0 0"/><limit lower="-3.0" upper="3.0" effort="100" velocity="10"/></joint>)"}));
  folder.write("c.yaml",
               "model: fr.urdf\nduration: 2\ngravity: [0, 0, 9.81]\nlimits: report\ninitial: {q: [-2.99], v: [0.23498703022171244]}\n"
               "output: {step: 0.001}\nintegrator: {type: dormand-prince-5, tolerance: 1e-9}\n");
  const Outcome run = ulna("simulate '" + folder.at("c.yaml") + "'");
  EXPECT_NE(run.out.find("joint 'j' crosses its upper limit 3"), std::string::npos) << run.out;
}

// A batch's rows mean what the file would mean with their numbers in it.
TEST(Found, OverridesCarryWhatFollowsFromThem) {
  const Folder folder;
  const auto scenario = [](const std::string& duration, const std::string& q1) {
    return "model: panda\nduration: " + duration + "\ninitial: {q: [" + q1 +
           ", -0.4, 0, -2.0, 0, 1.6, 0.8]}\nreference: {type: quintic, to: {joint1: 0.6, joint4: -1.6, joint6: 1.7}}\nlaw: {type: computed-torque, kp: 100, "
           "kd: 20}\n"
           "disturbances:\n  - {link: hand, from: 0.05, force: [10, 0, 0]}\nlimits: ignore\nintegrator: {type: rk4, step: 0.001}\n";
  };
  folder.write("s.yaml", scenario("0.1", "0"));
  folder.write("changed.yaml", scenario("0.2", "0.5"));
  folder.write("runs.csv", "duration,q.joint1\n0.2,0.5\n");
  const std::string out = " --out '" + folder.at("runs_out.csv") + "'";
  ASSERT_EQ(ulna("simulate '" + folder.at("s.yaml") + "' --batch '" + folder.at("runs.csv") + "'" + out).status, 0);
  ASSERT_EQ(ulna("simulate '" + folder.at("changed.yaml") + "' --out '" + folder.at("changed.csv") + "'").status, 0);
  const std::string whole = folder.text_of("changed.csv"), batch = folder.text_of("runs_out.csv");
  const std::string last = whole.substr(whole.rfind('\n', whole.size() - 2) + 1);  // t, q of the joints, …
  const std::string q1 = last.substr(last.find(',') + 1, last.find(',', last.find(',') + 1) - last.find(',') - 1);
  EXPECT_NE(batch.find(q1), std::string::npos) << "the last q.joint1 should be " << q1 << " in\n" << batch;
}

TEST(Found, MassesOfAnySizeWeigh) {
  const TemporaryFile file("huge.urdf", R"(<robot name="huge"><link name="b"/><link name="l"><inertial><origin xyz="0.5 0 0"/><mass value="1e156"/>
<inertia ixx="1e155" ixy="0" ixz="0" iyy="1e155" iyz="0" izz="1e155"/></inertial></link>
<joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/></joint></robot>)");
  EXPECT_NEAR(ulna_json("gravity '" + file.path() + "' --q 0.3")["gravity"][0][0].get<double>() / (-1e156 * 9.81 * 0.5 * std::cos(0.3)), 1, 1e-15);
}

// A robot called 'test' gives C that compiles.
TEST(Found, ARobotCalledTest) {
  const Folder folder;
  folder.write("test.urdf",
               robot("test", {link("l", "0 0 0.5"), R"(<joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="1 0 0"/></joint>)"}));
  ASSERT_EQ(ulna("generate '" + folder.at("test.urdf") + "' --what inverse,mass --out '" + folder.at("out") + "'").status, 0);
  EXPECT_EQ(folder.run("cc -std=c99 -Wall -Werror -DTEST_SELFTEST_MAIN out/test.c -lm -o t && ./t"), 0) << folder.text_of("output.txt");
}

}  // namespace
