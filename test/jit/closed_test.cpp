// Machine code of robots with loops against Mechanism, which chooses its pivots while it runs, and multipliers in extended precision.
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/robot/closed_dynamics.hpp>

#include <ulna/dynamics/loops-inl.hpp>
#include "jit/tamper.hpp"
#include "loop/machines.hpp"
#include "verify/multipliers.hpp"
#include "support/allocations.hpp"

namespace ulna::test {

namespace jit = internal::jit;

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
        const Mechanism robot = machine(type, loop_rows(type) + more, 7);
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

/// A deliberate error in any program is seen when the object is made, and its machine code is not used.
TEST(ClosedDynamics, WrongMachineCodeIsNotUsed) {
  if (best_instruction_set(InstructionSet::avx512) == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Mechanism robot = machine(LoopType::revolute, 7, 7);
  const std::size_t m = robot.mobility();
  const std::vector<double> u(m, 0.5), u_dot(m, 0.1);
  std::vector<double> q = robot.reference(), expected(m), tau(m);
  robot.inverse(q, u, u_dot, expected);
  for (const char* task : {"close", "inverse", "forward", "mass", "motion", "bias", "gravity", "energy"}) {
    jit::tamper().program = [&](std::string_view now, jit::Way, Program& program) {
      if (now != task) return;
      for (double& constant : program.constants)
        if (std::abs(constant) > 0.05 && constant != 1 && constant != -1) constant *= 1 + 1e-6;
    };
    const ClosedDynamics wrong(robot);
    jit::tamper() = {};
    EXPECT_FALSE(wrong.compiled()) << task;
    EXPECT_TRUE(wrong.inverse(q.data(), u.data(), u_dot.data(), tau.data()).sure);
    for (std::size_t k = 0; k < m; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-9 * (1 + std::abs(expected[k])));
  }
  EXPECT_TRUE(ClosedDynamics(robot).compiled());
}

/// Steps that lead beyond a singular assembly are told, also where they close.
TEST(ClosedDynamics, AnotherBranchIsNotSure) {
  const Mechanism robot = load_mechanism("five-bar");
  const ClosedDynamics fast(robot, {.steps = 30});
  int crossed = 0;
  for (double left = -3; left < 3; left += 0.25)
    for (double right = -3; right < 3; right += 0.25) {
      std::vector<double> q = robot.reference(), tau(2);
      q[robot.dependent()[0]] = left, q[robot.dependent()[1]] = right;
      const int before = fast.close(q.data(), 0).side;
      const ClosedResult done = fast.gravity(q.data(), tau.data());
      if (!(done.residual < 1e-9) || done.side == before) continue;
      ++crossed;
      EXPECT_FALSE(done.sure);
    }
  EXPECT_GT(crossed, 0);
}

TEST(ClosedDynamics, NaNSpreads) {
  const Mechanism robot = load_mechanism("palletizer");
  const ClosedDynamics fast(robot);
  const std::size_t n = robot.nv(), m = robot.mobility();
  for (std::size_t bad = 0; bad < m; ++bad) {
    std::vector<double> q = robot.reference(), u(m, 0.2), w(m, 0.3), out(m * m), v(n), a(n);
    w[bad] = std::nan("");
    const auto all = [&](const std::vector<double>& x, std::size_t size) {
      for (std::size_t k = 0; k < size; ++k) EXPECT_TRUE(std::isnan(x[k])) << bad << " " << k;
    };
    for (const ClosedResult& done : {fast.inverse(q.data(), u.data(), w.data(), out.data()), fast.inverse(q.data(), w.data(), u.data(), out.data()),
                                     fast.forward(q.data(), u.data(), w.data(), out.data()), fast.bias(q.data(), w.data(), out.data())}) {
      EXPECT_TRUE(std::isnan(done.residual));
      EXPECT_FALSE(done.sure);
      all(out, m);
    }
    EXPECT_TRUE(std::isnan(fast.motion(q.data(), u.data(), w.data(), v.data(), a.data()).residual));
    all(v, n), all(a, n);
    EXPECT_TRUE(std::isnan(fast.energy(q.data(), w.data(), out.data()).residual));
    all(out, 2);
    q[robot.independent()[bad]] = std::nan("");
    fast.mass(q.data(), out.data());
    all(out, m * m);
    fast.gravity(q.data(), out.data());
    all(out, m);
  }
}

}  // namespace
}  // namespace ulna::test
