#include "evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "dependents.hpp"
#include "effects.hpp"
#include "intermediates.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

/// What springs and gravity compensation enter.
bool has_springs(Quantity quantity) {
  return quantity == Quantity::inverse || quantity == Quantity::bias || quantity == Quantity::gravity || quantity == Quantity::forward;
}

/// The numbers with what springs and gravity compensation give: torques first, or accelerations of torques that they add to.
MakeCompute with_springs(const Setup& setup, Quantity quantity, MakeCompute make, std::size_t size) {
  return [&setup, quantity, make = std::move(make), size]() -> Compute {
    return [&setup, quantity, size, compute = make(), springs = Springs(setup.robot.model), tree = std::vector<double>(setup.robot.model.nv_tree()),
            held = std::vector<double>()](const StateBlock& states, double* rows) mutable {
      const Model& model = setup.robot.model;
      const std::size_t n = model.nv();
      held.assign(n * states.count, 0.0);
      for (std::size_t k = 0; k < states.count; ++k) {
        const double* q = states.q.data() + k * states.nq;
        double* to = held.data() + k * n;
        std::fill(tree.begin(), tree.end(), 0.0);
        springs.add_to(q, tree.data());
        if (!model.closed()) {
          std::copy(tree.begin(), tree.end(), to);
          continue;
        }
        std::vector<double> motion(row_of(Quantity::loop_motion).size(setup.plan.sizes())), unit(n, 0.0), rest(n, 0.0);
        for (std::size_t j = 0; j < n; ++j) {  // Gᵀ tau, as in Closing
          unit[j] = 1;
          setup.dynamics->compute(Quantity::loop_motion, {q, unit.data(), rest.data()}, motion.data());
          unit[j] = 0;
          to[j] = std::inner_product(tree.begin(), tree.end(), motion.begin(), 0.0);
        }
      }
      if (quantity == Quantity::forward) {
        StateBlock driven = states;
        driven.tau.resize(held.size(), 0.0);
        for (std::size_t i = 0; i < held.size(); ++i) driven.tau[i] -= held[i];
        return compute(driven, rows);
      }
      compute(states, rows);
      for (std::size_t k = 0; k < states.count; ++k)
        for (std::size_t i = 0; i < n; ++i) rows[k * size + i] += held[k * n + i];
    };
  };
}

/// Whether machine code is made of it.
bool compiles(const QuantityRow& row) { return row.lumps || row.of_link; }

StateParts parts_of(const QuantityRow& row) { return {row.inputs.begin(), row.inputs.end()}; }

Setup make_setup(const Arguments& arguments, const Computation& computation) {
  const bool rotor = arguments.on_off("--rotor", true);
  Robot robot = load_robot(arguments, rotor);
  refuse_for_loops(robot.model, arguments);
  PlanOptions options;
  options.snap = snap_of(arguments);
  Plan plan = make_plan(robot.model, options);
  std::vector<std::string> names = robot.model.driven_names();
  Setup setup{std::move(robot), std::move(plan), {}, {}, std::move(names)};
  const Model& model = setup.robot.model;
  if (model.closed())
    setup.dependents = std::make_unique<Dependents>(Dependents{model.independent_positions(), model.order().independent, model.dependent(), model.reference()});
  setup.effects.rotor = rotor;
  setup.speeds = speeds_of(arguments, model);
  setup.effects.friction = arguments.on_off("--friction", false);
  setup.springs = has_springs(computation.quantity) && arguments.on_off("--springs", false);
  if (setup.springs) arguments.refuse({"--reactions", "--intermediates"}, "with --springs on: what it shows is of bodies alone");
  if (row_of(computation.quantity).influences.wrenches) setup.wrenches = wrenches_of(arguments, setup.robot.model);
  if (setup.robot.model.base() != RootJoint::fixed)
    for (const char* option : {"--base-velocity", "--base-acceleration"})
      if (arguments.has(option))
        throw UsageError(cat("option ", option, " prescribes the motion of a fixed base; the base of robot ", in_quotes(setup.robot.model.name()), " is ",
                             to_string(setup.robot.model.base()), ", and its motion is in --q, --v and --a"));
  setup.effects.base = base_of(arguments);
  setup.loaded = !setup.wrenches.empty() || arguments.has("--base-velocity") || arguments.has("--base-acceleration");
  return setup;
}

