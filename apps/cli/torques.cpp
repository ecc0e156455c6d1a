#include "command.hpp"
#include "model_options.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace sim;

namespace {

std::string percent(double part, double whole) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * part / whole);
  return text;
}

std::string of_limit(double peak, double limit) { return std::isinf(limit) ? "no limit" : cat(percent(peak, limit), peak > limit ? " EXCEEDED" : ""); }

const Extent& share_of(const JointTorques& joint, Share share) { return joint.share[static_cast<std::size_t>(share)]; }

/// Motors, by --drives.
struct Sizing {
  std::vector<Drive> drives;
  std::vector<DriveUse> uses;
};

std::string drives_text(const Scenario& s, const Sizing& sizing) {
  const std::vector<std::string> names = s.model.driven_names();
  Table table("lrrrlrlrrrrr");
  table.row({"motor", "peak [N m]", "RMS", "peak [A]", "of limit", "RMS", "of limit", "heat [W]", "of curve", "at t [s]", "rad/s", "N m"});
  for (std::size_t i = 0; i < sizing.drives.size(); ++i) {
    const Drive& d = sizing.drives[i];
    const DriveUse& u = sizing.uses[i];
    const auto known = [](bool is, const std::string& text) { return is ? text : std::string("-"); };
    const bool current = d.constant > 0, curve = !d.curve.empty();
    table.row({names[d.joint], brief(u.torque.peak), brief(u.torque.rms), known(current, brief(u.current.peak)),
               known(current, of_limit(u.current.peak, d.peak)), known(current, brief(u.current.rms)), known(current, of_limit(u.current.rms, d.continuous)),
               known(d.resistance > 0, brief(u.heat)), known(curve, std::isinf(u.share) ? "EXCEEDED" : of_limit(u.share, 1)), known(curve, brief(u.time)),
               known(curve, brief(u.at_speed)), known(curve, brief(u.at_torque))});
  }
  return "\n" + table.text();
}

void print_text(const Scenario& s, const TorqueStudy& study, const Sizing& sizing) {
  std::string text = cat("scenario ", s.name, ": robot ", s.model.name(), ", torques along ", study.along_reference ? "the reference" : "the simulated motion",
                         ", ", study.run.trajectory.rows(), " rows, ", rounded(study.run.end), " s\n\n");
  Table peaks("lrlrrlrr");
  peaks.row({"joint", "peak", "", "RMS", "of effort", "", "peak speed", "of limit"});
  for (std::size_t i = 0; i < study.joints.size(); ++i) {
    const JointTorques& j = study.joints[i];
    peaks.row({j.joint, brief(j.total.peak), sim::effort_unit(s.model, base_nv(s.model.base()) + i), brief(j.total.rms), of_limit(j.total.peak, j.effort_limit),
               "", brief(j.speed.peak), of_limit(j.speed.peak, j.speed_limit)});
  }
  text += peaks.text() + (sizing.drives.empty() ? "" : drives_text(s, sizing)) + "\nPeak of each share, and RMS in brackets:\n";
  Table shares("l" + std::string(kShares, 'r'));
  std::vector<std::string> head{"joint"};
  for (std::size_t k = 0; k < kShares; ++k) head.emplace_back(to_string(static_cast<Share>(k)));
  shares.row(head);
  for (const JointTorques& j : study.joints) {
    std::vector<std::string> row{j.joint};
    for (const Extent& share : j.share) row.push_back(share.peak == 0 ? "0" : cat(rounded(share.peak), " (", rounded(share.rms), ")"));
    shares.row(row);
  }
  text += shares.text() + "\nError made by ignoring the Coriolis and centrifugal terms:\n";
  Table errors("lrrr");
  errors.row({"joint", "peak", "of peak torque", "of peak inertia"});
  for (const JointTorques& j : study.joints) {
    const double peak = share_of(j, Share::coriolis).peak;
    errors.row({j.joint, brief(peak), percent(peak, j.total.peak), percent(peak, share_of(j, Share::inertia).peak)});
  }
  std::fputs((text + errors.text()).c_str(), stdout);
}

void write_extent(Json& json, const Extent& extent) { json.object("peak", extent.peak, "rms", extent.rms); }

void write_drive(Json& json, const Drive& d, const DriveUse& u) {
  json.object(
      "torque", [&] { write_extent(json, u.torque); }, "current", [&] { write_extent(json, u.current); }, "current_limit", d.peak, "continuous_limit",
      d.continuous, "heat", u.heat, "curve_share", u.share, "curve_time", u.time, "curve_speed", u.at_speed, "curve_torque", u.at_torque);
}

