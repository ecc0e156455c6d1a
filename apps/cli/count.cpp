#include "count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include <ulna/count/as_written.hpp>
#include <ulna/count/published.hpp>
#include <ulna/expr/minimise.hpp>
#include <ulna/formulation/on_model.hpp>
#include <ulna/trace/best.hpp>
#include <ulna/trace/trace.hpp>

#include "command.hpp"
#include "model/text.hpp"
#include "model_options.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

struct AskedQuantity {
  Quantity quantity;
  const char* name;  // of the command that computes it
};
constexpr AskedQuantity kQuantities[] = {
    {Quantity::torque, "inverse"}, {Quantity::mass, "mass"}, {Quantity::bias, "bias"}, {Quantity::acceleration, "forward"}};

/// A formulation and a quantity on the robot.
struct Row {
  const Formulation* formulation;
  Quantity quantity;
  std::string why_not{};  // it does not take the robot
  AsWritten as_written{};
  std::optional<OperationCounts> minimal{};
  std::string why_not_minimal{};
};

struct Published {
  std::string source, entry, quantity;
  double mul = 0, add = 0;  // some printed polynomials are no whole numbers
  std::string polynomials{};
};

struct Report {
  std::string robot;
  std::size_t joints = 0;  // that move
  std::vector<Row> rows;
  std::map<Quantity, Best> best;
  std::vector<std::string> bodies;  // links behind the moving joints, in the order of Best::links
  std::vector<Published> published;
  bool rotor = false;  // rotor inertias are in the best programs
};

std::optional<Quantity> chosen_quantity(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("--quantity");
  if (!text) return {};
  std::vector<std::string> names;
  for (const AskedQuantity& asked : kQuantities) {
    if (*text == asked.name || *text == to_string(asked.quantity)) return asked.quantity;
    names.emplace_back(asked.name);
  }
  throw UsageError(
      cat("option --quantity takes inverse (or torque), mass, bias or forward (or acceleration), not ", in_quotes(*text), did_you_mean(*text, names)));
}

OperationCounts minimal_counts(const Trace& traced) {
  const Minimised reduced = minimised(*traced.graph, traced.results);
  return count(*reduced.graph, reduced.results);
}

Row count_row(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  Row row{&formulation, quantity};
  row.why_not = why_not(formulation, quantity, prepared);
  if (!row.why_not.empty()) return row;
  row.as_written = count_as_written(formulation, quantity, prepared);
  row.why_not_minimal = why_not_traced(formulation, quantity, prepared);
  if (row.why_not_minimal.empty()) row.minimal = minimal_counts(trace(formulation, quantity, prepared));
  return row;
}

/// What the papers print for this robot: for the Stanford arm itself, and for arms of n revolute joints as functions of n.
std::vector<Published> published_for(const Prepared& prepared, std::optional<Quantity> only) {
  struct Of {
    const char* table;
    Quantity quantity;
  };
  constexpr Of kTables[] = {{"kane", Quantity::torque}, {"turney-1", Quantity::torque}, {"hollerbach-1", Quantity::torque}, {"hollerbach-2", Quantity::torque},
                            {"lin-1", Quantity::mass},  {"lin-2", Quantity::bias},      {"nasser", Quantity::acceleration}};
  const auto n = static_cast<std::int64_t>(prepared.size());
  const bool revolute_chain =
      prepared.dh && n > 0 && std::none_of(prepared.dh->rows.begin(), prepared.dh->rows.end(), [](const DhRow<double>& row) { return row.prismatic; });
  const Formulation* stanford = find_formulation("kane-stanford");
  const bool is_stanford = stanford != nullptr && stanford->why_not(prepared).empty();
  std::vector<Published> all;
  for (const Of& of : kTables) {
    const PublishedTable* table = find_published(of.table);
    const bool for_stanford = std::string_view(of.table) == "kane";
    if (table == nullptr || (only && *only != of.quantity) || !(for_stanford ? is_stanford : revolute_chain)) continue;
    if (n < table->first || (table->only != 0 && n != table->only)) continue;
    for (const PublishedEntry& entry : table->entries) {
      const auto number = [&](const Rational& r) { return static_cast<double>(r.numerator()) / static_cast<double>(r.denominator()); };
      const Rational mul = entry.mul.polynomial(n), add = entry.add.polynomial(n);
      Published p{cat(table->paper, ", ", table->where), std::string(entry.name), std::string(to_string(of.quantity))};
      p.mul = number(mul);
      p.add = number(add);
      if (table->only == 0) p.polynomials = cat(entry.mul.polynomial.text(), " ; ", entry.add.polynomial.text());
      all.push_back(std::move(p));
    }
  }
  return all;
}

/// Links that joints move, in the order of the model.
std::vector<std::string> moving_links(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints())
    if (joint.type != JointType::fixed) names.push_back(model.links()[static_cast<std::size_t>(joint.child)].name);
  return names;
}

