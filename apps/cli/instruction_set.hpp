// The option --instruction-set, of every command that runs machine code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

namespace ulna::cli {

std::vector<Command> with_instruction_set(std::vector<Command> commands);

/// While it exists, the requested set is the widest that is used, also by programs that this one starts. Throws UsageError for what this computer lacks.
class ChosenInstructionSet {
 public:
  explicit ChosenInstructionSet(const Arguments& arguments);
  ~ChosenInstructionSet();
  ChosenInstructionSet(const ChosenInstructionSet&) = delete;
  ChosenInstructionSet& operator=(const ChosenInstructionSet&) = delete;

 private:
  bool chosen_ = false;
  std::optional<std::string> before_;
};

}  // namespace ulna::cli
