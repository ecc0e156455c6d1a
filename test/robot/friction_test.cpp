// The whole law of friction: closed forms, random robots against the independent oracle, and forward dynamics that undo it.
#include <cmath>
#include <numbers>

#include <ulna/robot/derivative.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "dynamics/joint-inl.hpp"
#include "support/arm.hpp"
#include "support/cases.hpp"
#include "support/rubbing.hpp"

namespace ulna::test {
namespace {

// Each term alone, by hand.
TEST(Friction, TermsByHand) {
  using internal::kernel::friction;
  EXPECT_EQ(friction(Friction{2, 3}, -1.5), -6.0);
  Friction f{.coulomb = 3, .static_level = 5, .stribeck_speed = 0.5};
  EXPECT_DOUBLE_EQ(friction(f, 0.5), 3 + 2 / std::numbers::e);
  EXPECT_DOUBLE_EQ(friction(f, -1.0), -3 - 2 * std::exp(-4.0));
  f.stribeck_exponent = 1;
  EXPECT_DOUBLE_EQ(friction(f, -1.0), -3 - 2 * std::exp(-2.0));
  f.static_level = 2;  // less than Coulomb friction, and so as much
  EXPECT_EQ(friction(f, 0.1), 3.0);
  f = {.viscous = 4, .coulomb = 3, .asymmetry = 1, .viscous_asymmetry = 0.5};
  EXPECT_EQ(friction(f, 2.0), (4 + 0.5) * 2 + (3 + 1));
  EXPECT_EQ(friction(f, -2.0), -(4 - 0.5) * 2 - (3 - 1));
  f = {.quadratic = 0.5, .offset = 7};
  EXPECT_EQ(friction(f, 3.0), 11.5);
  EXPECT_EQ(friction(f, -3.0), 2.5);
  EXPECT_EQ(friction(f, 0.0), 7.0);
  f = {.coulomb = 3, .smoothing_speed = 0.25};
  EXPECT_DOUBLE_EQ(friction(f, 0.25), 3 * std::tanh(1.0));
  f.static_level = 9;  // without a speed it is of joints that stand
  EXPECT_TRUE(std::isnan(friction(f, std::nan(""))));
  EXPECT_DOUBLE_EQ(friction(f, 0.25), 3 * std::tanh(1.0));
}

// One pendulum that lifts: of the drive's torque a share of the links' is lost, or, where it comes down, saved.
TEST(Friction, LoadOfAPendulum) {
  const auto pendulum = [](double load, double rotor) {
    Description d;
    d.gravity = {0, -10, 0};
    append(d, true, {.a = 1, .link = body("bob", 2, {-0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0})});
    d.joints[0].joint.friction.load = load, d.joints[0].joint.rotor = rotor;
    return build(d);
  };
  const double I = 0.1 + 2 * 0.25, weight = 10;  // at q = 0, 0.5 m from the axis
  for (const double v : {1.0, -1.0})
    for (const double rotor : {0.0, 0.3}) {
      const Plan plan = make_plan(pendulum(0.2, rotor));
      const double a = -3, links = I * a + weight;
      const std::vector<double> tau = inverse_of(plan, {{0}, {v}, {a}}, {.friction = true});
      EXPECT_NEAR(tau[0], links + rotor * a + 0.2 * links * v, 1e-14);
      EXPECT_NEAR(forward_of(plan, {{0}, {v}, {a}}, tau, {.friction = true})[0], a, 1e-13);
    }
}

void expect_the_oracles_torques(const Model& model, const State& s, const Effects& effects) {
  const Oracle oracle(model, s.q, s.v, s.a, effects);
  EXPECT_LT(relative_error(inverse_of(make_plan(model), s, effects), doubles(oracle.torques())), tolerance(steps(model), torque_condition(oracle)));
}

TEST(Friction, RandomRobotsAgreeWithTheOracle) {
  for (const bool mimic : {false, true})
    for_each_case({.most = 10, .mimic = mimic}, [](const Model& bare, const State& s, Random& random) {
      const Model model = with_whole_friction(bare, random.below(1000));
      const std::vector<Wrench> wrenches = random_wrenches(model, random);
      for (const bool rotor : {false, true})
        expect_the_oracles_torques(model, s, {.rotor = rotor, .friction = true, .base = random_base(random), .wrenches = wrenches});
    });
}

// Robots in general position: M⁻¹ does not amplify rounding by much.
TEST(Friction, ForwardUndoesInverse) {
  double worst = 0;
  for (const bool mimic : {false, true})
    for_each_case({.fewest = 2, .most = 8, .massless = false, .mimic = mimic}, [&](const Model& bare, const State& s, Random& random) {
      const Model model = with_whole_friction(bare, random.below(1000));
      const Plan plan = make_plan(model);
      for (const bool rotor : {false, true}) {
        const Effects effects{.rotor = rotor, .friction = true};
        const Oracle oracle(model, s.q, s.v, s.a, effects);
        const Eigen::MatrixXd M = doubles(oracle.mass_matrix());
        const double condition = condition_number(M) + oracle.torque_size() / smallest_singular_value(M) / largest(s.a);
        const double off = relative_error(forward_of(plan, s, inverse_of(plan, s, effects), effects), s.a);
        EXPECT_LT(off, tolerance(steps(model), 3 * condition));
        worst = std::max(worst, off / std::max(condition, 1.0));
      }
    });
  EXPECT_LT(worst, 1e-14);
}

TEST(Friction, AFreeBaseToo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = with_whole_friction(with_base(with_heavy_root(random_model(seed, {.fewest = 2, .most = 6, .massless = false})), RootJoint::free), seed);
    Random random(seed);
    std::vector<double> q = neutral(model), v = random.numbers(model.nv(), -1, 1), a = random.numbers(model.nv(), -2, 2), tau(model.nv()), back(model.nv());
    for (std::size_t k = 7; k < q.size(); ++k) q[k] = random.uniform(-2, 2);
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    inverse_dynamics(plan, ws, q, v, a, tau, {.friction = true});
    forward_dynamics(plan, ws, q, v, tau, back, {.friction = true});
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(back[k], a[k], 1e-9) << seed;
    const Dynamics dynamics(model, {.friction = true, .threads = 1});
    dynamics.inverse(q, v, a, back);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(back[k], tau[k], 1e-11 * (1 + std::fabs(tau[k]))) << seed;
  }
}

// Machine code, batches and floats are the templates, whatever friction has.
TEST(Friction, DynamicsAgree) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model bare = random_model(seed, {.fewest = 2, .most = 6, .massless = false, .mimic = seed % 3 == 0});
    const Model model = with_whole_friction(bare, seed, {.load = seed % 2 == 0});
    const Dynamics dynamics(model,
                            {.friction = true,
                             .quantities = {Quantity::inverse, Quantity::bias, Quantity::forward, Quantity::inverse_derivatives, Quantity::forward_derivatives},
                             .threads = 1});
    const DynamicsF single(model, {.friction = true, .threads = 1});
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    Random random(seed);
    const std::size_t n = model.nv(), count = 2 * dynamics.lanes() + 1;
    for (const Quantity quantity : {Quantity::inverse, Quantity::bias, Quantity::forward, Quantity::inverse_derivatives, Quantity::forward_derivatives}) {
      const QuantityRow& row = row_of(quantity);
      const std::size_t size = row.size(plan.sizes());
      std::vector<double> q, v, last, expected(size), one(size), many(size * count);
      for (std::size_t k = 0; k < count; ++k) {
        const State s = random_state(model, random);
        q.insert(q.end(), s.q.begin(), s.q.end()), v.insert(v.end(), s.v.begin(), s.v.end()), last.insert(last.end(), s.a.begin(), s.a.end());
      }
      const Dynamics::States in[] = {{q.data(), n, count}, {v.data(), n, count}, {last.data(), n, count}};
      dynamics.compute_batch(quantity, std::span(in).first(row.inputs.size()), {many.data(), size, count});
      for (std::size_t k = 0; k < count; ++k) {
        const InputsOf<double> at{&q[k * n], &v[k * n], &last[k * n]};
        compute(quantity, plan, ws, at, expected.data(), {.friction = true});
        const VectorView<const double> views[] = {{at.q, n}, {at.v, n}, {at.last, n}};
        row.inputs.size() == 2 ? dynamics.compute(quantity, {views[0], views[1]}, one) : dynamics.compute(quantity, {views[0], views[1], views[2]}, one);
        const double most = largest(expected);
        for (std::size_t i = 0; i < size; ++i) {
          EXPECT_NEAR(one[i], expected[i], 1e-10 * most) << row.id << " " << seed;
          EXPECT_NEAR(many[k * size + i], expected[i], 1e-10 * most) << row.id << " " << seed;
        }
        if (quantity != Quantity::inverse) continue;
        const std::vector<float> qf(at.q, at.q + n), vf(at.v, at.v + n), af(at.last, at.last + n);
        std::vector<float> tau(n);
        single.inverse(qf, vf, af, tau);
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(tau[i], expected[i], 2e-4 * most) << seed;
      }
    }
  }
}

