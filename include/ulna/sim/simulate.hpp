// Runs a scenario.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ulna/sim/scenario.hpp>

namespace ulna::sim {

/// What was found at multiples of the output step. Vectors of `size` numbers a row, one row after the other.
struct Trajectory {
  std::size_t size = 0;
  std::vector<double> t, q, v, a, tau;
  std::vector<double> kinetic, potential;  // [J]
  std::vector<double> work;                // of all drives so far [J]
  std::vector<double> energy_drift;        // of the balance below [J]; empty where it is not kept
  std::vector<double> pivot;               // the smallest one of M
  std::vector<int> segment;                // counts the jumps of f up to this row

  std::size_t rows() const { return t.size(); }
};

/// A momentum that only its own drive, friction and wrenches can change: that of a joint on the base whose axis gravity does not turn about.
struct MomentumAudit {
  std::string joint;
  bool constant = true;  // nothing acted on it: it should not change at all
  double largest = 0;    // |p| [N m s or N s]
  double drift = 0;      // largest |p - p(0) - impulse|
};

struct Audit {
  bool balanced = true;      // false: the base is driven, and its power is not known
  bool conservative = true;  // no drive, friction or wrench did work: the energy itself should stay
  double energy_drift = 0;   // largest |E - E(0) - work of the drives + losses - work of wrenches| [J]
  double energy_scale = 0;   // largest kinetic energy, change of potential energy or work: what the drift is to be measured against [J]
  std::vector<double> work;  // of each joint's drive, to the end [J]
  double losses = 0;         // to friction [J]
  double external = 0;       // work of wrenches [J]
  std::vector<MomentumAudit> momenta;
  double smallest_pivot = 0;  // of M, over all rows
  double at = 0;              // when [s]
  long evaluations = 0;       // of f
  long steps = 0;
  bool closed = true;                // every closing difference is below 1e-9 of its torque scale
  std::vector<double> closing;       // largest |inverse dynamics of (q, v, a) - torque that acted| of each joint
  std::vector<double> closing_own;   // the same with a from differences of v, of order six: from the motion alone
  std::vector<double> torque_scale;  // largest |tau| and |bias| of each joint: what the closing differences are to be measured against
};

struct LimitEvent {
  double t = 0;
  std::string joint;
  bool upper = false;
  double limit = 0;
  double speed = 0;  // outwards [rad/s or m/s]
};

enum class Ending { done, stopped, diverged, interrupted };
std::string_view to_string(Ending ending);

struct Outcome {
  Ending ending = Ending::done;
  std::string message;       // why it ended early
  double end = 0;            // [s]
  std::vector<double> q, v;  // there
  Trajectory trajectory;
  Audit audit;
  std::vector<LimitEvent> events;
};

struct RunOptions {
  /// Called after every step with the time; false ends the run.
  std::function<bool(double t)> go_on;
};

/// Throws std::invalid_argument for a scenario that makes no sense (sizes, negative times, a formulation that does not take the robot); a run that diverges
/// is an outcome.
Outcome simulate(const Scenario& scenario, const RunOptions& options = {});

}  // namespace ulna::sim
