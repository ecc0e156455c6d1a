// Instructions of a timing program's rows, by valgrind's callgrind, where that is installed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/beside.hpp"

namespace ulna::cli {

struct CountedRow {
  int number;                           // as the program calls it
  std::size_t count;                    // states
  std::optional<double>* instructions;  // per state
};

/// Empty, or why nothing was counted. ULNA_JIT=avx2 is set: valgrind does not know wider instructions.
std::string count_instructions(const std::string& program, const PrivateFolder& folder, const std::vector<CountedRow>& rows);

}  // namespace ulna::cli
