// Variants of a model: joints held, gravity changed, rigid groups merged.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/model/model.hpp>

#include "model/moving_tree.hpp"
#include "support/arm.hpp"
#include "support/oracle.hpp"
#include "support/problems.hpp"
#include "support/random_model.hpp"
#include "support/tolerance.hpp"

namespace ulna::test {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;

Description chain() {
  Description d;
  d.name = "chain";
  d.links = {frame("base"), body("upper", 2, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}), body("lower", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}),
             body("finger", 0.5, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0})};
  d.joints = {joint("shoulder", JointType::revolute, "base", "upper"), joint("elbow", JointType::revolute, "upper", "lower", {0, 1, 0}, {0.5, 0, 0}),
              joint("grip", JointType::prismatic, "lower", "finger", {1, 0, 0}, {0.4, 0, 0})};
  d.joints[1].joint.lower = -1;
  d.joints[1].joint.upper = 1;
  return d;
}

TEST(Locked, JointIsHeldAtTheValueAndLeavesTheCoordinates) {
  Diagnostics diagnostics;
  const Model model = build(chain());
  const Model held = with_locked(model, {{"elbow", 0.5}}, diagnostics).value();
  EXPECT_TRUE(diagnostics.all().empty()) << listing(diagnostics);
  EXPECT_EQ(held.coordinate_names(), (std::vector<std::string>{"shoulder", "grip"}));
  const Plan free = make_plan(model), fixed = make_plan(held);
  Workspace wf(free), wh(fixed);
  const std::vector<double> q{0.3, 0.5, 0.1}, r{0.3, 0.1};
  const Pose<double> a = link_pose(free, wf, q, 3), b = link_pose(fixed, wh, r, 3);
  EXPECT_NEAR(a.p.x, b.p.x, tolerance(3));
  EXPECT_NEAR(a.p.y, b.p.y, tolerance(3));
  EXPECT_NEAR(a.p.z, b.p.z, tolerance(3));
}

// Holding joints still and striking their rows out of the equations is the same.
TEST(Locked, TorquesAreThoseOfTheFreeModelWithTheJointStill) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, {.fewest = 3, .most = 12, .massless = false});
    Random random(seed + 1000);
    State s = random_state(model, random);
    std::vector<Lock> locks;
    State rest;
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < s.q.size(); ++k) {
      if (k > 0 && random.chance(0.4)) {
        locks.push_back({model.coordinate_names()[k], s.q[k]});
        s.v[k] = s.a[k] = 0;
      } else {
        kept.push_back(k);
        rest.q.push_back(s.q[k]);
        rest.v.push_back(s.v[k]);
        rest.a.push_back(s.a[k]);
      }
    }
    Diagnostics diagnostics;
    const Model held = with_locked(model, locks, diagnostics).value();
    const Plan one = make_plan(model), two = make_plan(held);
    Workspace w1(one), w2(two);
    std::vector<double> tau(s.q.size()), reduced(rest.q.size()), wanted;
    inverse_dynamics(one, w1, s.q, s.v, s.a, tau);
    inverse_dynamics(two, w2, rest.q, rest.v, rest.a, reduced);
    for (const std::size_t k : kept) wanted.push_back(tau[k]);
    const double cond = Oracle(model, s.q, s.v, s.a).torque_size() / largest(wanted);
    EXPECT_LT(relative_error(reduced, wanted), tolerance(model.joints().size(), 2 * cond));
  }
}

TEST(Locked, FollowerGoesWithItsLeader) {
  Description d = chain();
  d.joints[2].joint.mimic = Mimic{kNone, 0.5, 0.25};
  d.joints[2].leader = "elbow";
  Diagnostics diagnostics;
  const Model held = with_locked(build(d), {{"elbow", 0.5}}, diagnostics).value();
  EXPECT_EQ(held.coordinate_names(), (std::vector<std::string>{"shoulder"}));
  EXPECT_EQ(held.joints()[2].type, JointType::fixed);
  EXPECT_DOUBLE_EQ(held.joints()[2].X_PF.p.x, 0.4 + 0.5 * 0.5 + 0.25);
}

