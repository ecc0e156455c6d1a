#include <ulna/study/study.hpp>

#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "bench_run.hpp"
#include "beside.hpp"
#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "peers.hpp"
#include "progress.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

constexpr double kTimingSeconds = 0.003;  // of each row, in three rounds
constexpr std::size_t kMostTimed = 12;    // joints: beyond, compilers and other libraries take too long

/// Other libraries by their timing programs, where these stand beside ulna.
StudyTimings time_peers(const Model& model) {
  StudyTimings out;
  const Machine machine = this_machine();
  out.machine = machine.processor;
  if (!program_beside("ulna-bench-ulna")) {
    out.notes.emplace_back("no timing programs stand beside ulna, so the times are of ulna alone; 'make bench' builds them");
    return out;
  }
  if (model.nv() > kMostTimed) {
    out.notes.push_back(cat("other libraries are not timed here on robots of more than ", kMostTimed, " joints; 'ulna bench' does it"));
    return out;
  }
  BenchOptions options;
  options.seconds = kTimingSeconds;
  options.single_calls = true;
  options.tasks = {"inverse", "mass", "forward"};  // the C of derivatives would be compiled longer than all else takes
  // CppADCodeGen compiles for minutes.
  for (const std::string& library : bench_libraries())
    if (library != "pinocchio-cppadcg") options.libraries.push_back(library);
  BenchReport report;
  report.machine = machine;
  try {
    run_bench(model, options, report);
  } catch (const std::exception& error) {
    out.notes.push_back(cat("other libraries could not be timed: ", error.what()));
    return out;
  }
  for (const BenchRow& row : report.rows) out.rows.push_back({row.library, row.path, row.task, row.mode, row.real, row.threads, row.ns});
  for (const BenchLibrary& library : report.libraries)
    if (!library.why_not.empty()) out.notes.push_back(cat(library.library, " (ulna-bench-", library.program, "): ", library.why_not));
  for (const BenchComparison& c : report.comparisons)
    if (!c.agree) out.notes.push_back(cat(c.library, ", ", c.path, ", ", c.task, ": its results differ, so it was not timed"));
  out.notes.emplace_back("pinocchio-cppadcg: it compiles for minutes; 'ulna bench' times it");
  if (has_rotors(model)) out.notes.emplace_back("all libraries are timed without rotors, which not every one has");
  return out;
}

int study_main(const Arguments& arguments) {
  if (arguments.positional().size() > 1) arguments.only("one MODEL (a file, or a name that 'ulna models' lists)");
  const std::string source = arguments.positional().empty() ? "stanford" : arguments.positional().front();
  StudyOptions options;
  const double samples = arguments.number("--samples").value_or(0);
  if (arguments.has("--samples") && (!(samples >= 1 && samples <= 1e6) || samples != std::floor(samples)))
    throw UsageError("option --samples takes a whole number from 1 to 1000000");
  options.samples = static_cast<std::size_t>(samples);
  options.snap = snap_of(arguments);
  options.timing = arguments.on_off("--bench", true);
  options.self_test = arguments.on_off("--self-test", true);
  const bool force = arguments.has("--force");

  LoadOptions load = load_options(arguments);
  load.advise = true;
  const Robot robot = load_robot(source, load);
  options.diagnostics = robot.diagnostics;
  options.source = source;
  // A robot may have any name, a folder not.
  const std::string stem = std::filesystem::path(source).stem().string();
  const std::string folder = arguments.value("--out").value_or(cat(stem.empty() ? "robot" : stem, "-study"));
  if (const std::string reason = why_not_written(folder, force); !reason.empty()) throw UsageError(cat("option --out: ", reason));

  const Interrupt interrupt;
  options.go_on = [] { return !Interrupt::seen(); };
  if (arguments.on_off("--peers", true) && !robot.model.closed()) {  // other libraries are asked about trees
    options.ask_peers = [](const Model& model, const VerifyOptions& verify) { return ask_peers(model, verify); };
    options.time_peers = time_peers;
  }
  options.done = [](const StudyStep& step) {
    std::fprintf(stderr, "%-10s %6.2f s  %s\n", step.name.c_str(), step.seconds, step.result.c_str());
    std::fflush(stderr);
  };
  Study result;
  try {
    result = study(robot.model, options);
    write_study(result, folder, force);
  } catch (const StudyInterrupted& stopped) {
    throw UsageError(stopped.what());
  }
  const std::string page = (std::filesystem::path(folder) / "index.html").string();
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object().line().key("robot").value(robot.model.name()).line().key("page").value(page).line().key("good").value(result.good);
    json.line().key("steps").begin_array();
    for (const StudyStep& step : result.steps)
      json.line()
          .begin_object()
          .key("name")
          .value(step.name)
          .key("result")
          .value(step.result)
          .key("seconds")
          .value(step.seconds)
          .key("good")
          .value(step.good)
          .end_object();
    json.end_array().line().key("files").begin_array();
    for (const StudyFile& file : result.files)
      json.line().begin_object().key("path").value((std::filesystem::path(folder) / file.name).string()).key("bytes").value(file.text.size()).end_object();
    json.end_array().end_object();
    json.finish();
  } else {
    std::printf("%s\n", page.c_str());
  }
  return result.good ? kDone : kAnswerNo;
}

}  // namespace

Command study_command() {
  return {"study",
          "everything about one robot, as a page to read and the data behind it",
          "[MODEL] [options]",
          "Checks the model (the Stanford arm if none is named), verifies it, counts operations beside the published figures,\n"
          "writes C and runs its self-test, schedules the operations, times them beside other libraries, computes torques along\n"
          "a motion, and simulates a motion. Writes DIR/index.html, a page that needs no network, and the data behind it: JSON,\n"
          "CSV, C, LaTeX. A line for each step goes to standard error, the path of the page to standard output. DIR is written\n"
          "whole or not at all. Exit status 0 when all is well, 1 when a check fails (the page is written and shows it).",
          std::vector<Option>{{"--out", "DIR", "folder to write (default NAME-study)"},
                              {"--force", "", "replace a study that is in DIR; nothing else is replaced"},
                              {"--samples", "N", "number of states for the certificate (default 200 for an arm, fewer for many joints)"},
                              {"--bench", "on|off", "time the computation (default on)"},
                              {"--self-test", "on|off", "compile the C and run its self-test (default on)"},
                              {"--peers", "on|off", "compare with other libraries found beside ulna, and time them (default on)"},
                              {"--json", "", "print what was done and written as one JSON object and nothing else"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna study stanford --out stanford-study",
          study_main};
}

}  // namespace ulna::cli
