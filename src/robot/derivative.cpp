#include <ulna/robot/derivative.hpp>

#include <algorithm>

#include <ulna/expr/program.hpp>
#include "dynamics/compute-inl.hpp"

#include "expr/differentiate.hpp"
#include "expr/ready.hpp"
#include "jit/routine.hpp"
#include "robot/derivative_terms.hpp"
#include "robot/dual_derivative.hpp"
#include "robot/self_check.hpp"
#include "text/message.hpp"
#include "trace/compute_expr.hpp"
#include "trace/friction.hpp"
#include "trace/spread.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

using Numbers = std::vector<Expr>;

/// The variables of differentiation: numbers of the graph, and their rates with each column; no `moves` where column k is number k itself.
struct By {
  Numbers numbers;
  std::vector<Numbers> moves{};

  Numbers along(Graph& graph, const Numbers& outputs, const Numbers& x) const {
    if (moves.empty()) return internal::along(graph, outputs, numbers, x);
    Numbers directions(numbers.size());
    for (std::size_t k = 0; k < moves.size(); ++k)
      for (std::size_t i = 0; i < directions.size(); ++i) directions[i] = directions[i] + moves[k][i] * x[k];
    return internal::along(graph, outputs, numbers, directions);
  }
  Numbers transposed(Graph& graph, const Numbers& outputs, const Numbers& y) const {
    Numbers all = internal::transposed(graph, outputs, numbers, y);
    if (moves.empty()) return all;
    Numbers out(moves.size());
    for (std::size_t k = 0; k < moves.size(); ++k)
      for (std::size_t i = 0; i < all.size(); ++i) out[k] = out[k] + moves[k][i] * all[i];
    return out;
  }
  Numbers matrix(Graph& graph, const Numbers& outputs) const {
    if (moves.empty()) return differentiate(graph, outputs, numbers);
    Numbers J;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const Numbers column = internal::along(graph, outputs, numbers, moves[k]);
      J.insert(J.end(), column.begin(), column.end());
    }
    return J;
  }
};

