// A linkage stays on the circuit that it is assembled on, however far its drive turns. The oracle is the closed form of the four-bar: its pin is where two
// circles meet, and which of the two places it is does not change while the crank turns.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>

#include "loop/machines.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

constexpr double kPi = std::numbers::pi;

double whole(double angle) { return std::remainder(angle, 2 * kPi); }

/// Ground d along x, crank a at the origin, coupler b, rocker c. In the plane of x and y; masses of 1 kg at the middle of the links.
struct FourBar {
  double a, b, c, d;

  struct Angles {
    double coupler = 0, rocker = 0;  // against x
    bool exists = false;
    double sine = 0;  // between coupler and rocker: 0 in singular assemblies
  };
  /// side 1: the pin lies to the left of the line from the rocker's pivot to the crank's end.
  Angles at(double crank, int side) const {
    const double x = a * std::cos(crank) - d, y = a * std::sin(crank), f2 = x * x + y * y;
    const double cosine = (f2 + c * c - b * b) / (2 * std::sqrt(f2) * c);
    Angles out;
    out.exists = std::abs(cosine) <= 1;
    out.rocker = std::atan2(y, x) + side * std::acos(std::clamp(cosine, -1.0, 1.0));
    out.coupler = std::atan2(c * std::sin(out.rocker) - y, c * std::cos(out.rocker) - x);
    out.sine = std::sin(out.rocker - out.coupler);
    return out;
  }
  /// With gravity g along -y.
  double potential(double crank, int side, double g) const {
    const Angles s = at(crank, side);
    return g * (a / 2 * std::sin(crank) + a * std::sin(crank) + b / 2 * std::sin(s.coupler) + c / 2 * std::sin(s.rocker));
  }

  /// Whose joints are all zero in the assembly at `crank`. `follower`: multiplier of a joint on the rocker that follows the crank, outside of the loop; 0:
  /// none.
  LoopRobot robot(double crank, int side, double follower = 0) const {
    Description description;
    description.name = "four-bar";
    description.gravity = {0, -9.81, 0};
    const auto link = [&](const char* name, double length) { description.links.push_back(body(name, 1, {length / 2, 0, 0}, {0.01, 0.01, 0.01, 0, 0, 0})); };
    const auto hinge = [&](const char* name, const char* parent, const char* child, double x, double angle) {
      description.joints.push_back(joint(name, JointType::revolute, parent, child, {0, 0, 1}, {x, 0, 0}));
      description.joints.back().joint.X_PF.R = rotation_rpy(0, 0, angle);
    };
    const Angles s = at(crank, side);
    description.links.push_back(frame("ground"));
    link("arm", a), link("rod", b), link("lever", c);
    hinge("crank", "ground", "arm", 0, crank);
    hinge("coupler", "arm", "rod", a, s.coupler - crank);
    hinge("rocker", "ground", "lever", d, s.rocker);
    if (follower != 0) {
      link("flag", 0.1);
      hinge("flag", "lever", "flag", c / 2, 0);
      description.joints.back().joint.mimic = Mimic{.multiplier = follower};
      description.joints.back().leader = "crank";
    }
    Loop pin;
    pin.name = "pin";
    pin.type = LoopType::revolute;
    pin.X_PA.p = {b, 0, 0};
    pin.X_SB.p = {c, 0, 0};
    LoopDescription loops;
    loops.loops.push_back({pin, "rod", "lever"});
    loops.motors = {"crank"};
    Diagnostics diagnostics;
    return LoopRobot(build(description, diagnostics).value(), loops);
  }
};

/// A crank that turns over: the shortest and the longest link are shorter together than the others, by this part of the crank (Grashof).
FourBar crank_rocker(std::mt19937& random, double margin) {
  std::uniform_real_distribution<double> uniform(0, 1);
  while (true) {
    FourBar bar{0.2 + 0.3 * uniform(random), 0.5 + uniform(random), 0.5 + uniform(random), 0};
    // The ground is the longest link, or any other, whose length closes the sum.
    bar.d = bar.b + bar.c - (1 + margin) * bar.a;
    if (bar.d > std::max({bar.a, bar.b, bar.c})) return bar;
    bar.d = uniform(random) < 0.5 ? bar.c + (1 + margin) * bar.a - bar.b : bar.b + (1 + margin) * bar.a - bar.c;
    const double longest = std::max({bar.b, bar.c, bar.d}), shortest = std::min({bar.b, bar.c, bar.d}), sum = bar.a + bar.b + bar.c + bar.d;
    if (shortest > bar.a && std::abs((sum - bar.a - longest) - (bar.a + longest) - margin * bar.a) < 1e-12) return bar;
  }
}

struct Case {
  FourBar bar;
  LoopRobot robot;
  double crank;
  int reference;  // side

