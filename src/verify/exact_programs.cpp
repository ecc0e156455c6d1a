#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include <ulna/robot/dynamics.hpp>

#include "expr/folding.hpp"
#include "expr/minimise.hpp"
#include "expr/run.hpp"
#include "jit/order.hpp"
#include "plan/reframe-inl.hpp"
#include "robot/programs.hpp"
#include "scalar/rounded.hpp"
#include "text/message.hpp"
#include "trace/compute_expr.hpp"
#include "trace/inputs.hpp"
#include "verify/exact.hpp"
#include "verify/exact_kernels.hpp"
#include "verify/exact_program.hpp"
#include "verify/exact_robot.hpp"

namespace ulna::internal {

namespace {

/// Running error bounds hold to first order, and sines of the C library err by a little more than half a unit in the last place.
constexpr long double kSlack = 2;

/// Speeds of a robot whose programs of derivatives are decided, too; of more, these are longer than all others together.
constexpr std::size_t kMostDerived = 20;

/// One step of a search, as what it does to frames.
struct FrameMove {
  enum Kind { slid, rotated, stripped, held };
  Kind kind;
  std::size_t body;
  Vec3<Exact> t{};
  Exact angle{};
};
struct TakenStep {
  const Reframing* step;
  std::vector<FrameMove> moves;
};

void apply(PlanOf<Exact>& plan, const FrameMove& move, bool back) {
  PlanBody<Exact>& body = plan.bodies[move.body];
  const Exact angle = back ? -move.angle : move.angle;
  switch (move.kind) {
    case FrameMove::slid: return slide(plan, move.body, back ? -move.t : move.t);
    case FrameMove::rotated: return rotate_frame(plan, move.body, angle, sincos(angle));
    case FrameMove::stripped: {  // R_PB Rz(q + offset) as (R_PB Rz(-angle)) Rz(q + offset + angle)
      const SinCos<Exact> at = sincos(angle);
      const Exact zero(0);
      body.R_PB = body.R_PB * Mat3<Exact>{at.cos, at.sin, zero, -at.sin, at.cos, zero, zero, zero, Exact(1)};
      body.offset = body.offset + angle;
      return find_aligned_axes(plan);
    }
    case FrameMove::held:
      if (back)
        body.still = false;
      else
        hold_still(plan, move.body);
  }
}

/// The search's steps on doubles, each with what it did.
std::vector<TakenStep> taken(const Recipe& recipe, Plan plan) {
  std::vector<TakenStep> steps;
  for (const Reframing& step : recipe.steps) {
    if (!step.choices.empty()) lump<double>(plan, step.choices);
    const PlanBody<double>& body = plan.bodies[step.body];
    TakenStep& now = steps.emplace_back(TakenStep{&step, {}});
    if (step.kind < Reframing::strip_offset) {
      const Vec3<double> t = step.kind == Reframing::slide_by ? step.t : slide_of(body, step.kind);
      now.moves.push_back({FrameMove::slid, step.body, t.cast<Exact>()});
    } else if (step.kind == Reframing::hold_axes) {
      now.moves.push_back({FrameMove::held, step.body});
    } else if (step.kind != Reframing::strip_offset) {
      now.moves.push_back({FrameMove::rotated, step.body, {}, exact_angle(step.kind == Reframing::turn_by ? step.angle : turn_of(body, step.kind))});
    }
    std::vector<double> before;
    for (const PlanBody<double>& other : plan.bodies) before.push_back(other.offset);
    reframe(plan, step);
    for (std::size_t k = 0; k < plan.bodies.size(); ++k) {
      const double angle = plan.bodies[k].offset - before[k];
      const bool own = k == step.body;
      if (!plan.bodies[k].prismatic && angle != 0 && (!own || step.kind == Reframing::strip_offset))
        now.moves.push_back({FrameMove::stripped, k, {}, exact_angle(angle)});
    }
  }
  return steps;
}

/// The plan in the double numbers that the recipe leads to.
Plan replayed(Plan plan, const Recipe& recipe) {
  for (const Reframing& step : recipe.steps) {
    if (!step.choices.empty()) lump<double>(plan, step.choices);
    reframe(plan, step);
  }
  lump<double>(plan, recipe.choices);
  return recipe.unit == 1 ? plan : in_length_unit<double>(plan, recipe.unit);
}

/// f(number, its exact value) for all numbers of a plan that programs are made of.
template <class F>
void each_number(const Plan& plan, const PlanOf<Exact>& exact, const F& f) {
  const auto vector = [&](const Vec3<double>& v, const Vec3<Exact>& x) { f(v.x, x.x), f(v.y, x.y), f(v.z, x.z); };
  const auto rotation = [&](const Mat3<double>& R, const Mat3<Exact>& X) {
    vector({R.xx, R.xy, R.xz}, {X.xx, X.xy, X.xz}), vector({R.yx, R.yy, R.yz}, {X.yx, X.yy, X.yz}), vector({R.zx, R.zy, R.zz}, {X.zx, X.zy, X.zz});
  };
  const auto inertia = [&](const PseudoInertia<double>& I, const PseudoInertia<Exact>& X) {
    f(I.m, X.m), vector(I.h, X.h), vector({I.S.xx, I.S.yy, I.S.zz}, {X.S.xx, X.S.yy, X.S.zz}), vector({I.S.xy, I.S.xz, I.S.yz}, {X.S.xy, X.S.xz, X.S.yz});
  };
  vector(plan.gravity, exact.gravity);
  if (plan.free) inertia(plan.lumped_base, exact.lumped_base);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    const PlanBody<Exact>& is = exact.bodies[i];
    f(body.offset, is.offset), f(body.rotor, is.rotor), f(body.multiplier, is.multiplier);
    vector(body.p_PB, is.p_PB), rotation(body.R_PB, is.R_PB), inertia(body.lumped, is.lumped);
  }
  for (std::size_t k = 0; k < plan.loops.size(); ++k) {
    rotation(plan.loops[k].X_A.R, exact.loops[k].X_A.R), vector(plan.loops[k].X_A.p, exact.loops[k].X_A.p);
    rotation(plan.loops[k].X_B.R, exact.loops[k].X_B.R), vector(plan.loops[k].X_B.p, exact.loops[k].X_B.p);
  }
}

/// The robot's own numbers after the steps; none where these arrive at a zero or one by square roots, which a number modulo p need not have.
std::optional<PlanOf<Exact>> exact_replayed(PlanOf<Exact> plan, const Recipe& recipe, const std::vector<TakenStep>& steps, const Plan& found) {
  for (const TakenStep& taken : steps) {
    const Reframing& step = *taken.step;
    if (!step.choices.empty()) lump<Exact>(plan, step.choices);
    const PseudoInertia<Exact>& I = plan.bodies[step.body].lumped;
    for (FrameMove move : taken.moves) {
      if (step.kind == Reframing::slide_to_com) move.t = (Exact(1) / plan.bodies[step.body].inertia.m) * plan.bodies[step.body].inertia.h;
      if (step.kind == Reframing::slide_sxz && I.h.x != Exact(0)) move.t.z = I.S.xz / I.h.x;
      if (step.kind == Reframing::slide_syz && I.h.y != Exact(0)) move.t.z = I.S.yz / I.h.y;
      apply(plan, move, false);
    }
  }
  lump<Exact>(plan, recipe.choices);
  if (recipe.unit != 1) plan = in_length_unit(plan, Exact(residue_of(recipe.unit)));
  bool same = true;
  each_number(found, plan, [&](double x, const Exact& is) {
    if (x == 0 || x == 1 || x == -1) same = same && is == Exact(x);
  });
  return same ? std::optional(std::move(plan)) : std::nullopt;
}

/// Inertias that the choices lump to what the plan has: what goes to a parent is of no consequence, so it is random.
void unlump(PlanOf<Exact>& plan, std::span<const LumpChoice> choices, RandomResidues& random) {
  std::vector<PseudoInertia<Exact>> added(plan.bodies.size());  // by balancing with the parent
  const auto is_child = [&](std::size_t i, std::size_t child) {
    return child < plan.nbody() && plan.bodies[child].parent == i && !plan.bodies[child].prismatic && plan.bodies[child].ball == 0;
  };
  PseudoInertia<Exact> base = plan.lumped_base;
  std::vector<PseudoInertia<Exact>> own;
  for (const PlanBody<Exact>& body : plan.bodies) own.push_back(body.lumped);
  // Mass that a child has from its parent: what lumping would have left none of.
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const LumpChoice& choice = choices[i];
    const auto offset = [&](std::size_t c) { return choice.axis == 0 ? plan.bodies[c].p_PB.x : plan.bodies[c].p_PB.y; };
    if (is_child(i, choice.mass_to) && offset(choice.mass_to) != Exact(0)) {
      const std::size_t c = choice.mass_to;
      const Exact mass = choices[c].lumping == Lumping::none ? Exact(random()) : own[c].m;
      own[c].m = own[c].m - mass;
      own[i] = own[i] + moved(PseudoInertia<Exact>{mass, {}, {}}, Mat3<Exact>::identity(), plan.bodies[c].p_PB);
    }
    if (is_child(i, choice.moment_to)) {
      const std::size_t c = choice.moment_to;
      const Vec3<Exact> z = plan.bodies[c].R_PB.column_z();
      const Exact reach = choice.entry == 0 ? z.x * z.y : choice.entry == 1 ? z.x * z.z : z.y * z.z;
      if (reach != Exact(0)) {
        const Exact kept = choices[c].lumping == Lumping::szz ? Exact(0) : choices[c].lumping == Lumping::jyy ? -own[c].S.xx : -own[c].S.yy;
        const Exact amount = choices[c].lumping == Lumping::none ? Exact(random()) : own[c].S.zz - kept;
        own[c].S.zz = own[c].S.zz - amount;
        own[i].S = own[i].S + amount * Sym3<Exact>{z.x * z.x, z.y * z.y, z.z * z.z, z.x * z.y, z.x * z.z, z.y * z.z};
      }
    }
  }
  const auto number = [&] { return Exact(random()); };
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    PlanBody<Exact>& body = plan.bodies[i];
    PseudoInertia<Exact> given;
    const bool gives = choices[i].lumping != Lumping::none && body.ball == 0;
    if (gives && body.prismatic)
      given.S = {number(), number(), number(), number(), number(), number()};
    else if (gives)
      given.m = number(), given.h.z = number(), given.S.zz = number();
    own[i] = own[i] + given;
    if (body.parent == kNone && !plan.free) continue;
    PseudoInertia<Exact>& parent = body.parent == kNone ? base : own[body.parent];
    parent = parent - moved(given, body.R_PB, body.prismatic ? Vec3<Exact>{} : body.p_PB);
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) plan.bodies[i].inertia = own[i];
  plan.base = base;
}

}  // namespace

