#include "sim/power_integral.hpp"
#include "sim/same_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ulna::internal::sim {

namespace {

constexpr std::size_t kPoints = 6;

/// Weights of `count` function values whose weighted sum is the integral from `begin` to `end` of the polynomial through them: by Gauss's three
/// points, which are exact to degree five.
void find_weights(const PowerIntegral::Point* points, std::size_t count, double begin, double end, double* weights) {
  const double middle = (begin + end) / 2, half = (end - begin) / 2, root = std::sqrt(0.6);
  std::fill(weights, weights + count, 0.0);
  for (const auto& [place, share] : {std::array{-root, 5.0 / 9}, std::array{0.0, 8.0 / 9}, std::array{root, 5.0 / 9}}) {
    const double at = middle + half * place;
    for (std::size_t k = 0; k < count; ++k) {
      double value = share * half;
      for (std::size_t j = 0; j < count; ++j)
        if (j != k) value *= (at - points[j].t) / (points[k].t - points[j].t);
      weights[k] += value;
    }
  }
}

}  // namespace

std::size_t PowerIntegral::add(const Point& point) {
  points_.push_back(point);
  power_.resize(power_.size() + size_);
  work_.resize(work_.size() + size_);
  return points_.size() - 1;
}

std::vector<double> PowerIntegral::integrals() const {
  std::vector<double> out(power_.size(), 0.0);
  std::size_t first = 0, last = 0;  // of the present stretch
  std::array<double, kPoints> weights{}, known{};
  std::size_t known_count = 0, known_place = 0;
  const auto stretch = [&](std::size_t k) { return points_[k].stretch; };
  const auto time = [&](std::size_t k) { return points_[k].t; };
  for (std::size_t k = 1; k < points_.size(); ++k) {
    std::copy_n(&out[(k - 1) * size_], size_, &out[k * size_]);
    if (stretch(k) != stretch(k - 1)) {
      first = k;
      continue;
    }
    for (last = std::max(last, k); last + 1 < points_.size() && stretch(last + 1) == stretch(k);) ++last;
    const std::size_t count = std::min(kPoints, last - first + 1);
    // As many on either side as there are.
    const std::size_t before = std::min(k - 1 - first, (count - 2) / 2), from = std::min(k - 1 - before, last + 1 - count), place = k - 1 - from;
    // Rows are evenly spaced, so that most intervals have the weights of the one before.
    bool same = count == known_count && place == known_place;
    const double h = time(k) - time(k - 1);
    for (std::size_t j = 0; j < count && same; ++j) same = same_time(time(from + j) - time(from), known[j], h);
    if (!same) {
      find_weights(&points_[from], count, time(k - 1), time(k), weights.data());
      known_count = count;
      known_place = place;
      for (std::size_t j = 0; j < count; ++j) known[j] = time(from + j) - time(from);
    }
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < size_; ++i) out[k * size_ + i] += weights[j] * power_[(from + j) * size_ + i];
  }
  return out;
}

}  // namespace ulna::internal::sim
