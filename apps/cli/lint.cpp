#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"

namespace ulna::cli {

namespace {

namespace fs = std::filesystem;

const char* severity_name(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note"; }

struct Findings {
  std::string source;
  LoadResult loaded;
  int errors = 0, warnings = 0, notes = 0;
};

Findings examine(const std::string& source, const LoadOptions& options) {
  Findings out{source, try_load(source, options)};
  std::vector<Diagnostic>& all = out.loaded.diagnostics;
  if (out.loaded.model && out.loaded.model->closed()) {
    Diagnostics notes(out.loaded.model->file());
    notes.note(out.loaded.model->loops().front().line, Element::robot(out.loaded.model->name()), loops_in_words(*out.loaded.model),
               "'ulna info' lists its independent and dependent joints");
    all.insert(all.end(), notes.all().begin(), notes.all().end());
  }
  const auto count = [&](Severity severity) {
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
  };
  out.errors = count(Severity::error), out.warnings = count(Severity::warning), out.notes = count(Severity::note);
  return out;
}

void write_findings(Json& json, const Findings& found) {
  json.fields("model", found.source, "errors", found.errors, "warnings", found.warnings, "notes", found.notes);
  json.list("diagnostics", found.loaded.diagnostics, [&](const Diagnostic& d) {
    json.object("severity", severity_name(d.severity), "file", d.file, "line", d.line, "element", to_string(d.element), "element_kind",
                to_string(d.element.kind), "element_name", d.element.name, "problem", d.problem, "cure", d.cure, "physical", d.kind == Kind::physical, "chain",
                d.chain);
  });
}

std::string counted(int n, const char* what) { return cat(n, " ", what, n == 1 ? "" : "s"); }

std::string summary(const Findings& found) {
  return cat(found.source, ": ", counted(found.errors, "error"), ", ", counted(found.warnings, "warning"), ", ", counted(found.notes, "note"));
}

// Folders.

/// Whether a file is a robot's: by its ending, and of endings that other files have, too, by its first element or keys.
bool is_robot_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view ending) {
    return name.size() > ending.size() && std::string_view(name).substr(name.size() - ending.size()) == ending;
  };
  for (const std::string_view ending : {".urdf", ".sdf", ".mjcf", ".xacro"})
    if (ends(ending)) return true;
  const bool xml = ends(".xml"), yaml = ends(".yaml") || ends(".yml");
  if (!xml && !yaml) return false;
  constexpr std::size_t kBeginning = 1 << 14;
  std::string text(kBeginning, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (yaml) return text.find("convention:") != std::string::npos && text.find("links:") != std::string::npos;
  for (const std::string_view root : {"<robot ", "<robot>", "<mujoco ", "<mujoco>", "<sdf "})
    if (text.find(root) != std::string::npos) return true;
  return false;
}

std::vector<std::string> robot_files(const std::string& folder) {
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> out;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && at->path().filename().string().front() == '.')
      at.disable_recursion_pending();
    else if (at->is_regular_file(unknown) && is_robot_file(at->path()) && out.size() < kMost)
      out.push_back(at->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The ends of the names in <xacro:include filename="$(find package)/urdf/${arm}_macro.xacro"/>, after what is computed: "_macro.xacro".
std::vector<std::string> included_in(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const std::string& file : files) {
    if (!file.ends_with(".xacro")) continue;
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t at = text.find("<xacro:include"); at != std::string::npos; at = text.find("<xacro:include", at + 1)) {
      const std::size_t name = text.find("filename=", at) + 10, end = std::min(text.find_first_of("\"'", name), text.size());
      if (name < 10 || name >= end) continue;
      const std::size_t begin = text.find_last_of("/})", end - 1) + 1;
      const bool computed = begin > name && text[begin - 1] != '/';
      const std::string last = text.substr(std::max(begin, name), end - std::max(begin, name));
      if (!last.empty() && !(computed && last[0] == '.')) out.push_back(computed ? last : "/" + last);
    }
  }
  return out;
}

/// A xacro file that holds no robot of its own: macros alone, or what another file includes and what does not stand without it.
bool is_part(const Findings& found, const std::vector<std::string>& included) {
  const auto in = [&](const std::string& name) { return ("/" + found.source).ends_with(name); };
  return found.source.ends_with(".xacro") && found.errors > 0 &&
         (std::any_of(included.begin(), included.end(), in) ||
          std::any_of(found.loaded.diagnostics.begin(), found.loaded.diagnostics.end(), [](const Diagnostic& d) { return d.problem == "it has no links"; }));
}

int lint_folder(const std::string& folder, LoadOptions options, bool as_json) {
  const std::vector<std::string> files = robot_files(folder), included = included_in(files);
  options.package_paths.push_back(folder);
  std::vector<Findings> all;
  int broken = 0;
  for (const std::string& file : files) {
    Findings found = examine(file, options);
    if (is_part(found, included)) continue;
    found.loaded.model.reset();  // its messages are enough
    broken += found.errors > 0 ? 1 : 0;
    all.push_back(std::move(found));
  }
  if (all.empty()) {
    std::fprintf(stderr, "ulna: folder %s holds no robot file (.urdf, .xacro, .sdf, MJCF, or a DH table in YAML)\n", folder.c_str());
    return kWrong;
  }
  if (as_json) {
    JsonOutput json;
    json.line_fields("folder", folder, "files", all.size(), "refused", broken);
    json.list("models", all, [&](const Findings& found) {
      json.begin_object();
      write_findings(json, found);
      json.end_object();
    });
    json.end();
  } else {
    for (const Findings& found : all) std::printf("%s\n", summary(found).c_str());
    for (const Findings& found : all)
      for (const Diagnostic& d : found.loaded.diagnostics) std::printf("%s%s\n", &d == found.loaded.diagnostics.data() ? "\n" : "", to_string(d).c_str());
    std::printf("\n%s: %s, %d of them refused\n", folder.c_str(), counted(static_cast<int>(all.size()), "robot file").c_str(), broken);
  }
  return broken > 0 ? kAnswerNo : kDone;
}

int lint_main(const Arguments& arguments) {
  const std::string& source = arguments.only("a MODEL (a file, a folder, or a name that 'ulna models' lists)");
  LoadOptions options = load_options(arguments);
  options.advise = true;
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) return lint_folder(source, std::move(options), arguments.has("--json"));
  const Findings found = examine(source, options);
  if (!found.loaded.found) {
    for (const Diagnostic& d : found.loaded.diagnostics) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    return kWrong;
  }
  if (arguments.has("--json")) {
    JsonOutput json;
    write_findings(json, found);
    json.end();
  } else {
    for (const Diagnostic& d : found.loaded.diagnostics) std::printf("%s\n", to_string(d).c_str());
    std::printf("%s\n", summary(found).c_str());
  }
  return found.errors > 0 ? kAnswerNo : kDone;
}

}  // namespace

Command lint_command() {
  return {"lint",
          "errors, warnings and suspicious values in a model file",
          "MODEL|FOLDER [options]",
          "Reads the file and reports all problems in one run, one per line:\n"
          "  file:line: error|warning|note: element: what is wrong; what to do\n"
          "An error keeps Ulna from computing; a warning does not. A note is advice: implausible units, inertia far from mass\n"
          "times size squared, identical links, coarse angles, elements that are not used. Of a folder, every robot file in it is\n"
          "read: one line for each, then the messages. Exit status 1 when there are errors.",
          model_options() + std::vector<Option>{{"--json", "", "print one JSON object and nothing else"}},
          "ulna lint my_robot.urdf",
          lint_main};
}

}  // namespace ulna::cli