/// The exact values of a robot's numbers, and of what expressions fold of them while someone listens; and how far these may be rounded.
class ExactNumbers {
 public:
  struct Known {
    Exact exact;
    long double accurate;
    Rounded<double> rounded;
  };
  void know(double number, const Exact& exact) {
    lost_ = lost_ || (number != 0 && exact == Exact(0));
    ambiguous_ = ambiguous_ || (std::fabs(number) <= 1 && number == std::trunc(number) && !(exact == Exact(number)));  // 0 and ±1, which programs leave out
    add(number, {exact, number, Rounded<double>::exact(number)});
  }
  Exact value(double number) const { return known(number).exact; }
  /// Two exact values have the same rounding, so that a program takes one for the other.
  bool ambiguous() const { return ambiguous_; }
  /// A number that is the rounding of zero: no exact robot has this plan's structure.
  bool lost() const { return lost_; }
  /// Whether a number that was folded is the rounding of its exact value.
  bool is_rounding(double number) const {
    const Known it = known(number);
    return std::fabs(it.accurate - static_cast<long double>(number)) <= kSlack * static_cast<long double>(it.rounded.absolute_error());
  }
  void fold(Operation operation, double a, double b, double result) {
    const Known x = known(a), y = known(b);
    switch (operation) {
      case Operation::add: return add(result, {x.exact + y.exact, x.accurate + y.accurate, x.rounded + y.rounded});
      case Operation::multiply: return add(result, {x.exact * y.exact, x.accurate * y.accurate, x.rounded * y.rounded});
      case Operation::divide: return add(result, {x.exact / y.exact, x.accurate / y.accurate, x.rounded / y.rounded});
      case Operation::sine: return add(result, {sincos(x.exact).sin, std::sin(x.accurate), sincos(x.rounded).sin});
      case Operation::cosine: return add(result, {sincos(x.exact).cos, std::cos(x.accurate), sincos(x.rounded).cos});
      default: return;
    }
  }

