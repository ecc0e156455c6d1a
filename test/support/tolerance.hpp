// The one way tests say "equal": a relative error against c * n * eps * cond, every factor with a reason.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <Eigen/Dense>

namespace ulna::test {

/// Rounding of a computation of n steps whose result is `cond` times as sensitive as its data. `c` covers the operations of one step: a joint
/// costs some hundred of them, whose errors add up like a random walk.
template <class T = double>
double tolerance(std::size_t n, double cond = 1, double c = 8) {
  return c * static_cast<double>(n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::max(1.0, cond);
}

/// Largest entry of anything with data() and size(); infinite when one entry is NaN.
template <class A>
double largest(const A& a) {
  double most = 0;
  const auto* x = a.data();
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.size()); ++k) {
    const auto size = static_cast<double>(std::abs(x[k]));
    most = std::isnan(size) ? std::numeric_limits<double>::infinity() : std::max(most, size);
  }
  return most;
}

/// max|a - b| / max(|a|, |b|), over all entries; 0 when both are zero, infinite when sizes differ or an entry is NaN.
template <class A, class B>
double relative_error(const A& a, const B& b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (static_cast<std::size_t>(a.size()) != static_cast<std::size_t>(b.size())) return kInfinite;
  const auto* x = a.data();
  const auto* y = b.data();
  double worst = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.size()); ++k) {
    const auto gap = std::abs(static_cast<double>(x[k] - y[k]));
    if (std::isnan(gap)) return kInfinite;
    worst = std::max(worst, gap);
  }
  const double scale = std::max(largest(a), largest(b));
  return worst == 0 ? 0 : worst / scale;
}

// Compiled once: decompositions are what Eigen takes longest for.

/// How far rounding in data or solution of M x = b is blown up.
double condition_number(const Eigen::MatrixXd& M);
double smallest_singular_value(const Eigen::MatrixXd& M);
Eigen::MatrixXd inverted(const Eigen::MatrixXd& M);

/// Relative error of derivative() in difference.hpp: truncation and rounding at the best step.
template <class Real>
double difference_tolerance() {
  return 4 * std::pow(static_cast<double>(std::numeric_limits<Real>::epsilon()), 0.8);
}

}  // namespace ulna::test
