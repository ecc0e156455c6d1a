#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "source/readers.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

using std::numbers::pi;
using test::BadInput;
using test::repeated;
using test::replaced;

// Lines are counted in the tests below: keep them.
const std::string kTable = R"(# A table that uses every key.
robot: example
description: "two joints: one turns, one slides"
convention: standard
gravity: [0, 0, -9.8]
base: {xyz: [0, 0, 1], rpy: [0, 0, pi/2]}
links:
  - {joint: revolute, name: shoulder, link: upper, a: 0.3, alpha: pi/2, d: 0.1, theta: 0.2,
     mass: 2, com: [0, 0.1, 0], inertia: [0.01, 0.02, 0.025],
     rotor: 2e-4, gear: 60, viscous: 0.1, coulomb: 0.4, static: 0.5, lower: -pi/2, upper: 2.8, effort: 87, velocity: 2.1}
  - joint: prismatic
    a: 0
    alpha: -0.5
    d: 0.2
    theta: 0
    mass: 1
    com: [0, 0, 0.5]
    inertia: {ixx: 0.03, iyy: 0.02, izz: 0.02, ixy: 0.001, ixz: 0.002, iyz: 0.003}
    inertia_is: partial
    lower: 0
    upper: 0.5
)";

std::vector<Diagnostic> problems_of(const std::string& text) {
  Diagnostics diagnostics("table.yaml");
  read_dh(text, diagnostics);
  test::expect_well_formed(diagnostics.all());
  return diagnostics.all();
}

std::string table_with(std::string_view from, std::string_view to) { return replaced(kTable, from, to); }

void expect_near(const Pose<double>& X, const Pose<double>& Y) {
  for (const auto entry : {&Mat3<double>::xx, &Mat3<double>::xy, &Mat3<double>::xz, &Mat3<double>::yx, &Mat3<double>::yy, &Mat3<double>::yz, &Mat3<double>::zx,
                           &Mat3<double>::zy, &Mat3<double>::zz})
    EXPECT_NEAR(X.R.*entry, Y.R.*entry, 1e-15);
  for (const auto entry : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) EXPECT_NEAR(X.p.*entry, Y.p.*entry, 1e-15);
}

/// The matrix every textbook prints for standard DH.
Pose<double> standard_dh(double a, double alpha, double d, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  return {{c, -s * ca, s * sa, s, c * ca, -c * sa, 0, sa, ca}, {a * c, a * s, d}};
}

/// The same for modified DH (Craig, Introduction to Robotics, eq. 3.6).
Pose<double> modified_dh(double a, double alpha, double d, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  return {{c, -s, 0, s * ca, c * ca, -sa, s * sa, c * sa, ca}, {a, -sa * d, ca * d}};
}

TEST(Dh, ReadsEveryField) {
  Diagnostics diagnostics("table.yaml");
  const Description robot = read_dh(kTable, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics.all());
  EXPECT_EQ(robot.name, "example");
  EXPECT_EQ(robot.file, "table.yaml");
  EXPECT_EQ(robot.gravity, (Vec3<double>{0, 0, -9.8}));
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].name, "base");
  EXPECT_FALSE(robot.links[0].inertial);
  const Link& upper = robot.links[1];
  EXPECT_EQ(upper.name, "upper");
  EXPECT_EQ(upper.line, 8);
  EXPECT_TRUE(upper.inertial);
  EXPECT_FALSE(upper.partial);
  EXPECT_EQ(upper.mass, 2);
  EXPECT_EQ(upper.com, (Vec3<double>{0, 0.1, 0}));
  EXPECT_EQ(upper.inertia, (Sym3<double>{0.01, 0.02, 0.025, 0, 0, 0}));
  EXPECT_EQ(robot.links[2].name, "link2");
  EXPECT_TRUE(robot.links[2].partial);
  EXPECT_EQ(robot.links[2].inertia, (Sym3<double>{0.03, 0.02, 0.02, 0.001, 0.002, 0.003}));
  ASSERT_EQ(robot.joints.size(), 2u);
  const Joint& shoulder = robot.joints[0].joint;
  EXPECT_EQ(shoulder.name, "shoulder");
  EXPECT_EQ(shoulder.type, JointType::revolute);
  EXPECT_EQ(robot.joints[0].parent, "base");
  EXPECT_EQ(robot.joints[0].child, "upper");
  EXPECT_EQ(shoulder.axis, (Vec3<double>{0, 0, 1}));
  EXPECT_EQ(shoulder.rotor, 2e-4);
  EXPECT_EQ(shoulder.gear, 60);
  EXPECT_EQ(shoulder.friction.viscous, 0.1);
  EXPECT_EQ(shoulder.friction.coulomb, 0.4);
  EXPECT_EQ(shoulder.friction.static_level, 0.5);
  EXPECT_EQ(shoulder.lower, -pi / 2);
  EXPECT_EQ(shoulder.upper, 2.8);
  EXPECT_EQ(shoulder.effort, 87);
  EXPECT_EQ(shoulder.velocity, 2.1);
  const Joint& slide = robot.joints[1].joint;
  EXPECT_EQ(slide.name, "j2");
  EXPECT_EQ(slide.line, 11);
  EXPECT_EQ(slide.type, JointType::prismatic);
  EXPECT_EQ(robot.joints[1].parent, "upper");
  EXPECT_EQ(slide.upper, 0.5);
}

