// Searches that know rounding.
#include "trace/digits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ulna/source/load.hpp>
#include <ulna/trace/best.hpp>

#include "plan/reframe.hpp"
#include "scalar/rounded.hpp"
#include "text/cat.hpp"

namespace ulna {
namespace {

Plan bare(const Model& model, double snap = 1e-9) { return make_plan(model, {.snap = snap, .lumping = Lumping::none}); }

/// Six joints whose twists are a right angle plus `off`, or none.
Model twisted(double off) {
  const double twist[] = {0, 1, 0, 1, -1, 1};
  const Vec3<double> offset[] = {{0, 0, 0.6}, {0, 0, 0}, {0.43, 0, 0.15}, {0.02, 0.43, 0}, {0, 0, 0}, {0, 0.1, 0}};
  Description d;
  d.name = "twisted";
  d.gravity = {0, 0, -9.81};
  d.links.push_back({});
  d.links[0].name = "link0";
  for (std::size_t k = 0; k < 6; ++k) {
    Description::JointEntry entry;
    entry.joint.name = cat("joint", k + 1);
    entry.joint.type = JointType::continuous;
    entry.joint.axis = {0, 0, 1};
    entry.joint.X_PF = {rotation_rpy(twist[k] * (std::numbers::pi / 2 + off), 0, 0), offset[k]};
    entry.parent = d.links.back().name;
    entry.child = cat("link", k + 1);
    Link link;
    link.name = entry.child;
    link.inertial = true;
    link.mass = 5 - 0.5 * static_cast<double>(k);
    link.com = {0.02, -0.1, 0.05};
    link.inertia = {0.05, 0.06, 0.04, 0.001, -0.002, 0.003};
    d.links.push_back(link);
    d.joints.push_back(entry);
  }
  return build(d);
}

// The bound of a sum, a product and a quotient, by hand.
TEST(Rounded, CarriesBounds) {
  using R = Rounded<double>;
  const R x = R::exact(3), y = R::exact(4), c(0.1);
  EXPECT_EQ((x + y).error(), 7);                     // one rounding of the sum
  EXPECT_EQ((x * y + x).error(), 12 + 15);           // of the product, and of the sum
  EXPECT_DOUBLE_EQ((c * x).error(), 0.1 * 3 + 0.3);  // of the constant, times three, and of the product
  EXPECT_EQ((R(1) * x).error(), 0);
  EXPECT_EQ((R(0) * (x * y)).error(), 0);
  EXPECT_DOUBLE_EQ(((x * y) / y).error(), 12.0 / 4 + 3);
  EXPECT_EQ((Rounded<float>::exact(1e30) * Rounded<float>::exact(1e30)).error(), std::numeric_limits<double>::infinity());
  EXPECT_GT((Rounded<float>::exact(1e-30) * Rounded<float>::exact(1e-30)).error(), 1e-39);  // it loses all digits
  EXPECT_EQ((R::exact(1e-30) * R::exact(1e-30)).error(), 1e-30 * 1e-30);
}

// A bound holds: what floats really do to the torques of a robot is less.
TEST(Rounded, BoundsWhatFloatsDo) {
  const Model model = load("panda");
  const Plan plan = make_plan(model);
  const PlanOf<float> rough = plan.cast<float>();
  WorkspaceOf<float> ws(rough);
  Rounding rounding(plan, Precision::single);
  double nearest = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<float> q, v, a, tau(7);
    for (int i = 0; i < 7; ++i)
      q.push_back(std::sin(1.7f * static_cast<float>(k + 3 * i))), v.push_back(std::cos(0.9f * static_cast<float>(k * i + 1))),
          a.push_back(std::sin(2.3f * static_cast<float>(k - i)));
    inverse_dynamics(rough, ws, q, v, a, tau);
    const Rounding::Results& bound = rounding.of(Quantity::inverse, plan, {q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()});
    for (std::size_t i = 0; i < 7; ++i) {
      const double share = std::fabs(static_cast<double>(tau[i]) - bound.value[i]) / bound.error[i];
      EXPECT_LT(share, 1);
      nearest = std::max(nearest, share);
    }
  }
  EXPECT_GT(nearest, 0.02);  // nor is it empty
}

// Moves that leave the torques what they are keep their digits, those that go too far do not.
TEST(Digits, SeeASlideThatGoesTooFar) {
  const Model model = load("panda");
  const Plan given = bare(model);
  for (const Precision precision : {Precision::full, Precision::single}) {
    Digits digits(given, precision, {}, Digits::kThorough);
    const auto slid = [&](double by) {
      Plan plan = given;
      slide(plan, 3, {0, 0, by});
      lump(plan, Lumping::szz);
      return digits.keep(plan);
    };
    EXPECT_TRUE(slid(0.1));
    EXPECT_TRUE(slid(-0.3));
    EXPECT_FALSE(slid(30));
    EXPECT_GT(digits.growth(), 30);  // as many times as 30 m is longer than the arm, at least: it reaches one metre
    EXPECT_FALSE(slid(1e9));
  }
}

// A plan of another robot gives other torques, however well it rounds.
TEST(Digits, SeeOtherTorques) {
  const Plan given = bare(load("panda"));
  Digits digits(given, Precision::full, {}, Digits::kQuick);
  Plan plan = given;
  lump(plan, Lumping::szz);
  EXPECT_TRUE(digits.keep(plan));
  plan.bodies[5].lumped.h.x *= 1 + 1e-9;
  EXPECT_FALSE(digits.keep(plan));
}

// A length unit of 1e-23 m makes masses of 1e-46 of what they are, which floats do not hold.
TEST(Digits, SeeWhatLeavesTheRangeOfFloats) {
  const Plan given = bare(load("ur5"));
  Plan plan = given;
  lump(plan, Lumping::none);  // every link keeps its mass
  const Plan tiny = in_length_unit(plan, 1e-23);
  EXPECT_TRUE(Digits(given, Precision::full, {}, Digits::kQuick).keep(tiny));
  EXPECT_FALSE(Digits(given, Precision::single, {}, Digits::kQuick).keep(tiny));
  EXPECT_TRUE(Digits(given, Precision::single, {}, Digits::kQuick).keep(in_length_unit(plan, 0.09)));
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
}  // namespace ulna
