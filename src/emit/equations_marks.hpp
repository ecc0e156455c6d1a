// What the inputs and results of each quantity are called.
#pragma once

#include <vector>

#include <ulna/emit/equations.hpp>

namespace ulna {

/// "q3": numbers are those that people count by, from 1.
EquationMark numbered(const char* letter, std::size_t number, int dots = 0);

bool has_rates(EquationsOf what);
/// Accelerations, or joint forces of forward dynamics.
bool has_third(EquationsOf what);
/// Poses and Jacobians need neither masses nor gravity; energy needs the masses as they are, not lumped.
bool needs_own_masses(EquationsOf what);

/// q, then rates, then accelerations or joint forces, as far as the quantity has them.
std::vector<EquationMark> input_marks(EquationsOf what, const std::vector<std::size_t>& numbers);

/// One for each entry of what a kernel gives: of M those on and above the diagonal, row by row; of J column by column.
std::vector<EquationMark> result_marks(EquationsOf what, const std::vector<std::size_t>& numbers);

/// Whether entries that are zero are left out.
bool omits_zeros(EquationsOf what);

}  // namespace ulna
