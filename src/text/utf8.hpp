// UTF-8, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal {

/// Not the first byte of a character.
constexpr bool continues_utf8(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

/// Length of the well-formed sequence at the start of `text`; 0 when there is none (stray or missing continuation, overlong, surrogate, beyond U+10FFFF).
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not UTF-8, or the size.
std::size_t first_not_utf8(std::string_view text);
inline bool is_utf8(std::string_view text) { return first_not_utf8(text) == text.size(); }

/// Characters, which is how wide a text is in a column.
std::size_t utf8_characters(std::string_view text);

}  // namespace ulna::internal
