// Critical paths and list schedules: programs whose answers are known by hand, the true optimum of small ones by trying all orders, and Graham's bound.
#include <ulna/expr/schedule.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include <ulna/source/load.hpp>

#include "formulation/trace.hpp"
#include "support/builtin.hpp"
#include "support/imagined_processor.hpp"
#include "support/random.hpp"

namespace ulna::test {
namespace {

/// Instructions over one input signal "x"; value k is x[k] below `inputs`, then one per instruction. The last value is the output.
Program program_of(std::size_t inputs, std::vector<Instruction> instructions) {
  Program program;
  program.inputs = {{"x", inputs}};
  program.outputs = {{"y", 1}};
  program.instructions = std::move(instructions);
  program.results = {{static_cast<std::uint32_t>(program.value_count() - 1), false}};
  return program;
}

/// x0 + x1 + … one after the other: `additions` of them.
Program chain(std::uint32_t additions) {
  std::vector<Instruction> steps{{Op::add, 0, 1}};
  for (std::uint32_t k = 1; k < additions; ++k) steps.push_back({Op::add, additions + k, k + 1});
  return program_of(additions + 1, std::move(steps));
}

/// The sum of 2^levels inputs in pairs, pairs of pairs, …
Program balanced_tree(int levels) {
  Graph graph;
  std::vector<Expr> sums = graph.inputs("x", std::size_t{1} << levels);
  while (sums.size() > 1) {
    std::vector<Expr> next;
    for (std::size_t k = 0; k < sums.size(); k += 2) next.push_back(sums[k] + sums[k + 1]);
    sums = next;
  }
  const std::vector<OutputOf> outputs{{"y", sums}};
  return make_program(graph, outputs);
}

Program random_program(test::Random& random, int instructions, bool divisions) {
  std::vector<Instruction> steps;
  for (int k = 0; k < instructions; ++k) {
    const Op ops[] = {Op::add, Op::subtract, Op::multiply, Op::divide};
    // Mostly of recent values: chains rather than a heap of independent operations.
    const auto value = [&] { return static_cast<std::uint32_t>(random.integer(std::max(0, k - 3), k + 2)); };
    steps.push_back({ops[random.integer(0, divisions ? 3 : 2)], value(), value()});
  }
  return program_of(3, std::move(steps));
}

/// Two values that are not used yet, joined again and again until one is left.
Program random_tree(test::Random& random, std::uint32_t additions) {
  std::vector<std::uint32_t> unused;
  for (std::uint32_t k = 0; k <= additions; ++k) unused.push_back(k);
  std::vector<Instruction> steps;
  const auto take = [&] {
    const auto k = unused.begin() + static_cast<std::ptrdiff_t>(random.below(unused.size()));
    const std::uint32_t value = *k;
    unused.erase(k);
    return value;
  };
  for (std::uint32_t k = 0; k < additions; ++k) {
    const std::uint32_t a = take(), b = take();
    steps.push_back({Op::add, a, b});
    unused.push_back(additions + 1 + k);
  }
  return program_of(additions + 1, std::move(steps));
}

/// The shortest schedule there is, by trying every order: a task in its turn goes to the unit that is free first, as early as it may. Taking the tasks of a
/// shortest schedule in the order of their starts, none starts later than there, so this misses no optimum. (Exponential.)
long optimum(const TaskGraph& graph, std::size_t units) {
  const std::vector<Task>& tasks = graph.tasks();
  std::vector<long> end(tasks.size(), -1);
  std::vector<long> free(units, 0);
  long best = graph.work();
  const std::function<void(std::size_t, long)> place = [&](std::size_t placed, long length) {
    if (length >= best) return;
    if (placed == tasks.size()) {
      best = length;
      return;
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (end[k] >= 0) continue;
      long start = 0;
      bool may = true;
      for (const std::uint32_t before : tasks[k].before) {
        if (before == kNoValue) continue;
        may = may && end[before] >= 0;
        start = std::max(start, end[before]);
      }
      if (!may) continue;
      const std::size_t unit = static_cast<std::size_t>(std::min_element(free.begin(), free.end()) - free.begin());
      const long was = free[unit];
      end[k] = free[unit] = std::max(start, was) + tasks[k].steps;
      place(placed + 1, std::max(length, end[k]));
      free[unit] = was;
      end[k] = -1;
    }
  };
  place(0, 0);
  return best;
}

TEST(Schedule, ChainGoesNoFasterWithMoreUnits) {
  for (const int length : {1, 2, 7, 50}) {
    const TaskGraph graph(chain(length));
    const CriticalPath path = graph.critical_path();
    EXPECT_EQ(path.steps, length);
    EXPECT_EQ(path.counts, (OperationCounts{0, length, 0, 0}));
    for (const std::size_t units : {1, 2, 16}) {
      const Schedule schedule = list_schedule(graph, units);
      EXPECT_EQ(schedule.steps, length);
      EXPECT_DOUBLE_EQ(schedule.speed_up(), 1);
      EXPECT_DOUBLE_EQ(schedule.utilisation(), 1.0 / static_cast<double>(units));
      EXPECT_EQ(graph.lower_bound(units), length);
    }
    EXPECT_EQ(units_for_critical_path(graph), 1);
  }
}

// Level by level 2^(k-1) + … + 2 + 1 additions; on P = 2^p units a level of m takes ceil(m / P) steps, and no two levels overlap except by what is left over.
TEST(Schedule, BalancedTreeTakesItsHeight) {
  for (int levels = 1; levels <= 6; ++levels) {
    const TaskGraph graph(balanced_tree(levels));
    EXPECT_EQ(graph.work(), (1 << levels) - 1);
    EXPECT_EQ(graph.critical_path().steps, levels);
    EXPECT_EQ(earliest_schedule(graph).steps, levels);
    EXPECT_EQ(earliest_schedule(graph).units, 1 << (levels - 1));
    EXPECT_EQ(units_for_critical_path(graph), 1 << (levels - 1));
    for (int p = 0; p < levels; ++p) {
      long steps = 0;
      for (int level = 0; level < levels; ++level) steps += std::max(1, (1 << level) >> p);
      EXPECT_EQ(list_schedule(graph, 1 << p).steps, steps) << levels << " levels, " << (1 << p) << " units";
    }
  }
}

TEST(Schedule, CriticalPathIsSplitByKind) {
  // ((x0 x1) x2 + x3) / x4, beside a shorter chain of additions.
  const TaskGraph graph(program_of(5, {{Op::multiply, 0, 1}, {Op::add, 0, 3}, {Op::multiply, 5, 2}, {Op::subtract, 7, 3}, {Op::divide, 8, 6}}));
  const CriticalPath path = graph.critical_path();
  EXPECT_EQ(path.steps, 4);
  EXPECT_EQ(path.counts, (OperationCounts{2, 1, 1, 0}));
  EXPECT_EQ(path.tasks, (std::vector<std::uint32_t>{0, 2, 3, 4}));
  EXPECT_EQ(graph.counts(), (OperationCounts{2, 2, 1, 0}));
}

TEST(Schedule, OfEquallyLongChainsTheOneWithMostMultiplicationsIsTold) {
  const std::vector<Instruction> sums_first{{Op::add, 0, 1}, {Op::add, 2, 1}, {Op::multiply, 0, 1}, {Op::multiply, 4, 1}, {Op::add, 3, 5}};
  const std::vector<Instruction> products_first{{Op::multiply, 0, 1}, {Op::multiply, 2, 1}, {Op::add, 0, 1}, {Op::add, 4, 1}, {Op::add, 3, 5}};
  EXPECT_EQ(TaskGraph(program_of(2, sums_first)).critical_path().tasks, (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(TaskGraph(program_of(2, products_first)).critical_path().tasks, (std::vector<std::uint32_t>{0, 1, 4}));
}

TEST(Schedule, OfEqualChainsTheFirstIsTold) {
  const TaskGraph graph(program_of(2, {{Op::add, 0, 1}, {Op::subtract, 0, 1}, {Op::add, 2, 2}, {Op::add, 2, 0}, {Op::subtract, 3, 3}}));
  EXPECT_EQ(graph.critical_path().tasks, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(graph.tasks()[2].before, (std::array<std::uint32_t, 2>{0, kNoValue}));  // a doubling waits for one thing
  EXPECT_EQ(graph.after(0).size(), 2u);
}

// A chain of two beside two lone additions: as early as possible takes three units, but two do as well.
TEST(Schedule, UnitsForTheCriticalPathUseItsSlack) {
  const TaskGraph graph(program_of(2, {{Op::add, 0, 1}, {Op::multiply, 2, 2}, {Op::subtract, 0, 1}, {Op::multiply, 0, 1}}));
  EXPECT_EQ(earliest_schedule(graph).units, 3);
  EXPECT_EQ(units_for_critical_path(graph), 2);
}

TEST(Schedule, NoScheduleIsShorterThanTheBound) {
  const TaskGraph graph(balanced_tree(3));  // seven additions, three levels
  EXPECT_EQ(graph.lower_bound(1), 7);
  EXPECT_EQ(graph.lower_bound(2), 4);
  EXPECT_EQ(graph.lower_bound(3), 3);
  EXPECT_EQ(graph.lower_bound(100), 3);
}

TEST(Schedule, CostsAreStepsOfAUnit) {
  // (x0 x1) / (x0 + x1): the longer operand decides.
  const Program program = program_of(2, {{Op::multiply, 0, 1}, {Op::add, 0, 1}, {Op::divide, 2, 3}});
  const TaskGraph graph(program, {.multiply = 5, .add = 2, .divide = 20});
  EXPECT_EQ(graph.work(), 27);
  EXPECT_EQ(graph.critical_path().steps, 25);
  EXPECT_EQ(list_schedule(graph, 1).steps, 27);
  const Schedule two = list_schedule(graph, 2);
  EXPECT_EQ(two.steps, 25);
  EXPECT_EQ(two.placements, (std::vector<Placement>{{0, 0}, {1, 0}, {0, 5}}));
  EXPECT_DOUBLE_EQ(two.utilisation(), 27.0 / 50);
  EXPECT_DOUBLE_EQ(two.speed_up(), 27.0 / 25);
}

TEST(Schedule, SinesAreGivenUnlessTheyCost) {
  // y = sin(x0 + x1) cos(x0 + x1)
  const Program program = program_of(2, {{Op::add, 0, 1}, {Op::sine, 2}, {Op::cosine, 2}, {Op::multiply, 3, 4}});
  const TaskGraph given(program);
  EXPECT_EQ(given.work(), 2);
  EXPECT_EQ(given.critical_path().steps, 2);  // a given sine still waits for its angle
  const TaskGraph counted(program, {.sincos = 1});
  EXPECT_EQ(counted.work(), 3);  // sine and cosine together
  EXPECT_EQ(counted.critical_path().counts, (OperationCounts{1, 1, 0, 1}));
  EXPECT_EQ(counted.tasks()[1].instruction, 1);
  EXPECT_EQ(counted.tasks()[1].cosine, 2);
}

TEST(Schedule, WhatIsPrecomputedIsThere) {
  Graph graph;
  const std::vector<Expr> p = graph.parameters("p", 2), x = graph.inputs("x", 1);
  const std::vector<Expr> y{(p[0] * p[1] + p[0]) * x[0]};
  const std::vector<OutputOf> outputs{{"y", y}};
  const Program program = make_program(graph, outputs);
  ASSERT_EQ(program.precomputed, 2u);
  EXPECT_EQ(TaskGraph(program).critical_path().steps, 1);
}

TEST(Schedule, NothingToDoTakesNoTime) {
  const TaskGraph graph(Program{});
  EXPECT_EQ(graph.critical_path().steps, 0);
  EXPECT_EQ(units_for_critical_path(graph), 0);
  const Schedule schedule = list_schedule(graph, 3);
  EXPECT_EQ(schedule.steps, 0);
  EXPECT_DOUBLE_EQ(schedule.utilisation(), 1);
  EXPECT_EQ(why_invalid(graph, schedule), "");
}

TEST(Schedule, TheLongestChainGoesFirst) {
  // On one unit the chain of three that begins last in the program is begun first; equal ones go in the order of the program.
  const TaskGraph graph(program_of(2, {{Op::add, 0, 1}, {Op::subtract, 0, 1}, {Op::multiply, 0, 1}, {Op::multiply, 4, 4}, {Op::multiply, 5, 5}}));
  const Schedule schedule = list_schedule(graph, 1);
  EXPECT_EQ(schedule.placements, (std::vector<Placement>{{0, 2}, {0, 3}, {0, 0}, {0, 1}, {0, 4}}));
}

// List schedules of small random programs beside the true optimum. Graham 1969: never more than 2 - 1/P times as long.
TEST(Schedule, NearTheOptimumOfSmallPrograms) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    const Program program = random_program(random, 7, true);
    for (const StepCosts& costs : {StepCosts{}, StepCosts{.multiply = 2, .add = 1, .divide = 5}}) {
      const TaskGraph graph(program, costs);
      for (const std::size_t units : {2, 3}) {
        const Schedule schedule = list_schedule(graph, units);
        ASSERT_EQ(why_invalid(graph, schedule), "");
        const long best = optimum(graph, units);
        EXPECT_GE(best, graph.lower_bound(units));
        EXPECT_GE(schedule.steps, best);
        EXPECT_LE(static_cast<double>(schedule.steps), (2 - 1.0 / static_cast<double>(units)) * static_cast<double>(best));
      }
    }
  }
}

// Hu 1961: where every value is used once and every operation takes one step, the longest chain first is the best there is.
TEST(Schedule, OptimalForTrees) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    const TaskGraph graph(random_tree(random, 9));
    for (const std::size_t units : {2, 3}) EXPECT_EQ(list_schedule(graph, units).steps, optimum(graph, units)) << units << " units";
  }
}

// The inequality behind Graham's bound needs no optimum: steps <= work / P + (1 - 1/P) critical path.
TEST(Schedule, RandomProgramsKeepGrahamsInequality) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    const Program program = random_program(random, 300, true);
    for (const StepCosts& costs : {StepCosts{}, StepCosts{.multiply = 3, .add = 2, .divide = 11}}) {
      const TaskGraph graph(program, costs);
      const long longest = graph.critical_path().steps;
      EXPECT_EQ(earliest_schedule(graph).steps, longest);
      EXPECT_EQ(why_invalid(graph, earliest_schedule(graph)), "");
      for (const std::size_t units : {1, 2, 3, 4, 8, 1000}) {
        const Schedule schedule = list_schedule(graph, units);
        ASSERT_EQ(why_invalid(graph, schedule), "");
        EXPECT_GE(schedule.steps, graph.lower_bound(units));
        EXPECT_LE(units * schedule.steps, graph.work() + (units - 1) * longest);
      }
      const std::size_t enough = units_for_critical_path(graph);
      EXPECT_EQ(list_schedule(graph, enough).steps, longest);
      if (enough > 1) {
        EXPECT_GT(list_schedule(graph, enough - 1).steps, longest);
      }
    }
  }
}

