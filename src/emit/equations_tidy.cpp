#include "emit/equations_tidy.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "emit/equations_marks.hpp"

namespace ulna::internal {

namespace {

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
