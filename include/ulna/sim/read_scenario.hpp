// From a file, a text or a name to a checked Scenario. The format: docs/simulate.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/sim/scenario.hpp>
#include <ulna/source/limits.hpp>

namespace ulna::sim {

/// The scenarios that come with Ulna.
struct BuiltinScenario {
  std::string_view id;
  std::string_view summary;
  std::string_view file;  // its name under scenarios/
  std::string_view text;
};
const std::vector<BuiltinScenario>& builtin_scenarios();

/// A scenario, or nothing when the diagnostics hold errors. Those of its robot's file are among them.
struct ScenarioResult {
  std::optional<Scenario> scenario;
  std::vector<Diagnostic> diagnostics;
  bool found = true;  // false: there is no such file or built-in scenario, or it cannot be read
};

/// `source` is a YAML file or the id of a built-in scenario, told apart as by ulna::try_load. Paths inside a file are relative to it. Never throws for a bad
/// file.
ScenarioResult try_load_scenario(const std::string& source, const ReadLimits& limits = {});
/// The same from text; `file` is used in messages, and its folder for relative paths.
ScenarioResult try_parse_scenario(std::string_view text, const std::string& file, const ReadLimits& limits = {});

/// Throws SourceError listing every problem, with lines.
Scenario load_scenario(const std::string& source);

}  // namespace ulna::sim
