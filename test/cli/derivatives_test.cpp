// ulna derivatives of motions, of other quantities and by other numbers, and of runs: closed forms, and what wrong calls say.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "program.hpp"

namespace {

using nlohmann::json;

/// 2 kg at 0.5 m, 0.6 kg m² about the axis, hangs at q = -pi/2: m g l = 9.81 N m.
const char* const kPendulumTable =
    "robot: pendulum\nconvention: standard\ngravity: [0, -9.81, 0]\nlinks:\n"
    "  - {joint: revolute, name: hinge, link: bob, a: 1, alpha: 0, d: 0, theta: 0, mass: 2, com: [-0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n";

TEST(DerivativesCommand, MotionOfAPendulum) {
  const TemporaryFile file("pendulum.yaml", kPendulumTable);
  const double rate = std::sqrt(9.81 / 0.6);
  const json stands = ulna_json("derivatives '" + file.path() + "' --of motion --q pi/2");
  EXPECT_EQ(stands["states"], json({"q.hinge", "v.hinge"}));
  EXPECT_EQ(stands["A"][0][0], json({0, 1}));
  EXPECT_NEAR(stands["A"][0][1][0].get<double>(), rate * rate, 1e-12);
  EXPECT_NEAR(stands["B"][0][1][0].get<double>(), 1 / 0.6, 1e-13);
  EXPECT_NEAR(stands["eigenvalues"][0][0][0].get<double>(), rate, 1e-12);
  EXPECT_NEAR(stands["eigenvalues"][0][1][0].get<double>(), -rate, 1e-12);
  const json hangs = ulna_json("derivatives '" + file.path() + "' --of motion --q -pi/2");
  EXPECT_NEAR(hangs["eigenvalues"][0][0][1].get<double>(), rate, 1e-12);
}

TEST(DerivativesCommand, OfGravityEnergyAndByPayload) {
  const TemporaryFile file("pendulum.yaml", kPendulumTable);
  const std::string robot = "derivatives '" + file.path() + "' ";
  // gravity = 9.81 cos q, energy = (0.3 v², 9.81 sin q); the point at (c, 0) of the link lies at 1 + c from the axis.
  EXPECT_NEAR(ulna_json(robot + "--of gravity --q 0.3")["d"][0][0][0].get<double>(), -9.81 * std::sin(0.3), 1e-14);
  const json energy = ulna_json(robot + "--of energy --by v --q 0.3 --v 2")["d"][0];
  EXPECT_NEAR(energy[0][0].get<double>(), 1.2, 1e-14);
  EXPECT_EQ(energy[1][0].get<double>(), 0);
  EXPECT_NEAR(ulna_json(robot + "--of energy --weights 0,1 --times 2 --q 0.3")["d"][0][0].get<double>(), -2 * 9.81 * std::sin(0.3), 1e-13);
  const json load = ulna_json(robot + "--by payload --payload bob:3,-0.2,0,0 --q 0 --a 2");
  EXPECT_EQ(load["columns"], json({"payload.mass", "payload.x", "payload.y", "payload.z"}));
  EXPECT_NEAR(load["d"][0][0][0].get<double>(), 0.64 * 2 + 9.81 * 0.8, 1e-13);     // (1 + c)² a + g (1 + c)
  EXPECT_NEAR(load["d"][0][0][1].get<double>(), 3 * (2 * 0.8 * 2 + 9.81), 1e-13);  // by c
  EXPECT_NEAR(ulna_json(robot + "--of forward --by tau --times 3 --q 1")["d"][0][0].get<double>(), 5, 1e-13);
}

/// The pendulum with friction 0.2 v + 1.5 sign(v): 0.6 a = tau - friction - 9.81 cos q, and a point of mass m at r from the axis adds m r² a + m g r cos q.
TEST(DerivativesCommand, FrictionEntersAccelerations) {
  std::string text = kPendulumTable;
  text.replace(text.find("mass: 2"), 7, "viscous: 0.2, coulomb: 1.5, mass: 2");
  const TemporaryFile file("pendulum.yaml", text);
  for (const double v : {-2.0, 0.0, 2.0}) {
    const std::string robot = "derivatives '" + file.path() + "' --of forward --friction on --q 0.3 --tau 4 --v=" + std::to_string(v);
    const double sign = v > 0 ? 1 : v < 0 ? -1 : 0;
    const double a = (4 - 0.2 * v - 1.5 * sign - 9.81 * std::cos(0.3)) / 0.6;
    EXPECT_NEAR(ulna_json("forward '" + file.path() + "' --friction on --q 0.3 --tau 4 --v=" + std::to_string(v))["a"][0][0].get<double>(), a, 1e-12);
    const auto by = [&](const std::string& options, std::size_t column = 0) { return ulna_json(robot + options)["d"][0][0][column].get<double>(); };
    const double by_mass = -(9.81 * std::cos(0.3) + a) / 0.6;  // at r = 1
    EXPECT_NEAR(by(" --by payload --link bob"), by_mass, 1e-12);
    EXPECT_NEAR(by(" --by payload --link bob --payload bob:0.5,0,0,0"), -(9.81 * std::cos(0.3) + (0.6 * a - 0.5 * 9.81 * std::cos(0.3)) / 1.1) / 1.1, 1e-12);
    EXPECT_NEAR(by(" --by masses"), -(9.81 * 0.5 * std::cos(0.3) + 0.25 * a) / 0.6, 1e-12);
    EXPECT_NEAR(by(" --by q"), 9.81 * std::sin(0.3) / 0.6, 1e-12);
    EXPECT_NEAR(by(" --by v"), -0.2 / 0.6, 1e-12);
    EXPECT_NEAR(ulna_json(robot + " --by payload --link bob --times 2,0,0,0")["d"][0][0].get<double>(), 2 * by_mass, 1e-12);
    EXPECT_NEAR(ulna_json(robot + " --by payload --link bob --weights 3")["d"][0][0].get<double>(), 3 * by_mass, 1e-12);
  }
}

/// Of two links ∂a/∂q depends on the sign of friction, too: differences of the accelerations, and what the kernels give.
TEST(DerivativesCommand, FrictionHasItsSign) {
  const TemporaryFile file("arm.urdf", R"(<robot name="arm"><link name="base"/>
<link name="one"><inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<link name="two"><inertial><origin xyz="0.4 0 0"/><mass value="1"/><inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/><dynamics friction="1"/></joint>
<joint name="b" type="continuous"><parent link="one"/><child link="two"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/><dynamics friction="1"/></joint></robot>)");
  const std::string state = " --v 1,-2 --tau 3,1 --friction on";
  const auto a = [&](double q1, double q2) {
    const json found = ulna_json("forward '" + file.path() + "' --q=" + std::to_string(q1) + "," + std::to_string(q2) + state)["a"][0];
    return std::array<double, 2>{found[0], found[1]};
  };
  const json d = ulna_json("derivatives '" + file.path() + "' --of forward --by q --q 0.3,0.7" + state)["d"][0];
  const json whole = ulna_json("derivatives '" + file.path() + "' --of forward --q 0.3,0.7" + state)["d_q"][0];
  constexpr double kStep = 1e-3;  // order four: 1e-12 times a fifth derivative
  for (std::size_t j = 0; j < 2; ++j) {
    const auto at = [&](int k) { return a(0.3 + (j == 0 ? k * kStep : 0), 0.7 + (j == 1 ? k * kStep : 0)); };
    const auto p1 = at(1), m1 = at(-1), p2 = at(2), m2 = at(-2);
    for (std::size_t i = 0; i < 2; ++i) {
      const double wanted = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * kStep);
      EXPECT_NEAR(d[i][j].get<double>(), wanted, 1e-7) << i << j;
      EXPECT_NEAR(whole[i][j].get<double>(), wanted, 1e-7) << i << j;
    }
  }
}

