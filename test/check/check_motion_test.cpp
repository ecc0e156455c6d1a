// Limits of a motion between its rows, of joints that lead and of those that follow.
#include <gtest/gtest.h>

#include <cmath>

#include "check/follower.hpp"

namespace ulna::test {
namespace {

TEST(CheckMotion, SeesCubicsBetweenRows) {
  const Model model = parse(follower_urdf(R"(multiplier="-2" offset="0.5")", R"(lower="-1" upper="1" effort="0" velocity="0")"), "g.urdf");
  // Positions are 0 at both rows. The cubic with slopes V and -V over h has V h / 4 half way, the follower 0.5 - 2 of that.
  const double V = 2.4, h = 0.5;
  const std::vector<double> t{0, h}, q{0, 0}, v{V, -V};
  const std::vector<LimitUse> used = limits_used(model, {t, q, v, {}, {}});
  const LimitUse* lead = broken(used, model, "lead", LimitKind::position);
  ASSERT_NE(lead, nullptr);
  EXPECT_NEAR(lead->value, V * h / 4, 1e-9);
  EXPECT_NEAR(lead->t, h / 2, 1e-4);
  EXPECT_FALSE(lead->broken());
  const LimitUse* follow = broken(used, model, "follow", LimitKind::position, -1);
  ASSERT_NE(follow, nullptr);
  EXPECT_NEAR(follow->value, 0.5 - 2 * V * h / 4, 1e-9);
  EXPECT_FALSE(follow->broken());
  EXPECT_TRUE(check_motion(model, {t, q, v, {}, {}}).empty());
  // 1 % more than the follower allows: 0.5 - 2 x = -1 at x = 0.75.
  const double W = 1.01 * 0.75 * 4 / h;
  const std::vector<double> fast{W, -W};
  const std::vector<LimitUse> found = check_motion(model, {t, q, fast, {}, {}});
  const LimitUse* beyond = broken(found, model, "follow", LimitKind::position, -1);
  ASSERT_NE(beyond, nullptr);
  EXPECT_NEAR(beyond->value, 0.5 - 2 * 1.01 * 0.75, 1e-9);
  EXPECT_NE(to_string(model, *beyond).find("'follow' reaches -1.015"), std::string::npos) << to_string(model, *beyond);
  EXPECT_NE(broken(found, model, "lead", LimitKind::velocity), nullptr) << "W is beyond 3 rad/s";
  // Rows alone see nothing of the positions.
  EXPECT_EQ(broken(check_motion(model, {t, q, fast, {}, {}}, {.between = false}), model, "follow", LimitKind::position, -1), nullptr);
}

TEST(CheckMotion, SeesDifferencesBetweenRowsAndAccelerations) {
  const Model model = parse(follower_urdf(R"(multiplier="0.5")", R"(lower="-1" upper="1" effort="0" velocity="0.4")"), "g.urdf");
  const std::vector<double> t{0, 0.1}, q{0, 0.09};
  // 0.9 rad/s between the rows: the follower has 0.45.
  const std::vector<LimitUse> found = check_motion(model, {t, q, {}, {}, {}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(model.joints()[found[0].joint].name, "follow");
  EXPECT_NEAR(found[0].value, 0.45, 1e-12);
  EXPECT_EQ(to_string(found[0].kind), "speed");
  // The quintic with accelerations 0 at both ends, from rest to rest over 1: largest |a| is 10 / sqrt(3), largest speed 15/8.
  const std::vector<double> T{0, 1}, from_to{0, 1}, none{0, 0};
  const std::vector<LimitUse> used = limits_used(model, {T, from_to, none, none, {}}, {.acceleration = 100});
  const LimitUse* fast = broken(used, model, "lead", LimitKind::velocity);
  ASSERT_NE(fast, nullptr);
  EXPECT_NEAR(fast->value, 15.0 / 8, 1e-9);
  const LimitUse* cubic = broken(used, model, "lead", LimitKind::acceleration);
  ASSERT_NE(cubic, nullptr);
  EXPECT_NEAR(cubic->value, 6, 1e-9) << "the cubic has 6 at its ends, more than the quintic's 5.77";
}

TEST(CheckMotion, ComparesTheTorqueThatAFollowerTransmits) {
  const Model model = parse(follower_urdf(R"(multiplier="2")", R"(lower="-3" upper="3" effort="0.5" velocity="9")"), "g.urdf");
  // At rest: the follower carries m g l cos(q1 + q2), the drive that times 2 and what the leader carries: both bodies.
  const double g = 9.81, q1 = 0.3, angle = 3 * q1, own = -g * 0.1 * std::cos(angle), first = own - g * 0.1 * std::cos(q1) - g * 0.2 * std::cos(q1);
  const std::vector<double> t{0, 1}, q{q1, q1}, zero{0, 0};
  const std::vector<LimitUse> used = limits_used(model, {t, q, zero, zero, {}});
  const LimitUse* follow = broken(used, model, "follow", LimitKind::effort, -1);
  ASSERT_NE(follow, nullptr);
  EXPECT_NEAR(follow->value, own, 1e-9);
  EXPECT_TRUE(follow->broken()) << own;
  const LimitUse* lead = broken(used, model, "lead", LimitKind::effort, -1);
  ASSERT_NE(lead, nullptr);
  EXPECT_NEAR(lead->value, first + 2 * own, 1e-9);
  EXPECT_FALSE(lead->broken());
}

TEST(CheckMotion, RefusesWhatIsNoMotion) {
  const Model model = load("planar-2r");
  const std::vector<double> t{0, 1}, q{0, 0, 0, 0}, bad{0, 0, 0, NAN}, back{1, 0};
  EXPECT_THROW(check_motion(model, {t, t, {}, {}, {}}), std::invalid_argument);
  EXPECT_THROW(check_motion(model, {t, bad, {}, {}, {}}), std::invalid_argument);
  EXPECT_THROW(check_motion(model, {back, q, {}, {}, {}}), std::invalid_argument);
  EXPECT_NO_THROW(check_motion(model, {t, q, {}, {}, {}}));
}

}  // namespace
}  // namespace ulna::test
