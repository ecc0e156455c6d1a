// Couplings between joints: chains, circles, and what happens when the leader does not move.
#include <gtest/gtest.h>

#include <chrono>

#include <cmath>

#include <ulna/model/model.hpp>

#include "support/arm.hpp"
#include "support/problems.hpp"
#include "support/random_model.hpp"
#include "text/message.hpp"

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
  d.joints[follower - 1].joint.mimic = Mimic{kNone, multiplier, offset};
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
  EXPECT_REPORTS(problems_of_building(d), error, "joint 'j1'", "its mimic chain is a circle");
  Description self = four();
  follow(self, 4, "j4", 2, 0);
  EXPECT_REPORTS(problems_of_building(self), error, "joint 'j4'", "its mimic chain is a circle");
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
  d.joints[0].joint.mimic = Mimic{kNone, 2, 0};
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

/// j1 leads, j3 = 3 q1 + 0.5, j4 = -2 q3 + 0.1.
Model in_a_row() {
  Description d = four();
  follow(d, 4, "j3", -2, 0.1);
  follow(d, 3, "j1", 3, 0.5);
  return build(d);
}

/// The angle that a fixed joint of `four` stands at; each turns about z.
double angle(const Model& model, const std::string& name) {
  const Joint& joint = model.joints()[model.find_joint(name).value()];
  EXPECT_EQ(joint.type, JointType::fixed) << name;
  return std::atan2(joint.X_PF.R.yx, joint.X_PF.R.xx);
}

std::vector<std::string> free_after(const std::vector<Lock>& locks, std::string* said = nullptr) {
  Diagnostics diagnostics;
  const Model held = with_locked(in_a_row(), locks, diagnostics).value();
  if (said != nullptr)
    for (const Diagnostic& d : diagnostics.all()) *said += to_string(d) + "\n";
  return held.coordinate_names();
}

// A lock holds whatever follows the locked joint, wherever in the chain that is, and nothing else.
TEST(MimicModel, LocksWithinAChain) {
  const auto held = [](const std::vector<Lock>& locks) {
    Diagnostics diagnostics;
    return with_locked(in_a_row(), locks, diagnostics).value();
  };
  using Names = std::vector<std::string>;
  const Model middle = held({{"j3", 0.4}});  // j4 = -2 * 0.4 + 0.1
  EXPECT_EQ(middle.coordinate_names(), (Names{"j1", "j2"}));
  EXPECT_NEAR(angle(middle, "j3"), 0.4, 1e-15);
  EXPECT_NEAR(angle(middle, "j4"), -0.7, 1e-15);

  const Model head = held({{"j1", -0.1}});  // j3 = 3 * -0.1 + 0.5, j4 = -2 * 0.2 + 0.1
  EXPECT_EQ(head.coordinate_names(), (Names{"j2"}));
  EXPECT_NEAR(angle(head, "j3"), 0.2, 1e-15);
  EXPECT_NEAR(angle(head, "j4"), -0.3, 1e-15);

  const Model both = held({{"j1", -0.1}, {"j3", 0.4}});  // in any order
  EXPECT_NEAR(angle(both, "j4"), -0.7, 1e-15);
  EXPECT_NEAR(angle(held({{"j3", 0.4}, {"j1", -0.1}}), "j4"), -0.7, 1e-15);

  const Model tip = held({{"j4", 0.3}});  // the joint that it follows goes on
  EXPECT_EQ(tip.coordinate_names(), (Names{"j1", "j2"}));
  EXPECT_EQ(tip.joints()[2].mimic->leader, 0);
  EXPECT_NEAR(angle(tip, "j4"), 0.3, 1e-15);
  EXPECT_FALSE(tip.coupling(3));

  Diagnostics diagnostics;  // one after the other
  const Model later = with_locked(middle, {{"j1", 0.2}}, diagnostics).value();
  EXPECT_NEAR(angle(later, "j3"), 0.4, 1e-15);
  EXPECT_NEAR(angle(later, "j4"), -0.7, 1e-15);
}

// The warning names the joint that a locked one follows, and is there only where that one goes on moving.
TEST(MimicModel, LocksWithinAChainTellWhatTheyUncouple) {
  std::string said;
  free_after({{"j4", 0.3}}, &said);
  EXPECT_NE(said.find("lock 'j4': this joint mimics 'j3', which stays free"), std::string::npos) << said;
  said.clear();
  free_after({{"j4", 0.3}, {"j1", 0}}, &said);  // j3 is held by the lock of j1
  EXPECT_EQ(said, "");
}

TEST(MimicModel, ALockBeyondAllNumbersIsRefused) {
  Diagnostics diagnostics;
  EXPECT_FALSE(with_locked(in_a_row(), {{"j1", 1e308}}, diagnostics));
  EXPECT_REPORTS(diagnostics, error, "joint 'j3'", "it mimics 'j1', and its own position overflows where that joint is locked");
}

TEST(MimicModel, ChainsAreKeptAsStated) {
  const Model model = in_a_row();
  EXPECT_EQ(model.coupling(3)->leader, 2);
  EXPECT_EQ(model.coupling(3)->multiplier, -2);
  EXPECT_EQ(model.coupling(3)->offset, 0.1);
  EXPECT_FALSE(model.coupling(0));
  EXPECT_FALSE(with_free_mimics(model).coupling(3));
}

TEST(Mimic, ALongChainIsFollowedOnce) {
  Description d;
  d.name = "chain";
  constexpr int kJoints = 20'000;
  for (int i = 0; i <= kJoints; ++i) {
    d.links.push_back(frame(cat("l", i)));
    if (i == 0) continue;
    d.joints.push_back(joint(cat("j", i), JointType::revolute, "l0", cat("l", i)));
    if (i < kJoints) follow(d, static_cast<std::size_t>(i), cat("j", i + 1), -1, 0.5);  // the first one is the longest way from its leader
  }
  const auto begin = std::chrono::steady_clock::now();
  const Model model = unchecked(d);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  // q_i = -q_{i+1} + 0.5, so q_i = q_{i+2}; the last but one follows the last directly.
  const Mimic& first = *model.joints()[0].mimic;
  EXPECT_EQ(first.leader, kJoints - 1);
  EXPECT_EQ(first.multiplier, -1);
  EXPECT_EQ(first.offset, 0.5);
}

TEST(Mimic, MultipliersThatGrowBeyondAllNumbersAreRefused) {
  Description d = random_description(3, {.fewest = 4, .most = 4, .fixed = false});
  for (std::size_t j = 0; j + 1 < 4; ++j) {
    d.joints[j].joint.mimic = Mimic{kNone, 1e200, 0};
    d.joints[j].leader = d.joints[j + 1].joint.name;
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(build(d, diagnostics));
  EXPECT_NE(to_string(diagnostics.all().at(0)).find("overflow"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
