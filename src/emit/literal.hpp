// Numbers and sentences that generated code has in every language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emit/written.hpp"

#include "emit/quantities.hpp"

namespace ulna::internal {

/// The shortest decimal text that reads back to `value` (>= 0) in this precision; always with a point or an exponent.
std::string literal(double value, Real real);
std::string signed_literal(long double value, Real real);
/// "1.0, -2.5, 0.125"
template <class Numbers>
std::string literals(const Numbers& numbers, Real real) {
  std::string out;
  for (const auto x : numbers) {
    if (!out.empty()) out += ", ";
    out += signed_literal(x, real);
  }
  return out;
}

/// What a file says first, as lines without marks of a comment: what it is, from what, the coordinates, the units; then `use`. `base` is the first index.
std::vector<std::string> banner(const GeneratedRobot& robot, const std::string& file, const std::vector<std::string>& use, std::size_t base = 0);
/// "Joint coordinates in the order of every vector:"
const char* vectors_text(const GeneratedRobot& robot);
/// "Rotor inertias are in the equations, friction is not."
std::string influences_text(const GeneratedRobot& robot);
/// What "close" does, of a robot with loops.
std::vector<std::string> close_explained();
/// "states within the joint limits", over which errors of floats are measured.
const char* measured_states(const GeneratedRobot& robot);
/// How the names of intermediate quantities are to be read.
std::vector<std::string> names_explained();
/// "264 multiplications, 258 additions, sines and cosines of 6 angles; guards: …"
std::string counts_text(const Program& program);
/// What a function gives and what it costs.
std::vector<std::string> explained(const GeneratedRobot& robot, const Generated& made);
/// The angle `i` with what it is made of, where that is not an input.
std::string angle_text(const Written& written, std::size_t i);

/// Every line after `mark`, without blanks at the end.
std::string commented(const std::vector<std::string>& lines, std::string_view mark);

/// Whether `signal` has an element in `body`, as "signal[". Compilers warn of arguments that nothing uses.
bool uses_signal(std::string_view body, std::string_view signal);
bool uses_signal(const Written& written, std::string_view signal);

}  // namespace ulna::internal
