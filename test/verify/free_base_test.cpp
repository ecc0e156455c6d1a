// The certificate of robots whose base moves: reference, templates, formulations and laws.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <ulna/ulna.hpp>
#include <ulna/verify/verify.hpp>

#include "support/cases.hpp"
#include "verify/agreement.hpp"
#include "verify/reference.hpp"

namespace ulna::test {
namespace {

class BuiltinFree : public ::testing::TestWithParam<const char*> {};
TEST_P(BuiltinFree, EveryRowThatTakesItAgrees) {
  const Model model = with_base(with_heavy_root(load(GetParam())), RootJoint::free);
  VerifyOptions options;
  options.samples = 10;
  const Certificate c = verify(model, options);
  EXPECT_EQ(expect_agreement(c), (std::set<std::string>{"waters", "hollerbach-4x4", "hollerbach-3x3", "newton-euler-base", "newton-euler-link", "newton-euler",
                                                        "modified-newton-euler", "kane", "strobing", "nasser", "composite-ldl", "templates"}));
  EXPECT_EQ(c.laws.back().id, "momentum");
}
INSTANTIATE_TEST_SUITE_P(Verify, BuiltinFree, ::testing::Values("planar-2r", "stanford", "ur5", "scara"));

TEST(VerifyFreeBase, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Model model =
        with_base(with_heavy_root(random_model(seed, {.most = 10, .mimic = seed % 3 == 0})), seed % 4 == 0 ? RootJoint::planar : RootJoint::free);
    VerifyOptions options;
    options.samples = 3;
    options.seed = seed;
    if (seed % 2 == 0)
      options.wrenches = {{0, Axes::world, random.vector(20), random.vector(5)},
                          {model.links().size() - 1, Axes::link, random.vector(20), random.vector(5)},
                          {model.links().size() / 2, Axes::world, random.vector(20), random.vector(5)}};
    const std::set<std::string> compared = expect_agreement(verify(model, options));
    EXPECT_TRUE(compared.contains("templates") && compared.contains("kane")) << compared.size();
    const bool mimics = seed % 3 == 0;
    EXPECT_TRUE(mimics || (compared.contains("nasser") && compared.contains("composite-ldl"))) << compared.size();
  }
}

// The reference knows more than the templates do: of a body that is turned the other way, or whose weight is, it says something else.
TEST(VerifyFreeBase, AttitudeMatters) {
  const Model model = with_base(with_heavy_root(load("ur5")), RootJoint::free);
  const Reference reference(model);
  std::vector<long double> q(model.nq(), 0), v(model.nv(), 0), a(model.nv(), 0), upright, turned;
  q[6] = 1;
  reference.torque(q, v, a, upright);
  EXPECT_NEAR(static_cast<double>(upright[5]), 9.81 * model.mass(), 1e-12);
  q[3] = q[6] = std::sqrt(0.5L);  // a quarter turn about x: what holds the weight lies along y of the root link
  reference.torque(q, v, a, turned);
  EXPECT_NEAR(static_cast<double>(turned[4]), 9.81 * model.mass(), 1e-12);
  EXPECT_NEAR(static_cast<double>(turned[5]), 0, 1e-12);
}

// C v is what bodies take at constant rates, a mimic joint's six-fold ones, too: its digits are those of the recursion, which differentiates nothing.
TEST(VerifyFreeBase, TheReferencesCoriolisMatrixIsAsExactAtHighRates) {
  int balls = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Model model = random_model(seed, {.most = 8, .mimic = true, .balls = true, .friction = false});
    if (!model.has_balls() || model.base() != RootJoint::fixed) continue;
    ++balls;
    const Reference reference(model);
    const State state = random_state(model, random);
    const std::vector<long double> q(state.q.begin(), state.q.end()), rest(model.nv(), 0);
    std::vector<long double> v(state.v.begin(), state.v.end()), C, tau, g;
    for (long double& rate : v) rate *= 20;
    reference.coriolis(q, v, C);
    reference.torque(q, v, rest, tau);
    reference.gravity(q, g);
    long double off = 0, size = 0;  // the largest of all rows
    for (std::size_t i = 0; i < model.nv(); ++i) {
      long double sum = g[i] - tau[i], terms = std::fabs(tau[i]);
      for (std::size_t j = 0; j < model.nv(); ++j) sum += C[i + j * model.nv()] * v[j], terms += std::fabs(C[i + j * model.nv()] * v[j]);
      off = std::max(off, std::fabs(sum)), size = std::max(size, terms);
    }
    EXPECT_LT(static_cast<double>(off / size), 1e-14) << "seed " << seed;
  }
  EXPECT_GT(balls, 10);
}

TEST(VerifyFreeBase, APrescribedMotionIsRefused) {
  VerifyOptions options;
  options.base.linear_acceleration = {1, 0, 0};
  EXPECT_THROW(verify(with_base(with_heavy_root(load("ur5")), RootJoint::free), options), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
