#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <ulna/ulna.hpp>

#include "command.hpp"
#include "instruction_set.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "run.hpp"
#include "states.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"
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

/// Whatever writes files takes --force; some say by themselves what it replaces.
std::vector<Command> with_force(std::vector<Command> commands) {
  const auto writes = [](const Option& option) {
    return option.name == "--out" || option.name == "--svg" || option.name == "--plot" || option.name == "--report" ||
           (option.name == "--scenario" && !option.value.empty());
  };
  const auto forces = [](const Option& option) { return option.name == "--force"; };
  for (Command& command : commands)
    if (std::any_of(command.options.begin(), command.options.end(), writes) && std::none_of(command.options.begin(), command.options.end(), forces))
      make_forced(command, writes);
  return commands;
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all{models_command(), info_command(), lint_command(), convert_command()};
    for (Command& command : quantity_commands()) all.push_back(std::move(command));
    for (Command& command : std::vector<Command>{derivatives_command(), regressor_command(), parameters_command(), excite_command(), identify_command(),
                                                 formulations_command(), verify_command(), explain_command(), tables_command(), count_command(),
                                                 schedule_command(), generate_command(), equations_command(), simulate_command(), campaign_command(),
                                                 dataset_command(), torques_command(), bench_command(), study_command()})
      all.push_back(std::move(command));
    return with_instruction_set(with_force(std::move(all)));
  }();
  return commands;
}

namespace {

const Command& find_command(const std::string& name) {
  const std::vector<Command>& commands = all_commands();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  if (found != commands.end()) return *found;
  std::vector<std::string> names{"help"};
  for (const Command& command : commands) names.emplace_back(command.name);
  throw UsageError(there_is_no("command", name, names, "; 'ulna --help' lists them"));
}

int dispatch(const std::vector<std::string>& words) {
  const auto is_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (words.empty()) {
    print_overview();
    return kWrong;  // nothing was asked
  }
  if (is_help(words[0]) || (words[0] == "help" && words.size() == 1)) {
    print_overview();
    return kDone;
  }
  if (words[0] == "--version") {
    std::printf("ulna %s\n", ULNA_VERSION);
    return kDone;
  }
  if (words[0] == "help") {
    print_page(find_command(words[1]));
    return kDone;
  }
  const Command& command = find_command(words[0]);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  const auto end_of_options = std::find(rest.begin(), rest.end(), "--");
  if (std::any_of(rest.begin(), end_of_options, is_help)) {
    print_page(command);
    return kDone;
  }
  const Arguments arguments = Arguments::parse(command.name, rest, command.options);
  const ChosenInstructionSet chosen(arguments);
  return command.run(arguments);
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

}  // namespace ulna::cli

int ulna::cli::run(int argc, char** argv) {
  using namespace ulna::cli;
  std::set_terminate(end_without_memory);
  try {
    return close_standard_output(dispatch(std::vector<std::string>(argv + 1, argv + argc)));
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
