// Fits to condensed logs.
#pragma once

#include <vector>

#include "identify/condensed.hpp"

namespace ulna::internal {

/// Weighted least squares, every joint by its noise.
struct LinearFit {
  std::vector<std::size_t> columns;  // that were fitted
  std::vector<double> x;             // of all columns; zero for those that were not
  std::vector<double> noise;         // of each coordinate
  std::vector<double> covariance;    // of the fitted ones, row by row; infinite where the data do not tell
  std::vector<char> told;            // of each fitted one
  double condition = 0;              // columns of length 1; what the data do not tell left out
  TallQr triangle{1};                // weighted: |R x - b| in units of the noise
};

/// Over these parts of the time. `given`: values of all columns, taken where the data are silent. `noise`: of the
/// coordinates, where it is known.
LinearFit fit(const Condensed& data, const Columns& columns, Parts parts, const FrictionModel& friction, const std::vector<double>& given,
              std::size_t coordinates, const std::vector<double>* noise = nullptr);

/// Bodies that can be: positive mass, and an inertia that a distribution of mass has. Parameters by which body and base are connected: base =
/// structure.of(bodies).
struct ConsistentFit {
  std::vector<double> bodies;  // body_parameters()
  std::vector<double> x;       // of all columns: base parameters of these bodies, and friction
};

/// Least squares as before, less `pull` towards the given bodies. Viscous and Coulomb friction do not become negative.
ConsistentFit fit_consistent(const LinearFit& linear, const Columns& columns, const BaseParameters& structure, const std::vector<double>& bodies, double pull);

/// A body by its ten parameters.
inline PseudoInertia<double> body_of(const double* p) {
  const double half = 0.5 * (p[4] + p[5] + p[6]);
  return {p[0], {p[1], p[2], p[3]}, {half - p[4], half - p[5], half - p[6], -p[7], -p[8], -p[9]}};
}

/// One body by least squares |R x - b| of ten columns, b behind them, as it can be: `start` is one that can be, of about its size.
std::vector<double> fit_body(const TallQr& triangle, const std::vector<double>& start);

/// min |R x - b|; covariance as LinearFit has it. What is silent keeps its given value.
struct Solution {
  std::vector<double> x, covariance;
  std::vector<char> told;
};
Solution least_squares(const TallQr& triangle, const std::vector<double>& given);

// Whether logs and what was found from them can be right.

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

/// Torques that the motion explains not at all, or less than half of. `visible`: Compared::visible, the largest of all logs.
void judge_fit(const std::vector<Motion>& motions, const Condensed& data, const std::vector<double>& visible, const Model& model,
               const IdentifyOptions& options, std::vector<char>& without, std::vector<Finding>& findings);

/// Torques that were held back and that the fits predict worse than a robot without mass would, or hardly better. Where one torque contradicts all others, it
/// is the one that is named; where the logs do not determine which is wrong, none is. `all`: the fit to all rows; `given`: values of all columns.
void judge_validation(const std::vector<Motion>& motions, const Identification& found, const Condensed& data, const Columns& columns, const LinearFit& all,
                      const std::vector<double>& given, const IdentifyOptions& options, const std::vector<char>& without, std::vector<Finding>& findings);

/// Torques that are explained better when they are shifted in time.
void judge_delay(const Motion& motion, const Model& model, const Regressors& regressors, const Columns& columns, const Condensed::Pass& pass,
                 std::vector<Finding>& findings);

/// Links of more than three times the mass of the whole robot that was given.
void judge_masses(const Identification& found, const Model& given, const std::vector<char>& without, std::vector<Finding>& findings);

}  // namespace ulna::internal
