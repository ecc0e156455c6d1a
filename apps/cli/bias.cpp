#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments& arguments) {
  return per_coordinate(setup, "bias", "bias", effort_unit,
                        [&setup, other = chosen_formulation(setup, arguments, Quantity::bias)](const State& state, double* bias) {
                          if (other) return other->bias(state.q.data(), state.v.data(), bias, setup.effects.friction);
                          inverse_dynamics(setup.plan, setup.workspace, state.q.data(), state.v.data(), nullptr, bias, setup.effects);
                        });
}

const Computation kComputation{{"q", "v"}, {.gravity = true, .rotor = false, .friction = true}, true, true, prepare, Quantity::bias};

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
