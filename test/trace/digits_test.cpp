// Searches that know rounding.
#include "trace/digits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ulna/source/load.hpp>
#include <ulna/trace/best.hpp>

#include "plan/reframe.hpp"
#include "support/arm.hpp"
#include "text/message.hpp"
#include "trace/recipe.hpp"
#include "trace/searches.hpp"

namespace ulna::test {
namespace {

Plan bare(const Model& model, double snap = 1e-9) { return make_plan(model, {.snap = snap, .lumping = Lumping::none}); }

/// Six joints whose twists are a right angle plus `off`, or none.
Model twisted(double off) {
  const double twist[] = {0, 1, 0, 1, -1, 1};
  const Vec3<double> offset[] = {{0, 0, 0.6}, {0, 0, 0}, {0.43, 0, 0.15}, {0.02, 0.43, 0}, {0, 0, 0}, {0, 0.1, 0}};
  Description d;
  d.name = "twisted";
  d.gravity = {0, 0, -9.81};
  d.links.push_back(test::frame("link0"));
  for (std::size_t k = 0; k < 6; ++k) {
    d.joints.push_back(test::joint(cat("joint", k + 1), JointType::continuous, d.links.back().name, cat("link", k + 1), {0, 0, 1}, offset[k]));
    d.joints.back().joint.X_PF.R = rotation_rpy(twist[k] * (std::numbers::pi / 2 + off), 0, 0);
    d.links.push_back(test::body(cat("link", k + 1), 5 - 0.5 * static_cast<double>(k), {0.02, -0.1, 0.05}, {0.05, 0.06, 0.04, 0.001, -0.002, 0.003}));
  }
  return build(d);
}

// Moves that leave the torques what they are keep their digits, those that go too far do not.
TEST(Digits, SeeASlideThatGoesTooFar) {
  const Model model = load("panda");
  const Plan given = bare(model);
  for (const Precision precision : {Precision::full, Precision::single}) {
    Digits digits(given, precision, true, Digits::kThorough);
    const auto slid = [&](double by) {
      Plan plan = given;
      slide(plan, 3, {0, 0, by});
      lump(plan, Lumping::szz);
      return digits.keep(plan, {});
    };
    EXPECT_TRUE(slid(0.1));
    EXPECT_TRUE(slid(-0.3));
    EXPECT_FALSE(slid(30));
    EXPECT_GT(digits.growth(), 30);  // as many times as 30 m is longer than the arm, at least: it reaches one metre
    EXPECT_FALSE(slid(1e9));
  }
}

// Rounding of the given plan is small by chance for some loads in a thousand, and a loss looks large beside it: a second motion tells, and a loss that is one
// stays one.
TEST(Digits, AreNotLostByChance) {
  const Model model = load("ur5");
  Searches searches(model);
  const Searched& found = searches(Quantity::inverse, {});
  Digits::Question question = found.question;
  question.quantity = Quantity::forward;
  question.method = ForwardMethod::articulated;
  int once = 0, often = 0, slid = 0;
  constexpr int kLoads = 3000;
  for (int k = 0; k < kLoads; ++k) {
    const Plan given = bare(with_payload(model, model.links().back().name, {.mass = 0.1 + 1e-3 * k, .com = {0, 0, 0.08}}));
    Digits quick(given, Precision::full, true, Digits::kQuick), repeating(given, Precision::full, true, Digits::kQuick, true);
    once += replay(found.recipe, given, quick, question) ? 0 : 1;
    often += replay(found.recipe, given, repeating, question) ? 0 : 1;
    Plan far = given;
    slide(far, 2, {0, 0, 300});
    lump(far, Lumping::szz);
    slid += repeating.keep(far, question) ? 0 : 1;
  }
  EXPECT_GT(once, 0);
  EXPECT_EQ(often, 0);
  EXPECT_EQ(slid, kLoads);
}

// A plan of another robot gives other torques, however well it rounds.
TEST(Digits, SeeOtherTorques) {
  const Plan given = bare(load("panda"));
  Digits digits(given, Precision::full, true, Digits::kQuick);
  Plan plan = given;
  lump(plan, Lumping::szz);
  EXPECT_TRUE(digits.keep(plan, {}));
  plan.bodies[5].lumped.h.x *= 1 + 1e-9;
  EXPECT_FALSE(digits.keep(plan, {}));
}

// A length unit of 1e-23 m makes masses of 1e-46 of what they are, which floats do not hold.
TEST(Digits, SeeWhatLeavesTheRangeOfFloats) {
  const Plan given = bare(load("ur5"));
  Plan plan = given;
  lump(plan, Lumping::none);  // every link keeps its mass
  const Plan tiny = in_length_unit(plan, 1e-23);
  EXPECT_TRUE(Digits(given, Precision::full, true, Digits::kQuick).keep(tiny, {}));
  EXPECT_FALSE(Digits(given, Precision::single, true, Digits::kQuick).keep(tiny, {}));
  EXPECT_TRUE(Digits(given, Precision::single, true, Digits::kQuick).keep(in_length_unit(plan, 0.09), {}));
}

// Twists that are almost right: the search finds nothing cheaper than what it finds for right ones, and nothing of its numbers is out of proportion.
TEST(Digits, KeepConstantsInProportion) {
  for (const double off : {1e-3, 1e-6, 3.7e-6, 1e-8, 1e-10, 1e-12, 1e-15}) {
    SCOPED_TRACE(off);
    const Best best = find_best(twisted(off), Quantity::inverse, {.snap = 0});
    for (const double constant : best.program.constants) EXPECT_LT(std::fabs(constant), 1e4);
  }
}

// What was refused is told, and only where it is cheaper.
TEST(Digits, SayWhatWasRefused) {
  EXPECT_FALSE(find_best(load("panda"), Quantity::inverse).refused.has_value());
  const Best best = find_best(twisted(1e-9), Quantity::inverse, {.snap = 0});
  ASSERT_TRUE(best.refused.has_value());
  EXPECT_GT(best.refused->growth, Digits::kMost);
  EXPECT_FALSE(best.refused->what.empty());
}

}  // namespace
}  // namespace ulna::test
