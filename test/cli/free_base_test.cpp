// A base that moves, through the commands: options, keys, headers, other libraries' conventions, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.hpp"

using nlohmann::json;

namespace {

// A body of 2 kg with a bar of 1 kg that turns about y. Mass centres on the axes, so that much can be said by hand.
const std::string kCraft = R"(<robot name="craft">
  <link name="hull"><inertial><mass value="2"/><inertia ixx="0.4" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.6"/></inertial></link>
  <link name="bar"><inertial><origin xyz="0 0 0.25"/><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="hull"/><child link="bar"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>
</robot>)";

struct Craft {
  TemporaryFile file{"craft.urdf", kCraft};
  std::string operator()(const std::string& command, const std::string& options) const { return command + " " + file.path() + " --base free " + options; }
};

double number(const json& x) { return x.get<double>(); }

void expect_close(const json& a, const json& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_array())
      expect_close(a[i], b[i]);
    else
      EXPECT_NEAR(number(a[i]), number(b[i]), 1e-12) << i;
  }
}

const std::string kQ = "0.3,-0.2,0.5,0.5,-0.5,0.5,0.5,0.7", kV = "0.1,-0.2,0.3,0.4,0.5,-0.6,0.7", kA = "1,-2,0.5,0.3,-0.1,0.2,1.5";

TEST(FreeBaseCommand, InverseGivesTheWrenchOnTheBase) {
  const Craft craft;
  const json result = ulna_json(craft("inverse", ""));
  EXPECT_EQ(result["joints"], json({"hinge"}));
  EXPECT_EQ(result["base"][0].size(), 6u);
  EXPECT_NEAR(number(result["base"][0][5]), 3 * 9.81, 1e-12);         // at rest, upright: the weight
  EXPECT_NEAR(number(result["base"][0][1]), -0.1 * 1 * 9.81, 1e-12);  // the bar hangs in front: f at x gives -x f about y
  EXPECT_EQ(result["tau"][0].size(), 1u);
  EXPECT_EQ(result["computed_by"], "compiled-double");
  const std::string csv = ulna(craft("inverse", "--csv")).out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "tau.base.nx,tau.base.ny,tau.base.nz,tau.base.fx,tau.base.fy,tau.base.fz,tau.hinge");
}

TEST(FreeBaseCommand, MassHasSixRowsMore) {
  const json M = ulna_json(Craft()("mass", "--q " + kQ))["M"][0];
  ASSERT_EQ(M.size(), 7u);
  for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(number(M[k][k]), 3, 1e-15);  // angular, linear, joints
  EXPECT_NEAR(number(M[6][6]), 0.02 + 0.0625, 1e-15);
}

TEST(FreeBaseCommand, ForwardTakesTheJointsTorques) {
  const Craft craft;
  const json inverse = ulna_json(craft("inverse", "--q " + kQ + " --v " + kV + " --a " + kA));
  std::string tau;
  for (const json& x : inverse["base"][0]) tau += x.dump() + ",";
  tau += inverse["tau"][0][0].dump();
  const json back = ulna_json(craft("forward", "--q " + kQ + " --v " + kV + " --tau=" + tau));
  expect_close(back["base_acceleration"][0], json({1, -2, 0.5, 0.3, -0.1, 0.2}));
  EXPECT_NEAR(number(back["a"][0][0]), 1.5, 1e-12);
  // Without a drive and without a push it falls.
  const json fall = ulna_json(craft("forward", "--tau 0"));
  expect_close(fall["base_acceleration"][0], json({0, 0, 0, 0, 0, -9.81}));
  for (const char* method : {"mass", "articulated"})
    expect_close(ulna_json(craft("forward", std::string("--tau 0 --method ") + method))["base_acceleration"][0], json({0, 0, 0, 0, 0, -9.81}));
}

