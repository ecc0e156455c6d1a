// What must hold for a file of a robot, whatever it says.
#pragma once

#include <string>

#include "target.hpp"

namespace ulna::fuzz {

/// Reads the text under that name. A model or errors, never both; lines that the file has; and a model that was accepted can be computed with, and written as
/// URDF and read again.
void robot_file(std::string_view text, const std::string& name);

}  // namespace ulna::fuzz
