#include "intermediates.hpp"

#include <algorithm>
#include <cmath>

#include "programs/interface.hpp"
#include "table.hpp"

namespace ulna::cli {

std::string in_brackets(const std::string& equation) { return equation.empty() ? "" : cat("(", equation, ")"); }

std::string intermediates_text(const std::vector<Intermediate>& lines) {
  std::size_t width = 0;
  const auto columns = [](const Intermediate& line) { return line.columns == 1 ? line.rows : line.columns; };  // a vector stands in a row
  for (const Intermediate& line : lines) width = std::max(width, columns(line));
  Table table("ll" + std::string(width, 'r'));
  for (const Intermediate& line : lines)
    for (std::size_t k = 0; k < line.value.size(); k += columns(line)) {
      std::vector<std::string> cells{k == 0 ? line.name() : "", k == 0 ? in_brackets(line.equation) : ""};
      for (std::size_t j = 0; j < columns(line); ++j) cells.push_back(std::isnan(line.value[k + j]) ? "." : brief(line.value[k + j]));
      cells.resize(width + 2);
      table.row(std::move(cells));
    }
  return table.text();
}

std::string intermediates_csv(const std::vector<Intermediate>& lines) {
  std::string text = "symbol,link,equation,value\n";
  for (const Intermediate& line : lines) {
    text += cat(csv_cell(line.symbol), ",", csv_cell(line.link), ",", csv_cell(line.equation), ",");
    for (std::size_t k = 0; k < line.value.size(); ++k)
      text += cat(k == 0 ? "" : line.columns > 1 && k % line.columns == 0 ? ";" : " ", std::isnan(line.value[k]) ? "nan" : to_text(line.value[k]));
    text += "\n";
  }
  return text;
}

void write_entries(Json& json, const Intermediate& shape, const std::vector<double>& value) {
  if (value.size() == 1 && shape.columns == 1) return void(json.value(value.front()));
  if (shape.columns == 1) return void(json.numbers(value.data(), value.size()));
  json.begin_array();
  for (std::size_t k = 0; k < value.size(); k += shape.columns) json.numbers(&value[k], shape.columns);
  json.end_array();
}

void write_intermediates(Json& json, const std::vector<Intermediate>& lines) {
  json.line().key("intermediates").begin_array();
  for (const Intermediate& line : lines) {
    const bool number = !line.link.empty() && line.link.find_first_not_of("0123456789") == std::string::npos;
    json.line().object(
        "symbol", line.symbol, "equation", line.equation, "link",
        [&] {
          if (line.link.empty())
            json.null();
          else if (number)
            json.value(std::stoul(line.link));
          else
            json.value(line.link);
        },
        "value", [&] { write_entries(json, line, line.value); }, "meaning", line.meaning);
  }
  json.end_array();
}

}  // namespace ulna::cli
