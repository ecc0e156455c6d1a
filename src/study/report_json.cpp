// The data of a study as one JSON object: what the page's script reads, and people's own programs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/version.hpp>

#include "study/data.hpp"
#include "study/limits.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna::internal {

namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();  // written as null

/// Six digits: a chart shows no more. The CSV files have all of them.
double short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

void write(Json& json, const Vec3<double>& v) {
  const double values[] = {v.x, v.y, v.z};
  json.numbers(values, 3);
}
void write(Json& json, const Mat3<double>& m) {
  const double values[] = {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz};
  json.numbers(values, 9);
}
void write(Json& json, const Pose<double>& X) {
  const Mat3<double>& m = X.R;
  const double values[] = {m.xx, m.xy, m.xz, X.p.x, m.yx, m.yy, m.yz, X.p.y, m.zx, m.zy, m.zz, X.p.z};
  json.numbers(values, 12);
}

void write_link(Json& json, const Link& link) {
  json.line().begin_object().key("name").value(link.name).key("mass").value(link.mass).key("com");
  write(json, link.com);
  json.key("ellipsoid");
  if (const std::optional<Ellipsoid> e = equal_inertia_ellipsoid(link)) {
    json.begin_object().key("axes");
    write(json, e->axes);
    json.key("rotation");
    write(json, e->rotation);
    json.end_object();
  } else {
    json.value(kNull);
  }
  json.end_object();
}

void write_joint(Json& json, const Model& model, std::size_t j) {
  const Joint& joint = model.joints()[j];
  const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
  std::size_t coordinate = kNone;
  for (std::size_t i = 0; i < model.independent().size(); ++i)
    if (model.independent()[i] == leader) coordinate = i;
  const bool moves = joint.type != JointType::fixed && coordinate != kNone;
  json.line().begin_object().key("name").value(joint.name);
  json.key("kind").value(joint.type == JointType::fixed ? "fixed" : joint.type == JointType::prismatic ? "prismatic" : "revolute");
  json.key("parent").value(joint.parent).key("child").value(joint.child).key("coordinate");
  if (moves)
    json.value(coordinate);
  else
    json.value(kNull);
  json.key("before");
  write(json, joint.X_PF);
  json.key("after");
  write(json, joint.X_MB);
  json.key("axis");
  write(json, joint.axis);
  json.key("ratio").value(moves && joint.mimic ? joint.mimic->multiplier : 1.0).key("offset").value(moves && joint.mimic ? joint.mimic->offset : 0.0);
  json.key("lower").value(joint.lower).key("upper").value(joint.upper);  // infinite ones are null
  json.key("unit").value(joint.type == JointType::prismatic ? "m" : "rad").end_object();
}

void write_column(Json& json, const std::vector<double>& values, std::size_t n, std::size_t i) {
  json.begin_array();
  for (std::size_t k = i; k < values.size(); k += n) json.value(short_number(values[k]));
  json.end_array();
}

}  // namespace

