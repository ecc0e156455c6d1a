// check(): which masses and inertias can exist, and which inertia matrices can be inverted.
#include <gtest/gtest.h>

#include "support/arm.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

const Sym3<double> kBall{1, 1, 1, 0, 0, 0};
constexpr JointType kTurns = JointType::revolute;

/// base - turns - arm - fixed - tool
Description arm_with_tool(const Link& arm, const Link& tool) {
  Description d;
  d.name = "robot";
  d.links = {frame("base"), arm, tool};
  d.joints = {joint("turn", kTurns, "base", arm.name), joint("weld", JointType::fixed, arm.name, tool.name)};
  return d;
}
Description arm_alone(const Link& arm) {
  Description d = arm_with_tool(arm, frame("tool"));
  d.links[1].line = 12;
  return d;
}

TEST(Check, SoundModelHasNothingToSay) {
  const Diagnostics found = problems_of_checking(arm_alone(body("arm", 2, {0.1, 0, 0}, kBall)));
  EXPECT_TRUE(found.all().empty()) << listing(found);
}

TEST(Check, NegativeMass) {
  EXPECT_REPORTS(problems_of_checking(arm_alone(body("arm", -2, {}, kBall))), error, "link 'arm'", "its mass is -2 kg");
  EXPECT_REPORTS(problems_of_checking(arm_with_tool(body("arm", 5, {}, kBall), body("tool", -1, {}, {}))), error, "link 'tool'", "its mass is -1 kg");
}

TEST(Check, IndefiniteInertia) {
  const Diagnostics found = problems_of_checking(arm_alone(body("arm", 1, {}, {1, 1, -0.5, 0, 0, 0})));
  EXPECT_REPORTS(found, error, "link 'arm'", "principal moments -0.5, 1, 1: the inertia is not positive");
  EXPECT_NE(listing(found).find("robot.test:12: error"), std::string::npos) << listing(found);
  // Positive diagonal, indefinite all the same: eigenvalues 1 - 1.5 and 1 + 1.5.
  EXPECT_REPORTS(problems_of_checking(arm_alone(body("arm", 1, {}, {1, 1, 1, 1.5, 0, 0}))), error, "link 'arm'", "the inertia is not positive");
}

TEST(Check, TriangleInequality) {
  EXPECT_REPORTS(problems_of_checking(arm_alone(body("arm", 1, {}, {0.1, 0.2, 0.9, 0, 0, 0}))), error, "link 'arm'",
                 "principal moments 0.1, 0.2, 0.9 break the triangle inequality");
  // A thin plate stands at the limit, and printed digits may overstep it a little.
  EXPECT_FALSE(problems_of_checking(arm_alone(body("arm", 1, {}, {0.1, 0.2, 0.3, 0, 0, 0}))).has_errors());
  EXPECT_FALSE(problems_of_checking(arm_alone(body("arm", 1, {}, {0.1, 0.2, 0.3 + 1e-7, 0, 0, 0}))).has_errors());
  EXPECT_TRUE(problems_of_checking(arm_alone(body("arm", 1, {}, {0.1, 0.2, 0.3 + 1e-5, 0, 0, 0}))).has_errors());
}

TEST(Check, MasslessWithInertia) {
  EXPECT_REPORTS(problems_of_checking(arm_alone(body("arm", 0, {}, kBall))), error, "link 'arm'", "it has no mass, but its inertia is not zero");
}

// A part of a rigid group may be impossible (a motor taken off a casting); what moves must not be.
TEST(Check, PartOfASoundGroupIsAWarningAndABadGroupIsAnError) {
  const Diagnostics part = problems_of_checking(arm_with_tool(body("arm", 3, {}, kBall), body("tool", 1, {}, {0.1, 0.1, 0.3, 0, 0, 0})));
  EXPECT_REPORTS(part, warning, "link 'tool'", "triangle inequality");
  EXPECT_FALSE(part.has_errors()) << listing(part);
  const Diagnostics group = problems_of_checking(arm_with_tool(body("arm", 3, {}, {0.1, 0.1, 0.3, 0, 0, 0}), body("tool", 1, {}, {0.1, 0.1, 0.3, 0, 0, 0})));
  EXPECT_REPORTS(group, error, "links 'arm', 'tool'", "they move as one body");
}

