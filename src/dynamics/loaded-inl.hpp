// Friction that is a share of what a joint transmits to the links, tau = x + f + c |T| with T = x - r a: x of the links and rotors, f of what friction is
// besides, r of the rotors of the coordinate, which are on the motor's side, and c = load * side. Where signs of T are known this is linear in the
// accelerations, and divided by 1 + c sign(T) its matrix is the inertia matrix with smaller or larger rotors: symmetric and positive definite. Accelerations
// are unique, because a -> tau is strictly monotone in T for |load| < 1. Without rotors sign(T) = sign(tau - f), so that they come in closed form; with
// rotors the signs are found by a few passes.
#pragma once

#include <algorithm>

#include "dynamics/closed-inl.hpp"
#include "dynamics/joint-inl.hpp"

namespace ulna::internal::kernel {

/// What coordinates of v have of it, in the memory of a workspace.
template <class P, class T>
struct Loads {
  Loads(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v, bool with_rotors) : n(plan.sizes().nv) {
    T* next = ws.loaded.data();
    for (T** each : {&share, &slope, &rotor, &y, &h, &sides, &a}) *each = next, next += n;
    K = next, X = next + n * n;
    for (std::size_t k = 0; k < 3 * n; ++k) share[k] = T(0);
    for (const PlanBody<P>& body : plan.bodies)
      if (const std::size_t k = row(plan, body); k < n && with_rotors) rotor[k] = rotor[k] + body.multiplier * body.multiplier * body.rotor;
    for (const PlanBody<P>& body : plan.bodies) {
      const std::size_t k = row(plan, body);
      if (k == n || !given(body.friction.load)) continue;
      const T side = side_of(body.friction, v == nullptr ? T(0) : v[k]);
      share[k] = share[k] + T(body.friction.load) * side;
      if (given(body.friction.smoothing_speed)) slope[k] = slope[k] + T(body.friction.load) * (T(1) - side * side) / T(body.friction.smoothing_speed);
      iterated = iterated || given(rotor[k]);
    }
  }
  /// Of v; n for a body that follows by loops, and whose joint transmits no torque.
  static std::size_t row(const PlanOf<P>& plan, const PlanBody<P>& body) {
    const std::vector<std::size_t>& order = plan.order.independent;
    return plan.closed() ? static_cast<std::size_t>(std::find(order.begin(), order.end(), body.v) - order.begin()) : body.v;
  }
  /// 1 + c sign(T), with the signs at hand.
  T factor(std::size_t k) const { return T(1) + share[k] * sides[k]; }

  std::size_t n;
  T *share, *slope, *rotor;  // c, its derivative by the rate, r
  T *y, *h, *sides, *a;
  T *K, *X;  // n x n, n x 3 n
  bool iterated = false;
};

/// K x = x with rotors as these signs have them; `factored` is memory.
template <class P, class T>
void factor_loaded(const Loads<P, T>& s, T* factored) {
  for (std::size_t k = 0; k < s.n * s.n; ++k) factored[k] = s.K[k];
  for (std::size_t k = 0; k < s.n; ++k) factored[k * s.n + k] = factored[k * s.n + k] - s.rotor[k] * (T(1) - T(1) / s.factor(k));
  factor_full(s.n, factored);
}

/// Accelerations where rotors are on the motor's side of load-dependent friction: y = tau - f, K = M and h = bias without friction. Wrong signs
/// are changed all at once while that makes them fewer, else the first one alone, which ends because principal minors are positive (K. G. Murty, "Note on a
/// Bard-type scheme for solving the complementarity problem", Opsearch 11, 1974).
template <class P, class T>
void solve_loaded(Loads<P, T>& s, T* a) noexcept(kIsNumber<T>) {
  const std::size_t n = s.n;
  for (std::size_t k = 0; k < n; ++k) s.sides[k] = sign(s.y[k]);
  std::size_t fewest = n + 1;
  int patience = 3;
  for (std::size_t round = 0; round < 100 * (n + 1); ++round) {
    factor_loaded(s, s.X);
    for (std::size_t k = 0; k < n; ++k) a[k] = s.y[k] / s.factor(k) - s.h[k];
    solve_full(n, s.X, a);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const T side = sign(T(s.y[k] - s.rotor[k] * a[k]));
      if (!given(s.share[k]) || !(standing_for(side) * standing_for(s.sides[k]) < 1 && given(side))) continue;
      if (patience > 0 || wrong == 0) s.sides[k] = side;
      ++wrong;
    }
    if (wrong == 0) return;
    patience = wrong < fewest ? 3 : patience - 1;
    fewest = wrong < fewest ? wrong : fewest;
  }
}

