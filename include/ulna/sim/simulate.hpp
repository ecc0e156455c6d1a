// Runs a scenario.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/source/load.hpp>

namespace ulna {
namespace sim ULNA_API {

/// The motion at multiples of the output step. Vectors of `size` numbers a row, q of `positions`, one row after the other.
struct Trajectory {
  std::size_t size = 0;       // nv
  std::size_t positions = 0;  // nq
  std::vector<double> t, q, v, a, tau;
  std::vector<double> kinetic, potential;  // [J]
  std::vector<double> work;                // of all drives so far [J]
  std::vector<double> joint_work;          // of each joint's drive so far [J]; `size` numbers a row
  std::vector<double> energy_drift;        // of the balance below [J]; empty where it is not kept
  std::vector<double> pivot;               // the smallest one of M
  std::vector<double> constant;            // of the formulation: see MomentumAudit::by; empty where it has none
  std::vector<double> joint_v, joint_a;    // of all joints and the base, where loops determine some of them; else empty
  std::vector<int> segment;                // counts the jumps of f up to this row

  std::size_t rows() const { return t.size(); }  // Number of rows.
};

/// A momentum that only its own drive, friction and wrenches can change: that of a joint on the base about whose axis gravity has no moment.
struct MomentumAudit {
  std::string joint;
  std::string by{};      // empty: M v; else the formulation's own quantity for it, by its symbol: "W31"
  bool constant = true;  // nothing acted on it: it should be constant
  double largest = 0;    // |p| [N m s or N s]
  double drift = 0;      // largest |p - p(0) - impulse|
};

/// Momentum of a robot whose base is free, in the world: angular about its origin, or linear. Only the weight, wrenches and tau of the base can change it.
struct WorldMomentum {
  std::string_view kind;  // "angular" or "linear"
  bool constant = true;   // nothing acted on it
  double largest = 0;     // |p| [N m s or N s]
  double drift = 0;       // largest |p - p(0) - impulse|
  double scale = 0;       // largest sum of the magnitudes of the links' own: what the drift is to be measured against, as p itself may be zero
};

/// Energy that one joint, or one number of v of a moving base, transfers until the end of the run [J]. Energy belongs to the whole robot and is not conserved
/// for a single joint. But sum(v_i (M a + bias)_i) is the rate of the whole energy (base at rest), so each term of this sum is the power that enters through
/// coordinate i, and it must equal the power of drive, friction and wrenches there.
struct JointWork {
  double work = 0;      // of the drive
  double losses = 0;    // to friction
  double external = 0;  // of wrenches
  double uptake = 0;    // energy that entered through this coordinate, computed from the recorded motion alone: see JointWork::drift
  /// Largest |work - losses + external - uptake| over the rows. The first three are integrated with the motion; the uptake is v_i times the torque by inverse
  /// dynamics of the rows, with a from differences of v of order six, and integrated over the rows by polynomials of degree five. So this is of order six in
  /// the output step; Audit::uptake_error measures its accuracy.
  double drift = 0;
};

struct Audit {               // Checks of a run.
  bool balanced = true;      // false: the base is driven, and its power is not known
  bool conservative = true;  // no drive, friction or wrench did work: the energy itself should stay
  double energy_drift = 0;   // largest |E - E(0) - work of the drives + losses - work of wrenches| [J]
  double energy_scale = 0;   // largest kinetic energy, change of potential energy or work: what the drift is to be measured against [J]
  std::vector<JointWork> joints;
  double uptake_error = 0;  // largest |sum of the joints' uptake - (E - E(0))| [J]; 0 where the energy is not balanced
  double losses = 0;        // to friction, of all joints [J]
  double external = 0;      // work of wrenches, on all joints [J]
  std::vector<MomentumAudit> momenta;
  std::vector<WorldMomentum> world;  // angular and linear where the base is free; else empty
  double loop_drift = 0;             // of a robot with loops: how far they were open after a step, before it was closed again [m, or rad]
  double loop_residual = 0;          // and after that
  double smallest_pivot = 0;         // of M, over all rows
  double at = 0;                     // when [s]
  long evaluations = 0;              // of f
  long steps = 0;
  bool closed = true;                // every closing difference is below 1e-9 of its torque scale
  std::vector<double> closing;       // largest |inverse dynamics of (q, v, a) - torque that acted| of each joint
  std::vector<double> closing_own;   // the same with a from differences of v, of order six: from the motion alone
  std::vector<double> torque_scale;  // largest |tau|, |bias| and |M| |a| of each joint, or a thousandth of what the others' are at this one: for closing
  // Of a formulation that is not the production path: at the same states, under the same torques, the largest difference of its accelerations (of a prescribed
  // motion, of its torques) from the production path's, of each joint, and the largest that the latter are. Empty for the production path.
  std::vector<double> difference, difference_scale;
  /// The largest difference in parts of its joint's scale; a scale below a thousandth of the largest one counts as that.
  double relative_difference() const;
};

struct LimitEvent {  // A limit that was reached.
  double t = 0;
  std::string joint;
  bool upper = false;
  double limit = 0;
  double speed = 0;  // outwards [rad/s or m/s]
};

/// Distance of a run from its reference at the output rows, |q_ref - q| of each joint that v lists [rad or m]. Empty where there is no reference.
struct Tracking {
  std::vector<double> peak, rms;
};
/// How far a motion was from the reference of its scenario.
Tracking tracking_of(const Scenario& scenario, const Trajectory& trajectory);

enum class Ending { done, stopped, diverged, interrupted };  // How a run ended.
std::string_view to_string(Ending ending);                   // Its name in JSON.

struct Outcome {  // A run and its checks.
  Ending ending = Ending::done;
  std::string message;          // why it ended early
  double end = 0;               // [s]
  std::vector<double> q, v;     // there
  std::vector<double> joint_v;  // of all joints and the base, where loops determine some of them; else empty
  Trajectory trajectory;
  Audit audit;
  std::vector<LimitEvent> events;
  std::string computed_by;  // accelerations (of a prescribed motion, torques): "compiled-double", "templates", or the formulation's id, as in certificates
  std::string in_the_way;   // why templates compute all or a part of it; empty where machine code does
  std::string equations;    // in words: "accelerations by nasser"
};

struct RunOptions {  // How a scenario is run.
  /// Called after every step with the time; false ends the run.
  std::function<bool(double t)> go_on;
};

/// Throws std::invalid_argument for a scenario that makes no sense (sizes, negative times, a formulation that does not take the robot); a run that diverges
/// is an outcome.
Outcome simulate(const Scenario& scenario, const RunOptions& options = {});

// --- A run as a table of numbers: the columns of the CSV, by name.

/// t, q.NAME …, v.NAME …, a.NAME …, tau.NAME …, in the robot's joint order and Ulna's signs, those of a base that moves before the joints (q.base.x, …); then,
/// where the scenario asks for them, tau1 … tau5 and sigma in Kane and Levinson's (all but tau1 are exerted by the outer on the inner body); last, where the
/// formulation has one, its constant of the motion (W31).
std::vector<std::string> column_names(const Scenario& scenario);
/// Of a robot with loops, v and a are those of all joints, and tau of a joint that loops determine is zero: it has no drive.
/// One row of as many numbers.
void row_values(const Scenario& scenario, const Trajectory& trajectory, std::size_t row, std::vector<double>& values);

/// Numbers of all joints and the base, from those of the joints that v lists: zero for those that loops determine. Rows behind each other.
std::vector<double> of_all_joints(const Model& model, const std::vector<double>& values);

/// Units of numbers of q, v and tau: "rad", "m" or, of a quaternion, "1"; "rad/s" or "m/s"; "N m" or "N".
std::string position_unit(const Model& model, std::size_t number);
std::string velocity_unit(const Model& model, std::size_t number);
std::string effort_unit(const Model& model, std::size_t number);

// --- One scenario many times, with other initial states or parameters, on several threads and side by side in the lanes of the batch kernels.

/// Columns that replace numbers of a scenario, one row a run: q.JOINT, v.JOINT, tau.JOINT (law constant), duration, step, tolerance, kp, kd, ki (of all
/// joints), payload.mass (of the first one), law.coriolis, law.inertia, law.payload.mass (what the law believes), gravity.x, gravity.y, gravity.z.
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

struct BatchRun {  // One run of a batch.
  Ending ending = Ending::done;
  std::string message;
  double end = 0;
  std::vector<double> q, v;      // there
  std::vector<double> joint_v;   // see Outcome
  std::vector<double> peak_tau;  // of each joint, over the output rows
  Tracking tracking;
  double energy_drift = 0;    // [J]
  double smallest_pivot = 0;  // of M
  bool closed = true;         // see Audit
  long evaluations = 0;
  bool together = false;  // in lanes of the batch kernels, with others
  std::string why_alone;  // why not
};

/// In the order of the rows whatever the number of threads (0: as many as there are cores). Runs go in step with each other, as many as the batch kernels
/// have lanes, where the integrator is rk4 or adams-bashforth-4, the formulation is 'ulna', no wrench acts, no brake holds, nothing is caught and no motion of
/// the base is prescribed, and where duration, step, payload.mass and gravity are those of another row; the others are made sequentially. Results are the same,
/// bit for bit, either way and for any number of threads. Limits end runs where the scenario says so, but are not reported. A run that cannot begin is
/// `diverged`, with the reason. `go_on` is called by one thread at a time, now and then, with the number of runs that are done; false ends the batch, and runs
/// that were not made or not finished are `interrupted`. A law that is a function is called by several threads at once. Throws std::invalid_argument for names
/// that the scenario does not have and rows of another length.
std::vector<BatchRun> simulate_batch(const Scenario& scenario, const Overrides& overrides, unsigned threads = 0,
                                     const std::function<bool(std::size_t done)>& go_on = {});

/// Of the runs that came to their end.
struct Spread {
  double least = 0, mean = 0, most = 0, deviation = 0;  // sample standard deviation; 0 for fewer than two
};
Spread spread_of(const std::vector<double>& values);  // Mean, deviation and extremes.

}  // namespace ULNA_API
}  // namespace ulna
