// Runs a compiler of this computer on generated C, and the programs that it makes.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ulna::internal {

/// A temporary folder, removed with the object; path() is empty where none could be made.
class OwnFolder {
 public:
  OwnFolder();
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a program and waits for it, a minute at most. Its exit status; -1 when it could not be started, took too long, or its end is not known. What it
/// prints goes to the file `output`. It is ended when `stop` becomes true.
int run_program(const std::vector<std::string>& words, const std::string& output, const std::atomic<bool>* stop = nullptr);

/// The first 2000 characters of a file, without the white space at their end.
std::string beginning_of_file(const std::string& path);

/// cc, gcc or clang, whichever is found first; none where there is no C compiler. `folder` is for what it prints.
std::optional<std::string> find_c_compiler(const OwnFolder& folder);
inline constexpr const char* kNoCompiler = "no C compiler was found (cc, gcc or clang)";

}  // namespace ulna::internal
