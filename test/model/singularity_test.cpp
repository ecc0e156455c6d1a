// The check of M by articulated bodies gives the verdict of plain elimination, on sound models and on faulty ones.
#include "check/nonsingular.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "support/random_model.hpp"
#include "text/cat.hpp"

namespace ulna::test {
namespace {

Model built(const Description& d) {
  Diagnostics diagnostics;
  std::optional<Model> model = build(d, diagnostics);
  EXPECT_TRUE(model) << (diagnostics.all().empty() ? "" : to_string(diagnostics.all().front()));
  return *std::move(model);
}

TEST(Singularity, BodiesAndMatrixAgree) {
  int faulty = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Description d = random_description(seed, {.most = 12});
    // Half of them lose the mass of some links, and with it inertia at some joints; rotors give it back.
    if (seed % 2 == 0)
      for (Link& link : d.links)
        if (random.chance(0.5)) link.mass = 0, link.com = {}, link.inertia = {};
    const Model model = built(d);
    for (const bool rotor : {false, true}) {
      const std::vector<std::size_t> by_bodies = singular_joints(model, rotor), by_matrix = singular_joints(model, rotor, SingularityMethod::matrix);
      EXPECT_EQ(by_bodies, by_matrix);
      const std::vector<Pivot> bodies = first_pivots(model, rotor), matrix = first_pivots(model, rotor, SingularityMethod::matrix);
      ASSERT_EQ(bodies.size(), matrix.size());
      for (std::size_t k = 0; k < bodies.size(); ++k) {
        EXPECT_NEAR(bodies[k].whole, matrix[k].whole, 1e-12 * matrix[k].whole);
        EXPECT_NEAR(bodies[k].left, matrix[k].left, 1e-11 * matrix[k].whole);  // what is left is a difference of terms of the size of the whole
      }
      faulty += by_matrix.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(faulty, 50);  // else nothing was shown
}

TEST(Singularity, OfALongChainTakesATimeThatGrowsWithItsLength) {
  Description d;
  d.name = "chain";
  constexpr int kJoints = 20'000;  // a matrix of them would have 3.2 GB
  for (int i = 0; i <= kJoints; ++i) {
    Link link;
    link.name = cat("l", i);
    link.mass = 1;
    link.inertia = {1, 1, 1, 0, 0, 0};
    d.links.push_back(link);
    if (i == 0) continue;
    Description::JointEntry entry;
    entry.joint.name = cat("j", i);
    entry.joint.type = i % 3 == 0 ? JointType::prismatic : JointType::revolute;
    entry.joint.axis = i % 2 == 0 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    entry.joint.X_PF.p = {0.1, 0, 0.2};
    entry.parent = cat("l", i - 1);
    entry.child = cat("l", i);
    d.joints.push_back(entry);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(singular_joints(built(d), true).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Mimic, ALongChainIsFollowedOnce) {
  Description d;
  d.name = "chain";
  constexpr int kJoints = 20'000;
  for (int i = 0; i <= kJoints; ++i) {
    d.links.push_back({});
    d.links.back().name = cat("l", i);
    if (i == 0) continue;
    Description::JointEntry entry;
    entry.joint.name = cat("j", i);
    entry.joint.type = JointType::revolute;
    entry.parent = "l0";
    entry.child = cat("l", i);
    if (i < kJoints) {  // each follows the next: the first one is the longest way from its leader
      entry.joint.mimic = Mimic{kNone, -1, 0.5};
      entry.leader = cat("j", i + 1);
    }
    d.joints.push_back(entry);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Model model = built(d);
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
