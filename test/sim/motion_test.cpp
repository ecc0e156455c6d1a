// Runs against closed forms and laws of mechanics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/formulation/formulation.hpp>
#include <ulna/sim/simulate.hpp>

#include "sim/forward_model.hpp"
#include "sim/robots.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {
namespace {

// From rest at an amplitude of 2 rad, a pendulum is at rest there again after 4 sqrt(I / m g l) K(sin 1), and at the bottom after a quarter of that.
TEST(Motion, PeriodOfAPendulum) {
  const double period = 4 * std::sqrt(kPendulumInertia / kPendulumWeight) * std::comp_ellint_1(std::sin(1.0));
  for (const auto& [kind, step, bound] : {std::tuple{IntegratorKind::dormand_prince_5, 1e-3, 1e-9},
                                          {IntegratorKind::rk4, 1e-3, 1e-9},
                                          {IntegratorKind::adams_bashforth_4, 1e-3, 1e-8},
                                          {IntegratorKind::implicit_midpoint, 1e-4, 1e-6}}) {
    Scenario s(pendulum());
    s.q = {2 - kPi / 2};
    s.integrator = {kind, step, 1e-12};
    s.duration = period;
    s.output_step = period / 4;
    const Outcome run = simulate(s);
    ASSERT_EQ(run.trajectory.rows(), 5u);
    EXPECT_NEAR(run.trajectory.q[1], -kPi / 2, bound);
    EXPECT_NEAR(run.trajectory.q[2], -2 - kPi / 2, bound);
    EXPECT_NEAR(run.q[0], 2 - kPi / 2, bound) << to_string(kind);
    EXPECT_NEAR(run.v[0], 0, 20 * bound) << to_string(kind);
    // All the energy at the bottom: I v²/2 = m g l (1 - cos 2).
    EXPECT_NEAR(run.trajectory.kinetic[1], kPendulumWeight * (1 - std::cos(2.0)), 100 * bound);
    EXPECT_TRUE(run.audit.conservative);
  }
}

Scenario free_fall(const char* robot, double duration) {
  Scenario s(load(robot));
  s.limits = LimitPolicy::ignore;
  s.duration = duration;
  s.output_step = 0.1;
  for (std::size_t i = 0; i < s.q.size(); ++i) s.q[i] = 0.3 + 0.2 * static_cast<double>(i);
  return s;
}

// On a robot, with the state of the finest run in place of a closed form: the error falls by 2^order when the step is halved.
TEST(Motion, OrdersOfConvergenceOnARobot) {
  Scenario s = free_fall("planar-2r", 0.5);
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-14};
  const std::vector<double> exact = simulate(s).q;
  const auto error = [&](IntegratorKind kind, double step) {
    s.integrator = {kind, step, 1e-9};
    const std::vector<double> q = simulate(s).q;
    return std::max(std::abs(q[0] - exact[0]), std::abs(q[1] - exact[1]));
  };
  for (const auto& [kind, step, order] :
       {std::tuple{IntegratorKind::rk4, 0.01, 4.0}, {IntegratorKind::adams_bashforth_4, 0.002, 4.0}, {IntegratorKind::implicit_midpoint, 0.005, 2.0}})
    EXPECT_NEAR(std::log2(error(kind, step) / error(kind, step / 2)), order, 0.25) << to_string(kind);
}

// Dormand-Prince chooses its steps. Its error on a robot falls with the tolerance, and with the fifth power of the mean step.
TEST(Motion, DormandPrinceOnARobot) {
  Scenario s = free_fall("planar-2r", 2);
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-14};
  const std::vector<double> exact = simulate(s).q;
  const auto run = [&](double tolerance) {
    s.integrator.tolerance = tolerance;
    const Outcome o = simulate(s);
    return std::pair{std::max(std::abs(o.q[0] - exact[0]), std::abs(o.q[1] - exact[1])), static_cast<double>(o.audit.steps)};
  };
  const auto [coarse, few] = run(1e-6);
  const auto [fine, many] = run(1e-11);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(many / few), 5, 0.6);
}

