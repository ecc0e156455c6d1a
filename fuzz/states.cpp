// The reader opens a file by its name, and reads it twice: it is given one in memory.
#include "states.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include <ulna/source/load.hpp>

#include "target.hpp"

namespace ulna::fuzz {

namespace {

const Model& robot() {
  static const Model model = load("stanford");
  return model;
}

/// The reader tells its problems on standard error; here they would be all that is seen.
void be_quiet() {
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  if (nowhere != nullptr) stderr = nowhere;
}

}  // namespace

void states(Input input) {
  be_quiet();
  const int file = memfd_create("states", MFD_CLOEXEC);
  if (file < 0 || write(file, input.data(), input.size()) != static_cast<ssize_t>(input.size())) {
    if (file >= 0) close(file);
    return;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const std::vector<cli::Option> options = cli::state_options({"q", "v", "a"});
  try {
    const cli::Arguments arguments = cli::Arguments::parse("inverse", {"--states", path}, options);
    cli::States states(arguments, robot(), {"q", "v", "a"});
    cli::State state;
    for (int pass = 0; pass < 2; ++pass) {
      std::size_t rows = 0;
      while (states.next(state)) {
        promise(state.q.size() == 6 && state.v.size() == 6 && state.a.size() == 6, "every state has all its numbers");
        ++rows;
      }
      promise(rows <= input.size(), "no more rows than bytes");
      states.rewind();
    }
  } catch (const cli::StatesRefused&) {
  } catch (const cli::UsageError&) {
  }
  close(file);
}

}  // namespace ulna::fuzz
