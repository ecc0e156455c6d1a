// Robots with loops: their base parameters by rank, their masses from logs of the motors alone, motions that excite them, and limits of joints that nothing
// drives. Torques of logs are those of multipliers in extended precision.
#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <ulna/check/check.hpp>
#include <ulna/explain/explain.hpp>
#include <ulna/identify/excite.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "model/describe.hpp"
#include "support/random_model.hpp"
#include "verify/multipliers.hpp"

namespace ulna::test {
namespace {

struct ClosedStates {
  std::vector<double> q, v, a;  // nq, nv, nv a state
  std::size_t count = 0;
};

ClosedStates closed_states(const Model& model, std::size_t count, std::uint64_t seed) {
  const Mechanism loops = Mechanism::of(model);
  Random random(seed);
  ClosedStates out;
  while (out.count < count) {
    std::vector<double> q = model.reference();
    for (const std::size_t k : model.independent_positions()) q[k] += random.numbers(1, -0.6, 0.6)[0];
    const Closure closure = loops.assemble(q);
    if (!closure.closed || closure.crossed || closure.singularity < 0.05) continue;
    out.q.insert(out.q.end(), q.begin(), q.end());
    for (const double x : random.numbers(model.nv(), -2, 2)) out.v.push_back(x);
    for (const double x : random.numbers(model.nv(), -4, 4)) out.a.push_back(x);
    ++out.count;
  }
  return out;
}

std::vector<double> exact_torques(const Model& model, const double* q, const double* v, const double* a) {
  const internal::ByMultipliers exact = internal::inverse_by_multipliers(Mechanism::of(model), q, v, a, {.friction = true});
  return {exact.tau.begin(), exact.tau.end()};
}

// The regressor times the parameters is the torque of multipliers, whatever the masses; and as many sums are found as its columns have rank.
TEST(LoopParameters, AreAsManyAsTheRank) {
  for (const char* id : {"four-bar", "five-bar", "palletizer", "delta"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    const Dynamics dynamics(model, {.quantities = {Quantity::regressor}});
    const BaseParameters found = base_parameters(model);
    const std::size_t n = model.nv(), columns = found.parameters.size(), states = 3 * columns / n + 10;
    const ClosedStates s = closed_states(model, states, 11);
    Eigen::MatrixXd Y(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(columns)), all(static_cast<Eigen::Index>(n * states), Y.cols());
    Eigen::VectorXd pi(Y.cols());
    for (std::size_t c = 0; c < columns; ++c) pi[static_cast<Eigen::Index>(c)] = found.parameters[c].value;
    for (std::size_t k = 0; k < states; ++k) {
      const double *q = &s.q[k * model.nq()], *v = &s.v[k * n], *a = &s.a[k * n];
      dynamics.compute(Quantity::regressor, {q, v, a}, Y.data());
      all.middleRows(static_cast<Eigen::Index>(k * n), Y.rows()) = Y;
      if (k > 20) continue;
      const internal::ByMultipliers exact = internal::inverse_by_multipliers(Mechanism::of(model), q, v, a, {.rotor = false});
      const Eigen::VectorXd tau = Y * pi;
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(tau[static_cast<Eigen::Index>(i)], static_cast<double>(exact.tau[i]), 1e-11 * (1 + exact.tree_torque)) << "state " << k;
    }
    for (Eigen::Index c = 0; c < all.cols(); ++c)
      if (const double length = all.col(c).norm(); length > 1e-12 * all.norm())
        all.col(c) /= length;
      else
        all.col(c).setZero();
    const Eigen::VectorXd sigma = Eigen::BDCSVD<Eigen::MatrixXd>(all).singularValues();
    std::size_t rank = 0;
    for (Eigen::Index k = 0; k < sigma.size(); ++k) rank += sigma[k] > 1e-9 * sigma[0] ? 1 : 0;
    EXPECT_EQ(found.base.size(), rank);
    // And there is a gap where it was cut: what counts stands far above rounding.
    ASSERT_GT(rank, 0u);
    if (static_cast<Eigen::Index>(rank) < sigma.size()) {
      EXPECT_LT(sigma[static_cast<Eigen::Index>(rank)], 1e-11 * sigma[0]);
      EXPECT_GT(sigma[static_cast<Eigen::Index>(rank) - 1], 1e-7 * sigma[0]);
    }
    EXPECT_EQ(without_effect(model), found.no_effect);
  }
}

/// Every mass, and the friction of the motors, other than the file says.
Model altered_loops(const Model& given) {
  Description d = internal::describe(without_loops(given));
  double factor = 1.1;
  for (Link& link : d.links) {
    link.mass *= factor;
    link.inertia = factor * link.inertia;
    factor = factor > 1.3 ? 0.8 : factor + 0.07;
  }
  for (const std::size_t j : given.driven()) d.joints[j].joint.friction.viscous = 0.7, d.joints[j].joint.friction.coulomb = 0.4;
  Diagnostics problems;
  return with_closed(*build(d, problems), {given.loops(), given.order(), given.reference(), given.singularity()});
}

TEST(LoopIdentification, FindsTheMassesFromTheMotors) {
  for (const char* id : {"five-bar", "palletizer"}) {
    SCOPED_TRACE(id);
    const Model given = load(id), truth = altered_loops(given);
    const std::size_t n = given.nv();
    const Mechanism loops = Mechanism::of(truth);
    const std::vector<std::size_t> at = given.independent_positions();
    Log log("log", n, {.v = true, .a = true, .tau = true});
    std::vector<double> q = given.reference(), v(n), a(n), few(n);
    for (int row = 0; row < 1500; ++row) {
      const double t = 0.004 * row;
      for (std::size_t k = 0; k < n; ++k) {
        double x = 0, speed = 0, acceleration = 0;
        for (int l = 1; l <= 3; ++l) {
          const double w = (0.7 + 0.31 * static_cast<double>(k)) * l * 2, phase = static_cast<double>(k) + l, size = 0.12;
          x += size * std::sin(w * t + phase), speed += size * w * std::cos(w * t + phase), acceleration -= size * w * w * std::sin(w * t + phase);
        }
        q[at[k]] = few[k] = given.reference()[at[k]] + x;
        v[k] = speed, a[k] = acceleration;
      }
      ASSERT_TRUE(loops.close(q).closed);
      const std::vector<double> tau = exact_torques(truth, q.data(), v.data(), a.data());
      log.add(t, few.data(), v.data(), a.data(), tau.data());
    }
    const Identification found = identify(given, {&log, 1});
    EXPECT_LT(found.validation.relative_error, 1e-7);
    std::vector<double> values;
    for (const Parameter& one : body_parameters(truth)) values.push_back(one.value);
    const std::vector<double> base = found.structure.of(values);
    double largest = 0;
    for (const double x : base) largest = std::max(largest, std::fabs(x));
    for (std::size_t k = 0; k < base.size(); ++k) EXPECT_NEAR(found.base[k].value, base[k], 1e-6 * std::max(1.0, largest)) << found.base[k].name;
    EXPECT_TRUE(found.model.closed());
    EXPECT_EQ(found.model.nv(), n);
    // The robot that was found has these torques, by multipliers.
    const ClosedStates s = closed_states(given, 20, 3);
    for (std::size_t k = 0; k < s.count; ++k) {
      const std::vector<double> want = exact_torques(truth, &s.q[k * given.nq()], &s.v[k * n], &s.a[k * n]);
      const std::vector<double> got = exact_torques(found.model, &s.q[k * given.nq()], &s.v[k * n], &s.a[k * n]);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], want[i], 1e-5 * (1 + std::fabs(want[i])));
    }
  }
}

TEST(LoopExcitation, KeepsTheLimitsOfJointsThatNothingDrives) {
  const Model model = load("five-bar");
  ExciteOptions options;
  options.evaluations = 120;
  const Excitation motion = excite(model, options);
  EXPECT_LT(motion.condition, motion.random_condition);
  const ExcitationRows rows = sampled(model, motion, 100, options);
  ASSERT_EQ(rows.q.size(), rows.t.size() * 2);
  const Mechanism loops = Mechanism::of(model);
  std::vector<double> q(rows.t.size() * model.nq());
  for (std::size_t r = 0; r < rows.t.size(); ++r) {
    std::vector<double> one = model.reference();
    for (std::size_t k = 0; k < 2; ++k) one[model.independent_positions()[k]] = rows.q[2 * r + k];
    const Closure closure = loops.assemble(one);
    ASSERT_TRUE(closure.closed && !closure.crossed) << "row " << r;
    std::copy(one.begin(), one.end(), &q[r * model.nq()]);
    const std::vector<double> tau = exact_torques(model, one.data(), &rows.v[2 * r], &rows.a[2 * r]);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(rows.tau[2 * r + k], tau[k], 1e-9 * (1 + std::fabs(tau[k])));
  }
  EXPECT_TRUE(check_motion(model, {rows.t, q, rows.v, rows.a, rows.tau}).empty());
  // The same motion breaks the limit of an elbow that leaves it less than it needs.
  Description d = internal::describe(without_loops(model));
  const std::size_t elbow = *model.find_joint("left_elbow");
  double low = HUGE_VAL, high = -HUGE_VAL;
  const std::size_t at = static_cast<std::size_t>(std::find(model.independent().begin(), model.independent().end(), elbow) - model.independent().begin());
  for (std::size_t r = 0; r < rows.t.size(); ++r) low = std::min(low, q[r * model.nq() + at]), high = std::max(high, q[r * model.nq() + at]);
  d.joints[elbow].joint.type = JointType::revolute;
  d.joints[elbow].joint.lower = low - 1, d.joints[elbow].joint.upper = 0.5 * (low + high);
  Diagnostics problems;
  const Model narrow = with_closed(*build(d, problems), {model.loops(), model.order(), model.reference(), model.singularity()});
  const std::vector<LimitUse> broken = check_motion(narrow, {rows.t, q, rows.v, rows.a, rows.tau});
  ASSERT_FALSE(broken.empty());
  EXPECT_EQ(broken.front().joint, elbow);
  EXPECT_NEAR(broken.front().value, high, 1e-3);
}

TEST(LoopExplanation, NamesALoopThatStandsElsewhere) {
  const Model a = load("five-bar");
  EXPECT_TRUE(explain(a, a).agree);
  std::vector<Loop> moved = a.loops();
  moved[0].X_SB.p.x += 0.01;
  const Model b = with_closed(without_loops(a), {moved, a.order(), a.reference(), a.singularity()});
  const Explanation why = explain(a, b);
  EXPECT_FALSE(why.agree);
  ASSERT_EQ(why.causes.size(), 1u);
  EXPECT_EQ(why.causes[0].kind, "loop");
  EXPECT_EQ(why.causes[0].where, a.loops()[0].name);
  EXPECT_NEAR(why.causes[0].to.numbers[0] - why.causes[0].from.numbers[0], 0.01, 1e-12);
  EXPECT_EQ(explain(a, without_loops(a)).causes[0].to.words, "open");
  // And a mass beside it.
  const Explanation both = explain(a, altered_loops(b));
  EXPECT_EQ(both.causes[0].kind, "loop");
  EXPECT_GT(both.causes.size(), 2u);
}

}  // namespace
}  // namespace ulna::test
