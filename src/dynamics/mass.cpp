#include <ulna/dynamics/mass-inl.hpp>
#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"

namespace ulna {

template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Write<T> M, bool rotor) noexcept {
  kernel::mass_matrix(plan, ws, q, M, plan.nv, rotor);
  Guard<T>(plan, q).over(M, plan.nv * plan.nv);
}

template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, MatrixView<std::type_identity_t<T>> M, bool rotor) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  if (M.rows() != plan.nv || M.cols() != plan.nv)
    throw std::invalid_argument(cat("M is ", M.rows(), " x ", M.cols(), ", but robot ", in_quotes(plan.name), " has nv = ", plan.nv));
  kernel::mass_matrix(plan, ws, q.data(), M.data(), M.stride(), rotor);
  Guard<T>(plan, q.data()).over(M.data(), plan.nv, plan.nv, M.stride());
}

#define ULNA_INSTANTIATE(T)                                                                       \
  template void mass_matrix(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Write<T>, bool) noexcept; \
  template void mass_matrix(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, MatrixView<T>, bool);
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ulna
