// One scenario many times, with other initial states or parameters, on several threads.
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
  std::vector<int> lines;  // of each row in its file
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
  long evaluations = 0;
};

/// In the order of the rows whatever the number of threads (0: as many as there are cores). A run that cannot begin is `diverged`, with the reason.
/// `go_on` is called by one thread at a time, now and then, with the number of runs that are done; false ends the batch, and runs that were not made or not
/// finished are `interrupted`. A law that is a function is called by several threads at once.
std::vector<BatchRun> simulate_batch(const Scenario& scenario, const Overrides& overrides, unsigned threads = 0,
                                     const std::function<bool(std::size_t done)>& go_on = {});

/// Of the runs that came to their end.
struct Spread {
  double least = 0, mean = 0, most = 0, deviation = 0;  // sample standard deviation; 0 for fewer than two
};
Spread spread_of(const std::vector<double>& values);

}  // namespace ulna::sim
