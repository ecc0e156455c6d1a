#include "emit/equations_kernels.hpp"

#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/dynamics/kinematics-inl.hpp>

#include "emit/equations_marks.hpp"
#include "emit/symbolic_plan.hpp"
#include "formulation/joint_names.hpp"

namespace ulna {

namespace {

void name_quantities(Graph& graph, const WorkspaceOf<Expr>& ws, EquationsOf what) {
  for (std::size_t i = 0; i < ws.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws.bodies[i];
    const JointNames name([&graph](const NodeName& known, const Expr& x) { graph.name(x, known); }, i);
    name("s", s.turn.sin);
    name("c", s.turn.cos);
    if (needs_own_masses(what)) {
      name("R0", s.X_WB.R);
      name("p0", s.X_WB.p);
      if (what == EquationsOf::energy) name("w", s.w_WB_B), name("v", s.v_WBo_B);
      continue;
    }
    if (what != EquationsOf::mass) {
      name("w", s.w_WB_B);
      name("dw", s.alpha_WB_B);
      name("a", s.a_WBo_B);
      name("f", s.f_B);
      name("n", s.n_B);
      name("U", s.U);
    }
    if (what != EquationsOf::mass && what != EquationsOf::forward) continue;
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

SymbolicTrace run_kernel(const Plan& numbers, EquationsOf what, std::size_t link, bool rotor, bool lumped) {
  SymbolicTrace out;
  Graph& graph = *out.graph;
  const std::size_t n = numbers.nv;
  const std::vector<Expr> q = graph.inputs("q", numbers.nq);
  const std::vector<Expr> v = has_rates(what) ? graph.inputs("v", numbers.nv) : std::vector<Expr>{};
  const std::vector<Expr> third = has_third(what) ? graph.inputs(what == EquationsOf::forward ? "tau" : "a", numbers.nv) : std::vector<Expr>{};
  SymbolTable symbols(graph);
  const PlanOf<Expr> plan = lumped && !needs_own_masses(what)
                                ? with_lumped_symbols(numbers, symbols)
                                : with_body_symbols(numbers, symbols, what == EquationsOf::pose || what == EquationsOf::jacobian ? link : kNone);
  WorkspaceOf<Expr> ws(plan);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  const Expr* none = nullptr;
  const Expr* rates = v.empty() ? none : v.data();
  std::vector<Expr>& results = out.results;
  results.resize(n);
  switch (what) {
    case EquationsOf::inverse: kernel::inverse_dynamics(plan, ws, q.data(), rates, third.data(), results.data(), effects); break;
    case EquationsOf::bias:
    case EquationsOf::gravity: kernel::inverse_dynamics(plan, ws, q.data(), rates, none, results.data(), effects); break;
    case EquationsOf::mass: {
      std::vector<Expr> M(n * n);
      kernel::mass_matrix(plan, ws, q.data(), M.data(), n, rotor);
      results = upper_half(M, n);
      break;
    }
    case EquationsOf::forward:
      if (plan.coupled || !plan.deep)
        kernel::forward_by_mass(plan, ws, q.data(), rates, third.data(), results.data(), effects);
      else
        kernel::forward_by_articulated_bodies(plan, ws, q.data(), rates, third.data(), results.data(), effects);
      break;
    case EquationsOf::energy: {
      const EnergyOf<Expr> energy = kernel::energy(plan, ws, q.data(), rates, effects);
      results = {energy.kinetic, energy.potential};
      break;
    }
    case EquationsOf::pose:
    case EquationsOf::jacobian:
      kernel::place(plan, ws, q.data());
      kernel::place_in_world(plan, ws);
      if (what == EquationsOf::pose) {
        const Pose<Expr> X = kernel::link_pose(plan, ws, link);
        results = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
      } else {
        results.resize(6 * n);
        kernel::jacobian(plan, ws, link, results.data(), 6);
      }
      break;
  }
  name_quantities(graph, ws, what);
  out.symbols = symbols.take();
  return out;
}

}  // namespace ulna
