// Machine code of robots with loops against Mechanism, which chooses its pivots while it runs, and multipliers in extended precision.
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/robot/closed_dynamics.hpp>

#include "loop/equations.hpp"
#include "loop/machines.hpp"
#include "loop/multipliers.hpp"
#include "support/allocations.hpp"

namespace ulna::test {
namespace {

Mechanism machine(LoopType type, std::size_t joints, unsigned seed) {
  RandomLoop loop = random_loop(type, joints, seed);
  for (Description::JointEntry& entry : loop.robot.joints) entry.joint.viscous = 0;
  Diagnostics diagnostics;
  return Mechanism(build(loop.robot, diagnostics).value(), loop.loops);
}

TEST(ClosedDynamics, IsMechanismFromAWarmStart) {
  for (const LoopType type : {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical, LoopType::planar})
    for (const std::size_t more : {1, 2})
      for (const InstructionSet set : {InstructionSet::none, InstructionSet::sse2, InstructionSet::avx512}) {
        const Mechanism robot = machine(type, internal::loop_rows(type) + more, 7);
        const ClosedDynamics fast(robot, {.steps = 3, .most = set});
        EXPECT_EQ(fast.compiled(), best_instruction_set(set) != InstructionSet::none);
        const std::size_t m = robot.mobility();
        std::vector<double> q = robot.reference(), u(m), u_dot(m), tau(m), wanted(m), M(m * m), mass(m * m), back(m);
        for (int cycle = 0; cycle < 5; ++cycle) {
          for (std::size_t k = 0; k < m; ++k) {
            q[robot.independent()[k]] += 0.004 * (k == 0 ? 1 : -1);
            u[k] = 0.5 + 0.1 * cycle - 0.2 * static_cast<double>(k), u_dot[k] = -0.3 * cycle;
          }
          const ClosedResult done = fast.inverse(q.data(), u.data(), u_dot.data(), tau.data());
          ASSERT_TRUE(done.sure) << to_string(type) << " " << done.residual;
          EXPECT_LT(done.residual, 1e-11);
          const auto other = internal::inverse_by_multipliers(robot, q.data(), u.data(), u_dot.data(), {});
          ASSERT_TRUE(fast.mass(q.data(), M.data()).sure);  // moves q closer to closure
          robot.mass(q, {mass.data(), m, m});
          ASSERT_TRUE(fast.forward(q.data(), u.data(), tau.data(), back.data()).sure);
          for (std::size_t k = 0; k < m; ++k) {
            EXPECT_NEAR(tau[k], static_cast<double>(other.tau[k]), 1e-9 * (1 + std::abs(tau[k]))) << to_string(type);
            EXPECT_NEAR(back[k], u_dot[k], 1e-8);
          }
          std::vector<double> bias(m), gravity(m), energy(2), v(robot.nv()), a(robot.nv()), v_wanted(robot.nv()), a_wanted(robot.nv());
          const auto same = [&](const std::vector<double>& x, const std::vector<double>& y, const char* what) {
            for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-9 * (1 + std::abs(y[k]))) << what << " " << to_string(type);
          };
          ASSERT_TRUE(fast.bias(q.data(), u.data(), bias.data()).sure);
          robot.bias(q, u, wanted);
          same(bias, wanted, "bias");
          ASSERT_TRUE(fast.gravity(q.data(), gravity.data()).sure);
          robot.gravity(q, wanted);
          same(gravity, wanted, "gravity");
          ASSERT_TRUE(fast.energy(q.data(), u.data(), energy.data()).sure);
          const Energy e = robot.energy(q, u);
          same(energy, {e.kinetic, e.potential}, "energy");
          ASSERT_TRUE(fast.motion(q.data(), u.data(), u_dot.data(), v.data(), a.data()).sure);
          robot.velocities(q, u, v_wanted);
          robot.accelerations(q, u, u_dot, a_wanted);
          same(v, v_wanted, "velocities");
          same(a, a_wanted, "accelerations");
          for (std::size_t k = 0; k < m * m; ++k) EXPECT_NEAR(M[k], mass[k], 1e-10 * (1 + std::abs(mass[k])));
        }
      }
}

TEST(ClosedDynamics, DoesNotAllocate) {
  const Mechanism robot = machine(LoopType::revolute, 6, 7);
  const ClosedDynamics fast(robot);
  if (!fast.compiled()) GTEST_SKIP() << "no machine code here";
  std::vector<double> q = robot.reference(), u{0.5}, u_dot{0.1}, tau(1);
  const long before = allocations();
  fast.inverse(q.data(), u.data(), u_dot.data(), tau.data());
  EXPECT_EQ(allocations(), before);
}

TEST(ClosedDynamics, BadInputsAndFarStatesAreNotSure) {
  const Mechanism robot = slider_crank(0.3, 1.1, 2);
  const ClosedDynamics fast(robot);
  std::vector<double> q = robot.reference(), u{0.5}, u_dot{0.1}, tau(1);
  ASSERT_TRUE(fast.inverse(q.data(), u.data(), u_dot.data(), tau.data()).sure);
  std::vector<double> far = robot.reference();
  far[0] += 2.5;  // two steps do not close that
  EXPECT_FALSE(fast.inverse(far.data(), u.data(), u_dot.data(), tau.data()).sure);
  q[0] = std::nan("");
  EXPECT_FALSE(fast.inverse(q.data(), u.data(), u_dot.data(), tau.data()).sure);
  EXPECT_TRUE(std::isnan(tau[0]));
}

}  // namespace
}  // namespace ulna::test