// Out: w0 = x0 x0, w1 = w0 x1, w2 = w1 x2. Back: y2 = w2 w2, y1 = y2 w1, y0 = y1 w0.
TEST(Schedule, TasksOfARecursionKnowTheirLink) {
  Program program =
      program_of(3, {{Op::multiply, 0, 0}, {Op::multiply, 3, 1}, {Op::multiply, 4, 2}, {Op::multiply, 5, 5}, {Op::multiply, 6, 4}, {Op::multiply, 7, 3}});
  program.outputs = {{"y", 3}};
  program.results = {{8, false}, {7, false}, {6, false}};
  EXPECT_EQ(joints_of_tasks(program, TaskGraph(program)), (std::vector<std::size_t>{0, 1, 2, 2, 1, 0}));
  // M of three joints, row by row: M01 = M10 = x2 x2 is about joint 1, M22 = x2 + x2 about joint 2, M00 = x0 x2 about joint 0; the rest is x1.
  Program matrix = program_of(3, {{Op::multiply, 2, 2}, {Op::add, 2, 2}, {Op::multiply, 0, 2}});
  matrix.outputs = {{"M", 9}};
  matrix.results.clear();
  for (const std::uint32_t value : {5u, 3u, 1u, 3u, 1u, 1u, 1u, 1u, 4u}) matrix.results.push_back({value, false});
  EXPECT_EQ(joints_of_tasks(matrix, TaskGraph(matrix)), (std::vector<std::size_t>{1, 2, 0}));
  // y0 = sin x1, y1 = cos x1: one task, which serves both.
  Program angle = program_of(2, {{Op::sine, 1}, {Op::cosine, 1}});
  angle.outputs = {{"y", 2}};
  angle.results = {{2, false}, {3, false}};
  EXPECT_EQ(joints_of_tasks(angle, TaskGraph(angle, {.sincos = 1})), (std::vector<std::size_t>{1}));
}

