// Whether logs and what was found from them can be right.
#pragma once

#include "identify/fit.hpp"

namespace ulna::internal {

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
