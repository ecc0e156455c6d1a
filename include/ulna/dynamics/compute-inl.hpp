// From a quantity to its kernel: the only way.
#pragma once

#include <ulna/dynamics/centroidal-inl.hpp>
#include <ulna/dynamics/coriolis-inl.hpp>
#include <ulna/dynamics/derivatives-inl.hpp>
#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/dynamics/forward_derivatives-inl.hpp>
#include <ulna/dynamics/kinematics-inl.hpp>
#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/regressor-inl.hpp>

namespace ulna::kernel {

template <class T>
void write(const Pose<T>& X, T* out) noexcept(kIsNumber<T>) {
  const T numbers[] = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
  for (const T& number : numbers) *out++ = number;
}

template <class P, Scalar T>
void forward(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* a, const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  const bool articulated = in.method == ForwardMethod::articulated || (in.method == ForwardMethod::automatic && plan.deep && !plan.coupled);
  if (articulated)
    forward_by_articulated_bodies(plan, ws, in.q, in.v, in.last, a, effects);
  else
    forward_by_mass(plan, ws, in.q, in.v, in.last, a, effects);
}

/// `out` has row_of(quantity).size(plan.sizes()) numbers; `stride` lies between the columns of a matrix, 0 for none between them. What a quantity does not take
/// is not looked at, so `effects` may be what the caller has.
template <class P, Scalar T>
void compute(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
             std::size_t stride = 0) noexcept(kIsNumber<T>) {
  const T* none = nullptr;
  const std::size_t column = stride == 0 ? plan.nv : stride;
  switch (quantity) {
    case Quantity::inverse: return kernel::inverse_dynamics(plan, ws, in.q, in.v, in.last, out, effects);
    case Quantity::bias: return kernel::inverse_dynamics(plan, ws, in.q, in.v, none, out, effects);
    case Quantity::gravity: return kernel::inverse_dynamics(plan, ws, in.q, none, none, out, EffectsOf<T>{});
    case Quantity::mass: return kernel::mass_matrix(plan, ws, in.q, out, column, effects.rotor);
    case Quantity::coriolis: return kernel::coriolis_matrix(plan, ws, in.q, in.v, out, column);
    case Quantity::forward: return kernel::forward(plan, ws, in, out, effects);
    case Quantity::inverse_derivatives: return kernel::inverse_derivatives(plan, ws, in.q, in.v, in.last, out, column, effects, in.form);
    case Quantity::forward_derivatives: return kernel::forward_derivatives(plan, ws, in.q, in.v, in.last, out, column, effects, in.form);
    case Quantity::mass_inverse: return kernel::mass_inverse(plan, ws, in.q, out, column, effects.rotor);
    case Quantity::energy: {
      const EnergyOf<T> E = kernel::energy(plan, ws, in.q, in.v, effects);
      out[0] = E.kinetic;
      out[1] = E.potential;
      return;
    }
    case Quantity::momentum: {
      const MomentumOf<T> p = kernel::momentum(plan, ws, in.q, in.v, effects.base);
      const T numbers[] = {p.angular.x, p.angular.y, p.angular.z, p.linear.x, p.linear.y, p.linear.z};
      for (const T& number : numbers) *out++ = number;
      return;
    }
    case Quantity::centroidal: return kernel::centroidal(plan, ws, in.q, in.v, out);
    case Quantity::centroidal_matrix: return kernel::centroidal_matrix(plan, ws, in.q, out, stride == 0 ? 6 : stride);
    case Quantity::regressor: return kernel::regressor(plan, ws, in.q, in.v, in.last, out, column, effects.base);
    case Quantity::pose:
    case Quantity::jacobian: break;
  }
  place(plan, ws, in.q);
  place_in_world(plan, ws, in.q);
  if (quantity == Quantity::pose) return write(kernel::link_pose(plan, ws, in.link), out);
  kernel::jacobian(plan, ws, in.link, out, stride == 0 ? 6 : stride);
}

}  // namespace ulna::kernel
