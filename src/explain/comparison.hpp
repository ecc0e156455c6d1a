// Numbers of two sides on the same states, and how far they are apart.
#pragma once

#include <vector>

#include "explain/trial.hpp"

namespace ulna::internal {

class Comparison {
 public:
  /// Against the numbers; `a` gives the scale where these are zero.
  Comparison(const Model& a, const Numbers& numbers);

  std::size_t joints() const { return joints_; }  // that move and follow no other
  std::size_t states() const { return numbers_.states; }
  std::size_t rows() const { return target_.size(); }
  const Numbers& numbers() const { return numbers_; }

  /// What the trial gives, entry by entry, each over the scale of its joint. Empty when the trial is no robot.
  std::vector<double> predict(const Trial& trial) const;
  /// The other side's numbers, likewise.
  const std::vector<double>& target() const { return target_; }
  /// target - predicted
  std::vector<double> difference(const std::vector<double>& predicted) const;
  std::vector<double> difference(const Trial& trial) const { return difference(predict(trial)); }
  /// Root mean square; infinite for what is no robot.
  double size(const std::vector<double>& difference) const;
  double residual(const Trial& trial) const { return size(difference(trial)); }

 private:
  struct Entry {
    double scale;
    std::size_t state, row, column;
    enum class Of { torque, gravity, mass } of;
  };
  std::size_t n_, nq_, joints_;  // of v, of q, and without the base
  bool free_;
  Numbers numbers_;
  std::vector<Entry> entries_;
  std::vector<double> target_;
};

/// Torques, rotors and friction on, of a model at random states of another one.
Numbers numbers_of(const Model& model, const Numbers& states);

}  // namespace ulna::internal
