// Numbers as text.
#pragma once

#include <cstddef>
#include <string>

#include <ulna/export.hpp>

namespace ulna::internal {

inline constexpr std::size_t kNumberBytes = 32;  // no number is longer
/// The shortest text that reads back to the same bits; nan, inf and -inf as words. Returns the end of what was written.
char* write_number(char* to, double value);
/// The same as a string.
std::string to_text(double value);

/// Six significant digits, for numbers in sentences.
std::string rounded(double value);

}  // namespace ulna::internal
