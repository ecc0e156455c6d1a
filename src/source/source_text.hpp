// What holds for the text of every model file, whatever its format.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>

namespace ulna::internal {

/// Line numbers, counted from 1.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  int line(std::size_t offset) const;

 private:
  std::vector<std::size_t> newlines_;  // offsets, ascending
};

/// The text after a UTF-8 byte order mark, which editors on Windows write.
std::string_view without_mark(std::string_view text);

/// Reports an empty text, UTF-16 and control characters (errors) and bytes that are not UTF-8 (a warning). False when it makes no sense to read on.
bool check_text(std::string_view text, Diagnostics& diagnostics, std::string_view cure = "give a URDF or MJCF file or a DH table in YAML");

/// A file with this many problems is not read on: the rest would not be looked at, and a hostile file could ask for gigabytes of messages.
constexpr std::size_t kMostProblems = 1000;
/// True, with an error, when that many were reported.
bool too_many_problems(int line, Diagnostics& diagnostics);

}  // namespace ulna::internal
