// The rules of MuJoCo's compiler, one small file each. M and gravity are by closed forms, or by MuJoCo 4.0.0 where a line says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <ulna/source/load.hpp>

#include "source/mjcf_defaults.hpp"
#include "support/cases.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using test::has_problem;
using test::listing;

LoadResult loaded(const std::string& text) {
  LoadOptions options;
  options.advise = true;
  LoadResult result = try_parse(text, "robot.xml", options);
  test::expect_well_formed(result.diagnostics);
  return result;
}

Model read(const std::string& text) {
  const LoadResult result = loaded(text);
  if (!result.model) throw std::runtime_error(cat(listing(result.diagnostics), "\n", text));
  return *result.model;
}

/// Of the first coordinate, at q = 0.
double inertia(const std::string& text) {
  const Model model = read(text);
  return test::mass_of(make_plan(model), std::vector<double>(model.nq(), 0))(0, 0);
}
double weight(const std::string& text) {
  const Model model = read(text);
  test::State s{std::vector<double>(model.nq(), 0), std::vector<double>(model.nv(), 0), std::vector<double>(model.nv(), 0)};
  return test::inverse_of(make_plan(model), s)[0];
}
void expect_refused(const std::string& text, std::string_view problem) {
  const LoadResult result = loaded(text);
  EXPECT_FALSE(result.model) << text;
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 1, problem)) << problem << "\n" << listing(result.diagnostics);
}
bool notes(const std::string& text, std::string_view problem) { return has_problem(loaded(text).diagnostics, Severity::note, 1, problem); }

/// Two links that swing about y: a capsule of water 0.3 m long, then a box. MuJoCo: M00 is 0.137828 without armature, M01 0.020944, M11 0.006544.
std::string arm(std::string_view before, std::string_view after = "", std::string_view joint1 = "", std::string_view joint2 = "") {
  return cat("<mujoco>", before, "<worldbody><body name='a' pos='0 0 .2'><joint name='j1' axis='0 1 0' ", joint1,
             "/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/><body name='b' pos='.3 0 0'><joint name='j2' axis='0 1 0' ", joint2,
             "/><geom type='box' size='.1 .02 .03' pos='.1 0 0'/></body></body></worldbody>", after, "</mujoco>");
}
/// A body that swings about y and holds this.
std::string pendulum(std::string_view inside, std::string_view compiler = "", std::string_view before = "") {
  return cat("<mujoco><compiler ", compiler, "/>", before, "<worldbody><body><joint axis='0 1 0'/>", inside, "</body></worldbody></mujoco>");
}
const std::string kMass = "<inertial pos='.1 0 0' mass='2' diaginertia='1 1 1'/>";  // M = 1.02

const double kArmInertia = 0.137828, kTolerance = 1e-6;  // six digits of MuJoCo

TEST(MjcfCompiler, ClassesAreCopiedWhenTheyAreMade) {
  const std::string x = "<default><default class='x'><joint damping='1'/></default></default>";
  EXPECT_NEAR(inertia(arm(cat(x, "<default><joint armature='.5'/></default>"), "", "class='x'")), kArmInertia, kTolerance);
  EXPECT_NEAR(inertia(arm(cat("<default><joint armature='.5'/></default>", x), "", "class='x'")), kArmInertia + 0.5, kTolerance);
  EXPECT_NEAR(inertia(arm("<default><default class='x'><joint damping='1'/></default><joint armature='.5'/></default>", "", "class='x'")), kArmInertia + 0.5,
              kTolerance);
  EXPECT_NEAR(inertia(arm(cat(x, "<default><joint armature='.5'/></default>"), "", "class='main'")), kArmInertia + 0.5, kTolerance);
  EXPECT_NEAR(inertia(arm("", "", "class='main'")), kArmInertia, kTolerance);  // there without any <default>
  expect_refused(arm("<default><default class='x'/><default class='x'/></default>"), "there is a class 'x' already");
}

