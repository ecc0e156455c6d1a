// Random numbers of many rows at once, column by column.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ulna/export.hpp>

namespace ulna::internal::campaign {

/// Numbers 2 k and 2 k + 1 of the stream `states` of rows first, first + 1, …, spread from `from` to `to`. `second` may be null.
struct DrawnColumn {
  double from, to;
  double* out;
};
void draw_pair(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other);

}  // namespace ulna::internal::campaign
