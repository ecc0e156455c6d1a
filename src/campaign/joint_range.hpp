// Where a joint may be when states are drawn.
#pragma once

#include <cmath>
#include <numbers>

#include <ulna/model/model.hpp>

namespace ulna::internal::campaign {

struct PositionRange {
  double from, to;
};

/// Its limits; without them a turn, or a metre, either way.
inline PositionRange position_range(const Joint& joint) {
  if (std::isfinite(joint.lower) && std::isfinite(joint.upper)) return {joint.lower, joint.upper};
  const double far = joint.type == JointType::prismatic ? 1 : std::numbers::pi;
  return {-far, far};
}

}  // namespace ulna::internal::campaign
