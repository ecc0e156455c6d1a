#include "text/xml.hpp"

#include "text/utf8.hpp"

namespace ulna::internal {

std::string xml_text(std::string_view text) {
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

}  // namespace ulna::internal