TEST(MjcfCompiler, MissingNumbersOfAnArrayKeepThoseOfTheClass) {
  // A box of 0.1 by 0.6 by 0.7 about y: m (a² + c²)/3, as MuJoCo: 56.
  EXPECT_NEAR(inertia(pendulum("<geom type='box' size='.1'/>", "", "<default><geom size='.5 .6 .7'/></default>")), 336 * (0.01 + 0.49) / 3, 1e-12);
  EXPECT_NEAR(inertia(pendulum("<geom type='box' size='.5 .6 .7'/>")),
              inertia(pendulum("<geom type='box'/>", "", "<default><geom size='.5 .6 .7'/></default>")), 0);
  expect_refused(pendulum("<geom type='box' size='.1'/>", "", "<default><geom size='.5 .6'/></default>"),
                 "a box needs 3 positive numbers in its size, and number 3 is 0");
  const auto equality = [](std::string_view polycoef) { return cat("<equality><joint joint1='j2' joint2='j1' ", polycoef, "/></equality>"); };
  const double both = kArmInertia + 2 * 0.020944 + 0.006544;
  EXPECT_NEAR(inertia(arm("", equality(""))), both, kTolerance);
  EXPECT_NEAR(inertia(arm("", equality("polycoef='0.5 1'"))), 0.1792085, kTolerance);  // j2 at 0.5: MuJoCo
  EXPECT_NEAR(inertia(arm("", equality("polycoef='0.5'"))), inertia(arm("", equality("polycoef='0.5 1 0 0 0'"))), 0);
  EXPECT_NEAR(inertia(arm("<default><motor gear='3 1'/></default>", "<actuator><motor joint='j1' gear='2' armature='1'/></actuator>")), kArmInertia + 4,
              kTolerance);
}

TEST(MjcfCompiler, TheLastFlagCounts) {
  const std::string off = "<option><flag gravity='disable'/></option>", on = "<option><flag gravity='enable'/></option>";
  const double full = weight(arm(""));
  EXPECT_NEAR(full, -4.49697, 1e-5);  // MuJoCo
  EXPECT_EQ(weight(arm(cat(off, "<option gravity='0 0 -3'/>"))), 0);
  EXPECT_EQ(weight(arm(cat("<option gravity='0 0 -3'/>", off))), 0);
  EXPECT_EQ(weight(arm(cat(off, on))), full);
  EXPECT_NEAR(weight(arm(cat(off, "<option gravity='0 0 -3'/>", on))), full * 3 / 9.81, 1e-12);
  EXPECT_EQ(weight(arm(cat(on, off))), 0);
  EXPECT_TRUE(has_problem(loaded(arm(off)).diagnostics, Severity::warning, 1, "gravity is switched off in this file"));
  EXPECT_FALSE(has_problem(loaded(arm(cat(off, on))).diagnostics, Severity::warning, 1, "gravity is switched off in this file"));
}

TEST(MjcfCompiler, EqualitiesThatAreNotActiveBindNothing) {
  const std::string equality = "<equality><joint joint1='j2' joint2='j1'/></equality>";
  const auto nv = [](const std::string& text) { return read(text).nv(); };
  EXPECT_EQ(nv(arm("", equality)), 1u);
  EXPECT_EQ(nv(arm("", "<equality><joint joint1='j2' joint2='j1' active='false'/></equality>")), 2u);
  EXPECT_EQ(nv(arm("<default><equality active='false'/></default>", equality)), 2u);
  EXPECT_EQ(nv(arm("<default><equality active='false'/></default>", "<equality><joint joint1='j2' joint2='j1' active='true'/></equality>")), 1u);
  EXPECT_EQ(
      nv(arm("<default><default class='x'><equality active='false'/></default></default>", "<equality><joint class='x' joint1='j2' joint2='j1'/></equality>")),
      2u);
  for (const char* flag : {"equality", "constraint"}) {
    EXPECT_EQ(nv(arm(cat("<option><flag ", flag, "='disable'/></option>"), equality)), 2u);
    EXPECT_EQ(nv(arm(cat("<option><flag ", flag, "='disable'/></option><option><flag ", flag, "='enable'/></option>"), equality)), 1u);
  }
  EXPECT_EQ(nv(arm("<option><flag equality='disable'/></option>", "<equality><weld body1='a' body2='b'/></equality>")), 2u);
  EXPECT_TRUE(notes(arm("<option><flag equality='disable'/></option>", equality), "it is not used"));
}

