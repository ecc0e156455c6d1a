// One state, by machine code or by the templates.
#pragma once

#include "dynamics/joint-inl.hpp"

#include "robot/state.hpp"
#include "robot/templates.hpp"

namespace ulna::internal::robot {

/// Forward dynamics with friction works on torques less friction, for which there is room for this many joints; larger robots use the templates.
inline constexpr std::size_t kMostFrictionJoints = 1024;

/// A kernel, and friction, which no kernel has.
template <class T, class State>
void call_with_friction(const State& state, const jit::Kernel& code, Quantity quantity, const InputsOf<T>& in, T* out) noexcept {
  const QuantityRow& row = row_of(quantity);
  // Joints whose speeds depend on others have friction, too; and some friction depends on the torques.
  if (state.plan.closed() || state.plan.loaded) return by_templates(state.plan, {.rotor = state.options.rotor, .friction = true}, quantity, in, out);
  if (!row.takes("tau")) {
    code.one(in.q, in.v, in.last, out, code.one_constants, 1);
    return row.parts.empty() ? kernel::add_friction(state.plan, in.v, T(1), out) : kernel::add_friction_derivatives(state.plan, quantity, in.v, out);
  }
  const std::size_t n = state.plan.nv;
  if (n > kMostFrictionJoints) return by_templates(state.plan, {.rotor = state.options.rotor, .friction = true}, quantity, in, out);
  T left[kMostFrictionJoints];
  for (std::size_t k = 0; k < n; ++k) left[k] = in.last[k];
  kernel::add_friction(state.plan, in.v, T(-1), left);
  code.one(in.q, in.v, left, out, code.one_constants, 1);
  if (!row.parts.empty()) kernel::add_friction_derivatives(state.plan, quantity, in.v, out);
}

/// By the templates, or with friction. Not inlined, and `in` by value: the short way of call() shall have neither a frame nor a store.
template <class T, class State>
[[gnu::noinline]] void call_otherwise(const State& state, Quantity quantity, InputsOf<T> in, T* out) noexcept {
  const jit::Kernel& code = state.kernel(quantity, in.link);
  if (code.one == nullptr) return by_templates(state.plan, effects_of<T>(state.options), quantity, in, out);
  if (row_of(quantity).influences.friction) return call_with_friction(state, code, quantity, in, out);
  code.one(in.q, in.v, in.last, out, code.one_constants, 1);
}

/// With the object's options: the call of control loops.
template <class T, class State>
[[gnu::always_inline]] inline void call(const State& state, Quantity quantity, const InputsOf<T>& in, T* out) noexcept {
  const jit::Kernel& code = state.kernel(quantity, in.link);
  if (code.one != nullptr && !state.friction) return code.one(in.q, in.v, in.last, out, code.one_constants, 1);
  call_otherwise(state, quantity, in, out);
}

/// Whether machine code supports all of this, friction aside. A uniformly moving base changes no torque.
template <class T, class State>
bool knows(const State& state, const QuantityRow& row, const EffectsOf<T>& effects) noexcept {
  const auto moves = [](const Vec3<T>& x) { return !(x == Vec3<T>{}); };
  const Influences& with = row.influences;
  const BaseMotionOf<T>& base = effects.base;
  // Rotors of dependent joints accelerate where v is constant, so bias and C have them.
  if ((with.rotor || state.plan.closed()) && effects.rotor != state.options.rotor) return false;
  if (with.wrenches && !effects.wrenches.empty()) return false;
  return !with.base ||
         !(moves(base.angular_velocity) || moves(base.angular_acceleration) || moves(base.linear_acceleration) || (!row.lumps && moves(base.linear_velocity)));
}

/// With these effects in place of the options. Machine code has a method of its own.
template <class T, class State>
void call(const State& state, Quantity quantity, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects) noexcept {
  const jit::Kernel& code = state.kernel(quantity, in.link);
  const QuantityRow& row = row_of(quantity);
  if (code.one == nullptr || in.method != ForwardMethod::automatic || !knows(state, row, effects)) return by_templates(state.plan, effects, quantity, in, out);
  if (effects.friction && row.influences.friction) return call_with_friction(state, code, quantity, in, out);
  code.one(in.q, in.v, in.last, out, code.one_constants, 1);
}

}  // namespace ulna::internal::robot
