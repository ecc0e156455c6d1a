#include "count.hpp"

#include <sstream>

#include "command.hpp"
#include "model_options.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

std::optional<Quantity> chosen_quantity(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("--quantity");
  if (!text) return {};
  std::vector<std::string> names;
  for (const Quantity asked : formulated_quantities()) {
    if (*text == to_string(asked) || *text == result_name(asked)) return asked;
    names.emplace_back(to_string(asked));
  }
  std::vector<std::string> words;
  for (const Quantity asked : formulated_quantities())
    words.push_back(result_name(asked) == to_string(asked) ? std::string(to_string(asked)) : cat(to_string(asked), " (or ", result_name(asked), ")"));
  throw UsageError(cat("option --quantity takes ", listed(words, "or"), ", not ", in_quotes(*text), did_you_mean(*text, names)));
}

bool in_floats(const Arguments& arguments) { return arguments.choice("--real", {"double", "float"}) == "float"; }

CountReport make_report(const Arguments& arguments, const Robot& robot, bool rotor) {
  CountOptions options;
  options.snap = snap_of(arguments);
  options.rotor = rotor;
  options.single = in_floats(arguments);
  options.only = chosen_quantity(arguments);
  if (const std::optional<std::string> id = arguments.value("--formulation")) {
    options.formulation = &formulation_named(*id);
    options.speeds = speeds_of(arguments, robot.model);
    if (options.only && !options.formulation->gives(*options.only)) {
      std::string gives;
      for (const Quantity quantity : options.formulation->quantities) gives += cat(gives.empty() ? "" : ", ", result_name(quantity));
      throw UsageError(cat("formulation ", *id, " does not give the ", result_name(*options.only), "; it gives: ", gives));
    }
  }
  return count_all(robot.model, options);
}

void print_json(const CountReport& report) {
  Output out;
  Json json(out);
  write_count_report(json, report);
  json.finish();
}

std::vector<std::string> cells(const OperationCounts& counts) {
  return {std::to_string(counts.mul), std::to_string(counts.add), std::to_string(counts.div), std::to_string(counts.sincos)};
}

std::string best_text(const Best& best, std::string_view name, const std::vector<std::string>& bodies, const Best* same_links) {
  std::string text = cat("\n", name, ": ", counts_text(best.counts), best.method.empty() ? "" : cat("; by ", best.method), "\n");
  Table steps("lrrrr");
  steps.row({"step", "mul", "add", "div", "gain"});
  long before = -1;
  for (const SearchStep& step : best.steps) {
    const long now = step.counts.mul + step.counts.add + step.counts.div;
    steps.row({step.what, std::to_string(step.counts.mul), std::to_string(step.counts.add), std::to_string(step.counts.div),
               before < 0 ? "" : std::to_string(before - now)});
    before = now;
  }
  text += steps.text();
  text += cat("  Generated code adds ", best.guards.mul, " mul, ", best.guards.add, " add, so that bad inputs make every result NaN");
  if (best.angle_sums.mul != 0) text += cat(", and ", best.angle_sums.mul, " mul, ", best.angle_sums.add, " add for sines of sums of angles");
  text += ".\n";
  if (best.short_rotations.mul != best.counts.mul)
    text += cat("  With rotations of three multiplications: ", best.short_rotations.mul, " mul, ", best.short_rotations.add, " add.\n");
  if (best.refused)
    text += cat("  A cheaper program was refused, because its results would lose digits to rounding: ", counts_text(best.refused->counts), " by \"",
                best.refused->what, "\"; a bound of its errors is ", rounded(best.refused->growth), " times that of the robot's own frames.\n");
  if (same_links != nullptr && same_links->links == best.links) return text + "  Links as before.\n";
  for (std::size_t i = 0; i < best.links.size(); ++i)
    if (!best.links[i].empty())
      text += best.links.size() == bodies.size() ? cat("  ", bodies[i], ": ", best.links[i], "\n") : cat("  body ", i + 1, ": ", best.links[i], "\n");
  return text;
}

/// One line a reason: most formulations that do not take a robot lack the same property.
std::string not_taken_text(const std::vector<CountRow>& rows) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const CountRow& row : rows) {
    if (row.why_not.empty()) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == row.why_not; });
    if (line == lines.end()) line = lines.insert(lines.end(), {row.why_not, ""});
    line->second += cat(line->second.empty() ? "" : ", ", row.formulation->id, " (", result_name(row.quantity), ")");
  }
  std::string text;
  for (const auto& [reason, names] : lines) text += cat("  ", names, ":\n    ", reason, "\n");
  return text.empty() ? text : "\nNot for this robot:\n" + text;
}

