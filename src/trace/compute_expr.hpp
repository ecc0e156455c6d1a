// kernel::compute() on expressions, compiled once for all files that trace it: it is half of their compile time. Numbers of the robot are expressions,
// too, which fold as numbers do.
#pragma once

#include <ulna/expr/expr.hpp>
#include "dynamics/compute-inl.hpp"

namespace ulna::internal::kernel {

extern ULNA_CLOSED(Expr, Expr);
extern template void compute(Quantity, const PlanOf<Expr>&, WorkspaceOf<Expr>&, const InputsOf<Expr>&, Expr*, const EffectsOf<Expr>&, std::size_t);

extern template void forward_derivative_terms(const PlanOf<Expr>&, WorkspaceOf<Expr>&, const Expr*, const Expr*, const Expr*, Expr*, std::size_t,
                                              const EffectsOf<Expr>&, const DerivativeForm&);

inline void compute(Quantity quantity, const Plan& plan, WorkspaceOf<Expr>& ws, const InputsOf<Expr>& in, Expr* out, const EffectsOf<Expr>& effects) {
  kernel::compute(quantity, plan.cast<Expr>(), ws, in, out, effects);
}

}  // namespace ulna::internal::kernel
