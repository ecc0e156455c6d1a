// Kane and Levinson's two experiments, and their two checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

#include "formulation/kane_stanford.hpp"
#include "sim/robots.hpp"

namespace ulna::internal::sim {
namespace {

#include "kane_figures.inc"

Scenario stanford() {
  Scenario s(load("stanford"));
  s.q[1] = kPi / 2;
  s.duration = 10;
  s.output_step = 0.5;
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-10};
  return s;
}

/// `table` is in the paper's order.
template <std::size_t N>
double worst_position(const Trajectory& r, const double (&table)[N][7]) {
  EXPECT_EQ(r.rows(), N);
  double worst = 0;
  for (std::size_t k = 0; k < std::min(N, r.rows()); ++k) {
    EXPECT_EQ(r.t[k], table[k][0]);
    for (std::size_t i = 1; i <= 6; ++i) worst = std::max(worst, std::abs(r.q[k * 6 + kStanfordChain[i]] - table[k][i]));
  }
  return worst;
}

TEST(KaneFigures, Figure1TorquesOfAPrescribedMotion) {
  Scenario s = stanford();
  s.law.kind = LawKind::prescribed;
  s.reference = {.kind = ReferenceKind::rest_to_rest, .from = s.q, .to = {kPi / 3, kPi / 3, 0.1, kPi / 3, kPi / 3, kPi / 3}, .duration = 10};
  s.integrator.tolerance = 1e-12;  // of the audit's integrals: there is no other here
  const Outcome run = simulate(s);
  ASSERT_EQ(run.trajectory.rows(), std::size(kFigure1));
  for (std::size_t k = 0; k < std::size(kFigure1); ++k) {
    const std::array<double, 7> force = stanford_forces_from_chain(&run.trajectory.tau[k * 6]);
    for (std::size_t i = 1; i <= 6; ++i) EXPECT_NEAR(force[i], kFigure1[k][i], 1e-9) << "row " << k << ", force " << i;
  }
  // All work of the drives is in the arm's energy.
  EXPECT_LT(run.audit.energy_drift, 1e-9);
  for (const double difference : run.audit.closing) EXPECT_LT(difference, 1e-12);
}

TEST(KaneFigures, Figure3UnderTheirLaw) {
  Scenario s = stanford();
  s.law.kind = LawKind::kane_levinson;
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::done);
  EXPECT_LT(worst_position(run.trajectory, kFigure3), 1e-7);
  EXPECT_LT(run.audit.energy_drift, 1e-8);
  ASSERT_EQ(run.audit.momenta.size(), 1u);  // only q1 turns about the vertical
  EXPECT_FALSE(run.audit.momenta[0].constant);
  EXPECT_LT(run.audit.momenta[0].drift, 1e-9);
}

TEST(KaneFigures, WithoutTheFirstDriveTheMomentumStays) {
  Scenario s = stanford();
  s.law.kind = LawKind::kane_levinson;
  s.law.kane_levinson.first_drive = false;
  const Outcome run = simulate(s);
  EXPECT_LT(worst_position(run.trajectory, kFigure3Free), 1e-7);
  ASSERT_EQ(run.audit.momenta.size(), 1u);
  EXPECT_TRUE(run.audit.momenta[0].constant);
  EXPECT_LT(run.audit.momenta[0].drift, 1e-9);  // "values differing by less than 10^-9 from zero", says the paper
  // By the paper's own W_31, and the audit's momentum is the same thing.
  const StanfordArm<double> arm;
  for (std::size_t k = 0; k < run.trajectory.rows(); ++k) {
    StanfordQuantities<double> z;
    stanford_place(stanford_from_chain(&run.trajectory.q[k * 6]), z);
    stanford_speeds_from_rates(z, stanford_from_chain(&run.trajectory.v[k * 6]));
    stanford_Z(arm, z);
    EXPECT_LT(std::abs(stanford_W(arm, z)[31]), 1e-9);
  }
}

