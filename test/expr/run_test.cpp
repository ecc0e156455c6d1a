// The interpreter of programs: every operation on every scalar.
#include "expr/run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/imagined_processor.hpp"

namespace ulna::test {
namespace {

constexpr double kA = 0.7, kB = -1.9, kC = 0.3;

constexpr Op kLast = Op::subtract_product;

std::vector<Op> all_operations() {
  std::vector<Op> all;
  for (int k = 0; k <= static_cast<int>(kLast); ++k) all.push_back(static_cast<Op>(k));
  return all;
}

/// One instruction on three inputs.
Program program_of(Op op) {
  Program program;
  program.inputs = {{"x", 3}};
  program.outputs = {{"y", 1}};
  const bool turns = op == Op::sine || op == Op::cosine;
  program.instructions = {{op, 0, turns ? kNoValue : 1, op >= Op::multiply_add ? 2 : kNoValue}};
  program.names.resize(1);
  program.results = {{3, false}};
  return program;
}

template <class T>
class RunOnNumbers : public testing::Test {};
using Numbers = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(RunOnNumbers, Numbers);

TYPED_TEST(RunOnNumbers, EveryOperation) {
  using T = TypeParam;
  const T x[] = {T(kA), T(kB), T(kC)};
  for (const Op op : all_operations()) {
    SCOPED_TRACE(static_cast<int>(op));
    const Program program = program_of(op);
    T y = 0;
    EvaluationOf<T> evaluation(program);
    evaluation(x, std::span<T>(&y, 1));
    EXPECT_EQ(y, test::done(op, x[0], x[1], x[2]));
    EXPECT_EQ(evaluation.values().back(), y);
  }
}

TYPED_TEST(RunOnNumbers, AnglesBeyondTheRangeAreNotNumbers) {
  using T = TypeParam;
  for (const Op op : {Op::sine, Op::cosine}) {
    const Program program = program_of(op);
    const T x[] = {T(2 * kLargestAngle), 0, 0};
    T y = 0;
    EvaluationOf<T> evaluation(program);
    evaluation(x, std::span<T>(&y, 1));
    EXPECT_TRUE(std::isnan(y));
  }
}

/// Written down again and run, an operation is the same, but for the rounding between a product and the sum it is fused with.
TEST(RunOnExpressions, EveryOperation) {
  const double x[] = {kA, kB, kC};
  for (const Op op : all_operations()) {
    SCOPED_TRACE(static_cast<int>(op));
    const Program program = program_of(op);
    Graph graph;
    std::vector<Expr> values = graph.inputs("x", 3);
    values.resize(4);
    internal::run<Expr>(program, values, 0, 1);
    const OutputOf output{"y", std::span(&values[3], 1)};
    const Program again = make_program(graph, {&output, 1});
    double y = 0;
    Evaluation evaluation(again);
    evaluation(x, std::span(&y, 1));
    EXPECT_NEAR(y, test::done(op, kA, kB, kC), 2e-16 * (std::fabs(kA * kB) + 1));
    EXPECT_EQ(again.counts().mul + again.counts().add + again.counts().div + again.counts().sincos, op >= Op::multiply_add ? 2 : 1);
  }
}

}  // namespace
}  // namespace ulna::test
