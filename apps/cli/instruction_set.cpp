#include "instruction_set.hpp"

#include <cstdlib>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

constexpr const char* kVariable = "ULNA_JIT";

constexpr Option kOption{"--instruction-set", "SET",
                         "instruction set of the machine code: none, sse2, avx2, avx512 or neon (default: the widest that this computer has)"};

}  // namespace

std::vector<Command> with_instruction_set(std::vector<Command> commands) {
  constexpr std::string_view kRunMachineCode[] = {"bench", "verify", "simulate", "campaign", "dataset"};
  for (Command& command : commands) {
    const auto compiles = [](const Option& option) { return option.name == "--compiled"; };
    const auto after = std::find_if(command.options.begin(), command.options.end(), compiles);
    if (after != command.options.end())
      command.options.insert(after + 1, kOption);
    else if (std::find(std::begin(kRunMachineCode), std::end(kRunMachineCode), command.name) != std::end(kRunMachineCode))
      command.options.push_back(kOption);
  }
  return commands;
}

ChosenInstructionSet::ChosenInstructionSet(const Arguments& arguments) {
  const std::optional<std::string> name = arguments.value(kOption.name);
  if (!name) return;
  std::vector<std::string> known, here;
  bool has = false;
  for (const auto& [word, set] : kInstructionSets) {
    known.emplace_back(word);
    if (best_instruction_set(set) != set) continue;
    here.emplace_back(word);
    has = has || *name == word;
  }
  if (std::find(known.begin(), known.end(), *name) == known.end())
    throw UsageError(cat("option ", kOption.name, ": ", there_is_no("instruction set", *name, known, cat("; there are ", joined(known)))));
  if (!has) throw UsageError(cat("option ", kOption.name, ": this computer does not have ", *name, "; it has ", joined(here)));
  if (const char* text = std::getenv(kVariable)) before_ = text;
  setenv(kVariable, name->c_str(), 1);
  chosen_ = true;
}

ChosenInstructionSet::~ChosenInstructionSet() {
  if (!chosen_) return;
  before_ ? setenv(kVariable, before_->c_str(), 1) : unsetenv(kVariable);
}

}  // namespace ulna::cli
