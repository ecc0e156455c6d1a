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

constexpr const char* kAxes[] = {"x", "y", "z"};

/// What a free base has of an input or result, before the joints' share of it.
void append_base(std::vector<EquationMark>& marks, std::string_view name) {
  const auto three = [&](const char* letter, int dots) {
    for (const char* axis : kAxes) marks.push_back({letter, "0", axis, dots});
  };
  if (name == "q") {
    three("r", 0);
    three("e", 0);
    marks.push_back({"e", "0", "w", 0});
  } else if (name == "v" || name == "a") {
    const int dots = name == "a" ? 1 : 0;
    three("omega", dots);
    three("v", dots);
  } else {
    for (const char* part : {"n", "f"})
      for (const char* axis : kAxes) marks.push_back({std::string(name), cat(part, axis), "", 0});
  }
}

void append(std::vector<EquationMark>& marks, std::string_view name, const std::vector<std::size_t>& numbers, bool free) {
  const EquationMark mark = letter(name);
  if (free) append_base(marks, name);
  for (const std::size_t number : numbers) marks.push_back({mark.letter, cat(number), "", mark.dots});
}

/// Rows and columns of matrices.
std::vector<std::string> labels(const std::vector<std::size_t>& numbers, bool free) {
  std::vector<std::string> out;
  if (free) out = {"wx", "wy", "wz", "vx", "vy", "vz"};
  for (const std::size_t number : numbers) out.push_back(cat(number));
  return out;
}

}  // namespace

std::vector<EquationMark> input_marks(Quantity what, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& speeds, bool free) {
  std::vector<EquationMark> marks;
  for (const std::string_view input : row_of(what).inputs) append(marks, input, input == "q" ? numbers : speeds, free);
  return marks;
}

std::vector<EquationMark> result_marks(Quantity what, const std::vector<std::size_t>& numbers, bool free) {
  const QuantityRow& row = row_of(what);
  std::vector<EquationMark> marks;
  if (what == Quantity::energy) return {{"T", "", "", 0}, {"V", "", "", 0}};
  if (what == Quantity::pose) {
    for (const char* entry : {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}) marks.push_back({"R", entry, "", 0});
    for (const char* entry : {"x", "y", "z"}) marks.push_back({"p", entry, "", 0});
    return marks;
  }
  if (!row.is_matrix()) {
    append(marks, row.letter, numbers, free);
    return marks;
  }
  std::string letter(row.letter);
  const std::vector<std::string> columns = labels(numbers, free);
  const char* between = free || numbers.size() >= 10 ? "," : "";
  const auto entry = [&](const std::string& i, const std::string& j) { marks.push_back({letter, cat(i, between, j), "", 0}); };
  std::vector<std::string> rows = columns;
  if (row.rows != kCoordinates) {
    rows.clear();
    for (std::size_t i = 0; i < row.rows.fixed; ++i) rows.push_back(cat(i + 1));
  }
  for (const std::string_view part : row.parts) {  // d_q to Dq
    letter = cat(row.letter, part.substr(2));
    for (const std::string& j : columns)
      for (const std::string& i : rows) entry(i, j);
  }
  if (!row.parts.empty()) return marks;
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = row.symmetric ? k : 0; i < rows.size(); ++i) row.symmetric ? entry(columns[k], rows[i]) : entry(rows[i], columns[k]);
  return marks;
}

}  // namespace ulna::internal
