// Derivatives along closed motions, against differences in extended precision; and what is done about wrong ones.
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/derivative.hpp>
#include <ulna/source/load.hpp>

#include "loop/machines.hpp"
#include "support/random.hpp"
#include "support/soak.hpp"
#include "support/tampered.hpp"
#include "text/message.hpp"
#include "verify/multipliers.hpp"
#include "verify/reference.hpp"

namespace ulna::test {
namespace {

using Numbers = std::vector<double>;

std::vector<Model> closed_robots() {
  std::vector<Model> all;
  for (const char* id : {"four-bar", "five-bar", "delta", "palletizer"}) all.push_back(load(id));
  for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free}) {
    const RandomLoop loop = random_loop(LoopType::spherical, 5, 7);
    Diagnostics diagnostics;
    all.push_back(with_loops(with_base(build(loop.robot, diagnostics).value(), base), loop.loops));
  }
  return all;
}

struct ClosedMotion {
  Numbers q, v, a;
};

ClosedMotion closed_motion(const Model& model, unsigned seed) {
  Random random(seed);
  const Mechanism loops = Mechanism::of(model);
  ClosedMotion m{model.reference(), random.numbers(model.nv(), -1, 1), random.numbers(model.nv(), -1, 1)};
  for (double size = 0.2; size > 1e-3; size /= 2) {
    m.q = model.reference();
    for (const std::size_t k : model.order().independent)
      if (k >= base_nv(model.base())) m.q[k + model.nq() - model.nv_tree()] += random.numbers(1, -size, size)[0];
    const Closure closure = loops.assemble(m.q);
    if (closure.closed && !closure.crossed && closure.singularity > std::min(0.02, model.singularity() / 2)) return m;
  }
  return m;
}

/// The quantity by the templates at a closed configuration a way along coordinate k, in doubles that are closed in extended precision.
Numbers at(const Model& model, Quantity of, const ClosedMotion& m, const std::string& by, std::size_t k, double way) {
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  ClosedMotion moved = m;
  if (by == "v") moved.v[k] += way;
  if (by == "a" || by == "tau") moved.a[k] += way;
  if (by == "q") {
    const internal::Reference reference(model.base() == RootJoint::planar ? with_base_as_joints(model) : model);
    std::vector<long double> unit(model.nv(), 0), still(model.nv(), 0), q(m.q.begin(), m.q.end());
    unit[k] = 1;
    const auto there = reference.along(q, unit, still, way);
    moved.q.assign(there.begin(), there.end());
  }
  Numbers out(row_of(of).size(plan.sizes()));
  compute(of, plan, ws, {moved.q.data(), moved.v.data(), moved.a.data(), model.links().size() - 1}, out.data());
  return out;
}

double largest_of(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// Central differences of sixth order.
Numbers by_differences(const Model& model, Quantity of, const ClosedMotion& m, const std::string& by) {
  const internal::Reference reference(model.base() == RootJoint::planar ? with_base_as_joints(model) : model);
  const double step = 1e-3 / static_cast<double>(reference.condition({m.q.begin(), m.q.end()}));  // near singular assemblies loops turn fast
  Numbers J;
  for (std::size_t k = 0; k < model.nv(); ++k) {
    Numbers column(row_of(of).size(make_plan(model).sizes()), 0.0);
    for (const auto& [far, weight] : {std::pair{1, 45.0}, std::pair{2, -9.0}, std::pair{3, 1.0}})
      for (const int sign : {1, -1}) {
        const Numbers there = at(model, of, m, by, k, sign * far * step);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] += sign * weight * there[i] / (60 * step);
      }
    J.insert(J.end(), column.begin(), column.end());
  }
  return J;
}

void expect_near(const Numbers& got, const Numbers& wanted, double part, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], part * (1 + largest_of(wanted))) << what << ", " << i;
}

TEST(LoopDerivative, IsThatOfTheMultipliers) {
  for (const Model& model : closed_robots())
    for (unsigned seed = 1; seed <= so_many(1u, 5u); ++seed) {
      const ClosedMotion m = closed_motion(model, seed);
      const internal::Reference reference(model.base() == RootJoint::planar ? with_base_as_joints(model) : model);
      std::vector<long double> by_q, by_v;
      reference.derivatives({m.q.begin(), m.q.end()}, {m.v.begin(), m.v.end()}, {m.a.begin(), m.a.end()}, by_q, by_v);
      for (const auto& [by, right] : {std::pair{"q", by_q}, std::pair{"v", by_v}})
        for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
          Derivative d(model, {.of = Quantity::inverse, .by = by, .most = most});
          EXPECT_EQ(d.columns(), model.nv());
          EXPECT_FALSE(d.refused()) << model.name() << " " << to_string(*d.refused());
          Numbers got(d.size());
          d({m.q.data(), m.v.data(), m.a.data()}, {}, got);
          expect_near(got, {right.begin(), right.end()}, 1e-9, internal::cat(model.name(), " by ", by, ", seed ", seed));
        }
    }
}

