// The attributes that MJCF's elements have, so that a misspelt one is not passed over.
#pragma once

#include <string_view>
#include <vector>

#include "source/mjcf_files.hpp"

namespace ulna::internal {

/// All actuators share one set of attributes and defaults here: <position> in a class also speaks for <motor>.
bool is_actuator(std::string_view element);

/// What the table has for a kind: "compiler", "body", "actuator", …
std::vector<std::string_view> known_attributes(std::string_view kind);

/// Reports attributes and children that MuJoCo does not know, as errors: its schema refuses them, too. `kind` is the element's name; "equality" or "tendon" for
/// what stands in those sections, "<equality>", "<tendon>" or "<actuator>" for the section, "<fixed>" for a joint of a tendon.
void expect_known(const XmlElement& element, std::string_view kind);

}  // namespace ulna::internal
