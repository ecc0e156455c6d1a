#include "model_options.hpp"

#include <charconv>

#include "programs/interface.hpp"

namespace ulna::cli {

std::vector<Option> model_options() {
  return {
      {"--lock", "NAME[=value]", "hold this joint still (at 0, or at the value) and merge its link; may be repeated", true},
      {"--mimic", "honour|ignore", "honour: mimic joints follow their leaders (default); ignore: they are free joints"},
      {"--loops", "FILE|ignore", "FILE: further loops, in YAML (docs/loops.md); ignore: open all loops and compute the tree"},
      {"--independent", "NAME,…", "for a robot with loops: the names of all its independent joints"},
      {"--gravity", "x,y,z", "gravity in the world's axes [m/s²], in place of the file's; a fixed root link has the world's axes"},
      {"--base", "fixed|planar|free", "how the root link is attached to the world, in place of what the file says (default fixed)"},
      {"--unchecked", "", "compute in spite of impossible masses and inertias, and say so in every result"},
      {"--friction-file", "FILE", "friction and rotors of joints, in YAML (docs/dynamics.md), in place of what the robot's file says"},
      {"--xacro-arg", "NAME:=VALUE", "value of an argument of a xacro file (docs/xacro.md); may be repeated", true},
      {"--package", "NAME=DIR", "folder of a ROS package, for $(find NAME) in a xacro file; may be repeated", true},
      {"--package-path", "DIR", "folder below which ROS packages are searched for; may be repeated", true},
      limit_option(),
  };
}

Option limit_option() { return {"--limit", "NAME=N", "raise a limit on what a file may hold, such as joints=100000 (docs/limits.md); may be repeated", true}; }

ReadLimits limits_of(const Arguments& arguments) {
  ReadLimits limits;
  for (const std::string& text : arguments.values("--limit")) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals), value = equals == std::string::npos ? std::string() : text.substr(equals + 1);
    std::vector<std::string> names;
    const NamedLimit* found = nullptr;
    for (const NamedLimit& row : named_limits()) {
      names.emplace_back(row.name);
      if (row.name == name) found = &row;
    }
    if (found == nullptr) throw UsageError(cat("option --limit: ", there_is_no("limit", name, names, cat("; there are ", joined(names)))));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || error != std::errc{} || end != value.data() + value.size() || number == 0)
      throw UsageError(cat("option --limit ", name, " takes a whole number above 0, not ", in_quotes(value), ": --limit ", name, "=N"));
    limits.*found->value = number;
  }
  return limits;
}

Option snap_option() {
  static_assert(kSnap == 1e-9);
  return {"--snap", "TOL", "take rotation entries that are this near to 0 or ±1 as exact (default 1e-9; 0: none)"};
}

