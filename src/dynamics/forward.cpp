#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"

namespace ulna {

namespace {

template <class T>
void by_method(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> tau, Write<T> a, Given<T> effects, ForwardMethod method) noexcept {
  const bool articulated = method == ForwardMethod::articulated || (method == ForwardMethod::automatic && plan.deep && !plan.coupled);
  if (articulated)
    kernel::forward_by_articulated_bodies(plan, ws, q, v, tau, a, effects);
  else
    kernel::forward_by_mass(plan, ws, q, v, tau, a, effects);
  Guard<T>(plan, q, v, tau, effects).over(a, plan.nv);
}

}  // namespace

template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> tau, Write<T> a, Given<T> effects) noexcept {
  by_method(plan, ws, q, v, tau, a, effects, ForwardMethod::automatic);
}

template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a, Given<T> effects, ForwardMethod method) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "v", v.size(), plan.nv, "nv");
  require_size(plan, "tau", tau.size(), plan.nv, "nv");
  require_size(plan, "a", a.size(), plan.nv, "nv");
  require_wrenches(plan, effects.wrenches);
  if (method == ForwardMethod::articulated && plan.coupled)
    throw std::invalid_argument(cat("articulated bodies do not take mimic joints, which robot ", in_quotes(plan.name), " has; use ForwardMethod::mass_matrix"));
  by_method(plan, ws, q.data(), v.data(), tau.data(), a.data(), effects, method);
}

#define ULNA_INSTANTIATE(T)                                                                                                  \
  template void forward_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Read<T>, Read<T>, Write<T>, Given<T>) noexcept; \
  template void forward_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, Out<T>, Given<T>, ForwardMethod);
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ulna
