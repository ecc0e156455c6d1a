#include "trace/compute_expr.hpp"

namespace ulna::internal::kernel {

template void compute(Quantity, const PlanOf<Expr>&, WorkspaceOf<Expr>&, const InputsOf<Expr>&, Expr*, const EffectsOf<Expr>&, std::size_t);

}  // namespace ulna::internal::kernel
