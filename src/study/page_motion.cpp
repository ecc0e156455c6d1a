#include <algorithm>
#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "draw/charts.hpp"
#include "draw/panels.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using draw::base_panels, draw::joint_panels, draw::Numbers, draw::TimePanel;
using html::name, html::number;

namespace {

constexpr double kNarrow = 340;          // plot of a drawing that fits a telephone [pixels]
constexpr std::size_t kMostCurves = 12;  // more are a tangle

/// A number over time: that of row k stands at k * count + offset.
struct Column {
  std::string head;
  const std::vector<double>& values;
  std::size_t count = 1, offset = 0;
};
/// At evenly spaced times, first and last among them.
std::string times_table(const Model& model, const sim::Trajectory& t, const std::vector<Column>& columns, const std::string& caption) {
  std::vector<std::string> head{"t [s]"};
  for (const Column& column : columns) head.push_back(column.head);
  html::Rows rows;
  const std::size_t shown = std::min<std::size_t>(model.independent().size() > 12 ? 11 : 26, t.rows());
  for (std::size_t r = 0; r < shown; ++r) {
    const std::size_t k = shown < 2 ? 0 : r * (t.rows() - 1) / (shown - 1);
    rows.push_back({number(t.t[k])});
    for (const Column& column : columns) rows.back().push_back(number(column.values[k * column.count + column.offset]));
  }
  return html::table(std::string(head.size(), 'r'), head, rows, caption);
}

std::string joints_table(const Model& model, const sim::Trajectory& t, const std::vector<double>& values, bool efforts, const std::string& caption) {
  const std::vector<std::string> names = efforts ? model.effort_names() : model.position_names();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i)
    columns.push_back({cat(name(names[i]), " [", efforts ? sim::effort_unit(model, i) : sim::position_unit(model, i), "]"), values, names.size(), i});
  return times_table(model, t, columns, caption);
}

/// `of`: what of the page's data it is.
void append(std::vector<TimePanel>& to, std::vector<TimePanel> more, const char* of) {
  for (TimePanel& one : more) {
    one.of = of;
    to.push_back(std::move(one));
  }
}

/// One drawing for each panel: the page's script puts a legend below each.
std::string drawings(const std::string& title, const std::vector<double>& t, const std::vector<TimePanel>& panels) {
  std::vector<std::string> out;
  for (const TimePanel& panel : panels) out.push_back(draw::time_chart(cat(title, ": ", panel.title), t, {panel}, draw::page_theme()));
  return html::charts(out);
}

/// Where the motion breaks limits, or that it does not.
std::string limits_text(const Model& model, const sim::Trajectory& t) {
  const std::vector<LimitUse> broken = broken_limits(model, t);
  if (!has_limits(model)) return "<p>The model states no limits of position, speed or effort.</p>\n";
  if (broken.empty()) return "<p class=\"good\">The motion keeps within every limit of position, speed and effort that the model states.</p>\n";
  html::Rows rows;
  for (const LimitUse& b : broken)
    rows.push_back({name(model.joints()[b.joint].name), cat(to_string(b.kind), " [", unit_of(model, b), "]"), number(b.limit), html::bad(number(b.value)),
                    number(b.first)});
  std::string kinds;
  for (const LimitKind kind : {LimitKind::position, LimitKind::velocity, LimitKind::effort}) {
    const auto count = std::count_if(broken.begin(), broken.end(), [&](const LimitUse& b) { return b.kind == kind; });
    if (count > 0) kinds += cat(kinds.empty() ? "" : ", ", html::whole(count), " of ", to_string(kind));
  }
  constexpr std::size_t kMostRows = 12;  // a longer table hides the motion
  const std::string table = html::table("llrrr", {"joint", "limit of", "allowed", "reached", "first [s]"}, rows, {}, html::Narrow::scrolls);
  return cat("<p><strong class=\"bad\">The motion breaks ", html::whole(broken.size()), broken.size() == 1 ? " limit" : " limits", "</strong> of the model (",
             kinds, "), which no slower motion of this kind would keep.</p>\n",
             broken.size() > kMostRows ? html::details(cat("The ", html::whole(broken.size()), " limits"), table) : table);
}

/// Shares that are not zero throughout; a colour goes with the place in this list.
std::vector<std::size_t> present_shares(const sim::TorqueStudy& study) {
  std::vector<std::size_t> present;
  for (std::size_t s = 0; s < sim::kShares; ++s)
    if (std::any_of(study.joints.begin(), study.joints.end(), [&](const sim::JointTorques& j) { return j.share[s].peak > 1e-9 * (1 + j.total.peak); }))
      present.push_back(s);
  return present;
}

