// What the simulations that are timed must come to.
#pragma once

#include <vector>

#include <ulna/plan/plan.hpp>

namespace ulna::cli {

/// q and v, one after the other, after bench::kSimulatedSteps steps under torques that stay as they are, by the rule of Runge and Kutta as it stands in books,
/// on the plain templates: neither machine code nor the simulation library is in it.
std::vector<double> simulated(const Plan& plan, std::vector<double> q, std::vector<double> v, const std::vector<double>& tau);

/// The largest difference of a position and of a speed, in parts of the largest one there is (of 1 rad or 1 rad/s where that is more).
double simulated_difference(const std::vector<double>& result, const std::vector<double>& exact);

}  // namespace ulna::cli
