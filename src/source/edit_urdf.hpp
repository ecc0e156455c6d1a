// Changes of a URDF file in place: attributes of its text, and nothing else of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal {

/// Attributes of an element, which is made where it is missing.
struct UrdfChange {
  bool link = false;              // a link's element, or a joint's
  std::string name;               // the link's or joint's
  std::vector<std::string> path;  // from there: inertial, mass; empty for the link or joint itself
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// What makes the robot of one description that of the other, which has the same links and joints: masses, inertias, placements, axes, friction and names of
/// joints. Another direction of gravity tilts the base.
std::vector<UrdfChange> urdf_changes(const Description& from, const Description& to);

/// "<link name="hand"><inertial><mass value="0.7"/>"
std::string to_string(const UrdfChange& change);

/// The text with these changes. Empty, with errors, where the file is none that can be changed in place.
std::optional<std::string> edit_urdf(std::string_view text, const std::vector<UrdfChange>& changes, Diagnostics& diagnostics, const ReadLimits& limits = {});

}  // namespace ulna::internal
