#include "robot/dual_derivative.hpp"

#include "dynamics/compute-inl.hpp"

#include "dynamics/guard.hpp"
#include "robot/checks.hpp"
#include "robot/derivative_terms.hpp"
#include "scalar/dual.hpp"
#include "text/message.hpp"

namespace ulna::internal::robot {

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
  if (!plan.quaternions.empty() && by("q") && options.product == Product::second)
    throw std::invalid_argument("second derivatives by q are for robots without quaternions in q: tangents of a free base and of ball joints change with q");
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

/// The quantity on dual numbers: T is a number and its derivative along one direction, or along two.
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
    kernel::compute(task.options.of, loaded, ws, {in.data(), v, last, task.options.link}, out.data(), effects);
  }

  const DerivativeTask& task;
  PlanOf<T> robot, loaded;
  WorkspaceOf<T> ws;
  std::vector<T> in, out;
  std::vector<WrenchOf<T>> wrenches;
  EffectsOf<T> effects;
};

struct DualDerivative::Parts {
  Parts(const DerivativeTask& which, const Plan& given)
      : task(which),
        plan(given),
        at(plan),
        move(task.first_x()),
        along(task.first_x()),
        along_x(task.first_x()),
        once(which.options.product == Product::second ? nullptr : new DualRun<Dual<double>>(task, plan)),
        twice(once != nullptr ? nullptr : new DualRun<Dual<Dual<double>>>(task, plan)) {
    if (twice != nullptr && task.in_tangents()) bent.emplace(plan);
  }

  /// How loops depend on the independent positions here.
  void resolve(const double* numbers) {
    if (!plan.closed() || !task.in_tangents()) return;
    kernel::resolve_loops(plan, at, numbers);
    kernel::dependence(plan, at.closed);
  }
  /// The direction of column k, times `factor`, is added to `to`.
  void add_column(const double* numbers, std::size_t k, double factor, std::vector<double>& to) {
    if (!task.in_tangents()) {
      to[task.first_variable() + k] += factor;
      return;
    }
    if (plan.closed())
      kernel::closed_tangent(plan, at.closed, numbers, k, move.data());
    else
      kernel::tangent(plan, numbers, k, move.data());
    for (std::size_t i = 0; i < task.inputs[0]; ++i) to[i] += factor * move[i];
  }
  /// How the directions of columns change along x: dependent positions are curved functions of the independent ones.
  struct Bent {
    explicit Bent(const Plan& plan) : robot(plan.cast<Dual<double>>()), ws(robot), q(plan.nq), move(plan.nq) {}
    PlanOf<Dual<double>> robot;
    WorkspaceOf<Dual<double>> ws;
    std::vector<Dual<double>> q, move;
  };
  void set_second(const double* numbers, const double* x, std::size_t k) {
    for (std::size_t i = 0; i < along.size(); ++i) twice->in[i] = {{numbers[i], along[i]}, {0.0, 0.0}};
    if (!bent) {
      for (std::size_t j = 0; j < task.columns; ++j) twice->in[task.first_variable() + j].rate.value = x[j];
      return;
    }
    if (k == 0) {
      std::fill(along_x.begin(), along_x.end(), 0.0);
      for (std::size_t j = 0; j < task.columns; ++j) add_column(numbers, j, x[j], along_x);
      for (std::size_t i = 0; i < bent->q.size(); ++i) bent->q[i] = {numbers[i], along_x[i]};
      kernel::resolve_loops(bent->robot, bent->ws, bent->q.data());
      kernel::dependence(bent->robot, bent->ws.closed);
    }
    kernel::closed_tangent(bent->robot, bent->ws.closed, bent->q.data(), k, bent->move.data());
    for (std::size_t i = 0; i < bent->q.size(); ++i) twice->in[i].rate = {along_x[i], bent->move[i].rate};
  }
  void run_once(const double* numbers) {
    for (std::size_t i = 0; i < along.size(); ++i) once->in[i] = {numbers[i], along[i]};
    (*once)();
  }

  const DerivativeTask& task;
  Plan plan;
  Workspace at;  // of loops
  std::vector<double> move, along, along_x;
  std::optional<Bent> bent;
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
  p.resolve(numbers);
  std::fill(p.along.begin(), p.along.end(), 0.0);
  if (task.options.product == Product::times) {
    for (std::size_t k = 0; k < task.columns; ++k) p.add_column(numbers, k, x[k], p.along);
    p.run_once(numbers);
    for (std::size_t i = 0; i < task.rows; ++i) out[i] = p.once->out[i].rate;
  }
  for (std::size_t k = 0; k < task.columns && task.options.product != Product::times; ++k) {
    std::fill(p.along.begin(), p.along.end(), 0.0);
    p.add_column(numbers, k, 1, p.along);
    if (p.twice != nullptr) {
      p.set_second(numbers, x, k);
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

}  // namespace ulna::internal::robot
