#include "emit/equations_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

// A line is a thought: beyond this many symbols, or brackets in brackets, a part gets a name of its own.
constexpr int kMostSymbols = 18;
constexpr int kMostBrackets = 2;

/// The mark of a name: dw of body 3, x, is omega with a dot, "3,x" below it.
EquationMark mark_of(const NodeName& name) {
  static const std::map<std::string, EquationMark> letters{{"w", {"omega", "", "", 0}}, {"dw", {"omega", "", "", 1}}, {"mc", {"m", "", "c", 0}},
                                                           {"hc", {"h", "", "c", 0}},   {"Sc", {"S", "", "c", 0}},    {"R0", {"R", "", "0", 0}},
                                                           {"p0", {"p", "", "0", 0}}};
  const auto known = letters.find(name.letter);
  EquationMark mark = known == letters.end() ? EquationMark{name.letter, "", "", 0} : known->second;
  mark.below = cat(name.body);
  mark.entry = to_string(name.component);
  return mark;
}

EquationFactor factor_of(const EquationMark& mark) { return {EquationFactor::Kind::mark, mark, nullptr, 1}; }
EquationFormula formula_of(const EquationMark& mark) { return {{EquationTerm{1, {factor_of(mark)}, {}}}}; }

int symbols_in(const EquationFormula& formula);
int symbols_in(const std::vector<EquationFactor>& factors) {
  int sum = 0;
  for (const EquationFactor& factor : factors) sum += factor.inside ? symbols_in(*factor.inside) : 1;
  return sum;
}
int symbols_in(const EquationFormula& formula) {
  int sum = 0;
  for (const EquationTerm& term : formula.terms) sum += symbols_in(term.factors) + symbols_in(term.divisors);
  return sum;
}
int brackets_in(const EquationFormula& formula) {
  int most = 0;
  for (const EquationTerm& term : formula.terms)
    for (const std::vector<EquationFactor>* factors : {&term.factors, &term.divisors})
      for (const EquationFactor& factor : *factors)
        if (factor.inside) most = std::max(most, 1 + brackets_in(*factor.inside));
  return most;
}

EquationFormula negated(EquationFormula formula) {
  for (EquationTerm& term : formula.terms) term.coefficient = -term.coefficient;
  return formula;
}
bool same_factors(const std::vector<EquationFactor>& a, const std::vector<EquationFactor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const EquationFactor& x, const EquationFactor& y) {
    return x.kind == y.kind && x.mark == y.mark && x.inside == y.inside && x.power == y.power;
  });
}
/// Terms that differ by a number only are one: x + y + x = 2 x + y.
EquationFormula sum_of(EquationFormula a, const EquationFormula& b) {
  for (const EquationTerm& term : b.terms) {
    const auto like = std::find_if(a.terms.begin(), a.terms.end(),
                                   [&](const EquationTerm& t) { return same_factors(t.factors, term.factors) && same_factors(t.divisors, term.divisors); });
    if (like == a.terms.end())
      a.terms.push_back(term);
    else if ((like->coefficient += term.coefficient) == 0)
      a.terms.erase(like);
  }
  return a;
}
bool all_negative(const EquationFormula& formula) {
  return std::all_of(formula.terms.begin(), formula.terms.end(), [](const EquationTerm& term) { return term.coefficient < 0; });
}
/// A sum as a factor. -x - y is -(x + y).
EquationTerm term_of(const EquationFormula& formula) {
  if (formula.terms.size() == 1) return formula.terms.front();
  if (formula.terms.empty()) return {0, {}, {}};
  EquationTerm term;
  const bool opposite = all_negative(formula);
  if (opposite) term.coefficient = -1;
  term.factors.push_back({EquationFactor::Kind::bracket, {}, std::make_shared<const EquationFormula>(opposite ? negated(formula) : formula), 1});
  return term;
}

bool is_fixed(const EquationFactor& factor, const std::set<std::string>& parameters) {
  if (factor.kind == EquationFactor::Kind::mark) return factor.mark.letter == "K" || parameters.contains(factor.mark.text());
  return std::all_of(factor.inside->terms.begin(), factor.inside->terms.end(), [&](const EquationTerm& term) {
    return std::all_of(term.factors.begin(), term.factors.end(), [&](const EquationFactor& f) { return is_fixed(f, parameters); });
  });
}

/// Where a factor stands in a product: parameters, sines and cosines, quantities, brackets, rates.
int place_of(const EquationFactor& factor, const std::set<std::string>& parameters) {
  if (is_fixed(factor, parameters)) return 0;
  if (factor.kind != EquationFactor::Kind::mark) return 3;
  if (factor.mark.letter == "c" || factor.mark.letter == "s") return 1;
  return factor.mark.letter == "q" || factor.mark.letter == "tau" ? 4 : 2;
}

