#include "simulate.hpp"

#include "command.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace sim;

Option scenario_base_option() { return {"--base", "fixed|planar|free", "how the root link is attached to the world, in place of what the scenario says"}; }

std::vector<Option> scenario_loop_options() {
  return {{"--loops", "FILE|ignore", "FILE: further loops of the robot, in YAML (docs/loops.md); ignore: open all loops; in place of what the scenario says"},
          {"--independent", "NAME,…", "for a robot with loops: the names of all its independent joints, in place of the scenario's"}};
}

sim::Scenario load_scenario_argument(const Arguments& arguments) {
  const std::string& source = arguments.only("a SCENARIO (a YAML file, or a name that 'ulna simulate --list' lists)");
  std::optional<RootJoint> base;
  if (arguments.has("--base")) base = root_joint_named(arguments.choice("--base", {"fixed", "planar", "free"}));
  LoadOptions robot;
  read_loop_options(arguments, robot);
  const bool of_campaign = campaign::is_run_file(source);
  if (of_campaign) arguments.refuse({"--base", "--loops", "--independent"}, "with a run of a campaign, whose robot its campaign names");
  ScenarioResult loaded = of_campaign ? campaign::try_load_run(source, limits_of(arguments)) : try_load_scenario(source, limits_of(arguments), base, robot);
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity >= Severity::warning) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!loaded.scenario) throw ModelRefused{};
  return *std::move(loaded.scenario);
}

