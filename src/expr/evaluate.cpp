#include <ulna/expr/program.hpp>

#include <stdexcept>

#include "expr/run.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

void require(const char* what, std::size_t given, std::size_t wanted) {
  if (given != wanted) throw std::invalid_argument(cat("the program takes ", wanted, " ", what, ", but ", given, " were given"));
}

}  // namespace

template <class T>
EvaluationOf<T>::EvaluationOf(const Program& program, std::span<const double> parameters) : program_(&program), values_(program.value_count()) {
  require("parameters", parameters.size(), program.parameter_count());
  std::size_t at = program.input_count();
  for (const double p : parameters) values_[at++] = static_cast<T>(p);
  for (const double c : program.constants) values_[at++] = static_cast<T>(c);
  run<T>(program, values_, 0, program.precomputed);
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
  run<T>(*program_, values_, program_->precomputed, program_->instructions.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Output& result = program_->results[k];
    const T value = values_[result.value];
    outputs[k] = result.negative ? -value : value;
  }
}

template class EvaluationOf<double>;
template class EvaluationOf<float>;
template class EvaluationOf<long double>;

}  // namespace ULNA_API
