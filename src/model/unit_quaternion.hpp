// The quaternion of a free base: its length, and the words about one that is not 1. Command line, scenarios, C++ and Python say the same.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include "text/message.hpp"

namespace ulna::internal {

inline constexpr const char* kQuaternionCure = "divide it by its length, or check its order";

/// Of q[3] to q[6].
template <class T>
double quaternion_length(const T* q) {
  const double x = static_cast<double>(q[3]), y = static_cast<double>(q[4]), z = static_cast<double>(q[5]), w = static_cast<double>(q[6]);
  return std::sqrt(x * x + y * y + z * z + w * w);
}

/// Of quaternions that people write, which are divided by their lengths when they are read: four numbers of four digits are off by 1e-4 at most.
inline constexpr double kWrittenQuaternion = 1e-4;

/// False for NaN and infinity, which make every result NaN.
inline bool is_no_unit(double length, double most = kUnitQuaternion) { return std::isfinite(length) && std::fabs(length - 1) > most; }

/// "the quaternion of the base has length 1.01, not 1"; near 1 as "1 + 2e-06", which six digits would not show.
inline std::string quaternion_problem(double length) {
  const double off = std::fabs(length - 1);
  const std::string text = off < 1e-3 ? cat(length < 1 ? "1 - " : "1 + ", rounded(off)) : rounded(length);
  return cat("the quaternion of the base has length ", text, ", not 1");
}

/// Of quaternions that were off by less, `off` at most, and were divided by their lengths.
inline std::string quaternion_normalised(double off, std::size_t states = 1) {
  return cat("the quaternion of the base was given unit length", states == 1 ? "" : cat(" in ", states, " states"), "; it was off by ", rounded(off),
             states == 1 ? "" : " at most");
}

/// Throws std::invalid_argument; `where` begins the message: "state 3: ".
inline void require_unit(double length, const std::string& where = {}) {
  if (is_no_unit(length)) throw std::invalid_argument(cat(where, quaternion_problem(length), "; ", kQuaternionCure));
}

}  // namespace ulna::internal
