// A wrong call names the right one, ends with status 2, and writes nothing to standard output.
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace {

TEST(Usage, WrongCallsNameTheNearestRightOne) {
  expect_refused("invers panda", "did you mean 'inverse'?");
  expect_refused("inverse panda --gravty 0,0,0", "did you mean '--gravity'?");
  expect_refused("inverse pandda", "did you mean 'panda'?");
  expect_refused("inverse ./panda.urdf", "no such file");
  expect_refused("frobnicate", "'ulna --help' lists them");
  expect_refused("inverse", "needs a MODEL");
  expect_refused("inverse panda stanford", "'stanford' follows it");
  expect_refused("models pum560", "did you mean 'puma560'?");
  expect_refused("pose panda --link hnd", "did you mean 'hand'?");
  expect_refused("inverse panda --lock joint8", "did you mean 'joint1'?");
  expect_refused("inverse panda --wrench hnd:1,2,3,4,5,6@link", "did you mean 'hand'?");
}

TEST(Usage, WrongValuesSayWhatTheOptionTakes) {
  expect_refused("inverse panda --q 1,2", "option --q has 2 entries, but robot 'panda' has nq = 7");
  expect_refused("inverse panda --v 1,2,3", "nv = 7");
  expect_refused("inverse panda --q", "needs a value");
  expect_refused("inverse panda --q --v 1", "needs a value");
  expect_refused("inverse panda --q 1,2,3,4,5,6,x", "'x'");
  expect_refused("inverse panda --q 1,2,3,4,5,6,", "missing between commas");
  expect_refused("inverse panda --q 1,2,3,4,5,6,inf", "inf");
  expect_refused("inverse panda --gravity 0,0", "takes 3 numbers, but 2 are given");
  expect_refused("inverse panda --friction yes", "takes on or off, not 'yes'");
  expect_refused("inverse panda --mimic maybe", "takes honour or ignore, not 'maybe'");
  expect_refused("inverse panda --snap -1", "from 0 to 0.1");
  expect_refused("inverse panda --wrench hand:1,2,3@link", "takes 6 numbers");
  expect_refused("inverse panda --wrench hand:1,2,3,4,5,6", "form");
  expect_refused("inverse panda --wrench hand:1,2,3,4,5,6@hand", "@link or @world");
  expect_refused("inverse panda --lock joint1=a", "'a'");
  expect_refused("inverse panda --lock =1", "needs the name of a joint");
  expect_refused("inverse panda --lock joint1 --lock joint1", "locked twice");
  expect_refused("inverse panda --json --csv", "exclude each other");
  expect_refused("inverse panda --json --json", "given twice");
  expect_refused("inverse panda --json=1", "takes no value");
  expect_refused("inverse panda --q 0,0,0,0,0,0,0 --states x.csv", "exclude each other");
  expect_refused("jacobian panda", "needs --link NAME");
  expect_refused("forward panda --method fast", "takes auto, mass or articulated, not 'fast'");
  expect_refused("gravity panda --wrench hand:1,2,3,4,5,6@link", "has no option '--wrench'");
}

TEST(Usage, ValuesNameTheNearestRightOne) {
  expect_refused("forward panda --method articulatd", "not 'articulatd'; did you mean 'articulated'?");
  expect_refused("inverse panda --wrench hand:1,2,3,4,5,6@wrld", "not '@wrld'; did you mean '@world'?");
  expect_refused("schedule planar-2r --quantity torqe", "did you mean 'torque'?");
  expect_refused("count five-bar --quantity invers", "not 'invers'; did you mean 'inverse'?");
  expect_refused("generate five-bar --what invers --out nowhere", "there is no quantity 'invers'; did you mean 'inverse'?");
}

// An option that changes nothing of a call is a misunderstanding.
TEST(Usage, OptionsWithoutEffectAreRefused) {
  const std::string logs = " log.csv --validate other.csv";
  for (const auto& [call, piece] : std::vector<std::pair<std::string, std::string>>{
           {"campaign merge a b --out c --runs 5", "option --runs has no effect on 'campaign merge', which puts finished runs together; leave it out"},
           {"campaign merge a b --out c --shard 1/2", "option --shard has no effect on 'campaign merge'"},
           {"campaign merge a b --out c --force", "option --force has no effect without --report"},
           {"campaign c.yaml --only 3 --resume", "option --resume has no effect with --only"},
           {"campaign c.yaml --out c --force", "option --force has no effect without --report"},
           {"dataset " ULNA_CAMPAIGNS "/panda-torques.yaml --rows 1 --out - --json", "option --json has no effect with --out -"},
           {"simulate --list --out x.csv", "option --out has no effect with --list"},
           {"simulate kane-figure-3 --show --json", "option --json has no effect with --show"},
           {"simulate kane-figure-3 --threads 2", "option --threads has no effect on one run; add --batch FILE.csv, or leave it out"},
           {"simulate kane-figure-3 --partial", "option --partial has no effect without a file to keep"},
           {"simulate kane-figure-3 --linearise --plot x", "option --plot has no effect with --batch, --linearise and --sensitivity"},
           {"simulate kane-figure-3 --batch x.csv --partial", "option --partial has no effect with --batch"},
           {"models panda --json", "option --json has no effect with the name of a robot"},
           {"convert panda --to urdf --snap 0", "option --snap has no effect with --to urdf"},
           {"excite panda --rate 50", "option --rate has no effect without rows to write; add --out FILE or --svg FILE, or leave it out"},
           {"identify panda" + logs + " --train 0.5", "option --train has no effect with --validate"},
           {"explain panda numbers.csv --samples 3", "option --samples has no effect with numbers.csv"},
           {"explain panda numbers.csv --b-gravity 0,0,0", "option --b-gravity has no effect where B is a table of numbers"},
           {"explain numbers.csv panda --a-base free", "option --a-base has no effect where A is a table of numbers"},
           {"verify planar-2r --against c.json --json", "option --json has no effect with --against"},
           {"count planar-2r --program --formulation lagrange --rotor off", "option --rotor has no effect on the program of a formulation"},
           {"equations planar-2r --link upper", "option --link has no effect on equations of the whole robot; add pose or jacobian to --what"},
           {"inverse planar-2r --formulation lagrange --compiled on", "option --compiled has no effect with --formulation"},
           {"inverse planar-2r --compiled off --instruction-set none", "option --instruction-set has no effect with --compiled off"},
           {"schedule planar-2r --force", "option --force has no effect without a file to write; add --svg, or leave it out"},
           {"generate planar-2r --out x --parameters-link forearm", "has no effect unless a payload is among them: add parameter payload"},
           {"generate planar-2r --out x --link forearm", "has no effect on quantities of the whole robot: add pose or jacobian"},
           {"generate planar-2r --out x --for casadi --batch", "CasADi calls functions with one state"}})
    expect_refused(call, piece);
}

TEST(Usage, EveryCommandHasAPage) {
  for (const std::string command :
       {"models",    "info",       "lint",   "inverse",  "forward",      "mass",   "bias",    "gravity", "coriolis", "energy",   "momentum", "pose", "jacobian",
        "regressor", "parameters", "excite", "identify", "formulations", "verify", "convert", "count",   "tables",   "schedule", "generate", "study"}) {
    SCOPED_TRACE(command);
    const Outcome page = ulna(command + " --help");
    EXPECT_EQ(page.status, 0);
    EXPECT_EQ(page.err, "");
    for (const char* part : {"NAME\n", "SYNOPSIS\n", "DESCRIPTION\n", "OPTIONS\n", "EXAMPLE\n    ulna ", "EXIT STATUS\n"})
      EXPECT_NE(page.out.find(part), std::string::npos) << part;
    EXPECT_EQ(ulna("help " + command).out, page.out);
  }
  EXPECT_EQ(ulna("--help").status, 0);
  EXPECT_EQ(ulna("").status, 2);
  EXPECT_EQ(ulna("--version").out.rfind("ulna 0.", 0), 0u);
}

/// Lines of the overview under "Commands:": groups begin them, their commands are indented.
std::map<std::string, std::vector<std::string>> groups_of_commands() {
  std::map<std::string, std::vector<std::string>> groups;
  std::istringstream lines(ulna("--help").out);
  std::string line, group;
  while (std::getline(lines, line) && line != "Commands:") continue;
  while (std::getline(lines, line) && !line.empty())
    if (line.starts_with("  "))
      groups[group].push_back(line.substr(2, line.find(' ', 2) - 2));
    else
      group = line.substr(0, line.find(':'));
  return groups;
}

TEST(Usage, AGroupShowsHowItsCommandsAreCalled) {
  const auto groups = groups_of_commands();
  EXPECT_EQ(groups.size(), 5u);
  for (const auto& [group, commands] : groups) {
    const Outcome page = ulna("help " + group);
    EXPECT_EQ(page.status, 0) << page.err;
    for (const std::string& command : commands) EXPECT_NE(page.out.find("\n  ulna " + command + " "), std::string::npos) << group << " " << command;
  }
  expect_refused("help desing", "did you mean 'design'?");
}

TEST(Usage, ShellsCompleteEveryOption) {
  const std::string bash = ulna("completion bash").out, zsh = ulna("completion zsh").out, fish = ulna("completion fish").out;
  for (const auto& [group, commands] : groups_of_commands())
    for (const std::string& command : commands) {
      if (command == "bench") continue;  // a program of its own
      const auto part = [&](const std::string& script, const std::string& start) {
        const std::size_t at = script.find("\n  " + start);
        EXPECT_NE(at, std::string::npos) << start;
        return script.substr(at, script.find(" ;;\n", at) - at);
      };
      const std::string of_bash = part(bash, "  " + command + ") options='"), of_zsh = part(zsh, command + ") _arguments ");
      std::istringstream page(ulna(command + " --help").out);
      for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("    --") || line == "    --help") continue;
        const std::string option = line.substr(4, line.find(' ', 4) - 4);
        EXPECT_TRUE(has(of_bash + " ", " " + option + " ") || has(of_bash, " " + option + "'")) << command << " " << option;
        EXPECT_TRUE(has(of_zsh, option + "'['")) << command << " " << option;
        EXPECT_TRUE(has(fish, "from " + command + "' -l " + option.substr(2) + " ")) << command << " " << option;
      }
    }
  const auto completed = [](const std::string& words, int at) {
    return shell("export ULNA; bash -c 'eval \"$($ULNA completion bash)\"; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                 "; _ulna; echo \"${COMPREPLY[*]}\"'")
        .out;
  };
  EXPECT_EQ(completed("ulna ident", 1), "identify\n");
  EXPECT_EQ(completed("ulna inverse panda --fricti", 3), "--friction --friction-file\n");
  EXPECT_EQ(completed("ulna inverse panda --rot", 3), "--rotor\n");
  EXPECT_EQ(completed("ulna inverse panda --friction o", 4), "on off\n");
  EXPECT_EQ(completed("ulna info planar-2", 2), "planar-2r\n");
  expect_refused("completion tcsh", "did you mean 'bash'?");
}

// The example of a page is a command that works.
TEST(Usage, ExamplesOnThePagesRun) {
  for (const std::string command : {"models", "info",     "inverse",   "forward",    "mass",         "bias",   "gravity", "coriolis", "energy", "momentum",
                                    "pose",   "jacobian", "regressor", "parameters", "formulations", "verify", "convert", "count",    "tables", "schedule"}) {
    const std::string page = ulna(command + " --help").out;
    const std::size_t start = page.find("EXAMPLE\n    ulna ") + std::string("EXAMPLE\n    ulna ").size();
    std::string example = page.substr(start, page.find('\n', start) - start);
    example = example.substr(0, example.find(" >"));
    SCOPED_TRACE(example);
    EXPECT_EQ(ulna(example).status, 0);
  }
}

}  // namespace
