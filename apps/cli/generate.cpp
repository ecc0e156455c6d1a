#include "command.hpp"
#include "effects.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "simulate.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

Model with_load(const Model& model, const std::string& text, std::string& note) {
  const Load load = load_of(model, text, "--payload");
  try {
    Model loaded = with_payload(model, load.link, load.payload);
    note += cat(note.empty() ? "With a load of " : ", ", load.payload.mass, " kg on link '", load.link, "'");
    return loaded;
  } catch (const std::invalid_argument& error) {
    throw UsageError(cat("option --payload: ", error.what()));
  }
}

int generate_main(const Arguments& arguments) {
  GenerateOptions options;
  if (const auto what = arguments.value("--what")) options.what = split(*what);
  options.language = arguments.choice("--lang", generated_languages());
  if (arguments.choice("--real", {"double", "float"}) == "float") options.real = Real::single_precision;
  options.name = arguments.value("--name").value_or("");
  options.link = arguments.value("--link").value_or("");
  options.formulation = arguments.value("--formulation").value_or("");
  options.snap = snap_of(arguments);
  options.friction = arguments.on_off("--friction", false);
  options.wrench_at = arguments.value("--wrench-at").value_or("");
  options.single_file = arguments.has("--single-file");
  options.prefix = arguments.value("--prefix").value_or("");
  options.static_const = arguments.has("--static-const");
  options.batch = arguments.has("--batch");
  options.misra = arguments.on_off("--misra", false);
  if (const auto names = arguments.value("--parameters")) options.parameters = split(*names);
  options.parameters_link = arguments.value("--parameters-link").value_or("");
  if (arguments.has("--for")) options.target = arguments.choice("--for", generated_targets());
  if (arguments.has("--crate")) {
    arguments.refuse({"--for"}, "with --crate");
    options.target = "crate";
  }
  options.warning = [](const std::string& message) { std::fprintf(stderr, "ulna generate: warning: %s\n", message.c_str()); };
  const std::optional<std::string> folder = arguments.value("--out");
  if (!folder) throw UsageError("option --out DIR is missing: the folder to write to");
  if (const std::string reason = why_no_folder(*folder); !reason.empty()) throw UsageError(cat("option --out: ", reason));
  std::optional<sim::Scenario> scenario;
  if (arguments.has("--scenario")) {
    if (!options.target.starts_with("fmi")) throw UsageError("option --scenario is for units of FMI: add --for fmi");
    arguments.refuse({"--friction", "--payload", "--lock", "--mimic", "--gravity", "--unchecked"}, "with --scenario, whose file says it");
    scenario = load_scenario_argument(arguments);
  }
  Model model = scenario ? scenario->model : load_robot(arguments, true).model;
  options.speeds = speeds_of(arguments, model);
  for (const std::string& load : arguments.values("--payload")) model = with_load(model, load, options.note);
  if (!options.note.empty()) options.note += ".";
  if (!options.wrench_at.empty()) find_link(model, options.wrench_at, "--wrench-at");
  options.most_entries = limits_of(arguments).entries;
  std::vector<GeneratedFile> files;
  try {
    Steps steps(cat("generating ", visible(model.name())));
    options.progress = [&](const std::string& step) { steps.begin(step); };
    files = scenario ? generate(*scenario, options) : generate(model, options);
    steps.begin(cat("writing ", files.size(), files.size() == 1 ? " file" : " files"));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  WholeFolder made("--out", *folder, arguments.has("--force"));
  for (const GeneratedFile& file : files) made.file(file.name).write(file.text);
  made.keep();
  if (arguments.has("--json")) {
    JsonOutput json;
    json.line_fields("robot", model.name());
    json.list("files", files,
              [&](const GeneratedFile& file) { json.object("path", (std::filesystem::path(*folder) / file.name).string(), "bytes", file.text.size()); });
    json.end();
    return kDone;
  }
  for (const GeneratedFile& file : files) std::printf("%s: %zu bytes\n", (std::filesystem::path(*folder) / file.name).string().c_str(), file.text.size());
  return kDone;
}

}  // namespace

