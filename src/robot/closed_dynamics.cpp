#include <ulna/robot/closed_dynamics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "expr/ready.hpp"
#include "jit/kernel.hpp"
#include "jit/order.hpp"
#include "loop/closed_kernels.hpp"
#include "loop/mechanism_parts.hpp"

namespace ulna ULNA_API {

namespace {

enum class Task : std::size_t { step, inverse, forward, mass };
constexpr std::size_t index(Task task) { return static_cast<std::size_t>(task); }
constexpr std::size_t kTasks = 4;
constexpr const char* kNames[kTasks] = {"close", "inverse", "forward", "mass"};

/// A pivot below this part of what it was when the order was chosen is not trusted.
constexpr double kSoundPivot = 0.02;
constexpr double kClosedEnough = 1e-9;

/// What a task gives, one after the other: its results, all conditions, pivots.
template <class P, class T>
std::vector<T> compute_task(Task task, const LoopPlanOf<P>& plan, const EliminationOrder& order, bool rotor, const std::vector<T>& q, const std::vector<T>& u,
                            const std::vector<T>& last) {
  ClosedKernels<P, T> kernels(plan, order, q);
  std::vector<T> out;
  const auto append = [&](const std::vector<T>& more) { out.insert(out.end(), more.begin(), more.end()); };
  switch (task) {
    case Task::step: append(kernels.step()); break;
    case Task::inverse: {
      const std::vector<T> v = kernels.velocities(u);
      append(kernels.torques(v, kernels.accelerations(v, last), rotor));
      break;
    }
    case Task::forward: {
      const std::vector<T> v = kernels.velocities(u), none(u.size(), T(0));
      std::vector<T> right = kernels.torques(v, kernels.accelerations(v, none), rotor);
      for (std::size_t k = 0; k < right.size(); ++k) right[k] = last[k] - right[k];
      append(ClosedKernels<P, T>::solve_symmetric(kernels.mass(rotor), right));
      break;
    }
    case Task::mass: append(kernels.mass(rotor)); break;
  }
  append(kernels.conditions());
  append(kernels.pivots());
  return out;
}

/// Largest pivots first, at the reference assembly.
EliminationOrder order_of(const Mechanism::Parts& parts) {
  LoopState state(parts.plan);
  state.at(parts.plan, parts.reference.data());
  Matrix<double> J = state.J;
  std::vector<std::size_t> rows = parts.rows, columns = parts.dependent;
  EliminationOrder order{{}, {}, parts.independent};
  while (!rows.empty()) {
    std::size_t row = rows.front(), column = columns.front();
    for (const std::size_t i : rows)
      for (const std::size_t k : columns)
        if (std::abs(J(i, k)) > std::abs(J(row, column))) row = i, column = k;
    order.rows.push_back(row), order.columns.push_back(column);
    std::erase(rows, row), std::erase(columns, column);
    for (const std::size_t i : rows) {
      const double factor = J(i, column) / J(row, column);
      for (std::size_t k = 0; k < J.cols; ++k) J(i, k) -= factor * J(row, k);
    }
  }
  return order;
}

}  // namespace

struct ClosedDynamics::State {
  Mechanism mechanism;
  ClosedOptions options;
  EliminationOrder order;
  std::size_t n, m, rows;
  std::vector<double> sound;  // pivots below these are not
  jit::CodeMemory memory;
  std::array<jit::ConstantTable, kTasks> constants;
  std::array<std::size_t, kTasks> results{};  // of each task, before conditions and pivots
  std::vector<ClosedReport> reports;
  std::size_t most = 0;  // numbers that a task gives

