// The scalar that writes down instead of computing: running a formulation on Expr yields its expression graph.
#pragma once

#include <ulna/expr/graph.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna {

/// A signed node of a graph, or a plain number that needs none. Numbers are folded as soon as they meet; 0 and ±1 never enter the graph.
/// Folded also: factors known beforehand, c (d x) = (c d) x and c x + d x = (c + d) x, whether c and d are numbers or symbols.
class Expr {
 public:
  Expr() = default;  // zero
  explicit Expr(double value) : value_(value) {}
  Expr(Graph& graph, std::uint32_t node, bool negative) : graph_(&graph), node_(node), negative_(negative) {}

  bool is_number() const { return graph_ == nullptr; }
  double number() const { return value_; }  // of a number
  bool is(double number) const { return graph_ == nullptr && value_ == number; }
  Graph* graph() const { return graph_; }  // null for a number
  std::uint32_t node() const { return node_; }
  bool negative() const { return negative_; }
  /// Known before the program runs.
  bool is_fixed() const { return graph_ == nullptr || graph_->nodes()[node_].fixed; }

 private:
  Graph* graph_ = nullptr;
  double value_ = 0;
  std::uint32_t node_ = kNoValue;
  bool negative_ = false;
};

namespace expr {
Expr sum(const Expr& a, const Expr& b);
Expr product(const Expr& a, const Expr& b);
Expr quotient(const Expr& a, const Expr& b);
}  // namespace expr

inline Expr operator-(const Expr& a) { return a.is_number() ? Expr(a.is(0) ? 0 : -a.number()) : Expr(*a.graph(), a.node(), !a.negative()); }
inline Expr operator+(const Expr& a, const Expr& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return expr::sum(a, b);
}
inline Expr operator-(const Expr& a, const Expr& b) {
  if (b.is(0)) return a;
  return a + -b;
}
inline Expr operator*(const Expr& a, const Expr& b) {
  if (a.is(0) || b.is(0)) return Expr(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return expr::product(a, b);
}
inline Expr operator/(const Expr& a, const Expr& b) { return expr::quotient(a, b); }

inline Expr operator+(double a, const Expr& b) { return Expr(a) + b; }
inline Expr operator+(const Expr& a, double b) { return a + Expr(b); }
inline Expr operator-(double a, const Expr& b) { return Expr(a) - b; }
inline Expr operator-(const Expr& a, double b) { return a - Expr(b); }
inline Expr operator*(double a, const Expr& b) {
  if (a == 0) return Expr(0);
  return Expr(a) * b;
}
inline Expr operator*(const Expr& a, double b) { return b * a; }
inline Expr operator/(double a, const Expr& b) { return Expr(a) / b; }
inline Expr operator/(const Expr& a, double b) { return a / Expr(b); }

SinCos<Expr> sincos(const Expr& x);

/// Same node and sign, or same number.
bool same(const Expr& a, const Expr& b);

}  // namespace ulna