/// The search goes over frames and parameters of Ulna's own method. Where another one needs fewer, that is said.
std::string fewer_text(const CountReport& report, Quantity quantity, const OperationCounts& best) {
  if (report.rotor) return {};  // formulations are counted without rotors: no comparison
  const auto cost = [](const OperationCounts& c) { return c.mul + c.add + c.div; };
  std::string text;
  for (const CountRow& row : report.rows)
    if (row.quantity == quantity && row.minimal && cost(*row.minimal) < cost(best))
      text += cat("  The minimum of ", row.formulation->id, " is less: ", counts_text(*row.minimal), ".\n");
  return text;
}

void print_text(const CountReport& report) {
  std::string text = cat("robot ", report.robot, ", ", report.joints, report.joints == 1 ? " moving joint" : " moving joints",
                         report.independent.empty() ? "" : cat(", of which ", report.independent.size(), " are independent"),
                         ": operations of each formulation, as written and reduced to the minimum\n\n");
  Table table("llrrrrrrrrl");
  table.row({"", "", "as", "written", "", "", "minimal", "", "", "", ""});
  table.row({"quantity", "formulation", "mul", "add", "div", "sincos", "mul", "add", "div", "sincos", ""});
  std::string last;
  for (const CountRow& row : report.rows) {
    if (!row.why_not.empty()) continue;
    const std::string quantity(result_name(row.quantity));
    std::vector<std::string> line{quantity == last ? "" : quantity, std::string(row.formulation->id)};
    last = quantity;
    for (std::string& cell : cells(row.as_written.total)) line.push_back(std::move(cell));
    for (std::string& cell : row.minimal ? cells(*row.minimal) : std::vector<std::string>{"-", "-", "-", "-"}) line.push_back(std::move(cell));
    line.push_back(row.minimal ? "" : "counted only");
    table.row(std::move(line));
  }
  text += table.text();

  std::string apart, only;
  for (const CountRow& row : report.rows) {
    const std::string who = cat("  ", row.formulation->id, " (", result_name(row.quantity), "): ");
    if (!row.why_not_minimal.empty()) only += cat(who, row.why_not_minimal, "\n");
    for (const CountedPart& part : row.as_written.parts)
      if (part.counts != OperationCounts{})
        apart += cat(who, part.label, ": ", counts_text(part.counts), part.in_total ? " (in the total above)\n" : " (not in the total above)\n");
  }
  if (!apart.empty()) text += "\nParts as written:\n" + apart;
  if (!only.empty()) text += "\nCounted only, no minimum:\n" + only;
  text += not_taken_text(report.rows);

  text += "\nBest programs, by search over frames and parameters that give the same results";
  text += report.rotor ? "; rotor inertias included:\n" : ":\n";
  const Best* before = nullptr;
  for (const Quantity asked : formulated_quantities()) {
    const auto found = report.best.find(asked);
    if (found == report.best.end()) continue;
    text += best_text(found->second, to_string(asked), report.bodies, before);
    text += fewer_text(report, asked, found->second.counts);
    before = &found->second;
  }
  if (!report.of_loops.empty()) {
    text += "\nPrograms with loops in them, elimination of fixed order (close: one step of Newton's method):\n";
    Table loops("lrrrr");
    loops.row({"program", "mul", "add", "div", "sincos"});
    for (const auto& [name, counts] : report.of_loops) {
      std::vector<std::string> line = cells(counts);
      line.insert(line.begin(), name);
      loops.row(std::move(line));
    }
    text += loops.text();
  }
  for (const auto& [quantity, reason] : report.left_out) text += cat("\n", to_string(quantity), ": ", reason, "\n");
  if (!report.published.empty()) {
    text += "\nPublished:\n";
    Table printed("llrrll");
    printed.row({"quantity", "method", "mul", "add", "source", ""});
    for (const PrintedCount& p : report.published) printed.row({p.quantity, p.entry, brief(p.mul), brief(p.add), p.source, p.polynomials});
    text += printed.text();
  }
  std::fputs(text.c_str(), stdout);
}

/// --program: of the named formulation, or the best one.
int print_program(const Arguments& arguments, const Robot& robot, bool rotor) {
  const Quantity quantity = chosen_quantity(arguments).value_or(Quantity::inverse);
  const double snap = snap_of(arguments);
  Program program;
  if (const auto id = arguments.value("--formulation")) {
    arguments.refuse({"--rotor", "--real"}, "on the program of a formulation, which is that of the rigid bodies in doubles");
    const Formulation& formulation = formulation_named(*id);
    Prepared prepared(robot.model, snap);
    prepared.speeds = speeds_of(arguments, robot.model);
    if (const std::string reason = why_not_traced(formulation, quantity, prepared); !reason.empty())
      throw UsageError(cat("no program of formulation ", *id, " for the ", result_name(quantity), " of robot ", in_quotes(robot.model.name()), ": ", reason));
    const Trace traced = trace(formulation, quantity, prepared);
    const Minimised reduced = minimised(*traced.graph, traced.results);
    const OutputOf output{traced.output, reduced.results};
    program = make_program(*reduced.graph, std::span(&output, 1));
  } else {
    SearchOptions options;
    options.snap = snap;
    options.rotor = rotor;
    options.single = in_floats(arguments);
    program = find_best(robot.model, quantity, options).program;
  }
  std::ostringstream lines;
  print(lines, program);
  if (!arguments.has("--json")) {
    std::fputs(lines.str().c_str(), stdout);
    return kDone;
  }
  JsonOutput json;
  json.line_fields("robot", robot.model.name(), "quantity", result_name(quantity), "counts", [&] { write_counts(json, program.counts()); });
  json.line().key("program").begin_array();
  std::istringstream again(lines.str());
  for (std::string line; std::getline(again, line);) json.line().value(line);
  json.end_array().end();
  return kDone;
}

