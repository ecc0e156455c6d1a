// Runs of robots with ball joints: what nothing changes stays, a top turns as Euler has it, and what needs angles is refused.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal::sim {
namespace {

constexpr const char* kPendulum = R"(<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="upper"><joint name="hip" type="ball"/><inertial pos="0 0.02 -0.3" mass="2" diaginertia="0.03 0.02 0.01"/>
    <body name="lower" pos="0 0 -0.6"><joint name="knee" type="ball"/><inertial pos="0.01 0 -0.2" mass="1" diaginertia="0.01 0.012 0.004"/></body>
  </body></worldbody></mujoco>)";

constexpr const char* kTop = R"(<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="top"><joint name="ball" type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.03"/></body></worldbody></mujoco>)";

Scenario swinging() {
  Scenario s(*try_parse(kPendulum, "pendulum.xml").model);
  s.q = {0.6, 0, 0, 0.8, 0, 0.28, 0, 0.96};
  s.v = {0.5, -1, 2, 1, 0.3, -0.7};
  s.integrator = {IntegratorKind::rk4, 5e-4, 1e-12};
  s.duration = 50;
  s.output_step = 1;
  return s;
}

// A hundred thousand steps of a double pendulum on balls: its energy stays, and so does its angular momentum about the vertical, which is dE of a turn about
// it.
TEST(BallRuns, EnergyIsKeptOverAHundredThousandSteps) {
  const Outcome run = simulate(swinging());
  EXPECT_EQ(run.audit.steps, 100000);
  EXPECT_TRUE(run.audit.conservative);
  EXPECT_TRUE(run.audit.closed);
  EXPECT_LT(run.audit.energy_drift, 1e-7 * run.audit.energy_scale);
  for (const std::size_t at : {0, 4}) {
    const double* q = &run.q[at];
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
  }
}

// A symmetric top without weight: w_z stays, and w_x, w_y turn with the rate (J_z - J_x) / J_x w_z.
TEST(BallRuns, ASymmetricTopPrecesses) {
  Scenario s(*try_parse(kTop, "top.xml").model);
  s.q = {0, 0, 0, 1};
  s.v = {1, 0, 4};
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-12};
  s.duration = 3;
  s.output_step = 3;
  const Outcome run = simulate(s);
  const double rate = 0.5 * 4;
  EXPECT_NEAR(run.v[0], std::cos(3 * rate), 1e-9);
  EXPECT_NEAR(run.v[1], std::sin(3 * rate), 1e-9);
  EXPECT_NEAR(run.v[2], 4, 1e-12);
}

TEST(BallRuns, LawsThatFollowAnglesAreRefused) {
  const auto refused = [](auto change) {
    Scenario s = swinging();
    s.duration = 0.01, s.output_step = 0.01;
    change(s);
    EXPECT_THROW(simulate(s), std::invalid_argument);
  };
  refused([](Scenario& s) { s.law.kind = LawKind::pd; });
  refused([](Scenario& s) { s.integrator.kind = IntegratorKind::implicit_midpoint; });
  refused([](Scenario& s) { s.control.period = 0.005; });
  refused([](Scenario& s) { s.q[3] = 0.9; });
}

}  // namespace
}  // namespace ulna::internal::sim
