#include "emit/equations_kernels.hpp"

#include "emit/equations_marks.hpp"
#include "emit/symbolic_plan.hpp"
#include "formulation/compute_expr.hpp"
#include "formulation/joint_names.hpp"
#include "trace/inputs.hpp"

namespace ulna::internal {

namespace {

void name_quantities(Graph& graph, const WorkspaceOf<Expr>& ws, Quantity what, const std::vector<std::size_t>& angles) {
  for (std::size_t i = 0; i < ws.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws.bodies[i];
    const JointNames name([&graph](const NodeName& known, const Expr& x) { graph.name(x, known); }, i);
    graph.name(s.turn.sin, NodeName{"s", angles[i]});
    graph.name(s.turn.cos, NodeName{"c", angles[i]});
    if (!row_of(what).lumps) {
      name("R0", s.X_WB.R);
      name("p0", s.X_WB.p);
      if (what == Quantity::energy) name("w", s.w_WB_B), name("v", s.v_WBo_B);
      continue;
    }
    name("w", s.w_WB_B);
    name("dw", s.alpha_WB_B);
    name("a", s.a_WBo_B);
    name("f", s.f_B);
    name("n", s.n_B);
    name("U", s.U);
    const PseudoInertia<Expr>& c = s.composite;
    name("mc", c.m);
    name("hc", c.h);
    name("Sc", c.S);
  }
}

}  // namespace

std::vector<Expr> upper_half(const std::vector<Expr>& M, std::size_t n) {
  std::vector<Expr> half;
  for (std::size_t i = 0; i < n; ++i)
    half.insert(half.end(), M.begin() + static_cast<std::ptrdiff_t>(i * n + i), M.begin() + static_cast<std::ptrdiff_t>(i * n + n));
  return half;
}

SymbolicTrace run_kernel(const Plan& numbers, Quantity what, std::size_t link, bool rotor, Masses masses, const std::vector<std::size_t>& coordinates) {
  SymbolicTrace out;
  Graph& graph = *out.graph;
  const auto n = numbers.nv;
  const QuantityRow& row = row_of(what);
  const GraphInputs in(graph, what, numbers.sizes());
  SymbolTable symbols(graph);
  const PlanOf<Expr> plan =
      masses == Masses::lumped && row.lumps ? with_lumped_symbols(numbers, symbols) : with_body_symbols(numbers, symbols, row.of_link ? link : kNone);
  WorkspaceOf<Expr> ws(plan);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  std::vector<Expr>& results = out.results;
  results.resize(row.size(numbers.sizes()));
  kernel::compute(what, plan, ws, in.of(link), results.data(), effects);
  if (row.symmetric) results = upper_half(results, n);
  // Sines and cosines go by the coordinate; where joints share one, by the joint.
  std::vector<std::size_t> angles;
  for (std::size_t i = 0; i < numbers.bodies.size(); ++i)
    angles.push_back(numbers.coupled ? i + 1 : coordinates[numbers.bodies[i].q - base_nq(numbers.free ? RootJoint::free : RootJoint::fixed)]);
  name_quantities(graph, ws, what, angles);
  out.symbols = symbols.take();
  return out;
}

}  // namespace ulna::internal
