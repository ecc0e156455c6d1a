// `ulna bench` is a separate program: other commands do not need it.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "beside.hpp"
#include "command.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

/// In place of this process, so that signals, standard streams and exit status are the program's own.
int start_bench(const std::vector<std::string>& words) {
  std::string program = program_beside(kBenchProgram).value_or(kBenchProgram);
  std::vector<char*> argv{program.data()};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: execvp's signature; it does not write
  argv.push_back(nullptr);
  std::fflush(stdout);
  execvp(argv[0], argv.data());
  const bool missing = errno == ENOENT;
  throw UsageError(cat("cannot start ", program, ": ",
                       missing ? "it is neither next to ulna nor on the PATH; 'make build' makes it, and 'make install' installs it" : std::strerror(errno)));
}

}  // namespace

Command bench_command() { return {.name = "bench", .summary = kBenchSummary, .start = start_bench}; }

}  // namespace ulna::cli
