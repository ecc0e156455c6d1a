// SDFormat: poses and frames of every version, and torques of Drake.
#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

#include "source/sdformat_peer.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using internal::cat;
using support::Folder;

std::string sdf_inertial(double mass, std::string_view com = "0 0 0") {
  return cat("<inertial><pose>", com, " 0 0 0</pose><mass>", mass,
             "</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.2</iyy><iyz>0</iyz><izz>0.15</izz></inertia></inertial>");
}

std::vector<double> sdf_torques(const Model& model, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  std::vector<double> tau(model.nv());
  inverse_dynamics(plan, ws, q, v, a, tau);
  return tau;
}

void expect_same_torques(const Model& one, const Model& two) {
  ASSERT_EQ(one.nv(), two.nv());
  std::vector<double> q, v, a;
  for (std::size_t i = 0; i < one.nv(); ++i) {
    const double x = static_cast<double>(i);
    q.push_back(0.3 + 0.7 * x), v.push_back(1 - 0.4 * x), a.push_back(-0.5 + x);
  }
  const std::vector<double> tau = sdf_torques(one, q, v, a), expected = sdf_torques(two, q, v, a);
  for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_NEAR(tau[i], expected[i], 1e-12 * (1 + std::fabs(expected[i]))) << "joint " << i;
}

int compared_with_libsdformat = 0;

/// Links, joint frames and axes at rest, in the axes of the root link, as libsdformat has them.
void expect_poses_of_libsdformat(const Model& model, const std::string& text) {
  const std::optional<SdfPoses> peer = poses_of_libsdformat(text);
  if (!peer) return;
  std::vector<Pose<double>> X(model.links().size());  // of links, in the root's frame
  const auto root = peer->frames.find(model.links()[0].name);
  const Pose<double> X_WR = root == peer->frames.end() ? Pose<double>{} : root->second;
  const auto expect_pose = [&](const std::string& name, const Pose<double>& is, bool turned) {
    const auto found = peer->frames.find(name);
    if (found == peer->frames.end()) return;
    ++compared_with_libsdformat;
    const Pose<double> E = (X_WR * is).inverse() * found->second;
    EXPECT_NEAR(std::hypot(E.p.x, E.p.y, E.p.z), 0, 1e-12) << name << text;
    if (turned) {
      EXPECT_NEAR(E.R.xx + E.R.yy + E.R.zz, 3, 1e-12) << name << text;
    }
  };
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Pose<double> X_RF = X[joint.parent] * joint.X_PF;
    X[j + 1] = X_RF * joint.X_MB;
    const bool own_frame = joint.type != JointType::fixed && joint.type != JointType::ball;
    if (own_frame) expect_pose(joint.name, X_RF, true);
    expect_pose(model.links()[j + 1].name, X[j + 1], true);
    if (const auto axis = peer->axes.find(joint.name); own_frame && axis != peer->axes.end()) {
      const Vec3<double> off = joint.axis - axis->second;
      EXPECT_NEAR(std::hypot(off.x, off.y, off.z), 0, 1e-12) << joint.name << text;
    }
  }
}

Model sdf_model(const std::string& text) {
  const LoadResult result = try_parse(text, "a.sdf");
  if (!result.model) throw std::runtime_error(listing(result.diagnostics) + text);
  expect_poses_of_libsdformat(*result.model, text);
  return *result.model;
}

