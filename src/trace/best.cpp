#include <ulna/trace/best.hpp>

#include <map>

#include "expr/minimise.hpp"

#include "expr/ready.hpp"
#include "trace/searches.hpp"

namespace ulna::internal {

namespace {

/// 2c x as c x + c x where c x exists: as many operations, one multiplication less. (Sums of equal terms are folded to the former.)
void add_doubles(Program& program) {
  std::map<std::pair<double, std::uint32_t>, std::uint32_t> products;  // of a number and a value: which value
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    Instruction& step = program.instructions[i];
    if (step.op != Op::multiply) continue;
    const auto is_number = [&](std::uint32_t value) { return value >= program.first_constant() && value < program.first_instruction(); };
    const std::uint32_t number = is_number(step.a) ? step.a : step.b, other = is_number(step.a) ? step.b : step.a;
    if (!is_number(number)) continue;
    const double c = program.constants[number - program.first_constant()];
    products[{c, other}] = static_cast<std::uint32_t>(program.first_instruction() + i);
    if (const auto half = products.find({c / 2, other}); half != products.end()) step = {Op::add, half->second, half->second, kNoValue};
  }
}

Best finished(Quantity quantity, const Plan& given, const Searched& search, const SearchOptions& options) {
  Best best;
  best.quantity = quantity;
  if (!given.closed()) best.steps = search.steps;  // those of loops are the tree's
  best.links = search.words;
  best.refused = search.refused;
  Tracer tracer(given, quantity, options, search.question.method);
  tracer.write_as(search.question.form);
  tracer(search.plan);
  tracer.name_quantities();
  const Minimised minimal = minimised(tracer.graph(), tracer.results());
  const OutputOf output{tracer.output(), minimal.results};
  best.program = make_program(*minimal.graph, {&output, 1});
  if (!row_of(quantity).parts.empty()) add_doubles(best.program);
  best.counts = best.program.counts();
  const Minimised shorter = with_short_rotations(*minimal.graph, minimal.results);
  best.short_rotations = count(*shorter.graph, shorter.results);
  const Program generated = ready(best.program, turning_rates(search.plan), Sine::exact, options.single);
  best.guards = generated.guards;
  best.angle_sums = generated.angle_sums;
  if (best.counts != search.counts) best.steps.push_back({"common factors taken out of sums, common sums shared", best.counts});
  return best;
}

}  // namespace

const Plan& Searches::plan(const PlanOptions& options) {
  return plans_(options, [&] { return make_plan(model_, options); });
}

namespace {

/// The same steps on the same numbers lead to the same frames.
Plan framed(Plan plan, const Recipe& recipe) {
  for (const Reframing& step : recipe.steps) {
    if (!step.choices.empty()) lump(plan, step.choices);
    reframe(plan, step);
  }
  lump(plan, recipe.choices);
  return recipe.unit == 1 ? plan : in_length_unit(plan, recipe.unit);
}

}  // namespace

const Searched& Searches::operator()(Quantity quantity, const SearchOptions& options, ForwardMethod method) {
  const Plan& plan = bare(options.snap);
  const Precision precision = options.single ? Precision::single : Precision::full;
  // Frames that suit the torques of the tree suit those of the closed robot.
  if (plan.closed() && quantity != Quantity::gravity) quantity = Quantity::inverse;
  if (plan.closed()) method = ForwardMethod::mass_matrix;
  return done_({quantity, options, method}, [&] {
    if (!plan.closed()) {
      Tracer tracer(plan, quantity, options, method);
      return PlanSearch::done(plan, tracer, precision);
    }
    const Plan tree = plan.opened();
    Tracer tracer(tree, quantity, options, method);
    Searched found = PlanSearch::done(tree, tracer, precision, true);
    found.plan = framed(plan, found.recipe);
    return found;
  });
}

Best find_best(Searches& searches, Quantity quantity, const SearchOptions& options) {
  const Plan& plan = searches.bare(options.snap);
  const auto by = [&](ForwardMethod method) { return finished(quantity, plan, searches(quantity, options, method), options); };
  Best best = by(ForwardMethod::mass_matrix);
  if (quantity != Quantity::forward) return best;
  best.method = "inertia matrix";
  if (plan.coupled || plan.closed()) return best;  // articulated bodies take neither mimic joints nor loops
  Best other = by(ForwardMethod::articulated);
  other.method = "articulated bodies";
  return Cost(other.counts) < Cost(best.counts) ? other : best;
}

Program with_extras(Searches& searches, const Best& best, const SearchOptions& options, const Extras& extras) {
  const Plan& given = searches.bare(options.snap);
  const ForwardMethod method = best.method == "articulated bodies" ? ForwardMethod::articulated : ForwardMethod::mass_matrix;
  const Searched& search = searches(best.quantity, options, method);
  Tracer tracer(given, best.quantity, options, method);
  tracer.write_as(search.question.form);
  tracer(framed(given, search.recipe), extras, search.recipe.unit);  // the search's own plan has no links
  tracer.name_quantities();
  const Minimised minimal = minimised(tracer.graph(), tracer.results());
  Program program = make_program(*minimal.graph, Tracer::outputs(tracer.output(), row_of(best.quantity).size(given.sizes()), minimal.results));
  if (!row_of(best.quantity).parts.empty()) add_doubles(program);
  return program;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

Best find_best(const Model& model, Quantity quantity, const SearchOptions& options) {
  Searches searches(model);
  return find_best(searches, quantity, options);
}

}  // namespace ULNA_API
