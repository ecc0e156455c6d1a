// A text as a cell of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace ulna {

/// In quotes where it needs them. Names of columns begin with "q.", "tau." and the like, so that no spreadsheet takes one for a formula, whatever a joint is
/// called.
inline std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

}  // namespace ulna