// KUKA's iiwa 14 with masses, frames and axes of Drake's own file, and torques that Drake 1.51 computes at two states: rigid bodies alone, gravity
// (0, 0, -9.81), welded at link 0.
TEST(Sdf, TorquesOfDrake) {
  const char* const kPoses[] = {"0 0 0.1575 0 0 0",
                                "0 0 0.2025 1.570796326794897 0 3.141592653589793",
                                "0 0.2045 0 1.570796326794897 0 3.141592653589793",
                                "0 0 0.2155 1.570796326794897 0 0",
                                "0 0.1845 0 -1.570796326794897 3.141592653589793 0",
                                "0 0 0.2155 1.570796326794897 0 0",
                                "0 0.081 0 -1.570796326794897 3.141592653589793 0"};
  struct Body {
    const char *com, *mass, *ixx, *iyy, *izz;
  };
  const Body kBodies[] = {{"0 -0.03 0.12", "5.76", "0.033", "0.0333", "0.0123"},
                          {"0.0003 0.059 0.042", "6.35", "0.0305", "0.011", "0.0304"},
                          {"0 0.03 0.13", "3.5", "0.025", "0.0238", "0.0076"},
                          {"0 0.067 0.034", "3.5", "0.017", "0.006", "0.0164"},
                          {"0.0001 0.021 0.076", "3.5", "0.01", "0.0087", "0.00449"},
                          {"0 0.0006 0.0004", "1.8", "0.0049", "0.0047", "0.0036"},
                          {"0 0 0.02", "1.2", "0.001", "0.001", "0.001"}};
  std::string text = "<sdf version=\"1.7\"><model name=\"iiwa14\"><link name=\"link_0\">" + sdf_inertial(5) + "</link>";
  for (int i = 1; i <= 7; ++i) {
    const Body& b = kBodies[i - 1];
    text += cat("<link name=\"link_", i, "\"><pose relative_to=\"joint_", i, "\"/><inertial><pose>", b.com, " 0 0 0</pose><mass>", b.mass,
                "</mass><inertia><ixx>", b.ixx, "</ixx><iyy>", b.iyy, "</iyy><izz>", b.izz, "</izz></inertia></inertial></link><joint name=\"joint_", i,
                "\" type=\"revolute\"><pose relative_to=\"link_", i - 1, "\">", kPoses[i - 1], "</pose><child>link_", i, "</child><parent>link_", i - 1,
                "</parent><axis><xyz>0 0 1</xyz></axis></joint>");
  }
  const Model model = sdf_model(text + "</model></sdf>");
  struct Golden {
    std::vector<double> q, v, a, tau;
  };
  const Golden kGolden[] = {
      {{0.6100058474907604, 0.6158815794729875, 0.030651122084284, -0.4283972398237168, -0.8921385952366871, -0.23326223842896354, -0.1830535891600027},
       {-0.9094496121951097, -0.9024845785456639, 0.9983522301301428, 0.30473822317597543, -0.5309795966603521, -0.13010489554971594, 0.9483723865185107},
       {0.7953552162170976, 0.6884620752174819, -0.21519067133044367, -0.013953962536514819, 0.3533787036621321, -0.8783945740838879, 0.11119223384144683},
       {5.570981661515339, -51.76770917642115, 1.0963417785818752, 19.453152024045746, -0.2935919900603588, -0.6445612025060168, -0.00041917888274038933}},
      {{-0.45709679093979694, 0.7593023466698443, -0.871571125375618, 0.35836306604272994, 0.7401770046550067, -0.5453629496781838, 0.790896478828252},
       {0.74439093604867, -0.9629655646595785, 0.41499113467435467, -0.9976006328263427, 0.006727931107328944, -0.12666589564869457, -0.5934943277708704},
       {-0.35011471084878787, 0.6124306620540871, -0.3670958251910197, -0.7019228329328884, 0.3970239806366216, -0.10291179847924758, 0.597878981926268},
       {-3.7235966108249663, -44.72521667771788, 3.965130023503174, 1.3541587779727107, -0.05671794662816329, 0.11603240851369613, 0.0013805944525857212}}};
  for (const Golden& golden : kGolden) {
    const std::vector<double> tau = sdf_torques(model, golden.q, golden.v, golden.a);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(tau[i], golden.tau[i], 1e-12 * (1 + std::fabs(golden.tau[i])));
  }
}

// One arm of two links, whose second joint stands at (0.3, 0, 0.1) in the first link, is pitched by a quarter of a rotation about x, and moves about its own z.
const char* const kSdfArmAsUrdf = R"x(<robot name="arm"><link name="base"/><link name="upper"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link><link name="lower"><inertial><origin xyz="0 0.2 0"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>
<joint name="shoulder" type="continuous"><origin xyz="0 0 0.5"/><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><origin xyz="0.3 0 0.1" rpy="1.5707963267948966 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/></joint></robot>)x";

