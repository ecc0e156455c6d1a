#include <ulna/expr/program.hpp>

#include <bit>

#include "expr/live.hpp"

namespace ulna::internal {

namespace {

std::size_t total(const std::vector<Signal>& signals) {
  std::size_t sum = 0;
  for (const Signal& s : signals) sum += s.size;
  return sum;
}

bool is_binary(Operation operation) { return operation >= Operation::add && operation <= Operation::divide; }
bool is_arithmetic(Operation operation) { return operation >= Operation::add; }

bool is_two(const Graph& graph, std::uint32_t node) {
  const Node& n = graph.nodes()[node];
  return n.operation == Operation::constant && graph.constants()[n.a] == 2;
}

Op op_of(Operation operation) {
  switch (operation) {
    case Operation::subtract: return Op::subtract;
    case Operation::multiply: return Op::multiply;
    case Operation::divide: return Op::divide;
    case Operation::sine: return Op::sine;
    case Operation::cosine: return Op::cosine;
    default: return Op::add;
  }
}

}  // namespace

std::vector<std::uint8_t> live_nodes(const Graph& graph, std::span<const Expr> outputs) {
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<std::uint8_t> live(nodes.size(), 0);
  for (const Expr& x : outputs)
    if (!x.is_number()) live[x.node()] = 1;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (live[i] == 0 || !is_arithmetic(nodes[i].operation)) continue;
    live[nodes[i].a] = 1;
    if (is_binary(nodes[i].operation)) live[nodes[i].b] = 1;
  }
  return live;
}

std::vector<std::uint32_t> use_counts(const Graph& graph, std::span<const Expr> outputs, const std::vector<std::uint8_t>& live) {
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<std::uint32_t> uses(nodes.size(), 0);
  for (const Expr& x : outputs)
    if (!x.is_number()) ++uses[x.node()];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (live[i] == 0 || !is_arithmetic(nodes[i].operation)) continue;
    ++uses[nodes[i].a];
    if (is_binary(nodes[i].operation)) ++uses[nodes[i].b];
  }
  return uses;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

OperationCounts count(const Graph& graph, std::span<const Expr> outputs) {
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<std::uint8_t> live(nodes.size(), 0);
  for (const Expr& x : outputs)
    if (!x.is_number()) live[x.node()] = 1;
  // Backwards, so that a node's users come before it. Searches do this for every candidate.
  OperationCounts counts;
  std::uint32_t cosine_of = kNoValue;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& n = nodes[i];
    if (live[i] == 0 || !is_arithmetic(n.operation)) continue;
    live[n.a] = 1;
    if (is_binary(n.operation)) live[n.b] = 1;
    if (n.fixed) continue;
    switch (n.operation) {
      case Operation::multiply: ++(n.scaled && is_two(graph, n.a) ? counts.add : counts.mul); break;
      case Operation::divide: ++counts.div; break;
      case Operation::cosine:
        ++counts.sincos;
        cosine_of = n.a;
        break;
      case Operation::sine:  // stands right before the cosine of the same angle
        if (n.a != cosine_of) ++counts.sincos;
        break;
      default: ++counts.add;
    }
  }
  return counts;
}

std::size_t Program::input_count() const { return total(inputs); }
std::size_t Program::parameter_count() const { return total(parameters); }

