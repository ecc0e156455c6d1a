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
    constexpr std::size_t kManyResults = 1'000'000;  // pieces as small as they get
    const cli::States states(arguments, robot(), {.parts = {"q", "v", "a"}, .results = kManyResults});
    cli::States::Reader reader(states);
    std::size_t rows = 0;
    for (std::size_t piece = 0; piece < states.pieces(); ++piece) {
      const cli::StateBlock& block = reader.read(piece);
      promise(states.before(piece) == rows, "pieces begin where the last one ended");
      promise(block.q.size() >= 6 * block.count && block.v.size() >= 6 * block.count && block.a.size() >= 6 * block.count, "every state has all its numbers");
      rows += block.count;
    }
    promise(rows == states.count() && rows <= input.size(), "no row is lost, and there are no more than bytes");
  } catch (const cli::StatesRefused&) {
  } catch (const cli::UsageError&) {
  }
  close(file);
}

}  // namespace ulna::fuzz
