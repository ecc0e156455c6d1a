#include "emit/test_states.hpp"

#include <algorithm>
#include <random>

#include "expr/ready.hpp"
#include "model/link_named.hpp"
#include "model/moving_tree.hpp"
#include "text/message.hpp"
#include "trace/compute_expr.hpp"
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
/// its sine are not known here, and the rotation of frames by snapping, which may enter a term four times (two rates, a lever, an axis).
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

/// Amplification of rounding of the tree's terms by the projection to closed motions: 1 without loops.
double spread(const Reference& reference, const std::vector<Extended>& q) {
  Extended most = 0;
  for (std::size_t j = 0; j < reference.nv(); ++j) {
    Extended sum = 0;
    for (const Extended x : reference.moved_by(q, j)) sum += std::abs(x);
    most = std::max(most, sum);
  }
  return static_cast<double>(reference.condition(q) * most);
}

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

template <class T>
std::optional<Miss> first_miss_of(const Generated& made) {
  EvaluationOf<T> program(made.program);
  std::vector<T> got(made.program.results.size());
  for (std::size_t k = 0; k < made.tests.size(); ++k) {
    const TestState& test = made.tests[k];
    got.resize(made.program.results.size());
    const std::vector<T> inputs = program_inputs<T>(made, test.inputs);
    program(inputs, got);
    add_loads(made, inputs, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const T difference = std::fabs(got[i] - static_cast<T>(test.expected[i]));
      if (!(difference <= static_cast<T>(test.tolerance))) return Miss{k, i, static_cast<double>(difference), test.tolerance};
    }
  }
  return std::nullopt;
}

}  // namespace

std::size_t link_of(const Model& model, const GenerateOptions& options) {
  return options.link.empty() ? model.links().size() - 1 : link_named(model, options.link);
}

bool needs_matrices(Quantity quantity) {
  return quantity == Quantity::mass || quantity == Quantity::coriolis || quantity == Quantity::forward || quantity == Quantity::energy ||
         !row_of(quantity).parts.empty();
}

std::vector<Extended> closure_by_kernels(const Plan& plan, const std::vector<double>& q) {
  std::vector<Extended> out(row_of(Quantity::closure).size(plan.sizes()));
  WorkspaceOf<Extended> ws(plan);
  const std::vector<Extended> at = extended(q);
  kernel::compute(Quantity::closure, plan, ws, InputsOf<Extended>{at.data()}, out.data(), EffectsOf<Extended>{});
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
  StateSampler sampler(model, 20);
  const Reference reference(referred(model));
  for (std::size_t k = 0; k < options.test_states; ++k) {
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    v = held(v, options.real);
    const std::vector<Extended> at = extended(q);  // loops are closed there, and not at the nearest floats
    double size = 0;
    for (const double x : v) size += spread(reference, at) * std::fabs(x);
    tests.push_back({held(q, options.real), reference.speeds(at, extended(v)), Allowed(model, options).all() * size});
    tests.back().inputs.insert(tests.back().inputs.end(), v.begin(), v.end());
  }
  return tests;
}

