#include "count/counts.hpp"

#include <algorithm>

#include "count/published.hpp"
#include "expr/minimise.hpp"

#include "formulation/evaluator.hpp"
#include "formulation/trace.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// The oldest equations grow with the fourth power: beyond this many joints they take gigabytes and minutes each.
constexpr std::size_t kMostCounted = 100;

/// Empty when a quantity is counted; else why not. A quantity named by itself is always counted.
std::string why_left_out(Quantity quantity, std::size_t joints, const CountOptions& options) {
  if (quantity != Quantity::forward_derivatives || options.only || joints <= kLargestForwardDerivatives) return {};
  return cat("too large to count with the others: ", joints, " joints, more than ", kLargestForwardDerivatives, "; ask for --quantity ", to_string(quantity));
}

CountRow count_row(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const CountOptions& options) {
  CountRow row{&formulation, quantity};
  row.why_not = why_not_counted(formulation, quantity, prepared);
  if (row.why_not.empty() && prepared.size() > kMostCounted && options.formulation == nullptr)
    row.why_not = cat("left out for a robot of ", prepared.size(), " joints, more than ", kMostCounted, "; name the formulation to count it alone");
  if (row.why_not.empty()) row.why_not = why_left_out(quantity, prepared.size(), options);
  if (!row.why_not.empty()) return row;
  const bool reduce = options.reduce;
  row.as_written = count_as_written(formulation, quantity, prepared);
  row.why_not_minimal = reduce ? why_not_traced(formulation, quantity, prepared) : "left out to save time";
  if (row.why_not_minimal.empty()) row.minimal = minimal_counts(formulation, quantity, prepared);
  return row;
}

/// Counts that the papers print for this robot: for the Stanford arm itself, and for arms of n revolute joints as functions of n.
std::vector<PrintedCount> published_for(const Prepared& prepared, std::optional<Quantity> only) {
  const auto n = static_cast<std::int64_t>(prepared.size());
  const std::optional<DhChain<double>>& chain = prepared.forms().dh;
  const bool revolute = chain && n > 0 && std::none_of(chain->rows.begin(), chain->rows.end(), [](const DhRow<double>& row) { return row.prismatic; });
  const bool stanford = takes_stanford(prepared).empty();
  std::vector<PrintedCount> all;
  for (const bool of_stanford_arm : {true, false})
    for (const PublishedTable& table : published_tables()) {
      if (table.has_total || table.of_stanford_arm != of_stanford_arm || !(of_stanford_arm ? stanford : revolute) || (only && *only != table.quantity))
        continue;
      if (n < table.first || (table.only != 0 && n != table.only)) continue;
      for (const PublishedEntry& entry : table.entries) {
        if (entry.quoted) continue;
        const auto number = [&](const Rational& r) { return static_cast<double>(r.numerator()) / static_cast<double>(r.denominator()); };
        const Rational mul = entry.mul.polynomial(n), add = entry.add.polynomial(n);
        PrintedCount p{cat(table.paper, ", ", table.where), std::string(entry.name), std::string(result_name(table.quantity))};
        p.of = table.quantity;
        if (!entry.ours.empty()) p.formulation = entry.ours.front().formulation;
        p.mul = number(mul);
        p.add = number(add);
        if (table.only == 0) p.polynomials = cat(entry.mul.polynomial.text(), " ; ", entry.add.polynomial.text());
        all.push_back(std::move(p));
      }
    }
  return all;
}

/// Links that joints move, in the order of the model.
std::vector<std::string> moving_links(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints())
    if (joint.type != JointType::fixed) names.push_back(model.links()[joint.child].name);
  return names;
}

/// As a value of Json::fields().
auto written(Json& json, const OperationCounts& counts) {
  return [&json, &counts] { write_counts(json, counts); };
}

void write_best(Json& json, const Best& best) {
  json.begin_object().fields("mul", best.counts.mul, "add", best.counts.add, "div", best.counts.div, "sincos", best.counts.sincos);
  if (!best.method.empty()) json.fields("method", best.method);
  json.fields("short_rotations", written(json, best.short_rotations));
  json.line().key("steps").lines(best.steps, [&](const SearchStep& step) { json.object("what", step.what, "counts", written(json, step.counts)); });
  json.line().fields("links", best.links);
  json.line().fields("guards", written(json, best.guards)).line().fields("angle_sums", written(json, best.angle_sums));
  if (best.refused) {
    json.line().key("refused");
    json.object("what", best.refused->what, "counts", written(json, best.refused->counts), "growth", best.refused->growth);
  }
  json.end_object();
}

}  // namespace