TEST(MjcfCompiler, ArmatureOfActuatorsAndTendons) {
  const auto actuated = [](std::string_view motor, std::string_view before = "", std::string_view tendon = "") {
    return arm(before, cat(tendon, "<actuator>", motor, "</actuator>"));
  };
  const auto tendon = [](std::string_view attributes, std::string_view joints = "<joint joint='j1' coef='2'/>") {
    return cat("<tendon><fixed name='t' ", attributes, ">", joints, "</fixed></tendon>");
  };
  EXPECT_NEAR(inertia(actuated("<motor joint='j1' armature='2'/>")), kArmInertia + 2, kTolerance);
  EXPECT_NEAR(inertia(actuated("<motor joint='j1' armature='2' gear='-3'/>")), kArmInertia + 18, kTolerance);
  EXPECT_NEAR(inertia(actuated("<motor jointinparent='j1' armature='2'/><motor joint='j1' armature='1' gear='2'/>")), kArmInertia + 6, kTolerance);
  EXPECT_NEAR(inertia(actuated("<position joint='j1'/>", "<default><motor armature='2' gear='3'/></default>")), kArmInertia + 18, kTolerance);
  EXPECT_NEAR(inertia(actuated("<motor joint='j1' armature='2' group='1'/>", "<option actuatorgroupdisable='1'><flag actuation='disable'/></option>")),
              kArmInertia + 2,
              kTolerance);  // MuJoCo
  EXPECT_NEAR(inertia(arm("", tendon("armature='3'"))), kArmInertia + 12, kTolerance);
  EXPECT_NEAR(inertia(arm("<default><tendon armature='3'/></default>", tendon(""))), kArmInertia + 12, kTolerance);
  EXPECT_NEAR(inertia(actuated("<motor tendon='t' armature='2' gear='3'/>", "", tendon(""))), kArmInertia + 72, kTolerance);
  EXPECT_EQ(read(actuated("<motor joint='j1' gear='3' damping='.5'/>", "", "")).joints()[0].friction.viscous, 4.5);
  const std::string both = "<joint joint='j1' coef='1'/><joint joint='j2' coef='-1'/>";
  expect_refused(arm("", tendon("armature='2'", both)), "<fixed> 't': it has the armature 2 along its length, which couples joints in M");
  expect_refused(actuated("<motor tendon='t' armature='2' gear='3'/>", "", tendon("", both)), "<fixed> 't': it has the armature 18 along its length");
  EXPECT_NEAR(inertia(arm("", tendon("", both))), kArmInertia, kTolerance);
  const support::Folder folder;  // a spatial tendon names sites alone, in an attached model, too
  folder.write("part.xml",
               "<mujoco><worldbody><site name='w'/><body><joint/><geom size='.1'/><site name='s'/></body></worldbody><tendon><spatial armature='5'>"
               "<site site='w'/><site site='s'/></spatial></tendon></mujoco>");
  folder.write("whole.xml", "<mujoco><asset><model name='m' file='part.xml'/></asset><worldbody><attach model='m' prefix='p'/></worldbody></mujoco>");
  EXPECT_NE(listing(try_load(folder.at("whole.xml")).diagnostics).find("along its length"), std::string::npos);
}