Report make_report(const Arguments& arguments, const Robot& robot, bool rotor) {
  const double snap = snap_of(arguments);
  const std::optional<Quantity> only = chosen_quantity(arguments);
  const std::optional<std::string> id = arguments.value("--formulation");
  const Formulation* formulation = id ? &formulation_named(*id) : nullptr;
  if (formulation != nullptr && only && !formulation->gives(*only)) {
    std::string gives;
    for (const Quantity quantity : formulation->quantities) gives += cat(gives.empty() ? "" : ", ", to_string(quantity));
    throw UsageError(cat("formulation ", *id, " does not give the ", to_string(*only), "; it gives: ", gives));
  }
  const Prepared prepared(robot.model, snap);
  Report report;
  report.robot = robot.model.name();
  report.joints = prepared.size();
  report.bodies = moving_links(robot.model);
  report.rotor = rotor && std::any_of(robot.model.joints().begin(), robot.model.joints().end(), [](const Joint& j) { return j.rotor != 0; });
  for (const AskedQuantity& asked : kQuantities) {
    if (only && *only != asked.quantity) continue;
    for (const Formulation& row : formulations())
      if (row.gives(asked.quantity) && (formulation == nullptr || formulation == &row)) report.rows.push_back(count_row(row, asked.quantity, prepared));
    SearchOptions options;
    options.snap = snap;
    options.rotor = rotor;
    report.best.emplace(asked.quantity, find_best(robot.model, asked.quantity, options));
  }
  report.published = published_for(prepared, only);
  return report;
}

void write_best(Json& json, const Best& best) {
  json.begin_object();
  json.key("mul").value(static_cast<int>(best.counts.mul)).key("add").value(static_cast<int>(best.counts.add));
  json.key("div").value(static_cast<int>(best.counts.div)).key("sincos").value(static_cast<int>(best.counts.sincos));
  if (!best.method.empty()) json.key("method").value(best.method);
  json.key("short_rotations");
  write_counts(json, best.short_rotations);
  json.line().key("steps").begin_array();
  for (const SearchStep& step : best.steps) {
    json.line().begin_object().key("what").value(step.what).key("counts");
    write_counts(json, step.counts);
    json.end_object();
  }
  json.end_array();
  json.line().key("links").strings(best.links);
  json.end_object();
}

void print_json(const Report& report) {
  Output out;
  Json json(out);
  const auto null = [&json] { json.value(std::numeric_limits<double>::quiet_NaN()); };
  json.begin_object().line().key("robot").value(report.robot).line().key("joints").value(static_cast<int>(report.joints));
  json.line().key("rotor").value(report.rotor);
  json.line().key("formulations").begin_array();
  for (const Row& row : report.rows) {
    if (!row.why_not.empty()) continue;
    json.line().begin_object().key("id").value(row.formulation->id).key("quantity").value(to_string(row.quantity)).key("as_written");
    write_counts(json, row.as_written.total);
    json.key("minimal");
    if (row.minimal)
      write_counts(json, *row.minimal);
    else
      null();
    if (!row.why_not_minimal.empty()) json.key("why_not_minimal").value(row.why_not_minimal);
    if (!row.as_written.parts.empty()) {
      json.key("parts").begin_array();
      for (const CountedPart& part : row.as_written.parts) {
        json.begin_object().key("label").value(part.label).key("in_total").value(part.in_total).key("counts");
        write_counts(json, part.counts);
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  json.line().key("not_taken").begin_array();
  for (const Row& row : report.rows) {
    if (row.why_not.empty()) continue;
    json.line()
        .begin_object()
        .key("id")
        .value(row.formulation->id)
        .key("quantity")
        .value(to_string(row.quantity))
        .key("why_not")
        .value(row.why_not)
        .end_object();
  }
  json.end_array();
  json.line().key("best").begin_object();
  for (const AskedQuantity& asked : kQuantities) {
    json.line().key(asked.name);
    const auto found = report.best.find(asked.quantity);
    if (found == report.best.end())
      null();
    else
      write_best(json, found->second);
  }
  json.end_object();
  json.line().key("published").begin_array();
  for (const Published& p : report.published) {
    json.line().begin_object().key("source").value(p.source).key("entry").value(p.entry).key("quantity").value(p.quantity);
    json.key("mul").value(p.mul).key("add").value(p.add).key("polynomials").value(p.polynomials).end_object();
  }
  json.end_array();
  out.write("\n");
  json.end_object();
  json.finish();
}

std::vector<std::string> cells(const OperationCounts& counts) {
  return {std::to_string(counts.mul), std::to_string(counts.add), std::to_string(counts.div), std::to_string(counts.sincos)};
}

std::string best_text(const Best& best, const char* name, const std::vector<std::string>& bodies, const Best* same_links) {
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
  if (best.short_rotations.mul != best.counts.mul)
    text += cat("  With rotations of three multiplications: ", best.short_rotations.mul, " mul, ", best.short_rotations.add, " add.\n");
  if (same_links != nullptr && same_links->links == best.links) return text + "  Links as before.\n";
  for (std::size_t i = 0; i < best.links.size(); ++i)
    if (!best.links[i].empty())
      text += best.links.size() == bodies.size() ? cat("  ", bodies[i], ": ", best.links[i], "\n") : cat("  body ", i + 1, ": ", best.links[i], "\n");
  return text;
}

/// One line a reason: most formulations that do not take a robot lack the same property.
std::string not_taken_text(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const Row& row : rows) {
    if (row.why_not.empty()) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == row.why_not; });
    if (line == lines.end()) line = lines.insert(lines.end(), {row.why_not, ""});
    line->second += cat(line->second.empty() ? "" : ", ", row.formulation->id, " (", to_string(row.quantity), ")");
  }
  std::string text;
  for (const auto& [reason, names] : lines) text += cat("  ", names, ":\n    ", reason, "\n");
  return text.empty() ? text : "\nNot for this robot:\n" + text;
}

