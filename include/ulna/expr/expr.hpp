// A scalar that records operations: running a formulation on Expr yields its expression graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna ULNA_API {

// --- Expressions as a graph with common subexpressions shared. A Graph belongs to the caller: no global state, one thread at a time.

/// Nodes of a graph and values of a program are numbered by 32 bits, which keeps searches and rewrites small. This number means none.
inline constexpr std::uint32_t kNoValue = static_cast<std::uint32_t>(-1);

enum class Operation : std::uint8_t { constant, input, parameter, add, subtract, multiply, divide, sine, cosine };  // What a node computes.

/// add, subtract, multiply, divide: two operands; sine, cosine: a; constant: `a` indexes Graph::constants(); input, parameter: its number.
struct Node {
  Operation operation;
  bool fixed;   // known from constants and parameters alone: computed once per robot, and free
  bool scaled;  // the product of a fixed node, `a`, and one that is not, `b`
  std::uint32_t a;
  std::uint32_t b;
  friend bool operator==(const Node&, const Node&) = default;
};

/// An array of inputs, parameters or outputs: "q", 7.
struct Signal {
  std::string name;
  std::size_t size;
  friend bool operator==(const Signal&, const Signal&) = default;
};

/// Of a vector or a tensor.
enum class Component : std::uint8_t { none, x, y, z, xx, xy, xz, yx, yy, yz, zx, zy, zz };
std::string_view to_string(Component component);  // "xy"; empty for none

/// The name of an expression for readers: the x component of w of body 3, or its opposite.
struct NodeName {
  std::string letter{};  // of the quantity; empty: no name
  std::size_t body = 0;  // 1 is the first, 0 none; of a paper's numbered quantity its number
  Component component = Component::none;
  bool opposite = false;  // the name is that of minus the node

  bool empty() const { return letter.empty(); }  // Whether it has no name.
  friend bool operator==(const NodeName&, const NodeName&) = default;
};
/// "w3_x", "w3_x_neg": a name in code.
std::string to_string(const NodeName& name);

class Expr;

class Graph {  // All expressions of one computation.
 public:
  Graph();

  /// `size` new inputs, known only when the program runs: the state.
  std::vector<Expr> inputs(std::string name, std::size_t size);
  /// `size` new parameters, known before it runs: the robot, when its numbers are to stay symbols.
  std::vector<Expr> parameters(std::string name, std::size_t size);

  /// Gives an expression's node a name. The first one stays. Numbers, inputs and parameters need none.
  void name(const Expr& x, NodeName name);
  /// Empty for none.
  const NodeName& name_of(std::size_t node) const;

  const std::vector<Node>& nodes() const { return nodes_; }                     // All nodes, arguments first.
  const std::vector<double>& constants() const { return constants_; }           // All constants.
  const std::vector<Signal>& input_signals() const { return inputs_; }          // Names of the inputs.
  const std::vector<Signal>& parameter_signals() const { return parameters_; }  // Names of the parameters.
  std::size_t input_count() const { return input_count_; }                      // Number of inputs.
  std::size_t parameter_count() const { return parameter_count_; }              // Number of parameters.

  /// Empty again, memory kept: for tracing many variants one after the other.
  void clear();

  // For Expr. Operands in canonical order: where the operation commutes a <= b, but a fixed factor first.
  std::uint32_t node(Operation operation, bool fixed, std::uint32_t a, std::uint32_t b, bool scaled = false);
  std::uint32_t constant(double value);  // value > 0

 private:
  /// A slot of the hash table. One of an older generation is empty, so that clear() need not touch the table.
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t generation = 0;
    std::uint32_t node = kNoValue;
  };
  std::uint32_t find_or_add(std::uint64_t key, const Node& node);
  void rehash();

  std::vector<Node> nodes_;
  std::vector<double> constants_;
  std::vector<Slot> table_;  // open addressing; its size is a power of two
  int shift_;                // 64 less the logarithm of that
  std::uint32_t generation_ = 1;
  std::vector<Signal> inputs_;
  std::vector<Signal> parameters_;
  std::unordered_map<std::size_t, NodeName> names_;
  std::uint32_t input_count_ = 0;
  std::uint32_t parameter_count_ = 0;
};

/// A signed node of a graph, or a plain number that needs none. Numbers are folded as soon as they meet; 0 and ±1 never enter the graph.
/// Folded also: factors known beforehand, c (d x) = (c d) x and c x + d x = (c + d) x, whether c and d are numbers or symbols.
class Expr {
 public:
  Expr() = default;  // zero
  explicit Expr(double value) : value_(value) {}
  Expr(Graph& graph, std::uint32_t node, bool negative) : graph_(&graph), node_(node), negative_(negative) {}

  bool is_number() const { return graph_ == nullptr; }                            // Whether it is a constant.
  double number() const { return value_; }                                        // of a number
  bool is(double number) const { return graph_ == nullptr && value_ == number; }  // Whether it is this constant.
  Graph* graph() const { return graph_; }                                         // null for a number
  std::uint32_t node() const { return node_; }                                    // Index of its node.
  bool negative() const { return negative_; }                                     // Whether it is negated.
  /// Known before the program runs.
  bool is_fixed() const { return graph_ == nullptr || graph_->nodes()[node_].fixed; }

 private:
  Graph* graph_ = nullptr;
  double value_ = 0;
  std::uint32_t node_ = kNoValue;
  bool negative_ = false;
};

namespace expr {
Expr sum(const Expr& a, const Expr& b);       // a + b.
Expr product(const Expr& a, const Expr& b);   // a b.
Expr quotient(const Expr& a, const Expr& b);  // a / b.
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

SinCos<Expr> sincos(const Expr& x);  // Sine and cosine.

/// Same node and sign, or same number.
bool same(const Expr& a, const Expr& b);

template <>
inline constexpr bool kTakesLoops<Expr> = true;  // Expressions take kernels that contain loops.

}  // namespace ULNA_API
