// What acts on a tree of bodies besides its joints: a prescribed motion of the base, and loads on the links. Shared by the formulations that take them.
#pragma once

#include <ulna/spatial/vec3.hpp>

namespace ulna::internal {

/// A literal zero vector: Vec3<T>{} would be a number that merely happens to be zero, which a counting scalar counts.
template <class T>
Vec3<T> zero_vector() {
  return {T(0), T(0), T(0)};
}

/// Prescribed motion of the root link against an inertial frame, in the root link's axes. Its velocity does not matter, only its rotation does.
template <class T>
struct TreeBase {
  Vec3<T> w = zero_vector<T>();   // angular velocity                [rad/s]
  Vec3<T> dw = zero_vector<T>();  // angular acceleration            [rad/s²]
  Vec3<T> dv = zero_vector<T>();  // acceleration of its origin      [m/s²]
};

/// What the environment exerts on a body, at its mass centre, in the axes of B.
template <class T>
struct LinkLoad {
  Vec3<T> F = zero_vector<T>();  // [N]
  Vec3<T> N = zero_vector<T>();  // about the mass centre            [N m]
};

}  // namespace ulna::internal
