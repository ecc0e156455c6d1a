// From a file, a text or a name to a robot with its loops. load() (ulna/source/load.hpp) refuses such robots, and reads their trees where it is told to open
// the loops.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

namespace ulna ULNA_API {

struct MechanismOptions {
  LoadOptions robot{};                     // `loops` set to ignore: the tree
  std::string loop_file{};                 // further loops, as YAML (docs/loops.md)
  std::vector<std::string> independent{};  // joints whose coordinates are the independent ones, all of them; instead of the file's
};

/// A mechanism, or nothing when the diagnostics hold errors. A robot without loops is one, too.
struct MechanismResult {
  LoadResult robot;  // the tree, and all that is to be told
  std::optional<Mechanism> mechanism;
};

/// `source` as in try_load(). Never throws for a bad file.
MechanismResult try_load_mechanism(const std::string& source, const MechanismOptions& options = {});
MechanismResult try_parse_mechanism(std::string_view text, const std::string& file, const MechanismOptions& options = {});

/// Throws SourceError listing every problem, with lines.
Mechanism load_mechanism(const std::string& source, const MechanismOptions& options = {});
Mechanism parse_mechanism(std::string_view text, const std::string& file, const MechanismOptions& options = {});

}  // namespace ULNA_API
