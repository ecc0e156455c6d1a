#include "command.hpp"
#include "features.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kUnitsDrawn = 4;

/// What is scheduled, and what to call it.
struct Work {
  const Formulation* formulation = nullptr;  // null: the best program
  Quantity quantity{};
  Program program;
  StepCosts costs;
};

/// Table 5 of Turney, Mudge & Lee compared with one chain of n revolute joints.
struct Beside {
  int joints;
  std::int64_t paper_mul, paper_add;
  CriticalPath path;
};

Quantity chosen_quantity(const Arguments& arguments, const Formulation* formulation) {
  std::vector<std::string> names;
  for (const Quantity q : formulated_quantities()) names.emplace_back(result_name(q));
  const std::string name = arguments.choice("--quantity", names);
  Quantity quantity = Quantity::inverse;
  for (const Quantity q : formulated_quantities())
    if (result_name(q) == name) quantity = q;
  if (formulation == nullptr || formulation->gives(quantity)) return quantity;
  if (!arguments.has("--quantity")) return formulation->quantities.front();
  std::string gives;
  for (const Quantity q : formulation->quantities) gives += cat(gives.empty() ? "" : ", ", result_name(q));
  throw UsageError(cat("formulation ", formulation->id, " does not give the ", name, "; it gives: ", gives));
}

StepCosts chosen_costs(const Arguments& arguments) {
  constexpr double kMost = 1000;
  StepCosts costs;
  if (const auto given = arguments.numbers("--costs", 4)) {
    const auto whole = [&](std::size_t k, int least) {
      const double steps = (*given)[k];
      if (!(steps >= least && steps <= kMost) || steps != std::floor(steps))
        throw UsageError(cat("option --costs takes whole numbers of steps from 1 (sincos: from 0) to ", kMost, ", not ", steps));
      return static_cast<int>(steps);
    };
    costs = {whole(0, 1), whole(1, 1), whole(2, 1), whole(3, 0)};
  }
  return costs;
}

std::optional<std::size_t> chosen_units(const Arguments& arguments) {
  constexpr int kMost = 1000000;
  const std::optional<double> units = arguments.number("--units");
  if (!units) return {};
  if (!(*units >= 1 && *units <= kMost) || *units != std::floor(*units))
    throw UsageError(cat("option --units takes a whole number from 1 to ", kMost, ", not ", *units));
  return static_cast<std::size_t>(*units);
}

const PublishedEntry& table_5() {
  const PublishedTable* table = find_published("turney-5");
  const PublishedEntry* total = table == nullptr ? nullptr : table->find("Total");
  if (total == nullptr) throw std::logic_error("Table 5 of Turney, Mudge & Lee is not among the published tables");
  return *total;
}

bool is_in_table_5(const Formulation* formulation) {
  return std::any_of(table_5().ours.begin(), table_5().ours.end(), [&](const CountOfOurs& ours) { return ours.formulation == formulation; });
}

/// General arms of 1 to 8 turning joints.
std::vector<Beside> beside_table_5(const Work& work) {
  std::vector<Beside> rows;
  for (int n = 1; n <= 8; ++n) {
    const Prepared arm(load("general-" + std::string(static_cast<std::size_t>(n), 'R')));
    rows.push_back({n, table_5().mul.polynomial(n).numerator(), table_5().add.polynomial(n).numerator(),
                    TaskGraph(trace(*work.formulation, Quantity::inverse, arm).program(), work.costs).critical_path()});
  }
  return rows;
}

/// The length of the critical path as a function of n, where it is one.
std::string growth(const std::vector<Beside>& rows) {
  std::vector<std::int64_t> steps;
  for (const Beside& row : rows) steps.push_back(row.path.steps);
  const std::optional<PolynomialFit> fit = fit_polynomial(rows.front().joints, steps);
  return fit ? cat(fit->polynomial.text(), fit->from > rows.front().joints ? cat(" (from n = ", fit->from, ")") : "") : "not a polynomial in n";
}