 private:
  static std::uint64_t key(double number) { return std::bit_cast<std::uint64_t>(std::fabs(number)); }
  static Known opposite(const Known& x) { return {-x.exact, -x.accurate, -x.rounded}; }
  void add(double number, const Known& known) {
    const Known positive = std::signbit(number) ? opposite(known) : known;
    Exact& is = known_.try_emplace(key(number), positive).first->second.exact;
    ambiguous_ = ambiguous_ || !(is == positive.exact);
    if (!positive.exact.is_angle()) return;
    if (!is.is_angle()) is = positive.exact;  // a length of 0.5 m, and an offset of 0.5 rad
    const SinCos<Exact> one = sincos(is), other = sincos(positive.exact);
    ambiguous_ = ambiguous_ || !(one.sin == other.sin && one.cos == other.cos);
  }
  Known known(double number) const {
    const auto at = known_.find(key(number));
    const double size = std::fabs(number);
    const Known positive = at == known_.end() ? Known{exact_angle(size), size, Rounded<double>::exact(size)} : at->second;
    return std::signbit(number) ? opposite(positive) : positive;
  }

  std::unordered_map<std::uint64_t, Known> known_;
  bool ambiguous_ = false, lost_ = false;
};

namespace {
class Listener final : public Folding {
 public:
  explicit Listener(std::span<ExactNumbers> numbers) : numbers_(numbers) {}
  void folded(Operation operation, double a, double b, double result) override {
    for (ExactNumbers& numbers : numbers_) numbers.fold(operation, a, b, result);
  }

