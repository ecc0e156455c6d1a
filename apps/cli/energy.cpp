#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

Result prepare_energy(Setup& setup, const Arguments&) {
  Result result;
  result.headers = {"kinetic", "potential"};
  result.fields = {{"kinetic", 0, {}}, {"potential", 1, {}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::energy); };
  result.text = [](const double* row) {
    Table table("lrl");
    table.row({"kinetic", brief(row[0]), "J"});
    table.row({"potential", brief(row[1]), "J"});
    return table.text();
  };
  return result;
}

const Computation kEnergy{Quantity::energy, prepare_energy};

}  // namespace

Command energy_command() {
  return {"energy",
          "kinetic and potential energy",
          "MODEL [options]",
          "Computes the energy of all links. The kinetic energy includes the rotors. The potential energy is zero if all mass\n"
          "is at the origin of the root link.",
          evaluation_options(kEnergy),
          "ulna energy planar-2r --q 0.3,0.4 --v 1,0",
          [](const Arguments& arguments) { return evaluate(arguments, kEnergy); }};
}

}  // namespace ulna::cli
