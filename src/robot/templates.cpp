#include "robot/templates.hpp"

#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/dynamics/kinematics-inl.hpp>

#include "dynamics/guard.hpp"

namespace ulna::jit {

template <class T>
void by_templates(const PlanOf<T>& plan, const DynamicsOptions& options, DynamicsTask task, std::size_t link, const T* in0, const T* in1, const T* in2,
                  T* out) noexcept {
  EffectsOf<T> effects;
  effects.rotor = options.rotor;
  effects.friction = options.friction;
  const std::size_t n = plan.nv;
  const T* none = nullptr;
  with_workspace(plan, [&](WorkspaceOf<T>& ws) {
    switch (task) {
      case DynamicsTask::inverse: return inverse_dynamics(plan, ws, in0, in1, in2, out, effects);
      case DynamicsTask::forward: return forward_dynamics(plan, ws, in0, in1, in2, out, effects);
      case DynamicsTask::mass: return mass_matrix(plan, ws, in0, out, options.rotor);
      case DynamicsTask::bias: return inverse_dynamics(plan, ws, in0, in1, none, out, effects);
      case DynamicsTask::gravity: return inverse_dynamics(plan, ws, in0, none, none, out, EffectsOf<T>{});
      default: break;
    }
    const Guard<T> guard(plan, in0);
    if (task == DynamicsTask::mass_inverse) {
      kernel::mass_inverse(plan, ws, in0, out, n, options.rotor);
      return guard.over(out, plan.nv * plan.nv);
    }
    kernel::place(plan, ws, in0);
    kernel::place_in_world(plan, ws);
    if (task == DynamicsTask::jacobian) {
      kernel::jacobian(plan, ws, link, out, 6);
      return guard.over(out, 6 * plan.nv);
    }
    const Pose<T> X = guard(kernel::link_pose(plan, ws, link));
    const T numbers[] = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
    for (std::size_t k = 0; k < 12; ++k) out[k] = numbers[k];
  });
}

template void by_templates(const PlanOf<double>&, const DynamicsOptions&, DynamicsTask, std::size_t, const double*, const double*, const double*, double*) noexcept;
template void by_templates(const PlanOf<float>&, const DynamicsOptions&, DynamicsTask, std::size_t, const float*, const float*, const float*, float*) noexcept;

}  // namespace ulna::jit
