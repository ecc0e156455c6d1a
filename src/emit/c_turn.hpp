// Sine and cosine as generated C computes them: angles side by side, so that compilers make vectors of them.
#pragma once

#include <cstddef>
#include <string>

namespace ulna::internal {

/// So many angles at a time: a whole number of vectors on every processor.
inline constexpr std::size_t kTurned = 8;

/// How many a table of so many angles has room for.
constexpr std::size_t turned_room(std::size_t angles) { return (angles + kTurned - 1) / kTurned * kTurned; }

/// The function `PREFIXturn(angle, sine, cosine)` in doubles, and what it needs: within 1 ulp up to kLargestAngle, by the sums and products of jit/sincos.hpp
/// without fused multiplication, which compilers may use all the same: products with the first two parts of π/2 are exact. Where numbers have excess
/// precision, or the compiler may reorder sums (-ffast-math), it calls the library's sine and cosine.
std::string c_restrict();  // the macro that it needs first
std::string c_turn(const std::string& prefix);

}  // namespace ulna::internal
