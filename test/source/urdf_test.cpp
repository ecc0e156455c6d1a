#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ulna/source/load.hpp>

#include "support/problems.hpp"

#include "source/readers.hpp"

namespace ulna::test {
namespace {

using test::BadInput;
using test::repeated;
using test::replaced;

// Lines are counted in the tests below: keep them.
const std::string kUrdfArm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2"
               iyy="2" iyz="0.3" izz="2.5"/>
    </inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <joint name="j1" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.25" static="0.3"/>
  </joint>
</robot>
)";

std::vector<Diagnostic> urdf_problems(const std::string& text) {
  Diagnostics diagnostics("arm.urdf");
  read_urdf(text, diagnostics);
  test::expect_well_formed(diagnostics.all());
  return diagnostics.all();
}

std::string urdf_with(std::string_view from, std::string_view to) { return replaced(kUrdfArm, from, to); }

TEST(Urdf, ReadsEveryField) {
  Diagnostics diagnostics("arm.urdf");
  const Description robot = read_urdf(kUrdfArm, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics.all());
  EXPECT_EQ(robot.name, "arm");
  EXPECT_EQ(robot.file, "arm.urdf");
  EXPECT_EQ(robot.gravity, (Vec3<double>{0, 0, -9.81}));
  ASSERT_EQ(robot.links.size(), 2u);
  EXPECT_EQ(robot.links[0].name, "base");
  EXPECT_FALSE(robot.links[0].inertial);
  EXPECT_EQ(robot.links[0].line, 3);
  const Link& link = robot.links[1];
  EXPECT_TRUE(link.inertial);
  EXPECT_EQ(link.line, 4);
  EXPECT_EQ(link.mass, 2);
  EXPECT_EQ(link.com, (Vec3<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(link.inertia, (Sym3<double>{1, 2, 2.5, 0.1, 0.2, 0.3}));
  ASSERT_EQ(robot.joints.size(), 1u);
  const Joint& joint = robot.joints[0].joint;
  EXPECT_EQ(joint.name, "j1");
  EXPECT_EQ(joint.line, 13);
  EXPECT_EQ(joint.type, JointType::revolute);
  EXPECT_EQ(robot.joints[0].parent, "base");
  EXPECT_EQ(robot.joints[0].child, "upper");
  EXPECT_EQ(joint.X_PF.p, (Vec3<double>{0, 0, 0.5}));
  EXPECT_EQ(joint.X_PF.R, Mat3<double>::identity());
  EXPECT_EQ(joint.X_MB, Pose<double>{});
  EXPECT_EQ(joint.axis, (Vec3<double>{0, 0, 1}));
  EXPECT_EQ(joint.lower, -1);
  EXPECT_EQ(joint.upper, 2);
  EXPECT_EQ(joint.effort, 10);
  EXPECT_EQ(joint.velocity, 3);
  EXPECT_EQ(joint.friction.viscous, 0.5);
  EXPECT_EQ(joint.friction.coulomb, 0.25);
  EXPECT_EQ(joint.friction.static_level, 0.3);
  EXPECT_EQ(joint.rotor, 0);
  EXPECT_EQ(joint.gear, 1);
  EXPECT_FALSE(joint.mimic);
}

TEST(Urdf, DefaultsAreThoseOfRos) {
  Diagnostics diagnostics("arm.urdf");
  const Description robot = read_urdf(R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)",
                                      diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.count(Severity::warning), 0);
  ASSERT_EQ(robot.joints.size(), 1u);
  EXPECT_EQ(robot.joints[0].joint.axis, (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(robot.joints[0].joint.X_PF, Pose<double>{});
  EXPECT_TRUE(std::isinf(robot.joints[0].joint.lower));
  EXPECT_TRUE(std::isinf(robot.joints[0].joint.effort));
}

TEST(Urdf, RollPitchYawIsAboutFixedAxes) {
  Diagnostics diagnostics("arm.urdf");
  // Roll 90°, then yaw 90°, about fixed axes: y goes to z and stays there, z goes to -y and then to x, x goes to y.
  const Description robot =
      read_urdf(urdf_with("<origin xyz=\"0 0 0.5\" rpy=\"0 0 0\"/>", "<origin rpy=\"1.5707963267948966 0 1.5707963267948966\"/>"), diagnostics);
  const Mat3<double>& R = robot.joints.at(0).joint.X_PF.R;
  const Mat3<double> expected{0, 0, 1, 1, 0, 0, 0, 1, 0};
  for (const auto entry : {&Mat3<double>::xx, &Mat3<double>::xy, &Mat3<double>::xz, &Mat3<double>::yx, &Mat3<double>::yy, &Mat3<double>::yz, &Mat3<double>::zx,
                           &Mat3<double>::zy, &Mat3<double>::zz})
    EXPECT_NEAR(R.*entry, expected.*entry, 1e-15);
}

TEST(Urdf, InertialAxesAreTurnedIntoLinkAxes) {
  Diagnostics diagnostics("arm.urdf");
  // Yaw by t: x and y mix as J = R I Rᵀ says.
  const double t = 0.3, c = std::cos(t), s = std::sin(t);
  const Description robot = read_urdf(urdf_with("rpy=\"0 0 0\"/>\n      <mass", "rpy=\"0 0 0.3\"/>\n      <mass"), diagnostics);
  const Sym3<double>& J = robot.links.at(1).inertia;
  const double xx = 1, yy = 2, xy = 0.1, xz = 0.2, yz = 0.3;
  EXPECT_NEAR(J.xx, c * c * xx + s * s * yy - 2 * s * c * xy, 1e-15);
  EXPECT_NEAR(J.yy, s * s * xx + c * c * yy + 2 * s * c * xy, 1e-15);
  EXPECT_NEAR(J.zz, 2.5, 1e-15);
  EXPECT_NEAR(J.xy, s * c * (xx - yy) + (c * c - s * s) * xy, 1e-15);
  EXPECT_NEAR(J.xz, c * xz - s * yz, 1e-15);
  EXPECT_NEAR(J.yz, s * xz + c * yz, 1e-15);
  EXPECT_EQ(robot.links.at(1).com, (Vec3<double>{0.1, 0.2, 0.3}));  // the centre is given in link axes
}

TEST(Urdf, AxesAreNormalised) {
  const auto axis = [](std::string_view text, int& warnings) {
    Diagnostics diagnostics("arm.urdf");
    const Description robot = read_urdf(urdf_with("<axis xyz=\"0 0 1\"/>", std::string("<axis xyz=\"").append(text).append("\"/>")), diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics.all());
    warnings = static_cast<int>(diagnostics.count(Severity::warning));
    return robot.joints.at(0).joint.axis;
  };
  int warnings = 0;
  EXPECT_EQ(axis("0 -1 0", warnings), (Vec3<double>{0, -1, 0}));
  EXPECT_EQ(warnings, 0);
  EXPECT_EQ(axis("0 0 2", warnings), (Vec3<double>{0, 0, 1}));
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(axis("0 0 1e-320", warnings), (Vec3<double>{0, 0, 1}));
  EXPECT_EQ(axis("0 1e308 0", warnings), (Vec3<double>{0, 1, 0}));
  const Vec3<double> a = axis("0.70710678 0.70710678 0", warnings);
  EXPECT_EQ(warnings, 0);
  EXPECT_NEAR(a.x, std::sqrt(0.5), 1e-15);
}

TEST(Urdf, ReadsDrakeRotors) {
  Diagnostics diagnostics("arm.urdf");
  const Description robot = read_urdf(urdf_with("</robot>", R"(<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
    <joint name="j1"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
    <actuator name="m1"><drake:rotor_inertia value="2e-4"/><drake:gear_ratio value="-60"/><mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>)"),
                                      diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics.all());
  EXPECT_EQ(robot.joints.at(0).joint.rotor, 2e-4);
  EXPECT_EQ(robot.joints.at(0).joint.gear, -60);
  EXPECT_TRUE(test::has_problem(diagnostics.all(), Severity::note, 23, "mechanicalReduction"));
}

TEST(Urdf, ReadsMimic) {
  Diagnostics diagnostics("arm.urdf");
  const Description robot = read_urdf(urdf_with("</joint>", "<mimic joint=\"other\" multiplier=\"-2\" offset=\"0.5\"/></joint>"), diagnostics);
  ASSERT_TRUE(robot.joints.at(0).joint.mimic);
  EXPECT_EQ(robot.joints[0].leader, "other");
  EXPECT_EQ(robot.joints[0].joint.mimic->multiplier, -2);
  EXPECT_EQ(robot.joints[0].joint.mimic->offset, 0.5);
}

TEST(Urdf, SkipsAByteOrderMarkAndCarriageReturns) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : urdf_with("value=\"2\"", "value=\"x\"")) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::vector<Diagnostic> problems = urdf_problems(text);
  EXPECT_TRUE(test::has_problem(problems, Severity::error, 7, "'x' is not a number")) << test::listing(problems);
}

TEST(Urdf, ExpandedXacroIsFine) { EXPECT_TRUE(urdf_problems(urdf_with("<robot name", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" name")).empty()); }

TEST(Urdf, ReportsNumbers) {
  for (const BadInput& bad : {
           BadInput{"text", urdf_with("value=\"2\"", "value=\"abc\""), 7, "link 'upper' <inertial> <mass>: value 'abc' is not a number"},
           BadInput{"comma", urdf_with("value=\"2\"", "value=\"1,5\""), 7, "has a decimal comma; write 1.5"},
           BadInput{"unit", urdf_with("xyz=\"0 0 0.5\"", "xyz=\"0 0 5cm\""), 16,
                    "joint 'j1' <origin>: xyz component 3: '5cm' carries a unit; write the number alone, in metres: 0.05"},
           BadInput{"nan", urdf_with("izz=\"2.5\"", "izz=\"nan\""), 9, "<inertia>: izz 'nan' is not a finite number"},
           BadInput{"inf", urdf_with("effort=\"10\"", "effort=\"inf\""), 18, "not a finite number"},
           BadInput{"overflow", urdf_with("value=\"2\"", "value=\"1e999\""), 7, "too large"},
           BadInput{"empty", urdf_with("value=\"2\"", "value=\"\""), 7, "value is empty"},
           BadInput{"two components", urdf_with("xyz=\"0 0 1\"", "xyz=\"0 1\""), 17, "xyz has 2 numbers, but 3 are needed"},
           BadInput{"no components", urdf_with("xyz=\"0 0 1\"", "xyz=\"\""), 17, "xyz has 0 numbers"},
           BadInput{"four components", urdf_with("xyz=\"0 0 1\"", "xyz=\"0 0 1 0\""), 17, "xyz has 4 numbers"},
           BadInput{"comma list", urdf_with("xyz=\"0 0 1\"", "xyz=\"0, 0, 1\""), 17, "commas between its numbers; separate numbers by spaces"},
           BadInput{"tight comma list", urdf_with("xyz=\"0 0 1\"", "xyz=\"0,0,1\""), 17, "commas between its numbers"},
           BadInput{"decimal commas", urdf_with("xyz=\"0 0 1\"", "xyz=\"0 0 1,0\""), 17, "'1,0' has a decimal comma"},
           BadInput{"xacro value", urdf_with("value=\"2\"", "value=\"${m}\""), 7, "xacro expression"},
           BadInput{"expression", urdf_with("rpy=\"0 0 0\"/>\n    <axis", "rpy=\"pi/2 0 0\"/>\n    <axis"), 16, "write 1.5707963267948966"},
       })
    expect_problem(bad, urdf_problems(bad.text));
}

// ROS's habit: a link for the world, and a joint of several degrees of freedom below it.
TEST(Urdf, AFloatingOrPlanarJointBelowTheRootIsTheBase) {
  for (const RootJoint base : {RootJoint::free, RootJoint::planar}) {
    const std::string type = base == RootJoint::free ? "type=\"floating\"" : "type=\"planar\"";
    const std::string text = replaced(urdf_with("type=\"revolute\"", type), "<origin xyz=\"0 0 0.5\" rpy=\"0 0 0\"/>", "");
    Diagnostics diagnostics("arm.urdf");
    const Description robot = read_urdf(text, diagnostics);
    EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics.all());
    EXPECT_EQ(robot.base, base);
    ASSERT_EQ(robot.links.size(), 1u);
    EXPECT_EQ(robot.links[0].name, "upper");
    EXPECT_TRUE(robot.joints.empty());
    const Model model = parse(text, "arm.urdf");
    EXPECT_EQ(model.base(), base);
    EXPECT_EQ(model.nv(), base_nv(base));
    Diagnostics written;
    const std::optional<std::string> again = write_urdf(model, written);
    ASSERT_TRUE(again);
    EXPECT_EQ(parse(*again, "again.urdf").base(), base);
    EXPECT_EQ(parse(text, "arm.urdf", {.base = RootJoint::fixed}).nv(), 0u);
  }
}

/// Kinetic energy of the robot, ½ vᵀ M v.
double urdf_energy(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::size_t n = model.nv();
  std::vector<double> M(n * n);
  mass_matrix(plan, ws, q, MatrixView<double>(M.data(), n, n));
  double twice = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) twice += v[i] * M[i * n + k] * v[k];
  return twice / 2;
}

