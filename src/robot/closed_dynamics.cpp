#include <ulna/robot/closed_dynamics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "expr/ready.hpp"
#include "jit/kernel.hpp"
#include "jit/order.hpp"
#include "loop/mechanism_parts.hpp"
#include "robot/closed_programs.hpp"

namespace ulna ULNA_API {

namespace {

using Task = ClosedTask;
constexpr const char* kNames[kClosedTasks] = {"close", "inverse", "forward", "mass", "motion", "bias", "gravity", "energy"};

/// A pivot below this part of what it was when the order was chosen is not trusted.
constexpr double kSoundPivot = 0.02;
constexpr double kClosedEnough = 1e-9;

}  // namespace

struct ClosedDynamics::State {
  Mechanism mechanism;
  ClosedOptions options;
  EliminationOrder order;
  std::size_t n, m, rows;
  std::vector<double> sound;  // pivots below these are not
  jit::CodeMemory memory;
  std::array<jit::ConstantTable, kClosedTasks> constants;
  std::array<std::size_t, kClosedTasks> results{};  // of each task, before conditions and pivots
  std::vector<ClosedReport> reports;
  std::size_t most = 0;  // numbers that a task gives

  State(const Mechanism& given, const ClosedOptions& asked)
      : mechanism(given), options(asked), order(elimination_order(given)), n(given.nv()), m(given.mobility()), rows(given.equations()) {
    for (std::size_t k = 0; k < kClosedTasks; ++k) results[k] = closed_results(given, static_cast<Task>(k));
    const std::vector<double> at = run_closed(given, order, Task::step, true, given.reference(), {}, {});
    for (std::size_t k = results[index(Task::step)] + rows; k < at.size(); ++k) sound.push_back(kSoundPivot * std::abs(at[k]));
    for (const std::size_t count : results) most = std::max(most, count + rows + sound.size());
    const InstructionSet set = best_instruction_set(options.most);
    if (set == InstructionSet::none || most > kMostResults) return;
    const jit::Form form{.set = set};
    const std::vector<double> rates = turning_rates(given.parts().plan.tree);
    std::array<jit::Encoded, kClosedTasks> encoded;
    std::array<const jit::Encoded*, kClosedTasks> functions{};
    for (std::size_t k = 0; k < kClosedTasks; ++k) {
      const Task task = static_cast<Task>(k);
      Program program = ready(closed_program(given, order, task, options.rotor), rates, Sine::limited, false);
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
    const std::vector<double> made = run_closed(mechanism, order, task, options.rotor, copy(q, n), copy(u, m), copy(last, m));
    std::copy(made.begin(), made.end(), out);
  }

  void take_steps(double* q, int steps) const noexcept {
    double out[kMostResults];
    for (int k = 0; k < steps; ++k) {
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
    take_steps(q, options.steps);
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

ClosedResult ClosedDynamics::close(double* q) const noexcept { return close(q, state_->options.steps); }
ClosedResult ClosedDynamics::close(double* q, int steps) const noexcept {
  double out[State::kMostResults];
  state_->take_steps(q, steps);
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
ClosedResult ClosedDynamics::bias(double* q, const double* u, double* bias) const noexcept { return state_->call(Task::bias, q, u, nullptr, bias); }
ClosedResult ClosedDynamics::gravity(double* q, double* gravity) const noexcept { return state_->call(Task::gravity, q, nullptr, nullptr, gravity); }
ClosedResult ClosedDynamics::energy(double* q, const double* u, double* energy) const noexcept { return state_->call(Task::energy, q, u, nullptr, energy); }
ClosedResult ClosedDynamics::motion(double* q, const double* u, const double* u_dot, double* v, double* a) const noexcept {
  double out[State::kMostResults];
  const ClosedResult result = state_->call(Task::motion, q, u, u_dot, out);
  const EliminationOrder& order = state_->order;
  for (std::size_t k = 0; k < order.columns.size(); ++k) v[order.columns[k]] = out[k], a[order.columns[k]] = out[order.columns.size() + k];
  for (std::size_t k = 0; k < order.independent.size(); ++k) v[order.independent[k]] = u[k], a[order.independent[k]] = u_dot[k];
  return result;
}

}  // namespace ULNA_API
