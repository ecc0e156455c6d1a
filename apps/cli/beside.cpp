#include "beside.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder() {
  std::error_code missing;
  const fs::path parent = fs::temp_directory_path(missing);
  if (missing) throw std::runtime_error("there is no folder for temporary files; set TMPDIR (ulna verify --peers off needs none)");
  std::string pattern = (parent / "ulna-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(cat("cannot make the folder ", in_quotes(pattern), ": ", std::strerror(errno)));
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(cat("cannot write ", in_quotes(path)));
}

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& words, const PrivateFolder& folder, std::chrono::seconds limit) {
  const std::string out = folder.file("out"), err = folder.file("err");
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn's signature; it does not write
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr mode_t kOurs = 0600;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kOurs);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kOurs);
  signal(SIGCHLD, SIG_DFL);  // whoever started us may ignore it, and then nobody can wait for a child
  pid_t child = -1;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(cat("cannot run ", in_quotes(words[0]), ": ", std::strerror(failed)));

  ProgramRun result;
  int status = 0;
  const auto end = std::chrono::steady_clock::now() + limit;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (ended == child) result.status = status;
  result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<std::string> program_beside(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const fs::path& folder : {self.parent_path(), self.parent_path() / "../libexec/ulna"}) {
    const std::string path = (folder / name).string();
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Model without_rotors(const Model& model) {
  Description d{model.name(), model.file(), model.base(), model.gravity(), model.links(), {}};
  const auto link_name = [&](std::size_t link) { return model.links()[link].name; };
  for (const Joint& joint : model.joints()) {
    Description::JointEntry entry{joint, link_name(joint.parent), link_name(joint.child), {}};
    entry.joint.rotor = 0;
    entry.joint.gear = 1;
    if (joint.mimic) entry.leader = model.joints()[joint.mimic->leader].name;
    d.joints.push_back(std::move(entry));
  }
  Diagnostics ignored;
  return *build(d, ignored);
}

}  // namespace ulna::cli
