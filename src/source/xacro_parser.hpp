// The text of an expression in a xacro file, as a tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/xacro_value.hpp"

namespace ulna::internal {

/// Chains of operators of one level are one node, so that a long sum is no deep tree.
struct Expression {
  enum class Kind { constant, name, chain, power, sign, compare, either, both, negate, choice, list, tuple, dict, index, slice, member, call, comprehension };
  Kind kind = Kind::constant;
  std::string text{};                // a name
  XacroValue value{};                // of a constant
  std::vector<Expression> parts{};   // operands
  std::vector<std::string> signs{};  // operators between them; names of keyword arguments; targets of a comprehension
};

/// Throws XacroError.
Expression parse_expression(std::string_view text);

}  // namespace ulna::internal
