// Random numbers and points of campaigns and data sets.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal::campaign {

// --- Sobol's sequence: points that fill a cube more evenly than chance does.

inline constexpr std::size_t kMostSobol = 21;

/// Coordinate `dimension` of point `k` (0 is the origin), as 32 binary places. S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
/// projections", SIAM J. Sci. Comput. 30 (2008): their direction numbers (new-joe-kuo-6.21201), in plain binary order.
std::uint32_t sobol(std::uint64_t k, std::size_t dimension);

/// The same above 0 and below 1, its bits flipped where those of `shift` are set: a random digital shift, which makes means unbiased and keeps the points even.
inline double shifted_sobol(std::uint64_t k, std::size_t dimension, std::uint32_t shift) {
  return (static_cast<double>(sobol(k, dimension) ^ shift) + 0.5) * 0x1p-32;
}

// --- Random states: random numbers of many rows at once, column by column, and ranges of joints.

/// Numbers 2 k and 2 k + 1 of the stream `states` of rows first, first + 1, …, spread from `from` to `to`. `second` may be null.
struct DrawnColumn {
  double from, to;
  double* out;
};
void draw_pair(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other);

struct PositionRange {
  double from, to;
};
/// A joint's limits; without them one turn, or one metre, to either side.
inline PositionRange position_range(const Joint& joint) {
  if (std::isfinite(joint.lower) && std::isfinite(joint.upper)) return {joint.lower, joint.upper};
  const double far = joint.type == JointType::prismatic ? 1 : std::numbers::pi;
  return {-far, far};
}

}  // namespace ulna::internal::campaign
