#include <ulna/expr/expr.hpp>

#include <utility>

#include "expr/folding.hpp"

namespace ulna::internal {

namespace {
thread_local Folding* listener = nullptr;
}  // namespace

Folding::Folding() : before_(listener) { listener = this; }
Folding::~Folding() { listener = before_; }

}  // namespace ulna::internal

namespace ulna ULNA_API {

namespace {

Expr folded(Operation operation, double a, double b, double result) {
  if (internal::listener != nullptr) internal::listener->folded(operation, a, b, result);
  return Expr(result);
}

const Node& node_of(const Expr& x) { return x.graph()->nodes()[x.node()]; }

/// The node of an expression without its sign; numbers become constants of the graph.
std::uint32_t magnitude(Graph& graph, const Expr& x) { return x.is_number() ? graph.constant(std::fabs(x.number())) : x.node(); }
bool is_negative(const Expr& x) { return x.is_number() ? std::signbit(x.number()) : x.negative(); }
Expr with_sign(const Expr& x, bool negative) { return negative ? -x : x; }

/// The expression of a node taken positive: a number where it is a constant.
Expr positive(Graph& graph, std::uint32_t node) {
  const Node& n = graph.nodes()[node];
  return n.operation == Operation::constant ? Expr(graph.constants()[n.a]) : Expr(graph, node, false);
}

/// x = coefficient * rest, the coefficient known beforehand and with the sign; rest = x where there is none.
std::uint32_t rest(const Expr& x) {
  const Node& n = node_of(x);
  return n.scaled ? n.b : x.node();
}
Expr coefficient(const Expr& x) {
  const Node& n = node_of(x);
  return n.scaled ? with_sign(positive(*x.graph(), n.a), x.negative()) : Expr(x.negative() ? -1 : 1);
}

}  // namespace

bool same(const Expr& a, const Expr& b) {
  if (a.is_number() || b.is_number()) return a.is_number() && b.is_number() && a.number() == b.number();
  return a.graph() == b.graph() && a.node() == b.node() && a.negative() == b.negative();
}

Expr expr::sum(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return folded(Operation::add, a.number(), b.number(), a.number() + b.number());
  Graph& graph = a.is_number() ? *b.graph() : *a.graph();
  const bool fa = a.is_fixed(), fb = b.is_fixed();
  const bool fixed = fa && fb;
  if (!fa && !fb && rest(a) == rest(b)) return (coefficient(a) + coefficient(b)) * Expr(graph, rest(a), false);  // c x + d x = (c + d) x
  const bool na = is_negative(a), nb = is_negative(b);
  std::uint32_t i = magnitude(graph, a), j = magnitude(graph, b);
  if (i == j) return na == nb ? Expr(2) * a : Expr(0);
  if (na == nb) {
    if (i > j) std::swap(i, j);
    return Expr(graph, graph.node(Operation::add, fixed, i, j), na);
  }
  if (i > j) return Expr(graph, graph.node(Operation::subtract, fixed, j, i), nb);
  return Expr(graph, graph.node(Operation::subtract, fixed, i, j), na);
}

Expr expr::product(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return folded(Operation::multiply, a.number(), b.number(), a.number() * b.number());
  if (a.is(0) || b.is(0)) return Expr(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is(-1)) return -b;
  if (b.is(-1)) return -a;
  Graph& graph = a.is_number() ? *b.graph() : *a.graph();
  const bool fa = a.is_fixed(), fb = b.is_fixed();
  if (fa != fb) {  // c (d x) = (c d) x
    const Expr& other = fa ? b : a;
    if (node_of(other).scaled) return ((fa ? a : b) * coefficient(other)) * Expr(graph, rest(other), false);
  }
  const bool negative = is_negative(a) != is_negative(b);
  std::uint32_t i = magnitude(graph, a), j = magnitude(graph, b);
  if (fa == fb ? i > j : fb) std::swap(i, j);
  return Expr(graph, graph.node(Operation::multiply, fa && fb, i, j, fa != fb), negative);
}

Expr expr::quotient(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return folded(Operation::divide, a.number(), b.number(), a.number() / b.number());
  if (b.is_number()) return a * folded(Operation::divide, 1, b.number(), 1 / b.number());
  if (a.is(0)) return a;
  Graph& graph = *b.graph();
  const bool negative = is_negative(a) != is_negative(b);
  const std::uint32_t j = b.node();
  const bool fixed = b.is_fixed();
  if (fixed && !a.is_fixed()) return a * (Expr(1) / b);  // the reciprocal is known beforehand
  const std::uint32_t i = magnitude(graph, a);
  if (i == j) return Expr(negative ? -1 : 1);
  return Expr(graph, graph.node(Operation::divide, fixed && a.is_fixed(), i, j), negative);
}

SinCos<Expr> sincos(const Expr& x) {
  if (x.is_number()) {
    const SinCos<double> values = sincos(x.number());
    return {folded(Operation::sine, x.number(), x.number(), values.sin), folded(Operation::cosine, x.number(), x.number(), values.cos)};
  }
  Graph& graph = *x.graph();
  const bool fixed = x.is_fixed();
  return {Expr(graph, graph.node(Operation::sine, fixed, x.node(), kNoValue), x.negative()),
          Expr(graph, graph.node(Operation::cosine, fixed, x.node(), kNoValue), false)};
}

}  // namespace ULNA_API
