#include "machine.hpp"

#include <sched.h>

#include <chrono>
#include <fstream>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

/// "model name	: AMD EPYC" to "AMD EPYC".
std::string field(const std::string& line) {
  const std::size_t colon = line.find(": ");
  return colon == std::string::npos ? "" : line.substr(colon + 2);
}

}  // namespace

Machine this_machine() {
  Machine machine;
  std::ifstream file("/proc/cpuinfo");
  std::string vendor, family;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("model name")) machine.processor = field(line);
    if (line.starts_with("vendor_id")) vendor = field(line);
    if (line.starts_with("cpu family")) family = field(line);
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) machine.cores = CPU_COUNT(&allowed);
  machine.one_wide_pipe = vendor == "AuthenticAMD" && family == "25";
  return machine;
}

double measured_clock() {
#if defined(__x86_64__)
  constexpr long kRounds = 60000, kAdds = 16;
  const auto start = std::chrono::steady_clock::now();
  long rounds = kRounds, x = 0;
  __asm__ volatile(
      "1:\n\t"
      ".rept 16\n\t"
      "add $1, %1\n\t"
      ".endr\n\t"
      "dec %0\n\t"
      "jnz 1b"
      : "+r"(rounds), "+r"(x)
      :
      : "cc");
  const double seconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  return static_cast<double>(kRounds * kAdds) / seconds;
#else
  return 0;
#endif
}

std::string machine_text(const Machine& m, std::string_view instruction_set) {
  std::string text = cat(m.processor, ", ", m.cores, m.cores == 1 ? " core" : " cores");
  char clock[40];
  std::snprintf(clock, sizeof clock, ", %.2f GHz (measured)", m.clock);
  if (m.clock > 0) text += clock;
  if (!instruction_set.empty()) text += cat(", machine code in ", instruction_set);
  return text;
}

}  // namespace ulna::cli