void print_json(const Scenario& s, const TorqueStudy& study, const Sizing& sizing) {
  JsonOutput json;
  json.line_fields("scenario", s.name, "robot", s.model.name(), "along", study.along_reference ? "reference" : "simulated motion", "end", study.run.end).line();
  json.key("joints").begin_array();
  for (const JointTorques& j : study.joints) {
    json.line().begin_object();
    json.fields(
        "joint", j.joint, "torque", [&] { write_extent(json, j.total); }, "speed", [&] { write_extent(json, j.speed); }, "effort_limit", j.effort_limit,
        "speed_limit", j.speed_limit);
    json.key("shares").begin_object();
    for (std::size_t k = 0; k < kShares; ++k) {
      json.key(to_string(static_cast<Share>(k)));
      write_extent(json, j.share[k]);
    }
    json.end_object().fields("ignoring_coriolis", share_of(j, Share::coriolis).peak);
    for (std::size_t i = 0; i < sizing.drives.size(); ++i)
      if (study.joints[sizing.drives[i].joint].joint == j.joint) json.fields("drive", [&] { write_drive(json, sizing.drives[i], sizing.uses[i]); });
    json.end_object();
  }
  json.end_array().end();
}

NumberRows rows_of(const Scenario& scenario, const TorqueStudy& study) {
  NumberRows rows{column_names(scenario), study.run.trajectory.rows(), {}};
  for (std::size_t k = 0; k < kShares; ++k)
    for (const JointTorques& j : study.joints) rows.names.push_back(cat(to_string(static_cast<Share>(k)), ".", j.joint));
  rows.row = [&scenario, &study](std::size_t row, std::vector<double>& values) {
    row_values(scenario, study.run.trajectory, row, values);
    const double* shares = study.share(row, Share::inertia);
    values.insert(values.end(), shares, shares + kShares * study.joints.size());
  };
  return rows;
}

std::vector<Drive> drives_of(const Arguments& arguments, const Scenario& scenario) {
  const std::optional<std::string> path = arguments.value("--drives");
  if (!path) return {};
  const ReadLimits limits = limits_of(arguments);
  Diagnostics diagnostics(*path);
  std::vector<Drive> drives;
  if (const std::optional<std::string> text = read_whole(*path, &ReadLimits::yaml_bytes, limits, diagnostics))
    drives = read_drives(*text, diagnostics, limits, scenario.model);
  if (diagnostics.has_errors()) throw SourceError(diagnostics.all());
  return drives;
}

int torques_main(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  const Scenario scenario = load_scenario_argument(arguments);
  Sizing sizing{drives_of(arguments, scenario), {}};
  std::optional<WholeFile> file = file_of(arguments, "--out");
  const TorqueStudy study = study_torques(scenario, WatchedRun("ulna torques", scenario.duration).options());
  if (study.run.ending == Ending::diverged || study.run.ending == Ending::interrupted) {
    std::fprintf(stderr, "ulna: %s; nothing was written\n", study.run.message.c_str());
    return kAnswerNo;
  }
  tell_limits(scenario, study.run.trajectory, true);
  if (file) {
    write_rows(file->stream(), as_json, rows_of(scenario, study));
    file->keep();
  }
  if (const auto folder = arguments.value("--plot")) write_plots(*folder, torque_plots(scenario, study), arguments.has("--force"));
  for (const Drive& drive : sizing.drives) sizing.uses.push_back(use_of(drive, scenario.model, study.run.trajectory));
  arguments.has("--json") ? print_json(scenario, study, sizing) : print_text(scenario, study, sizing);
  return kDone;
}

}  // namespace

Command torques_command() {
  return {"torques",
          "drive torques along a motion: peak and RMS against the limits, and the share of each effect",
          "SCENARIO [--drives FILE] [--out FILE.csv|.json] [--plot DIR] [--json]",
          "Computes inverse dynamics along the scenario's reference motion, or along the motion that its law makes if it has no\n"
          "reference. Prints peak and RMS of every joint's torque against its effort limit; the shares of inertia, Coriolis and\n"
          "centrifugal terms, gravity, rotors, friction and external wrenches; and the error made by ignoring the Coriolis and\n"
          "centrifugal terms. With --drives also what the motors give: torque, current and heat against their limits, and the\n"
          "point of the torque-speed curve that is used most.",
          {scenario_base_option(),
           scenario_loop_options()[0],
           scenario_loop_options()[1],
           {"--drives", "FILE", "motors of the joints, in YAML (docs/simulate.md)"},
           {"--out", "FILE", "write t, q, v, a, tau and every share to FILE.csv or FILE.json, whole or not at all"},
           {"--plot", "DIR", "draw torques and shares as SVG files into this folder"},
           limit_option(),
           {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}},
          "ulna torques kane-figure-1",
          torques_main};
}

}  // namespace ulna::cli
