// Friction in programs. An expression has no sign, so the signs of the rates are inputs of their own, "side": constants of a state, whatever is differentiated.
#pragma once

#include <cmath>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// Friction on each coordinate: viscous v + coulomb side. A joint has the side of its coordinate, but for the sign of its multiplier.
struct CoordinateFriction {
  explicit CoordinateFriction(const Plan& plan) : viscous(plan.nv, 0), coulomb(plan.nv, 0) {
    for (const PlanBody<double>& body : plan.bodies) {
      viscous[body.v] += body.multiplier * body.multiplier * body.viscous;
      coulomb[body.v] += std::fabs(body.multiplier) * body.coulomb;
    }
  }
  Expr of(std::size_t k, const Expr& v, const Expr& side) const { return viscous[k] * v + coulomb[k] * side; }

  std::vector<double> viscous, coulomb;
};

/// A quantity that friction enters: run(in) writes its equations without friction into `results`. Friction is subtracted from the torques that drive, and added
/// to those that are computed.
template <class Run>
void with_friction(const Plan& plan, const QuantityRow& row, InputsOf<Expr> in, const std::vector<Expr>& side, std::vector<Expr>& results, const Run& run) {
  const CoordinateFriction friction(plan);
  const std::size_t n = plan.nv;
  const bool driven = row.takes("tau");
  std::vector<Expr> taken(n), driving(n);
  for (std::size_t k = 0; k < n; ++k) taken[k] = friction.of(k, in.v[k], side[k]);
  for (std::size_t k = 0; k < n && driven; ++k) driving[k] = in.last[k] - taken[k];
  if (driven) in.last = driving.data();
  run(in);
  if (row.parts.empty()) {
    for (std::size_t k = 0; k < n && !driven; ++k) results[k] = results[k] + taken[k];
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
