// A folder of a test's own, gone at its end.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/// Not in ulna: the tests of the command line call the program by that name.
namespace support {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ulna-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  /// Files and folders, those in folders too.
  std::size_t files() const { return std::distance(std::filesystem::recursive_directory_iterator(path_), {}); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name), std::ios::binary) << text; }
  /// Whatever has a name and a text.
  template <class File>
  void write(const std::vector<File>& all) const {
    for (const File& file : all) write(file.name, file.text);
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// Exit status of a command that runs in the folder, -1 when a signal ended it; what it prints goes into `output`.
  int run(const std::string& command, std::string* output = nullptr) const {
    const int status = std::system(("cd '" + path_.string() + "' && (" + command + ") > output.txt 2>&1").c_str());
    if (output != nullptr) *output = text_of("output.txt");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::filesystem::path path_;
};

/// Whether the shell finds the program.
inline bool installed(const std::string& program) { return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0; }

}  // namespace support
