// One scenario many times, with other initial states or parameters, on several threads and side by side in the lanes of the batch kernels.
//
//   const ulna::sim::Overrides overrides{{"q.joint1", "v.joint2"}, {{0.1, 0}, {0.2, 0.5}, {0.3, 1}}};
//   const std::vector<ulna::sim::BatchRun> runs = ulna::sim::simulate_batch(scenario, overrides);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/limits.hpp>

namespace ulna::sim {

/// Columns that replace numbers of a scenario, one row a run: q.JOINT, v.JOINT, tau.JOINT (law constant), duration, step, tolerance, kp, kd, ki (of all
/// joints), payload.mass (of the first one), gravity.x, gravity.y, gravity.z.
struct Overrides {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::vector<int> lines{};  // of each row in its file
};

/// From CSV text; all problems go to `diagnostics`, and then nothing is returned.
std::optional<Overrides> parse_overrides(std::string_view text, const Scenario& scenario, Diagnostics& diagnostics);
std::optional<Overrides> load_overrides(const std::string& path, const Scenario& scenario, Diagnostics& diagnostics, const ReadLimits& limits = {});

/// Throws std::invalid_argument for a name that the scenario does not have.
Scenario with_overrides(const Scenario& scenario, const std::vector<std::string>& names, const std::vector<double>& values);

struct BatchRun {
  Ending ending = Ending::done;
  std::string message;
  double end = 0;
  std::vector<double> q, v;      // there
  std::vector<double> peak_tau;  // of each joint, over the output rows
  double energy_drift = 0;       // [J]
  double smallest_pivot = 0;     // of M
  bool closed = true;            // see Audit
  long evaluations = 0;
  bool together = false;  // made in step with others, by the batch kernels
  std::string why_alone;  // else why not
};

/// In the order of the rows whatever the number of threads (0: as many as there are cores). Runs go in step with each other, as many as the batch kernels
/// have lanes, where the integrator is rk4 or adams-bashforth-4, the formulation is 'ulna', no wrench acts and the base stands still, and where duration, step,
/// payload.mass and gravity are those of another row; the others are made one by one. Results are the same, bit for bit, either way and for any number of
/// threads. Limits end runs where the scenario says so, but are not reported. A run that cannot begin is `diverged`, with the reason. `go_on` is called by one
/// thread at a time, now and then, with the number of runs that are done; false ends the batch, and runs that were not made or not finished are `interrupted`.
/// A law that is a function is called by several threads at once. Throws std::invalid_argument for names that the scenario does not have and rows of another
/// length.
std::vector<BatchRun> simulate_batch(const Scenario& scenario, const Overrides& overrides, unsigned threads = 0,
                                     const std::function<bool(std::size_t done)>& go_on = {});

/// Of the runs that came to their end.
struct Spread {
  double least = 0, mean = 0, most = 0, deviation = 0;  // sample standard deviation; 0 for fewer than two
};
Spread spread_of(const std::vector<double>& values);

}  // namespace ulna::sim
