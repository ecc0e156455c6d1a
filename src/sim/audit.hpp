// Keeps the books of a run: energy against work, momenta against impulses, and Kane and Levinson's closing check.
#pragma once

#include <ulna/sim/simulate.hpp>

#include "sim/system.hpp"

namespace ulna::sim {

class Auditor {
 public:
  Auditor(const Scenario& scenario, System& system);

  /// Before and after System::enter(): a payload that is taken or dropped brings or takes its own energy and momentum.
  void before_break(const double* x);
  void after_break(const double* x);
  /// Writes one row and looks at it.
  void row(double t, const double* x, int segment, Trajectory& to);
  /// Work to the end, the check on the motion alone, numbers of steps.
  Audit finish(const double* x, const Trajectory& trajectory, long steps);

 private:
  double energy(const double* q, const double* v);
  void momenta(const double* q, const double* v, std::vector<double>& out);
  void close_by_differences(const Trajectory& trajectory);

  const Scenario& scenario_;
  System& system_;
  std::size_t n_;
  Audit audit_;
  bool started_ = false;
  double energy_start_ = 0, potential_start_ = 0, energy_before_ = 0;
  std::vector<double> momentum_start_, momentum_before_, momentum_, p_, torque_, acceleration_;
  std::vector<double> largest_impulse_;
};

}  // namespace ulna::sim
