// Identifies the parameters of a robot from logs.
//
//   const ulna::Model model = ulna::load("ur10.urdf");
//   ulna::Diagnostics problems("log.csv");
//   const std::optional<ulna::Log> log = ulna::read_log("log.csv", model, problems);
//   const ulna::Identification found = ulna::identify(model, {&*log, 1});
//   found.base;               // what joint torques determine, with standard errors
//   found.model;              // the robot with masses that a body can have, and that predict the log
//   found.validation.relative_error;
//   found.findings;           // defects of the log: channels that are dead, clipped, late, …
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/workspace.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

// The parameters that joint torques are linear in, and the sums of them that joint torques determine.
//
//   tau = Y(q, v, a) pi + drives,   pi: ten numbers of each moving body (Quantity::regressor)
//
// Many columns of Y are sums of others in every state: mass on a joint's axis moves as mass of the parent does. Base parameters are the sums of parameters that
// torques depend on, in the least number; no experiment on joint torques determines more.

namespace ulna ULNA_API {

enum class ParameterKind { body, rotor, viscous, coulomb, offset };  // What a parameter is.

struct Parameter {
  std::string name;  // "J_xx.forearm", "viscous.elbow"
  std::string unit;
  double value = 0;  // of the model
  ParameterKind kind = ParameterKind::body;
  std::size_t index = 0;  // of the body in a Plan, or of the number of v that an offset belongs to
};

/// m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each moving body, in the order of the regressor's columns: mass, first moments and inertia tensor in
/// the frame of the link behind its joint, about that link's origin. Links that are fixed to this one count to it, and the body bears its name. A free base
/// comes first.
std::vector<Parameter> body_parameters(const Model& model, double snap = kSnap);

/// Of the drives, in this order: rotor (gear² times the rotor's inertia, joint side), viscous and Coulomb friction of every moving joint, and the offset of
/// every coordinate's torque, which models do not have.
std::vector<Parameter> drive_parameters(const Model& model, double snap = kSnap);

/// What the drives' parameters are multiplied with: `out` has nv rows and one column for each of `drives`, which are drive_parameters(), column by column. q of
/// a robot with loops is closed; of others it is not read. Unchecked.
void drive_columns(const Plan& plan, Workspace& ws, std::span<const Parameter> drives, const double* q, const double* v, const double* a, double* out) noexcept;

/// Those of body_parameters() that change no torque: columns of the regressor that are zero in every state.
std::vector<std::size_t> without_effect(const Model& model, double snap = kSnap);

/// One sum of body parameters that torques depend on.
struct BaseParameter {
  struct Term {                 // One parameter of a sum, with its factor.
    std::size_t parameter = 0;  // of body_parameters()
    double factor = 0;
  };
  std::string name;         // of its first term, whose factor is 1
  std::string expression;   // "J_xx.upper_arm - J_yy.upper_arm - 0.1849 m.forearm"
  double value = 0;         // of the model
  std::vector<Term> terms;  // the first is the one it is called by
};

struct BaseParameters {                   // The base parameters of a robot, and what has no effect.
  std::vector<Parameter> parameters;      // body_parameters()
  std::vector<BaseParameter> base;        // for each, the column of Y of its first term is a column of the base regressor
  std::vector<std::size_t> no_effect;     // parameters that change no torque
  std::vector<std::size_t> only_in_sums;  // parameters that no motion separates from others: not the first of any sum, but in some

  /// Values of the base parameters for other values of the body parameters.
  std::vector<double> of(const std::vector<double>& values) const;
};

/// Linear dependences of columns are found on random states in extended precision: they hold in all of them to 1e-12 of the terms. For each
/// revolute joint, mass and moments along its axis are expressed by others; for each prismatic one, the inertia tensor: as in the literature (Gautier & Khalil
/// 1990, IEEE Trans. Robotics and Automation 6(3)). Throws std::invalid_argument for robots of more than 120 moving bodies.
BaseParameters base_parameters(const Model& model, double snap = kSnap);

/// Rows of a log in the order of time: t, q, and, if logged, v, a and tau (or the drives' currents in its place). Many rows are kept in a temporary
/// file. Cheap to copy; several threads may read at once.
class Log {
 public:
  struct Columns {  // Which columns a log has.
    bool v = false, a = false, tau = true;
  };
  Log(std::string name, std::size_t nv, Columns columns);
  /// Rows must come in the order of time; throws std::invalid_argument when t repeats or falls, or a number is not finite. Pointers to
  /// columns that the log does not have are ignored.
  void add(double t, const double* q, const double* v, const double* a, const double* tau);

