#include "robot/programs.hpp"

#include <algorithm>

#include "expr/ready.hpp"
#include "plan/limbs.hpp"
#include "trace/compute_expr.hpp"
#include "trace/inputs.hpp"

namespace ulna::internal::robot {

namespace {

/// About as many as a quantity takes of a general robot, where they grow faster than its joints. Accelerations are those by the inertia matrix.
double most_operations(Quantity quantity, const Plan& plan) {
  const auto n = static_cast<double>(plan.nv), entries = static_cast<double>(path_lengths(plan));  // that are not zero by structure
  const double mass = 25 * entries;
  std::vector<double> depth(plan.nv);
  double factors = 0;
  for (std::size_t k = 0; k < plan.nv; ++k) {
    depth[k] = 1 + (plan.mass_parent[k] == kNone ? 0 : depth[plan.mass_parent[k]]);
    factors += depth[k] * depth[k];
  }
  switch (quantity) {
    case Quantity::mass: return mass;
    case Quantity::coriolis: return 2 * mass;
    case Quantity::regressor: return 80 * entries;
    case Quantity::inverse_derivatives: return 4 * mass;
    case Quantity::forward: return mass + factors;
    case Quantity::mass_inverse: return mass + factors + 2 * n * entries;
    case Quantity::forward_derivatives: return 4 * mass + factors + 6 * n * entries;
    default: return 0;
  }
}

/// Multiplications of solutions that are made in loops, and the scratch memory for a block of states. With fewer, straight lines are faster in lanes.
constexpr long kFewestSolved = 10'000;
constexpr std::size_t kMostSolved = 384 * 1024;

bool is_worth_it(Quantity quantity, const Plan& plan) { return most_operations(quantity, plan) <= kMostOperations; }

Precision precision_of(bool single) { return single ? Precision::single : Precision::full; }

Program written(Quantity quantity, Graph& graph, const std::vector<Expr>& results) {
  const OutputOf output{std::string(row_of(quantity).symbol), results};
  return make_program(graph, {&output, 1});
}

/// A quantity's equations on a plan whose numbers are parameters.
Program traced(Quantity quantity, const Variant& variant, const Plan& plan, bool rotor, ForwardMethod method = ForwardMethod::mass_matrix,
               const DerivativeForm& form = {}) {
  Graph graph;
  const PlanOf<Expr> symbolic = variant.pattern.symbolic(plan, graph);
  WorkspaceOf<Expr> ws(symbolic);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  const GraphInputs in(graph, quantity, plan.sizes());
  std::vector<Expr> results(row_of(quantity).size(plan.sizes()));
  kernel::compute(quantity, symbolic, ws, in.of(kNone, method, form), results.data(), effects);
  return written(quantity, graph, results);
}

/// What is left of the derivatives of forward dynamics when the program has run, if that is best done in loops.
std::shared_ptr<const jit::TreeSolve> solve_for(const Plan& plan, InstructionSet set, bool single) {
  if (plan.closed() || plan.has_balls() || set == InstructionSet::none) return nullptr;
  auto solve = std::make_shared<const jit::TreeSolve>(plan.mass_parent, jit::Form{set, single});
  const std::size_t bytes = solve->scratch(true) * jit::Form{set, single}.vector_bytes();
  return solve->counts().mul < kFewestSolved || solve->too_long() || bytes > kMostSolved ? nullptr : solve;
}

/// The program before that.
Program traced_terms(const jit::TreeSolve& solve, const Variant& variant, const Plan& plan, bool rotor, const DerivativeForm& form) {
  Graph graph;
  const PlanOf<Expr> symbolic = variant.pattern.symbolic(plan, graph);
  WorkspaceOf<Expr> ws(symbolic);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  const GraphInputs in(graph, Quantity::forward_derivatives, plan.sizes());
  std::vector<Expr> terms(row_of(Quantity::forward_derivatives).size(plan.sizes()));
  kernel::forward_derivative_terms(symbolic, ws, in.q().data(), in.v().data(), in.last().data(), terms.data(), plan.nv, effects, form);
  return written(Quantity::forward_derivatives, graph, solve.given<Expr>(terms.data(), ws.M.data(), ws.d.data()));
}

/// By the inertia matrix or by articulated bodies: of those that keep their digits and are not too long, the one with fewer operations. None if neither does.
std::optional<Digits::Question> forward_question(const Variant& variant, const Plan& plan, const Plan& given, Precision precision) {
  std::optional<Digits::Question> best;
  std::optional<Cost> least;
  Digits digits(given, precision, variant.question.rotor, Digits::kThorough);
  for (const ForwardMethod method : {ForwardMethod::articulated, ForwardMethod::mass_matrix}) {
    if (!Digits::takes(method, plan)) continue;
    if (method == ForwardMethod::mass_matrix && !is_worth_it(Quantity::forward, plan)) continue;
    Digits::Question question = variant.question;
    question.quantity = Quantity::forward;
    question.method = method;
    if (!digits.keep(plan, question)) continue;
    const Cost cost(traced(Quantity::forward, variant, plan, question.rotor, method).counts());
    if (!least || cost < *least) best = question, least = cost;
  }
  return best;
}

/// Of every signal, the numbers of joints that limbs which are alike have in the same place.
std::vector<jit::InputPair> alike_inputs(const Program& program, const Plan& plan) {
  if (plan.closed()) return {};  // limbs that loops join
  std::vector<jit::InputPair> pairs;
  std::vector<std::uint8_t> taken(program.input_count(), 0);  // by another pair: joints may be coupled
  for (const auto& [a, b] : limbs_alike(plan)) {
    const PlanBody<double>&left = plan.bodies[a], &right = plan.bodies[b];
    std::size_t begin = 0;
    for (std::size_t k = 0; k < program.inputs.size(); begin += program.inputs[k++].size) {
      const std::size_t v = begin + (k == 0 ? left.q : left.v), w = begin + (k == 0 ? right.q : right.v);
      if (v == w || taken[v] != 0 || taken[w] != 0) continue;
      taken[v] = taken[w] = 1;
      pairs.emplace_back(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w));
    }
  }
  return pairs;
}

/// Poses, Jacobians and the regressor: the robot's own frames, numbers folded.
Program kinematic(Quantity quantity, const PlanOf<Expr>& plan, std::size_t link) {
  Graph graph;
  WorkspaceOf<Expr> ws(plan);
  const GraphInputs in(graph, quantity, plan.sizes());
  std::vector<Expr> results(row_of(quantity).size(plan.sizes()));
  kernel::compute(quantity, plan, ws, in.of(link), results.data(), EffectsOf<Expr>{});
  return written(quantity, graph, results);
}

Variant variant_of(Recipe recipe, const Plan& plan, const Digits::Question& question) {
  Pattern pattern(plan);
  std::vector<double> values = pattern.values(plan).value();
  return {std::move(recipe), std::move(pattern), question, std::move(values)};
}

Variant searched(Searches& searches, Quantity quantity, const SearchOptions& options, Plan& best) {
  const Searched& found = searches(quantity, options);
  best = found.plan;
  return variant_of(found.recipe, best, found.question);
}

/// Of derivatives. Their search may end before it has come to all limbs: where fewer are alike than in the frames of torques, these are taken, because what
/// limbs have in common is computed side by side.
Variant searched_derivatives(Searches& searches, const SearchOptions& options, const Plan& plan, Precision precision, Plan& best) {
  const Searched &own = searches(Quantity::inverse_derivatives, options), &torques = searches(Quantity::inverse, options);
  const bool side_by_side = limbs_alike(torques.plan).size() > limbs_alike(own.plan).size() &&
                            Digits(plan, precision, own.question.rotor, Digits::kThorough).keep(torques.plan, own.question);
  best = side_by_side ? torques.plan : own.plan;
  return variant_of(side_by_side ? torques.recipe : own.recipe, best, own.question);
}

/// The robot's own frames, lumped as the templates do.
Variant plain(Plan plan, bool rotor, Plan& best) {
  Recipe recipe{{}, std::vector<LumpChoice>(plan.bodies.size()), 1};
  lump(plan, recipe.choices);
  best = std::move(plan);
  return variant_of(std::move(recipe), best, {.rotor = rotor});
}

/// And gravity, which the regressor has in it.
std::vector<Pose<double>> frames_of(const Plan& plan) {
  std::vector<Pose<double>> frames{{Mat3<double>::identity(), plan.gravity}};
  for (const PlanLink<double>& link : plan.links) frames.push_back(link.X_BL);
  for (const PlanBody<double>& body : plan.bodies) {
    frames.push_back({body.R_PB, body.p_PB});
    frames.push_back({Mat3<double>::identity(), {body.offset, body.multiplier, 0}});
  }
  return frames;
}

}  // namespace