/// Why machine code is not worth making, of a quantity that it could be made of; empty when it is.
std::string why_not_worth(const Setup& setup, const Arguments& arguments) {
  for (const char* option : {"--wrench", "--base-velocity", "--base-acceleration", "--method"})
    if (arguments.has(option)) return cat("machine code has no ", option);
  if (setup.dependents && setup.effects.friction) return "machine code of loops has no friction";
  const std::vector<Joint>& joints = setup.robot.model.joints();
  if (setup.effects.friction && std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.friction.load != 0; }))
    return "machine code has no friction by load";
  constexpr std::size_t kMostJoints = 200;  // beyond, making it takes longer than anybody waits for one state
  if (setup.robot.model.nv() > kMostJoints && !arguments.has("--compiled"))
    return cat("machine code of more than ", kMostJoints, " joints takes seconds to make; --compiled on makes it");
  return {};
}

/// Dynamics, without machine code where that would not be used. Returns why there is none, where it could be expected; else empty.
std::string make_dynamics(Setup& setup, const Arguments& arguments, const Computation& computation, const Result& result) {
  const bool by_paper = arguments.has("--formulation");
  if (by_paper && !setup.dependents) return {};
  const bool expected = !by_paper && compiles(row_of(computation.quantity)) && arguments.on_off("--compiled", true);
  const std::string not_worth = expected ? why_not_worth(setup, arguments) : "";
  DynamicsOptions options;
  if (!expected || !not_worth.empty()) options.most = InstructionSet::none;
  options.rotor = setup.effects.rotor;
  options.friction = setup.effects.friction;
  options.snap = snap_of(arguments);
  options.quantities = {computation.quantity};
  if (setup.dependents) options.quantities.push_back(Quantity::loop_motion);
  options.threads = 1;  // the pieces of a file go to all cores
  for (const std::size_t link : result.links) options.links.push_back(setup.robot.model.links()[link].name);
  setup.dynamics.emplace(setup.robot.model, options);
  if (!expected || !not_worth.empty()) return not_worth;
  if (result.links.empty()) return setup.dynamics->why_not_compiled(computation.quantity);
  for (const std::size_t link : result.links)
    if (std::string why = setup.dynamics->why_not_compiled(computation.quantity, link); !why.empty()) return why;
  return {};
}

/// One cannot see why the results of a state that was typed are all NaN.
void note_far_angles(const Setup& setup, const States& states) {
  const std::vector<double>& q = states.typed().q;
  const std::vector<double> rates = turning_rates(setup.plan);
  const std::vector<std::string> names = setup.robot.model.position_names();
  for (std::size_t i = 0; i < q.size(); ++i)
    if (std::isfinite(q[i]) && rates[i] * std::abs(q[i]) > kLargestAngle)
      std::fprintf(stderr,
                   "ulna: note: the angle of joint %s is beyond %s rad, where sine and cosine are no longer exact: every result is nan; subtract whole turns\n",
                   in_quotes(names[i]).c_str(), rounded(kLargestAngle).c_str());
}

/// By what the numbers were made: the ids are those of 'ulna verify'.
std::string computed_by(const Setup& setup, const Arguments& arguments, const std::string& in_the_way) {
  if (const std::optional<std::string> id = arguments.value("--formulation")) return *id;
  if (!setup.dynamics) return "templates";
  return in_the_way.empty() && setup.dynamics->instruction_set() != InstructionSet::none ? "compiled-double" : "templates";
}

std::vector<Intermediate> intermediates_of(const Setup& setup, const Arguments& arguments, Quantity quantity, const States& states) {
  Prepared prepared(setup.robot.model, snap_of(arguments));
  prepared.accept_interpolation = arguments.has("--accept-interpolation");
  prepared.speeds = setup.speeds;
  return intermediates(formulation_named(*arguments.value("--formulation")), quantity, prepared, inputs(states.typed().at(0)), setup.effects);
}

void print_object(Output& out, const Arguments& arguments, const Setup& setup, const States& states, const Result& result, const Features& features,
                  const std::string& by, const std::vector<Intermediate>& lines) {
  Json json(out);
  json.begin_object().line_fields("robot", setup.robot.model.name(), "joints", setup.names);
  if (arguments.has("--formulation")) json.line_fields("formulation", *arguments.value("--formulation"));
  if (setup.speeds) json.line_fields("speeds", setup.speeds->source());
  json.line_fields("computed_by", by);
  for (const auto& [key, word] : result.labels) json.line_fields(key, word);
  for (const auto& [key, names] : result.lists) json.line_fields(key, names);
  for (const auto& [key, values] : result.numbers) json.line_fields(key, values);
  json.line_fields("features", [&] { write_features(json, features); });
  print_json(out, json, states, result);
  if (arguments.has("--intermediates")) write_intermediates(json, lines);
  json.end();
}

}  // namespace