// Elsewhere in the tree, or beside another joint, several joints stand in its place: the link has the energy of a base that moves alike.
TEST(Urdf, AFloatingOrPlanarJointElsewhereIsSeveral) {
  const std::string stand = R"(<link name="stand"/><joint name="s" type="fixed"><parent link="base"/><child link="stand"/></joint></robot>)";
  const std::vector<double> turn{0.1, -0.5, 0.3, std::sqrt(1 - 0.35)}, spin{0.7, -0.2, 0.4}, slide{1.5, -0.6, 0.9};
  const Mat3<double> R = rotation_of({turn[0], turn[1], turn[2], turn[3]});
  const std::string floating = replaced(urdf_with("type=\"revolute\"", "type=\"floating\""), "<origin xyz=\"0 0 0.5\" rpy=\"0 0 0\"/>", "");
  const Model free = parse(floating, "arm.urdf"), inside = parse(replaced(floating, "</robot>", stand), "arm.urdf");
  EXPECT_EQ(inside.base(), RootJoint::fixed);
  ASSERT_EQ(inside.nv(), 6u);
  ASSERT_EQ(inside.nq(), 7u);
  EXPECT_EQ(inside.joints()[0].name, "j1_x");
  EXPECT_EQ(inside.joints()[3].type, JointType::ball);
  const Vec3<double> u = R.transposed() * Vec3<double>{slide[0], slide[1], slide[2]};  // the base's numbers are in its own axes
  const double energy = urdf_energy(free, {1, 2, 3, turn[0], turn[1], turn[2], turn[3]}, {spin[0], spin[1], spin[2], u.x, u.y, u.z});
  EXPECT_NEAR(urdf_energy(inside, {1, 2, 3, turn[0], turn[1], turn[2], turn[3]}, {slide[0], slide[1], slide[2], spin[0], spin[1], spin[2]}), energy,
              1e-13 * energy);

  const std::string planar = replaced(floating, "floating", "planar");
  const Model rolling = parse(planar, "arm.urdf"), held = parse(replaced(planar, "</robot>", stand), "arm.urdf");
  ASSERT_EQ(held.nv(), 3u);
  const std::vector<double> q{0.3, -0.2, 0.8}, v{0.5, 1.1, -0.4};
  EXPECT_NEAR(urdf_energy(held, q, v), urdf_energy(rolling, q, v), 1e-14);
  const Model tilted = parse(replaced(planar, "xyz=\"0 0 1\"", "xyz=\"0 2 0\""), "arm.urdf");
  ASSERT_EQ(tilted.nv(), 3u);
  EXPECT_EQ(tilted.joints()[2].axis.y, 1);
  for (const std::size_t j : {0u, 1u}) EXPECT_EQ(tilted.joints()[j].axis.y, 0);
  EXPECT_NE(test::listing(urdf_problems(replaced(planar, "xyz=\"0 0 1\"", "xyz=\"0 0 0\""))).find("the axis is zero"), std::string::npos);
}

