// The languages that code is generated in: a row each. See docs/recipes/language.md for a new one.
#pragma once

#include <string_view>
#include <vector>

#include "emit/quantities.hpp"

namespace ulna::internal {

struct Language {
  const char* id;     // of --lang
  const char* title;  // for people
  std::vector<GeneratedFile> (*files)(const GeneratedRobot& robot);
  bool (*taken)(std::string_view name);  // no robot can have this name
};

const std::vector<Language>& languages();

/// Targets of `--for`.
std::vector<GeneratedFile> files_for_casadi(const Analysis& analysis, const GenerateOptions& options);
/// `scenario`: whose law the unit has, and whose initial state and step; its robot, with payloads, is what is analysed. Null: the robot alone.
std::vector<GeneratedFile> files_for_fmi(const Analysis& analysis, const GenerateOptions& options, const sim::Scenario* scenario);

std::vector<GeneratedFile> files_in_c(const GeneratedRobot& robot);
std::vector<GeneratedFile> files_in_cpp(const GeneratedRobot& robot);
std::vector<GeneratedFile> files_in_matlab(const GeneratedRobot& robot);
std::vector<GeneratedFile> files_in_python(const GeneratedRobot& robot);
std::vector<GeneratedFile> files_in_rust(const GeneratedRobot& robot);
/// A package that `cargo test` builds and tries: Cargo.toml, src/lib.rs, tests/selftest.rs.
std::vector<GeneratedFile> files_of_crate(const GeneratedRobot& robot);

// Names that a robot cannot have in a language. All are identifiers already; see identifier().

/// As the name of a header. Functions have the robot's name before their own, which no library does.
bool taken_in_c(std::string_view name);
/// As the name of a namespace.
bool taken_in_cpp(std::string_view name);
/// As the name of a module and of a crate.
bool taken_in_rust(std::string_view name);
/// As the name of a module.
bool taken_in_python(std::string_view name);
/// MATLAB's functions have the robot's name before their own.
bool taken_nowhere(std::string_view name);

}  // namespace ulna::internal
