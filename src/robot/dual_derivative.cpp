#include "robot/dual_derivative.hpp"

#include <cmath>
#include <stdexcept>

#include <ulna/dynamics/closed_derivatives-inl.hpp>
#include <ulna/dynamics/compute-inl.hpp>

#include <ulna/scalar/dual.hpp>
#include "dynamics/guard.hpp"
#include "robot/checks.hpp"
#include "robot/derivative_terms.hpp"
#include "text/names.hpp"

namespace ulna::internal::jit {

DerivativeTask::DerivativeTask(const Model& model, const DerivativeOptions& wanted)
    : options(wanted),
      wrenches(wanted.effects.wrenches.begin(), wanted.effects.wrenches.end()),
      plan(make_plan(model, {.snap = wanted.snap, .lumping = Lumping::none})) {
  options.effects.wrenches = wrenches;
  const QuantityRow& row = row_of(options.of);
  const Sizes sizes = plan.sizes();
  rows = row.size(sizes);
  for (std::size_t k = 0; k < row.inputs.size(); ++k) inputs[k] = row.input_size(k, sizes);
  if (!by("masses") && !by("payload") && !row.takes(options.by)) {
    std::vector<std::string> known{"masses", "payload"};
    for (const std::string_view input : row.inputs) known.emplace_back(input);
    throw std::invalid_argument(
        cat(there_is_no("derivative of the " + std::string(row.title) + " by", options.by, known), "; there are ", listed(known, "and")));
  }
  if ((row.of_link || by("payload")) && options.link >= model.links().size())
    throw std::invalid_argument(cat("derivatives of the ", row.title, " by ", options.by, " need a link: give one of the ", model.links().size()));
  if (in_tangents() && options.product == Product::second)
    throw std::invalid_argument("second derivatives by q are for bases that do not turn freely, and without loops: their tangents change with q");
  struct Robot {
    const Model& model;
    const Plan& plan;
  };
  const Checks check(Robot{model, plan});
  for (const Wrench& wrench : wrenches) check.link(wrench.link);
  check.no_prescribed_base(options.effects);
  if (by("payload")) {
    names = {"payload.mass", "payload.x", "payload.y", "payload.z"};
  } else if (by("masses")) {
    for (std::size_t k = 0; k < plan.bodies.size(); ++k)
      if (const std::size_t link = plan.bodies[k].link; link != kNone) bodies.push_back(k), names.push_back("mass." + model.links()[link].name);
  } else {
    names = model.velocity_names();
  }
  columns = names.size();
  parameters = by("payload") || by("masses") ? columns : 0;
}

/// The quantity on numbers that move: T is a number and its derivative along one direction, or along two.
template <class T>
struct DualRun {
  DualRun(const DerivativeTask& which, const Plan& plan)
      : task(which),
        robot(plan.cast<T>()),
        loaded(robot),
        ws(robot),
        in(task.first_x()),
        out(task.rows),
        effects(constant_effects(task, task.options.effects.friction, wrenches)) {}

  void operator()() {
    if (task.parameters > 0) add_parameters(task, robot, in.data() + task.state(), loaded);
    const auto part = [&](std::size_t k, std::size_t first) { return task.inputs[k] == 0 ? nullptr : in.data() + first; };
    const T *v = part(1, task.inputs[0]), *last = part(2, task.inputs[0] + task.inputs[1]);
    const InputsOf<T> state{in.data(), v, last, task.options.link};
    if (loaded.closed())
      kernel::compute_closed(task.options.of, loaded, ws, state, out.data(), effects, 0);
    else
      kernel::compute(task.options.of, loaded, ws, state, out.data(), effects);
  }

  const DerivativeTask& task;
  PlanOf<T> robot, loaded;
  WorkspaceOf<T> ws;
  std::vector<T> in, out;
  std::vector<WrenchOf<T>> wrenches;
  EffectsOf<T> effects;
};

struct DualDerivative::Parts {
  Parts(const DerivativeTask& which, const Plan& plan)
      : task(which),
        robot(plan),
        at(plan),
        move(task.first_x()),
        along(task.first_x()),
        once(which.options.product == Product::second ? nullptr : new DualRun<Dual<double>>(task, plan)),
        twice(once != nullptr ? nullptr : new DualRun<Dual<Dual<double>>>(task, plan)) {}

