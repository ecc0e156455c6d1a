#include "simulate.hpp"
#include "table.hpp"

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
  const std::vector<std::size_t> places = model.places();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i >= base_q && position_unit(model, i) != "1") continue;
    const std::string unit = position_unit(model, i);
    table.row({positions[i], brief(o.q[i]), unit == "1" ? "" : unit, "", "", "", "", "", "", ""});
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool joint = i >= base_v;
    const std::size_t at_q = joint ? places[i - base_v] : 0, k = drive[i];
    std::vector<std::string> cells{names[i], joint && position_unit(model, at_q) != "1" ? brief(o.q[at_q]) : "",
                                   joint && position_unit(model, at_q) != "1" ? position_unit(model, at_q) : "", brief(speeds[i]), velocity_unit(tree, i)};
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
  if (!o.in_the_way.empty()) text += cat("Computed by the precompiled C++ algorithms: ", o.in_the_way, ".\n");
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
  json.line_fields("scenario", s.name, "robot", s.model.name(), "law", to_string(s.law.kind), "integrator", to_string(s.integrator.kind), "formulation",
                   s.formulation, "computed_by", o.computed_by, "equations", o.equations, "ending", to_string(o.ending), "message", o.message, "end", o.end,
                   "joints", s.model.coordinate_names());
  if (s.model.closed()) json.line_fields("independent", s.model.velocity_names());
  numbers("q", o.q);
  numbers("v", o.joint_v.empty() ? o.v : o.joint_v);
  if (const Tracking tracking = tracking_of(s, o.trajectory); !tracking.peak.empty()) {
    json.line().key("tracking").object("peak", tracking.peak, "rms", tracking.rms);
  }
  json.line().key("audit").begin_object();
  json.line_fields("steps", static_cast<double>(a.steps), "evaluations", static_cast<double>(a.evaluations), "energy_balanced", a.balanced,
                   "energy_conservative", a.conservative, "energy_drift", a.energy_drift, "energy_scale", a.energy_scale);
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
  json.line_fields("uptake_error", a.uptake_error, "losses", a.losses, "external_work", a.external);
  json.list("momenta", a.momenta, [&](const MomentumAudit& m) {
    json.object("joint", m.joint, "by", m.by.empty() ? "M v" : m.by, "constant", m.constant, "largest", m.largest, "drift", m.drift);
  });
  if (!a.world.empty()) {
    json.list("world_momentum", a.world,
              [&](const WorldMomentum& m) { json.object("kind", m.kind, "constant", m.constant, "largest", m.largest, "drift", m.drift, "scale", m.scale); });
  }
  if (s.model.closed()) json.line_fields("loop_drift", a.loop_drift, "residual", a.loop_residual);
  json.line_fields("smallest_pivot", a.smallest_pivot, "smallest_pivot_at", a.at, "closed", a.closed);
  of_joints("closing", a.closing);
  of_joints("closing_own", a.closing_own);
  of_joints("torque_scale", a.torque_scale);
  if (!a.difference.empty()) {
    json.line().key("difference_from_production");
    json.object("of", s.law.kind == LawKind::prescribed ? "torque" : "acceleration", "relative", a.relative_difference(), "largest", a.difference, "scale",
                a.difference_scale);
  }
  json.end_object();
  json.list("events", o.events,
            [&](const LimitEvent& e) { json.object("t", e.t, "joint", e.joint, "side", e.upper ? "upper" : "lower", "limit", e.limit, "speed", e.speed); });
}

}  // namespace ulna::cli
