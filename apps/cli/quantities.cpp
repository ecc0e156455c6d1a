// The commands that compute a quantity of the whole robot by its row: a number for each coordinate, or a matrix of them.
#include <utility>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

/// Kernels write matrices column by column, files and people want them row by row.
void by_rows(double* M, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(M[i * n + j], M[j * n + i]);
}

Compute compute_by(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method) {
  if (const auto other = chosen_formulation(setup, arguments, quantity))
    return one_by_one(row_of(quantity).size(setup.plan.sizes()),
                      [&setup, other, quantity](const StateView& state, double* out) { other->compute(quantity, inputs(state), out, setup.effects); });
  return by_dynamics(setup, quantity, method);
}

Result matrix(const Setup& setup, const std::string& symbol) {
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  Result result;
  for (const std::string& row : names)
    for (const std::string& column : names) result.headers.push_back(cat(symbol, ".", row, ".", column));
  result.fields = {{symbol, 0, {n, n}}};
  result.text = [names, symbol, n](const double* M) {
    Table table("l" + std::string(n, 'r'));
    std::vector<std::string> head{symbol};
    head.insert(head.end(), names.begin(), names.end());
    table.row(head);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::string> cells{names[i]};
      for (std::size_t j = 0; j < n; ++j) cells.push_back(brief(M[i * n + j]));
      table.row(cells);
    }
    return table.text();
  };
  return result;
}

Result by_row(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method = ForwardMethod::automatic) {
  const QuantityRow& row = row_of(quantity);
  const std::string symbol(row.symbol);
  const bool forward = quantity == Quantity::forward;
  const PerCoordinate shape{symbol, symbol, forward ? "base_acceleration" : "base", forward ? &Model::velocity_names : &Model::effort_names,
                            forward ? acceleration_unit : effort_unit};
  Result result = row.is_matrix() ? matrix(setup, symbol) : per_coordinate(setup, shape);
  if (given_by_papers(quantity)) result.make_check = formulation_check(setup, arguments, quantity);
  result.make = [&setup, &arguments, &row, method]() -> Compute {
    Compute compute = compute_by(setup, arguments, row.quantity, method);
    if (!row.is_matrix() || row.symmetric) return compute;
    return [compute, n = nv(setup)](const StateBlock& states, double* rows) {
      compute(states, rows);
      for (std::size_t k = 0; k < states.count; ++k) by_rows(rows + k * n * n, n);
    };
  };
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
  const std::size_t n = setup.names.size();
  for (const std::string& name : setup.names) result.headers.push_back(cat("error_bound.", name));
  result.fields.push_back({"error_bound", n, {n}});
  result.text = [&setup, n](const double* row) {
    Table table("lrrl");
    table.row({"joint", "tau", "off by at most", ""});
    for (std::size_t i = 0; i < n; ++i) table.row({setup.names[i], brief(row[i]), brief(row[n + i]), effort_unit(setup, i)});
    return table.text();
  };
  result.make = [&setup, &arguments, n]() -> Compute {
    return one_by_one(2 * n, [&setup, n, other = chosen_formulation(setup, arguments, Quantity::inverse)](const StateView& state, double* tau) {
      other->compute(Quantity::inverse, inputs(state), tau, setup.effects);
      other->error_bound(state.q, state.v, state.a, tau + n);
    });
  };
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
