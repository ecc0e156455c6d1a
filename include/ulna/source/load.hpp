// From a file, a text or a name to a checked Model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/model/model.hpp>
#include <ulna/model/reduce.hpp>
#include <ulna/source/limits.hpp>

namespace ulna {

enum class MimicPolicy {
  honour,  // q = multiplier * leader + offset, a linear coupling
  ignore   // a free joint of its own
};

struct LoadOptions {
  MimicPolicy mimic = MimicPolicy::honour;
  std::vector<Lock> locks{};
  std::optional<Vec3<double>> gravity{};  // instead of the file's
  bool rotor = true;                      // see CheckOptions
  bool unchecked = false;                 // compute in spite of broken laws of mechanics (never of a broken file)
  bool advise = false;                    // add the notes of advise()
  ReadLimits limits{};                    // of what a file may ask for
};

/// A model, or nothing when the diagnostics hold errors.
struct LoadResult {
  std::optional<Model> model;
  std::vector<Diagnostic> diagnostics;  // in the order of the file
  std::size_t overridden = 0;           // physical errors passed by `unchecked`
  bool found = true;                    // false: there is no such file or built-in robot, or it cannot be read
  std::vector<std::string> mimics;      // joints of the file that mimic others, honoured or not
};

/// `source` is a file (URDF, or a DH table in YAML) or the id of a built-in robot. A name that has a slash or a point, or that a file bears, is a
/// file. Never throws for a bad file.
LoadResult try_load(const std::string& source, const LoadOptions& options = {});
/// The same from text; `file` is used in messages and tells the format by its ending (.urdf, .xml, .yaml, .yml), else the text does: XML begins with '<'.
LoadResult try_parse(std::string_view text, const std::string& file, const LoadOptions& options = {});

/// Throws SourceError listing every problem, with lines.
Model load(const std::string& source, const LoadOptions& options = {});
Model parse(std::string_view text, const std::string& file, const LoadOptions& options = {});

}  // namespace ulna
