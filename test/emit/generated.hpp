// What the tests of generated code share: compilers and their flags.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <string>

#include <ulna/emit/equations.hpp>

namespace ulna::test {

inline constexpr const char* kStrict = " -std=c99 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off ";

inline std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

inline bool succeeds(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

/// The compiler of Rust; nothing when there is none.
inline std::string rustc() {
  for (const char* name : {"rustc", "\"$HOME/.cargo/bin/rustc\""})
    if (succeeds(std::string(name) + " --version")) return name;
  return {};
}

/// Left and right sides.
inline std::map<std::string, std::string> lines_of(const EquationSet& set) {
  std::map<std::string, std::string> lines;
  for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
    for (const Equation& e : *equations) lines[e.left.text()] = plain_text(e.right);
  return lines;
}

}  // namespace ulna::test
