// Final passes on a robot's program: sines of sums that keep their digits, and results that are NaN where an input is bad. Both are ordinary instructions,
// so that the interpreter, machine code and generated code need no support for them.
#pragma once

#include <span>

#include <ulna/expr/program.hpp>

namespace ulna::internal {

/// sin(x + c) as sin x cos c + cos x sin c, where c is another angle, or known before the program runs: x + c would be rounded at the size of x, which is far
/// more than the sine loses for large x. The cost is in angle_sums.
Program with_angle_sums(const Program& program);

/// Treatment of the sine of an angle beyond kLargestAngle.
enum class Sine {
  limited,  // NaN: machine code, and Evaluation
  exact     // a number: the libraries of languages
};

/// The same numbers, bit for bit; but all results of a state are NaN when an input is NaN, infinite, or an angle beyond kLargestAngle, also those that do not
/// depend on it. No branch and no comparison:
///   guard = 0 x1 x2 …,   result + guard result,
/// where 0 times a finite number is 0 and 0 times anything else is NaN, so that results which are infinite become NaN, too. The factors are the inputs that
/// some result does not carry. A result carries an input when a path of sums, products, numerators and sines leads there: NaN stays NaN on it, infinity stays
/// infinity or becomes NaN. (Under a fraction an infinity would become 0.) Angles are multiplied by kOverflowsBeyond first.
/// Where results are many and inputs few, all inputs are factors, and sines that the results depend on get the guard in their place.
/// An input named "side" holds signs, one named "table" the robot's numbers: they are no part of the state, and have no guard. `rates` are the turning_rates()
/// of the first input, `single` the precision. What it costs is in guards. O(instructions * inputs / 64).
Program guarded(const Program& program, std::span<const double> rates, Sine sine, bool single);

/// Both.
inline Program ready(const Program& program, std::span<const double> rates, Sine sine, bool single) {
  return guarded(with_angle_sums(program), rates, sine, single);
}

}  // namespace ulna::internal