TEST(MjcfCompiler, FreeJoints) {
  const auto body = [](std::string_view joint, std::string_view inside, std::string_view before = "", std::string_view after = "") {
    return cat("<mujoco>", before, "<worldbody><body name='a'>", joint, inside, "</body></worldbody>", after, "</mujoco>");
  };
  const std::string inertial = "<inertial pos='.1 .2 .3' mass='2' diaginertia='1 2 2.5' quat='1 1 0 0'/>",
                    full = "<inertial pos='.1 .2 .3' mass='2' fullinertia='1 2 2.5 0 0 0'/>";
  expect_refused(body("<joint type='free' armature='3'/>", inertial), "the free joint of 'a' has the armature 3");
  expect_refused(body("<joint type='free'/>", inertial, "<default><joint armature='3'/></default>"), "the free joint of 'a' has the armature 3");
  expect_refused(body("<freejoint name='f'/>", inertial, "", "<actuator><motor joint='f' armature='1' gear='1 0 0 0 0 0'/></actuator>"),
                 "joint 'f' is free, and Ulna's M has no armature of a base");
  const auto root = [&](const std::string& text) { return read(text).links()[0]; };
  const auto expect_root = [&](const std::string& text, const Vec3<double>& com, const Vec3<double>& moments) {
    SCOPED_TRACE(text);
    const Link link = root(text);
    EXPECT_EQ(link.com, com);
    EXPECT_NEAR(link.inertia.xx, moments.x, 1e-15);
    EXPECT_NEAR(link.inertia.yy, moments.y, 1e-15);
    EXPECT_NEAR(link.inertia.zz, moments.z, 1e-15);
  };
  const Vec3<double> com{0.1, 0.2, 0.3}, at_it{};
  expect_root(body("<freejoint/>", inertial, "<default><joint armature='3'/></default>"), com, {1, 2.5, 2});
  expect_root(body("<freejoint align='true'/>", inertial), at_it, {1, 2, 2.5});
  expect_root(body("<freejoint/>", inertial, "<compiler alignfree='true'/>"), at_it, {1, 2, 2.5});
  expect_root(body("<joint type='free'/>", inertial, "<compiler alignfree='true'/>"), at_it, {1, 2, 2.5});
  expect_root(body("<freejoint align='false'/>", inertial, "<compiler alignfree='true'/>"), com, {1, 2.5, 2});
  expect_root(body("<freejoint align='true'/>", full), at_it, {2.5, 2, 1});  // MuJoCo sorts the moments of a full tensor
  const std::string child = "<body pos='0 1 0'><geom size='.1'/></body>", arm = "<body pos='0 1 0'><joint axis='0 1 0'/><geom size='.1'/></body>";
  expect_root(body("<freejoint align='true'/>", cat(inertial, child)), com, {1, 2.5, 2});
  expect_root(body("<freejoint align='true'/>", cat(inertial, arm), "<compiler fusestatic='true'/>"), com, {1, 2.5, 2});
  expect_refused(body("<freejoint align='true'/>", cat(inertial, child), "<compiler fusestatic='true'/>"), "its frame is to be aligned with its inertia");
  EXPECT_TRUE(notes(body("<freejoint align='true'/>", inertial), "its frame is aligned with its inertia"));
  EXPECT_TRUE(notes(body("<joint type='free' damping='1'/>", inertial), "damping of a free joint acts on the base"));
}