TEST(FreeBaseCommand, OtherConventionsMeanTheSame) {
  const Craft craft;
  const json wanted = ulna_json(craft("inverse", "--q " + kQ + " --v " + kV + " --a " + kA));
  const auto same = [&](const std::string& options) {
    const json got = ulna_json(craft("inverse", options));
    expect_close(got["tau"], wanted["tau"]);
    expect_close(got["base"], wanted["base"]);
  };
  same("--quaternion wxyz --q 0.3,-0.2,0.5,0.5,0.5,-0.5,0.5,0.7 --v " + kV + " --a " + kA);
  same("--base-order linear --q " + kQ + " --v 0.4,0.5,-0.6,0.1,-0.2,0.3,0.7 --a 0.3,-0.1,0.2,1,-2,0.5,1.5");
  // w x v = (-0.03, 0.18, 0.13)
  same("--acceleration spatial --q " + kQ + " --v " + kV + " --a 1,-2,0.5,0.33,-0.28,0.07,1.5");
  // Its matrix is R = [0 -1 0; 0 0 -1; 1 0 0]: world (x, y, z) = (-y, -z, x) of the hull.
  same("--base-axes world --q " + kQ + " --v 0.2,-0.3,0.1,-0.5,0.6,0.4,0.7 --a 2,-0.5,1,0.1,-0.2,0.3,1.5");
  same("--base-axes mixed --q " + kQ + " --v 0.1,-0.2,0.3,-0.5,0.6,0.4,0.7 --a 1,-2,0.5,0.1,-0.2,0.3,1.5");
  // Columns of a file carry their names.
  const TemporaryFile states(
      "states.csv",
      "a.hinge,q.hinge,v.base.vx,v.base.vy,v.base.vz,v.base.wx,v.base.wy,v.base.wz,v.hinge,q.base.qw,q.base.qx,q.base.qy,q.base.qz,q.base.x,q.base.y,"
      "q.base.z,a.base.wx,a.base.wy,a.base.wz,a.base.vx,a.base.vy,a.base.vz\n"
      "1.5,0.7,0.4,0.5,-0.6,0.1,-0.2,0.3,0.7,0.5,0.5,-0.5,0.5,0.3,-0.2,0.5,1,-2,0.5,0.3,-0.1,0.2\n");
  same("--states " + states.path());
}

TEST(FreeBaseCommand, AQuaternionOfAnotherLengthIsRefusedWithIt) {
  const Craft craft;
  expect_refused(craft("inverse", "--q 0,0,0,0,0,0,1.01,0"), "the quaternion of the base has length 1.01, not 1");
  const Outcome nearly = ulna(craft("inverse", "--q 0,0,0,0,0,0,1.0000005,0"));
  EXPECT_EQ(nearly.status, 0);
  EXPECT_NE(nearly.err.find("was given unit length; it was off by 5e-07"), std::string::npos) << nearly.err;
  // Four digits, as people copy them; MuJoCo divides by the length, too.
  const Outcome four = ulna(craft("inverse", "--q 0,0,0,.7071,0,0,.7071,0"));
  EXPECT_EQ(four.status, 0);
  EXPECT_NE(four.err.find("was given unit length; it was off by 9.59"), std::string::npos) << four.err;
  EXPECT_EQ(four.out, ulna(craft("inverse", "--q 0,0,0,0.70710678118654752,0,0,0.70710678118654752,0")).out);
  EXPECT_EQ(ulna(craft("inverse", "--q 0,0,0,0.5,0.5,0.5,0.5,0")).err.find("unit length"), std::string::npos);
  const TemporaryFile states("states.csv", "q.base.qx,q.hinge\n0,1\n0.1,1\n");
  const Outcome file = ulna(craft("inverse", "--states " + states.path()));
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.err.find(":3: error"), std::string::npos) << file.err;
  EXPECT_EQ(file.out, "");
}

TEST(FreeBaseCommand, WrongCallsAreRefused) {
  const Craft craft;
  expect_refused(craft("inverse", "--base-velocity 0,0,1,0,0,0"), "--base-velocity prescribes the motion of a fixed base");
  expect_refused(craft("inverse", "--base-acceleration 0,0,1,0,0,0"), "--base-acceleration prescribes");
  expect_refused(craft("inverse", "--q 0"), "nq = 8");
  expect_refused(craft("inverse", "--v 0"), "nv = 7");
  expect_refused("inverse " + craft.file.path() + " --quaternion wxyz", "--base free frees it");
  expect_refused("inverse " + craft.file.path() + " --base floating", "fixed, planar or free");
  expect_refused(craft("inverse", "--acceleration spatial --base-axes world"), "cannot be combined");
  expect_refused(craft("equations", "--formulation newton-euler"), "does not take robot 'craft', whose base is free");
}