std::string sdf_arm(std::string_view version, std::string_view links, std::string_view joints) {
  return cat("<sdf version=\"", version, "\"><model name=\"arm\"><link name=\"base\">", sdf_inertial(1), "</link>", links, joints, "</model></sdf>");
}
std::string sdf_joint(std::string_view name, std::string_view parent, std::string_view child, std::string_view pose, std::string_view axis) {
  return cat("<joint name=\"", name, "\" type=\"revolute\"><parent>", parent, "</parent><child>", child, "</child>", pose, "<axis>", axis, "</axis></joint>");
}
std::string sdf_link(std::string_view name, std::string_view pose, std::string_view inertial) {
  return cat("<link name=\"", name, "\">", pose, inertial, "</link>");
}

TEST(Sdf, TheSameArmInTheWordsOfEveryVersion) {
  const Model urdf = parse(kSdfArmAsUrdf, "arm.urdf");
  const std::string upper = sdf_inertial(2, "0.1 0 0"), lower = sdf_inertial(1, "0 0.2 0");
  const std::string links = sdf_link("upper", "<pose>0 0 0.5 0 0 0</pose>", upper) + sdf_link("lower", "<pose>0.3 0 0.6 1.5707963267948966 0 0</pose>", lower);
  const auto joints = [&](std::string_view shoulder, std::string_view elbow) {
    return sdf_joint("shoulder", "base", "upper", "", shoulder) + sdf_joint("elbow", "upper", "lower", "", elbow);
  };
  const char* const kOwn = "<xyz>0 0 1</xyz>";
  // The elbow's axis, z of its own frame, is -y of the model's.
  expect_same_torques(sdf_model(sdf_arm("1.4", links, joints("<xyz>0 1 0</xyz>", "<xyz>0 -1 0</xyz>"))), urdf);
  expect_same_torques(sdf_model(sdf_arm("1.5", links, joints("<xyz>0 1 0</xyz>", kOwn))), urdf);
  expect_same_torques(sdf_model(sdf_arm("1.6", links, joints("<xyz>0 1 0</xyz>", "<xyz>0 -1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>"))),
                      urdf);
  expect_same_torques(sdf_model(sdf_arm("1.7", links, joints("<xyz>0 1 0</xyz>", "<xyz expressed_in=\"__model__\">0 -1 0</xyz>"))), urdf);
  // Poses as in URDF: of the joint in the parent's frame, of the link in the joint's.
  const std::string relative = sdf_link("upper", "<pose relative_to=\"shoulder\"/>", upper) + sdf_link("lower", "<pose relative_to=\"elbow\"/>", lower) +
                               sdf_joint("shoulder", "base", "upper", "<pose relative_to=\"base\">0 0 0.5 0 0 0</pose>", "<xyz>0 1 0</xyz>");
  expect_same_torques(
      sdf_model(sdf_arm("1.7", relative, sdf_joint("elbow", "upper", "lower", "<pose relative_to=\"upper\">0.3 0 0.1 1.5707963267948966 0 0</pose>", kOwn))),
      urdf);
  expect_same_torques(
      sdf_model(sdf_arm("1.9", relative, sdf_joint("elbow", "upper", "lower", "<pose relative_to=\"upper\" degrees=\"true\">0.3 0 0.1 90 0 0</pose>", kOwn))),
      urdf);
  expect_same_torques(
      sdf_model(
          sdf_arm("1.9", relative,
                  sdf_joint("elbow", "upper", "lower",
                            "<pose relative_to=\"upper\" rotation_format=\"quat_xyzw\">0.3 0 0.1 0.7071067811865476 0 0 0.7071067811865476</pose>", kOwn))),
      urdf);
  // By way of a frame that is attached to the upper link, and named as the joint's parent.
  const std::string frame = "<frame name=\"tip\" attached_to=\"upper\"><pose>0.3 0 0.1 0 0 0</pose></frame>";
  expect_same_torques(
      sdf_model(sdf_arm("1.8", relative + frame, sdf_joint("elbow", "tip", "lower", "<pose relative_to=\"tip\">0 0 0 1.5707963267948966 0 0</pose>", kOwn))),
      urdf);
}

