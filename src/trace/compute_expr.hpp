// kernel::compute() on expressions, compiled once for all who trace it: it is the half of what their files would compile.
#pragma once

#include <ulna/expr/expr.hpp>
#include "dynamics/compute-inl.hpp"

namespace ulna::internal::kernel {

extern ULNA_CLOSED(double, Expr);
extern ULNA_CLOSED(Expr, Expr);
extern template void compute(Quantity, const PlanOf<double>&, WorkspaceOf<Expr>&, const InputsOf<Expr>&, Expr*, const EffectsOf<Expr>&, std::size_t);
extern template void compute(Quantity, const PlanOf<Expr>&, WorkspaceOf<Expr>&, const InputsOf<Expr>&, Expr*, const EffectsOf<Expr>&, std::size_t);

}  // namespace ulna::internal::kernel
