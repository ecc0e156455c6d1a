// A file's whole text, and no more of it than is allowed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal {

/// What tells that somebody wrote to an open file.
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
