// Robots with loops through Dynamics, against multipliers in extended precision; derivatives against
// differences of these; a free base against joints that stand for it.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/analysis.hpp>

#include "loop/machines.hpp"
#include "support/builtin.hpp"
#include "support/compiled.hpp"
#include "support/rubbing.hpp"
#include "support/tampered.hpp"
#include "text/message.hpp"
#include "verify/multipliers.hpp"
#include "verify/reference.hpp"

namespace ulna::test {

namespace {

constexpr LoopType kTypes[] = {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical, LoopType::planar};

DynamicsOptions all_of_loops() {
  DynamicsOptions options;
  options.quantities = all_compiled();
  return options;
}

/// Built-in robots, and random loops of every type.
std::vector<Model> robots() {
  std::vector<Model> all;
  for (const BuiltinRobot& robot : test::builtin_loops()) all.push_back(load(std::string(robot.id), {.loops = LoopPolicy::honour}));
  for (const LoopType type : kTypes)
    for (const std::size_t more : {1, 2}) {
      const RandomLoop loop = random_loop(type, loop_rows(type) + more, 7);
      Diagnostics diagnostics;
      all.push_back(with_loops(build(loop.robot, diagnostics).value(), loop.loops));
    }
  return all;
}

struct Motion {
  std::vector<double> q, v, a;
};

Motion motion(const Model& model, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Mechanism loops = Mechanism::of(model);
  Motion m{model.reference(), {}, {}};
  for (double size = 0.2; size > 1e-3; size /= 2) {
    m.q = model.reference();
    for (std::size_t k = base_nv(model.base()); k < model.nv(); ++k) m.q[model.order().independent[k] + model.nq() - model.nv_tree()] += size * uniform(random);
    const Closure closure = loops.assemble(m.q);
    if (closure.closed && !closure.crossed && closure.singularity > std::min(0.02, model.singularity() / 2)) break;
  }
  for (std::size_t k = 0; k < model.nv(); ++k) m.v.push_back(uniform(random)), m.a.push_back(uniform(random));
  return m;
}

double size_of(const std::vector<double>& x) {
  double most = 1;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

void expect_same(const std::vector<double>& got, const std::vector<double>& wanted, double part, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  const double most = size_of(wanted);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], part * most) << what << " " << k;
}

std::vector<double> numbers(const std::vector<long double>& x) { return {x.begin(), x.end()}; }

/// A quantity through a Dynamics of doubles or floats: one state, and the same state in a batch, by lanes or by columns.
template <class T>
std::vector<double> by_dynamics(const DynamicsOf<T>& dynamics, Quantity quantity, const Motion& m, std::size_t states) {
  const QuantityRow& row = row_of(quantity);
  const std::vector<double>* in[] = {&m.q, &m.v, &m.a};
  std::vector<std::vector<T>> inputs;
  std::vector<MatrixView<const T>> views;
  for (std::size_t k = 0; k < row.inputs.size(); ++k) {
    std::vector<T>& all = inputs.emplace_back();
    for (std::size_t s = 0; s < states; ++s) all.insert(all.end(), in[k]->begin(), in[k]->end());
  }
  for (std::size_t k = 0; k < row.inputs.size(); ++k) views.push_back({inputs[k].data(), in[k]->size(), states});
  const std::size_t size = row.size(dynamics.model().sizes());
  std::vector<T> out(size * states);
  dynamics.compute_batch(quantity, views, {out.data(), size, states});
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(size * (states - 1));
  return {out.begin() + last, out.end()};
}

/// Columns are differences of torques.
std::vector<double> mass_by_multipliers(const Model& model, const std::vector<double>& q) {
  const std::size_t m = model.nv();
  const std::vector<double> rest(m, 0.0);
  const std::vector<long double> weight = internal::inverse_by_multipliers(model, q.data(), rest.data(), rest.data()).tau;
  std::vector<double> M;
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> unit = rest;
    unit[k] = 1;
    const std::vector<long double> column = internal::inverse_by_multipliers(model, q.data(), rest.data(), unit.data()).tau;
    for (std::size_t i = 0; i < m; ++i) M.push_back(static_cast<double>(column[i] - weight[i]));
  }
  return M;
}

