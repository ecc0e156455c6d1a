// Robots that are known are found again: exactly without noise, within the stated errors with it.
#include <gtest/gtest.h>

#include <ulna/check/check.hpp>
#include <ulna/source/load.hpp>

#include "identify/simulated.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"

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
    EXPECT_NEAR(one.value, what == "viscous" ? joint.friction.viscous : what == "coulomb" ? joint.friction.coulomb : 0, 1e-8) << one.name;
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

INSTANTIATE_TEST_SUITE_P(Robots, Known, ::testing::Values("planar-2r", "scara", "stanford", "ur5", "panda", "puma560", "iiwa14"), [](const auto& p) {
  std::string name = p.param;
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
  std::size_t within = 0, near = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= so_many(20u, 40u); ++seed) {
    const Log log = simulated_log(truth, {.seconds = 8, .noise = 0.5}, seed);
    const Identification found = identify(given, {&log, 1});
    const std::vector<double> base = found.structure.of(values_of(truth));
    for (std::size_t k = 0; k < base.size(); ++k, ++all) {
      const double off = std::fabs(found.base[k].value - base[k]) / found.base[k].sigma;
      within += off <= 3 ? 1 : 0, near += off <= 1 ? 1 : 0;
    }
  }
  EXPECT_GE(static_cast<double>(within), 0.99 * static_cast<double>(all)) << within << " of " << all;
  // And they are not wide for nothing: a normal distribution has 68 % within one sigma.
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(all), 0.683, 0.04);
}

// A load on a link that is fixed to the last one, from a log with it and one without.
TEST(Identify, PayloadIsFound) {
  const Model truth = altered(load("panda"), 3);
  const Payload load_there{2.5, {0.03, -0.02, 0.08}, {0.02, 0.015, 0.01, 0.001, -0.002, 0.0005}};
  const Log without = simulated_log(truth, {.noise = 0.05}), with = simulated_log(with_payload(truth, "hand", load_there), {.noise = 0.05, .motion = 2}, 7);
  const Identification robot = identify(load("panda"), {&without, 1});
  const PayloadEstimate found = identify_payload(robot, {&with, 1}, "hand");
  EXPECT_NEAR(found.mass.value, 2.5, 4 * found.mass.sigma);
  EXPECT_LT(found.mass.sigma, 0.05);
  const double com[] = {0.03, -0.02, 0.08};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.com[k].value, com[k], 5 * found.com[k].sigma);
    EXPECT_LT(found.com[k].sigma, 0.01);
  }
  EXPECT_LT(found.with.relative_error, 0.2 * found.without.relative_error);
  EXPECT_NO_THROW(with_payload(robot.model, "hand", found.payload));
}

// Amperes in place of torques: one gain is known, or a load.
TEST(Identify, GainsNeedOneThatIsKnownOrALoad) {
  const Model truth = load("planar-2r");
  const double gain[] = {3, 5};
  const auto currents = [&](const Model& robot, std::uint64_t motion) {
    const Log torques = simulated_log(robot, {.motion = motion});
    Log out("currents", 2, {true, true, true});
    std::vector<double> row(9);
    for (std::size_t r = 0; r < torques.rows(); ++r) {
      torques.read(r, 1, row.data());
      const double i[] = {row[7] / gain[0], row[8] / gain[1]};
      out.add(row[0], &row[1], &row[3], &row[5], i);
    }
    return out;
  };
  const Log plain = currents(truth, 1);
  IdentifyOptions options;
  options.gains = {std::nan(""), std::nan("")};
  EXPECT_THROW(identify(truth, {&plain, 1}, options), std::invalid_argument);
  options.gains = {3, std::nan("")};
  const Identification one = identify(truth, {&plain, 1}, options);
  ASSERT_EQ(one.gains.size(), 1u);
  EXPECT_NEAR(one.gains[0].value, 5, 1e-7);
  const Payload known{1.5, {0.1, 0.05, 0}, {0.01, 0.01, 0.01, 0, 0, 0}};
  const std::vector<Log> both{plain, currents(with_payload(truth, truth.links().back().name, known), 2)};
  options.gains = {std::nan(""), std::nan("")};
  options.loads = {{truth.links().back().name, known, 1}};
  const Identification scaled = identify(truth, both, options);
  ASSERT_EQ(scaled.gains.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(scaled.gains[k].value, gain[k], 1e-6);
}

// One row in fifty is nonsense: it counts little.
TEST(Identify, OutliersCountLess) {
  const Model given = load("planar-2r"), truth = altered(given, 2);
  const Log clean = simulated_log(truth, {.noise = 0.1});
  Log spoilt("spoilt", 2, {true, true, true});
  std::vector<double> row(9);
  for (std::size_t r = 0; r < clean.rows(); ++r) {
    clean.read(r, 1, row.data());
    if (r % 50 == 7) row[7] += 60, row[8] -= 40;
    spoilt.add(row[0], &row[1], &row[3], &row[5], &row[7]);
  }
  IdentifyOptions plain;
  plain.robust = false;
  const auto off = [&](const Identification& found) {
    const std::vector<double> base = found.structure.of(values_of(truth));
    double sum = 0;
    for (std::size_t k = 0; k < base.size(); ++k) sum += std::pow(found.base[k].value - base[k], 2);
    return std::sqrt(sum);
  };
  const Identification robust = identify(given, {&spoilt, 1}), blind = identify(given, {&spoilt, 1}, plain);
  EXPECT_LT(off(robust), 0.3 * off(blind));
  EXPECT_GT(robust.outliers, 0u);
}

// Positions alone, with steps that vary: derived values are near the truth, and predictions have a row for each row.
TEST(Identify, DerivesWhatWasNotMeasured) {
  const Model given = load("ur5"), truth = altered(given, 4, false);
  const Log dense = simulated_log(truth, {.seconds = 20, .rate = 500, .v = false, .a = false});
  Log uneven("uneven", 6, {false, false, true});
  Random random(1);
  std::vector<double> row(25);
  for (std::size_t r = 0; r < dense.rows(); r += static_cast<std::size_t>(random.integer(1, 8))) {
    dense.read(r, 1, row.data());
    uneven.add(row[0], &row[1], nullptr, nullptr, &row[19]);
  }
  const Identification found = identify(given, {&uneven, 1});
  EXPECT_LT(found.validation.relative_error, 0.01);
  EXPECT_LT(found.validation.relative_error, 0.05 * found.before.relative_error);
  std::size_t rows = 0;
  double last = -1;
  predict(found, uneven, {}, [&](double t, const double* tau) {
    EXPECT_GT(t, last);
    EXPECT_TRUE(std::isfinite(tau[0]));
    last = t, ++rows;
  });
  EXPECT_EQ(rows, uneven.rows());
  EXPECT_LT(validate(found, uneven, {}).relative_error, 0.01);
}

}  // namespace
}  // namespace ulna::test
