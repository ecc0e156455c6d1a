#include "emit/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/kinematics-inl.hpp>
#include <ulna/expr/minimise.hpp>
#include <ulna/model/reduce.hpp>
#include <ulna/trace/best.hpp>
#include <ulna/verify/verify.hpp>

#include "emit/passed.hpp"
#include "expr/ready.hpp"
#include "model/link_named.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"
#include "trace/trace.hpp"
#include "verify/bounds.hpp"

namespace ulna {

namespace {

using Extended = Reference::Real;

/// What the search is asked for, or a kernel that is traced as it is.
enum class Source { search, energy, pose, jacobian };

struct Asked {
  const char* name;
  Quantity quantity;
  bool at_rest;
  const char* meaning;
  Source source = Source::search;
};
constexpr Asked kAsked[] = {
    {"inverse", Quantity::torque, false, "joint torques [N m] and forces [N] that give the accelerations a"},
    {"mass", Quantity::mass, false, "inertia matrix, row by row, full and symmetric [kg m^2, kg m, kg]"},
    {"bias", Quantity::bias, false, "joint torques [N m] and forces [N] at zero acceleration: velocities and gravity"},
    {"gravity", Quantity::bias, true, "joint torques [N m] and forces [N] that hold the robot against gravity"},
    {"forward", Quantity::acceleration, false, "joint accelerations [rad/s^2, m/s^2] under the torques tau"},
    {"energy", {}, false, "kinetic energy, rotors included, and potential energy, zero where all mass stood at the base's origin [J]", Source::energy},
    {"pose", {}, false, "rotation matrix, row by row, and origin [m] of a link's frame in that of the root link", Source::pose},
    {"jacobian",
     {},
     false,
     "angular velocity, then velocity of a link's origin, in the root link's axes, by joint rates: 6 rows, column by column",
     Source::jacobian},
};

const Asked& asked_for(const std::string& what) {
  for (const Asked& asked : kAsked)
    if (what == asked.name) return asked;
  throw std::invalid_argument(
      cat(there_is_no("quantity", what, generated_quantities()), "; there are inverse, mass, bias, gravity, forward, energy, pose and jacobian"));
}

std::size_t link_of(const Model& model, const GenerateOptions& options) {
  return options.link.empty() ? model.links().size() - 1 : link_named(model, options.link);
}

/// Energy, poses and Jacobians need the robot's own masses and frames: no search, only what the graph folds and shares.
Program kinematic_program(const Model& model, const Asked& asked, const GenerateOptions& options) {
  const Plan plan = make_plan(model, {.snap = options.snap, .lumping = Lumping::none});
  Graph graph;
  WorkspaceOf<Expr> ws(plan);
  const std::vector<Expr> q = graph.inputs("q", plan.nq);
  std::vector<Expr> results;
  std::string name = asked.name;
  if (asked.source == Source::energy) {
    const std::vector<Expr> v = graph.inputs("v", plan.nv);
    const EnergyOf<Expr> energy = kernel::energy(plan, ws, q.data(), v.data(), EffectsOf<Expr>{});
    results = {energy.kinetic, energy.potential};
  } else {
    kernel::place(plan, ws, q.data());
    kernel::place_in_world(plan, ws);
    const std::size_t link = link_of(model, options);
    if (asked.source == Source::pose) {
      const Pose<Expr> X = kernel::link_pose(plan, ws, link);
      results = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
    } else {
      results.resize(6 * plan.nv);
      kernel::jacobian(plan, ws, link, results.data(), 6);
      name = "J";
    }
  }
  const Minimised reduced = minimised(graph, results);
  const OutputOf output{name, reduced.results};
  return make_program(*reduced.graph, {&output, 1});
}

Program program_of(const Model& model, const Asked& asked, const GenerateOptions& options, std::string& method) {
  if (asked.source != Source::search) {
    if (!options.formulation.empty()) throw std::invalid_argument(cat("no formulation gives the ", asked.name, ": generate it without one"));
    method = "with the robot's own frames and masses";
    return kinematic_program(model, asked, options);
  }
  if (options.formulation.empty()) {
    Best best =
        find_best(model, asked.quantity, {.snap = options.snap, .rotor = true, .at_rest = asked.at_rest, .single = options.real == Real::single_precision});
    method = cat("found by search", best.method.empty() ? "" : cat(", by ", best.method));
    return std::move(best.program);
  }
  const Formulation& formulation = formulation_named(options.formulation);
  if (asked.at_rest) throw std::invalid_argument("formulations of the papers give the bias, not gravity apart from it: generate gravity without a formulation");
  for (const Joint& joint : model.joints())
    if (joint.mimic || joint.rotor != 0)
      throw std::invalid_argument(cat("joint ", in_quotes(joint.name), joint.mimic ? " follows another one" : " has a rotor",
                                      ", which the papers' formulations do not have: generate without a formulation"));
  const Prepared prepared(model, options.snap);
  if (const std::string reason = why_not_traced(formulation, asked.quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", options.formulation, " does not give the ", asked.name, " of robot ", in_quotes(model.name()), ": ", reason));
  const Trace traced = trace(formulation, asked.quantity, prepared);
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
bool needs_matrices(const Asked& asked) {
  return asked.source == Source::energy || (asked.source == Source::search && (asked.quantity == Quantity::mass || asked.quantity == Quantity::acceleration));
}

/// Code without loops has every entry of the matrix: told before memory runs out.
void require_few_entries(const Model& model, const std::string& what, const GenerateOptions& options) {
  const std::size_t entries = path_lengths(make_plan(model));
  if (entries > options.most_entries)
    throw std::invalid_argument(cat("the ", what, " of robot ", in_quotes(model.name()), " needs its inertia matrix, of which ", entries,
                                    " entries are not zero, more than the ", options.most_entries,
                                    " allowed; raise the limit if it is meant: --limit entries=N, or GenerateOptions::most_entries in a program"));
}

std::vector<TestState> test_states(const Model& model, const Asked& asked, const GenerateOptions& options) {
  const Reference reference(model);
  const Terms terms(model);
  const double part = allowed(model, options);
  StateSampler sampler(model, 20);
  const std::size_t n = reference.nv();
  const bool matrices = needs_matrices(asked);
  std::vector<TestState> states;
  for (std::size_t k = 0; k < options.test_states; ++k) {
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    q = held(q, options.real), v = held(v, options.real), a = held(a, options.real);
    if (asked.quantity == Quantity::bias) a.assign(n, 0);
    if (asked.at_rest) v.assign(n, 0);
    const Bounds bounds(reference, terms, q, v, a, matrices);
    TestState state;
    state.inputs = q;
    const auto append = [&](const std::vector<double>& more) { state.inputs.insert(state.inputs.end(), more.begin(), more.end()); };
    double size = 0;
    if (asked.source == Source::energy) {
      append(v);
      const Extended kinetic = reference.kinetic(extended(q), extended(v)), potential = reference.potential(extended(q));
      state.expected = {kinetic, potential};
      for (std::size_t i = 0; i < n * n; ++i) size += std::fabs(v[i / n] * v[i % n]) * bounds.mass_bound[i];
      const Link& root = model.links()[0];  // its potential energy never changes, but is in the sum
      const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
      size += length(model.gravity()) * (terms.extent(q).first + std::fabs(root.mass) * length(root.com));
    } else if (asked.source != Source::search) {
      const std::size_t link = link_of(model, options);
      const Pose<Extended> X = reference.pose(extended(q), link);
      if (asked.source == Source::pose)
        state.expected = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
      else
        state.expected = reference.jacobian(extended(q), link);
      size = terms.blurred(q) * (asked.source == Source::jacobian ? terms.fastest() : 1) * (1 + terms.extent(q).reach);
    } else if (asked.quantity == Quantity::mass) {
      state.expected = bounds.M;
      size = largest(bounds.mass_bound);
    } else if (asked.quantity == Quantity::torque) {
      append(v), append(a);
      state.expected = bounds.tau;
      size = largest(bounds.torque_bound);
    } else if (asked.quantity == Quantity::bias) {
      if (!asked.at_rest) append(v);
      state.expected = bounds.bias;
      size = largest(bounds.torque_bound);
    } else {
      // The torques that belong to a, rounded; so a is what comes back, up to what rounding does to the torques and M⁻¹ to that.
      append(v), append(held({bounds.tau.begin(), bounds.tau.end()}, options.real));
      state.expected = extended(a);
      size = largest(bounds.acceleration_bound);
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
void require_pivots(const Model& model, const Asked& asked, const Generated& made, const GenerateOptions& options) {
  if (options.real != Real::single_precision || asked.source != Source::search || asked.quantity != Quantity::acceleration) return;
  const std::optional<Miss> miss = first_miss(made, options.real);
  if (!miss) return;
  const std::vector<double>& inputs = made.tests[miss->state].inputs;
  const std::vector<Extended> q(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(model.nv()));
  std::vector<Extended> M;
  Reference(model).mass(q, M);
  if (!pivots_hold(M, q.size(), Precision::single))
    throw std::invalid_argument(cat("floats cannot hold the accelerations of robot ", in_quotes(model.name()),
                                    ": a pivot of its inertia matrix is rounding in floats; nothing was written; generate it in double precision"));
}

/// Over states within the joint limits. Forward dynamics gets the torques that belong to such a state, as a controller would have them: forces of another size
/// would measure the error of motions that the robot does not make.
void measure_single(const Model& model, const Asked& asked, Generated& made) {
  const bool forward = asked.source == Source::search && asked.quantity == Quantity::acceleration;
  const Reference reference(model);
  StateSampler sampler(model, kErrorSeed);
  Evaluation exact(made.program);
  EvaluationOf<float> single(made.program);
  std::vector<double> expected(made.program.results.size());
  std::vector<float> got(expected.size());
  double error = 0;
  for (int k = 0; k < kErrorStates; ++k) {
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    if (forward) {
      std::vector<Extended> tau;
      reference.torque(extended(q), extended(v), extended(a), tau);
      a.assign(tau.begin(), tau.end());
    }
    std::vector<double> inputs = q;
    for (const std::vector<double>* more : {&v, &a})
      if (inputs.size() + more->size() <= made.program.input_count()) inputs.insert(inputs.end(), more->begin(), more->end());
    inputs = held(inputs, Real::single_precision);
    exact(inputs, expected);
    single(std::vector<float>(inputs.begin(), inputs.end()), got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      error = std::max(error, std::fabs(static_cast<double>(got[i]) - expected[i]));
      made.single_scale = std::max(made.single_scale, std::fabs(expected[i]));
    }
  }
  made.single_error = made.single_scale > 0 ? error / made.single_scale : 0;
}

}  // namespace

const std::vector<std::string>& generated_quantities() {
  static const std::vector<std::string> all{"inverse", "mass", "bias", "gravity", "forward", "energy", "pose", "jacobian"};
  return all;
}

GeneratedRobot prepare(const Model& model, const GenerateOptions& options) {
  if (options.what.empty()) throw std::invalid_argument("nothing is asked for: name inverse, mass, bias, gravity, forward, energy, pose or jacobian");
  if (model.nv() == 0) throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no joint that moves: there are no equations to generate"));
  GeneratedRobot robot;
  robot.name = identifier(options.name.empty() ? model.name() : options.name);
  if (!options.name.empty() && robot.name != options.name)
    throw std::invalid_argument(cat("name ", in_quotes(options.name), " is no identifier; ", robot.name, " would be one"));
  robot.robot = model.name();
  robot.hash = model_hash(model);
  for (const std::size_t j : model.independent()) {
    robot.joints.push_back(model.joints()[j].name);
    robot.prismatic.push_back(model.joints()[j].type == JointType::prismatic);
  }
  robot.real = options.real;
  const std::vector<double> rates = turning_rates(make_plan(model, {.snap = options.snap}));
  const auto begin = [&](const std::string& step) {
    if (options.progress) options.progress(step);
  };
  for (const std::string& what : options.what) {
    const Asked& asked = asked_for(what);
    if (needs_matrices(asked)) require_few_entries(model, what, options);
    if (std::any_of(robot.functions.begin(), robot.functions.end(), [&](const Generated& g) { return g.what == what; }))
      throw std::invalid_argument(cat("quantity ", what, " is asked for twice"));
    Generated made;
    made.what = what;
    made.meaning = asked.meaning;
    if (asked.source == Source::pose || asked.source == Source::jacobian)
      made.meaning += cat("; the link is '", comment_text(model.links()[link_of(model, options)].name), "'");
    begin(cat(what, ": the search for the fewest operations"));
    made.program = ready(program_of(model, asked, options, made.method), rates, Sine::exact, options.real == Real::single_precision);
    begin(cat(what, ": its self-test"));
    made.tests = test_states(model, asked, options);
    if (!is_finite(made, options.real))
      throw std::invalid_argument(
          cat("the equations of ", what, " for robot ", in_quotes(model.name()),
              options.real == Real::single_precision && is_finite(made, Real::double_precision)
                  ? " hold a number that is beyond the range of floats: generate them in double precision"
                  : " hold a number that is not finite: its inertia matrix is singular, or its masses and lengths are beyond all measure"));
    require_pivots(model, asked, made, options);
    require_passed(made, model.name(), options);
    if (options.real == Real::single_precision && !made.tests.empty()) measure_single(model, asked, made);
    robot.functions.push_back(std::move(made));
  }
  return robot;
}

}  // namespace ulna
