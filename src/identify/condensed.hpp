// Logs condensed to triangles, and fits to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "identify/motion.hpp"

namespace ulna::internal {

// --- The triangle R of a matrix with many rows, which are given a block at a time: A = Q R, and Q is never kept. |A x| = |R x| for every x, so that least
// squares of a million rows are least squares of as many rows as there are columns.

class TallQr {
 public:
  static constexpr std::size_t kRows = 128;  // of a block

  explicit TallQr(std::size_t columns);
  std::size_t columns() const { return n_; }
  /// Place of the next row: entry c at next()[c * kRows].
  double* next() { return block_.data() + filled_; }
  /// It is there.
  void take() {
    if (++filled_ == kRows) fold();
  }
  /// As if its rows had been given here.
  void add(const TallQr& other);
  /// R, column by column, upper triangle.
  const std::vector<double>& triangle();
  std::size_t rows() const { return rows_ + filled_; }

 private:
  void fold();
  std::size_t n_, filled_ = 0, rows_ = 0;
  std::vector<double> block_;  // column by column, kRows apart
  std::vector<double> R_;
};

// --- The columns of a fit: base parameters, then terms of friction, coordinate by coordinate.

enum class FrictionTerm { rotor, viscous, coulomb, offset, asymmetric, stribeck, load, gain };

struct FrictionColumn {
  FrictionTerm term{};
  std::size_t coordinate = 0;
  double part = 0;    // of stribeck: its speed in parts of the fastest
  double smooth = 0;  // of terms with sign(v): FrictionModel::smooth
};

class Columns {
 public:
  /// Columns of all these models, each once. `speed`: the fastest of each coordinate. `gains`: one that is NaN has a column.
  Columns(const Model& model, const Plan& plan, const BaseParameters& structure, const std::vector<FrictionModel>& models, bool rotors,
          std::vector<double> speed, const std::vector<double>& gains = {});

  std::size_t base() const { return parameter_.size(); }
  std::size_t size() const { return base() + friction_.size(); }
  const std::vector<FrictionColumn>& friction() const { return friction_; }
  /// Those that a model of friction has, base parameters among them.
  std::vector<std::size_t> of(const FrictionModel& model) const;
  /// Those that enter the torque of a coordinate.
  const std::vector<std::size_t>& entering(std::size_t coordinate) const { return entering_[coordinate]; }
  /// Of those that are base parameters, which come first: where the entry stands in a regressor.
  const std::vector<std::size_t>& places(std::size_t coordinate) const { return places_[coordinate]; }
  /// Entry of a column in the row of a coordinate that it enters. Y: the regressor of the state; load: torques of the links, where a column needs them.
  double entry(std::size_t column, std::size_t coordinate, const double* Y, const double* v, const double* a, const double* load) const;
  /// Whether it is a drive's gain: its entries are measurements.
  bool is_gain(std::size_t column) const { return column >= base() && friction_[column - base()].term == FrictionTerm::gain; }
  /// The same of friction alone.
  double friction(const FrictionColumn& column, const double* v, const double* a, const double* load) const;
  /// Torques of the links by base parameters.
  void links(const double* Y, const double* base, double* tau) const;
  Estimate named(std::size_t column) const;
  /// Whether its number is never negative: the rotor's, gains, and all friction but what has a side.
  bool never_negative(std::size_t column) const;
  const std::vector<double>& speed() const { return speed_; }
  /// Whether they have columns; else they are the model's, and their torque is known.
  bool has_rotors() const { return rotors_; }

 private:
  const Model& model_;
  const BaseParameters& structure_;
  std::size_t n_;
  bool rotors_;
  std::vector<double> speed_;
  std::vector<std::size_t> parameter_;  // of each base column: the regressor's column
  std::vector<FrictionColumn> friction_;
  std::vector<std::vector<std::size_t>> entering_, places_;
};

// --- The regressor of many states, by machine code.

class Regressors {
 public:
  Regressors(const Model& model, double snap);
  /// `out` gets size() numbers for each sample, column by column.
  void operator()(const Samples& samples, std::vector<double>& out) const;
  /// Torques of the rotors, rows() numbers for each sample.
  void rotors(const Samples& samples, std::vector<double>& out) const;
  /// Configurations of the samples: of a robot with loops, whose samples have the independent positions alone, in `closed`; and the first sample that cannot be
  /// closed, or their number.
  const double* configurations(const Samples& samples, std::vector<double>& closed, std::size_t& bad) const;
  const Plan& plan() const { return plan_; }  // not lumped
  std::size_t rows() const { return plan_.sizes().nv; }
  std::size_t size() const { return kBodyParameters * rows() * plan_.bodies.size(); }