TEST(Sdf, PosesThatNameFramesLeaveNoRounding) {
  const Model model =
      sdf_model(sdf_arm("1.7", sdf_link("upper", "<pose relative_to=\"shoulder\"/>", sdf_inertial(1)),
                        sdf_joint("shoulder", "base", "upper", "<pose relative_to=\"base\">0.1 0.2 0.7 0.3 0.4 0.5</pose>", "<xyz>0 0 1</xyz>")));
  EXPECT_EQ(model.joints()[0].X_MB, Pose<double>{});
  EXPECT_EQ(model.joints()[0].X_PF.p, (Vec3<double>{0.1, 0.2, 0.7}));
}

TEST(Sdf, NestedAndIncludedModels) {
  const Model urdf = parse(kSdfArmAsUrdf, "arm.urdf");
  const std::string forearm = cat("<model name=\"forearm\"><link name=\"lower\"><pose>0 0 0.1 0 0 0</pose>", sdf_inertial(1, "0 0.2 0"), "</link></model>");
  const std::string first =
      sdf_link("upper", "<pose>0 0 0.5 0 0 0</pose>", sdf_inertial(2, "0.1 0 0")) + sdf_joint("shoulder", "base", "upper", "", "<xyz>0 1 0</xyz>");
  const std::string elbow = sdf_joint("elbow", "upper", "fore::lower", "", "<xyz>0 0 1</xyz>");
  // The nested model stands so that its link, 0.1 along its own z, comes to (0.3, 0, 0.6): that z is -y here.
  std::string nested = forearm;
  nested = replaced(replaced(nested, "name=\"forearm\">", "name=\"fore\"><pose>0.3 0.1 0.6 1.5707963267948966 0 0</pose>"), "</model>", "</model>");
  const Model inside = sdf_model(sdf_arm("1.8", first + nested, elbow));
  EXPECT_EQ(inside.links().back().name, "fore::lower");
  expect_same_torques(inside, urdf);
  // The same by the link's own frame.
  const std::string placed = replaced(forearm, "name=\"forearm\">", "name=\"fore\" placement_frame=\"lower\"><pose>0.3 0 0.6 1.5707963267948966 0 0</pose>");
  expect_same_torques(sdf_model(sdf_arm("1.8", first + placed, elbow)), urdf);
  const Folder folder;
  folder.write("forearm.sdf", cat("<sdf version=\"1.8\">", forearm, "</sdf>"));
  const std::string include =
      "<include><uri>forearm.sdf</uri><name>fore</name><placement_frame>lower</placement_frame><pose>0.3 0 0.6 1.5707963267948966 0 0</pose></include>";
  folder.write("arm.sdf", sdf_arm("1.8", first + include, elbow));
  expect_same_torques(load(folder.at("arm.sdf")), urdf);
  // Merged: the links are the outer model's own, and __model__ within is still the frame of the one that was merged.
  folder.write("merged.sdf",
               cat("<sdf version=\"1.9\">",
                   replaced(forearm, "</model>", "<frame name=\"held\" attached_to=\"__model__\"><pose>0 0 0.1 0 0 0</pose></frame></model>"), "</sdf>"));
  const std::string merge = replaced(replaced(include, "<include>", "<include merge=\"true\">"), "forearm.sdf", "merged.sdf");
  folder.write("arm.sdf", sdf_arm("1.9", first + merge, replaced(elbow, "fore::lower", "held")));
  const Model merged = load(folder.at("arm.sdf"));
  EXPECT_EQ(merged.links().back().name, "lower");
  expect_same_torques(merged, urdf);
  std::filesystem::create_directories(folder.at("models/forearm"));
  folder.write("models/forearm/model.sdf", folder.text_of("forearm.sdf"));
  folder.write("arm.sdf", sdf_arm("1.8", first + replaced(include, "forearm.sdf", "model://forearm"), elbow));
  LoadOptions options;
  options.package_paths = {folder.at("models")};
  expect_same_torques(load(folder.at("arm.sdf"), options), urdf);
  folder.write("arm.sdf", sdf_arm("1.8", first + replaced(include, "forearm.sdf", "arm.sdf"), elbow));
  EXPECT_TRUE(has_problem(try_load(folder.at("arm.sdf")).diagnostics, Severity::error, 1, "includes itself"));
}