TEST(MjcfCompiler, InertialsStandInFrames) {
  EXPECT_NEAR(inertia(pendulum("<frame pos='1 0 0'><inertial pos='.1 0 0' mass='1' diaginertia='1 1 1'/></frame>")), 2.21, 1e-15);
  // Turned by a right angle about z, twice: the mass is at -0.1 from x = 1, the moments stay.
  EXPECT_NEAR(
      inertia(pendulum("<frame pos='1 0 0' euler='0 0 90'><frame euler='0 0 90'><inertial pos='.1 0 0' mass='1' diaginertia='3 1 3'/></frame></frame>")), 1.81,
      1e-15);
  EXPECT_NEAR(inertia(pendulum("<frame euler='0 0 90'><inertial pos='0 0 0' mass='1' fullinertia='3 1 3 0 0 0'/></frame>")), 3, 1e-14);
  expect_refused(pendulum("<frame scale='2'><geom size='.1'/></frame>"), "<frame>: scale is 2, and Ulna does not resize what a frame holds");
  expect_refused(pendulum("<frame massscale='2' scaling='geometry'><geom size='.1'/></frame>"), "<frame>: massscale is 2");
  EXPECT_NEAR(inertia(pendulum(cat("<frame scale='1' massscale='0'>", kMass, "</frame>"))), 1.02, 1e-15);
}

TEST(MjcfCompiler, BoundsAndBalance) {
  // A body that states no mass gets it where the numbers of its own pos point, in its own frame; frames around it do not count. MuJoCo: 0.638643.
  const double ball = 4000.0 / 3 * M_PI * 1e-3;
  EXPECT_NEAR(inertia(pendulum("<geom size='.1' pos='.1 0 0'/><frame pos='1 0 0'><body pos='0 .5 .2'/></frame>", "boundmass='.5'")),
              ball * (0.4 * 0.01 + 0.01) + 0.5 * (1 + 0.16), 1e-12);
  EXPECT_TRUE(notes(pendulum("<geom size='.1'/><body/>", "boundmass='.5'"), "it states no mass and gets boundmass 0.5"));
  EXPECT_NEAR(inertia(pendulum(kMass, "boundmass='3'")), 1.03, 1e-15);
  EXPECT_NEAR(inertia(pendulum(kMass, "boundinertia='1.5'")), 1.52, 1e-15);
  EXPECT_TRUE(notes(pendulum(kMass, "boundinertia='1.5'"), "principal moments were raised to boundinertia 1.5"));
  // A flat body is balanced neither by rounding nor by the axes in which it is stated.
  for (const char* axes : {"", "euler='10 20 30'", "axisangle='1 2 3 77'"})
    EXPECT_EQ(test::count(loaded(pendulum(cat("<inertial pos='0 0 0' mass='1' diaginertia='.01 .02 .03' ", axes, "/>"), "balanceinertia='true'")).diagnostics,
                          Severity::warning),
              0);
  EXPECT_NEAR(inertia(pendulum("<inertial pos='0 0 0' mass='1' diaginertia='1 1 4' euler='10 20 30'/>", "balanceinertia='true'")), 2, 1e-14);
}