 private:
  const double* closed(const Samples& samples, std::vector<double>& q) const;
  Plan plan_;
  std::vector<double> rotors_;  // of each row, seen from its coordinate; without loops
  std::vector<Parameter> drives_;
  Dynamics dynamics_;
};

// --- All rows of logs condensed to triangles: one for each coordinate and each part of the time, so that joints can be weighted, columns left out and parts
// held back without going over the rows again.

/// Parts that a log is divided into, one behind the other in time.
inline constexpr std::size_t kParts = 10;
/// Some of them: bit k is part k.
using Parts = std::uint32_t;
inline constexpr Parts kAllParts = (Parts{1} << kParts) - 1;

/// Weight of a row: by its coordinate and its residual.
using RowWeight = std::function<double(std::size_t coordinate, double left)>;

class Condensed {
 public:
  Condensed(const Regressors& regressors, const Columns& columns) : regressors_(&regressors), columns_(&columns) {}

  struct Pass {
    const std::vector<double>* load_base = nullptr;  // base parameters that the load of friction is computed by
    const std::vector<double>* values = nullptr;     // of all columns: rows are weighted by their residuals
    RowWeight weight{};
    std::vector<double> gains{};  // torque of a coordinate: gain * measured; empty for ones, NaN where the gain has a column
    std::vector<double> known{};  // base parameters of a load that is known: its torque is subtracted
    std::vector<char> without{};  // coordinates whose torques are left out; empty for none
    std::size_t threads = 1;
    /// Where they are wanted, sums over blocks of time of rows times what `values` leave of them, by these weights of the coordinates: what least squares rest
    /// on, and by whose scatter their errors are estimated. A block is one vector of all columns.
    std::vector<std::vector<double>>* scores = nullptr;
    const std::vector<double>* weights = nullptr;
  };
  /// Adds a log. Parts are of the log's own time.
  void add(const Motion& motion, const Pass& pass);

  /// Least squares |A x - b| over these parts and these columns: b is the column behind the last one. Rows of coordinate k count `weight[k]`.
  TallQr stacked(Parts parts, const std::vector<std::size_t>& columns, const std::vector<double>& weight) const;
  /// |A x - b|² of a coordinate's rows, and their number; x: of all columns.
  double left(Parts parts, std::size_t coordinate, const std::vector<double>& x) const;
  double rows(Parts parts, std::size_t coordinate) const;
  /// What part of a coordinate's torque, less its mean, none of its columns explains: 1 - R², by a fit of its own, adjusted for the number of columns. NaN
  /// where there are too few rows.
  double unexplained(std::size_t coordinate) const;
  /// Root mean square of its torques minus their known parts; 0 where the gain is unknown.
  double rms(std::size_t coordinate) const;
  /// Number of samples of a filtered signal with the information of one independent row.
  double correlated() const { return correlated_; }

 private:
  const Regressors* regressors_;
  const Columns* columns_;
  std::vector<std::vector<TallQr>> parts_;  // [part][coordinate]
  double correlated_ = 1;
};

/// Runs job(k) for k below count on as many threads.
void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& job);

// --- Fits to condensed logs.

/// Weighted least squares, every joint by its noise.
struct LinearFit {
  std::vector<std::size_t> columns;  // that were fitted
  std::vector<double> x;             // of all columns; zero for those that were not
  std::vector<double> noise;         // of each coordinate
  std::vector<double> weight;        // of its rows
  std::vector<double> covariance;    // of the fitted ones, row by row; infinite where the data do not determine them
  std::vector<char> determined;      // of each fitted one
  double correlated = 1;             // Condensed::correlated()
  double condition = 0;              // columns of length 1; without undetermined ones
  TallQr triangle{1};                // weighted: |R x - b| in units of the noise
};

/// Rows that pull base parameters to those of given bodies, to be added to those of a fit in units of the noise.
struct Pull {
  std::size_t base = 0;
  std::vector<double> rows;  // each of base() + 1 numbers, the right side last
};

