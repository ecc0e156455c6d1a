// Friction of the joints: the one place where it is written. It depends on the sign of a rate, so it is no part of programs: what runs these adds it.
#pragma once

#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::kernel {

/// What friction takes at a joint's rate, on the joint's side; `side` is the rate's sign, or what stands for it.
template <class P, class T>
T friction(const PlanBody<P>& body, const T& rate, const T& side) {
  return body.viscous * rate + body.coulomb * side;
}
/// A scalar without order (an expression) has no sign: its friction is viscous.
template <class P, class T>
T friction(const PlanBody<P>& body, const T& rate) {
  if constexpr (requires { sign(rate); })
    return friction(body, rate, sign(rate));
  else
    return body.viscous * rate;
}

/// tau += factor * what friction takes of each coordinate, in lanes: number i of lane l at [i * lanes + l]. side(rate) as above.
template <class T, class Side>
void add_friction(const PlanOf<T>& plan, const T* v, T factor, T* tau, std::size_t lanes, const Side& side) noexcept {
  for (const PlanBody<T>& body : plan.bodies)
    for (std::size_t k = body.v * lanes; k < (body.v + 1) * lanes; ++k) {
      const T rate = body.multiplier * v[k];
      tau[k] += factor * body.multiplier * friction(body, rate, side(rate));
    }
}
template <class T>
void add_friction(const PlanOf<T>& plan, const T* v, T factor, T* tau, std::size_t lanes = 1) noexcept {
  add_friction(plan, v, factor, tau, lanes, [](T rate) { return sign(rate); });
}

}  // namespace ulna::kernel
