// Random robots: trees of every joint type, with all that a file can say about them.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/model/model.hpp>

#include "support/random.hpp"

namespace ulna::test {

struct RandomOptions {
  int fewest = 1;  // moving joints
  int most = 30;
  bool prismatic = true;
  bool fixed = true;  // fixed joints in between
  bool branches = true;
  bool massless = true;  // some links without inertia between moving joints
  bool mimic = false;
  bool rotor = true;
  bool friction = true;
  bool identity_MB = false;  // link frames as in URDF
};

/// The same description for the same seed, everywhere. Inertias are those of point masses, so every body is possible.
Description random_description(std::uint64_t seed, const RandomOptions& options = {});
/// Built and checked.
Model random_model(std::uint64_t seed, const RandomOptions& options = {});

struct State {
  std::vector<double> q, v, a;
};
/// Angles over a full turn, slides within half a metre.
State random_state(const Model& model, Random& random);

/// Mass, mass centre and inertia of some point masses near the origin.
void set_random_inertia(Link& link, Random& random);

}  // namespace ulna::test
