#include <nlohmann/json.hpp>

#include "beside.hpp"
#include "command.hpp"
#include "json.hpp"
#include "machine.hpp"
#include "model_options.hpp"
#include "peers.hpp"
#include "progress.hpp"

namespace ulna::cli {

namespace {

constexpr double kTimingSeconds = 0.003;  // of each row, in three rounds
constexpr std::size_t kMostTimed = 12;    // joints: beyond, compilers and other libraries take too long
constexpr std::chrono::seconds kTimingLimit{600};

/// The model as this command was given it, in words for another one.
std::vector<std::string> words_of_model(const Arguments& arguments, const std::string& source) {
  std::vector<std::string> words;
  for (const Option& option : model_options())
    for (const std::string& value : arguments.values(option.name))
      words.push_back(option.value.empty() ? std::string(option.name) : cat(option.name, "=", value));
  words.insert(words.end(), {"--", source});
  return words;
}

/// Other libraries by `ulna bench`, where it and its timing programs stand next to ulna.
StudyTimings time_peers(const Model& model, const std::vector<std::string>& model_words) {
  StudyTimings out;
  out.machine = this_machine().processor;
  const std::optional<std::string> bench = program_beside(kBenchProgram);
  if (!bench || !program_beside("ulna-bench-ulna")) {
    out.notes.emplace_back("no timing programs stand next to ulna, so the times are of ulna alone; 'make bench' builds them");
    return out;
  }
  if (model.nv() > kMostTimed) {
    out.notes.push_back(cat("other libraries are not timed here on robots of more than ", kMostTimed, " joints; 'ulna bench' does it"));
    return out;
  }
  // The C of derivatives would be compiled longer than all else takes, and CppADCodeGen compiles for minutes.
  std::vector<std::string> words{*bench,
                                 "--json",
                                 "--single-calls",
                                 cat("--time=", kTimingSeconds),
                                 "--task=inverse,mass,forward",
                                 "--library=ulna,pinocchio-clang,pinocchio-gcc,rbdl,bullet,mujoco,kdl"};
  words.insert(words.end(), model_words.begin(), model_words.end());
  const PrivateFolder folder;
  const ProgramRun run = run_program(words, folder, kTimingLimit);
  const nlohmann::json report = nlohmann::json::parse(run.out, nullptr, false);
  if (report.is_discarded()) {
    const std::size_t message = run.err.find("ulna: ");  // behind the model's warnings
    out.notes.push_back(cat("other libraries could not be timed: ", !run.status                    ? cat("it took more than ", kTimingLimit.count(), " s")
                                                                    : message == std::string::npos ? "ulna-bench ended without a word"
                                                                                                   : first_line(run.err.substr(message + 6))));
    return out;
  }
  for (const nlohmann::json& row : report["results"])
    out.rows.push_back({row["library"], row["path"], row["task"], row["mode"], row["real"], row["threads"], row["ns"]});
  for (const nlohmann::json& library : report["libraries"])
    if (library["why_not"] != "")
      out.notes.push_back(
          cat(library["library"].get<std::string>(), " (", library["program"].get<std::string>(), "): ", library["why_not"].get<std::string>()));
  for (const nlohmann::json& c : report["comparisons"])
    if (!c["agree"])
      out.notes.push_back(cat(c["library"].get<std::string>(), ", ", c["path"].get<std::string>(), ", ", c["task"].get<std::string>(),
                              ": its results differ, so it was not timed"));
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
  if (arguments.on_off("--peers", true) && !robot.model.closed()) {  // other libraries are compared on trees
    options.ask_peers = [](const Model& model, const VerifyOptions& verify) { return ask_peers(model, verify); };
    options.time_peers = [words = words_of_model(arguments, source)](const Model& model) { return time_peers(model, words); };
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
    json.begin_object().line().fields("robot", robot.model.name()).line().fields("page", page).line().fields("good", result.good);
    json.line().key("steps").lines(
        result.steps, [&](const StudyStep& step) { json.object("name", step.name, "result", step.result, "seconds", step.seconds, "good", step.good); });
    json.line().key("files").lines(
        result.files, [&](const StudyFile& file) { json.object("path", (std::filesystem::path(folder) / file.name).string(), "bytes", file.text.size()); });
    json.end_object();
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
          "Checks the model (the Stanford arm if none is named), verifies it, counts operations next to the published figures,\n"
          "writes C and runs its self-test, schedules the operations, times them next to other libraries, computes torques along\n"
          "a motion, and simulates a motion. Writes DIR/index.html, a page that needs no network, and the data behind it: JSON,\n"
          "CSV, C, LaTeX. A line for each step goes to standard error, the path of the page to standard output. DIR is written\n"
          "whole or not at all. Exit status 0 when all is well, 1 when a check fails (the page is written and shows it).",
          std::vector<Option>{{"--out", "DIR", "folder to write (default NAME-study)"},
                              {"--force", "", "replace a study that is in DIR; nothing else is replaced"},
                              {"--samples", "N", "number of states for the certificate (default 200 for an arm, fewer for many joints)"},
                              {"--bench", "on|off", "time the computation (default on)"},
                              {"--self-test", "on|off", "compile the C and run its self-test (default on)"},
                              {"--peers", "on|off", "compare with other libraries found next to ulna, and time them (default on)"},
                              {"--json", "", "print what was done and written as one JSON object and nothing else"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna study stanford --out stanford-study",
          study_main};
}

}  // namespace ulna::cli