TEST(Urdf, ReportsElementsAndAttributes) {
  for (const BadInput& bad : {
           BadInput{"no mass", urdf_with("<mass value=\"2\"/>", ""), 5, "link 'upper' <inertial>: <mass> is missing"},
           BadInput{"mass as text", urdf_with("<mass value=\"2\"/>", "<mass>2</mass>"), 7, "attribute 'value' is missing; write <mass value=\"2\"/>"},
           BadInput{"no tensor entry", urdf_with("iyz=\"0.3\"", ""), 8, "attribute 'iyz' is missing"},
           BadInput{"no parent", urdf_with("<parent link=\"base\"/>", ""), 13, "joint 'j1': <parent> is missing"},
           BadInput{"no child", urdf_with("<child link=\"upper\"/>", ""), 13, "joint 'j1': <child> is missing"},
           BadInput{"no link name", urdf_with("<child link=\"upper\"/>", "<child/>"), 15, "joint 'j1' <child>: attribute 'link' is missing"},
           BadInput{"empty parent name", urdf_with("<parent link=\"base\"/>", "<parent link=\"\"/>"), 14, "attribute 'link' is empty"},
           BadInput{"link without name", urdf_with("<link name=\"base\"/>", "<link/>"), 3, "<link>: attribute 'name' is missing"},
           BadInput{"link with empty name", urdf_with("<link name=\"base\"/>", "<link name=\" \"/>"), 3, "<link>: attribute 'name' is empty"},
           BadInput{"joint without name", urdf_with("<joint name=\"j1\" ", "<joint "), 13, "<joint>: attribute 'name' is missing"},
           BadInput{"joint without type", urdf_with(" type=\"revolute\"", ""), 13, "joint 'j1': attribute 'type' is missing"},
           BadInput{"unknown type", urdf_with("type=\"revolute\"", "type=\"revolut\""), 13, "did you mean 'revolute'?"},
           BadInput{"floating, mimic", replaced(urdf_with("type=\"revolute\"", "type=\"floating\""), "</joint>", "<mimic joint=\"j1\"/></joint>"), 13,
                    "a floating joint cannot mimic another"},
           BadInput{"zero axis", urdf_with("xyz=\"0 0 1\"", "xyz=\"0 0 0\""), 17, "joint 'j1' <axis>: the axis is zero"},
           BadInput{"axis without xyz", urdf_with("<axis xyz=\"0 0 1\"/>", "<axis/>"), 17, "attribute 'xyz' is missing"},
           BadInput{"limits swapped", urdf_with("lower=\"-1\"", "lower=\"3\""), 18, "the lower limit 3 is above the upper limit 2"},
           BadInput{"lower above default", urdf_with("lower=\"-1\" upper=\"2\"", "lower=\"1\""), 18, "the lower limit 1 is above the upper limit 0"},
           BadInput{"wrong lower alone", urdf_with("lower=\"-1\" upper=\"2\"", "lower=\"x\" upper=\"-2\""), 18, "'x' is not a number"},
           BadInput{"negative effort", urdf_with("effort=\"10\"", "effort=\"-10\""), 18, "effort -10 is negative"},
           BadInput{"negative velocity", urdf_with("velocity=\"3\"", "velocity=\"-3\""), 18, "velocity -3 is negative"},
           BadInput{"negative damping", urdf_with("damping=\"0.5\"", "damping=\"-0.5\""), 19, "damping -0.5 is negative"},
           BadInput{"negative friction", urdf_with("friction=\"0.25\"", "friction=\"-0.25\""), 19, "friction -0.25 is negative"},
           BadInput{"two inertials", urdf_with("</inertial>", "</inertial>\n<inertial/>"), 11, "link 'upper' <inertial>: it is given twice, first in line 5"},
           BadInput{"two origins", urdf_with("<axis", "<origin/>\n<axis"), 17, "<origin>: it is given twice"},
           BadInput{"two axes", urdf_with("<limit", "<axis xyz=\"1 0 0\"/>\n<limit"), 18, "<axis>: it is given twice"},
           BadInput{"attribute twice", urdf_with("value=\"2\"", "value=\"2\"\nvalue=\"3\""), 8, "attribute 'value' is given twice"},
           BadInput{"quaternion", urdf_with("rpy=\"0 0 0\"/>\n    <axis", "quat_xyzw=\"0 0 0 2\"/>\n    <axis"), 16, "the quaternion has length 2"},
           BadInput{"two rotations", urdf_with("rpy=\"0 0 0\"/>\n    <axis", "rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>\n    <axis"), 16,
                    "it states the rotation twice"},
           BadInput{"three numbers of a quaternion", urdf_with("rpy=\"0 0 0\"/>\n    <axis", "quat_xyzw=\"0 0 1\"/>\n    <axis"), 16, "4 are needed"},
           BadInput{"negative jerk", urdf_with("velocity=\"3\"", "velocity=\"3\" jerk=\"-1\""), 18, "jerk -1 is negative"},
           BadInput{"mimic of nobody", urdf_with("</joint>", "<mimic/></joint>"), 20, "<mimic>: attribute 'joint' is missing"},
           BadInput{"mimic factor", urdf_with("</joint>", "<mimic joint=\"j2\" multiplier=\"two\"/></joint>"), 20, "multiplier 'two' is not a number"},
           BadInput{"latin-1 name", urdf_with("name=\"j1\"", "name=\"caf\xe9\""), 13, "is not UTF-8; save the file as UTF-8"},
           BadInput{"control character", urdf_with("name=\"j1\"", "name=\"j&#7;1\""), 13, "control character"},
       })
    expect_problem(bad, urdf_problems(bad.text));
  // No <inertia>: the element's six lines are gone.
  const std::string text = replaced(urdf_with("<inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\"\n", ""), "               iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/>", "");
  test::expect_problem({"no inertia", text, 5, "link 'upper' <inertial>: <inertia> is missing"}, urdf_problems(text));
}

