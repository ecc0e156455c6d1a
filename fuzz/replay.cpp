// Runs the inputs of a target from files, without libFuzzer: fuzz_replay TARGET FILE|FOLDER... A folder that is not there holds nothing. Each input has a
// time limit, and the whole program a limit of memory, so that a hang or a hunger is a fault, too.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "target.hpp"

namespace fs = std::filesystem;

namespace {

constexpr unsigned kSeconds = 20;                            // an input; each takes milliseconds
constexpr rlim_t kMemory = static_cast<rlim_t>(4096) << 20;  // of addresses

char current[4096] = "";

void tell(int signal) {
  const auto say = [](const char* text) { [[maybe_unused]] const auto ignored = write(STDERR_FILENO, text, std::strlen(text)); };
  say(signal == SIGALRM ? "too slow: " : "failed: ");
  say(current);
  say("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<fs::path> files_of(const char* argument) {
  if (!fs::is_directory(argument)) return fs::exists(argument) ? std::vector<fs::path>{argument} : std::vector<fs::path>{};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  const ulna::fuzz::Target* target = nullptr;
  for (const ulna::fuzz::Target& candidate : ulna::fuzz::kTargets)
    if (count > 1 && candidate.name == arguments[1]) target = &candidate;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FILE|FOLDER...; targets:");
    for (const ulna::fuzz::Target& candidate : ulna::fuzz::kTargets)
      std::fprintf(stderr, " %.*s", static_cast<int>(candidate.name.size()), candidate.name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGALRM}) std::signal(signal, tell);
  const rlimit memory{kMemory, kMemory};
  if (!sanitized()) setrlimit(RLIMIT_AS, &memory);  // sanitizers reserve terabytes of addresses
  std::size_t done = 0;
  for (int i = 2; i < count; ++i)
    for (const fs::path& file : files_of(arguments[i])) {
      std::snprintf(current, sizeof current, "%s", file.c_str());
      std::ifstream stream(file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      alarm(kSeconds);
      target->run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
      alarm(0);
      ++done;
    }
  std::printf("%s: %zu inputs\n", arguments[1], done);
  return done == 0 ? 1 : 0;  // a replay of nothing shows nothing
}
