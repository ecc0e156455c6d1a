// What an expression graph folds and shares by itself.
#include <ulna/expr/program.hpp>

#include <gtest/gtest.h>

namespace ulna::test {
namespace {

OperationCounts counts_of(const Graph& graph, const std::vector<Expr>& results) { return count(graph, results); }

TEST(Graph, NumbersNeedNoGraph) {
  const Expr x = Expr(2) * Expr(3) + Expr(1) - Expr(4) / Expr(2);
  EXPECT_TRUE(x.is(5));
  EXPECT_TRUE((-Expr(0)).is(0));
  EXPECT_DOUBLE_EQ(sincos(Expr(0.5)).sin.number(), std::sin(0.5));
  EXPECT_DOUBLE_EQ((Expr(1) / Expr(3)).number(), 1.0 / 3);
}

TEST(Graph, StructuralZerosAndOnesLeaveNoNode) {
  Graph graph;
  const Expr x = graph.inputs("x", 1)[0];
  const std::size_t before = graph.nodes().size();
  EXPECT_TRUE((0.0 * x).is(0));
  EXPECT_TRUE((x * Expr(0)).is(0));
  EXPECT_TRUE(same(x + Expr(0), x));
  EXPECT_TRUE(same(Expr(0) - x, -x));
  EXPECT_TRUE(same(1.0 * x, x));
  EXPECT_TRUE(same(-1.0 * x, -x));
  EXPECT_TRUE(same(x / Expr(1), x));
  EXPECT_TRUE((x - x).is(0));
  EXPECT_TRUE((x + -x).is(0));
  EXPECT_TRUE((x / x).is(1));
  EXPECT_TRUE((-x / x).is(-1));
  EXPECT_EQ(graph.nodes().size(), before);
}

TEST(Graph, EqualExpressionsAreOneNode) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  EXPECT_TRUE(same(x[0] * x[1], x[1] * x[0]));
  EXPECT_TRUE(same(x[0] + x[1], x[1] + x[0]));
  EXPECT_TRUE(same(x[0] - x[1], -(x[1] - x[0])));
  EXPECT_TRUE(same(-x[0] - x[1], -(x[0] + x[1])));
  EXPECT_TRUE(same((-x[0]) * x[1], -(x[0] * x[1])));
  EXPECT_TRUE(same((-x[0]) / x[1], -(x[0] / x[1])));
  EXPECT_TRUE(same(sincos(-x[0]).sin, -sincos(x[0]).sin));
  EXPECT_TRUE(same(sincos(-x[0]).cos, sincos(x[0]).cos));
  EXPECT_FALSE(same(x[0] - x[1], x[1] - x[0]));
  EXPECT_FALSE(same(x[0] / x[1], x[1] / x[0]));
}

TEST(Graph, ConstantFactorsAreFolded) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  EXPECT_TRUE(same(3.0 * (2.0 * x[0]), 6.0 * x[0]));
  EXPECT_TRUE(same((2.0 * x[0]) * -3.0, -6.0 * x[0]));
  EXPECT_TRUE(same(2.0 * x[0] + 3.0 * x[0], 5.0 * x[0]));
  EXPECT_TRUE(same(x[0] + 3.0 * x[0], 4.0 * x[0]));
  EXPECT_TRUE((2.0 * x[0] - 2.0 * x[0]).is(0));
  EXPECT_TRUE(same((2.0 * x[0]) / 4.0, 0.5 * x[0]));
  // Two constants with two different expressions stay two products.
  EXPECT_EQ(counts_of(graph, {2.5 * x[0] + 3.0 * x[1]}), (OperationCounts{2, 1, 0, 0}));
}

// What parameters alone determine is computed beforehand and costs nothing; it folds through products like a number.
TEST(Graph, ParametersAreFree) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const std::vector<Expr> p = graph.parameters("p", 3);
  EXPECT_TRUE((p[0] * p[1] + sincos(p[2]).sin).is_fixed());
  EXPECT_EQ(counts_of(graph, {p[0] * p[1] + p[2] / p[0]}), OperationCounts{});
  EXPECT_EQ(counts_of(graph, {p[0] * (p[1] * x[0])}), (OperationCounts{1, 0, 0, 0}));
  EXPECT_EQ(counts_of(graph, {p[0] * x[0] + p[1] * x[0]}), (OperationCounts{1, 0, 0, 0}));
  EXPECT_EQ(counts_of(graph, {x[0] / p[0]}), (OperationCounts{1, 0, 0, 0}));  // by the reciprocal
  EXPECT_EQ(counts_of(graph, {p[0] / x[0]}), (OperationCounts{0, 0, 1, 0}));
  EXPECT_EQ(counts_of(graph, {p[0] * x[0] + p[1] * x[1]}), (OperationCounts{2, 1, 0, 0}));
}

