#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

std::string first_line_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

BenchChild::BenchChild(const std::vector<std::string>& words, std::string errors) : errors_(std::move(errors)) {
  // A child must not hold the ends of another's pipes, or it would never see the end of its input.
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) throw ChildFailed(cat("no pipe: ", std::strerror(errno)));
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    throw ChildFailed(cat("no pipe: ", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr mode_t kOurs = 0600;
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kOurs);
  signal(SIGCHLD, SIG_DFL);  // whoever started us may ignore it, and then nobody can wait for a child
  signal(SIGPIPE, SIG_IGN);  // a child that died is told by the write that fails
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn's signature; it does not write
  argv.push_back(nullptr);
  const int failed = posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (failed != 0) {
    process_ = -1;
    close(to_);
    close(from_);
    throw ChildFailed(cat("cannot run ", in_quotes(words[0]), ": ", std::strerror(failed)));
  }
}

BenchChild::~BenchChild() {
  close(to_);
  close(from_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  wait();
}

void BenchChild::wait() {
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void BenchChild::say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(to_, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("it does not listen");
    sent += static_cast<std::size_t>(n);
  }
}

std::string BenchChild::hear(std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::size_t searched = 0;
  for (;;) {
    if (const std::size_t newline = buffer_.find('\n', searched); newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    searched = buffer_.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd waiting{from_, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw ChildFailed(cat("it took more than ", limit.count(), " s"));
    char piece[65536];
    const ssize_t n = read(from_, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("it ended");
    buffer_.append(piece, static_cast<std::size_t>(n));
  }
}

void BenchChild::fail(const std::string& otherwise) {
  // What it said last may not be in the file before it has ended.
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  const std::string said = first_line_of_file(errors_);
  if (WIFSIGNALED(status)) throw ChildFailed(cat("it was ended by signal ", WTERMSIG(status), said.empty() ? "" : cat(" (", said, ")")));
  throw ChildFailed(said.empty() ? otherwise : said);
}

}  // namespace ulna::cli
