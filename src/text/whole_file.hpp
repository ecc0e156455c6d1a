// A file that is whole or absent: written under a temporary name, flushed to the disk, then renamed. Every file of results is written so.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace ulna::internal {

/// Opened at once, so that a wrong name is reported before the work begins; without keep() no file remains. While it is written it has a temporary name in
/// the same folder, which ends in ".tmp", and only the owner can read it.
class WholeFile {
 public:
  /// Called with the reason why the file cannot be written; throws.
  using Refuse = std::function<void(const std::string& why)>;

  /// Unless it may `replace` one, an existing file is left unchanged.
  WholeFile(std::string path, bool replace, Refuse refuse);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  std::FILE* stream() { return file_; }
  const std::string& path() const { return path_; }
  void write(std::string_view text);
  /// The temporary name, valid until keep().
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
