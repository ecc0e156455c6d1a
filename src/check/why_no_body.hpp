// Whether a body of positive density can have a mass and an inertia.
#pragma once

#include <string>

#include <ulna/model/payload.hpp>

namespace ulna {

/// Published inertias carry about six digits: a violation smaller than that is rounding, not a fault.
inline constexpr double kInertiaDigits = 1e-6;

/// Empty when a body can have them. A mass of 0 is one, if there is no inertia.
std::string why_no_body(const Payload& load);

}  // namespace ulna