// URDF 1.2: limits that change no torque, kept through a conversion, and watched in motions.
TEST(Urdf, LimitsOfAccelerationAreKept) {
  const Model model = parse(urdf_with("velocity=\"3\"", "velocity=\"3\" acceleration=\"2\" deceleration=\"1.5\" jerk=\"40\""), "arm.urdf");
  Diagnostics told;
  const std::optional<std::string> text = write_urdf(model, told);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("version=\"1.2\""), std::string::npos);
  const Model again = parse(*text, "again.urdf");
  for (const Model* one : {&model, &again}) {
    const Joint& joint = one->joints()[*one->find_joint("j1")];
    EXPECT_EQ(joint.acceleration, 2);
    EXPECT_EQ(joint.deceleration, 1.5);
    EXPECT_EQ(joint.jerk, 40);
  }
  const std::vector<double> t{0, 1}, q{0, 0.1}, v{0, 0}, a{0, 1.8};
  bool broken = false;
  for (const LimitUse& use : limits_used(model, {t, q, v, a, {}}, {.between = false}))
    if (use.kind == LimitKind::acceleration && use.broken()) broken = use.limit == 1.5;
  EXPECT_TRUE(broken);
}

TEST(Urdf, ReportsRotors) {
  const auto with = [](std::string_view actuator, std::string_view joint = "<joint name=\"j1\"/>") {
    return urdf_with("</robot>", "<transmission name=\"t\">" + std::string(joint) + "<actuator name=\"m\">\n" + std::string(actuator) +
                                     "</actuator></transmission></robot>");
  };
  for (const BadInput& bad : {
           BadInput{"no value", with("<drake:rotor_inertia/>"), 22, "transmission 't' <actuator> <drake:rotor_inertia>: attribute 'value' is missing"},
           BadInput{"wrong value", with("<drake:gear_ratio value=\"1:60\"/>"), 22, "value '1:60' is not a number"},
           BadInput{"zero gear", with("<drake:gear_ratio value=\"0\"/>"), 22, "uncouple"},
           BadInput{"no joint", with("<drake:gear_ratio value=\"2\"/>", ""), 21, "transmission 't': <joint> is missing"},
           BadInput{"unknown joint", with("<drake:gear_ratio value=\"2\"/>", "<joint name=\"j11\"/>"), 21,
                    "there is no joint 'j11'; correct the name; did you mean 'j1'?"},
           BadInput{"two rotors",
                    replaced(with("<drake:rotor_inertia value=\"1\"/>"), "</robot>",
                             "\n<transmission><joint name=\"j1\"/><actuator><drake:rotor_inertia value=\"1\"/></actuator></transmission></robot>"),
                    23, "has a rotor already"},
       })
    expect_problem(bad, urdf_problems(bad.text));
}

