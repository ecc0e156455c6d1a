// A log in the form for a fit: samples of q, v, a and tau, and its columns as they were written. Where v or a were not measured they are derived, and then all
// goes through one zero-phase low-pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ulna/identify/identify.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal {

/// A fourth-order Butterworth low-pass, run forwards and backwards: no phase, and half of the amplitude at the cut-off.
class LowPass {
 public:
  /// `cutoff` below half of `rate` [Hz].
  LowPass(double cutoff, double rate);
  /// `width` signals of `count` numbers, side by side, in place. What lies beyond the ends is their odd reflection.
  void operator()(double* x, std::size_t count, std::size_t width = 1);
  /// Samples after which the response to a sample has decayed: to 1e-10 of it.
  std::size_t reach() const { return reach_; }

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  /// `step` 1 or -1: forwards or backwards in time.
  void run(const Section& s, std::ptrdiff_t step, std::size_t width);
  Section sections_[2];
  std::size_t reach_;
  std::vector<double> padded_, state_;
};

// The columns of a log: which of them are dead, clipped, quantised or in other units.

/// f(row, numbers) for all rows, as Log::read() gives them.
template <class F>
void each_row(const Log& log, F f) {
  constexpr std::size_t kPiece = 4096;
  const std::size_t width = 1 + 4 * log.nv();
  std::vector<double> rows;
  for (std::size_t at = 0; at < log.rows(); at += kPiece) {
    const std::size_t count = std::min(kPiece, log.rows() - at);
    rows.resize(count * width);
    log.read(at, count, rows.data());
    for (std::size_t k = 0; k < count; ++k) f(at + k, rows.data() + k * width);
  }
}

/// The torque of one coordinate.
struct TorqueChannel {
  double low = HUGE_VAL, high = -HUGE_VAL;
  bool constant = false;                              // one value in all rows
  bool still = false;                                 // the joint does not move
  std::size_t levels = 0;                             // distinct values; kManyLevels for these and more
  double clip_low = -HUGE_VAL, clip_high = HUGE_VAL;  // values from here on are clipped
  std::size_t clipped = 0;                            // rows
  std::size_t clipped_row = 0;                        // the first one, from 1
  std::size_t frozen = 0, frozen_row = 0;             // rows of one value while the joint moves, where they are no dwell of a quantised wave; their first
  double frozen_at = 0;                               // that value
};
inline constexpr std::size_t kManyLevels = 17;
inline constexpr std::size_t kFewLevels = 4;  // the error of rounding to them is a quarter of a torque's spread, or more

/// Channels of every coordinate. Findings of severity error mean that the log cannot be used.
std::vector<TorqueChannel> check_channels(const Log& log, const Model& model, std::vector<Finding>& findings);

/// Throws UnusableLog where one of them is an error.
void refuse_errors(const std::vector<Finding>& findings);

/// Samples, state by state.
struct Samples {
  std::size_t count = 0;
  std::vector<double> t, q, v, a, tau;  // nv numbers each, but t
  std::vector<char> clipped{};          // likewise: torques of no use; empty where all are good

  bool usable(std::size_t number) const { return clipped.empty() || clipped[number] == 0; }
  /// Keeps the first one of every `step`.
  void thin(std::size_t step);
};

class Motion {
 public:
  /// `cutoff` 0: errors_below(). Findings report uneven steps, gaps, suspicious channels and units.
  /// `all`: rows between gaps are kept however few they are, to predict their torques.
  Motion(const Log& log, const Model& model, double cutoff, std::vector<Finding>& findings, bool all = false);
  /// The same with another cut-off.
  Motion through(double cutoff) const;
  /// The same with white noise of these standard deviations added to what is derived: to velocities where they were measured, else to positions. `seed` from 1.
  Motion noisier(const std::vector<double>& sigma, std::uint64_t seed) const;
  /// Standard deviation of the noise of each coordinate's positions, or velocities: of their eighth differences, to which the motion adds next to nothing.
  std::vector<double> noise_floor(bool velocities) const;
  /// Standard deviation of the noise of accelerations at this cut-off over that of the accelerations themselves, of the joint where it is largest.
  double noise_of_accelerations() const;
  bool from_velocities() const { return log_.columns().v; }

  /// Without gaps.
  struct Stretch {
    std::size_t first = 0, last = 0;   // samples
    std::size_t row = 0, end_row = 0;  // of the log
    double start = 0;                  // [s]
  };
  const Log& log() const { return log_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  std::size_t size() const { return stretches_.empty() ? 0 : stretches_.back().last; }
  /// Whether v or a are derived, and samples are filtered.
  bool derived() const { return derived_; }
  bool uneven() const { return uneven_; }
  double step() const { return step_; }      // [s]
  double cutoff() const { return cutoff_; }  // [Hz]
  LowPass low_pass() const { return {cutoff_, 1 / step_}; }
  /// All errors are of torques through this low-pass, for any cut-off of the fit, so that fits can be compared.
  double errors_below() const;  // [Hz]
  LowPass of_errors() const { return {errors_below(), 1 / step_}; }
  /// Samples that are cut off at each end of a stretch, where filters have seen one side only.
  std::size_t filter_ends() const { return static_cast<std::size_t>(std::ceil(0.2 / step_)); }
  std::size_t cut() const { return derived_ ? filter_ends() : 0; }
  /// Of a filtered signal, samples closer than a quarter of the shortest period add no information: the step from one to the next that is taken.
  std::size_t every() const {
    return derived_ ? thin() * std::max<std::size_t>(1, static_cast<std::size_t>(0.25 / (cutoff_ * step_ * static_cast<double>(thin())))) : 1;
  }
  /// One sample of so many has all that the low-pass lets through; the time of a reversal is known to a hundredth of the filter's width.
  std::size_t thin() const { return derived_ ? std::max<std::size_t>(1, static_cast<std::size_t>(1 / (step_ * std::max(200.0, 32 * cutoff_)))) : 1; }
  /// Number of these with the information of one independent row.
  double correlated() const { return derived_ ? 1 / (2 * cutoff_ * step_ * static_cast<double>(every())) : 1; }
  /// Of each coordinate: the fastest that it moves.
  const std::vector<double>& speed() const { return speed_; }
  /// The torques of a coordinate as they were logged.
  const TorqueChannel& torque(std::size_t coordinate) const { return torques_[coordinate]; }

  /// What samples are for. Rows of a fit go through the low-pass column by column, torques among them; positions keep more, of which the low-pass of the
  /// columns leaves what torques have. Torques of predictions stay as they were measured.
  enum class For { fit, prediction };
  /// Samples first to last, all of one stretch.
  void read(std::size_t first, std::size_t last, Samples& out, For use = For::fit) const;
  const Stretch& stretch_of(std::size_t sample) const;

 private:
  void find_stretches(std::vector<Finding>& findings, std::size_t fewest);
  void limit_cutoff(std::vector<Finding>* findings);
  void find_speed();
  /// Marks torques at the limits where they are clipped, and those that the low-pass mixes with them.
  void mark_clipped(Samples& samples) const;
  /// As measured, at the samples' times.
  void measured(const Stretch& stretch, std::size_t first, std::size_t last, Samples& out) const;

  Log log_;
  std::size_t n_;
  bool derived_, uneven_ = false;
  double step_ = 0, cutoff_ = 0;
  std::vector<double> added_{};  // noise
  std::uint64_t seed_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<double> speed_;
  std::vector<TorqueChannel> torques_;
};

}  // namespace ulna::internal
