#include "text/csv.hpp"

#include "text/words.hpp"

namespace ulna::internal {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

bool read_csv_cells(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  std::size_t i = 0;
  while (true) {
    std::string cell;
    if (i < line.size() && line[i] == '"') {
      ++i;
      while (true) {
        if (i >= line.size()) return false;
        if (line[i] == '"') {
          if (i + 1 < line.size() && line[i + 1] == '"') {
            cell += '"';
            i += 2;
            continue;
          }
          ++i;
          break;
        }
        cell += line[i++];
      }
    }
    while (i < line.size() && line[i] != ',') cell += line[i++];
    cells.emplace_back(trimmed(cell));
    if (i >= line.size()) return true;
    ++i;
  }
}

}  // namespace ulna::internal
