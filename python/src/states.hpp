// Positions as users give them, as the kernels take them: quaternions of unit length, loops closed.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

/// How many numbers of q say all: one of each joint that v lists, behind those of the base. As many as nq where there are no loops.
inline std::size_t fewest_positions(const Model& model) { return model.closed() ? base_nq(model.base()) + model.nv() - base_nv(model.base()) : model.nq(); }

/// How far a quaternion of T numbers is off unit length that was divided by its length as well as T can.
template <class T>
constexpr double unit_rounding() {
  return std::max(kDirectionRounding, 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// Where to read q of `count` states from: `q` itself, `stride` numbers apart, or `copy`, `width` apart, where a quaternion had to be given unit length: off by
/// rounding of files they are divided by their lengths, with a warning. Throws std::invalid_argument for one that is off by more than kUnitQuaternion. The
/// words are those of the command line. Needs the GIL where there is something to warn of.
///
/// `places`: where q has quaternions; `owner` names that of one place.
template <class T, class Owner>
const T* unit_states(const std::vector<std::size_t>& places, const Owner& owner, const T* q, std::size_t width, std::size_t& stride, std::size_t count,
                     std::vector<T>& copy) {
  if (places.empty()) return q;
  const double rounding = unit_rounding<T>();
  std::size_t off = 0, whose = places.front();
  double farthest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    bool any = false;
    for (const std::size_t at : places) {
      const double length = internal::quaternion_length(q + k * stride + at), by = std::fabs(length - 1);
      if (internal::is_no_unit(length))
        throw std::invalid_argument(internal::cat(count == 1 ? std::string() : internal::cat("state ", k + 1, " of ", count, ": "),
                                                  internal::quaternion_problem(length, owner(at)), "; ", internal::kQuaternionCure));
      if (!(by > rounding && std::isfinite(by))) continue;
      any = true;
      if (by > farthest) farthest = by, whose = at;
    }
    off += any ? 1 : 0;
  }
  if (off == 0) return q;
  if (PyErr_WarnEx(PyExc_UserWarning, internal::quaternion_normalised(farthest, off, owner(whose)).c_str(), 2) != 0) throw nanobind::python_error();
  copy.resize(count * width);
  for (std::size_t k = 0; k < count; ++k) {
    T* to = std::copy_n(q + k * stride, width, &copy[k * width]) - width;
    for (const std::size_t at : places) {
      const double length = internal::quaternion_length(to + at);
      for (std::size_t i = at; i < at + 4 && length > 0 && std::isfinite(length); ++i) to[i] = static_cast<T>(static_cast<double>(to[i]) / length);
    }
  }
  stride = width;
  return copy.data();
}
template <class T>
const T* unit_states(const Model& model, const T* q, std::size_t width, std::size_t& stride, std::size_t count, std::vector<T>& copy) {
  return unit_states(
      model.quaternions(), [&](std::size_t at) { return internal::quaternion_owner(model, at); }, q, width, stride, count, copy);
}

/// The first of these states that cannot be closed, on all threads of the Dynamics; `count` where all were.
template <class T>
std::size_t close_all(const DynamicsOf<T>& dynamics, MatrixView<const T> given, T* to, Closure& worst) {
  constexpr std::size_t kShare = 1024;  // states of a thread, at least
  const std::size_t nq = dynamics.nq(), count = given.cols(),
                    threads = std::clamp<std::size_t>(count / kShare, 1, std::max<std::size_t>(dynamics.threads(), 1));
  std::vector<std::size_t> first(threads, count);
  std::vector<Closure> closures(threads);
  const auto close = [&](std::size_t part) {
    const std::size_t from = part * count / threads, now = (part + 1) * count / threads - from;
    const std::size_t open =
        dynamics.close_batch({given.data() + from * given.stride(), given.rows(), now, given.stride()}, {to + from * nq, nq, now}, &closures[part]);
    if (open < now) first[part] = from + open;
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < threads; ++part) others.emplace_back(close, part);
    close(0);
  }
  for (std::size_t part = 0; part < threads; ++part)
    if (first[part] < count) return worst = closures[part], first[part];
  return count;
}

/// q of robots with loops, closed: from where its dependent positions are, or, of the independent ones alone, from the reference assembly. Each state by
/// itself. Throws std::invalid_argument for one that cannot be, with its number, the cause and a cure. Needs the GIL.
template <class T>
const T* closed_states(const DynamicsOf<T>& dynamics, const T* q, std::size_t width, std::size_t& stride, std::size_t count, std::vector<T>& copy) {
  if (!dynamics.model().closed()) return q;
  constexpr std::size_t kChunk = 1 << 15, kWithGil = 8;
  const std::size_t nq = dynamics.nq();
  std::vector<T> closed(count * nq);
  for (std::size_t from = 0; from < count; from += kChunk) {
    const std::size_t now = std::min(kChunk, count - from);
    Closure worst;
    std::size_t open = 0;
    {
      std::optional<nb::gil_scoped_release> release;
      if (now > kWithGil) release.emplace();
      open = close_all<T>(dynamics, {q + from * stride, width, now, stride}, &closed[from * nq], worst);
    }
    if (open < now) {
      const ClosureProblem wrong = problem(worst, dynamics.model().loops());
      throw std::invalid_argument(
          internal::cat(count == 1 ? std::string() : internal::cat("state ", from + open + 1, " of ", count, ": "), wrong.what, "; ", wrong.cure));
    }
    if (count > kChunk) check_signals();
  }
  copy = std::move(closed);
  stride = nq;
  return copy.data();
}

}  // namespace ulna::python