TEST(Loops, DynamicsIsWhatMultipliersGive) {
  for (const Model& model : robots()) {
    const Mechanism loops = Mechanism::of(model);
    const Dynamics dynamics(model, all_of_loops());
    EXPECT_TRUE(dynamics.refused().empty()) << model.name() << ": " << to_string(dynamics.refused().front());
    const DynamicsOf<float> single(model);
    EXPECT_TRUE(single.refused().empty()) << model.name() << ": " << to_string(single.refused().front());
    const std::size_t m = model.nv();
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Motion at = motion(model, seed);
      const std::string name = model.name() + (model.loops().size() == 1 ? cat(" ", to_string(model.loops()[0].type)) : "");
      const auto right = internal::inverse_by_multipliers(loops, at.q.data(), at.v.data(), at.a.data(), {});
      const std::vector<double> rest(m, 0.0), M = mass_by_multipliers(model, at.q);
      const std::vector<double> bias = numbers(internal::inverse_by_multipliers(model, at.q.data(), at.v.data(), rest.data()).tau);
      const std::vector<double> gravity = numbers(internal::inverse_by_multipliers(model, at.q.data(), rest.data(), rest.data()).tau);
      std::vector<double> tau(m);
      for (const std::size_t states : {std::size_t{1}, 3 * dynamics.lanes() + 1}) {
        expect_same(by_dynamics(dynamics, Quantity::inverse, at, states), numbers(right.tau), 1e-11, name + " inverse");
        expect_same(by_dynamics(dynamics, Quantity::mass, at, states), M, 1e-11, name + " mass");
        expect_same(by_dynamics(dynamics, Quantity::bias, at, states), bias, 1e-11, name + " bias");
        expect_same(by_dynamics(dynamics, Quantity::gravity, at, states), gravity, 1e-11, name + " gravity");
        Motion forces = at;
        forces.a = numbers(right.tau);
        expect_same(by_dynamics(dynamics, Quantity::forward, forces, states), at.a, 1e-9, name + " forward");
        expect_same(by_dynamics(single, Quantity::inverse, at, states), numbers(right.tau), 1e-3, name + " inverse in floats");
      }
      dynamics.inverse(at.q, at.v, at.a, tau);
      expect_same(tau, numbers(right.tau), 1e-11, name + " one call");
    }
  }
}

TEST(Loops, EveryCompiledQuantityIsTheTemplates) {
  for (const Model& model : robots()) {
    const Dynamics compiled(model, all_of_loops());
    DynamicsOptions plain = all_of_loops();
    plain.most = InstructionSet::none;
    const Dynamics templates(model, plain);
    const Motion at = motion(model, 5);
    for (const Quantity quantity : {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis, Quantity::forward,
                                    Quantity::mass_inverse, Quantity::inverse_derivatives, Quantity::forward_derivatives, Quantity::regressor}) {
      const std::vector<double> wanted = by_dynamics(templates, quantity, at, 1);
      expect_same(by_dynamics(compiled, quantity, at, 1), wanted, 1e-9, model.name() + " " + std::string(to_string(quantity)));
      expect_same(by_dynamics(compiled, quantity, at, 2 * compiled.lanes() + 1), wanted, 1e-9, model.name() + " lanes of " + std::string(to_string(quantity)));
      EXPECT_EQ(compiled.compiled(quantity), best_instruction_set() != InstructionSet::none) << model.name() << " " << to_string(quantity);
    }
  }
}

/// By multipliers, at a closed configuration near q.
std::vector<double> torques_near(const Mechanism& loops, std::vector<double> q, std::size_t coordinate, double step, const Motion& at) {
  q[coordinate] += step;
  EXPECT_TRUE(loops.close(q).closed);
  return numbers(internal::inverse_by_multipliers(loops, q.data(), at.v.data(), at.a.data(), {}).tau);
}

