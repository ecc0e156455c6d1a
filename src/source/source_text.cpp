#include "source/source_text.hpp"

#include <algorithm>

#include "text/cat.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

std::string hex(char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

LineIndex::LineIndex(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) newlines_.push_back(at);
}

int LineIndex::line(std::size_t offset) const { return 1 + static_cast<int>(std::lower_bound(newlines_.begin(), newlines_.end(), offset) - newlines_.begin()); }

std::string_view without_mark(std::string_view text) { return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text; }

bool check_text(std::string_view text, Diagnostics& diagnostics, std::string_view cure) {
  const std::string_view start = text.substr(0, 2);
  if (start == "\xff\xfe" || start == "\xfe\xff") {
    diagnostics.error(1, "file", "it is stored as UTF-16", "save it as UTF-8");
    return false;
  }
  if (without_mark(text).find_first_not_of(" \t\r\n") == std::string_view::npos) {
    diagnostics.error(0, "file", "it is empty", std::string(cure));
    return false;
  }
  const auto line_at = [text](std::size_t offset) {
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  const auto control = std::find_if(text.begin(), text.end(), is_control);
  if (control != text.end()) {
    const auto count = std::count_if(control, text.end(), is_control);
    diagnostics.error(line_at(static_cast<std::size_t>(control - text.begin())), "file",
                      cat("control character ", hex(*control), count > 1 ? cat(" and ", count - 1, " more") : "", ": this is no text file"),
                      "give a text file, or remove the character");
    return false;
  }
  const std::size_t stray = first_not_utf8(text);
  if (stray < text.size()) diagnostics.warning(line_at(stray), "file", cat("byte ", hex(text[stray]), " is not UTF-8"), "save the file as UTF-8");
  return true;
}

bool too_many_problems(int line, Diagnostics& diagnostics) {
  const std::vector<Diagnostic>& all = diagnostics.all();
  if (all.size() < kMostProblems) return false;
  constexpr std::string_view kCure = "correct the problems above first";
  const auto said = [kCure](const Diagnostic& d) { return d.cure == kCure; };  // several loops may ask while they are left
  if (std::none_of(all.begin() + static_cast<std::ptrdiff_t>(kMostProblems), all.end(), said))
    diagnostics.error(line, "file", cat("more than ", kMostProblems - 1, " problems: the rest of the file was not read"), std::string(kCure));
  return true;
}

}  // namespace ulna::internal
