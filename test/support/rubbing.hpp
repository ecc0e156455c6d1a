// Random friction with every term of the law, for any robot.
#pragma once

#include <algorithm>

#include <ulna/model/model.hpp>

#include "support/random.hpp"

namespace ulna::test {

struct RubbingOptions {
  bool load = true;
  bool jumps = true;  // some joints have no smoothing speed
};

/// Joints that lead or stand alone have loads; those that follow, and those that loops move, cannot.
inline Model with_whole_friction(const Model& model, std::uint64_t seed, const RubbingOptions& options = {}) {
  Random random(seed);
  std::vector<Friction> all(model.joints().size());
  const std::vector<std::size_t> driven = model.driven();
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (model.joints()[j].type == JointType::fixed || random.chance(0.1)) continue;
    Friction& f = all[j];
    f.viscous = random.uniform(0.1, 2), f.coulomb = random.uniform(0.1, 2);
    if (random.chance(0.7)) f.static_level = f.coulomb * random.uniform(1, 2), f.stribeck_speed = random.uniform(0.05, 2);
    if (random.chance(0.4)) f.stribeck_exponent = random.uniform(0.5, 3);
    if (random.chance(0.5)) f.asymmetry = random.uniform(-1, 1) * f.coulomb;
    if (random.chance(0.5)) f.viscous_asymmetry = random.uniform(-1, 1) * f.viscous;
    if (random.chance(0.5)) f.quadratic = random.uniform(0, 1);
    if (random.chance(0.5)) f.offset = random.uniform(-1, 1);
    if (!options.jumps || random.chance(0.4)) f.smoothing_speed = random.uniform(0.1, 1);
    const bool drives = std::find(driven.begin(), driven.end(), j) != driven.end();
    if (options.load && drives && random.chance(0.7)) f.load = random.uniform(0.01, 0.6);
  }
  return with_friction(model, all);
}

}  // namespace ulna::test