// A double pendulum for a minute, and the seven joints of a Panda falling for five seconds: drift of the energy, of that which is exchanged.
TEST(Motion, EnergyStays) {
  Scenario s(load("planar-2r"));
  s.q = {kPi / 6, kPi / 3};
  s.limits = LimitPolicy::ignore;
  s.duration = 60;
  s.output_step = 0.1;
  s.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-11};
  const Outcome pendulum = simulate(s);
  EXPECT_TRUE(pendulum.audit.conservative);
  EXPECT_LT(pendulum.audit.energy_drift / pendulum.audit.energy_scale, 1e-9);

  Scenario arm = free_fall("panda", 5);
  arm.integrator = {IntegratorKind::dormand_prince_5, 1e-3, 1e-11};
  const Outcome fall = simulate(arm);
  EXPECT_TRUE(fall.audit.conservative);
  EXPECT_LT(fall.audit.energy_drift / fall.audit.energy_scale, 1e-9);
  ASSERT_EQ(fall.audit.momenta.size(), 1u);  // joint1 turns about the vertical
  EXPECT_TRUE(fall.audit.momenta[0].constant);
  EXPECT_LT(fall.audit.momenta[0].drift, 1e-9);
}

// The midpoint rule's error in energy is of order two and stays where it is: no larger in the last third of a long run than in the first. rk4 at the same
// step loses energy all the time.
TEST(Motion, MidpointRuleKeepsEnergyForLong) {
  Scenario s(pendulum());
  s.q = {1.0};
  s.duration = 300;
  s.output_step = 0.1;
  const auto thirds = [&](IntegratorKind kind) {
    s.integrator = {kind, 0.02, 1e-9};
    const Trajectory r = simulate(s).trajectory;
    const auto third = static_cast<std::ptrdiff_t>(r.rows() / 3);
    const auto worst = [](auto from, auto to) { return std::abs(*std::max_element(from, to, [](double a, double b) { return std::abs(a) < std::abs(b); })); };
    return std::pair{worst(r.energy_drift.begin(), r.energy_drift.begin() + third), worst(r.energy_drift.end() - third, r.energy_drift.end())};
  };
  const auto [first, last] = thirds(IntegratorKind::implicit_midpoint);
  EXPECT_GT(first, 0);
  EXPECT_LT(last, 1.1 * first);
  const auto [early, late] = thirds(IntegratorKind::rk4);
  EXPECT_GT(late, 2 * early);
}

// It is symplectic: a conserved momentum, which is linear in p, stays to rounding at any step. rk4's does not.
TEST(Motion, MidpointRuleKeepsMomentum) {
  Scenario s = free_fall("panda", 2);
  s.v.assign(7, 0.5);
  s.integrator = {IntegratorKind::implicit_midpoint, 0.005, 1e-9};
  const Outcome midpoint = simulate(s);
  ASSERT_EQ(midpoint.ending, Ending::done) << midpoint.message;
  EXPECT_LT(midpoint.audit.momenta[0].drift, 1e-12 * midpoint.audit.momenta[0].largest * static_cast<double>(midpoint.audit.steps));
  s.integrator.kind = IntegratorKind::rk4;
  EXPECT_GT(simulate(s).audit.momenta[0].drift, 1e3 * midpoint.audit.momenta[0].drift);
}

/// The Stanford arm let go in motion.
Scenario falling(double duration) {
  Scenario s(load("stanford"));
  s.q = {0.2, 1.3, 0.1, 0.3, -0.5, 0.7};
  s.v = {0.4, -0.2, 0.1, 0.5, 0.3, -0.6};
  s.duration = duration;
  s.output_step = 0.1;
  s.integrator = {IntegratorKind::rk4, 0.002, 1e-9};
  return s;
}

TEST(Motion, EveryFormulationGivesTheSameTrajectory) {
  Scenario s = falling(0.5);
  const Outcome fast = simulate(s);
  int tried = 0;
  for (const Formulation& row : formulations()) {
    s.formulation = row.id;
    if (row.valid_at == ValidAt::table_nodes) {
      EXPECT_THROW(simulate(s), std::invalid_argument);
      continue;
    }
    ASSERT_NO_THROW(simulate(s)) << row.id;
    const Outcome run = simulate(s);
    ++tried;
    for (std::size_t k = 0; k < fast.trajectory.q.size(); ++k) EXPECT_NEAR(run.trajectory.q[k], fast.trajectory.q[k], 1e-10) << row.id;
  }
  EXPECT_EQ(tried, static_cast<int>(formulations().size()) - 3);
}

