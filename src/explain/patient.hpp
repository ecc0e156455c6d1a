// One robot and the samples of its logs: possible faults of either, and the part of the torques that each explains.
#pragma once

#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <ulna/explain/explain.hpp>

#include "explain/suspects.hpp"
#include "identify/condensed.hpp"

namespace ulna::internal {

using Vector = std::vector<double>;
using Channels = std::vector<Vector>;  // of each coordinate, sample by sample

// --- Samples of logs.

/// Samples of all logs, filtered and thinned: torques, and q, v, a for a Comparison.
struct Series {
  struct Run {
    std::size_t first, last;
  };
  std::vector<Run> runs;
  double step = 0, cutoff = 0;
  Numbers numbers;
  Vector rate, side;        // rates and their signs, through the low-pass once more: the regressors of friction
  std::vector<char> use;    // of each sample: 0 not at all, 1 fitted, 2 held back
  std::vector<char> still;  // of each coordinate: it does not move

  std::size_t count() const { return use.size(); }
  /// Each run through the low-pass.
  void filter(Vector& x) const {
    LowPass low_pass(cutoff, 1 / step);
    for (const Run& run : runs) low_pass(x.data() + run.first, run.last - run.first);
  }
  Vector channel(const Vector& rows, std::size_t n, std::size_t k) const {
    Vector out(count());
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = rows[s * n + k];
    return out;
  }
};
/// Of logs whose motions have one cut-off.
Series sampled(const std::vector<Motion>& motions, std::size_t n);

/// The cut-off where the energy of the accelerations ceases to grow: the motion ends there, and noise has not begun [Hz].
double quiet_cutoff(const Log& log, const Model& model);

/// A log without columns that are not used: accelerations, which are derived, and velocities unless they are used.
Log without_rates(const Log& log, bool velocities);

/// Columns of velocities against the rates of positions, joint by joint: factor and correlation (1: equal up to the factor).
struct Rates {
  Vector slope, alike;
};
Rates compare_rates(const Series& given, const Series& derived, std::size_t n);

// --- What may be wrong.

/// Meaning of the columns of torques in the log: torque k is gain[k] · (column order[k], delay[k] later) - offset[k]. By the log's order of
/// joints: Coordinates say which joint of the model that is.
struct Reading {
  explicit Reading(std::size_t n) : order(n), gain(n, 1.0), delay(n, 0.0), offset(n, 0.0) {
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
  }
  std::vector<std::size_t> order;
  Vector gain, delay, offset;
};

struct Patient {
  Trial trial;
  Reading reading;
};

constexpr double kPrice = 0.1;  // of each number that is fitted [nats]

/// A possible fault, and its residual.
struct Suspicion {
  Cause cause;
  std::function<void(Patient&)> apply{};
  std::size_t numbers = 0;  // that were fitted
  bool in_log = false;
  double score = 0;
  double best_joint = 0;  // what the joint that gains most gains
  bool whole = false;     // counts only where its residual is small for every joint: many parameters always improve a fit a little
  double worth() const { return score + kPrice * static_cast<double>(numbers); }
};

/// The identity of a cause: its subject, without its numbers.
struct Key {
  std::string kind, where;
  std::size_t numbers = 0;
  bool in_log = false;
  explicit Key(const Suspicion& s) : kind(s.cause.kind), where(s.cause.where), numbers(s.numbers), in_log(s.in_log) {}
  bool of(const Suspicion& s) const { return kind == s.cause.kind && where == s.cause.where && numbers == s.numbers && in_log == s.in_log; }
};

/// The log as it should have been.
Log repaired_log(const Log& log, const Patient& patient, bool velocities);
/// The robot with the coordinates' edits in its joints: signs in the axes, zeros in the origins, orders in the names.
Description folded(const Model& model, const Patient& patient);

/// Factors that units are confused by.
struct UnitRow {
  double factor;  // that corrects the number in the log
  const char* is;
};
/// The unit of velocities that this factor makes right; null where there is none.
const UnitRow* rate_unit(double factor, double within);

/// As text, with this number of digits.
double brief(double x, int count = 5);
inline double sum_of(const Vector& x) {
  double out = 0;
  for (const double e : x) out += e;
  return out;
}

class Doctor {
 public:
  Doctor(const Model& model, Series series);

  /// The robot of the file, without friction, and the log as it is.
  Patient start() const;
  /// Torques without friction, through the low-pass, in the log's order. Empty for what is no robot.
  Channels predicted(const Trial& trial) const { return channels(comparison_.predict(trial)); }
  Channels measured(const Reading& reading) const;

  /// Friction of each joint: a rate and its sign, through the low-pass.
  struct Rubs {
    Channels rate, side;
    std::vector<std::size_t> joint;  // of the model, whose torque it is
  };
  Rubs rubs(const Coordinates& c) const;
  struct Drag {
    double viscous = 0, coulomb = 0;
  };

  /// Of each joint: logarithm of its relative squared error in samples that were held back, friction fitted to the others.
  Vector scores(const Channels& predicted, const Channels& measured, const Rubs& rubs) const;
  double score(const Patient& at) const { return sum_of(scores(predicted(at.trial), measured(at.reading), rubs(at.trial.coordinates))); }
  /// |measured - predicted| / |measured| of all joints, with friction as it is given or (of `fitted` joints) fitted.
  double relative_error(const Patient& at, const std::vector<Drag>& given, const std::vector<char>& fitted) const;
  /// Joints whose friction differs significantly from the given one; with their fitted friction.
  std::vector<Drag> friction(const Patient& at, const std::vector<Drag>& given, std::vector<char>& differs) const;
  /// Joints with unexplained torques: a large residual that is no noise, because it is correlated over a period of the cut-off.
  std::vector<std::string> unexplained(const Patient& at) const;

  /// All possible faults, with their residuals; only those of `only`.
  std::vector<Suspicion> suspicions(const Patient& at, const Key* only = nullptr) const;

 private:
  struct Here {  // of a patient
    Channels predicted, measured;
    Rubs rubs;
    Vector flat, scores;
  };
  /// Coefficients of columns with the least residual, with friction fitted; joints weighted by their residuals.
  struct Fitted {
    Vector x;
    TallQr triangle{1};
  };
  enum Use : char { any = 0, fitting = 1, held = 2 };
  bool counts(std::size_t sample, Use use) const { return series_.use[sample] != 0 && (use == any || series_.use[sample] == use); }
  /// Friction with the least residual of one torque; none negative.
  Drag drag(const Vector& left, const Rubs& rubs, std::size_t k, Use use) const;
  /// Its residual after friction: squares of that, and of the measured torque.
  struct Squares {
    double off = 0, all = 0;
  };
  Squares squares(const Vector& left, const Vector& measured, const Rubs& rubs, std::size_t k, const Drag& drag, Use use) const;
  Channels channels(const Vector& flat) const;
  /// The value `by` seconds later in the same run, by cubics; NaN where there is none.
  Vector later(const Vector& x, double by) const;
  Fitted fit(const std::vector<const Channels*>& columns, const Here& here) const;
  void judge(const Here& here, Suspicion suspicion, const Channels& predicted, const Channels& measured, const Rubs& rubs, std::vector<Suspicion>& out) const;
  void judge_torques(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_slips(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_families(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_positions(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  const std::string& name_of(std::size_t k) const { return model_.joints()[model_.independent()[k]].name; }

  const Model& model_;
  std::size_t n_;
  Series series_;
  Comparison comparison_;
  Suspects suspects_;
  Channels rate_, side_, column_;
};

}  // namespace ulna::internal
