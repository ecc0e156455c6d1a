#include "emit/equations_kernels.hpp"

#include "emit/equations_marks.hpp"
#include "emit/symbolic_plan.hpp"
#include "trace/compute_expr.hpp"
#include "trace/joint_names.hpp"
#include "text/cat.hpp"
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

/// Of a robot with loops: G, and rates and accelerations of dependent coordinates, which are q with dots.
void name_dependence(SymbolicTrace& out, const PlanOf<Expr>& plan, const WorkspaceOf<Expr>& ws, const std::vector<std::size_t>& coordinates,
                     bool accelerations) {
  const std::size_t n = plan.nv, base = plan.free ? base_nv(RootJoint::free) : 0;
  const auto name = [&](const Expr& x, const EquationMark& mark) {
    if (x.is_number()) return;
    out.marks[mark.text()] = mark;
    out.graph->name(x, NodeName{mark.text()});
  };
  for (const std::size_t i : plan.order.columns) {
    const std::string number = cat(coordinates[i - base]);
    for (std::size_t k = 0; k < plan.order.independent.size(); ++k)
      if (const std::size_t by = plan.order.independent[k]; by >= base) name(ws.closed.G[i + k * n], {"G", cat(number, ",", coordinates[by - base]), "", 0});
    name(ws.closed.v[i], {"q", number, "", 1});
    if (accelerations) name(ws.closed.a[i], {"q", number, "", 2});  // else they are scratch
  }
}

/// Torques of a robot with loops with G written out: v_tree = G v, a_tree = G a + γ, tau = Gᵀ tau_tree.
void by_dependence(Quantity what, const PlanOf<Expr>& plan, WorkspaceOf<Expr>& ws, const InputsOf<Expr>& in, Expr* out, const EffectsOf<Expr>& effects) {
  ClosedSpaceOf<Expr>& s = ws.closed;
  const std::size_t n = plan.nv, m = plan.order.independent.size();
  kernel::resolve_loops(plan, ws, in.q);
  kernel::dependence(plan, s);
  const auto times_G = [&](const Expr* x, std::size_t i) {
    Expr sum(0);
    for (std::size_t k = 0; k < m; ++k) sum = sum + s.G[i + k * n] * x[k];
    return sum;
  };
  const bool moves = what != Quantity::gravity;
  if (moves) {
    for (std::size_t i = 0; i < n; ++i) s.v[i] = times_G(in.v, i);
    const Expr* none = nullptr;
    kernel::complete_accelerations(plan, ws, s.v.data(), none);
    for (std::size_t i = 0; i < n && what == Quantity::inverse; ++i) s.a[i] = s.a[i] + times_G(in.last, i);
  }
  const PlanOf<Expr> tree = plan.opened();
  std::vector<Expr> x(n);
  kernel::compute(moves ? Quantity::inverse : what, tree, ws, InputsOf<Expr>{in.q, s.v.data(), s.a.data()}, x.data(), effects);
  for (std::size_t k = 0; k < m; ++k) {
    out[k] = Expr(0);
    for (std::size_t i = 0; i < n; ++i) out[k] = out[k] + s.G[i + k * n] * x[i];
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
  const std::size_t n = numbers.sizes().nv;
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
  if (plan.closed() && (what == Quantity::inverse || what == Quantity::bias || what == Quantity::gravity))
    by_dependence(what, plan, ws, in.of(link), results.data(), effects);
  else
    kernel::compute(what, plan, ws, in.of(link), results.data(), effects);
  if (plan.closed()) name_dependence(out, plan, ws, coordinates, what == Quantity::inverse || what == Quantity::bias);
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