/// Root mean squares of the shares of each torque, a chart for each unit.
std::vector<std::string> share_bars(const Model& model, const sim::TorqueStudy& study) {
  constexpr std::size_t kMostRows = 14;
  const std::vector<std::size_t> present = present_shares(study);
  std::vector<std::string> kinds, out;
  for (const std::size_t s : present) kinds.emplace_back(to_string(static_cast<sim::Share>(s)));
  for (const char* unit : {"N m", "N"}) {
    std::vector<const sim::JointTorques*> joints;
    for (std::size_t i = 0; i < study.joints.size(); ++i)
      if (sim::effort_unit(model, base_nv(model.base()) + i) == unit) joints.push_back(&study.joints[i]);
    if (joints.empty() || present.empty()) continue;
    const std::size_t all = joints.size();
    if (all > kMostRows) {
      std::stable_sort(joints.begin(), joints.end(), [](const auto* a, const auto* b) { return a->total.rms > b->total.rms; });
      joints.resize(kMostRows);
    }
    draw::BarPanel panel{cat("shares of each torque, rms [", unit, "]", all > kMostRows ? cat(", ", kMostRows, " of ", all, " joints") : ""), {}};
    for (const sim::JointTorques* j : joints) {
      draw::BarRow row{j->joint, {}};
      for (const std::size_t s : present) row.values.push_back(j->share[s].rms);
      panel.rows.push_back(std::move(row));
    }
    out.push_back(bars(cat("Shares of the torques in ", unit), kinds, {panel}, draw::BarScale::linear, {}, kNarrow - 20));
  }
  return out;
}

/// The shares of one torque over time, of the joints with the largest torques.
std::string share_curves(const Model& model, const sim::TorqueStudy& study) {
  const std::size_t most = study.joints.size() > 12 ? 4 : 8;
  const sim::Trajectory& t = study.run.trajectory;
  const std::vector<std::size_t> present = present_shares(study);
  std::vector<std::size_t> joints;
  for (std::size_t i = 0; i < study.joints.size(); ++i) joints.push_back(i);
  std::stable_sort(joints.begin(), joints.end(), [&](std::size_t a, std::size_t b) { return study.joints[a].total.rms > study.joints[b].total.rms; });
  joints.resize(std::min(most, joints.size()));
  std::sort(joints.begin(), joints.end());
  std::vector<html::View> views;
  for (const std::size_t i : joints) {
    TimePanel panel{cat(study.joints[i].joint, " [", sim::effort_unit(model, base_nv(model.base()) + i), "]"), {}};
    std::vector<double> total(t.rows());
    for (std::size_t s = 0; s < sim::kShares; ++s) {
      if (study.joints[i].share[s].peak <= 1e-9 * (1 + study.joints[i].total.peak)) continue;
      std::vector<double> values(t.rows());
      for (std::size_t k = 0; k < t.rows(); ++k) values[k] = study.share(k, static_cast<sim::Share>(s))[i];
      for (std::size_t k = 0; k < t.rows(); ++k) total[k] += values[k];
      const auto look = static_cast<std::size_t>(std::find(present.begin(), present.end(), s) - present.begin());
      panel.lines.push_back({std::string(to_string(static_cast<sim::Share>(s))), std::move(values), look});
    }
    panel.lines.push_back({"sum", std::move(total), sim::kShares + 1});
    views.push_back(
        {name(study.joints[i].joint), draw::time_chart(cat("Shares of the torque of ", study.joints[i].joint), t.t, {panel}, draw::page_theme(), kNarrow)});
  }
  return views.empty() ? "" : html::choice("joint-shares", "Joint", views);
}

}  // namespace

std::string motion_part(const StudyData& data) {
  if (!data.motion) return {};
  const StudyMotion& motion = *data.motion;
  const sim::Trajectory& t = motion.run.trajectory;
  const sim::Audit& audit = motion.run.audit;
  std::vector<double> total;
  for (std::size_t k = 0; k < t.rows(); ++k) total.push_back(t.kinetic[k] + t.potential[k]);
  std::vector<TimePanel> panels;
  append(panels, joint_panels(data.model, "position", Numbers::position, t.q, kMostCurves), "q");
  append(panels, base_panels(data.model, "position", Numbers::position, t.q), "base");
  append(panels, joint_panels(data.model, "velocity", Numbers::velocity, t.v, kMostCurves), "v");
  append(panels, base_panels(data.model, "velocity", Numbers::velocity, t.v), "base");
  append(panels, joint_panels(data.model, "effort of the drives", Numbers::effort, t.tau, kMostCurves), "tau");
  append(panels, {{"energy [J]", {{"kinetic", t.kinetic, 0}, {"potential", t.potential, 1}, {"total", total, 2}, {"work of the drives", t.work, 3}}}},
         "energy");
  const std::string numbers =
      joints_table(data.model, t, t.q, false, "Positions") + joints_table(data.model, t, t.tau, true, "Torques and forces of the drives") +
      times_table(data.model, t, {{"kinetic [J]", t.kinetic}, {"potential [J]", t.potential}, {"total [J]", total}, {"work of the drives [J]", t.work}},
                  "Energy");
  const std::size_t n = data.model.independent().size();
  std::string caption =
      cat("Positions, velocities, efforts and energy. ", n > kMostCurves ? cat("Of ", n, " joints, the ", kMostCurves, " that change most are shown. ") : "",
          motion.run.message.empty() ? "" : cat("<strong>The run ended early: ", html::text(motion.run.message), ".</strong> "));
  if (audit.balanced)
    caption += cat("The energy balance of the run closes to ", html::small(audit.energy_drift), " J of ", number(audit.energy_scale),
                   " J. Inverse dynamics along the motion ",
                   audit.closed ? "gives back the torques that acted." : "<strong>does not give back the torques that acted.</strong>");
  return html::section("motion", "A simulated motion",
                       cat("<p>", html::text(motion.text), " All numbers are in <a href=\"motion.csv\">motion.csv</a>.</p>\n", limits_text(data.model, t),
                           html::figure("figure-motion", drawings("Simulated motion", t.t, panels), caption, numbers)));
}

