#include "command.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments&) {
  Result result = per_coordinate(setup, "gravity", "gravity", effort_unit);
  result.make = [&setup]() -> Compute {
    const std::size_t n = setup.names.size();
    if (setup.dynamics)
      return [&setup, n](const StateBlock& s, double* gravity) { setup.dynamics->gravity_batch(s.columns(&StateBlock::q), {gravity, n, s.count}); };
    return one_by_one(n, [&setup, n, workspace = Workspace(setup.plan)](const StateView& state, double* gravity) mutable {
      gravity_forces(setup.plan, workspace, In<double>(state.q, n), Out<double>(gravity, n));
    });
  };
  return result;
}

const Computation kComputation{{"q"}, {.gravity = true}, false, false, prepare, {}, Quantity::gravity};

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