OperationCounts minimal_counts(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  const Trace traced = trace(formulation, quantity, prepared);
  const Minimised reduced = minimised(*traced.graph, traced.results);
  return count(*reduced.graph, reduced.results);
}

std::string why_not_counted(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (prepared.given.closed() && formulation.production) return "with loops only the best programs are counted";
  if (prepared.given.base() == RootJoint::fixed) return why_not(formulation, quantity, prepared);
  return formulation.production ? "with a moving base only the best programs are counted"
                                : "no paper counts a moving base, which this formulation takes as joints";
}

CountReport count_all(const Analysis& robot, const CountOptions& options) {
  require_no_balls(robot.model(), "a count of operations");
  const Model& model = robot.model();
  Prepared prepared(robot.model(), options.snap);
  prepared.speeds = options.speeds;
  CountReport report;
  report.robot = model.name();
  report.joints = prepared.size() - base_nv(model.base());
  report.bodies = moving_links(model);
  report.rotor = options.rotor && has_rotors(model);
  SearchOptions search;
  search.snap = options.snap;
  search.rotor = options.rotor;
  search.single = options.single;
  if (model.closed()) {
    report.independent = model.velocity_names();
    for (const auto& [name, quantity] : {std::pair{"close", Quantity::closure}, std::pair{"inverse", Quantity::inverse}, std::pair{"mass", Quantity::mass},
                                         std::pair{"bias", Quantity::bias}, std::pair{"gravity", Quantity::gravity}, std::pair{"forward", Quantity::forward},
                                         std::pair{"energy", Quantity::energy}, std::pair{"motion", Quantity::loop_motion}})
      if (!options.only || *options.only == quantity) report.of_loops.emplace_back(name, robot.best(quantity, search).counts);
  }
  for (const Quantity quantity : formulated_quantities()) {
    if (options.only && *options.only != quantity) continue;
    for (const Formulation& row : formulations())
      if (row.gives(quantity) && (options.formulation == nullptr || options.formulation == &row))
        report.rows.push_back(count_row(row, quantity, prepared, options));
    if (std::string reason = why_left_out(quantity, prepared.size(), options); !reason.empty()) {
      report.left_out.emplace(quantity, std::move(reason));
      continue;
    }
    report.best.emplace(quantity, robot.best(quantity, search));
  }
  if (model.base() == RootJoint::fixed) report.published = published_for(prepared, options.only);
  return report;
}

void write_counts(Json& json, const OperationCounts& counts) { json.object("mul", counts.mul, "add", counts.add, "div", counts.div, "sincos", counts.sincos); }

void write_count_report(Json& json, const CountReport& report) {
  json.begin_object().line().fields("robot", report.robot).line().fields("joints", report.joints).line().fields("rotor", report.rotor);
  if (!report.independent.empty()) {
    json.line().fields("mobility", report.independent.size(), "independent", report.independent);
    json.line().key("counts").lines(report.of_loops, [&](const auto& one) {
      json.object("formulation", production_path().id, "quantity", one.first, "optimised", written(json, one.second));
    });
  }
  std::vector<const CountRow*> counted, not_taken;
  for (const CountRow& row : report.rows) (row.why_not.empty() ? counted : not_taken).push_back(&row);
  json.line().key("formulations").lines(counted, [&](const CountRow* row) {
    json.begin_object().fields("id", row->formulation->id, "quantity", result_name(row->quantity), "as_written", written(json, row->as_written.total));
    json.fields("minimal", [&] { row->minimal ? write_counts(json, *row->minimal) : static_cast<void>(json.null()); });
    if (!row->why_not_minimal.empty()) json.fields("why_not_minimal", row->why_not_minimal);
    if (!row->as_written.parts.empty()) {
      json.key("parts").begin_array();
      for (const CountedPart& part : row->as_written.parts) json.object("label", part.label, "in_total", part.in_total, "counts", written(json, part.counts));
      json.end_array();
    }
    json.end_object();
  });
  json.line().key("not_taken").lines(not_taken, [&](const CountRow* row) {
    json.object("id", row->formulation->id, "quantity", result_name(row->quantity), "why_not", row->why_not);
  });
  json.line().key("best").begin_object();
  for (const Quantity quantity : formulated_quantities()) {
    const auto found = report.best.find(quantity);
    json.line().fields(row_of(quantity).parts.empty() ? to_string(quantity) : result_name(quantity),
                       [&] { found == report.best.end() ? static_cast<void>(json.null()) : write_best(json, found->second); });
  }
  json.end_object().line().key("published").lines(report.published, [&](const PrintedCount& p) {
    json.object("source", p.source, "entry", p.entry, "quantity", p.quantity, "mul", p.mul, "add", p.add, "polynomials", p.polynomials);
  });
  json.end_object();
}

}  // namespace ulna::internal