/// compute() where friction depends on what is transmitted.
template <class P, Scalar T>
[[gnu::noinline]] void compute_loaded(Quantity quantity, const PlanOf<P>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                                      std::size_t stride) noexcept(kIsNumber<T>) {
  Loads<P, T> s(plan, ws, in.v, effects.rotor);
  const std::size_t n = s.n, column = stride == 0 ? n : stride;
  EffectsOf<T> bare = effects;
  bare.friction = false;
  InputsOf<T> at = in;
  switch (quantity) {
    case Quantity::inverse:
    case Quantity::bias:
      compute_unloaded(quantity, plan, ws, in, s.h, bare);
      compute_unloaded(quantity, plan, ws, in, out, effects);
      for (std::size_t k = 0; k < n; ++k) {
        const T passed = quantity == Quantity::bias || in.last == nullptr ? s.h[k] : s.h[k] - s.rotor[k] * in.last[k];
        out[k] = out[k] + s.share[k] * sign(passed) * passed;
      }
      return;
    case Quantity::forward:
      compute_unloaded(Quantity::bias, plan, ws, in, s.h, bare);
      compute_unloaded(Quantity::bias, plan, ws, in, s.y, effects);
      for (std::size_t k = 0; k < n; ++k) s.y[k] = (in.last == nullptr ? T(0) : in.last[k]) - (s.y[k] - s.h[k]);
      if (s.iterated) {
        compute_unloaded(Quantity::mass, plan, ws, in, s.K, bare);
        return solve_loaded(s, out);
      }
      for (std::size_t k = 0; k < n; ++k) s.y[k] = s.y[k] / (T(1) + s.share[k] * sign(s.y[k]));
      at.last = s.y;
      return compute_unloaded(quantity, plan, ws, at, out, bare);
    case Quantity::inverse_derivatives:
      compute_unloaded(Quantity::inverse, plan, ws, in, s.h, bare);
      compute_unloaded(quantity, plan, ws, in, s.X, bare);
      compute_unloaded(quantity, plan, ws, in, out, effects, stride);
      for (std::size_t k = 0; k < n; ++k) {
        const T passed = in.last == nullptr ? s.h[k] : s.h[k] - s.rotor[k] * in.last[k];
        s.sides[k] = sign(passed);
        const T weight = s.share[k] * s.sides[k];
        for (std::size_t j = 0; j < 3 * n; ++j) out[k + j * column] = out[k + j * column] + weight * s.X[k + j * n];
        out[k + (2 * n + k) * column] = out[k + (2 * n + k) * column] - weight * s.rotor[k];
        out[k + (n + k) * column] = out[k + (n + k) * column] + s.slope[k] * s.sides[k] * passed;
      }
      return;
    case Quantity::forward_derivatives:
      compute_loaded(Quantity::forward, plan, ws, in, s.a, effects, 0);
      at.last = s.a;
      compute_loaded(Quantity::inverse_derivatives, plan, ws, at, out, effects, stride);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) s.K[k * n + j] = out[k + (2 * n + j) * column] / s.factor(k);
      factor_full(n, s.K);
      for (std::size_t j = 0; j < 3 * n; ++j) {
        T* const x = out + j * column;
        for (std::size_t k = 0; k < n; ++k) x[k] = (j < 2 * n ? -x[k] : T(k + 2 * n == j ? 1 : 0)) / s.factor(k);
        solve_full(n, static_cast<const T*>(s.K), x);
      }
      return;
    default: return compute_unloaded(quantity, plan, ws, in, out, effects, stride);  // what loops exert, for one
  }
}

#define ULNA_LOADED(P, T) \
  template void compute_loaded(Quantity, const PlanOf<P>&, WorkspaceOf<T>&, const InputsOf<T>&, T*, const EffectsOf<T>&, std::size_t) noexcept(kIsNumber<T>)
extern ULNA_LOADED(double, double);
extern ULNA_LOADED(float, float);

}  // namespace ulna::internal::kernel
