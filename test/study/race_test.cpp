// The papers' formulations against each other: what is run gives the right numbers, and every way of running is counted. Times never decide.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "draw/panels.hpp"
#include "formulation/evaluator.hpp"
#include "jit/routine.hpp"
#include "support/tampered.hpp"

namespace ulna::test {
namespace {

using namespace test;

const RaceRow& row_of_race(const Race& race, std::string_view id, Quantity quantity) {
  for (const RaceRow& row : race.rows)
    if (row.id == id && row.quantity == quantity) return row;
  throw std::logic_error("no such row");
}

TEST(Race, EveryFormulationThatTakesTheRobotRunsBothWays) {
  const Race race = run_race(load("stanford"), {.seconds = 1e-4});
  EXPECT_EQ(race.joints, 6u);
  EXPECT_EQ(race.why_not, "");
  EXPECT_TRUE(race.agree());
  const Prepared prepared(load("stanford"));
  const bool codes = best_instruction_set() != InstructionSet::none;
  for (const Formulation& formulation : formulations())
    for (const Quantity quantity : formulation.quantities) {
      if (quantity == Quantity::coriolis || !row_of(quantity).parts.empty() || !formulation.why_not(prepared).empty())
        continue;  // the production path alone: no race; a table too large
      SCOPED_TRACE(std::string(formulation.id) + " " + std::string(to_string(quantity)));
      const RaceRow& row = row_of_race(race, formulation.id, quantity);
      ASSERT_TRUE(row.own.ns) << row.own.why_not;
      EXPECT_GT(*row.own.ns, 0);
      EXPECT_LT(row.own.difference, 1e-10);
      EXPECT_EQ(row.own.counts.mul, count_as_written(formulation, quantity, prepared).total.mul);
      if (formulation.make_expr == nullptr || !codes) {
        EXPECT_FALSE(row.compiled.ns);
        EXPECT_NE(row.compiled.why_not, "");
        continue;
      }
      ASSERT_TRUE(row.compiled.ns) << row.compiled.why_not;
      EXPECT_LT(row.compiled.difference, 1e-10);
      EXPECT_GT(row.compiled.counts.mul, 0);
      EXPECT_LE(row.compiled.counts.mul, row.own.counts.mul);
    }
  if (codes) {
    EXPECT_TRUE(row_of_race(race, "shipped", Quantity::inverse).compiled.ns);
  }
}

TEST(Race, WhatIsAskedForAlone) {
  const Race race = run_race(load("planar-3r"), {.seconds = 1e-5, .only = {Quantity::mass}});
  EXPECT_FALSE(race.rows.empty());
  for (const RaceRow& row : race.rows) EXPECT_EQ(row.quantity, Quantity::mass);
  EXPECT_TRUE(run_race(load("planar-3r"), {.seconds = 1e-5, .go_on = [] { return false; }}).rows.empty());
}

// Machine code of a formulation on states of its own: the numbers of its C++.
TEST(Race, MachineCodeIsTheFormulation) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "machine code may not be made here";
  const Model model = load("panda");
  const Prepared prepared(model);
  StateSampler sampler(model, 7);
  std::vector<double> q, v, a, own(49), code(49);
  for (const char* id : {"uicker-kahn", "hollerbach-3x3", "kane", "lin", "nasser"}) {
    const Formulation& formulation = formulation_named(id);
    for (const Quantity quantity : formulation.quantities) {
      const std::unique_ptr<Evaluator<double>> evaluator = formulation.make_double(prepared);
      const jit::Routine compiled({to_string(quantity), formulation_program(formulation, quantity, prepared)}, best_instruction_set(),
                                  [&](const jit::Trial& trial) {
                                    double worst = 0;
                                    for (int k = 0; k < 10; ++k) {
                                      sampler.next(q, v, a);
                                      evaluator->compute(quantity, {q.data(), v.data(), a.data()}, own.data());
                                      trial.function(q.data(), v.data(), a.data(), code.data(), trial.constants, 1);
                                      double size = 0;
                                      for (std::size_t i = 0; i < row_of(quantity).size({7, 7}); ++i) size = std::max(size, std::abs(own[i]));
                                      for (std::size_t i = 0; i < row_of(quantity).size({7, 7}); ++i)
                                        if (const double off = std::abs(code[i] - own[i]) / (1e-11 * size); !(off <= worst)) worst = off;
                                    }
                                    return worst;
                                  });
      EXPECT_EQ(compiled.why_not(), "") << id << " " << to_string(quantity);
    }
  }
}

// A wrong sign in the machine code of any formulation, and a number that is off by a millionth: told, and not timed.
TEST(Race, WrongMachineCodeIsNotRun) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "machine code may not be made here";
  const Model model = load("planar-3r");
  std::size_t seen = 0;
  for (const bool number : {false, true})
    for (const std::size_t part : {1, 2, 3}) {
      std::vector<bool> wrong;  // of each formulation's program
      const Tampered errors({.program = [&](std::string_view, jit::Way way, Program& program) {
        if (way != jit::Way::one) return;
        const Program right = program;
        if (number && !program.constants.empty())
          program.constants[part * program.constants.size() / 4] *= 1 + 1e-6;
        else
          change_sign(program, part * sums_of(program) / 4);
        wrong.push_back(program.parameter_count() == 0 && differ(right, program));
      }});
      std::size_t k = 0;
      for (const RaceRow& row : run_race(model, {.seconds = 1e-5, .only = {Quantity::inverse}}).rows) {
        if (row.id == "shipped" || row.compiled.counts == OperationCounts()) continue;
        ASSERT_LT(k, wrong.size());
        if (!wrong[k++]) continue;
        ++seen;
        EXPECT_FALSE(row.compiled.ns) << row.id;
        EXPECT_NE(row.compiled.why_not.find("it differs from the reference by"), std::string::npos) << row.id << ": " << row.compiled.why_not;
        EXPECT_TRUE(row.own.ns) << row.id;
      }
    }
  EXPECT_GT(seen, 20u);
}

TEST(Race, Charts) {
  std::vector<Race> races;
  for (const char* robot : {"general-RR", "general-RRR"}) races.push_back(run_race(load(robot), {.seconds = 1e-5, .only = {Quantity::inverse}}));
  const std::vector<draw::GrowthPanel> panels = draw::race_growth(races, Quantity::inverse);
  ASSERT_EQ(panels.size(), 2u);
  std::map<std::string, std::size_t> points;
  for (const draw::GrowthLine& line : panels[0].lines) points[line.label] = line.points.size();
  EXPECT_EQ(points["newton-euler"], 2u);
  EXPECT_EQ(points["uicker-kahn"], 2u);
  EXPECT_EQ(points.count("kane-stanford"), 0u);
  EXPECT_EQ(points.count("shipped"), 0u);  // machine code alone
  const std::vector<draw::BarPanel> bars = draw::race_bars(races[0]);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].rows[0].values.size(), draw::race_kinds().size());
}

}  // namespace
}  // namespace ulna::test