TEST(DerivativesCommand, OfAPoseIsRowByRow) {
  // R = Rz(q) of the bob: Ṙ row by row -sin -cos 0, cos -sin 0, 0 0 0.
  const TemporaryFile file("pendulum.yaml", kPendulumTable);
  const json d = ulna_json("derivatives '" + file.path() + "' --of pose --link bob --q 0.3")["d"][0];
  const double wanted[] = {-std::sin(0.3), -std::cos(0.3), 0, std::cos(0.3), -std::sin(0.3), 0, 0, 0, 0, -std::sin(0.3), std::cos(0.3), 0};
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(d[k][0].get<double>(), wanted[k], 1e-14) << k;
}

/// Friction that jumps has no linearised run; a smooth one has: at rest its slope is viscous + coulomb / smooth.
TEST(DerivativesCommand, LinearisedFriction) {
  std::string text = kPendulumTable;
  text.replace(text.find("mass: 2"), 7, "viscous: 0.2, coulomb: 1.5, mass: 2");
  const TemporaryFile robot("pendulum.yaml", text);
  const auto scenario = [&](const char* friction) {
    return "scenario: swing\nmodel: " + robot.path() + "\nduration: 0.01\ninitial: {q: [-pi/2]}\nfriction: " + friction + "\n";
  };
  const TemporaryFile jumps("jumps.yaml", scenario("{smooth: 0}")), smooth("smooth.yaml", scenario("{smooth: 0.5}"));
  expect_refused("simulate '" + jumps.path() + "' --linearise", "jumps at rest");
  expect_refused("simulate '" + jumps.path() + "' --sensitivity q", "jumps at rest");
  const json row = ulna_json("simulate '" + smooth.path() + "' --linearise")["rows"][0];
  const double damping = (0.2 + 1.5 / 0.5) / 0.6, stiff = 9.81 / 0.6;
  EXPECT_NEAR(row["eigenvalues"][0][0].get<double>(), -damping / 2, 1e-10);
  EXPECT_NEAR(row["eigenvalues"][0][1].get<double>(), std::sqrt(stiff - damping * damping / 4), 1e-10);
}

