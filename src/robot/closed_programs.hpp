// What is computed of a closed robot, as straight lines of operations: for machine code, and for generated code.
#pragma once

#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/loop/mechanism.hpp>

#include "loop/closed_kernels.hpp"
#include "loop/mechanism_parts.hpp"

namespace ulna::internal {

/// `motion`: speeds of the dependent coordinates, then their accelerations. `energy`: kinetic, potential.
enum class ClosedTask : std::size_t { step, inverse, forward, mass, motion, bias, gravity, energy };
inline constexpr std::size_t kClosedTasks = 8;
constexpr std::size_t index(ClosedTask task) { return static_cast<std::size_t>(task); }

constexpr bool takes_speeds(ClosedTask task) { return task != ClosedTask::step && task != ClosedTask::mass && task != ClosedTask::gravity; }
/// u_dot, or tau.
constexpr bool takes_last(ClosedTask task) { return task == ClosedTask::inverse || task == ClosedTask::forward || task == ClosedTask::motion; }

/// Numbers of a task's result; conditions (condition_count() of them) and pivots follow it.
std::size_t closed_results(const Mechanism& robot, ClosedTask task);

/// On numbers: result, conditions, pivots. `u` and `last` (u_dot or tau) are empty where a task takes none.
std::vector<double> run_closed(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor, const std::vector<double>& q,
                               const std::vector<double>& u, const std::vector<double>& last);

/// The same in extended precision.
std::vector<long double> run_closed_extended(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor, const std::vector<double>& q,
                                             const std::vector<double>& u, const std::vector<double>& last);

/// A closed state near the reference assembly, and the result of a task there by multipliers in extended precision (verify/multipliers.hpp), without the
/// elimination that programs have. `task` is not step, which multipliers do not compute.
struct ClosedSample {
  std::vector<double> q, u, last;
  std::vector<long double> expected;
  double scale = 1;  // of the largest torque that enters, or of the largest result
};
ClosedSample closed_sample(const Mechanism& robot, ClosedTask task, bool rotor, unsigned seed);
/// What of `scale` a result may differ from it by.
inline constexpr double kClosedAllowed = 1e-9;

/// As a program of inputs q, u, and u_dot or tau; ready() is up to the caller.
Program closed_program(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor);

}  // namespace ulna::internal
