// Motions for hardware stay within the limits of every joint, of those that follow others, at every time; and the check that says so is checked.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include <ulna/check/check.hpp>
#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/excite.hpp>
#include <ulna/source/load.hpp>

#include "support/random_model.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

/// Two pendulums of 1 kg at 0.1 m, joints 0.2 m apart, about y; the second follows the first.
std::string follower_urdf(const std::string& mimic, const std::string& limits, const std::string& leads = R"(lower="-3" upper="3" effort="100" velocity="3")") {
  const std::string body = R"(<inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>)";
  return R"(<robot name="g"><link name="b"/><link name="l1">)" + body + R"(</link><link name="l2">)" + body + R"(</link>
<joint name="lead" type="revolute"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/><limit )" +
         leads + R"(/></joint>
<joint name="follow" type="revolute"><origin xyz=".2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/><mimic joint="lead" )" +
         mimic + R"(/><limit )" + limits + R"(/></joint></robot>)";
}

const LimitUse* broken(const std::vector<LimitUse>& all, const Model& model, const std::string& joint, LimitKind kind, int side = 1) {
  for (const LimitUse& use : all)
    if (model.joints()[use.joint].name == joint && use.kind == kind && use.side == side) return &use;
  return nullptr;
}

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

ExciteOptions quick(std::uint64_t seed = 1) {
  ExciteOptions options;
  options.evaluations = 40;
  options.period = 6;
  options.seed = seed;
  return options;
}

TEST(Excite, KeepsTheLimitsOfAFollower) {
  const Model model = parse(follower_urdf(R"(multiplier="3")", R"(lower="-1" upper="1" effort="100" velocity="1")"), "g.urdf");
  const Excitation e = excite(model, quick());
  ASSERT_EQ(e.followers.size(), 1u);
  EXPECT_EQ(e.followers[0].joint, "follow");
  EXPECT_LE(e.followers[0].limit, 0.9 + 1e-12);
  EXPECT_GT(e.followers[0].limit, 0.8);
  EXPECT_LT(e.limit[0], 0.2) << "of its own limits the leader uses little";
  double far = 0, fast = 0;
  for (int s = 0; s <= 20000; ++s) {
    double q = 0, v = 0, a = 0;
    e.at(e.period * s / 20000, &q, &v, &a);
    far = std::max(far, std::abs(3 * q)), fast = std::max(fast, std::abs(3 * v));
  }
  EXPECT_LE(far, 0.9);
  EXPECT_LE(fast, 0.9);
}

// The rows of a motion for one robot break the limits of another.
TEST(Excite, RowsAreComparedWithLimits) {
  const Model wide = parse(follower_urdf(R"(multiplier="3")", R"(lower="-1" upper="1" effort="100" velocity="1")"), "g.urdf");
  const Model narrow = parse(follower_urdf(R"(multiplier="3")", R"(lower="-0.7" upper="1" effort="100" velocity="1")"), "g.urdf");
  const ExciteOptions options = quick();
  const Excitation e = excite(wide, options);
  ExcitationRows rows = sampled(wide, e, 100, options);
  EXPECT_EQ(rows.t.size(), 601u);
  EXPECT_NO_THROW(require_limits(wide, rows, options));
  try {
    require_limits(narrow, rows, options);
    ADD_FAILURE() << "no row was refused";
  } catch (const std::invalid_argument& refused) {
    EXPECT_NE(std::string(refused.what()).find("joint 'follow' reaches -0."), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("lower position limit of -0.7 rad"), std::string::npos) << refused.what();
  }
  rows.q[300] += 0.05;  // one row: neither it nor its neighbours are beyond a position
  EXPECT_THROW(require_limits(wide, rows, options), std::invalid_argument);
}

