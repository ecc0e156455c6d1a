// Where lines of an expanded file come from, in messages.
#include <algorithm>

#include "source/xacro.hpp"
#include "text/message.hpp"

namespace ulna::internal {

const XacroOrigin* XacroExpansion::origin(int line) const {
  return line < 1 || static_cast<std::size_t>(line) > lines.size() ? nullptr : &lines[static_cast<std::size_t>(line) - 1];
}

std::string XacroExpansion::chain(const XacroCall* call) const {
  constexpr int kShown = 6;
  std::string out;
  int shown = 0, left = 0;
  while (call != nullptr) {
    int times = 0;  // of a macro that calls itself
    const XacroCall* const first = call;
    for (; call != nullptr && call->macro == first->macro && call->file == first->file && call->line == first->line; call = call->outer) ++times;
    if (shown == kShown)
      left += times;
    else
      out += cat(shown++ == 0 ? "" : "; ", "in macro ", in_quotes(first->macro), ", called in ", files[static_cast<std::size_t>(first->file)].path, ":",
                 first->line, times > 1 ? cat(", ", times, " times") : "");
  }
  return left > 0 ? cat(out, "; and ", left, left == 1 ? " more call" : " more calls") : out;
}

std::string XacroExpansion::with_places(const std::string& message, const std::string& file) const {
  constexpr std::string_view kLine = "line ";
  std::string out;
  bool quoted = false;  // a name may hold the word
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t number = at + kLine.size(), end = std::min(message.find_first_not_of("0123456789", number), message.size());
    const bool begins = !quoted && message.compare(at, kLine.size(), kLine) == 0 && end > number && end - number < 9;
    const XacroOrigin* from = begins ? origin(std::stoi(message.substr(number, end - number))) : nullptr;
    if (from == nullptr || from->file < 0) {
      quoted = quoted != (message[at] == '\'');
      out += message[at++];
      continue;
    }
    const std::string& path = files[static_cast<std::size_t>(from->file)].path;
    out += cat(kLine, from->line, path == file ? "" : cat(" of ", path));
    at = end;
  }
  return out;
}

void XacroExpansion::point(Diagnostic& message) const {
  const XacroOrigin* at = origin(message.line);
  if (at == nullptr || at->file < 0) return;
  message.file = files[static_cast<std::size_t>(at->file)].path;
  message.line = at->line;
  message.problem = with_places(message.problem, message.file);
  if (message.element.name.starts_with("(no name, line ")) message.element.name = with_places(message.element.name, message.file);
  message.chain = visible(chain(at->call));
}

int XacroExpansion::main_line(XacroOrigin origin) const {
  for (const XacroCall* call = origin.call; call != nullptr; call = call->outer) origin.file = call->file, origin.line = call->line;
  return origin.file <= 0 ? origin.line : files[static_cast<std::size_t>(origin.file)].main_line;
}

int XacroExpansion::main_line(int line) const {
  const XacroOrigin* at = origin(line);
  return at == nullptr ? line : main_line(*at);
}

}  // namespace ulna::internal
