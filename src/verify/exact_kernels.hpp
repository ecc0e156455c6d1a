// The production path on numbers modulo a prime, and on their duals: derivatives that are exact.
#pragma once

#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/plan/plan.hpp>

#include "plan/reframe.hpp"
#include "scalar/dual.hpp"
#include "scalar/exact.hpp"

namespace ulna::internal {

/// Quantities of one plan. Without friction, loads and a base that is moved.
class ExactKernels {
 public:
  explicit ExactKernels(PlanOf<Exact> plan) : plan_(std::move(plan)), ws_(plan_) {}
  const PlanOf<Exact>& plan() const { return plan_; }

  std::vector<Exact> operator()(Quantity quantity, const InputsOf<Exact>& in, bool rotor = true);
  /// Derivative along a motion of the inputs; a null rate is zero.
  std::vector<Exact> rate(Quantity quantity, const InputsOf<Exact>& in, const InputsOf<Exact>& rates, bool rotor = true);
  /// How q moves by coordinate k of v.
  std::vector<Exact> tangent(const Exact* q, std::size_t k);
  /// The ten parameters of all links, in the regressor's order.
  std::vector<Exact> parameters() const;
  /// Accelerations of the tree's coordinates, of a robot with loops; and how these move with the independent ones, column by column.
  std::vector<Exact> dependence(const Exact* q);
  std::vector<Exact> tree_accelerations(const InputsOf<Exact>& in);

 private:
  PlanOf<Exact> plan_;
  WorkspaceOf<Exact> ws_;
};

}  // namespace ulna::internal