 private:
  std::span<ExactNumbers> numbers_;
};

}  // namespace

ExactProgram::ExactProgram(const Program& program, std::span<const Exact> parameters, const std::function<Exact(double)>& constant) : program_(program) {
  values_.assign(program.value_count(), Exact(0));
  std::copy(parameters.begin(), parameters.end(), values_.begin() + static_cast<std::ptrdiff_t>(program.input_count()));
  for (std::size_t k = 0; k < program.constants.size(); ++k) values_[program.first_constant() + k] = constant(program.constants[k]);
  run<Exact>(program_, values_, 0, program.precomputed);
}

std::vector<Exact> ExactProgram::operator()(std::span<const Exact> inputs) {
  std::copy(inputs.begin(), inputs.end(), values_.begin());
  run<Exact>(program_, values_, program_.precomputed, program_.instructions.size());
  std::vector<Exact> out;
  for (const Output& result : program_.results) out.push_back(result.negative ? -values_[result.value] : values_[result.value]);
  return out;
}

/// The robot that a recipe leads from, and the plan that it leads to.
struct Replayed {
  mutable ExactKernels production;
  PlanOf<Exact> plan;
  std::vector<Exact> tau;
};

struct ExactPrograms::Parts {
  Parts(const Model& model, double snap)
      : searches(model), options(dynamics_options(model, snap)), given(searches.bare(snap)), exact(exact_plan(given, model, snap)) {
    find_aligned_axes(exact);
    // The searches are done first: they fold the numbers of plans that are not taken.
    const robot::Programs before(searches, options, false);
    for (const robot::Variant& variant : before.variants) {
      const Plan found = replayed(given, variant.recipe);
      wanted.push_back(exact_of(variant.recipe, found));
      numbers.emplace_back();
      each_number(found, wanted.back(), [&](double x, const Exact& is) { numbers.back().know(x, is); });
    }
    const SearchOptions search{.snap = snap, .rotor = options.rotor};
    std::vector<std::pair<const Searched*, Quantity>> searched;
    for (const Quantity quantity : {Quantity::inverse, Quantity::gravity}) searched.emplace_back(&searches(quantity, search), quantity);
    std::vector<Best> best;
    for (const auto& [found, quantity] : searched) best.push_back(find_best(searches, quantity, search));
    for (std::size_t k = 0; k < best.size(); ++k) {
      Shortest& it = shortest.emplace_back(Shortest{searched[k].second, *searched[k].first, {}, {}, {}, std::move(best[k].program)});
      it.wanted = exact_of(it.search.recipe, it.search.plan);
      each_number(it.search.plan, it.wanted, [&](double x, const Exact& is) { it.numbers.know(x, is); });
      const Listener listener({&it.numbers, 1});
      it.again = written_again(it.search, it.quantity);
    }
    const Listener listener(numbers);
    programs.emplace(searches, options, false);
  }
  static DynamicsOptions dynamics_options(const Model& model, double snap) {
    DynamicsOptions options;
    options.snap = snap;
    options.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis, Quantity::forward, Quantity::mass_inverse};
    if (model.nv() <= kMostDerived) options.quantities.insert(options.quantities.end(), {Quantity::inverse_derivatives, Quantity::forward_derivatives});
    return options;
  }
  /// The program of a search's plan, with all constant folding recorded.
  Program written_again(const Searched& search, Quantity quantity) const {
    Graph graph;
    const PlanOf<Expr> plan = search.plan.cast<Expr>();
    WorkspaceOf<Expr> ws(plan);
    const GraphInputs in(graph, quantity, plan.sizes());
    std::vector<Expr> results(row_of(quantity).size(plan.sizes()));
    EffectsOf<Expr> effects;
    effects.rotor = options.rotor;
    kernel::compute(quantity, plan, ws, in.of(kNone, search.question.method, search.question.form), results.data(), effects);
    const Minimised minimal = minimised(graph, results);
    const OutputOf output{std::string(row_of(quantity).symbol), minimal.results};
    return make_program(*minimal.graph, {&output, 1});
  }
  /// The plan that a recipe leads to: the robot's own numbers where they arrive at its zeros and ones, else the numbers that it has, each by itself.
  PlanOf<Exact> exact_of(const Recipe& recipe, const Plan& found) const {
    std::optional<PlanOf<Exact>> own = exact_replayed(exact, recipe, taken(recipe, given), found);
    if (!own) return exact_plan(found);
    ExactNumbers both;
    each_number(found, *own, [&](double x, const Exact& is) { both.know(x, is); });
    return both.ambiguous() ? exact_plan(found) : *std::move(own);
  }

  /// Goes back from the plan that was found, move by move, to the frames that the search began with, and forward again.
  Replayed replay(Theorems& theorems, const Recipe& recipe, const PlanOf<Exact>& found, const ExactState& state, RandomResidues& random) const;
  void compare(Theorems& theorems, const std::string& name, const char* note, Quantity quantity, const Program& program, std::span<const Exact> parameters,
               std::span<const double> rounded, const ExactNumbers& known, const Replayed& robot, const ExactState& state,
               const std::function<void(const Case&)>& seen) const;

  Searches searches;
  DynamicsOptions options;
  Plan given;
  PlanOf<Exact> exact;                  // the same, by the numbers of the robot's file
  std::vector<PlanOf<Exact>> wanted{};  // of each variant
  std::vector<ExactNumbers> numbers{};  // likewise
  struct Shortest {
    Quantity quantity;
    const Searched& search;
    PlanOf<Exact> wanted;
    ExactNumbers numbers;
    Program again, program;
  };
  std::vector<Shortest> shortest;
  std::optional<robot::Programs> programs;
};

