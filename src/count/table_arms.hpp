// The arms whose counts the tables show.
#pragma once

#include <cstddef>

#include <ulna/formulation/formulation.hpp>

namespace ulna::internal {

/// `general-R…` with n joints as it is.
Prepared general_arm(std::size_t n);

/// The same as the papers see it: principal axes along the standard frames, which makes K diagonal (Turney, Mudge & Lee, sec. 5), and a first row and a
/// gravity of the modified frames that are as general as the rest (Lin counts the first joint's rotation in full). Only for counting: the three forms in
/// it are no longer the same robot.
Prepared table_arm(std::size_t n);

}  // namespace ulna::internal