TEST(LoopDerivative, OfEveryQuantity) {
  for (const Model& model : closed_robots()) {
    if (model.name() == "delta" && !soaks()) continue;  // its differences take seconds
    const ClosedMotion m = closed_motion(model, 3);
    for (const QuantityRow& row : quantities()) {
      if (!row.parts.empty()) continue;  // derivatives of derivatives
      for (const std::string_view by : row.inputs) {
        Derivative d(model, {.of = row.quantity, .by = std::string(by), .link = model.links().size() - 1});
        EXPECT_FALSE(d.refused()) << model.name() << " " << to_string(*d.refused());
        Numbers got(d.size());
        d({m.q.data(), m.v.data(), m.a.data()}, {}, got);
        expect_near(got, by_differences(model, row.quantity, m, std::string(by)), 1e-7, internal::cat(model.name(), " ", row.id, " by ", by));
      }
    }
  }
}

/// The Hessian of the potential energy times x is the derivative of gravity's torques along x: both in the independent coordinates.
TEST(LoopDerivative, SecondDerivativesAreThoseOfGravity) {
  for (const Model& model : closed_robots()) {
    if (model.base() == RootJoint::free) continue;
    const ClosedMotion m = closed_motion(model, 4);
    Random random(5);
    const Numbers x = random.numbers(model.nv(), -1, 1), y{0, 1};
    for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
      Derivative hessian(model, {.of = Quantity::energy, .by = "q", .product = Product::second, .most = most});
      Derivative gravity(model, {.of = Quantity::gravity, .by = "q", .product = Product::times, .most = most});
      EXPECT_FALSE(hessian.refused()) << model.name() << " " << to_string(*hessian.refused());
      Numbers got(model.nv()), wanted(model.nv());
      const Numbers rest(model.nv(), 0.0);
      hessian({m.q.data(), rest.data()}, {.x = x, .y = y}, got);
      gravity({m.q.data()}, {.x = x}, wanted);
      expect_near(got, wanted, 1e-10, model.name());
    }
  }
}

TEST(LoopDerivative, AWrongSignIsRefused) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("five-bar");
  const ClosedMotion m = closed_motion(model, 2);
  std::size_t tried = 0, seen = 0;
  for (const auto& [of, by] : {std::pair{Quantity::inverse, "q"}, {Quantity::forward, "tau"}, {Quantity::energy, "q"}, {Quantity::forward, "masses"}}) {
    const DerivativeOptions options{.of = of, .by = by};
    std::size_t sums = 0;
    {
      const Tampered counting({[&](std::string_view, internal::jit::Way, Program& program) { sums = sums_of(program); }});
      ASSERT_FALSE(Derivative(model, options).refused());
    }
    const std::size_t step = so_many<std::size_t>(std::max<std::size_t>(sums / 12, 1), 1);
    for (std::size_t k = step / 2; k < sums; k += step) {
      Numbers right(Derivative(model, options).size()), wrong(right.size());
      bool changes = false;
      const Tampered errors({[&](std::string_view, internal::jit::Way, Program& program) {
        const Program before = program;
        change_sign(program, k);
        Numbers in = m.q;  // only what is wrong in a state that can occur
        in.insert(in.end(), m.v.begin(), m.v.end()), in.insert(in.end(), m.a.begin(), m.a.end());
        in.resize(program.input_count(), 0.0);
        Evaluation a(before, {}), b(program, {});
        a(in, right), b(in, wrong);
        for (std::size_t i = 0; i < right.size(); ++i) changes = changes || !(std::abs(right[i] - wrong[i]) <= 1e-8 * (1 + largest_of(right)));
      }});
      const Derivative d(model, options);
      ++tried;
      seen += changes ? 1 : 0;
      EXPECT_TRUE(d.refused() || !changes) << to_string(of) << " by " << by << ", sum " << k;
      EXPECT_FALSE(d.refused() && d.compiled());
    }
  }
  EXPECT_GT(2 * seen, tried);
}

}  // namespace
}  // namespace ulna::test
