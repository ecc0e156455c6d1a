// States in which programs are tried: the same for the same robot on every machine.
#pragma once

#include <vector>

#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// Of each coordinate: 1 for radians; for a slide a length, a small part of the robot's, because a joint that is far out would hide what the others lose.
std::vector<double> coordinate_units(const Plan& plan);

/// q of the same kind; a free base stands anywhere, in an attitude that is none of the simple ones.
std::vector<double> spread_configuration(const Plan& plan, const std::vector<double>& units, std::size_t which, double scale);

/// List `which` of numbers that fill (-scale, scale) evenly, in units of the coordinates, never near 0, so that all terms take part. All are floats, so that
/// both precisions get the same.
std::vector<double> spread_numbers(const std::vector<double>& units, std::size_t which, double scale);

}  // namespace ulna::internal
