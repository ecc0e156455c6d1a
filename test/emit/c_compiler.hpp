// Generated C in a folder of its own: written, compiled, run.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>

namespace ulna::test {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ulna-emit-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string at(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name), std::ios::binary) << text; }
  void write(const std::vector<GeneratedFile>& files) const {
    for (const GeneratedFile& file : files) write(file.name, file.text);
  }
  /// Exit status of a command that runs in the folder; what it prints goes into `output`.
  int run(const std::string& command, std::string* output = nullptr) const {
    const int status = std::system(("cd '" + path_ + "' && " + command + " > output.txt 2>&1").c_str());
    if (output != nullptr) {
      std::ifstream in(at("output.txt"), std::ios::binary);
      output->assign(std::istreambuf_iterator<char>(in), {});
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::string path_;
};

inline bool installed(const std::string& program) { return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0; }

}  // namespace ulna::test