  State(const Mechanism& given, const ClosedOptions& asked)
      : mechanism(given),
        options(asked),
        order(order_of(given.parts())),
        n(given.nv()),
        m(given.mobility()),
        rows(given.equations()),
        results{given.dependent().size(), given.mobility(), given.mobility(), given.mobility() * given.mobility()} {
    const Mechanism::Parts& parts = given.parts();
    const std::vector<double> at = compute_task<double, double>(Task::step, parts.plan, order, true, parts.reference, {}, {});
    for (std::size_t k = results[index(Task::step)] + rows; k < at.size(); ++k) sound.push_back(kSoundPivot * std::abs(at[k]));
    for (const std::size_t count : results) most = std::max(most, count + rows + sound.size());
    const InstructionSet set = std::min(best_instruction_set(), options.most);
    if (set == InstructionSet::none || most > kMostResults) return;
    const jit::Form form{.set = set};
    const std::vector<double> rates = turning_rates(parts.plan.tree);
    std::array<jit::Encoded, kTasks> encoded;
    std::array<const jit::Encoded*, kTasks> functions{};
    for (std::size_t k = 0; k < kTasks; ++k) {
      const Task task = static_cast<Task>(k);
      Graph graph;
      const std::vector<Expr> q = graph.inputs("q", n);
      const std::vector<Expr> u = task == Task::inverse || task == Task::forward ? graph.inputs("u", m) : std::vector<Expr>{};
      const std::vector<Expr> last = task == Task::inverse || task == Task::forward ? graph.inputs(task == Task::inverse ? "u_dot" : "tau", m) : std::vector<Expr>{};
      const std::vector<Expr> out = compute_task<double, Expr>(task, parts.plan, order, options.rotor, q, u, last);
      const OutputOf output{"out", out};
      Program program = ready(make_program(graph, {&output, 1}), rates, Sine::limited, false);
      const OperationCounts counts = program.counts();
      program = jit::ordered(form.has_fma() ? fused(program) : program);
      encoded[k] = jit::encode(program, form);
      if (encoded[k].code.empty()) return;
      constants[k] = jit::ConstantTable(program, form);
      functions[k] = &encoded[k];
      reports.push_back({kNames[k], counts, encoded[k].instructions});
    }
    memory.fill(functions);
  }

  static constexpr std::size_t kMostResults = 1024;

  void run(Task task, const double* q, const double* u, const double* last, double* out) const noexcept {
    if (memory.ok()) {
      memory.function(index(task))(q, u, last, out, constants[index(task)].bytes(), 1);
      return;
    }
    const auto copy = [](const double* x, std::size_t size) { return x == nullptr ? std::vector<double>{} : std::vector<double>(x, x + size); };
    const std::vector<double> made =
        compute_task<double, double>(task, mechanism.parts().plan, order, options.rotor, copy(q, n), copy(u, m), copy(last, m));
    std::copy(made.begin(), made.end(), out);
  }

  void take_steps(double* q) const noexcept {
    double out[kMostResults];
    for (int k = 0; k < options.steps; ++k) {
      run(Task::step, q, nullptr, nullptr, out);
      for (std::size_t i = 0; i < order.columns.size(); ++i) q[order.columns[i]] = out[i];
    }
  }

  ClosedResult look(const double* conditions) const noexcept {
    ClosedResult result;
    bool sound_pivots = true;
    for (std::size_t k = 0; k < rows; ++k) result.residual = std::max(std::abs(conditions[k]), result.residual);
    for (std::size_t k = 0; k < rows; ++k)
      if (std::isnan(conditions[k])) result.residual = conditions[k];
    for (std::size_t k = 0; k < sound.size(); ++k) sound_pivots = sound_pivots && std::abs(conditions[rows + k]) > sound[k];
    result.sure = sound_pivots && result.residual <= kClosedEnough;
    return result;
  }

  ClosedResult call(Task task, double* q, const double* u, const double* last, double* result) const noexcept {
    double out[kMostResults];
    take_steps(q);
    run(task, q, u, last, out);
    std::copy(out, out + results[index(task)], result);
    return look(out + results[index(task)]);
  }
};

ClosedDynamics::ClosedDynamics(const Mechanism& mechanism, const ClosedOptions& options) : state_(std::make_shared<const State>(mechanism, options)) {
  if (state_->most > State::kMostResults) throw std::invalid_argument("the robot has more loops than ClosedDynamics takes: use Mechanism");
}

const Mechanism& ClosedDynamics::mechanism() const { return state_->mechanism; }
bool ClosedDynamics::compiled() const { return state_->memory.ok(); }
const std::vector<ClosedReport>& ClosedDynamics::reports() const { return state_->reports; }

ClosedResult ClosedDynamics::close(double* q) const noexcept {
  double out[State::kMostResults];
  state_->take_steps(q);
  state_->run(Task::step, q, nullptr, nullptr, out);
  return state_->look(out + state_->results[index(Task::step)]);
}
ClosedResult ClosedDynamics::inverse(double* q, const double* u, const double* u_dot, double* tau) const noexcept {
  return state_->call(Task::inverse, q, u, u_dot, tau);
}
ClosedResult ClosedDynamics::forward(double* q, const double* u, const double* tau, double* u_dot) const noexcept {
  return state_->call(Task::forward, q, u, tau, u_dot);
}
ClosedResult ClosedDynamics::mass(double* q, double* M) const noexcept { return state_->call(Task::mass, q, nullptr, nullptr, M); }

}  // namespace ULNA_API
