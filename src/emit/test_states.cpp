#include "emit/test_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include <ulna/verify/verify.hpp>

#include "emit/loop_sampler.hpp"
#include "emit/passed.hpp"
#include "expr/ready.hpp"
#include "formulation/compute_expr.hpp"
#include "model/link_named.hpp"
#include "model/moving_tree.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"
#include "verify/bounds.hpp"

namespace ulna::internal {

namespace {

using Extended = Reference::Real;

/// Rounded to what the generated code can hold.
std::vector<double> held(std::vector<double> numbers, Real real) {
  if (real == Real::single_precision)
    for (double& x : numbers) x = static_cast<float>(x);
  return numbers;
}
std::vector<Extended> extended(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

/// How far a result may be from the exact one, in parts of the terms it is the sum of: twice the roundings that `ulna verify` allows, because the compiler and
/// its sine are not known here, and what snapping turned the frames by, which may enter a term four times (two rates, a lever, an axis).
struct Allowed {
  Allowed(const Model& model, const GenerateOptions& options)
      : eps(options.real == Real::double_precision ? std::numeric_limits<double>::epsilon() : static_cast<double>(std::numeric_limits<float>::epsilon())),
        roundings(16 * static_cast<double>(model.joints().size() + 1) * eps) {
    const MovingTree tree = merge_fixed(model, options.snap);
    snapped = 4 * (3 * tree.largest_snap * static_cast<double>(tree.snapped.size()));  // a matrix of nine entries that change by s changes by 3 s
  }
  double all() const { return roundings + snapped; }
  double eps, roundings, snapped = 0;
};

/// Of a robot with loops: what rounding does to the kernels in the precision of the code, that of closed positions included, here and in states nearby, one of
/// which alone might be lucky. It is far less than elimination might make of it.
template <class T>
double measured_rounding(const Plan& plan, Quantity quantity, const InputsOf<double>& given, const Effects& effects) {
  const Sizes sizes = plan.sizes();
  const auto run = [&]<class P, class Q, class U>(const PlanOf<P>& at, const std::vector<Q>& q, U) {
    const auto numbers = [](const auto* first, std::size_t count) { return std::vector<U>(first, first + count); };
    const std::vector<U> own = numbers(q.data(), sizes.nq), v = numbers(given.v, sizes.nv), last = numbers(given.last, sizes.nv);
    std::vector<WrenchOf<U>> wrenches;
    for (const Wrench& w : effects.wrenches) wrenches.push_back({w.link, w.axes, w.force.cast<U>(), w.moment.cast<U>()});
    EffectsOf<U> acting;
    acting.friction = effects.friction;
    acting.wrenches = wrenches;
    std::vector<U> out(row_of(quantity).size(sizes));
    WorkspaceOf<U> ws(at);
    kernel::compute_closed(quantity, at, ws, InputsOf<U>{own.data(), v.data(), last.data(), given.link}, out.data(), acting, 0);
    return out;
  };
  const PlanOf<T> rounded = plan.cast<T>();
  double most = 0;
  for (int k = 0; k < 8; ++k) {
    std::vector<T> q(given.q, given.q + sizes.nq);
    for (T& x : q) x *= T(1) + T(64 * k) * std::numeric_limits<T>::epsilon();
    const std::vector<Extended> right = k == 0 ? run(plan, std::vector<double>(given.q, given.q + sizes.nq), Extended{}) : run(plan, q, Extended{});
    const std::vector<T> rough = run(rounded, q, T{});
    for (std::size_t i = 0; i < right.size(); ++i)
      most = std::max(most, static_cast<double>(std::abs(Extended{rough[i]} - right[i]) + std::numeric_limits<T>::epsilon() * std::abs(right[i])));
  }
  return most;
}

/// As the reference takes it: a planar base is joints, which have the same coordinates, and links before the model's.
Model referred(const Model& model) { return model.base() == RootJoint::planar ? with_base_as_joints(model) : model; }

/// What friction takes of each coordinate: viscous v + Coulomb sign(v).
struct Friction {
  Friction(const Model& model, bool wanted) : viscous(model.nv(), 0), coulomb(model.nv(), 0) {
    const std::size_t base = model.nv() - model.independent().size();
    for (std::size_t j = 0; wanted && j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      if (joint.type == JointType::fixed) continue;
      const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
      const double multiplier = joint.mimic ? joint.mimic->multiplier : 1;
      for (std::size_t k = 0; k < model.independent().size(); ++k)
        if (model.independent()[k] == leader)
          viscous[base + k] += multiplier * multiplier * joint.viscous, coulomb[base + k] += std::fabs(multiplier) * joint.coulomb;
    }
  }
  Extended operator()(std::size_t k, Extended v, Extended side) const { return Extended{viscous[k]} * v + Extended{coulomb[k]} * ((side > 0) - (side < 0)); }
  Extended operator()(std::size_t k, double v) const { return (*this)(k, Extended{v}, Extended{v}); }
  /// Of all coordinates of v, with the signs of these speeds of the tree. Of a robot with loops the power is that of the tree's joints.
  std::vector<Extended> all(const Reference& reference, const std::vector<Extended>& q, const std::vector<Extended>& v,
                            const std::vector<Extended>& sides) const {
    std::vector<Extended> lost = reference.speeds(q, v), out(v.size(), 0);
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = (*this)(i, lost[i], sides[i]);
    if (!reference.closed()) return lost;
    for (std::size_t j = 0; j < v.size(); ++j) {
      const std::vector<Extended> way = reference.moved_by(q, j);
      for (std::size_t i = 0; i < lost.size(); ++i) out[j] += way[i] * lost[i];
    }
    return out;
  }
  /// As enter(), of a robot with loops: derivatives by q are differences of sixth order along closed motions, by v they are exact.
  double enter_closed(Quantity quantity, const Reference& reference, const std::vector<Extended>& q, const std::vector<Extended>& v,
                      std::vector<Extended>& result, const std::vector<Extended>& inverse) const {
    const std::size_t n = v.size();
    const std::vector<Extended> sides = reference.speeds(q, v), taken = all(reference, q, v, sides), rest(n, 0);
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      most = std::max(most, static_cast<double>(std::abs(taken[i])));
      if (quantity == Quantity::inverse || quantity == Quantity::bias) result[i] += taken[i];
    }
    if (row_of(quantity).parts.empty()) return most;
    std::vector<Extended> change(2 * n * n, 0);
    constexpr std::pair<int, Extended> kDifferences[] = {{1, 45}, {2, -9}, {3, 1}};
    const Extended step = 1e-3L / reference.condition(q);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<Extended> unit = rest, faster = v, slower = v;
      unit[k] = 1, faster[k] += 1, slower[k] -= 1;
      for (const auto& [far, weight] : kDifferences)
        for (const int sign : {1, -1}) {
          const std::vector<Extended> there = all(reference, reference.along(q, unit, rest, sign * far * step), v, sides);
          for (std::size_t i = 0; i < n; ++i) change[i + k * n] += sign * weight * there[i] / (60 * step);
        }
      const std::vector<Extended> more = all(reference, q, faster, sides), less = all(reference, q, slower, sides);
      for (std::size_t i = 0; i < n; ++i) change[i + (n + k) * n] = (more[i] - less[i]) / 2;
    }
    for (std::size_t j = 0; j < 2 * n; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        Extended sum = change[i + j * n];
        for (std::size_t k = 0; quantity == Quantity::forward_derivatives && k < n; ++k) sum = (k == 0 ? 0 : sum) - inverse[i + k * n] * change[k + j * n];
        result[i + j * n] += sum;
        most = std::max(most, static_cast<double>(std::abs(sum)));
      }
    return most;
  }
  double size(std::size_t k, double v) const { return std::fabs(viscous[k] * v) + coulomb[k]; }
  /// Adds it to the torques, or what it changes of accelerations' derivatives; `inverse` is M⁻¹. Returns how large what it added is.
  double enter(Quantity quantity, const std::vector<double>& v, std::vector<Extended>& result, const std::vector<Extended>& inverse) const {
    const std::size_t n = v.size();
    double most = 0;
    for (std::size_t k = 0; k < n; ++k) {
      switch (quantity) {
        case Quantity::inverse:
        case Quantity::bias:
          result[k] += (*this)(k, v[k]);
          most = std::max(most, size(k, v[k]));
          break;
        case Quantity::inverse_derivatives:
          result[n * n + k * n + k] += viscous[k];
          most = std::max(most, viscous[k]);
          break;
        case Quantity::forward:
          for (std::size_t i = 0; i < n; ++i) most = std::max(most, static_cast<double>(n) * static_cast<double>(std::abs(inverse[k * n + i])) * size(k, v[k]));
          break;
        case Quantity::forward_derivatives:
          for (std::size_t i = 0; i < n; ++i) {
            const Extended change = inverse[k * n + i] * viscous[k];
            result[n * n + k * n + i] -= change;
            most = std::max(most, static_cast<double>(std::abs(change)));
          }
          break;
        default: break;
      }
    }
    return most;
  }

