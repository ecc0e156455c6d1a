// Straight lines made from graphs: what is in them, what they compute, how they are counted, fused, printed and told apart.
#include <ulna/expr/program.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace ulna::test {
namespace {

Program recorded(const Graph& graph, const std::vector<Expr>& results, Fuse fuse = Fuse::no) {
  const OutputOf output{"y", results};
  return make_program(graph, {&output, 1}, fuse);
}
std::string text_of(const Program& program) {
  std::ostringstream out;
  print(out, program);
  return out.str();
}
std::vector<double> values_of(const Program& program, const std::vector<double>& inputs, const std::vector<double>& parameters = {}) {
  std::vector<double> out(program.results.size());
  Evaluation(program, parameters)(inputs, out);
  return out;
}

TEST(Program, ComputesAndPrints) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 2);
  const std::vector<Expr> v = graph.inputs("v", 1);
  const SinCos<Expr> turn = sincos(q[1]);
  const Expr product = turn.sin * v[0];  // one after the other: compilers may evaluate the operands of one sum in any order
  const Expr quarter = 0.25 * q[0];
  const Expr difference = product - quarter;
  const Program program = recorded(graph, {difference, -(q[0] / v[0]), Expr(-3), -q[1]});
  EXPECT_EQ(text_of(program),
            "t0 = sin(q[1])\n"
            "t1 = v[0] * t0\n"
            "t2 = 0.25 * q[0]\n"
            "t3 = t1 - t2\n"
            "t4 = q[0] / v[0]\n"
            "y[0] = t3\n"
            "y[1] = -t4\n"
            "y[2] = -3\n"
            "y[3] = -q[1]\n");
  const std::vector<double> y = values_of(program, {2, 0.5, 4});
  EXPECT_DOUBLE_EQ(y[0], std::sin(0.5) * 4 - 0.5);
  EXPECT_DOUBLE_EQ(y[1], -0.5);
  EXPECT_EQ(y[2], -3);
  EXPECT_EQ(y[3], -0.5);
  EXPECT_EQ(program.counts(), (OperationCounts{2, 1, 1, 1}));
}

// A product with one use goes into the sum; one with two stays, whatever the sums.
TEST(Program, FusesProductsOfSingleUse) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 4);
  const Expr once = x[0] * x[1], twice = x[2] * x[3];
  const std::vector<Expr> results{once + twice, x[0] - twice, x[0] * x[2] - x[3], x[3] - x[1] * x[2]};
  const Program plain = recorded(graph, results), fused = recorded(graph, results, Fuse::yes);
  EXPECT_EQ(plain.counts(), (OperationCounts{4, 4, 0, 0}));
  EXPECT_EQ(fused.counts(), plain.counts());
  EXPECT_EQ(fused.fused(), 3);
  EXPECT_EQ(fused.instructions.size(), 5u);
  const std::vector<double> at{1.5, -2, 0.25, 7};
  const std::vector<double> a = values_of(plain, at), b = values_of(fused, at);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k], b[k]) << k;  // exact in binary
  EXPECT_EQ(a, (std::vector<double>{-3 + 1.75, 1.5 - 1.75, 0.375 - 7, 7 + 0.5}));
}

TEST(Program, ParametersComeFirstAndAreFree) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 1);
  const std::vector<Expr> p = graph.parameters("p", 2);
  const Expr late = (x[0] + x[0]) * (p[0] * p[1]);
  const Program program = recorded(graph, {late + p[0] / p[1]});
  EXPECT_EQ(program.precomputed, 3u);  // p0 p1, twice that, p0 / p1
  EXPECT_EQ(program.counts(), (OperationCounts{1, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(values_of(program, {3}, {5, 4})[0], 6 * 20 + 1.25);
  for (std::size_t i = 0; i < program.precomputed; ++i)
    for (const std::uint32_t operand : {program.instructions[i].a, program.instructions[i].b}) EXPECT_GE(operand, program.input_count());
}

TEST(Program, DoublesByAddingAndDropsTheConstant) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const Program program = recorded(graph, {(x[0] + x[0]) * x[1]});
  EXPECT_TRUE(program.constants.empty());
  EXPECT_EQ(program.counts(), count(graph, std::vector<Expr>{(x[0] + x[0]) * x[1]}));
  EXPECT_EQ(values_of(program, {3, 5})[0], 30);
  // A 2 that does something else too is kept.
  const Program both = recorded(graph, {(x[0] + x[0]) * x[1] + 2.0});
  EXPECT_EQ(both.constants, std::vector<double>{2});
  EXPECT_EQ(values_of(both, {3, 5})[0], 32);
}

TEST(Program, OperandsComeBeforeTheirUsers) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  Expr sum(0);
  for (int k = 0; k < 50; ++k) sum = sum * x[0] + sincos(x[1] + 0.1 * k).cos * x[2];
  for (const Fuse fuse : {Fuse::no, Fuse::yes}) {
    const Program program = recorded(graph, {sum}, fuse);
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
      for (const std::uint32_t operand : {program.instructions[i].a, program.instructions[i].b, program.instructions[i].c})
        EXPECT_TRUE(operand < program.first_instruction() + i || operand == kNoValue);
  }
}

TEST(Program, HashTellsProgramsApart) {
  const auto make = [](double c, bool minus, const char* name) {
    Graph graph;
    const std::vector<Expr> x = graph.inputs(name, 2);
    return recorded(graph, {minus ? x[0] - c * x[1] : x[0] + c * x[1]});
  };
  const std::uint64_t hash = make(0.5, false, "x").hash();
  EXPECT_EQ(hash, make(0.5, false, "x").hash());
  EXPECT_NE(hash, make(0.25, false, "x").hash());
  EXPECT_NE(hash, make(0.5, true, "x").hash());
  EXPECT_NE(hash, make(0.5, false, "z").hash());
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 1);
  EXPECT_NE(recorded(graph, {x[0]}).hash(), recorded(graph, {-x[0]}).hash());
}

TEST(Program, SizesAreChecked) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const std::vector<Expr> p = graph.parameters("p", 1);
  const Program program = recorded(graph, {x[0] * x[1] + p[0]});
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no message";
  };
  std::vector<double> one(1), two(2), three(3);
  EXPECT_EQ(message([&] { Evaluation(program, two); }), "the program takes 1 parameters, but 2 were given");
  Evaluation evaluation(program, one);
  EXPECT_EQ(message([&] { evaluation(three, one); }), "the program takes 2 inputs, but 3 were given");
  EXPECT_EQ(message([&] { evaluation(two, two); }), "the program has 1 outputs, but room for 2 was given");
}

}  // namespace
}  // namespace ulna::test