// A push on the hand, one on a link between, and a base that rocks, shakes and accelerates. Formulations that take no loads refuse; an inertia matrix has none.
TEST(Motion, EveryFormulationThatTakesLoadsGivesTheSameTrajectoryUnderThem) {
  Scenario s = falling(0.3);
  s.disturbances = {{{.link = 6, .axes = Axes::world, .force = {3, -2, 5}, .moment = {0.1, 0.3, -0.2}}, 0.05, 0.2},
                    {{.link = 3, .axes = Axes::link, .force = {-4, 1, 2}, .moment = {0.5, 0, 0.4}}}};
  s.base = {.moves = true, .linear_acceleration = {0.5, -1, 2}, .shake = {0.01, 0.02, -0.01}, .rock = {0.2, 0.1, -0.3}, .frequency = 2};
  const Outcome fast = simulate(s);
  Scenario alone = s;
  alone.disturbances.clear();
  alone.base = {};
  EXPECT_GT(std::abs(simulate(alone).q[2] - fast.q[2]), 0.01);  // the loads matter
  int tried = 0;
  for (const Formulation& row : formulations()) {
    s.formulation = row.id;
    if (row.valid_at == ValidAt::table_nodes || (row.has_loads() && !row.takes_base)) {
      EXPECT_THROW(simulate(s), std::invalid_argument) << row.id;
      continue;
    }
    const Outcome run = simulate(s);
    ++tried;
    EXPECT_TRUE(run.audit.closed) << row.id;
    for (std::size_t k = 0; k < fast.trajectory.q.size(); ++k) EXPECT_NEAR(run.trajectory.q[k], fast.trajectory.q[k], 1e-10) << row.id;
  }
  EXPECT_EQ(tried, 14);  // all but the three tables, uicker-kahn, lagrange, kane-stanford and lin
}

TEST(Motion, SaysByWhatItWasComputed) {
  Scenario s(load("planar-2r"));
  s.duration = 0.1;
  const bool compiled = Dynamics(s.model).compiled(Quantity::forward);
  const Outcome plain = simulate(s);
  EXPECT_EQ(plain.computed_by, compiled ? "compiled-double" : "templates");
  EXPECT_EQ(plain.in_the_way.empty(), compiled);
  Scenario pushed = s;
  pushed.disturbances = {{{.link = 2, .force = {1, 0, 0}}, 0.02, 0.05}};
  EXPECT_EQ(simulate(pushed).computed_by, "templates");
  EXPECT_NE(simulate(pushed).in_the_way.find(compiled ? "disturbances" : "machine code"), std::string::npos);
  Scenario moved = s;
  moved.base = {.moves = true, .angular_velocity = {0, 0, 1}};
  EXPECT_EQ(simulate(moved).computed_by, "templates");
  EXPECT_NE(simulate(moved).in_the_way.find(compiled ? "base" : "machine code"), std::string::npos);
  s.dynamics = std::make_shared<const Dynamics>(s.model, DynamicsOptions{.most = InstructionSet::none});
  EXPECT_EQ(simulate(s).computed_by, "templates");
  EXPECT_NE(simulate(s).in_the_way, "");
  s.formulation = moved.formulation = pushed.formulation = "nasser";
  for (const Scenario& by_nasser : {s, moved, pushed}) {
    EXPECT_EQ(simulate(by_nasser).computed_by, "nasser");
    EXPECT_EQ(simulate(by_nasser).in_the_way, "");
  }
}

// Rows stand at exact multiples of the output step, whatever the integrator's own steps.
TEST(Motion, RowsAtMultiplesOfTheOutputStep) {
  Scenario s(pendulum());
  s.duration = 1.005;
  for (const double step : {0.003, 0.01, 0.02}) {
    s.integrator = {IntegratorKind::rk4, step, 1e-9};
    const Trajectory r = simulate(s).trajectory;
    ASSERT_EQ(r.rows(), 101u);
    for (std::size_t k = 0; k < r.rows(); ++k) EXPECT_EQ(r.t[k], static_cast<double>(k) / 100);
  }
}

TEST(Motion, DivergenceIsAnOutcome) {
  Scenario s(slider());
  s.q = {1};
  s.law.kind = LawKind::function;
  s.law.function = [](double, VectorView<const double> q, VectorView<const double>, VectorView<double> tau) { tau[0] = 1e4 * q[0]; };
  s.duration = 10;
  const Outcome run = simulate(s);
  EXPECT_EQ(run.ending, Ending::diverged);
  EXPECT_NE(run.message.find("joint 'x'"), std::string::npos) << run.message;
  EXPECT_LT(run.end, 10);
  EXPECT_GT(run.trajectory.rows(), 1u);
  s.law.function = [](double t, VectorView<const double>, VectorView<const double>, VectorView<double> tau) { tau[0] = t > 0.5 ? NAN : 0; };
  for (const IntegratorKind kind :
       {IntegratorKind::rk4, IntegratorKind::dormand_prince_5, IntegratorKind::implicit_midpoint, IntegratorKind::adams_bashforth_4}) {
    s.integrator.kind = kind;
    EXPECT_EQ(simulate(s).ending, Ending::diverged) << to_string(kind);
  }
}

