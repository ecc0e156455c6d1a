#include "json.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ulna::cli {

void Output::flush() {
  const std::size_t size = buffer_.size();
  if (size == 0) return;  // the file may be closed by now
  const std::size_t written = std::fwrite(buffer_.data(), 1, size, file_);
  buffer_.clear();
  if (written != size || std::fflush(file_) != 0) {
    std::fprintf(stderr, "ulna: cannot write the result: %s\n", std::strerror(errno));
    std::_Exit(2);
  }
}

}  // namespace ulna::cli
