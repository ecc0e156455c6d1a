#include <ulna/trace/best.hpp>

#include <ulna/expr/minimise.hpp>

#include "expr/ready.hpp"
#include "trace/search.hpp"

namespace ulna {

namespace {

Best finished(Quantity quantity, const PlanSearch& search, Tracer& tracer, bool single) {
  Best best;
  best.quantity = quantity;
  best.steps = search.steps();
  best.links = search.words();
  best.refused = search.refused();
  tracer(search.plan());
  tracer.name_quantities();
  const Minimised minimal = minimised(tracer.graph(), tracer.results());
  const OutputOf output{tracer.output(), minimal.results};
  best.program = make_program(*minimal.graph, {&output, 1});
  best.counts = best.program.counts();
  const Minimised shorter = with_short_rotations(*minimal.graph, minimal.results);
  best.short_rotations = count(*shorter.graph, shorter.results);
  const Program generated = ready(best.program, turning_rates(search.plan()), Sine::exact, single);
  best.guards = generated.guards;
  best.angle_sums = generated.angle_sums;
  if (best.counts != search.counts()) best.steps.push_back({"common factors taken out of sums, common sums shared", best.counts});
  return best;
}

Best search(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method) {
  Tracer tracer(plan, quantity, options, method);
  return finished(quantity, PlanSearch::done(plan, tracer, options.single ? Precision::single : Precision::full), tracer, options.single);
}

}  // namespace

Best find_best(const Model& model, Quantity quantity, const SearchOptions& options) {
  const Plan plan = make_plan(model, {.snap = options.snap, .lumping = Lumping::none});
  Best best = search(plan, quantity, options, ForwardMethod::mass_matrix);
  if (quantity != Quantity::forward) return best;
  best.method = "inertia matrix";
  if (plan.coupled) return best;  // articulated bodies do not take mimic joints
  Best other = search(plan, quantity, options, ForwardMethod::articulated);
  other.method = "articulated bodies";
  return Cost(other.counts) < Cost(best.counts) ? other : best;
}

}  // namespace ulna
