// Expressions of xacro files: the part of Python's that such files use, evaluated here. No Python runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/xacro_value.hpp"

namespace ulna::internal {

/// What an expression takes from the file around it.
struct XacroNames {
  /// The property or parameter of this name; nothing where there is none. May evaluate it, and throw.
  std::function<std::optional<XacroValue>(const std::string& name)> find;
  /// Member of a namespace that an include made.
  std::function<XacroValue(const XacroValue& scope, const std::string& name)> member;
  /// A function of the file reader: load_yaml, warning, arg; nothing where it has none of this name.
  std::function<std::optional<XacroValue>(const std::string& name, const std::vector<XacroValue>& arguments)> call;
  /// Counts work and text, and throws when there is too much of it.
  std::function<void(std::size_t steps, std::size_t bytes)> spend;
  /// Names for "did you mean".
  std::function<std::vector<std::string>()> known;
};

/// The value of an expression; throws XacroError.
XacroValue evaluate_expression(std::string_view text, const XacroNames& names);

}  // namespace ulna::internal
