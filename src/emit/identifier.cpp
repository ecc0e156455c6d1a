#include <algorithm>
#include <array>
#include <cctype>

#include <ulna/emit/generate.hpp>

namespace ulna ULNA_API {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of C, C++, Rust, Python and MATLAB, as far as a robot might be called so, and names that the generated code uses itself.
constexpr std::array kTaken{"auto",   "break",  "case",    "char",    "class",    "const",    "continue", "default",  "delete",  "do",    "double",
                            "else",   "end",    "enum",    "extern",  "float",    "fn",       "for",      "function", "goto",    "if",    "impl",
                            "import", "in",     "inline",  "int",     "lambda",   "let",      "long",     "loop",     "main",    "match", "mod",
                            "mut",    "new",    "pass",    "private", "public",   "pub",      "register", "return",   "self",    "short", "signed",
                            "sizeof", "static", "struct",  "super",   "switch",   "template", "this",     "trait",    "typedef", "union", "unsigned",
                            "use",    "using",  "virtual", "void",    "volatile", "while",    "with",     "yield",    "sin",     "cos"};

}  // namespace

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) out += is_letter(c) || is_digit(c) ? c : '_';
  // A leading underscore or two in a row are reserved in C++.
  std::string name;
  for (const char c : out)
    if (c != '_' || (!name.empty() && name.back() != '_')) name += c;
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.size() > 64) name.resize(64);
  if (name.empty() || is_digit(name.front()) || std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) name = name.empty() ? "robot" : "robot_" + name;
  return name;
}

std::string comment_text(std::string_view text) {
  constexpr std::string_view kHarmless = " .,:;+-()[]=<>_%#'";
  std::string out;
  for (const char c : text) out += is_letter(c) || is_digit(c) || kHarmless.find(c) != std::string_view::npos ? c : '_';
  if (out.size() > 100) out = out.substr(0, 97) + "...";
  return out;
}

}  // namespace ULNA_API
