// A polynomial on [0, 1] by its Bernstein coefficients: it lies between the least and the largest of them.
#pragma once

#include <array>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

struct Curve {
  static constexpr std::size_t kMost = 5;  // degree
  std::size_t degree = 0;
  std::array<double, kMost + 1> b{};

  /// Of degree four, with values and slopes at both ends; `more` is what it has half way beyond the cubic of these.
  static Curve between(double from, double slope_from, double to, double slope_to, double more);

  double at(double s) const;
  /// By a variable that goes from 0 to `over`.
  Curve slope(double over = 1) const;
  /// Of its coefficients.
  double least() const;
  double most() const;
  /// Where it changes its sign, ascending.
  std::vector<double> roots() const;
};

}  // namespace ulna::internal
