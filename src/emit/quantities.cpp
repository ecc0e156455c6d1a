#include "emit/quantities.hpp"

#include <algorithm>

#include <ulna/formulation/speeds.hpp>
#include <ulna/trace/best.hpp>
#include "expr/minimise.hpp"

#include "emit/test_states.hpp"
#include "expr/ready.hpp"
#include "formulation/trace.hpp"
#include "model/link_named.hpp"
#include "text/message.hpp"
#include "trace/compute_expr.hpp"
#include "trace/inputs.hpp"
#include "trace/run_time.hpp"
#include "trace/searches.hpp"

namespace ulna::internal {

namespace {

const QuantityRow& asked_for(const std::string& what, bool closed) {
  const QuantityRow* row = find_quantity(what);
  if (row != nullptr && row->written && (closed || row->quantity != Quantity::closure)) return *row;
  throw std::invalid_argument(cat(there_is_no("quantity", what, generated_quantities()), "; there are ", listed(generated_quantities(), "and")));
}

/// Energy, poses and Jacobians need the robot's own masses and frames: no search, only what the graph folds and shares.
Program kinematic_program(const Analysis& analysis, const QuantityRow& row, const GenerateOptions& options) {
  const PlanOf<Expr> plan = analysis.plan({.snap = options.snap, .lumping = Lumping::none}).cast<Expr>();
  Graph graph;
  WorkspaceOf<Expr> ws(plan);
  const GraphInputs in(graph, row.quantity, plan.sizes());
  std::vector<Expr> results(row.size(plan.sizes()));
  kernel::compute(row.quantity, plan, ws, in.of(row.of_link ? link_of(analysis.model(), options) : kNone), results.data(), EffectsOf<Expr>{});
  return minimal_program(graph, results, std::string(row.symbol));
}

/// Why a robot's friction by load cannot be generated; empty where it can. Forward dynamics with rotors would need passes over signs.
std::string why_no_load(const Model& model, const GenerateOptions& options) {
  if (!options.target.empty()) return cat("the target ", options.target, " has none");
  const bool rotors = std::any_of(model.joints().begin(), model.joints().end(), [&](const Joint& joint) {
    return joint.rotor != 0 && (joint.mimic ? model.joints()[joint.mimic->leader] : joint).friction.load != 0;
  });
  for (const std::string& what : options.what) {
    const QuantityRow* row = find_quantity(what);
    if (row == nullptr || !row->influences.friction) continue;
    if (!row->parts.empty()) return cat("generated ", what, " have none");
    if (row->takes("tau") && model.closed()) return "generated forward dynamics of loops have none";
    if (row->takes("tau") && rotors) return "with a rotor at such a joint generated forward dynamics have none";
  }
  return {};
}

/// CasADi needs derivatives of programs.
bool is_differentiated(const GenerateOptions& options) { return options.target == "casadi"; }

/// From q and v to the speeds of the tree's coordinates, of a robot with loops.
Program speeds_program(const PlanOf<Expr>& plan) {
  Graph graph;
  WorkspaceOf<Expr> ws(plan);
  const std::vector<Expr> q = graph.inputs("q", plan.nq), v = graph.inputs("v", plan.sizes().nv);
  kernel::resolve_loops(plan, ws, q.data());
  const Expr* rates = kernel::complete_speeds(plan, ws, v.data());
  return minimal_program(graph, {rates, rates + plan.nv}, "rates");
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
  const Extras extras{options.friction, is_differentiated(options), options.wrench_at.empty() ? kNone : link_named(analysis.model(), options.wrench_at),
                      &table};
  const auto by = [&](ForwardMethod method) {
    Tracer tracer(plan, row.quantity, search, method);
    tracer(plan, extras);
    tracer.name_quantities();
    const Minimised minimal = minimised(tracer.graph(), tracer.results());
    return make_program(*minimal.graph, Tracer::outputs(tracer.output(), row.size(plan.sizes()), minimal.results));
  };
  Program program = by(ForwardMethod::mass_matrix);
  if (row.quantity != Quantity::forward || plan.coupled || plan.closed()) return program;
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
    const auto note_method = [&](const Best& best) { method = cat("found by search", best.method.empty() ? "" : cat(", by ", best.method)); };
    const bool friction = options.friction && row.influences.friction, wrench = !options.wrench_at.empty() && row.influences.wrenches;
    if (!friction && !wrench) {
      const Best& best = analysis.best(row.quantity, search);
      note_method(best);
      return best.program;
    }
    Searches searches(analysis.model());
    const Best best = find_best(searches, row.quantity, search);
    note_method(best);
    return with_extras(searches, best, search, {friction, is_differentiated(options), wrench ? link_named(analysis.model(), options.wrench_at) : kNone});
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
  if (model.closed())
    throw std::invalid_argument(
        cat("robot ", in_quotes(model.name()), " has loops, which the text of a paper's formulation has not: generate without a formulation"));
  Prepared prepared(analysis.model(), options.snap);
  prepared.speeds = options.speeds;
  if (const std::string reason = why_not_traced(formulation, row.quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", options.formulation, " does not give the ", row.id, " of robot ", in_quotes(model.name()), ": ", reason));
  const Trace traced = trace(formulation, row.quantity, prepared, true);
  method = cat("formulation ", formulation.id, options.speeds ? cat(" in the generalized speeds of ", options.speeds->source()) : "");
  return minimal_program(*traced.graph, traced.results, traced.output);
}

/// Code without loops has every entry of the matrix: refused before memory runs out.
void require_few_entries(const Analysis& analysis, const std::string& what, const GenerateOptions& options) {
  const std::size_t entries = path_lengths(analysis.plan()) * (what == "regressor" ? kBodyParameters : 1);
  if (entries > options.most_entries)
    throw std::invalid_argument(cat("the ", what, " of robot ", in_quotes(analysis.model().name()), " needs a matrix with ", entries,
                                    " nonzero entries, more than the ", options.most_entries,
                                    " allowed; raise the limit if it is meant: --limit entries=N, or GenerateOptions::most_entries in a program"));
}

/// The function that makes the table. Its numbers are tested by the self-tests of all other functions, which use it.
Generated fold_function(const Model& model, const RunTimeTable& table, const std::vector<RunTimeInput>& inputs, const GenerateOptions& options) {
  Generated made;
  made.quantity = Quantity::gravity;  // of which it has the shape: a column of numbers
  made.own_name = Generated::kFold;
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
  made.tests = fold_tests(model, made.program, inputs, options);
  return made;
}

/// Speeds of all coordinates of the tree of a robot with loops: programs of friction take their signs.
Generated speeds_function(const Analysis& analysis, const GenerateOptions& options) {
  const Plan& plan = analysis.plan({.snap = options.snap});
  Generated made;
  made.quantity = Quantity::closure;  // of which it has the shape: a column of numbers
  made.own_name = Generated::kSpeeds;
  made.method = "with the robot's own frames";
  made.meaning = "speeds of all joints of q, dependent ones included";
  made.program = ready(speeds_program(plan.cast<Expr>()), turning_rates(plan), Sine::exact, options.real == Real::single_precision);
  made.tests = speeds_tests(analysis.model(), options);
  return made;
}

/// Of a robot that failed its checks (--unchecked), whatever is divided by a pivot that is zero is not; nor is, among floats, what is beyond their range.
bool is_finite(const Generated& made, Real real) {
  const auto finite = [&](auto x) { return real == Real::single_precision ? std::isfinite(static_cast<float>(x)) : std::isfinite(static_cast<double>(x)); };
  const std::vector<double>& constants = made.program.constants;
  return std::all_of(constants.begin(), constants.end(), finite) && std::all_of(made.tests.begin(), made.tests.end(), [&](const TestState& test) {
           return finite(test.tolerance) && std::all_of(test.expected.begin(), test.expected.end(), finite);
         });
}

}  // namespace

Program minimal_program(const Graph& graph, const std::vector<Expr>& results, std::string name) {
  const Minimised minimal = minimised(graph, results);
  const OutputOf output{std::move(name), minimal.results};
  return make_program(*minimal.graph, {&output, 1});
}

std::vector<Signal> Generated::arguments() const {
  std::vector<Signal> given = program.inputs;
  if (takes_sides()) given.pop_back();
  return given;
}
std::size_t Generated::argument_count() const { return program.input_count() - (takes_sides() ? program.inputs.back().size : 0); }

GeneratedRobot prepare(const Analysis& analysis, const GenerateOptions& options) {
  const Model& model = analysis.model();
  if (options.what.empty()) throw std::invalid_argument(cat("no quantity is named: name ", listed(generated_quantities(), "or")));
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
  for (std::size_t k = 0; k < robot.joints.size(); ++k) robot.places.push_back(k);
  for (const std::size_t place : model.places()) robot.places.push_back(place);
  for (const std::string& name : model.coordinate_names()) robot.joints.push_back(name);
  for (const std::size_t j : model.independent()) robot.prismatic.push_back(model.joints()[j].type == JointType::prismatic);
  robot.quaternions = model.quaternions();
  std::vector<std::string> wanted = options.what;
  if (model.closed()) {
    const Plan& plan = analysis.plan({.snap = options.snap});
    for (const std::size_t v : plan.order.independent)
      if (const std::size_t base = robot.free ? base_nv(RootJoint::free) : 0; v >= base) robot.driven.push_back(v - base);
    constexpr double kTrusted = 0.02;  // of what pivots are at the reference assembly, as in Dynamics
    const std::vector<long double> at = closure_by_kernels(plan, model.reference());
    for (std::size_t k = at.size() - plan.pivots(); k < at.size(); ++k) robot.pivots.push_back(kTrusted * static_cast<double>(std::abs(at[k])));
    if (const std::string closure(to_string(Quantity::closure)); std::find(wanted.begin(), wanted.end(), closure) == wanted.end()) wanted.push_back(closure);
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
  if (options.friction)
    for (const Joint& joint : model.joints())
      if (const std::string why = joint.friction.load == 0 ? std::string() : why_no_load(model, options); !why.empty())
        throw std::invalid_argument(
            cat("joint ", in_quotes(joint.name), " has friction that depends on its load: ", why, "; generate without friction, or set its load to 0"));
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
  std::shared_ptr<const Program> speeds;
  if (model.closed()) {
    robot.functions.push_back(speeds_function(analysis, options));
    require_passed(robot.functions.back(), model.name(), options);
    speeds = std::make_shared<const Program>(robot.functions.back().program);
  }
  for (const std::string& what : wanted) {
    const QuantityRow& row = asked_for(what, model.closed());
    if (needs_matrices(row.quantity) || row.quantity == Quantity::regressor) require_few_entries(analysis, what, options);
    if (std::any_of(robot.functions.begin(), robot.functions.end(), [&](const Generated& g) { return g.what() == what; }))
      throw std::invalid_argument(cat("quantity ", what, " is named twice"));
    Generated made;
    made.quantity = row.quantity;
    if (options.friction && row.influences.friction) {
      made.speeds = speeds;
      made.sides = std::make_shared<const Sides>(analysis.plan({.snap = options.snap}),
                                                 is_differentiated(options) ? 2
                                                 : row.parts.empty()        ? 0
                                                                            : 1,
                                                 row.takes("tau"));
    }
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
                  ? " contain a number beyond the range of floats: generate them in double precision"
                  : " contain a number that is not finite: its inertia matrix is singular, or its masses or lengths are far too large or too small"));
    require_pivots(model, row.quantity, made, options);
    require_passed(made, model.name(), options);
    if (options.real == Real::single_precision && !made.tests.empty()) measure_single(model, row.quantity, options, made);
    robot.functions.push_back(std::move(made));
  }
  return robot;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

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
