// The commands that compute a quantity of the whole robot by its row: a number for each coordinate, a matrix of them, or a few numbers.
#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Compute compute_by(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method) {
  if (const auto other = chosen_formulation(setup, arguments, quantity))
    return one_by_one(row_of(quantity).size(setup.plan.sizes()),
                      [&setup, other, quantity](const StateView& state, double* out) { other->compute(quantity, inputs(state), out, setup.effects); });
  return by_dynamics(setup, quantity, method);
}

Result by_row(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method = ForwardMethod::automatic) {
  const QuantityRow& row = row_of(quantity);
  const std::string symbol(row.symbol);
  const bool forward = quantity == Quantity::forward;
  Result result;
  if (row.is_matrix())
    result.show_matrix(symbol, setup.robot.model.velocity_names(), setup.robot.model.velocity_names());
  else
    result = per_coordinate(setup, {symbol, forward ? "base_acceleration" : "base", forward ? &Model::velocity_names : &Model::effort_names,
                                    forward ? acceleration_unit : effort_unit});
  if (given_by_papers(quantity)) result.make_check = formulation_check(setup, arguments, quantity);
  result.make = [&setup, &arguments, quantity, method] { return compute_by(setup, arguments, quantity, method); };
  result.make_errors = roundings(setup, {{quantity}});
  if (row.is_matrix() && !row.symmetric) result.arrange(by_rows(0, nv(setup), nv(setup)));
  return result;
}

template <Quantity quantity>
Result by_row(Setup& setup, const Arguments& arguments) {
  return by_row(setup, arguments, quantity);
}

/// Torques, and beside them how far each may be off, of a formulation that interpolates.
Result inverse(Setup& setup, const Arguments& arguments) {
  Result result = by_row(setup, arguments, Quantity::inverse);
  if (!arguments.has("--accept-interpolation")) return result;
  const std::size_t n = setup.names.size(), bounds = result.add_list("error_bound", "error_bound", setup.names);
  Sheet& sheet = result.sheets.front();
  sheet.head = {"joint", "tau", "off by at most", ""};
  for (std::size_t i = 0; i < n; ++i) sheet.lines[i].numbers.push_back(bounds + i);
  result.make_errors = {};  // bounds say more
  result.make = [&setup, &arguments, n]() -> Compute {
    return one_by_one(2 * n, [&setup, n, other = chosen_formulation(setup, arguments, Quantity::inverse)](const StateView& state, double* tau) {
      other->compute(Quantity::inverse, inputs(state), tau, setup.effects);
      other->error_bound(state.q, state.v, state.a, tau + n);
    });
  };
  return result;
}

Result energy(Setup& setup, const Arguments&) {
  Result result;
  for (const char* kind : {"kinetic", "potential"}) result.add({kind, {}, {kind}});
  result.sheets = {{{}, {{{"kinetic"}, {0}, "J"}, {{"potential"}, {1}, "J"}}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::energy); };
  result.make_errors = roundings(setup, {{Quantity::energy}});
  return result;
}

Result momentum(Setup& setup, const Arguments&) {
  Result result;
  for (const char* kind : {"angular", "linear"}) result.add_list(kind, kind, {"x", "y", "z"});
  result.sheets = {{{}, {{{"angular"}, {0, 1, 2}, "N m s"}, {{"linear"}, {3, 4, 5}, "N s"}}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::momentum); };
  result.make_errors = roundings(setup, {{Quantity::momentum}});
  return result;
}

Result forward(Setup& setup, const Arguments& arguments) {
  const std::string name = arguments.choice("--method", {"auto", "mass", "articulated"});
  const ForwardMethod method = name == "mass" ? ForwardMethod::mass_matrix : name == "articulated" ? ForwardMethod::articulated : ForwardMethod::automatic;
  if (method == ForwardMethod::articulated && setup.plan.coupled)
    throw UsageError("option --method articulated does not take mimic joints; use --method mass, or --mimic ignore");
  if (arguments.has("--formulation") && arguments.has("--method")) throw UsageError("options --formulation and --method exclude each other");
  return by_row(setup, arguments, Quantity::forward, method);
}

