// Compares machine code with its program: the same operations, so the same bits.
#pragma once

#include <span>

#include "jit/routine.hpp"

namespace ulna::internal::jit {

/// A function on states that stand one after the other, as their results do; of lanes, a multiple of their number.
template <class T>
void call(const Trial& trial, std::span<const T> states, std::span<T> results);

/// Sine and cosine of an angle.
Program sine_program();

/// What a program gives when it is interpreted in the kernels' precision, for a few sets of numbers all over the range of angles. Its machine code must give
/// the same bits. Only sines and cosines are those of machine code, `sines`, the function of sine_program(), and are held to the C library's. Whether the
/// program is right, the oracle decides. O(instructions).
template <class T>
class Bits {
 public:
  Bits(const Program& program, std::span<const double> parameters, const Trial& sines);
  /// Results of machine code for one state, which is known to give the bits of its program, as that of lanes is: only parameters differ.
  explicit Bits(const Trial& one);
  /// Other numbers in every lane. False where a sine is wrong, too.
  bool are_those_of(const Trial& trial) const;

 private:
  void choose_states();
  static constexpr std::size_t kStates = 5;  // divides no number of lanes
  std::size_t nx_, ny_;
  std::vector<T> in_, out_;
  bool sines_right_ = true;
  std::size_t blocks_ = 2;  // because the second has other addresses
};

}  // namespace ulna::internal::jit
