#include "formulation/composite_ldl.hpp"
#include "formulation/kane.hpp"
#include "formulation/nasser.hpp"
#include "formulation/walker_orin.hpp"

#include "emit/equations_formulation.hpp"
#include "emit/joint_names.hpp"
#include "emit/symbolic_frames.hpp"

namespace ulna {

namespace {

BodyTree<Expr> tree_of(const FormulationCall& call) {
  BodyTree<Expr> tree = with_symbols(call.prepared.tree, call.symbols);
  for (std::size_t i = 0; i < call.rotors.size(); ++i) tree.bodies[i].rotor = call.rotors[i];
  return tree;
}

void kane(const FormulationCall& call) {
  const BodyTree<Expr> tree = tree_of(call);
  KaneWorkspace<Expr> ws(tree);
  if (call.quantity == Quantity::mass)
    kane_mass(tree, ws, call.q, call.results);
  else if (call.quantity == Quantity::bias)
    kane_bias(tree, ws, call.q, call.v, call.results);
  else
    kane_torque(tree, ws, call.q, call.v, call.third, call.results);
  if (call.quantity == Quantity::mass) return;
  for (std::size_t i = 0; i < tree.size(); ++i) JointNames(call.symbols.graph(), i)("w", ws.bodies[i].omega);
}

void walker_orin(const FormulationCall& call) {
  composite_body::WalkerOrin<Expr, Expr> bodies(tree_of(call));
  bodies.set_configuration(call.q);
  bodies.mass(call.results);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const JointNames name(call.symbols.graph(), i);
    name("rc", bodies.centre(i));
    name("Ic", bodies.inertia(i));
  }
}

void nasser_acceleration(const FormulationCall& call) { Nasser<Expr, Expr>(tree_of(call)).acceleration(call.q, call.v, call.third, call.results); }

void composite_ldl(const FormulationCall& call) {
  const BodyTree<Expr> tree = tree_of(call);
  CompositeLdl<Expr, Expr>(CompositeBodies<Expr, Expr>(tree), rotors(tree)).acceleration(call.q, call.v, call.third, call.results);
}

constexpr std::string_view kFrames = "Vectors and tensors of a link are in axes that stand at its joint, z along the joint's axis";

}  // namespace

std::span<const SymbolicFormulation> formulations_on_trees() {
  static constexpr SymbolicFormulation all[] = {
      {"kane", &kane, kFrames},
      {"walker-orin", &walker_orin, kFrames},
      {"nasser", &nasser_acceleration, kFrames},
      {"composite-ldl", &composite_ldl, kFrames},
  };
  return all;
}

}  // namespace ulna
