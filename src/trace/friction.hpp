// Friction in programs. An expression has no sign, so the signs of the rates are inputs of their own, "side": constants of a state, whatever is differentiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>
#include "dynamics/joint-inl.hpp"

#include "expr/differentiate.hpp"
#include "trace/compute_expr.hpp"

namespace ulna::internal {

/// Friction on each coordinate: viscous v + coulomb side. A joint has the side of its coordinate, but for the sign of its multiplier.
struct CoordinateFriction {
  explicit CoordinateFriction(const Plan& plan) : viscous(plan.nv, 0), coulomb(plan.nv, 0) {
    for (const PlanBody<double>& body : plan.bodies) {
      viscous[body.v] += body.multiplier * body.multiplier * body.friction.viscous;
      coulomb[body.v] += std::fabs(body.multiplier) * body.friction.coulomb;
    }
  }
  Expr of(std::size_t k, const Expr& v, const Expr& side) const { return kernel::friction(Friction{viscous[k], coulomb[k], 0}, v, side); }

  std::vector<double> viscous, coulomb;
};

/// Of a robot with loops: what its tree's coordinates lose to friction, gathered at the independent ones, and the derivatives of that along closed motions.
struct LoopFriction {
  LoopFriction(const CoordinateFriction& friction, const PlanOf<Expr>& plan, Graph& graph, const InputsOf<Expr>& in, const std::vector<Expr>& side,
               bool derivatives)
      : taken(plan.sizes().nv), by_q(derivatives ? taken.size() * taken.size() : 0), by_v(by_q.size()) {
    const std::size_t n = plan.nv, m = taken.size();
    WorkspaceOf<Expr> ws(plan);
    kernel::resolve_loops(plan, ws, in.q);
    const Expr* v = kernel::complete_speeds(plan, ws, in.v);
    std::vector<Expr> lost(n), move(plan.nq);
    for (std::size_t k = 0; k < n; ++k) lost[k] = friction.of(k, v[k], side[k]);
    kernel::gather(plan, ws.closed, lost.data(), taken.data());
    if (!derivatives) return;
    kernel::dependence(plan, ws.closed);
    const std::vector<Expr> q(in.q, in.q + plan.nq);
    for (std::size_t k = 0; k < m; ++k) {
      kernel::closed_tangent(plan, ws.closed, in.q, k, move.data());
      const std::vector<Expr> change = along(graph, taken, q, move);
      std::copy(change.begin(), change.end(), by_q.begin() + static_cast<std::ptrdiff_t>(k * m));
      for (std::size_t i = 0; i < n; ++i) lost[i] = friction.viscous[i] * ws.closed.G[i + k * n];
      kernel::gather(plan, ws.closed, lost.data(), by_v.data() + k * m);
    }
  }

  std::vector<Expr> taken, by_q, by_v;  // matrices column by column
};

/// A quantity that friction enters: run(in) writes its equations without friction into `results`. Friction is subtracted from the torques that drive, and added
/// to those that are computed.
template <class Run>
void with_friction(const Plan& plan, Graph& graph, const QuantityRow& row, InputsOf<Expr> in, const std::vector<Expr>& side, std::vector<Expr>& results,
                   const Run& run) {
  const CoordinateFriction friction(plan);
  const std::size_t n = plan.sizes().nv;
  const bool driven = row.takes("tau");
  std::vector<Expr> taken(n), driving(n);
  std::optional<LoopFriction> loops;
  if (plan.closed()) loops.emplace(friction, plan.cast<Expr>(), graph, in, side, !row.parts.empty());
  for (std::size_t k = 0; k < n; ++k) taken[k] = loops ? loops->taken[k] : friction.of(k, in.v[k], side[k]);
  for (std::size_t k = 0; k < n && driven; ++k) driving[k] = in.last[k] - taken[k];
  if (driven) in.last = driving.data();
  run(in);
  if (row.parts.empty()) {
    for (std::size_t k = 0; k < n && !driven; ++k) results[k] = results[k] + taken[k];
    return;
  }
  if (loops) {
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t k = 0; k < n * n; ++k) {
        const std::vector<Expr>& by = part == 0 ? loops->by_q : loops->by_v;
        Expr& to = results[part * n * n + k];
        if (!driven) to = to + by[k];
        for (std::size_t j = 0; j < n && driven; ++j) to = to - results[2 * n * n + k % n + j * n] * by[j + k / n * n];
      }
    return;
  }
  // Derivatives: the second matrix is by rates, and of accelerations the third is M⁻¹.
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t column = n * n + k * n;
    if (!driven) results[column + k] = results[column + k] + Expr(friction.viscous[k]);
    for (std::size_t i = 0; i < n && driven; ++i) results[column + i] = results[column + i] - friction.viscous[k] * results[n * n + column + i];
  }
}

}  // namespace ulna::internal
