#include <ulna/expr/schedule.hpp>

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

void check(const StepCosts& costs) {
  const auto refuse = [](const char* what, int steps, int least) {
    if (steps < least) throw std::invalid_argument(cat("a ", what, " cannot take ", steps, " steps; at least ", least));
  };
  refuse("multiplication", costs.multiply, 1);
  refuse("addition", costs.add, 1);
  refuse("division", costs.divide, 1);
  refuse("sine with its cosine", costs.sincos, 0);
}

void add_to(OperationCounts& counts, Op op) {
  switch (op) {
    case Op::multiply: ++counts.mul; break;
    case Op::divide: ++counts.div; break;
    case Op::sine:
    case Op::cosine: ++counts.sincos; break;
    default: ++counts.add; break;
  }
}

/// Keys compare by time first, then by the order of the program.
using Event = std::pair<long, std::uint32_t>;
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

}  // namespace

TaskGraph::TaskGraph(const Program& program, const StepCosts& costs) {
  check(costs);
  const std::size_t first = program.first_instruction();
  std::vector<std::uint32_t> made_by(program.value_count(), kNoValue);  // the task that a value waits for
  std::vector<std::uint32_t> sincos_of(made_by.size(), kNoValue);       // of an angle: its task
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    const std::size_t value = first + i;
    if (step.op >= Op::multiply_add)
      throw std::invalid_argument(cat("instruction ", i, " is fused; a schedule is of single multiplications and additions: make the program with Fuse::no"));
    const bool trigonometric = step.op == Op::sine || step.op == Op::cosine;
    const auto waits_for = [&](std::uint32_t operand) {
      if (operand >= value) throw std::invalid_argument(cat("instruction ", i, " uses value ", operand, ", but only 0 to ", value - 1, " are there by then"));
      return made_by[operand];
    };
    const std::uint32_t a = waits_for(step.a);
    const std::uint32_t b = trigonometric ? kNoValue : waits_for(step.b);
    if (i < program.precomputed) continue;
    const int steps = trigonometric ? costs.sincos : step.op == Op::multiply ? costs.multiply : step.op == Op::divide ? costs.divide : costs.add;
    if (trigonometric && steps == 0) {  // there as soon as its angle is
      made_by[value] = a;
      continue;
    }
    const auto number = static_cast<std::uint32_t>(tasks_.size());
    if (trigonometric) {
      std::uint32_t& task = sincos_of[step.a];
      if (task != kNoValue) {
        tasks_[task].cosine = static_cast<std::uint32_t>(i);
        made_by[value] = task;
        continue;
      }
      task = number;
    }
    made_by[value] = number;
    tasks_.push_back({trigonometric ? Op::sine : step.op, steps, static_cast<std::uint32_t>(i), kNoValue, {a, a == b ? kNoValue : b}});
    work_ += steps;
  }

  first_after_.assign(tasks_.size() + 1, 0);
  for (const Task& task : tasks_)
    for (const std::uint32_t before : task.before)
      if (before != kNoValue) ++first_after_[before + 1];
  for (std::size_t k = 0; k < tasks_.size(); ++k) first_after_[k + 1] += first_after_[k];
  after_.resize(first_after_.back());
  std::vector<std::uint32_t> next(first_after_.begin(), first_after_.end() - 1);
  for (std::size_t k = 0; k < tasks_.size(); ++k)
    for (const std::uint32_t before : tasks_[k].before)
      if (before != kNoValue) after_[next[before]++] = static_cast<std::uint32_t>(k);

  heights_.assign(tasks_.size(), 0);
  for (std::size_t k = tasks_.size(); k-- > 0;) {
    for (const std::uint32_t later : after(k)) heights_[k] = std::max(heights_[k], heights_[later]);
    heights_[k] += tasks_[k].steps;
    longest_ = std::max(longest_, heights_[k]);
  }
}

std::span<const std::uint32_t> TaskGraph::after(std::size_t task) const {
  return std::span(after_).subspan(first_after_[task], first_after_[task + 1] - first_after_[task]);
}

