// A file that is there whole or not at all: written beside its place, brought to the disk, then put there. Every file of results is written so.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace ulna::internal {

/// Opened at once, so that a wrong name is told before the work begins; what was begun and not kept leaves nothing behind. While it is written it has a name of
/// its own beside the path, which ends in ".tmp", and can be read by nobody else.
class WholeFile {
 public:
  /// Is told why the file cannot be written, and throws.
  using Refuse = std::function<void(const std::string& why)>;

  /// Unless it may `replace` one, a file that is there already is left alone.
  WholeFile(std::string path, bool replace, Refuse refuse);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  std::FILE* stream() { return file_; }
  const std::string& path() const { return path_; }
  void write(std::string_view text);
  /// The name that what was written so far can be read by, until keep().
  const std::string& written();
  /// Puts it in its place.
  void keep();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  std::string path_, temporary_;
  bool replace_;
  Refuse refuse_;
  std::FILE* file_ = nullptr;
};

}  // namespace ulna::internal
