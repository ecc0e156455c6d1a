// A file that is there whole or not at all: written beside, then renamed. A file that is there already is left alone unless the caller was told to replace it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "arguments.hpp"

namespace ulna::cli {

/// What commands that write files take: --force replaces files.
Option force_option();

/// Opened at once, so that a wrong name is told before the work begins; what was begun and not kept leaves nothing behind. While it is written it has a name of
/// its own beside the path and can be read by nobody else. Throws UsageError that names the option.
class WholeFile {
 public:
  WholeFile(std::string_view option, const std::string& path, bool force = false);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  std::FILE* stream() { return file_; }
  const std::string& path() const { return path_; }
  /// The name that what was written so far can be read by, until keep().
  const std::string& written();
  /// Puts it in its place.
  void keep();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  std::string option_, path_, beside_;
  bool force_;
  std::FILE* file_ = nullptr;
};

}  // namespace ulna::cli