  std::vector<double> viscous, coulomb;
};

/// Forces and moments of some newtons: the same on every computer.
std::vector<double> next_wrench(std::minstd_rand& random) {
  std::vector<double> wrench(6);
  for (double& x : wrench) x = (static_cast<double>(random() % 2001) - 1000) / 64;
  return wrench;
}

/// A small body, the same on every computer.
Payload next_load(std::minstd_rand& random) {
  const auto next = [&] { return static_cast<double>(random() % 1024) / 1024; };
  const double mass = 0.5 + next();
  const Vec3<double> c{0.1 * next(), 0.1 * next(), 0.1 * next()};
  const double a = 0.01 * (1 + next()), b = 0.01 * (1 + next()), d = 0.01 * (1 + next());
  return {mass, c, {b + d, a + d, a + b, 0.001 * next(), 0.001 * next(), 0.001 * next()}};
}

/// Run-time parameters of one state of a self-test, and the robot with them.
struct RunTimeState {
  Model model;
  std::vector<double> parameters;
};
RunTimeState next_parameters(const Model& model, const std::vector<RunTimeInput>& inputs, std::minstd_rand& random, Real real) {
  RunTimeState state{model, {}};
  const auto single = [real](double x) { return real == Real::single_precision ? static_cast<double>(static_cast<float>(x)) : x; };
  const auto take = [&](const Payload& p) {
    for (const double x : {p.mass, p.com.x, p.com.y, p.com.z, p.inertia.xx, p.inertia.yy, p.inertia.zz, p.inertia.xy, p.inertia.xz, p.inertia.yz})
      state.parameters.push_back(single(x));
  };
  for (const RunTimeInput& input : inputs) {
    const Link& before = state.model.links()[input.link];
    Payload load = next_load(random);
    if (input.kind == RunTimeInput::mass) load = {load.mass, before.com, {}};
    const std::string name = before.name;
    state.model = with_payload(state.model, name, load);
    const Link& after = state.model.links()[input.link];
    if (input.kind == RunTimeInput::payload) take(load);
    if (input.kind == RunTimeInput::mass) state.parameters.push_back(single(after.mass));
    if (input.kind == RunTimeInput::body) take({after.mass, after.com, after.inertia});
  }
  return state;
}

std::vector<double> folded(const Program& fold, const std::vector<double>& parameters) {
  std::vector<double> table(fold.results.size());
  Evaluation evaluation(fold);
  evaluation(parameters, table);
  return table;
}

}  // namespace

