// From a quantity to its kernel: the only way.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/centroidal-inl.hpp"
#include "dynamics/closed-inl.hpp"
#include "dynamics/coriolis-inl.hpp"
#include "dynamics/derivatives-inl.hpp"
#include "dynamics/forward-inl.hpp"
#include "dynamics/forward_derivatives-inl.hpp"
#include "dynamics/kinematics-inl.hpp"
#include "dynamics/loop_derivatives-inl.hpp"
#include "dynamics/regressor-inl.hpp"

namespace ulna::internal::kernel {

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

template <class P, Scalar T>
void compute_tree(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                  std::size_t stride) noexcept(kIsNumber<T>) {
  const T* none = nullptr;
  const std::size_t column = stride == 0 ? plan.nv : stride;
  switch (quantity) {
    case Quantity::inverse: return kernel::inverse_dynamics(plan, ws, in.q, in.v, in.last, out, effects);
    case Quantity::bias: return kernel::inverse_dynamics(plan, ws, in.q, in.v, none, out, effects);
    case Quantity::gravity: return kernel::inverse_dynamics(plan, ws, in.q, none, none, out, EffectsOf<T>{});
    case Quantity::mass: return kernel::mass_matrix(plan, ws, in.q, out, column, effects.rotor);
    case Quantity::coriolis: return kernel::coriolis_matrix(plan, ws, in.q, in.v, out, column);
    case Quantity::forward: return kernel::forward(plan, ws, in, out, effects);
    case Quantity::inverse_derivatives:
      if (plan.has_balls()) return derivatives_along_motions(false, plan, in, out, column, effects);
      return kernel::inverse_derivatives(plan, ws, in.q, in.v, in.last, out, column, effects, in.form);
    case Quantity::forward_derivatives:
      if (plan.has_balls()) return derivatives_along_motions(true, plan, in, out, column, effects);
      return kernel::forward_derivatives(plan, ws, in.q, in.v, in.last, out, column, effects, in.form);
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
    case Quantity::closure:
    case Quantity::loop_motion: return;  // a tree has nothing to close
    case Quantity::pose:
    case Quantity::jacobian: break;
  }
  place(plan, ws, in.q);
  place_in_world(plan, ws, in.q);
  if (quantity == Quantity::pose) return write(kernel::link_pose(plan, ws, in.link), out);
  kernel::jacobian(plan, ws, in.link, out, stride == 0 ? 6 : stride);
}

/// Of a robot with loops: v and a are completed, the tree's kernel computes, and what has a row for each coordinate is gathered.
template <class P, Scalar T>
[[gnu::noinline]] void compute_closed(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                                      std::size_t stride) noexcept(kIsNumber<T>) {
  const T* none = nullptr;
  ClosedSpaceOf<T>& s = ws.closed;
  const std::size_t n = plan.nv, m = plan.order.independent.size(), column = stride == 0 ? m : stride;
  switch (quantity) {
    case Quantity::inverse: return closed_inverse(plan, ws, in.q, in.v, in.last, out, effects);
    case Quantity::bias: return closed_inverse(plan, ws, in.q, in.v, none, out, effects);
    case Quantity::gravity: return closed_inverse(plan, ws, in.q, none, none, out, EffectsOf<T>{});
    case Quantity::forward: return closed_forward(plan, ws, in.q, in.v, in.last, out, effects);
    case Quantity::coriolis: return closed_coriolis(plan, ws, in.q, in.v, out, column, effects.rotor);
    case Quantity::mass_inverse: return closed_mass_inverse(plan, ws, in.q, out, column, effects.rotor);
    case Quantity::inverse_derivatives: return derivatives_along_motions(false, plan, in, out, column, effects);
    case Quantity::forward_derivatives: return derivatives_along_motions(true, plan, in, out, column, effects);
    case Quantity::closure: return closure(plan, ws, in.q, out);
    case Quantity::loop_motion: return loop_motion(plan, ws, in.q, in.v, in.last, out, effects);
    default: break;
  }
  resolve_loops(plan, ws, in.q);
  if (quantity == Quantity::mass) return closed_mass(plan, ws, in.q, out, column, effects.rotor);
  const T* v = complete_speeds(plan, ws, in.v);
  switch (quantity) {
    case Quantity::regressor: {
      const std::size_t parameters = kBodyParameters * plan.sizes().bodies;
      kernel::regressor(plan, ws, in.q, v, complete_accelerations(plan, ws, v, in.last), s.tree.data(), n, effects.base);
      for (std::size_t k = 0; k < parameters; ++k) gather(plan, s, s.tree.data() + k * n, out + k * column);
      return;
    }
    case Quantity::jacobian:
    case Quantity::centroidal_matrix: {
      dependence(plan, s);
      compute_tree(quantity, plan, ws, in, s.tree.data(), effects, 0);
      return times_dependence(plan, s, s.tree.data(), 6, out, stride == 0 ? 6 : stride);
    }
    case Quantity::centroidal: {  // while v keeps its numbers, dependent speeds do not
      const T* a = complete_accelerations(plan, ws, v, none);
      kernel::centroidal(plan, ws, in.q, v, out);
      kernel::centroidal_matrix(plan, ws, in.q, s.tree.data(), 6);
      for (std::size_t i = 0; a != nullptr && i < 6; ++i)
        for (std::size_t j = 0; j < n; ++j) out[12 + i] = out[12 + i] + s.tree[i + j * 6] * a[j];
      return;
    }
    default: {
      InputsOf<T> tree = in;
      tree.v = v;
      return compute_tree(quantity, plan, ws, tree, out, effects, stride);
    }
  }
}

#define ULNA_CLOSED(P, T) \
  template void compute_closed(Quantity, const PlanOf<P>&, WorkspaceOf<T>&, const InputsOf<T>&, T*, const EffectsOf<T>&, std::size_t) noexcept(kIsNumber<T>)
// Compiled once: derivatives on dual numbers are half of what every file would compile.
extern ULNA_CLOSED(double, double);
extern ULNA_CLOSED(float, float);
extern ULNA_CLOSED(double, long double);

#define ULNA_KERNELS(declared, T)                                                                                                                      \
  declared template void compute_tree(Quantity, const PlanOf<T>&, WorkspaceOf<T>&, const InputsOf<T>&, T*, const EffectsOf<T>&, std::size_t) noexcept; \
  declared template void place(const PlanOf<T>&, WorkspaceOf<T>&, const T*);                                                                           \
  declared template void inverse_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, const T*, const T*, const T*, T*, const EffectsOf<T>&) noexcept;          \
  declared template void mass_matrix(const PlanOf<T>&, WorkspaceOf<T>&, const T*, T*, std::size_t, bool) noexcept;                                     \
  declared template void coriolis_matrix(const PlanOf<T>&, WorkspaceOf<T>&, const T*, const T*, T*, std::size_t) noexcept;                             \
  declared template void regressor(const PlanOf<T>&, WorkspaceOf<T>&, const T*, const T*, const T*, T*, std::size_t, const BaseMotionOf<T>&) noexcept;
