// An input that is not a number makes every result of its state NaN, also those that it does not enter.
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "loop/machines.hpp"

namespace ulna::test {
namespace {

using Numbers = std::vector<double>;

TEST(NotFinite, MakesAllResultsOfItsStateNaN) {
  for (const char* id : {"four-bar", "five-bar", "palletizer", "delta"}) {
    const LoopRobot robot = loop_robot(id);
    const std::size_t n = robot.nv(), m = robot.mobility();
    const Numbers q = robot.reference(), u(m, 0.3), a(m, -0.2);
    Wrench wrench;
    wrench.link = 1;
    struct Row {
      const char* name;
      std::vector<Numbers> inputs;
      std::function<Numbers(const std::vector<Numbers>&)> compute;
    };
    const auto filled = [](std::size_t size, const std::function<void(Numbers&)>& fill) {
      Numbers out(size);
      fill(out);
      return out;
    };
    const auto flat = [](const std::vector<LoopRobot::Reaction>& reactions) {
      Numbers out;
      for (const LoopRobot::Reaction& r : reactions) out.insert(out.end(), {r.force.x, r.force.y, r.force.z, r.moment.x, r.moment.y, r.moment.z});
      return out;
    };
    const Row rows[] = {
        {"velocities", {q, u}, [&](const auto& x) { return filled(n, [&](Numbers& out) { robot.velocities(x[0], x[1], out); }); }},
        {"accelerations", {q, u, a}, [&](const auto& x) { return filled(n, [&](Numbers& out) { robot.accelerations(x[0], x[1], x[2], out); }); }},
        {"dependence", {q}, [&](const auto& x) { return filled(n * m, [&](Numbers& out) {
                                                   robot.dependence(x[0], {out.data(), n, m});
                                                 }); }},
        {"inverse", {q, u, a}, [&](const auto& x) { return filled(m, [&](Numbers& out) { robot.inverse(x[0], x[1], x[2], out); }); }},
        {"bias", {q, u}, [&](const auto& x) { return filled(m, [&](Numbers& out) { robot.bias(x[0], x[1], out); }); }},
        {"gravity", {q}, [&](const auto& x) { return filled(m, [&](Numbers& out) { robot.gravity(x[0], out); }); }},
        {"mass", {q}, [&](const auto& x) { return filled(m * m, [&](Numbers& out) {
                                             robot.mass(x[0], {out.data(), m, m});
                                           }); }},
        {"forward", {q, u, a}, [&](const auto& x) { return filled(m, [&](Numbers& out) { robot.forward(x[0], x[1], x[2], out); }); }},
        {"energy",
         {q, u},
         [&](const auto& x) -> Numbers {
           const Energy e = robot.energy(x[0], x[1]);
           return {e.kinetic, e.potential};
         }},
        {"reactions", {q, u, a}, [&](const auto& x) { return flat(robot.reactions(x[0], x[1], x[2])); }},
        {"wrench",
         {q, {0, 0, 0}},
         [&](const auto& x) {
           wrench.moment = {x[1][0], x[1][1], x[1][2]};
           Effects effects;
           effects.wrenches = {&wrench, 1};
           return filled(m, [&](Numbers& out) { robot.inverse(x[0], u, a, out, effects); });
         }},
        {"residual",
         {q},
         [&](const auto& x) -> Numbers {
           const Closure closure = robot.residual(x[0]);
           return {closure.residual, closure.singularity};
         }},
        {"close",
         {q},
         [&](const auto& x) {
           Numbers all = x[0], out;
           const Closure closure = robot.close(all);
           for (const std::size_t k : robot.dependent()) out.push_back(all[k]);
           out.push_back(closure.residual);
           return out;
         }},
    };
    for (const Row& row : rows) {
      for (const double x : row.compute(row.inputs)) EXPECT_TRUE(std::isfinite(x)) << id << " " << row.name;
      for (std::size_t input = 0; input < row.inputs.size(); ++input)
        for (std::size_t k = 0; k < row.inputs[input].size(); ++k)
          for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
            std::vector<Numbers> inputs = row.inputs;
            inputs[input][k] = bad;
            for (const double x : row.compute(inputs)) EXPECT_TRUE(std::isnan(x)) << id << " " << row.name << ", input " << input << ", entry " << k;
          }
    }
  }
}

/// The same of assemblies from the reference, which take the independent positions alone.
TEST(NotFinite, IsNotAssembled) {
  const LoopRobot robot = loop_robot("five-bar");
  Numbers q = robot.reference();
  q[robot.independent()[1]] = std::nan("");
  const Closure closure = robot.assemble(q);
  EXPECT_FALSE(closure.closed);
  EXPECT_TRUE(std::isnan(closure.residual));
  for (const std::size_t k : robot.dependent()) EXPECT_TRUE(std::isnan(q[k]));
  EXPECT_TRUE(problem(closure, robot.loops()).what.empty());
}

/// Near a singular assembly results have fewer than half of their digits: it is told, and for what reason.
TEST(Singular, IsTold) {
  const LoopRobot robot = loop_robot("five-bar");
  Numbers q = robot.reference();
  q[robot.independent()[0]] = 1.7368310313, q[robot.independent()[1]] = -1.8752882263;
  const Closure closure = robot.assemble(q);
  EXPECT_TRUE(closure.closed);
  EXPECT_TRUE(closure.singular) << closure.singularity;
  EXPECT_NE(problem(closure, robot.loops()).what.find("the assembly is singular"), std::string::npos);
  // The loops are as closed when the dependent joints move by a rounding over the distance to the singular assembly, the way that they move freely there.
  // Below the limit, that changes all but fewer than eight digits.
  const auto digits = [&](double away) {
    Numbers at = robot.reference(), u{1, 1}, a{1, 1}, x(2), y(2), v(4);
    at[robot.independent()[0]] = 1.7368310313 - away, at[robot.independent()[1]] = -1.8752882263 + away;
    const Closure here = robot.assemble(at);
    EXPECT_TRUE(here.closed);
    robot.inverse(at, u, a, x);
    robot.velocities(at, u, v);
    Numbers moved = at;
    for (const std::size_t k : robot.dependent()) moved[k] += std::copysign(1e-16 / here.singularity, v[k]);
    EXPECT_LT(robot.residual(moved).residual, 1e-15);
    robot.inverse(moved, u, a, y);
    return -std::log10(std::abs(x[0] / y[0] - 1) + 1e-17);
  };
  EXPECT_LT(digits(0), 8);
  EXPECT_GT(digits(-1e-5), 8);
}

}  // namespace
}  // namespace ulna::test
