// What the commands print: the JSON that other programs rely on, the features, and the numbers against closed forms and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;

namespace {

bool contains(const json& list, const std::string& word) { return std::find(list.begin(), list.end(), word) != list.end(); }

const char* const kRobots[] = {"planar-2r", "planar-3r", "stanford",  "puma560",     "puma560-mdh", "ur5",         "panda",
                               "iiwa14",    "scara",     "space-arm", "shuttle-arm", "torso",       "humanoid-38", "general-RRPRRR"};

TEST(Commands, InfoHasItsFields) {
  const json info = ulna_json("info scara");
  EXPECT_EQ(info["name"], "scara");
  EXPECT_EQ(info["gravity"], (json{0, 0, -9.81}));
  EXPECT_DOUBLE_EQ(info["mass"].get<double>(), 7.5 + 5.2 + 1.1 + 0.35);
  EXPECT_EQ(info["nq"], 4);
  EXPECT_EQ(info["nv"], 4);
  ASSERT_EQ(info["joints"].size(), 4u);
  const json& lift = info["joints"][2];
  EXPECT_EQ(lift["name"], "lift");
  EXPECT_EQ(lift["type"], "prismatic");
  EXPECT_EQ(lift["parent"], "outer_arm");
  EXPECT_EQ(lift["child"], "quill");
  EXPECT_EQ(lift["lower"], 0);
  EXPECT_EQ(lift["upper"], 0.18);
  EXPECT_EQ(info["links"].size(), 5u);
  EXPECT_TRUE(ulna_json("info stanford")["joints"][0]["lower"].is_null());
}

TEST(Commands, JointOrderOfTheStanfordArm) {
  std::vector<std::string> names;
  const json info = ulna_json("info stanford");
  for (const json& joint : info["joints"]) names.push_back(joint["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"q1", "q2", "q6", "q3", "q4", "q5"}));
}

TEST(Commands, EveryBuiltInRobotRunsThroughEveryCommand) {
  for (const std::string robot : kRobots) {
    SCOPED_TRACE(robot);
    const std::size_t n = ulna_json("info " + robot)["nv"].get<std::size_t>();
    std::string values;
    for (std::size_t i = 0; i < n; ++i) values += (i == 0 ? "" : ",") + std::to_string(0.1 + 0.07 * static_cast<double>(i));
    const std::string q = " --q " + values, v = " --v " + values;
    const json inverse = ulna_json("inverse " + robot + q + v + " --a " + values);
    EXPECT_EQ(inverse["joints"].size(), n);
    ASSERT_EQ(inverse["tau"][0].size(), n);
    std::string tau;
    for (const json& t : inverse["tau"][0]) tau += (tau.empty() ? "" : ",") + t.dump();
    const json forward = ulna_json("forward " + robot + q + v + " --tau " + tau)["a"][0];
    // forward(inverse(a)) = a up to the condition of M, at most 1e6 or so for these robots.
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(forward[i].get<double>(), 0.1 + 0.07 * static_cast<double>(i), 1e-8);
    const json M = ulna_json("mass " + robot + q)["M"][0];
    const json bias = ulna_json("bias " + robot + q + v)["bias"][0];
    double scale = 0;
    for (const json& t : inverse["tau"][0]) scale = std::max(scale, std::abs(t.get<double>()));
    double twice_kinetic = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = bias[i];
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_EQ(M[i][j], M[j][i]);
        sum += M[i][j].get<double>() * (0.1 + 0.07 * static_cast<double>(j));
        twice_kinetic += M[i][j].get<double>() * (0.1 + 0.07 * static_cast<double>(i)) * (0.1 + 0.07 * static_cast<double>(j));
      }
      EXPECT_NEAR(sum, inverse["tau"][0][i].get<double>(), 1e-12 * scale);
    }
    const json energy = ulna_json("energy " + robot + q + v);
    EXPECT_NEAR(energy["kinetic"][0].get<double>(), 0.5 * twice_kinetic, 1e-12 * twice_kinetic);
    EXPECT_EQ(ulna_json("pose " + robot + q)["pose"][0].size(), ulna_json("info " + robot)["links"].size());
    EXPECT_EQ(ulna_json("gravity " + robot + q)["gravity"][0].size(), n);
    EXPECT_EQ(ulna_json("momentum " + robot + q + v)["linear"][0].size(), 3u);
    EXPECT_EQ(ulna("lint " + robot).status, 0);
    for (const std::string command : {"info", "inverse", "forward", "mass", "bias", "gravity", "energy", "momentum", "pose"})
      EXPECT_EQ(ulna(command + " " + robot).status, 0) << command;
  }
}

TEST(Commands, FeaturesSayWhatWasUsedAndWhatWasNot) {
  const json off = ulna_json("inverse scara --rotor off")["features"];
  EXPECT_TRUE(contains(off["unused"], "rotor"));
  EXPECT_TRUE(contains(off["unused"], "friction"));
  EXPECT_TRUE(contains(off["unused"], "limits"));
  EXPECT_TRUE(contains(off["used"], "gravity"));
  const json on =
      ulna_json("inverse scara --friction on --wrench flange:0,0,1,0,0,0@world --base-velocity 0,0,1,0,0,0 --base-acceleration 0,0,0,1,0,0")["features"];
  for (const char* name : {"rotor", "friction", "wrench", "base velocity", "base acceleration"}) EXPECT_TRUE(contains(on["used"], name)) << name;
  EXPECT_TRUE(contains(ulna_json("mass scara")["features"]["unused"], "gravity"));
  const json locked = ulna_json("inverse scara --lock lift=0.1")["features"];
  EXPECT_EQ(locked["lock"]["lift"], 0.1);
  const std::string text = ulna("inverse scara").out;
  EXPECT_NE(text.find("In the model, but not in this result: friction, limits."), std::string::npos) << text;
  const support::Folder folder;  // a rotor that is a link
  folder.write("drives.yaml", "rotors: {elbow: {inertia: 1e-4, gear: 100, axis: [0, 1, 0]}}\n");
  const std::string spins = "inverse ur5 --friction-file " + folder.at("drives.yaml");
  EXPECT_TRUE(contains(ulna_json(spins)["features"]["used"], "rotor"));
  EXPECT_TRUE(contains(ulna_json(spins + " --rotor off")["features"]["unused"], "rotor"));
}

TEST(Commands, FrictionAndRotorAddTheirClosedForm) {
  const std::string state = " --q 0.1,0.2,0.05,0.3 --v 0.5,-0.4,0.03,0 --a 1,2,3,4";
  const json bare = ulna_json("inverse scara --rotor off" + state)["tau"][0];
  const json full = ulna_json("inverse scara --friction on" + state)["tau"][0];
  const double rotor[] = {6e-5 * 80 * 80 * 1, 3e-5 * 50 * 50 * 2, 8e-6 * 392.69908169872417 * 392.69908169872417 * 3, 5e-6 * 18 * 18 * 4};
  const double friction[] = {1.2 * 0.5 + 3, -0.5 * 0.4 - 1.4, 40 * 0.03 + 12, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(full[i].get<double>() - bare[i].get<double>(), rotor[i] + friction[i], 1e-12);
}

TEST(Commands, LockingMergesTheLinkAndItsNameIsGone) {
  const json free = ulna_json("inverse scara --q 0.3,0.4,0.1,0.2 --rotor off");
  const json locked = ulna_json("inverse scara --lock lift=0.1 --lock tool=0.2 --q 0.3,0.4 --a 0,0 --rotor off");
  EXPECT_EQ(locked["joints"], (json{"shoulder", "elbow"}));
  EXPECT_NEAR(locked["tau"][0][0].get<double>(), free["tau"][0][0].get<double>(), 1e-12);
  EXPECT_EQ(ulna_json("info scara --lock lift --lock tool")["nv"], 2);
}

TEST(Commands, PoseOfTheKukaArm) {
  // Drake's benchmark for the KUKA iiwa 14: frame of link 7.
  const json zero = ulna_json("pose iiwa14 --link link7")["pose"][0][0];
  EXPECT_NEAR(zero[2].get<double>(), 1.261, 1e-15);
  const json bent = ulna_json("pose iiwa14 --link link7 --q pi/3,pi/6,pi/3,pi/6,pi/3,pi/6,pi/3")["pose"][0][0];
  const double expected[] = {0.2970356451892219, 0.1727696964662288, 1.154681973689345};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(bent[k].get<double>(), expected[k], 1e-14);
}

/// Two fingers of 1 kg; the right one follows the left one, twice as far the other way.
constexpr const char* kGripper = R"(<robot name="gripper">
<link name="palm"/>
<link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="l" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="r" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/><limit lower="-1" upper="0" effort="1" velocity="1"/><mimic joint="l" multiplier="-2" offset="0.5"/></joint>
</robot>)";

TEST(Commands, MimicJointsAreNeverSilent) {
  const TemporaryFile file("gripper.urdf", kGripper);
  const std::string model = " '" + file.path() + "'";
  const json coupled = ulna_json("mass" + model);
  EXPECT_EQ(coupled["joints"], json{"l"});
  EXPECT_EQ(coupled["M"][0][0][0], 5.0);  // 1 + (-2)^2
  EXPECT_TRUE(contains(coupled["features"]["used"], "mimic"));
  EXPECT_NE(ulna("mass" + model).err.find("honoured"), std::string::npos);
  const json free = ulna_json("mass --mimic ignore" + model);
  EXPECT_EQ(free["joints"], (json{"l", "r"}));
  EXPECT_TRUE(contains(free["features"]["unused"], "mimic"));
  EXPECT_NE(ulna("mass --mimic ignore" + model).err.find("ignored"), std::string::npos);
  EXPECT_EQ(ulna("forward --method articulated" + model).status, 2);
}

TEST(Commands, ModelsListsAndPrints) {
  const json models = ulna_json("models")["models"];
  ASSERT_EQ(models.size(), 20u);
  const auto humanoid = std::find_if(models.begin(), models.end(), [](const json& model) { return model["id"] == "humanoid-38"; });
  ASSERT_NE(humanoid, models.end());
  EXPECT_EQ((*humanoid)["joints"], 38);
  const TemporaryFile copy("copy.yaml", ulna("models puma560").out);
  EXPECT_EQ(ulna_json("gravity puma560 --q 1,2,3,4,5,6")["gravity"], ulna_json("gravity '" + copy.path() + "' --q 1,2,3,4,5,6")["gravity"]);
  // The made-up family: a longer arm begins like a shorter one, and no parameter is special.
  const json three = ulna_json("info general-RRP")["links"], four = ulna_json("info general-RRPR")["links"];
  EXPECT_EQ(three[2], four[2]);
  EXPECT_EQ(ulna("inverse general-RXR").status, 2);
}

TEST(Commands, SnappingIsListed) {
  const TemporaryFile file("turned.urdf", R"(<robot name="turned"><link name="a"/>
<link name="b"><inertial><mass value="1"/><origin xyz="1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin rpy="1.57079632679 0 0"/><axis xyz="0 0 1"/></joint></robot>)");
  const std::string model = " '" + file.path() + "'";
  const json on = ulna_json("inverse" + model)["features"];
  EXPECT_TRUE(contains(on["used"], "snapped"));
  EXPECT_EQ(on["snapped"]["joints"], json{"j"});
  EXPECT_NEAR(on["snapped"]["largest_change"].get<double>(), 4.9e-12, 1e-13);
  EXPECT_FALSE(contains(ulna_json("inverse --snap 0" + model)["features"]["used"], "snapped"));
}

// Links of 1 m and 0.8 m in a plane: v = w × r, from each axis to the tip.
TEST(Commands, JacobianOfThePlanarArm) {
  const double x1 = std::cos(0.3), y1 = std::sin(0.3), x2 = 0.8 * std::cos(0.8), y2 = 0.8 * std::sin(0.8);
  const std::vector<std::vector<double>> expected{{0, 0}, {0, 0}, {1, 1}, {-y1 - y2, -y2}, {x1 + x2, x2}, {0, 0}};
  const std::string call = "jacobian planar-2r --link forearm --q 0.3,0.5";
  const json out = ulna_json(call);
  EXPECT_EQ(out["rows"], (json{"wx", "wy", "wz", "vx", "vy", "vz"}));
  EXPECT_EQ(out["link"], "forearm");
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(out["J"][0][r][c].get<double>(), expected[r][c], 1e-15) << r << c;
  const Outcome csv = ulna(call + " --csv"), text = ulna(call);
  EXPECT_EQ(
      csv.out.substr(0, csv.out.find('\n')),
      "J.wx.shoulder,J.wx.elbow,J.wy.shoulder,J.wy.elbow,J.wz.shoulder,J.wz.elbow,J.vx.shoulder,J.vx.elbow,J.vy.shoulder,J.vy.elbow,J.vz.shoulder,J.vz.elbow");
  EXPECT_NE(text.out.find("vy    1.512702   0.5573654\n"), std::string::npos) << text.out;
  expect_refused("jacobian planar-2r", "needs --link NAME");
  expect_refused("jacobian planar-2r --link forarm", "did you mean 'forearm'?");
}

TEST(Commands, LintListsProblemsAsJson) {
  const TemporaryFile file("bad.urdf", R"(<robot name="bad">
<link name="a"/>
<link name="b"><inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/><mimic joint="nobody"/></joint>
</robot>)");
  const Outcome run = ulna("lint --json '" + file.path() + "'");
  EXPECT_EQ(run.status, 1);
  const json out = json::parse(run.out);
  EXPECT_EQ(out["model"], file.path());
  EXPECT_EQ(out["errors"], 2);
  ASSERT_EQ(out["diagnostics"].size(), out["errors"].get<std::size_t>() + out["warnings"].get<std::size_t>() + out["notes"].get<std::size_t>());
  bool negative = false, unknown = false;
  for (const json& d : out["diagnostics"]) {
    EXPECT_EQ(d["file"], file.path());
    if (d["line"] == 3 && d["severity"] == "error")
      negative =
          d["problem"] == "its mass is -1 kg" && d["physical"] == true && d["element"] == "link 'b'" && d["element_kind"] == "link" && d["element_name"] == "b";
    if (d["line"] == 4 && d["severity"] == "error") unknown = d["problem"].get<std::string>().find("nobody") != std::string::npos && d["physical"] == false;
  }
  EXPECT_TRUE(negative && unknown) << run.out;
  const json sound = json::parse(ulna("lint --json panda").out);
  EXPECT_EQ(sound["errors"], 0);
}

// Of xacro files those that are robots: macros alone are none, nor is what another file includes and what does not stand without it.
TEST(Commands, LintOfAFolderFindsTheRobots) {
  const support::Folder folder;
  const std::string head = R"x(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">)x";
  folder.write("arm_macro.xacro", head + R"x(<xacro:macro name="arm" params="p"><link name="${p}a"/></xacro:macro></robot>)x");
  folder.write("tool.xacro", head + R"x(<link name="t"/><joint name="j" type="fixed"><parent link="a"/><child link="t"/></joint></robot>)x");
  folder.write("arm.xacro", head + R"x(<xacro:property name="kind" value="arm"/><xacro:include filename="${kind}_macro.xacro"/>)x" +
                                R"x(<xacro:include filename="tool.xacro"/><xacro:arm p=""/></robot>)x");
  folder.write("bad.urdf.xacro", head + R"x(<link name="${x}"/></robot>)x");
  const Outcome run = ulna("lint '" + folder.at("") + "'");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("arm.xacro: 0 errors"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("bad.urdf.xacro: 1 error"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("2 robot files, 1 of them refused"), std::string::npos) << run.out;
}

TEST(Commands, FormulationsAreListedAndTold) {
  const json all = ulna_json("formulations")["formulations"];
  ASSERT_EQ(all.size(), 22u);
  const std::string list = ulna("formulations").out;
  for (const json& row : all) {
    const std::string id = row["id"];
    EXPECT_NE(list.find("\n  " + id + " "), std::string::npos) << id;
    const std::string told = ulna("formulations " + id).out;
    EXPECT_EQ(told.find(id + ": " + row["title"].get<std::string>() + "\n  from      " + row["citation"].get<std::string>() + "\n"), 0u) << told;
  }
  expect_refused("formulations naser", "did you mean 'nasser'?");
}

// Six joints, N = 10 nodes an axis, 8 bytes a number. Albus: 6 torques over N^18 nodes. Raibert: 6 over N^12, and M over N^6. Horn and Raibert: gravity, M and
// the 6 x 6 x 6 velocity coefficients over N^6.
TEST(Commands, SizesOfTables) {
  const std::string call = "formulations horn-raibert --sizes puma560";
  const json bytes = ulna_json(call)["bytes"];
  EXPECT_EQ(bytes["albus"], 8 * 6e18);
  EXPECT_EQ(bytes["raibert"], 8 * (6e12 + 36e6));
  EXPECT_EQ(bytes["horn-raibert"], 8 * (6 + 36 + 216) * 1e6);
  const std::string text = ulna(call).out;
  for (const char* piece : {"6 joints, 10 nodes an axis", "41.6334 EiB", "43.656 TiB", "1.92225 GiB"}) EXPECT_NE(text.find(piece), std::string::npos) << text;
  expect_refused("formulations nasser --sizes puma560", "option --sizes is about tables");
  expect_refused("formulations horn-raibert --sizes puma560 --nodes 1", "a whole number from 2 to 1000000");
  expect_refused("formulations horn-raibert --nodes 3", "needs --sizes MODEL");
}

// Albus' table interpolated is Raibert's, because torques are linear in accelerations; a load that no table knows is seen in all.
TEST(Commands, TablesThatFitAreFilledAndMeasured) {
  const TemporaryFile drawing("tables.svg", "");
  const json tables = ulna_json("formulations raibert --sizes planar-2r --nodes 5 --force --svg " + drawing.path())["tables"];
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_NEAR(tables[0]["error"].get<double>(), tables[1]["error"].get<double>(), 1e-9);
  EXPECT_EQ(tables[0]["mul"], 0);
  EXPECT_EQ(tables[1]["mul"], 4);
  EXPECT_EQ(tables[2]["mul"], 20);
  for (const json& table : tables) {
    EXPECT_GT(table["error"].get<double>(), 0.01);
    EXPECT_GT(table["error_indexed"].get<double>(), table["error"].get<double>());
    EXPECT_GT(table["error_loaded"].get<double>(), table["error"].get<double>());
    EXPECT_FALSE(table.contains("why_not"));
  }
  std::ifstream file(drawing.path());
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  for (const char* piece : {"albus, nearest node", "horn-raibert", "newton-euler", "bytes of table"}) EXPECT_NE(svg.find(piece), std::string::npos) << piece;
  EXPECT_TRUE(ulna_json("formulations albus --sizes puma560")["tables"][0].contains("why_not"));
  expect_refused("formulations albus --sizes puma560 --force --svg " + drawing.path(), "chains of up to 3 free joints");
}

// The papers' forward dynamics have the rotors in them: that matters where there are any.
TEST(Commands, RotorsAreLeftOutWhereThereAreNone) {
  const std::string call = " --q 0.1,0.2 --v 0.3,0.4 --tau 1,2 --rotor off --formulation nasser";
  EXPECT_EQ(ulna_json("forward planar-2r" + call)["computed_by"], "nasser");
  expect_refused("forward puma560 --q 0,0,0,0,0,0 --rotor off --formulation nasser", "always includes the rotors' inertia");
  for (const std::string friction : {"off", "on"}) {
    const std::string own = "forward scara --q 0.1,0.2,0.1,0.3 --v 0.3,0.4,0.1,0.5 --tau 1,2,3,0.4 --rotor off --friction " + friction;
    const json by_kernels = ulna_json(own + " --formulation ulna --intermediates")["a"][0], expected = ulna_json(own)["a"][0];
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(by_kernels[i].get<double>() / expected[i].get<double>(), 1, 1e-10);
  }
}

// A driven base does work that nobody knows: there is no balance, so there is no error of one.
TEST(Commands, NoErrorOfABalanceThatIsNotThere) {
  const Outcome driven = ulna("simulate nasser-space-arm");
  EXPECT_EQ(driven.status, 0);
  EXPECT_NE(driven.out.find("energy: not audited"), std::string::npos) << driven.out;
  std::istringstream lines(driven.out);
  int joints = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word.size() != 10 || word[2].rfind("rad", 0) != 0) continue;
    ++joints;
    EXPECT_EQ(word[6], "-") << line;  // uptake
    EXPECT_EQ(word[7], "-") << line;  // error
  }
  EXPECT_GT(joints, 3);
}

