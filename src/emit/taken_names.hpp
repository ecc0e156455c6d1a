// Names that a robot cannot have in a language. All are identifiers already; see identifier().
#pragma once

#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal {

/// As the name of a header. Functions have the robot's name before their own, which no library does.
bool taken_in_c(std::string_view name);
/// As the name of a namespace.
bool taken_in_cpp(std::string_view name);
/// As the name of a module and of a crate.
bool taken_in_rust(std::string_view name);
/// As the name of a module.
bool taken_in_python(std::string_view name);
/// MATLAB's functions have the robot's name before their own.
bool taken_nowhere(std::string_view name);

}  // namespace ulna::internal
