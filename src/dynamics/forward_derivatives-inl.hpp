// Derivatives of forward dynamics from those of inverse dynamics and the factors of M. O(n² d).
#pragma once

#include "dynamics/derivatives-inl.hpp"
#include "dynamics/forward-inl.hpp"

namespace ulna::internal::kernel {

/// The torques that hold the robot against gravity, from the first moments of its composites, which the derivatives have, too. Needs place().
template <class P, Scalar T>
void gravity_by_composites(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* tau) noexcept(kIsNumber<T>) {
  const T* rest = nullptr;
  const Vec3<T> o{T(0), T(0), T(0)};
  motion(plan, ws, q, rest, rest, BaseMotionOf<T>{o, o, o, o});
  own_composites(plan, ws);
  for (std::size_t k = 0; k < plan.nv; ++k) tau[k] = T(0);
  for (std::size_t j = plan.bodies.size(); j-- > 0;) {
    const PlanBody<P>& body = plan.bodies[j];
    const BodyState<T>& s = ws.bodies[j];
    PseudoInertia<T> c = s.composite;
    if (body.rotates()) c.h = rotated(s.sincos, c.h), c.S = rotated(s.sincos, c.S);
    const T joint = body.prismatic ? c.m * s.a_J.z : c.h.x * s.a_J.y - c.h.y * s.a_J.x;
    tau[body.v] = plan.coupled ? tau[body.v] + body.multiplier * joint : joint;
    if (bolted(plan, body)) continue;
    BodyState<T>& parent = ws.parent(body.parent);
    parent.composite = parent.composite + moved(body, c, s.p_PB);
  }
  const BodyState<T>& base = ws.base;
  if (plan.free) write(cross(base.composite.h, base.a_WBo_B), base.composite.m * base.a_WBo_B, tau);
}

/// What the derivatives are solved from: D, the derivatives of inverse dynamics at the accelerations that tau gives, and the factors of M, in ws.
template <class P, Scalar T>
void forward_derivative_terms(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* out, std::size_t stride,
                              const EffectsOf<T>& effects, const DerivativeForm& form) noexcept(kIsNumber<T>) {
  const std::size_t n = plan.nv;
  const T* none = nullptr;
  const auto entry = [&](std::size_t part, std::size_t row, std::size_t column) -> T& { return out[row + (column + part * n) * stride]; };
  const auto keep_mass = [&] {
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column) ws.M[row * n + column] = entry(2, row, column);
  };
  T* a = ws.a.data();
  if (form.rates_give_bias) {
    // The torques of velocities are homogeneous of degree two in v, so ∂tau/∂v v is twice them; M and ∂tau/∂v do not depend on a.
    inverse_derivatives(plan, ws, q, v, none, out, stride, effects, form);
    keep_mass();
    gravity_by_composites(plan, ws, q, a);
    for (std::size_t row = 0; row < n; ++row) {
      T bias = a[row];
      for (std::size_t column = 0; column < n && v != nullptr; ++column) bias = bias + entry(1, row, column) * (T(0.5) * v[column]);
      a[row] = (tau == nullptr ? T(0) : tau[row]) - bias;
    }
  } else {
    kernel::inverse_dynamics(plan, ws, q, v, none, a, effects);
    mass_matrix_entries(plan, ws, effects.rotor, ws.M.data(), n, 1);
    for (std::size_t row = 0; row < n; ++row) a[row] = (tau == nullptr ? T(0) : tau[row]) - a[row];
  }
  factor(plan, ws);
  solve(plan, ws, a);
  inverse_derivatives(plan, ws, q, v, static_cast<const T*>(a), out, stride, effects, form);
}

/// What is left then, on numbers: columns side by side.
inline constexpr std::size_t kMostSolvedSideBySide = 128;  // joints
template <class P, class T>
void solve_side_by_side(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, T* out, std::size_t stride) {
  constexpr std::size_t kWidth = 8;
  const std::size_t n = plan.nv;
  alignas(64) T x[kMostSolvedSideBySide * kWidth];
  for (std::size_t first = 0; first < 3 * n; first += kWidth) {
    for (std::size_t c = 0; c < kWidth; ++c) {
      const std::size_t column = first + c;
      for (std::size_t row = 0; row < n; ++row) x[row * kWidth + c] = column < 2 * n ? -out[row + column * stride] : T(column == 2 * n + row ? 1 : 0);
    }
    for (std::size_t k = n; k-- > 0;)
      for (std::size_t i = plan.mass_parent[k]; i != kNone; i = plan.mass_parent[i]) {
        const T l = ws.M[k * n + i];
        for (std::size_t c = 0; c < kWidth; ++c) x[i * kWidth + c] -= l * x[k * kWidth + c];
      }
    for (std::size_t k = 0; k < n; ++k) {
      const T pivot = ws.d[k];
      T sum[kWidth];
      for (std::size_t c = 0; c < kWidth; ++c) sum[c] = x[k * kWidth + c] * pivot;
      for (std::size_t i = plan.mass_parent[k]; i != kNone; i = plan.mass_parent[i]) {
        const T l = ws.M[k * n + i];
        for (std::size_t c = 0; c < kWidth; ++c) sum[c] -= l * x[i * kWidth + c];
      }
      for (std::size_t c = 0; c < kWidth; ++c) x[k * kWidth + c] = sum[c];
    }
    for (std::size_t c = 0; c < kWidth && first + c < 3 * n; ++c)
      for (std::size_t row = 0; row < n; ++row) out[row + (first + c) * stride] = x[row * kWidth + c];
  }
  for (std::size_t column = 0; column < n; ++column)  // symmetric to the last bit
    for (std::size_t row = 0; row < column; ++row) out[column + (2 * n + row) * stride] = out[row + (2 * n + column) * stride];
}

/// ∂a/∂q, ∂a/∂v and ∂a/∂tau = M⁻¹ at q, v, tau, side by side as above: ∂a/∂q = -M⁻¹ ∂tau/∂q and ∂a/∂v = -M⁻¹ ∂tau/∂v.
template <class P, Scalar T>
void forward_derivatives(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* out, std::size_t stride,
                         const EffectsOf<T>& effects, const DerivativeForm& form = {}) noexcept(kIsNumber<T>) {
  const std::size_t n = plan.nv;
  const auto entry = [&](std::size_t part, std::size_t row, std::size_t column) -> T& { return out[row + (column + part * n) * stride]; };
  forward_derivative_terms(plan, ws, q, v, tau, out, stride, effects, form);
  if constexpr (std::is_floating_point_v<T>) {
    if (n <= kMostSolvedSideBySide && !form.by_inverse) return solve_side_by_side(plan, ws, out, stride);
  }
  inverse_from_factors(plan, ws, [&](std::size_t row, std::size_t column) -> T& { return entry(2, row, column); });
  for (std::size_t part = 0; part < 2; ++part)
    for (std::size_t column = 0; column < n; ++column) {
      T* const x = &entry(part, 0, column);
      for (std::size_t row = 0; row < n; ++row) x[row] = -x[row];
      if (!form.by_inverse) {
        solve(plan, ws, x);
        continue;
      }
      for (std::size_t row = 0; row < n; ++row) {
        ws.x[row] = T(0);
        for (std::size_t k = 0; k < n; ++k) ws.x[row] = ws.x[row] + entry(2, row, k) * x[k];
      }
      for (std::size_t row = 0; row < n; ++row) x[row] = ws.x[row];
    }
}
}  // namespace ulna::internal::kernel