  const std::string& name() const;  // Of the file.
  std::size_t nv() const;           // Number of coordinates.
  std::size_t rows() const;         // Number of samples.
  Columns columns() const;          // What was logged.
  /// Rows first to first + count, each t, q, v, a, tau: 1 + 4 nv numbers, zeros for what the log does not have.
  void read(std::size_t first, std::size_t count, double* out) const;

 private:
  struct Store;
  std::shared_ptr<Store> store_;
};

struct LogOptions {       // How a log is read.
  bool torques = true;    // must be there; a log to predict needs none
  bool currents = false;  // the drives' currents, i.NAME, stand in place of torques
  ReadLimits limits{};    // What a file may ask for.
};

/// Columns t, q.NAME, tau.NAME, and v.NAME, a.NAME where they were measured; others are ignored. Problems are reported with line and column: a column that
/// is missing, a cell that is no number, time that repeats or falls. Empty after an error.
std::optional<Log> read_log(const std::string& path, const Model& model, Diagnostics& diagnostics, const LogOptions& options = {});

enum class FindingKind {  // Possible defects of a log, or of its identification.
  time,                   // uneven steps
  gap,                    // in time
  repeated,               // rows that repeat the row before
  cutoff,                 // of the low-pass
  units,                  // degrees, or units of q and v that do not belong together
  still,                  // a joint does not move
  constant,               // a channel has one value in all rows
  clipped,                // many rows of a channel have its largest or least value
  quantised,              // a channel has a few values only
  uncorrelated,           // a torque is not correlated with the motion
  unexplained,            // the motion explains less than half of a torque
  reversed,               // a torque has the sign opposite to the model's
  delayed,                // torques come later, or earlier, than the motion
  undetermined,           // parameters that the motion does not determine
  noise,                  // of the positions: stated errors may be too small
  heavy                   // a link of more than three times the mass of the robot
};
std::string_view to_string(FindingKind kind);  // Its name.

struct Finding {  // A remark on the logs or the result.
  FindingKind kind{};
  Severity severity = Severity::note;  // an error: the logs cannot be used
  std::string log{};                   // its name; empty where no single log is meant
  std::string joint{}, column{};       // "elbow", "tau.elbow"; empty where no single one is meant
  std::size_t row = 0;                 // the first one that shows it, from 1; 0: none
  std::string text{};                  // for people
};
std::string to_string(const Finding& finding);  // "log.csv: …"

/// Logs that cannot be used: a channel is dead, in other units, or uncorrelated with the motion.
class UnusableLog : public std::invalid_argument {
 public:
  explicit UnusableLog(std::vector<Finding> findings);
  const std::vector<Finding>& findings() const { return findings_; }  // Errors, and all that was found before.

 private:
  std::vector<Finding> findings_;
};

/// What friction is made of, joint by joint.
struct FrictionModel {
  std::string name;         // "viscous+coulomb+offset"
  bool viscous = false;     // viscous * v
  bool coulomb = false;     // coulomb * sign(v)
  bool offset = false;      // a torque that does not change
  bool asymmetric = false;  // asymmetric * v sign(v): the difference between forward and backward motion
  double stribeck = 0;      // stribeck * sign(v) exp(-(v/v_s)²): v_s in parts of the joint's fastest motion, 0 for none
  bool load = false;        // load * sign(v) |torque of the links|
  double smooth = 0;        // sign(v) is tanh(v / v_w): v_w in parts of the joint's fastest motion, 0 for a sign
};
/// By the words of the command line: none, viscous, coulomb (viscous, Coulomb, offset), asymmetric, stribeck, load, smooth; empty for others.
std::optional<FrictionModel> friction_model(const std::string& name);

/// A link that was weighed.
struct KnownMass {
  std::string link;
  double mass = 0;  // [kg]
};

/// A load of known mass on a link, in some of the logs.
struct KnownLoad {
  std::string link;
  Payload payload;
  std::size_t log = 0;  // of the logs that are given
};

struct IdentifyOptions {                                              // How parameters are identified.
  std::optional<FrictionModel> friction = friction_model("coulomb");  // none: chosen by cross-validation
  bool fit_rotors = false;                                            // in place of using the model's
  double cutoff = 0;                                                  // of the zero-phase low-pass [Hz]; 0: by prediction of torques that were held back
  bool robust = true;                                                 // give outliers less weight (Huber)
  double train = 0.6;                                                 // share of the rows that the validated fit uses, where there is no log for it
  double pull = 0;                                                    // towards the model's bodies; 0: by prediction of torques that were held back
  double total_mass = 0;                                              // of the whole robot, weighed [kg]; 0: unknown
  std::vector<KnownMass> masses{};                                    // Links whose mass is known.
  double snap = kSnap;                                                // Angles this near to a quarter turn are exact [rad].
  std::size_t threads = 0;                                            // 0 for one per core
  std::vector<double> gains{};         // of drives [N m/A]: torques are gain * column; NaN for one that is unknown, empty for torques
  std::vector<KnownLoad> loads{};      // Loads whose mass is known.
  std::vector<std::string> without{};  // joints whose torques are left out: their channels are dead or wrong
};

struct Estimate {  // An estimated parameter.
  std::string name, unit;
  double value = 0;
  double sigma = 0;  // standard error; infinite where the data say nothing
  double given = 0;  // of the model
};

struct Validation {  // How well a held-out log is predicted.
  /// |measured - predicted| / |measured| over all joints, both through one zero-phase low-pass (Identification::errors_below) that does not depend on the
  /// cut-off of the fit. NaN where nothing was compared, or nothing was measured but zeros.
  double relative_error = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> by_joint;  // likewise
  std::size_t rows = 0;
};

struct Identification {  // All that was identified.
  explicit Identification(const Model& given) : model(given) {}

