#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments& arguments) {
  return per_coordinate(setup, "tau", "tau", effort_unit,
                        [&setup, other = chosen_formulation(setup, arguments, Quantity::torque)](const State& state, double* tau) {
                          if (other) return other->torque(state.q.data(), state.v.data(), state.a.data(), tau, setup.effects.rotor, setup.effects.friction);
                          inverse_dynamics(setup.plan, setup.workspace, state.q.data(), state.v.data(), state.a.data(), tau, setup.effects);
                        });
}

const Computation kComputation{{"q", "v", "a"}, {.gravity = true, .rotor = true, .friction = true}, true, true, prepare, Quantity::torque};

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
