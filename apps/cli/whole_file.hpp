// A file that is there whole or not at all: written beside, then renamed.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace ulna::cli {

/// Opened at once, so that a wrong name is told before the work begins; what was begun and not kept leaves nothing behind. Throws UsageError that names
/// the option.
class WholeFile {
 public:
  WholeFile(std::string_view option, const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  std::FILE* stream() { return file_; }
  /// Puts it in its place.
  void keep();

 private:
  [[noreturn]] void refuse() const;
  std::string option_, path_, beside_;
  std::FILE* file_;
};

}  // namespace ulna::cli
