// Values with units in the fields of a scenario or a campaign: "3 kg", "500 g", "5 deg", "1 kHz". A bare number is in the requested unit. Errors
// are reported at their line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>

#include "source/yaml.hpp"

namespace ulna::internal::sim {

/// The value of the node at `key`, in `unit`; nothing after an error.
std::optional<double> one(YamlFields& fields, std::string_view key, const YamlNode& node, std::string_view unit);
/// Not below `least`; `fallback` where the key is missing, or wrong (an error).
double quantity(YamlFields& fields, std::string_view key, double fallback, std::string_view unit, double least);
std::uint64_t whole(YamlFields& fields, std::string_view key, std::uint64_t fallback, std::uint64_t least, std::uint64_t most);
/// A list, or at the key 'grid' {from: a, to: b, count: n}; a unit behind the last number is that of all. Empty after an error.
std::vector<double> quantities(YamlFields& fields, std::string_view key, std::string_view unit);
/// The same of a list that stands somewhere below the key.
std::vector<double> list_of(YamlFields& fields, std::string_view key, const YamlNode& node, std::string_view unit);
/// One number for all of these joints, or a list; in the unit of revolute joints, or of prismatic ones. Zeros where the key is missing.
std::vector<double> of_joints(YamlFields& fields, std::string_view key, std::string_view turning, std::string_view sliding, const Model& model,
                              const std::vector<std::size_t>& joints);

}  // namespace ulna::internal::sim
