#include "sim/number_table.hpp"

#include <algorithm>
#include <unordered_set>

#include "source/source_text.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"

namespace ulna::internal::sim {

NumberTable read_number_table(std::string_view text, Diagnostics& diagnostics) {
  NumberTable table;
  std::vector<std::string> cells;
  text = without_mark(text);
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = text.substr(at, end - at);
    at = end + 1;
    ++line;
    const std::size_t first = content.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || content[first] == '#') continue;
    if (too_many_problems(line, diagnostics)) break;
    if (!read_csv_cells(content, cells)) {
      diagnostics.error(line, "row", "a quotation mark is not closed", "close it, or double it inside a name");
      continue;
    }
    if (table.names.empty()) {
      std::unordered_set<std::string_view> seen;
      for (std::size_t i = 0; i < cells.size() && !too_many_problems(line, diagnostics); ++i) {
        if (cells[i].empty()) diagnostics.error(line, cat("column ", i + 1), "it has no name", "the first line names the columns");
        if (!seen.insert(cells[i]).second) diagnostics.error(line, Element::column(cells[i]), "it stands there twice", "keep one of them");
      }
      table.names = cells;
      continue;
    }
    if (cells.size() != table.names.size()) {
      diagnostics.error(line, "row", cat("it has ", cells.size(), " cells, but the header has ", table.names.size()),
                        "give every row as many cells as the header");
      continue;
    }
    std::vector<double> row;
    for (std::size_t i = 0; i < cells.size() && !too_many_problems(line, diagnostics); ++i) {
      NumberProblem problem;
      const std::optional<double> value = parse_angle(cells[i], problem);
      if (!value) diagnostics.error(line, Element::column(table.names[i]), problem.problem, problem.cure);
      row.push_back(value.value_or(0));
    }
    table.rows.push_back(std::move(row));
    table.lines.push_back(line);
  }
  if (table.rows.empty() && !diagnostics.has_errors()) diagnostics.error(0, "file", "it has no rows", "give a header line and one row or more");
  return diagnostics.has_errors() ? NumberTable{} : table;
}

NumberTable load_number_table(const std::string& path, Diagnostics& diagnostics, const ReadLimits& limits) {
  const std::optional<std::string> text = read_whole(path, &ReadLimits::csv_bytes, limits, diagnostics);
  return text ? read_number_table(*text, diagnostics) : NumberTable{};
}

}  // namespace ulna::internal::sim
