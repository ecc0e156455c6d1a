// Energy and momentum of a robot.
#pragma once

#include <ulna/spatial/vec3.hpp>

namespace ulna {

template <class T>
struct EnergyOf {
  T kinetic{};    // rotors included where they count [J]
  T potential{};  // of all links; zero if their mass stood at the root link's origin [J]
};

/// About the root link's origin, in its axes. Rotors are not in it: the model knows their inertia along the joint only.
template <class T>
struct MomentumOf {
  Vec3<T> angular{};  // [N m s]
  Vec3<T> linear{};   // [N s]
};

using Energy = EnergyOf<double>;
using Momentum = MomentumOf<double>;

}  // namespace ulna