bool given_by_papers(Quantity quantity) {
  return std::any_of(formulations().begin(), formulations().end(), [&](const Formulation& row) { return !row.production && row.gives(quantity); });
}

std::vector<Option> evaluation_options(const Computation& computation) {
  const QuantityRow& row = row_of(computation.quantity);
  std::vector<Option> options = state_options(parts_of(row));
  if (row.influences.rotor) options.push_back({"--rotor", "on|off", "include rotor inertia, gear² times that of the rotor, at each joint (default on)"});
  if (row.influences.friction) options.push_back({"--friction", "on|off", "include friction of the joints (docs/dynamics.md; default off)"});
  if (has_springs(row.quantity))
    options.push_back(
        {"--springs", "on|off", "include the springs of joints and the gravity compensation of links that a file states (docs/mjcf.md; default off)"});
  if (row.influences.wrenches) options.push_back(wrench_option());
  if (row.influences.base) options = options + base_options();
  if (given_by_papers(row.quantity))
    options.insert(options.end(),
                   {{"--formulation", "ID", "compute by this formulation of the papers instead; 'ulna formulations' lists them"},
                    {"--intermediates", "",
                     "with --formulation: also every quantity that it computes on the way, by its letter, link and the number of its equation; with "
                     "--csv these alone, as 'ulna explain' reads them"}});
  if (std::any_of(formulations().begin(), formulations().end(), [&](const Formulation& f) { return f.takes_speeds && f.gives(row.quantity); }))
    options.push_back(speeds_option());
  if (transmits(row.quantity)) {
    options.push_back(
        {"--reactions", "", "also the force and the moment that each joint transmits to its link, in the axes and about the origin of the joint's frame"});
    options.push_back({"--control", "JOINT:fx,fy,fz,nx,ny,nz",
                       "with --reactions: load of an actuator across the joint's axis, which the bearings take (Nasser's f^c, n^c); may be repeated", true});
  }
  if (row.quantity == Quantity::inverse)
    options.push_back(
        {"--accept-interpolation", "", "table-based formulations (albus, raibert, horn-raibert): interpolate between nodes and print an error bound"});
  if (compiles(row))
    options.push_back({"--compiled", "on|off", "on: machine code, as in Dynamics (default, up to 200 joints); off: the precompiled C++ algorithms"});
  return options + model_options() + std::vector<Option>{snap_option()} + format_options();
}

bool transmits(Quantity quantity) { return quantity == Quantity::inverse || quantity == Quantity::bias || quantity == Quantity::forward; }

int evaluate(const Arguments& arguments, const Computation& computation) {
  if (arguments.has("--json") && arguments.has("--csv")) throw UsageError("options --json and --csv exclude each other");
  if (arguments.has("--formulation"))
    arguments.refuse({"--compiled", "--instruction-set"}, "with --formulation, which computes by its own code");
  else if (!arguments.on_off("--compiled", true))
    arguments.refuse({"--instruction-set"}, "with --compiled off");
  if (arguments.has("--intermediates")) {
    if (!arguments.has("--formulation")) throw UsageError("option --intermediates needs --formulation ID: it prints what that formulation computes on the way");
    arguments.refuse({"--states"}, "with --intermediates, which takes one state: give it by --q, --v and the like");
  }
  Setup setup = make_setup(arguments, computation);
  setup.effects.wrenches = setup.wrenches;
  Result result = computation.prepare(setup, arguments);
  if (setup.springs) result.make = with_springs(setup, computation.quantity, std::move(result.make), result.size());
  std::string in_the_way;
  if (setup.dependents) {  // states are closed by it before anything is computed
    in_the_way = make_dynamics(setup, arguments, computation, result);
    result = with_dependents(setup, computation.quantity, std::move(result));
  }
  const Features features = collect_features(setup.robot, setup.plan, row_of(computation.quantity).influences, setup.effects, setup.springs);
  const States states(arguments, without_loops(setup.robot.model),
                      {parts_of(row_of(computation.quantity)), result.size(), result.make_check, setup.dependents.get()});
  if (states.single()) note_far_angles(setup, states);
  if (!setup.dependents) in_the_way = make_dynamics(setup, arguments, computation, result);
  std::vector<Intermediate> lines;
  if (arguments.has("--intermediates")) lines = intermediates_of(setup, arguments, computation.quantity, states);
  const std::string footer = features_text(features) + (in_the_way.empty() ? "" : cat("Computed by the precompiled C++ algorithms: ", in_the_way, ".\n"));
  Output out;
  if (arguments.has("--json")) {
    print_object(out, arguments, setup, states, result, features, computed_by(setup, arguments, in_the_way), lines);
  } else if (arguments.has("--csv")) {
    if (arguments.has("--intermediates"))
      out.write(intermediates_csv(lines));
    else
      print_csv(out, states, result);
    out.flush();
    std::fputs(footer.c_str(), stderr);
  } else {
    print_text(out, states, result);
    if (arguments.has("--intermediates")) out.write(cat("\n", intermediates_text(lines)));
    out.write(cat("\n", footer));
  }
  return kDone;
}

