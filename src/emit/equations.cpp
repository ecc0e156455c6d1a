#include <ulna/emit/equations.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/expr/program.hpp>

#include "emit/equations_closed.hpp"
#include "emit/symbolic_plan.hpp"
#include "model/text.hpp"

namespace ulna {

namespace {

// A line is a thought: beyond this many symbols, or brackets in brackets, a part gets a name of its own.
constexpr int kMostSymbols = 18;
constexpr int kMostBrackets = 2;

EquationMark numbered(const char* letter, std::size_t index, int dots = 0) { return {letter, cat(index + 1), "", dots}; }

EquationMark result_mark(EquationsOf what, std::size_t k) {
  switch (what) {
    case EquationsOf::inverse: return numbered("tau", k);
    case EquationsOf::bias: return numbered("b", k);
    case EquationsOf::gravity: return numbered("G", k);
    default: return numbered("q", k, 2);
  }
}

bool has_rates(EquationsOf what) { return what == EquationsOf::inverse || what == EquationsOf::bias || what == EquationsOf::forward; }
bool has_third(EquationsOf what) { return what == EquationsOf::inverse || what == EquationsOf::forward; }

std::vector<EquationMark> input_marks(EquationsOf what, std::size_t n) {
  std::vector<EquationMark> marks;
  for (std::size_t k = 0; k < n; ++k) marks.push_back(numbered("q", k));
  for (std::size_t k = 0; k < n && has_rates(what); ++k) marks.push_back(numbered("q", k, 1));
  for (std::size_t k = 0; k < n && has_third(what); ++k) marks.push_back(what == EquationsOf::forward ? numbered("tau", k) : numbered("q", k, 2));
  return marks;
}

/// A kernel run on symbols.
struct Traced {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<EquationSymbol> symbols;
  std::vector<Expr> results;  // of M its entries on and above the diagonal, row by row
};

void name_quantities(Graph& graph, const WorkspaceOf<Expr>& ws, EquationsOf what) {
  for (std::size_t i = 0; i < ws.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws.bodies[i];
    const std::string number = std::to_string(i + 1);
    const auto name = [&](const char* letter, const Expr& x, const char* entry) { graph.name(x, letter + number + entry); };
    const auto vector = [&](const char* letter, const Vec3<Expr>& v) { name(letter, v.x, "_x"), name(letter, v.y, "_y"), name(letter, v.z, "_z"); };
    name("s", s.turn.sin, "");
    name("c", s.turn.cos, "");
    if (what != EquationsOf::mass) {
      vector("w", s.w_WB_B);
      vector("dw", s.alpha_WB_B);
      vector("a", s.a_WBo_B);
      vector("f", s.f_B);
      vector("n", s.n_B);
      name("U", s.U.xx, "_xx"), name("U", s.U.xy, "_xy"), name("U", s.U.xz, "_xz");
      name("U", s.U.yx, "_yx"), name("U", s.U.yy, "_yy"), name("U", s.U.yz, "_yz");
      name("U", s.U.zx, "_zx"), name("U", s.U.zy, "_zy"), name("U", s.U.zz, "_zz");
    }
    if (what != EquationsOf::mass && what != EquationsOf::forward) continue;
    const PseudoInertia<Expr>& c = s.composite;
    name("mc", c.m, "");
    vector("hc", c.h);
    name("Sc", c.S.xx, "_xx"), name("Sc", c.S.yy, "_yy"), name("Sc", c.S.zz, "_zz");
    name("Sc", c.S.xy, "_xy"), name("Sc", c.S.xz, "_xz"), name("Sc", c.S.yz, "_yz");
  }
}

Traced run_on_symbols(const Plan& numbers, EquationsOf what, bool rotor, bool lumped) {
  Traced out;
  Graph& graph = *out.graph;
  const auto n = static_cast<std::size_t>(numbers.nv);
  const std::vector<Expr> q = graph.inputs("q", numbers.nq);
  const std::vector<Expr> v = has_rates(what) ? graph.inputs("v", numbers.nv) : std::vector<Expr>{};
  const std::vector<Expr> third = has_third(what) ? graph.inputs(what == EquationsOf::forward ? "tau" : "a", numbers.nv) : std::vector<Expr>{};
  SymbolicPlan symbolic = lumped ? with_lumped_symbols(numbers, graph) : with_body_symbols(numbers, graph);
  const PlanOf<Expr>& plan = symbolic.plan;
  WorkspaceOf<Expr> ws(plan);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  const Expr* none = nullptr;
  const Expr* rates = v.empty() ? none : v.data();
  out.results.resize(n);
  switch (what) {
    case EquationsOf::inverse: kernel::inverse_dynamics(plan, ws, q.data(), rates, third.data(), out.results.data(), effects); break;
    case EquationsOf::bias:
    case EquationsOf::gravity: kernel::inverse_dynamics(plan, ws, q.data(), rates, none, out.results.data(), effects); break;
    case EquationsOf::mass: {
      std::vector<Expr> M(n * n);
      kernel::mass_matrix(plan, ws, q.data(), M.data(), n, rotor);
      out.results.clear();
      for (std::size_t i = 0; i < n; ++i)
        out.results.insert(out.results.end(), M.begin() + static_cast<std::ptrdiff_t>(i * n + i), M.begin() + static_cast<std::ptrdiff_t>(i * n + n));
      break;
    }
    case EquationsOf::forward:
      if (plan.coupled || !plan.deep)
        kernel::forward_by_mass(plan, ws, q.data(), rates, third.data(), out.results.data(), effects);
      else
        kernel::forward_by_articulated_bodies(plan, ws, q.data(), rates, third.data(), out.results.data(), effects);
      break;
  }
  name_quantities(graph, ws, what);
  out.symbols = std::move(symbolic.symbols);
  return out;
}

/// "dw3_x" as a mark.
EquationMark mark_of_name(const std::string& name) {
  static const std::map<std::string, EquationMark> letters{
      {"w", {"omega", "", "", 0}}, {"dw", {"omega", "", "", 1}}, {"mc", {"m", "", "c", 0}}, {"hc", {"h", "", "c", 0}}, {"Sc", {"S", "", "c", 0}}};
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[digits])) == 0) ++digits;
  const std::string letter = name.substr(0, digits);
  const auto known = letters.find(letter);
  EquationMark mark = known == letters.end() ? EquationMark{letter, "", "", 0} : known->second;
  mark.below = name.substr(digits);
  std::replace(mark.below.begin(), mark.below.end(), '_', ',');
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

