#include "instruction_set.hpp"
#include "programs/interface.hpp"
#include "run.hpp"
#include "run_command.hpp"
#include "table.hpp"

namespace ulna::cli {

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = [] {
    std::vector<CommandGroup> all{{"model", "what a robot file holds", {models_command(), info_command(), lint_command(), convert_command()}},
                                  {"compute", "quantities in states, as numbers or as source code", quantity_commands()},
                                  {"check",
                                   "whether models, formulations and libraries agree, and what each costs",
                                   {verify_command(), explain_command(), formulations_command(), count_command(), tables_command(), schedule_command(),
                                    speeds_command(), bench_command(), study_command()}},
                                  {"design",
                                   "drives, motions that identify a robot, and its true parameters",
                                   {torques_command(), parameters_command(), excite_command(), identify_command(), doctor_command()}},
                                  {"simulation", "runs of a robot, one or millions", {simulate_command(), campaign_command(), dataset_command()}}};
    for (Command& command : std::vector<Command>{derivatives_command(), regressor_command(), equations_command(), generate_command()})
      all[1].commands.push_back(std::move(command));
    for (CommandGroup& group : all) group.commands = with_instruction_set(with_force(std::move(group.commands)));
    return all;
  }();
  return groups;
}

namespace {

const Command* command_named(const std::string& name) {
  static const Command completion = completion_command();
  if (name == completion.name) return &completion;
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands)
      if (command.name == name) return &command;
  return nullptr;
}

const Command& find_command(const std::string& name, std::vector<std::string> other_words = {}) {
  if (const Command* command = command_named(name)) return *command;
  std::vector<std::string> names{"help", "completion"};
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) names.emplace_back(command.name);
  names.insert(names.end(), other_words.begin(), other_words.end());
  throw UsageError(there_is_no("command", name, names, "; 'ulna --help' lists them"));
}

void print_overview() {
  std::string text =
      "ulna - manipulator dynamics: a robot description goes in, its equations of motion come out\n\n"
      "    ulna COMMAND MODEL [options]\n\n"
      "MODEL is a file (URDF, xacro, SDFormat, MJCF, or a DH table in YAML) or the name of a built-in robot.\n\n"
      "Commands:\n";
  std::size_t width = 0;
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) width = std::max(width, command.name.size());
  for (const CommandGroup& group : command_groups()) {
    text += cat(group.name, ": ", group.summary, "\n");
    for (const Command& command : group.commands) text += cat("  ", command.name, std::string(width + 2 - command.name.size(), ' '), command.summary, "\n");
  }
  text +=
      "\nTry:\n"
      "    ulna info stanford\n"
      "    ulna inverse stanford --q 0,pi/2,0.1,0,0,0\n"
      "    ulna lint my_robot.urdf\n\n"
      "'ulna COMMAND --help' explains a command, 'ulna help GROUP' shows how the commands of a group are called;\n"
      "'ulna completion bash' (zsh, fish) prints completions for a shell; 'ulna --version' prints the version.\n"
      "Results go to standard output, messages to standard error. Exit status: 0 done, 1 the answer is no, 2 the input or the\n"
      "call is wrong.\n";
  std::fputs(text.c_str(), stdout);
}

/// How each command of a group is called.
void print_group(const CommandGroup& group) {
  std::string text = cat("ulna ", group.name, ": ", group.summary, "\n");
  for (const Command& command : group.commands)
    text += cat("\n  ulna ", command.name, " ", command.start ? "--help" : command.synopsis, "\n") + wrapped(command.summary, "      ", "      ", 100);
  text += "\n'ulna COMMAND --help' explains a command.\n";
  std::fputs(text.c_str(), stdout);
}

int help(const std::string& word) {
  std::vector<std::string> groups;
  for (const CommandGroup& group : command_groups()) {
    groups.emplace_back(group.name);
    if (group.name == word) return print_group(group), kDone;
  }
  return run_command(find_command(word, groups), {"--help"});
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_overview();
    return kWrong;  // no command
  }
  if (is_help(words[0]) || (words[0] == "help" && words.size() == 1)) {
    print_overview();
    return kDone;
  }
  if (words[0] == "--version") {
    std::printf("ulna %s\n", ULNA_VERSION);
    return kDone;
  }
  if (words[0] == "help") return help(words[1]);
  return run_command(find_command(words[0]), {words.begin() + 1, words.end()});
}

}  // namespace

int run(int argc, char** argv) {
  return exit_status([&] { return dispatch(std::vector<std::string>(argv + 1, argv + argc)); });
}

}  // namespace ulna::cli
