// Friction, which depends on the sign of a velocity and so is no part of programs: added joint by joint, after them.
#pragma once

#include <span>

#include "robot/state.hpp"

namespace ulna::jit {

/// tau += sign * (what friction takes from the joints), in lanes: number i of lane l at [i * width + l]. sign(0) = 0.
template <class T>
void add_friction(std::span<const BodyFriction<T>> bodies, const T* v, T sign, std::size_t width, T* tau) noexcept {
  for (const BodyFriction<T>& body : bodies)
    for (std::size_t l = 0; l < width; ++l) {
      const std::size_t at = body.v * width + l;
      const T rate = body.multiplier * v[at];
      const T direction = static_cast<T>((rate > 0) - (rate < 0));
      tau[at] += sign * body.multiplier * (body.viscous * rate + body.coulomb * direction);
    }
}

}  // namespace ulna::jit
