#include <cstdio>

#include "command.hpp"
#include "table.hpp"
#include "text/cat.hpp"

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

void print_overview() {
  std::string text =
      "ulna - manipulator dynamics: a robot description goes in, its equations of motion come out\n\n"
      "    ulna COMMAND MODEL [options]\n\n"
      "MODEL is a file (URDF, MJCF, or a DH table in YAML) or the name of a built-in robot.\n\n"
      "Commands:\n";
  Table table("ll");
  for (const Command& command : all_commands()) table.row({std::string(command.name), std::string(command.summary)});
  text += table.text();
  text +=
      "\nTry:\n"
      "    ulna info stanford\n"
      "    ulna inverse stanford --q 0,pi/2,0.1,0,0,0\n"
      "    ulna lint my_robot.urdf\n\n"
      "'ulna COMMAND --help' explains a command; 'ulna --version' prints the version.\n"
      "Results go to standard output, messages to standard error. Exit status: 0 done, 1 the answer is no, 2 the input or the\n"
      "call is wrong.\n";
  std::fputs(text.c_str(), stdout);
}

}  // namespace ulna::cli
