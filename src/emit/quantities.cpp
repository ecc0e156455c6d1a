#include "emit/quantities.hpp"
#include "model/moving_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include <ulna/trace/best.hpp>
#include <ulna/verify/verify.hpp>
#include "expr/minimise.hpp"

#include "emit/passed.hpp"
#include "expr/ready.hpp"
#include "formulation/compute_expr.hpp"
#include "model/link_named.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"
#include "trace/inputs.hpp"
#include "trace/run_time.hpp"
#include "trace/searches.hpp"
#include "trace/trace.hpp"
#include "verify/bounds.hpp"

namespace ulna::internal {

namespace {

using Extended = Reference::Real;

const QuantityRow& asked_for(const std::string& what) {
  const QuantityRow* row = find_quantity(what);
  if (row != nullptr && row->written) return *row;
  throw std::invalid_argument(cat(there_is_no("quantity", what, generated_quantities()), "; there are ", listed(generated_quantities(), "and")));
}

std::size_t link_of(const Model& model, const GenerateOptions& options) {
  return options.link.empty() ? model.links().size() - 1 : link_named(model, options.link);
}

/// Energy, poses and Jacobians need the robot's own masses and frames: no search, only what the graph folds and shares.
Program kinematic_program(const Analysis& analysis, const QuantityRow& row, const GenerateOptions& options) {
  const Plan& plan = analysis.plan({.snap = options.snap, .lumping = Lumping::none});
  Graph graph;
  WorkspaceOf<Expr> ws(plan);
  const GraphInputs in(graph, row.quantity, plan.sizes());
  std::vector<Expr> results(row.size(plan.sizes()));
  kernel::compute(row.quantity, plan, ws, in.of(row.of_link ? link_of(analysis.model(), options) : kNone), results.data(), EffectsOf<Expr>{});
  const Minimised reduced = minimised(graph, results);
  const OutputOf output{std::string(row.symbol), reduced.results};
  return make_program(*reduced.graph, {&output, 1});
}

/// Run-time parameters and the table that they are folded into. The frames are the robot's own: what the search makes of them depends on the numbers.
RunTimeTable run_time_table(const Analysis& analysis, const std::vector<RunTimeInput>& inputs, const GenerateOptions& options) {
  const Plan& bare = analysis.plan({.snap = options.snap, .lumping = Lumping::none});
  const std::vector<LumpChoice> choices(bare.bodies.size());
  return {analysis.model(), inputs, [&](std::size_t link, const PseudoInertia<double>& more) {
            Plan plan = bare;
            if (link != kNone) {
              const PlanLink<double>& at = bare.links[link];
              PseudoInertia<double>& to = at.body == kNone ? plan.base : plan.bodies[at.body].inertia;
              to = to + moved(more, at.X_BL.R, at.X_BL.p);
            }
            lump(plan, choices);
            return plan;
          }};
}

Program run_time_program(const Analysis& analysis, const QuantityRow& row, const GenerateOptions& options, const RunTimeTable& table) {
  Plan plan = analysis.plan({.snap = options.snap, .lumping = Lumping::none});
  lump(plan, std::vector<LumpChoice>(plan.bodies.size()));
  const SearchOptions search{.snap = options.snap, .rotor = true, .single = options.real == Real::single_precision};
  const Extras extras{options.friction, options.wrench_at.empty() ? kNone : link_named(analysis.model(), options.wrench_at), &table};
  const auto by = [&](ForwardMethod method) {
    Tracer tracer(plan, row.quantity, search, method);
    tracer(plan, extras);
    tracer.name_quantities();
    const Minimised minimal = minimised(tracer.graph(), tracer.results());
    const OutputOf output{tracer.output(), minimal.results};
    return make_program(*minimal.graph, {&output, 1});
  };
  Program program = by(ForwardMethod::mass_matrix);
  if (row.quantity != Quantity::forward || plan.coupled) return program;
  Program other = by(ForwardMethod::articulated);
  return Cost(other.counts()) < Cost(program.counts()) ? other : program;
}

Program program_of(const Analysis& analysis, const QuantityRow& row, const GenerateOptions& options, std::string& method, const RunTimeTable* table) {
  if (table != nullptr && row.lumps) {
    if (!options.formulation.empty()) throw std::invalid_argument("the papers' formulations have no run-time parameters: generate without a formulation");
    method = "with the robot's own frames";
    return run_time_program(analysis, row, options, *table);
  }
  if (table != nullptr && row.quantity == Quantity::energy) throw std::invalid_argument("the energy has no run-time parameters: generate it without them");
  if (!row.lumps) {
    if (!options.formulation.empty()) throw std::invalid_argument(cat("no formulation gives the ", row.id, ": generate it without one"));
    method = "with the robot's own frames and masses";
    return kinematic_program(analysis, row, options);
  }
  if (options.formulation.empty()) {
    const SearchOptions search{.snap = options.snap, .rotor = true, .single = options.real == Real::single_precision};
    const auto told = [&](const Best& best) { method = cat("found by search", best.method.empty() ? "" : cat(", by ", best.method)); };
    const bool friction = options.friction && row.influences.friction, wrench = !options.wrench_at.empty() && row.influences.wrenches;
    if (!friction && !wrench) {
      const Best& best = analysis.best(row.quantity, search);
      told(best);
      return best.program;
    }
    Searches searches(analysis.model());
    const Best best = find_best(searches, row.quantity, search);
    told(best);
    return under(searches, best, search, {friction, wrench ? link_named(analysis.model(), options.wrench_at) : kNone});
  }
  if (options.friction || !options.wrench_at.empty())
    throw std::invalid_argument(cat("the papers' formulations have no ", options.friction ? "friction" : "wrench", ": generate without a formulation"));
  const Formulation& formulation = formulation_named(options.formulation);
  if (row.quantity == Quantity::gravity)
    throw std::invalid_argument("the papers' formulations give gravity only as a part of the bias: generate gravity without a formulation");
  const Model& model = analysis.model();
  for (const Joint& joint : model.joints())
    if (joint.mimic || joint.rotor != 0)
      throw std::invalid_argument(cat("joint ", in_quotes(joint.name), joint.mimic ? " follows another one" : " has a rotor",
                                      ", which the papers' formulations do not have: generate without a formulation"));
  const Prepared& prepared = analysis.prepared(options.snap);
  if (const std::string reason = why_not_traced(formulation, row.quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", options.formulation, " does not give the ", row.id, " of robot ", in_quotes(model.name()), ": ", reason));
  const Trace traced = trace(formulation, row.quantity, prepared);
  const Minimised reduced = minimised(*traced.graph, traced.results);
  const OutputOf output{traced.output, reduced.results};
  method = cat("formulation ", formulation.id);
  return make_program(*reduced.graph, {&output, 1});
}

/// Rounded to what the generated code can hold.
std::vector<double> held(std::vector<double> numbers, Real real) {
  if (real == Real::single_precision)
    for (double& x : numbers) x = static_cast<float>(x);
  return numbers;
}
std::vector<Extended> extended(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

/// How far a result may be from the exact one, in parts of the terms it is the sum of: twice the roundings that `ulna verify` allows, because the compiler and
/// its sine are not known here, and what snapping turned the frames by, which may enter a term four times (two rates, a lever, an axis).
double allowed(const Model& model, const GenerateOptions& options) {
  const double eps =
      options.real == Real::double_precision ? std::numeric_limits<double>::epsilon() : static_cast<double>(std::numeric_limits<float>::epsilon());
  const MovingTree tree = merge_fixed(model, options.snap);
  const double turned = 3 * tree.largest_snap * static_cast<double>(tree.snapped.size());  // a matrix of nine entries that change by s changes by 3 s
  return 16 * static_cast<double>(model.joints().size() + 1) * eps + 4 * turned;
}

double largest(const std::vector<double>& bounds) { return *std::max_element(bounds.begin(), bounds.end()); }

/// Whether the inertia matrix is written, or measures the rounding of what is.
bool needs_matrices(Quantity quantity) {
  return quantity == Quantity::mass || quantity == Quantity::coriolis || quantity == Quantity::forward || quantity == Quantity::energy ||
         !row_of(quantity).parts.empty();
}

/// Code without loops has every entry of the matrix: told before memory runs out.
void require_few_entries(const Analysis& analysis, const std::string& what, const GenerateOptions& options) {
  const std::size_t entries = path_lengths(analysis.plan()) * (what == "regressor" ? kBodyParameters : 1);
  if (entries > options.most_entries)
    throw std::invalid_argument(cat("the ", what, " of robot ", in_quotes(analysis.model().name()), " needs a matrix of which ", entries,
                                    " entries are not zero, more than the ", options.most_entries,
                                    " allowed; raise the limit if it is meant: --limit entries=N, or GenerateOptions::most_entries in a program"));
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
  Extended operator()(std::size_t k, double v) const { return Extended{viscous[k]} * v + Extended{coulomb[k]} * ((v > 0) - (v < 0)); }
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

/// The function that makes the table. What its numbers are worth the tests of all other functions tell, which take it.
Generated fold_function(const Model& model, const RunTimeTable& table, const std::vector<RunTimeInput>& inputs, const GenerateOptions& options) {
  Generated made;
  made.quantity = Quantity::gravity;  // of which it has the shape: a column of numbers
  made.own_name = "fold";
  made.program = table.fold(model);
  made.method = "linear in masses, first and second moments";
  made.meaning =
      "the table that the other functions take. Of a body: mass [kg], mass centre [m], inertia about it (xx, yy, zz, xy, xz, yz) [kg m2], in the axes of its "
      "link";
  for (const RunTimeInput& input : inputs)
    made.meaning += cat("; ", input.name(), ": ",
                        input.kind == RunTimeInput::payload ? "a load on"
                        : input.kind == RunTimeInput::mass  ? "mass of"
                                                            : "",
                        " link '", comment_text(model.links()[input.link].name), "'");
  std::minstd_rand random(20);
  for (std::size_t k = 0; k < options.test_states; ++k) {
    TestState state;
    state.inputs = next_parameters(model, inputs, random, options.real).parameters;
    const std::vector<double> numbers = folded(made.program, state.inputs);
    state.expected.assign(numbers.begin(), numbers.end());
    double size = 0;
    for (const double x : numbers) size = std::max(size, std::fabs(x));
    state.tolerance = allowed(model, options) * size;
    made.tests.push_back(std::move(state));
  }
  return made;
}

std::vector<TestState> test_states(const Model& given, const QuantityRow& row, const GenerateOptions& options, const std::vector<RunTimeInput>& run_time,
                                   const Program* fold) {
  const Friction friction(given, options.friction && row.influences.friction);
  const bool pushed = !options.wrench_at.empty() && row.influences.wrenches;
  const double part = allowed(given, options);
  StateSampler sampler(given, 20);
  std::minstd_rand random(20);
  const std::size_t n = given.nv(), before = referred(given).links().size() - given.links().size(), link = row.of_link ? link_of(given, options) + before : 0;
  std::vector<TestState> states;
  for (std::size_t k = 0; k < options.test_states; ++k) {
    const RunTimeState own = next_parameters(given, run_time, random, options.real);
    const Model &model = own.model, as_taken = referred(model);
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    q = held(q, options.real), v = held(v, options.real), a = held(a, options.real);
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
    const Bounds bounds(reference, terms, q, v, a, needs_matrices(row.quantity));
    // The torques that belong to a, rounded; so a is what comes back, up to what rounding does to the torques and M⁻¹ to that.
    std::vector<double> tau(n);
    for (std::size_t i = 0; i < n; ++i) tau[i] = static_cast<double>(bounds.tau[i] + friction(i, v[i]));
    tau = held(tau, options.real);
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
    if (model.base() == RootJoint::free) way += std::fabs(q[0]) + std::fabs(q[1]) + std::fabs(q[2]);
    switch (row.quantity) {
      case Quantity::energy: {
        for (std::size_t i = 0; i < n * n; ++i) size += std::fabs(v[i / n] * v[i % n]) * bounds.mass_bound[i];
        const Link& root = model.links()[0];  // its potential energy never changes, but is in the sum
        const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
        size += length(model.gravity()) * (terms.extent(q).first + std::fabs(root.mass) * length(root.com));
        if (model.base() == RootJoint::free) size += length(model.gravity()) * terms.extent(q).mass * length({q[0], q[1], q[2]});
        expect({reference.kinetic(extended(q), extended(v)), reference.potential(extended(q))}, size);
        break;
      }
      case Quantity::pose: {
        std::vector<Extended> numbers(12);
        kernel::write(reference.pose(extended(q), link), numbers.data());
        expect(std::move(numbers), way);
        break;
      }
      case Quantity::regressor: {
        std::vector<Extended> numbers;
        reference.regressor(extended(q), extended(v), extended(a), numbers);
        for (const Terms::Share& share : terms.shares())
          for (const Terms::Size& one : terms.unit_parameters(q, v, a)) size = std::max(size, share.force * one.force + share.moment * one.moment);
        expect(std::move(numbers), size);
        break;
      }
      case Quantity::jacobian: expect(reference.jacobian(extended(q), link), terms.fastest() * way); break;
      default: expect(bounds.of(row.quantity).value, largest(bounds.of(row.quantity).bound));
    }
    if (options.friction && row.influences.friction) {
      std::vector<Extended> inverse;
      if (row.takes("tau")) inverse.assign(bounds.forward_derivatives.begin() + static_cast<std::ptrdiff_t>(2 * n * n), bounds.forward_derivatives.end());
      size += friction.enter(row.quantity, v, state.expected, inverse);
    }
    state.tolerance = part * size;
    states.push_back(std::move(state));
  }
  return states;
}

/// Of a robot that failed its checks (--unchecked), whatever is divided by a pivot that is zero is not; nor is, among floats, what is beyond their range.
bool is_finite(const Generated& made, Real real) {
  const auto finite = [&](auto x) { return real == Real::single_precision ? std::isfinite(static_cast<float>(x)) : std::isfinite(static_cast<double>(x)); };
  const std::vector<double>& constants = made.program.constants;
  return std::all_of(constants.begin(), constants.end(), finite) && std::all_of(made.tests.begin(), made.tests.end(), [&](const TestState& test) {
           return finite(test.tolerance) && std::all_of(test.expected.begin(), test.expected.end(), finite);
         });
}

/// Where floats fail their test because the inertia matrix has no inverse among them, that is what is told.
void require_pivots(const Model& model, Quantity quantity, const Generated& made, const GenerateOptions& options) {
  if (options.real != Real::single_precision || !row_of(quantity).takes("tau")) return;
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

/// Over states within the joint limits. Forward dynamics gets the torques that belong to such a state, as a controller would have them: forces of another size
/// would measure the error of motions that the robot does not make.
void measure_single(const Model& model, Quantity quantity, const GenerateOptions& options, Generated& made) {
  const Friction friction(model, options.friction);
  const Reference reference(referred(model));
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
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(tau[i] + friction(i, v[i]));
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

}  // namespace

std::vector<Signal> Generated::arguments() const {
  std::vector<Signal> given = program.inputs;
  if (takes_sides()) given.pop_back();
  return given;
}
std::size_t Generated::argument_count() const { return program.input_count() - (takes_sides() ? program.inputs.back().size : 0); }

GeneratedRobot prepare(const Analysis& analysis, const GenerateOptions& options) {
  const Model& model = analysis.model();
  if (options.what.empty()) throw std::invalid_argument(cat("nothing is asked for: name ", listed(generated_quantities(), "or")));
  if (model.nv() == 0) throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no joint that moves: there are no equations to generate"));
  GeneratedRobot robot;
  robot.name = identifier(options.name.empty() ? model.name() : options.name);
  if (!options.name.empty() && robot.name != options.name)
    throw std::invalid_argument(cat("name ", in_quotes(options.name), " is no identifier; ", robot.name, " would be one"));
  robot.robot = model.name();
  robot.hash = model_hash(model);
  robot.sizes = model.sizes();
  robot.free = model.base() == RootJoint::free;
  if (model.base() == RootJoint::planar) robot.joints = {"base.x", "base.y", "base.yaw"}, robot.prismatic = {true, true, false};
  for (const std::size_t j : model.independent()) {
    robot.joints.push_back(model.joints()[j].name);
    robot.prismatic.push_back(model.joints()[j].type == JointType::prismatic);
  }
  robot.real = options.real;
  if (const std::string begins = identifier(options.prefix); !options.prefix.empty() && options.prefix != begins && options.prefix != begins + "_")
    throw std::invalid_argument(cat("prefix ", in_quotes(options.prefix), " does not begin an identifier; ", begins, "_ would"));
  if (!options.wrench_at.empty()) link_named(model, options.wrench_at);
  robot.prefix = options.prefix;
  robot.single_file = options.single_file;
  robot.static_const = options.static_const;
  robot.batch = options.batch;
  robot.misra = options.misra;
  robot.friction = options.friction;
  robot.wrench_link = options.wrench_at;
  robot.note = options.note;
  const std::vector<double> rates = turning_rates(analysis.plan({.snap = options.snap}));
  const auto begin = [&](const std::string& step) {
    if (options.progress) options.progress(step);
  };
  std::vector<RunTimeInput> run_time;
  std::optional<RunTimeTable> table;
  if (!options.parameters.empty()) {
    const std::size_t link = options.parameters_link.empty() ? model.links().size() - 1 : link_named(model, options.parameters_link);
    run_time = run_time_inputs(model, options.parameters, link);
    table.emplace(run_time_table(analysis, run_time, options));
    if (table->size() == 0)
      throw std::invalid_argument(cat("run-time parameters change nothing of robot ", in_quotes(model.name()), ": no joint moves link ",
                                      in_quotes(model.links()[run_time.front().link].name), "; name a link that moves, or generate without them"));
    robot.functions.push_back(fold_function(model, *table, run_time, options));
    require_passed(robot.functions.front(), model.name(), options);
  }
  for (const std::string& what : options.what) {
    const QuantityRow& row = asked_for(what);
    if (needs_matrices(row.quantity) || row.quantity == Quantity::regressor) require_few_entries(analysis, what, options);
    if (std::any_of(robot.functions.begin(), robot.functions.end(), [&](const Generated& g) { return g.what() == what; }))
      throw std::invalid_argument(cat("quantity ", what, " is asked for twice"));
    Generated made;
    made.quantity = row.quantity;
    made.meaning = row.meaning;
    if (row.of_link) made.meaning += cat("; the link is '", comment_text(model.links()[link_of(model, options)].name), "'");
    if (options.friction && row.influences.friction) made.meaning += "; with friction";
    if (!options.wrench_at.empty() && row.influences.wrenches)
      made.meaning +=
          cat("; wrench: force [N], then moment [N m] that the environment exerts on link '", comment_text(options.wrench_at), "' at its origin, in its axes");
    begin(cat(what, ": the search for the fewest operations"));
    made.program =
        ready(program_of(analysis, row, options, made.method, table ? &*table : nullptr), rates, Sine::exact, options.real == Real::single_precision);
    begin(cat(what, ": its self-test"));
    const bool tabled = table && row.lumps;
    const Program fold = tabled ? robot.functions.front().program : Program{};
    made.tests = test_states(model, row, options, tabled ? run_time : std::vector<RunTimeInput>{}, tabled ? &fold : nullptr);
    if (!is_finite(made, options.real))
      throw std::invalid_argument(
          cat("the equations of ", what, " for robot ", in_quotes(model.name()),
              options.real == Real::single_precision && is_finite(made, Real::double_precision)
                  ? " hold a number that is beyond the range of floats: generate them in double precision"
                  : " hold a number that is not finite: its inertia matrix is singular, or its masses or lengths are far too large or too small"));
    require_pivots(model, row.quantity, made, options);
    require_passed(made, model.name(), options);
    if (options.real == Real::single_precision && !made.tests.empty()) measure_single(model, row.quantity, options, made);
    robot.functions.push_back(std::move(made));
  }
  return robot;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

const std::vector<std::string>& generated_quantities() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> ids;
    for (const QuantityRow& row : quantities())
      if (row.written) ids.emplace_back(row.id);
    return ids;
  }();
  return all;
}

}  // namespace ULNA_API