/// The built-in scenario with rows where the table has them.
Scenario every_half_second(const char* id) {
  Scenario s = load_scenario(id);
  s.output_step = 0.5;
  return s;
}
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

// The experiments by the paper's own equations: torques from Z, X (eqs 118-126).
TEST(KaneFigures, Figure1ByThePapersEquations) {
  const Scenario s = every_half_second("kane-figure-1");
  EXPECT_EQ(s.formulation, "kane-stanford");
  const Outcome run = simulate(s);
  EXPECT_EQ(run.equations, "torques by kane-stanford");
  ASSERT_EQ(run.trajectory.rows(), std::size(kFigure1));
  for (std::size_t k = 0; k < std::size(kFigure1); ++k) {
    const std::array<double, 7> force = stanford_forces_from_chain(&run.trajectory.tau[k * 6]);
    for (std::size_t i = 1; i <= 6; ++i) EXPECT_NEAR(force[i], kFigure1[k][i], 1e-9) << "row " << k << ", force " << i;
  }
  EXPECT_LT(run.audit.relative_difference(), 1e-12);
  EXPECT_GT(run.audit.relative_difference(), 0);  // by other equations than the production path's
}

// Motion in u: eqs 8-11 and 118-123. W31 goes with the impulse of tau_1, and stays zero where there is none.
TEST(KaneFigures, Figure3InGeneralizedSpeeds) {
  const Outcome run = simulate(every_half_second("kane-figure-3"));
  EXPECT_EQ(run.equations, "accelerations by kane-stanford, integrated in its generalized speeds");
  EXPECT_LT(worst_position(run.trajectory, kFigure3), 1e-8);
  for (std::size_t i = 1; i <= 6; ++i) EXPECT_NEAR(run.q[kStanfordChain[i]], kFigure3[std::size(kFigure3) - 1][i], 1e-8) << i;
  EXPECT_LT(run.audit.relative_difference(), 1e-12);
  EXPECT_GT(run.audit.relative_difference(), 0);
  ASSERT_EQ(run.audit.momenta.size(), 2u);
  const MomentumAudit& own = run.audit.momenta[1];
  EXPECT_EQ(own.by, "W31");
  EXPECT_EQ(own.joint, "q1");
  EXPECT_FALSE(own.constant);
  EXPECT_LT(own.drift, 1e-9);
  EXPECT_GT(largest(run.trajectory.constant), 0.1);
  EXPECT_NEAR(own.largest, run.audit.momenta[0].largest, 1e-12);
}

TEST(KaneFigures, W31StaysZeroInGeneralizedSpeeds) {
  const Outcome run = simulate(every_half_second("kane-momentum"));
  EXPECT_LT(worst_position(run.trajectory, kFigure3Free), 1e-8);
  ASSERT_EQ(run.trajectory.constant.size(), run.trajectory.rows());
  EXPECT_LT(largest(run.trajectory.constant), 1e-9);  // "values differing by less than 10^-9 from zero", says the paper
  EXPECT_GT(largest(run.trajectory.constant), 0);
  ASSERT_EQ(run.audit.momenta.size(), 2u);
  EXPECT_TRUE(run.audit.momenta[1].constant);
}

// Their second check: the motion, as it came out, through inverse dynamics gives the torques of the law. Differences of v over 2 ms.
TEST(KaneFigures, TheMotionGivesBackTheTorques) {
  Scenario s = stanford();
  s.law.kind = LawKind::kane_levinson;
  s.duration = 2;
  s.output_step = 0.002;
  s.integrator.tolerance = 1e-12;
  const Outcome run = simulate(s);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(run.audit.closing[i], 1e-12) << i;
    EXPECT_LT(run.audit.closing_own[i], 2e-3 * run.audit.torque_scale[i]) << i;
    EXPECT_GT(run.audit.closing_own[i], 0) << i;
  }
}

}  // namespace
}  // namespace ulna::internal::sim