TEST(Sdf, LimitsMayBeInfinite) {
  for (const auto& [lower, upper] : {std::pair{"-inf", "inf"}, std::pair{"-INF", "+Inf"}, std::pair{"-1e16", "1.0e+16"}, std::pair{"-Infinity", "1e20"}}) {
    const Model model = sdf_model(sdf_arm(
        "1.9", sdf_link("upper", "", sdf_inertial(2)),
        sdf_joint("j", "base", "upper", "",
                  cat("<xyz>0 0 1</xyz><limit><lower>", lower, "</lower><upper>", upper, "</upper><effort>inf</effort><velocity>-1</velocity></limit>"))));
    const Joint& joint = model.joints().front();
    EXPECT_TRUE(joint.lower == -Joint{}.upper && joint.upper == Joint{}.upper && joint.effort == Joint{}.effort && joint.velocity == Joint{}.velocity);
  }
}

TEST(Sdf, UniversalJointsAreTwo) {
  const std::string text =
      sdf_arm("1.7", sdf_link("upper", "<pose relative_to=\"u\"/>", sdf_inertial(2, "0.1 0.2 0.3")),
              "<joint name=\"u\" type=\"universal\"><pose relative_to=\"base\">0 0 0.5 0 0 0</pose><parent>base</parent><child>upper</child>"
              "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>");
  const Model universal = sdf_model(text);
  const Model urdf = parse(R"x(<robot name="r"><link name="base"/><link name="cross"/><link name="upper"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>
<joint name="u" type="continuous"><origin xyz="0 0 0.5"/><parent link="base"/><child link="cross"/><axis xyz="1 0 0"/></joint>
<joint name="u_2" type="continuous"><parent link="cross"/><child link="upper"/><axis xyz="0 1 0"/></joint></robot>)x",
                           "u.urdf");
  EXPECT_EQ(universal.coordinate_names(), urdf.coordinate_names());
  expect_same_torques(universal, urdf);
}

TEST(Sdf, GravityIsTheWorlds) {
  // A model that stands on its side: its z is the world's y, so that gravity points along its -y... by R of a quarter of a rotation about x.
  const std::string model = cat("<model name=\"r\"><pose>0 0 0 -1.5707963267948966 0 0</pose><link name=\"a\">", sdf_inertial(1), "</link></model>");
  const Model alone = sdf_model(cat("<sdf version=\"1.7\">", model, "</sdf>"));
  EXPECT_NEAR(alone.gravity().y, 9.81, 1e-12);
  EXPECT_NEAR(alone.gravity().z, 0, 1e-12);
  const Model world = sdf_model(cat("<sdf version=\"1.7\"><world name=\"w\"><gravity>0 0 -2</gravity>", model,
                                    "<model name=\"ground\"><static>true</static><link name=\"l\">", sdf_inertial(1), "</link></model></world></sdf>"));
  EXPECT_NEAR(world.gravity().y, 2, 1e-12);
  const LoadResult silent =
      try_parse(cat("<sdf version=\"1.7\"><world name=\"w\"><model name=\"r\"><link name=\"a\">", sdf_inertial(1), "</link></model></world></sdf>"), "a.sdf");
  ASSERT_TRUE(silent.model);
  EXPECT_EQ(silent.model->gravity().z, -9.8) << "SDFormat's default";
}

// Joints and frames of a world: the robot's names with its own in front, what stands is the world, and a frame may share its name with one of the robot.
TEST(Sdf, JointsOfAWorldHoldTheRobot) {
  const std::string model = cat("<model name=\"r\"><pose>1 0 0 0 0 0</pose>", sdf_link("upper", "<pose>0 0 0.5 0 0 0</pose>", sdf_inertial(2, "0.1 0 0")),
                                sdf_link("lower", "<pose>0.3 0 0.6 1.5707963267948966 0 0</pose>", sdf_inertial(1, "0 0.2 0")), "<frame name=\"F\"/>",
                                sdf_joint("elbow", "upper", "lower", "", "<xyz>0 0 1</xyz>"), "</model>");
  const std::string ground = cat("<model name=\"ground\"><static>1</static>", sdf_link("plane", "", sdf_inertial(1)), "</model>");
  for (const char* parent : {"world", "ground::plane", "F"}) {
    const std::string text = cat("<sdf version=\"1.10\"><world name=\"w\"><gravity>0 0 -9.81</gravity><frame name=\"F\"/>", model, ground,
                                 sdf_joint("shoulder", parent, "r::upper", "", "<xyz expressed_in=\"F\">0 1 0</xyz>"), "</world></sdf>");
    const Model world = sdf_model(text);
    EXPECT_EQ(world.links().front().name, "world");
    expect_same_torques(world, parse(kSdfArmAsUrdf, "arm.urdf"));
  }
  const LoadResult two =
      try_parse(cat("<sdf version=\"1.7\"><world name=\"w\">", model, replaced(model, "name=\"r\"", "name=\"s\""), "</world></sdf>"), "a.sdf");
  EXPECT_TRUE(has_problem(two.diagnostics, Severity::error, 1, "the file has 2 models that move, 'r' and 's'")) << listing(two.diagnostics);
  EXPECT_EQ(std::count_if(two.diagnostics.begin(), two.diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::error; }), 1);
}

