#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/text.hpp"

namespace ulna::cli {

namespace {

// Columns are as wide as what is seen: continuation bytes of UTF-8 do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& cells : rows_)
    for (std::size_t c = 0; c < cells.size() && c < widths.size(); ++c) widths[c] = std::max(widths[c], width(cells[c]));
  std::string out;
  for (const auto& cells : rows_) {
    std::string line;
    for (std::size_t c = 0; c < cells.size() && c < widths.size(); ++c) {
      const std::string padding(widths[c] - width(cells[c]), ' ');
      line += "  ";
      line += alignment_[c] == 'r' ? padding + cells[c] : cells[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string brief(double value) {
  if (std::isnan(value)) return "nan";  // without a sign: it has no meaning
  if (value == 0) return "0";           // nor has the sign of zero
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string limit(double value) { return std::isfinite(value) ? brief(value) : "-"; }

}  // namespace ulna::cli
