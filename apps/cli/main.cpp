#include "instruction_set.hpp"
#include "programs/interface.hpp"
#include "run.hpp"
#include "run_command.hpp"
#include "table.hpp"

namespace ulna::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all{models_command(), info_command(), lint_command(), convert_command()};
    for (Command& command : quantity_commands()) all.push_back(std::move(command));
    for (Command& command : std::vector<Command>{
             derivatives_command(), regressor_command(), parameters_command(), excite_command(),  identify_command(), doctor_command(), formulations_command(),
             verify_command(),      explain_command(),   tables_command(),     count_command(),   schedule_command(), speeds_command(), generate_command(),
             equations_command(),   simulate_command(),  campaign_command(),   dataset_command(), torques_command(),  bench_command(),  study_command()})
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

void print_overview() {
  std::string text =
      "ulna - manipulator dynamics: a robot description goes in, its equations of motion come out\n\n"
      "    ulna COMMAND MODEL [options]\n\n"
      "MODEL is a file (URDF, MJCF, or a DH table in YAML) or the name of a built-in robot.\n\n"
      "Commands:\n";
  Table table("ll");
  for (const Command& command : all_commands()) table.row({std::string(command.name), std::string(command.summary)});
  text += table.text();
  text +=
      "\nTry:\n"
      "    ulna info stanford\n"
      "    ulna inverse stanford --q 0,pi/2,0.1,0,0,0\n"
      "    ulna lint my_robot.urdf\n\n"
      "'ulna COMMAND --help' explains a command; 'ulna --version' prints the version.\n"
      "Results go to standard output, messages to standard error. Exit status: 0 done, 1 the answer is no, 2 the input or the\n"
      "call is wrong.\n";
  std::fputs(text.c_str(), stdout);
}

int dispatch(const std::vector<std::string>& words) {
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
  if (words[0] == "help") return run_command(find_command(words[1]), {"--help"});
  return run_command(find_command(words[0]), {words.begin() + 1, words.end()});
}

}  // namespace

int run(int argc, char** argv) {
  return exit_status([&] { return dispatch(std::vector<std::string>(argv + 1, argv + argc)); });
}

}  // namespace ulna::cli
