#include "expr/differentiate.hpp"

#include <stdexcept>

#include <ulna/expr/program.hpp>

namespace ulna::internal {

namespace {

/// A node taken positive, as an expression.
Expr expression(Graph& graph, std::uint32_t node) {
  const Node n = graph.nodes()[node];
  return n.operation == Operation::constant ? Expr(graph.constants()[n.a]) : Expr(graph, node, false);
}

bool is_leaf(Operation operation) { return operation == Operation::constant || operation == Operation::input || operation == Operation::parameter; }

/// One past the last node that the outputs depend on. Sweeps add nodes behind it.
std::uint32_t end_of(std::span<const Expr> outputs) {
  std::uint32_t end = 0;
  for (const Expr& x : outputs)
    if (!x.is_number() && x.node() + 1 > end) end = x.node() + 1;
  return end;
}

Expr signed_as(const Expr& like, const Expr& x) { return like.negative() ? -x : x; }

/// Derivative of a node from the derivatives of its operands. The node is a copy: those of the graph move when it grows.
Expr rate_of(Graph& graph, std::uint32_t node, const Node& n, const Expr& da, const Expr& db) {
  switch (n.operation) {
    case Operation::add: return da + db;
    case Operation::subtract: return da - db;
    case Operation::multiply: return da * expression(graph, n.b) + expression(graph, n.a) * db;
    case Operation::divide: return (da - expression(graph, node) * db) / expression(graph, n.b);
    case Operation::sine: return da.is(0) ? da : sincos(expression(graph, n.a)).cos * da;
    case Operation::cosine: return da.is(0) ? da : -(sincos(expression(graph, n.a)).sin * da);
    default: return Expr(0);
  }
}

}  // namespace

std::vector<Expr> along(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const Expr> directions) {
  if (directions.size() != inputs.size()) throw std::invalid_argument("along: as many directions as inputs are needed");
  const std::uint32_t end = end_of(outputs);
  std::vector<Expr> rate(end);  // zero
  for (std::size_t j = 0; j < inputs.size(); ++j)
    if (inputs[j].node() < end) rate[inputs[j].node()] = signed_as(inputs[j], directions[j]);
  for (std::uint32_t k = 0; k < end; ++k) {
    const Node n = graph.nodes()[k];
    if (is_leaf(n.operation)) continue;
    const Expr da = rate[n.a], db = n.b == kNoValue ? Expr(0) : rate[n.b];
    if (!da.is(0) || !db.is(0)) rate[k] = rate_of(graph, k, n, da, db);
  }
  std::vector<Expr> out;
  for (const Expr& x : outputs) out.push_back(x.is_number() ? Expr(0) : signed_as(x, rate[x.node()]));
  return out;
}

std::vector<Expr> transposed(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const Expr> weights) {
  if (weights.size() != outputs.size()) throw std::invalid_argument("transposed: as many weights as outputs are needed");
  const std::uint32_t end = end_of(outputs);
  std::vector<Expr> adjoint(end);  // zero
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].is_number()) adjoint[outputs[i].node()] = adjoint[outputs[i].node()] + signed_as(outputs[i], weights[i]);
  for (std::uint32_t k = end; k-- > 0;) {
    const Node n = graph.nodes()[k];
    const Expr w = adjoint[k];
    if (w.is(0) || is_leaf(n.operation)) continue;
    const auto give = [&](std::uint32_t to, const Expr& share) { adjoint[to] = adjoint[to] + share; };
    switch (n.operation) {
      case Operation::add: give(n.a, w), give(n.b, w); break;
      case Operation::subtract: give(n.a, w), give(n.b, -w); break;
      case Operation::multiply: {
        const Expr a = expression(graph, n.a), b = expression(graph, n.b);
        give(n.a, w * b), give(n.b, w * a);
        break;
      }
      case Operation::divide: {
        const Expr share = w / expression(graph, n.b);
        give(n.a, share), give(n.b, -(share * expression(graph, k)));
        break;
      }
      case Operation::sine: give(n.a, w * sincos(expression(graph, n.a)).cos); break;
      case Operation::cosine: give(n.a, -(w * sincos(expression(graph, n.a)).sin)); break;
      default: break;
    }
  }
  std::vector<Expr> out;
  for (const Expr& x : inputs) out.push_back(x.node() < end ? signed_as(x, adjoint[x.node()]) : Expr(0));
  return out;
}

std::vector<Expr> differentiate(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, Sweep sweep) {
  const std::size_t rows = outputs.size(), columns = inputs.size();
  if (sweep == Sweep::shorter) {
    std::vector<Expr> one = differentiate(graph, outputs, inputs, Sweep::forward), other = differentiate(graph, outputs, inputs, Sweep::reverse);
    const auto cost = [&](const std::vector<Expr>& J) {
      const OperationCounts counts = count(graph, J);
      return counts.mul + counts.add + counts.div;
    };
    return cost(other) < cost(one) ? other : one;
  }
  std::vector<Expr> J(rows * columns);
  const std::size_t sweeps = sweep == Sweep::forward ? columns : rows;
  for (std::size_t k = 0; k < sweeps; ++k) {
    std::vector<Expr> unit(sweeps);
    unit[k] = Expr(1);
    const std::vector<Expr> line = sweep == Sweep::forward ? along(graph, outputs, inputs, unit) : transposed(graph, outputs, inputs, unit);
    for (std::size_t l = 0; l < line.size(); ++l) J[sweep == Sweep::forward ? l + k * rows : k + l * rows] = line[l];
  }
  return J;
}

}  // namespace ulna::internal
