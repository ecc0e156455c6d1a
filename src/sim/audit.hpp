// The balances of one run: energy against work, in total and by joint, momenta against impulses, and Kane and Levinson's closing check.
#pragma once

#include <vector>

#include <ulna/sim/simulate.hpp>

#include "sim/system.hpp"

namespace ulna::internal::sim {

/// Integrals over time of functions that are known at some times only, and smooth between jumps: the power of each of `size` joints at points in time.
class PowerIntegral {
 public:
  explicit PowerIntegral(std::size_t size) : size_(size) {}

  /// Data of a point besides its power: the work of each joint from other sources, and the sum that it should have.
  struct Point {
    double t;
    int stretch;  // points of one belong to one smooth function; the last of a stretch and the first of the next stand at the same time
    double energy;
  };
  /// In the order of time; room for its powers and works is made. Returns its number.
  std::size_t add(const Point& point);
  const std::vector<Point>& points() const { return points_; }
  double* power(std::size_t point) { return &power_[point * size_]; }
  double* work(std::size_t point) { return &work_[point * size_]; }

  /// Integrals to every point, from polynomials of degree five through the six points around each interval (fewer in a stretch that has fewer).
  std::vector<double> integrals() const;

 private:
  std::size_t size_;
  std::vector<Point> points_;
  std::vector<double> power_, work_;
};

class Auditor {
 public:
  Auditor(const Scenario& scenario, System& system);

  /// Before and after System::enter(): a payload that is taken or dropped adds or removes its own energy and momentum. `facts` are of that instant.
  void before_break(double t, const RowFacts& facts, int segment);
  void after_break(double t, const RowFacts& facts, int segment);
  /// Writes one row and checks it.
  void row(double t, const RowFacts& facts, int segment, Trajectory& to);
  /// Finishes the work, the checks on the motion alone, and the numbers of steps. `facts` are of the end.
  Audit finish(double t, const RowFacts& facts, int segment, const Trajectory& trajectory, long steps);

 private:
  void point(double t, const RowFacts& facts, int segment);
  void momenta(const RowFacts& facts, std::vector<double>& out) const;
  double total(const RowFacts& facts) const { return facts.energy.kinetic + facts.energy.potential; }
  void compare(const RowFacts& facts);
  void weigh_torques(const RowFacts& facts);
  void close_by_differences(const Trajectory& trajectory);
  void balance_joints();
  void weigh_world(const RowFacts& facts);

  const Scenario& scenario_;
  System& system_;
  std::size_t n_;
  Audit audit_;
  bool started_ = false;
  double energy_start_ = 0, potential_start_ = 0, energy_before_ = 0;
  std::vector<double> momentum_start_, momentum_before_, momentum_, torque_, acceleration_, mass_;
  std::vector<std::size_t> impulse_of_;  // which of the impulses belongs to each momentum
  std::vector<double> largest_impulse_;
  Momentum world_start_{};  // of a free base, with what has come since
  PowerIntegral power_;
  std::vector<std::size_t> point_of_row_;
  std::vector<double> friction_;  // of every row, where it is dry
};

}  // namespace ulna::internal::sim
