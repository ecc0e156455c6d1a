// Passes that know who uses what: fewer operations, the same values.
#include "expr/minimise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <ulna/expr/program.hpp>

#include "support/random.hpp"

namespace ulna::test {
namespace {

OperationCounts minimal(const Graph& graph, const std::vector<Expr>& results) {
  const Minimised m = minimised(graph, results);
  return count(*m.graph, m.results);
}

TEST(Minimise, TakesOutCommonFactors) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 5);
  EXPECT_EQ(minimal(graph, {x[0] * x[1] + x[0] * x[2]}), (OperationCounts{1, 1, 0, 0}));
  EXPECT_EQ(minimal(graph, {x[0] * x[1] + x[3] - x[2] * x[0] + x[0] * x[4]}), (OperationCounts{1, 3, 0, 0}));
  EXPECT_EQ(minimal(graph, {x[0] * (x[1] * x[2]) + (x[0] * x[3]) * x[2]}), (OperationCounts{2, 1, 0, 0}));
  // a x + a y - a x: nothing is left but a y.
  EXPECT_EQ(minimal(graph, {(x[0] * x[1] + x[0] * x[2]) - x[0] * x[1]}), (OperationCounts{1, 0, 0, 0}));
}

// A product that somebody else needs too is there anyway: taking its factor out would cost.
TEST(Minimise, LeavesSharedProductsAlone) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 4);
  const Expr xy = x[0] * x[1], xz = x[0] * x[2];
  EXPECT_EQ(minimal(graph, {xy + xz, xy - x[3], xz - x[3]}), (OperationCounts{2, 3, 0, 0}));
}

TEST(Minimise, SharesCommonSums) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 5);
  const std::vector<Expr> results{(x[0] + x[2]) + x[1], (x[3] - x[0]) - x[1], (x[4] + x[1]) + x[0]};
  EXPECT_EQ(count(graph, results), (OperationCounts{0, 6, 0, 0}));
  EXPECT_EQ(minimal(graph, results), (OperationCounts{0, 4, 0, 0}));
}

TEST(Minimise, KeepsSignalsAndLiteralResults) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const std::vector<Expr> p = graph.parameters("p", 1);
  const std::vector<Expr> results{Expr(2), -x[1], p[0] * x[0]};
  const Minimised m = minimised(graph, results);
  EXPECT_EQ(m.graph->input_signals(), graph.input_signals());
  EXPECT_EQ(m.graph->parameter_signals(), graph.parameter_signals());
  EXPECT_TRUE(m.results[0].is(2));
  EXPECT_TRUE(m.results[1].negative());
}

// Two vectors turned by one angle, one there and one back: 8 multiplications and 4 additions become 6 and 8 (and one more addition here).
TEST(Minimise, RotationsOfThreeMultiplications) {
  Graph graph;
  const std::vector<Expr> v = graph.inputs("v", 5);
  const SinCos<Expr> turn = sincos(v[4]);
  const Expr c = turn.cos, s = turn.sin;
  const std::vector<Expr> results{c * v[0] + s * v[1], c * v[1] - s * v[0], c * v[2] - s * v[3], (s * v[2] + c * v[3]) + v[0], s * v[1] + v[2]};
  EXPECT_EQ(count(graph, results), (OperationCounts{8, 6, 0, 1}));  // s v1 is used twice
  const Minimised m = with_short_rotations(graph, results);
  EXPECT_EQ(count(*m.graph, m.results), (OperationCounts{7, 9, 0, 1}));  // so the first pair stays
  const std::vector<Expr> pairs(results.begin(), results.end() - 1);
  const Minimised both = with_short_rotations(graph, pairs);
  EXPECT_EQ(count(graph, pairs), (OperationCounts{8, 5, 0, 1}));
  EXPECT_EQ(count(*both.graph, both.results), (OperationCounts{6, 9, 0, 1}));
  const OutputOf one{"y", pairs}, two{"y", both.results};
  const Program a = make_program(graph, {&one, 1}), b = make_program(*both.graph, {&two, 1});
  std::vector<double> ya(4), yb(4);
  const std::vector<double> x{0.3, -1.2, 2.5, 0.7, 0.9};
  Evaluation{a}(x, ya);
  Evaluation{b}(x, yb);
  for (std::size_t k = 0; k < ya.size(); ++k) EXPECT_NEAR(ya[k], yb[k], 1e-14) << k;
}

/// Sums of products over few variables, so that there is much in common.
std::vector<Expr> random_results(Graph& graph, test::Random& random) {
  std::vector<Expr> pool = graph.inputs("x", 4);
  for (const Expr& p : graph.parameters("p", 2)) pool.push_back(p);
  const auto pick = [&] { return pool[random.below(pool.size())]; };
  for (int k = 0; k < 40; ++k) {
    switch (random.integer(0, 5)) {
      case 0:
      case 1: pool.push_back(pick() * pick()); break;
      case 2: pool.push_back(pick() - pick()); break;
      case 3: pool.push_back(pick() * pick() + pick() * pick()); break;
      case 4: pool.push_back(-pick() + random.uniform(-2, 2) * pick()); break;
      default: pool.push_back(sincos(pick()).cos); break;
    }
    if (pool.back().is_number()) pool.pop_back();
  }
  return {pool.end() - 8, pool.end()};
}

TEST(Minimise, SameValuesWithNoMoreOperations) {
  long before = 0, after = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    test::Random random(seed);
    Graph graph;
    const std::vector<Expr> results = random_results(graph, random);
    const Minimised m = minimised(graph, results);
    const OperationCounts was = count(graph, results), is = count(*m.graph, m.results);
    EXPECT_LE(is.mul + is.add + is.div, was.mul + was.add + was.div);
    EXPECT_LE(is.sincos, was.sincos);
    before += was.mul + was.add, after += is.mul + is.add;
    const Minimised turned = with_short_rotations(graph, results);
    const OutputOf one{"y", results}, two{"y", m.results}, three{"y", turned.results};
    const Program a = make_program(graph, {&one, 1}), b = make_program(*m.graph, {&two, 1}), c = make_program(*turned.graph, {&three, 1});
    EXPECT_EQ(a.counts(), was);
    EXPECT_EQ(b.counts(), is);
    std::vector<double> x(4), p(2), ya(results.size()), yb(results.size()), yc(results.size());
    for (double& value : x) value = random.uniform(-1, 1);
    for (double& value : p) value = random.uniform(0.5, 1.5);
    Evaluation(a, p)(x, ya);
    Evaluation(b, p)(x, yb);
    Evaluation(c, p)(x, yc);
    for (std::size_t k = 0; k < ya.size(); ++k) EXPECT_NEAR(ya[k], yb[k], 1e-11 * std::max(1.0, std::fabs(ya[k])));
    for (std::size_t k = 0; k < ya.size(); ++k) EXPECT_NEAR(ya[k], yc[k], 1e-11 * std::max(1.0, std::fabs(ya[k])));
  }
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace ulna::test