TEST(Urdf, ReportsBrokenXml) {
  for (const BadInput& bad : {
           BadInput{"empty", "", 0, "it is empty"},
           BadInput{"blank", " \n\t\r\n", 0, "it is empty"},
           BadInput{"only a mark", "\xef\xbb\xbf", 0, "it is empty"},
           BadInput{"prose", "hello", 1, "holds no XML element"},
           BadInput{"only a declaration", "<?xml version=\"1.0\"?>\n", 1, "holds no XML element"},
           BadInput{"open element", "<robot name=\"r\">\n<link name=\"a\">\n", 2, "<link>: the file ends here, but this element of line 2 is still open"},
           BadInput{"wrong end tag", "<robot name=\"r\">\n<link name=\"a\"/>\n<joint name=\"j\">\n</robot>\n", 4,
                    "<joint>: the end tag here does not close this element of line 3; write </joint> first"},
           BadInput{"misspelt end tag", "<robot name=\"r\">\n<link name=\"a\"/>\n</robt>\n", 3,
                    "<robot>: the end tag here does not close this element of line 1"},
           BadInput{"end tag too many", "<robot name=\"r\">\n</robot>\n</robot>\n", 3, "an end tag here closes nothing"},
           BadInput{"no quotes", "<robot name=r>\n</robot>\n", 1, "broken here"},
           BadInput{"open quote", "<robot name=\"r>\n</robot>\n", 1, "broken here"},
           BadInput{"open comment", "<robot name=\"r\">\n<!-- \n</robot>\n", 3, "still open"},
           BadInput{"text before", "x <robot name=\"r\"><link name=\"a\"/></robot>", 1, "text before the root element"},
           BadInput{"text after", "<robot name=\"r\"><link name=\"a\"/></robot>\nx", 2, "text after the root element"},
           BadInput{"two roots", "<robot name=\"r\"><link name=\"a\"/></robot>\n<robot/>", 2, "a second root element"},
           BadInput{"sdf", "<sdf version=\"1.7\"/>", 1, "<sdf>: this is an SDFormat file, not URDF"},
           BadInput{"mujoco", "<mujoco/>", 1, "this is a MuJoCo model (MJCF), not URDF"},
           BadInput{"html", "<!DOCTYPE html>\n<html><body><br></body></html>", 2, "web page (HTML)"},
           BadInput{"other root", "<foo/>", 1, "the root element of a URDF file is <robot>"},
           BadInput{"entities", "<!DOCTYPE robot [<!ENTITY m \"2\">]>\n<robot name=\"r\"><link name=\"a\"/></robot>", 1, "entities"},
           BadInput{"no links", "<robot name=\"r\">\n</robot>", 1, "robot 'r': it has no links"},
           BadInput{"nul", std::string("<robot name=\"r\">\n\0</robot>", 26), 2, "control character 0x00"},
           BadInput{"utf-16", std::string("\xff\xfe<\0r\0", 6), 1, "UTF-16"},
           BadInput{"deep", "<robot name=\"r\">\n" + repeated("<a>", 100'000) + repeated("</a>", 100'000) + "</robot>", 2, "nested more than 100 deep"},
       })
    expect_problem(bad, urdf_problems(bad.text));
}