TEST(DerivativesCommand, OfARun) {
  const TemporaryFile robot("pendulum.yaml", kPendulumTable);
  const TemporaryFile file("run.yaml", "scenario: swing\nmodel: " + robot.path() + "\nduration: 0.5\ninitial: {q: [-pi/2]}\n");
  const double w = std::sqrt(9.81 / 0.6);
  const json found = ulna_json("simulate '" + file.path() + "' --sensitivity q,tau.hinge");
  EXPECT_EQ(found["columns"], json({"q.hinge", "tau.hinge"}));
  EXPECT_NEAR(found["sensitivity"][0][0].get<double>(), std::cos(0.5 * w), 1e-7);
  EXPECT_NEAR(found["sensitivity"][0][1].get<double>(), (1 - std::cos(0.5 * w)) / 9.81, 1e-7);
  const json rows = ulna_json("simulate '" + file.path() + "' --linearise")["rows"];
  EXPECT_NEAR(rows.back()["eigenvalues"][0][1].get<double>(), w, 1e-9);
}

TEST(DerivativesCommand, WrongCallsSayWhy) {
  expect_refused("derivatives panda --of gravity --v 1,1,1,1,1,1,1", "does not depend on v");
  expect_refused("derivatives panda --of pose", "--link");
  expect_refused("derivatives panda --by payload", "--link");
  expect_refused("derivatives panda --by payload --link hand --load 1,0,0,0", "option --load is --payload LINK:m,x,y,z now");
  expect_refused("derivatives panda --by payload --payload hand=1,0,0,0", "write hand:1,0,0,0");
  expect_refused("derivatives panda --by payload --payload hand:1,0,0,0,1,1,1,0,0,0", "point mass");
  expect_refused("derivatives panda --by payload --link link7 --payload hand:1,0,0,0", "two links");
  expect_refused("derivatives panda --payload hand:1,0,0,0", "--by payload");
  expect_refused("derivatives panda --of motion --by q", "--of motion");
  expect_refused("derivatives panda --by nothing", "masses");
  expect_refused("derivatives panda --times 1,2", "--times");
  expect_refused("simulate double-pendulum --sensitivity q.nothing", "q.JOINT");
  expect_refused("simulate satellite-capture --linearise", "jump");
  expect_refused("simulate double-pendulum --linearise --sensitivity q", "exclude each other");
}

}  // namespace
