#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments& arguments) {
  Result result = per_coordinate(setup, "bias", "bias", effort_unit);
  result.make_check = formulation_check(setup, arguments, Quantity::bias);
  result.make = [&setup, &arguments]() -> Compute {
    const std::size_t n = setup.names.size();
    if (const auto other = chosen_formulation(setup, arguments, Quantity::bias))
      return one_by_one(n, [&setup, other](const StateView& state, double* bias) { other->compute(Quantity::bias, {state.q, state.v}, bias, setup.effects); });
    if (setup.dynamics)
      return [&setup, n](const StateBlock& s, double* bias) {
        setup.dynamics->bias_batch(s.columns(&StateBlock::q), s.columns(&StateBlock::v), {bias, n, s.count});
      };
    return one_by_one(n, [&setup, workspace = Workspace(setup.plan)](const StateView& state, double* bias) mutable {
      inverse_dynamics(setup.plan, workspace, state.q, state.v, nullptr, bias, setup.effects);
    });
  };
  return result;
}

const Computation kComputation{{"q", "v"}, {.gravity = true, .rotor = false, .friction = true}, true, true, prepare, Quantity::bias, Quantity::bias};

}  // namespace

Command bias_command() {
  return {"bias",
          "torques at zero acceleration: Coriolis, centrifugal and gravity",
          "MODEL [options]",
          "Computes bias(q, v) = inverse(q, v, 0). It contains gravity, and friction and wrenches where they are asked for.",
          evaluation_options(kComputation),
          "ulna bias panda --q 0,0.5,0,-1.5,0,1.8,0 --v 0.1,0.2,0.1,0,0,0,0 --gravity 0,0,0\n"
          "    the velocity-dependent torques alone",
          [](const Arguments& arguments) { return evaluate(arguments, kComputation); }};
}

}  // namespace ulna::cli
