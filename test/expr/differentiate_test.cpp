// Derivatives of graphs: closed forms, the kernels' own derivatives, and products with vectors.
#include "expr/differentiate.hpp"

#include <cmath>
#include <stdexcept>

#include <ulna/expr/program.hpp>
#include <ulna/source/load.hpp>
#include "dynamics/compute-inl.hpp"

using namespace ulna;
using namespace ulna::internal;

namespace {

std::vector<double> values_of(const Graph& graph, const std::vector<Expr>& outputs, const std::vector<double>& inputs) {
  const OutputOf output{"y", outputs};
  const Program program = make_program(graph, std::span(&output, 1));
  std::vector<double> out(outputs.size());
  Evaluation run(program);
  run(inputs, out);
  return out;
}

// f = x y / (x + sin y): every operation there is.
TEST(Differentiate, EveryOperation) {
  Graph graph;
  const std::vector<Expr> in = graph.inputs("x", 2);
  const Expr x = in[0], y = in[1];
  const auto [s, c] = sincos(y);
  const std::vector<Expr> f{x * y / (x + s), -(c * x) - y, Expr(3)};
  const double a = 0.7, b = 1.9, d = a + std::sin(b);
  const std::vector<double> wanted{b / d - a * b / (d * d),
                                   -std::cos(b),
                                   0,  // by x
                                   a / d - a * b * std::cos(b) / (d * d),
                                   a * std::sin(b) - 1,
                                   0};
  for (const Sweep sweep : {Sweep::forward, Sweep::reverse, Sweep::shorter}) {
    const std::vector<double> J = values_of(graph, differentiate(graph, f, in, sweep), {a, b});
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(J[k], wanted[k], 1e-14) << k;
  }
}

TEST(Differentiate, WrongSizesAreTold) {
  Graph graph;
  const std::vector<Expr> in = graph.inputs("x", 2);
  EXPECT_THROW(along(graph, in, in, {}), std::invalid_argument);
  EXPECT_THROW(transposed(graph, in, in, {}), std::invalid_argument);
}

/// A quantity of a built-in robot on expressions, its inputs one after the other.
struct Traced {
  Traced(const std::string& robot, Quantity quantity) : plan(make_plan(load(robot))), ws(plan), results(row_of(quantity).size(plan.sizes())) {
    for (const std::string_view name : row_of(quantity).inputs) inputs.push_back(graph.inputs(std::string(name), plan.nv));
    const auto data = [&](std::size_t k) { return k < inputs.size() ? inputs[k].data() : nullptr; };
    kernel::compute(quantity, plan, ws, {data(0), data(1), data(2)}, results.data(), EffectsOf<Expr>{});
    for (const std::vector<Expr>& part : inputs) all.insert(all.end(), part.begin(), part.end());
    for (std::size_t k = 0; k < all.size(); ++k) at.push_back(std::sin(1.7 * static_cast<double>(k + 1)));
  }
  Plan plan;
  Graph graph;
  WorkspaceOf<Expr> ws;
  std::vector<Expr> results, all;
  std::vector<std::vector<Expr>> inputs;
  std::vector<double> at;
};

TEST(Differentiate, TorquesAsTheKernelDoes) {
  for (const char* robot : {"panda", "stanford", "ur5"}) {
    SCOPED_TRACE(robot);
    Traced t(robot, Quantity::inverse);
    const std::size_t n = t.plan.nv;
    Workspace ws(t.plan);
    std::vector<double> wanted(3 * n * n);
    compute(Quantity::inverse_derivatives, t.plan, ws, {t.at.data(), t.at.data() + n, t.at.data() + 2 * n}, wanted.data());
    double largest = 0;
    for (const double x : wanted) largest = std::max(largest, std::fabs(x));
    for (const Sweep sweep : {Sweep::forward, Sweep::reverse}) {
      const std::vector<double> J = values_of(t.graph, differentiate(t.graph, t.results, t.all, sweep), t.at);
      for (std::size_t k = 0; k < J.size(); ++k) EXPECT_NEAR(J[k], wanted[k], 1e-12 * largest) << k;
    }
  }
}

TEST(Differentiate, ProductsWithoutTheMatrix) {
  Traced t("panda", Quantity::inverse);
  const std::size_t n = t.plan.nv;
  std::vector<Expr> x, y;
  for (std::size_t k = 0; k < 3 * n; ++k) x.emplace_back(std::cos(2.3 * static_cast<double>(k)));
  for (std::size_t k = 0; k < n; ++k) y.emplace_back(std::cos(0.9 * static_cast<double>(k)));
  const std::vector<double> J = values_of(t.graph, differentiate(t.graph, t.results, t.all), t.at);
  const std::vector<double> Jx = values_of(t.graph, along(t.graph, t.results, t.all, x), t.at);
  const std::vector<double> yJ = values_of(t.graph, transposed(t.graph, t.results, t.all, y), t.at);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 3 * n; ++j) sum += J[i + j * n] * x[j].number();
    EXPECT_NEAR(Jx[i], sum, 1e-11);
  }
  for (std::size_t j = 0; j < 3 * n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += J[i + j * n] * y[i].number();
    EXPECT_NEAR(yJ[j], sum, 1e-11);
  }
}

// Gravity is the gradient of the potential energy, and its derivative the Hessian: symmetric, and what the kernel gives at rest.
TEST(Differentiate, TwiceIsTheHessian) {
  Traced t("puma560", Quantity::energy);
  const std::size_t n = t.plan.nv;
  const std::vector<Expr> potential{t.results[1]}, one{Expr(1)};
  const std::vector<Expr> gradient = transposed(t.graph, potential, t.inputs[0], one);
  Workspace ws(t.plan);
  std::vector<double> gravity(n), D(3 * n * n);
  compute(Quantity::gravity, t.plan, ws, {t.at.data()}, gravity.data());
  compute(Quantity::inverse_derivatives, t.plan, ws, {t.at.data()}, D.data());
  const std::vector<double> got = values_of(t.graph, gradient, t.at);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], gravity[i], 1e-11);
  std::vector<Expr> x;
  for (std::size_t k = 0; k < n; ++k) x.emplace_back(std::cos(1.1 * static_cast<double>(k)));
  const std::vector<double> Hx = values_of(t.graph, along(t.graph, gradient, t.inputs[0], x), t.at);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += D[i + j * n] * x[j].number();
    EXPECT_NEAR(Hx[i], sum, 1e-10);
  }
}

}  // namespace
