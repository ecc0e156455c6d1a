// Quaternions of a free base as users give them: off unit length by rounding of files they are divided by their lengths, with a warning; further off they are
// refused. The words are those of the command line.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ulna/model/model.hpp>

#include "model/unit_quaternion.hpp"

namespace ulna::python {

/// Where to read q of `count` states from: `q` itself, `stride` numbers apart, or `copy`, nq apart, where a quaternion had to be given unit length. Throws
/// std::invalid_argument for one that is off by more than kUnitQuaternion. Needs the GIL where there is something to warn of.
template <class T>
const T* unit_states(const Sizes& robot, const T* q, std::size_t& stride, std::size_t count, std::vector<T>& copy) {
  if (robot.nq == robot.nv) return q;
  // Of T numbers that were divided by their length as well as T can.
  const double rounding = std::max(kDirectionRounding, 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  std::size_t off = 0;
  double farthest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double length = internal::quaternion_length(q + k * stride), by = std::fabs(length - 1);
    if (internal::is_no_unit(length)) internal::require_unit(length, count == 1 ? std::string() : internal::cat("state ", k + 1, " of ", count, ": "));
    if (by > rounding && std::isfinite(by)) ++off, farthest = std::max(farthest, by);
  }
  if (off == 0) return q;
  if (PyErr_WarnEx(PyExc_UserWarning, internal::quaternion_normalised(farthest, off).c_str(), 2) != 0) throw nanobind::python_error();
  const std::size_t nq = robot.nq;
  copy.resize(count * nq);
  for (std::size_t k = 0; k < count; ++k) {
    T* to = std::copy_n(q + k * stride, nq, &copy[k * nq]) - nq;
    const double length = internal::quaternion_length(to);
    for (std::size_t i = 3; i < 7 && length > 0 && std::isfinite(length); ++i) to[i] = static_cast<T>(static_cast<double>(to[i]) / length);
  }
  stride = nq;
  return copy.data();
}

}  // namespace ulna::python
