// A command is a row: what it is called, what its page says, which options it takes, and the function that runs it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"

namespace ulna::cli {

// Exit status of the program.
inline constexpr int kDone = 0;           // the answer was printed
inline constexpr int kAnswerNo = 1;       // a check failed
inline constexpr int kWrong = 2;          // the input or the call is wrong; nothing was written
inline constexpr int kLeft = 3;           // explain: something is left unexplained
inline constexpr int kInterrupted = 130;  // by Ctrl-C, as a shell states it; nothing was written

struct Command {
  std::string_view name;
  std::string_view summary;        // one line
  std::string_view synopsis{};     // after the name: "MODEL [options]"
  std::string_view description{};  // paragraphs
  std::vector<Option> options{};
  std::string_view example{};  // a command line and what it shows
  std::function<int(const Arguments&)> run{};
  std::function<int(const std::vector<std::string>&)> start{};  // in place of all that follows the summary: a program of its own, given the words as they are
};

// What `ulna bench` starts, and how both programs describe it.
inline constexpr const char* kBenchProgram = "ulna-bench";
inline constexpr std::string_view kBenchSummary =
    "time inverse dynamics, inertia matrix, forward dynamics, derivatives and simulation, and compare with other libraries";

// One per file of the same name.
Command bench_command();
Command campaign_command();
Command completion_command();
Command convert_command();
Command count_command();
Command dataset_command();
Command derivatives_command();
Command doctor_command();
Command equations_command();
Command excite_command();
Command explain_command();
Command formulations_command();
Command identify_command();
Command info_command();
Command lint_command();
Command models_command();
Command parameters_command();
Command regressor_command();
Command schedule_command();
Command simulate_command();
Command speeds_command();
Command study_command();
Command generate_command();
Command tables_command();
Command torques_command();
Command verify_command();

/// Of quantities, by their rows.
std::vector<Command> quantity_commands();

/// What the help lists under one heading.
struct CommandGroup {
  std::string_view name, summary;
  std::vector<Command> commands;
};

/// In the order in which the help lists them.
const std::vector<CommandGroup>& command_groups();

void print_page(const Command& command);

}  // namespace ulna::cli
