#include "faults/traced.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>

namespace ulna::test {

#if defined(__x86_64__)

namespace {

constexpr const char* kErrors = "stderr.txt";

[[noreturn]] void start(const std::vector<std::string>& words, const std::string& folder) {
  if (chdir(folder.c_str()) != 0) _exit(126);
  const int out = open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), errors = open(kErrors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(out, STDOUT_FILENO), dup2(errors, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// Whether a descriptor of the process is a file on a disk.
bool is_file(pid_t process, unsigned long long descriptor) {
  struct stat about {};
  return descriptor != STDERR_FILENO && stat(("/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor)).c_str(), &about) == 0 &&
         S_ISREG(about.st_mode);
}

}  // namespace

bool possible() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Traced run_traced(const std::vector<std::string>& words, const std::string& folder, Fault fault, std::size_t which) {
  Traced out;
  const pid_t child = fork();
  if (child == 0) start(words, folder);
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  std::map<pid_t, bool> inside;           // of each thread: between the beginning and the end of a call
  std::map<pid_t, long long> replaced{};  // what the call at hand is to return
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      user_regs_struct registers{};
      ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
      bool& in = inside[thread];
      in = !in;
      if (in) {
        const bool write = registers.orig_rax == SYS_write || registers.orig_rax == SYS_pwrite64 || registers.orig_rax == SYS_writev;
        const bool sync = registers.orig_rax == SYS_fsync || registers.orig_rax == SYS_fdatasync;
        if ((fault == Fault::no_sync ? sync : write) && is_file(child, registers.rdi) && out.calls++ == which && fault != Fault::none) {
          out.spoilt = true;
          if (fault == Fault::part && registers.orig_rax != SYS_writev) {
            registers.rdx = (registers.rdx + 1) / 2;
          } else if (fault != Fault::part) {
            registers.orig_rax = ~0ULL;  // no call at all
            replaced[thread] = fault == Fault::no_space ? -ENOSPC : -EIO;
          }
          ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
        }
      } else if (const auto result = replaced.find(thread); result != replaced.end()) {
        registers.rax = static_cast<unsigned long long>(result->second);
        ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
        replaced.erase(result);
      }
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0;  // exec, and threads that begin
    }
    ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
  }
  std::ifstream in(folder + "/" + kErrors, std::ios::binary);
  out.messages.assign(std::istreambuf_iterator<char>(in), {});
  return out;
}

#else

bool possible() { return false; }
Traced run_traced(const std::vector<std::string>&, const std::string&, Fault, std::size_t) { return {}; }

#endif

}  // namespace ulna::test