void write_motion(Json& json, const Model& model, const std::string& title, const sim::Trajectory& t, const std::vector<PoseCheck>& poses, bool energy) {
  const std::size_t n = model.independent().size(), base = base_nq(model.base());
  json.begin_object().key("title").value(title).line().key("t");
  write_column(json, t.t, 1, 0);
  json.line().key("joints").strings(model.coordinate_names()).key("units").begin_array();
  for (std::size_t i = 0; i < n; ++i) json.value(sim::position_unit(model, base + i));
  json.end_array();
  const auto columns = [&](const char* key, const std::vector<double>& values) {
    json.line().key(key).begin_array();
    const std::size_t width = &values == &t.q ? t.positions : model.nv_tree();
    for (std::size_t i = width - n; i < width; ++i) write_column(json, values, width, i);
    json.end_array();
  };
  if (base > 0) {  // position and quaternion, or x, y and yaw
    json.line().key("base").begin_array();
    for (std::size_t i = 0; i < base; ++i) write_column(json, t.q, t.positions, i);
    json.end_array();
  }
  columns("q", t.q);
  columns("v", t.joint_v.empty() ? t.v : t.joint_v);
  columns("tau", sim::of_all_joints(model, t.tau));
  json.line().key("energy");
  if (energy) {
    std::vector<double> total;
    for (std::size_t k = 0; k < t.rows(); ++k) total.push_back(t.kinetic[k] + t.potential[k]);
    json.begin_object().key("kinetic");
    write_column(json, t.kinetic, 1, 0);
    json.key("potential");
    write_column(json, t.potential, 1, 0);
    json.key("total");
    write_column(json, total, 1, 0);
    json.key("work");
    write_column(json, t.work, 1, 0);
    json.end_object();
  } else {
    json.value(kNull);
  }
  json.line().key("broken_limits").begin_array();
  for (const LimitUse& b : broken_limits(model, t)) {
    json.begin_object().key("joint").value(model.joints()[b.joint].name).key("of").value(to_string(b.kind));
    json.key("limit").value(b.limit).key("reached").value(short_number(b.value)).key("first").value(short_number(b.first)).end_object();
  }
  json.end_array();
  json.line().key("poses_check").begin_array();
  for (const PoseCheck& check : poses) {
    json.begin_object().key("sample").value(check.sample).key("link").value(check.link).key("pose");
    write(json, check.pose);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_model(Json& json, const Model& model, const std::string& source) {
  json.begin_object().key("name").value(model.name()).key("source").value(source).key("gravity");
  write(json, model.gravity());
  json.line().key("links").begin_array();
  for (const Link& link : model.links()) write_link(json, link);
  json.end_array().line().key("joints").begin_array();
  for (std::size_t j = 0; j < model.joints().size(); ++j) write_joint(json, model, j);
  json.end_array().end_object();
}

namespace {

void write_mul_add(Json& json, const OperationCounts& c) {
  // A division is a multiplication's work here, so that a bar is the whole.
  json.begin_object().key("mul").value(static_cast<int>(c.mul + c.div)).key("add").value(c.add).end_object();
}

void write_counts_part(Json& json, const StudyData& data) {
  json.line().key("counts").begin_array();
  for (const Quantity asked : formulated_quantities()) {
    json.line().begin_object().key("quantity").value(row_of(asked).title).key("rows").begin_array();
    for (const CountRow& row : data.counts.rows) {
      if (row.quantity != asked || !row.why_not.empty()) continue;
      json.line().begin_object().key("formulation").value(row.formulation->id).key("title").value(row.formulation->title);
      json.key("paper").value(row.formulation->citation).key("as_written");
      write_mul_add(json, row.as_written.total);
      json.key("reduced");
      if (row.minimal)
        write_mul_add(json, *row.minimal);
      else
        json.value(kNull);
      json.key("published").value(kNull).end_object();
    }
    if (const auto best = data.counts.best.find(asked); best != data.counts.best.end()) {
      json.line().begin_object().key("formulation").value("best").key("title").value("Best program found by search").key("paper").value("Ulna");
      json.key("as_written").value(kNull).key("reduced");
      write_mul_add(json, best->second.counts);
      json.key("published").value(kNull).end_object();
    }
    for (const PrintedCount& p : data.counts.published) {
      if (p.quantity != result_name(asked)) continue;
      json.line().begin_object().key("formulation").value("printed").key("title").value(p.entry).key("paper").value(p.source).key("as_written").value(kNull);
      json.key("reduced").value(kNull).key("published").value(cat(rounded(p.mul), " mul, ", rounded(p.add), " add")).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_growth(Json& json, const StudyData& data) {
  int most = 0;
  for (const Growth& g : data.growth)
    for (const CountAt& c : g.counts) most = std::max(most, c.joints);
  json.line().key("growth").begin_array();
  for (const Quantity asked : formulated_quantities()) {
    if (most == 0) break;
    json.line().begin_object().key("quantity").value(row_of(asked).title).key("joints").begin_array();
    for (int k = 1; k <= most; ++k) json.value(k);
    json.end_array().key("series").begin_array();
    for (const Growth& g : data.growth) {
      if (g.quantity != asked || g.counts.empty()) continue;
      const Formulation* formulation = find_formulation(g.id);
      json.line()
          .begin_object()
          .key("formulation")
          .value(g.id)
          .key("title")
          .value(formulation == nullptr ? "Best program found by search" : formulation->title);
      json.key("operations").begin_array();
      for (int k = 1; k <= most; ++k) {
        const std::optional<OperationCounts> c = g.at(k);
        json.value(c ? static_cast<double>(c->mul + c->add + c->div) : kNull);
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void write_schedules(Json& json, const StudyData& data, bool all) {
  json.begin_array();
  for (const ScheduleData& s : data.schedules) {
    json.line().begin_object().key("quantity").value(result_name(s.quantity)).key("processors").value(s.drawn.units);
    json.key("length").value(s.drawn.steps).key("work").value(s.drawn.work).key("speedup").value(s.drawn.speed_up());
    json.key("critical_path").value(static_cast<int>(s.graph.critical_path().steps)).key("cells").begin_array();
    for (std::size_t k = 0; k < s.graph.tasks().size(); ++k) {
      const Task& task = s.graph.tasks()[k];
      if (task.steps == 0 || !(all || s.drawable)) continue;  // of 0 steps: taken as given
      json.line().begin_object().key("processor").value(s.drawn.placements[k].unit).key("start").value(s.drawn.placements[k].start);
      json.key("length").value(task.steps).key("name").value(value_name(s.program, task.instruction + s.program.first_instruction())).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_report(Json& json, const StudyData& data) {
  const Model& model = data.model;
  json.begin_object().line().key("format").value(1).line().key("ulna").value(ULNA_VERSION);
  if (model.closed()) {
    const Mechanism loops = Mechanism::of(model);
    json.line().key("mobility").value(model.nv()).line().key("redundant").value(loops.redundant());
    json.line().key("independent").strings(model.velocity_names()).line().key("dependent").strings(loops.dependent_names());
    json.line().key("closure").value(loops.closed_form() ? "closed form" : "Newton's method");
  }
  json.line().key("model");
  write_model(json, model, data.source);
  json.line().key("warnings").begin_array();
  for (const Diagnostic& d : data.diagnostics) {
    json.line().begin_object().key("level").value(d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note");
    json.key("where")
        .value(d.line > 0 ? cat(d.file, ":", d.line, ": ", to_string(d.element)) : to_string(d.element))
        .key("text")
        .value(d.problem)
        .key("cure")
        .value(d.cure)
        .end_object();
  }
  json.end_array().line().key("motion");
  if (data.motion)
    write_motion(json, model, data.motion->title, data.motion->run.trajectory, data.motion->poses, true);
  else
    json.value(kNull);
  json.line().key("reference");
  if (data.reference)
    write_motion(json, model, "Torques along a motion from rest to rest", data.reference->run.trajectory, {}, false);
  else
    json.value(kNull);
  write_counts_part(json, data);
  write_growth(json, data);
  json.line().key("schedule");
  write_schedules(json, data, false);
  json.line().key("timing").begin_array();
  for (const StudyTiming& t : data.timing.rows) {
    json.line().begin_object().key("library").value(t.library).key("path").value(t.path).key("task").value(t.task).key("mode").value(t.mode);
    json.key("real").value(t.real).key("threads").value(t.threads).key("ns").value(short_number(t.ns)).end_object();
  }
  json.end_array().line().key("race");
  if (data.race)
    write_race(json, *data.race);
  else
    json.value(kNull);
  json.line().key("tables");
  write_trades(json, data.tables);
  json.end_object();
}

}  // namespace ulna::internal