// Files before 1.7 give one name to a link and a joint; libsdformat calls the joint NAME_joint then. Since 1.7 it is an error.
TEST(Sdf, AJointCalledAsALink) {
  const std::string arm =
      sdf_arm("1.6", sdf_link("upper", "<pose>0 0 0.5 0 0 0</pose>", sdf_inertial(2, "0.1 0 0")), sdf_joint("upper", "base", "upper", "", "<xyz>0 1 0</xyz>"));
  const LoadResult old = try_parse(arm, "a.sdf");
  ASSERT_TRUE(old.model) << listing(old.diagnostics);
  EXPECT_EQ(old.model->coordinate_names(), std::vector<std::string>{"upper_joint"});
  EXPECT_TRUE(has_problem(old.diagnostics, Severity::warning, 1, "is called 'upper', too")) << listing(old.diagnostics);
  EXPECT_TRUE(has_problem(try_parse(replaced(arm, "1.6", "1.7"), "a.sdf").diagnostics, Severity::error, 1, "this name is already taken"));
  EXPECT_TRUE(has_problem(try_parse(replaced(arm, "name=\"base\"", "name=\"world\""), "a.sdf").diagnostics, Severity::error, 1, "kept for the world"));
}

TEST(Sdf, BadFilesAreRefusedWithLineAndElement) {
  const std::string arm =
      "<sdf version=\"1.7\">\n<model name=\"r\">\n<link name=\"a\">" + sdf_inertial(1) + "</link>\n<link name=\"b\">" + sdf_inertial(1) +
      "</link>\n<joint name=\"j\" type=\"revolute\">\n<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>\n</model></sdf>";
  for (const BadInput& bad : {
           BadInput{"unknown link", replaced(arm, "<child>b</child>", "<child>c</child>"), 5, "there is no frame 'c'"},
           BadInput{"no child", replaced(arm, "<child>b</child>", ""), 5, "<child> is missing"},
           BadInput{"two of a name", replaced(arm, "<link name=\"b\">", "<link name=\"a\">"), 4, "this name is already taken in line 3"},
           BadInput{"five numbers", replaced(arm, "<pose>0 0 0 0 0 0</pose>", "<pose>0 0 0 0 0</pose>"), 3, "it has 5 numbers, but 6 are needed"},
           BadInput{"a unit", replaced(arm, "<mass>1</mass>", "<mass>1kg</mass>"), 3, "carries a unit"},
           BadInput{"two roots", replaced(arm, "<parent>a</parent>", "<parent>world</parent>"), 3, "is the root already"},
           BadInput{"no version", replaced(arm, " version=\"1.7\"", ""), 1, "attribute 'version' is missing"},
           BadInput{"a slip", replaced(arm, "<mass>1</mass>", "<mas>1</mas>"), 3, "element <mas> is unknown; write 'mass'", Severity::error, false},
       })
    expect_problem(bad, try_parse(bad.text, "a.sdf").diagnostics);
}

TEST(Sdf, WrittenNamesStayApart) {
  Diagnostics told;
  const Model model = parse(
      R"x(<robot name="r"><link name="a::b"/><link name="world"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="a::b" type="continuous"><parent link="a::b"/><child link="world"/></joint></robot>)x",
      "r.urdf");
  const std::optional<std::string> text = write_sdf(model, told);
  ASSERT_TRUE(text);
  EXPECT_TRUE(has_problem(told.all(), Severity::warning, 0, "some names were changed")) << listing(told);
  expect_same_torques(sdf_model(*text), model);
}

