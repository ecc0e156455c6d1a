// The certificate under wrenches and a base that moves: whatever says that it takes them agrees, and a wrong load would be noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <ulna/ulna.hpp>
#include <ulna/verify/verify.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "verify/agreement.hpp"
#include "verify/bounds.hpp"
#include "verify/terms_in_frames.hpp"

namespace ulna::test {
namespace {

/// Wrenches on the tip, in world axes, and on two links wherever they are; a base that turns and accelerates.
VerifyOptions loaded(const Model& model, std::uint64_t seed, std::size_t samples = 3) {
  Random random(seed);
  const std::size_t links = model.links().size();
  VerifyOptions options;
  options.samples = samples;
  options.seed = seed;
  options.wrenches = {{links - 1, Axes::world, random.vector(20), random.vector(5)},
                      {links / 2, Axes::link, random.vector(20), random.vector(5)},
                      {links / 3, Axes::world, random.vector(20), random.vector(5)}};
  options.base = {random.vector(2), random.vector(2), random.vector(4), random.vector(6)};
  return options;
}

/// Ids of the rows that were compared where loads enter.
std::set<std::string> expect_loaded_agreement(const Certificate& c) {
  EXPECT_TRUE(c.loaded);
  return expect_agreement(c, &Influences::wrenches);
}

class BuiltinUnderLoads : public ::testing::TestWithParam<const char*> {};
TEST_P(BuiltinUnderLoads, EveryRowThatTakesThemAgrees) {
  const Model model = load(GetParam());
  const std::set<std::string> compared = expect_loaded_agreement(verify(model, loaded(model, 5, 20)));
  EXPECT_EQ(compared, (std::set<std::string>{"waters", "hollerbach-4x4", "hollerbach-3x3", "newton-euler-base", "newton-euler-link", "newton-euler",
                                             "modified-newton-euler", "kane", "strobing", "nasser", "composite-ldl", "templates"}));
}
INSTANTIATE_TEST_SUITE_P(Verify, BuiltinUnderLoads,
                         ::testing::Values("planar-2r", "planar-3r", "stanford", "puma560", "puma560-mdh", "ur5", "panda", "iiwa14", "scara", "space-arm"));

TEST(VerifyLoads, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= so_many(30u, 100u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    const std::set<std::string> compared = expect_loaded_agreement(verify(model, loaded(model, seed)));
    EXPECT_TRUE(compared.contains("kane") && compared.contains("templates"));
  }
}

TEST(VerifyLoads, RandomChains) {
  RandomOptions options;
  options.branches = false;
  options.most = 8;
  for (std::uint64_t seed = 1; seed <= so_many(20u, 50u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, options);
    EXPECT_GE(expect_loaded_agreement(verify(model, loaded(model, seed))).size(), 10u);
  }
}

TEST(VerifyLoads, WrenchesAloneAreTakenByMore) {
  const Model model = load("panda");
  VerifyOptions options = loaded(model, 1);
  options.base = {};
  const std::set<std::string> compared = expect_loaded_agreement(verify(model, options));
  EXPECT_EQ(compared.size(), 14u);
  EXPECT_TRUE(compared.contains("lagrange") && compared.contains("uicker-kahn"));
}

// Loads that enter nothing leave the certificate as it is, and the rows that know none stay in it.
TEST(VerifyLoads, AnEvenMotionOfTheBaseChangesNothing) {
  const Model model = load("scara");
  VerifyOptions plain, even;
  plain.samples = even.samples = 3;
  even.base.linear_velocity = {1, 2, 3};
  const Certificate a = verify(model, plain), b = verify(model, even);
  EXPECT_FALSE(b.loaded);
  ASSERT_EQ(a.formulations.size(), b.formulations.size());
  for (std::size_t i = 0; i < a.formulations.size(); ++i) {
    EXPECT_EQ(a.formulations[i].applies, b.formulations[i].applies);
    EXPECT_EQ(a.formulations[i].max_relative_difference, b.formulations[i].max_relative_difference);
  }
  EXPECT_EQ(a.witnesses[0].tau, b.witnesses[0].tau);
}

// Two slow recursions written independently of each other, under the same loads.
TEST(VerifyLoads, TheReferenceIsTheOracles) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    const VerifyOptions options = loaded(model, seed);
    const Reference reference(snapped_model(model, kSnap), on_bodies(model, kSnap, options.wrenches, options.base));
    std::vector<double> q, v, a;
    StateSampler(model, seed).next(q, v, a);
    std::vector<long double> tau;
    reference.torque({q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()}, tau);
    const Oracle oracle(model, q, v, a, options.effects());
    const RealVector expected = oracle.torques();
    for (std::size_t i = 0; i < tau.size(); ++i)
      EXPECT_NEAR(static_cast<double>(tau[i]), static_cast<double>(expected[static_cast<Eigen::Index>(i)]), 1e-14 * oracle.torque_size() * 10);
  }
}

// A force that is off by a millionth is seen by everything that is compared.
TEST(VerifyLoads, AWrongLoadIsNoticed) {
  const Model model = load("puma560");
  const VerifyOptions options = loaded(model, 3);
  const Prepared prepared(model);
  const Model merged = snapped_model(model, kSnap);
  const Acting acting = on_bodies(model, kSnap, options.wrenches, options.base);
  std::vector<double> q, v, a, tau(6);
  StateSampler(model, 3).next(q, v, a);
  const Reference reference(merged, acting);
  Bounds exact(reference, TermsInFrames(merged, prepared, acting).in(Frames::tree), q, v, a);
  exact.add(TermsInFrames(merged, prepared, acting).in(Frames::dh), q, v, a);
  VerifyOptions wrong = options;
  wrong.wrenches[0].force = 1.000001 * wrong.wrenches[0].force;
  for (const Formulation& row : formulations()) {
    if (!row.gives(Quantity::inverse) || !row.takes_base) continue;
    FormulationOnModel run(row, Quantity::inverse, prepared);
    run.compute(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data(), options.effects());
    EXPECT_LT(largest_difference(tau, exact.tau, exact.torque_bound), verify_tolerance(6)) << row.id;
    run.compute(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data(), wrong.effects());
    EXPECT_GT(largest_difference(tau, exact.tau, exact.torque_bound), verify_tolerance(6)) << row.id;
  }
}

TEST(VerifyLoads, AWrenchOnNoLinkIsRefused) {
  VerifyOptions options;
  options.wrenches = {{99, Axes::link, {1, 0, 0}, {}}};
  EXPECT_THROW(verify(load("planar-2r"), options), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
