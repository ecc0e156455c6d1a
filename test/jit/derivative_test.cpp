// Derivatives by the pass on expressions, against dual numbers, differences of order six and the kernels that there are.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <ulna/dynamics/compute-inl.hpp>
#include <ulna/robot/derivative.hpp>
#include <ulna/ulna.hpp>

#include "support/random_model.hpp"

namespace ulna {
namespace {

using Numbers = std::vector<double>;

Numbers random_numbers(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers x(count);
  for (double& value : x) value = uniform(random);
  return x;
}

struct State {
  Numbers q, v, last;
};
State random_state(std::mt19937_64& random, const Model& model) {
  State s{random_numbers(random, model.nq()), random_numbers(random, model.nv()), random_numbers(random, model.nv())};
  normalize(model, s.q);
  return s;
}

/// A quantity by the templates, which know neither Expr nor machine code.
Numbers value(const Model& model, Quantity of, const State& s, std::size_t link, const Effects& effects) {
  const Plan plan = make_plan(model, {.lumping = row_of(of).lumps ? Lumping::szz : Lumping::none});
  Workspace ws(plan);
  Numbers out(row_of(of).size(plan.sizes()));
  kernel::compute(of, plan, ws, {s.q.data(), s.v.data(), s.last.data(), link}, out.data(), effects);
  return out;
}

/// Column k by differences of order six.
template <class At>
Numbers difference_column(const At& at) {
  constexpr double kStep = 4e-3, kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  Numbers out;
  for (int k = 1; k <= 3; ++k)
    for (const double side : {1.0, -1.0}) {
      const Numbers f = at(side * k * kStep);
      out.resize(f.size());
      for (std::size_t i = 0; i < f.size(); ++i) out[i] += side * kWeights[k - 1] / kStep * f[i];
    }
  return out;
}

Model with_more(const Model& model, std::size_t link, double mass, const Vec3<double>& com) {
  Payload payload;
  payload.mass = mass;
  payload.com = com;
  return with_payload(model, model.links()[link].name, payload);
}

/// J by differences of the templates.
Numbers by_differences(const Model& model, Quantity of, const std::string& by, const State& s, std::size_t link, const Effects& effects, const Numbers& load) {
  Numbers J;
  const std::size_t columns = by == "payload" ? 4 : model.nv();
  for (std::size_t k = 0; k < columns; ++k) {
    const Numbers column = difference_column([&](double step) {
      State moved = s;
      if (by == "payload") {
        Numbers p = load;
        p[k] += step;
        return value(with_more(model, link, p[0], {p[1], p[2], p[3]}), of, s, link, effects);
      }
      if (by == "q") {
        Numbers direction(model.nv());
        direction[k] = 1;
        integrate(model, s.q, direction, step, moved.q);
      } else {
        (by == "v" ? moved.v : moved.last)[k] += step;
      }
      return value(model, of, moved, link, effects);
    });
    J.insert(J.end(), column.begin(), column.end());
  }
  return J;
}

double largest(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}
void expect_near(const Numbers& found, const Numbers& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  const double scale = largest(wanted) + 1e-3;
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], tolerance * scale) << "entry " << i;
}

Numbers call(Derivative& d, const State& s, const Derivative::Vectors& vectors) {
  Numbers out(d.size());
  d({s.q.data(), s.v.data(), s.last.data(), d.options().link}, vectors, out);
  return out;
}

/// The matrix against differences, then both products against the matrix; machine code and interpreter alike.
void expect_right(const Model& model, Quantity of, const std::string& by, std::mt19937_64& random, std::size_t link = kNone, Effects effects = {}) {
  SCOPED_TRACE(std::string(to_string(of)) + " by " + by + " of " + model.name());
  const State s = random_state(random, model);
  const Numbers load = by == "payload" ? Numbers{0.7, 0.1, -0.2, 0.3} : Numbers{};
  const auto make = [&](Product product, InstructionSet most = InstructionSet::avx512) {
    return Derivative(model, {.of = of, .by = by, .product = product, .link = link, .effects = effects, .most = most});
  };
  Derivative matrix = make(Product::matrix), slow = make(Product::matrix, InstructionSet::none);
  const Numbers J = call(matrix, s, {.payload = load});
  const std::size_t rows = matrix.rows(), columns = matrix.columns();
  ASSERT_EQ(J.size(), rows * columns);
  EXPECT_EQ(matrix.column_names().size(), columns);
  EXPECT_FALSE(slow.compiled());
  expect_near(call(slow, s, {.payload = load}), J, 1e-11);
  if (by != "masses") expect_near(J, by_differences(model, of, by, s, link, effects, load), 1e-9);
  const Numbers x = random_numbers(random, columns), y = random_numbers(random, rows);
  Numbers Jx(rows), yJ(columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) Jx[i] += J[i + j * rows] * x[j], yJ[j] += y[i] * J[i + j * rows];
  Derivative times = make(Product::times), weights = make(Product::weights);
  expect_near(call(times, s, {.x = x, .payload = load}), Jx, 1e-11);
  expect_near(call(weights, s, {.y = y, .payload = load}), yJ, 1e-11);
  if (by != "q" || model.base() == RootJoint::free) return;
  Derivative second = make(Product::second);
  const Numbers Hx = call(second, s, {.x = x, .y = y}), from_gradient = difference_column([&](double step) {
                                                          State moved = s;
                                                          for (std::size_t i = 0; i < columns; ++i) moved.q[i] += step * x[i];
                                                          return call(weights, moved, {.y = y});
                                                        });
  expect_near(Hx, from_gradient, 1e-9);
}