  BaseParameters structure;
  FrictionModel friction_model;
  std::vector<Estimate> base;               // of all rows, by weighted least squares
  std::vector<Estimate> friction;           // likewise: "viscous.elbow", …
  std::vector<double> covariance;           // of both, in this order, row by row
  std::vector<Estimate> gains;              // of drives that were unknown
  std::vector<std::string> untold;          // base parameters that the motion does not determine
  std::vector<double> noise;                // standard deviation of the residual, joint by joint [N m, N]
  std::vector<double> parameters;           // of physically consistent bodies, near to the model's where the data say nothing: body_parameters()
  std::vector<double> consistent_friction;  // with them; none negative but offsets and differences between directions
  Model model;                              // with these
  Validation validation;                    // of the consistent fit to the rows that it was given for this
  Validation plain;                         // of weighted least squares
  Validation before;                        // of the model as it was given
  double consistency_price = 0;             // validation less plain
  double cutoff = 0;                        // [Hz]
  std::string cutoff_chosen_by;             // "prediction", "option", or "none" where v and a were measured and nothing is filtered
  double errors_below = 0;                  // [Hz]: low-pass through which all torques are compared, whatever the cut-off
  double pull = 0;                          // towards the model's bodies, as it was chosen
  std::vector<double> encoder_noise;        // standard deviation of the measured positions' noise, joint by joint [rad, m]
  std::vector<Estimate> delay;              // by which each joint's torque comes later than its motion [s]; empty where none could be estimated
  std::vector<std::string> written;         // terms of friction that `model` holds: "viscous", "coulomb", "stribeck", …
  std::size_t rows = 0;                     // of the final fit
  double condition = 0;                     // of the base regressor, columns of length 1
  std::size_t outliers = 0;                 // rows of a joint that count less
  std::vector<Finding> findings;            // what a user should know of the logs, and of what was found

  // Further data of predictions: the unit speeds of Stribeck's curve, and the base parameters that loads are computed with.
  std::vector<double> speed;
  std::vector<double> load_base;
};

/// Throws std::invalid_argument for logs that do not fit the model, or hold too little, and UnusableLog for channels of no use: the torque of a joint that
/// moves is constant, clipped most of the time or uncorrelated with every column of the regressor (unless options.without names it), a position, velocity or
/// acceleration is dead or in degrees. The torque of a joint that stands still is left out where it is of no use. Rows of a clipped torque are left out.
Identification identify(const Model& model, std::span<const Log> logs, const IdentifyOptions& options = {}, std::span<const Log> validate = {});

/// Torques of every row of a log, friction and offsets included: row(t, tau) in the order of the log.
void predict(const Identification& found, const Log& log, const IdentifyOptions& options, const std::function<void(double, const double*)>& row);
/// How well it predicts a log that has torques.
Validation validate(const Identification& found, const Log& log, const IdentifyOptions& options);

/// A load in the robot's hand.
struct PayloadEstimate {
  std::vector<Estimate> parameters;  // m, h, J about the link's origin, in its axes, by weighted least squares
  Payload payload;                   // of a physically consistent body
  Estimate mass;
  std::vector<Estimate> com;
  Validation with, without;  // of the log with the load: predicted with it, and without
  std::vector<Finding> findings;
};
/// `found`: from logs without the load. `logs`: with it.
PayloadEstimate identify_payload(const Identification& found, std::span<const Log> logs, const std::string& link, const IdentifyOptions& options = {});

}  // namespace ULNA_API