/// Over these parts of the time. `given`: values of all columns, used where the data do not determine them. `noise`: of the
/// coordinates, where it is known; `pull`: with it, friction of a sign that none has left out, and without errors.
LinearFit fit(const Condensed& data, const Columns& columns, Parts parts, const FrictionModel& friction, const std::vector<double>& given,
              std::size_t coordinates, const std::vector<double>* noise = nullptr, const Pull* pull = nullptr);

/// Errors from the scatter between blocks of time: what is left of a fit is neither white nor independent, so that rows say less than as many
/// of noise. `scores`: of Condensed::Pass; `cautious`: where columns are derived, and hide a part of it.
void widen(LinearFit& fit, const std::vector<std::vector<double>>& scores, bool cautious);

/// Without the bias that noise in the columns leaves, which grows with its square: what as much noise again does is taken back, and counts as an error
/// (J. R. Cook & L. A. Stefanski, Simulation-extrapolation estimation in parametric measurement error models, J. American Statistical Association 89, 1994).
/// `noisier`: fits to the same rows with more noise. Gives the largest bias of a base parameter in standard errors.
double correct_bias(LinearFit& fit, const std::vector<LinearFit>& noisier, std::size_t base);

/// Where the mass of a body can be, in the axes of the link behind its joint: its mass centre in the box around the frames of its joints and the mass centre
/// that the file gives, with a margin; all of its mass in an ellipsoid around these and the mass as the file spreads it.
struct Room {
  double low[3], high[3];       // of the mass centre
  double centre[3], radius[3];  // of the ellipsoid
};

/// Prior knowledge of the bodies.
struct Bodies {
  std::vector<double> given;    // body_parameters() of the file, scaled to what was weighed
  std::vector<Room> rooms;      // of each body
  double total = 0;             // of all bodies [kg]; 0: unknown
  std::vector<double> weighed;  // of each body [kg]; 0: unknown
};
/// By the file and what was weighed. Throws std::invalid_argument where these contradict each other.
Bodies known_bodies(const Model& model, const Plan& plan, const std::vector<Parameter>& parameters, const IdentifyOptions& options);

/// With the pull of fit_consistent(), without the bounds: chooses between fits to parts of the logs, which are too short to hold all parameters.
Pull pull_to(const BaseParameters& structure, const Bodies& bodies, double strength);

/// Physically consistent bodies: positive mass, and the inertia of a distribution within their box. Parameters by which body and base are connected: base =
/// structure.of(bodies).
struct ConsistentFit {
  std::vector<double> bodies;  // body_parameters()
  std::vector<double> x;       // of all columns: base parameters of these bodies, and friction
};

/// Least squares as before, less `pull` towards the given bodies: twice the given mass costs pull² in units of the noise's square. Viscous and Coulomb friction
/// do not become negative. `roughly`: to a hundredth of the noise, to choose a pull by.
ConsistentFit fit_consistent(const LinearFit& linear, const Columns& columns, const BaseParameters& structure, const Bodies& bodies, double pull,
                             bool roughly = false);

/// A body by its ten parameters.
inline PseudoInertia<double> body_of(const double* p) {
  const double half = 0.5 * (p[4] + p[5] + p[6]);
  return {p[0], {p[1], p[2], p[3]}, {half - p[4], half - p[5], half - p[6], -p[7], -p[8], -p[9]}};
}

/// One body by least squares |R x - b| of ten columns, b behind them, as it can be: `start` is one that can be, of about its size.
std::vector<double> fit_body(const TallQr& triangle, const std::vector<double>& start);

/// min |R x - b|; covariance as LinearFit has it. Undetermined parameters keep their given values.
struct Solution {
  std::vector<double> x, covariance;
  std::vector<char> determined;
};
Solution least_squares(const TallQr& triangle, const std::vector<double>& given);

// Whether logs and identified parameters are plausible.

/// Torques of a log against those of a model, in some thousand samples.
struct Compared {
  std::vector<double> low, high;    // of the model's torques
  std::vector<double> correlation;  // of measured and model's, -1 to 1
  std::vector<double> visible;      // variance of the model's torques over that of the measured ones
};
Compared compare_with(const Motion& motion, const Regressors& regressors, const Columns& columns, const std::vector<double>& values);