TEST(Derivative, OfEveryQuantityOfAnArm) {
  std::mt19937_64 random(1);
  const Model model = load("scara");
  const std::size_t tip = model.links().size() - 1;
  for (const QuantityRow& row : quantities()) {
    if (row.quantity == Quantity::inverse_derivatives || row.quantity == Quantity::forward_derivatives) continue;
    const std::size_t link = row.of_link ? tip : kNone;
    for (const std::string_view input : row.inputs) expect_right(model, row.quantity, std::string(input), random, link);
  }
}

TEST(Derivative, ByPayload) {
  std::mt19937_64 random(2);
  for (const char* name : {"stanford", "ur5"})
    for (const Quantity of : {Quantity::inverse, Quantity::forward, Quantity::energy, Quantity::mass, Quantity::momentum})
      expect_right(load(name), of, "payload", random, load(name).links().size() - 1);
}

/// Torques are linear in masses: ∂tau/∂m Δm is the difference of two robots' torques, exactly.
TEST(Derivative, ByMasses) {
  std::mt19937_64 random(3);
  for (const char* name : {"stanford", "torso"}) {
    const Model model = load(name);
    const State s = random_state(random, model);
    expect_right(model, Quantity::inverse, "masses", random);
    Derivative by(model, {.of = Quantity::inverse, .by = "masses"});
    const Numbers J = call(by, s, {}), before = value(model, Quantity::inverse, s, kNone, {});
    const Plan plan = make_plan(model);
    for (std::size_t k = 0; k < plan.bodies.size(); ++k) {
      const PseudoInertia<double>& I = plan.bodies[k].inertia;
      const Pose<double>& X_BL = plan.links[plan.bodies[k].link].X_BL;
      const Vec3<double> com_B = (1 / I.m) * I.h;
      const Numbers after = value(with_more(model, plan.bodies[k].link, 0.5, tmul(X_BL.R, com_B - X_BL.p)), Quantity::inverse, s, kNone, {});
      Numbers column(J.begin() + static_cast<std::ptrdiff_t>(k * model.nv()), J.begin() + static_cast<std::ptrdiff_t>((k + 1) * model.nv())),
          wanted(model.nv());
      for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = (after[i] - before[i]) / 0.5;
      expect_near(column, wanted, 1e-10);
    }
  }
}

TEST(Derivative, OfAFreeBaseIsByTangents) {
  std::mt19937_64 random(4);
  const Model model = with_base(load("servicer"), RootJoint::free);
  const std::size_t tip = model.links().size() - 1;
  for (const Quantity of : {Quantity::inverse, Quantity::energy, Quantity::momentum, Quantity::centroidal}) expect_right(model, of, "q", random);
  for (const Quantity of : {Quantity::pose, Quantity::jacobian}) expect_right(model, of, "q", random, tip);
  EXPECT_THROW(Derivative(model, {.of = Quantity::energy, .by = "q", .product = Product::second}), std::invalid_argument);
}

/// Those that have a kernel of their own, under wrenches, a base that moves, rotors and friction.
TEST(Derivative, AgreesWithTheKernels) {
  std::mt19937_64 random(5);
  for (const char* name : {"puma560", "torso", "iiwa14"}) {
    const Model model = load(name);
    const std::size_t n = model.nv();
    const State s = random_state(random, model);
    const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, {1, 2, 3}, {0.1, 0.2, 0.3}}, {2, Axes::world, {-3, 1, 2}, {0.5, -0.2, 0.3}}};
    const Effects effects{true, true, {{0.1, 0.2, 0.3}, {}, {0.4, -0.2, 0.1}, {1, 0, -1}}, wrenches};
    const Numbers d = value(model, Quantity::inverse_derivatives, s, kNone, effects);
    const char* const by[] = {"q", "v", "a"};
    for (std::size_t k = 0; k < 3; ++k) {
      Derivative derivative(model, {.of = Quantity::inverse, .by = by[k], .effects = effects});
      expect_near(call(derivative, s, {}),
                  Numbers(d.begin() + static_cast<std::ptrdiff_t>(k * n * n), d.begin() + static_cast<std::ptrdiff_t>((k + 1) * n * n)), 1e-11);
    }
  }
}

TEST(Derivative, OfRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const Model model = test::random_model(seed, {.most = 12});
    SCOPED_TRACE(seed);
    expect_right(model, Quantity::inverse, "q", random);
    expect_right(model, Quantity::gravity, "q", random);
    expect_right(model, Quantity::jacobian, "q", random, model.links().size() - 1);
  }
}

TEST(Derivative, WrongCallsSayWhy) {
  const Model model = load("planar-2r");
  EXPECT_THROW(Derivative(model, {.of = Quantity::gravity, .by = "v"}), std::invalid_argument);
  EXPECT_THROW(Derivative(model, {.of = Quantity::pose, .by = "q"}), std::invalid_argument);
  EXPECT_THROW(Derivative(model, {.of = Quantity::inverse, .by = "payload"}), std::invalid_argument);
  Derivative d(model, {.of = Quantity::gravity, .by = "q", .product = Product::times});
  const Numbers q{0.1, 0.2};
  Numbers out(2);
  EXPECT_THROW(d({q.data()}, {}, out), std::invalid_argument);
  EXPECT_THROW(d({q.data()}, {.x = q, .y = q}, out), std::invalid_argument);
  const Numbers bad{std::nan(""), 0};
  d({bad.data()}, {.x = q}, out);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
}

}  // namespace
}  // namespace ulna
