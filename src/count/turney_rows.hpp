// The formulations of Turney, Mudge & Lee 1980 line by line, so that each row of their Tables 2, 3 and 4 has a count of its own.
//
// The lines are those of lagrange.hpp, newton_euler.hpp and modified_newton_euler.hpp; here each runs under the name of the table's row, on numbers
// that mean nothing. A test holds the sums of the rows against the counts of the formulations.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

struct CountedRow {
  std::string_view name;
  OperationCounts counts;
};

std::vector<CountedRow> lagrange_rows(std::size_t n);               // Table 2
std::vector<CountedRow> newton_euler_rows(std::size_t n);           // Table 3, and "tau"
std::vector<CountedRow> modified_newton_euler_rows(std::size_t n);  // Table 4, and "tau"

}  // namespace ulna::internal
