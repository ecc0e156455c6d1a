#include <ulna/emit/equations.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <ulna/expr/program.hpp>

#include "emit/equations_expanded.hpp"
#include "emit/equations_formulation.hpp"
#include "emit/equations_kernels.hpp"
#include "emit/equations_lines.hpp"
#include "emit/equations_marks.hpp"
#include "emit/equations_quantities.hpp"
#include "emit/equations_tidy.hpp"
#include "model/link_named.hpp"
#include "model/require_fixed_base.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

void set_results(EquationSet& set, std::vector<EquationFormula> formulas) {
  const std::vector<EquationMark> marks = result_marks(set.what, set.speeds, set.free);
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (!formulas[k].terms.empty() || !row_of(set.what).is_matrix()) set.results.push_back({marks[k], std::move(formulas[k])});
}

/// Closed forms speak of mass centres, which a body without mass has not.
bool has_centres(const Plan& plan) {
  return std::all_of(plan.bodies.begin(), plan.bodies.end(),
                     [](const PlanBody<double>& body) { return body.inertia.m != 0 || body.inertia.h == Vec3<double>{}; });
}

bool make_closed(const Plan& plan, std::size_t link, const EquationOptions& options, EquationSet& set) {
  // Following joints turn by multiples of an angle: no sums of products of sines of q. A free base has a quaternion. Loops divide by their pivots.
  if (row_of(set.what).takes("tau") || !row_of(set.what).parts.empty() || plan.coupled || plan.free || plan.closed() || !has_centres(plan)) return false;
  SymbolicTrace traced = run_kernel(plan, set.what, link, options.rotor, Masses::of_links, set.numbers);
  GraphMarks marks{{}, input_marks(set), plan.nq, {}};
  for (const EquationSymbol& symbol : traced.symbols) {
    // Cosine and sine of a constant turn stand one after the other; see SymbolTable::rotation().
    if (symbol.mark.letter == "s" && symbol.mark.angle == "alpha") marks.turns.emplace_back(marks.parameters.size() - 1, marks.parameters.size());
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

void make_recursive(SymbolicTrace traced, LineOptions options, EquationSet& set) {
  const std::array<OutputOf, 1> output{OutputOf{"result", traced.results}};
  const Program program = make_program(*traced.graph, output);
  if (!std::all_of(program.constants.begin(), program.constants.end(), [](double x) { return std::isfinite(x); }))
    throw std::invalid_argument(cat("the ", to_string(set.what), " equations divide by zero: the inertia matrix of this robot is singular"));
  set.form = EquationForm::recursive;
  options.every_name = options.every_name || !traced.quantities.empty();
  options.every_mark = set.speeds.size() < set.numbers.size();
  options.marks = std::move(traced.marks);
  set_results(set, write_lines(program, traced.symbols, input_marks(set), options, set.definitions));
  set.symbols = std::move(traced.symbols);
  set.letters = std::move(traced.letters);
  set.quantities = std::move(traced.quantities);
}

std::size_t link_number(const Model& model, const std::string& name) { return name.empty() ? model.links().size() - 1 : link_named(model, name); }

}  // namespace

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
  const bool spelled = below.find_first_of("+-q") != std::string::npos;
  const bool frame = above.starts_with("(");  // u1(3)_x: of joint 1, in frame 3
  std::string out =
      frame ? cat(letter, below, above, entry.empty() ? "" : ",", entry) : cat(letter, above, angle, spelled ? "(" : "", index(), spelled ? ")" : "");
  std::replace(out.begin(), out.end(), ',', '_');
  return out + std::string(static_cast<std::size_t>(dots), '\'');
}

EquationSet make_equations(const Analysis& robot, Quantity what, const EquationOptions& options) {
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
  if (!options.formulation.empty() && options.form == EquationForm::closed)
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
    make_recursive(run_formulation(formulation_named(options.formulation), what, robot, options), line_style, set);
  }
  drop_unused_definitions(set, line_style.others);
  keep_used_symbols(set);
  arrange_quantities(set);
  return set;
}

}  // namespace ULNA_API
