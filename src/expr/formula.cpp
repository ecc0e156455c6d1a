// Programs as text: instruction by instruction, and their values as formulas.
#include <ostream>
#include <stdexcept>

#include <ulna/expr/program.hpp>

#include "expr/op_kinds.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

enum class Binding { sum, product, atom };

bool is_constant(const Program& program, std::size_t value) { return value >= program.first_constant() && value < program.first_instruction(); }

/// A number is shortened: this text is for reading.
std::string leaf(const Program& program, std::size_t value) {
  if (is_constant(program, value)) return rounded(program.constants[value - program.first_constant()]);
  return value_name(program, value);
}

std::string written(const Program& program, std::size_t value, int depth, Binding around);

/// a * b, a number first.
std::string product_text(const Program& program, const Instruction& step, int depth) {
  const bool swap = is_constant(program, step.b);
  return cat(written(program, swap ? step.b : step.a, depth, Binding::product), " * ", written(program, swap ? step.a : step.b, depth, Binding::product));
}

std::string written(const Program& program, std::size_t value, int depth, Binding around) {
  if (depth == 0 || value < program.first_instruction()) return leaf(program, value);
  const Instruction& step = program.instructions[value - program.first_instruction()];
  const auto part = [&](std::size_t v, Binding binding) { return written(program, v, depth - 1, binding); };
  const auto enclosed = [&](std::string text, Binding own) { return own < around ? cat("(", text, ")") : text; };
  const auto product = [&] { return product_text(program, step, depth - 1); };
  switch (step.op) {
    case Op::add: return enclosed(cat(part(step.a, Binding::sum), " + ", part(step.b, Binding::sum)), Binding::sum);
    case Op::subtract: return enclosed(cat(part(step.a, Binding::sum), " - ", part(step.b, Binding::product)), Binding::sum);
    case Op::multiply: return enclosed(product(), Binding::product);
    case Op::divide: return enclosed(cat(part(step.a, Binding::product), " / ", part(step.b, Binding::atom)), Binding::product);
    case Op::sine: return cat("sin(", part(step.a, Binding::sum), ")");
    case Op::cosine: return cat("cos(", part(step.a, Binding::sum), ")");
    case Op::multiply_add: return enclosed(cat(product(), " + ", part(step.c, Binding::sum)), Binding::sum);
    case Op::multiply_subtract: return enclosed(cat(product(), " - ", part(step.c, Binding::product)), Binding::sum);
    case Op::subtract_product: return enclosed(cat(part(step.c, Binding::sum), " - ", product()), Binding::sum);
  }
  return {};
}

/// The deepest that still fits.
template <class Write>
std::string deepest(Write write, std::size_t length) {
  std::string best = write(0);
  for (int depth = 1; depth < 20; ++depth) {
    std::string deeper = write(depth);
    if (deeper.size() > length || deeper == best) break;
    best = std::move(deeper);
  }
  return best;
}

std::string element(const std::vector<Signal>& signals, std::size_t k) {
  for (const Signal& s : signals) {
    if (k < s.size) return cat(s.name, "[", std::to_string(k), "]");
    k -= s.size;
  }
  return "?";
}

}  // namespace

std::string formula(const Program& program, std::size_t value, std::size_t length) {
  if (value >= program.value_count())
    throw std::invalid_argument(cat("the program has values 0 to ", program.value_count() - 1, ", but value ", value, " is requested"));
  return deepest([&](int depth) { return written(program, value, depth, Binding::sum); }, length);
}

std::string formula(const Program& program, const DroppedTerm& term, std::size_t length) {
  if (term.sum >= program.instructions.size())
    throw std::invalid_argument(
        cat("the program has instructions 0 to ", static_cast<std::int64_t>(program.instructions.size()) - 1, ", but instruction ", term.sum, " is requested"));
  const Instruction& step = program.instructions[term.sum];
  const bool negative = term.second ? step.op == Op::subtract || step.op == Op::multiply_subtract : step.op == Op::subtract_product;
  const std::string sign = negative ? "-" : "";
  const Binding around = negative ? Binding::product : Binding::sum;
  if (is_fused(step.op) && !term.second) return deepest([&](int depth) { return cat(sign, product_text(program, step, depth)); }, length);
  const std::size_t value = is_fused(step.op) ? step.c : term.second ? step.b : step.a;
  return deepest([&](int depth) { return cat(sign, written(program, value, depth, around)); }, length);
}

std::string value_name(const Program& program, std::size_t value) {
  if (value < program.input_count()) return element(program.inputs, value);
  if (value < program.first_constant()) return element(program.parameters, value - program.input_count());
  if (value < program.first_instruction()) return to_text(program.constants[value - program.first_constant()]);
  return cat("t", std::to_string(value - program.first_instruction()));
}

void print(std::ostream& out, const Program& program) {
  const auto name = [&](std::size_t value) { return value_name(program, value); };
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    out << 't' << i << " = ";
    switch (step.op) {
      case Op::add: out << name(step.a) << " + " << name(step.b); break;
      case Op::subtract: out << name(step.a) << " - " << name(step.b); break;
      case Op::multiply: out << name(step.a) << " * " << name(step.b); break;
      case Op::divide: out << name(step.a) << " / " << name(step.b); break;
      case Op::sine: out << "sin(" << name(step.a) << ')'; break;
      case Op::cosine: out << "cos(" << name(step.a) << ')'; break;
      case Op::multiply_add: out << name(step.a) << " * " << name(step.b) << " + " << name(step.c); break;
      case Op::multiply_subtract: out << name(step.a) << " * " << name(step.b) << " - " << name(step.c); break;
      case Op::subtract_product: out << name(step.c) << " - " << name(step.a) << " * " << name(step.b); break;
    }
    out << '\n';
  }
  for (std::size_t k = 0; k < program.results.size(); ++k)
    out << element(program.outputs, k) << " = " << (program.results[k].negative ? "-" : "") << name(program.results[k].value) << '\n';
}

}  // namespace ULNA_API