/// The search goes over frames and parameters of Ulna's own method. Where another one needs fewer, that is said.
std::string fewer_text(const Report& report, Quantity quantity, const OperationCounts& best) {
  if (report.rotor) return {};  // formulations are counted without rotors: no comparison
  const auto cost = [](const OperationCounts& c) { return c.mul + c.add + c.div; };
  std::string text;
  for (const Row& row : report.rows)
    if (row.quantity == quantity && row.minimal && cost(*row.minimal) < cost(best))
      text += cat("  The minimum of ", row.formulation->id, " is less: ", counts_text(*row.minimal), ".\n");
  return text;
}

void print_text(const Report& report) {
  std::string text = cat("robot ", report.robot, ", ", report.joints, report.joints == 1 ? " moving joint" : " moving joints",
                         ": operations of each formulation, as written and reduced to the minimum\n\n");
  Table table("llrrrrrrrrl");
  table.row({"", "", "as", "written", "", "", "minimal", "", "", "", ""});
  table.row({"quantity", "formulation", "mul", "add", "div", "sincos", "mul", "add", "div", "sincos", ""});
  std::string last;
  for (const Row& row : report.rows) {
    if (!row.why_not.empty()) continue;
    const std::string quantity(to_string(row.quantity));
    std::vector<std::string> line{quantity == last ? "" : quantity, std::string(row.formulation->id)};
    last = quantity;
    for (std::string& cell : cells(row.as_written.total)) line.push_back(std::move(cell));
    for (std::string& cell : row.minimal ? cells(*row.minimal) : std::vector<std::string>{"-", "-", "-", "-"}) line.push_back(std::move(cell));
    line.push_back(row.minimal ? "" : "counted only");
    table.row(std::move(line));
  }
  text += table.text();

  std::string apart, only;
  for (const Row& row : report.rows) {
    const std::string who = cat("  ", row.formulation->id, " (", to_string(row.quantity), "): ");
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
  for (const AskedQuantity& asked : kQuantities) {
    const auto found = report.best.find(asked.quantity);
    if (found == report.best.end()) continue;
    text += best_text(found->second, asked.name, report.bodies, before);
    text += fewer_text(report, asked.quantity, found->second.counts);
    before = &found->second;
  }
  if (!report.published.empty()) {
    text += "\nPublished:\n";
    Table printed("llrrll");
    printed.row({"quantity", "method", "mul", "add", "source", ""});
    for (const Published& p : report.published) printed.row({p.quantity, p.entry, brief(p.mul), brief(p.add), p.source, p.polynomials});
    text += printed.text();
  }
  std::fputs(text.c_str(), stdout);
}

/// --program: of the formulation asked for, or the best one.
int print_program(const Arguments& arguments, const Robot& robot, bool rotor) {
  const Quantity quantity = chosen_quantity(arguments).value_or(Quantity::torque);
  const double snap = snap_of(arguments);
  Program program;
  if (const auto id = arguments.value("--formulation")) {
    const Formulation& formulation = formulation_named(*id);
    const Prepared prepared(robot.model, snap);
    if (const std::string reason = why_not_traced(formulation, quantity, prepared); !reason.empty())
      throw UsageError(cat("no program of formulation ", *id, " for the ", to_string(quantity), " of robot ", in_quotes(robot.model.name()), ": ", reason));
    const Trace traced = trace(formulation, quantity, prepared);
    const Minimised reduced = minimised(*traced.graph, traced.results);
    const OutputOf output{traced.output, reduced.results};
    program = make_program(*reduced.graph, std::span(&output, 1));
  } else {
    SearchOptions options;
    options.snap = snap;
    options.rotor = rotor;
    program = find_best(robot.model, quantity, options).program;
  }
  std::ostringstream lines;
  print(lines, program);
  if (!arguments.has("--json")) {
    std::fputs(lines.str().c_str(), stdout);
    return kDone;
  }
  Output out;
  Json json(out);
  json.begin_object().line().key("robot").value(robot.model.name()).line().key("quantity").value(to_string(quantity)).line().key("counts");
  write_counts(json, program.counts());
  json.line().key("program").begin_array();
  std::istringstream again(lines.str());
  for (std::string line; std::getline(again, line);) json.line().value(line);
  json.end_array();
  out.write("\n");
  json.end_object();
  json.finish();
  return kDone;
}

void exclude(const Arguments& arguments, const char* option, std::initializer_list<const char*> others) {
  for (const char* other : others)
    if (arguments.has(other)) throw UsageError(cat("options ", option, " and ", other, " exclude each other"));
}

int run(const Arguments& arguments) {
  if (arguments.has("--grow")) {
    if (!arguments.positional().empty())
      throw UsageError(
          cat("option --grow is about general arms of 1 to 30 joints; it takes no MODEL, but ", in_quotes(arguments.positional().front()), " is given"));
    exclude(arguments, "--grow",
            {"--drop", "--program", "--formulation", "--quantity", "--rotor", "--snap", "--lock", "--mimic", "--gravity", "--unchecked", "--samples",
             "--acceleration"});
    return count_growth(arguments);
  }
  if (arguments.has("--svg")) throw UsageError("option --svg goes with --grow: the chart shows how costs grow");
  if (arguments.has("--drop")) {
    exclude(arguments, "--drop", {"--program", "--formulation", "--quantity"});
    return count_without_small_terms(arguments);
  }
  for (const char* option : {"--samples", "--acceleration"})
    if (arguments.has(option)) throw UsageError(cat("option ", option, " goes with --drop"));
  const bool rotor = arguments.on_off("--rotor", true);
  const Robot robot = load_robot(arguments, rotor);
  if (arguments.has("--program")) return print_program(arguments, robot, rotor);
  const Report report = make_report(arguments, robot, rotor);
  if (arguments.has("--json"))
    print_json(report);
  else
    print_text(report);
  return kDone;
}

}  // namespace

