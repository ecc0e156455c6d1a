// One derivative of one robot, against differences of order six of the templates in extended precision.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ulna/robot/derivative.hpp>
#include <ulna/ulna.hpp>
#include "dynamics/compute-inl.hpp"

#include "support/random_model.hpp"
#include "text/message.hpp"

namespace ulna::test {

using Numbers = std::vector<double>;
using LongNumbers = std::vector<long double>;

struct DerivativeCase {
  Model model;
  Quantity of;
  std::string by;
  Effects effects{};
  std::size_t link = kNone;
  Numbers q{}, v{}, last{}, payload{};

  std::string name() const { return internal::cat(to_string(of), " by ", by, " of ", model.name(), ", base ", to_string(model.base())); }
  Derivative make(Product product, InstructionSet most = InstructionSet::avx512) const {
    return Derivative(model, {.of = of, .by = by, .product = product, .link = link, .effects = effects, .most = most});
  }
  Numbers operator()(Derivative& d, const Numbers& x = {}, const Numbers& y = {}) const {
    Numbers out(d.size());
    d({q.data(), v.data(), last.data(), link}, {.x = x, .y = y, .payload = payload}, out);
    return out;
  }
  /// Bodies that are links: a planar base moves by two more, which have no mass.
  std::vector<std::size_t> linked() const {
    const Plan plan = make_plan(model);
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < plan.bodies.size(); ++k)
      if (plan.bodies[k].link != kNone) out.push_back(k);
    return out;
  }
  std::size_t columns() const { return by == "payload" ? 4 : by == "masses" ? linked().size() : model.nv(); }
};

/// A state whose rates are not near 0, where friction jumps.
inline void set_state(DerivativeCase& c, Random& random) {
  const auto away_from_zero = [&] { return (random.chance(0.5) ? 1 : -1) * random.uniform(0.2, 1.2); };
  c.q = random.numbers(c.model.nq(), -1, 1);
  normalize(c.model, c.q);
  c.v.resize(c.model.nv()), c.last.resize(c.model.nv());
  for (double& x : c.v) x = away_from_zero();
  for (double& x : c.last) x = away_from_zero();
  if (c.by == "payload") c.payload = {random.uniform(0.2, 1), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)};
}

/// The quantity where column k has moved by `step`: another robot, for masses and payloads.
inline LongNumbers moved_value(const DerivativeCase& c, std::size_t k, long double step) {
  using T = long double;
  LongNumbers q(c.q.begin(), c.q.end()), v(c.v.begin(), c.v.end()), last(c.last.begin(), c.last.end());
  PlanOf<T> plan = make_plan(c.model, {.lumping = Lumping::none}).cast<T>();
  const auto add_point = [&](std::size_t body, T mass, const Vec3<T>& at) {
    PseudoInertia<T>& I = body == kNone ? plan.base : plan.bodies[body].inertia;
    I = I + moved_along(PseudoInertia<T>{mass, {}, {}}, at);
    (body == kNone ? plan.lumped_base : plan.bodies[body].lumped) = I;
  };
  if (c.by == "payload") {
    LongNumbers p(c.payload.begin(), c.payload.end());
    p[k] += step;
    const PlanLink<T>& link = plan.links[c.link];
    add_point(link.body, p[0], link.X_BL.R * Vec3<T>{p[1], p[2], p[3]} + link.X_BL.p);
  } else if (c.by == "masses") {
    const std::size_t body = c.linked()[k];
    const PseudoInertia<T>& I = plan.bodies[body].inertia;
    add_point(body, step, I.m > 0 ? (1 / I.m) * I.h : Vec3<T>{});
  } else if (c.by == "q" && plan.free && k < 6) {
    // Along the screw of the base's own axes: exact to second order, and steps to both sides cancel the rest.
    const Pose<T> X = kernel::base_pose(q.data());
    const T axis[3] = {T(k % 3 == 0), T(k % 3 == 1), T(k % 3 == 2)};
    if (k >= 3) {
      const Vec3<T> along = X.R * Vec3<T>{axis[0], axis[1], axis[2]};
      q[0] += step * along.x, q[1] += step * along.y, q[2] += step * along.z;
    } else {
      const T s = std::sin(step / 2), w = std::cos(step / 2), b[4] = {s * axis[0], s * axis[1], s * axis[2], w}, a[4] = {q[3], q[4], q[5], q[6]};
      q[3] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
      q[4] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
      q[5] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
      q[6] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    }
  } else {
    (c.by == "q" ? q[k + q.size() - c.model.nv()] : c.by == "v" ? v[k] : last[k]) += step;
  }
  std::vector<WrenchOf<T>> wrenches;
  for (const Wrench& w : c.effects.wrenches) wrenches.push_back({w.link, w.axes, w.force.cast<T>(), w.moment.cast<T>()});
  const BaseMotion& b = c.effects.base;
  const EffectsOf<T> effects{c.effects.rotor,
                             c.effects.friction,
                             {b.angular_velocity.cast<T>(), b.linear_velocity.cast<T>(), b.angular_acceleration.cast<T>(), b.linear_acceleration.cast<T>()},
                             wrenches};
  WorkspaceOf<T> ws(plan);
  LongNumbers out(row_of(c.of).size(plan.sizes()));
  kernel::compute(c.of, plan, ws, {q.data(), v.data(), last.data(), c.link}, out.data(), effects);
  return out;
}

