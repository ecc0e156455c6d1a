// ulna derivatives of motions, of other quantities and by other numbers, and of runs: closed forms, and what wrong calls say.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "program.hpp"

namespace {

using nlohmann::json;

/// 2 kg at 0.5 m, 0.6 kg m² about the axis, hangs at q = -pi/2: m g l = 9.81 N m.
const char* const kPendulum =
    "robot: pendulum\nconvention: standard\ngravity: [0, -9.81, 0]\nlinks:\n"
    "  - {joint: revolute, name: hinge, link: bob, a: 1, alpha: 0, d: 0, theta: 0, mass: 2, com: [-0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n";

TEST(DerivativesCommand, MotionOfAPendulum) {
  const TemporaryFile file("pendulum.yaml", kPendulum);
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
  const TemporaryFile file("pendulum.yaml", kPendulum);
  const std::string robot = "derivatives '" + file.path() + "' ";
  // gravity = 9.81 cos q, energy = (0.3 v², 9.81 sin q); the point at (c, 0) of the link lies at 1 + c from the axis.
  EXPECT_NEAR(ulna_json(robot + "--of gravity --q 0.3")["d"][0][0][0].get<double>(), -9.81 * std::sin(0.3), 1e-14);
  const json energy = ulna_json(robot + "--of energy --by v --q 0.3 --v 2")["d"][0];
  EXPECT_NEAR(energy[0][0].get<double>(), 1.2, 1e-14);
  EXPECT_EQ(energy[1][0].get<double>(), 0);
  EXPECT_NEAR(ulna_json(robot + "--of energy --weights 0,1 --times 2 --q 0.3")["d"][0][0].get<double>(), -2 * 9.81 * std::sin(0.3), 1e-13);
  const json load = ulna_json(robot + "--by payload --link bob --load 3,-0.2,0,0 --q 0 --a 2");
  EXPECT_EQ(load["columns"], json({"payload.mass", "payload.x", "payload.y", "payload.z"}));
  EXPECT_NEAR(load["d"][0][0][0].get<double>(), 0.64 * 2 + 9.81 * 0.8, 1e-13);     // (1 + c)² a + g (1 + c)
  EXPECT_NEAR(load["d"][0][0][1].get<double>(), 3 * (2 * 0.8 * 2 + 9.81), 1e-13);  // by c
  EXPECT_NEAR(ulna_json(robot + "--of forward --by tau --times 3 --q 1")["d"][0][0].get<double>(), 5, 1e-13);
}

TEST(DerivativesCommand, OfARun) {
  const TemporaryFile robot("pendulum.yaml", kPendulum);
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
  expect_refused("derivatives panda --of motion --by q", "--of motion");
  expect_refused("derivatives panda --by nothing", "masses");
  expect_refused("derivatives panda --times 1,2", "--times");
  expect_refused("simulate double-pendulum --sensitivity q.nothing", "q.JOINT");
  expect_refused("simulate satellite-capture --linearise", "jump");
  expect_refused("simulate double-pendulum --linearise --sensitivity q", "do not go together");
}

}  // namespace
