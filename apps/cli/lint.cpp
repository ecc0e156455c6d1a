#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

const char* severity_name(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note"; }

void print_json(const std::string& source, const std::vector<Diagnostic>& diagnostics, int errors, int warnings, int notes) {
  JsonOutput json;
  json.line_fields("model", source, "errors", errors, "warnings", warnings, "notes", notes);
  json.list("diagnostics", diagnostics, [&](const Diagnostic& d) {
    json.object("severity", severity_name(d.severity), "file", d.file, "line", d.line, "element", to_string(d.element), "element_kind",
                to_string(d.element.kind), "element_name", d.element.name, "problem", d.problem, "cure", d.cure, "physical", d.kind == Kind::physical);
  });
  json.end();
}

int lint_main(const Arguments& arguments) {
  const std::string& source = arguments.only("a MODEL (a file, or a name that 'ulna models' lists)");
  LoadOptions options = load_options(arguments);
  options.advise = true;
  LoadResult loaded = try_load(source, options);
  if (loaded.model && loaded.model->closed()) {
    Diagnostics notes(loaded.model->file());
    notes.note(loaded.model->loops().front().line, Element::robot(loaded.model->name()), loops_in_words(*loaded.model),
               "'ulna info' lists its independent and dependent joints");
    loaded.diagnostics.insert(loaded.diagnostics.end(), notes.all().begin(), notes.all().end());
  }
  if (!loaded.found) {
    for (const Diagnostic& d : loaded.diagnostics) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    return kWrong;
  }
  const auto count = [&](Severity severity) {
    return static_cast<int>(std::count_if(loaded.diagnostics.begin(), loaded.diagnostics.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
  };
  const int errors = count(Severity::error), warnings = count(Severity::warning), notes = count(Severity::note);
  if (arguments.has("--json")) {
    print_json(source, loaded.diagnostics, errors, warnings, notes);
  } else {
    for (const Diagnostic& d : loaded.diagnostics) std::printf("%s\n", to_string(d).c_str());
    const auto counted = [](int n, const char* what) { return cat(n, " ", what, n == 1 ? "" : "s"); };
    std::printf("%s: %s, %s, %s\n", source.c_str(), counted(errors, "error").c_str(), counted(warnings, "warning").c_str(), counted(notes, "note").c_str());
  }
  return errors > 0 ? kAnswerNo : kDone;
}

}  // namespace

Command lint_command() {
  return {"lint",
          "every problem of a model file, and what looks odd in it",
          "MODEL [options]",
          "Reads the file and reports all problems in one run, one per line:\n"
          "  file:line: error|warning|note: element: what is wrong; what to do\n"
          "An error keeps Ulna from computing; a warning does not. A note is advice: implausible units, inertia far from mass\n"
          "times size squared, identical links, coarse angles, elements that are not used. Exit status 1 when there are errors.",
          model_options() + std::vector<Option>{{"--json", "", "print one JSON object and nothing else"}},
          "ulna lint my_robot.urdf",
          lint_main};
}

}  // namespace ulna::cli
