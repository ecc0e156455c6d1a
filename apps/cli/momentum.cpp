#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

Result prepare_momentum(Setup& setup, const Arguments&) {
  Result result;
  result.headers = {"angular.x", "angular.y", "angular.z", "linear.x", "linear.y", "linear.z"};
  result.fields = {{"angular", 0, {3}}, {"linear", 3, {3}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::momentum); };
  result.text = [](const double* row) {
    Table table("lrrrl");
    table.row({"angular", brief(row[0]), brief(row[1]), brief(row[2]), "N m s"});
    table.row({"linear", brief(row[3]), brief(row[4]), brief(row[5]), "N s"});
    return table.text();
  };
  return result;
}

const Computation kMomentum{Quantity::momentum, prepare_momentum};

}  // namespace

Command momentum_command() {
  return {"momentum",
          "angular and linear momentum about the base",
          "MODEL [options]",
          "Computes the momentum of all links about the origin of the root link, in its axes. Rotors are not included, because\n"
          "the model has their inertia about the joint axis only.",
          evaluation_options(kMomentum),
          "ulna momentum space-arm --v 0.01,0.02,0,0,0,0,0",
          [](const Arguments& arguments) { return evaluate(arguments, kMomentum); }};
}

}  // namespace ulna::cli