std::vector<TestState> test_states(const Model& given, const QuantityRow& row, const GenerateOptions& options, const std::vector<RunTimeInput>& run_time,
                                   const Program* fold) {
  const bool pushed = !options.wrench_at.empty() && row.influences.wrenches;
  const Allowed part(given, options);
  StateSampler sampler(given, 20);
  std::minstd_rand random(20);
  const std::size_t before = referred(given).links().size() - given.links().size(), link = row.of_link ? link_of(given, options) : kNone;
  std::vector<TestState> states;
  for (std::size_t k = 0; k < options.test_states; ++k) {
    const RunTimeState own = next_parameters(given, run_time, random, options.real);
    const Model& model = own.model;
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    const std::vector<double> closed_q = q;  // loops are closed there, and not at the nearest floats
    q = held(q, options.real), v = held(v, options.real), a = held(a, options.real);
    if (row.quantity == Quantity::bias || row.quantity == Quantity::gravity) a.assign(given.nv(), 0);
    if (row.quantity == Quantity::gravity) v.assign(given.nv(), 0);
    const std::vector<double> wrench = pushed ? held(next_wrench(random), options.real) : std::vector<double>{};
    std::vector<Wrench> wrenches;
    if (pushed) wrenches.push_back({link_named(model, options.wrench_at), Axes::link, {wrench[0], wrench[1], wrench[2]}, {wrench[3], wrench[4], wrench[5]}});
    const Effects effects{.friction = options.friction && row.influences.friction, .wrenches = wrenches};
    Acting acting{.friction = effects.friction};
    for (const Wrench& w : wrenches) {
      const std::size_t body = w.link + before - 1;  // of the root kNone, which the ground holds unless it is free
      if (body != kNone || model.base() == RootJoint::free) acting.loads.push_back({body, {}, w.axes, w.force, w.moment});
    }
    const Reference reference(referred(model), acting);
    Terms terms(model);
    terms.act(acting);
    const std::vector<double>& exact_q = given.closed() ? closed_q : q;
    const std::vector<Extended> at = extended(exact_q), rates = extended(v), accelerations = extended(a);
    const Bounds bounds(reference, terms, exact_q, v, a, needs_matrices(row.quantity));
    // The torques that belong to a, rounded; so a is what comes back, up to what rounding does to the torques and M⁻¹ to that.
    const std::vector<double> tau = held({bounds.tau.begin(), bounds.tau.end()}, options.real);
    // Closure is tested where loops are open.
    for (const std::size_t i : given.dependent())
      if (row.quantity == Quantity::closure) q[i + (q.size() - given.nv_tree())] += 0.01 * static_cast<double>(1 + i % 3);
    q = held(q, options.real);
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
    double size = 0, way = terms.blurred(q) * (1 + terms.extent(q).reach);
    if (model.base() == RootJoint::free) way += std::fabs(q[0]) + std::fabs(q[1]) + std::fabs(q[2]);
    switch (row.quantity) {
      case Quantity::energy: {
        const std::size_t n = v.size();
        for (std::size_t i = 0; i < n * n; ++i) size += std::fabs(v[i / n] * v[i % n]) * bounds.mass_bound[i];
        const Link& root = model.links()[0];  // its potential energy never changes, but is in the sum
        const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
        size += length(model.gravity()) * (terms.extent(q).first + std::fabs(root.mass) * length(root.com));
        if (model.base() == RootJoint::free) size += length(model.gravity()) * terms.extent(q).mass * length({q[0], q[1], q[2]});
        state.expected = {reference.kinetic(at, rates), reference.potential(at)};
        break;
      }
      case Quantity::pose: {
        state.expected.resize(12);
        kernel::write(reference.pose(at, link + before), state.expected.data());
        size = way;
        break;
      }
      case Quantity::regressor: {
        reference.regressor(at, rates, accelerations, state.expected);
        const std::vector<Extended> v_tree = reference.speeds(at, rates), a_tree = reference.accelerations(at, rates, accelerations);
        for (const Terms::Share& share : terms.shares())
          for (const Terms::Size& one : terms.unit_parameters(q, {v_tree.begin(), v_tree.end()}, {a_tree.begin(), a_tree.end()}))
            size = std::max(size, share.force * one.force + share.moment * one.moment);
        size *= spread(reference, at);
        break;
      }
      case Quantity::jacobian:
        state.expected = reference.jacobian(at, link + before);
        size = terms.fastest() * way * spread(reference, at);
        break;
      case Quantity::closure:
        state.expected = closure_by_kernels(make_plan(given, {.snap = options.snap}), q);
        size = std::pow(1 + way, 3) * std::pow(spread(reference, at), 2);
        break;
      default: state.expected = bounds.of(row.quantity).value, size = largest(bounds.of(row.quantity).bound);
    }
    state.tolerance = part.all() * size;
    if (given.closed()) {
      const std::size_t n = a.size();
      for (std::size_t i = 0; i < n * n && row.quantity == Quantity::forward; ++i)
        state.expected[i % n] += bounds.forward_derivatives[2 * n * n + i] * (tau[i / n] - bounds.tau[i / n]);
      constexpr double kOfMeasured = 64;  // programs have other roundings than the kernels, which are as large
      const Plan plan = make_plan(model, {.snap = options.snap});
      const double* last = row.takes("tau") ? tau.data() : a.data();
      const InputsOf<double> in{row.quantity == Quantity::closure ? q.data() : exact_q.data(), v.data(), last, link};
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
    throw std::invalid_argument(cat("floats cannot represent the accelerations of robot ", in_quotes(model.name()),
                                    ": a pivot of its inertia matrix is rounding in floats; nothing was written; generate it in double precision"));
}

void measure_single(const Model& model, Quantity quantity, const GenerateOptions& options, Generated& made) {
  const Reference reference(referred(model), {.friction = options.friction});
  StateSampler sampler(model, kErrorSeed);
  Evaluation exact(made.program);
  EvaluationOf<float> single(made.program);
  std::vector<double> expected(made.program.results.size());
  std::vector<float> got(expected.size());
  double error = 0;
  for (int k = 0; k < kErrorStates; ++k) {
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    if (row_of(quantity).takes("tau")) {
      std::vector<Extended> tau;
      reference.torque(extended(q), extended(v), extended(a), tau);
      a.assign(tau.begin(), tau.end());
    }
    std::vector<double> inputs = q;
    for (const std::vector<double>* more : {&v, &a})
      if (inputs.size() + more->size() <= made.argument_count()) inputs.insert(inputs.end(), more->begin(), more->end());
    inputs.resize(made.argument_count(), 0);  // no wrench
    if (const Signal last = made.arguments().back(); last.name == "table")
      std::copy(made.tests[0].inputs.end() - static_cast<std::ptrdiff_t>(last.size), made.tests[0].inputs.end(),
                inputs.end() - static_cast<std::ptrdiff_t>(last.size));
    inputs = held(inputs, Real::single_precision);
    const std::vector<double> wide = program_inputs<double>(made, inputs);
    const std::vector<float> narrow = program_inputs<float>(made, inputs);
    expected.resize(made.program.results.size()), got.resize(expected.size());
    exact(wide, expected), add_loads(made, wide, expected);
    single(narrow, got), add_loads(made, narrow, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      error = std::max(error, std::fabs(static_cast<double>(got[i]) - expected[i]));
      made.single_scale = std::max(made.single_scale, std::fabs(expected[i]));
    }
  }
  made.single_error = made.single_scale > 0 ? error / made.single_scale : 0;
}

std::optional<Miss> first_miss(const Generated& made, Real real) {
  return real == Real::single_precision ? first_miss_of<float>(made) : first_miss_of<double>(made);
}

void require_passed(const Generated& made, const std::string& robot, const GenerateOptions& options) {
  const std::optional<Miss> miss = first_miss(made, options.real);
  if (!miss) return;
  const bool single = options.real == Real::single_precision;
  const char* cure = single                         ? "generate them in double precision"
                     : !options.formulation.empty() ? "generate them without a formulation: the search keeps the digits that rounding would cost"
                                                    : "look for masses, lengths or inertias in the file that differ by many orders of magnitude";
  throw std::invalid_argument(cat("the equations of ", made.what(), " for robot ", in_quotes(robot), " would fail their own test in ",
                                  single ? "single" : "double", " precision: result ", miss->result + 1, " of state ", miss->state + 1, " is off by ",
                                  rounded(miss->difference), ", and rounding explains ", rounded(miss->allowed), "; nothing was written; ", cure));
}

}  // namespace ulna::internal
