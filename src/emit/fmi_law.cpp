#include "emit/fmi.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>

#include "emit/literal.hpp"
#include "text/message.hpp"

namespace ulna::internal {

using sim::LawKind;
using sim::ReferenceKind;
using sim::Scenario;

namespace {

bool models(LawKind kind) { return kind == LawKind::computed_torque || kind == LawKind::feedforward; }
bool follows(LawKind kind) { return models(kind) || kind == LawKind::pd || kind == LawKind::pid; }

std::string double_literal(double x) { return signed_literal(x, Real::double_precision); }

std::string list(const std::vector<double>& numbers) { return cat("{", literals(numbers, Real::double_precision), "}"); }

std::string table(const std::vector<std::vector<double>>& rows) {
  std::string out = "{\n";
  for (const std::vector<double>& row : rows) out += cat("    ", list(row), ",\n");
  return out + "  }";
}

/// As src/sim/reference_motion.cpp computes it: progress s from 0 to 1, its rate d and its acceleration dd by time over duration.
std::string progress(ReferenceKind kind, double blend) {
  const char* const none = "  double s = (t - start) / duration, d = 0.0, dd = 0.0;\n";
  std::string out = none;
  if (kind == ReferenceKind::trapezoidal)
    out += cat("  const double blend = ", double_literal(blend), ", speed = 1.0 / (1.0 - blend), push = speed / blend;\n");
  out += cat("  if (s <= 0.0) {\n", kind == ReferenceKind::trapezoidal ? "    dd = s == 0.0 ? push : 0.0;\n" : "",
             "    s = 0.0;\n  } else if (s >= 1.0) {\n    s = 1.0;\n  } else ");
  switch (kind) {
    case ReferenceKind::rest_to_rest:
      return out +
             "{\n    const double turn = 6.283185307179586;\n    d = 1.0 - cos(turn * s);\n    dd = turn * sin(turn * s);\n    s = s - sin(turn * s) / turn;\n "
             " "
             "}\n";
    case ReferenceKind::quintic:
      return out +
             "{\n    d = 30.0 * s * s * (1.0 - s) * (1.0 - s);\n    dd = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s);\n    s = s * s * s * (10.0 + s * (6.0 * s - "
             "15.0));\n  }\n";
    default:
      return out +
             "if (s < blend) {\n    dd = push;\n    d = push * s;\n    s = push * s * s / 2.0;\n  } else if (s < 1.0 - blend) {\n    d = speed;\n    s = speed "
             "* (s - blend / 2.0);\n  } else {\n    dd = -push;\n    d = push * (1.0 - s);\n    s = 1.0 - push * (1.0 - s) * (1.0 - s) / 2.0;\n  }\n";
  }
}

/// Cubics through the waypoints, as src/sim/reference_motion.cpp has them. The speeds at the points are what the reference itself says.
std::string waypoints(const Scenario& s, const sim::ReferenceMotion& reference, std::size_t n) {
  std::vector<double> t, q(n), v(n), a(n);
  std::vector<std::vector<double>> positions, speeds;
  for (const sim::Waypoint& point : s.reference.waypoints) {
    reference.at(point.t, q.data(), v.data(), a.data());
    t.push_back(point.t);
    positions.push_back(point.q);
    speeds.push_back(v);
  }
  const std::size_t m = t.size();
  return cat("  static const double time[", m, "] = ", list(t), ";\n  static const double place[", m, "][", n, "] = ", table(positions),
             ";\n  static const double speed[", m, "][", n, "] = ", table(speeds), ";\n  int i, k = 0;\n  while (k + 2 < ", m, " && t >= time[k + 1]) ++k;\n",
             "  {\n    const double h = time[k + 1] - time[k], s = fmin(fmax((t - time[k]) / h, 0.0), 1.0);\n",
             "    const int rests = t < time[k] || t > time[k + 1];\n    for (i = 0; i < ", n,
             "; ++i) {\n      const double way = place[k + 1][i] - place[k][i], v0 = speed[k][i] * h, v1 = speed[k + 1][i] * h;\n",
             "      const double c2 = 3.0 * way - 2.0 * v0 - v1, c3 = v0 + v1 - 2.0 * way;\n",
             "      q[i] = place[k][i] + s * (v0 + s * (c2 + s * c3));\n      v[i] = rests ? 0.0 : (v0 + s * (2.0 * c2 + 3.0 * s * c3)) / h;\n",
             "      a[i] = rests ? 0.0 : (2.0 * c2 + 6.0 * s * c3) / (h * h);\n    }\n  }\n");
}

std::string reference_in_c(const Scenario& s, std::size_t n) {
  std::string out = "\n/* The motion to follow. */\nstatic void unit_reference(double t, double *q, double *v, double *a)\n{\n";
  const std::unique_ptr<sim::ReferenceMotion> reference = make_reference(s);
  if (s.reference.kind == ReferenceKind::waypoints) return out + waypoints(s, *reference, n) + "}\n";
  std::vector<double> from(n), to(n), rate(n), acceleration(n);
  reference->at(reference->end(), to.data(), rate.data(), acceleration.data());
  if (s.reference.kind == ReferenceKind::hold)
    return out + cat("  static const double to[", n, "] = ", list(to), ";\n  int i;\n  (void)t;\n  for (i = 0; i < ", n,
                     "; ++i) q[i] = to[i], v[i] = a[i] = 0.0;\n}\n");
  reference->at(s.reference.start, from.data(), rate.data(), acceleration.data());
  out += cat("  static const double from[", n, "] = ", list(from), ", to[", n, "] = ", list(s.reference.to),
             ";\n  const double start = ", double_literal(s.reference.start),
             ", duration = ", double_literal(s.reference.duration.value_or(s.duration - s.reference.start)), ";\n  int i;\n");
  return out + progress(s.reference.kind, s.reference.blend) +
         cat("  for (i = 0; i < ", n, "; ++i) {\n    const double way = to[i] - from[i];\n    q[i] = from[i] + way * s;\n    v[i] = way * d / duration;\n",
             "    a[i] = way * dd / (duration * duration);\n  }\n}\n");
}

/// Torques in tau, all of which is zero before.
std::string torque_in_c(const Scenario& s, std::size_t n, std::size_t gains, const std::string& prefix) {
  const sim::LawSettings& law = s.law;
  const std::size_t nv = s.model.nv(), base_q = base_nq(s.model.base()), base_v = base_nv(s.model.base());
  const auto of_all = [&](std::vector<double> tau) {
    if (tau.size() < nv) tau.insert(tau.begin(), nv - tau.size(), 0.0);
    return tau;
  };
  if (law.kind == LawKind::constant) return cat("  static const double held[", nv, "] = ", list(of_all(law.tau)), ";\n  memcpy(tau, held, sizeof held);\n");
  if (law.kind == LawKind::table) {
    std::vector<std::vector<double>> rows;
    for (const std::vector<double>& row : law.table.tau) rows.push_back(of_all(row));
    const std::size_t m = rows.size();
    return cat("  static const double time[", m, "] = ", list(law.table.t), ";\n  static const double row[", m, "][", nv, "] = ", table(rows),
               ";\n  int k = 0;\n  double s = 0.0;\n  while (k + 1 < ", m, " && t >= time[k + 1]) ++k;\n",
               law.table.hold ? "" : cat("  if (k + 1 < ", m, " && t > time[k]) s = (t - time[k]) / (time[k + 1] - time[k]);\n"), "  for (i = 0; i < ", nv,
               "; ++i) tau[i] = s > 0.0 ? (1.0 - s) * row[k][i] + s * row[k + 1][i] : row[k][i];\n");
  }
  if (!follows(law.kind)) return {};
  const auto slower = [&](const char* v) { return law.coriolis == 1 ? cat(v, "[i]") : cat(double_literal(std::sqrt(law.coriolis)), " * ", v, "[i]"); };
  const auto ahead = [&](const char* rest) { return law.inertia == 1 ? cat("a[i]", rest) : cat(double_literal(law.inertia), " * a[i]", rest); };
  std::string out = cat("  double r[", n, "], w[", n, "], a[", n, "];\n  unit_reference(t, r, w, a);\n");
  if (law.kind == LawKind::feedforward)
    return out + cat("  for (i = 0; i < ", n, "; ++i) w[i] = ", slower("w"), ", a[i] = ", ahead(""), ";\n  ", prefix, "inverse(r, w, a, tau);\n");
  out += cat("  for (i = 0; i < ", n, "; ++i) tau[", base_v, " + i] = x[", gains, " + i] * (r[i] - q[", base_q, " + i]) + x[", gains + n, " + i] * (w[i] - v[",
             base_v, " + i]);\n");
  if (law.kind == LawKind::computed_torque)
    return out + cat("  for (i = 0; i < ", n, "; ++i) a[i] = ", ahead(" + tau[i]"), ", w[i] = ", slower("v"), ";\n  ", prefix, "inverse(q, w, a, tau);\n");
  if (law.kind == LawKind::pid)
    out += cat("  for (i = 0; i < ", n, "; ++i) {\n    tau[", base_v, " + i] += x[", gains + 2 * n, " + i] * memory[i];\n    rate[i] = r[i] - q[", base_q,
               " + i];\n  }\n");
  if (law.gravity)
    out += cat("  {\n    double g[", nv, "];\n    ", prefix, "gravity(q, g);\n    for (i = ", base_v, "; i < ", nv, "; ++i) tau[i] += g[i];\n  }\n");
  return out;
}

constexpr std::string_view kStretches = R"C(
/* The stretch between two breaks that a time lies in, and a time inside it: where the law jumps, the side of the present stretch counts. */
static int unit_stretch(double t)
{
  int k = 0;
  while (k + 1 < UNIT_BREAKS && unit_breaks[k + 1] <= t * (1 + 1e-12)) ++k;
  return k;
}
static double unit_inside(int k, double t)
{
  const double begin = unit_breaks[k], end = k + 1 < UNIT_BREAKS ? unit_breaks[k + 1] : INFINITY;
  const double least = k + 1 < UNIT_BREAKS ? fmin(1e-12 * end, (end - begin) / 4) : 1e-12 * begin;
  return fmin(fmax(t, begin + least), end - least);
}
)C";

}  // namespace