ExactPrograms::ExactPrograms(const Model& model, double snap) : parts_(std::make_unique<Parts>(model, snap)) {}
ExactPrograms::~ExactPrograms() = default;

namespace {

const char* name_of(Reframing::Kind kind) {
  switch (kind) {
    case Reframing::slide_by:
    case Reframing::slide_to_com:
    case Reframing::slide_sxz:
    case Reframing::slide_syz: return "search: origin slid";
    case Reframing::strip_offset: return "search: angle moved to the joint's offset";
    case Reframing::hold_axes: return "search: axes that do not rotate with the joint";
    default: return "search: frame rotated about its axis";
  }
}

}  // namespace

Replayed ExactPrograms::Parts::replay(Theorems& theorems, const Recipe& recipe, const PlanOf<Exact>& found, const ExactState& state,
                                      RandomResidues& random) const {
  const std::vector<TakenStep> steps = taken(recipe, given);
  PlanOf<Exact> robot = recipe.unit == 1 ? found : in_length_unit(found, Exact(residue_of(recipe.unit).inverse()));
  unlump(robot, recipe.choices, random);
  for (std::size_t i = steps.size(); i-- > 0;)
    for (std::size_t j = steps[i].moves.size(); j-- > 0;) apply(robot, steps[i].moves[j], true);
  find_aligned_axes(robot);
  PlanOf<Exact> plain = robot;
  lump<Exact>(plain, std::vector<LumpChoice>(plain.bodies.size()));
  ExactKernels production(std::move(plain));
  const InputsOf<Exact> in = state.inputs();
  const std::vector<Exact> tau = production(Quantity::inverse, in), M = production(Quantity::mass, in);
  const auto same = [&](const std::string& name, const PlanOf<Exact>& plan) {
    ExactKernels moved(plan);
    theorems.equal(name, "torques and M do not change", moved(Quantity::inverse, in), tau);
    theorems.equal(name, "", moved(Quantity::mass, in), M);
  };
  for (const TakenStep& step : steps) {
    for (const FrameMove& move : step.moves) apply(robot, move, false);
    PlanOf<Exact> lumped = robot;
    lump<Exact>(lumped, step.step->choices);
    same(name_of(step.step->kind), lumped);
  }
  lump<Exact>(robot, recipe.choices);
  same("search: parameters moved between links", robot);
  if (recipe.unit != 1) robot = in_length_unit(robot, Exact(residue_of(recipe.unit))), same("search: length unit", robot);
  return {std::move(production), std::move(robot), tau};
}

