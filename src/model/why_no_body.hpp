// Whether a body of positive density can have a mass and an inertia.
#pragma once

#include <string>

#include <ulna/model/model.hpp>

namespace ulna::internal {

enum class BodyFault { none, negative_mass, inertia_without_mass, negative_moment, triangle };

/// Which law a mass and principal moments (ascending) break by more than the digits that they are given with. `noise` is rounding in the moments [kg m²].
BodyFault body_fault(double mass, const Vec3<double>& moments, double noise);

/// Empty when a body can have them. A mass of 0 is one, if there is no inertia.
std::string why_no_body(const Payload& load);

}  // namespace ulna::internal
