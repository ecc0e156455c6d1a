// The computer that a time was measured on.
#pragma once

#include <string>
#include <string_view>

namespace ulna::cli {

struct Machine {
  std::string processor;       // as the system calls it
  int cores = 0;               // that this process may use
  double clock = 0;            // GHz, measured; 0 when it cannot be
  bool one_wide_pipe = false;  // multiplies one 512-bit register a cycle, not two (Zen 4)
};

Machine this_machine();

/// "AMD EPYC, 2 cores, 2.60 GHz (measured), machine code in avx2"; without the last where `instruction_set` is empty.
std::string machine_text(const Machine& machine, std::string_view instruction_set);

/// Cycles per nanosecond now, by a chain of additions that take one cycle each; 0 on other processors than x86-64. Takes about 0.3 ms. The largest of many
/// counts: whatever disturbs a measurement makes it smaller.
double measured_clock();

}  // namespace ulna::cli