OperationCounts TaskGraph::counts() const {
  OperationCounts counts;
  for (const Task& task : tasks_) add_to(counts, task.op);
  return counts;
}

CriticalPath TaskGraph::critical_path() const {
  // Of the chains that begin with a task: length, multiplications, divisions of the best one, and the task that follows in it.
  using Length = std::tuple<long, long, long>;
  std::vector<Length> best(tasks_.size());
  std::vector<std::uint32_t> next(tasks_.size(), kNoValue);
  std::uint32_t start = kNoValue;
  for (std::size_t k = tasks_.size(); k-- > 0;) {
    Length behind{0, 0, 0};
    for (const std::uint32_t later : after(k)) {
      if (next[k] != kNoValue && !(best[later] > behind)) continue;
      behind = best[later];
      next[k] = later;
    }
    const auto [steps, multiplications, divisions] = behind;
    best[k] = {steps + tasks_[k].steps, multiplications + (tasks_[k].op == Op::multiply ? 1 : 0), divisions + (tasks_[k].op == Op::divide ? 1 : 0)};
    if (start == kNoValue || best[k] >= best[start]) start = static_cast<std::uint32_t>(k);
  }
  CriticalPath path;
  path.steps = longest_;
  for (std::uint32_t k = start; k != kNoValue; k = next[k]) {
    path.tasks.push_back(k);
    add_to(path.counts, tasks_[k].op);
  }
  return path;
}

long TaskGraph::lower_bound(std::size_t units) const {
  if (units == 0) throw std::invalid_argument(cat("a schedule needs at least 1 unit, not ", units));
  return work_ == 0 ? 0 : std::max(longest_, static_cast<long>((static_cast<std::size_t>(work_) - 1) / units + 1));
}

double Schedule::utilisation() const { return steps == 0 ? 1 : static_cast<double>(work) / (static_cast<double>(units) * static_cast<double>(steps)); }
double Schedule::speed_up() const { return steps == 0 ? 1 : static_cast<double>(work) / static_cast<double>(steps); }

Schedule list_schedule(const TaskGraph& graph, std::size_t units) {
  if (units == 0) throw std::invalid_argument(cat("a schedule needs at least 1 unit, not ", units));
  const std::vector<Task>& tasks = graph.tasks();
  Schedule schedule{units, 0, graph.work(), std::vector<Placement>(tasks.size())};
  std::vector<int> waiting(tasks.size(), 0);
  Events ready;  // the longest chain first: by its length taken negative
  const auto is_ready = [&](std::size_t k) { ready.emplace(-graph.height(k), static_cast<std::uint32_t>(k)); };
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    for (const std::uint32_t before : tasks[k].before) waiting[k] += before != kNoValue ? 1 : 0;
    if (waiting[k] == 0) is_ready(k);
  }
  // Units that were used and are free again; those from `fresh` on were not used yet. So the number of units does not matter for the cost.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
  std::size_t fresh = 0;
  Events running;  // by their ends
  long now = 0;
  while (true) {
    while (!ready.empty() && (!free.empty() || fresh < units)) {
      const std::uint32_t k = ready.top().second;
      ready.pop();
      std::size_t unit = fresh;
      if (free.empty()) {
        ++fresh;
      } else {
        unit = free.top();
        free.pop();
      }
      schedule.placements[k] = {unit, now};
      running.emplace(now + tasks[k].steps, k);
    }
    if (running.empty()) break;
    now = running.top().first;
    while (!running.empty() && running.top().first == now) {
      const std::uint32_t k = running.top().second;
      running.pop();
      free.push(schedule.placements[k].unit);
      for (const std::uint32_t later : graph.after(k))
        if (--waiting[later] == 0) is_ready(later);
    }
  }
  schedule.steps = now;
  return schedule;
}