void check_unit(const Scenario& s) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(cat("this scenario cannot be a unit of FMI: ", why)); };
  if (s.integrator.kind != sim::IntegratorKind::rk4)
    refuse(cat("a unit has steps of one length, not those of ", to_string(s.integrator.kind), "; write 'integrator: {type: rk4, step: ...}'"));
  if (s.formulation != production_path().id) refuse(cat("generated code is not by the formulation ", s.formulation, "; remove the key"));
  if (s.model.closed()) refuse("its robot has loops; generate the robot alone, without --scenario");
  if (!s.rotor) refuse("generated code includes rotor inertias; write 'rotor: yes'");
  if (s.base.moves) refuse("the motion of its base is prescribed; remove it");
  if (!s.disturbances.empty()) refuse("disturbances act; remove them, and use the option --wrench-at, which makes a wrench an input");
  if (!s.brakes.empty()) refuse("brakes act; remove them");
  if (s.friction.dry()) refuse("its friction is dry, and steps that end where a joint sticks are not written in C; write 'friction: {smooth: ...}'");
  if (s.control.period > 0) refuse("its law is sampled; remove the key 'control', and let the simulator's steps sample the unit");
  for (const sim::Payload& p : s.payloads)
    if (p.from > 0 || p.to < s.duration) refuse("a payload is taken or let go on the way; carry it from the beginning to the end");
  if (s.law.kind == LawKind::prescribed || s.law.kind == LawKind::kane_levinson || s.law.kind == LawKind::function)
    refuse(cat("the law ", to_string(s.law.kind), " is not written in C; use none, constant, table, pd, pid, computed-torque or feedforward"));
  if (models(s.law.kind) && s.model.base() != RootJoint::fixed)
    refuse(cat("the law ", to_string(s.law.kind), " of a robot whose base moves is not written in C; use pd or pid"));
}