Command generate_command() {
  static const std::string kWhat = cat("quantities, with commas: ", joined(generated_quantities()), " (default inverse)");
  return {
      "generate",
      "write a robot's equations as source code that can be read and shipped",
      "MODEL --out DIR [options]",
      "Writes NAME.h and NAME.c with a function for each quantity, from the program with the fewest operations that the\n"
      "search finds. The code includes nothing but <math.h> and <float.h>, allocates nothing, has no branches on data and keeps\n"
      "no state. NAME_selftest() compares results with values of an independent recursion in extended precision. Rotor\n"
      "inertias are included; --friction, --payload and --wrench-at add friction, a load, and a wrench as an argument.\n"
      "Of a robot with loops there are also NAME_closure, NAME_close, which closes a configuration, and NAME_speeds.\n"
      "--lang writes the same as a C++ header for any scalar (NAME.hpp), a Python module with numpy (NAME.py), a Rust\n"
      "module (NAME.rs), or MATLAB and Octave functions (NAME_inverse.m, ...), each with its self-test.",
      std::vector<Option>{
          {"--out", "DIR", "folder to write to; made if it does not exist"},
          {"--what", "LIST", kWhat},
          {"--link", "NAME", "link of pose and Jacobian (default: the last link)"},
          {"--lang", "c|cpp|matlab|python|rust", "language (default c)"},
          {"--real", "double|float", "precision of all numbers (default double)"},
          {"--name", "NAME", "name of files and functions (default: the robot's, made into an identifier)"},
          {"--payload", kLoadForm, "a load on a link: mass, mass centre in the link's axes, inertia about the mass centre (default none); may be repeated",
           true},
          {"--friction", "on|off", "include friction of the joints (docs/dynamics.md; default off)"},
          {"--wrench-at", "LINK", "add an argument: the force, then the moment, that the environment exerts on this link, at its origin, in its axes"},
          {"--single-file", "", "C only: write NAME.c alone, with the declarations at its top"},
          {"--prefix", "TEXT", "prefix of the functions' names (default: NAME_ in C and MATLAB, none in other languages)"},
          {"--static-const", "", "keep the robot's numbers in one constant table, instead of where they are used"},
          {"--parameters", "LIST",
           "parameters that are known at run time only: payload, masses or all, with commas; NAME_fold computes a table from them, which the functions take"},
          {"--parameters-link", "LINK", "link that carries the payload of --parameters (default: the last link)"},
          {"--crate", "", "with --lang rust: a package in DIR that 'cargo test' builds and tests: Cargo.toml, src/lib.rs, tests/selftest.rs"},
          {"--for", "casadi|crate|fmi|fmi3",
           "casadi: functions that casadi.external loads, with Jacobians and forward and reverse derivatives; fmi, fmi3: NAME.fmu, an FMU of FMI 2.0 or 3.0 "
           "for co-simulation, torques in, motion out; crate: as --crate"},
          {"--scenario", "", "with --for fmi or fmi3: the argument is a scenario (docs/simulate.md), and the FMU has its law, integrated by its rk4"},
          {"--batch", "", "C only: also write NAME_inverse_batch(count, ...) and NAME_inverse_lanes(...), which compilers vectorise"},
          {"--misra", "on|off", "C only: write a subset after MISRA C:2012, with types of fixed width and a stated stack size (default off)"},
          {"--formulation", "ID", "write the equations of this formulation in place of the shortest ones"},
          speeds_option(),
          {"--json", "", "print the files written as one JSON object and nothing else"}} +
          model_options() + std::vector<Option>{snap_option()},
      "ulna generate panda --what inverse,mass --out panda-c",
      generate_main};
}

}  // namespace ulna::cli
