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

/// `call` is the program with its words, as it was timed. Empty, or why nothing was counted. ULNA_JIT=avx2 is set: valgrind does not know wider instructions.
std::string count_instructions(const std::vector<std::string>& call, const PrivateFolder& folder, const std::vector<CountedRow>& rows);

}  // namespace ulna::cli