TEST(Check, LinkThatDoesNotMoveIsAWarning) {
  Description d = arm_alone(body("arm", 1, {}, kBall));
  d.links[0] = body("base", 1, {}, {0.1, 0.2, 0.9, 0, 0, 0});
  const Diagnostics found = problems_of_checking(d);
  EXPECT_REPORTS(found, warning, "link 'base'", "accepted, because this link does not move");
  EXPECT_FALSE(found.has_errors()) << listing(found);
}

TEST(Check, PartialInertiaIsAWarning) {
  Link arm = body("arm", 0, {}, {0, 0, 0.35, 0, 0, 0});  // the first link of the PUMA, as published
  arm.partial = true;
  const Diagnostics found = problems_of_checking(arm_alone(arm));
  EXPECT_REPORTS(found, warning, "link 'arm'", "accepted, because the file calls its inertia partial");
  EXPECT_FALSE(found.has_errors()) << listing(found);
}

TEST(Check, PhysicalErrorsCanBeOverriddenAndOthersCannot) {
  Diagnostics physical = problems_of_checking(arm_alone(body("arm", 1, {}, {0.1, 0.2, 0.9, 0, 0, 0})));
  EXPECT_EQ(physical.override_physical_errors(), 1);
  EXPECT_FALSE(physical.has_errors());
  Description d = arm_alone(body("arm", 1, {}, kBall));
  d.joints[0].joint.lower = 1;
  d.joints[0].joint.upper = -1;
  Diagnostics structural = problems_of_checking(d);
  EXPECT_REPORTS(structural, error, "joint 'turn'", "its lower limit 1 is above its upper limit -1");
  EXPECT_EQ(structural.override_physical_errors(), 0);
  EXPECT_TRUE(structural.has_errors());
}

TEST(Check, NegativeRotorAndFriction) {
  Description d = arm_alone(body("arm", 1, {}, kBall));
  d.joints[0].joint.rotor = -0.5;
  EXPECT_REPORTS(problems_of_checking(d), error, "joint 'turn'", "its rotor inertia is -0.5 kg m²");
  d.joints[0].joint.rotor = 0;
  d.joints[0].joint.friction.coulomb = -1;
  EXPECT_REPORTS(problems_of_checking(d), error, "joint 'turn'", "its friction is negative");
}

/// base - a - arm - b - hand
Description two_joints(const Link& arm, const Link& hand, const Vec3<double>& axis_b, const Vec3<double>& p_b) {
  Description d;
  d.name = "robot";
  d.links = {frame("base"), arm, hand};
  d.joints = {joint("a", kTurns, "base", arm.name, {0, 0, 1}), joint("b", kTurns, arm.name, hand.name, axis_b, p_b)};
  return d;
}

TEST(Singular, MasslessLeaf) {
  const Diagnostics found = problems_of_checking(two_joints(body("arm", 1, {}, kBall), frame("hand"), {0, 0, 1}, {1, 0, 0}));
  EXPECT_REPORTS(found, error, "link 'hand'", "the inertia matrix is singular: joint 'b'");
  EXPECT_EQ(found.count(Severity::error), 1) << listing(found);
}

TEST(Singular, PointMassOnItsAxis) {
  const Diagnostics found = problems_of_checking(two_joints(body("arm", 1, {}, kBall), body("hand", 1, {0, 0, 0.7}), {0, 0, 1}, {1, 0, 0}));
  EXPECT_REPORTS(found, error, "link 'hand'", "the inertia matrix is singular: joint 'b'");
}

// Two joints about one line with nothing between them: only their sum is felt.
TEST(Singular, CoincidentAxesWithAMasslessLinkBetween) {
  const Diagnostics found = problems_of_checking(two_joints(frame("arm"), body("hand", 1, {0.2, 0, 0}, kBall), {0, 0, 1}, {0, 0, 0.5}));
  EXPECT_REPORTS(found, error, "link 'arm'", "the inertia matrix is singular: joint 'a'");
  EXPECT_EQ(found.count(Severity::error), 1) << listing(found);
}

