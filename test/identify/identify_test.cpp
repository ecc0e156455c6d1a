// Robots that are known are found again: exactly without noise, within the stated errors with it.
#include <gtest/gtest.h>

#include <ulna/check/check.hpp>
#include <ulna/source/load.hpp>

#include "identify/simulated.hpp"
#include "support/random_model.hpp"

namespace ulna::test {
namespace {

std::vector<double> values_of(const Model& model) {
  std::vector<double> values;
  for (const Parameter& one : body_parameters(model)) values.push_back(one.value);
  return values;
}

/// The largest difference of torques between two robots in random states, over the largest torque.
double torque_difference(const Model& one, const Model& other) {
  const Plan a = make_plan(one), b = make_plan(other);
  Workspace wa(a), wb(b);
  Random random(9);
  double worst = 0, most = 0;
  std::vector<double> x(a.nv), y(a.nv);
  for (int s = 0; s < 50; ++s) {
    const State state = random_state(one, random);
    inverse_dynamics(a, wa, state.q, state.v, state.a, x, Effects{.friction = true});
    inverse_dynamics(b, wb, state.q, state.v, state.a, y, Effects{.friction = true});
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::fabs(x[k] - y[k])), most = std::max(most, std::fabs(x[k]));
  }
  return worst / most;
}

class Known : public ::testing::TestWithParam<const char*> {};

// Nothing but rounding stands between the log and the robot.
TEST_P(Known, IsFoundExactlyWithoutNoise) {
  const Model given = load(GetParam()), truth = altered(given, 5);
  const Log log = simulated_log(truth, {});
  const Identification found = identify(given, {&log, 1});
  const std::vector<double> base = found.structure.of(values_of(truth));
  ASSERT_EQ(found.base.size(), base.size());
  double largest = 0;
  for (const double x : base) largest = std::max(largest, std::fabs(x));
  for (std::size_t k = 0; k < base.size(); ++k) EXPECT_NEAR(found.base[k].value, base[k], 1e-8 * std::max(1.0, largest)) << found.base[k].name;
  for (const Estimate& one : found.friction) {
    const std::size_t dot = one.name.find('.');
    const Joint& joint = truth.joints()[*truth.find_joint(one.name.substr(dot + 1))];
    const std::string what = one.name.substr(0, dot);
    EXPECT_NEAR(one.value, what == "viscous" ? joint.viscous : what == "coulomb" ? joint.coulomb : 0, 1e-8) << one.name;
  }
  EXPECT_TRUE(found.untold.empty());
  EXPECT_LT(found.validation.relative_error, 1e-8);
  // The file that is written is the robot, as far as torques go, and a body's.
  Diagnostics problems;
  const std::optional<std::string> text = write_urdf(found.model, problems);
  ASSERT_TRUE(text);
  const Model again = parse(*text, "identified.urdf", {.gravity = given.gravity()});
  EXPECT_LT(torque_difference(truth, again), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Robots, Known, ::testing::Values("planar-2r", "scara", "stanford", "ur5", "panda", "puma560", "iiwa14"), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Random trees with slides, branches, fixed links and followers.
TEST(Identify, RandomTreesWithoutNoise) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const Model given = random_model(seed, {.most = 7, .massless = false, .mimic = true, .friction = false});
    const Model truth = altered(given, seed, false);
    const Log log = simulated_log(truth, {.seconds = 10});
    const Identification found = identify(given, {&log, 1});
    EXPECT_LT(torque_difference(truth, found.model), 1e-7);
  }
}

// White noise on the torques, v and a in the log: 3 sigma hold in 99 of 100 pairs of parameter and seed.
TEST(Identify, StatedErrorsHold) {
  const Model given = load("ur5"), truth = altered(given, 11);
  std::size_t within = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Log log = simulated_log(truth, {.seconds = 8, .noise = 0.5}, seed);
    const Identification found = identify(given, {&log, 1});
    const std::vector<double> base = found.structure.of(values_of(truth));
    for (std::size_t k = 0; k < base.size(); ++k, ++all) within += std::fabs(found.base[k].value - base[k]) <= 3 * found.base[k].sigma ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(within), 0.99 * static_cast<double>(all)) << within << " of " << all;
  // And they are not wide for nothing: a normal distribution has 68 % within one sigma.
}

}  // namespace
}  // namespace ulna::test
