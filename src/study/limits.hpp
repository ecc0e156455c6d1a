// Where a motion breaks the limits that the model states.
#pragma once

#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/sim/simulate.hpp>

namespace ulna::internal {

/// At the rows of the trajectory. At most two for each joint and kind: below and above.
std::vector<LimitUse> broken_limits(const Model& model, const sim::Trajectory& trajectory);
/// Whether a joint has a limit of position, speed or effort.
bool has_limits(const Model& model);

}  // namespace ulna::internal
