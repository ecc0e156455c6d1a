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

// Closed, on the circuit that the robot is moved along from its reference, and away from it.
TEST(SampledLoops, AreClosedOnTheCircuitOfTheReference) {
  std::vector<Model> robots;
  for (const char* id : {"four-bar", "five-bar", "delta", "palletizer"}) robots.push_back(load(id));
  for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free}) robots.push_back(random_closed(LoopType::revolute, 2, 8, base));
  for (const Model& model : robots) {
    SCOPED_TRACE(::testing::Message() << model.name() << ", base " << to_string(model.base()));
    const Mechanism loops = Mechanism::of(model);
    StateSampler sampler(model, 4), again(model, 4);
    std::vector<double> q, v, a, q2, v2, a2;
    double farthest = 0;
    for (std::size_t k = 0; k < so_many(20u, 1000u); ++k) {
      sampler.next(q, v, a), again.next(q2, v2, a2);
      EXPECT_TRUE(q == q2 && v == v2 && a == a2);
      ASSERT_EQ(q.size(), model.nq());
      ASSERT_TRUE(v.size() == model.nv() && a.size() == model.nv());
      const Closure there = loops.residual(q);
      EXPECT_LT(there.residual, 1e-12);
      EXPECT_FALSE(there.singular);
      std::vector<double> moved = q;
      EXPECT_FALSE(loops.assemble(moved).crossed);
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_NEAR(std::sin(moved[i] - q[i]), 0, 1e-9);  // but for whole turns
        EXPECT_GT(std::cos(moved[i] - q[i]), 0);
      }
      for (const std::size_t i : model.independent_positions())
        if (i >= base_nq(model.base())) farthest = std::fmax(farthest, std::fabs(q[i] - model.reference()[i]));
    }
    EXPECT_GT(farthest, 0.1);  // they are spread about it
  }
}

// What Coulomb friction adds to torques does not change with small motions: derivatives are those of the rest.
TEST(SampledLoops, SignsOfFrictionStayInDerivatives) {
  RandomLoop loop = random_loop(LoopType::revolute, 7, 9);
  for (Description::JointEntry& entry : loop.robot.joints) entry.joint.friction.viscous = 0.4, entry.joint.friction.coulomb = 0.2;
  Diagnostics diagnostics;
  const Model tree = build(loop.robot, diagnostics).value();
  for (const Model& model : {tree, with_loops(tree, loop.loops)}) {
    const internal::Reference reference(model, {.friction = true});
    StateSampler sampler(model, 2);
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    using Numbers = std::vector<long double>;
    const Numbers at(q.begin(), q.end()), rates(v.begin(), v.end()), accelerations(a.begin(), a.end());
    Numbers by_q, by_v, more, less;
    reference.derivatives(at, rates, accelerations, by_q, by_v);
    constexpr long double kStep = 1e-6L;  // that changes no sign
    for (std::size_t j = 0; j < v.size(); ++j) {
      Numbers faster = rates, slower = rates;
      faster[j] += kStep, slower[j] -= kStep;
      reference.torque(at, faster, accelerations, more), reference.torque(at, slower, accelerations, less);
      for (std::size_t i = 0; i < v.size(); ++i)
        EXPECT_NEAR(static_cast<double>((more[i] - less[i]) / (2 * kStep)), static_cast<double>(by_v[i + j * v.size()]), 1e-9);
    }
  }
}

/// Kane's nonholonomic partial velocities with rotors, friction and wrenches, against multipliers.
TEST(VerifyLoops, KaneHasDrivesAndLoads) {
  RandomLoop loop = random_loop(LoopType::revolute, 7, 9);
  for (Description::JointEntry& entry : loop.robot.joints)
    entry.joint.rotor = 0.01, entry.joint.gear = 3, entry.joint.friction.viscous = 0.4, entry.joint.friction.coulomb = 0.2;
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