Schedule earliest_schedule(const TaskGraph& graph) {
  Schedule schedule = list_schedule(graph, std::numeric_limits<std::size_t>::max());  // a free unit for whatever may begin
  schedule.units = 0;
  for (const Placement& p : schedule.placements) schedule.units = std::max(schedule.units, p.unit + 1);
  return schedule;
}

std::size_t units_for_critical_path(const TaskGraph& graph) {
  const Schedule earliest = earliest_schedule(graph);
  if (earliest.units == 0) return 0;
  // With as many units as the earliest schedule uses at a time, the list schedule is that one. Work / length is a lower bound.
  std::size_t enough = earliest.units;
  std::size_t too_few = static_cast<std::size_t>((graph.work() - 1) / earliest.steps);
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (list_schedule(graph, middle).steps == earliest.steps ? enough : too_few) = middle;
  }
  return enough;
}

std::string why_invalid(const TaskGraph& graph, const Schedule& schedule) {
  const std::vector<Task>& tasks = graph.tasks();
  const std::vector<Placement>& placements = schedule.placements;
  if (placements.size() != tasks.size()) return cat("the schedule has ", placements.size(), " placements, but there are ", tasks.size(), " tasks");
  const auto end = [&](std::size_t k) { return placements[k].start + tasks[k].steps; };
  long last = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (placements[k].unit >= schedule.units) return cat("task ", k, " is on unit ", placements[k].unit, " of ", schedule.units);
    if (placements[k].start < 0) return cat("task ", k, " begins with step ", placements[k].start);
    for (const std::uint32_t before : tasks[k].before)
      if (before != kNoValue && placements[k].start < end(before))
        return cat("task ", k, " begins with step ", placements[k].start, ", but waits for task ", before, ", which ends before step ", end(before));
    last = std::max(last, end(k));
  }
  if (schedule.steps != last) return cat("the schedule says ", schedule.steps, " steps, but its last task ends after ", last);
  if (schedule.work != graph.work()) return cat("the schedule says ", schedule.work, " steps of work, but the tasks have ", graph.work());
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto key = [&](std::size_t k) { return std::pair(placements[k].unit, placements[k].start); };
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return key(x) < key(y); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t x = order[i - 1], y = order[i];
    if (placements[x].unit == placements[y].unit && placements[y].start < end(x))
      return cat("tasks ", x, " and ", y, " are on unit ", placements[x].unit, " at the same time");
  }
  return {};
}

std::vector<std::size_t> joints_of_tasks(const Program& program, const TaskGraph& graph) {
  const std::size_t first = program.first_instruction();
  std::vector<std::size_t> needs(program.value_count(), 0), serves(needs.size(), 0);  // one more than the joint; 0 for none
  const auto raise = [](std::size_t& value, std::size_t to) { value = std::max(value, to); };
  std::size_t next = 0;
  for (const Signal& signal : program.inputs)
    for (std::size_t k = 0; k < signal.size; ++k) needs[next++] = k + 1;
  const std::size_t n = program.inputs.empty() ? 0 : program.inputs.front().size;
  const bool square = n > 0 && program.results.size() == n * n;
  for (std::size_t k = 0; k < program.results.size(); ++k) raise(serves[program.results[k].value], (square ? std::max(k / n, k % n) : k) + 1);
  const auto operands = [](const Instruction& step) { return std::array{step.a, step.b, step.c}; };
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    for (const std::uint32_t operand : operands(program.instructions[i]))
      if (operand != kNoValue) raise(needs[i + first], needs[operand]);
  for (std::size_t i = program.instructions.size(); i-- > 0;)
    for (const std::uint32_t operand : operands(program.instructions[i]))
      if (operand != kNoValue) raise(serves[operand], serves[i + first]);
  std::vector<std::size_t> joints;
  for (const Task& task : graph.tasks()) {
    const std::size_t value = task.instruction + first;
    const std::size_t served = task.cosine == kNoValue ? serves[value] : std::max(serves[value], serves[task.cosine + first]);
    joints.push_back(std::min(needs[value], served) - 1);  // 0 - 1 is kNone
  }
  return joints;
}

}  // namespace ULNA_API
