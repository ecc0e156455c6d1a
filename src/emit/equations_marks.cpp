#include "emit/equations_marks.hpp"

#include "text/cat.hpp"

namespace ulna {

EquationMark numbered(const char* letter, std::size_t number, int dots) { return {letter, cat(number), "", dots}; }

bool has_rates(EquationsOf what) {
  return what == EquationsOf::inverse || what == EquationsOf::bias || what == EquationsOf::forward || what == EquationsOf::energy;
}
bool has_third(EquationsOf what) { return what == EquationsOf::inverse || what == EquationsOf::forward; }
bool needs_own_masses(EquationsOf what) { return what == EquationsOf::energy || what == EquationsOf::pose || what == EquationsOf::jacobian; }
bool omits_zeros(EquationsOf what) { return what == EquationsOf::mass || what == EquationsOf::jacobian; }

std::vector<EquationMark> input_marks(EquationsOf what, const std::vector<std::size_t>& numbers) {
  std::vector<EquationMark> marks;
  const auto append = [&](const char* letter, int dots) {
    for (const std::size_t number : numbers) marks.push_back(numbered(letter, number, dots));
  };
  append("q", 0);
  if (has_rates(what)) append("q", 1);
  if (has_third(what)) what == EquationsOf::forward ? append("tau", 0) : append("q", 2);
  return marks;
}

std::vector<EquationMark> result_marks(EquationsOf what, const std::vector<std::size_t>& numbers) {
  std::vector<EquationMark> marks;
  const auto append = [&](const char* letter, int dots) {
    for (const std::size_t number : numbers) marks.push_back(numbered(letter, number, dots));
  };
  const std::size_t n = numbers.size();
  const auto pair = [&](std::size_t row, std::size_t column) { return n < 10 ? cat(row, column) : cat(row, ",", column); };
  switch (what) {
    case EquationsOf::inverse: append("tau", 0); break;
    case EquationsOf::bias: append("b", 0); break;
    case EquationsOf::gravity: append("G", 0); break;
    case EquationsOf::forward: append("q", 2); break;
    case EquationsOf::mass:
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) marks.push_back({"M", pair(numbers[i], numbers[j]), "", 0});
      break;
    case EquationsOf::energy: return {{"T", "", "", 0}, {"V", "", "", 0}};
    case EquationsOf::pose:
      for (const char* entry : {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}) marks.push_back({"R", entry, "", 0});
      for (const char* entry : {"x", "y", "z"}) marks.push_back({"p", entry, "", 0});
      break;
    case EquationsOf::jacobian:
      for (const std::size_t number : numbers)
        for (std::size_t row = 1; row <= 6; ++row) marks.push_back({"J", pair(row, number), "", 0});
      break;
  }
  return marks;
}

}  // namespace ulna
