// Wrenches and base motion through the commands, with and without --formulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/program.hpp"

using nlohmann::json;

namespace {

const std::string kWrench = " --wrench F:1.5,-2,3,0.2,0.1,-0.4@world --wrench D:0.3,1,-1,0.1,0,0.2@link";
const std::string kBase = " --base-velocity 0.3,-0.2,0.5,1,2,3 --base-acceleration 0.4,0.1,-0.6,1,-2,0.5";
const std::string kStateOfLoads = " --q 0.2,1.1,0.3,-0.5,0.7,0.4 --v 0.3,-0.6,0.2,0.5,-0.1,0.8";

void expect_close(const json& a, const json& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double size = 0;
  for (const json& x : b) size = std::max(size, std::abs(x.get<double>()));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].get<double>(), b[i].get<double>(), 1e-12 * size) << what;
}

// Every id that the listing says takes both gives the numbers of the production path; every other is refused, and nothing is written.
TEST(LoadsCommand, EveryFormulationThatTakesThemGivesTheSame) {
  const json rows = ulna_json("formulations")["formulations"];
  int compared = 0, refused = 0;
  for (const auto& [command, quantity, field, last] :
       {std::tuple("inverse", "torque", "tau", " --a 1,-1,0.5,2,0.3,-0.7"), std::tuple("bias", "bias", "bias", ""),
        std::tuple("forward", "acceleration", "a", " --tau 3,-20,4,1,0.5,0.1")}) {
    const std::string call = std::string(command) + " stanford" + kStateOfLoads + last;
    const json loaded = ulna_json(call + kWrench + kBase), pushed = ulna_json(call + kWrench), plain = ulna_json(call);
    EXPECT_GT(std::abs(loaded[field][0][0].get<double>() - pushed[field][0][0].get<double>()), 1e-3);
    EXPECT_GT(std::abs(pushed[field][0][0].get<double>() - plain[field][0][0].get<double>()), 1e-3);
    for (const json& row : rows) {
      const json& gives = row["quantities"];
      if (std::find(gives.begin(), gives.end(), quantity) == gives.end()) continue;
      const std::string id = row["id"].get<std::string>(), by = call + " --formulation " + id;
      if (row.contains("memory")) {
        expect_refused(by + kWrench, id == "albus" ? "more than the 4 MiB allowed" : "the robot's own");
        continue;
      }
      if (row["loads"]["wrenches"].get<bool>()) {
        const json result = ulna_json(by + kWrench);
        expect_close(result[field][0], pushed[field][0], id);
        EXPECT_EQ(result["computed_by"], id);
        ++compared;
      }
      if (row["loads"]["base_motion"].get<bool>()) {
        expect_close(ulna_json(by + kWrench + kBase)[field][0], loaded[field][0], id);
        ++compared;
      } else {
        expect_refused(by + kBase, row["loads"]["why_not"].get<std::string>());
        expect_refused(by + kBase, "these do: ");
        ++refused;
      }
    }
  }
  EXPECT_EQ(compared, 33);  // wrenches alone 11 + 4 + 3, with the base 9 + 3 + 3
  EXPECT_EQ(refused, 7);    // uicker-kahn, lagrange twice, kane-stanford twice, lin, renaud
}

TEST(LoadsCommand, FormulationsListsThem) {
  const std::string list = ulna("formulations").out;
  EXPECT_NE(list.find("loads"), std::string::npos);
  EXPECT_NE(ulna("formulations newton-euler").out.find("loads     wrenches, base motion"), std::string::npos);
  EXPECT_NE(ulna("formulations lin").out.find("loads     none; its b is made of"), std::string::npos);
  EXPECT_NE(ulna("formulations renaud").out.find("loads     none; its bias is made of"), std::string::npos);
}

TEST(LoadsCommand, VerifyUnderThem) {
  const std::string call = "verify stanford --samples 10 --generated off" + kWrench + kBase;
  const json certificate = ulna_json(call);
  EXPECT_TRUE(certificate["agree"].get<bool>());
  EXPECT_EQ(certificate["loads"]["wrenches"][0]["link"], "F");
  EXPECT_EQ(certificate["loads"]["wrenches"][1]["axes"], "link");
  EXPECT_EQ(certificate["loads"]["base_acceleration"], json({0.4, 0.1, -0.6, 1, -2, 0.5}));
  EXPECT_FALSE(ulna_json("verify stanford --samples 3 --generated off --peers off").contains("loads"));
  int applying = 0;
  for (const json& row : certificate["formulations"])
    for (const char* quantity : {"torque", "bias", "acceleration"}) applying += row["applies"].get<bool>() && row["quantity"] == quantity;
  EXPECT_EQ(applying, 15);  // torque 9, bias 3, acceleration 3
  const std::string text = ulna(call).out;
  EXPECT_NE(text.find("In every state: force 1.5, -2, 3 N and moment 0.2, 0.1, -0.4 N m on link 'F', in the world's axes."), std::string::npos) << text;
  EXPECT_NE(text.find("Not for this robot under these loads:"), std::string::npos);
  expect_refused("verify stanford --wrench G:1,0,0,0,0,0@link", "has no link 'G'");
  expect_refused("verify stanford --base-velocity 1,2", "6");
}

