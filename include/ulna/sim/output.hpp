// A run as a table of numbers: the columns of the CSV, by name.
#pragma once

#include <string>
#include <vector>

#include <ulna/sim/simulate.hpp>

namespace ulna::sim {

/// t, q.NAME …, v.NAME …, a.NAME …, tau.NAME …, in the robot's joint order and Ulna's signs; then, where the scenario asks for them, tau1 … tau5 and sigma in
/// Kane and Levinson's (all but tau1 are exerted by the outer on the inner body).
std::vector<std::string> column_names(const Scenario& scenario);
/// One row of as many numbers.
void row_values(const Scenario& scenario, const Trajectory& trajectory, std::size_t row, std::vector<double>& values);

/// Units of a coordinate's quantities: "rad" or "m", "rad/s" or "m/s", "N m" or "N".
std::string position_unit(const Model& model, std::size_t coordinate);
std::string effort_unit(const Model& model, std::size_t coordinate);

}  // namespace ulna::sim
