// The tree without its fixed joints: rigidly connected links are one body.
#pragma once

#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// The rigid body behind a moving joint. Frame B is the joint's frame M rotated so that its axis is z.
struct MovingBody {
  std::size_t joint = kNone;      // index into Model::joints()
  std::size_t parent = kNone;     // index of the parent body; kNone is the base
  Pose<double> X_PB;              // at joint coordinate 0, in the parent body's frame
  PseudoInertia<double> inertia;  // of all its links, about Bo, in B
};

/// The tree without its fixed joints, in the order of Model::joints().
struct MovingTree {
  std::vector<MovingBody> bodies;
  std::vector<std::size_t> body_of_link;  // kNone: attached to the base
  std::vector<Pose<double>> X_BL;         // each link's frame in its body's
  PseudoInertia<double> base;             // what is attached to the root, about its origin
  std::vector<std::size_t> snapped;       // joints whose rotation was changed by more than rounding
  double largest_snap = 0;                // the largest such change of an entry
};

/// Rotation entries within `snap` of 0 and ±1 become exactly that (1.57079632679 in a file means π/2); 0 leaves every entry as computed.
MovingTree merge_fixed(const Model& model, double snap);

}  // namespace ulna::internal
