// Torques by identified parameters, and how far they are from what was measured.
#pragma once

#include <functional>
#include <vector>

#include "identify/condensed.hpp"

namespace ulna::internal {

/// Of every sample: the links, friction, and rotors that are the model's. `load_base` may be empty. Torques state by state.
void torques(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base, const Samples& samples,
             std::vector<double>& tau);

/// Measured and predicted torques, both through the same low-pass, over parts of logs.
class Prediction {
 public:
  Prediction(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base,
             const std::vector<double>& gains)
      : regressors_(regressors), columns_(columns), x_(x), load_base_(load_base), gains_(gains), off_(regressors.plan().nv, 0), all_(regressors.plan().nv, 0) {}
  /// Parts [first, last) of its time.
  void add(const Motion& motion, std::size_t first, std::size_t last);
  Validation score() const;

 private:
  void compare(const std::vector<double>& t, std::vector<double>& measured, std::vector<double>& predicted, const Motion& motion, std::size_t from,
               std::size_t to);
  const Regressors& regressors_;
  const Columns& columns_;
  const std::vector<double>& x_;
  const std::vector<double>& load_base_;
  const std::vector<double>& gains_;
  std::vector<double> off_, all_;  // squares
  std::size_t rows_ = 0;
};

/// row(t, tau) for each row of the log, in its order.
void predict_rows(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base,
                  const Motion& motion, const std::function<void(double, const double*)>& row);

}  // namespace ulna::internal
