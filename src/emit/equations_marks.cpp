// Marks: what the inputs and results of each quantity are called, and which of them a set needs.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "emit/equations_steps.hpp"
#include "text/message.hpp"

namespace ulna::internal {

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

std::set<std::string> used_marks(const EquationSet& set) {
  std::set<std::string> used;
  for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (const Equation& equation : *equations) collect_marks(equation.right, used);
  return used;
}

using NewMarks = std::map<std::string, EquationMark>;

void rename(EquationFormula& formula, const NewMarks& marks) {
  for (EquationTerm& term : formula.terms)
    for (std::vector<EquationFactor>* factors : {&term.factors, &term.divisors})
      for (EquationFactor& factor : *factors) {
        if (factor.inside) {
          EquationFormula inside = *factor.inside;
          rename(inside, marks);
          factor.inside = std::make_shared<const EquationFormula>(std::move(inside));
        } else if (const auto found = marks.find(factor.mark.text()); found != marks.end()) {
          factor.mark = found->second;
        }
      }
}

void rename(EquationSet& set, const NewMarks& marks) {
  for (EquationQuantity& quantity : set.quantities)
    for (EquationQuantity::Entry& entry : quantity.entries) rename(entry.formula, marks);
}

}  // namespace

EquationMark numbered(const char* letter, std::size_t number, int dots) { return {letter, cat(number), "", dots}; }

std::vector<EquationMark> input_marks(Quantity what, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& speeds, bool free) {
  std::vector<EquationMark> marks;
  for (const std::string_view input : row_of(what).inputs) append(marks, input, input == "q" ? numbers : speeds, free);
  return marks;
}

std::vector<EquationMark> input_marks(const EquationSet& set) {
  std::vector<EquationMark> marks = input_marks(set.what, set.numbers, set.speeds, set.free);
  const std::span<const std::string_view> inputs = row_of(set.what).inputs;
  const std::size_t n = set.own_speeds.size();
  for (std::size_t k = 1; k < inputs.size() && inputs[k] != "tau"; ++k)
    for (std::size_t r = 0; r < n; ++r) {
      marks[k * n + r] = set.own_speeds[r];
      marks[k * n + r].dots = static_cast<int>(k) - 1;
    }
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

void collect_marks(const EquationFormula& formula, std::set<std::string>& used) {
  for (const EquationTerm& term : formula.terms)
    for (const std::vector<EquationFactor>* factors : {&term.factors, &term.divisors})
      for (const EquationFactor& factor : *factors) {
        if (factor.inside)
          collect_marks(*factor.inside, used);
        else
          used.insert(factor.mark.text());
      }
}

void drop_unused_definitions(EquationSet& set, std::string_view others) {
  std::set<std::string> used;
  for (const Equation& equation : set.results) collect_marks(equation.right, used);
  std::vector<Equation> kept;
  for (std::size_t k = set.definitions.size(); k-- > 0;) {
    if (!used.contains(set.definitions[k].left.text())) continue;
    collect_marks(set.definitions[k].right, used);
    kept.push_back(std::move(set.definitions[k]));
  }
  set.definitions.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  NewMarks marks;
  std::map<std::string, std::size_t> numbers;
  for (Equation& equation : set.definitions) {
    rename(equation.right, marks);
    if (!equation.left.entry.empty() || (equation.left.letter != others && equation.left.letter != "K")) continue;
    const EquationMark mark = numbered(equation.left.letter.c_str(), ++numbers[equation.left.letter]);
    marks[equation.left.text()] = mark;
    equation.left = mark;
  }
  for (Equation& equation : set.results) rename(equation.right, marks);
  rename(set, marks);
}

void keep_used_symbols(EquationSet& set) {
  const std::set<std::string> used = used_marks(set);
  std::erase_if(set.symbols, [&](const EquationSymbol& s) { return !used.contains(s.mark.text()); });
  std::map<std::string, int> inertias;
  for (const EquationSymbol& s : set.symbols) inertias[s.mark.below] += s.mark.letter == "I";
  NewMarks shorter;
  for (EquationSymbol& s : set.symbols) {
    if (s.mark.letter != "I" || inertias[s.mark.below] != 1) continue;
    const EquationMark mark{"I", s.mark.below, "", 0};
    shorter[s.mark.text()] = mark;
    s.mark = mark;
  }
  for (std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (Equation& equation : *equations) rename(equation.right, shorter);
  rename(set, shorter);
}

}  // namespace ulna::internal
