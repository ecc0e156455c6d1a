#include "formulation/kane_stanford-inl.hpp"

#include "emit/equations_formulation.hpp"
#include "emit/symbolic_frames.hpp"
#include "text/cat.hpp"

namespace ulna {

namespace {

/// u, C_ij, Z and X carry the paper's numbers. One that is another with or without its sign has the name of the first.
void name_quantities(Graph& graph, const StanfordQuantities<Expr>& k) {
  for (std::size_t i = 2; i <= 5; ++i) graph.name(k.s[i], cat("s", i)), graph.name(k.c[i], cat("c", i));
  for (std::size_t i = 1; i <= 6; ++i) graph.name(k.u[i], cat("u", i));
  for (std::size_t i = 1; i <= 3; ++i)
    for (std::size_t j = 1; j <= 3; ++j) graph.name(k.C[i][j], cat("C", i, j));
  for (std::size_t i = 1; i < k.Z.size(); ++i) graph.name(k.Z[i], cat("Z", i));
  for (std::size_t i = 1; i <= 6; ++i)
    for (std::size_t j = 1; j <= 6; ++j) graph.name(k.X[i][j], cat("X", i, j));
}

void kane_stanford(const FormulationCall& call) {
  StanfordArm<Expr> arm = with_symbols(fit_stanford(call.prepared.tree).arm, call.symbols);
  for (std::size_t r = 1; r <= 6 && !call.rotors.empty(); ++r) arm.rotor[r] = call.rotors[kStanfordChain[r]];
  StanfordQuantities<Expr> k;
  Graph& graph = call.symbols.graph();
  const std::array<Expr, 7> rates = stanford_from_chain(call.v);
  stanford_place(stanford_from_chain(call.q), k);
  stanford_speeds_from_rates(k, rates);
  stanford_Z(arm, k);
  stanford_X(arm, k);
  name_quantities(graph, k);
  std::array<Expr, 7> u_dot{};
  if (call.quantity == Quantity::inverse) {
    u_dot = stanford_speed_rates(k, rates, stanford_from_chain(call.third));
    stanford_forces_to_chain(stanford_forces(k, u_dot), call.results);
  } else {
    u_dot = stanford_accelerations(arm, k, stanford_forces_from_chain(call.third));
    stanford_to_chain(stanford_joint_accelerations(k, u_dot), call.results);
  }
  for (std::size_t r = 1; r <= 6; ++r) graph.name(u_dot[r], cat("du", r));
}

constexpr std::string_view kFrames =
    "Letters, numbers and frames are the paper's, and so are those of the coordinates; joint forces have the model's signs, of which all but the first are "
    "opposite to the paper's. Entries of Z that are not listed equal one that is, or nothing needs them";

}  // namespace

std::span<const SymbolicFormulation> formulations_of_the_stanford_arm() {
  static constexpr SymbolicFormulation all[] = {{"kane-stanford", &kane_stanford, kFrames}};
  return all;
}

}  // namespace ulna