TEST(MjcfCompiler, MassOfGeoms) {
  const auto about_y = [](std::string_view geom) { return inertia(pendulum(cat("<geom density='1' ", geom, "/>"))); };
  const double r = 0.1, h = 0.3;
  // Shells: closed forms of a sphere, of a tube with two lids, of a tube with two half spheres, of six plates. The axis is across.
  EXPECT_NEAR(about_y("shellinertia='true' size='.1'"), 4 * M_PI * r * r * 2 / 3 * r * r, 1e-15);
  const double wall = 2 * M_PI * r * 2 * h, lid = M_PI * r * r;
  EXPECT_NEAR(about_y("type='cylinder' shellinertia='true' size='.1 .3'"), wall * (r * r / 2 + h * h / 3) + 2 * lid * (r * r / 4 + h * h), 1e-15);
  const double half = 2 * M_PI * r * r, across = half * (2.0 / 3 - 1.0 / 4) * r * r;  // of a half sphere about its mass centre, at r/2
  EXPECT_NEAR(about_y("type='capsule' shellinertia='true' size='.1 .3'"), wall * (r * r / 2 + h * h / 3) + 2 * (across + half * (h + r / 2) * (h + r / 2)),
              1e-14);
  const double a = 0.1, b = 0.2, c = 0.3;
  EXPECT_NEAR(about_y("type='box' shellinertia='true' size='.1 .2 .3'"),
              2 * (4 * b * c * (a * a + c * c / 3) + 4 * a * b * (c * c + a * a / 3) + 4 * a * c * (a * a + c * c) / 3), 1e-14);
  // MuJoCo 4.0.0 of the shell of an ellipsoid, whose own difference of large numbers leaves it 9 digits.
  EXPECT_NEAR(inertia(pendulum("<geom type='ellipsoid' shellinertia='true' size='.1 .2 .3'/>")), 14.06836658, 1e-7);
  expect_refused(cat("<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 .1 .1'/></asset><worldbody><body><joint/><geom type='hfield' "
                     "hfield='h'/></body></worldbody></mujoco>"),
                 "a height field");
  expect_refused(pendulum("<geom size='.1' fromto='0 0 0 1 0 0'/>"), "a sphere cannot have fromto");
  expect_refused(pendulum("<geom type='capsule' size='.1' fromto='0 0 0 1 0 0' pos='1 0 0'/>"), "fromto and pos both place the geom");
  // A shape of less than 1e-14 m³ has no mass, though it states one: MuJoCo.
  EXPECT_NEAR(inertia(pendulum(cat("<geom size='.1' mass='1'/><geom size='1e-5' mass='3' pos='1 0 0'/>"))), 0.4 * 0.01, 1e-15);
  // The nearest orientation counts, whatever its form.
  const std::string turned = "<default><geom euler='0 0 90'/></default>";
  EXPECT_NEAR(inertia(pendulum("<geom type='box' size='.1 .2 .3' quat='1 0 0 0'/>", "", turned)), 48 * (0.01 + 0.09) / 3, 1e-13);
  EXPECT_NEAR(inertia(pendulum("<geom type='box' size='.1 .2 .3'/>", "", turned)), 48 * (0.04 + 0.09) / 3, 1e-13);
}

TEST(MjcfCompiler, FusedBodies) {
  const auto file = [](std::string_view compiler, std::string_view child, std::string_view world = "") {
    return cat("<mujoco><compiler fusestatic='true' ", compiler, "/><worldbody>", world, "<body><joint axis='0 1 0'/>", kMass, child,
               "</body></worldbody></mujoco>");
  };
  const std::string child = "<body pos='1 0 0'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>", stands = "<body><geom size='.1'/></body>";
  EXPECT_NEAR(inertia(file("", child)), 1.02 + 2, 1e-15);
  EXPECT_NEAR(inertia(file("settotalmass='6'", child)), 2 * (1.02 + 2), 1e-14);
  expect_refused(file("settotalmass='6'", child, stands), "fusestatic leaves out fixed ones");
  expect_refused(file("inertiafromgeom='true'", child), "together drop the <inertial> of bodies that are fused");
  EXPECT_NEAR(inertia(file("inertiafromgeom='true'", "")), 1.02, 1e-15);
  expect_refused(file("boundinertia='.1'", "<body name='c'/>"), "link 'c': it has inertia without mass, which fusestatic drops");
}