// SDFormat's springs stand in the axis; a ball joint's keeps it there and back.
TEST(Sdf, ABallJointKeepsItsSpring) {
  const Model model = sdf_model(cat("<sdf version=\"1.9\"><model name=\"m\"><link name=\"b\">", sdf_inertial(1), "</link><link name=\"n\">", sdf_inertial(3),
                                    "</link><joint name=\"k\" type=\"ball\"><parent>b</parent><child>n</child><axis><dynamics><damping>0.5</damping>"
                                    "<spring_stiffness>14</spring_stiffness></dynamics></axis></joint></model></sdf>"));
  Diagnostics told;
  const std::optional<std::string> text = write_sdf(model, told);
  ASSERT_TRUE(text) << listing(told);
  for (const Model& one : {model, sdf_model(*text)}) {
    EXPECT_EQ(one.joints().back().stiffness, 14);
    EXPECT_EQ(one.joints().back().friction.viscous, 0.5);
  }
}

// A screw advances by its pitch with every turn: M has what turns and what slides, and gravity pulls along it.
TEST(Sdf, AScrewTurnsAndSlides) {
  constexpr double kTurn = 2 * 3.14159265358979323846;
  for (const auto& [pitch, advance] : {std::pair{"<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02 / kTurn},
                                       {"<thread_pitch>-50</thread_pitch>", 0.02},
                                       {"<thread_pitch>7</thread_pitch><screw_thread_pitch>-0.3</screw_thread_pitch>", -0.3 / kTurn}}) {
    const Model model = sdf_model(cat("<sdf version=\"1.11\"><model name=\"m\"><link name=\"b\">", sdf_inertial(1), "</link><link name=\"n\">", sdf_inertial(3),
                                      "</link><joint name=\"w\" type=\"fixed\"><parent>world</parent><child>b</child></joint><joint name=\"s\" type=\"screw\">"
                                      "<parent>b</parent><child>n</child>",
                                      pitch, "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"));
    ASSERT_EQ(model.nv(), 1u);
    EXPECT_EQ(model.driven_names(), std::vector<std::string>{"s"});
    const double at_rest = sdf_torques(model, {0.4}, {0}, {0})[0];
    EXPECT_NEAR(at_rest, 3 * 9.81 * advance, 1e-13);
    EXPECT_NEAR(sdf_torques(model, {0.4}, {2}, {1})[0] - at_rest, 0.15 + 3 * advance * advance, 1e-13);
  }
}

#ifdef ULNA_HAVE_SDFORMAT
// Nested models, placement frames, references forth and back, axes in other frames: and libsdformat was asked at all.
TEST(Sdf, PosesOfLibsdformat) {
  const int before = compared_with_libsdformat;
  sdf_model(cat(
      R"(<sdf version="1.9"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose><link name="a"><pose relative_to="f">0.1 0 0 0.4 0 0</pose>)", sdf_inertial(1),
      R"(</link><frame name="f" attached_to="n::b"><pose>0 0.5 0 0 0.7 0.2</pose></frame><model name="n" placement_frame="b"><pose>0.3 -0.2 0.1 1 0.5 -2</pose>
<link name="b"><pose>0.2 0.1 0 -0.3 0.6 0.9</pose>)",
      sdf_inertial(2), R"(</link><link name="c"><pose relative_to="k">0 0 1 0 0 0.5</pose>)", sdf_inertial(1),
      R"(</link><joint name="k" type="prismatic"><pose relative_to="b">0.7 0 0 0 1 0</pose><parent>b</parent><child>c</child><axis><xyz expressed_in="__model__">1 2 -3</xyz></axis></joint>
</model><joint name="j" type="universal"><pose degrees="true" relative_to="a">0 0 0.4 10 20 30</pose><parent>a</parent><child>n::b</child>
<axis><xyz expressed_in="n::c">0 1 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint></model></sdf>)"));
  EXPECT_GE(compared_with_libsdformat - before, 4);
}
#endif

}  // namespace
}  // namespace ulna::test
