// Integrals over time of functions that are known at some times only, and smooth between jumps.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::sim {

/// The power of each of `size` joints at points in time.
class PowerIntegral {
 public:
  explicit PowerIntegral(std::size_t size) : size_(size) {}

  /// What is known of a point besides its power: the work of each joint as it was counted by other means, and what all of it should add up to.
  struct Point {
    double t;
    int stretch;  // points of one belong to one smooth function; the last of a stretch and the first of the next stand at the same time
    double energy;
  };
  /// In the order of time; room for its powers and works is made. Returns its number.
  std::size_t add(const Point& point);
  const std::vector<Point>& points() const { return points_; }
  double* power(std::size_t point) { return &power_[point * size_]; }
  double* work(std::size_t point) { return &work_[point * size_]; }

  /// Integrals to every point, from polynomials of degree five through the six points around each interval (fewer in a stretch that has fewer).
  std::vector<double> integrals() const;

 private:
  std::size_t size_;
  std::vector<Point> points_;
  std::vector<double> power_, work_;
};

}  // namespace ulna::internal::sim
