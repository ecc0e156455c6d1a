// build(): what is a tree and what is not, and in which order its joints come.
#include <gtest/gtest.h>

#include <limits>

#include "support/arm.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

constexpr JointType kRevolute = JointType::revolute;

Description links(const std::vector<std::string>& names) {
  Description d;
  d.name = "robot";
  for (const std::string& name : names) d.links.push_back(body(name, 1, {0.1, 0.2, 0.3}, {1, 1, 1, 0, 0, 0}));
  return d;
}

TEST(Topology, TwoParents) {
  Description d = links({"a", "b", "c"});
  d.joints = {joint("ab", kRevolute, "a", "b"), joint("ac", kRevolute, "a", "c"), joint("bc", kRevolute, "b", "c")};
  d.joints[1].joint.line = 7;
  d.joints[2].joint.line = 9;
  const Diagnostics found = problems_of_building(d);
  EXPECT_REPORTS(found, error, "joint 'bc'", "link 'c' has two parents: it is the child of joint 'ac' (line 7) too");
  EXPECT_EQ(found.count(Severity::error), 1) << listing(found);
  EXPECT_NE(listing(found).find("robot.test:9: error: joint 'bc'"), std::string::npos) << listing(found);
}

TEST(Topology, CycleOfAllLinks) {
  Description d = links({"a", "b"});
  d.joints = {joint("ab", kRevolute, "a", "b"), joint("ba", kRevolute, "b", "a")};
  EXPECT_REPORTS(problems_of_building(d), error, "link 'a'", "cycle");
}

TEST(Topology, CycleBesideTheRoot) {
  Description d = links({"root", "x", "a", "b"});
  d.joints = {joint("rx", kRevolute, "root", "x"), joint("ab", kRevolute, "a", "b"), joint("ba", kRevolute, "b", "a")};
  EXPECT_REPORTS(problems_of_building(d), error, "link 'a'", "not connected to the root 'root'");
}

TEST(Topology, OwnParent) {
  Description d = links({"a", "b"});
  d.joints = {joint("ab", kRevolute, "a", "b"), joint("bb", kRevolute, "b", "b")};
  EXPECT_REPORTS(problems_of_building(d), error, "joint 'bb'", "link 'b' is its own parent");
}

TEST(Topology, TwoRoots) {
  Description d = links({"a", "b", "c"});
  d.joints = {joint("ab", kRevolute, "a", "b")};
  EXPECT_REPORTS(problems_of_building(d), error, "link 'c'", "it has no parent, but link 'a' is the root already");
}

TEST(Topology, UnknownParentAndChildWithTheNearestName) {
  Description d = links({"base", "forearm"});
  d.joints = {joint("j", kRevolute, "bose", "foream")};
  const Diagnostics found = problems_of_building(d);
  EXPECT_REPORTS(found, error, "joint 'j'", "its parent link 'bose' does not exist; add that link or correct the name; did you mean 'base'?");
  EXPECT_REPORTS(found, error, "joint 'j'", "its child link 'foream' does not exist; add that link or correct the name; did you mean 'forearm'?");
}

TEST(Topology, NamesTakenTwice) {
  Description d = links({"a", "b", "b"});
  d.links[1].line = 3;
  d.joints = {joint("j", kRevolute, "a", "b"), joint("j", kRevolute, "a", "b")};
  const Diagnostics found = problems_of_building(d);
  EXPECT_REPORTS(found, error, "link 'b'", "this name is already taken in line 3");
  EXPECT_REPORTS(found, error, "joint 'j'", "this name is already taken");
}

TEST(Topology, NoLinks) { EXPECT_REPORTS(problems_of_building(Description{}), error, "robot", "it has no links"); }

TEST(Topology, AllProblemsAreReportedAtOnce) {
  Description d = links({"a", "b", "b"});
  d.joints = {joint("j", kRevolute, "a", "nowhere"), joint("k", kRevolute, "b", "b"), joint("l", JointType::revolute, "a", "b", {0, 0, 2})};
  const Diagnostics found = problems_of_building(d);
  EXPECT_GE(found.count(Severity::error), 4) << listing(found);
  EXPECT_REPORTS(found, error, "joint 'l'", "its axis has length 2");
  try {
    build(d);
    FAIL() << "build() of a broken description must throw";
  } catch (const SourceError& e) {
    EXPECT_EQ(static_cast<int>(e.diagnostics().size()), found.count(Severity::error));
    for (const Diagnostic& diagnostic : e.diagnostics()) EXPECT_NE(std::string(e.what()).find(diagnostic.problem), std::string::npos) << e.what();
  }
}

