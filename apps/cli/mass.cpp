#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

Result prepare(Setup& setup, const Arguments& arguments) {
  const std::size_t n = setup.names.size();
  Result result;
  for (const std::string& row : setup.names)
    for (const std::string& column : setup.names) result.headers.push_back(cat("M.", row, ".", column));
  result.fields = {{"M", 0, {n, n}}};
  result.make_check = formulation_check(setup, arguments, Quantity::mass);
  result.make = [&setup, &arguments, n]() -> Compute {
    if (const auto other = chosen_formulation(setup, arguments, Quantity::mass))
      return one_by_one(n * n, [&setup, other](const StateView& state, double* M) { other->compute(Quantity::mass, {state.q}, M, setup.effects); });
    if (setup.dynamics) return [&setup, n](const StateBlock& s, double* M) { setup.dynamics->mass_batch(s.columns(&StateBlock::q), {M, n * n, s.count}); };
    return one_by_one(n * n, [&setup, workspace = Workspace(setup.plan)](const StateView& state, double* M) mutable {
      mass_matrix(setup.plan, workspace, state.q, M, setup.effects.rotor);
    });
  };
  result.text = [&setup, n](const double* M) {
    Table table("l" + std::string(n, 'r'));
    std::vector<std::string> head{"M"};
    head.insert(head.end(), setup.names.begin(), setup.names.end());
    table.row(head);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::string> cells{setup.names[i]};
      for (std::size_t j = 0; j < n; ++j) cells.push_back(brief(M[i * n + j]));
      table.row(cells);
    }
    return table.text();
  };
  return result;
}

const Computation kComputation{{"q"}, {.gravity = false, .rotor = true}, false, false, prepare, Quantity::mass, Quantity::mass};

}  // namespace

Command mass_command() {
  return {"mass",
          "the joint-space inertia matrix M(q)",
          "MODEL [options]",
          "Computes M(q), full and symmetric: kg m² between turning joints, kg between sliding ones, kg m between the two kinds.\n"
          "Rotor inertia is on the diagonal unless switched off.",
          evaluation_options(kComputation),
          "ulna mass stanford --q 0,pi/2,0.1,0,0,0\n"
          "    the 6 x 6 inertia matrix of the Stanford arm",
          [](const Arguments& arguments) { return evaluate(arguments, kComputation); }};
}

}  // namespace ulna::cli