TEST(Loops, DerivativesAreDifferencesAlongClosedMotions) {
  for (const Model& model : robots()) {
    const Mechanism loops = Mechanism::of(model);
    const Dynamics dynamics(model, all_of_loops());
    const std::size_t m = model.nv();
    const Motion at = motion(model, 3);
    const std::vector<double> d = by_dynamics(dynamics, Quantity::inverse_derivatives, at, 1);
    std::vector<double> wanted(m * m);
    constexpr double kStep = 1e-4;
    for (std::size_t k = 0; k < m; ++k) {
      const auto near = [&](double steps) { return torques_near(loops, at.q, model.order().independent[k], steps * kStep, at); };
      const auto more = near(1), less = near(-1), most = near(2), least = near(-2);
      for (std::size_t j = 0; j < m; ++j) wanted[j + k * m] = (8 * (more[j] - less[j]) - (most[j] - least[j])) / (12 * kStep);
    }
    expect_same({d.begin(), d.begin() + static_cast<std::ptrdiff_t>(m * m)}, wanted, 1e-7, model.name() + " by q");
    for (std::size_t k = 0; k < m; ++k) {
      Motion faster = at, slower = at;
      faster.v[k] += kStep, slower.v[k] -= kStep;
      const auto more = numbers(internal::inverse_by_multipliers(loops, at.q.data(), faster.v.data(), at.a.data(), {}).tau);
      const auto less = numbers(internal::inverse_by_multipliers(loops, at.q.data(), slower.v.data(), at.a.data(), {}).tau);
      for (std::size_t j = 0; j < m; ++j) wanted[j + k * m] = (more[j] - less[j]) / (2 * kStep);
    }
    expect_same({d.begin() + static_cast<std::ptrdiff_t>(m * m), d.begin() + static_cast<std::ptrdiff_t>(2 * m * m)}, wanted, 1e-7, model.name() + " by v");
    const std::vector<double> M = mass_by_multipliers(model, at.q);
    expect_same({d.begin() + static_cast<std::ptrdiff_t>(2 * m * m), d.end()}, M, 1e-11, model.name() + " by a");
    // a(q, v, tau(q, v, a)) = a: ∂a/∂q = -M⁻¹ ∂tau/∂q.
    Motion forces = at;
    forces.a = by_dynamics(dynamics, Quantity::inverse, at, 1);
    const std::vector<double> f = by_dynamics(dynamics, Quantity::forward_derivatives, forces, 1);
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = 0; i < m; ++i) {
          double sum = d[i + (part * m + k) * m], size = std::abs(sum);
          for (std::size_t j = 0; j < m; ++j) sum += M[i + j * m] * f[j + (part * m + k) * m], size += std::abs(M[i + j * m] * f[j + (part * m + k) * m]);
          EXPECT_NEAR(sum, 0, 1e-8 * (1 + size)) << model.name();
        }
  }
}

TEST(Loops, LawsOfMechanics) {
  for (const Model& model : robots()) {
    const Mechanism loops = Mechanism::of(model);
    const Dynamics dynamics(model, all_of_loops());
    const std::size_t m = model.nv(), bodies = model.sizes().bodies;
    const Motion at = motion(model, 2);
    // C v = bias - gravity, and Ṁ - 2 C is skew-symmetric.
    const std::vector<double> C = by_dynamics(dynamics, Quantity::coriolis, at, 1), bias = by_dynamics(dynamics, Quantity::bias, at, 1),
                              gravity = by_dynamics(dynamics, Quantity::gravity, at, 1);
    std::vector<double> product(m), wanted(m);
    for (std::size_t i = 0; i < m; ++i) {
      wanted[i] = bias[i] - gravity[i];
      for (std::size_t k = 0; k < m; ++k) product[i] += C[i + k * m] * at.v[k];
    }
    expect_same(product, wanted, 1e-10, model.name() + " C v");
    const double step = 1e-6;
    const std::vector<double> speeds = numbers(internal::inverse_by_multipliers(model, at.q.data(), at.v.data(), at.v.data()).v);
    std::vector<double> M[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> q = at.q;
      for (std::size_t k = 0; k < q.size(); ++k) q[k] += (side == 0 ? -step : step) * speeds[k];
      ASSERT_TRUE(loops.close(q).closed);
      M[side] = mass_by_multipliers(model, q);
    }
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < m; ++k) {
        const auto N = [&](std::size_t a, std::size_t b) { return (M[1][a + b * m] - M[0][a + b * m]) / (2 * step) - 2 * C[a + b * m]; };
        EXPECT_NEAR(N(i, k) + N(k, i), 0, 2e-6 * (size_of(C) + size_of(M[0]))) << model.name();
      }
    // tau = Y pi, but for rotors.
    std::vector<double> Y = by_dynamics(dynamics, Quantity::regressor, at, 1), sum(m, 0.0), tau(m);
    const std::vector<Parameter> pi = body_parameters(without_loops(model));
    ASSERT_EQ(pi.size(), kBodyParameters * bodies);
    for (std::size_t k = 0; k < pi.size(); ++k)
      for (std::size_t i = 0; i < m; ++i) sum[i] += Y[i + k * m] * pi[k].value;
    dynamics.inverse(at.q, at.v, at.a, tau, Effects{.rotor = false});
    expect_same(sum, tau, 1e-10, model.name() + " Y pi");
  }
}