TEST(Commands, MimicJointsAreInfo) {
  const TemporaryFile file("gripper.urdf", kGripper);
  const json info = ulna_json("info '" + file.path() + "'");
  ASSERT_EQ(info["mimic"].size(), 1u);
  EXPECT_EQ(info["mimic"][0]["name"], "r");
  EXPECT_EQ(info["mimic"][0]["leader"], "l");
  EXPECT_EQ(info["mimic"][0]["multiplier"], -2);
  EXPECT_EQ(info["mimic"][0]["offset"], 0.5);
  EXPECT_EQ(info["nv"], 1);
}

// An arm whose hand, of this mass, is carried by a heavy link; both axes are level, so the torque of the second joint is that of the hand alone.
std::string arm_with_hand(const std::string& mass) {
  const auto link = [](const std::string& name, const std::string& kg) {
    return "<link name='" + name + "'><inertial><origin xyz='1 0 0'/><mass value='" + kg +
           "'/><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
           "'/><origin xyz='1 0 0'/><axis xyz='0 1 0'/></joint>";
  };
  return "<robot name='arm'><link name='base'/>" + link("upper", "10") + link("hand", mass) + joint("shoulder", "base", "upper") +
         joint("wrist", "upper", "hand") + "</robot>";
}

/// The number behind a joint's name in a table of text.
std::string shown(const std::string& text, const std::string& joint) {
  std::istringstream words(text.substr(text.find("\n  " + joint + " ")));
  std::string name, number;
  words >> name >> number;
  return number;
}

