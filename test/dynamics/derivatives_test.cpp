// Derivatives of inverse and forward dynamics: what textbooks give, exact derivatives of the torques by dual numbers, differences of the oracle, and laws.
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>
#include "dynamics/compute-inl.hpp"

#include "scalar/dual.hpp"
#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

using D = Dual<double>;

Eigen::MatrixXd computed(Quantity quantity, const Plan& plan, const State& s, const Effects& effects = {}, const DerivativeForm& form = {}) {
  Workspace ws(plan);
  const auto n = static_cast<Eigen::Index>(plan.nv);
  Eigen::MatrixXd out(n, 3 * n);
  kernel::compute(quantity, plan, ws, {s.q.data(), s.v.data(), s.a.data(), kNone, ForwardMethod::automatic, form}, out.data(), effects);
  return out;
}

/// Numbers that move at unit rate along coordinate k; of a free base, in the tangents: it turns and moves in its own axes.
void move(const Plan& plan, std::vector<D>& x, std::size_t k, bool positions) {
  if (!plan.free || !positions || k >= 6) {
    x[positions ? k + plan.nq - plan.nv : k].rate = 1;
    return;
  }
  const Eigen::Quaterniond at(x[6].value, x[3].value, x[4].value, x[5].value);
  Eigen::Vector3d e = Eigen::Vector3d::Zero();
  e[static_cast<Eigen::Index>(k % 3)] = 1;
  if (k < 3) {
    const Eigen::Quaterniond rate = at * Eigen::Quaterniond(0, e.x(), e.y(), e.z());
    x[3].rate = rate.x() / 2, x[4].rate = rate.y() / 2, x[5].rate = rate.z() / 2, x[6].rate = rate.w() / 2;
  } else {
    const Eigen::Vector3d rate = at * e;
    for (std::size_t i = 0; i < 3; ++i) x[i].rate = rate[static_cast<Eigen::Index>(i)];
  }
}

/// Column by column, by dual numbers through another kernel: inverse or forward dynamics.
Eigen::MatrixXd by_duals(Quantity quantity, const Plan& plan, const State& s, const Effects& effects = {}) {
  const PlanOf<D> dual = plan.cast<D>();
  WorkspaceOf<D> ws(dual);
  const BaseMotion& b = effects.base;
  std::vector<WrenchOf<D>> wrenches;
  for (const Wrench& w : effects.wrenches) wrenches.push_back({w.link, w.axes, w.force.cast<D>(), w.moment.cast<D>()});
  const EffectsOf<D> acting{effects.rotor,
                            effects.friction,
                            {b.angular_velocity.cast<D>(), b.linear_velocity.cast<D>(), b.angular_acceleration.cast<D>(), b.linear_acceleration.cast<D>()},
                            wrenches};
  const std::size_t n = plan.nv;
  Eigen::MatrixXd out(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(3 * n));
  const std::vector<double>* given[] = {&s.q, &s.v, &s.a};
  for (std::size_t k = 0; k < 3 * n; ++k) {
    std::vector<D> in[3], results(n);
    for (std::size_t part = 0; part < 3; ++part)
      for (const double x : *given[part]) in[part].push_back(D(x, 0.0));
    move(plan, in[k / n], k % n, k < n);
    kernel::compute(quantity, dual, ws, {in[0].data(), in[1].data(), in[2].data(), kNone, ForwardMethod::mass_matrix}, results.data(), acting);
    for (std::size_t i = 0; i < n; ++i) out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = results[i].rate;
  }
  return out;
}

/// Each of the three matrices for itself, against its own largest entry.
double worst_part(const Eigen::MatrixXd& got, const Eigen::MatrixXd& wanted) {
  double worst = 0;
  const Eigen::Index n = got.rows();
  for (Eigen::Index part = 0; part < 3; ++part) {
    const double largest = std::max(wanted.middleCols(part * n, n).cwiseAbs().maxCoeff(), 1e-300);
    const double off = (got - wanted).middleCols(part * n, n).cwiseAbs().maxCoeff() / largest;
    worst = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(worst, off);
  }
  return worst;
}

