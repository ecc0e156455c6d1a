#include "json.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "command.hpp"

namespace ulna::cli {

namespace {

int tell_failure() {
  std::fprintf(stderr, "ulna: cannot write the result to standard output: %s\n", errno == 0 ? "not all of it was taken" : std::strerror(errno));
  return kWrong;
}

}  // namespace

int close_standard_output(int status) {
  errno = 0;
  const bool written = std::ferror(stdout) == 0 && std::fflush(stdout) == 0;
  // Some disks report errors at the end only. A standard output that was never open is no fault of a command that had nothing to say.
  if (!written || (std::fclose(stdout) != 0 && errno != EBADF)) return tell_failure();
  return status;
}

void Output::flush() {
  const std::size_t size = buffer_.size();
  if (size == 0) return;  // the file may be closed by now
  errno = 0;
  const bool written = std::fwrite(buffer_.data(), 1, size, file_) == size && std::fflush(file_) == 0;
  buffer_.clear();
  // Errors of a file are checked when it is renamed; from here on, nothing more is worth computing for standard output.
  if (!written && file_ == stdout) std::_Exit(tell_failure());
}

}  // namespace ulna::cli
