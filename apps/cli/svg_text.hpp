// Text inside an SVG file.
#pragma once

#include <string>
#include <string_view>

namespace ulna::cli {

/// With the characters that mean something in XML replaced, and control characters, which make no valid file, as blanks.
std::string svg_text(std::string_view text);

}  // namespace ulna::cli
