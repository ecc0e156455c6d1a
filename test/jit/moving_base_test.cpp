#include "jit/moving_base.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace ulna::internal::jit {
namespace {

/// Asks for everything; counts moves, and what is out of reach of a byte.
struct Tally {
  int moves = 0;
  int far = 0;
};
Tally go_through(std::vector<std::size_t> offsets) {
  MovingBase base;
  base.at = MovingBase::kReach;
  base.coming = offsets;
  Tally tally;
  for (const std::size_t offset : offsets) {
    const std::size_t to = base.ask(offset);
    tally.moves += to != base.at ? 1 : 0;
    base.at = to;
    tally.far += offset + 128 >= base.at && offset < base.at + 128 ? 0 : 1;
  }
  return tally;
}

std::vector<std::size_t> line(std::size_t count, std::size_t step) {
  std::vector<std::size_t> offsets;
  for (std::size_t k = 0; k < count; ++k) offsets.push_back(k * step);
  return offsets;
}

TEST(MovingBase, FollowsAStretchForwardsAndBackwards) {
  std::vector<std::size_t> offsets = line(80, 32);
  for (const int turn : {0, 1}) {
    const Tally tally = go_through(offsets);
    EXPECT_EQ(tally.far, 0) << turn;
    EXPECT_LE(tally.moves, 10 + turn) << turn;  // eight values of 32 bytes lie within 256; backwards it must come to the end first
    std::reverse(offsets.begin(), offsets.end());
  }
}

TEST(MovingBase, StaysForASingleFarValue) {
  const Tally tally = go_through({0, 32, 64, 4000, 32, 64, 0, 4000, 96});
  EXPECT_EQ(tally.moves, 0);  // seven bytes, and seven to come back, for three
  EXPECT_EQ(tally.far, 2);
}

TEST(MovingBase, DoesNotMoveForWhatItDoesNotForesee) {
  MovingBase base;
  EXPECT_EQ(base.ask(100000), 0u);
}

}  // namespace
}  // namespace ulna::internal::jit