  /// The direction of column k, times `factor`, is added to `to`.
  void add_column(const double* numbers, std::size_t k, double factor, std::vector<double>& to) {
    if (!task.in_tangents()) {
      to[task.first_variable() + k] += factor;
      return;
    }
    if (robot.closed())
      kernel::closed_tangent(robot, at.closed, numbers, k, move.data());
    else
      kernel::tangent(numbers, task.inputs[0], k, move.data());
    for (std::size_t i = 0; i < task.inputs[0]; ++i) to[i] += factor * move[i];
  }
  void run_once(const double* numbers) {
    for (std::size_t i = 0; i < along.size(); ++i) once->in[i] = {numbers[i], along[i]};
    (*once)();
  }

  const DerivativeTask& task;
  Plan robot;
  Workspace at;  // of loops: how positions follow
  std::vector<double> move, along;
  std::unique_ptr<DualRun<Dual<double>>> once;
  std::unique_ptr<DualRun<Dual<Dual<double>>>> twice;
};

DualDerivative::DualDerivative(const DerivativeTask& task, const Plan& plan) : parts_(std::make_unique<Parts>(task, plan)) {}
DualDerivative::~DualDerivative() = default;
DualDerivative::DualDerivative(DualDerivative&&) noexcept = default;

double DualDerivative::largest() const {
  double most = 0;
  for (std::size_t i = 0; i < parts_->task.rows; ++i)
    most = std::fmax(most, std::fabs(parts_->twice != nullptr ? parts_->twice->out[i].value.value : parts_->once->out[i].value));
  return most;
}

void DualDerivative::operator()(const double* numbers, double* out) {
  Parts& p = *parts_;
  const DerivativeTask& task = p.task;
  const double *x = numbers + task.first_x(), *y = numbers + task.first_y();
  std::fill(p.along.begin(), p.along.end(), 0.0);
  if (task.in_tangents() && p.robot.closed()) kernel::resolve_loops(p.robot, p.at, numbers), kernel::dependence(p.robot, p.at.closed);
  if (task.options.product == Product::times) {
    for (std::size_t k = 0; k < task.columns; ++k) p.add_column(numbers, k, x[k], p.along);
    p.run_once(numbers);
    for (std::size_t i = 0; i < task.rows; ++i) out[i] = p.once->out[i].rate;
  }
  for (std::size_t k = 0; k < task.columns && task.options.product != Product::times; ++k) {
    std::fill(p.along.begin(), p.along.end(), 0.0);
    p.add_column(numbers, k, 1, p.along);
    if (p.twice != nullptr) {
      for (std::size_t i = 0; i < p.along.size(); ++i) p.twice->in[i] = {{numbers[i], p.along[i]}, {0.0, 0.0}};
      for (std::size_t j = 0; j < task.columns; ++j) p.twice->in[task.first_variable() + j].rate.value = x[j];
      (*p.twice)();
    } else {
      p.run_once(numbers);
    }
    if (task.weighted()) out[k] = 0;
    for (std::size_t i = 0; i < task.rows; ++i) {
      const double rate = p.twice != nullptr ? p.twice->out[i].rate.rate : p.once->out[i].rate;
      if (task.weighted())
        out[k] += y[i] * rate;
      else
        out[i + k * task.rows] = rate;
    }
  }
  const auto part = [&](std::size_t k, std::size_t first) { return task.inputs[k] == 0 ? nullptr : numbers + first; };
  Guard<double> guard(task.plan, numbers, part(1, task.inputs[0]), part(2, task.inputs[0] + task.inputs[1]));
  guard.take(std::span<const double>(numbers + task.state(), task.numbers() - task.state()));
  guard.take(task.options.effects.base), guard.take(std::span<const Wrench>(task.wrenches));
  guard.over(out, task.results());
}

}  // namespace ulna::internal::jit
