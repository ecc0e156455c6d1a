#include "command.hpp"
#include "json.hpp"
#include "logs.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

void print_json(const Model& model, const Diagnosis& found) {
  JsonOutput json;
  json.line_fields("robot", model.name(), "sound", found.sound()).line().key("causes").begin_array();
  for (std::size_t k = 0; k < found.causes.size(); ++k) {
    const Cause& cause = found.causes[k];
    json.line().object("kind", cause.kind, is_of_link(cause) ? "link" : "joint", cause.where, "explains", cause.share, "edit", cause.edit, "in",
                       found.in_log[k] ? "log" : "model", "left", cause.residual_after, "also", cause.also);
  }
  json.end_array().line_fields("before", found.before, "after", found.after, "fitted", found.fitted, "cutoff", found.cutoff);
  std::vector<std::string> notes;
  for (const Finding& one : found.findings) notes.push_back(to_string(one));
  json.line_fields("notes", notes).end();
}

void print_text(const Model& model, const Diagnosis& found) {
  std::string text =
      cat("robot ", model.name(), ": torques of the file miss the logs by ", percent(found.before), " (low-pass ", rounded(found.cutoff), " Hz)\n");
  if (found.sound()) {
    text += "Nothing is wrong that explains a part of it.\n";
  } else {
    Table table("rllr");
    table.row({"explains", "cause", "where", "left"});
    for (const Cause& cause : found.causes) table.row({percent(cause.share), cause.kind, cause.where, percent(cause.residual_after)});
    text += cat("\n", table.text(), "\nWhat repairs it:\n");
    for (std::size_t k = 0; k < found.causes.size(); ++k) {
      text += cat("  ", k + 1, ". ", found.in_log[k] ? "in the log: " : "", found.causes[k].edit, "\n");
      for (const std::string& other : found.causes[k].also) text += cat("     fits as well: ", other, "\n");
    }
    text += cat("\nAfter these edits ", percent(found.after), " is left.\n");
  }
  text += cat("A fit of all parameters leaves ", percent(found.fitted), " of torques that it has not seen ('ulna identify').\n");
  std::fputs(text.c_str(), stdout);
}

/// Why there is no file to write; empty when there is one.
std::string why_not(const Diagnosis& found) {
  if (found.sound()) return "nothing is wrong";
  for (std::size_t k = 0; k < found.causes.size(); ++k)
    if (!found.in_log[k] && found.causes[k].kind != "parameters" && found.causes[k].kind != "unexplained") return {};
  return "what is wrong is not in the model, or no edit of it";
}

int doctor_main(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positional();
  if (words.size() < 2) throw UsageError("give MODEL and at least one LOG.csv");
  const Robot robot = load_robot(arguments, words[0], true);
  DoctorOptions options;
  options.snap = snap_of(arguments);
  options.cutoff = arguments.number("--cutoff").value_or(0);
  if (arguments.has("--cutoff") && !(options.cutoff > 0)) throw UsageError("option --cutoff takes a frequency above 0 Hz");
  std::optional<std::string> urdf;
  std::optional<WholeFile> file;
  if (arguments.has("--fix")) {
    Diagnostics problems(words[0]);
    for (const BuiltinRobot& one : builtin_robots())
      if (one.id == words[0]) urdf = std::string(one.text);
    if (!urdf) urdf = read_whole(words[0], &ReadLimits::file_bytes, limits_of(arguments), problems);
    tell(problems.all());
    if (!urdf) return kWrong;
    if (!repaired_urdf(*urdf, robot.model, robot.model, problems, limits_of(arguments))) {
      tell(problems.all());
      throw UsageError(cat("option --fix edits URDF files in place, and ", in_quotes(words[0]),
                           " is none that it can edit: leave the option out, and make the edits that are printed"));
    }
    file.emplace("--fix", *arguments.value("--fix"), arguments.has("--force"));
  }
  LogOptions reading;
  reading.limits = limits_of(arguments);
  const std::vector<Log> logs = read_logs({words.begin() + 1, words.end()}, robot.model, reading);
  std::optional<Diagnosis> found;
  try {
    Steps steps("ulna doctor");
    steps.begin("causes");
    found = doctor(robot.model, logs, options);
  } catch (const UnusableLog& refused) {
    tell(refused.findings());
    return kWrong;
  }
  tell(found->findings);
  if (file) {
    if (const std::string why = why_not(*found); !why.empty()) {
      std::fprintf(stderr, "ulna: note: %s is not written: %s\n", arguments.value("--fix")->c_str(), why.c_str());
    } else {
      Diagnostics problems(words[0]);
      const std::optional<std::string> repaired = repaired_urdf(*urdf, robot.model, found->repaired, problems, limits_of(arguments));
      tell(problems.all());
      if (!repaired) return kWrong;
      file->write(*repaired);
      file->keep();
    }
  }
  arguments.has("--json") ? print_json(robot.model, *found) : print_text(robot.model, *found);
  return found->sound() ? kDone : kAnswerNo;
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "what is wrong with a model, or with a log of its robot, and the edit that repairs it",
          "MODEL LOG.csv… [--fix OUT.urdf] [options]",
          "Compares the torques of a log with those of the model, and names what explains the difference: an axis reversed or a\n"
          "wrong zero of a joint, names or columns exchanged, degrees, rpm or mA, a torque constant or gear ratio, gravity in\n"
          "another direction, a missing load or link, a wrong mass or inertia, no friction, torques that come late. Logs are as\n"
          "'ulna identify' reads them. Each cause comes with its share of the squared error, with the smallest edit, and with\n"
          "what is left after it; a cause is named only where torques that were not fitted show it. --fix writes the file with\n"
          "the edits that are of the model, and everything else in it as it was. What is left after the edits is compared with\n"
          "a fit of all parameters. Exit status: 0 sound; 1 causes were found; 2 the input or the call is wrong.",
          std::vector<Option>{{"--fix", "FILE", "write the repaired URDF; nothing is written where the model is sound or is no URDF"},
                              {"--cutoff", "HZ", "cut-off frequency of the zero-phase low-pass (default: where the motion ends and noise has not begun)"},
                              {"--json", "", "print one JSON object and nothing else"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna doctor ur10.urdf log.csv --fix repaired.urdf\n"
          "    causes, and the file without them",
          doctor_main};
}

}  // namespace ulna::cli