TEST(Schedule, FaultsOfAScheduleAreFound) {
  const TaskGraph graph(program_of(2, {{Op::multiply, 0, 1}, {Op::add, 0, 1}, {Op::add, 2, 3}}), {.multiply = 3});
  const Schedule right = list_schedule(graph, 2);
  ASSERT_EQ(why_invalid(graph, right), "");
  const auto fault = [&](const std::function<void(Schedule&)>& spoil) {
    Schedule schedule = right;
    spoil(schedule);
    return why_invalid(graph, schedule);
  };
  EXPECT_EQ(fault([](Schedule& s) { s.placements.pop_back(); }), "the schedule has 2 placements, but there are 3 tasks");
  EXPECT_EQ(fault([](Schedule& s) { s.placements[1].unit = 2; }), "task 1 is on unit 2 of 2");
  EXPECT_NE(fault([](Schedule& s) { s.placements[1].unit = kNone; }), "");
  EXPECT_EQ(fault([](Schedule& s) { s.placements[0].start = -1; }), "task 0 begins with step -1");
  EXPECT_EQ(fault([](Schedule& s) { s.placements[2].start = 2; }), "task 2 begins with step 2, but waits for task 0, which ends before step 3");
  EXPECT_EQ(fault([](Schedule& s) { s.steps = 3; }), "the schedule says 3 steps, but its last task ends after 4");
  EXPECT_EQ(fault([](Schedule& s) { s.work = 4; }), "the schedule says 4 steps of work, but the tasks have 5");
  EXPECT_EQ(fault([](Schedule& s) {
              s.placements[1] = {0, 2};
              s.placements[2].unit = 1;
            }),
            "tasks 0 and 1 are on unit 0 at the same time");
}