void exclude(const Arguments& arguments, const char* option, std::initializer_list<const char*> others) {
  for (const char* other : others)
    if (arguments.has(other)) throw UsageError(cat("options ", option, " and ", other, " exclude each other"));
}

int count_main(const Arguments& arguments) {
  if (arguments.has("--grow")) {
    if (!arguments.positional().empty())
      throw UsageError(
          cat("option --grow is about general arms of 1 to 30 joints; it takes no MODEL, but ", in_quotes(arguments.positional().front()), " is given"));
    exclude(arguments, "--grow",
            {"--drop", "--program", "--formulation", "--speeds", "--quantity", "--rotor", "--real", "--snap", "--lock", "--mimic", "--gravity", "--unchecked",
             "--samples", "--acceleration"});
    return count_growth(arguments);
  }
  if (arguments.has("--svg")) throw UsageError("option --svg needs --grow: the chart shows how costs grow");
  if (arguments.has("--drop")) {
    exclude(arguments, "--drop", {"--program", "--formulation", "--quantity", "--real"});
    return count_without_small_terms(arguments);
  }
  for (const char* option : {"--samples", "--acceleration"})
    if (arguments.has(option)) throw UsageError(cat("option ", option, " needs --drop"));
  const bool rotor = arguments.on_off("--rotor", true);
  const Robot robot = load_robot(arguments, rotor);
  if (arguments.has("--program")) return print_program(arguments, robot, rotor);
  if (!arguments.has("--formulation")) speeds_of(arguments, robot.model);  // which says that it needs one
  const CountReport report = make_report(arguments, robot, rotor);
  arguments.has("--json") ? print_json(report) : print_text(report);
  return kDone;
}

}  // namespace

std::string counts_text(const OperationCounts& counts) {
  std::string text = cat(counts.mul, " mul, ", counts.add, " add");
  if (counts.div != 0) text += cat(", ", counts.div, " div");
  if (counts.sincos != 0) text += cat(", ", counts.sincos, " sincos");
  return text;
}

Command count_command() {
  std::vector<std::string> names;
  for (const Quantity quantity : formulated_quantities()) names.emplace_back(to_string(quantity));
  static const std::string kOnly = cat("this quantity only: ", listed(names, "or"));
  return {"count",
          "operations of every formulation on a model: as written, and reduced to the minimum",
          "MODEL [options] | --grow [--svg FILE] [--json]",
          "Counts multiplications, additions, divisions and sincos of each formulation and quantity: as its paper writes it,\n"
          "and reduced, with equal expressions shared and constants folded. Then searches frames and parameters for the best\n"
          "program, and prints what each step gained and what was done to each link. Lists the papers' own counts where they are\n"
          "about such a robot. A program that would lose digits to rounding is rejected; if it is cheaper, the output says so.\n"
          "With --grow: how costs grow for general arms of 1 to 30 revolute joints. With --drop: which terms of the inverse\n"
          "dynamics never matter within the joint limits, and what leaving them out would save; no other result changes.",
          std::vector<Option>{
              {"--formulation", "ID", "this formulation only; 'ulna formulations' lists them"},
              speeds_option(),
              {"--quantity", "Q", kOnly},
              {"--program", "",
               "print the best program, or the reduced one of --formulation, one operation per line; for inverse unless --quantity says otherwise"},
              {"--rotor", "on|off", "count rotor inertias in the best programs (default on; formulations never have them)"},
              {"--real", "double|float", "precision that the best programs will run in; they keep its digits (default double)"},
              {"--drop", "P%",
               "which terms of the inverse dynamics can be dropped if every torque may change by P percent of its largest value (1%, 0.5%, or 0.01)"},
              {"--samples", "N", "with --drop: number of states to choose terms by, and of other states to check them on (default 1000)"},
              {"--acceleration", "A", "with --drop: largest joint acceleration, rad/s² or m/s² (default 5)"},
              {"--grow", "", "count for general arms of 1 to 30 joints instead of a MODEL"},
              {"--svg", "FILE", "with --grow: draw the counts into this file"},
              {"--json", "", "print one JSON object and nothing else"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna count stanford --quantity inverse",
          count_main};
}

}  // namespace ulna::cli