// Compiled once, to be fast, in on_plan.cpp: a linker takes the first copy of a template that it meets, and others are compiled for size.
#if !defined(ULNA_KERNELS_IN_ONE_PIECE)
ULNA_KERNELS(extern, double)
ULNA_KERNELS(extern, float)
#endif

/// Without friction by load.
template <class P, Scalar T>
void compute_unloaded(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                      std::size_t stride = 0) noexcept(kIsNumber<T>) {
  if constexpr (kTakesLoops<T>) {
    if (plan.closed()) return compute_closed(quantity, plan, ws, in, out, effects, stride);
  } else if (plan.closed()) {
    for (std::size_t k = row_of(quantity).size(plan.sizes()); k-- > 0;) out[k] = T(0) / T(0);
    return;
  }
  compute_tree(quantity, plan, ws, in, out, effects, stride);
}

/// With it: see loaded-inl.hpp.
template <class P, Scalar T>
void compute_loaded(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                    std::size_t stride) noexcept(kIsNumber<T>);

/// `out` has row_of(quantity).size(plan.sizes()) numbers; `stride` is from column to column of a matrix, 0 for contiguous ones. Effects that a quantity does
/// not depend on are ignored, so `effects` may be those of the caller.
template <class P, Scalar T>
void compute(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
             std::size_t stride = 0) noexcept(kIsNumber<T>) {
  if constexpr (Rubs<T>) {
    if (plan.loaded && effects.friction) return compute_loaded(quantity, plan, ws, in, out, effects, stride);
  }
  compute_unloaded(quantity, plan, ws, in, out, effects, stride);
}

}  // namespace ulna::internal::kernel

#include "dynamics/loaded-inl.hpp"