TEST(Schedule, WrongCallsAreRefused) {
  const auto message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  const TaskGraph graph(chain(3));
  EXPECT_EQ(message([&] { list_schedule(graph, 0); }), "a schedule needs at least 1 unit, not 0");
  EXPECT_EQ(message([&] { graph.lower_bound(0); }), "a schedule needs at least 1 unit, not 0");
  EXPECT_NE(message([] { TaskGraph(program_of(2, {{Op::multiply_add, 0, 1, 0}})); }).find("make the program with Fuse::no"), std::string::npos);
  EXPECT_EQ(message([] { TaskGraph(program_of(2, {{Op::add, 0, 2}})); }), "instruction 0 uses value 2, but only 0 to 1 are there by then");
  EXPECT_NE(message([] { TaskGraph(program_of(2, {{Op::add, 0}})); }).find("instruction 0 uses value "), std::string::npos);  // kNoValue
  EXPECT_EQ(message([] { TaskGraph(chain(1), {.multiply = 0}); }), "a multiplication cannot take 0 steps; at least 1");
  EXPECT_EQ(message([] { TaskGraph(chain(1), {.sincos = -1}); }), "a sine with its cosine cannot take -1 steps; at least 0");
}

// --- robots ----------------------------------------------------------------------------------------------------------------------------------------