class Lines {
 public:
  Lines(const Program& program, const std::vector<EquationSymbol>& symbols, const std::vector<EquationMark>& inputs, const LineOptions& options,
        std::vector<Equation>& definitions)
      : program_(program), options_(options), definitions_(definitions), formulas_(program.value_count()), uses_(formulas_.size()) {
    std::size_t value = 0;
    for (const EquationMark& mark : inputs) formulas_[value++] = formula_of(mark), taken_.insert(mark.text());
    for (const EquationSymbol& symbol : symbols) {
      formulas_[value++] = formula_of(symbol.mark);
      taken_.insert(symbol.mark.text());
      parameters_.insert(symbol.mark.text());
    }
    for (const double constant : program.constants) formulas_[value++] = EquationFormula{{EquationTerm{constant, {}, {}}}};
    for (const Instruction& step : program.instructions) {
      if (step.op > Op::cosine) throw std::logic_error("equations are made from programs without fused operations");
      ++uses_[step.a];
      if (step.b != kNoValue) ++uses_[step.b];
    }
    std::vector<bool> is_result(formulas_.size());
    for (const Output& result : program.results)
      if (result.value != kNoValue) ++uses_[result.value], is_result[result.value] = true;
    for (std::size_t k = 0; k < program.instructions.size(); ++k, ++value) {
      EquationFormula body = body_of(program.instructions[k]);
      formulas_[value] = wants_name(k, value, body, is_result[value]) ? define(k, std::move(body)) : std::move(body);
    }
  }
  EquationFormula result(std::size_t k) const {
    const Output& output = program_.results[k];
    if (output.value == kNoValue) return {};
    const EquationFormula& formula = formulas_[output.value];
    if (formula.terms.size() == 1 && formula.terms.front().coefficient == 0) return {};
    return output.negative ? negated(formula) : formula;
  }

 private:
  EquationFormula body_of(const Instruction& step) const {
    const EquationFormula& a = formulas_[step.a];
    const EquationFormula none;
    const EquationFormula& b = step.b == kNoValue ? none : formulas_[step.b];
    switch (step.op) {
      case Op::add: return sum_of(a, b);
      case Op::subtract: return sum_of(a, negated(b));
      case Op::multiply:
      case Op::divide: return product(a, b, step.op == Op::divide);
      default: {
        const auto kind = step.op == Op::sine ? EquationFactor::Kind::sine : EquationFactor::Kind::cosine;
        return {{EquationTerm{1, {EquationFactor{kind, {}, std::make_shared<const EquationFormula>(a), 1}}, {}}}};
      }
    }
  }
  void multiply_by(std::vector<EquationFactor>& factors, const std::vector<EquationFactor>& more) const {
    for (const EquationFactor& factor : more) {
      const auto same = std::find_if(factors.begin(), factors.end(), [&](const EquationFactor& f) {
        return f.kind == EquationFactor::Kind::mark && factor.kind == f.kind && f.mark == factor.mark;
      });
      if (same != factors.end())
        same->power += factor.power;
      else
        factors.push_back(factor);
    }
    std::stable_sort(factors.begin(), factors.end(),
                     [&](const EquationFactor& x, const EquationFactor& y) { return place_of(x, parameters_) < place_of(y, parameters_); });
  }
  EquationFormula product(const EquationFormula& a, const EquationFormula& b, bool quotient) const {
    EquationTerm term = term_of(a);
    const EquationTerm other = term_of(b);
    term.coefficient = quotient ? term.coefficient / other.coefficient : term.coefficient * other.coefficient;
    multiply_by(term.factors, quotient ? other.divisors : other.factors);
    multiply_by(term.divisors, quotient ? other.factors : other.divisors);
    return {{term}};
  }

  bool wants_name(std::size_t k, std::size_t value, const EquationFormula& body, bool is_result) const {
    const Op op = program_.instructions[k].op;
    if (op == Op::sine || op == Op::cosine) return true;
    if (options_.every_name && !name_of(k).empty()) return true;
    if (options_.every_mark && options_.marks.contains(name_of(k).letter)) return true;
    const int symbols = symbols_in(body);
    if (uses_[value] <= 1) return !is_result && (symbols > kMostSymbols || brackets_in(body) > kMostBrackets);
    if (symbols <= 1) return false;                   // x², 2 x
    return k >= program_.precomputed || symbols > 2;  // a sum or product of two parameters is written as often as it occurs
  }
  const NodeName& name_of(std::size_t k) const {
    static const NodeName none;
    return k < program_.names.size() ? program_.names[k] : none;
  }
  EquationFormula define(std::size_t k, EquationFormula body) {
    const NodeName& name = name_of(k);
    if (!name.empty() && (options_.every_name || k >= program_.precomputed)) {
      const auto known = options_.marks.find(name.letter);
      const EquationMark mark = known == options_.marks.end() ? mark_of(name) : known->second;
      if (taken_.insert(mark.text()).second) {
        definitions_.push_back({mark, name.opposite ? negated(std::move(body)) : std::move(body)});
        return name.opposite ? negated(formula_of(mark)) : formula_of(mark);
      }
    }
    const EquationMark mark = k < program_.precomputed ? numbered("K", ++fixed_) : numbered(options_.others, ++others_);
    const bool opposite = all_negative(body);
    definitions_.push_back({mark, opposite ? negated(std::move(body)) : std::move(body)});
    return opposite ? negated(formula_of(mark)) : formula_of(mark);
  }

  const Program& program_;
  const LineOptions& options_;
  std::vector<Equation>& definitions_;
  std::vector<EquationFormula> formulas_;  // of each value: its mark where it has one
  std::vector<int> uses_;
  std::set<std::string> taken_;
  std::set<std::string> parameters_;
  std::size_t fixed_ = 0, others_ = 0;
};

}  // namespace

std::vector<EquationFormula> write_lines(const Program& program, const std::vector<EquationSymbol>& symbols, const std::vector<EquationMark>& inputs,
                                         const LineOptions& options, std::vector<Equation>& definitions) {
  const Lines lines(program, symbols, inputs, options, definitions);
  std::vector<EquationFormula> results;
  for (std::size_t k = 0; k < program.results.size(); ++k) results.push_back(lines.result(k));
  return results;
}

}  // namespace ulna::internal