  Case(const FourBar& made, double at, int side) : bar(made), robot(made.robot(at, side)), crank(at) {
    const FourBar::Angles s = bar.at(at, side);
    const std::vector<double>& q = robot.reference();
    zero = {at, s.coupler - at, s.rocker};
    reference = 0;
    for (const int other : {1, -1}) {
      const FourBar::Angles now = bar.at(at + q[0], other);
      if (now.exists && std::abs(whole(now.rocker - zero[2] - q[2])) < 1e-9) reference = other;
    }
  }
  std::vector<double> zero;  // angles at q = 0

  /// Positions of the joints, from the closed form.
  std::vector<double> expected(double q, int side) const {
    const FourBar::Angles s = bar.at(crank + q, side);
    return {q, whole(s.coupler - (crank + q) - zero[1]), whole(s.rocker - zero[2])};
  }
};

void expect_at(const Case& one, const std::vector<double>& q, int side, const std::string& what) {
  const std::vector<double> expected = one.expected(q[0], side);
  for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR(whole(q[k] - expected[k]), 0, 1e-9) << what << ", joint " << k << ", crank at " << q[0];
  EXPECT_LT(one.robot.residual(q).residual, 1e-11) << what;
  // Virtual work: the torque is the change of the potential along this circuit.
  std::vector<double> torque(1);
  one.robot.gravity(q, torque);
  const double h = 1e-6, at = one.crank + q[0];
  const double slope = (one.bar.potential(at + h, side, 9.81) - one.bar.potential(at - h, side, 9.81)) / (2 * h);
  EXPECT_NEAR(torque[0], slope, 1e-4 * (1 + std::abs(slope))) << what << ", crank at " << q[0];
}

TEST(Circuits, CranksThatTurnOverStayOnTheirs) {
  const int robots = so_many(40, 4000);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < robots; ++n) {
    const double margin = std::array{1e-5, 1e-3, 0.01, 0.1}[static_cast<std::size_t>(n) % 4];
    const FourBar bar = crank_rocker(random, margin);
    const Case one(bar, kPi * uniform(random), n % 8 < 4 ? 1 : -1);
    ASSERT_NE(one.reference, 0);
    const std::string what = "robot " + std::to_string(n) + ", margin " + std::to_string(margin);
    for (int trial = 0; trial < 12; ++trial) {
      const double angle = (trial < 6 ? 2 * kPi : 1000) * uniform(random);
      std::vector<double> q{angle, 0, 0};
      const Closure closure = one.robot.assemble(q);
      ASSERT_TRUE(closure.closed && !closure.crossed && !closure.singular) << what << ", crank at " << angle;
      expect_at(one, q, one.reference, what);
      // The other circuit, from a rough guess; and this one.
      for (const int side : {1, -1}) {
        std::vector<double> guess = one.expected(angle, side);
        guess[1] += 0.02 * uniform(random), guess[2] += 0.02 * uniform(random);
        const Closure other = one.robot.close(guess);
        ASSERT_TRUE(other.closed && !other.crossed) << what;
        expect_at(one, guess, side, what);
      }
    }
  }
}

// What follows the crank by parts of its angle does not close the loop: whole turns of the crank still make no difference to it.
TEST(Circuits, FollowersOutsideOfTheLoopDoNotMatter) {
  std::mt19937 random(12);
  const FourBar bar = crank_rocker(random, 0.1);
  const Case one(bar, 0.3, 1);
  const LoopRobot robot = bar.robot(0.3, 1, 0.5182800233479501);
  for (const double angle : {2.0, 40.5, -1e3, 61913.68359375, 168918.109375}) {
    std::vector<double> q{angle, 0, 0};
    const Closure closure = robot.assemble(q);
    ASSERT_TRUE(closure.closed && !closure.crossed) << angle;
    const std::vector<double> expected = one.expected(angle, one.reference);
    for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR(whole(q[k] - expected[k]), 0, 1e-8) << "joint " << k << ", crank at " << angle;
  }
}

/// Angles that follow one another are followed: dependent joints turn with the crank.
TEST(Circuits, DependentJointsTurnAlong) {
  std::mt19937 random(3);
  const Case one(crank_rocker(random, 0.2), 0.4, 1);
  std::vector<double> last;
  for (double angle = -20; angle < 20; angle += 0.05) {
    std::vector<double> q{angle, 0, 0};
    ASSERT_TRUE(one.robot.assemble(q).closed);
    for (std::size_t k = 0; k < last.size(); ++k) EXPECT_NEAR(q[k], last[k], 0.5) << angle;
    last = q;
  }
}