// Every term of every joint, and at the drives what loads take, against the reference; forward dynamics undo it.
TEST(Loops, FrictionHasEveryTerm) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RandomLoop loop = random_loop(seed % 2 == 0 ? LoopType::spherical : LoopType::revolute, seed % 2 == 0 ? 5 : 7, seed);
    Diagnostics diagnostics;
    const Model model = with_whole_friction(with_loops(build(loop.robot, diagnostics).value(), loop.loops), seed);
    const Dynamics dynamics(model, {.friction = true, .threads = 1});
    const Motion at = motion(model, seed);
    const auto wide = [](const std::vector<double>& x) { return std::vector<internal::Reference::Real>(x.begin(), x.end()); };
    std::vector<internal::Reference::Real> right;
    internal::Reference(model, {.friction = true}).torque(wide(at.q), wide(at.v), wide(at.a), right);
    std::vector<double> tau(model.nv());
    dynamics.inverse(at.q, at.v, at.a, tau);
    expect_same(tau, std::vector<double>(right.begin(), right.end()), 1e-11, model.name());
    Motion forces = at;
    forces.a = tau;
    expect_same(by_dynamics(dynamics, Quantity::forward, forces, 3), at.a, 1e-8, "forward");
  }
}

TEST(Loops, FrictionIsOfEveryJoint) {
  RandomLoop loop = random_loop(LoopType::spherical, 5, 3);
  double size = 0.1;
  for (Description::JointEntry& entry : loop.robot.joints) entry.joint.friction.viscous = size += 0.07, entry.joint.friction.coulomb = 0.3 * size;
  Diagnostics diagnostics;
  const Model model = with_loops(build(loop.robot, diagnostics).value(), loop.loops);
  const Dynamics dynamics(model, {.friction = true});
  const Motion at = motion(model, 4);
  const auto right = internal::inverse_by_multipliers(Mechanism::of(model), at.q.data(), at.v.data(), at.a.data(), {.friction = true});
  std::vector<double> tau(model.nv());
  dynamics.inverse(at.q, at.v, at.a, tau);
  expect_same(tau, numbers(right.tau), 1e-11, "one state");
  expect_same(by_dynamics(dynamics, Quantity::inverse, at, 2 * dynamics.lanes() + 1), numbers(right.tau), 1e-11, "a batch");
  Motion forces = at;
  forces.a = tau;
  expect_same(by_dynamics(dynamics, Quantity::forward, forces, 2 * dynamics.lanes() + 1), at.a, 1e-9, "forward");
}

TEST(Loops, AFreeBaseIsJointsThatStandForIt) {
  const RandomLoop loop = random_loop(LoopType::spherical, 5, 11);
  Diagnostics diagnostics;
  const Model tree = build(loop.robot, diagnostics).value();
  for (const RootJoint base : {RootJoint::planar, RootJoint::free}) {
    const Model model = with_loops(with_base(tree, base), loop.loops);
    const std::size_t first = base_nv(base), m = model.nv();
    ASSERT_EQ(m, first + 2);
    EXPECT_EQ(model.nq(), base_nq(base) + 5);
    LoopDescription same = loop.loops;
    const Model with_joints = with_base_as_joints(with_base(tree, base));
    for (const std::size_t k : model.order().independent) same.motors.push_back(with_joints.coordinate_names()[k]);
    const Mechanism joints(with_joints, same);
    ASSERT_EQ(joints.mobility(), m);
    const Dynamics dynamics(model);
    EXPECT_TRUE(dynamics.refused().empty());
    Motion at = motion(model, 1);
    for (std::size_t k = 0; base == RootJoint::free && k < 2; ++k) at.v[k] = 0;  // rotations about one axis alone: then rates of the joints are the base's
    // Of joints: along x, y, z, then about x, y, z.
    Motion other{std::vector<double>(joints.nv()), at.v, at.a};
    const auto swap = [&](std::vector<double>& x) {
      if (base == RootJoint::free) std::rotate(x.begin(), x.begin() + 3, x.begin() + 6);
    };
    swap(other.v), swap(other.a);
    std::copy(at.q.begin() + static_cast<std::ptrdiff_t>(base_nq(base)), at.q.end(), other.q.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<std::size_t> order;  // of the other's independent coordinates
    std::vector<double> u(m), u_dot(m), wanted(m), tau(m);
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t coordinate = joints.independent()[k];
      const auto own = model.order().independent;
      const std::size_t place = static_cast<std::size_t>(std::find(own.begin(), own.end(), coordinate) - own.begin());
      ASSERT_LT(place, m);
      order.push_back(place), u[k] = other.v[place], u_dot[k] = other.a[place];
    }
    const auto right = internal::inverse_by_multipliers(joints, other.q.data(), u.data(), u_dot.data(), {});
    for (std::size_t k = 0; k < m; ++k) wanted[order[k]] = static_cast<double>(right.tau[k]);
    if (base == RootJoint::free) std::rotate(wanted.begin(), wanted.begin() + 3, wanted.begin() + 6);
    dynamics.inverse(at.q, at.v, at.a, tau);
    expect_same(tau, wanted, 1e-11, std::string(to_string(base)));
    Motion forces = at;
    forces.a = tau;
    expect_same(by_dynamics(dynamics, Quantity::forward, forces, 9), at.a, 1e-9, std::string(to_string(base)) + " forward");
  }
}