/// Runs a program by a schedule, knowing nothing of its tasks but when each instruction begins: an operand that is not finished by then is not a number.
std::vector<double> replay(const Program& program, const TaskGraph& graph, const Schedule& schedule, const std::vector<double>& inputs) {
  const std::size_t first = program.first_instruction();
  const std::size_t count = program.instructions.size();
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(program.value_count(), kNot);
  std::copy(inputs.begin(), inputs.end(), values.begin());
  std::copy(program.constants.begin(), program.constants.end(), values.begin() + program.first_constant());
  const auto result = [&](const Instruction& step) { return test::done(step, values); };
  std::vector<std::vector<std::size_t>> begins(schedule.steps);
  for (std::size_t k = 0; k < graph.tasks().size(); ++k) begins[schedule.placements[k].start].push_back(graph.tasks()[k].instruction);
  std::vector<bool> scheduled(count, false);
  for (const auto& step : begins)
    for (const std::size_t i : step) scheduled[i] = true;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < count; ++i)
    if (!scheduled[i]) free.push_back(i);
  const auto given = [&] {  // what no unit does: as soon as it can be had
    for (const std::size_t i : free)
      if (std::isnan(values[first + i])) values[first + i] = result(program.instructions[i]);
  };
  given();
  for (const auto& step : begins) {
    std::vector<double> made;  // all of a step read before any of them is done
    for (const std::size_t i : step) made.push_back(result(program.instructions[i]));
    for (std::size_t k = 0; k < step.size(); ++k) values[first + step[k]] = made[k];
    given();
  }
  std::vector<double> outputs;
  for (const Output& r : program.results) outputs.push_back(r.negative ? -values[r.value] : values[r.value]);
  return outputs;
}

