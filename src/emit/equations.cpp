#include <ulna/emit/equations.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include <ulna/expr/program.hpp>
#include <ulna/formulation/speeds.hpp>

#include "emit/equations_steps.hpp"
#include "model/link_named.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// `others`: marks in place of those of the quantity.
void set_results(EquationSet& set, std::vector<EquationFormula> formulas, const std::vector<EquationMark>& others = {}) {
  const std::vector<EquationMark> marks = others.empty() ? result_marks(set.what, set.speeds, set.free) : others;
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (!formulas[k].terms.empty() || !row_of(set.what).is_matrix()) set.results.push_back({marks[k], std::move(formulas[k])});
}

/// Closed forms use mass centres, which a body without mass does not have.
bool has_centres(const Plan& plan) {
  return std::all_of(plan.bodies.begin(), plan.bodies.end(),
                     [](const PlanBody<double>& body) { return body.inertia.m != 0 || body.inertia.h == Vec3<double>{}; });
}

/// False where the result is longer than readers accept.
bool close(SymbolicTrace traced, std::size_t nq, EquationSet& set, const std::vector<EquationMark>& results = {}) {
  GraphMarks marks{{}, input_marks(set), nq, {}};
  for (const EquationSymbol& symbol : traced.symbols) {
    // Cosine and sine of a constant angle are consecutive; see SymbolTable::rotation().
    if (symbol.mark.letter == "s" && symbol.mark.angle == "alpha") marks.circles.emplace_back(marks.parameters.size() - 1, marks.parameters.size());
    marks.parameters.push_back(symbol.mark);
  }
  std::optional<ClosedForms> forms = closed_forms(*traced.graph, traced.results, marks);
  if (!forms) return false;
  set.form = EquationForm::closed;
  set.symbols = std::move(traced.symbols);
  set.definitions = std::move(forms->definitions);
  set_results(set, std::move(forms->formulas), results);
  return true;
}

bool make_closed(const Plan& plan, std::size_t link, const EquationOptions& options, EquationSet& set) {
  // Following joints rotate by multiples of an angle: no sums of products of sines of q. A free base has a quaternion. Loops divide by their pivots.
  if (row_of(set.what).takes("tau") || !row_of(set.what).parts.empty() || plan.coupled || plan.free || plan.closed() || !has_centres(plan)) return false;
  return close(run_kernel(plan, set.what, link, options.rotor, Masses::of_links, set.numbers), plan.nq, set);
}

void make_recursive(SymbolicTrace traced, LineOptions options, EquationSet& set, const std::vector<EquationMark>& results = {}) {
  const std::array<OutputOf, 1> output{OutputOf{"result", traced.results}};
  const Program program = make_program(*traced.graph, output);
  if (!std::all_of(program.constants.begin(), program.constants.end(), [](double x) { return std::isfinite(x); }))
    throw std::invalid_argument(cat("the ", to_string(set.what), " equations divide by zero: the inertia matrix of this robot is singular"));
  set.form = EquationForm::recursive;
  options.every_name = options.every_name || !traced.quantities.empty();
  options.every_mark = set.speeds.size() < set.numbers.size();
  options.marks = std::move(traced.marks);
  set_results(set, write_lines(program, traced.symbols, input_marks(set), options, set.definitions), results);
  set.symbols = std::move(traced.symbols);
  set.letters = std::move(traced.letters);
  set.quantities = std::move(traced.quantities);
}

std::size_t link_number(const Model& model, const std::string& name) { return name.empty() ? model.links().size() - 1 : link_named(model, name); }

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

void set_speeds(const EquationOptions& options, EquationSet& set) {
  set.own_speeds = speed_marks(options);
  if (!options.speeds) return;
  set.own_speeds_are = options.speeds->expressions();
  if (set.what != Quantity::inverse) std::iota(set.speeds.begin(), set.speeds.end(), 1);  // rows of M and bias are the speeds'
}

}  // namespace

