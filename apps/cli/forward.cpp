#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments& arguments) {
  const std::string name = arguments.choice("--method", {"auto", "mass", "articulated"});
  const ForwardMethod method = name == "mass" ? ForwardMethod::mass_matrix : name == "articulated" ? ForwardMethod::articulated : ForwardMethod::automatic;
  if (method == ForwardMethod::articulated && setup.plan.coupled)
    throw UsageError("option --method articulated does not take mimic joints; use --method mass, or --mimic ignore");
  if (arguments.has("--formulation") && arguments.has("--method")) throw UsageError("options --formulation and --method exclude each other");
  if (arguments.has("--formulation") && !setup.effects.rotor)
    throw UsageError("option --rotor off is for the production path; the papers' forward dynamics count the rotors");
  Result result = per_coordinate(setup, "a", "a", acceleration_unit);
  result.make_check = formulation_check(setup, arguments, Quantity::forward);
  result.make = [&setup, &arguments, method]() -> Compute {
    const std::size_t n = setup.names.size();
    if (const auto other = chosen_formulation(setup, arguments, Quantity::forward))
      return one_by_one(n, [&setup, other](const StateView& state, double* a) {
        other->compute(Quantity::forward, {state.q, state.v, state.tau}, a, setup.effects);
      });
    if (setup.dynamics)
      return [&setup, n](const StateBlock& s, double* a) {
        setup.dynamics->forward_batch(s.columns(&StateBlock::q), s.columns(&StateBlock::v), s.columns(&StateBlock::tau), {a, n, s.count});
      };
    return one_by_one(n, [&setup, method, n, workspace = Workspace(setup.plan)](const StateView& state, double* a) mutable {
      const auto in = [n](const double* part) { return In<double>(part, n); };
      forward_dynamics(setup.plan, workspace, in(state.q), in(state.v), in(state.tau), Out<double>(a, n), setup.effects, method);
    });
  };
  return result;
}

const Computation kComputation{{"q", "v", "tau"}, {.gravity = true, .rotor = true, .friction = true}, true, true, prepare, Quantity::forward,
                               Quantity::forward};

}  // namespace

Command forward_command() {
  return {"forward",
          "joint accelerations from positions, velocities and torques",
          "MODEL [options]",
          "Computes a = M(q)^-1 (tau - bias(q, v)): how the robot moves when the torques tau act in the state q, v. Two methods\n"
          "give the same answer: the inertia matrix and its factors, or articulated bodies.",
          evaluation_options(kComputation) + std::vector<Option>{{"--method", "auto|mass|articulated", "how to compute it (default auto: the cheaper one)"}},
          "ulna forward planar-2r --q 0.3,0.4\n"
          "    how a planar arm begins to fall from rest",
          [](const Arguments& arguments) { return evaluate(arguments, kComputation); }};
}

}  // namespace ulna::cli