/// A straight line of operations as lines a person would write.
class Lines {
 public:
  Lines(const Program& program, const std::vector<EquationSymbol>& symbols, const std::vector<EquationMark>& inputs, EquationSet& out)
      : program_(program), out_(out), formulas_(static_cast<std::size_t>(program.value_count())), uses_(formulas_.size()) {
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
      ++uses_[at(step.a)];
      if (step.b >= 0) ++uses_[at(step.b)];
    }
    for (const Output& result : program.results)
      if (result.value >= 0) ++uses_[at(result.value)];
    std::vector<bool> is_result(formulas_.size());
    for (const Output& result : program.results)
      if (result.value >= 0) is_result[at(result.value)] = true;
    for (std::size_t k = 0; k < program.instructions.size(); ++k, ++value) {
      EquationFormula body = body_of(program.instructions[k]);
      formulas_[value] = wants_name(k, value, body, is_result[value]) ? define(k, std::move(body)) : std::move(body);
    }
  }
  EquationFormula result(std::size_t k) const {
    const Output& output = program_.results[k];
    if (output.value < 0) return {};
    const EquationFormula& formula = formulas_[at(output.value)];
    if (formula.terms.size() == 1 && formula.terms.front().coefficient == 0) return {};
    return output.negative ? negated(formula) : formula;
  }

 private:
  static std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }

  EquationFormula body_of(const Instruction& step) const {
    const EquationFormula& a = formulas_[at(step.a)];
    const EquationFormula none;
    const EquationFormula& b = step.b < 0 ? none : formulas_[at(step.b)];
    switch (step.op) {
      case Op::add: return sum_of(a, b);
      case Op::subtract: return sum_of(a, negated(b));
      case Op::multiply: return product(a, b);
      case Op::divide: return quotient(a, b);
      case Op::sine: return {{EquationTerm{1, {EquationFactor{EquationFactor::Kind::sine, {}, std::make_shared<const EquationFormula>(a), 1}}, {}}}};
      default: return {{EquationTerm{1, {EquationFactor{EquationFactor::Kind::cosine, {}, std::make_shared<const EquationFormula>(a), 1}}, {}}}};
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
  EquationFormula product(const EquationFormula& a, const EquationFormula& b) const {
    EquationTerm term = term_of(a);
    const EquationTerm other = term_of(b);
    term.coefficient *= other.coefficient;
    multiply_by(term.factors, other.factors);
    multiply_by(term.divisors, other.divisors);
    return {{term}};
  }
  EquationFormula quotient(const EquationFormula& a, const EquationFormula& b) const {
    EquationTerm term = term_of(a);
    const EquationTerm other = term_of(b);
    term.coefficient /= other.coefficient;
    multiply_by(term.factors, other.divisors);
    multiply_by(term.divisors, other.factors);
    return {{term}};
  }

  bool wants_name(std::size_t k, std::size_t value, const EquationFormula& body, bool is_result) const {
    const Op op = program_.instructions[k].op;
    if (op == Op::sine || op == Op::cosine) return true;
    const int symbols = symbols_in(body);
    if (uses_[value] <= 1) return !is_result && (symbols > kMostSymbols || brackets_in(body) > kMostBrackets);
    if (symbols <= 1) return false;                   // x², 2 x
    return k >= program_.precomputed || symbols > 2;  // a sum or product of two parameters is written as often as it occurs
  }
  EquationFormula define(std::size_t k, EquationFormula body) {
    const std::string& name = k < program_.names.size() ? program_.names[k] : std::string{};
    constexpr std::string_view kOpposite = "_neg";
    if (!name.empty() && k >= program_.precomputed) {
      const bool opposite = name.ends_with(kOpposite);
      const EquationMark mark = mark_of_name(opposite ? name.substr(0, name.size() - kOpposite.size()) : name);
      if (taken_.insert(mark.text()).second) {
        out_.definitions.push_back({mark, opposite ? negated(std::move(body)) : std::move(body)});
        return opposite ? negated(formula_of(mark)) : formula_of(mark);
      }
    }
    const EquationMark mark = k < program_.precomputed ? numbered("K", fixed_++) : numbered("Z", others_++);
    const bool opposite = all_negative(body);
    out_.definitions.push_back({mark, opposite ? negated(std::move(body)) : std::move(body)});
    return opposite ? negated(formula_of(mark)) : formula_of(mark);
  }

  const Program& program_;
  EquationSet& out_;
  std::vector<EquationFormula> formulas_;  // of each value: its mark where it has one
  std::vector<int> uses_;
  std::set<std::string> taken_;
  std::set<std::string> parameters_;
  std::size_t fixed_ = 0, others_ = 0;
};

void set_results(EquationSet& set, std::vector<EquationFormula> formulas) {
  const auto n = static_cast<std::size_t>(set.n);
  if (set.what != EquationsOf::mass) {
    for (std::size_t k = 0; k < n; ++k) set.results.push_back({result_mark(set.what, k), std::move(formulas[k])});
    return;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j, ++at)
      if (!formulas[at].terms.empty()) set.results.push_back({{"M", n < 10 ? cat(i + 1, j + 1) : cat(i + 1, ",", j + 1), "", 0}, std::move(formulas[at])});
}

void collect(const EquationFormula& formula, std::set<std::string>& used) {
  for (const EquationTerm& term : formula.terms)
    for (const std::vector<EquationFactor>* factors : {&term.factors, &term.divisors})
      for (const EquationFactor& factor : *factors) {
        if (factor.inside)
          collect(*factor.inside, used);
        else
          used.insert(factor.mark.text());
      }
}

std::set<std::string> used_marks(const EquationSet& set) {
  std::set<std::string> used;
  for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (const Equation& equation : *equations) collect(equation.right, used);
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

/// Definitions that nothing needs any more, because terms cancelled when they were gathered, go; Z and K are numbered again.
void drop_unused_definitions(EquationSet& set) {
  std::set<std::string> used;
  for (const Equation& equation : set.results) collect(equation.right, used);
  std::vector<Equation> kept;
  for (std::size_t k = set.definitions.size(); k-- > 0;) {
    if (!used.contains(set.definitions[k].left.text())) continue;
    collect(set.definitions[k].right, used);
    kept.push_back(std::move(set.definitions[k]));
  }
  set.definitions.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  NewMarks marks;
  std::map<std::string, std::size_t> numbers;
  for (Equation& equation : set.definitions) {
    rename(equation.right, marks);
    if (equation.left.letter != "Z" && equation.left.letter != "K") continue;
    const EquationMark mark = numbered(equation.left.letter.c_str(), numbers[equation.left.letter]++);
    marks[equation.left.text()] = mark;
    equation.left = mark;
  }
  for (Equation& equation : set.results) rename(equation.right, marks);
}

/// Symbols that occur; and where one moment of inertia is all that is felt of a link, it is I_2 and not I_2,zz.
void keep_used_symbols(EquationSet& set) {
  const std::set<std::string> used = used_marks(set);
  std::erase_if(set.symbols, [&](const EquationSymbol& s) { return !used.contains(s.mark.text()); });
  const auto number = [](const EquationMark& mark) { return mark.below.substr(0, mark.below.find(',')); };
  std::map<std::string, int> inertias;
  for (const EquationSymbol& s : set.symbols) inertias[number(s.mark)] += s.mark.letter == "I";
  NewMarks shorter;
  for (EquationSymbol& s : set.symbols) {
    if (s.mark.letter != "I" || inertias[number(s.mark)] != 1) continue;
    const EquationMark mark{"I", number(s.mark), "", 0};
    shorter[s.mark.text()] = mark;
    s.mark = mark;
  }
  for (std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (Equation& equation : *equations) rename(equation.right, shorter);
}

/// Closed forms speak of mass centres, which a body without mass has not.
bool has_centres(const Plan& plan) {
  return std::all_of(plan.bodies.begin(), plan.bodies.end(),
                     [](const PlanBody<double>& body) { return body.inertia.m != 0 || body.inertia.h == Vec3<double>{}; });
}

bool make_closed(const Plan& plan, const EquationOptions& options, EquationSet& set) {
  // Following joints turn by multiples of an angle: no sums of products of sines of q.
  if (set.what == EquationsOf::forward || plan.coupled || !has_centres(plan)) return false;
  Traced traced = run_on_symbols(plan, set.what, options.rotor, false);
  GraphMarks marks{{}, input_marks(set.what, static_cast<std::size_t>(plan.nv)), plan.nq, {}};
  for (const EquationSymbol& symbol : traced.symbols) {
    // Cosine and sine of a constant turn stand one after the other; see with_body_symbols().
    if (symbol.mark.letter == "s" && symbol.mark.below.starts_with("alpha")) marks.turns.emplace_back(marks.parameters.size() - 1, marks.parameters.size());
    marks.parameters.push_back(symbol.mark);
  }
  std::optional<ClosedForms> forms = closed_forms(*traced.graph, traced.results, marks);
  if (!forms) return false;
  set.form = EquationForm::closed;
  set.symbols = std::move(traced.symbols);
  set.definitions = std::move(forms->definitions);
  set_results(set, std::move(forms->formulas));
  return true;
}

void make_recursive(const Plan& plan, const EquationOptions& options, EquationSet& set) {
  Traced traced = run_on_symbols(plan, set.what, options.rotor, true);
  const std::array<OutputOf, 1> output{OutputOf{"result", traced.results}};
  const Program program = make_program(*traced.graph, output);
  set.form = EquationForm::recursive;
  const Lines lines(program, traced.symbols, input_marks(set.what, static_cast<std::size_t>(plan.nv)), set);
  std::vector<EquationFormula> formulas;
  for (std::size_t k = 0; k < traced.results.size(); ++k) formulas.push_back(lines.result(k));
  set.symbols = std::move(traced.symbols);
  set_results(set, std::move(formulas));
}

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

std::string_view to_string(EquationsOf what) {
  switch (what) {
    case EquationsOf::mass: return "mass";
    case EquationsOf::bias: return "bias";
    case EquationsOf::gravity: return "gravity";
    case EquationsOf::forward: return "forward";
    default: return "inverse";
  }
}

std::string_view to_string(EquationForm form) { return form == EquationForm::closed ? "closed" : form == EquationForm::recursive ? "recursive" : "automatic"; }

std::string EquationMark::text() const {
  const bool spelled = below.find_first_of("+-q") != std::string::npos;
  std::string out = cat(letter, above, spelled ? "(" : "", below, spelled ? ")" : "");
  std::replace(out.begin(), out.end(), ',', '_');
  return out + std::string(static_cast<std::size_t>(dots), '\'');
}

EquationSet make_equations(const Model& model, EquationsOf what, const EquationOptions& options) {
  PlanOptions plan_options;
  plan_options.snap = options.snap;
  const Plan plan = make_plan(model, plan_options);
  EquationSet set;
  set.what = what;
  set.n = plan.nv;
  if (options.form == EquationForm::recursive || !make_closed(plan, options, set)) {
    if (options.form == EquationForm::closed)
      throw std::invalid_argument(
          cat("there is no short closed form of the ", to_string(what), " equations of robot ", in_quotes(model.name()), "; take the recursive form"));
    make_recursive(plan, options, set);
  }
  drop_unused_definitions(set);
  keep_used_symbols(set);
  return set;
}

std::vector<double> evaluate(const EquationSet& set, std::span<const double> q, std::span<const double> v, std::span<const double> a) {
  const auto n = static_cast<std::size_t>(set.n);
  const auto check = [&](const char* name, std::span<const double> x, bool needed) {
    if (x.size() != n && (needed || !x.empty())) throw std::invalid_argument(cat("evaluate: ", name, " has ", x.size(), " entries, but the robot has ", n));
  };
  check("q", q, true);
  check("v", v, has_rates(set.what));
  check("a", a, has_third(set.what));
  Values values;
  const auto define = [&](const EquationMark& mark, double value) {
    if (!values.emplace(mark.text(), value).second) throw std::invalid_argument(cat("evaluate: ", mark.text(), " is defined twice"));
  };
  const std::vector<EquationMark> inputs = input_marks(set.what, n);
  for (std::size_t k = 0; k < inputs.size(); ++k) define(inputs[k], k < n ? q[k] : k < 2 * n ? v[k - n] : a[k - 2 * n]);
  for (const EquationSymbol& symbol : set.symbols) define(symbol.mark, symbol.value);
  for (const Equation& equation : set.definitions) define(equation.left, value_of(equation.right, values));
  std::vector<double> out(set.what == EquationsOf::mass ? n * n : n);
  for (const Equation& equation : set.results) define(equation.left, value_of(equation.right, values));
  for (std::size_t i = 0; i < n; ++i) {
    if (set.what != EquationsOf::mass) {
      out[i] = values.at(result_mark(set.what, i).text());
      continue;
    }
    for (std::size_t j = i; j < n; ++j) {
      const auto entry = values.find(EquationMark{"M", n < 10 ? cat(i + 1, j + 1) : cat(i + 1, ",", j + 1), "", 0}.text());
      out[i * n + j] = out[j * n + i] = entry == values.end() ? 0 : entry->second;
    }
  }
  return out;
}

}  // namespace ulna
