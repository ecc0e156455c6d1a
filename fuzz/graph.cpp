// Expressions as bytes tell: built in a graph, where they are folded, and beside it in a finite field, where nothing is. Every program that is made of the
// graph must give what the field gives.
#include <ulna/expr/expr.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <ulna/expr/program.hpp>
#include "expr/minimise.hpp"

#include "bytes.hpp"
#include "field.hpp"

namespace ulna::fuzz {

namespace {

/// An expression and its value. Constants are folded in doubles; that is exact while their digits fit. `below` and `above` are the bits that any product of
/// constants in the expression may need behind and before the point.
struct Value {
  Expr expression;
  Field value;
  int below = 0, above = 1;
  bool atom = false;  // a symbol, a sine or a cosine
};
constexpr int kMostBits = 48;

Field field_of(const Program& program, const std::vector<Field>& inputs, const std::vector<Field>& parameters, std::size_t result) {
  std::vector<Field> values = inputs;
  values.insert(values.end(), parameters.begin(), parameters.end());
  for (const double c : program.constants) values.push_back(Field::of(c));
  for (const Instruction& step : program.instructions) {
    const auto of = [&](std::uint32_t operand) {
      promise(operand < values.size(), "operands come before their users");
      return values[operand];
    };
    switch (step.op) {
      case Op::add: values.push_back(of(step.a) + of(step.b)); break;
      case Op::subtract: values.push_back(of(step.a) - of(step.b)); break;
      case Op::multiply: values.push_back(of(step.a) * of(step.b)); break;
      case Op::divide: values.push_back(of(step.a) / of(step.b)); break;
      case Op::sine: values.push_back(of(step.a).sine()); break;
      case Op::cosine: values.push_back(of(step.a).cosine()); break;
      case Op::multiply_add: values.push_back(of(step.a) * of(step.b) + of(step.c)); break;
      case Op::multiply_subtract: values.push_back(of(step.a) * of(step.b) - of(step.c)); break;
      case Op::subtract_product: values.push_back(of(step.c) - of(step.a) * of(step.b)); break;
    }
  }
  const Output& output = program.results[result];
  const Field value = values[output.value];
  return output.negative ? -value : value;
}

class Build {
 public:
  explicit Build(Input input) : bytes_(input) {
    const std::size_t inputs = 1 + bytes_.below(8), parameters = bytes_.below(5);
    add_symbols(graph_.inputs("q", inputs), inputs_);
    add_symbols(graph_.parameters("p", parameters), parameters_);
    for (int k = 0; k < 300 && !bytes_.empty(); ++k) step();
    const std::size_t outputs = std::min<std::size_t>(pool_.size(), 6);
    results_.assign(pool_.end() - static_cast<std::ptrdiff_t>(outputs), pool_.end());
  }

  void compare() {
    std::vector<Expr> results;
    for (const Value& value : results_) results.push_back(value.expression);
    check(graph_, results);
    const Minimised fewer = minimised(graph_, results);
    promise(operations(*fewer.graph, fewer.results) <= operations(graph_, results), "minimised() never makes it longer");
    check(*fewer.graph, fewer.results);
    const Minimised turned = with_short_rotations(graph_, results);
    check(*turned.graph, turned.results);
  }

 private:
  void add_symbols(const std::vector<Expr>& symbols, std::vector<Field>& values) {
    for (const Expr& symbol : symbols) {
      values.push_back(Field(0x12345678u + 7919u * pool_.size() * pool_.size() + static_cast<std::uint64_t>(bytes_.byte())));
      pool_.push_back({symbol, values.back(), 0, 1, true});
    }
  }

  const Value& pick() {  // mostly something recent
    const std::uint32_t how = bytes_.byte();
    const std::size_t back = how < 160 ? how % 8 : bytes_.byte();
    return pool_[pool_.size() - 1 - std::min(back, pool_.size() - 1)];
  }

  void step() {
    constexpr double kNumbers[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 0.25};
    const std::uint32_t what = bytes_.byte() % 16;
    const Value a = pick();
    if (what == 0) {
      const double number = kNumbers[bytes_.below(10)];
      pool_.push_back({Expr(number), Field::of(number), 2, 2});
    } else if (what == 1) {
      pool_.push_back({-a.expression, -a.value, a.below, a.above});
    } else if (what == 2) {
      turn();
    } else {
      combine(what, a, pick());
    }
  }

  /// Of an input, or of a sum of two: what cannot turn out to be a number, whose sine would be folded (the field has no such sines).
  void turn() {
    const std::size_t i = bytes_.below(inputs_.size());
    const std::size_t j = bytes_.below(inputs_.size());
    Expr angle = pool_[i].expression;
    Field value = pool_[i].value;
    if (i != j) {
      const bool minus = bytes_.below(2) == 1;
      angle = minus ? angle - pool_[j].expression : angle + pool_[j].expression;
      value = minus ? value - pool_[j].value : value + pool_[j].value;
    }
    const SinCos<Expr> turn = sincos(angle);
    pool_.push_back({turn.sin, value.sine(), 0, 1, true});
    pool_.push_back({turn.cos, value.cosine(), 0, 1, true});
  }

  void combine(std::uint32_t what, const Value& a, const Value& b) {
    Value c;
    if (what <= 5) {
      c = {a.expression + b.expression, a.value + b.value, std::max(a.below, b.below), std::max(a.above, b.above) + 1};
    } else if (what <= 8) {
      c = {a.expression - b.expression, a.value - b.value, std::max(a.below, b.below), std::max(a.above, b.above) + 1};
    } else if (what <= 14) {
      c = {Expr(0), a.value * b.value, a.below + b.below, a.above + b.above};
      if (c.below + c.above <= kMostBits) c.expression = a.expression * b.expression;
    } else {
      // By a power of two, whose inverse is exact, or by a symbol, a sine or a cosine. Anything else might turn out to be a number like 3, and be folded to
      // 1/3.
      int exponent = 0;
      const bool exact = b.expression.is_number() ? std::frexp(std::fabs(b.expression.number()), &exponent) == 0.5 : b.atom;
      if (b.value.zero() || !exact) return;
      c = {Expr(0), a.value / b.value, a.below + b.above, a.above + b.below};
      if (c.below + c.above <= kMostBits) c.expression = a.expression / b.expression;
    }
    if (c.below + c.above <= kMostBits) pool_.push_back(c);
  }

  static long operations(const Graph& graph, const std::vector<Expr>& results) {
    const OperationCounts counts = count(graph, results);
    return counts.mul + counts.add + counts.div;
  }

  void check(const Graph& graph, const std::vector<Expr>& results) {
    const OutputOf output{"y", results};
    for (const Fuse fuse : {Fuse::no, Fuse::yes}) {
      const Program program = make_program(graph, {&output, 1}, fuse);
      for (std::size_t k = 0; k < results_.size(); ++k)
        promise(field_of(program, inputs_, parameters_, k) == results_[k].value, "a program gives what was written");
    }
  }

  Bytes bytes_;
  Graph graph_;
  std::vector<Field> inputs_, parameters_;
  std::vector<Value> pool_, results_;
};

}  // namespace

void graph(Input input) {
  if (input.size() < 4) return;
  Build(input).compare();
}

}  // namespace ulna::fuzz
