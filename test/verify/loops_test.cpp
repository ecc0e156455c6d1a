// Robots with loops, verified as trees are: against multipliers in extended precision, and by the laws of mechanics.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/formulation/formulation.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "loop/machines.hpp"
#include "support/soak.hpp"
#include "verify/agreement.hpp"
#include "verify/multipliers.hpp"
#include "verify/reference.hpp"

namespace ulna::test {
namespace {

constexpr LoopType kTypes[] = {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical, LoopType::planar};

Model random_closed(LoopType type, std::size_t more, unsigned seed, RootJoint base = RootJoint::fixed) {
  const RandomLoop loop = random_loop(type, loop_rows(type) + more, seed);
  Diagnostics diagnostics;
  return with_loops(with_base(build(loop.robot, diagnostics).value(), base), loop.loops);
}

VerifyOptions some(std::size_t samples) {
  VerifyOptions options;
  options.samples = samples;
  return options;
}

class ClosedRobots : public ::testing::TestWithParam<const char*> {};
TEST_P(ClosedRobots, Agree) {
  const Certificate c = verify(load(GetParam()), some(so_many(40u, 400u)));
  const std::set<std::string> compared = expect_agreement(c);
  EXPECT_EQ(compared.count("kane") + compared.count("templates"), 2u);
  ASSERT_TRUE(c.loops);
  EXPECT_GT(c.samples, 10u);
  EXPECT_GT(c.loops->far, 0u);
  EXPECT_EQ(c.samples + c.loops->left_out + c.loops->not_sure, so_many(40u, 400u));
}
INSTANTIATE_TEST_SUITE_P(Verify, ClosedRobots, ::testing::Values("four-bar", "five-bar", "delta", "palletizer"));

TEST(VerifyLoops, EveryTypeOnEveryBase) {
  for (const LoopType type : kTypes)
    for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free})
      for (unsigned seed = 1; seed <= so_many(1u, 10u); ++seed) {
        SCOPED_TRACE(::testing::Message() << to_string(type) << ", base " << to_string(base) << ", seed " << seed);
        expect_agreement(verify(random_closed(type, 1 + seed % 2, seed + 6, base), some(24)));
      }
}

/// Kane's nonholonomic partial velocities with rotors, friction and wrenches, against multipliers.
TEST(VerifyLoops, KaneHasDrivesAndLoads) {
  RandomLoop loop = random_loop(LoopType::revolute, 7, 9);
  for (Description::JointEntry& entry : loop.robot.joints) entry.joint.rotor = 0.01, entry.joint.gear = 3, entry.joint.viscous = 0.4, entry.joint.coulomb = 0.2;
  Diagnostics diagnostics;
  for (const RootJoint base : {RootJoint::fixed, RootJoint::planar}) {
    const Model model = with_loops(with_base(build(loop.robot, diagnostics).value(), base), loop.loops);
    const std::vector<double> q = model.reference(), v(model.nv(), 0.7), a(model.nv(), -0.4);
    const Wrench wrench{model.links().size() - 1, Axes::world, {3, -2, 5}, {0.2, 0.1, -0.3}};
    Effects effects;
    effects.friction = true;
    effects.wrenches = {&wrench, 1};
    const internal::ByMultipliers right = internal::inverse_by_multipliers(model, q.data(), v.data(), a.data(), effects);
    FormulationOnModel kane(formulation_named("kane"), Quantity::inverse, Prepared(model));
    std::vector<double> tau(model.nv());
    kane.compute(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data(), effects);
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_NEAR(tau[k], static_cast<double>(right.tau[k]), 1e-11 * right.tree_torque);
    const std::vector<double> forces(right.tau.begin(), right.tau.end());
    const std::vector<long double> back = internal::forward_by_multipliers(model, q.data(), v.data(), forces.data(), effects);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(static_cast<double>(back[k]), a[k], 1e-10);
  }
}

}  // namespace
}  // namespace ulna::test