/// f'(0) by differences of order six.
template <class F>
LongNumbers difference(const F& f, long double step) {
  constexpr long double kWeights[] = {45.0L / 60, -9.0L / 60, 1.0L / 60};
  LongNumbers out;
  for (int k = 1; k <= 3; ++k)
    for (const long double side : {1.0L, -1.0L}) {
      const LongNumbers y = f(side * k * step);
      out.resize(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) out[i] += side * kWeights[k - 1] / step * y[i];
    }
  return out;
}

inline Numbers by_differences(const DerivativeCase& c) {
  Numbers J;
  for (std::size_t k = 0; k < c.columns(); ++k)
    for (const long double x : difference([&](long double step) { return moved_value(c, k, step); }, 1e-4L)) J.push_back(static_cast<double>(x));
  return J;
}

inline double largest(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}
inline void expect_near(const Numbers& found, const Numbers& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  const double scale = largest(wanted) + 1e-3;
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], tolerance * scale) << "entry " << i;
}

/// The matrix against differences, then all products against the matrix or its differences; machine code and templates alike.
inline void expect_right(const DerivativeCase& c, Random& random) {
  SCOPED_TRACE(c.name());
  Derivative matrix = c.make(Product::matrix), slow = c.make(Product::matrix, InstructionSet::none);
  EXPECT_FALSE(slow.compiled());
  EXPECT_EQ(matrix.compiled(), best_instruction_set() != InstructionSet::none) << (matrix.refused() ? to_string(*matrix.refused()) : "");
  const Numbers J = c(matrix);
  const std::size_t rows = matrix.rows(), columns = matrix.columns();
  ASSERT_EQ(J.size(), rows * columns);
  ASSERT_EQ(columns, c.columns());
  EXPECT_EQ(matrix.column_names().size(), columns);
  expect_near(J, by_differences(c), 1e-9);
  expect_near(c(slow), J, 1e-10);
  const Numbers x = random.numbers(columns, -1, 1), y = random.numbers(rows, -1, 1);
  Numbers Jx(rows), yJ(columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) Jx[i] += J[i + j * rows] * x[j], yJ[j] += y[i] * J[i + j * rows];
  Derivative times = c.make(Product::times), weights = c.make(Product::weights);
  expect_near(c(times, x), Jx, 1e-10);
  expect_near(c(weights, {}, y), yJ, 1e-10);
  if (c.by == "q" && c.model.base() == RootJoint::free) return;
  // The gradient yᵀ J moves along x.
  Derivative second = c.make(Product::second), second_slow = c.make(Product::second, InstructionSet::none);
  const Numbers Hx = c(second, x, y);
  expect_near(c(second_slow, x, y), Hx, 1e-10);
  if (c.by == "masses") return;  // calls are at the masses that there are
  DerivativeCase moved = c;
  Numbers& variable = c.by == "payload" ? moved.payload : c.by == "q" ? moved.q : c.by == "v" ? moved.v : moved.last;
  const Numbers at = variable;
  const LongNumbers wanted = difference(
      [&](long double step) {
        for (std::size_t k = 0; k < columns; ++k) variable[k] = at[k] + static_cast<double>(step) * x[k];
        const Numbers g = moved(weights, {}, y);
        return LongNumbers(g.begin(), g.end());
      },
      2e-3L);
  const double gradient = largest(yJ);
  for (std::size_t k = 0; k < columns; ++k) ASSERT_NEAR(Hx[k], static_cast<double>(wanted[k]), 1e-8 * (largest(Hx) + gradient + 1e-3)) << "entry " << k;
}

}  // namespace ulna::test
