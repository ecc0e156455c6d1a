#include "text/message.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ulna::internal {

char* write_number(char* to, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, to);  // without a sign: it has no meaning
  return std::to_chars(to, to + kNumberBytes, value).ptr;
}

std::string to_text(double value) {
  char buffer[kNumberBytes];
  return {buffer, write_number(buffer, value)};
}

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace ulna::internal