std::string law_function(const sim::LawSettings& law) {
  return models(law.kind) ? "inverse" : (law.kind == LawKind::pd || law.kind == LawKind::pid) && law.gravity ? "gravity" : "";
}

Model loaded_robot(const Scenario& s) {
  Model robot = s.model;
  for (const sim::Payload& p : s.payloads) robot = with_payload(robot, p);
  return robot;
}

std::string law_in_c(const Scenario& s, std::size_t gains, const std::string& prefix) {
  const std::size_t nv = s.model.nv(), n = nv - base_nv(s.model.base());
  const bool reference = follows(s.law.kind);
  std::vector<double> breaks{0}, times = s.law.kind == LawKind::table ? s.law.table.t : reference ? make_reference(s)->breaks() : std::vector<double>{};
  std::sort(times.begin(), times.end());
  for (const double t : times)
    if (t > breaks.back() + 1e-12 * s.duration) breaks.push_back(t);
  std::string out = cat("#define UNIT_MEMORY ", s.law.kind == LawKind::pid ? n : 0, "\n#define UNIT_BREAKS ", breaks.size(),
                        "\nstatic const double unit_breaks[UNIT_BREAKS] = ", list(breaks), ";\n", kStretches);
  const std::string function = law_function(s.law);
  if (!function.empty())
    out += cat("\nvoid ", prefix, function,
               function == "inverse" ? "(const double *q, const double *v, const double *a, double *tau)" : "(const double *q, double *g)", ";\n");
  if (reference) out += reference_in_c(s, n);
  out += cat("\n/* The law ", to_string(s.law.kind),
             ". */\nstatic void unit_law(const double *x, double t, const double *q, const double *v, const double *memory, ",
             "double *tau, double *rate)\n{\n  int i;\n  (void)x; (void)t; (void)q; (void)v; (void)memory; (void)rate;\n  for (i = 0; i < ", nv,
             "; ++i) tau[i] = 0.0;\n  {\n");
  out += torque_in_c(s, n, gains, prefix) + "  }\n";
  if (s.law.saturate) {
    const std::vector<std::size_t> driven = s.model.driven();
    for (std::size_t i = 0; i < n; ++i)
      if (const double effort = s.model.joints()[driven[i]].effort; std::isfinite(effort))
        out += cat("  tau[", nv - n + i, "] = fmin(fmax(tau[", nv - n + i, "], ", double_literal(-effort), "), ", double_literal(effort), ");\n");
  }
  return out + "}\n";
}

}  // namespace ulna::internal
