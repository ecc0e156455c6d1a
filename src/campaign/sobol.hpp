// Sobol's sequence: points that fill a cube more evenly than chance does.
#pragma once

#include <cstdint>

#include <ulna/export.hpp>

namespace ulna::internal::campaign {

inline constexpr std::size_t kMostSobol = 21;

/// Coordinate `dimension` of point `k` (0 is the origin), as 32 binary places. S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
/// projections", SIAM J. Sci. Comput. 30 (2008): their direction numbers (new-joe-kuo-6.21201), in plain binary order.
std::uint32_t sobol(std::uint64_t k, std::size_t dimension);

/// The same above 0 and below 1, its bits flipped where those of `shift` are set: a random digital shift, which makes means unbiased and keeps the points even.
inline double shifted_sobol(std::uint64_t k, std::size_t dimension, std::uint32_t shift) {
  return (static_cast<double>(sobol(k, dimension) ^ shift) + 0.5) * 0x1p-32;
}

}  // namespace ulna::internal::campaign
