#include "draw/svg_text.hpp"

namespace ulna::draw {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xf0 && byte(1) < 0x90) return 0;
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

std::string svg_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    switch (const char c = text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += ' ';
        } else if ((length = utf8_length(text)) > 0) {
          out += text.substr(0, length);
        } else {
          out += "\xef\xbf\xbd";
          length = 1;
        }
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace ulna::draw
