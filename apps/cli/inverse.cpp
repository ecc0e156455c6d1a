#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

/// Torques, and beside them how far each may be off.
void show_error_bounds(Result& result, const Setup& setup) {
  const std::size_t n = setup.names.size();
  for (const std::string& name : setup.names) result.headers.push_back(cat("error_bound.", name));
  result.fields.push_back({"error_bound", n, {n}});
  result.text = [&setup, n](const double* row) {
    Table table("lrrl");
    table.row({"joint", "tau", "off by at most", ""});
    for (std::size_t i = 0; i < n; ++i) table.row({setup.names[i], brief(row[i]), brief(row[n + i]), effort_unit(setup, i)});
    return table.text();
  };
}

Result prepare(Setup& setup, const Arguments& arguments) {
  Result result = per_coordinate(setup, "tau", "tau", effort_unit);
  result.make_check = formulation_check(setup, arguments, Quantity::inverse);
  const bool bounds = arguments.has("--accept-interpolation");
  if (bounds) show_error_bounds(result, setup);
  result.make = [&setup, &arguments, bounds]() -> Compute {
    const std::size_t n = setup.names.size();
    if (const auto other = chosen_formulation(setup, arguments, Quantity::inverse))
      return one_by_one(bounds ? 2 * n : n, [&setup, other, bounds, n](const StateView& state, double* tau) {
        other->compute(Quantity::inverse, {state.q, state.v, state.a}, tau, setup.effects);
        if (bounds) other->error_bound(state.q, state.v, state.a, tau + n);
      });
    if (setup.dynamics)
      return [&setup, n](const StateBlock& s, double* tau) {
        setup.dynamics->inverse_batch(s.columns(&StateBlock::q), s.columns(&StateBlock::v), s.columns(&StateBlock::a), {tau, n, s.count});
      };
    return one_by_one(n, [&setup, workspace = Workspace(setup.plan)](const StateView& state, double* tau) mutable {
      inverse_dynamics(setup.plan, workspace, state.q, state.v, state.a, tau, setup.effects);
    });
  };
  return result;
}

const Computation kComputation{{"q", "v", "a"}, {.gravity = true, .rotor = true, .friction = true}, true, true, prepare, Quantity::inverse, Quantity::inverse};

}  // namespace

Command inverse_command() {
  return {"inverse",
          "joint torques from positions, velocities and accelerations",
          "MODEL [options]",
          "Computes tau = M(q) a + bias(q, v): the torques (forces, for sliding joints) that produce the accelerations a in the\n"
          "state q, v. Vectors are in the joint order that 'ulna info' prints; an absent one is zero.",
          evaluation_options(kComputation),
          "ulna inverse stanford --q 0,pi/2,0.1,0,0,0 --a 1,0,0,0,0,0\n"
          "    torques that hold the Stanford arm against gravity and turn its first joint at 1 rad/s²",
          [](const Arguments& arguments) { return evaluate(arguments, kComputation); }};
}

}  // namespace ulna::cli