/// Torques that do not change although the model's do, and torques of the opposite sign. Those of a joint that stands still are left out; others are errors
/// unless `without` has them.
void judge_torques(const Motion& motion, const Model& model, const Compared& compared, const IdentifyOptions& options, std::vector<char>& without,
                   std::vector<Finding>& findings);

/// Torques that the motion does not explain, or explains less than half of. `visible`: Compared::visible, the largest of all logs.
void judge_fit(const std::vector<Motion>& motions, const Condensed& data, const std::vector<double>& visible, const Model& model,
               const IdentifyOptions& options, std::vector<char>& without, std::vector<Finding>& findings);

/// Held-out torques that the fits predict worse than a robot without mass would, or hardly better. Where one torque contradicts all others, it
/// is the one that is named; where the logs do not determine which is wrong, none is. `all`: the fit to all rows; `given`: values of all columns.
void judge_validation(const std::vector<Motion>& motions, const Identification& found, const Condensed& data, const Columns& columns, const LinearFit& all,
                      const std::vector<double>& given, const IdentifyOptions& options, const std::vector<char>& without, std::vector<Finding>& findings);

/// Noise of accelerations that leaves a bias. `bias`: the largest one in standard errors; `part`: of the accelerations.
void judge_noise(double bias, double part, const Identification& found, const IdentifyOptions& options, std::vector<Finding>& findings);

/// By how much each torque comes later than the motion: where the motion explains it best. Findings of torques that are explained far better when they are
/// shifted in time. Empty where the log is too short.
std::vector<Estimate> judge_delay(const Motion& motion, const Model& model, const Regressors& regressors, const Columns& columns, const Condensed::Pass& pass,
                                  std::vector<Finding>& findings);

/// Links of more than three times the mass of the whole robot that was given.
void judge_masses(const Identification& found, const Model& given, const std::vector<char>& without, std::vector<Finding>& findings);

// --- Torques by identified parameters, and their errors.

/// Of every sample: the links, friction (by the loads of these links), and rotors that are the model's. Torques state by state. `Y`: regressors of the samples,
/// where they are known.
void torques(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const Samples& samples, std::vector<double>& tau,
             const std::vector<double>* Y = nullptr);

/// Measured and predicted torques, both through the same low-pass, over parts of logs; by several values of the columns at once.
class Prediction {
 public:
  Prediction(const Regressors& regressors, const Columns& columns, std::vector<std::vector<double>> values, const std::vector<double>& gains,
             std::vector<char> without = {})
      : regressors_(regressors),
        columns_(columns),
        values_(std::move(values)),
        gains_(gains),
        without_(std::move(without)),
        sums_(values_.size(), Sums(regressors.rows())) {}
  /// Parts [first, last) of its time.
  void add(const Motion& motion, std::size_t first, std::size_t last, std::size_t threads);
  /// By the k-th values.
  Validation score(std::size_t k = 0) const;
  /// Squares of the errors, and of the measured values, of all torques.
  std::pair<double, double> squares(std::size_t k = 0) const;

 private:
  /// Of squares, joint by joint.
  struct Sums {
    explicit Sums(std::size_t n) : off(n, 0), all(n, 0) {}
    std::vector<double> off, all;
    std::size_t rows = 0;
  };
  /// Samples from and to of `wide` count.
  void compare(const Motion& motion, const Samples& samples, std::vector<double> measured, std::vector<double>& predicted, std::size_t from, std::size_t to,
               Sums& sums) const;
  const Regressors& regressors_;
  const Columns& columns_;
  std::vector<std::vector<double>> values_;
  const std::vector<double>& gains_;
  std::vector<char> without_;  // coordinates that are not compared; empty for none
  std::vector<Sums> sums_;
};

/// row(t, tau) for each row of the log, in its order.
void predict_rows(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const Motion& motion,
                  const std::function<void(double, const double*)>& row);

/// The columns of an identification that was made before, and their values.
struct Found {
  Regressors regressors;
  Columns columns;
  std::vector<double> x;

  Found(const Identification& found, const IdentifyOptions& options)
      : regressors(found.model, options.snap),
        columns(found.model, regressors.plan(), found.structure, {found.friction_model}, options.fit_rotors, found.speed),
        x(found.structure.of(found.parameters)) {
    x.insert(x.end(), found.consistent_friction.begin(), found.consistent_friction.end());
  }
};

}  // namespace ulna::internal
