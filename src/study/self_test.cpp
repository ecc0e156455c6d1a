// The generated C, compiled and run: the one place where a study starts other programs.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "model/text.hpp"
#include "study/data.hpp"

extern char** environ;

namespace ulna {

namespace {

/// A folder of our own that vanishes with the object.
class OwnFolder {
 public:
  OwnFolder() {
    std::error_code error;
    std::filesystem::path base = std::filesystem::temp_directory_path(error);
    if (error) base = "/tmp";
    std::string name = (base / "ulna-study-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

constexpr std::chrono::seconds kLimit{60};

/// Its exit status; -1 when it could not be started or took too long. Both streams go to `output`.
int run(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t process = -1;
  const int failed = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  const auto end = std::chrono::steady_clock::now() + kLimit;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string out = text.str().substr(0, 2000);
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

}  // namespace

SelfTest run_self_test(const std::vector<GeneratedFile>& files, const std::string& name, const char* level) {
  const OwnFolder folder;
  if (folder.path().empty()) return {false, false, "no folder for temporary files could be made"};
  std::string source;
  for (const GeneratedFile& file : files) {
    std::ofstream out(folder.path() / file.name, std::ios::binary);
    out << file.text;
    if (file.name.ends_with(".c")) source = (folder.path() / file.name).string();
  }
  const std::string output = (folder.path() / "output").string(), program = (folder.path() / "selftest").string();
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string define = cat("-D", upper, "_SELFTEST_MAIN");
  for (const char* compiler : {"cc", "gcc", "clang"}) {
    if (run({compiler, "--version"}, output) != 0) continue;
    if (run({compiler, "-std=c99", level, define, source, "-lm", "-o", program}, output) != 0)
      return {true, false, cat(compiler, " does not compile it: ", text_of_file(output))};
    const int status = run({program}, output);
    return {true, status == 0, text_of_file(output)};
  }
  return {false, false, "no C compiler was found (cc, gcc or clang)"};
}

}  // namespace ulna