void write_counts(Json& json, const OperationCounts& counts) {
  json.begin_object().key("mul").value(static_cast<int>(counts.mul)).key("add").value(static_cast<int>(counts.add));
  json.key("div").value(static_cast<int>(counts.div)).key("sincos").value(static_cast<int>(counts.sincos)).end_object();
}

std::string counts_text(const OperationCounts& counts) {
  std::string text = cat(counts.mul, " mul, ", counts.add, " add");
  if (counts.div != 0) text += cat(", ", counts.div, " div");
  if (counts.sincos != 0) text += cat(", ", counts.sincos, " sincos");
  return text;
}

Command count_command() {
  return {
      "count",
      "operations of every formulation on a model: as written, and reduced to the minimum",
      "MODEL [options] | --grow [--svg FILE] [--json]",
      "Counts multiplications, additions, divisions and sincos of each formulation and quantity: as its paper writes it, and after\n"
      "its expressions were shared, folded and reduced. Then searches frames and parameters for the best program, says what each\n"
      "step gained and what was done to each link, and lists the papers' own counts where they are about such a robot.\n"
      "With --grow: how costs grow for general arms of 1 to 30 revolute joints. With --drop: which terms of the inverse dynamics\n"
      "never matter over the joint limits, and what leaving them out would save; nothing else is changed by it.",
      std::vector<Option>{
          {"--formulation", "ID", "this formulation only; 'ulna formulations' lists them"},
          {"--quantity", "Q", "this quantity only: inverse, mass, bias or forward"},
          {"--program", "", "print the best program, one operation a line (or the minimal one of --formulation); of inverse unless --quantity says otherwise"},
          {"--rotor", "on|off", "count rotor inertias in the best programs (default on; formulations are of the rigid bodies alone)"},
          {"--drop", "P%", "which terms of the inverse dynamics can go if every torque may change by P percent of its largest (1%, 0.5%, or 0.01)"},
          {"--samples", "N", "with --drop: states to choose by, and as many others to check on (default 1000)"},
          {"--acceleration", "A", "with --drop: largest joint acceleration, rad/s² or m/s² (default 5)"},
          {"--grow", "", "costs for general arms of 1 to 30 joints instead of a MODEL"},
          {"--svg", "FILE", "with --grow: draw them into this file"},
          {"--json", "", "print one JSON object and nothing else"}} +
          model_options() + std::vector<Option>{snap_option()},
      "ulna count stanford --quantity inverse",
      run};
}

}  // namespace ulna::cli