TEST(Loops, AreClosedFromIndependentPositionsAlone) {
  for (const Model& model : robots()) {
    const Mechanism loops = Mechanism::of(model);
    const Dynamics dynamics(model);
    const std::size_t m = model.nv(), states = 6;
    std::vector<double> given, q(model.nq() * states), wanted;
    for (unsigned seed = 1; seed <= states; ++seed) {
      const Motion at = motion(model, seed);
      for (const std::size_t k : model.order().independent) given.push_back(at.q[k]);
      wanted.insert(wanted.end(), at.q.begin(), at.q.end());
    }
    EXPECT_EQ(dynamics.close_batch({given.data(), m, states}, {q.data(), model.nq(), states}), states);
    expect_same(q, wanted, 1e-11, model.name());
    std::vector<double> open(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(model.nq()));
    for (const std::size_t k : model.dependent()) open[k] += 1e-3;
    std::vector<double> newton = open;
    EXPECT_TRUE(dynamics.close(open).closed);
    EXPECT_LT(dynamics.close(newton.data(), 4), 1e-12);
    expect_same(newton, open, 1e-11, model.name() + " by Newton's method");
    // Two steps say what was left after the first; none measure.
    for (const std::size_t k : model.dependent()) newton[k] += 1e-3;
    std::vector<double> once = newton;
    const double far = dynamics.close(newton.data(), 0);
    EXPECT_GT(far, 1e-5);
    EXPECT_EQ(dynamics.close(once.data(), 1), far);
    const double near = dynamics.close(once.data(), 0);
    EXPECT_LT(near, 0.05 * far);
    EXPECT_EQ(dynamics.close(newton.data(), 2), near);
    EXPECT_LT(dynamics.close(newton.data(), 0), std::max(1e-14, 0.05 * near));
  }
}

TEST(Loops, AWrongProgramIsRefused) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  constexpr Quantity kAll[] = {Quantity::inverse,
                               Quantity::mass,
                               Quantity::forward,
                               Quantity::bias,
                               Quantity::gravity,
                               Quantity::mass_inverse,
                               Quantity::coriolis,
                               Quantity::inverse_derivatives,
                               Quantity::regressor,
                               Quantity::closure,
                               Quantity::forward_derivatives};
  const Model model = load("palletizer", {.loops = LoopPolicy::honour});
  for (const Quantity quantity : kAll) {
    std::size_t tried = 0, refused = 0;
    for (const double place : {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95}) {
      bool changed = false;
      Program right, wrong;
      const Tampered errors({.program =
                                 [&](std::string_view name, jit::Way way, Program& program) {
                                   if (name != to_string(quantity) || way != jit::Way::one) return;
                                   right = program;
                                   change_sign(program, static_cast<std::size_t>(place * static_cast<double>(sums_of(program))));
                                   wrong = program;
                                   if (program.parameter_count() == 0) changed = differ(right, wrong);
                                 },
                             .parameters =
                                 [&](std::string_view name, jit::Way way, const std::vector<double>& p) {
                                   if (name == to_string(quantity) && way == jit::Way::one && !p.empty()) changed = differ(right, wrong, p, p);
                                 }});
      const Dynamics dynamics(model, all_of_loops());
      if (!changed) continue;
      ++tried;
      for (const RefusedKernel& kernel : dynamics.refused()) refused += kernel.quantity == quantity && kernel.lanes == 1 ? 1 : 0;
    }
    EXPECT_GT(tried, 0u) << to_string(quantity);
    EXPECT_EQ(refused, tried) << to_string(quantity);
  }
}

}  // namespace

}  // namespace ulna::test