std::size_t link_of(const Model& model, const GenerateOptions& options) {
  return options.link.empty() ? model.links().size() - 1 : link_named(model, options.link);
}

bool needs_matrices(Quantity quantity) {
  return quantity == Quantity::mass || quantity == Quantity::coriolis || quantity == Quantity::forward || quantity == Quantity::energy ||
         !row_of(quantity).parts.empty();
}

std::vector<Extended> by_kernels(const Plan& plan, Quantity quantity, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a,
                                 bool friction) {
  std::vector<Extended> out(row_of(quantity).size(plan.sizes()));
  WorkspaceOf<Extended> ws(plan);
  const std::vector<Extended> at = extended(q), rates = extended(v), last = extended(a);
  EffectsOf<Extended> effects;
  effects.friction = friction;
  kernel::compute(quantity, plan, ws, InputsOf<Extended>{at.data(), rates.data(), last.data()}, out.data(), effects);
  return out;
}

std::vector<TestState> fold_tests(const Model& model, const Program& fold, const std::vector<RunTimeInput>& inputs, const GenerateOptions& options) {
  std::vector<TestState> tests;
  std::minstd_rand random(20);
  for (std::size_t k = 0; k < options.test_states; ++k) {
    TestState state;
    state.inputs = next_parameters(model, inputs, random, options.real).parameters;
    const std::vector<double> numbers = folded(fold, state.inputs);
    state.expected.assign(numbers.begin(), numbers.end());
    double size = 0;
    for (const double x : numbers) size = std::max(size, std::fabs(x));
    state.tolerance = Allowed(model, options).all() * size;
    tests.push_back(std::move(state));
  }
  return tests;
}

