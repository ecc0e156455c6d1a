// The arms whose counts the tables show; and what each line of a formulation costs on them, under the name that its text gives it, and how long the lines
// take side by side.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "scalar/counted.hpp"

namespace ulna::internal {

/// `general-R…` with n joints as it is.
Prepared general_arm(std::size_t n);

/// The same as the papers see it: principal axes along the standard frames, which makes K diagonal, and gravity along z_0 (Turney, Mudge & Lee, sec. 3, 5), and
/// a first row and a gravity of the modified frames that are as general as the rest (Lin counts the first joint's rotation in full). Only for counting: the
/// three forms in it are no longer the same robot.
Prepared table_arm(std::size_t n);

/// The rows that the formulation's own code names, in the order in which it comes to them: Tables 2 to 4 of Turney, Mudge & Lee 1980. Empty for a formulation
/// that names none. Throws std::invalid_argument where count_as_written() does.
std::vector<CountedRow> counted_rows(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

/// When the last unit is done, if every row has a unit of its own, and what was done on the longest chain: Table 5. Work that is in no row takes no time.
Arrival last_arrival(const std::vector<CountedRow>& rows);

}  // namespace ulna::internal
