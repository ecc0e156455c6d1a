#include <ulna/expr/program.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "text/text.hpp"

namespace ulna {

namespace {

void require(const char* what, std::size_t given, std::size_t wanted) {
  if (given != wanted) throw std::invalid_argument(cat("the program takes ", wanted, " ", what, ", but ", given, " were given"));
}

/// As machine code has it.
template <class T>
T limited(T angle) {
  return std::fabs(angle) <= static_cast<T>(kLargestAngle) ? angle : std::numeric_limits<T>::quiet_NaN();
}

}  // namespace

template <class T>
EvaluationOf<T>::EvaluationOf(const Program& program, std::span<const double> parameters)
    : program_(&program), values_(program.value_count()) {
  require("parameters", parameters.size(), program.parameter_count());
  std::size_t at = program.input_count();
  for (const double p : parameters) values_[at++] = static_cast<T>(p);
  for (const double c : program.constants) values_[at++] = static_cast<T>(c);
  run(0, program.precomputed);
}

template <class T>
std::span<const T> EvaluationOf<T>::fixed() const {
  const std::size_t begin = program_->input_count();
  const std::size_t end = program_->first_instruction() + program_->precomputed;
  return {values_.data() + begin, end - begin};
}

template <class T>
void EvaluationOf<T>::operator()(std::span<const T> inputs, std::span<T> outputs) {
  require("inputs", inputs.size(), program_->input_count());
  if (outputs.size() != program_->results.size())
    throw std::invalid_argument(cat("the program has ", program_->results.size(), " outputs, but room for ", outputs.size(), " was given"));
  for (std::size_t k = 0; k < inputs.size(); ++k) values_[k] = inputs[k];
  run(program_->precomputed, program_->instructions.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Output& result = program_->results[k];
    const T value = values_[result.value];
    outputs[k] = result.negative ? -value : value;
  }
}

template <class T>
void EvaluationOf<T>::run(std::size_t from, std::size_t to) {
  const std::size_t first = program_->first_instruction();
  for (std::size_t i = from; i < to; ++i) {
    const Instruction& step = program_->instructions[i];
    const auto value = [&](std::uint32_t k) { return values_[k]; };
    T& result = values_[first + i];
    switch (step.op) {
      case Op::add: result = value(step.a) + value(step.b); break;
      case Op::subtract: result = value(step.a) - value(step.b); break;
      case Op::multiply: result = value(step.a) * value(step.b); break;
      case Op::divide: result = value(step.a) / value(step.b); break;
      case Op::sine: result = std::sin(limited(value(step.a))); break;
      case Op::cosine: result = std::cos(limited(value(step.a))); break;
      case Op::multiply_add: result = std::fma(value(step.a), value(step.b), value(step.c)); break;
      case Op::multiply_subtract: result = std::fma(value(step.a), value(step.b), -value(step.c)); break;
      case Op::subtract_product: result = std::fma(-value(step.a), value(step.b), value(step.c)); break;
    }
  }
}

template class EvaluationOf<double>;
template class EvaluationOf<float>;

}  // namespace ulna
