// What `ulna simulate` and `ulna torques` share.
#pragma once

#include "arguments.hpp"
#include "json.hpp"
#include "programs/interface.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace ulna::cli {

/// The SCENARIO argument. Warnings go to standard error; errors, too, and then ModelRefused is thrown.
sim::Scenario load_scenario_argument(const Arguments& arguments);
Option scenario_base_option();
/// --loops and --independent.
std::vector<Option> scenario_loop_options();

/// While a run is computed: shows its progress, and ends it at Ctrl-C.
class WatchedRun {
 public:
  WatchedRun(const char* what, double duration) : progress_(what), duration_(duration) {}
  sim::RunOptions options() const {
    return {[this](double t) {
      progress_.show(t / duration_);
      return !Interrupt::seen();
    }};
  }

 private:
  Interrupt interrupt_;
  mutable Progress progress_;
  double duration_;
};

/// Whether "--out FILE" is JSON, by the name's ending, or CSV. Throws UsageError for another ending.
bool is_json_path(const std::string& path);

// simulate_report.cpp
std::string outcome_text(const sim::Scenario& scenario, const sim::Outcome& outcome);
void write_outcome(Json& json, const sim::Scenario& scenario, const sim::Outcome& outcome);
/// Notes on standard error: joints that leave their limits in the rows, unless the scenario ignores limits. `positions`: those, too.
void tell_limits(const sim::Scenario& scenario, const sim::Trajectory& trajectory, bool positions);

// simulate_plots.cpp
struct Plot {
  std::string name;  // of its file
  std::string svg;
};
std::vector<Plot> outcome_plots(const sim::Scenario& scenario, const sim::Outcome& outcome);
std::vector<Plot> torque_plots(const sim::Scenario& scenario, const sim::TorqueStudy& study);
/// All of them, or none.
void write_plots(const std::string& folder, const std::vector<Plot>& plots, bool force);

// simulate_linearise.cpp: --linearise and --sensitivity
int linearise_command(const Arguments& arguments, const sim::Scenario& scenario);
int sensitivity_command(const Arguments& arguments, const sim::Scenario& scenario);

// simulate_batch.cpp
int simulate_batch_command(const Arguments& arguments, const sim::Scenario& scenario);

}  // namespace ulna::cli
