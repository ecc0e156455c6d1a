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
#include "robot/tamper.hpp"

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
  std::size_t n, m, rows;     // rows: conditions
  std::vector<double> sound;  // pivots below these are not
  jit::CodeMemory memory;
  std::array<jit::ConstantTable, kClosedTasks> constants;
  std::array<std::size_t, kClosedTasks> results{};  // of each task, before conditions and pivots
  std::vector<ClosedReport> reports;
  std::size_t most = 0;  // numbers that a task gives
  bool refused = false;  // machine code gave other numbers than multipliers

  State(const Mechanism& given, const ClosedOptions& asked)
      : mechanism(given), options(asked), order(elimination_order(given)), n(given.nv()), m(given.mobility()), rows(condition_count(given.parts().plan)) {
    for (std::size_t k = 0; k < kClosedTasks; ++k) results[k] = closed_results(given, static_cast<Task>(k));
    const std::vector<double> at = run_closed(given, order, Task::step, true, given.reference(), {}, {});
    for (std::size_t k = results[index(Task::step)] + rows; k < at.size(); ++k) sound.push_back(kSoundPivot * std::abs(at[k]));
    for (const std::size_t count : results) most = std::max(most, count + rows + sound.size());
    const InstructionSet set = best_instruction_set(options.most);
    if (set == InstructionSet::none || most > kMostResults) return;
    const jit::Form form{.set = set};
    const std::vector<double> rates = turning_rates(given.parts().plan);
    std::array<jit::Encoded, kClosedTasks> encoded;
    std::array<const jit::Encoded*, kClosedTasks> functions{};
    for (std::size_t k = 0; k < kClosedTasks; ++k) {
      const Task task = static_cast<Task>(k);
      Program program = ready(closed_program(given, order, task, options.rotor), rates, Sine::limited, false);
      const OperationCounts counts = program.counts();
      if (jit::tamper().closed) jit::tamper().closed(k, program);
      program = jit::ordered(form.has_fma() ? fused(program) : program);
      encoded[k] = jit::encode(program, form);
      if (encoded[k].code.empty()) return;
      constants[k] = jit::ConstantTable(program, form);
      functions[k] = &encoded[k];
      reports.push_back({kNames[k], counts, encoded[k].instructions});
    }
    memory.fill(functions);
    if (memory.ok() && !holds()) refused = true;
  }

  /// Machine code against multipliers in extended precision in a few states; steps of Newton's method, conditions and pivots against the templates in extended
  /// precision.
  bool holds() const {
    constexpr unsigned kStates = 2;
    constexpr double kOpen = 1e-4;
    for (unsigned seed = 1; seed <= kStates; ++seed)
      for (std::size_t k = 0; k < kClosedTasks; ++k) {
        const Task task = static_cast<Task>(k);
        ClosedSample s = closed_sample(mechanism, task == Task::step ? Task::gravity : task, options.rotor, seed);
        if (task == Task::step)
          for (const std::size_t i : order.columns) s.q[i] += kOpen;
        std::vector<double> out(results[k] + rows + sound.size());
        run(task, s.q.data(), s.u.data(), s.last.data(), out.data());
        const std::vector<long double> plain = run_closed_extended(mechanism, order, Task::step, options.rotor, s.q, {}, {});
        const auto near = [](double got, long double expected, double scale) {
          return std::abs(got - static_cast<double>(expected)) <= kClosedAllowed * scale;
        };
        for (std::size_t i = 0; i < results[k]; ++i)
          if (!(task == Task::step ? near(out[i], plain[i], kOpen) : near(out[i], s.expected[i], s.scale))) return false;
        for (std::size_t i = 0; i < rows + sound.size(); ++i) {
          const long double expected = plain[results[index(Task::step)] + i];
          if (!near(out[results[k] + i], expected, i < rows ? kOpen : sound[i - rows])) return false;
        }
      }
    return true;
  }

  static constexpr std::size_t kMostResults = 1024;

  void run(Task task, const double* q, const double* u, const double* last, double* out) const noexcept {
    if (compiled()) {
      memory.function(index(task))(q, u, last, out, constants[index(task)].bytes(), 1);
      return;
    }
    const auto copy = [](const double* x, std::size_t size) { return x == nullptr ? std::vector<double>{} : std::vector<double>(x, x + size); };
    const std::vector<double> made = run_closed(mechanism, order, task, options.rotor, copy(q, n), copy(u, m), copy(last, m));
    std::copy(made.begin(), made.end(), out);
  }

  bool compiled() const { return memory.ok() && !refused; }

  /// Of the determinant: 1 or -1.
  int sign(const double* pivots) const noexcept {
    int sign = 1;
    for (std::size_t k = 0; k < sound.size(); ++k) sign = pivots[k] < 0 ? -sign : sign;
    return sign;
  }

  /// The sign of the determinant before the first step; 0 without any.
  int take_steps(double* q, int steps) const noexcept {
    double out[kMostResults];
    int before = 0;
    for (int k = 0; k < steps; ++k) {
      run(Task::step, q, nullptr, nullptr, out);
      if (k == 0) before = sign(out + results[index(Task::step)] + rows);
      for (std::size_t i = 0; i < order.columns.size(); ++i) q[order.columns[i]] = out[i];
    }
    return before;
  }

  ClosedResult check(const double* conditions, int before) const noexcept {
    ClosedResult result;
    bool sound_pivots = true;
    for (std::size_t k = 0; k < rows; ++k) result.residual = std::max(std::abs(conditions[k]), result.residual);
    for (std::size_t k = 0; k < rows; ++k)
      if (std::isnan(conditions[k])) result.residual = conditions[k];
    for (std::size_t k = 0; k < sound.size(); ++k) sound_pivots = sound_pivots && std::abs(conditions[rows + k]) > sound[k];
    result.side = sign(conditions + rows);
    result.sure = sound_pivots && result.residual <= kClosedEnough && (before == 0 || before == result.side);
    return result;
  }

  ClosedResult call(Task task, double* q, const double* u, const double* last, double* result) const noexcept {
    double out[kMostResults];
    const int before = take_steps(q, options.steps);
    run(task, q, u, last, out);
    std::copy(out, out + results[index(task)], result);
    return check(out + results[index(task)], before);
  }
};

ClosedDynamics::ClosedDynamics(const Mechanism& mechanism, const ClosedOptions& options) : state_(std::make_shared<const State>(mechanism, options)) {
  if (state_->most > State::kMostResults) throw std::invalid_argument("the robot has more loops than ClosedDynamics takes: use Mechanism");
}

const Mechanism& ClosedDynamics::mechanism() const { return state_->mechanism; }
bool ClosedDynamics::compiled() const { return state_->compiled(); }
const std::vector<ClosedReport>& ClosedDynamics::reports() const { return state_->reports; }

ClosedResult ClosedDynamics::close(double* q) const noexcept { return close(q, state_->options.steps); }
ClosedResult ClosedDynamics::close(double* q, int steps) const noexcept {
  double out[State::kMostResults];
  const int before = state_->take_steps(q, steps);
  state_->run(Task::step, q, nullptr, nullptr, out);
  return state_->check(out + state_->results[index(Task::step)], before);
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
  for (std::size_t k = 0; k < order.independent.size(); ++k)
    v[order.independent[k]] = u[k] + 0 * result.residual, a[order.independent[k]] = u_dot[k] + 0 * result.residual;
  return result;
}

}  // namespace ULNA_API