struct QuantityPage {
  Computation computation;
  const char *summary, *text, *example;
  std::vector<Option> more = {};
};

const QuantityPage kPages[] = {
    {{Quantity::inverse, inverse},
     "joint torques from positions, velocities and accelerations",
     "Computes tau = M(q) a + bias(q, v): the torques (forces, for prismatic joints) that produce the accelerations a in the\n"
     "state q, v. Vectors are in the joint order that 'ulna info' prints; a vector that is not given is zero.",
     "ulna inverse stanford --q 0,pi/2,0.1,0,0,0 --a 1,0,0,0,0,0\n"
     "    torques that hold the Stanford arm against gravity and accelerate its first joint by 1 rad/s²"},
    {{Quantity::forward, forward},
     "joint accelerations from positions, velocities and torques",
     "Computes a = M(q)^-1 (tau - bias(q, v)): how the robot moves when the torques tau act in the state q, v. Two methods\n"
     "give the same answer: by the inertia matrix and its factors, or by articulated bodies.",
     "ulna forward planar-2r --q 0.3,0.4\n"
     "    how a planar arm begins to fall from rest",
     {{"--method", "auto|mass|articulated", "method (default auto: the cheaper one)"}}},
    {{Quantity::mass, by_row<Quantity::mass>},
     "the joint-space inertia matrix M(q)",
     "Computes M(q), full and symmetric: kg m² between revolute joints, kg between prismatic ones, kg m between the two.\n"
     "Rotor inertia is on the diagonal unless switched off.",
     "ulna mass stanford --q 0,pi/2,0.1,0,0,0\n"
     "    the 6 x 6 inertia matrix of the Stanford arm"},
    {{Quantity::bias, by_row<Quantity::bias>},
     "torques at zero acceleration: Coriolis, centrifugal and gravity",
     "Computes bias(q, v) = inverse(q, v, 0). It includes gravity, and the options add friction and wrenches.",
     "ulna bias panda --q 0,0.5,0,-1.5,0,1.8,0 --v 0.1,0.2,0.1,0,0,0,0 --gravity 0,0,0\n"
     "    the velocity-dependent torques alone"},
    {{Quantity::gravity, by_row<Quantity::gravity>},
     "torques that hold the robot still",
     "Computes g(q) = inverse(q, 0, 0): the joint torques that balance the weight of the links, and nothing else.",
     "ulna gravity puma560 --q 0,0.8,0,0,0,0 --json\n"
     "    as one JSON object"},
    {{Quantity::coriolis, by_row<Quantity::coriolis>},
     "the Coriolis matrix C(q, v) of Christoffel symbols",
     "Computes C(q, v): C v = bias(q, v) - gravity(q) are the Coriolis and centrifugal torques, and dM/dt - 2 C is\n"
     "skew-symmetric, which adaptive and passivity-based controllers rely on. Rotors and friction are not included.",
     "ulna coriolis planar-2r --q 0.3,0.4 --v 1,-2\n"
     "    the 2 x 2 matrix of a planar arm"},
    {{Quantity::energy, energy},
     "kinetic and potential energy",
     "Computes the energy of all links. The kinetic energy includes the rotors. The potential energy is zero if all mass\n"
     "is at the origin of the root link.",
     "ulna energy planar-2r --q 0.3,0.4 --v 1,0"},
    {{Quantity::momentum, momentum},
     "angular and linear momentum about the base",
     "Computes the momentum of all links about the origin of the root link, in its axes. Rotors are not included, because\n"
     "the model has their inertia about the joint axis only.",
     "ulna momentum space-arm --v 0.01,0.02,0,0,0,0,0"},
};

}  // namespace

std::vector<Command> quantity_commands() {
  std::vector<Command> commands;
  for (const QuantityPage& page : kPages)
    commands.push_back({row_of(page.computation.quantity).id, page.summary, "MODEL [options]", page.text, evaluation_options(page.computation) + page.more,
                        page.example, [&page](const Arguments& arguments) { return evaluate(arguments, page.computation); }});
  return commands;
}

}  // namespace ulna::cli
