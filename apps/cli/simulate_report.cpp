#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ulna/check/check.hpp>
#include <ulna/formulation/formulation.hpp>

#include "simulate.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

using namespace sim;

namespace {

std::string energy_text(const Audit& a) {
  if (!a.balanced) return "energy: not audited, because the base is driven and its power is not known\n";
  std::string text =
      a.conservative ? "energy: nothing does work, so it should stay; " : "energy: work of drives and wrenches, less losses, against its change; ";
  text += cat("largest error ", scientific(a.energy_drift), " J of ", rounded(a.energy_scale), " J\n");
  text += cat("        by joint: the energies that the joints take up add up to the change within ", scientific(a.uptake_error),
              " J (finite differences of the output rows)\n");
  if (a.losses != 0) text += cat("        lost to friction: ", rounded(a.losses), " J\n");
  if (a.external != 0) text += cat("        work of the disturbances: ", rounded(a.external), " J\n");
  return text;
}

std::string equations_text(const Scenario& s, const Outcome& o) {
  std::string text = cat("equations: ", o.equations, "\n");
  if (o.audit.difference.empty()) return text;
  const Formulation& row = formulation_named(s.formulation);
  text += cat("           ", row.title, "\n           ", row.citation, "\n");
  return text + cat("           along the run within ", scientific(o.audit.relative_difference()), " of the production path's ",
                    s.law.kind == LawKind::prescribed ? "torques" : "accelerations", "\n");
}

}  // namespace