TEST(Excite, RefusesLimitsThatHaveNothingInCommon) {
  const Model apart = parse(follower_urdf(R"(multiplier="1" offset="10")", R"(lower="-1" upper="1" effort="100" velocity="1")"), "g.urdf");
  try {
    excite(apart, quick());
    ADD_FAILURE() << "a motion was found";
  } catch (const std::invalid_argument& refused) {
    EXPECT_NE(std::string(refused.what()).find("'follow'"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("no position in common"), std::string::npos) << refused.what();
  }
  // 1 kg at 0.1 m weighs 0.98 N m where it is horizontal, and both bodies are nearly so.
  const Model weak = parse(follower_urdf(R"(multiplier="1")", R"(lower="-0.2" upper="0.2" effort="0.1" velocity="1")"), "g.urdf");
  EXPECT_THROW(excite(weak, quick()), std::invalid_argument);
}

/// Limits of every kind: none, both, one side only, far from zero, no room at all.
Model with_random_limits(std::uint64_t seed) {
  Description d = random_description(seed, {.most = 5, .massless = false, .mimic = true});
  Random random(seed + 77);
  for (Description::JointEntry& entry : d.joints) {
    Joint& joint = entry.joint;
    if (joint.type == JointType::fixed) continue;
    const double inf = HUGE_VAL, from = random.uniform(-4, 3);
    switch (random.integer(0, 5)) {
      case 0: joint.lower = -inf, joint.upper = inf; break;
      case 1: joint.lower = from, joint.upper = inf; break;
      case 2: joint.lower = -inf, joint.upper = from; break;
      case 3: joint.lower = joint.upper = from; break;
      default: joint.lower = from, joint.upper = from + random.uniform(0.01, 5); break;
    }
    joint.velocity = random.chance(0.2) ? inf : random.chance(0.1) ? 0 : random.uniform(0.05, 5);
    joint.effort = random.chance(0.3) ? inf : random.uniform(20, 500);
  }
  Diagnostics problems;
  return *build(d, problems);
}

/// Everything that is said of a motion, on 3,000 times of it, joint by joint.
void expect_within(const Model& model, const Excitation& e, const ExciteOptions& options) {
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::size_t n = model.nv();
  std::vector<double> q(n), v(n), a(n), tau(n), shares(n + e.followers.size(), 0);
  for (int s = 0; s <= 3000; ++s) {
    e.at(e.period * s / 3000, q.data(), v.data(), a.data());
    inverse_dynamics(plan, ws, q.data(), v.data(), a.data(), tau.data(), Effects{.friction = true});
    std::size_t follower = 0;
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      if (joint.type == JointType::fixed) continue;
      const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
      const std::size_t k = static_cast<std::size_t>(std::find(model.independent().begin(), model.independent().end(), leader) - model.independent().begin());
      const double m = joint.mimic ? joint.mimic->multiplier : 1, x = m * q[k] + (joint.mimic ? joint.mimic->offset : 0);
      double& share = shares[joint.mimic ? n + follower++ : k];
      const bool positions = joint.type != JointType::continuous;
      if (positions) {
        ASSERT_TRUE(x >= joint.lower - 1e-12 && x <= joint.upper + 1e-12) << joint.name << " at " << x;
      }
      const double half = 0.5 * (joint.upper - joint.lower);
      if (positions && std::isfinite(half) && half > 0) share = std::max(share, std::abs(x - joint.lower - half) / half);
      const double speed = joint.velocity > 0 && std::isfinite(joint.velocity) ? joint.velocity : options.speed;
      share = std::max(share, std::abs(m * v[k]) / speed);
      if (options.acceleration > 0) share = std::max(share, std::abs(m * a[k]) / options.acceleration);
      if (!joint.mimic && std::isfinite(joint.effort)) share = std::max(share, std::abs(tau[k]) / joint.effort);
    }
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double told = i < n ? e.limit[i] : e.followers[i - n].limit;
    EXPECT_LE(told, options.part + 1e-9);
    EXPECT_LE(shares[i], told + 1e-9) << i;
  }
}

TEST(Excite, RandomRobotsKeepEveryLimit) {
  std::size_t made = 0, followers = 0;
  const std::uint64_t robots = so_many<std::uint64_t>(40, 4000);
  for (std::uint64_t seed = 1; seed <= robots; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = with_random_limits(seed);
    ExciteOptions options = quick(seed);
    options.waves = 2 + seed % 6;
    options.part = seed % 3 == 0 ? 1 : 0.9;
    if (seed % 4 == 0) options.acceleration = 3;
    std::optional<Excitation> e;
    try {
      e = excite(model, options);
    } catch (const std::invalid_argument&) {
      continue;  // limits that nothing can keep
    }
    ++made, followers += e->followers.size();
    expect_within(model, *e, options);
    if (options.part < 1) {
      EXPECT_NO_THROW(sampled(model, *e, 200, options));
    }
  }
  EXPECT_GT(made, robots / 4);
  EXPECT_GT(followers, robots / 10);
}

}  // namespace
}  // namespace ulna::test