TEST(Dh, StandardRowsLieBehindTheJoint) {
  Diagnostics diagnostics("table.yaml");
  const Description robot = read_dh(kTable, diagnostics);
  ASSERT_EQ(robot.joints.size(), 2u);
  expect_near(robot.joints[0].joint.X_PF, {{0, -1, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 1}});  // the base: a quarter turn about z, 1 m up
  expect_near(robot.joints[0].joint.X_MB, standard_dh(0.3, pi / 2, 0.1, 0.2));
  expect_near(robot.joints[1].joint.X_PF, {});
  expect_near(robot.joints[1].joint.X_MB, standard_dh(0, -0.5, 0.2, 0));
  // The joint comes first and commutes with the row's own turn: motion(q) X_MB = A(theta + q).
  const Pose<double> turned{rotation_z(0.7), {}};
  expect_near(turned * robot.joints[0].joint.X_MB, standard_dh(0.3, pi / 2, 0.1, 0.9));
}

TEST(Dh, ModifiedRowsLieBeforeTheJoint) {
  Diagnostics diagnostics("table.yaml");
  const Description robot = read_dh(replaced(table_with("standard", "modified"), "base: {xyz: [0, 0, 1], rpy: [0, 0, pi/2]}", ""), diagnostics);
  ASSERT_EQ(robot.joints.size(), 2u);
  expect_near(robot.joints[0].joint.X_PF, modified_dh(0.3, pi / 2, 0.1, 0.2));
  expect_near(robot.joints[0].joint.X_MB, {});
  expect_near(robot.joints[1].joint.X_PF, modified_dh(0, -0.5, 0.2, 0));
  const Pose<double> turned{rotation_z(0.7), {}};
  expect_near(robot.joints[0].joint.X_PF * turned, modified_dh(0.3, pi / 2, 0.1, 0.9));
}

TEST(Dh, MassAndInertiaMayBeLeftOutWhenZero) {
  Diagnostics diagnostics("table.yaml");
  const Description robot = read_dh(
      "robot: r\nconvention: standard\nlinks:\n- {joint: fixed, a: 1, alpha: 0, d: 0, theta: 0, mass: 0}\n- {joint: continuous, a: 1, alpha: 0, d: 0, theta: "
      "0, mass: 0}\n",
      diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics.all());
  ASSERT_EQ(robot.joints.size(), 2u);
  EXPECT_EQ(robot.joints[0].joint.type, JointType::fixed);
  EXPECT_EQ(robot.joints[1].joint.type, JointType::continuous);
  EXPECT_EQ(robot.gravity, (Vec3<double>{0, 0, -9.81}));
}

TEST(Dh, QuotedAndOddNamesAreKept) {
  Diagnostics diagnostics("table.yaml");
  const Description robot = read_dh(table_with("name: shoulder", "name: \"a: 'b'\""), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics.all());
  EXPECT_EQ(robot.joints.at(0).joint.name, "a: 'b'");
  Diagnostics more("table.yaml");
  EXPECT_EQ(read_dh(table_with("name: shoulder", "name: 'it''s'"), more).joints.at(0).joint.name, "it's");
  EXPECT_FALSE(more.has_errors()) << test::listing(more.all());
}

