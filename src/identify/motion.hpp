// A log as a fit takes it: samples of q, v, a and tau. Where v or a were not measured they are derived, and then all goes through one zero-phase low-pass.
#pragma once

#include <string>
#include <vector>

#include <ulna/identify/identify.hpp>

#include "identify/channels.hpp"
#include "identify/low_pass.hpp"

namespace ulna::internal {

/// Samples, state by state.
struct Samples {
  std::size_t count = 0;
  std::vector<double> t, q, v, a, tau;  // nv numbers each, but t
  std::vector<char> clipped{};          // likewise: torques of no use; empty where all are good

  bool usable(std::size_t number) const { return clipped.empty() || clipped[number] == 0; }
};

class Motion {
 public:
  /// `cutoff` 0: from the spectrum. Findings say what a user should know: uneven steps, gaps, channels and units that look wrong.
  /// `all`: rows between gaps are kept however few they are, to predict their torques.
  Motion(const Log& log, const Model& model, double cutoff, std::vector<Finding>& findings, bool all = false);

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
  /// Of each coordinate: the fastest that it moves.
  const std::vector<double>& speed() const { return speed_; }
  /// The torques of a coordinate as they were logged.
  const TorqueChannel& torque(std::size_t coordinate) const { return torques_[coordinate]; }

  /// Samples first to last, all of one stretch.
  void read(std::size_t first, std::size_t last, Samples& out) const;
  const Stretch& stretch_of(std::size_t sample) const;

 private:
  void find_stretches(std::vector<Finding>& findings, std::size_t fewest);
  void find_cutoff(std::vector<Finding>& findings);
  void find_speed();
  /// Marks torques at the limits where they are clipped, and those that the low-pass mixes with them.
  void mark_clipped(Samples& samples) const;
  /// As measured, at the samples' times.
  void measured(const Stretch& stretch, std::size_t first, std::size_t last, Samples& out) const;

  Log log_;
  std::size_t n_;
  bool derived_, uneven_ = false;
  double step_ = 0, cutoff_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<double> speed_;
  std::vector<TorqueChannel> torques_;
};

}  // namespace ulna::internal
