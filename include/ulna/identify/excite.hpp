// A motion from which a robot's parameters can be identified: finite Fourier series within the robot's limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

struct ExciteOptions {
  double period = 20;       // of the motion, which repeats [s]
  std::size_t waves = 5;    // sines and cosines of each joint: frequencies are multiples of 1 / period
  double acceleration = 0;  // limit of every joint besides those of the model [rad/s², m/s²]; 0: none, or what takes the fastest speed in half a second
  double speed = 1;         // limit where the model has none [rad/s, m/s]
  double part = 0.9;        // share of the limits that is used: of each joint, and of those that follow it
  bool condition = false;   // minimise the condition number of the base regressor; else its determinant is maximised, -log det
  std::size_t evaluations = 2000;                // Motions that the search tries.
  std::uint64_t seed = 1;                        // Of the search.
  double snap = kSnap;                           // Angles this near to a quarter turn are exact [rad].
  std::function<bool(double share)> progress{};  // false ends the search
};

/// q_k(t) = offset + sum over l of a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t), w = 2 pi / period. It begins and ends at rest.
struct Excitation {
  double period = 0;
  std::size_t waves = 0;
  std::vector<double> offset;                       // of each coordinate
  std::vector<double> a, b;                         // of each coordinate, `waves` numbers
  double condition = 0;                             // of the base regressor and friction, columns of length 1
  double log_det = 0;                               // of it, for each row
  double random_condition = 0, random_log_det = 0;  // of random motions within the same limits: their median
  std::size_t evaluations = 0;                      // Motions that the search tried.
  /// Of each coordinate: the largest part of its joint's limits of position, speed, acceleration and effort that is used, by the model's masses. Bounds for
  /// the whole motion, not for samples of it. Positions count where both limits are finite.
  std::vector<double> limit;
  struct Follower {  // A joint that follows another.
    std::string joint;
    double limit = 0;  // likewise
  };
  std::vector<Follower> followers;
  std::vector<std::string> still;  // joints that cannot move within their limits

  /// q, v and a at a time, nv numbers each.
  void at(double t, double* q, double* v, double* acc) const;
  double jerk(std::size_t coordinate, double t) const;  // Of one coordinate.
};

/// Throws std::invalid_argument where no motion is within the limits: a weight beyond the effort of its joint, limits of a joint and a follower that have no
/// position in common, no joint.
Excitation excite(const Model& model, const ExciteOptions& options = {});

/// The motion as rows for a controller. `tau`: torques of the drives that the model expects, with friction.
struct ExcitationRows {
  std::vector<double> t;             // from 0 to the period [s]
  std::vector<double> q, v, a, tau;  // nv numbers a row
};
/// At even steps, and at the end of the period. They are checked by check_motion(): throws std::invalid_argument with joint, time, value and limit
/// where a row, or what a controller interpolates between rows, is beyond a limit.
ExcitationRows sampled(const Model& model, const Excitation& motion, double rate, const ExciteOptions& options = {});
/// The same check, of rows that come from elsewhere: a file. Throws std::invalid_argument.
void require_limits(const Model& model, const ExcitationRows& rows, const ExciteOptions& options = {});

}  // namespace ULNA_API