// A kept certificate says under which loads it was made, and is not true for others.
TEST(LoadsCommand, ACertificateIsOfItsLoads) {
  const TemporaryFile file("loads.json", "");
  const std::string call = "verify planar-2r --samples 3 --generated off --peers off", wrench = " --wrench forearm:1,2,3,0,0,0@link";
  ASSERT_EQ(ulna(call + wrench + " --force --out '" + file.path() + "'").status, 0);
  EXPECT_EQ(ulna(call + wrench + " --against '" + file.path() + "'").status, 0);
  const Outcome without = ulna(call + " --against '" + file.path() + "'");
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.out.find("of other loads"), std::string::npos) << without.out;
  EXPECT_EQ(ulna(call + " --wrench forearm:1,2,4,0,0,0@link --against '" + file.path() + "'").status, 1);
}

TEST(LoadsCommand, SimulateSaysByWhat) {
  const TemporaryFile pushed("pushed.yaml",
                             "scenario: pushed\nmodel: planar-2r\nduration: 0.1\ndisturbances:\n  - {link: forearm, force: [1, 0, 0]}\n"
                             "base: {angular_velocity: [0, 0, 1]}\n");
  const TemporaryFile by_nasser("nasser.yaml",
                                "scenario: pushed\nmodel: planar-2r\nduration: 0.1\nformulation: nasser\ndisturbances:\n  - {link: forearm, force: [1, 0, 0]}\n"
                                "base: {angular_velocity: [0, 0, 1]}\n");
  const json a = ulna_json("simulate '" + pushed.path() + "'"), b = ulna_json("simulate '" + by_nasser.path() + "'");
  EXPECT_EQ(a["computed_by"], "templates");
  EXPECT_EQ(b["computed_by"], "nasser");
  EXPECT_EQ(ulna_json("simulate turney-rk4")["computed_by"], "strobing");
  EXPECT_NE(ulna("simulate '" + pushed.path() + "'").out.find("machine code has no base that moves"), std::string::npos);
}

// Springs and gravity compensation, with the closed form of a pendulum whose slide follows it, and none of them by default.
TEST(LoadsCommand, SpringsAndGravityCompensationActWhereAskedFor) {
  const TemporaryFile file("springs.xml", R"(<mujoco><compiler angle="radian"/><worldbody><body name="a" gravcomp="0.25">
    <joint name="j" axis="0 1 0" stiffness="3" springref="0.4"/><inertial pos="0.5 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
    <body name="b"><joint name="k" type="slide" axis="1 0 0" stiffness="40"/><inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/></body></body></worldbody>
    <equality><joint joint1="k" joint2="j" polycoef="0.1 0.2 0 0 0"/></equality></mujoco>)");
  const double q = 0.7, weight = -2 * 9.81 * 0.5 * std::cos(q), inertia = 0.1 + 2 * 0.25;
  const double held = 3 * (q - 0.4) + 0.2 * 40 * (0.2 * q + 0.1) - 0.25 * weight;  // what the drive gives besides
  const std::string at = in_quotes(file.path()) + " --q 0.7 --v 0", on = " --springs on";
  const auto value = [](const json& result, const char* name) { return result[name][0][0].get<double>(); };
  const json plain = ulna_json("inverse " + at + " --a 1.5"), acting = ulna_json("inverse " + at + " --a 1.5" + on);
  EXPECT_NEAR(value(plain, "tau"), 1.5 * inertia + weight, 1e-13);
  EXPECT_NEAR(value(acting, "tau"), 1.5 * inertia + weight + held, 1e-13);
  EXPECT_NE(acting["features"]["used"].dump().find("springs"), std::string::npos);
  EXPECT_NE(plain["features"]["unused"].dump().find("gravity compensation"), std::string::npos);
  EXPECT_NEAR(value(ulna_json("bias " + at + on), "bias"), weight + held, 1e-13);
  EXPECT_NEAR(value(ulna_json("gravity " + in_quotes(file.path()) + " --q 0.7" + on), "gravity"), weight + held, 1e-13);
  EXPECT_NEAR(value(ulna_json("forward " + at + " --tau 2" + on), "a"), (2 - weight - held) / inertia, 1e-12);
  EXPECT_NEAR(value(ulna_json("forward " + at + " --tau 2" + on + " --compiled off"), "a"), (2 - weight - held) / inertia, 1e-12);
  expect_refused("inverse " + at + on + " --reactions", "with --springs on");
}

// A ball joint's spring turns it back along its rotation vector.
TEST(LoadsCommand, TheSpringOfABallJointTurnsItBack) {
  const TemporaryFile file("ball.xml", R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="s" type="ball" stiffness="5"/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>)");
  for (const double sign : {1.0, -1.0}) {  // the same rotation: 0.8 rad about (0.6, 0, 0.8)
    const double s = sign * std::sin(0.4), c = sign * std::cos(0.4);
    const json result = ulna_json("inverse " + in_quotes(file.path()) + " --q " + std::to_string(0.6 * s) + ",0," + std::to_string(0.8 * s) + "," +
                                  std::to_string(c) + " --springs on");
    EXPECT_NEAR(result["tau"][0][0].get<double>(), 5 * 0.8 * 0.6, 1e-5);
    EXPECT_NEAR(result["tau"][0][1].get<double>(), 0, 1e-12);
    EXPECT_NEAR(result["tau"][0][2].get<double>(), 5 * 0.8 * 0.8, 1e-5);
  }
}

}  // namespace
