#include "run_command.hpp"

#include <cstdlib>
#include <exception>

#include "instruction_set.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "states.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

/// Adds --force, which has an effect only where one of the options that write is given.
template <class Writes>
void make_forced(Command& command, const Writes& writes) {
  std::vector<std::string> names;
  for (const Option& option : command.options)
    if (writes(option)) names.emplace_back(option.name);
  command.options.push_back(force_option());
  command.run = [names, run = std::move(command.run)](const Arguments& arguments) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return arguments.has(name); }))
      arguments.refuse({"--force"}, "without a file to write", cat("add ", listed(names, "or"), ", or leave it out"));
    return run(arguments);
  };
}

void tell_out_of_memory() { std::fputs("ulna: out of memory; allow more of it, or use a smaller model (docs/limits.md)\n", stderr); }

/// Memory may run out where no exception can pass: in a thread, or in a function that promises not to throw.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    tell_out_of_memory();
    std::_Exit(kWrong);
  } catch (...) {  // a fault of ours, which aborts as ever
  }
  std::abort();
}

}  // namespace

std::vector<Command> with_force(std::vector<Command> commands) {
  const auto writes = [](const Option& option) {
    return option.name == "--out" || option.name == "--fix" || option.name == "--svg" || option.name == "--plot" || option.name == "--report" ||
           (option.name == "--scenario" && !option.value.empty());
  };
  const auto forces = [](const Option& option) { return option.name == "--force"; };
  for (Command& command : commands)
    if (std::any_of(command.options.begin(), command.options.end(), writes) && std::none_of(command.options.begin(), command.options.end(), forces))
      make_forced(command, writes);
  return commands;
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

int run_command(const Command& command, const std::vector<std::string>& words) {
  if (command.start) return command.start(words);
  if (std::any_of(words.begin(), std::find(words.begin(), words.end(), "--"), is_help)) {
    print_page(command);
    return kDone;
  }
  const Arguments arguments = Arguments::parse(command.name, words, command.options);
  const ChosenInstructionSet chosen(arguments);
  return command.run(arguments);
}

int exit_status(const std::function<int()>& work) {
  std::set_terminate(end_without_memory);
  try {
    return close_standard_output(work());
  } catch (const UsageError& error) {
    std::fprintf(stderr, "ulna: %s\n", error.what());
  } catch (const ModelRefused&) {
  } catch (const StatesRefused& refused) {
    std::fputs(refused.message.c_str(), stderr);
  } catch (const std::bad_alloc&) {
    tell_out_of_memory();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ulna: %s\n", error.what());
  }
  return kWrong;
}

}  // namespace ulna::cli
