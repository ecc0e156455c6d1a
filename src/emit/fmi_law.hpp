// The torque law and the reference of a scenario in C, for a unit of FMI.
#pragma once

#include <string>

#include <ulna/sim/scenario.hpp>

namespace ulna::internal {

/// Throws std::invalid_argument, with cause and cure, for a scenario that cannot be a unit.
void check_unit(const sim::Scenario& scenario);

/// The function of the law's model that it calls: "inverse", "gravity", or nothing.
std::string law_function(const sim::LawSettings& law);
/// The robot with its payloads.
Model loaded_robot(const sim::Scenario& scenario);

/// Definitions of UNIT_MEMORY, UNIT_BREAKS, unit_breaks, unit_stretch, unit_inside and unit_law: see fmi_source(). The gains kp, kd and ki of the joints stand
/// in x from `gains` on, as many as the law has; `prefix` is that of the function that it calls.
std::string law_in_c(const sim::Scenario& scenario, std::size_t gains, const std::string& prefix);

}  // namespace ulna::internal
