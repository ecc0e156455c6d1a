// What the reference keeps of a configuration and of a motion.
#pragma once

#include "verify/reference.hpp"

namespace ulna::internal {

/// A link in a configuration, everything in the axes of the world.
struct Reference::Place {
  Pose<Real> X;
  Vec3<Real> axis, pivot;  // of the joint above, and a point of its axis
  Mat3<Real> R_WM;         // of its frame that moves with the link
  Vec3<Real> com;          // from its origin
  Sym3<Real> inertia;
};

/// How a link moves and what its joint passes to it, everything in the axes of the world.
struct Reference::LinkMotion {
  Vec3<Real> w, alpha, v, a;  // angular velocity and acceleration, velocity and acceleration of the origin
  Vec3<Real> f, n;            // force and moment (about the origin) that its joint passes to it
};

}  // namespace ulna::internal
