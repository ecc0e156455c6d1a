#include "trace/compute_expr.hpp"

namespace ulna::internal::kernel {

template void compute(Quantity, const PlanOf<Expr>&, WorkspaceOf<Expr>&, const InputsOf<Expr>&, Expr*, const EffectsOf<Expr>&, std::size_t);
template void forward_derivative_terms(const PlanOf<Expr>&, WorkspaceOf<Expr>&, const Expr*, const Expr*, const Expr*, Expr*, std::size_t,
                                       const EffectsOf<Expr>&, const DerivativeForm&);

}  // namespace ulna::internal::kernel
