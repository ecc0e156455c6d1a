#include "robot/templates.hpp"

namespace ulna::jit {

template <class T>
void by_templates(const PlanOf<T>& plan, const DynamicsOptions& options, Quantity quantity, const InputsOf<T>& in, T* out) noexcept {
  EffectsOf<T> effects;
  effects.rotor = options.rotor;
  effects.friction = options.friction;
  with_workspace(plan, [&](WorkspaceOf<T>& ws) { compute(quantity, plan, ws, in, out, effects); });
}

template void by_templates(const PlanOf<double>&, const DynamicsOptions&, Quantity, const InputsOf<double>&, double*) noexcept;
template void by_templates(const PlanOf<float>&, const DynamicsOptions&, Quantity, const InputsOf<float>&, float*) noexcept;

}  // namespace ulna::jit
