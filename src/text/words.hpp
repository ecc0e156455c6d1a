// Text between blanks.
#pragma once

#include <string_view>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

/// Not by the locale, as <cctype> has it.
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Without blanks, tabs and line ends around it.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// White-space separated words.
std::vector<std::string_view> words(std::string_view text);

}  // namespace ulna::internal