TEST(Singular, CrossedAxesWithAMasslessLinkBetweenAreSound) {
  const Diagnostics found = problems_of_checking(two_joints(frame("arm"), body("hand", 1, {0.2, 0.1, 0}, kBall), {0, 1, 0}, {0, 0, 0.5}));
  EXPECT_FALSE(found.has_errors()) << listing(found);
}

TEST(Singular, ParallelSlidesWithAMasslessLinkBetween) {
  Description d = two_joints(frame("arm"), body("hand", 1, {0.2, 0, 0}, kBall), {0, 0, 1}, {1, 0, 0});
  d.joints[0].joint.type = d.joints[1].joint.type = JointType::prismatic;
  EXPECT_REPORTS(problems_of_checking(d), error, "link 'arm'", "the inertia matrix is singular: joint 'a'");
}

TEST(Singular, RotorRescuesWhereItCounts) {
  Description d = two_joints(body("arm", 1, {}, kBall), frame("hand"), {0, 0, 1}, {1, 0, 0});
  d.joints[1].joint.rotor = 1e-4;
  d.joints[1].joint.gear = 100;
  EXPECT_FALSE(problems_of_checking(d).has_errors());
  EXPECT_REPORTS(problems_of_checking(d, {.rotor = false}), error, "link 'hand'", "singular");
}

// A follower that moves nothing of its own is no fault as long as its leader moves something.
TEST(Singular, MasslessFollowerIsSound) {
  Description d = two_joints(body("arm", 1, {}, kBall), frame("hand"), {0, 0, 1}, {1, 0, 0});
  d.joints[1].joint.mimic = Mimic{kNone, 2, 0};
  d.joints[1].leader = "a";
  const Diagnostics found = problems_of_checking(d);
  EXPECT_FALSE(found.has_errors()) << listing(found);
}

TEST(Singular, EveryFaultIsNamed) {
  Description d = two_joints(body("arm", 1, {}, kBall), frame("hand"), {0, 0, 1}, {1, 0, 0});
  d.links.push_back(frame("other"));
  d.joints.push_back(joint("c", kTurns, "arm", "other"));
  const Diagnostics found = problems_of_checking(d);
  EXPECT_REPORTS(found, error, "link 'hand'", "joint 'b'");
  EXPECT_REPORTS(found, error, "link 'other'", "joint 'c'");
}

/// What advise() has to say of an arm of 0.5 m.
Diagnostics advice_on(const Link& arm, double length = 0.5) {
  Description d = arm_with_tool(arm, frame("tool"));
  d.joints[1].joint.X_PF.p = {length, 0, 0};
  Diagnostics found("robot.test");
  const std::optional<Model> model = build(d, found);
  EXPECT_TRUE(model) << listing(found);
  if (model) advise(*model, found);
  return found;
}

TEST(Advise, UnitsThatLookWrong) {
  const Sym3<double> usual{0.05, 0.05, 0.02, 0, 0, 0};
  EXPECT_TRUE(advice_on(body("arm", 2, {0.2, 0, 0}, usual)).all().empty());
  EXPECT_REPORTS(advice_on(body("arm", 2, {0.2, 0, 0}, usual), 500), note, "joint 'weld'", "its offset is 500 m");
  EXPECT_REPORTS(advice_on(body("arm", 2, {200, 0, 0}, usual)), note, "link 'arm'", "its mass centre lies 200 m from its origin");
  EXPECT_REPORTS(advice_on(body("arm", 2, {6, 0, 0}, usual)), note, "link 'arm'", "its mass centre lies 6 m from its origin, its joints within 0.5 m");
  EXPECT_REPORTS(advice_on(body("arm", 2, {0.2, 0, 0}, {5e-8, 5e-8, 2e-8, 0, 0, 0})), note, "link 'arm'", "is only");
  EXPECT_REPORTS(advice_on(body("arm", 2, {0.2, 0, 0}, {50, 50, 20, 0, 0, 0})), note, "link 'arm'", "times its mass times its size squared");
}

}  // namespace
}  // namespace ulna::test
