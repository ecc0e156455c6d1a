// Quaternions of a free base and of ball joints: their lengths, and messages about one that is not 1, the same in command line, scenarios, C++ and Python.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include "text/message.hpp"

namespace ulna::internal {

inline constexpr const char* kQuaternionCure = "divide it by its length, or check its order";

/// Of its four numbers.
template <class T>
double quaternion_length(const T* numbers) {
  const double x = static_cast<double>(numbers[0]), y = static_cast<double>(numbers[1]), z = static_cast<double>(numbers[2]),
               w = static_cast<double>(numbers[3]);
  return std::sqrt(x * x + y * y + z * z + w * w);
}

/// Of quaternions in files, which are divided by their lengths when they are read: four numbers of four digits are off by 1e-4 at most.
inline constexpr double kWrittenQuaternion = 1e-4;

/// False for NaN and infinity, which make every result NaN.
inline bool is_no_unit(double length, double most = kUnitQuaternion) { return std::isfinite(length) && std::fabs(length - 1) > most; }

/// "the base", or "joint 'hip'": whose quaternion q has there.
inline std::string quaternion_owner(const Model& model, std::size_t place) {
  if (place < base_nq(model.base())) return "the base";
  const std::string name = model.position_names()[place];
  return cat("joint ", in_quotes(name.substr(0, name.size() - 2)));
}

/// "the quaternion of the base has length 1.01, not 1"; near 1 as "1 + 2e-06", which six digits would not show.
inline std::string quaternion_problem(double length, const std::string& owner = "the base") {
  const double off = std::fabs(length - 1);
  const std::string text = off < 1e-3 ? cat(length < 1 ? "1 - " : "1 + ", rounded(off)) : rounded(length);
  return cat("the quaternion of ", owner, " has length ", text, ", not 1");
}

/// Of quaternions that were off by less, `off` at most, and were divided by their lengths.
inline std::string quaternion_normalised(double off, std::size_t states = 1, const std::string& owner = "the base") {
  return cat("the quaternion of ", owner, " was given unit length", states == 1 ? "" : cat(" in ", states, " states"), "; it was off by ", rounded(off),
             states == 1 ? "" : " at most");
}

/// Throws std::invalid_argument; `where` begins the message: "state 3: ". `places` are those of the model, or of its plan.
template <class T>
void require_unit(const Model& model, const std::vector<std::size_t>& places, const T* q, const std::string& where = {}) {
  for (const std::size_t at : places)
    if (const double length = quaternion_length(q + at); is_no_unit(length))
      throw std::invalid_argument(cat(where, quaternion_problem(length, quaternion_owner(model, at)), "; ", kQuaternionCure));
}
template <class T>
void require_unit(const Model& model, const T* q, const std::string& where = {}) {
  require_unit(model, model.quaternions(), q, where);
}

}  // namespace ulna::internal
