// Text inside an SVG file or an HTML page.
#pragma once

#include <string>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal {

/// With the characters that mean something in XML and HTML replaced, in elements as in attributes. Control characters, which make no valid file, become blanks,
/// and bytes that are no UTF-8 the sign for that, U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace ulna::internal