TEST(FreeBaseCommand, CentroidalHasMomentumAndItsMatrix) {
  const json result = ulna_json(Craft()("centroidal", "--q " + kQ + " --v " + kV));
  const json A = result["A"][0];
  ASSERT_EQ(A.size(), 6u);
  const double v[] = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7};
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 7; ++k) sum += number(A[i][k]) * v[k];
    EXPECT_NEAR(sum, number(result[i < 3 ? "angular" : "linear"][0][i % 3]), 1e-14);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(3 * number(result["com_velocity"][0][k]), number(result["linear"][0][k]), 1e-14);
  EXPECT_EQ(result["com"][0].size(), 3u);
  // Of a fixed base, too.
  EXPECT_EQ(ulna_json("centroidal panda")["A"][0][0].size(), 7u);
}

TEST(FreeBaseCommand, TheFileMayFreeIt) {
  const TemporaryFile file(
      "floating.urdf",
      std::string(kCraft).replace(kCraft.find("</robot>"), 8,
                                  R"(<link name="map"/><joint name="free" type="floating"><parent link="map"/><child link="hull"/></joint></robot>)"));
  EXPECT_EQ(ulna_json("info " + file.path())["base"], "free");
  EXPECT_EQ(ulna_json("mass " + file.path())["M"][0].size(), 7u);
  EXPECT_EQ(ulna_json("mass " + file.path() + " --base fixed")["M"][0].size(), 1u);
  EXPECT_EQ(ulna_json("mass " + file.path() + " --base planar")["M"][0].size(), 4u);
  const TemporaryFile table("arm.yaml",
                            "robot: t\nconvention: modified\nbase: {joint: free, mass: 5, com: [0, 0, 0], inertia: [1, 1, 1]}\nlinks:\n"
                            "  - {joint: revolute, a: 0, alpha: 0, d: 0, theta: 0, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n");
  EXPECT_NEAR(number(ulna_json("mass " + table.path())["M"][0][3][3]), 6, 1e-15);
}

TEST(FreeBaseCommand, APlanarBaseIsThreeNumbers) {
  const Craft craft;
  const std::string planar = craft.file.path() + " --base planar";
  const json result = ulna_json("inverse " + planar + " --q 1,2,pi/2,0 --a 0,0,1,0 --gravity 0,0,0");
  EXPECT_EQ(result["base"][0].size(), 3u);
  EXPECT_NEAR(number(result["base"][0][2]), 0.6 + 0.01 + 0.1 * 0.1, 1e-15);  // about z of the hull
  const std::string csv = ulna("inverse " + planar + " --csv").out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "tau.base.x,tau.base.y,tau.base.yaw,tau.hinge");
}

TEST(FreeBaseCommand, FormulationsAndGeneratedCodeAgree) {
  const Craft craft;
  const json report = ulna_json(craft("verify", "--samples 20"));
  EXPECT_TRUE(report["agree"].get<bool>()) << report.dump(1);
  bool momentum = false;
  for (const json& law : report["laws"]) momentum = momentum || law["id"] == "momentum";
  EXPECT_TRUE(momentum);
  const json own = ulna_json(craft("inverse", "--q " + kQ + " --v " + kV + " --a " + kA));
  for (const char* id : {"newton-euler", "kane", "waters"}) {
    const json by = ulna_json(craft("inverse", "--q " + kQ + " --v " + kV + " --a " + kA + " --formulation " + id));
    expect_close(by["tau"], own["tau"]);
    expect_close(by["base"], own["base"]);
  }
  expect_refused(craft("inverse", "--formulation uicker-kahn"), "gravity rotates relative to a free base");
}

// Nobody has said how these stand; a result says how they are taken.
TEST(FreeBaseCommand, LeggedRobotsAreToldToBeTakenAsFixed) {
  EXPECT_NE(ulna("gravity mini-cheetah").out.find("--base free frees it"), std::string::npos);
  EXPECT_NE(ulna("lint mini-cheetah").out.find("its base is taken as fixed"), std::string::npos);
  EXPECT_EQ(ulna("gravity mini-cheetah --base fixed").out.find("frees it"), std::string::npos);
  EXPECT_EQ(ulna("gravity mini-cheetah --base free").out.find("frees it"), std::string::npos);
  for (const char* bolted : {"panda", "torso", "humanoid-38", "space-arm"})
    EXPECT_EQ(ulna(std::string("gravity ") + bolted).out.find("frees it"), std::string::npos) << bolted;
}

}  // namespace