TEST(Urdf, WarnsOfWhatRosRefuses) {
  constexpr Severity kWarning = Severity::warning;
  for (const BadInput& bad : {
           BadInput{"no limit", urdf_with("<limit lower=\"-1\" upper=\"2\" effort=\"10\" velocity=\"3\"/>", ""), 13, "<limit> is missing, and ROS refuses",
                    kWarning},
           BadInput{"no effort", urdf_with("effort=\"10\"", ""), 18, "effort is missing", kWarning},
           BadInput{"no effort and velocity", urdf_with("effort=\"10\" velocity=\"3\"", ""), 18, "effort and velocity are missing", kWarning},
           BadInput{"no bounds", urdf_with("lower=\"-1\" upper=\"2\"", ""), 18, "lower and upper are missing, so both are 0", kWarning},
           BadInput{"long axis", urdf_with("xyz=\"0 0 1\"", "xyz=\"0 0 2\""), 17, "the axis has length 2", kWarning},
           BadInput{"no robot name", urdf_with(" name=\"arm\"", ""), 2, "no name", kWarning},
           BadInput{"misspelt drawing", urdf_with("<inertial>", "<visuals/><inertial>"), 5, "element <visuals> is unknown and ignored; did you mean 'visual'?",
                    kWarning},
           BadInput{"latin-1 comment", urdf_with("<axis", "<!-- \xb0 --><axis"), 17, "byte 0xb0 is not UTF-8", kWarning},
       }) {
    const std::vector<Diagnostic> problems = urdf_problems(bad.text);
    expect_problem(bad, problems);
    EXPECT_EQ(test::count(problems, Severity::error), 0) << bad.name << "\n" << test::listing(problems);
  }
}

