// States that are drawn: random numbers of many rows at once, column by column, and where a joint may be.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <ulna/model/model.hpp>

namespace ulna::internal::campaign {

/// Numbers 2 k and 2 k + 1 of the stream `states` of rows first, first + 1, …, spread from `from` to `to`. `second` may be null.
struct DrawnColumn {
  double from, to;
  double* out;
};
void draw_pair(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other);

struct PositionRange {
  double from, to;
};
/// A joint's limits; without them a turn, or a metre, either way.
inline PositionRange position_range(const Joint& joint) {
  if (std::isfinite(joint.lower) && std::isfinite(joint.upper)) return {joint.lower, joint.upper};
  const double far = joint.type == JointType::prismatic ? 1 : std::numbers::pi;
  return {-far, far};
}

}  // namespace ulna::internal::campaign