// MuJoCo 4.0.0 refuses each of these: "Schema violation: unrecognized attribute", or "element".
TEST(MjcfCompiler, NamesThatMujocoDoesNotKnowAreErrors) {
  const auto joint = [](std::string_view attribute) {
    return cat("<mujoco><worldbody><body><joint ", attribute, "='1'/>", kMass, "</body></worldbody></mujoco>");
  };
  for (const auto& [wrong, right] : {std::pair{"Axis", "axis"},
                                     {"AXIS", "axis"},
                                     {"axes", "axis"},
                                     {"Pos", "pos"},
                                     {"POS", "pos"},
                                     {"posn", "pos"},
                                     {"armatur", "armature"},
                                     {"Armature", "armature"},
                                     {"armatrue", "armature"},
                                     {"dampin", "damping"},
                                     {"dampning", "damping"},
                                     {"friction_loss", "frictionloss"},
                                     {"frictionlos", "frictionloss"},
                                     {"stifness", "stiffness"},
                                     {"springRef", "springref"},
                                     {"Ref", "ref"},
                                     {"Type", "type"},
                                     {"rang", "range"},
                                     {"limit", "limited"},
                                     {"Class", "class"},
                                     {"axis1", "axis"}})
    expect_refused(joint(wrong), cat("attribute '", wrong, "' is unknown; write '", right, "'"));
  const auto inertial = [](std::string_view attribute) { return pendulum(cat("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' ", attribute, "='2'/>")); };
  for (const auto& [wrong, right] : {std::pair{"Mass", "mass"},
                                     {"masss", "mass"},
                                     {"Pos", "pos"},
                                     {"Quat", "quat"},
                                     {"quart", "quat"},
                                     {"fullInertia", "fullinertia"},
                                     {"diagInertia", "diaginertia"},
                                     {"Euler", "euler"}})
    expect_refused(inertial(wrong), cat("attribute '", wrong, "' is unknown; write '", right, "'"));
  for (const char* far : {"inertia", "com", "value"}) expect_refused(inertial(far), cat("attribute '", far, "' is unknown; correct its name, or remove it"));
  expect_refused("<mujoco><worldbody><body mass='1'><freejoint armature='1'/><geom size='1'/></body></worldbody></mujoco>",
                 "attribute 'mass' is unknown; correct its name, or remove it");
  expect_refused(arm("<default><joint armatur='1'/></default>"), "<default> <joint>: attribute 'armatur' is unknown; write 'armature'");
  expect_refused(arm("<default Class='a'/>"), "<default>: attribute 'Class' is unknown; write 'class'");
  expect_refused(arm("<option gravty='0 0 0'/>"), "write 'gravity'");
  expect_refused(arm("<option><flag gravty='disable'/></option>"), "write 'gravity'");
  expect_refused(arm("<compiler Angle='radian'/>"), "<compiler>: attribute 'Angle' is unknown; write 'angle'");
  expect_refused(arm("", "<actuator><motor joint='j1' armatur='1'/></actuator>"), "write 'armature'");
  expect_refused(arm("", "<tendon><fixed armatur='1'><joint joint='j1' coef='1'/></fixed></tendon>"), "write 'armature'");
  expect_refused(arm("", "<equality><joint joint1='j2' joint2='j1' activ='false'/></equality>"), "write 'active'");
  expect_refused(pendulum("<geom size='.1' densty='5'/>"), "write 'density'");
  expect_refused(pendulum(cat(kMass, "<geom size='.1' FromTo='0 0 0 0 0 1'/>")), "<geom>: attribute 'FromTo' is unknown; write 'fromto'");
  expect_refused(arm("", "<tendon><fixed><joint Joint='j1' coef='1'/></fixed></tendon>"), "<joint>: attribute 'Joint' is unknown; write 'joint'");
  expect_refused(pendulum("<Geom size='.1'/>"), "element <Geom> is unknown; write 'geom'");
  expect_refused(arm("<default><Joint armature='1'/></default>"), "<default>: element <Joint> is unknown; write 'joint'");
  expect_refused(arm("<worldbody><Body/></worldbody>"), "<worldbody>: element <Body> is unknown; write 'body'");
  expect_refused(arm("", "<actuator><Motor joint='j1'/></actuator>"), "<actuator>: element <Motor> is unknown; write 'motor'");
  expect_refused(arm("", "<equality><Joint joint1='j2' joint2='j1'/></equality>"), "<equality>: element <Joint> is unknown; write 'joint'");
  expect_refused(arm("", "<tendon><Fixed/></tendon>"), "<tendon>: element <Fixed> is unknown; write 'fixed'");
}