void ExactPrograms::Parts::compare(Theorems& theorems, const std::string& name, const char* note, Quantity quantity, const Program& program,
                                   std::span<const Exact> parameters, std::span<const double> rounded, const ExactNumbers& known, const Replayed& robot,
                                   const ExactState& state, const std::function<void(const Case&)>& seen) const {
  const QuantityRow& row = row_of(quantity);
  const bool forward = row.takes("tau");
  std::vector<Exact> inputs = state.q;
  if (row.inputs.size() > 1) inputs.insert(inputs.end(), state.v.begin(), state.v.end());
  const std::vector<Exact>& last = forward ? robot.tau : state.a;
  if (row.inputs.size() > 2) inputs.insert(inputs.end(), last.begin(), last.end());
  InputsOf<Exact> in = state.inputs();
  in.last = last.data();
  std::vector<Exact> right;
  try {
    right = quantity == Quantity::forward ? state.a : robot.production(quantity, in);
  } catch (const std::domain_error&) {  // M is singular everywhere
    return;
  }
  const std::function<Exact(double)> constant = [&](double x) { return known.value(x); };
  for (const Program& each : {program, jit::ordered(fused(program))}) {
    std::vector<Exact> got;
    try {
      got = ExactProgram(each, parameters, constant)(inputs);
    } catch (const std::domain_error&) {
      if (forward || quantity == Quantity::mass_inverse) continue;  // likewise
    }
    theorems.equal(name, note, got, right);
    if (seen) seen({name, each, parameters, inputs, right, constant, rounded});
  }
}