TEST(Locked, FollowerAloneIsHeldWithAWarning) {
  Description d = chain();
  d.joints[2].joint.mimic = Mimic{kNone, 0.5, 0.25};
  d.joints[2].leader = "elbow";
  Diagnostics diagnostics;
  const Model held = with_locked(build(d), {{"grip", 0.1}}, diagnostics).value();
  EXPECT_REPORTS(diagnostics, warning, "lock 'grip'", "this joint mimics 'elbow', which stays free");
  EXPECT_EQ(held.coordinate_names(), (std::vector<std::string>{"shoulder", "elbow"}));
  EXPECT_DOUBLE_EQ(held.joints()[2].X_PF.p.x, 0.5);
}

// Link and load lie together, 10 km from the link's origin: what they are about their common mass centre does not depend on that. Two masses of 1 kg at a
// distance of 0.125 m have a reduced mass of 0.5 kg.
TEST(Payloads, FarFromTheLinksOrigin) {
  Description d = chain();
  d.links[3] = body("finger", 1, {1e4, 0, 0}, {0.001, 0.001, 0.001, 0, 0, 0});
  const Model loaded = with_payload(build(d), "finger", {1, {1e4 + 0.125, 0, 0}, {0.002, 0.002, 0.002, 0, 0, 0}});
  const Link& finger = loaded.links()[3];
  EXPECT_EQ(finger.mass, 2);
  EXPECT_EQ(finger.com.x, 1e4 + 0.0625);
  EXPECT_NEAR(finger.inertia.xx, 0.003, 1e-17);
  EXPECT_NEAR(finger.inertia.yy, 0.003 + 0.5 * 0.125 * 0.125, 1e-17);
}

// What a program gives in floats is taken for the rotation and the unit vector that it means: a pendulum's weight is m g l sin(q), to the last digits.
TEST(Build, NearlyUnitNumbersAreMadeUnit) {
  Description d;
  d.name = "pendulum";
  d.links = {frame("base"), body("bob", 2, {0, 0, -0.5}, {0.1, 0.1, 0.1, 0, 0, 0})};
  d.joints = {joint("hinge", JointType::revolute, "base", "bob", {0, 1 + 5e-7, 0})};
  Mat3<double>& R = d.joints[0].joint.X_PF.R;  // half a turn about z, in floats
  R = {-1 + 5e-8, 1e-7, 0, 5e-8, -1 - 1e-7, 0, 0, 0, 1 - 5e-8};
  const Model model = build(d);
  EXPECT_EQ(model.joints()[0].axis.y, 1);
  const Mat3<double> E = model.joints()[0].X_PF.R.transposed() * model.joints()[0].X_PF.R;
  for (const double off : {E.xx - 1, E.yy - 1, E.zz - 1, E.xy, E.xz, E.yz}) EXPECT_NEAR(off, 0, 1e-15);
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  std::vector<double> tau(1);
  const std::vector<double> q{0.3}, rest{0};
  inverse_dynamics(plan, workspace, q, rest, rest, tau);
  EXPECT_NEAR(tau[0], 2 * 9.81 * 0.5 * std::sin(0.3), 1e-12);
  d.joints[0].joint.axis.y = 1 + 2e-6;
  EXPECT_THROW(build(d), SourceError);
}

TEST(Locked, WrongLocksAreRefused) {
  Description d = chain();
  d.joints[0].joint.type = JointType::fixed;
  const Model model = build(d);
  const auto refused = [&](const std::vector<Lock>& locks) {
    Diagnostics diagnostics;
    EXPECT_EQ(with_locked(model, locks, diagnostics).has_value(), false);
    return diagnostics;
  };
  EXPECT_REPORTS(refused({{"elbo", 0}}), error, "lock 'elbo'", "the model has no such joint; name a joint that 'ulna info' lists; did you mean 'elbow'?");
  EXPECT_REPORTS(refused({{"shoulder", 0}}), error, "lock 'shoulder'", "this joint is fixed already");
  EXPECT_REPORTS(refused({{"elbow", 0}, {"elbow", 0.1}}), error, "lock 'elbow'", "this joint is locked twice");
  EXPECT_REPORTS(refused({{"elbow", std::nan("")}}), error, "lock 'elbow'", "is not finite");
}

TEST(Locked, OutsideTheLimitsIsAWarning) {
  Diagnostics diagnostics;
  EXPECT_TRUE(with_locked(build(chain()), {{"elbow", 1.5}}, diagnostics).has_value());
  EXPECT_REPORTS(diagnostics, warning, "lock 'elbow'", "the value 1.5 is outside the joint's limits -1 to 1; the joint is locked there all the same");
}

