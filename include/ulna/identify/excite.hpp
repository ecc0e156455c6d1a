// A motion from which a robot's parameters can be identified: finite Fourier series within the robot's limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/rounding.hpp>

namespace ulna ULNA_API {

struct ExciteOptions {
  double period = 20;                            // of the motion, which repeats [s]
  std::size_t waves = 5;                         // sines and cosines of each joint: frequencies are multiples of 1 / period
  double acceleration = 0;                       // limit of every joint [rad/s², m/s²]; 0: what takes the fastest speed in half a second
  double speed = 1;                              // limit where the model has none [rad/s, m/s]
  double part = 0.9;                             // share of the limits that is used
  bool condition = false;                        // minimise the condition number of the base regressor; else its determinant is maximised, -log det
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
  std::size_t evaluations = 0;                      // Motions that the search tries.
  std::vector<double> limit;  // of each coordinate: the largest part of its position, speed, acceleration and effort limit that is used, by the model's masses

  /// q, v and a at a time, nv numbers each.
  void at(double t, double* q, double* v, double* acc) const;
};

/// Throws std::invalid_argument where no motion is within the limits: a weight beyond the effort of its joint, no joint.
Excitation excite(const Model& model, const ExciteOptions& options = {});

}  // namespace ULNA_API