TEST(Graph, DoublingIsAnAddition) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  EXPECT_EQ(counts_of(graph, {(x[0] + x[0]) * x[1]}), (OperationCounts{1, 1, 0, 0}));
  EXPECT_EQ(counts_of(graph, {3.0 * (x[0] + x[0])}), (OperationCounts{1, 0, 0, 0}));  // 6 x
}

TEST(Graph, OnlyWhatIsNeededCounts) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const Expr used = x[0] * x[1];
  const Expr unused = used + x[0];
  (void)unused;
  EXPECT_EQ(counts_of(graph, {used, -used}), (OperationCounts{1, 0, 0, 0}));
  const SinCos<Expr> turn = sincos(x[0] + x[1]);
  EXPECT_EQ(counts_of(graph, {turn.cos}), (OperationCounts{0, 1, 0, 1}));
  EXPECT_EQ(counts_of(graph, {turn.sin}), (OperationCounts{0, 1, 0, 1}));
  EXPECT_EQ(counts_of(graph, {turn.sin, turn.cos}), (OperationCounts{0, 1, 0, 1}));
  EXPECT_EQ(counts_of(graph, {turn.sin, sincos(x[0]).cos}), (OperationCounts{0, 1, 0, 2}));
  EXPECT_EQ(counts_of(graph, {Expr(3), x[0]}), OperationCounts{});
}

// The table grows while nodes are found again, and a cleared graph forgets all of them.
TEST(Graph, LargeAndCleared) {
  Graph graph;
  for (int round = 0; round < 3; ++round) {
    const std::vector<Expr> x = graph.inputs("x", 2);
    std::vector<Expr> all{x[0]};
    for (int k = 0; k < 20000; ++k) all.push_back(all.back() * x[1] + (k + 0.5));
    const std::size_t nodes = graph.nodes().size();
    EXPECT_EQ(nodes, 2u + 3u * 20000u);
    Expr again = x[0];
    for (int k = 0; k < 20000; ++k) again = again * x[1] + (k + 0.5);
    EXPECT_TRUE(same(again, all.back()));
    EXPECT_EQ(graph.nodes().size(), nodes);
    graph.clear();
    EXPECT_TRUE(graph.nodes().empty());
    EXPECT_EQ(graph.input_count(), 0);
  }
}

TEST(Graph, NamesAreLetterBodyAndComponent) {
  EXPECT_EQ(to_string(NodeName{"dw", 3, Component::x}), "dw3_x");
  EXPECT_EQ(to_string(NodeName{"Z", 12}), "Z12");
  EXPECT_EQ(to_string(NodeName{"guard"}), "guard");
  EXPECT_EQ(to_string(NodeName{"U", 10, Component::zy, true}), "U10_zy_neg");
  EXPECT_EQ(to_string(NodeName{}), "");
}

// The sign stands on the edge: x - y and y - x are one node, whose name is that of one of them.
TEST(Graph, ANameKnowsTheSignOfWhatItNames) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const Expr difference = x[0] - x[1], opposite = x[1] - x[0];
  graph.name(opposite, {"d", 1});
  graph.name(difference, {"e", 1});  // the first stays
  EXPECT_EQ(difference.node(), opposite.node());
  EXPECT_EQ(graph.name_of(difference.node()), (NodeName{"d", 1, Component::none, opposite.negative()}));
  EXPECT_NE(difference.negative(), opposite.negative());
  const Expr product = x[0] * x[1];
  graph.name(-product, {"p", 2, Component::xy, true});  // the opposite of the opposite
  EXPECT_EQ(to_string(graph.name_of(product.node())), "p2_xy");
  graph.name(x[0], {"q", 1});
  EXPECT_TRUE(graph.name_of(x[0].node()).empty());  // inputs need none
}

}  // namespace
}  // namespace ulna::test