const DerivativeForm kForms[] = {{},
                                 {.absolute = true},
                                 {.expanded = true},
                                 {.by_inverse = true},
                                 {.columns = 2, .rows = 1, .weights = 3},
                                 {.absolute = true, .columns = 3, .rows = 2, .weights = 1}};

// Two links in a plane (Spong, Hutchinson & Vidyasagar 2006, sec. 7.3), q = 0 horizontal: with c = m2 l1 lc2 cos q2, s = m2 l1 lc2 sin q2,
//   tau1 = … + c (2 a1 + a2) - s (2 v1 v2 + v2²) + …,  tau2 = … + c a1 + s v1² + ….
TEST(Derivatives, PlanarArmAsInTheTextbook) {
  Plan plan = make_plan(load("planar-2r"));  // m2 = 4 kg, l1 = 1 m, lc2 = 0.4 m
  plan.gravity = {};
  for (const double q2 : {-2.0, 0.0, 0.4, 1.5}) {
    const double v1 = 0.7, v2 = -1.3, a1 = 0.3, a2 = 2.1, c = 1.6 * std::cos(q2), s = 1.6 * std::sin(q2);
    const Eigen::MatrixXd got = computed(Quantity::inverse_derivatives, plan, {{0.3, q2}, {v1, v2}, {a1, a2}});
    Eigen::Matrix<double, 2, 4> wanted;
    wanted << 0, -s * (2 * a1 + a2) - c * (2 * v1 * v2 + v2 * v2), -2 * s * v2, -2 * s * (v1 + v2),  //
        0, -s * a1 + c * v1 * v1, 2 * s * v1, 0;
    EXPECT_LT((got.leftCols(4) - wanted).cwiseAbs().maxCoeff(), tolerance(2) * 16) << q2 << "\n" << got;
    EXPECT_LT((got.rightCols(2) - mass_of(plan, {0.3, q2})).cwiseAbs().maxCoeff(), tolerance(2) * 16);
  }
}

// The torque of a pendulum's weight is m g l cos q (q = 0 horizontal): its derivative -m g l sin q.
TEST(Derivatives, WeightOfAPendulum) {
  const Model model = load("planar-2r");
  const Plan plan = make_plan(model);
  const Eigen::MatrixXd got = computed(Quantity::inverse_derivatives, plan, {{0.4, 0.7}, {0, 0}, {0, 0}});
  const double outer = -4 * 9.81 * 0.4 * std::sin(1.1), inner = -(6 * 0.5 + 4 * 1.0) * 9.81 * std::sin(0.4);  // 6 kg at 0.5 m, 4 kg beyond 1 m
  EXPECT_NEAR(got(0, 0), inner + outer, 1e-12);
  EXPECT_NEAR(got(0, 1), outer, 1e-12);
  EXPECT_NEAR(got(1, 0), outer, 1e-12);
  EXPECT_NEAR(got(1, 1), outer, 1e-12);
}