std::vector<Option> format_options() {
  return {
      {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"},
      {"--csv", "", "print CSV with one row per state"},
  };
}

std::vector<Option> operator+(std::vector<Option> a, const std::vector<Option>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

namespace {

Lock lock_of(const std::string& text, const std::string& option) {
  const std::size_t equals = text.rfind('=');
  Lock lock{text.substr(0, equals), 0};
  if (equals != std::string::npos) {
    const std::vector<double> value = parse_numbers(std::string_view(text).substr(equals + 1), cat("option ", option, " ", text));
    if (value.size() != 1) throw UsageError(cat("option ", option, " ", text, " takes one value, but ", value.size(), " are given"));
    lock.value = value.front();
  }
  if (lock.joint.empty()) throw UsageError(cat("option ", option, " needs the name of a joint: ", option, " NAME or ", option, " NAME=value"));
  return lock;
}

/// The options of a model, after `prefix`.
void read_options(const Arguments& arguments, const std::string& prefix, LoadOptions& options) {
  if (arguments.has(prefix + "mimic"))
    options.mimic = arguments.choice(prefix + "mimic", {"honour", "ignore"}) == "ignore" ? MimicPolicy::ignore : MimicPolicy::honour;
  if (arguments.value(prefix + "loops") == "ignore") options.loops = LoopPolicy::ignore;
  if (const auto g = arguments.numbers(prefix + "gravity", 3)) options.gravity = Vec3<double>{(*g)[0], (*g)[1], (*g)[2]};
  if (arguments.has(prefix + "base")) options.base = root_joint_named(arguments.choice(prefix + "base", {"fixed", "planar", "free"}));
  for (const std::string& text : arguments.values(prefix + "lock")) options.locks.push_back(lock_of(text, prefix + "lock"));
}

}  // namespace

std::vector<Option> side_options() {
  return {
      {"--a-lock", "NAME[=value]", "as --lock, of A alone; may be repeated", true},
      {"--b-lock", "NAME[=value]", "as --lock, of B alone; may be repeated", true},
      {"--a-mimic", "honour|ignore", "as --mimic, of A alone"},
      {"--b-mimic", "honour|ignore", "as --mimic, of B alone"},
      {"--a-loops", "ignore", "as --loops, of A alone"},
      {"--b-loops", "ignore", "as --loops, of B alone"},
      {"--a-gravity", "x,y,z", "as --gravity, of A alone"},
      {"--b-gravity", "x,y,z", "as --gravity, of B alone"},
      {"--a-base", "fixed|planar|free", "as --base, of A alone"},
      {"--b-base", "fixed|planar|free", "as --base, of B alone"},
  };
}

namespace {

/// What stands before and after a sign.
std::pair<std::string, std::string> pair_of(const std::string& text, std::string_view sign, const char* option, const char* form) {
  const std::size_t at = text.find(sign);
  if (at == std::string::npos || at == 0) throw UsageError(cat("option ", option, " takes ", form, ", not ", in_quotes(text)));
  return {text.substr(0, at), text.substr(at + sign.size())};
}

LoadOptions options_but_loops(const Arguments& arguments) {
  LoadOptions options;
  options.unchecked = arguments.has("--unchecked");
  options.limits = limits_of(arguments);
  for (const std::string& text : arguments.values("--xacro-arg")) options.xacro_args.push_back(pair_of(text, ":=", "--xacro-arg", "NAME:=VALUE"));
  for (const std::string& text : arguments.values("--package")) options.packages.push_back(pair_of(text, "=", "--package", "NAME=DIR"));
  options.package_paths = arguments.values("--package-path");
  options.friction_file = arguments.value("--friction-file").value_or("");
  read_options(arguments, "--", options);
  return options;
}

}  // namespace

void read_loop_options(const Arguments& arguments, LoadOptions& options) {
  const std::string loops = arguments.value("--loops").value_or("");
  if (loops == "ignore")
    options.loops = LoopPolicy::ignore;
  else
    options.loop_file = loops;
  const std::string names = arguments.value("--independent").value_or("");
  if (!arguments.has("--independent")) return;
  options.independent = split(names);
  if (std::any_of(options.independent.begin(), options.independent.end(), [](const std::string& name) { return name.empty(); }))
    throw UsageError(cat("option --independent takes names of joints with commas between them, not ", in_quotes(names)));
}

LoadOptions load_options(const Arguments& arguments) {
  LoadOptions options = options_but_loops(arguments);
  read_loop_options(arguments, options);
  return options;
}

LoadOptions load_options(const Arguments& arguments, char side) {
  LoadOptions options = load_options(arguments);
  read_options(arguments, cat("--", side, "-"), options);
  return options;
}

namespace {

void print_problems(const std::vector<Diagnostic>& diagnostics, Severity least, std::size_t most) {
  std::size_t shown = 0, left = 0;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity < least) continue;
    if (shown < most) {
      std::fprintf(stderr, "%s\n", to_string(d).c_str());
      ++shown;
    } else {
      ++left;
    }
  }
  if (left > 0) std::fprintf(stderr, "ulna: and %zu more warnings; 'ulna lint' lists them all\n", left);
}

}  // namespace

Robot load_robot(const Arguments& arguments, bool rotor) {
  return load_robot(arguments, arguments.only("a MODEL (a file, or a name that 'ulna models' lists)"), rotor);
}

Robot load_robot(const Arguments& arguments, const std::string& source, bool rotor) {
  LoadOptions options = load_options(arguments);
  options.rotor = rotor;
  return load_robot(source, options);
}

