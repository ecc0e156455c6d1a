// The check of M by articulated bodies gives the verdict of plain elimination, on sound models and on faulty ones.
#include "check/nonsingular.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "support/arm.hpp"
#include "support/random_model.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

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
    const Model model = unchecked(d);
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
    d.links.push_back(body(cat("l", i), 1, {}, {1, 1, 1, 0, 0, 0}));
    if (i == 0) continue;
    const Vec3<double> axis = i % 2 == 0 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    d.joints.push_back(joint(cat("j", i), i % 3 == 0 ? JointType::prismatic : JointType::revolute, cat("l", i - 1), cat("l", i), axis, {0.1, 0, 0.2}));
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(singular_joints(unchecked(d), true).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace ulna::test
