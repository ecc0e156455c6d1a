// Derivatives of torques and accelerations along motions, by dual numbers, one direction after the other: O(nv) times the quantity. Of a robot with loops these
// motions are closed: positions of the tree move by G δ, where the independent ones move by δ. Of one with ball joints they are the tangents of q.
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "dynamics/closed-inl.hpp"
#include "scalar/dual.hpp"

namespace ulna::internal::kernel {

/// How q moves by coordinate k of v: G e_k, of a free base its tangent. Needs dependence(). Without loops, its tangent.
template <class P, Scalar T>
void closed_tangent(const PlanOf<P>& plan, const ClosedSpaceOf<T>& s, const T* q, std::size_t k, T* move) noexcept(kIsNumber<T>) {
  const std::size_t base = plan.free ? kFreeV : 0;
  if (!plan.closed()) return tangent(plan, q, k, move);
  if (plan.order.independent[k] < base) return tangent(plan, q, plan.order.independent[k], move);
  for (std::size_t i = 0; i < plan.nq; ++i) move[i] = T(0);
  for (std::size_t i = base; i < plan.nv; ++i) move[plan.position_of(i)] = s.G[i + k * plan.nv];
}

template <class P, Scalar T>
void derivatives_by_duals(bool forward, const PlanOf<P>& plan, const InputsOf<T>& in, T* out, std::size_t stride, const EffectsOf<T>& effects) {
  using D = Dual<T>;
  const std::size_t m = plan.sizes().nv;
  alignas(64) std::byte buffer[kIsNumber<T> ? 96 * 1024 : 1];
  std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer);
  WorkspaceOf<T> at(plan, &memory);
  if (plan.closed()) {
    resolve_loops(plan, at, in.q);
    dependence(plan, at.closed);
  }
  const PlanOf<D> robot = plan.template cast<D>();
  WorkspaceOf<D> ws(robot, &memory);
  std::pmr::vector<T> move(plan.nq, &memory);
  std::pmr::vector<D> q(plan.nq, &memory), v(m, &memory), last(m, &memory), column(m, &memory);
  std::pmr::vector<WrenchOf<D>> wrenches(&memory);
  EffectsOf<D> acting;
  acting.rotor = effects.rotor;
  acting.friction = effects.friction;
  const auto still = [](const Vec3<T>& x) { return Vec3<D>{{x.x, T(0)}, {x.y, T(0)}, {x.z, T(0)}}; };
  acting.base = {still(effects.base.angular_velocity), still(effects.base.linear_velocity), still(effects.base.angular_acceleration),
                 still(effects.base.linear_acceleration)};
  for (const WrenchOf<T>& w : effects.wrenches) wrenches.push_back({w.link, w.axes, still(w.force), still(w.moment)});
  acting.wrenches = {wrenches.data(), wrenches.size()};
  for (std::size_t part = 0; part < 3; ++part)  // by q, v, and a or tau
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t i = 0; i < plan.nq; ++i) move[i] = T(0);
      if (part == 0) closed_tangent(plan, at.closed, in.q, k, move.data());
      for (std::size_t i = 0; i < plan.nq; ++i) q[i] = {in.q[i], move[i]};
      for (std::size_t i = 0; i < m; ++i) {
        v[i] = {in.v == nullptr ? T(0) : in.v[i], T(part == 1 && i == k ? 1 : 0)};
        last[i] = {in.last == nullptr ? T(0) : in.last[i], T(part == 2 && i == k ? 1 : 0)};
      }
      if (forward && !plan.closed())
        kernel::forward_by_mass(robot, ws, q.data(), v.data(), last.data(), column.data(), acting);
      else if (!plan.closed())
        kernel::inverse_dynamics(robot, ws, q.data(), v.data(), last.data(), column.data(), acting);
      else if (forward)
        closed_forward(robot, ws, q.data(), v.data(), last.data(), column.data(), acting);
      else
        closed_inverse(robot, ws, q.data(), v.data(), last.data(), column.data(), acting);
      for (std::size_t i = 0; i < m; ++i) out[i + (part * m + k) * stride] = column[i].rate;
    }
}

/// d_q, d_v, and d_a or d_tau. Numbers: NaN where no memory is left.
template <class P, Scalar T>
[[gnu::noinline]] void derivatives_along_motions(bool forward, const PlanOf<P>& plan, const InputsOf<T>& in, T* out, std::size_t stride,
                                                 const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  if constexpr (kIsNumber<T>) {
    try {
      derivatives_by_duals(forward, plan, in, out, stride, effects);
    } catch (const std::bad_alloc&) {
      const std::size_t m = plan.sizes().nv;
      for (std::size_t k = 0; k < 3 * m; ++k)
        for (std::size_t i = 0; i < m; ++i) out[i + k * stride] = std::numeric_limits<T>::quiet_NaN();
    }
  } else {
    derivatives_by_duals(forward, plan, in, out, stride, effects);
  }
}

}  // namespace ulna::internal::kernel
