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
  std::vector<double> joint_work;          // of each joint's drive so far [J]; `size` numbers a row
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

/// What one joint has to do with the energy, to the end of the run [J]. Energy is the robot's: no part of it belongs to one joint, and none is conserved for
/// one. But sum(v_i (M a + bias)_i) is the rate of the whole energy (base at rest), so every term of this sum says how much of it comes in through coordinate
/// i, and that must be what drive, friction and wrenches do there.
struct JointWork {
  double work = 0;      // of the drive
  double losses = 0;    // to friction
  double external = 0;  // of wrenches
  double uptake = 0;    // energy that came in through this coordinate, from the recorded motion alone: see JointWork::drift
  /// Largest |work - losses + external - uptake| over the rows. The first three are integrated with the motion; the uptake is v_i times the torque by inverse
  /// dynamics of the rows, with a from differences of v of order six, and integrated over the rows by polynomials of degree five. So this is of order six in
  /// the output step; Audit::uptake_error tells what that is worth.
  double drift = 0;
};

struct Audit {
  bool balanced = true;      // false: the base is driven, and its power is not known
  bool conservative = true;  // no drive, friction or wrench did work: the energy itself should stay
  double energy_drift = 0;   // largest |E - E(0) - work of the drives + losses - work of wrenches| [J]
  double energy_scale = 0;   // largest kinetic energy, change of potential energy or work: what the drift is to be measured against [J]
  std::vector<JointWork> joints;
  double uptake_error = 0;  // largest |sum of the joints' uptake - (E - E(0))| [J]; 0 where the energy is not balanced
  double losses = 0;        // to friction, of all joints [J]
  double external = 0;      // work of wrenches, on all joints [J]
  std::vector<MomentumAudit> momenta;
  double smallest_pivot = 0;  // of M, over all rows
  double at = 0;              // when [s]
  long evaluations = 0;       // of f
  long steps = 0;
  bool closed = true;                // every closing difference is below 1e-9 of its torque scale
  std::vector<double> closing;       // largest |inverse dynamics of (q, v, a) - torque that acted| of each joint
  std::vector<double> closing_own;   // the same with a from differences of v, of order six: from the motion alone
  std::vector<double> torque_scale;  // largest |tau|, |bias| and |M| |a| of each joint, or a thousandth of what the others' are at this one: for closing
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
  std::string computed_by;  // accelerations (of a prescribed motion, torques): "compiled-double", "templates", or the formulation's id, as in certificates
  std::string in_the_way;   // of machine code, where templates compute all or a part of it; else empty
};

struct RunOptions {
  /// Called after every step with the time; false ends the run.
  std::function<bool(double t)> go_on;
};

/// Throws std::invalid_argument for a scenario that makes no sense (sizes, negative times, a formulation that does not take the robot); a run that diverges
/// is an outcome.
Outcome simulate(const Scenario& scenario, const RunOptions& options = {});

}  // namespace ulna::sim
