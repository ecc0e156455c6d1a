// MJCF: what each element means, by closed forms; every fault with its line; files that include others.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

#include "source/readers.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using test::BadInput;
using test::count;
using test::has_problem;
using test::listing;
using test::replaced;

// Lines are counted in the tests below: keep them.
const std::string kMjcfArm = R"(<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.8"/>
  <default>
    <joint armature="0.1" damping="2"/>
    <default class="strong">
      <joint armature="0.5" frictionloss="0.25"/>
      <geom type="box"/>
    </default>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 0.5" childclass="strong">
      <inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/>
      <joint name="shoulder" axis="0 2 0" pos="0.1 0 0" range="-1 2"/>
      <body name="lower" pos="1 0 0">
        <inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.2 0.2" quat="1 0 0 1"/>
        <joint name="slide" type="slide" class="main" axis="1 0 0"
               ref="0.2" actuatorfrcrange="-30 30"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" gear="2" forcerange="-5 5"/>
  </actuator>
</mujoco>
)";

std::string mjcf_with(std::string_view from, std::string_view to) { return replaced(kMjcfArm, from, to); }

struct Read {
  Description robot;
  std::vector<Diagnostic> problems;
};
Read read_of(const std::string& text, LoopPolicy loops = LoopPolicy::honour) {
  Diagnostics diagnostics("arm.xml");
  Description robot = read_mjcf(text, diagnostics, {}, loops);
  test::expect_well_formed(diagnostics.all());
  return {robot, diagnostics.all()};
}

/// A world with this in it.
std::string world(std::string_view inside, std::string_view before = "") { return cat("<mujoco>", before, "<worldbody>", inside, "</worldbody></mujoco>"); }

const Link& link_of(const Description& robot, std::string_view name) {
  for (const Link& link : robot.links)
    if (link.name == name) return link;
  throw std::runtime_error(cat("no link ", name));
}
const Description::JointEntry& joint_of(const Description& robot, std::string_view name) {
  for (const Description::JointEntry& entry : robot.joints)
    if (entry.joint.name == name) return entry;
  throw std::runtime_error(cat("no joint ", name));
}

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = 1e-14) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Mat3<double>& a, const Mat3<double>& b, double tolerance = 1e-14) {
  for (const Vec3<double>& e : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}}) expect_near(a * e, b * e, tolerance);
}
void expect_near(const Sym3<double>& a, const Sym3<double>& b, double tolerance = 1e-14) { expect_near(a.full(), b.full(), tolerance); }

