// Laws that every mechanism obeys, on spatial loops of all types: speeds and accelerations are the derivatives of closed positions, power is what energy
// changes by, and multipliers in extended precision give the same torques.
#include <cmath>

#include <gtest/gtest.h>

#include "dynamics/loops-inl.hpp"
#include "loop/machines.hpp"
#include "verify/multipliers.hpp"

namespace ulna::test {
namespace {

struct Kind {
  LoopType type;
  std::size_t joints;  // one more than its equations: one degree of freedom; two more: two
};
constexpr Kind kKinds[] = {{LoopType::fixed, 7},     {LoopType::revolute, 6}, {LoopType::prismatic, 6}, {LoopType::cylindrical, 5},
                           {LoopType::spherical, 4}, {LoopType::planar, 4},   {LoopType::spherical, 5}, {LoopType::revolute, 7}};

LoopRobot machine(const Kind& one, unsigned seed) {
  const RandomLoop loop = random_loop(one.type, one.joints, seed);
  Diagnostics diagnostics;
  return LoopRobot(build(loop.robot, diagnostics).value(), loop.loops);
}

TEST(Laws, SpeedsAndAccelerationsAreDerivativesOfClosedPositions) {
  for (const Kind& one : kKinds)
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const LoopRobot robot = machine(one, seed);
      ASSERT_EQ(robot.mobility(), one.joints - loop_rows(one.type)) << to_string(one.type);
      ASSERT_EQ(robot.redundant(), 0u);
      const std::size_t n = robot.nv(), m = robot.mobility();
      std::vector<double> u(m), u_dot(m), v(n), a(n);
      for (std::size_t k = 0; k < m; ++k) u[k] = 0.4 - 0.3 * static_cast<double>(k), u_dot[k] = -0.2 + 0.5 * static_cast<double>(k);
      robot.velocities(robot.reference(), u, v);
      robot.accelerations(robot.reference(), u, u_dot, a);
      const double h = 1e-4;
      const auto at = [&](double t) {
        std::vector<double> q = robot.reference();
        for (std::size_t k = 0; k < n; ++k) q[k] += v[k] * t;
        for (std::size_t k = 0; k < m; ++k) q[robot.independent()[k]] = robot.reference()[robot.independent()[k]] + u[k] * t + 0.5 * u_dot[k] * t * t;
        EXPECT_TRUE(robot.close(q).closed);
        return q;
      };
      const std::vector<double> before = at(-h), now = robot.reference(), after = at(h);
      for (std::size_t k = 0; k < n; ++k) {
        const double size = 1 + std::abs(v[k]) * 10 + std::abs(a[k]) * 10;
        EXPECT_NEAR((after[k] - before[k]) / (2 * h), v[k], 1e-5 * size) << to_string(one.type) << " " << seed;
        EXPECT_NEAR((after[k] - 2 * now[k] + before[k]) / (h * h), a[k], 1e-3 * size * size) << to_string(one.type) << " " << seed;
      }
    }
}

TEST(Laws, PowerIsWhatEnergyChangesBy) {
  for (const Kind& one : kKinds) {
    const LoopRobot robot = machine(one, 5);
    const std::size_t m = robot.mobility();
    std::vector<double> u(m, 0.7), u_dot(m, -0.4), tau(m), v(robot.nv());
    robot.inverse(robot.reference(), u, u_dot, tau);
    robot.velocities(robot.reference(), u, v);
    double power = 0;
    for (std::size_t k = 0; k < m; ++k) power += tau[k] * u[k];
    const double h = 1e-4;
    const auto energy = [&](double t) {
      std::vector<double> q = robot.reference(), speed(m);
      for (std::size_t k = 0; k < q.size(); ++k) q[k] += v[k] * t;
      for (std::size_t k = 0; k < m; ++k) {
        q[robot.independent()[k]] = robot.reference()[robot.independent()[k]] + u[k] * t + 0.5 * u_dot[k] * t * t;
        speed[k] = u[k] + u_dot[k] * t;
      }
      EXPECT_TRUE(robot.close(q).closed);
      const Energy E = robot.energy(q, speed);
      return E.kinetic + E.potential;
    };
    EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), power, 1e-4 * (1 + std::abs(power))) << to_string(one.type);
  }
}

TEST(Laws, MultipliersGiveTheSameTorques) {
  for (const Kind& one : kKinds)
    for (unsigned seed = 11; seed <= 14; ++seed)
      for (const bool friction : {false, true}) {
        const LoopRobot robot = machine(one, seed);
        const std::size_t m = robot.mobility();
        std::vector<double> u(m, 0.7), u_dot(m, -0.4), tau(m), back(m);
        Effects effects;
        effects.friction = friction;
        Wrench wrench;
        wrench.link = 2;
        wrench.force = {1, -2, 3};
        effects.wrenches = {&wrench, 1};
        robot.inverse(robot.reference(), u, u_dot, tau, effects);
        const internal::ByMultipliers other = internal::inverse_by_multipliers(robot, robot.reference().data(), u.data(), u_dot.data(), effects);
        for (std::size_t k = 0; k < m; ++k) EXPECT_NEAR(tau[k], static_cast<double>(other.tau[k]), 1e-10 * (1 + std::abs(tau[k]))) << to_string(one.type);
        robot.forward(robot.reference(), u, tau, back, effects);
        for (std::size_t k = 0; k < m; ++k) EXPECT_NEAR(back[k], u_dot[k], 1e-9);
      }
}

/// Runge and Kutta's method on u, the positions of the independent joints, and closure at every step; nothing drives or brakes it.
TEST(Laws, EnergyOfAnUnforcedLoopStays) {
  const LoopRobot robot = loop_robot("four-bar");  // its crank turns whole turns, and meets no singular assembly
  const std::size_t m = robot.mobility();
  std::vector<double> q = robot.reference(), u(m, 9.0);
  const auto total = [&] {
    const Energy E = robot.energy(q, u);
    return E.kinetic + E.potential;
  };
  const double before = total(), h = 5e-4;
  const std::vector<double> none(m, 0.0);
  const auto rates = [&](const std::vector<double>& at, const std::vector<double>& speed, std::vector<double>& u_dot) {
    robot.forward(at, speed, none, u_dot);
  };
  const int steps = std::getenv("ULNA_SOAK") != nullptr ? 100'000 : 400;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> k[4], speeds[4];
    std::vector<double> at = q;
    for (int s = 0; s < 4; ++s) {
      const double part = s == 0 ? 0 : s == 3 ? h : h / 2;
      speeds[s] = u;
      at = q;
      for (std::size_t i = 0; i < m; ++i) {
        if (s > 0) speeds[s][i] += part * k[s - 1][i], at[robot.independent()[i]] += part * speeds[s - 1][i];
      }
      ASSERT_TRUE(robot.close(at).closed);
      k[s].resize(m);
      rates(at, speeds[s], k[s]);
    }
    for (std::size_t i = 0; i < m; ++i) {
      q[robot.independent()[i]] += h / 6 * (speeds[0][i] + 2 * speeds[1][i] + 2 * speeds[2][i] + speeds[3][i]);
      u[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    ASSERT_TRUE(robot.close(q).closed);
  }
  EXPECT_NEAR(total(), before, (steps > 1000 ? 1e-6 : 1e-8) * (1 + std::abs(before)));  // the method's own error grows with the time
  EXPECT_GT(q[robot.independent()[0]], 1.0) << "it was to turn";
}

}  // namespace
}  // namespace ulna::test
