#include <ulna/dynamics/inverse-inl.hpp>
#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"

namespace ulna {

template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> a, Write<T> tau, Given<T> effects) noexcept {
  kernel::inverse_dynamics(plan, ws, q, v, a, tau, effects);
  Guard<T>(plan, q, v, a, effects).over(tau, plan.nv);
}

template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau, Given<T> effects) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "v", v.size(), plan.nv, "nv");
  require_size(plan, "a", a.size(), plan.nv, "nv");
  require_size(plan, "tau", tau.size(), plan.nv, "nv");
  require_wrenches(plan, effects.wrenches);
  inverse_dynamics(plan, ws, q.data(), v.data(), a.data(), tau.data(), effects);
}

template <class T>
void bias_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Out<T> bias, Given<T> effects) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "v", v.size(), plan.nv, "nv");
  require_size(plan, "bias", bias.size(), plan.nv, "nv");
  require_wrenches(plan, effects.wrenches);
  const T* none = nullptr;
  inverse_dynamics(plan, ws, q.data(), v.data(), none, bias.data(), effects);
}

template <class T>
void gravity_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, Out<T> gravity) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "gravity", gravity.size(), plan.nv, "nv");
  const T* none = nullptr;
  inverse_dynamics(plan, ws, q.data(), none, none, gravity.data(), EffectsOf<T>{});
}

#define ULNA_INSTANTIATE(T)                                                                                                  \
  template void inverse_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Read<T>, Read<T>, Write<T>, Given<T>) noexcept; \
  template void inverse_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, Out<T>, Given<T>);                  \
  template void bias_forces(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Out<T>, Given<T>);                              \
  template void gravity_forces(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, Out<T>);
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ulna
