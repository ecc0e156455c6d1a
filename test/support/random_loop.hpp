// Random robots with one loop: planar linkages, and chains in general position that a joint of any type closes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ulna/model/model.hpp>

#include "support/random.hpp"

namespace ulna::test {

struct RandomLoop {
  Description robot;  // its first link, "ground", stands still
  LoopDescription loops;
};

/// Links turn about y, as in the plane of x and z; the crank goes round.
RandomLoop random_crank_rocker(Random& random);
/// Links turn about z, the slider goes along x; the crank goes round.
RandomLoop random_slider_crank(Random& random);

struct ChainOptions {
  LoopType type{};
  std::size_t joints = 0;
  bool slides = false;   // the third joint is prismatic
  bool coupled = false;  // the fourth joint follows the second
};
/// A chain of joints in general position whose last link is held to the ground by a joint of the given type, closed at q = 0.
RandomLoop random_chain(Random& random, const ChainOptions& options);
/// The same with a prismatic joint, rotors, viscous friction, and links that are much alike.
RandomLoop random_loop(LoopType type, std::size_t joints, std::uint64_t seed);

}  // namespace ulna::test