// Trees, slides, mimic joints; friction, rotors; wrenches fixed to links and to the world; a base that moves; every form.
TEST(Derivatives, EqualDualsThroughTheTorques) {
  for_each_case({.most = 12, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    Effects effects;
    effects.friction = true;
    for (const bool loaded : {false, true}) {
      if (loaded) effects.wrenches = wrenches, effects.base = random_base(random);
      const Eigen::MatrixXd wanted = by_duals(Quantity::inverse, plan, s, effects);
      const Eigen::MatrixXd accelerations = by_duals(Quantity::forward, plan, s, effects);
      const double cond = 8 * torque_condition(Oracle(model, s.q, s.v, s.a));
      for (const DerivativeForm& form : kForms) {
        EXPECT_LT(worst_part(computed(Quantity::inverse_derivatives, plan, s, effects, form), wanted), tolerance(steps(model), cond));
        const Eigen::MatrixXd M = wanted.rightCols(wanted.rows());
        const Eigen::MatrixXd got = computed(Quantity::forward_derivatives, plan, s, effects, form);
        // M times the difference: what M⁻¹ magnifies is no fault.
        const double largest = std::max(wanted.cwiseAbs().maxCoeff(), (M.cwiseAbs() * accelerations.cwiseAbs()).maxCoeff());
        EXPECT_LT((M * (got - accelerations)).cwiseAbs().maxCoeff() / largest, tolerance(steps(model), 64 * cond));
      }
    }
  });
}

// A free base: its own rows and columns, and what wrenches of the world do to them.
TEST(Derivatives, OfAFreeBaseEqualDualsInItsTangents) {
  for_each_case({.most = 8, .mimic = true}, [](const Model& bolted, const State& joints, Random& random) {
    const Model model = with_base(with_payload(bolted, bolted.links()[0].name, {3, {0.1, -0.2, 0.05}, {0.3, 0.4, 0.5, 0.01, -0.02, 0.03}}), RootJoint::free);
    State s{random.numbers(7, -1, 1), random.numbers(6, -2, 2), random.numbers(6, -2, 2)};
    s.q.insert(s.q.end(), joints.q.begin(), joints.q.end());
    s.v.insert(s.v.end(), joints.v.begin(), joints.v.end());
    s.a.insert(s.a.end(), joints.a.begin(), joints.a.end());
    normalize(model, s.q);
    const Plan plan = make_plan(model);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    Effects effects;
    effects.friction = true;
    for (const bool loaded : {false, true}) {
      if (loaded) effects.wrenches = wrenches;
      const Eigen::MatrixXd wanted = by_duals(Quantity::inverse, plan, s, effects), accelerations = by_duals(Quantity::forward, plan, s, effects);
      const Eigen::MatrixXd M = wanted.rightCols(wanted.rows());
      const double largest = std::max(wanted.cwiseAbs().maxCoeff(), (M.cwiseAbs() * accelerations.cwiseAbs()).maxCoeff());
      for (const DerivativeForm& form : kForms) {
        EXPECT_LT(worst_part(computed(Quantity::inverse_derivatives, plan, s, effects, form), wanted), tolerance(steps(model) + 6, 100));
        const Eigen::MatrixXd got = computed(Quantity::forward_derivatives, plan, s, effects, form);
        EXPECT_LT((M * (got - accelerations)).cwiseAbs().maxCoeff() / largest, tolerance(steps(model) + 6, 1e4));
      }
    }
    effects = {};
    const Eigen::MatrixXd plain = computed(Quantity::forward_derivatives, plan, s);
    const Eigen::MatrixXd shared = computed(Quantity::forward_derivatives, plan, s, {}, {.rates_give_bias = true});
    const Eigen::MatrixXd M = mass_of(plan, s.q);
    EXPECT_LT((M * (plain - shared)).cwiseAbs().maxCoeff() / (M.cwiseAbs() * plain.cwiseAbs()).maxCoeff(), tolerance(steps(model) + 6, 1e4));
  });
}

// Differences of the oracle, which knows neither plans nor lumping.
TEST(Derivatives, EqualDifferencesOfTheOracle) {
  for_each_case({.most = 8, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const Eigen::MatrixXd got = computed(Quantity::inverse_derivatives, plan, s);
    const auto n = static_cast<Eigen::Index>(s.q.size());
    RealMatrix wanted(n, 2 * n);
    for (Eigen::Index j = 0; j < 2 * n; ++j)
      wanted.col(j) = derivative(
          [&](Real t) {
            Reals q = reals(s.q), v = reals(s.v);
            (j < n ? q : v)[static_cast<std::size_t>(j % n)] += t;
            return RealVector(Oracle(model, q, v, reals(s.a)).torques());
          },
          4);
    const double scale = std::max(doubles(wanted).cwiseAbs().maxCoeff(), Oracle(model, s.q, s.v, s.a).torque_size());
    EXPECT_LT((got.leftCols(2 * n) - doubles(wanted)).cwiseAbs().maxCoeff() / scale, tolerance(steps(model)) + 1e-11);
  });
}