namespace {

/// The same equations, independent of names.
bool same_equations(Program a, const Program& b) {
  a.names = b.names;
  return a == b;
}

/// Of what is known before the program runs, whether each number is the rounding of its exact value.
bool fixed_are_roundings(const Program& program, const std::vector<double>& parameters, const ExactNumbers& numbers) {
  const Evaluation table(program, parameters);
  const EvaluationOf<long double> accurate(program, parameters);
  std::vector<Rounded<double>> rounded(program.value_count());
  for (std::size_t k = 0; k < parameters.size(); ++k) rounded[program.input_count() + k] = Rounded<double>::exact(parameters[k]);
  bool all = true;
  for (std::size_t k = 0; k < program.constants.size(); ++k) {
    rounded[program.first_constant() + k] = Rounded<double>::exact(program.constants[k]);
    all = all && numbers.is_rounding(program.constants[k]);
  }
  run<Rounded<double>>(program, rounded, 0, program.precomputed);
  long double largest = 0;
  for (const long double x : accurate.fixed()) largest = std::fmax(largest, std::fabs(x));
  const long double second_order = largest * std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon();
  for (std::size_t k = 0; k < table.fixed().size(); ++k) {
    const auto bound = static_cast<long double>(rounded[program.input_count() + k].absolute_error());
    all = all && std::fabs(accurate.fixed()[k] - static_cast<long double>(table.fixed()[k])) <= kSlack * bound + second_order;
  }
  return all;
}

}  // namespace

void ExactPrograms::decide(Theorems& theorems, std::uint64_t seed, const std::function<void(const Case&)>& seen) {
  Parts& parts = *parts_;
  RandomResidues random(seed);
  const ExactState state(parts.given, random);
  for (std::size_t k = 0; k < parts.programs->variants.size(); ++k) {
    const robot::Variant& variant = parts.programs->variants[k];
    const PlanOf<Exact>& wanted = parts.wanted[k];
    if (parts.numbers[k].lost()) continue;
    const Replayed robot = parts.replay(theorems, variant.recipe, wanted, state, random);
    const std::vector<Exact> values = variant.pattern.values(wanted);
    theorems.equal("search: the recipe replayed", "leads to the numbers of the plan that was found", variant.pattern.values(robot.plan), values);
    if (parts.numbers[k].ambiguous()) continue;
    for (const robot::TaskProgram& task : parts.programs->all) {
      if (task.variant != k) continue;
      parts.compare(theorems, cat("program: ", result_name(task.quantity)), "as found, and fused and ordered for machine code", task.quantity, task.program,
                    values, variant.values, parts.numbers[k], robot, state, seen);
      theorems.fact("constants of programs", "each is the rounding of its exact value, by running error bounds",
                    fixed_are_roundings(task.program, variant.values, parts.numbers[k]));
    }
  }
  for (const Parts::Shortest& shortest : parts.shortest) {
    if (shortest.numbers.ambiguous() || shortest.numbers.lost()) continue;
    const Replayed robot = parts.replay(theorems, shortest.search.recipe, shortest.wanted, state, random);
    const std::string name = cat("shortest program: ", result_name(shortest.quantity));
    parts.compare(theorems, name, "as found, and fused and ordered for machine code", shortest.quantity, shortest.program, {}, {}, shortest.numbers, robot,
                  state, seen);
    theorems.fact(name, "", same_equations(shortest.again, shortest.program));
    theorems.fact("constants of programs", "", fixed_are_roundings(shortest.program, {}, shortest.numbers));
  }
}

}  // namespace ulna::internal
