#include "formulations.hpp"

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "cli/simulate.hpp"
#include "cli/table.hpp"

namespace ulna::cli {

namespace {

/// Arms in which nothing is special, of two to eight joints: what the papers' polynomials are about.
constexpr std::string_view kFamily = "general-";
constexpr std::size_t kFewest = 2, kLargest = 8;

std::vector<std::string> sources_of(const Arguments& arguments) {
  if (!arguments.positional().empty()) return arguments.positional();
  std::vector<std::string> sources{"stanford", "panda"};
  for (std::size_t n = kFewest; n <= kLargest; ++n) sources.push_back(cat(kFamily, std::string(n, 'R')));
  return sources;
}

std::string whole(long count) { return std::to_string(count); }
std::string digits(const std::optional<double>& value) {
  if (!value) return "-";
  char text[40];
  std::snprintf(text, sizeof text, *value < 10 ? "%.2f" : *value < 100 ? "%.1f" : "%.0f", *value);
  return text;
}
/// Multiplications, divisions among them, and additions.
std::vector<std::string> counts_of(const RaceTime& time) {
  const OperationCounts& c = time.counts;
  return c.mul + c.add == 0 ? std::vector<std::string>{"-", "-"} : std::vector<std::string>{whole(c.mul + c.div), whole(c.add)};
}

std::string race_text(const Race& race) {
  std::string text = cat("\n", race.robot, ", ", race.joints, race.joints == 1 ? " joint" : " joints", "\n");
  if (!race.why_not.empty()) return text + cat("  not raced: ", race.why_not, "\n");
  std::string notes;
  for (const Quantity quantity : formulated_quantities()) {
    Table table("lrrrrrrr");
    table.row({std::string(row_of(quantity).title), "mul", "add", "ns", "mul", "add", "ns", "times"});
    bool any = false;
    for (const RaceRow& row : race.rows) {
      if (row.quantity != quantity) continue;
      if (!row.own.ns && !row.compiled.ns) {
        notes += cat("  ", row.id, ", ", result_name(quantity), ": ", row.own.why_not, "\n");
        continue;
      }
      std::vector<std::string> cells{row.id};
      for (const RaceTime* time : {&row.own, &row.compiled}) {
        const std::vector<std::string> counts = counts_of(*time);
        cells.insert(cells.end(), counts.begin(), counts.end());
        cells.push_back(digits(time->ns));
      }
      cells.push_back(row.own.ns && row.compiled.ns ? digits(*row.own.ns / *row.compiled.ns) : "-");
      table.row(cells);
      any = true;
      if (!row.compiled.why_not.empty()) notes += cat("  ", row.id, ", ", result_name(quantity), ", machine code: ", row.compiled.why_not, "\n");
    }
    if (any) text += table.text() + "\n";
  }
  return text + (notes.empty() ? "" : "Not timed:\n" + notes);
}

void print_json(const std::vector<Race>& races, const Machine& machine, double seconds) {
  Output out;
  Json json(out);
  json.begin_object().line().fields("ulna", ULNA_VERSION).line().key("machine");
  json.object("processor", machine.processor, "cores", machine.cores, "clock_ghz", machine.clock, "instruction_set", to_string(best_instruction_set()));
  json.line().fields("seconds", seconds).line().key("races").lines(races, [&](const Race& race) { write_race(json, race); });
  json.end();
}

/// The family's times over its joints, and the bars of every other robot.
std::vector<Plot> plots_of(const std::vector<Race>& races, const Machine& machine) {
  const std::vector<std::string> notes{machine_text(machine, to_string(best_instruction_set())),
                                       "one call for one state in doubles; shipped: the machine code that Ulna computes by"};
  std::vector<Plot> plots;
  std::vector<Race> family;
  for (const Race& race : races) {
    if (race.robot.starts_with(kFamily))
      family.push_back(race);
    else if (!race.rows.empty())
      plots.push_back({cat("race-", identifier(race.robot), ".svg"), draw::bar_chart(cat(race.robot, ": every formulation, own code and machine code"),
                                                                                     draw::race_kinds(), draw::race_bars(race), draw::file_theme(), notes)});
  }
  if (family.size() < 2) return plots;
  std::vector<draw::GrowthPanel> panels;
  for (const Quantity quantity : formulated_quantities())
    for (draw::GrowthPanel& panel : draw::race_growth(family, quantity))
      if (!panel.lines.empty()) panels.push_back(std::move(panel));
  plots.push_back({"race-growth.svg", draw::growth_chart("Every formulation on arms of general parameters: nanoseconds", notes, panels)});
  return plots;
}

}  // namespace

int bench_formulations(const Arguments& arguments, RaceOptions options) {
  for (const char* option : {"--batch", "--library", "--single-calls", "--instructions", "--svg"})
    if (arguments.has(option))
      throw UsageError(
          cat("option ", option, " is for other libraries, not for --formulations", option == std::string_view("--svg") ? "; use --plot DIR" : ""));
  std::vector<Analysis> robots;
  for (const std::string& source : sources_of(arguments)) robots.emplace_back(load_robot(arguments, source, false).model);
  std::vector<Race> races;
  Interrupt interrupt;
  Progress progress("ulna bench");
  options.go_on = [] { return !Interrupt::seen(); };
  Machine machine = this_machine();
  for (const Analysis& robot : robots) {
    machine.clock = std::max(machine.clock, measured_clock());
    races.push_back(run_race(robot, options));
    if (Interrupt::seen()) throw std::runtime_error("interrupted");
    progress.show(static_cast<double>(races.size()) / static_cast<double>(robots.size()));
  }
  if (const auto folder = arguments.value("--plot")) write_plots(*folder, plots_of(races, machine), arguments.has("--force"));
  if (arguments.has("--json")) {
    print_json(races, machine, options.seconds);
  } else {
    std::string text =
        cat(machine_text(machine, to_string(best_instruction_set())),
            "\nOne call for one state in doubles, the shortest of many repetitions. First three columns: the formulation's own code, its operations as\n"
            "written; next three: traced, minimised and made into machine code by Ulna; times: how much faster that is.\n");
    for (const Race& race : races) text += race_text(race);
    std::fputs(text.c_str(), stdout);
  }
  return std::all_of(races.begin(), races.end(), [](const Race& race) { return race.agree(); }) ? kDone : kAnswerNo;
}

}  // namespace ulna::cli