TEST(Commands, TextShowsRoundingAsZero) {
  // cos(pi/2) of a rounded pi/2 is 6e-17: exact torques of the first and the third joint are 0.
  const std::string held = " stanford --q 0,pi/2,0,0,0,0";
  const Outcome text = ulna("inverse" + held);
  EXPECT_EQ(shown(text.out, "q1"), "0") << text.out;
  EXPECT_EQ(shown(text.out, "q6"), "0") << text.out;
  EXPECT_EQ(shown(text.out, "q2"), "-14.67576") << text.out;
  EXPECT_FALSE(has(ulna("pose" + held).out, "e-")) << "of points and quaternions";
  EXPECT_FALSE(has(ulna("jacobian" + held + " --link link6").out, "e-"));
  EXPECT_FALSE(has(ulna("mass" + held).out, "e-1"));
  // Files keep what was computed.
  const double kept = ulna_json("inverse" + held)["tau"][0][2].get<double>();
  EXPECT_NE(kept, 0);
  EXPECT_LT(std::abs(kept), 1e-13);
  EXPECT_TRUE(has(ulna("inverse --csv" + held).out, "e-"));
}

TEST(Commands, TextShowsSmallNumbersThatAreNoRounding) {
  const TemporaryFile file("arm.urdf", arm_with_hand("1e-20"));
  const std::string robot = " '" + file.path() + "'";
  EXPECT_EQ(shown(ulna("gravity" + robot).out, "wrist"), "-9.81e-20");  // beside 98.1 N m at the shoulder
  EXPECT_EQ(shown(ulna("gravity" + robot + " --q 0,pi/2").out, "wrist"), "0");
  EXPECT_EQ(shown(ulna("gravity" + robot + " --q pi/2,0").out, "shoulder"), "0");
  // Nor is the torque of an arm that hangs, 1e-20 rad away from there.
  const TemporaryFile hanging("hanging.urdf", replaced(arm_with_hand("1e-20"), "xyz='1 0 0'/><mass value='10'", "xyz='0 0 -1'/><mass value='10'"));
  EXPECT_NE(shown(ulna("gravity '" + hanging.path() + "' --q 1e-20,0").out, "shoulder"), "0");
}

TEST(Commands, ModelsAsATable) {
  const std::string text = ulna("models").out;
  for (const std::string robot : kRobots) {
    if (robot.rfind("general", 0) == 0) continue;
    EXPECT_NE(text.find("\n  " + robot + " "), std::string::npos) << robot << " in " << text;
  }
}

}  // namespace