Programs::Programs(Searches& searches, const DynamicsOptions& options, bool single, InstructionSet loops) : precision_(precision_of(single)) {
  const Plan& plan = searches.bare(options.snap);
  Plan best;
  const std::vector<double> rates = turning_rates(plan);
  const auto add = [&](Quantity quantity, std::size_t link, std::size_t variant, const Program& program, const Plan& on) {
    all.push_back({{to_string(quantity), ready(program, rates, Sine::limited, single)}, quantity, link, variant});
    all.back().alike = alike_inputs(all.back().program, on);
  };
  const auto add_traced = [&](Quantity quantity, ForwardMethod method = ForwardMethod::mass_matrix, const DerivativeForm& form = {}) {
    add(quantity, kNone, variants.size() - 1, traced(quantity, variants.back(), best, options.rotor, method, form), best);
  };
  const auto add_kinematic = [&](Quantity quantity, std::size_t link) {
    add(quantity, link, kNone, kinematic(quantity, plan.cast<Expr>(), link), plan);
    if (frames_.empty()) frames_ = frames_of(plan);
  };
  const SearchOptions search{.snap = options.snap, .rotor = options.rotor, .single = single};
  const auto requested = [&](Quantity quantity) {
    return std::find(options.quantities.begin(), options.quantities.end(), quantity) != options.quantities.end();
  };
  const auto wanted = [&](Quantity quantity) {
    if (!requested(quantity) || row_of(quantity).size(plan.sizes()) == 0) return false;
    if (is_worth_it(quantity, plan)) return true;
    too_long.push_back(quantity);
    return false;
  };
  constexpr Quantity kOfTorques[] = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::coriolis, Quantity::loop_motion};
  const bool accelerations = requested(Quantity::forward) || requested(Quantity::mass_inverse);
  if (accelerations || std::any_of(std::begin(kOfTorques), std::end(kOfTorques), requested))
    variants.push_back(searched(searches, Quantity::inverse, search, best));
  for (const Quantity quantity : kOfTorques)
    if (wanted(quantity)) add_traced(quantity);
  if (accelerations) {
    std::optional<Digits::Question> question = plan.closed() ? variants.back().question : forward_question(variants.back(), best, plan, precision_);
    if (!question) {  // frames that suit torques may cost accelerations their digits
      variants.push_back(plain(plan, options.rotor, best));
      question = forward_question(variants.back(), best, plan, precision_);
    }
    ForwardMethod method = plan.deep && !plan.coupled && !plan.closed() ? ForwardMethod::articulated : ForwardMethod::mass_matrix;
    if (question) variants.back().question = *question, method = question->method;
    if (method == ForwardMethod::articulated ? requested(Quantity::forward) : wanted(Quantity::forward)) add_traced(Quantity::forward, method);
    if (wanted(Quantity::mass_inverse)) add_traced(Quantity::mass_inverse);
  }
  if (requested(Quantity::gravity)) {
    variants.push_back(searched(searches, Quantity::gravity, search, best));
    add_traced(Quantity::gravity);
  }
  for (const Quantity quantity : {Quantity::inverse_derivatives, Quantity::forward_derivatives}) {
    if (!wanted(quantity)) continue;
    const auto solve = quantity == Quantity::forward_derivatives ? solve_for(plan, loops, single) : nullptr;
    if (solve != nullptr) {
      variants.push_back(searched_derivatives(searches, search, plan, precision_, best));  // what most of the program is
      Digits::Question& question = variants.back().question;
      question.quantity = quantity;
      question.form.rates_give_bias = true;
      if (Digits(plan, precision_, question.rotor, Digits::kThorough).keep(best, question)) {
        add(quantity, kNone, variants.size() - 1, traced_terms(*solve, variants.back(), best, options.rotor, question.form), best);
        all.back().solve = solve;
        continue;
      }
      variants.pop_back();
    }
    variants.push_back(quantity == Quantity::inverse_derivatives ? searched_derivatives(searches, search, plan, precision_, best)
                                                                 : searched(searches, quantity, search, best));
    add_traced(quantity, ForwardMethod::mass_matrix, variants.back().question.form);
  }
  if (wanted(Quantity::regressor)) add_kinematic(Quantity::regressor, kNone);
  if (plan.closed()) add_kinematic(Quantity::closure, kNone);
  for (const std::string& name : options.links) {
    const std::size_t link = *searches.model().find_link(name);
    for (const QuantityRow& row : quantities())
      if (row.of_link && requested(row.quantity)) add_kinematic(row.quantity, link);
  }
}