TEST(Dh, ReportsKeys) {
  for (const BadInput& bad : {
           BadInput{"unknown top key", table_with("gravity:", "gravitiy:"), 5, "unknown key 'gravitiy'; did you mean 'gravity'?"},
           BadInput{"unknown row key", table_with("viscous: 0.1", "viscuous: 0.1"), 10, "row 1: unknown key 'viscuous'; did you mean 'viscous'?"},
           BadInput{"far key", table_with("gravity:", "xyzzy_plugh:"), 5, "the keys here are robot, description, convention"},
           BadInput{"no space after the colon", table_with("a: 0.3", "a:0.3"), 8, "unknown key 'a:0.3'; write a space after the colon", Severity::error, false},
           BadInput{"unknown inertia key", table_with("iyz: 0.003", "izy: 0.003"), 18, "link 'link2' inertia: unknown key 'izy'"},
           BadInput{"unknown base key", table_with("rpy: [0, 0, pi/2]", "quat: [0, 0, 0, 1]"), 6, "base: unknown key 'quat'"},
           BadInput{"key twice", table_with("    theta: 0\n", "    theta: 0\n    d: 1\n"), 16, "row 2 d: this key is already in line 14"},
           BadInput{"top key twice", table_with("gravity:", "robot: other\ngravity:"), 5, "robot: this key is already in line 2"},
           BadInput{"no robot", table_with("robot: example\n", ""), 2, "the key 'robot' is missing"},
           BadInput{"no convention", table_with("convention: standard\n", ""), 1, "the key 'convention' is missing; write 'standard'"},
           BadInput{"no rows", replaced(kTable, kTable.substr(kTable.find("links:")), ""), 2, "the key 'links' is missing"},
           BadInput{"no joint type", table_with("joint: revolute, ", ""), 8, "joint 'shoulder': the key 'joint' is missing"},
           BadInput{"no alpha", table_with("    alpha: -0.5\n", ""), 11, "joint 'j2': the key 'alpha' is missing"},
           BadInput{"no mass", table_with("    mass: 1\n", ""), 11, "link 'link2': the key 'mass' is missing"},
           BadInput{"no centre", table_with("com: [0, 0.1, 0], ", ""), 8, "link 'upper': the key 'com' is missing"},
           BadInput{"no inertia", table_with("inertia: [0.01, 0.02, 0.025],", ""), 8, "link 'upper': the key 'inertia' is missing"},
           BadInput{"no ixx", table_with("ixx: 0.03, ", ""), 18, "link 'link2' inertia: the key 'ixx' is missing"},
           BadInput{"complex key", table_with("gravity:", "? [a, b]\n: 1\ngravity:"), 5, "a key must be a word, but this one is a list"},
           BadInput{"empty key", table_with("gravity:", "\"\": 1\ngravity:"), 5, "a key must be a word, but this one is empty"},
       })
    expect_problem(bad, problems_of(bad.text));
}