Program make_program(const Graph& graph, std::span<const OutputOf> outputs, Fuse fuse) {
  const std::vector<Node>& nodes = graph.nodes();
  Program program;
  program.inputs = graph.input_signals();
  program.parameters = graph.parameter_signals();
  std::vector<Expr> wanted;
  for (const OutputOf& output : outputs) {
    program.outputs.push_back({output.name, output.values.size()});
    wanted.insert(wanted.end(), output.values.begin(), output.values.end());
  }
  const std::vector<std::uint8_t> live = live_nodes(graph, wanted);
  // 2 x is done as x + x, so a constant 2 that only doubles is not needed.
  std::vector<std::uint8_t> needed(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    if (live[i] == 0 || !is_arithmetic(n.operation)) continue;
    const bool doubles = n.operation == Operation::multiply && (is_two(graph, n.a) || is_two(graph, n.b));
    if (!doubles || !is_two(graph, n.a)) needed[n.a] = 1;
    if (is_binary(n.operation) && (!doubles || !is_two(graph, n.b))) needed[n.b] = 1;
  }

  // Numbers of values.
  std::vector<std::uint32_t> number(nodes.size(), kNoValue);
  const auto inputs = static_cast<std::uint32_t>(graph.input_count());
  std::uint32_t next = inputs + static_cast<std::uint32_t>(graph.parameter_count());
  const auto constant = [&](double value) {
    program.constants.push_back(value);
    return next++;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    if (n.operation == Operation::input) number[i] = n.a;
    if (n.operation == Operation::parameter) number[i] = inputs + n.a;
    if (n.operation != Operation::constant || needed[i] == 0) continue;
    number[i] = constant(graph.constants()[n.a]);
  }
  std::vector<Output> literal_results;
  for (const Expr& x : wanted)
    literal_results.push_back(x.is_number() ? Output{constant(std::fabs(x.number())), std::signbit(x.number())} : Output{kNoValue, x.negative()});

  for (const bool fixed : {true, false}) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i];
      if (live[i] == 0 || n.fixed != fixed || !is_arithmetic(n.operation)) continue;
      const auto value = [&](std::uint32_t node) { return number[node]; };
      Instruction to{op_of(n.operation), value(n.a), is_binary(n.operation) ? value(n.b) : kNoValue, kNoValue};
      if (n.operation == Operation::multiply && is_two(graph, n.a)) to = {Op::add, value(n.b), value(n.b), kNoValue};
      if (n.operation == Operation::multiply && is_two(graph, n.b)) to = {Op::add, value(n.a), value(n.a), kNoValue};
      program.instructions.push_back(to);
      program.names.push_back(graph.name_of(i));
      number[i] = next++;
    }
    if (fixed) program.precomputed = program.instructions.size();
  }
  for (std::size_t k = 0; k < wanted.size(); ++k)
    program.results.push_back(wanted[k].is_number() ? literal_results[k] : Output{number[wanted[k].node()], wanted[k].negative()});
  return fuse == Fuse::yes ? fused(program) : program;
}

OperationCounts Program::counts() const {
  OperationCounts counts;
  std::vector<std::uint8_t> angle(value_count(), 0);
  for (std::size_t i = precomputed; i < instructions.size(); ++i) {
    const Instruction& step = instructions[i];
    switch (step.op) {
      case Op::add:
      case Op::subtract: ++counts.add; break;
      case Op::multiply: ++counts.mul; break;
      case Op::divide: ++counts.div; break;
      case Op::sine:
      case Op::cosine:
        if (angle[step.a]++ == 0) ++counts.sincos;
        break;
      case Op::multiply_add:
      case Op::multiply_subtract:
      case Op::subtract_product:
        ++counts.mul;
        ++counts.add;
        break;
    }
  }
  for (const OperationCounts& apart : {angle_sums, guards}) {
    counts.mul -= apart.mul;
    counts.add -= apart.add;
  }
  return counts;
}

long Program::fused() const {
  long sum = 0;
  for (const Instruction& step : instructions) sum += step.op >= Op::multiply_add ? 1 : 0;
  return sum;
}

std::uint64_t Program::hash() const {
  std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a over 64-bit words
  const auto word = [&h](std::uint64_t x) {
    for (int k = 0; k < 8; ++k) h = (h ^ (x >> (8 * k) & 0xff)) * 0x100000001b3u;
  };
  const auto number = [&word](std::int64_t x) { word(static_cast<std::uint64_t>(x)); };
  const auto signals = [&](const std::vector<Signal>& all) {
    number(static_cast<std::int64_t>(all.size()));
    for (const Signal& s : all) {
      number(static_cast<std::int64_t>(s.size));
      number(static_cast<std::int64_t>(s.name.size()));
      for (const char c : s.name) word(static_cast<unsigned char>(c));
    }
  };
  signals(inputs);
  signals(parameters);
  signals(outputs);
  number(static_cast<std::int64_t>(constants.size()));
  for (const double c : constants) word(std::bit_cast<std::uint64_t>(c));
  number(static_cast<std::int64_t>(precomputed));
  number(static_cast<std::int64_t>(instructions.size()));
  const auto value = [&number](std::uint32_t x) { number(static_cast<std::int32_t>(x)); };  // kNoValue as -1
  for (const Instruction& step : instructions) {
    number(static_cast<std::int64_t>(step.op));
    value(step.a), value(step.b), value(step.c);
  }
  for (const Output& r : results) {
    value(r.value);
    number(r.negative ? 1 : 0);
  }
  return h;
}

}  // namespace ULNA_API
