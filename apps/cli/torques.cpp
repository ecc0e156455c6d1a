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

void print_text(const Scenario& s, const TorqueStudy& study) {
  std::string text = cat("scenario ", s.name, ": robot ", s.model.name(), ", torques along ", study.along_reference ? "the reference" : "the simulated motion",
                         ", ", study.run.trajectory.rows(), " rows, ", rounded(study.run.end), " s\n\n");
  Table peaks("lrlrrlrr");
  peaks.row({"joint", "peak", "", "RMS", "of effort", "", "peak speed", "of limit"});
  for (std::size_t i = 0; i < study.joints.size(); ++i) {
    const JointTorques& j = study.joints[i];
    peaks.row({j.joint, brief(j.total.peak), sim::effort_unit(s.model, base_nv(s.model.base()) + i), brief(j.total.rms), of_limit(j.total.peak, j.effort_limit),
               "", brief(j.speed.peak), of_limit(j.speed.peak, j.speed_limit)});
  }
  text += peaks.text() + "\nPeak of each share, and RMS in brackets:\n";
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

void print_json(const Scenario& s, const TorqueStudy& study) {
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
    json.end_object().fields("ignoring_coriolis", share_of(j, Share::coriolis).peak).end_object();
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

int torques_main(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  const Scenario scenario = load_scenario_argument(arguments);
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
  arguments.has("--json") ? print_json(scenario, study) : print_text(scenario, study);
  return kDone;
}

}  // namespace

Command torques_command() {
  return {"torques",
          "what a motion asks of the drives: peak and RMS against the limits, and where the torques come from",
          "SCENARIO [--out FILE.csv|.json] [--plot DIR] [--json]",
          "Computes inverse dynamics along the scenario's reference motion, or along the motion that its law makes if it has no\n"
          "reference. Prints peak and RMS of every joint's torque against its effort limit; the shares of inertia, Coriolis and\n"
          "centrifugal terms, gravity, rotors, friction and external wrenches; and the error made by ignoring the Coriolis and\n"
          "centrifugal terms.",
          {scenario_base_option(),
           scenario_loop_options()[0],
           scenario_loop_options()[1],
           {"--out", "FILE", "write t, q, v, a, tau and every share to FILE.csv or FILE.json, whole or not at all"},
           {"--plot", "DIR", "draw torques and shares as SVG files into this folder"},
           limit_option(),
           {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}},
          "ulna torques kane-figure-1",
          torques_main};
}

}  // namespace ulna::cli
