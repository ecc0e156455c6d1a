// What acts on a robot besides its joints, in the form in which a formulation describes the robot: a base that moves, and loads on the links. Shared by the
// formulations that take them.
#pragma once

#include <optional>
#include <span>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

/// A literal zero vector: Vec3<T>{} would be a number that merely happens to be zero, which a counting scalar counts.
template <class T>
Vec3<T> zero_vector() {
  return {T(0), T(0), T(0)};
}

/// Prescribed motion of the base against an inertial frame: of the root link in a tree of bodies, of frame 0 in a chain; in its axes. The velocity of its
/// origin does not matter, only its rotation does.
template <class T>
struct MovingBase {
  Vec3<T> w = zero_vector<T>();   // angular velocity                [rad/s]
  Vec3<T> dw = zero_vector<T>();  // angular acceleration            [rad/s²]
  Vec3<T> dv = zero_vector<T>();  // acceleration of its origin      [m/s²]
};

/// What the environment exerts on a link, in the axes of its frame: in a tree at the mass centre, in a chain at the origin of the frame.
template <class T>
struct LinkLoad {
  Vec3<T> F = zero_vector<T>();  // [N]
  Vec3<T> N = zero_vector<T>();  // about that point                 [N m]
};

template <class T>
struct Loads {
  std::optional<MovingBase<T>> base{};   // none: at rest
  std::span<const LinkLoad<T>> links{};  // empty, or one for each link
  /// Of drives, across their joints' axes, on the link and with the opposite sign on the one before: empty, or one for each joint. Accelerations do not change,
  /// and formulations that give no reactions leave them.
  std::span<const LinkLoad<T>> control{};

  bool none() const { return !base && links.empty() && control.empty(); }
  /// With the zeros of a base at rest as literals.
  MovingBase<T> motion() const { return base.value_or(MovingBase<T>{}); }
};

}  // namespace ulna::internal
