// What is measured of a run, sample by sample, in lanes.
#pragma once

#include <string>
#include <vector>

#include "campaign/spec.hpp"

namespace ulna::internal::campaign {

/// Columns of results.csv before the metrics, and the metrics, with units.
std::vector<std::string> leading_columns(const Spec& spec);
std::vector<std::string> metric_names(const Spec& spec);

/// Of `lanes` runs in step: number i of lane l at [i * lanes + l].
class Metrics {
 public:
  Metrics(const Spec& spec, std::size_t lanes);
  void restart();
  /// At sample k, and at the end: `error` is reference less position of the joints, null where there is no reference; q, v of the joints.
  void state(std::uint64_t k, const double* error, const double* q, const double* v);
  /// Torques that act for a period from here on, and how far the joints go under them.
  void drive(const double* tau, const double* moved);
  /// In the order of metric_names(); NaN where there is none: a run that did not settle.
  std::vector<double> of(std::size_t lane, double reference_end) const;

 private:
  const Spec& spec_;
  std::size_t n_, lanes_;
  bool follows_;
  std::vector<double> lower_, upper_, speed_, effort_;  // of the joints; infinite where there is none
  std::vector<bool> slides_;
  std::vector<double> peak_error_, square_error_;                    // of each joint
  std::vector<double> peak_tau_, square_tau_, peak_speed_, energy_;  // energy: of each lane
  std::vector<double> violations_, overloads_, outside_;             // of each lane; outside: the last sample at which an error was too large, -1 for none
};

}  // namespace ulna::internal::campaign
