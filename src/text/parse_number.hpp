// Numbers in model files. The whole text must be a number: "1,5", "5cm", "abc", "nan" are errors, each with its own explanation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal {

struct NumberProblem {
  std::string problem;
  std::string cure;
};

/// A finite number, or why `text` is none.
std::optional<double> parse_number(std::string_view text, NumberProblem& problem);

/// The same, and `pi`, `-pi/2`, `2*pi/3`, `pi/3` and the like.
std::optional<double> parse_angle(std::string_view text, NumberProblem& problem);

/// `nan` in any case, as C, Python and MATLAB write it, perhaps with a sign.
bool is_nan(std::string_view text);

}  // namespace ulna::internal