// A wheel that has turned 1.647e6 rad, where its sine is no longer known, is not a step that is too long.
TEST(Motion, AJointThatTurnsTooFarIsNamed) {
  Scenario s(pendulum());
  const std::string name = s.model.coordinate_names()[0];
  for (const IntegratorKind kind :
       {IntegratorKind::rk4, IntegratorKind::dormand_prince_5, IntegratorKind::implicit_midpoint, IntegratorKind::adams_bashforth_4}) {
    SCOPED_TRACE(to_string(kind));
    s.q = {1647000};
    s.v = {1000};
    s.duration = 1;
    s.output_step = 0.01;
    s.integrator = {kind, 2e-5, 1e-9};
    const Outcome run = simulate(s);
    EXPECT_EQ(run.ending, Ending::diverged);
    EXPECT_NEAR(run.end, (kLargestAngle - 1647000) / 1000, 0.01);
    for (const std::string& piece : {cat("joint '", name, "' has turned too far: after t = 0.09"), std::string("begin it nearer to 0")})
      EXPECT_NE(run.message.find(piece), std::string::npos) << run.message;
    EXPECT_EQ(run.message.find("smaller"), std::string::npos) << run.message;
    // What grows without bound gets there in leaps, and is told as before.
    s.q = {0.1}, s.v = {0};
    s.law.kind = LawKind::function;
    s.law.function = [](double, VectorView<const double> q, VectorView<const double>, VectorView<double> tau) { tau[0] = 1e9 * q[0]; };
    const Outcome unstable = simulate(s);
    EXPECT_EQ(unstable.ending, Ending::diverged);
    EXPECT_EQ(unstable.message.find("turned too far"), std::string::npos) << unstable.message;
    s.law = {};
  }
}

TEST(Motion, InterruptionKeepsWhatThereIs) {
  Scenario s(pendulum());
  s.duration = 10;
  const Outcome run = simulate(s, {[](double t) { return t < 3; }});
  EXPECT_EQ(run.ending, Ending::interrupted);
  EXPECT_GE(run.trajectory.t.back(), 2.9);
  EXPECT_LT(run.trajectory.t.back(), 4);
}

TEST(Motion, WrongScenariosAreRefused) {
  const auto refused = [](auto change, const char* piece) {
    Scenario s(slider());
    change(s);
    try {
      simulate(s);
      ADD_FAILURE() << "accepted: " << piece;
    } catch (const std::invalid_argument& problem) {
      EXPECT_NE(std::string(problem.what()).find(piece), std::string::npos) << problem.what();
    }
  };
  refused([](Scenario& s) { s.q = {1, 2}; }, "q has 2 entries, but the robot has 1");
  refused([](Scenario& s) { s.v = {}; }, "v has 0 entries, but the robot has 1");
  refused([](Scenario& s) { s.q = {NAN}; }, "not finite");
  refused([](Scenario& s) { s = Scenario(pendulum()), s.q = {2e6}; }, "is 2e+06 rad; sine and cosine are exact up to");
  refused([](Scenario& s) { s.duration = -1; }, "duration must be positive, but it is -1");
  refused([](Scenario& s) { s.output_step = 0; }, "output step must be positive");
  refused([](Scenario& s) { s.integrator.step = -0.1; }, "step must be positive");
  refused([](Scenario& s) { s.formulation = "newton-eule"; }, "did you mean 'newton-euler'?");
  refused([](Scenario& s) { s.law.kind = LawKind::pd; }, "needs a reference");
  refused([](Scenario& s) { s.law.kind = LawKind::constant; }, "tau has 0 entries, but the robot has 1");
  refused([](Scenario& s) { s.duration = 1e300; }, "rows, which is more than 1e+07");
  refused([](Scenario& s) { s.disturbances = {{{.link = 9}, 0, 1}}; }, "link index 9 is out of range: the robot has 2");
  refused([](Scenario& s) { s.disturbances = {{{.link = 1}, 1, 1}}; }, "not after its beginning");
  refused([](Scenario& s) { s.payloads = {{.link = 1, .mass = -1}}; }, "mass must be positive");
  refused([](Scenario& s) { s.law.kind = LawKind::kane_levinson; }, "Stanford arm");
  refused([](Scenario& s) { s.paper_columns = true; }, "Stanford arm");
  refused([](Scenario& s) { s.formulation = "lagrange", s.base.moves = true; }, "no base that moves: its eq. 2.11 has the velocities of the joints only");
  refused([](Scenario& s) { s.formulation = "lin", s.disturbances = {{{.link = 1}}}; }, "no wrenches: its b is made of");
}

}  // namespace
}  // namespace ulna::internal::sim
