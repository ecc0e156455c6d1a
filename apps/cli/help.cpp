#include "command.hpp"
#include "programs/interface.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

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
    page += cat("    ", option.name, option.value.empty() ? "" : " ", option.value, "\n") +
            wrapped(option.description, std::string(8, ' '), std::string(8, ' '), 100);
  page += "    --help\n        this page\n";
  page += "\nEXAMPLE\n" + indented(command.example);
  page += "\nEXIT STATUS\n    0 done; 1 the answer is no (a check failed); 2 the input or the call is wrong, and nothing was written.\n";
  std::fputs(page.c_str(), stdout);
}

}  // namespace ulna::cli
