#include "simulate.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace sim;
using draw::base_panels, draw::joint_panels, draw::Numbers, draw::time_chart, draw::TimePanel;

namespace {

/// Of the joints, then of a base that moves.
std::vector<TimePanel> panels_of(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values) {
  std::vector<TimePanel> panels = joint_panels(model, quantity, numbers, values);
  for (TimePanel& panel : base_panels(model, quantity, numbers, values)) panels.push_back(std::move(panel));
  return panels;
}

}  // namespace

std::vector<Plot> outcome_plots(const Scenario& s, const Outcome& o) {
  const Trajectory& r = o.trajectory;
  const auto chart = [&](const std::string& what, const std::vector<TimePanel>& panels) { return time_chart(cat(s.name, ": ", what), r.t, panels); };
  std::vector<Plot> plots{{"positions.svg", chart("positions", panels_of(s.model, "position", Numbers::position, r.q))},
                          {"velocities.svg", chart("velocities", panels_of(s.model, "velocity", Numbers::velocity, r.v))},
                          {"torques.svg", chart("torques", panels_of(s.model, "torque", Numbers::effort, r.tau))}};
  std::vector<double> total;
  for (std::size_t k = 0; k < r.rows(); ++k) total.push_back(r.kinetic[k] + r.potential[k]);
  TimePanel works{"work of each drive [J]", {}};
  const std::vector<std::string> names = s.model.velocity_names();
  const std::size_t base = base_nv(s.model.base());
  for (std::size_t i = base; i < names.size(); ++i) {
    works.lines.push_back({names[i], {}, i - base});
    for (std::size_t k = 0; k < r.rows(); ++k) works.lines.back().values.push_back(r.joint_work[k * r.size + i]);
  }
  plots.push_back(
      {"energy.svg",
       chart("energy", {{"energy [J]", {{"kinetic", r.kinetic, 0}, {"potential", r.potential, 1}, {"sum", total, 2}, {"work of drives", r.work, 3}}}, works})});
  std::vector<TimePanel> audit;
  if (o.audit.balanced) audit.push_back({"error of the energy balance [J]", {{"error", r.energy_drift, 0}}});
  audit.push_back({"smallest pivot of M [kg m² or kg]", {{"pivot", r.pivot, 1}}});
  if (!r.constant.empty())
    audit.push_back({cat(formulation_named(s.formulation).constant.symbol, " of the formulation [kg m²/s or kg m/s]"), {{"", r.constant, 2}}});
  plots.push_back({"audit.svg", chart("audit", audit)});
  return plots;
}

std::vector<Plot> torque_plots(const Scenario& s, const TorqueStudy& study) {
  const Trajectory& r = study.run.trajectory;
  std::vector<Plot> plots{{"torques.svg", time_chart(cat(s.name, ": torques"), r.t, panels_of(s.model, "torque", Numbers::effort, r.tau))}};
  std::vector<TimePanel> panels;
  for (std::size_t i = 0; i < study.joints.size(); ++i) {
    TimePanel panel{cat(study.joints[i].joint, " [", sim::effort_unit(s.model, base_nv(s.model.base()) + i), "]"), {}};
    for (std::size_t k = 0; k < kShares; ++k) {
      if (study.joints[i].share[k].peak == 0) continue;
      panel.lines.push_back({std::string(to_string(static_cast<Share>(k))), {}, k});
      for (std::size_t row = 0; row < r.rows(); ++row) panel.lines.back().values.push_back(study.share(row, static_cast<Share>(k))[i]);
    }
    panels.push_back(std::move(panel));
  }
  plots.push_back({"shares.svg", time_chart(cat(s.name, ": where the torques come from"), r.t, panels)});
  return plots;
}

void write_plots(const std::string& folder, const std::vector<Plot>& plots, bool force) {
  WholeFolder files("--plot", folder, force);
  for (const Plot& plot : plots) files.file(plot.name).write(plot.svg);
  files.keep();
}

}  // namespace ulna::cli