TEST(Reduce, GravityIsReplacedAndNothingElse) {
  const Model model = build(chain());
  const Model moon = with_gravity(model, {0, 0, -1.62});
  EXPECT_EQ(moon.gravity(), (Vec3<double>{0, 0, -1.62}));
  EXPECT_EQ(moon.coordinate_names(), model.coordinate_names());
  EXPECT_EQ(model.gravity(), (Vec3<double>{0, 0, -9.81}));
}

// 1.5708 in a file means a quarter turn, and the plan's zeros depend on it.
TEST(Merge, AlmostRightAnglesSnapWithinTheToleranceOnly) {
  Description d = chain();
  d.joints[1].joint.axis = {0, 0, 1};
  d.joints[1].joint.X_PF.R = rotation_x(1.57079632679);  // 5e-12 off
  d.joints[2].joint.axis = {0, 0, 1};
  d.joints[2].joint.X_PF.R = rotation_x(1.5708);  // 3.7e-6 off
  const Model model = build(d);
  const MovingTree exact = merge_fixed(model, 0), fine = merge_fixed(model, 1e-9), coarse = merge_fixed(model, 1e-5);
  EXPECT_NE(exact.bodies[1].X_PB.R.yy, 0);
  EXPECT_TRUE(exact.snapped.empty());
  EXPECT_EQ(fine.bodies[1].X_PB.R, (Mat3<double>{1, 0, 0, 0, 0, -1, 0, 1, 0}));
  EXPECT_NE(fine.bodies[2].X_PB.R.yy, 0);
  EXPECT_EQ(fine.snapped, (std::vector<std::size_t>{1}));
  EXPECT_NEAR(fine.largest_snap, kQuarter - 1.57079632679, 1e-16);
  EXPECT_EQ(coarse.bodies[2].X_PB.R, (Mat3<double>{1, 0, 0, 0, 0, -1, 0, 1, 0}));
  EXPECT_EQ(coarse.snapped, (std::vector<std::size_t>{1, 2}));
  EXPECT_NEAR(coarse.largest_snap, 1.5708 - kQuarter, 1e-15);
}

// Snapping sin(1.5708) = 1 - 6.7e-12 to 1 but not cos(1.5708) = -3.7e-6 to 0 would leave a matrix that is no rotation.
TEST(Merge, SnappedRotationsStayRotations) {
  for (const double angle : {1.5708, 1.570797, 3.14159, 1e-5, 0.3}) {
    Description d = chain();
    d.joints[1].joint.axis = {0, 0, 1};
    d.joints[1].joint.X_PF.R = rotation_x(angle);
    const Mat3<double> R = merge_fixed(build(d), 1e-9).bodies[1].X_PB.R, E = R.transposed() * R;
    EXPECT_NEAR(E.yy, 1, tolerance(1)) << angle;
    EXPECT_NEAR(E.zz, 1, tolerance(1)) << angle;
    EXPECT_NEAR(E.yz, 0, tolerance(1)) << angle;
  }
}

TEST(Merge, RoundingOfAnExactQuarterTurnIsNoSnap) {
  Description d = chain();
  d.joints[1].joint.X_PF.R = rotation_x(kQuarter);
  EXPECT_TRUE(merge_fixed(build(d), 1e-9).snapped.empty());
}

TEST(Merge, BodiesHoldAllTheMassAndLinksKnowTheirBody) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    const MovingTree tree = merge_fixed(model, 1e-9);
    double mass = tree.base.m;
    for (const MovingBody& moving : tree.bodies) mass += moving.inertia.m;
    EXPECT_NEAR(mass, model.mass(), tolerance(model.links().size()) * model.mass());
    EXPECT_EQ(tree.body_of_link[0], kNone);
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const std::size_t of_child = tree.body_of_link[j + 1];
      if (model.joints()[j].type == JointType::fixed)
        EXPECT_EQ(of_child, tree.body_of_link[model.joints()[j].parent]);
      else
        EXPECT_EQ(tree.bodies[of_child].joint, j);
    }
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) EXPECT_LT(tree.bodies[b].parent + 1, b + 1);  // kNone + 1 is 0
  }
}

}  // namespace
}  // namespace ulna::test