// Every step reads only what earlier steps made, and the numbers are those of the program run from top to bottom, bit by bit.
TEST(Schedule, RobotsComputeTheSameInParallel) {
  int programs = 0;
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    const Prepared prepared(load(std::string(robot.id)));
    for (const char* id : {"newton-euler", "walker-orin", "ulna"}) {
      const Formulation& formulation = *find_formulation(id);
      for (const Quantity quantity : formulation.quantities) {
        if (!why_not_traced(formulation, quantity, prepared).empty()) continue;
        SCOPED_TRACE(testing::Message() << robot.id << " " << id << " " << result_name(quantity));
        const Program program = trace(formulation, quantity, prepared).program();
        const TaskGraph graph(program);
        const OperationCounts counts = program.counts();
        EXPECT_EQ(graph.counts(), (OperationCounts{counts.mul, counts.add, counts.div, 0}));
        test::Random random(7);
        const std::vector<double> inputs = random.numbers(program.input_count(), -1, 1);
        std::vector<double> expected(program.results.size());
        Evaluation evaluation(program);
        evaluation(inputs, expected);
        for (const std::size_t units : {1, 3, 8}) {
          const Schedule schedule = list_schedule(graph, units);
          ASSERT_EQ(why_invalid(graph, schedule), "");
          EXPECT_GE(schedule.steps, graph.lower_bound(units));
          EXPECT_LE(units * schedule.steps, graph.work() + (units - 1) * graph.critical_path().steps);
          EXPECT_EQ(replay(program, graph, schedule, inputs), expected) << units << " units";
        }
        EXPECT_EQ(replay(program, graph, earliest_schedule(graph), inputs), expected);
        ++programs;
      }
    }
  }
  EXPECT_GE(programs, 40);
}

}  // namespace
}  // namespace ulna::test