std::vector<TestState> speeds_tests(const Model& model, const GenerateOptions& options) {
  std::vector<TestState> tests;
  ClosedStates states(model, 20);
  for (std::size_t k = 0; k < options.test_states; ++k) {
    std::vector<double> q, v, a;
    states.next(q, v, a);
    v = held(v, options.real);
    const Reference reference(referred(model));
    const std::vector<Extended> at = extended(q);
    double size = 0;
    for (std::size_t j = 0; j < v.size(); ++j)
      for (const Extended x : reference.moved_by(at, j)) size = std::max(size, static_cast<double>(v.size()) * static_cast<double>(std::abs(x * v[j])));
    // Positions are rounded, too.
    size *= static_cast<double>(reference.condition(at));
    tests.push_back({held(q, options.real), reference.speeds(at, extended(v)), Allowed(without_loops(model), options).all() * size});
    tests.back().inputs.insert(tests.back().inputs.end(), v.begin(), v.end());
  }
  return tests;
}

std::vector<TestState> test_states(const Model& given, const QuantityRow& row, const GenerateOptions& options, const std::vector<RunTimeInput>& run_time,
                                   const Program* fold) {
  const Model tree = without_loops(given);
  const Friction friction(tree, options.friction && row.influences.friction);
  const bool pushed = !options.wrench_at.empty() && row.influences.wrenches;
  const Allowed part(tree, options);
  StateSampler sampler(tree, 20);
  std::optional<ClosedStates> closed;
  if (given.closed()) closed.emplace(given, 20);
  std::minstd_rand random(20);
  const std::size_t n = given.nv(), before = referred(tree).links().size() - given.links().size(), link = row.of_link ? link_of(given, options) + before : 0;
  std::vector<TestState> states;
  for (std::size_t k = 0; k < options.test_states; ++k) {
    const RunTimeState own = next_parameters(given, run_time, random, options.real);
    const Model &model = own.model, as_taken = referred(model);
    std::vector<double> q, v, a;
    closed ? closed->next(q, v, a) : sampler.next(q, v, a);
    const std::vector<double> exact_q = q;  // loops are closed there, and not at the nearest floats
    q = held(q, options.real), v = held(v, options.real), a = held(a, options.real);
    const std::vector<double>& at = closed ? exact_q : q;
    if (row.quantity == Quantity::bias || row.quantity == Quantity::gravity) a.assign(n, 0);
    if (row.quantity == Quantity::gravity) v.assign(n, 0);
    const std::vector<double> wrench = pushed ? held(next_wrench(random), options.real) : std::vector<double>{};
    Acting acting;
    if (pushed) {
      const std::size_t body = link_named(model, options.wrench_at) + before - 1;  // of the root kNone, which the ground holds unless it is free
      if (body != kNone || model.base() == RootJoint::free)
        acting.loads.push_back({body, {}, Axes::link, {wrench[0], wrench[1], wrench[2]}, {wrench[3], wrench[4], wrench[5]}});
    }
    const Reference reference(as_taken, acting);
    Terms terms(model);
    terms.act(acting);
    const Bounds bounds(reference, terms, at, v, a, needs_matrices(row.quantity));
    const std::vector<Extended> ql = extended(at), vl = extended(v), speeds = reference.speeds(ql, vl);
    // The torques that belong to a, rounded; so a is what comes back, up to what rounding does to the torques and M⁻¹ to that.
    std::vector<double> tau;
    std::vector<Extended> needed = friction.all(reference, ql, vl, speeds);
    for (std::size_t i = 0; i < n; ++i) tau.push_back(static_cast<double>(needed[i] += bounds.tau[i]));
    tau = held(tau, options.real);
    // What closes loops is tried where they are open.
    for (const std::size_t i : given.dependent())
      if (row.quantity == Quantity::closure)
        q[i + (q.size() - given.nv_tree())] = held({q[i + (q.size() - given.nv_tree())] + 0.01 * static_cast<double>(1 + i % 3)}, options.real)[0];
    TestState state;
    for (const std::string_view input : row.inputs) {
      const std::vector<double>& numbers = input == "q" ? q : input == "v" ? v : input == "a" ? a : tau;
      state.inputs.insert(state.inputs.end(), numbers.begin(), numbers.end());
    }
    state.inputs.insert(state.inputs.end(), wrench.begin(), wrench.end());
    if (fold != nullptr) {
      const std::vector<double> table = held(folded(*fold, own.parameters), options.real);
      state.inputs.insert(state.inputs.end(), table.begin(), table.end());
    }
    double size = 0;
    const auto expect = [&](std::vector<Extended> expected, double terms_of_it) { state.expected = std::move(expected), size = terms_of_it; };
    double way = terms.blurred(q) * (1 + terms.extent(q).reach);
    // How much of the tree's terms a coordinate has, and how much larger elimination makes their rounding.
    double spread = 1;
    for (std::size_t j = 0; closed && j < n; ++j) {
      Extended sum = 0;
      for (const Extended x : reference.moved_by(ql, j)) sum += std::abs(x);
      spread = std::max(spread, static_cast<double>(sum * reference.condition(ql)));
    }
    if (model.base() == RootJoint::free) way += std::fabs(q[0]) + std::fabs(q[1]) + std::fabs(q[2]);
    switch (row.quantity) {
      case Quantity::energy: {
        for (std::size_t i = 0; i < n * n; ++i) size += std::fabs(v[i / n] * v[i % n]) * bounds.mass_bound[i];
        const Link& root = model.links()[0];  // its potential energy never changes, but is in the sum
        const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
        size += length(model.gravity()) * (terms.extent(q).first + std::fabs(root.mass) * length(root.com));
        if (model.base() == RootJoint::free) size += length(model.gravity()) * terms.extent(q).mass * length({q[0], q[1], q[2]});
        expect({reference.kinetic(ql, vl), reference.potential(ql)}, size);
        break;
      }
      case Quantity::pose: {
        std::vector<Extended> numbers(12);
        kernel::write(reference.pose(ql, link), numbers.data());
        expect(std::move(numbers), way);
        break;
      }
      case Quantity::regressor: {
        std::vector<Extended> numbers;
        reference.regressor(ql, vl, extended(a), numbers);
        const std::vector<Extended> accelerations = reference.accelerations(ql, vl, extended(a));
        const std::vector<double> v_tree(speeds.begin(), speeds.end()), a_tree(accelerations.begin(), accelerations.end());
        for (const Terms::Share& share : terms.shares())
          for (const Terms::Size& one : terms.unit_parameters(q, v_tree, a_tree)) size = std::max(size, share.force * one.force + share.moment * one.moment);
        expect(std::move(numbers), spread * size);
        break;
      }
      case Quantity::jacobian: expect(reference.jacobian(ql, link), spread * (terms.fastest() * way)); break;
      case Quantity::closure: expect(by_kernels(make_plan(given, {.snap = options.snap}), Quantity::closure, q), spread * std::pow(1 + way, 3)); break;
      default: expect(bounds.of(row.quantity).value, largest(bounds.of(row.quantity).bound));
    }
    std::vector<Extended> inverse;
    if (row.takes("tau")) inverse.assign(bounds.forward_derivatives.begin() + static_cast<std::ptrdiff_t>(2 * n * n), bounds.forward_derivatives.end());
    if (options.friction && row.influences.friction)
      size +=
          closed ? friction.enter_closed(row.quantity, reference, ql, vl, state.expected, inverse) : friction.enter(row.quantity, v, state.expected, inverse);
    state.tolerance = part.all() * size;
    if (closed) {
      for (std::size_t i = 0; i < n * n && row.quantity == Quantity::forward; ++i) state.expected[i % n] += inverse[i] * (tau[i / n] - needed[i / n]);
      constexpr double kOfMeasured = 64;  // programs have other roundings than the kernels, which are as large
      const Plan plan = make_plan(own.model, {.snap = options.snap});
      const std::vector<Wrench> wrenches(pushed ? 1 : 0, Wrench{pushed ? link_named(own.model, options.wrench_at) : 0, Axes::link,
                                                                pushed ? Vec3<double>{wrench[0], wrench[1], wrench[2]} : Vec3<double>{},
                                                                pushed ? Vec3<double>{wrench[3], wrench[4], wrench[5]} : Vec3<double>{}});
      const Effects effects{.friction = options.friction && row.influences.friction, .wrenches = wrenches};
      const InputsOf<double> in{row.quantity == Quantity::closure ? q.data() : at.data(), v.data(), row.takes("tau") ? tau.data() : a.data(),
                                row.of_link ? link_of(given, options) : kNone};
      const double measured = options.real == Real::single_precision ? measured_rounding<float>(plan, row.quantity, in, effects)
                                                                     : measured_rounding<double>(plan, row.quantity, in, effects);
      state.tolerance = part.snapped * size + std::min(part.roundings * size, kOfMeasured * measured);
    }
    states.push_back(std::move(state));
  }
  return states;
}