std::string torques_part(const StudyData& data) {
  if (!data.reference) return {};
  const sim::TorqueStudy& study = *data.reference;
  const sim::Trajectory& t = study.run.trajectory;
  html::Rows rows;
  bool above = false;
  for (std::size_t i = 0; i < study.joints.size(); ++i) {
    const sim::JointTorques& j = study.joints[i];
    const bool over = std::isfinite(j.effort_limit) && j.total.peak > j.effort_limit;
    above = above || over;
    rows.push_back({name(j.joint), sim::effort_unit(data.model, base_nv(data.model.base()) + i), number(j.total.peak), number(j.total.rms)});
    for (std::size_t s = 0; s < sim::kShares; ++s) rows.back().push_back(number(j.share[s].peak));
    rows.back().push_back(std::isfinite(j.effort_limit) ? cat(number(j.effort_limit), over ? " " + html::bad("exceeded") : "") : "–");
  }
  std::vector<std::string> head{"joint", "unit", "peak", "rms"};
  for (std::size_t s = 0; s < sim::kShares; ++s) head.push_back(cat(to_string(static_cast<sim::Share>(s)), ", peak"));
  head.emplace_back("limit");
  const std::string caption =
      cat("Torques of the drives along a motion from rest to rest in ", number(t.t.empty() ? 0 : t.t.back()), " s (eq. 127 of Kane &amp; Levinson 1983).",
          data.model.base() == RootJoint::fixed ? "" : " Nothing drives the base: the motion of the joints moves it. A free base is shown without gravity.",
          above ? " Some torques exceed the limits of the model." : "");
  std::vector<TimePanel> panels;
  append(panels, joint_panels(data.model, "torque", Numbers::effort, t.tau, kMostCurves), "tau");
  std::string each, shares;
  for (const std::string& one : share_bars(data.model, study)) each += one;
  if (!each.empty())
    shares =
        html::figure("figure-shares", html::charts({each, share_curves(data.model, study)}),
                     "Where the torques come from: the root mean square of each share over the whole motion, and the shares of one torque over time.",
                     html::table("ll" + std::string(head.size() - 2, 'r'), head, rows, "Peak and root mean square of each torque, and peaks of its shares"));
  return html::section(
      "torques", "Torques along a reference motion",
      cat("<p>These are the torques that the drives must give for a motion that is prescribed. Each torque is the sum of its shares: inertia of the links, "
          "Coriolis and centrifugal forces, gravity, rotors and friction. All numbers are in <a href=\"torques.csv\">torques.csv</a>.</p>\n",
          limits_text(data.model, t),
          html::figure("figure-torques", drawings("Torques along the reference motion", t.t, panels), caption,
                       joints_table(data.model, t, t.tau, true, "Torques over time")),
          shares));
}

std::string inertia_part(const StudyData& data) {
  constexpr std::size_t kMostNames = 80, kMostNumbers = 12;
  if (!data.motion || data.motion->inertia.empty()) return {};
  const std::vector<std::string> names = data.model.velocity_names();
  const std::vector<double>& M = data.motion->inertia;
  if (names.size() > kMostNames) return {};
  html::Rows rows;
  std::vector<std::string> head{""};
  for (const std::string& one : names) head.push_back(name(one));
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({name(names[i])});
    for (std::size_t j = 0; j < names.size(); ++j) rows.back().push_back(number(M[i * names.size() + j]));
  }
  const std::string caption = cat(
      "M(q) at the goal of the simulated motion, in kg m², kg m and kg. M<sub>ij</sub>, in row i and column j, is the torque at joint i that a unit "
      "acceleration of joint j needs. The colour is the coupling of the two joints, M<sub>ij</sub> / √(M<sub>ii</sub> M<sub>jj</sub>): full blue is 1, full "
      "orange is −1, no colour is 0.");
  return html::section("inertia", "The inertia matrix",
                       html::figure("figure-inertia", draw::matrix_chart("Inertia matrix", names, M, draw::page_theme()), caption,
                                    names.size() <= kMostNumbers ? html::table("r" + std::string(names.size(), 'r'), head, rows, "M at the goal") : ""));
}

}  // namespace ulna::internal