std::vector<std::vector<double>> Programs::parameters() const {
  std::vector<std::vector<double>> values;
  for (const Variant& variant : variants) values.push_back(variant.values);
  return values;
}

std::optional<std::vector<std::vector<double>>> Programs::parameters(const Plan& plan) const {
  if (!frames_.empty() && frames_ != frames_of(plan)) return std::nullopt;
  std::vector<std::vector<double>> values;
  if (variants.empty()) return values;
  Digits digits = digits_of(plan);
  for (const Variant& variant : variants) {
    std::optional<std::vector<double>> own = parameters(variant, plan, digits);
    if (!own) return std::nullopt;
    values.push_back(std::move(*own));
  }
  return values;
}

std::optional<std::vector<double>> Programs::parameters(std::size_t variant, const Model& model, const DynamicsOptions& options) const {
  const Plan plan = make_plan(model, {.snap = options.snap, .lumping = Lumping::none});
  Digits digits = digits_of(plan);
  return parameters(variants[variant], plan, digits);
}

Digits Programs::digits_of(const Plan& plan) const {
  return {plan.closed() ? plan.opened() : plan, precision_, variants.front().question.rotor, Digits::kQuick, true};
}

std::optional<std::vector<double>> Programs::parameters(const Variant& variant, const Plan& plan, Digits& digits) const {
  const std::optional<Plan> same_frames = replay(variant.recipe, plan, digits, variant.question);
  if (!same_frames) return std::nullopt;
  return variant.pattern.values(*same_frames);
}

}  // namespace ulna::internal::robot