void require_pivots(const Model& model, Quantity quantity, const Generated& made, const GenerateOptions& options) {
  if (options.real != Real::single_precision || !row_of(quantity).takes("tau") || model.closed()) return;
  const std::optional<Miss> miss = first_miss(made, options.real);
  if (!miss) return;
  const std::vector<double>& inputs = made.tests[miss->state].inputs;
  const std::vector<Extended> q(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(model.nq()));
  std::vector<Extended> M;
  Reference(referred(model)).mass(q, M);
  if (!pivots_hold(M, model.nv(), Precision::single))
    throw std::invalid_argument(cat("floats cannot hold the accelerations of robot ", in_quotes(model.name()),
                                    ": a pivot of its inertia matrix is rounding in floats; nothing was written; generate it in double precision"));
}

void measure_single(const Model& model, Quantity quantity, const GenerateOptions& options, Generated& made) {
  const Model tree = without_loops(model);
  const Friction friction(tree, options.friction);
  const Reference reference(referred(tree));
  StateSampler sampler(tree, kErrorSeed);
  std::optional<ClosedStates> closed;
  const Plan plan = make_plan(model, {.snap = options.snap});
  if (model.closed()) closed.emplace(model, kErrorSeed);
  Evaluation exact(made.program);
  EvaluationOf<float> single(made.program);
  std::vector<double> expected(made.program.results.size());
  std::vector<float> got(expected.size());
  double error = 0;
  for (int k = 0; k < kErrorStates; ++k) {
    std::vector<double> q, v, a;
    closed ? closed->next(q, v, a) : sampler.next(q, v, a);
    if (row_of(quantity).takes("tau")) {
      std::vector<Extended> tau;
      if (closed)
        tau = by_kernels(plan, Quantity::inverse, q, v, a, options.friction);
      else
        reference.torque(extended(q), extended(v), extended(a), tau);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(closed ? tau[i] : tau[i] + friction(i, v[i]));
    }
    std::vector<double> inputs = q;
    for (const std::vector<double>* more : {&v, &a})
      if (inputs.size() + more->size() <= made.argument_count()) inputs.insert(inputs.end(), more->begin(), more->end());
    inputs.resize(made.argument_count(), 0);  // no wrench
    if (const Signal last = made.arguments().back(); last.name == "table")
      std::copy(made.tests[0].inputs.end() - static_cast<std::ptrdiff_t>(last.size), made.tests[0].inputs.end(),
                inputs.end() - static_cast<std::ptrdiff_t>(last.size));
    inputs = held(inputs, Real::single_precision);
    exact(program_inputs<double>(made, inputs), expected);
    single(program_inputs<float>(made, inputs), got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      error = std::max(error, std::fabs(static_cast<double>(got[i]) - expected[i]));
      made.single_scale = std::max(made.single_scale, std::fabs(expected[i]));
    }
  }
  made.single_error = made.single_scale > 0 ? error / made.single_scale : 0;
}

}  // namespace ulna::internal
