// Couplings between joints: chains, circles, and what happens when the leader does not move.
#include <gtest/gtest.h>

#include <ulna/model/reduce.hpp>

#include "support/arm.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

/// A chain of four turning links; joint k is "j<k>".
Description four() {
  Description d;
  d.name = "four";
  d.links.push_back(frame("l0"));
  for (std::size_t k = 1; k <= 4; ++k) {
    d.links.push_back(body(cat("l", k), 1, {0.1, 0.2, 0.3}, {1, 1, 1, 0, 0, 0}));
    d.joints.push_back(joint(cat("j", k), JointType::revolute, cat("l", k - 1), cat("l", k), {0, 0, 1}, {0.5, 0, 0}));
  }
  return d;
}

void follow(Description& d, std::size_t follower, const std::string& leader, double multiplier, double offset) {
  d.joints[follower - 1].joint.mimic = Mimic{-1, multiplier, offset};
  d.joints[follower - 1].leader = leader;
}

TEST(MimicModel, UnknownLeader) {
  Description d = four();
  follow(d, 2, "k1", 1, 0);
  EXPECT_REPORTS(problems_of_building(d), error, "joint 'j2'", "it mimics joint 'k1', which does not exist; correct the name; did you mean 'j1'?");
}

TEST(MimicModel, CircleAndSelf) {
  Description d = four();
  follow(d, 1, "j2", 1, 0);
  follow(d, 2, "j3", 1, 0);
  follow(d, 3, "j1", 1, 0);
  EXPECT_REPORTS(problems_of_building(d), error, "joint 'j1'", "its mimic chain comes back to itself");
  Description self = four();
  follow(self, 4, "j4", 2, 0);
  EXPECT_REPORTS(problems_of_building(self), error, "joint 'j4'", "its mimic chain comes back to itself");
}

// q4 = -2 q3 + 0.1 and q3 = 3 q1 + 0.5 make q4 = -6 q1 - 0.9.
TEST(MimicModel, ChainsEndAtTheJointThatLeads) {
  Description d = four();
  follow(d, 4, "j3", -2, 0.1);
  follow(d, 3, "j1", 3, 0.5);
  const Model model = build(d);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"j1", "j2"}));
  const Mimic& last = model.joints()[3].mimic.value();
  EXPECT_EQ(last.leader, 0);
  EXPECT_DOUBLE_EQ(last.multiplier, -6);
  EXPECT_DOUBLE_EQ(last.offset, -0.9);
}

// The leader's index is that of the model, not of the file.
TEST(MimicModel, LeaderIsFoundAfterReordering) {
  Description d = four();
  std::swap(d.joints[0], d.joints[3]);  // j4 j2 j3 j1 in the file; the chain is j1 j2 j3 j4 all the same
  d.joints[0].joint.mimic = Mimic{-1, 2, 0};
  d.joints[0].leader = "j1";
  const Model model = build(d);
  EXPECT_EQ(model.joints()[3].name, "j4");
  EXPECT_EQ(model.joints()[3].mimic->leader, 0);
}

TEST(MimicModel, FixedFollowerIsIgnoredAndFixedLeaderHolds) {
  Description d = four();
  d.joints[1].joint.type = JointType::fixed;
  follow(d, 2, "j1", 1, 0.3);
  EXPECT_REPORTS(problems_of_building(d), warning, "joint 'j2'", "a fixed joint cannot mimic another");
  Description held = four();
  held.joints[0].joint.type = JointType::fixed;
  follow(held, 3, "j1", 5, 0.25);
  EXPECT_REPORTS(problems_of_building(held), warning, "joint 'j3'", "it mimics joint 'j1', which is fixed");
  const Model model = build(held);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"j2", "j4"}));
  EXPECT_EQ(model.joints()[2].type, JointType::fixed);
  const Mat3<double> R = model.joints()[2].X_PF.R, wanted = rotation_z(0.25);  // held at its offset
  EXPECT_NEAR(R.xx, wanted.xx, 1e-15);
  EXPECT_NEAR(R.yx, wanted.yx, 1e-15);
}

// The coupling of a fixed joint is ignored (and a warning says so), so a chain that passes through one ends there.
TEST(MimicModel, ChainEndsAtAFixedJoint) {
  Description d = four();
  d.joints[1].joint.type = JointType::fixed;
  follow(d, 2, "j1", 1, 0.3);
  follow(d, 3, "j2", 2, 0.1);
  const Model model = build(d);
  EXPECT_EQ(model.joints()[2].type, JointType::fixed);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"j1", "j4"}));
}

TEST(MimicModel, FreeMimicsListsEveryMovingJoint) {
  Description d = four();
  follow(d, 4, "j3", -2, 0.1);
  const Model model = build(d), free = with_free_mimics(model);
  EXPECT_EQ(model.nv(), 3);
  EXPECT_EQ(free.coordinate_names(), (std::vector<std::string>{"j1", "j2", "j3", "j4"}));
}

}  // namespace
}  // namespace ulna::test
