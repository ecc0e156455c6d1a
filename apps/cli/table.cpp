#include "table.hpp"

#include "programs/interface.hpp"

namespace ulna::cli {

std::string Table::text() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& cells : rows_)
    for (std::size_t c = 0; c < cells.size() && c < widths.size(); ++c) widths[c] = std::max(widths[c], utf8_characters(cells[c]));
  std::string out;
  for (const auto& cells : rows_) {
    std::string line;
    for (std::size_t c = 0; c < cells.size() && c < widths.size(); ++c) {
      const std::string padding(widths[c] - utf8_characters(cells[c]), ' ');
      line += "  ";
      line += alignment_[c] == 'r' ? padding + cells[c] : cells[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string wrapped(std::string_view text, const std::string& first, const std::string& next, std::size_t width) {
  std::string out, line = first;
  bool begun = false;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string word(text.substr(0, space));
    if (begun && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line = next;
      begun = false;
    }
    line += (begun ? " " : "") + word;
    begun = true;
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return out + line + '\n';
}

std::string brief(double value) {
  if (std::isnan(value)) return "nan";  // without a sign: it has no meaning
  if (value == 0) return "0";           // nor has the sign of zero
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return value == 0 ? "0" : text;
}

std::string limit(double value) { return std::isfinite(value) ? brief(value) : "-"; }

}  // namespace ulna::cli