constexpr const char* kWhyDifferent =
    "The paper's count is for a fixed arrangement: every vector equation has its own unit, which does its multiplications one after the other (nine to\n"
    "rotate a vector); of equations that run at the same time, the longest counts; multiplications and additions are counted separately. Here every product "
    "and\n"
    "every sum may have its own unit, and the longest chain contains both.";

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// "12 multiplications, 3 additions"; what does not occur is left out.
std::string in_words(const OperationCounts& counts) {
  std::string out;
  const auto piece = [&](long count, const char* what) {
    if (count > 0) out += cat(out.empty() ? "" : ", ", count, " ", what, count == 1 ? "" : "s");
  };
  piece(counts.mul, "multiplication");
  piece(counts.add, "addition");
  piece(counts.div, "division");
  if (counts.sincos > 0) out += cat(out.empty() ? "" : ", ", counts.sincos, " sincos");
  return out.empty() ? "no operation" : out;
}

std::string method_name(const Work& work) { return work.formulation == nullptr ? "the best program" : std::string(work.formulation->id); }

void print_text(const Model& model, const Work& work, const TaskGraph& graph, const std::vector<Schedule>& schedules, const std::vector<Beside>& beside,
                const Features& features) {
  const CriticalPath path = graph.critical_path();
  std::string out = cat("Robot ", model.name(), ", ", result_name(work.quantity), " by ", method_name(work), ": ", in_words(graph.counts()), ".\n");
  if (work.costs == StepCosts{})
    out += "A unit does one of them in a step; sines and cosines are taken as given.\n";
  else
    out += cat("Steps of a multiplication ", work.costs.multiply, ", an addition ", work.costs.add, ", a division ", work.costs.divide,
               work.costs.sincos == 0 ? "; sines and cosines are taken as given" : cat(", a sine with its cosine ", work.costs.sincos), ".\n");
  const std::size_t enough = units_for_critical_path(graph);
  out += cat("Longest chain, each waiting for the one before: ", path.steps, path.steps == 1 ? " step (" : " steps (", in_words(path.counts), ")",
             enough > 0 ? cat("; ", enough, enough == 1 ? " unit reaches it" : " units reach it") : "", ".\n\n");
  Table table("rrrrr");
  table.row({"units", "steps", "at least", "utilisation", "speed-up"});
  for (const Schedule& s : schedules)
    table.row({std::to_string(s.units), std::to_string(s.steps), std::to_string(graph.lower_bound(s.units)), cat(fixed(100 * s.utilisation(), 1), " %"),
               fixed(s.speed_up(), 2)});
  table.row({"∞", std::to_string(path.steps), std::to_string(path.steps), "-", fixed(earliest_schedule(graph).speed_up(), 2)});
  out += table.text() + "\nAt least: the longest chain, or the work shared out evenly; no schedule is shorter.\n";
  if (!beside.empty()) {
    out += "\nBeside Table 5 of Turney, Mudge & Lee 1980 (steps of modified Newton-Euler), for general arms of n revolute joints:\n";
    Table rows("rrrrrr");
    rows.row({"n", "paper: mul", "add", "longest chain", "mul", "add"});
    for (const Beside& row : beside)
      rows.row({std::to_string(row.joints), std::to_string(row.paper_mul), std::to_string(row.paper_add), std::to_string(row.path.steps),
                std::to_string(row.path.counts.mul), std::to_string(row.path.counts.add)});
    rows.row({"", std::string(table_5().mul.text), std::string(table_5().add.text), growth(beside), "", ""});
    out += rows.text() + kWhyDifferent;
  }
  out += "\n" + features_text(features);
  std::fputs(out.c_str(), stdout);
}

void write_count_fields(Json& json, const OperationCounts& counts) {
  json.fields("mul", counts.mul, "add", counts.add, "div", counts.div, "sincos", counts.sincos);
}

