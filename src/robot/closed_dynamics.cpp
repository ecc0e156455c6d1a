#include <ulna/robot/closed_dynamics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "expr/ready.hpp"
#include "jit/routine.hpp"
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
  std::size_t n, m, rows;     // rows: conditions
  std::vector<double> sound;  // pivots below these are not
  std::array<jit::Routine, kClosedTasks> routines;
  std::array<std::size_t, kClosedTasks> results{};  // of each task, before conditions and pivots
  std::vector<ClosedReport> reports;
  std::size_t most = 0;   // numbers that a task gives
  bool compiled = false;  // every task

  State(const Mechanism& given, const ClosedOptions& asked)
      : mechanism(given), options(asked), order(elimination_order(given)), n(given.nv()), m(given.mobility()), rows(condition_count(given.parts().plan)) {
    for (std::size_t k = 0; k < kClosedTasks; ++k) results[k] = closed_results(given, static_cast<Task>(k));
    const std::vector<double> at = run_closed(given, order, Task::step, true, given.reference(), {}, {});
    for (std::size_t k = results[index(Task::step)] + rows; k < at.size(); ++k) sound.push_back(kSoundPivot * std::abs(at[k]));
    for (const std::size_t count : results) most = std::max(most, count + rows + sound.size());
    const InstructionSet set = best_instruction_set(options.most);
    if (set == InstructionSet::none || most > kMostResults) return;
    const std::vector<double> rates = turning_rates(given.parts().plan);
    std::vector<jit::Source> sources;
    std::vector<OperationCounts> counts;
    for (std::size_t k = 0; k < kClosedTasks; ++k) {
      sources.push_back({kNames[k], ready(closed_program(given, order, static_cast<Task>(k), options.rotor), rates, Sine::limited, false)});
      counts.push_back(sources.back().program.counts());
    }
    const auto code = std::make_shared<const jit::RoutineCode>(std::move(sources), set, false, jit::States::one);
    for (const jit::Made& made : code->made()) reports.push_back({kNames[made.source], counts[made.source], made.instructions});
    for (std::size_t k = 0; k < kClosedTasks; ++k)
      routines[k] = {code, k, {}, [&](const jit::Trial& trial) { return difference(static_cast<Task>(k), trial); }};
    compiled = std::all_of(routines.begin(), routines.end(), [](const jit::Routine& routine) { return routine.ok(); });
  }

  /// Machine code against multipliers in extended precision in a few states; steps of Newton's method, conditions and pivots against the templates in extended
  /// precision. The largest difference over what is allowed.
  double difference(Task task, const jit::Trial& trial) const {
    constexpr unsigned kStates = 2;
    constexpr double kOpen = 1e-4;
    const std::size_t count = results[index(task)];
    double worst = 0;
    for (unsigned seed = 1; seed <= kStates; ++seed) {
      ClosedSample s = closed_sample(mechanism, task == Task::step ? Task::gravity : task, options.rotor, seed);
      if (task == Task::step)
        for (const std::size_t i : order.columns) s.q[i] += kOpen;
      std::vector<double> out(count + rows + sound.size());
      trial.function(s.q.data(), s.u.data(), s.last.data(), out.data(), trial.constants, 1);
      const std::vector<long double> plain = run_closed_extended(mechanism, order, Task::step, options.rotor, s.q, {}, {});
      const auto note = [&](double got, long double expected, double scale) {
        const double off = std::abs(got - static_cast<double>(expected));
        worst = std::isnan(off) ? HUGE_VAL : std::max(worst, off == 0 ? 0 : off / (kClosedAllowed * scale));
      };
      for (std::size_t i = 0; i < count; ++i) task == Task::step ? note(out[i], plain[i], kOpen) : note(out[i], s.expected[i], s.scale);
      for (std::size_t i = 0; i < rows + sound.size(); ++i) note(out[count + i], plain[results[index(Task::step)] + i], i < rows ? kOpen : sound[i - rows]);
    }
    return worst;
  }

  static constexpr std::size_t kMostResults = 1024;

  void run(Task task, const double* q, const double* u, const double* last, double* out) const noexcept {
    if (compiled) {
      routines[index(task)](q, u, last, out);
      return;
    }
    const auto copy = [](const double* x, std::size_t size) { return x == nullptr ? std::vector<double>{} : std::vector<double>(x, x + size); };
    const std::vector<double> made = run_closed(mechanism, order, task, options.rotor, copy(q, n), copy(u, m), copy(last, m));
    std::copy(made.begin(), made.end(), out);
  }

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
bool ClosedDynamics::compiled() const { return state_->compiled; }
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