TEST(Dh, ReportsValues) {
  for (const BadInput& bad : {
           BadInput{"text", table_with("a: 0.3", "a: long"), 8, "joint 'shoulder' a: 'long' is not a number"},
           BadInput{"comma", table_with("    d: 0.2", "    d: 0,2"), 14, "joint 'j2' d: '0,2' has a decimal comma; write 0.2"},
           BadInput{"unit", table_with("    d: 0.2", "    d: 20cm"), 14, "carries a unit; write the number alone, in metres: 0.2"},
           BadInput{"degrees", table_with("alpha: -0.5", "alpha: 90 deg"), 13, "joint 'j2' alpha: '90 deg' carries a unit; write radians: pi/2"},
           BadInput{"degree sign", table_with("alpha: -0.5", "alpha: 90\u00b0"), 13, "write radians: pi/2"},
           BadInput{"pi as a length", table_with("a: 0.3", "a: pi/2"), 8, "a plain number belongs here"},
           BadInput{"nan", table_with("mass: 1", "mass: .nan"), 16, "is not a number"},
           BadInput{"inf", table_with("mass: 1", "mass: inf"), 16, "is not a finite number"},
           BadInput{"overflow", table_with("mass: 1", "mass: 1e999"), 16, "too large"},
           BadInput{"null", table_with("    d: 0.2", "    d:"), 14, "joint 'j2' d: the value is missing"},
           BadInput{"tilde", table_with("    d: 0.2", "    d: ~"), 14, "the value is missing"},
           BadInput{"list for a number", table_with("    d: 0.2", "    d: [0.2]"), 14, "a number belongs here, not a list"},
           BadInput{"mapping for a number", table_with("    d: 0.2", "    d: {x: 1}"), 14, "a number belongs here, not a mapping"},
           BadInput{"number for a list", table_with("com: [0, 0, 0.5]", "com: 0.5"), 17, "link 'link2' com: three numbers belong here, not a single value"},
           BadInput{"two components", table_with("com: [0, 0, 0.5]", "com: [0, 0.5]"), 17, "it has 2 components, but 3 are needed"},
           BadInput{"bad component", table_with("com: [0, 0, 0.5]", "com: [0, x, 0.5]"), 17, "component 2: 'x' is not a number"},
           BadInput{"six inertias", table_with("[0.01, 0.02, 0.025]", "[1, 2, 3, 0, 0, 0]"), 9,
                    "it has 6 components, but a list needs 3; write '[ixx, iyy, izz]' or '{ixx"},
           BadInput{"one inertia", table_with("[0.01, 0.02, 0.025]", "0.01"), 9, "an inertia tensor belongs here, not a single value"},
           BadInput{"gravity", table_with("[0, 0, -9.8]", "-9.8"), 5, "gravity: three numbers belong here"},
           BadInput{"base", table_with("{xyz: [0, 0, 1], rpy: [0, 0, pi/2]}", "[0, 0, 1]"), 6, "base: a placement belongs here, not a list"},
           BadInput{"convention", table_with("convention: standard", "convention: craig"), 4, "unknown convention 'craig'; write 'standard'"},
           BadInput{"convention misspelt", table_with("convention: standard", "convention: standart"), 4, "did you mean 'standard'?"},
           BadInput{"joint type", table_with("joint: prismatic", "joint: prismatik"), 11,
                    "unknown joint type 'prismatik'; write revolute, continuous, prismatic or fixed; did you mean 'prismatic'?"},
           BadInput{"limits", table_with("lower: 0\n", "lower: 1\n"), 20, "joint 'j2' lower: the lower limit 1 is above the upper limit 0.5"},
           BadInput{"effort", table_with("effort: 87", "effort: -87"), 10, "effort: -87 is negative"},
           BadInput{"friction", table_with("viscous: 0.1", "viscous: -0.1"), 10, "viscous: -0.1 is negative"},
           BadInput{"gear", table_with("gear: 60", "gear: 0"), 10, "gear: a gear ratio of 0"},
           BadInput{"partial", table_with("inertia_is: partial", "inertia_is: some"), 19, "inertia_is: unknown word 'some'"},
           BadInput{"partial misspelt", table_with("inertia_is: partial", "inertia_is: parital"), 19, "did you mean 'partial'?"},
           BadInput{"empty name", table_with("name: shoulder", "name: ''"), 8, "row 1 name: the value is missing"},
           BadInput{"list as name", table_with("name: shoulder", "name: [a]"), 8, "a word belongs here, not a list"},
           BadInput{"empty rows", replaced(kTable, kTable.substr(kTable.find("links:")), "links: []\n"), 7, "there are no rows"},
           BadInput{"null rows", replaced(kTable, kTable.substr(kTable.find("links:")), "links:\n"), 7, "there are no rows"},
           BadInput{"rows as mapping", replaced(kTable, kTable.substr(kTable.find("links:")), "links: {a: 1}\n"), 7, "rows belong here, not a mapping"},
           BadInput{"row as number", kTable + "  - 5\n", 22, "row 3: a row is a mapping, but this is a single value"},
       })
    expect_problem(bad, problems_of(bad.text));
}

