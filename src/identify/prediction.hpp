// Torques by identified parameters, and how far they are from what was measured.
#pragma once

#include <functional>
#include <vector>

#include "identify/condensed.hpp"

namespace ulna::internal {

/// Of every sample: the links, friction, and rotors that are the model's. `load_base` may be empty. Torques state by state. `Y`:
/// regressors of the samples, where they are known.
void torques(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base, const Samples& samples,
             std::vector<double>& tau, const std::vector<double>* Y = nullptr);

/// Measured and predicted torques, both through the same low-pass, over parts of logs; by several values of the columns at once.
class Prediction {
 public:
  Prediction(const Regressors& regressors, const Columns& columns, std::vector<std::vector<double>> values, const std::vector<double>& load_base,
             const std::vector<double>& gains, std::vector<char> without = {})
      : regressors_(regressors),
        columns_(columns),
        values_(std::move(values)),
        load_base_(load_base),
        gains_(gains),
        without_(std::move(without)),
        sums_(values_.size(), Sums(regressors.rows())) {}
  /// Parts [first, last) of its time.
  void add(const Motion& motion, std::size_t first, std::size_t last, std::size_t threads);
  /// By the k-th values.
  Validation score(std::size_t k = 0) const;

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
  const std::vector<double>& load_base_;
  const std::vector<double>& gains_;
  std::vector<char> without_;  // coordinates that are not compared; empty for none
  std::vector<Sums> sums_;
};

/// row(t, tau) for each row of the log, in its order.
void predict_rows(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base,
                  const Motion& motion, const std::function<void(double, const double*)>& row);

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
