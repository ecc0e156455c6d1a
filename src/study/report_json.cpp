// The data of a study as one JSON object: the input of the page's script and of users' programs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/version.hpp>

#include "study/data.hpp"
#include "study/page_parts.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Six digits: a chart shows no more. The CSV files have all of them.
double short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

std::vector<double> list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
std::vector<double> list(const Mat3<double>& m) { return {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz}; }
std::vector<double> list(const Pose<double>& X) {
  const Mat3<double>& m = X.R;
  return {m.xx, m.xy, m.xz, X.p.x, m.yx, m.yy, m.yz, X.p.y, m.zx, m.zy, m.zz, X.p.z};
}

/// Every n-th number from the i-th on.
std::vector<double> column(const std::vector<double>& values, std::size_t n = 1, std::size_t i = 0) {
  std::vector<double> out;
  for (std::size_t k = i; k < values.size(); k += n) out.push_back(short_number(values[k]));
  return out;
}

void write_link(Json& json, const Link& link) {
  const std::optional<Ellipsoid> e = equal_inertia_ellipsoid(link);
  json.object("name", link.name, "mass", link.mass, "com", list(link.com), "ellipsoid",
              [&] { e ? json.object("axes", list(e->axes), "rotation", list(e->rotation)) : json.null(); });
}

void write_joint(Json& json, const Model& model, const Joint& joint) {
  const std::size_t leader = joint.mimic ? joint.mimic->leader : static_cast<std::size_t>(&joint - model.joints().data());
  const auto found = std::find(model.independent().begin(), model.independent().end(), leader);
  std::optional<std::size_t> coordinate;
  if (joint.type != JointType::fixed && found != model.independent().end()) coordinate = static_cast<std::size_t>(found - model.independent().begin());
  const bool follows = coordinate && joint.mimic;
  json.object("name", joint.name, "kind",
              joint.type == JointType::fixed       ? "fixed"
              : joint.type == JointType::prismatic ? "prismatic"
                                                   : "revolute",
              "parent", joint.parent, "child", joint.child, "coordinate", coordinate, "before", list(joint.X_PF), "after", list(joint.X_MB), "axis",
              list(joint.axis), "ratio", follows ? joint.mimic->multiplier : 1.0, "offset", follows ? joint.mimic->offset : 0.0, "lower", joint.lower, "upper",
              joint.upper, "unit", joint.type == JointType::prismatic ? "m" : "rad");  // infinite limits are null
}

}  // namespace

void write_motion(Json& json, const Model& model, const std::string& title, const sim::Trajectory& t, const std::vector<PoseCheck>& poses, bool energy) {
  const std::size_t n = model.independent().size(), base = base_nq(model.base());
  std::vector<std::string> units;
  for (std::size_t i = 0; i < n; ++i) units.emplace_back(sim::position_unit(model, base + i));
  // Columns first to last of rows of so many numbers, each an array.
  const auto columns = [&](const char* key, const std::vector<double>& values, std::size_t width, std::size_t first, std::size_t last) {
    json.line().key(key).begin_array();
    for (std::size_t i = first; i < last; ++i) {
      const std::vector<double> one = column(values, width, i);
      json.numbers(one.data(), one.size());
    }
    json.end_array();
  };
  json.begin_object().fields("title", title).line().fields("t", column(t.t)).line().fields("joints", model.coordinate_names(), "units", units);
  if (base > 0) columns("base", t.q, t.positions, 0, base);  // position and quaternion, or x, y and yaw
  columns("q", t.q, t.positions, t.positions - n, t.positions);
  columns("v", t.joint_v.empty() ? t.v : t.joint_v, model.nv_tree(), model.nv_tree() - n, model.nv_tree());
  columns("tau", sim::of_all_joints(model, t.tau), model.nv_tree(), model.nv_tree() - n, model.nv_tree());
  json.line().key("energy");
  if (energy) {
    std::vector<double> total;
    for (std::size_t k = 0; k < t.rows(); ++k) total.push_back(t.kinetic[k] + t.potential[k]);
    json.object("kinetic", column(t.kinetic), "potential", column(t.potential), "total", column(total), "work", column(t.work));
  } else {
    json.null();
  }
  json.line().key("broken_limits").begin_array();
  for (const LimitUse& b : broken_limits(model, t))
    json.object("joint", model.joints()[b.joint].name, "of", to_string(b.kind), "limit", b.limit, "reached", short_number(b.value), "first",
                short_number(b.first));
  json.end_array().line().key("poses_check").begin_array();
  for (const PoseCheck& check : poses) json.object("sample", check.sample, "link", check.link, "pose", list(check.pose));
  json.end_array().end_object();
}

void write_model(Json& json, const Model& model, const std::string& source) {
  json.begin_object().fields("name", model.name(), "source", source, "gravity", list(model.gravity()));
  json.line().key("links").lines(model.links(), [&](const Link& link) { write_link(json, link); });
  json.line().key("joints").lines(model.joints(), [&](const Joint& joint) { write_joint(json, model, joint); }).end_object();
}