namespace {

bool slides(const Setup& setup, std::size_t coordinate) {
  const RootJoint base = setup.robot.model.base();
  if (coordinate < base_size(setup)) return base == RootJoint::free ? coordinate >= 3 : coordinate < 2;
  const std::size_t joint = setup.robot.model.driven()[coordinate - base_size(setup)];
  return setup.robot.model.joints()[joint].type == JointType::prismatic;
}

}  // namespace

std::string effort_unit(const Setup& setup, std::size_t coordinate) { return slides(setup, coordinate) ? "N" : "N m"; }
std::string acceleration_unit(const Setup& setup, std::size_t coordinate) { return slides(setup, coordinate) ? "m/s²" : "rad/s²"; }

Result per_coordinate(const Setup& setup, const PerCoordinate& what) {
  Result result;
  const std::vector<std::string> names = (setup.robot.model.*what.names)();
  const auto joints = names.begin() + static_cast<std::ptrdiff_t>(base_size(setup));
  result.add_list(what.name, what.name, {joints, names.end()});
  if (joints != names.begin()) result.add_list(what.base_name, what.name, {names.begin(), joints}), result.first = {base_size(setup), 0};
  Sheet& sheet = result.sheets.emplace_back(Sheet{{"joint", what.name, ""}, {}});
  for (std::size_t i = 0; i < names.size(); ++i) sheet.lines.push_back({{names[i]}, {i}, what.unit(setup, i)});
  return result;
}

namespace {

std::vector<double> numbers_at(const double* x, std::size_t n) { return x == nullptr ? std::vector<double>() : std::vector<double>(x, x + n); }

/// Accelerations, or their derivatives, solve M x = y: what M, its factors and y have lost reaches them through M⁻¹. Running bounds of the factorisation say
/// nothing of them: they grow with every step of it.
std::vector<double> solved_errors(Rounding& rounding, const Setup& setup, Quantity quantity, const std::vector<double>& q, const std::vector<double>& v,
                                  const std::vector<double>& tau) {
  const auto of = [&](Quantity what, const std::vector<double>& last = {}) { return rounding.of(what, setup.plan, q, v, last); };
  const std::vector<double> a = of(Quantity::forward, tau).value, x = quantity == Quantity::forward ? a : of(quantity, tau).value;
  const Rounding::Results M = of(Quantity::mass), inverse = of(Quantity::mass_inverse);
  const std::vector<double> y = quantity == Quantity::forward ? of(Quantity::bias).error : of(Quantity::inverse_derivatives, a).error;
  const std::size_t n = a.size();
  const double factors = static_cast<double>(n) * unit_roundoff(Precision::full);
  std::vector<double> errors(x.size(), 0.0);
  for (std::size_t c = 0; c < x.size() / n; ++c)
    for (std::size_t k = 0; k < n; ++k) {
      double lost = c < 2 * n ? y[k + c * n] : 0;  // the last n columns are M⁻¹ itself
      for (std::size_t l = 0; l < n; ++l) lost += (M.error[k + l * n] + factors * std::fabs(M.value[k + l * n])) * std::fabs(x[l + c * n]);
      for (std::size_t i = 0; i < n; ++i) errors[i + c * n] += std::fabs(inverse.value[i + k * n]) * lost;
    }
  return errors;
}

}  // namespace