TEST(Topology, NumbersThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Description d = links({"a", "b"});
  d.joints = {joint("j", kRevolute, "a", "b")};
  const auto broken = [&](auto change) {
    Description copy = d;
    change(copy);
    return problems_of_building(copy).has_errors();
  };
  EXPECT_FALSE(broken([](Description&) {}));
  EXPECT_TRUE(broken([&](Description& x) { x.gravity.y = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.links[1].mass = inf; }));
  EXPECT_TRUE(broken([&](Description& x) { x.links[1].com.z = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.links[1].inertia.xy = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.X_PF.p.x = inf; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.X_MB.R.yz = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.axis = {nan, 0, 0}; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.rotor = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.gear = inf; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.friction.viscous = nan; }));
  EXPECT_TRUE(broken([&](Description& x) { x.joints[0].joint.friction.coulomb = inf; }));
}

// Depth first in document order, whatever the order of the links; joint j moves link j + 1.
TEST(Topology, OrderIsDepthFirstInDocumentOrder) {
  Description d = links({"hand", "head", "arm", "root", "neck", "leg"});
  d.joints = {joint("neck", kRevolute, "root", "neck"), joint("arm", kRevolute, "root", "arm"), joint("head", kRevolute, "neck", "head"),
              joint("hand", JointType::fixed, "arm", "hand"), joint("leg", kRevolute, "root", "leg")};
  const Model model = build(d);
  std::vector<std::string> joints, names;
  for (const Joint& j : model.joints()) joints.push_back(j.name);
  for (const Link& l : model.links()) names.push_back(l.name);
  EXPECT_EQ(joints, (std::vector<std::string>{"neck", "head", "arm", "hand", "leg"}));
  EXPECT_EQ(names, (std::vector<std::string>{"root", "neck", "head", "arm", "hand", "leg"}));
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"neck", "head", "arm", "leg"}));
  for (std::size_t j = 0; j < model.joints().size(); ++j) EXPECT_EQ(model.joints()[j].child, static_cast<int>(j) + 1);
  EXPECT_EQ(model.joints()[1].parent, 1);
  EXPECT_EQ(model.joints()[4].parent, 0);
  EXPECT_EQ(model.nv(), 4);
  EXPECT_EQ(model.find_link("head"), 2);
  EXPECT_EQ(model.find_joint("leg"), 4);
  EXPECT_EQ(model.find_link("tail"), std::nullopt);
  EXPECT_EQ(model.mass(), 6);
}

TEST(Topology, LongChainDoesNotRecurse) {
  Description d;
  d.name = "chain";
  constexpr std::size_t kLength = 20000;
  for (std::size_t k = 0; k <= kLength; ++k) d.links.push_back(body(cat("l", k), 1, {}, {1, 1, 1, 0, 0, 0}));
  for (std::size_t k = 0; k < kLength; ++k) d.joints.push_back(joint(cat("j", k), JointType::fixed, cat("l", k), cat("l", k + 1)));
  const Diagnostics found = problems_of_building(d);
  EXPECT_FALSE(found.has_errors()) << listing(found);
}

TEST(Topology, OneLinkAlone) {
  const Model model = build(links({"alone"}));
  EXPECT_EQ(model.nv(), 0);
  EXPECT_TRUE(model.joints().empty());
}

// Descriptions also come from programs, with numbers that no file can hold.
TEST(Topology, NumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto with = [](auto change) {
    Description d = links({"a", "b", "c"});
    d.joints = {joint("ab", kRevolute, "a", "b"), joint("bc", kRevolute, "b", "c")};
    change(d.joints[1].joint);
    return problems_of_building(d);
  };
  EXPECT_FALSE(with([](Joint&) {}).has_errors());
  EXPECT_REPORTS(with([&](Joint& j) { j.X_PF.p.y = inf; }), error, "joint 'bc'", "its origin is not finite");
  EXPECT_REPORTS(with([](Joint& j) { j.X_PF.R.xx = 2; }), error, "joint 'bc'", "its origin has an invalid rotation matrix");
  EXPECT_REPORTS(with([](Joint& j) { j.X_MB.R = {1, 0, 0, 0, 1, 0, 0, 0, -1}; }), error, "joint 'bc'", "its origin has an invalid rotation matrix");
  EXPECT_REPORTS(with([&](Joint& j) { j.upper = nan; }), error, "joint 'bc'", "one of its limits is not a number");
  EXPECT_REPORTS(with([&](Joint& j) { j.rotor = inf; }), error, "joint 'bc'", "its rotor inertia, gear ratio or friction is not finite");
  EXPECT_REPORTS(with([&](Joint& j) { j.friction.coulomb = nan; }), error, "joint 'bc'", "its rotor inertia, gear ratio or friction is not finite");
}

}  // namespace
}  // namespace ulna::test