// Names that differ from a known one by case or by a slip: the numbers behind them would be lost.
TEST(Urdf, SlipsThatWouldLoseNumbersAreErrors) {
  for (const BadInput& bad : {
           BadInput{"mass centre", urdf_with("<origin xyz=\"0.1", "<origin XYZ=\"0.1"), 6, "<inertial> <origin>: attribute 'XYZ' is unknown; write 'xyz'"},
           BadInput{"orientation", urdf_with("rpy=\"0 0 0\"/>\n      <mass", "RPY=\"1 0 0\"/>\n      <mass"), 6, "attribute 'RPY' is unknown; write 'rpy'"},
           BadInput{"swapped", urdf_with("<origin xyz=\"0 0 0.5\"", "<origin xzy=\"0 0 0.5\""), 16, "attribute 'xzy' is unknown; write 'xyz'"},
           BadInput{"element of another case", urdf_with("<origin xyz=\"0 0 0.5\"", "<Origin xyz=\"0 0 0.5\""), 16,
                    "element <Origin> is unknown; write 'origin'"},
           BadInput{"<inertial>", replaced(urdf_with("<inertial>", "<inertail>"), "</inertial>", "</inertail>"), 5,
                    "element <inertail> is unknown; write 'inertial'"},
           BadInput{"<axis>", urdf_with("<axis", "<axes"), 17, "element <axes> is unknown; write 'axis'"},
           BadInput{"<limit>", urdf_with("<limit", "<limits"), 18, "element <limits> is unknown; write 'limit'"},
           BadInput{"lower", urdf_with("lower=", "Lower="), 18, "attribute 'Lower' is unknown; write 'lower'"},
           BadInput{"upper", urdf_with("upper=", "uper="), 18, "attribute 'uper' is unknown; write 'upper'"},
           BadInput{"<dynamics>", urdf_with("<dynamics", "<dynamic"), 19, "element <dynamic> is unknown; write 'dynamics'"},
           BadInput{"damping", urdf_with("damping=", "dampning="), 19, "attribute 'dampning' is unknown; write 'damping'"},
           BadInput{"friction", urdf_with("friction=", "Friction="), 19, "attribute 'Friction' is unknown; write 'friction'"},
           BadInput{"<mimic>", urdf_with("<dynamics", "<Mimic joint=\"j\"/>\n<dynamics"), 19, "element <Mimic> is unknown; write 'mimic'"},
           BadInput{"<joint>", urdf_with("</robot>", "<Joint name=\"j2\"/></robot>"), 21, "element <Joint> is unknown; write 'joint'"},
           BadInput{"another word for rpy", urdf_with("<origin xyz=\"0.1", "<origin quat=\"0 0 0 1\" xyz=\"0.1"), 6,
                    "<inertial> <origin>: attribute 'quat' is unknown, and its number would be lost; write xyz, rpy and quat_xyzw"},
           BadInput{"both cases", urdf_with("<origin xyz=\"0.1", "<origin XYZ=\"1 0 0\" xyz=\"0.1"), 6, "attribute 'XYZ' is unknown; write 'xyz'"},
           BadInput{"rotor", urdf_with("</robot>", "<transmission><actuator><drake:rotor_inerta value=\"1\"/></actuator></transmission></robot>"), 21,
                    "<actuator>: element <drake:rotor_inerta> is unknown; write 'drake:rotor_inertia'"},
           BadInput{"pose of a joint", urdf_with("<origin xyz=\"0 0 0.5\" rpy=\"0 0 0\"/>", "<pose>0 0 0.5 0 0 0</pose>"), 16,
                    "joint 'j1' <pose>: it is SDFormat's, and URDF has <origin>; write <origin xyz="},
           BadInput{"pose of a mass", urdf_with("<origin xyz=\"0.1", "<pose>0.1 0 0 0 0 0</pose><origin xyz=\"0.1"), 6, "<inertial> <pose>: it is SDFormat's"},
           BadInput{"SDFormat's damping",
                    urdf_with("<dynamics damping=\"0.5\" friction=\"0.25\" static=\"0.3\"/>", "<dynamics><damping>2</damping></dynamics>"), 19,
                    "<dynamics>: <damping> is an attribute, not an element; write <dynamics damping=\"...\"/>"},
           BadInput{"stray mass", urdf_with("<inertial>", "<mass value=\"3\"/><inertial>"), 5,
                    "link 'upper' <mass>: it is not inside <inertial>; move it there"},
       })
    expect_problem(bad, urdf_problems(bad.text));
  for (const auto& [wrong, right] : {std::pair{"iyx", "ixy"}, {"izx", "ixz"}, {"izy", "iyz"}}) {
    const std::vector<Diagnostic> problems = urdf_problems(urdf_with(std::string(right) + "=", std::string(wrong) + "="));
    EXPECT_TRUE(test::has_problem(problems, Severity::error, std::string(right) == "iyz" ? 9 : 8,
                                  std::string("attribute '") + wrong + "' is unknown; write '" + right + "'"))
        << test::listing(problems);
  }
  // Required ones are missing besides.
  for (const auto& [from, to] : {std::pair{"<mass value", "<mass Value"}, {"ixx=", "Ixx="}, {"<axis xyz", "<axis XYZ"}, {"<mass", "<Mass"}}) {
    const std::vector<Diagnostic> problems = urdf_problems(urdf_with(from, to));
    EXPECT_EQ(test::count(problems, Severity::error), 2) << to << "\n" << test::listing(problems);
  }
}

// What only resembles a known name, has its right one besides, or is an extension of ROS, Gazebo or Drake stays a note or a warning.
TEST(Urdf, ExtensionsAreNoSlips) {
  for (const auto& [from, to] : {std::pair{"</robot>", "<tool/><group name=\"g\"/><drake:joint/><self_collision/></robot>"},
                                 {"<dynamics ", "<dynamics stiffness=\"1\" spring_reference=\"0\" D=\"1\" "},
                                 {"<limit ", "<limit drake:acceleration=\"9\" acceleration=\"1\" jerk=\"2\" "},
                                 {"ixy=\"0.1\"", "ixy=\"0.1\" iyx=\"0.1\" izx=\"0.2\""},
                                 {"<inertial>", "<contact><lateral_friction value=\"1\"/></contact><drake:proximity_properties/><inertial>"}}) {
    const std::vector<Diagnostic> problems = urdf_problems(urdf_with(from, to));
    EXPECT_EQ(test::count(problems, Severity::error), 0) << to << "\n" << test::listing(problems);
    EXPECT_GT(problems.size(), 0u) << to;
  }
}

TEST(Urdf, FixedJointsMayCarryAnything) {
  const std::string text = replaced(urdf_with("type=\"revolute\"", "type=\"fixed\""), "xyz=\"0 0 1\"", "xyz=\"0 0 0\"");
  EXPECT_TRUE(urdf_problems(text).empty()) << test::listing(urdf_problems(text));
}