EquationSet partial_velocities(const Analysis& robot, const EquationOptions& options) {
  require_no_balls(robot.model(), "a list of partial velocities");
  const Model& model = robot.model();
  if (model.base() == RootJoint::planar) return partial_velocities(Analysis(with_base_as_joints(model)), options);
  require_fixed_base(model, "the list of partial velocities");
  if (model.closed()) throw std::invalid_argument("partial velocities are listed of trees; open the loops with --loops ignore");
  EquationSet set;
  set.what = Quantity::mass;
  set.formulation = formulation_of_speeds().id;
  set.heading = "Partial angular velocities and partial velocities";
  const Formulation& kane = formulation_of_speeds();
  set.numbers = set.speeds = coordinate_numbers(&kane, model);
  set_speeds(options, set);
  std::vector<EquationMark> marks;
  const auto run = [&] {
    std::vector<PaperQuantity<Expr>> shown;
    SymbolicTrace traced = run_formulation(kane, Quantity::mass, robot, options, &shown);
    traced.results.clear(), traced.quantities.clear(), traced.letters.clear();
    marks.clear();
    for (const PaperQuantity<Expr>& one : shown)
      for (std::size_t k = 0; k < 3 && one.index.second != 0; ++k) {
        if (one.entries[k].is(0)) continue;
        marks.push_back({one.symbol.letter, cat(one.index.first, set.numbers.size() < 10 ? "" : ",", one.index.second), "", 0, entry_name(3, 1, k)});
        traced.results.push_back(one.entries[k]);
      }
    return traced;
  };
  SymbolicTrace traced = run();
  if (options.form == EquationForm::recursive || !close(std::move(traced), set.numbers.size(), set, marks))
    make_recursive(run(), line_options(nullptr), set, marks);
  drop_unused_definitions(set, "Z");
  for (Equation& result : set.results)  // one that others need is defined before them by its own name
    for (const Equation& definition : set.definitions)
      if (definition.left.text() == result.left.text() && plain_text(result.right) == result.left.text()) result.right = definition.right;
  keep_used_symbols(set);
  return set;
}

const std::vector<Quantity>& equation_quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> written;
    for (const QuantityRow& row : quantities())
      if (row.written && row.read) written.push_back(row.quantity);
    return written;
  }();
  return all;
}

std::string_view to_string(EquationForm form) { return form == EquationForm::closed ? "closed" : form == EquationForm::recursive ? "recursive" : "automatic"; }

std::string EquationMark::index() const { return entry.empty() ? below : cat(below, ",", entry); }

std::string EquationMark::text() const {
  const bool frame = above.starts_with("(");  // u1(3)_x: of joint 1, in frame 3
  std::string out = frame ? cat(letter, below, above, entry.empty() ? "" : ",", entry) : cat(letter, above, angle, index());
  std::replace(out.begin(), out.end(), ',', '_');
  return out + std::string(static_cast<std::size_t>(dots), '\'');
}

EquationSet make_equations(const Analysis& robot, Quantity what, const EquationOptions& options) {
  require_no_balls(robot.model(), "a list of equations");
  const Model& model = robot.model();
  if (model.base() == RootJoint::planar) return make_equations(Analysis(with_base_as_joints(model)), what, options);
  EquationSet set;
  set.what = what;
  set.free = model.base() == RootJoint::free;
  set.formulation = options.formulation;
  const Formulation* paper = paper_of(options.formulation);
  set.numbers = coordinate_numbers(paper, model);
  for (const std::size_t v : model.order().independent)
    if (const std::size_t base = base_nv(model.base()); v >= base) set.speeds.push_back(set.numbers[v - base]);
  const bool kernels = options.formulation.empty() || options.formulation == production_path().id;
  const LineOptions line_style = line_options(paper);
  if (!options.formulation.empty() && options.form == EquationForm::closed && !options.speeds)
    throw std::invalid_argument("a closed form is the same by whatever formulation: ask for it without one");
  if (kernels) {
    const Plan& plan = robot.plan({.snap = options.snap});
    const std::size_t link = link_number(model, options.link);
    if (row_of(what).of_link) set.link = model.links()[link].name;
    const bool recursive = options.form == EquationForm::recursive || !options.formulation.empty();
    if (recursive || !make_closed(plan, link, options, set)) {
      if (options.form == EquationForm::closed)
        throw std::invalid_argument(
            cat("there is no short closed form of the ", to_string(what), " equations of robot ", in_quotes(model.name()), "; take the recursive form"));
      make_recursive(run_kernel(plan, what, link, options.rotor, Masses::lumped, set.numbers), line_style, set);
    }
  } else {
    if (model.closed())
      throw std::invalid_argument(cat("the text of formulation ", options.formulation, " has no loops, and robot ", in_quotes(model.name()),
                                      " has: ask for its equations without a formulation"));
    require_fixed_base(model, cat("the text of formulation ", options.formulation));
    set_speeds(options, set);
    const auto run = [&] { return run_formulation(formulation_named(options.formulation), what, robot, options); };
    if (!options.speeds || options.form == EquationForm::recursive || !close(run(), robot.plan({.snap = options.snap}).nq, set)) {
      if (options.form == EquationForm::closed)
        throw std::invalid_argument(cat("there is no short closed form of the ", to_string(what), " equations in these speeds; take the recursive form"));
      make_recursive(run(), line_style, set);
    }
  }
  drop_unused_definitions(set, line_style.others);
  keep_used_symbols(set);
  arrange_quantities(set);
  return set;
}

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
