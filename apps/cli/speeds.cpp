#include <algorithm>
#include <cstdio>

#include <ulna/emit/equations.hpp>
#include <ulna/formulation/speeds.hpp>

#include "command.hpp"
#include "count.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "programs/interface.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kMostReduced = 12;  // joints: beyond, minima in speeds that mix all joints take minutes
constexpr Quantity kCounted[] = {Quantity::inverse, Quantity::mass, Quantity::bias};

struct SpeedsRow {
  std::string name;
  std::shared_ptr<const Speeds> speeds;
  std::vector<OperationCounts> written, minimal;  // of kCounted
  OperationCounts from_rates{};
};

OperationCounts plus(const OperationCounts& a, const OperationCounts& b) { return {a.mul + b.mul, a.add + b.add, a.div + b.div, a.sincos + b.sincos}; }
long cost(const OperationCounts& counts) { return counts.mul + counts.add + counts.div; }

SpeedsRow count_in(const Robot& robot, double snap, const std::string& name) {
  SpeedsRow row{name, speeds_named(name, robot.model), {}, {}};
  const Formulation& kane = formulation_of_speeds();
  Prepared prepared(robot.model, snap);
  prepared.speeds = row.speeds;
  for (const Quantity quantity : kCounted) {
    const AsWritten counts = count_as_written(kane, quantity, prepared);
    row.written.push_back(counts.total);
    if (const CountedPart* part = counts.find(kStanfordSpeeds)) row.from_rates = part->counts;
    if (prepared.size() <= kMostReduced) row.minimal.push_back(minimal_counts(kane, quantity, prepared));
  }
  return row;
}

/// The cheapest by what an operation costs: torques, or M and bias together.
const SpeedsRow& cheapest(const std::vector<SpeedsRow>& rows, bool torques) {
  return *std::min_element(rows.begin(), rows.end(), [&](const SpeedsRow& a, const SpeedsRow& b) {
    const auto of = [&](const SpeedsRow& row) {
      const std::vector<OperationCounts>& counts = row.minimal.empty() ? row.written : row.minimal;
      return torques ? cost(counts[0]) : cost(counts[1]) + cost(counts[2]);
    };
    return of(a) < of(b);
  });
}

int speeds_main(const Arguments& arguments) {
  const Robot robot = load_robot(arguments, true);
  const double snap = snap_of(arguments);
  std::vector<std::string> names = arguments.values("--speeds");
  const std::size_t given = names.size();
  for (const std::string& name : named_speeds())
    if (const Formulation* row = find_formulation(name); row == nullptr || why_not(*row, Quantity::inverse, Prepared(robot.model, snap)).empty())
      names.push_back(name);
  std::vector<SpeedsRow> rows;
  for (const std::string& name : names) rows.push_back(count_in(robot, snap, name));
  // What the paper's own text of these speeds costs, where there is one.
  std::optional<OperationCounts> written_out;
  if (const Formulation* row = find_formulation(names.back())) written_out = count_as_written(*row, Quantity::inverse, Prepared(robot.model, snap)).total;

  EquationOptions options;
  options.snap = snap;
  options.speeds = rows.front().speeds;
  const EquationSet partial = partial_velocities(Analysis(robot.model), options);
  if (arguments.has("--json")) {
    JsonOutput json;
    json.line_fields("robot", robot.model.name());
    json.line().key("choices").begin_array();
    for (const SpeedsRow& row : rows) {
      json.line().begin_object().fields("name", row.name, "speeds", row.speeds->names(), "expressions", row.speeds->expressions(), "singular",
                                        row.speeds->singular_where());
      for (const bool minimal : {false, true}) {
        const std::vector<OperationCounts>& counts = minimal ? row.minimal : row.written;
        if (counts.empty()) continue;
        json.key(minimal ? "minimal" : "as_written").begin_object();
        for (std::size_t k = 0; k < counts.size(); ++k) json.fields(to_string(kCounted[k]), [&] { write_counts(json, counts[k]); });
        json.end_object();
      }
      json.fields("from_rates", [&] { write_counts(json, row.from_rates); }).end_object();
    }
    json.end_array();
    if (written_out) json.line_fields("written_out_by_the_paper", [&] { write_counts(json, *written_out); });
    json.line_fields("cheapest_for_torques", cheapest(rows, true).name, "cheapest_for_simulation", cheapest(rows, false).name);
    json.line().key("partial_velocities").lines(partial.results, [&](const Equation& e) { json.object("name", e.left.text(), "value", plain_text(e.right)); });
    json.end();
    return kDone;
  }
  std::string text = cat("Cost of Kane's equations of ", robot.model.name(), " in each choice of speeds, multiplications and additions:\n\n");
  Table table("lrrrrl");
  table.row({"speeds", "torques", "minimum", "M and bias", "minimum", "singular"});
  const auto cell = [](const OperationCounts& counts) { return cat(counts.mul + counts.div, " ", counts.add); };
  for (const SpeedsRow& row : rows)
    table.row({row.name, cell(row.written[0]), row.minimal.empty() ? "-" : cell(row.minimal[0]), cell(plus(row.written[1], row.written[2])),
               row.minimal.empty() ? "-" : cell(plus(row.minimal[1], row.minimal[2])),
               row.speeds->singular_where().empty() ? "nowhere" : row.speeds->singular_where()});
  text += table.text();
  if (written_out) text += cat("\nThe paper's equations in the speeds of ", names.back(), ", written out by hand: ", counts_text(*written_out), ".\n");
  text += cat("\nCheapest for torques: ", cheapest(rows, true).name, "; for simulation (M and bias): ", cheapest(rows, false).name, ".\n");
  text += cat("\nSpeeds of ", rows.front().name, ":\n");
  Table speeds("ll");
  for (std::size_t r = 0; r < rows.front().speeds->size(); ++r) speeds.row({rows.front().speeds->names()[r], rows.front().speeds->expressions()[r]});
  text += speeds.text();
  text += cat("\nTheir partial angular velocities omega and partial velocities v, numbered by link and speed, that are not zero",
              given == 0 ? " (--speeds lists others)" : "", ":\n");
  Table entries("ll");
  for (const std::vector<Equation>* equations : {&partial.definitions, &partial.results})
    for (const Equation& equation : *equations) entries.row({equation.left.text(), "= " + plain_text(equation.right)});
  text += entries.text();
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace

Command speeds_command() {
  Option speeds = speeds_option();
  speeds.description =
      "a choice to list and to compare with the others: a YAML file, a name (joint-rates, body-rates, kane-stanford) or 'u1 = v.JOINT, u2 = ...'; may be "
      "repeated";
  speeds.repeatable = true;
  return {"speeds",
          "which generalized speeds are best: partial velocities and the cost of Kane's equations in each choice",
          "MODEL [--speeds CHOICE]... [options]",
          "Kane's equations can be written in any speeds u = A(q) v + B(q), v being the rates of the joints. Lists the partial\n"
          "angular velocities and partial velocities of all links for the first choice, and counts the operations of torques,\n"
          "and of inertia matrix and bias, in every choice: yours, the joint rates, the links' rates along their joints' axes\n"
          "(absolute angles for a planar arm), and for the Stanford arm those of Kane and Levinson. As written, and reduced to\n"
          "the minimum for up to 12 joints. What leads from v to u is not counted, as in the paper.",
          std::vector<Option>{speeds, {"--json", "", "print one JSON object and nothing else"}} + model_options() + std::vector<Option>{snap_option()},
          "ulna speeds planar-2r --speeds 'u1 = v.q1, u2 = v.q1 + v.q2'",
          speeds_main};
}

}  // namespace ulna::cli
