// What the inputs and results of each quantity are called.
#pragma once

#include <vector>

#include <ulna/emit/equations.hpp>

namespace ulna::internal {

/// "q3": numbers are those that people count by, from 1.
EquationMark numbered(const char* letter, std::size_t number, int dots = 0);

/// Numbers of the joints are those of q, `speeds` those of the rest; a free base stands before them. q, then rates, then accelerations or joint forces, as far
/// as the quantity has them.
std::vector<EquationMark> input_marks(Quantity what, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& speeds, bool free);
inline std::vector<EquationMark> input_marks(const EquationSet& set) { return input_marks(set.what, set.numbers, set.speeds, set.free); }

/// One for each entry of what a kernel gives: of a symmetric matrix those on and above the diagonal, row by row; of others column by column.
std::vector<EquationMark> result_marks(Quantity what, const std::vector<std::size_t>& speeds, bool free);

}  // namespace ulna::internal
