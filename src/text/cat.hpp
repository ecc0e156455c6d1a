// Values joined to one text.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "text/number.hpp"

namespace ulna::internal {

namespace cat_detail {
inline void append(std::string& out, std::string_view piece) { out += piece; }
inline void append(std::string& out, char piece) { out += piece; }
inline void append(std::string& out, double value) { out += to_text(value); }
template <class I>
requires std::integral<I>
void append(std::string& out, I value) { out += std::to_string(value); }
}  // namespace cat_detail

/// All pieces in a row: cat("q has ", 5, " entries").
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (cat_detail::append(out, pieces), ...);
  return out;
}

}  // namespace ulna::internal