TEST(Urdf, NotesEachUnusedKindOnce) {
  const std::string text =
      urdf_with("</robot>", "<gazebo/>\n<gazebo/>\n<gazebo reference=\"a\"/>\n<version>7</version><transmission/>\n<frobnicator/><loop_joint/></robot>");
  const std::vector<Diagnostic> problems =
      urdf_problems(replaced(text, "<dynamics ", "<safety_controller k_velocity=\"1\"/><calibration/><dynamics D=\"1\" K=\"2\" "));
  EXPECT_EQ(test::count(problems, Severity::error) + test::count(problems, Severity::warning), 0) << test::listing(problems);
  EXPECT_EQ(test::count(problems, Severity::note), 9) << test::listing(problems);
  for (const std::string_view piece :
       {"<gazebo>: it is not used (3 times in this file)", "<transmission>: it is not used", "<version>: it is not used", "element <frobnicator>",
        "element <loop_joint>", "<safety_controller>", "<calibration>", "<dynamics>, attribute 'D'", "<dynamics>, attribute 'K'"})
    EXPECT_NE(test::listing(problems).find(piece), std::string::npos) << piece << "\n" << test::listing(problems);
}

TEST(Urdf, ReportsEveryProblemInOneRun) {
  std::string text = urdf_with("value=\"2\"", "value=\"2kg\"");
  text = replaced(text, "izz=\"2.5\"", "izz=\"x\"");
  text = replaced(text, "type=\"revolute\"", "type=\"rotary\"");
  text = replaced(text, "<parent link=\"base\"/>", "");
  text = replaced(text, "xyz=\"0 0 1\"", "xyz=\"a 0 b\"");
  text = replaced(text, "damping=\"0.5\"", "damping=\"-1\"");
  const std::vector<Diagnostic> problems = urdf_problems(text);
  EXPECT_EQ(test::count(problems, Severity::error), 7) << test::listing(problems);
  for (const int line : {7, 9, 13, 17, 19}) EXPECT_TRUE(test::has_problem(problems, Severity::error, line, "")) << line;
}

// Reading finds the one, the laws of mechanics the other.
TEST(Urdf, ReportsANegativeMassBesideAMissingInertia) {
  const std::string text = replaced(urdf_with("value=\"2\"", "value=\"-2\""), R"(<inertia ixx="1" ixy="0.1" ixz="0.2"
               iyy="2" iyz="0.3" izz="2.5"/>)",
                                    "");
  const std::vector<Diagnostic> problems = try_parse(text, "arm.urdf").diagnostics;
  EXPECT_EQ(test::count(problems, Severity::error), 2) << test::listing(problems);
  EXPECT_TRUE(test::has_problem(problems, Severity::error, 4, "its mass is -2 kg")) << test::listing(problems);
  EXPECT_TRUE(test::has_problem(problems, Severity::error, 5, "<inertia")) << test::listing(problems);
}

TEST(Urdf, StopsAfterAThousandProblems) {
  const std::vector<Diagnostic> problems = urdf_problems("<robot name=\"r\">" + repeated("<link/>", 100'000) + "</robot>");
  EXPECT_EQ(problems.size(), 1001u);
  EXPECT_NE(test::listing(problems).find("the rest of the file was not read"), std::string::npos);
}

// No bytes may crash the reader; run with the sanitizers this looks for stray reads, too.

TEST(Urdf, SurvivesEveryTruncation) {
  for (std::size_t length = 0; length < kUrdfArm.size(); ++length) {
    const std::vector<Diagnostic> problems = urdf_problems(kUrdfArm.substr(0, length));
    const bool complete = kUrdfArm.find("</robot>") + 8 <= length;
    EXPECT_EQ(test::count(problems, Severity::error) > 0, !complete) << length;
    for (const Diagnostic& d : problems) EXPECT_LE(d.line, 23);
  }
}

TEST(Urdf, SurvivesChangedBytes) {
  for (std::size_t at = 0; at < kUrdfArm.size(); ++at)
    for (const char byte : {'\0', '<', '>', '"', '&', '/', '\xff', ' ', '9'}) {
      std::string text = kUrdfArm;
      text[at] = byte;
      urdf_problems(text);
    }
}

TEST(Urdf, SurvivesRandomBytes) {
  std::uint64_t state = 1;
  const auto next = [&state] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int round = 0; round < 300; ++round) {
    std::string text = round % 2 ? "<robot name='r'>" : "";
    for (int i = 0; i < 200; ++i) text += round % 3 == 0 ? static_cast<char>(next() >> 56) : "<>/=\"' &;!-[]ab?\n"[(next() >> 40) % 17];
    urdf_problems(text);
  }
}

TEST(Urdf, SurvivesLargeFiles) {
  urdf_problems("<robot name=\"r\"><link name=\"a\" " + repeated("x='1' ", 100'000) + "/></robot>");
  urdf_problems("<robot name=\"" + std::string(5'000'000, 'r') + "\"/>");
  urdf_problems(repeated("<", 5'000'000));
  urdf_problems(repeated("<robot>", 500'000));
}

}  // namespace
}  // namespace ulna::test
