// Arithmetic of values, by Python's rules.
#pragma once

#include <cstdint>
#include <string>

#include "source/xacro_value.hpp"

namespace ulna::internal {

/// `value`, unless the operation that made it overflowed. By reference: that operation may write it after this argument is taken.
std::int64_t exact(bool overflow, const std::int64_t& value);
XacroValue arithmetic(const XacroValue& a, const std::string& sign, const XacroValue& b);
XacroValue raise(const XacroValue& a, const XacroValue& b);  // a ** b
bool less(const XacroValue& a, const XacroValue& b);
bool compares(const XacroValue& a, const std::string& sign, const XacroValue& b);
/// format % values.
std::string python_format(const std::string& format, const XacroValue& values);

}  // namespace ulna::internal