// A quaternion of few digits is off unit length; MuJoCo 4.0.0 divides it by its length, and so does Ulna, without a word.
TEST(MjcfCompiler, QuaternionsOfFewDigitsAreRead) {
  for (const char* quat : {".7071 .7071 0 0", ".71 .71 0 0", "3 3 0 0"}) {
    const std::string text = pendulum(cat("<inertial pos='0 0 0' mass='1' diaginertia='.02 .01 .03' quat='", quat, "'/>"));
    EXPECT_NEAR(inertia(text), 0.03, 1e-16) << quat;  // about y: the moment about z, after a right angle about x
    EXPECT_TRUE(loaded(text).diagnostics.empty()) << listing(loaded(text).diagnostics);
  }
}

// MuJoCo's test of the triangle inequality has no tolerance, and the moments of a flat body are at its edge.
TEST(MjcfCompiler, FlatBodiesAreWrittenSoThatMujocoReadsThem) {
  for (int angle = 1; angle <= 60; ++angle) {
    const Model model = read(pendulum(cat("<inertial pos='0 0 0' mass='1' diaginertia='.01 .02 .03' axisangle='1 2 3 ", angle, "'/>")));
    Diagnostics diagnostics;
    const std::optional<std::string> text = write_mjcf(model, diagnostics);
    ASSERT_TRUE(text);
    EXPECT_EQ(test::count(diagnostics.all(), Severity::warning), 0);
    std::istringstream moments(text->substr(text->find("diaginertia=\"") + 13));
    std::array<double, 3> I{};
    for (double& moment : I) moments >> moment;
    std::ranges::sort(I);
    EXPECT_NEAR(I[2], 0.03, 1e-16);
    EXPECT_LE(I[2], I[0] + I[1]) << angle;
  }
}

// docs/mjcf.md has a row for every attribute of every element that can change a number, no_effect.txt for the others; no attribute stands in both.
TEST(MjcfCompiler, ThePageNamesEveryAttribute) {
  std::map<std::string, std::set<std::string>> rows;
  for (const char* file : {ULNA_DOCS_DIR "/mjcf.md", ULNA_MJCF_DIR "/no_effect.txt"}) {
    std::ifstream page(file);
    std::string element;
    std::map<std::string, std::set<std::string>> before = rows;
    for (std::string line; std::getline(page, line);) {
      if (line.rfind("| ", 0) != 0) continue;
      const std::size_t first = line.find('|', 1), second = line.find('|', first + 1);
      if (second == std::string::npos) continue;
      if (const std::string cell = line.substr(2, first - 2); cell.find_first_not_of(' ') != std::string::npos) element = cell;
      for (std::size_t at = first; (at = line.find('`', at)) < second;) {
        const std::size_t end = line.find('`', at + 1);
        const std::string name = line.substr(at + 1, end - at - 1);
        EXPECT_EQ(before[element].count(name), 0u) << element << name << " stands in both";
        rows[element].insert(name);
        at = end + 1;
      }
    }
  }
  for (const std::string kind : {"compiler", "option", "flag", "body", "frame", "inertial", "joint", "freejoint", "geom", "tendon", "equality", "actuator",
                                 "mesh", "replicate", "attach", "model"}) {
    const std::set<std::string>& named = rows[kind == "actuator" ? "actuators " : cat("`<", kind, ">` ")];
    EXPECT_GT(internal::known_attributes(kind).size(), 2u) << kind;
    for (const std::string_view attribute : internal::known_attributes(kind))
      EXPECT_TRUE(named.count(std::string(attribute)) > 0) << "<" << kind << ">: the page does not say what happens to " << attribute;
    for (const std::string& attribute : named)
      EXPECT_TRUE(std::ranges::count(internal::known_attributes(kind), attribute) > 0) << "<" << kind << ">: the reader does not know " << attribute;
  }
}

}  // namespace
}  // namespace ulna::test
