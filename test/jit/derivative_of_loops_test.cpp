// Derivative of robots with loops: along closed motions, against differences of the quantity at closed configurations.
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/derivative.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "text/cat.hpp"

namespace ulna::test {

namespace {

using Numbers = std::vector<double>;

/// A closed configuration apart from the reference, and some motion.
struct ClosedMotion {
  explicit ClosedMotion(const Model& model) : q(model.reference()), v(model.nv()), a(model.nv()) {
    const EliminationOrder order = model.order();
    for (std::size_t k = 0; k < model.nv(); ++k) q[order.independent[k]] += 0.05 * std::cos(1.0 + static_cast<double>(k));
    EXPECT_TRUE(Mechanism::of(model).close(q).closed) << model.name();
    for (std::size_t k = 0; k < model.nv(); ++k) v[k] = std::sin(2.0 + static_cast<double>(k)), a[k] = std::cos(3.0 * static_cast<double>(k));
  }
  Numbers q, v, a;
};

Numbers value_of(const Dynamics& dynamics, Quantity quantity, const ClosedMotion& at) {
  const QuantityRow& row = row_of(quantity);
  Numbers out(row.size(dynamics.model().sizes()));
  dynamics.compute(quantity, {at.q.data(), at.v.data(), row.inputs.size() > 2 ? at.a.data() : nullptr}, out.data());
  return out;
}

Numbers derivative_of(const Model& model, const DerivativeOptions& options, const ClosedMotion& at, const Derivative::Vectors& vectors = {}) {
  Derivative derivative(model, options);
  EXPECT_FALSE(derivative.refused()) << to_string(*derivative.refused());
  EXPECT_EQ(derivative.compiled(), best_instruction_set() != InstructionSet::none && options.most != InstructionSet::none);
  Numbers out(derivative.size());
  derivative({at.q.data(), at.v.data(), at.a.data()}, vectors, out);
  return out;
}

TEST(DerivativeOfLoops, IsTheDifferenceAlongClosedMotions) {
  constexpr double kStep = 1e-4;
  for (const char* name : {"four-bar", "five-bar", "palletizer", "delta"}) {
    const Model model = load(name);
    const Dynamics dynamics(model);
    const Mechanism loops = Mechanism::of(model);
    const ClosedMotion at(model);
    const std::vector<std::size_t> driven = model.order().independent;
    for (const Quantity quantity : {Quantity::inverse, Quantity::forward, Quantity::mass, Quantity::energy, Quantity::coriolis}) {
      DerivativeOptions options;
      options.of = quantity;
      options.by = "q";
      const Numbers d = derivative_of(model, options, at);
      options.most = InstructionSet::none;
      const Numbers by_templates = derivative_of(model, options, at);
      const std::size_t rows = d.size() / model.nv();
      for (std::size_t k = 0; k < model.nv(); ++k) {
        const auto near = [&](double steps) {
          ClosedMotion moved = at;
          moved.q[driven[k]] += steps * kStep;
          EXPECT_TRUE(loops.close(moved.q).closed);
          return value_of(dynamics, quantity, moved);
        };
        const Numbers more = near(1), less = near(-1), most = near(2), least = near(-2);
        double size = 1;
        for (std::size_t i = 0; i < rows; ++i) size = std::fmax(size, std::fabs(d[i + k * rows]));
        for (std::size_t i = 0; i < rows; ++i) {
          const std::string what = internal::cat(name, " ", to_string(quantity), " ", i, " by ", k);
          EXPECT_NEAR(d[i + k * rows], (8 * (more[i] - less[i]) - (most[i] - least[i])) / (12 * kStep), 1e-7 * size) << what;
          EXPECT_NEAR(d[i + k * rows], by_templates[i + k * rows], 1e-10 * size) << what;
        }
      }
      // yᵀ d and d x, without the matrix.
      options.most = InstructionSet::avx512;
      options.product = Product::weights;
      const Numbers y(rows, 1.0), x(model.nv(), 1.0), weighted = derivative_of(model, options, at, {.y = y});
      options.product = Product::times;
      const Numbers times = derivative_of(model, options, at, {.x = x});
      for (std::size_t k = 0; k < model.nv(); ++k) {
        double sum = 0, size = 1;
        for (std::size_t i = 0; i < rows; ++i) sum += d[i + k * rows], size += std::fabs(d[i + k * rows]);
        EXPECT_NEAR(weighted[k], sum, 1e-11 * size) << name << " " << to_string(quantity);
      }
      for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0, size = 1;
        for (std::size_t k = 0; k < model.nv(); ++k) sum += d[i + k * rows], size += std::fabs(d[i + k * rows]);
        EXPECT_NEAR(times[i], sum, 1e-11 * size) << name << " " << to_string(quantity);
      }
    }
  }
}

/// Friction of a joint that follows is felt at the one that leads, whatever its sign: it has no program, and the templates compute.
TEST(DerivativeOfLoops, FrictionIsTheTemplates) {
  const Model model = load("four-bar");
  const ClosedMotion at(model);
  DerivativeOptions options;
  options.of = Quantity::inverse;
  options.by = "v";
  options.effects.friction = true;
  Derivative derivative(model, options);
  EXPECT_FALSE(derivative.compiled());
  Numbers out(1), more(1), less(1);
  derivative({at.q.data(), at.v.data(), at.a.data()}, {}, out);
  const Dynamics dynamics(model);
  const double step = 1e-6 * at.v[0];
  ClosedMotion faster = at, slower = at;
  faster.v[0] += step, slower.v[0] -= step;
  dynamics.inverse(faster.q, faster.v, faster.a, more, Effects{.friction = true});
  dynamics.inverse(slower.q, slower.v, slower.a, less, Effects{.friction = true});
  EXPECT_NEAR(out[0], (more[0] - less[0]) / (2 * step), 1e-7 * (1 + std::fabs(out[0])));
}

TEST(DerivativeOfLoops, SecondByPositionsAreRefused) {
  DerivativeOptions options;
  options.of = Quantity::energy;
  options.by = "q";
  options.product = Product::second;
  EXPECT_THROW(Derivative(load("four-bar"), options), std::invalid_argument);
}

}  // namespace

}  // namespace ulna::test
