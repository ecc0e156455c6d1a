#include "emit/c_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system declares it

namespace ulna::internal {

namespace {

constexpr std::chrono::seconds kLimit{60};

}  // namespace

OwnFolder::OwnFolder() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string name = (base / "ulna-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

int run_program(const std::vector<std::string>& words, const std::string& output, const std::atomic<bool>* stop) {
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
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (std::chrono::steady_clock::now() > end || (stop != nullptr && *stop)) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return ended == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;  // whoever ignores SIGCHLD never learns it
}

std::string beginning_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string out = text.str().substr(0, 2000);
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

std::optional<std::string> find_c_compiler(const OwnFolder& folder) {
  for (const char* compiler : {"cc", "gcc", "clang"})
    if (run_program({compiler, "--version"}, folder.file("version")) == 0) return compiler;
  return std::nullopt;
}

}  // namespace ulna::internal
