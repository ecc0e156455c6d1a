// How a command is run: for `ulna`, and for programs that are one of its commands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.hpp"

namespace ulna::cli {

/// Whatever writes files takes --force; some say by themselves what it replaces.
std::vector<Command> with_force(std::vector<Command> commands);

bool is_help(const std::string& word);

/// `words` follow the command's name. The exit status.
int run_command(const Command& command, const std::vector<std::string>& words);

/// Of the whole program: that of `work`, or kWrong after a message when it throws or standard output cannot be written.
int exit_status(const std::function<int()>& work);

}  // namespace ulna::cli
