#include "study/counts.hpp"

#include <algorithm>
#include <limits>

#include <ulna/formulation/formulation.hpp>
#include "count/published.hpp"
#include "expr/minimise.hpp"

#include "formulation/evaluator.hpp"
#include "text/cat.hpp"
#include "formulation/trace.hpp"

namespace ulna::internal {

namespace {

OperationCounts minimal_counts(const Trace& traced) {
  const Minimised reduced = minimised(*traced.graph, traced.results);
  return count(*reduced.graph, reduced.results);
}

// The oldest equations grow with the fourth power: beyond this many joints they take gigabytes and minutes each.
constexpr std::size_t kMostJoints = 100;

/// Empty when a quantity is counted; else why not. What is asked for alone always is.
std::string why_left_out(Quantity quantity, std::size_t joints, const CountOptions& options) {
  if (quantity != Quantity::forward_derivatives || options.only || joints <= kLargestForwardDerivatives) return {};
  return cat("too large to count beside the others: ", joints, " joints, more than ", kLargestForwardDerivatives, "; ask for --quantity ", to_string(quantity));
}

CountRow count_row(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const CountOptions& options) {
  CountRow row{&formulation, quantity};
  row.why_not = why_not_counted(formulation, quantity, prepared);
  if (row.why_not.empty() && prepared.size() > kMostJoints && options.formulation == nullptr)
    row.why_not = cat("left out for a robot of ", prepared.size(), " joints, more than ", kMostJoints, "; name the formulation to count it alone");
  if (row.why_not.empty()) row.why_not = why_left_out(quantity, prepared.size(), options);
  if (!row.why_not.empty()) return row;
  const bool reduce = options.reduce;
  row.as_written = count_as_written(formulation, quantity, prepared);
  row.why_not_minimal = reduce ? why_not_traced(formulation, quantity, prepared) : "left out to save time";
  if (row.why_not_minimal.empty()) row.minimal = minimal_counts(trace(formulation, quantity, prepared));
  return row;
}

/// What the papers print for this robot: for the Stanford arm itself, and for arms of n revolute joints as functions of n.
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

void write_best(Json& json, const Best& best) {
  json.begin_object();
  json.key("mul").value(best.counts.mul).key("add").value(best.counts.add);
  json.key("div").value(best.counts.div).key("sincos").value(best.counts.sincos);
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
  for (const auto& [key, counts] : {std::pair{"guards", best.guards}, std::pair{"angle_sums", best.angle_sums}}) {
    json.line().key(key);
    write_counts(json, counts);
  }
  if (best.refused) {
    json.line().key("refused").begin_object().key("what").value(best.refused->what).key("counts");
    write_counts(json, best.refused->counts);
    json.key("growth").value(best.refused->growth).end_object();
  }
  json.end_object();
}

}  // namespace

std::string why_not_counted(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (prepared.given.closed() && formulation.production) return "with loops only the best programs are counted";
  if (prepared.given.base() == RootJoint::fixed) return why_not(formulation, quantity, prepared);
  return formulation.production ? "with a moving base only the best programs are counted"
                                : "no paper counts a moving base, which this formulation takes as joints";
}

CountReport count_all(const Analysis& robot, const CountOptions& options) {
  const Model& model = robot.model();
  const Prepared prepared(robot.model(), options.snap);
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
  for (const Quantity asked : formulated_quantities()) {
    if (options.only && *options.only != asked) continue;
    for (const Formulation& row : formulations())
      if (row.gives(asked) && (options.formulation == nullptr || options.formulation == &row)) report.rows.push_back(count_row(row, asked, prepared, options));
    if (std::string reason = why_left_out(asked, prepared.size(), options); !reason.empty()) {
      report.left_out.emplace(asked, std::move(reason));
      continue;
    }
    report.best.emplace(asked, robot.best(asked, search));
  }
  if (model.base() == RootJoint::fixed) report.published = published_for(prepared, options.only);
  return report;
}

void write_counts(Json& json, const OperationCounts& counts) {
  json.begin_object().key("mul").value(counts.mul).key("add").value(counts.add);
  json.key("div").value(counts.div).key("sincos").value(counts.sincos).end_object();
}

void write_count_report(Json& json, const CountReport& report) {
  const auto null = [&json] { json.value(std::numeric_limits<double>::quiet_NaN()); };
  json.begin_object().line().key("robot").value(report.robot).line().key("joints").value(report.joints);
  json.line().key("rotor").value(report.rotor);
  if (!report.independent.empty()) {
    json.line().key("mobility").value(report.independent.size()).key("independent").strings(report.independent);
    json.line().key("counts").begin_array();
    for (const auto& [name, counts] : report.of_loops) {
      json.line().begin_object().key("formulation").value(production_path().id).key("quantity").value(name).key("optimised");
      write_counts(json, counts);
      json.end_object();
    }
    json.end_array();
  }
  json.line().key("formulations").begin_array();
  for (const CountRow& row : report.rows) {
    if (!row.why_not.empty()) continue;
    json.line().begin_object().key("id").value(row.formulation->id).key("quantity").value(result_name(row.quantity)).key("as_written");
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
  for (const CountRow& row : report.rows) {
    if (row.why_not.empty()) continue;
    json.line()
        .begin_object()
        .key("id")
        .value(row.formulation->id)
        .key("quantity")
        .value(result_name(row.quantity))
        .key("why_not")
        .value(row.why_not)
        .end_object();
  }
  json.end_array();
  json.line().key("best").begin_object();
  for (const Quantity asked : formulated_quantities()) {
    json.line().key(row_of(asked).parts.empty() ? to_string(asked) : result_name(asked));
    const auto found = report.best.find(asked);
    if (found == report.best.end())
      null();
    else
      write_best(json, found->second);
  }
  json.end_object();
  json.line().key("published").begin_array();
  for (const PrintedCount& p : report.published) {
    json.line().begin_object().key("source").value(p.source).key("entry").value(p.entry).key("quantity").value(p.quantity);
    json.key("mul").value(p.mul).key("add").value(p.add).key("polynomials").value(p.polynomials).end_object();
  }
  json.end_array().end_object();
}

}  // namespace ulna::internal
