// Closed forms of closure. A plane loop with two unknown joints is a dyad: two links that are pinned to each other, whose other ends are known. The pin
// is an intersection of two circles (a four-bar, a parallelogram), or of a circle and a line (a slider-crank); which of the two points, is its branch.
#pragma once

#include <vector>

#include "dynamics/loops-inl.hpp"

namespace ulna::internal {

struct LoopState;

/// One loop, once those before it are closed.
struct Dyad {
  std::size_t loop = 0;
  std::size_t first = 0, second = 0;  // bodies of the unknown joints: a revolute one, and a revolute or prismatic one
  bool apart = false;                 // they are on different sides of the cut; else the first stands nearer to the base than the second
};

/// A list that determines all dependent coordinates, in order; empty where there is none: a loop is spatial, or has more than two unknown joints.
std::vector<Dyad> find_dyads(const Plan& plan, const std::vector<std::size_t>& dependent, const std::vector<double>& reference);

/// Which way each dyad is bent at q: 1 or -1.
std::vector<int> branches(const Plan& plan, const std::vector<Dyad>& dyads, LoopState& state, const std::vector<double>& q);

/// Sets the dependent positions of q, which hold any value. False where a dyad cannot be closed: q is then the nearest configuration.
bool solve_dyads(const Plan& plan, const std::vector<Dyad>& dyads, const std::vector<int>& branch, LoopState& state, std::vector<double>& q);

}  // namespace ulna::internal