void write_placements(Json& json, const Work& work, const TaskGraph& graph, const Schedule& schedule) {
  constexpr const char* kNames[] = {"add", "subtract", "multiply", "divide", "sincos"};
  const Program& program = work.program;
  json.line().key("schedule").begin_object().fields("units", schedule.units).key("operations").begin_array();
  for (std::size_t k = 0; k < graph.tasks().size(); ++k) {
    const Task& task = graph.tasks()[k];
    const Instruction& step = program.instructions[task.instruction];
    std::vector<std::string> operands{value_name(program, step.a)};
    if (step.b != kNone) operands.push_back(value_name(program, step.b));
    json.line().begin_object();
    json.fields("value", value_name(program, task.instruction + program.first_instruction()), "operation",
                kNames[std::min<std::size_t>(static_cast<std::size_t>(task.op), 4)], "operands", operands, "unit", schedule.placements[k].unit + 1, "start",
                schedule.placements[k].start + 1, "steps", task.steps);
    json.end_object();
  }
  json.end_array().end_object();
}

void print_json(const Model& model, const Work& work, const TaskGraph& graph, const std::vector<Schedule>& schedules, const Schedule* detailed,
                const std::vector<Beside>& beside, const Features& features) {
  const CriticalPath path = graph.critical_path();
  JsonOutput json;
  json.line_fields("robot", model.name(), "formulation", work.formulation == nullptr ? std::string_view("best") : work.formulation->id, "quantity",
                   result_name(work.quantity));
  json.line().key("costs").object("mul", work.costs.multiply, "add", work.costs.add, "div", work.costs.divide, "sincos", work.costs.sincos).line();
  json.key("operations").begin_object();
  write_count_fields(json, graph.counts());
  json.end_object().line_fields("work", graph.work());
  json.line().key("critical_path").begin_object();
  json.fields("steps", path.steps);
  write_count_fields(json, path.counts);
  json.fields("units", units_for_critical_path(graph), "speed_up", earliest_schedule(graph).speed_up()).end_object();
  json.list("schedules", schedules, [&](const Schedule& s) {
    json.object("units", s.units, "steps", s.steps, "lower_bound", graph.lower_bound(s.units), "utilisation", s.utilisation(), "speed_up", s.speed_up());
  });
  if (detailed != nullptr) write_placements(json, work, graph, *detailed);
  if (!beside.empty()) {
    json.line().key("turney_table_5").begin_object().fields("growth", growth(beside)).key("rows").begin_array();
    for (const Beside& row : beside) {
      json.line().begin_object().fields("joints", row.joints);
      json.key("paper").object("mul", row.paper_mul, "add", row.paper_add).key("critical_path").begin_object().fields("steps", row.path.steps);
      write_count_fields(json, row.path.counts);
      json.end_object().end_object();
    }
    json.end_array().end_object();
  }
  json.line_fields("features", [&] { write_features(json, features); });
  json.end();
}

void draw(const std::string& path, bool force, const Model& model, const Work& work, const TaskGraph& graph, const Schedule& schedule) {
  if (graph.tasks().empty()) throw UsageError("option --svg: there is nothing to draw, the result needs no operation");
  if (graph.tasks().size() > draw::kMostDrawn)
    throw UsageError(
        cat("option --svg draws up to ", draw::kMostDrawn, " operations, but these are ", graph.tasks().size(), "; a recursive formulation has far fewer"));
  const std::string title =
      cat(model.name(), ": ", result_name(work.quantity), " by ", method_name(work), " on ", schedule.units, schedule.units == 1 ? " unit" : " units");
  const std::string note = cat(in_words(graph.counts()), " in ", schedule.steps, " steps; longest chain ", graph.critical_path().steps, "; utilisation ",
                               fixed(100 * schedule.utilisation(), 1), " %");
  WholeFile file("--svg", path, force);
  std::fputs(
      draw::schedule_svg(title, note, graph, schedule, work.quantity == Quantity::forward ? std::vector<std::size_t>{} : joints_of_tasks(work.program, graph))
          .c_str(),
      file.stream());
  file.keep();
}