namespace {

void write_counts_part(Json& json, const StudyData& data) {
  // A division is a multiplication's work here, so that a bar is the whole.
  const auto row = [&](std::string_view formulation, std::string_view title, std::string_view paper, const std::optional<OperationCounts>& as_written,
                       const std::optional<OperationCounts>& reduced, const std::optional<std::string>& published) {
    const auto mul_add = [&](const std::optional<OperationCounts>& c) {
      return [&json, &c] { c ? json.object("mul", static_cast<int>(c->mul + c->div), "add", c->add) : json.null(); };
    };
    json.line().object("formulation", formulation, "title", title, "paper", paper, "as_written", mul_add(as_written), "reduced", mul_add(reduced), "published",
                       published);
  };
  json.line().key("counts").lines(formulated_quantities(), [&](Quantity quantity) {
    json.begin_object().fields("quantity", row_of(quantity).title).key("rows").begin_array();
    for (const CountRow& r : data.counts.rows)
      if (r.quantity == quantity && r.why_not.empty()) row(r.formulation->id, r.formulation->title, r.formulation->citation, r.as_written.total, r.minimal, {});
    if (const auto best = data.counts.best.find(quantity); best != data.counts.best.end())
      row("best", "Best program found by search", "Ulna", {}, best->second.counts, {});
    for (const PrintedCount& p : data.counts.published)
      if (p.quantity == result_name(quantity)) row("printed", p.entry, p.source, {}, {}, cat(rounded(p.mul), " mul, ", rounded(p.add), " add"));
    json.end_array().end_object();
  });
}

void write_growth(Json& json, const StudyData& data) {
  std::vector<int> joints;
  for (const Growth& g : data.growth)
    for (const CountAt& c : g.counts)
      while (static_cast<int>(joints.size()) < c.joints) joints.push_back(static_cast<int>(joints.size()) + 1);
  json.line().key("growth").begin_array();
  for (const Quantity quantity : formulated_quantities()) {
    if (joints.empty()) break;
    json.line().begin_object().fields("quantity", row_of(quantity).title).key("joints").begin_array();
    for (const int n : joints) json.value(n);
    json.end_array().key("series").begin_array();
    for (const Growth& g : data.growth) {
      if (g.quantity != quantity || g.counts.empty()) continue;
      const Formulation* formulation = find_formulation(g.id);
      std::vector<double> operations;
      for (const int n : joints) {
        const std::optional<OperationCounts> c = g.at(n);
        operations.push_back(c ? static_cast<double>(c->mul + c->add + c->div) : NAN);
      }
      json.line().object("formulation", g.id, "title", formulation == nullptr ? "Best program found by search" : formulation->title, "operations", operations);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void write_schedules(Json& json, const StudyData& data, bool all) {
  json.lines(data.schedules, [&](const ScheduleData& s) {
    json.begin_object().fields("quantity", result_name(s.quantity), "processors", s.drawn.units, "length", s.drawn.steps, "work", s.drawn.work, "speedup",
                               s.drawn.speed_up(), "critical_path", static_cast<int>(s.graph.critical_path().steps));
    json.key("cells").begin_array();
    for (std::size_t k = 0; k < s.graph.tasks().size(); ++k) {
      const Task& task = s.graph.tasks()[k];
      if (task.steps == 0 || !(all || s.drawable)) continue;  // of 0 steps: taken as given
      json.line().object("processor", s.drawn.placements[k].unit, "start", s.drawn.placements[k].start, "length", task.steps, "name",
                         value_name(s.program, task.instruction + s.program.first_instruction()));
    }
    json.end_array().end_object();
  });
}

void write_report(Json& json, const StudyData& data) {
  const Model& model = data.model;
  json.begin_object().line().fields("format", 1).line().fields("ulna", ULNA_VERSION);
  if (model.closed()) {
    const Mechanism loops = Mechanism::of(model);
    json.line().fields("mobility", model.nv()).line().fields("redundant", loops.redundant());
    json.line().fields("independent", model.velocity_names()).line().fields("dependent", loops.dependent_names());
    json.line().fields("closure", loops.closed_form() ? "closed form" : "Newton's method");
  }
  json.line().fields("model", [&] { write_model(json, model, data.source); });
  json.line().key("warnings").lines(data.diagnostics, [&](const Diagnostic& d) {
    json.object("level",
                d.severity == Severity::error     ? "error"
                : d.severity == Severity::warning ? "warning"
                                                  : "note",
                "where", d.line > 0 ? cat(d.file, ":", d.line, ": ", to_string(d.element)) : to_string(d.element), "text", d.problem, "cure", d.cure);
  });
  const auto part = [&](const char* key, bool there, const auto& write) { json.line().fields(key, [&] { there ? write() : static_cast<void>(json.null()); }); };
  part("motion", data.motion.has_value(), [&] { write_motion(json, model, data.motion->title, data.motion->run.trajectory, data.motion->poses, true); });
  part("reference", data.reference.has_value(),
       [&] { write_motion(json, model, "Torques along a motion from rest to rest", data.reference->run.trajectory, {}, false); });
  write_counts_part(json, data);
  write_growth(json, data);
  json.line().fields("schedule", [&] { write_schedules(json, data, false); });
  json.line().key("timing").lines(data.timing.rows, [&](const StudyTiming& t) {
    json.object("library", t.library, "path", t.path, "task", t.task, "mode", t.mode, "real", t.real, "threads", t.threads, "ns", short_number(t.ns));
  });
  part("race", data.race.has_value(), [&] { write_race(json, *data.race); });
  json.line().fields("tables", [&] { write_trades(json, data.tables); }).end_object();
}

}  // namespace ulna::internal