TEST(Dh, ReportsBrokenYaml) {
  for (const BadInput& bad : {
           BadInput{"empty", "", 0, "it is empty"},
           BadInput{"comments", "# nothing\n", 0, "nothing but comments"},
           BadInput{"tab", table_with("    theta: 0\n", "\ttheta: 0\n"), 15, "the line is indented with a tab; use spaces"},
           BadInput{"tab after the dash", table_with("  - joint: prismatic", "  -\tjoint: prismatic"), 11, "indented with a tab"},
           BadInput{"not a mapping", "- 1\n- 2\n", 1, "a DH table is a mapping, but this is a list"},
           BadInput{"a word", "hello\n", 1, "but this is a single value"},
           BadInput{"null", "~\n", 1, "but this is nothing"},
           BadInput{"xml", "<robot name=\"r\"/>\n", 1, "this is XML, not a DH table in YAML; name a URDF file .urdf"},
           BadInput{"open bracket", "robot: r\nlinks: [1, 2\n", 3, "broken here"},
           BadInput{"open quote", "robot: r\nconvention: \"standard\nlinks: []\n", 2, "the quote that opens here is never closed"},
           BadInput{"bad indentation", "robot: r\n  convention: standard\n", 2, "broken here"},
           BadInput{"two documents", kTable + "---\nrobot: other\n", 22, "a second document begins here"},
           BadInput{"alias", table_with("gravity: [0, 0, -9.8]", "gravity: &g [0, 0, -9.8]\n").append("    rotor: *g\n"), 23,
                    "aliases (*name) are not accepted"},
           BadInput{"tag", table_with("    d: 0.2", "    d: !foo 0.2"), 14, "tag '!foo' is not accepted"},
           BadInput{"nul", std::string("robot: r\n\0", 10), 2, "control character 0x00"},
           BadInput{"end of transmission", "robot: r\n\x04\nlinks: []\n", 2, "control character 0x04"},  // yaml-cpp takes it for the end of the file
           BadInput{"latin-1 name", table_with("name: shoulder", "name: caf\xe9"), 8, "is not UTF-8"},
           BadInput{"deep lists", "robot: r\nlinks: " + repeated("[", 100'000), 2, "nested more than 32 deep"},
           BadInput{"deep mappings", "robot: r\nlinks: " + repeated("{a: ", 100'000), 2, "nested more than 32 deep"},
           BadInput{"deep dashes", repeated("- ", 100'000), 1, "nested more than 32 deep"},
           BadInput{"too large", "robot: " + std::string(3'000'000, 'r'), 0, "is larger than 2097152; raise the limit"},
       })
    expect_problem(bad, problems_of(bad.text));
}

TEST(Dh, RefusesAnAliasBomb) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous + repeated(", " + previous, 9) + "]\n";
  }
  EXPECT_GT(test::count(problems_of(text), Severity::error), 200);
}

TEST(Dh, WarnsOfWhatHasNoEffect) {
  const std::vector<Diagnostic> fixed = problems_of(table_with("joint: prismatic", "joint: fixed"));
  EXPECT_TRUE(test::has_problem(fixed, Severity::warning, 20, "joint 'j2' lower: it means nothing for a fixed joint")) << test::listing(fixed);
  const std::vector<Diagnostic> endless = problems_of(table_with("joint: revolute", "joint: continuous"));
  EXPECT_TRUE(test::has_problem(endless, Severity::warning, 10, "joint 'shoulder' upper: a continuous joint has no limits")) << test::listing(endless);
}

TEST(Dh, ReportsEveryProblemInOneRun) {
  std::string text = table_with("convention: standard", "convention: denavit");
  text = replaced(text, "gravity: [0, 0, -9.8]", "gravity: [0, 0]");
  text = replaced(text, "a: 0.3", "a: 30cm");
  text = replaced(text, "mass: 2", "mass: two");
  text = replaced(text, "gear: 60", "geer: 60");
  text = replaced(text, "    alpha: -0.5\n", "    alpha: 1,5\n");
  text = replaced(text, "    d: 0.2\n", "");
  const std::vector<Diagnostic> problems = problems_of(text);
  EXPECT_EQ(test::count(problems, Severity::error), 7) << test::listing(problems);
}

TEST(Dh, StopsAfterAThousandProblems) {
  const std::vector<Diagnostic> problems = problems_of("robot: r\nconvention: standard\nlinks:\n" + repeated("- {joint: revolute}\n", 5'000));
  EXPECT_LE(problems.size(), 1010u);  // the row that reaches the limit is read to its end
  EXPECT_NE(test::listing(problems).find("the rest of the file was not read"), std::string::npos);
}

// No bytes may crash the reader.

TEST(Dh, SurvivesEveryTruncation) {
  for (std::size_t length = 0; length < kTable.size(); ++length) problems_of(kTable.substr(0, length));
}

TEST(Dh, SurvivesChangedBytes) {
  for (std::size_t at = 0; at < kTable.size(); ++at)
    for (const char byte : {'\0', '{', '}', '[', ':', '"', '&', '*', '\n', '\t', '\xff', '-', '|'}) {
      std::string text = kTable;
      text[at] = byte;
      problems_of(text);
    }
}

TEST(Dh, SurvivesRandomBytes) {
  std::uint64_t state = 1;
  const auto next = [&state] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  constexpr std::string_view kAlphabet = "{}[],:-?!&*#|>'\"% \n ab1~";
  for (int round = 0; round < 1000; ++round) {
    std::string text = round % 2 ? "robot: r\n" : "";
    for (int i = 0; i < 100; ++i) text += round % 5 == 0 ? static_cast<char>(next() >> 56) : kAlphabet[(next() >> 40) % kAlphabet.size()];
    problems_of(text);
  }
}

}  // namespace
}  // namespace ulna::test
