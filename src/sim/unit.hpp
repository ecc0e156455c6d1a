// Numbers with units: "3 kg", "500 g", "5 deg", "1 kHz". A bare number is in the unit that is asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/parse_number.hpp"

namespace ulna::internal::sim {

/// In SI units, radians and bytes. `wanted` is one of the units of the table, "1" for a number without one. Nothing, and why, for a unit that is unknown or of
/// another kind.
std::optional<double> parse_quantity(std::string_view text, std::string_view wanted, ulna::internal::NumberProblem& problem);

/// A unit behind the last number of a list is that of those before it that have none: [0, 3 kg].
std::string with_unit_of(const std::string& text, const std::string& last);

}  // namespace ulna::internal::sim
