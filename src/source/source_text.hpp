// Common to the text of all model files: reading it whole, within limits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

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

inline constexpr std::string_view kModelFiles = "give a URDF or MJCF file or a DH table in YAML";
/// Reports an empty text, UTF-16 and control characters (errors) and bytes that are not UTF-8 (a warning). False when it makes no sense to read on.
bool check_text(std::string_view text, Diagnostics& diagnostics, std::string_view cure = kModelFiles);

/// A file with this many problems is not read on: the rest would not be read, and a hostile file could cause gigabytes of messages.
constexpr std::size_t kMostProblems = 1000;
/// True, with an error, when that many were reported.
bool too_many_problems(int line, Diagnostics& diagnostics);

/// Detects writes to an open file.
struct FileStamp {
  long long size = 0;
  long long changed = 0;  // [ns]
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp stamp_of(int file);

/// Nothing after an error. Reads files and pipes (links to them, too). Folders, devices, files over `most` bytes, files that change meanwhile and pipes
/// through which nothing comes are errors; none of them can hang the caller. `most` is one of the limits of a size. `after_first` is called once something
/// has been read: for tests.
std::optional<std::string> read_whole(const std::string& path, std::size_t ReadLimits::*most, const ReadLimits& limits, Diagnostics& diagnostics,
                                      const std::function<void()>& after_first = {});

}  // namespace ulna::internal
