// What a unit of FMI is made of.
#pragma once

#include <string>
#include <string_view>

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

/// Behind definitions of UNIT_NQ, UNIT_NV, UNIT_VARIABLES, UNIT_TABLE (numbers of the table of run-time parameters, 0 for none), UNIT_FREE (1 for a free base),
/// UNIT_FIXED and UNIT_INPUTS (value references below the first are parameters that stay, below the second parameters that may change), UNIT_Q (reference of
/// q[0], behind which are v and a), UNIT_TOLERANCE and UNIT_SMOOTH (references, the second -1 for no friction), UNIT_GUID, and of the functions
///   unit_start(x): start values of all variables;
///   unit_fold(x, table): the table of the parameters;
///   unit_friction(x, v, tau): takes friction from the torques;
///   unit_forward(x, table, q, v, tau, a): accelerations.
/// Of a robot with loops unit_friction(x, q, v, tau) takes q, too, and there are
///   unit_speeds(q, v, speeds): of all coordinates of the tree;
///   unit_close(q, steps): steps of Newton's method; how far q is from closed, which is closed below UNIT_CLOSED.
/// With a law, for trees, UNIT_STEP takes the place of UNIT_TOLERANCE, UNIT_MEMORY is the number of states of the law, torques of the law are behind a, and
/// there are unit_breaks[UNIT_BREAKS], times from 0 on at which the law jumps, and
///   unit_stretch(t): which of the stretches between them a time is in;
///   unit_inside(k, t): a time inside stretch k, next to t;
///   unit_law(x, t, q, v, memory, tau, rate): its torques, and the rates of its memory.
/// `version`: 2 or 3, of the standard.
std::string fmi_source(int version, bool loops, bool law);

/// Its end: the functions that the standard names, by those of the unit.
std::string_view fmi_interface(int version);

}  // namespace ulna::internal
