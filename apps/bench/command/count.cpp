#include "count.hpp"

#include <filesystem>
#include <fstream>

#include "child.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

constexpr std::chrono::seconds kToBegin{900};
constexpr std::chrono::seconds kToCount{300};

/// The sum over one call of the function, as callgrind wrote it: "totals: 12345".
std::optional<double> total_of(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("totals: ")) return std::strtod(line.c_str() + 8, nullptr);
  return {};
}

}  // namespace

std::string count_instructions(const std::vector<std::string>& call, const PrivateFolder& folder, const std::vector<CountedRow>& rows) {
  const std::string out = folder.file("callgrind");
  // One file for each return from the function: callgrind.PART from 1 on.
  try {
    std::vector<std::string> words{"env",
                                   "ULNA_JIT=avx2",
                                   "valgrind",
                                   "--tool=callgrind",
                                   "--toggle-collect=ulna_bench_sweep",
                                   "--dump-after=ulna_bench_sweep",
                                   "--callgrind-out-file=" + out};
    words.insert(words.end(), call.begin(), call.end());
    BenchChild child(words, folder.file("callgrind.err"));
    while (child.hear(kToBegin) != "ready") {
    }
    int part = 0;
    for (const CountedRow& row : rows) {
      child.say(cat("sweep ", row.number, " ", row.count));
      child.hear(kToCount);
      const std::optional<double> total = total_of(cat(out, ".", ++part));
      if (total && *total > 0) *row.instructions = *total / static_cast<double>(row.count);
    }
  } catch (const ChildFailed& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace ulna::cli
