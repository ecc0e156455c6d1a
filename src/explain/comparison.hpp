// Two sides: a robot under trial and numbers, their difference, and its causes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ulna/explain/explain.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal {

// --- A robot under trial: a description that edits may change, and the coordinates of the other program.

/// Another program's vectors by a model's: q of joint k is sign[k] · scale[k] · q_scale · q'[order[k]] + offset[k], behind a base that moves. Torques
/// have the sign alone.
struct Coordinates {
  explicit Coordinates(std::size_t n) : order(n), sign(n, 1.0), offset(n, 0.0), scale(n, 1.0) {
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
  }
  std::vector<std::size_t> order;
  std::vector<double> sign, offset, scale;
  double q_scale = 1, v_scale = 1, a_scale = 1;
  BaseConvention base{};  // of a free base
};

struct Trial {
  Description robot;
  Coordinates coordinates;
  double velocity_terms = 1;  // factor of Coriolis and centrifugal terms
  bool springs = false;       // those of MJCF act
  bool gravcomp = false;      // the gravity compensation of MJCF acts
};

struct Edit {
  Cause cause;
  std::function<void(Trial&)> apply;
};
inline Edit make_edit(std::string kind, std::string where, CauseValue from, CauseValue to, std::string words, std::function<void(Trial&)> apply) {
  return {{std::move(kind), std::move(where), 0, std::move(from), std::move(to), std::move(words), {}}, std::move(apply)};
}

// --- Numbers of two sides on the same states, and their difference.

class Comparison {
 public:
  /// Against the numbers; `a` gives the scale where these are zero.
  Comparison(const Model& a, const Numbers& numbers);

  std::size_t joints() const { return joints_; }  // that move and follow no other
  std::size_t states() const { return numbers_.states; }
  std::size_t rows() const { return target_.size(); }
  const Numbers& numbers() const { return numbers_; }

  /// Scale of entry i of the target and of predictions.
  double scale(std::size_t i) const { return entries_[i].scale; }
  /// Predictions of the trial, each over the scale of its joint. Empty when the trial is no robot.
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

// --- Causes of a difference, as edits of a trial: of two models side by side, or by mechanics alone.

/// The joint of B that corresponds to each moving joint of A; likewise of the coordinates.
struct Matching {
  std::vector<std::size_t> joints;       // by joint of A; kNone: none, or fixed
  std::vector<std::size_t> coordinates;  // by coordinate of A
  bool by_name = true;                   // else by the order of the two files
};
/// By name, where both have the same; with other prefixes ("panda_joint1" is "joint1"); else by order. Empty when the numbers differ.
std::optional<Matching> match(const Model& a, const Model& b);
/// The first moving joint of A is the first of B, and so on.
std::optional<Matching> match_by_order(const Model& a, const Model& b);

/// Why the coordinates of two models differ in kind or number: joints that one side lacks, and options that make them comparable. Empty when they do not.
std::string unequal_coordinates(const Model& a, const Model& b);

/// The edits that make A's motion B's. Empty when their trees differ.
std::optional<std::vector<Edit>> compare_structure(const Model& a, const Model& b, const Matching& matching);

/// Possible faults of a model or a program, tested on the numbers: edits of the trial that remove the difference, or the part of it that can be
/// named. Tested singly, then in pairs; then greedily, each the one that removes most, with all parameters fitted together.
std::vector<Edit> explain_by_mechanics(const Comparison& comparison, const Model& model, const Trial& trial, double tolerance);

}  // namespace ulna::internal
