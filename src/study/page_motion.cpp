#include <algorithm>
#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "draw/joint_panels.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using draw::base_panels, draw::joint_panels, draw::Numbers, draw::TimePanel;
using html::name, html::number;

namespace {

constexpr std::size_t kRowsShown = 26;
constexpr std::size_t kMostCurves = 12;  // more are a tangle

/// Evenly spaced rows, first and last among them.
std::string rows_table(const Model& model, const sim::Trajectory& t, const std::vector<double>& values, bool efforts, const std::string& caption) {
  const std::vector<std::string> names = efforts ? model.effort_names() : model.position_names();
  std::vector<std::string> head{"t [s]"};
  for (std::size_t i = 0; i < names.size(); ++i)
    head.push_back(cat(name(names[i]), " [", efforts ? sim::effort_unit(model, i) : sim::position_unit(model, i), "]"));
  std::vector<std::vector<std::string>> rows;
  const std::size_t count = std::min(kRowsShown, t.rows());
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t k = count < 2 ? 0 : r * (t.rows() - 1) / (count - 1);
    rows.push_back({number(t.t[k])});
    for (std::size_t i = 0; i < names.size(); ++i) rows.back().push_back(number(values[k * names.size() + i]));
  }
  return html::table(std::string(names.size() + 1, 'r'), head, rows, caption);
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
  std::string out;
  for (const TimePanel& panel : panels) out += draw::time_chart(cat(title, ": ", panel.title), t, {panel}, draw::page_theme());
  return out;
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
  append(panels, joint_panels(data.model, "torque or force of the drive", Numbers::effort, t.tau, kMostCurves), "tau");
  append(panels, {{"energy [J]", {{"kinetic", t.kinetic, 0}, {"potential", t.potential, 1}, {"sum", total, 2}, {"work of drives", t.work, 3}}}}, "energy");
  std::string numbers = rows_table(data.model, t, t.q, false, "Positions") + rows_table(data.model, t, t.tau, true, "Torques and forces of the drives");
  std::vector<std::vector<std::string>> energy;
  const std::size_t count = std::min(kRowsShown, t.rows());
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t k = count < 2 ? 0 : r * (t.rows() - 1) / (count - 1);
    energy.push_back({number(t.t[k]), number(t.kinetic[k]), number(t.potential[k]), number(total[k]), number(t.work[k])});
  }
  numbers += html::table("rrrrr", {"t [s]", "kinetic [J]", "potential [J]", "sum [J]", "work of drives [J]"}, energy, "Energy");
  std::string caption = cat("Positions, velocities, torques and energy. ",
                            motion.run.message.empty() ? "" : cat("<strong>The run ended early: ", html::text(motion.run.message), ".</strong> "));
  if (audit.balanced)
    caption += cat("The energy balance of the run closes to ", html::small(audit.energy_drift), " J of ", number(audit.energy_scale),
                   " J; inverse dynamics of the motion ",
                   audit.closed ? "gives back the torques that acted." : "<strong>does not give back the torques that acted.</strong>");
  return html::section("motion", "A simulated motion",
                       cat("<p>", html::text(motion.text), " All numbers are in <a href=\"motion.csv\">motion.csv</a>.</p>\n",
                           html::figure("figure-motion", drawings("Simulated motion", t.t, panels), caption, numbers)));
}

std::string torques_part(const StudyData& data) {
  if (!data.reference) return {};
  const sim::TorqueStudy& study = *data.reference;
  const sim::Trajectory& t = study.run.trajectory;
  std::vector<std::vector<std::string>> rows;
  bool above = false;
  for (std::size_t i = 0; i < study.joints.size(); ++i) {
    const sim::JointTorques& j = study.joints[i];
    const bool over = std::isfinite(j.effort_limit) && j.total.peak > j.effort_limit;
    above = above || over;
    rows.push_back({name(j.joint), sim::effort_unit(data.model, base_nv(data.model.base()) + i), number(j.total.peak), number(j.total.rms)});
    for (std::size_t s = 0; s < sim::kShares; ++s) rows.back().push_back(number(j.share[s].peak));
    rows.back().push_back(std::isfinite(j.effort_limit) ? cat(number(j.effort_limit), over ? " <span class=\"bad\">exceeded</span>" : "") : "–");
  }
  std::vector<std::string> head{"joint", "unit", "peak", "rms"};
  for (std::size_t s = 0; s < sim::kShares; ++s) head.push_back(cat(to_string(static_cast<sim::Share>(s)), ", peak"));
  head.emplace_back("limit");
  const std::string caption = cat(
      "What the drives must give along a motion from rest to rest (eq. 127 of Kane &amp; Levinson 1983) that takes ", number(t.t.empty() ? 0 : t.t.back()),
      " s.",
      data.model.base() == RootJoint::fixed ? "" : " Nothing drives the base: it goes where the joints take it; a free one is seen by one who falls with it.",
      above ? " Some torques exceed the limits of the model." : "");
  std::vector<TimePanel> panels;
  append(panels, joint_panels(data.model, "torque", Numbers::effort, t.tau, kMostCurves), "tau");
  return html::section(
      "torques", "Torques along a reference motion",
      cat("<p>Each torque is the sum of its shares: inertia of the links, Coriolis and centrifugal forces, gravity, rotors, friction. All numbers are in <a "
          "href=\"torques.csv\">torques.csv</a>.</p>\n",
          html::figure("figure-torques", drawings("Torques along the reference motion", t.t, panels), caption,
                       html::table("ll" + std::string(head.size() - 2, 'r'), head, rows, "Peaks, root mean squares and shares") +
                           rows_table(data.model, t, t.tau, true, "Torques over time"))));
}

}  // namespace ulna::internal
