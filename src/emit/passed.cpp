#include "emit/passed.hpp"

#include <cmath>
#include <stdexcept>

#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

template <class T>
std::optional<Miss> first_miss_of(const Generated& made) {
  EvaluationOf<T> program(made.program);
  std::vector<T> got(made.program.results.size());
  for (std::size_t k = 0; k < made.tests.size(); ++k) {
    const TestState& test = made.tests[k];
    program(program_inputs<T>(made, test.inputs), got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const T difference = std::fabs(got[i] - static_cast<T>(test.expected[i]));
      if (!(difference <= static_cast<T>(test.tolerance))) return Miss{k, i, static_cast<double>(difference), test.tolerance};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Miss> first_miss(const Generated& made, Real real) {
  return real == Real::single_precision ? first_miss_of<float>(made) : first_miss_of<double>(made);
}

void require_passed(const Generated& made, const std::string& robot, const GenerateOptions& options) {
  const std::optional<Miss> miss = first_miss(made, options.real);
  if (!miss) return;
  const bool single = options.real == Real::single_precision;
  const char* cure = single                         ? "generate them in double precision"
                     : !options.formulation.empty() ? "generate them without a formulation: the search keeps the digits that rounding would cost"
                                                    : "look for masses, lengths or inertias in the file that differ by many orders of magnitude";
  throw std::invalid_argument(cat("the equations of ", made.what(), " for robot ", in_quotes(robot), " would fail their own test in ",
                                  single ? "single" : "double", " precision: result ", miss->result + 1, " of state ", miss->state + 1, " is off by ",
                                  rounded(miss->difference), ", and rounding explains ", rounded(miss->allowed), "; nothing was written; ", cure));
}

}  // namespace ulna::internal
