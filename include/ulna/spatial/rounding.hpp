// What is taken for rounding: how near two numbers must be to mean the same, by name and with the reason. Bounds that grow with a computation are not here;
// they are multiples of the unit roundoff where the computation is (dynamics/rounding.hpp, dynamics/pivots.hpp).
#pragma once

#include <ulna/export.hpp>

namespace ulna ULNA_API {

/// Of angles that people write: 1.57079632679 means π/2. Rotation entries this near to 0 and ±1 are taken as exact, unless a caller says otherwise (--snap).
inline constexpr double kSnap = 1e-9;

/// Of what was measured, published, or went through floats (inertias, unit vectors, rotation matrices): six digits. What misses a law by less obeys it.
inline constexpr double kGivenDigits = 1e-6;

/// Of a robot that was converted, or of equations that were multiplied out: twelve digits are kept, and what is smaller has cancelled.
inline constexpr double kKeptDigits = 1e-12;

/// Of directions that were computed in doubles: a few dozen operations.
inline constexpr double kDirectionRounding = 1e-14;

/// Of one entry beside the largest of its vector or matrix: a few operations. cos(π/2) in doubles is 6e-17.
inline constexpr double kEntryRounding = 1e-15;

}  // namespace ULNA_API
