// Sine and cosine as generated C computes them: angles side by side, so that compilers make vectors of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <ulna/emit/generate.hpp>

namespace ulna::internal {

/// So many angles at most at a time: a whole number of vectors on every processor.
inline constexpr std::size_t kTurned = 8;

/// How many a table of so many angles has room for: pairs, which vectors of two take.
constexpr std::size_t turned_room(std::size_t angles) { return (angles + 1) / 2 * 2; }

/// Of the angles from number `first` on, those that are turned next: eight, or all that are left.
constexpr std::size_t turned_next(std::size_t angles, std::size_t first) { return std::min(kTurned, turned_room(angles - first)); }

/// How a file writes them.
struct TurnText {
  Real real = Real::double_precision;
  std::string type, wide, index;  // of its numbers, of doubles, of counters
  std::string restricted;         // before the name of a pointer
};

/// The name without its prefix: "turn" for eight angles, "turn_6" for six.
std::string turn_name(std::size_t count);

/// The function `PREFIXturn(angle, sine, cosine)` for `count` angles, and what it needs: within 1 ulp up to kLargestAngle, by the sums and products of
/// jit/sincos.hpp without fused multiplication, which compilers may use all the same: products with the first two parts of π/2 are exact. Floats are turned in
/// doubles. Where numbers have excess precision, the compiler may reorder sums (-ffast-math) or, of floats, the processor has no doubles, it calls the
/// library's sine and cosine.
std::string c_turn(const std::string& prefix, std::size_t count, const TurnText& text);
std::string c_restrict();  // the macro that it needs first

}  // namespace ulna::internal