TEST(Mjcf, ReadsEveryField) {
  const auto [robot, problems] = read_of(kMjcfArm);
  EXPECT_EQ(count(problems, Severity::error) + count(problems, Severity::warning), 0) << listing(problems);
  EXPECT_EQ(robot.name, "arm");
  EXPECT_EQ(robot.gravity, (Vec3<double>{0, 0, -9.8}));
  EXPECT_EQ(robot.base, RootJoint::fixed);
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].name, "world");
  const Link& upper = link_of(robot, "upper");
  EXPECT_TRUE(upper.inertial);
  EXPECT_EQ(upper.line, 12);
  EXPECT_EQ(upper.mass, 2);
  EXPECT_EQ(upper.com, (Vec3<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(upper.inertia, (Sym3<double>{1, 2, 2.5, 0.1, 0.2, 0.3}));
  const Description::JointEntry& shoulder = joint_of(robot, "shoulder");
  EXPECT_EQ(shoulder.parent, "world");
  EXPECT_EQ(shoulder.child, "upper");
  EXPECT_EQ(shoulder.joint.line, 14);
  EXPECT_EQ(shoulder.joint.type, JointType::revolute);
  EXPECT_EQ(shoulder.joint.axis, (Vec3<double>{0, 1, 0}));
  EXPECT_EQ(shoulder.joint.X_PF.p, (Vec3<double>{0.1, 0, 0.5}));
  EXPECT_EQ(shoulder.joint.X_MB.p, (Vec3<double>{-0.1, 0, 0}));
  EXPECT_EQ(shoulder.joint.lower, -1);
  EXPECT_EQ(shoulder.joint.upper, 2);
  EXPECT_EQ(shoulder.joint.rotor, 0.5);  // of its class, which is within the outermost
  EXPECT_EQ(shoulder.joint.gear, 1);
  EXPECT_EQ(shoulder.joint.friction.viscous, 2);
  EXPECT_EQ(shoulder.joint.friction.coulomb, 0.25);
  EXPECT_EQ(shoulder.joint.effort, 10);  // five at the motor, twice at the joint
  const Joint& slide = joint_of(robot, "slide").joint;
  EXPECT_EQ(slide.type, JointType::prismatic);
  EXPECT_EQ(slide.rotor, 0.1);  // class="main" before childclass
  EXPECT_EQ(slide.friction.coulomb, 0);
  EXPECT_EQ(slide.effort, 30);
  EXPECT_EQ(slide.X_PF.p, (Vec3<double>{0.8, 0, 0}));                      // it stands at pos where q is ref
  expect_near(link_of(robot, "lower").inertia, {0.2, 0.1, 0.2, 0, 0, 0});  // a quarter turn about z
}

// --- orientations ---------------------------------------------------------------------------------------------------------------------------------

Mat3<double> rotation_read(std::string_view attribute, std::string_view compiler) {
  const auto [robot, problems] = read_of(world(cat("<body name=\"b\" ", attribute, "/>"), cat("<compiler ", compiler, "/>")));
  EXPECT_EQ(count(problems, Severity::error), 0) << listing(problems);
  return joint_of(robot, "b_fixed").joint.X_PF.R;
}

TEST(Mjcf, OrientationsInFiveForms) {
  const double right = std::numbers::pi / 2;
  expect_near(rotation_read("euler=\"90 0 0\"", ""), rotation_x(right));  // degrees unless the file says otherwise
  expect_near(rotation_read("euler=\"0.1 0.2 0.3\"", "angle=\"radian\""), rotation_x(0.1) * rotation_y(0.2) * rotation_z(0.3));
  // Axes that stay: x, then y, then z is URDF's roll, pitch, yaw.
  expect_near(rotation_read("euler=\"0.1 0.2 0.3\"", "angle=\"radian\" eulerseq=\"XYZ\""), rotation_rpy(0.1, 0.2, 0.3));
  expect_near(rotation_read("euler=\"0.1 0.2 0.3\"", "angle=\"radian\" eulerseq=\"zYx\""), rotation_y(0.2) * rotation_z(0.1) * rotation_x(0.3));
  expect_near(rotation_read("axisangle=\"0 0 3 30\"", ""), rotation_z(right / 3));
  expect_near(rotation_read("zaxis=\"0 -2 0\"", ""), rotation_x(right));
  expect_near(rotation_read("zaxis=\"0 0 -2\"", ""), rotation_x(2 * right));
  expect_near(rotation_read("xyaxes=\"0 2 0 -3 1 0\"", ""), rotation_z(right));
  EXPECT_EQ(rotation_read("quat=\"1 -1 0 0\"", ""), (Mat3<double>{1, 0, 0, 0, 0, 1, 0, -1, 0}));  // exact, whatever its length
  EXPECT_EQ(rotation_read("quat=\"1e-200 0 0 1e-200\"", ""), (Mat3<double>{0, -1, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(Mjcf, FramesAddUpAndAnElementsOwnOrientationComesFirst) {
  const auto [robot, problems] = read_of(world(R"(
    <frame pos="1 0 0" euler="0 0 90">
      <frame pos="1 0 0"><body name="b" pos="1 0 0">
        <frame euler="90 0 0"><joint name="j" axis="0 1 0" pos="0 0 2"/><geom name="g" size="0.1" pos="0 1 0"/></frame>
      </body></frame>
    </frame>)"));
  EXPECT_EQ(count(problems, Severity::error), 0) << listing(problems);
  const Joint& joint = joint_of(robot, "j").joint;
  expect_near(joint.axis, {0, 0, 1});                   // y of the frame is z of the body
  expect_near((joint.X_PF * joint.X_MB).p, {1, 2, 0});  // one along x, then two along the turned x
  expect_near(joint.X_MB.p, {0, 2, 0});                 // its z is -y of the body
  expect_near(link_of(robot, "b").com, {0, 0, 1});
  const auto by_class = [](std::string_view own) {
    const Read r =
        read_of(world(cat("<body name=\"b\"><geom size=\"1 2 3\" type=\"box\" mass=\"3\" ", own, "/></body>"), "<default><geom euler=\"0 90 0\"/></default>"));
    return link_of(r.robot, "b").inertia;
  };
  expect_near(by_class(""), {5, 10, 13, 0, 0, 0});  // x and z of {13, 10, 5} change places
  expect_near(by_class("quat=\"1 0 0 0\""), {13, 10, 5, 0, 0, 0});
  expect_near(by_class("zaxis=\"0 1 0\""), {13, 5, 10, 0, 0, 0});
}

// --- masses of shapes ------------------------------------------------------------------------------------------------------------------------------

Link mass_read(std::string_view geoms, std::string_view compiler = "") {
  const auto [robot, problems] = read_of(world(cat("<body name=\"b\"><joint/>", geoms, "</body>"), compiler));
  EXPECT_EQ(count(problems, Severity::error), 0) << listing(problems);
  return link_of(robot, "b");
}

constexpr double kPi = std::numbers::pi;

TEST(Mjcf, MassesOfShapes) {
  const Link sphere = mass_read("<geom size=\"0.5\" density=\"2\"/>");
  EXPECT_NEAR(sphere.mass, 2 * 4.0 / 3 * kPi * 0.125, 1e-14);
  expect_near(sphere.inertia, 0.4 * sphere.mass * 0.25 * Sym3<double>{1, 1, 1, 0, 0, 0});
  const Link box = mass_read("<geom type=\"box\" size=\"1 2 3\"/>");
  EXPECT_NEAR(box.mass, 48000, 1e-9);  // 1000 kg/m³ unless stated
  expect_near(box.inertia, {208000, 160000, 80000, 0, 0, 0}, 1e-9);
  const Link ellipsoid = mass_read("<geom type=\"ellipsoid\" size=\"1 2 3\" mass=\"5\"/>");
  expect_near(ellipsoid.inertia, {13, 10, 5, 0, 0, 0});
  const Link cylinder = mass_read("<geom type=\"cylinder\" size=\"1 3\" mass=\"4\"/>");
  expect_near(cylinder.inertia, {13, 13, 2, 0, 0, 0});
  // A capsule by its parts: the half balls of volume 2/3 π r³ have their mass centres 3/8 r from the flat face, and 2/5 m r² - m (3/8 r)² across.
  const double r = 0.5, h = 1.2, ball = 2.0 / 3 * kPi * r * r * r, middle = kPi * r * r * h, at = h / 2 + 3 * r / 8;
  const Link capsule = mass_read("<geom type=\"capsule\" size=\"0.5 0.6\" density=\"1\"/>");
  EXPECT_NEAR(capsule.mass, 2 * ball + middle, 1e-14);
  EXPECT_NEAR(capsule.inertia.xx, middle * (3 * r * r + h * h) / 12 + 2 * ball * (0.4 * r * r - 9.0 / 64 * r * r + at * at), 1e-14);
  EXPECT_NEAR(capsule.inertia.zz, middle * r * r / 2 + 2 * ball * 0.4 * r * r, 1e-14);
  // Between two points: from (0,0,0) to (0,0,1.2) it is the same, half its length up.
  const Link between = mass_read("<geom type=\"capsule\" size=\"0.5\" fromto=\"0 0 0 0 0 1.2\" density=\"1\"/>");
  expect_near(between.com, {0, 0, 0.6});
  expect_near(between.inertia, capsule.inertia);
  const Link bar = mass_read("<geom type=\"box\" size=\"0.1\" fromto=\"0 0 0 0 2 0\" mass=\"3\"/>");
  expect_near(bar.inertia, {1 + 0.01, 0.02, 1 + 0.01, 0, 0, 0});
}

TEST(Mjcf, ShapesAddUp) {
  const Link two = mass_read(
      "<geom size=\"0.1\" mass=\"1\" pos=\"1 0 0\"/><geom size=\"0.1\" mass=\"3\" pos=\"-1 0 0\"/>"
      "<geom size=\"9\" mass=\"0\"/><geom size=\"9\" density=\"0\"/><geom size=\"9\" group=\"4\"/><geom type=\"plane\" size=\"1 1 1\"/>",
      "<compiler inertiagrouprange=\"0 2\"/>");
  EXPECT_EQ(two.mass, 4);
  expect_near(two.com, {-0.5, 0, 0});
  expect_near(two.inertia, {0.016, 3.016, 3.016, 0, 0, 0});  // Steiner: 1·1.5² + 3·0.5² beside 4·0.4·0.01
}

TEST(Mjcf, StatedMassesAndShapes) {
  constexpr std::string_view kBoth = "<inertial pos=\"0 0 0\" mass=\"7\" diaginertia=\"1 1 1\"/><geom size=\"0.1\" mass=\"1\"/>";
  EXPECT_EQ(mass_read(kBoth).mass, 7);
  EXPECT_EQ(mass_read(kBoth, "<compiler inertiafromgeom=\"true\"/>").mass, 1);
  EXPECT_EQ(mass_read("<geom size=\"0.1\" mass=\"1\"/>", "<compiler inertiafromgeom=\"false\"/>").mass, 0);
  const Link bounded = mass_read(kBoth, "<compiler boundmass=\"8\" boundinertia=\"2\"/>");
  EXPECT_EQ(bounded.mass, 8);
  expect_near(bounded.inertia, {2, 2, 2, 0, 0, 0});
  const Link balanced = mass_read("<inertial pos=\"0 0 0\" mass=\"7\" diaginertia=\"1 1 4\"/>", "<compiler balanceinertia=\"true\"/>");
  expect_near(balanced.inertia, {2, 2, 2, 0, 0, 0});
  const Link scaled = mass_read(kBoth, "<compiler settotalmass=\"14\"/>");
  EXPECT_EQ(scaled.mass, 14);
  expect_near(scaled.inertia, {2, 2, 2, 0, 0, 0});
}

TEST(Mjcf, MeshesGiveMassOnlyWhereNothingMoves) {
  const auto [robot, problems] =
      read_of(world("<body name=\"base\">\n<geom type=\"mesh\" mesh=\"m\"/>\n<body name=\"arm\"><joint name=\"j\"/>\n"
                    "<geom type=\"mesh\" mesh=\"m\" mass=\"0\"/>\n<geom mesh=\"m\"/></body></body>"));
  EXPECT_TRUE(
      has_problem(problems, Severity::note, 2, "link 'base': it states no mass, and its geom is of mesh 'm' (<asset> has no such mesh); it does not move"))
      << listing(problems);
  EXPECT_TRUE(has_problem(problems, Severity::error, 5, "link 'arm' <geom>: the body takes its mass from this geom, of mesh 'm': <asset> has no such mesh"))
      << listing(problems);
  EXPECT_EQ(count(problems, Severity::error), 1) << listing(problems);
}

// --- joints ---------------------------------------------------------------------------------------------------------------------------------------

TEST(Mjcf, SeveralJointsOfABodyHaveLinksBetween) {
  const Model model =
      parse(world("<body name=\"b\" pos=\"0 0 1\"><joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/><joint name=\"y\" type=\"slide\" axis=\"0 1 0\"/>"
                  "<joint name=\"yaw\"/><geom size=\"0.1\" mass=\"2\" pos=\"1 0 0\"/></body>"),
            "b.xml");
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"x", "y", "yaw"}));
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::vector<double> q{0.3, 0.4, 0.5};
  std::vector<double> M(9);
  mass_matrix(plan, ws, q, MatrixView<double>(M.data(), 3, 3));
  // A point of 2 kg at one metre: M = [2, 0, -2 sin; 0, 2, 2 cos; ., ., 2 + 0.4·2·0.01].
  EXPECT_NEAR(M[0], 2, 1e-14);
  EXPECT_NEAR(M[2], -2 * std::sin(0.5), 1e-14);
  EXPECT_NEAR(M[5], 2 * std::cos(0.5), 1e-14);
  EXPECT_NEAR(M[8], 2.008, 1e-14);
}

TEST(Mjcf, ADegreeFileAndARadianFileAreTheSame) {
  const std::string degrees = mjcf_with("angle=\"radian\"", "angle=\"degree\"");
  const Joint& joint =
      joint_of(read_of(replaced(degrees, "range=\"-1 2\"", "range=\"-90 180\" ref=\"30\" springref=\"45\" stiffness=\"3\"")).robot, "shoulder").joint;
  EXPECT_NEAR(joint.lower, -kPi / 2, 1e-15);
  EXPECT_NEAR(joint.upper, kPi, 1e-15);
  EXPECT_NEAR(joint.rest, kPi / 4, 1e-15);
  EXPECT_EQ(joint.stiffness, 3);
  expect_near(joint.X_PF.R, rotation_y(-kPi / 6));
}

TEST(Mjcf, LinearEqualitiesAreMimics) {
  const std::string text = mjcf_with("<actuator>", "<equality>\n<joint joint1=\"slide\" joint2=\"shoulder\" polycoef=\"0.5 3 0 0 0\"/></equality><actuator>");
  const Description robot = read_of(text).robot;
  const Description::JointEntry& slide = joint_of(robot, "slide");
  ASSERT_TRUE(slide.joint.mimic);
  EXPECT_EQ(slide.leader, "shoulder");
  EXPECT_EQ(slide.joint.mimic->multiplier, 3);
  EXPECT_EQ(slide.joint.mimic->offset, 0.7);  // beside its ref, 0.2
  const Read bent = read_of(replaced(text, "0.5 3 0 0 0", "0 1 1 0 0"));
  EXPECT_FALSE(joint_of(bent.robot, "slide").joint.mimic);
  EXPECT_TRUE(has_problem(bent.problems, Severity::error, 23, "by a polynomial that is not linear")) << listing(bent.problems);
  const auto [held, problems] = read_of(replaced(text, "joint2=\"shoulder\" ", ""));
  EXPECT_FALSE(joint_of(held, "slide").joint.mimic);
  EXPECT_TRUE(has_problem(problems, Severity::warning, 23, "--lock slide=0.7")) << listing(problems);
  EXPECT_FALSE(joint_of(read_of(replaced(text, "<joint joint1", "<joint active=\"false\" joint1")).robot, "slide").joint.mimic);
}

TEST(Mjcf, AFreeBodyIsTheRoot) {
  const std::string text = world(
      "<body name=\"table\"/><body name=\"trunk\" pos=\"0 0 1\" euler=\"90 0 0\">\n<freejoint name=\"root\"/><geom size=\"0.1\"/>"
      "<body name=\"leg\"><joint name=\"hip\"/><geom size=\"0.1\" pos=\"1 0 0\"/></body></body>");
  const Description robot = read_of(text).robot;
  EXPECT_EQ(robot.base, RootJoint::free);
  ASSERT_EQ(robot.links.size(), 2u);
  EXPECT_EQ(robot.links[0].name, "trunk");
  EXPECT_EQ(robot.joints.size(), 1u);
  expect_near(robot.gravity, {0, 0, -9.81});
  const LoadResult loaded = try_parse(text, "a.xml");
  ASSERT_TRUE(loaded.model) << listing(loaded.diagnostics);
  EXPECT_EQ(loaded.model->nv(), 7u);
  // The joint's type may say it, too; and two robots in one file are refused.
  EXPECT_EQ(read_of(replaced(text, "<freejoint name", "<joint type=\"free\" name")).robot.base, RootJoint::free);
  EXPECT_TRUE(has_problem(read_of(replaced(text, "<body name=\"table\"/>", "<body name=\"ball\"><freejoint/><geom size=\"1\"/></body>")).problems,
                          Severity::error, 2, "two robots in one file"));
}

TEST(Mjcf, BallJointsHaveTheAxesOfTheirBody) {
  const auto [robot, problems] = read_of(R"(<mujoco><worldbody><body name="a" pos="1 2 3" quat="0 1 0 0">
    <joint name="hip" type="ball" pos="0 0 0.5" axis="1 0 0" ref="3" range="0 1" limited="true" damping="0.3" armature="0.2"/>
    <geom size="0.1"/></body></worldbody><compiler angle="radian"/></mujoco>)");
  const Joint& hip = joint_of(robot, "hip").joint;
  EXPECT_EQ(hip.type, JointType::ball);
  expect_near(hip.axis, {0, 0, 1});
  expect_near(hip.X_PF.p, {1, 2, 2.5});
  expect_near(hip.X_MB.p, {0, 0, -0.5});
  EXPECT_EQ(hip.rotor, 0.2);
  EXPECT_EQ(hip.friction.viscous, 0.3);
  EXPECT_TRUE(std::isinf(hip.upper));
  EXPECT_TRUE(has_problem(problems, Severity::note, 2, "may turn by 1 at most")) << listing(problems);
}

TEST(Mjcf, SpringsAndGravityCompensationAreRead) {
  const auto [robot, problems] =
      read_of(replaced(mjcf_with("range=\"-1 2\"", "stiffness=\"4\" springref=\"0.5\""), "<body name=\"lower\"", "<body name=\"lower\" gravcomp=\"0.5\""));
  EXPECT_EQ(joint_of(robot, "shoulder").joint.stiffness, 4);
  EXPECT_EQ(joint_of(robot, "shoulder").joint.rest, 0.5);
  EXPECT_EQ(link_of(robot, "lower").gravcomp, 0.5);
  EXPECT_TRUE(has_problem(problems, Severity::note, 14, "a spring of 4 N m/rad acts at it, at rest at 0.5")) << listing(problems);
  EXPECT_TRUE(has_problem(problems, Severity::note, 15, "gravity compensation carries 0.5 of its weight")) << listing(problems);
}

// MuJoCo 4.0: of a lone body with gravcomp -0.2, qfrc_gravcomp is 0.
TEST(Mjcf, NegativeCompensationAloneIsNone) {
  const auto [robot, problems] = read_of(mjcf_with("<body name=\"lower\"", "<body name=\"lower\" gravcomp=\"-0.2\""));
  EXPECT_EQ(link_of(robot, "lower").gravcomp, 0);
  EXPECT_TRUE(has_problem(problems, Severity::warning, 15, "no body has a positive one")) << listing(problems);
}

// --- faults ---------------------------------------------------------------------------------------------------------------------------------------

TEST(Mjcf, EveryFaultHasItsLine) {
  const std::vector<BadInput> cases{
      {"no worldbody", "<mujoco>\n</mujoco>", 1, "it has no <worldbody>"},
      {"part", "<mujocoinclude/>", 1, "a part of a MuJoCo model"},
      {"class", mjcf_with("class=\"main\"", "class=\"strng\""), 17, "there is no default class 'strng'; correct the name; did you mean 'strong'?"},
      {"childclass", mjcf_with("childclass=\"strong\"", "childclass=\"strng\""), 12, "there is no default class 'strng'"},
      {"number", mjcf_with("armature=\"0.5\"", "armature=\"0,5\""), 7, "<default> <joint>: armature"},
      {"count", mjcf_with("pos=\"0 0 0.5\"", "pos=\"0 0.5\""), 12, "pos has 2 numbers, but 3 are needed"},
      {"axis", mjcf_with("axis=\"0 2 0\"", "axis=\"0 0 0\""), 14, "joint 'shoulder': the axis is zero"},
      {"range", mjcf_with("range=\"-1 2\"", "range=\"2 -1\""), 14, "the lower limit 2 is above the upper limit -1"},
      {"limited", mjcf_with("range=\"-1 2\"", "limited=\"true\""), 14, "it is limited, but range is missing"},
      {"type", mjcf_with("type=\"slide\"", "type=\"slid\""), 17, "type is 'slid'; write hinge, slide, ball or free; did you mean 'slide'?"},
      {"global", mjcf_with("angle=\"radian\"", "coordinate=\"global\""), 2, "global coordinates are not read"},
      {"eulerseq", mjcf_with("angle=\"radian\"", "eulerseq=\"xyw\""), 2, "eulerseq is 'xyw'"},
      {"orientations", mjcf_with("pos=\"0 0 0.5\"", "euler=\"0 0 1\" quat=\"1 0 0 0\""), 12, "it has several orientations: quat, euler"},
      {"zero quat", mjcf_with("pos=\"0 0 0.5\"", "quat=\"0 0 0 0\""), 12, "quat gives no direction"},
      {"parallel", mjcf_with("pos=\"0 0 0.5\"", "xyaxes=\"1 0 0 2 0 0\""), 12, "xyaxes gives no direction"},
      {"world", mjcf_with("name=\"upper\"", "name=\"world\""), 12, "this name belongs to the world", Severity::error, false},
      {"no mass", mjcf_with("mass=\"2\" ", ""), 13, "link 'upper' <inertial>: attribute 'mass' is missing"},
      {"two tensors", mjcf_with("mass=\"2\" ", "mass=\"2\" diaginertia=\"1 1 1\" "), 13, "it has both diaginertia and fullinertia"},
      {"turned full", mjcf_with("mass=\"2\" ", "mass=\"2\" euler=\"0 0 1\" "), 13, "fullinertia is in the axes of the body"},
      {"actuator", mjcf_with("motor joint=\"shoulder\"", "motor joint=\"sholder\""), 23,
       "there is no joint 'sholder'; correct the name; did you mean 'shoulder'?"},
      {"negative damping", mjcf_with("damping=\"2\"", "damping=\"-2\""), 5, "damping -2 is negative", Severity::error, false},
      {"composite", mjcf_with("<actuator>", "<worldbody><composite/></worldbody><actuator>"), 22, "<composite>: it creates bodies, which Ulna does not read"},
      {"include", mjcf_with("<actuator>", "<include file=\"a.xml\"/><actuator>"), 22, "<include>: the model is a text without a folder"},
      {"size", world("<body><joint/>\n<geom type=\"box\" size=\"1 2\"/></body>"), 2, "a box needs 3 positive numbers in its size, and number 3 is 0"},
      {"point", world("<body><joint/>\n<geom type=\"capsule\" size=\"1\" fromto=\"1 2 3 1 2 3\"/></body>"), 2, "its two points are the same"},
      {"free inside", world("<body name=\"a\"><body name=\"b\">\n<freejoint/></body></body>"), 2, "its body is not a child of the world"},
      {"unnamed class", world("", "<default>\n<default/></default>"), 2, "a class inside another needs a name"},
  };
  for (const BadInput& bad : cases) test::expect_problem(bad, read_of(bad.text).problems);
  const Read slip = read_of(mjcf_with("axis=\"0 2 0\"", "axs=\"0 2 0\""));
  EXPECT_TRUE(has_problem(slip.problems, Severity::error, 14, "joint 'shoulder': attribute 'axs' is unknown; write 'axis'")) << listing(slip.problems);
  const Read loop = read_of(mjcf_with("<actuator>", "<equality>\n<weld body1=\"upper\" body2=\"lower\"/></equality><actuator>"), LoopPolicy::ignore);
  EXPECT_TRUE(has_problem(loop.problems, Severity::warning, 23, "it closes a loop: ignored")) << listing(loop.problems);
}

TEST(Mjcf, WhatIsNotUsedIsListed) {
  const Read read = read_of(mjcf_with("<actuator>", "<tendon/>\n<sensor/><keyframe/><contact/>\n<actuator>"));
  for (const auto& [line, piece] : {std::pair{22, "<tendon>"}, std::pair{23, "<sensor>"}, std::pair{23, "<keyframe>"}, std::pair{23, "<contact>"}})
    EXPECT_TRUE(has_problem(read.problems, Severity::note, line, cat(piece, ": it is not used"))) << listing(read.problems);
  EXPECT_TRUE(has_problem(read.problems, Severity::note, 25, "attribute 'gear'")) << listing(read.problems);
}

TEST(Mjcf, TheRootElementTellsTheFormat) {
  EXPECT_TRUE(try_parse(kMjcfArm, "arm.xml").model);
  EXPECT_TRUE(try_parse(kMjcfArm, "arm.mjcf").model);
  EXPECT_TRUE(try_parse(cat("<?xml version=\"1.0\"?><!-- <robot> -->\n", kMjcfArm), "arm.urdf").model);
  EXPECT_TRUE(try_parse(kMjcfArm, "arm").model);
  EXPECT_TRUE(try_parse("<robot name=\"r\"><link name=\"a\"/></robot>", "a.mjcf").model);
}

TEST(Mjcf, IncludedFiles) {
  const support::Folder folder;
  const std::string whole = kMjcfArm;
  const std::size_t from = whole.find("  <default>"), to = whole.find("  <worldbody>");
  folder.write("classes.xml", "<mujocoinclude>\n" + whole.substr(from, to - from) + "</mujocoinclude>");
  folder.write("robot.xml", whole.substr(0, from) + "<include file=\"classes.xml\"/>\n" + whole.substr(to));
  const LoadResult loaded = try_load(folder.at("robot.xml"));
  ASSERT_TRUE(loaded.model) << listing(loaded.diagnostics);
  EXPECT_EQ(loaded.model->joints()[0].rotor, 0.5);
  // A fault of the part names the part; a link of it names the line that includes it.
  folder.write("classes.xml", "<mujocoinclude>\n<default>\n<joint armature=\"x\"/></default></mujocoinclude>");
  const LoadResult faulty = try_load(folder.at("robot.xml"));
  ASSERT_FALSE(faulty.model);
  bool named = false;
  for (const Diagnostic& d : faulty.diagnostics) named = named || (d.file == folder.at("classes.xml") && d.line == 3);
  EXPECT_TRUE(named) << listing(faulty.diagnostics);
  folder.write("classes.xml", "<mujocoinclude>\n<include file=\"robot.xml\"/></mujocoinclude>");
  EXPECT_NE(listing(try_load(folder.at("robot.xml")).diagnostics).find("is included already"), std::string::npos);
  folder.write("robot.xml", "<mujoco>\n<include file=\"nothing.xml\"/><worldbody/></mujoco>");
  EXPECT_TRUE(has_problem(try_load(folder.at("robot.xml")).diagnostics, Severity::error, 2, "there is no such file"));
}

}  // namespace
}  // namespace ulna::test
