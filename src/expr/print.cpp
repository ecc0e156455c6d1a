#include <ulna/expr/program.hpp>

#include <ostream>

#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

std::string element(const std::vector<Signal>& signals, std::size_t k) {
  for (const Signal& s : signals) {
    if (k < s.size) return cat(s.name, "[", std::to_string(k), "]");
    k -= s.size;
  }
  return "?";
}

}  // namespace

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
