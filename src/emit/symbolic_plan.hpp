// A plan whose numbers are symbols. Zeros stay, and ±1 in rotations and couplings: they are the structure of the robot.
#pragma once

#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna {

struct SymbolicPlan {
  PlanOf<Expr> plan;
  std::vector<EquationSymbol> symbols;  // parameter k of the graph is symbols[k]
};

/// The numbers of `plan.lumped`, each a symbol.
SymbolicPlan with_lumped_symbols(const Plan& plan, Graph& graph);

/// Mass, mass centre and inertia about it of each moving link; nothing lumped.
SymbolicPlan with_body_symbols(const Plan& plan, Graph& graph);

}  // namespace ulna