bool is_json_path(const std::string& path) {
  const auto ends = [&](std::string_view ending) {
    return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (!ends(".csv") && !ends(".json")) throw UsageError(cat("option --out: the name must end in .csv or .json, but it is ", in_quotes(path)));
  return ends(".json");
}

namespace {

int list_scenarios(bool as_json) {
  if (as_json) {
    JsonOutput json;
    json.list("scenarios", builtin_scenarios(), [&](const BuiltinScenario& s) { json.object("id", s.id, "summary", s.summary); });
    json.end();
    return kDone;
  }
  Table table("ll");
  for (const BuiltinScenario& s : builtin_scenarios()) table.row({std::string(s.id), std::string(s.summary)});
  std::fputs(table.text().c_str(), stdout);
  return kDone;
}

/// The text of a built-in scenario, to start one's own from.
int show_scenario(const std::string& id) {
  std::vector<std::string> ids;
  for (const BuiltinScenario& s : builtin_scenarios()) {
    ids.emplace_back(s.id);
    if (s.id != id) continue;
    std::fwrite(s.text.data(), 1, s.text.size(), stdout);
    return kDone;
  }
  throw UsageError(there_is_no("built-in scenario", id, ids));
}

Scenario by_formulation(const Arguments& arguments, Scenario scenario) {
  const std::optional<std::string> id = arguments.value("--formulation");
  const std::shared_ptr<const Speeds> speeds = speeds_of(arguments, scenario.model);
  if (!id) return scenario;
  try {
    return with_formulation(scenario, *id, speeds);
  } catch (const std::invalid_argument& error) {
    throw UsageError(cat("option --formulation: ", error.what()));
  }
}

int simulate_main(const Arguments& arguments) {
  if (arguments.has("--list")) {
    arguments.refuse_all_but({"--list", "--json"}, "with --list, which lists scenarios and runs none");
    return list_scenarios(arguments.has("--json"));
  }
  if (arguments.has("--show")) {
    arguments.refuse_all_but({"--show"}, "with --show, which prints a scenario and runs none");
    return show_scenario(arguments.only("the name of a built-in SCENARIO"));
  }
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  const Scenario scenario = by_formulation(arguments, load_scenario_argument(arguments));
  int several = 0;
  for (const char* const option : {"--batch", "--linearise", "--sensitivity"}) several += arguments.has(option) ? 1 : 0;
  if (several > 1) throw UsageError("options --batch, --linearise and --sensitivity exclude each other");
  if (!arguments.has("--batch")) arguments.refuse({"--threads"}, "on one run", "add --batch FILE.csv, or leave it out");
  if (several > 0)
    arguments.refuse({"--plot", "--partial"}, "with --batch, --linearise and --sensitivity: it is about the report of one run");
  else if (!path && !arguments.has("--plot"))
    arguments.refuse({"--partial"}, "without a file to keep", "add --out FILE or --plot DIR, or leave it out");
  if (arguments.has("--batch")) return simulate_batch_command(arguments, scenario);
  if (arguments.has("--linearise")) return linearise_command(arguments, scenario);
  if (arguments.has("--sensitivity")) return sensitivity_command(arguments, scenario);
  std::optional<WholeFile> file = file_of(arguments, "--out");
  const Outcome outcome = simulate(scenario, WatchedRun("ulna simulate", scenario.duration).options());
  // A run that diverged leaves no file without --partial; one that was interrupted does.
  const bool keep = outcome.ending != Ending::diverged || arguments.has("--partial");
  if (file && keep) {
    write_rows(file->stream(), as_json, {column_names(scenario), outcome.trajectory.rows(), [&](std::size_t row, std::vector<double>& values) {
                                           row_values(scenario, outcome.trajectory, row, values);
                                         }});
    file->keep();
  }
  if (const auto folder = arguments.value("--plot"); folder && keep) write_plots(*folder, outcome_plots(scenario, outcome), arguments.has("--force"));
  if (arguments.has("--json")) {
    JsonOutput json;
    write_outcome(json, scenario, outcome);
    json.end();
  } else {
    std::fputs(outcome_text(scenario, outcome).c_str(), stdout);
  }
  tell_limits(scenario, outcome.trajectory, false);  // positions are among the events
  if (outcome.ending == Ending::diverged)
    std::fprintf(stderr, "ulna: %s%s\n", outcome.message.c_str(), path && !keep ? "; nothing was written (--partial keeps what there is)" : "");
  if (outcome.ending == Ending::interrupted)
    std::fprintf(stderr, "ulna: %s%s\n", outcome.message.c_str(), path ? cat("; ", in_quotes(*path), " holds the rows up to there").c_str() : "");
  if (!outcome.audit.closed) std::fprintf(stderr, "ulna: the closing check failed: see the audit\n");
  return outcome.ending == Ending::diverged || outcome.ending == Ending::interrupted || !outcome.audit.closed ? kAnswerNo : kDone;
}

}  // namespace

Command simulate_command() {
  return {"simulate",
          "run a scenario: robot, torque law, integrator, disturbances, and an audit of the result",
          "SCENARIO [--out FILE.csv|.json] [--plot DIR] [options]",
          "SCENARIO is a YAML file (docs/simulate.md has every key) or a built-in scenario. Prints how the run ended, and its\n"
          "audit: energy against work, momenta that should stay constant, the smallest pivot of M, and the closing check, which\n"
          "puts the motion through inverse dynamics and must get back the torques that caused it. The summary names the\n"
          "equations that were used; for a paper's equations it says how far they are from the production path along the run.\n"
          "--out writes t, q, v, a and tau at exact multiples of the output step. Ctrl-C ends the run and writes what there is.\n"
          "Status 1: the run diverged, was interrupted, or does not pass the closing check.",
          {speeds_option(),
           {"--formulation", "ID", "compute by this formulation in place of the scenario's: accelerations, or the torques of a prescribed motion"},
           scenario_base_option(),
           scenario_loop_options()[0],
           scenario_loop_options()[1],
           {"--out", "FILE", "write the rows to FILE.csv or FILE.json, whole or not at all"},
           {"--plot", "DIR", "draw positions, velocities, torques, energy and audit as SVG files into this folder"},
           {"--batch", "FILE.csv",
            "one run per row: columns q.JOINT, v.JOINT, q.base.x, duration, step, tolerance, kp, kd, ki, payload.mass, law.coriolis, gravity.x and the like"},
           {"--linearise", "",
            "print A and B of the linearised motion at every output row, with the torques held and with the law acting, and their eigenvalues; in place of the "
            "run's report"},
           {"--sensitivity", "NAMES",
            "print derivatives of the motion by these, with commas: q.JOINT and v.JOINT of the initial state (q, v: all of them), tau.JOINT, kp, kd, ki, "
            "payload.mass, "
            "gravity.x; in place of the run's report"},
           {"--threads", "N", "with --batch: number of threads (default: all cores)"},
           {"--partial", "", "keep the rows of a run that diverged"},
           {"--list", "", "list the built-in scenarios"},
           limit_option(),
           {"--show", "", "print the built-in scenario's YAML, to start your own from"},
           {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}},
          "ulna simulate kane-figure-3 --out fig3.csv --plot fig3",
          simulate_main};
}

}  // namespace ulna::cli