MakeCompute roundings(const Setup& setup, const std::vector<RoundedQuantity>& quantities) {
  return [&setup, quantities]() -> Compute {
    std::size_t size = 0;
    for (const RoundedQuantity& one : quantities) size += row_of(one.quantity).size(setup.plan.sizes());
    return [&setup, quantities, size, rounding = std::make_shared<Rounding>(setup.plan, setup.effects)](const StateBlock& states, double* rows) {
      for (std::size_t k = 0; k < states.count; ++k) {
        const InputsOf<double> in = inputs(states.at(k));
        double* to = rows + k * size;
        const std::vector<double> q = numbers_at(in.q, states.nq), v = numbers_at(in.v, states.nv), last = numbers_at(in.last, states.nv);
        for (const RoundedQuantity& one : quantities) {
          const bool solved = one.quantity == Quantity::forward || one.quantity == Quantity::forward_derivatives;
          const std::vector<double> errors =
              solved ? solved_errors(*rounding, setup, one.quantity, q, v, last) : rounding->of(one.quantity, setup.plan, q, v, last, one.link).error;
          to = std::copy(errors.begin(), errors.end(), to);
        }
      }
    };
  };
}

std::shared_ptr<FormulationOnModel> chosen_formulation(const Setup& setup, const Arguments& arguments, Quantity quantity) {
  const std::optional<std::string> id = arguments.value("--formulation");
  if (!id && arguments.has("--accept-interpolation")) throw UsageError("option --accept-interpolation needs --formulation horn-raibert, raibert or albus");
  if (!id) return nullptr;
  const Formulation* formulation = &formulation_named(*id);
  Prepared prepared(setup.robot.model, snap_of(arguments));
  prepared.accept_interpolation = arguments.has("--accept-interpolation");
  prepared.speeds = setup.speeds;
  if (prepared.accept_interpolation && formulation->valid_at != ValidAt::table_nodes)
    throw UsageError(cat("option --accept-interpolation is for table-based formulations; ", *id, " computes them"));
  if (why_not(*formulation, quantity, prepared).empty())
    if (const std::string reason = why_not(*formulation, quantity, prepared, setup.effects); !reason.empty())
      throw UsageError(cat("formulation ", *id, ": ", reason));
  return std::make_shared<FormulationOnModel>(*formulation, quantity, prepared);
}

Compute by_dynamics(const Setup& setup, Quantity quantity, ForwardMethod method) {
  const std::size_t size = row_of(quantity).size(setup.plan.sizes());
  if (!setup.loaded && method == ForwardMethod::automatic)
    return [&setup, quantity, size](const StateBlock& s, double* out) {
      std::vector<MatrixView<const double>> in;
      for (const auto part : {&StateBlock::q, &StateBlock::v, &StateBlock::a, &StateBlock::tau})
        if (!(s.*part).empty()) in.push_back(s.columns(part));
      setup.dynamics->compute_batch(quantity, in, {out, size, s.count});
    };
  return one_by_one(size, [&setup, quantity, method](const StateView& state, double* out) {
    InputsOf<double> in = inputs(state);
    in.method = method;
    setup.dynamics->compute(quantity, in, out, setup.effects);
  });
}

namespace {

/// Of a state that a formulation refuses: whether it lies between the nodes of a table.
bool interpolation_helps(const Setup& setup, const std::string& id, Quantity quantity, double snap, const StateView& state) {
  const Formulation& formulation = formulation_named(id);
  if (formulation.valid_at != ValidAt::table_nodes) return false;
  Prepared prepared(setup.robot.model, snap);
  prepared.accept_interpolation = true;
  return FormulationOnModel(formulation, quantity, prepared).why_not_here(state.q, state.v, state.a).empty();
}

}  // namespace

std::function<StateCheck()> formulation_check(const Setup& setup, const Arguments& arguments, Quantity quantity) {
  if (chosen_formulation(setup, arguments, quantity) == nullptr) return {};  // a wrong name is reported before the states are read
  return [&setup, &arguments, quantity]() -> StateCheck {
    return [&setup, quantity, formulation = chosen_formulation(setup, arguments, quantity), id = *arguments.value("--formulation"),
            snap = snap_of(arguments)](const StateView& state) {
      const std::string why = formulation->why_not_here(state.q, state.v, state.a);
      if (why.empty()) return std::optional<StateProblem>();
      return std::optional<StateProblem>({0, "", cat("formulation ", id, " has no right answer in this state: ", why),
                                          interpolation_helps(setup, id, quantity, snap, state)
                                              ? "take that one, or --accept-interpolation, which states a bound of the error"
                                              : "take another state, or another formulation"});
    };
  };
}

std::vector<std::size_t> chosen_links(const Setup& setup, const Arguments& arguments) {
  std::vector<std::size_t> links;
  for (const std::string& name : arguments.values("--link")) links.push_back(find_link(setup.robot.model, name, "--link"));
  if (links.empty())
    for (std::size_t i = 0; i < setup.robot.model.links().size(); ++i) links.push_back(i);
  return links;
}

}  // namespace ulna::cli
