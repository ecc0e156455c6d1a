#include "emit/equations_marks.hpp"

#include "text/cat.hpp"

namespace ulna::internal {

EquationMark numbered(const char* letter, std::size_t number, int dots) { return {letter, cat(number), "", dots}; }

namespace {

/// Rates and accelerations are q with dots.
EquationMark letter(std::string_view name) {
  if (name == "v") return {"q", "", "", 1};
  if (name == "a") return {"q", "", "", 2};
  return {std::string(name), "", "", 0};
}

void append(std::vector<EquationMark>& marks, std::string_view name, const std::vector<std::size_t>& numbers) {
  const EquationMark mark = letter(name);
  for (const std::size_t number : numbers) marks.push_back({mark.letter, cat(number), "", mark.dots});
}

}  // namespace

std::vector<EquationMark> input_marks(Quantity what, const std::vector<std::size_t>& numbers) {
  std::vector<EquationMark> marks;
  for (const std::string_view input : row_of(what).inputs) append(marks, input, numbers);
  return marks;
}

std::vector<EquationMark> result_marks(Quantity what, const std::vector<std::size_t>& numbers) {
  const QuantityRow& row = row_of(what);
  std::vector<EquationMark> marks;
  if (what == Quantity::energy) return {{"T", "", "", 0}, {"V", "", "", 0}};
  if (what == Quantity::pose) {
    for (const char* entry : {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}) marks.push_back({"R", entry, "", 0});
    for (const char* entry : {"x", "y", "z"}) marks.push_back({"p", entry, "", 0});
    return marks;
  }
  if (!row.is_matrix()) {
    append(marks, row.letter, numbers);
    return marks;
  }
  std::string letter(row.letter);
  const auto entry = [&](std::size_t i, std::size_t j) { marks.push_back({letter, numbers.size() < 10 ? cat(i, j) : cat(i, ",", j), "", 0}); };
  std::vector<std::size_t> rows = numbers;
  if (row.rows != kCoordinates) {
    rows.clear();
    for (std::size_t i = 0; i < row.rows.fixed; ++i) rows.push_back(i + 1);
  }
  for (const std::string_view part : row.parts) {  // d_q to Dq
    letter = cat(row.letter, part.substr(2));
    for (const std::size_t j : numbers)
      for (const std::size_t i : rows) entry(i, j);
  }
  if (!row.parts.empty()) return marks;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    for (std::size_t i = row.symmetric ? k : 0; i < rows.size(); ++i) row.symmetric ? entry(numbers[k], rows[i]) : entry(rows[i], numbers[k]);
  return marks;
}

}  // namespace ulna::internal