int schedule_main(const Arguments& arguments) {
  Work work;
  if (const auto id = arguments.value("--formulation")) work.formulation = &formulation_named(*id);
  if (work.formulation != nullptr && arguments.has("--rotor"))
    throw UsageError(cat("option --rotor is for the best program; formulation ", work.formulation->id, " is scheduled as its paper has it"));
  work.quantity = chosen_quantity(arguments, work.formulation);
  work.costs = chosen_costs(arguments);
  const std::optional<std::size_t> units = chosen_units(arguments);
  const double snap = snap_of(arguments);
  Effects effects;
  effects.rotor = arguments.on_off("--rotor", true);
  Robot robot = load_robot(arguments, effects.rotor);

  if (work.formulation == nullptr) {
    work.program = find_best(robot.model, work.quantity, {snap, effects.rotor}).program;
  } else {
    const Prepared prepared(robot.model, snap);
    if (const std::string reason = why_not_traced(*work.formulation, work.quantity, prepared); !reason.empty())
      throw UsageError(cat("formulation ", work.formulation->id, " has no program for the ", result_name(work.quantity), " of robot ",
                           in_quotes(robot.model.name()), ": ", reason));
    work.program = trace(*work.formulation, work.quantity, prepared).program();
    robot.mimics_honoured = false;  // every moving joint is free
    effects.rotor = work.quantity == Quantity::forward;
  }
  PlanOptions plan_options;
  plan_options.snap = snap;
  const Features features = collect_features(robot, make_plan(robot.model, plan_options),
                                             {.gravity = row_of(work.quantity).influences.gravity, .rotor = row_of(work.quantity).influences.rotor}, effects);

  const TaskGraph graph(work.program, work.costs);
  std::vector<std::size_t> counts{1, 2, 4, 8, 16};
  if (units && std::find(counts.begin(), counts.end(), *units) == counts.end()) counts.insert(std::upper_bound(counts.begin(), counts.end(), *units), *units);
  std::vector<Schedule> schedules;
  for (const std::size_t p : counts) schedules.push_back(list_schedule(graph, p));
  const Schedule& drawn = *std::find_if(schedules.begin(), schedules.end(), [&](const Schedule& s) { return s.units == units.value_or(kUnitsDrawn); });
  const std::vector<Beside> beside = is_in_table_5(work.formulation) && work.quantity == Quantity::inverse ? beside_table_5(work) : std::vector<Beside>{};
  if (const auto path = arguments.value("--svg")) draw(*path, arguments.has("--force"), robot.model, work, graph, drawn);
  arguments.has("--json") ? print_json(robot.model, work, graph, schedules, units ? &drawn : nullptr, beside, features)
                          : print_text(robot.model, work, graph, schedules, beside, features);
  return kDone;
}

}  // namespace

Command schedule_command() {
  std::vector<std::string> names;
  for (const Quantity quantity : formulated_quantities()) names.emplace_back(result_name(quantity));
  static const std::string kChoices = cat(listed(names, "or"), " (default torque, or the first that the formulation gives)");
  return {"schedule",
          "how far the operations for one robot can run in parallel",
          "MODEL [options]",
          "Takes the operations of a robot's equations and finds the longest chain, in which each operation waits for the one\n"
          "before. Schedules all operations on P equal units, each of which does one operation per step (Turney, Mudge & Lee\n"
          "1980, sec. 6). The operations are those of the best program or, with --formulation, of a formulation: of its rigid\n"
          "bodies, with every moving joint free and equal operations done once.",
          std::vector<Option>{
              {"--formulation", "ID", "schedule this formulation of the papers instead; 'ulna formulations' lists them"},
              {"--quantity", "Q", kChoices},
              {"--units", "P", "schedule on this many units, too; --json then says where and when each operation is done"},
              {"--costs", "m,a,d,s", "steps of a multiplication, an addition, a division, and a sine with its cosine (default 1,1,1,0; 0: taken as given)"},
              {"--svg", "FILE", "draw the schedule on P units (default 4)"},
              {"--rotor", "on|off", "rotor inertia in the best program (default on)"},
              {"--json", "", "print one JSON object and nothing else"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna schedule stanford --units 3\n"
          "    steps, utilisation and speed-up on 1, 2, 3, 4, 8, 16 and any number of units",
          schedule_main};
}

}  // namespace ulna::cli