std::string outcome_text(const Scenario& s, const Outcome& o) {
  const Audit& a = o.audit;
  const bool prescribed = s.law.kind == LawKind::prescribed;
  std::string text = cat("scenario ", s.name, ": robot ", s.model.name(), ", law ", to_string(s.law.kind));
  if (!prescribed) text += cat(", integrator ", to_string(s.integrator.kind));
  text += cat(", formulation ", s.formulation);
  text +=
      cat("\n", to_string(o.ending), " at t = ", rounded(o.end), " s; ", a.steps, " steps, ", a.evaluations, " evaluations, ", o.trajectory.rows(), " rows\n");
  if (!o.message.empty()) text += o.message + "\n";
  text += equations_text(s, o) + "\n";
  const Model& model = s.model;
  const std::size_t base_q = base_nq(model.base()), base_v = base_nv(model.base());
  // Joints that loops determine have positions and speeds, and no drives.
  const Model tree = without_loops(model);
  const std::vector<std::string> positions = model.position_names(), names = tree.velocity_names();
  const std::vector<double>& speeds = o.joint_v.empty() ? o.v : o.joint_v;
  std::vector<std::size_t> drive(names.size(), kNone);  // its number of v
  for (std::size_t k = 0; k < model.nv(); ++k) drive[model.order().independent[k]] = k;
  Table table("lrlrlrrrrr");
  table.row({"joint", "q", "", "v", "", "work J", "uptake J", "error J", "closing", "own"});
  // Of a base that moves, numbers of q and of v do not answer to each other.
  for (std::size_t i = 0; i < base_q; ++i) {
    const std::string unit = position_unit(model, i);
    table.row({positions[i], brief(o.q[i]), unit == "1" ? "" : unit, "", "", "", "", "", "", ""});
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool joint = i >= base_v;
    const std::size_t at_q = base_q + i - base_v, k = drive[i];
    std::vector<std::string> cells{names[i], joint ? brief(o.q[at_q]) : "", joint ? position_unit(model, at_q) : "", brief(speeds[i]), velocity_unit(tree, i)};
    if (k == kNone) {
      cells.resize(10);
    } else {
      const double scale = std::max(a.torque_scale[k], 1e-300);
      cells.insert(cells.end(), {brief(a.joints[k].work), a.balanced ? brief(a.joints[k].uptake) : "-", a.balanced ? scientific(a.joints[k].drift) : "-",
                                 scientific(a.closing[k] / scale), scientific(a.closing_own[k] / scale)});
    }
    table.row(cells);
  }
  text += table.text();
  text +=
      "\nwork: of the drive; uptake: energy that entered through this joint, computed from the motion alone; error: of the balance of work, losses and uptake\n"
      "closing: the motion through inverse dynamics against the torques that caused it, relative to the largest torque; own: with accelerations from\n"
      "differences of the speeds over the output step\n\n";
  if (!a.closed) text += "CLOSING CHECK BROKEN: forward and inverse dynamics do not agree on this motion\n";
  text += energy_text(a);
  if (const Tracking tracking = tracking_of(s, o.trajectory); !prescribed && !tracking.peak.empty()) {
    const auto worst = std::max_element(tracking.peak.begin(), tracking.peak.end()) - tracking.peak.begin();
    const std::size_t joint = base_v + static_cast<std::size_t>(worst);
    text += cat("tracking: largest distance from the reference ", scientific(tracking.peak[joint - base_v]), " at joint ",
                in_quotes(model.velocity_names()[joint]), "\n");
  }
  for (const MomentumAudit& m : a.momenta)
    text += cat(m.by.empty() ? "momentum of " : m.by + " of the formulation, momentum of ", in_quotes(m.joint),
                m.constant ? ": nothing acts on it, so it should stay; " : ": its change against the impulse of drive, friction and wrenches; ",
                "largest error ", scientific(m.drift), " of ", rounded(m.largest), "\n");
  for (const WorldMomentum& m : a.world)
    text += cat(m.kind, " momentum in the world",
                m.constant ? ": nothing acts on it, so it should stay; " : ": its change against the impulse of weight, wrenches and tau of the base; ",
                "largest error ", scientific(m.drift), " of ", rounded(m.scale), " in its parts, ", scientific(m.largest), " in all\n");
  if (s.model.closed())
    text +=
        cat("loops: open by up to ", scientific(a.loop_drift), " after a step or within one, and closed to ", scientific(a.loop_residual), " [m, or rad]\n");
  text += cat("smallest pivot of M: ", rounded(a.smallest_pivot), " at t = ", rounded(a.at), " s\n");
  for (const LimitEvent& e : o.events)
    text += cat("limit: joint ", in_quotes(e.joint), e.t == 0 ? " starts beyond its " : " crosses its ", e.upper ? "upper" : "lower", " limit ",
                rounded(e.limit), " at t = ", rounded(e.t), " s with speed ", rounded(e.speed), "\n");
  if (!o.in_the_way.empty()) text += cat("Computed by the templates: ", o.in_the_way, ".\n");
  return text;
}

void tell_limits(const Scenario& s, const Trajectory& t, bool positions) {
  if (s.limits == LimitPolicy::ignore || t.positions != s.model.nq() || t.size != s.model.nv()) return;
  for (const LimitUse& use : check_motion(s.model, {t.t, t.q, t.v, t.a, t.tau}, {.between = false}))
    if (positions || use.kind != LimitKind::position)
      std::fprintf(stderr, "ulna: note: %s, first at t = %s s; do not run this motion on the robot\n", to_string(s.model, use).c_str(),
                   rounded(use.first).c_str());
}

