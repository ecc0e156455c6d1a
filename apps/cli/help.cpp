#include <cstdio>

#include "command.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

// Words of `text` in lines of at most `width` columns after an indent.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const std::string margin(indent, ' ');
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && line.size() + 1 + word.size() > width - indent) {
      out += margin + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return out + margin + line + '\n';
}

std::string indented(std::string_view text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + '\n';
}

}  // namespace

void print_page(const Command& command) {
  std::string page =
      cat("NAME\n    ulna ", command.name, " - ", command.summary, "\n\nSYNOPSIS\n    ulna ", command.name, " ", command.synopsis, "\n\nDESCRIPTION\n");
  page += indented(command.description) + "\nOPTIONS\n";
  for (const Option& option : command.options)
    page += cat("    ", option.name, option.value.empty() ? "" : " ", option.value, "\n") + wrapped(option.description, 8, 100);
  page += "    --help\n        this page\n";
  page += "\nEXAMPLE\n" + indented(command.example);
  page += "\nEXIT STATUS\n    0 done; 1 the answer is no (a check failed); 2 the input or the call is wrong, and nothing was written.\n";
  std::fputs(page.c_str(), stdout);
}

}  // namespace ulna::cli
