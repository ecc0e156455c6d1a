#include <ulna/emit/generate.hpp>

#include <algorithm>

#include "emit/fmi.hpp"
#include "emit/languages.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna::internal {

const std::vector<Language>& languages() {
  static const std::vector<Language> all{
      {"c", "C99", &files_in_c, &taken_in_c},
      {"cpp", "C++11", &files_in_cpp, &taken_in_cpp},
      {"matlab", "MATLAB and Octave", &files_in_matlab, &taken_nowhere},
      {"python", "Python with numpy", &files_in_python, &taken_in_python},
      {"rust", "Rust", &files_in_rust, &taken_in_rust},
  };
  return all;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::vector<std::string> generated_languages() {
  std::vector<std::string> ids;
  for (const Language& language : languages()) ids.emplace_back(language.id);
  return ids;
}

std::vector<std::string> generated_targets() { return {"casadi", "crate", "fmi", "fmi3"}; }

namespace {

bool for_unit(const GenerateOptions& options) { return options.target == "fmi" || options.target == "fmi3"; }

/// Throws for what would change nothing of the files.
void refuse_idle(const GenerateOptions& options) {
  const bool unit = for_unit(options);
  std::vector<const QuantityRow*> rows;
  for (const std::string& id : unit ? std::vector<std::string>{"forward"} : options.what) rows.push_back(find_quantity(id));
  if (std::find(rows.begin(), rows.end(), nullptr) != rows.end()) return;  // reported by the caller
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), [&](const QuantityRow* row) { return has(*row); }); };
  const auto refuse = [](std::string_view what, std::string_view why) { throw std::invalid_argument(cat(what, " has no effect ", why, ", or leave it out")); };
  if (!options.parameters_link.empty() && std::find(options.parameters.begin(), options.parameters.end(), "payload") == options.parameters.end())
    refuse("a link for run-time parameters", "unless a payload is among them: add parameter payload");
  if (!options.link.empty() && !any([](const QuantityRow& row) { return row.of_link; }))
    refuse("a link", unit ? "on a unit of FMI, which is about the joints: generate C" : "on quantities of the whole robot: add pose or jacobian");
  if (options.friction && !any([](const QuantityRow& row) { return row.influences.friction; }))
    refuse("friction", "on these quantities: add one that it enters, such as inverse");
  if (!options.wrench_at.empty() && !any([](const QuantityRow& row) { return row.influences.wrenches; }))
    refuse("a wrench", "on these quantities: add one that it enters, such as inverse");
  if (options.single_file && unit) refuse("a single file", "on a unit of FMI, which is one: generate C");
}

}  // namespace

std::vector<GeneratedFile> generate(const ulna::sim::Scenario& scenario, const GenerateOptions& options) {
  require_no_balls(scenario.model, "a unit of FMI");
  if (!for_unit(options)) throw std::invalid_argument("a scenario is generated as a unit of FMI only: set target to fmi or fmi3");
  check_unit(scenario);
  GenerateOptions own = options;
  own.friction = scenario.friction.on;
  refuse_idle(own);
  return files_for_fmi(loaded_robot(scenario), own, &scenario);
}

std::vector<GeneratedFile> generate(const Analysis& analysis, const GenerateOptions& options) {
  refuse_idle(options);
  if (options.misra && (options.language != "c" || options.batch || !options.target.empty()))
    throw std::invalid_argument("the MISRA subset is for plain C: generate it without batch entries and without a target such as CasADi or FMI");
  if (options.target == "casadi") return files_for_casadi(analysis, options);
  if (for_unit(options)) {
    require_no_balls(analysis.model(), "a unit of FMI");
    return files_for_fmi(analysis, options, nullptr);
  }
  const bool crate = options.target == "crate";
  if (crate && options.language != "rust") throw std::invalid_argument("a crate is written in Rust: set the language to rust");
  if (!options.target.empty() && !crate) throw std::invalid_argument(there_is_no("target", options.target, generated_targets()));
  for (const Language& language : languages()) {
    if (options.language != language.id) continue;
    if (options.single_file && options.language == "matlab")
      throw std::invalid_argument("MATLAB needs one file for each function: generate it without the option for a single file");
    if (options.batch && options.language != "c")
      throw std::invalid_argument(cat("batch entries are written in C only: generate ", language.title, " without them"));
    GeneratedRobot robot = prepare(analysis, options);
    if (language.taken(robot.name)) robot.name += "_robot";  // an ending that nothing has
    return crate ? files_of_crate(robot) : language.files(robot);
  }
  throw std::invalid_argument(there_is_no("language", options.language, generated_languages()));
}

}  // namespace ULNA_API