/// The task's equations. Inputs are its numbers and, where friction enters, the signs of the rates.
Program traced(const robot::DerivativeTask& task, const Model& model) {
  const DerivativeOptions& options = task.options;
  const QuantityRow& row = row_of(options.of);
  const Plan plan = make_plan(model, {.snap = options.snap, .lumping = row.lumps ? Lumping::szz : Lumping::none});
  Graph graph;
  const Numbers all = graph.inputs("x", task.numbers());
  const auto part = [&](std::size_t first, std::size_t count) {
    return Numbers(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  const Numbers q = part(0, task.inputs[0]), v = part(q.size(), task.inputs[1]), last = part(q.size() + v.size(), task.inputs[2]);
  const PlanOf<Expr> robot = plan.cast<Expr>();
  PlanOf<Expr> loaded = robot;
  if (task.parameters > 0) robot::add_parameters(task, robot, &all[task.state()], loaded);
  By by{part(task.first_variable(), task.in_tangents() ? task.inputs[0] : task.columns)};
  if (task.in_tangents()) {
    WorkspaceOf<Expr> at(robot);
    if (plan.closed()) kernel::resolve_loops(robot, at, q.data()), kernel::dependence(robot, at.closed);
    for (std::size_t k = 0; k < task.columns; ++k) {
      Expr* move = by.moves.emplace_back(q.size()).data();
      if (plan.closed())
        kernel::closed_tangent(robot, at.closed, q.data(), k, move);
      else
        kernel::tangent(robot, q.data(), k, move);
    }
  }

  std::vector<WrenchOf<Expr>> wrenches;
  const EffectsOf<Expr> effects = robot::constant_effects(task, false, wrenches);
  WorkspaceOf<Expr> ws(robot);
  Numbers results(task.rows);
  const auto run = [&](const InputsOf<Expr>& in) { kernel::compute(options.of, loaded, ws, in, results.data(), effects); };
  const auto data = [](const Numbers& x) { return x.empty() ? nullptr : x.data(); };
  const InputsOf<Expr> in{data(q), data(v), data(last), options.link};
  if (options.effects.friction && row.influences.friction)
    with_friction(plan, Sides(plan, 2), graph, row, in, results, run);
  else
    run(in);
  const Numbers x = part(task.first_x(), task.first_y() - task.first_x()), y = part(task.first_y(), task.numbers() - task.first_y());
  switch (options.product) {
    case Product::matrix: results = by.matrix(graph, results); break;
    case Product::times: results = by.along(graph, results, x); break;
    case Product::weights: results = by.transposed(graph, results, y); break;
    case Product::second: results = by.along(graph, by.transposed(graph, results, y), x); break;
  }
  const OutputOf output{"d", results};
  return ready(make_program(graph, {&output, 1}), turning_rates(plan), Sine::limited, false);
}

}  // namespace

struct Derivative::Parts {
  Parts(const Model& model, const DerivativeOptions& options) : task(model, options), templates(task, task.plan), numbers(task.numbers()) {}

  /// What friction takes from the rates among `numbers`.
  void take_sides() {
    const double* v = numbers.data() + task.inputs[0];
    for (std::size_t k = 0; k < side.size(); ++k) side[k] = (*sides)(sides->list()[k], v[sides->list()[k].k]);
  }
  void compile(const Model& model);
  double difference(const jit::Trial& trial);

  robot::DerivativeTask task;
  std::optional<Sides> sides;       // of programs with friction
  robot::DualDerivative templates;  // where there is no machine code
  OperationCounts counts;
  jit::Routine routine;
  std::optional<RefusedKernel> refused;
  std::vector<robot::SelfCheck::State> states;  // that it is compared in
  std::vector<double> numbers, side;            // what it is called with
};

void Derivative::Parts::compile(const Model& model) {
  // Signs of dependent rates are not those of inputs, and signs of torques are none: the templates handle them.
  const bool rubs = task.options.effects.friction && row_of(task.options.of).influences.friction;
  if (rubs && (model.closed() || task.plan.loaded)) return;
  if (rubs) sides.emplace(task.plan, 2);
  states = model.closed() ? robot::SelfCheck::closed_states(model, false) : robot::SelfCheck::trial_states(task.plan);
  Program program = traced(task, model);
  counts = program.counts();
  side.resize(program.inputs.size() > 1 ? program.inputs[1].size : 0);
  routine = {
      {to_string(task.options.of), std::move(program)}, best_instruction_set(task.options.most), [this](const auto& trial) { return difference(trial); }};
  for (const jit::Routine::Refused& most : routine.refused()) refused = {task.options.of, task.options.link, 1, most.difference};
  states.clear();
}

/// The machine code against dual numbers through the templates: the largest difference over what rounding explains.
double Derivative::Parts::difference(const jit::Trial& trial) {
  const Plan changed = robot::with_rounded_numbers(task.plan);
  robot::DualDerivative other(task, changed);
  const auto place = [&](std::size_t first, const std::vector<double>& from) {
    std::copy(from.begin(), from.end(), numbers.begin() + static_cast<long>(first));
  };
  std::vector<double> got(task.results());
  double worst = 0;
  std::size_t which = 0;
  for (const robot::SelfCheck::State& state : states) {
    const std::vector<double>* const given[] = {&state.q, &state.v, &state.a};
    std::size_t at = 0;
    for (std::size_t k = 0; k < 3; at += task.inputs[k++])
      if (task.inputs[k] > 0) place(at, *given[k]);
    // Derivatives by masses are taken at the present masses: their increments stay 0.
    if (task.by("payload")) place(task.state(), spread_numbers({1, 0.3, 0.3, 0.3}, ++which, 1));
    place(task.first_x(), spread_numbers(std::vector<double>(task.numbers() - task.first_x(), 1.0), ++which, 1));
    take_sides();
    trial.function(numbers.data(), side.data(), nullptr, got.data(), trial.constants, 1);
    worst = std::fmax(worst, robot::share_of_rounding(templates, other, numbers, got));
  }
  return worst;
}

Derivative::Derivative(const Model& model, const DerivativeOptions& options) : parts_(std::make_unique<Parts>(model, options)) { parts_->compile(model); }
Derivative::~Derivative() = default;
Derivative::Derivative(Derivative&&) noexcept = default;
Derivative& Derivative::operator=(Derivative&&) noexcept = default;

const DerivativeOptions& Derivative::options() const { return parts_->task.options; }
std::size_t Derivative::rows() const { return parts_->task.rows; }
std::size_t Derivative::columns() const { return parts_->task.columns; }
const std::vector<std::string>& Derivative::column_names() const { return parts_->task.names; }
std::size_t Derivative::size() const { return parts_->task.results(); }
const OperationCounts& Derivative::counts() const { return parts_->counts; }
bool Derivative::compiled() const { return parts_->routine.ok(); }
const std::optional<RefusedKernel>& Derivative::refused() const { return parts_->refused; }

void Derivative::operator()(const InputsOf<double>& in, const Vectors& vectors, VectorView<double> out) {
  Parts& p = *parts_;
  const robot::DerivativeTask& task = p.task;
  const auto require = [](const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::invalid_argument(cat("derivative: ", name, " has ", got, " entries, but must have ", wanted));
  };
  require("x", vectors.x.size(), task.multiplied() ? columns() : 0);
  require("y", vectors.y.size(), task.weighted() ? rows() : 0);
  if (vectors.payload.size() != 0) require("payload", vectors.payload.size(), task.by("payload") ? 4 : 0);
  require("the result", out.size(), size());
  double* to = p.numbers.data();
  const double* const states[] = {in.q, in.v, in.last};
  for (std::size_t k = 0; k < 3; ++k) {
    if (states[k] == nullptr)
      std::fill_n(to, task.inputs[k], 0.0);
    else
      std::copy_n(states[k], task.inputs[k], to);
    to += task.inputs[k];
  }
  std::fill_n(to, task.parameters, 0.0);  // derivatives by masses are taken at the present masses
  std::copy_n(vectors.payload.data(), vectors.payload.size(), to);
  to = std::copy_n(vectors.x.data(), vectors.x.size(), to + task.parameters);
  std::copy_n(vectors.y.data(), vectors.y.size(), to);
  if (!p.routine.ok()) return p.templates(p.numbers.data(), out.data());
  p.take_sides();
  p.routine(p.numbers.data(), p.side.data(), nullptr, out.data());
}

}  // namespace ULNA_API
