// Functions of expressions in xacro files: of Python, its math and its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/xacro_value.hpp"

namespace ulna::internal {

/// What can be gone through: items of a list, keys of a dictionary, letters of a text.
Values items_of(const XacroValue& value);

/// A call. Each takes an argument as a type, and throws XacroError where it is of another.
struct FunctionArguments {
  std::string function;
  Values list;
  std::vector<std::pair<std::string, XacroValue>> keywords;

  void count(std::size_t least, std::size_t most) const;
  double number(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  const std::string& text(std::size_t i) const;
  const XacroValue* keyword(std::string_view name) const;
};

std::optional<XacroValue> of_math(const FunctionArguments& a);    // nothing where math has no such function
std::optional<XacroValue> of_python(const FunctionArguments& a);  // likewise
XacroValue of_text(const std::string& text, const FunctionArguments& a);
XacroValue of_dict(const XacroValue::Dict& dict, const FunctionArguments& a);

const std::set<std::string, std::less<>>& python_functions();
const std::set<std::string, std::less<>>& math_functions();
const std::set<std::string, std::less<>>& reader_functions();
std::optional<double> math_constant(const std::string& name);

}  // namespace ulna::internal