/// Drives that do not turn over: what cannot be reached, or on another circuit alone, is told.
TEST(Circuits, WhatADriveCannotReachIsTold) {
  const int robots = so_many(60, 4000);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int reached = 0, refused = 0, elsewhere = 0;
  for (int n = 0; n < robots; ++n) {
    FourBar bar{};
    double crank = 0;
    do {
      bar = {0.7 + 0.3 * uniform(random), 0.7 + 0.5 * uniform(random), 0.7 + 0.3 * uniform(random), 0.7 + 0.3 * uniform(random)};
      crank = kPi * uniform(random);
    } while (!bar.at(crank, 1).exists || std::abs(bar.at(crank, 1).sine) < 0.3);
    const Case one(bar, crank, 1);
    ASSERT_NE(one.reference, 0);
    const double start = one.robot.reference()[0];
    for (int trial = 0; trial < 10; ++trial) {
      const double angle = 20 * uniform(random);
      const FourBar::Angles there = bar.at(crank + angle, one.reference);
      if (there.exists && std::abs(there.sine) < 0.02) continue;
      // The reference's piece of the circle of crank angles: reached this way round or that.
      const double way = whole(angle - start);
      const auto clear = [&](double by) {
        for (int k = 0; k <= 2000; ++k) {
          const FourBar::Angles on_way = bar.at(crank + start + by * k / 2000, one.reference);
          if (!on_way.exists || std::abs(on_way.sine) < 1e-3) return false;
        }
        return true;
      };
      const bool connected = clear(way) || clear(way > 0 ? way - 2 * kPi : way + 2 * kPi);
      std::vector<double> q{angle, 0, 0};
      const Closure closure = one.robot.assemble(q);
      if (!there.exists) {
        EXPECT_FALSE(closure.closed) << n << " " << angle;
        ++refused;
      } else if (connected) {
        ASSERT_TRUE(closure.closed && !closure.crossed) << n << " " << angle;
        expect_at(one, q, one.reference, "robot " + std::to_string(n));
        ++reached;
      } else {
        EXPECT_TRUE(!closure.closed || closure.crossed) << n << " " << angle;
        ++elsewhere;
      }
    }
  }
  EXPECT_GT(reached, robots);
  EXPECT_GT(refused, robots / 2);
  EXPECT_GT(elsewhere, 0);
}

/// Two circles about the elbows: the tip of a five-bar.
TEST(Circuits, FiveBarsStayOnTheirs) {
  const LoopRobot robot = loop_robot("five-bar");
  const std::size_t left = robot.independent()[0], right = robot.independent()[1];
  const Plan plan = make_plan(robot.tree());
  Workspace ws(plan);
  const auto sine = [&](const std::vector<double>& q) {  // of the angle between the forearms, along x of their links
    const Mat3<double> R = link_pose(plan, ws, q, robot.tree().find_link("left_forearm").value()).R;
    const Mat3<double> S = link_pose(plan, ws, q, robot.tree().find_link("right_forearm").value()).R;
    return R.zx * S.xx - R.xx * S.zx;
  };
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double reference = sine(robot.reference());
  int closed = 0;
  for (int trial = 0; trial < so_many(300, 3000); ++trial) {
    std::vector<double> q(robot.nv(), 0.0), far = q;
    q[left] = 1.5 * uniform(random), q[right] = 1.5 * uniform(random);
    const Closure closure = robot.assemble(q);
    if (!closure.closed || closure.crossed || closure.singularity < 0.01) continue;
    ++closed;
    EXPECT_EQ(sine(q) < 0, reference < 0) << q[left] << " " << q[right];
    far[left] = q[left] + 2 * kPi * std::round(100 * uniform(random)), far[right] = q[right] + 2 * kPi * std::round(100 * uniform(random));
    ASSERT_TRUE(robot.assemble(far).closed);
    std::vector<double> near_torque(2), far_torque(2);
    robot.gravity(q, near_torque), robot.gravity(far, far_torque);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(near_torque[k], far_torque[k], 1e-9) << q[left] << " " << q[right];
  }
  EXPECT_GT(closed, so_many(150, 1500));
}

/// A parallelogram goes straight through the two assemblies in which it lies flat, as it did before: its circuits meet there.
TEST(Circuits, ParallelogramsPassTheirFlatPlaces) {
  for (const double size : {0.05, 1.0, 3.0}) {
    const FourBar bar{0.5 * size, size, 0.5 * size, size};
    const Case one(bar, 0.7, -1);
    const double parallel = one.robot.reference()[1];
    EXPECT_NEAR(parallel, -one.robot.reference()[0], 1e-9);
    for (const double angle : {-0.9, 1.0, 2.0, 3.0, 4.1, 5.3, 6.0, -2.0, -3.5, -6.0, 9.3, 40.4, -77.7}) {
      std::vector<double> q{angle, 0, 0};
      const Closure closure = one.robot.assemble(q);
      ASSERT_TRUE(closure.closed && !closure.crossed) << angle;
      EXPECT_NEAR(q[1], -angle, 1e-9) << size;
      EXPECT_NEAR(q[2], angle, 1e-9) << size;
    }
    std::vector<double> flat{-0.7, 0, 0};
    EXPECT_TRUE(one.robot.assemble(flat).singular);
  }
}

}  // namespace
}  // namespace ulna::test
