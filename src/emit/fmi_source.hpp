// The part of a unit of FMI that is the same for all robots, in C.
#pragma once

#include <string_view>

namespace ulna::internal {

/// Behind definitions of UNIT_NQ, UNIT_NV, UNIT_VARIABLES, UNIT_TABLE (numbers of the table of run-time parameters, 0 for none), UNIT_FREE (1 for a free base),
/// UNIT_FIXED and UNIT_INPUTS (value references below the first are parameters that stay, below the second parameters that may change), UNIT_Q (reference of
/// q[0], behind which are v and a), UNIT_TOLERANCE and UNIT_SMOOTH (references, the second -1 for no friction), UNIT_GUID, and of the functions
///   unit_start(x): start values of all variables;
///   unit_fold(x, table): the table of the parameters;
///   unit_friction(x, v, tau): takes friction from the torques;
///   unit_forward(x, table, q, v, tau, a): accelerations.
std::string_view fmi_source();

}  // namespace ulna::internal
