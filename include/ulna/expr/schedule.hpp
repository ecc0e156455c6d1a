// How far the operations of a program can go side by side: what must wait for what, the longest such chain, and a schedule on P equal units.
//
// The machine is the one of Turney, Mudge & Lee 1980, sec. 6: a unit does one multiplication or one addition in a step, and reads what any other unit
// finished before that step. Moving values about is free.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// Steps that an operation keeps its unit busy. A sine with its cosine is one operation; with 0 steps it is taken as given, as in the paper.
struct StepCosts {
  int multiply = 1;
  int add = 1;  // and subtract
  int divide = 1;
  int sincos = 0;
  friend bool operator==(const StepCosts&, const StepCosts&) = default;
};

/// One thing that one unit does without a break.
struct Task {
  Op op;                                // sine for a sine with its cosine
  int steps;                            // how long it takes
  std::uint32_t instruction;            // of the program
  std::uint32_t cosine = kNoValue;      // the second instruction of a sine with its cosine
  std::array<std::uint32_t, 2> before;  // tasks that must have ended; kNoValue for none
};

/// A longest chain of tasks of which each waits for the one before it.
struct CriticalPath {
  long steps = 0;
  OperationCounts counts;            // of the operations on it
  std::vector<std::uint32_t> tasks;  // first to last
};

/// The operations of a program and what each waits for. What is precomputed is there before the first step.
class TaskGraph {
 public:
  /// Throws std::invalid_argument for fused instructions (make the program with Fuse::no), for operands that are not there yet, and for costs below 1 (sincos:
  /// 0). O(instructions).
  explicit TaskGraph(const Program& program, const StepCosts& costs = {});

  const std::vector<Task>& tasks() const { return tasks_; }  // In the order of the program.
  /// In the order of the program.
  std::span<const std::uint32_t> after(std::size_t task) const;
  /// Steps from the start of a task to the end of the longest chain that begins with it.
  long height(std::size_t task) const { return heights_[task]; }
  /// Steps of one unit that does everything.
  long work() const { return work_; }
  OperationCounts counts() const;
  /// How long it takes with as many units as one likes: no schedule is shorter. Of several longest chains the one with the most multiplications, then
  /// divisions, then the one that begins first in the program, and so on from task to task.
  CriticalPath critical_path() const;
  /// No schedule on this many units is shorter: the critical path, or the work shared out evenly.
  long lower_bound(std::size_t units) const;

 private:
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> after_;        // of all tasks, one after the other
  std::vector<std::uint32_t> first_after_;  // where those of a task begin; one more at the end
  std::vector<long> heights_;
  long work_ = 0;
  long longest_ = 0;
};

struct Placement {  // Where and when a task is done.
  std::size_t unit = kNone;
  long start = -1;  // the step with which the task begins, from 0
  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Schedule {  // All tasks on a number of units.
  std::size_t units = 0;
  long steps = 0;                     // until the last task has ended
  long work = 0;                      // steps of all tasks together
  std::vector<Placement> placements;  // one per task

  /// Part of all unit-steps that was worked; 1 where there is nothing to do.
  double utilisation() const;
  /// Against one unit.
  double speed_up() const;
};

/// List scheduling: whenever a unit is free it takes, of the tasks that may begin, the one with the longest chain behind it; first in the program on a tie,
/// unit of the lowest number. At most (2 - 1/P) times as long as the best schedule (Graham 1969); more units may make it longer. O(tasks log tasks).
Schedule list_schedule(const TaskGraph& graph, std::size_t units);

/// Everything as early as it can be, on as many units as that takes: as long as the critical path. O(tasks log tasks).
Schedule earliest_schedule(const TaskGraph& graph);

/// A number of units with which list_schedule() is as short as the critical path, while with one unit less it is longer. Found by bisection, so it need not be
/// the smallest where more units make a schedule longer. 0 where there is nothing to do.
std::size_t units_for_critical_path(const TaskGraph& graph);

/// Empty when every task is placed once, on a unit that exists and is free, after everything it waits for; else the first thing that is wrong. O(tasks log
/// tasks).
std::string why_invalid(const TaskGraph& graph, const Schedule& schedule);

/// For each task the joint whose link it is about, from 0, when the program is a recursion over links: of the outermost joint whose state it needs (the link on
/// the way out) and the outermost one whose result needs it (the link on the way back) the inner one. For programs with one input and one result per joint, or
/// n x n results. kNone where nothing is needed or served. O(instructions).
std::vector<std::size_t> joints_of_tasks(const Program& program, const TaskGraph& graph);

}  // namespace ULNA_API
