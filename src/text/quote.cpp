#include "text/message.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

/// C0, DEL, and U+0080 to U+009F, some of which terminals obey.
bool is_control(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  return byte < 0x20 || byte == 0x7f || (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0);
}

}  // namespace

std::string visible(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_control(text, i))
      (out += "\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    else
      out += text[i];
  }
  return out;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 120;
  std::size_t end = std::min(name.size(), kLongest);
  while (end < name.size() && end > 0 && continues_utf8(name[end])) --end;  // cut between characters
  return cat("'", visible(name.substr(0, end)), name.size() > kLongest ? "...'" : "'");
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(text, i)) return true;
  return false;
}

}  // namespace ulna::internal
