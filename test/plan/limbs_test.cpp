// Which limbs of a robot are alike.
#include "plan/limbs.hpp"

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {
namespace {

TEST(Limbs, AreThoseOfTheSameShape) {
  const auto names = [](const Model& model) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const Plan plan = make_plan(model);
    const auto joint = [&](std::size_t body) { return model.links()[static_cast<std::size_t>(plan.bodies[body].link)].name; };
    for (const auto& [a, b] : internal::limbs_alike(plan)) pairs.emplace_back(joint(a), joint(b));
    return pairs;
  };
  EXPECT_TRUE(names(load("panda")).empty());
  const auto humanoid = names(load("humanoid-38"));
  EXPECT_EQ(humanoid.size(), 14u);
  for (const auto& [left, right] : humanoid) EXPECT_EQ("right" + left.substr(4), right);
  EXPECT_EQ(names(load("mini-cheetah")).size(), 6u);
}

}  // namespace
}  // namespace ulna::test
