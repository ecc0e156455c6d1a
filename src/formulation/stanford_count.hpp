// Kane & Levinson's equations of the Stanford arm, counted in the pieces their paper names.
#pragma once

#include <ulna/formulation/formulation.hpp>

#include "formulation/kane_stanford.hpp"

namespace ulna::internal {

/// tau_1 … tau_5 and sigma from q, u and du/dt. What happens to vanish or to be 1 among the numbers of `arm` is skipped.
AsWritten count_stanford_torque(const StanfordArm<double>& arm);
/// du/dt from q, u and the forces.
AsWritten count_stanford_acceleration(const StanfordArm<double>& arm);

/// An arm of this kind in which no parameter is 0 or 1 and no two are equal, so that nothing vanishes by accident.
StanfordArm<double> general_stanford_arm();

}  // namespace ulna::internal