namespace {

Robot robot_of(LoadResult loaded, const LoadOptions& options) {
  if (!loaded.model) {
    print_problems(loaded.diagnostics, Severity::warning, loaded.diagnostics.size());
    const bool only_physical = std::all_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                           [](const Diagnostic& d) { return d.severity != Severity::error || d.kind == Kind::physical; });
    if (only_physical) std::fprintf(stderr, "ulna: no number is computed from this model; --unchecked computes all the same and says so in every result\n");
    throw ModelRefused{};
  }
  constexpr std::size_t kMostWarnings = 10;
  print_problems(loaded.diagnostics, Severity::warning, kMostWarnings);

  Robot robot{*std::move(loaded.model), loaded.diagnostics, {}, options.locks, {}, options.mimic == MimicPolicy::honour};
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.overridden) robot.overridden.push_back(d);
  robot.mimics = loaded.mimics;
  robot.maybe_free = loaded.maybe_free;
  return robot;
}

}  // namespace

Robot load_robot(const std::string& source, const LoadOptions& options) { return robot_of(try_load(source, options), options); }

std::vector<std::string> dependent_names(const Model& model) {
  const std::vector<std::string> all = without_loops(model).velocity_names();
  std::vector<std::string> names;
  for (const std::size_t k : model.dependent()) names.push_back(all[k]);
  return names;
}

std::size_t redundant_conditions(const Model& model) {
  std::size_t conditions = 0;
  for (const Loop& loop : model.loops()) conditions += loop_rows(loop.type);
  return conditions - model.order().rows.size();
}

std::string how_closed(const Model& model) { return Mechanism::of(model).closed_form() ? "closed form" : "Newton's method"; }

std::string loops_in_words(const Model& model) {
  const auto counted = [](std::size_t n, const char* what) { return cat(n, " ", what, n == 1 ? "" : "s"); };
  const std::size_t degrees = model.nv(), redundant = redundant_conditions(model);
  return cat(counted(model.loops().size(), "loop"), ", ", counted(model.order().rows.size() + redundant, "equation"), " of which ", redundant,
             redundant == 1 ? " is" : " are", " redundant, ", degrees, degrees == 1 ? " degree" : " degrees",
             " of freedom; distance to the nearest singularity ", rounded(model.singularity()), " (of 1) in the reference assembly; closed by ",
             Mechanism::of(model).closed_form() ? "a closed form" : "Newton's method");
}

double snap_of(const Arguments& arguments) {
  const double snap = arguments.number("--snap").value_or(PlanOptions{}.snap);
  if (!(snap >= 0 && snap <= 0.1)) throw UsageError(cat("option --snap takes a tolerance from 0 to 0.1, not ", snap));
  return snap;
}

const Formulation& formulation_named(const std::string& id) {
  if (const Formulation* row = find_formulation(id)) return *row;
  throw UsageError(there_is_no("formulation", id, names_of(formulations(), &Formulation::id), "; 'ulna formulations' lists them"));
}

Option speeds_option() {
  return {"--speeds", "FILE|NAME|TEXT",
          "with --formulation kane: generalized speeds u = A(q) v + B(q), of a YAML file, by name (joint-rates, body-rates, kane-stanford) or as "
          "'u1 = v.JOINT, u2 = …'"};
}

std::shared_ptr<const Speeds> speeds_named(const std::string& choice, const Model& model) {
  try {
    return std::make_shared<const Speeds>(choose_speeds(model, choice));
  } catch (const std::invalid_argument& error) {
    throw UsageError(cat("option --speeds: ", error.what()));
  } catch (const SourceError& error) {
    std::vector<std::string> words = named_speeds();
    if (choice.find_first_of("=./") == std::string::npos) throw UsageError(there_is_no("choice of speeds, or file,", choice, words));
    throw;
  }
}

std::shared_ptr<const Speeds> speeds_of(const Arguments& arguments, const Model& model) {
  const std::optional<std::string> choice = arguments.value("--speeds");
  if (!choice) return nullptr;
  const std::optional<std::string> id = arguments.value("--formulation");
  if (!id || !formulation_named(*id).takes_speeds)
    throw UsageError(cat("option --speeds is for --formulation kane", id ? cat("; ", in_quotes(*id), " computes in the rates of the joints") : ": add it"));
  return speeds_named(*choice, model);
}

}  // namespace ulna::cli