// With the base at rest, without friction and wrenches, accelerations follow from ∂tau/∂v: the form that programs are written in.
TEST(Derivatives, RatesGiveTheBias) {
  for_each_case({.most = 10, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const Eigen::MatrixXd plain = computed(Quantity::forward_derivatives, plan, s);
    const Eigen::MatrixXd shared = computed(Quantity::forward_derivatives, plan, s, {}, {.rates_give_bias = true});
    const Eigen::MatrixXd M = mass_of(plan, s.q);
    const double largest = (M.cwiseAbs() * plain.cwiseAbs()).maxCoeff();
    EXPECT_LT((M * (plain - shared)).cwiseAbs().maxCoeff() / largest, tolerance(steps(model), 64 * torque_condition(Oracle(model, s.q, s.v, s.a))));
  });
}

// Torques of velocities are quadratic in them, and those of gravity are the gradient of an energy.
TEST(Derivatives, Laws) {
  for_each_case({.most = 15, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const auto n = static_cast<Eigen::Index>(s.q.size());
    const auto vector = [](const std::vector<double>& x) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    const Eigen::MatrixXd J = computed(Quantity::inverse_derivatives, plan, s);
    const Eigen::VectorXd of_rates = vector(inverse_of(plan, {s.q, s.v, zeros(s.q)})) - vector(inverse_of(plan, {s.q, zeros(s.q), zeros(s.q)}));
    const double size = Oracle(model, s.q, s.v, s.a).torque_size();
    EXPECT_LT((J.middleCols(n, n) * vector(s.v) - 2 * of_rates).cwiseAbs().maxCoeff(), tolerance(steps(model)) * 8 * size);
    const Eigen::MatrixXd weight = computed(Quantity::inverse_derivatives, plan, {s.q, zeros(s.q), zeros(s.q)}).leftCols(n);
    EXPECT_LT((weight - weight.transpose()).cwiseAbs().maxCoeff(), tolerance(steps(model)) * 8 * size);
    const Eigen::MatrixXd M = mass_of(plan, s.q);  // the same composites, whose columns are carried to the base side by side
    EXPECT_LT((J.rightCols(n) - M).cwiseAbs().maxCoeff(), tolerance(steps(model)) * M.cwiseAbs().maxCoeff());
  });
}

TEST(Derivatives, InFloats) {
  for_each_case({.most = 8}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const PlanOf<float> single = plan.cast<float>();
    WorkspaceOf<float> ws(single);
    const std::vector<float> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end());
    Eigen::MatrixXf got(s.q.size(), 3 * s.q.size());
    inverse_derivatives(single, ws, q, v, a, got);
    const State rounded{{q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()}};
    EXPECT_LT(worst_part(got.cast<double>(), computed(Quantity::inverse_derivatives, plan, rounded)),
              tolerance<float>(steps(model), 8 * torque_condition(Oracle(model, rounded.q, rounded.v, rounded.a))));
  });
}

TEST(Derivatives, SayBothSizesOfAWrongMatrix) {
  const Plan plan = make_plan(load("planar-2r"));
  Workspace ws(plan);
  Eigen::MatrixXd d(2, 4);
  const std::vector<double> q{0, 0};
  try {
    inverse_derivatives(plan, ws, q, q, q, d);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "derivatives is 2 x 4, but robot 'planar-2r' needs 2 x 6");
  }
}

}  // namespace
}  // namespace ulna::test
