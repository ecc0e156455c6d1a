// Bad files through the program: a message with file and line, status 2, and nothing on standard output. The readers' own tests have the full list.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

const std::string kGood = R"(<robot name="r">
<link name="a"/>
<link name="b">
  <inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="j" type="revolute">
  <parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/>
</joint>
</robot>
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct BadCall {
  const char* what;
  std::string text;
  const char* expected;  // a piece of the message, with its line
  const char* ending = ".urdf";
};

TEST(BadInput, EndsWithTwoAndAMessageWithItsLine) {
  const std::string kTable =
      "robot: t\nconvention: standard\nlinks:\n  - {joint: revolute, a: 0, alpha: 0, d: 0, theta: 0, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n";
  const BadCall cases[] = {
      {"truncated", kGood.substr(0, 200), ":"},
      {"not XML", "hello", ": error"},
      {"not a URDF", "<html></html>", ":1: error"},
      {"empty", "", "empty"},
      {"no links", "<robot name='r'></robot>", "no link"},
      {"missing attribute", with(" value=\"1\"", ""), ":4: error: link 'b'"},
      {"text for a number", with("value=\"1\"", "value=\"heavy\""), ":4: error: link 'b'"},
      {"unit", with("value=\"1\"", "value=\"1kg\""), ":4: error: link 'b'"},
      {"decimal comma", with("value=\"1\"", "value=\"1,5\""), ":4: error: link 'b'"},
      {"nan", with("value=\"1\"", "value=\"nan\""), ":4: error: link 'b'"},
      {"inf", with("ixx=\"1\"", "ixx=\"inf\""), ":4: error: link 'b'"},
      {"negative mass", with("value=\"1\"", "value=\"-1\""), "error: link 'b': its mass is -1 kg"},
      {"indefinite", with("ixx=\"1\"", "ixx=\"-1\""), "error: link 'b'"},
      {"triangle", with("ixx=\"1\"", "ixx=\"3\""), "triangle inequality"},
      {"massless with inertia", with("value=\"1\"", "value=\"0\""), "no mass, but its inertia is not zero"},
      {"own parent", with("<parent link=\"a\"/>", "<parent link=\"b\"/>"), "own parent"},
      {"unknown child", with("<child link=\"b\"/>", "<child link=\"bb\"/>"), "does not exist"},
      {"missing child", with("<child link=\"b\"/>", ""), ":6: error: joint 'j'"},
      {"two roots", with("<link name=\"a\"/>", "<link name=\"a\"/><link name=\"c\"/>"), "root already"},
      {"duplicate name", with("<link name=\"a\"/>", "<link name=\"a\"/><link name=\"a\"/>"), "already taken"},
      {"unknown type", with("type=\"revolute\"", "type=\"revolut\""), "revolute"},
      {"zero axis", with("xyz=\"0 1 0\"", "xyz=\"0 0 0\""), "axis"},
      {"two components", with("xyz=\"0 1 0\"", "xyz=\"0 1\""), ":7: error"},
      {"mimic of nothing", with("</joint>", "<mimic joint=\"k\"/></joint>"), "which does not exist"},
      {"massless leaf", with("<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"", "<mass value=\"0\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\""),
       "singular"},
      {"tabs", kTable + "\t- x\n", ":5: error", ".yaml"},
      {"unknown key", "robt: x\n" + kTable, ":1: error", ".yaml"},
      {"missing key", "robot: t\nconvention: standard\nlinks:\n  - {joint: revolute, a: 0, alpha: 0, d: 0, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n",
       ":4: error", ".yaml"},
      {"wrong convention", "robot: t\nconvention: classic\nlinks: []\n", ":2: error", ".yaml"},
  };
  for (const BadCall& c : cases) {
    SCOPED_TRACE(c.what);
    const TemporaryFile file(std::string("bad") + c.ending, c.text);
    for (const std::string command : {"inverse", "info", "mass --json"}) {
      const Outcome run = ulna(command + " '" + file.path() + "'");
      EXPECT_EQ(run.status, 2);
      EXPECT_EQ(run.out, "");
      EXPECT_NE(run.err.find("bad" + std::string(c.ending)), std::string::npos) << run.err;
      EXPECT_NE(run.err.find("error: "), std::string::npos) << run.err;
      EXPECT_NE(run.err.find(c.expected), std::string::npos) << run.err;
    }
    EXPECT_EQ(ulna("lint '" + file.path() + "'").status, 1);
  }
  const TemporaryFile good("good.urdf", kGood);
  EXPECT_EQ(ulna("inverse '" + good.path() + "'").status, 0);
}

TEST(BadInput, AllProblemsInOneRun) {
  std::string text = with("value=\"1\"", "value=\"x\"");
  text.replace(text.find("xyz=\"0 1 0\""), 11, "xyz=\"0 0 0\"");
  text.replace(text.find("effort=\"1\""), 10, "effort=\"1N\"");
  const TemporaryFile file("three.urdf", text);
  const std::string err = ulna("info '" + file.path() + "'").err;
  EXPECT_NE(err.find("three.urdf:4: error"), std::string::npos) << err;
  EXPECT_NE(err.find("three.urdf:7: error"), std::string::npos) << err;
  EXPECT_NE(err.find("three.urdf:8: error"), std::string::npos) << err;
}

TEST(BadInput, UncheckedComputesAndSaysSo) {
  const TemporaryFile file("odd.urdf", with("ixx=\"1\"", "ixx=\"3\""));
  const Outcome run = ulna("inverse --unchecked '" + file.path() + "'");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("UNCHECKED"), std::string::npos);
  const nlohmann::json features = ulna_json("inverse --unchecked '" + file.path() + "'")["features"];
  EXPECT_EQ(features["unchecked"].size(), 1u);
  // It passes broken laws of mechanics, never a broken file.
  const TemporaryFile broken("broken.urdf", with("value=\"1\"", "value=\"x\""));
  EXPECT_EQ(ulna("inverse --unchecked '" + broken.path() + "'").status, 2);
}

TEST(BadInput, LintOfNothingIsAWrongCall) {
  EXPECT_EQ(ulna("lint /nowhere.urdf").status, 2);
  const support::Folder empty;
  EXPECT_EQ(ulna("lint '" + empty.at("") + "'").status, 2);
}

}  // namespace
