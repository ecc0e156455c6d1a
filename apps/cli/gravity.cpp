#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments&) {
  return per_coordinate(setup, "gravity", "gravity", effort_unit, [&setup](const State& state, double* gravity) {
    gravity_forces(setup.plan, setup.workspace, state.q, Out<double>(gravity, state.v.size()));
  });
}

const Computation kComputation{{"q"}, {.gravity = true}, false, false, prepare};

}  // namespace

Command gravity_command() {
  return {"gravity",
          "torques that hold the robot still",
          "MODEL [options]",
          "Computes g(q) = inverse(q, 0, 0): the joint torques that balance the weight of the links, and nothing else.",
          evaluation_options(kComputation),
          "ulna gravity puma560 --q 0,0.8,0,0,0,0 --json\n"
          "    as one JSON object",
          [](const Arguments& arguments) { return evaluate(arguments, kComputation); }};
}

}  // namespace ulna::cli
