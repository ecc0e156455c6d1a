// A robot under trial: a description that edits may change, and how the other program may read its coordinates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ulna/explain/explain.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal {

/// How another program's vectors stand to a model's: q of joint k is sign[k] · q_scale · q'[order[k]] + offset[k], behind a base that moves.
struct Coordinates {
  explicit Coordinates(std::size_t n) : order(n), sign(n, 1.0), offset(n, 0.0) {
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
  }
  std::vector<std::size_t> order;
  std::vector<double> sign, offset;
  double q_scale = 1, v_scale = 1, a_scale = 1;
  BaseConvention base{};  // of a free base
};

struct Trial {
  Description robot;
  Coordinates coordinates;
  double velocity_terms = 1;  // how often Coriolis and centrifugal terms count
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

}  // namespace ulna::internal
