// Motions for hardware stay within the limits of every joint, of those that follow others, at every time.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include <ulna/check/check.hpp>
#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/excite.hpp>
#include <ulna/source/load.hpp>

#include "check/follower.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

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
      const bool spins = joint.mimic && !positions;  // a rotor: the options' limits are its leader's
      const double speed = joint.velocity > 0 && std::isfinite(joint.velocity) ? joint.velocity : spins ? HUGE_VAL : options.speed;
      share = std::max(share, std::abs(m * v[k]) / speed);
      if (options.acceleration > 0 && !spins) share = std::max(share, std::abs(m * a[k]) / options.acceleration);
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