void write_outcome(Json& json, const Scenario& s, const Outcome& o) {
  const Audit& a = o.audit;
  const auto numbers = [&](const char* key, const std::vector<double>& values) { json.line().key(key).numbers(values.data(), values.size()); };
  const auto of_joints = [&](const char* key, const std::vector<double>& values) { numbers(key, of_all_joints(s.model, values)); };
  json.line().key("scenario").value(s.name).line().key("robot").value(s.model.name()).line().key("law").value(to_string(s.law.kind));
  json.line().key("integrator").value(to_string(s.integrator.kind)).line().key("formulation").value(s.formulation);
  json.line().key("computed_by").value(o.computed_by).line().key("equations").value(o.equations);
  json.line().key("ending").value(to_string(o.ending)).line().key("message").value(o.message).line().key("end").value(o.end);
  json.line().key("joints").strings(s.model.coordinate_names());
  if (s.model.closed()) json.line().key("independent").strings(s.model.velocity_names());
  numbers("q", o.q);
  numbers("v", o.joint_v.empty() ? o.v : o.joint_v);
  if (const Tracking tracking = tracking_of(s, o.trajectory); !tracking.peak.empty()) {
    json.line().key("tracking").begin_object().key("peak").numbers(tracking.peak.data(), tracking.peak.size());
    json.key("rms").numbers(tracking.rms.data(), tracking.rms.size()).end_object();
  }
  json.line().key("audit").begin_object();
  json.line().key("steps").value(static_cast<double>(a.steps)).line().key("evaluations").value(static_cast<double>(a.evaluations));
  json.line().key("energy_balanced").value(a.balanced).line().key("energy_conservative").value(a.conservative);
  json.line().key("energy_drift").value(a.energy_drift).line().key("energy_scale").value(a.energy_scale);
  const auto joints = [&](const char* key, double JointWork::*part) {
    std::vector<double> values;
    for (const JointWork& joint : a.joints) values.push_back(joint.*part);
    of_joints(key, values);
  };
  joints("work", &JointWork::work);
  joints("joint_losses", &JointWork::losses);
  joints("joint_external_work", &JointWork::external);
  joints("uptake", &JointWork::uptake);
  joints("work_drift", &JointWork::drift);
  json.line().key("uptake_error").value(a.uptake_error);
  json.line().key("losses").value(a.losses).line().key("external_work").value(a.external);
  json.line().key("momenta").begin_array();
  for (const MomentumAudit& m : a.momenta)
    json.line()
        .begin_object()
        .key("joint")
        .value(m.joint)
        .key("by")
        .value(m.by.empty() ? "M v" : m.by)
        .key("constant")
        .value(m.constant)
        .key("largest")
        .value(m.largest)
        .key("drift")
        .value(m.drift)
        .end_object();
  json.end_array();
  if (!a.world.empty()) {
    json.line().key("world_momentum").begin_array();
    for (const WorldMomentum& m : a.world)
      json.line()
          .begin_object()
          .key("kind")
          .value(m.kind)
          .key("constant")
          .value(m.constant)
          .key("largest")
          .value(m.largest)
          .key("drift")
          .value(m.drift)
          .key("scale")
          .value(m.scale)
          .end_object();
    json.end_array();
  }
  if (s.model.closed()) json.line().key("loop_drift").value(a.loop_drift).line().key("residual").value(a.loop_residual);
  json.line().key("smallest_pivot").value(a.smallest_pivot).line().key("smallest_pivot_at").value(a.at);
  json.line().key("closed").value(a.closed);
  of_joints("closing", a.closing);
  of_joints("closing_own", a.closing_own);
  of_joints("torque_scale", a.torque_scale);
  if (!a.difference.empty()) {
    json.line().key("difference_from_production").begin_object();
    json.key("of").value(s.law.kind == LawKind::prescribed ? "torque" : "acceleration").key("relative").value(a.relative_difference());
    json.key("largest").numbers(a.difference.data(), a.difference.size()).key("scale").numbers(a.difference_scale.data(), a.difference_scale.size());
    json.end_object();
  }
  json.end_object();
  json.line().key("events").begin_array();
  for (const LimitEvent& e : o.events)
    json.line()
        .begin_object()
        .key("t")
        .value(e.t)
        .key("joint")
        .value(e.joint)
        .key("side")
        .value(e.upper ? "upper" : "lower")
        .key("limit")
        .value(e.limit)
        .key("speed")
        .value(e.speed)
        .end_object();
  json.end_array();
}

}  // namespace ulna::cli