// Derivatives are those of what is smooth: differences agree where no rate and no torque changes its sign.
TEST(Friction, DerivativesAreDifferences) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model bare = random_model(seed, {.fewest = 2, .most = 5, .massless = false, .mimic = seed % 3 == 0});
    const Model model = with_whole_friction(bare, seed + 100);
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    Random random(seed);
    State s = random_state(model, random);
    for (double& v : s.v) v += v > 0 ? 0.2 : -0.2;
    const std::size_t n = model.nv();
    for (const bool forward : {false, true}) {
      const Quantity of = forward ? Quantity::forward : Quantity::inverse;
      const Effects effects{.friction = true};
      State at = s;
      if (forward) at.a = inverse_of(plan, s, effects);
      std::vector<double> d(3 * n * n), more(n), less(n);
      compute(forward ? Quantity::forward_derivatives : Quantity::inverse_derivatives, plan, ws, {at.q.data(), at.v.data(), at.a.data()}, d.data(), effects);
      std::vector<double>* const numbers[] = {&at.q, &at.v, &at.a};
      for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t k = 0; k < n; ++k) {
          double& x = (*numbers[part])[k];
          const double before = x, h = 1e-6;
          x = before + h;
          compute(of, plan, ws, {at.q.data(), at.v.data(), at.a.data()}, more.data(), effects);
          x = before - h;
          compute(of, plan, ws, {at.q.data(), at.v.data(), at.a.data()}, less.data(), effects);
          x = before;
          for (std::size_t i = 0; i < n; ++i)
            EXPECT_NEAR(d[i + (part * n + k) * n], (more[i] - less[i]) / (2 * h), 2e-6 * (1 + largest(d))) << seed << " " << forward << part << i << k;
        }
      // Of any quantity, by machine code or by dual numbers.
      for (const char* by : {"q", "v"}) {
        Derivative derivative(model, {.of = of, .by = by, .effects = effects});
        std::vector<double> found(n * n);
        derivative({at.q.data(), at.v.data(), at.a.data()}, {}, found);
        for (std::size_t k = 0; k < n * n; ++k) EXPECT_NEAR(found[k], d[k + (*by == 'v' ? n * n : 0)], 1e-9 * (1 + largest(d))) << seed << by;
      }
    }
  }
}

// A follower's torque is its leader's drive's, and a share of all of it would hold everything.
TEST(Friction, WhatCannotBeIsRefused) {
  const auto problem = [](const std::string& keys) {
    const LoadResult result = try_parse(
        "robot: r\nconvention: standard\nlinks:\n  - {joint: revolute, name: hinge, a: 1, alpha: 0, d: 0, theta: 0, mass: 1, "
        "com: [0, 0, 0], inertia: [1, 1, 1], " +
            keys + "}\n",
        "r.yaml");
    return result.diagnostics.empty() ? std::string() : to_string(result.diagnostics.front());
  };
  EXPECT_EQ(problem("coulomb: 1, static: 2, stribeck_speed: 0.1, asymmetry: -1, offset: -3, load: 0.9"), "");
  for (const char* keys : {"load: 1", "load: -0.1", "asymmetry: 0.5", "viscous: 1, viscous_asymmetry: -2", "stribeck_exponent: 0", "smoothing_speed: -1"})
    EXPECT_NE(problem(keys).find("hinge"), std::string::npos) << keys << ": " << problem(keys);
}

}  // namespace
}  // namespace ulna::test
