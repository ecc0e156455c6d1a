#include <cmath>
#include <map>
#include <stdexcept>

#include "emit/equations_marks.hpp"
#include "text/cat.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

using Values = std::map<std::string, double>;

double value_of(const EquationFormula& formula, const Values& values);
double value_of(const std::vector<EquationFactor>& factors, const Values& values) {
  double product = 1;
  for (const EquationFactor& factor : factors) {
    double base = 0;
    if (factor.kind == EquationFactor::Kind::mark) {
      const auto known = values.find(factor.mark.text());
      if (known == values.end()) throw std::invalid_argument(cat("evaluate: ", factor.mark.text(), " is used before it is defined"));
      base = known->second;
    } else {
      base = value_of(*factor.inside, values);
      if (factor.kind == EquationFactor::Kind::sine) base = std::sin(base);
      if (factor.kind == EquationFactor::Kind::cosine) base = std::cos(base);
    }
    for (int k = 0; k < factor.power; ++k) product *= base;
  }
  return product;
}
double value_of(const EquationFormula& formula, const Values& values) {
  double sum = 0;
  for (const EquationTerm& term : formula.terms) sum += term.coefficient * value_of(term.factors, values) / value_of(term.divisors, values);
  return sum;
}

}  // namespace

std::vector<double> evaluate(const EquationSet& set, std::span<const double> q, std::span<const double> v, std::span<const double> a) {
  const RootJoint base = set.free ? RootJoint::free : RootJoint::fixed;
  const std::size_t nv = set.speeds.size() + base_nv(base), nq = set.numbers.size() + base_nq(base);
  const auto check = [&](const char* name, std::span<const double> x, bool needed) {
    const std::size_t n = *name == 'q' ? nq : nv;
    if (x.size() != n && (needed || !x.empty())) throw std::invalid_argument(cat("evaluate: ", name, " has ", x.size(), " entries, but the robot has ", n));
  };
  check("q", q, true);
  check("v", v, row_of(set.what).inputs.size() > 1);
  check("a", a, row_of(set.what).inputs.size() > 2);
  Values values;
  const auto define = [&](const EquationMark& mark, double value) {
    if (!values.emplace(mark.text(), value).second) throw std::invalid_argument(cat("evaluate: ", mark.text(), " is defined twice"));
  };
  const std::vector<EquationMark> inputs = input_marks(set);
  for (std::size_t k = 0; k < inputs.size(); ++k) define(inputs[k], k < nq ? q[k] : k < nq + nv ? v[k - nq] : a[k - nq - nv]);
  for (const EquationSymbol& symbol : set.symbols) define(symbol.mark, symbol.value);
  for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (const Equation& equation : *equations) define(equation.left, value_of(equation.right, values));
  const std::vector<EquationMark> marks = result_marks(set.what, set.speeds, set.free);
  std::vector<double> out;
  for (const EquationMark& mark : marks) {
    const auto entry = values.find(mark.text());
    if (entry == values.end() && !row_of(set.what).is_matrix()) throw std::invalid_argument(cat("evaluate: ", mark.text(), " is not among the results"));
    out.push_back(entry == values.end() ? 0 : entry->second);
  }
  if (!row_of(set.what).symmetric) return out;
  std::vector<double> M(nv * nv);
  std::size_t at = 0;
  for (std::size_t i = 0; i < nv; ++i)
    for (std::size_t j = i; j < nv; ++j) M[i * nv + j] = M[j * nv + i] = out[at++];
  return M;
}

}  // namespace ULNA_API
