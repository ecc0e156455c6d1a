// ulna-bench: what `ulna bench` starts.
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "cli/beside.hpp"
#include "cli/instruction_set.hpp"
#include "cli/model_options.hpp"
#include "cli/run_command.hpp"
#include "cli/whole_file.hpp"
#include "formulations.hpp"
#include "loops.hpp"
#include "print.hpp"
#include "run.hpp"

namespace ulna::cli {

namespace {

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr bool kOptimised = false;
#else
constexpr bool kOptimised = true;
#endif

/// "a,b" to names that are all among `known`, of which `there_are` tells.
std::vector<std::string> names(const Arguments& arguments, const char* option, const char* what, const std::vector<std::string>& known,
                               const char* there_are = "there are") {
  std::vector<std::string> out;
  for (const std::string& value : arguments.values(option)) {
    std::istringstream words(value);
    for (std::string word; std::getline(words, word, ',');) {
      if (std::find(known.begin(), known.end(), word) == known.end()) {
        throw UsageError(cat("option ", option, ": ", there_is_no(what, word, known, cat("; ", there_are, " ", joined(known)))));
      }
      out.push_back(word);
    }
  }
  return out;
}

constexpr double kRaceSeconds = 0.02;

double seconds_of(const Arguments& arguments, double usual) {
  const double seconds = arguments.number("--time").value_or(usual);
  if (!(seconds > 0 && seconds <= 1000)) throw UsageError("option --time takes seconds, more than 0 and up to 1000");
  return seconds;
}

BenchOptions options_of(const Arguments& arguments) {
  BenchOptions options;
  options.seconds = seconds_of(arguments, options.seconds);
  const double batch = arguments.number("--batch").value_or(16);
  if (!(batch >= 16 && batch <= 1 << 20) || std::fmod(batch, 16) != 0) throw UsageError("option --batch takes a multiple of 16 from 16 to 1048576");
  options.tasks = names(arguments, "--task", "task", {"inverse", "mass", "forward", "derivatives", "forward-derivatives", "simulate"});
  if (!options.tasks.empty() && std::all_of(options.tasks.begin(), options.tasks.end(), [](const std::string& task) { return task == "simulate"; }))
    arguments.refuse({"--batch"}, "on task simulate", "add another task, or leave it out");
  if (arguments.has("--single-calls")) arguments.refuse({"--batch"}, "with --single-calls", "leave one of them out");
  if (arguments.has("--batch")) options.batch = static_cast<std::size_t>(batch);
  options.libraries = names(arguments, "--library", "library", bench_libraries());
  options.single_calls = arguments.has("--single-calls");
  options.instructions = arguments.has("--instructions");
  options.progress = isatty(STDERR_FILENO) != 0;
  return options;
}

void require_optimised() {
  if (!kOptimised)
    throw UsageError(
        "this program was built without optimisation or with sanitizers, so its times mean nothing; build it with 'make build', or with cmake "
        "-DCMAKE_BUILD_TYPE=Release");
}

int bench_main(const Arguments& arguments) {
  if (arguments.has("--formulations")) {
    require_optimised();
    RaceOptions options;
    options.seconds = seconds_of(arguments, kRaceSeconds);
    std::vector<std::string> known;
    for (const Quantity quantity : formulated_quantities()) known.emplace_back(to_string(quantity));
    for (const std::string& name : names(arguments, "--task", "task", known, "with --formulations there are"))
      options.only.push_back(find_quantity(name)->quantity);
    return bench_formulations(arguments, options);
  }
  if (arguments.has("--plot")) throw UsageError("option --plot is for --formulations; use --svg FILE");
  const BenchOptions options = options_of(arguments);
  if (arguments.positional().empty()) arguments.only("a MODEL (a file, or a name that 'ulna models' lists)");
  require_optimised();
  std::vector<Robot> robots;
  for (const std::string& source : arguments.positional()) {
    robots.push_back(load_robot(arguments, source, false));
    const Model& model = robots.back().model;
    if (model.base() == RootJoint::planar) require_fixed_base(model, "a bench");
    require_no_balls(model, "a bench");
    if (model.nv() == 0) throw UsageError(cat("no joint of ", in_quotes(source), " moves: there is nothing to time"));
  }
  std::optional<WholeFile> drawing;
  if (const auto path = arguments.value("--svg")) drawing.emplace("--svg", *path, arguments.has("--force"));

  BenchReport report;
  report.machine = this_machine();
  const LoadOptions asked = load_options(arguments);
  for (std::size_t k = 0; k < robots.size(); ++k) {
    const Robot& robot = robots[k];
    for (const Diagnostic& d : robot.overridden)
      report.notes.push_back(cat(robot.model.name(), ", timed in spite of: ", to_string(d.element), ": ", d.problem));
    if (robot.model.closed()) {
      require_fixed_base(robot.model, "a bench of loops");
      run_loop_bench(robot.model, {arguments.positional()[k], asked.loop_file, asked.independent}, options, report);
      continue;
    }
    if (has_rotors(robot.model)) report.notes.push_back(cat(robot.model.name(), ": rotors left out"));
    run_bench(robot.model, options, report);
  }
  if (report.rows.empty()) {
    std::string reasons;
    for (const BenchLibrary& l : report.libraries) reasons += cat("\n  ", l.library, " (ulna-bench-", l.program, "): ", l.why_not);
    throw std::runtime_error(cat("nothing could be timed:", reasons));
  }
  if (drawing) {
    std::fputs(bench_chart(report).c_str(), drawing->stream());
    drawing->keep();
  }
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    write_bench(json, out, report, options);
    json.finish();
  } else {
    std::fputs(bench_text(report).c_str(), stdout);
  }
  return report.agree() ? kDone : kAnswerNo;
}

Command command() {
  return {"bench",
          kBenchSummary,
          "MODEL... [options], or --formulations [MODEL...] [options]",
          "Times Ulna's machine code, its templates and its generated C, and every other library whose timing program was built\n"
          "('make bench' installs and builds those that are available). Each runs in its own process, in turn, on the same\n"
          "random states within the joint limits. Results are first compared with a recursion in extended precision; what\n"
          "differs is reported and not timed. Times are per state, the shortest of many runs. Every library gets the same\n"
          "robot, in the form that is fast for all: no rotors, links that are fixed to each other merged, joint axes along z.\n"
          "The task simulate is the Runge-Kutta rule at 1 kHz for 0.2 s under constant torques; its time is that of one step of\n"
          "one arm.\n"
          "Robots with loops are timed by single calls along a path, each of which closes the loops from where the call before\n"
          "left them. Pinocchio's constraint dynamics and MuJoCo's equality constraints are timed beside them if they can do\n"
          "it.\n"
          "With --formulations, the papers' formulations are timed in this process: each as its own code on doubles, and\n"
          "traced, minimised and made into machine code by Ulna, with its operation counts. The robots are the Stanford arm, a\n"
          "Panda and general arms of two to eight joints, or the MODELs given.\n"
          "Exit status 0 when all agree, 1 when not.",
          std::vector<Option>{
              {"--formulations", "", "time every formulation of the papers, not other libraries"},
              {"--time", "S", "seconds for each row (default 0.5; with --formulations 0.02 for each of its two ways)"},
              {"--batch", "N",
               "number of states in a batch, a multiple of 16 (default: what fits into the second-level cache, more for two threads); not for simulate"},
              {"--task", "LIST",
               "tasks, with commas: inverse, mass, forward, derivatives, forward-derivatives, simulate; with --formulations inverse, mass, bias, gravity, "
               "coriolis, forward "
               "(default all)",
               true},
              {"--library", "LIST", "libraries, with commas: ulna, pinocchio-clang, pinocchio-gcc, pinocchio-cppadcg, rbdl, bullet, mujoco, kdl (default all)",
               true},
              {"--single-calls", "", "time calls for one state in doubles only"},
              {"--instructions", "", "count instructions, too, by valgrind's callgrind (takes minutes; machine code is then AVX2)"},
              {"--svg", "FILE", "draw the times as bars"},
              {"--plot", "DIR", "with --formulations: draw the times into this folder, by number of joints for general arms and as bars for each other robot"},
              {"--json", "", "print one JSON object and nothing else"}} +
              model_options(),
          "ulna bench panda --task inverse",
          bench_main};
}

}  // namespace

}  // namespace ulna::cli

int main(int argc, char** argv) {
  using namespace ulna::cli;
  std::signal(SIGXFSZ, SIG_IGN);  // the write beyond a limit of file sizes fails, and is told as a full disk is
  return exit_status([&] { return run_command(with_instruction_set(with_force({command()})).front(), {argv + 1, argv + argc}); });
}
