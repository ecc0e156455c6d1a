// Without machine code: the precompiled templates, with scratch memory on the stack.
#pragma once

#include <algorithm>
#include <limits>
#include <memory_resource>
#include <new>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/robot/dynamics.hpp>

namespace ulna::internal::robot {

/// f(workspace) with a workspace on the stack, or allocated for robots too large for that.
template <class T, class F>
void with_workspace(const PlanOf<T>& plan, F f) {
  alignas(64) std::byte buffer[kStackScratch];
  std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer);
  WorkspaceOf<T> ws(plan, &memory);
  f(ws);
}

/// The effects of an object's options.
template <class T>
EffectsOf<T> effects_of(const DynamicsOptions& options) {
  return {.rotor = options.rotor, .friction = options.friction, .base = {}, .wrenches = {}};
}

/// A quantity for one state; NaN where the robot is too large for the stack and no memory is left. Not inlined: its frame is that of the scratch memory.
template <class T>
[[gnu::noinline]] void by_templates(const PlanOf<T>& plan, const EffectsOf<std::type_identity_t<T>>& effects, Quantity quantity, const InputsOf<T>& in,
                                    T* out) noexcept {
  try {
    with_workspace(plan, [&](WorkspaceOf<T>& ws) { compute(quantity, plan, ws, in, out, effects); });
  } catch (const std::bad_alloc&) {
    std::fill_n(out, row_of(quantity).size(plan.sizes()), std::numeric_limits<T>::quiet_NaN());
  }
}

}  // namespace ulna::internal::robot
