#include "spatial/curve.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::internal {

Curve Curve::between(double from, double slope_from, double to, double slope_to, double more) {
  // b0, b1, b3, b4 are fixed by the ends. The cubic of them has b2 as below; what is missing half way is a multiple of s² (1 - s)², which is b2's own
  // polynomial over 6, and 1/16 there.
  const double middle = (from + to) / 2 + (slope_from - slope_to) / 6;
  return {4, {from, from + slope_from / 4, middle + more * 16 / 6, to - slope_to / 4, to}};
}

/// De Casteljau's corners: exact at both ends, and where all coefficients are equal.
double Curve::at(double s) const {
  std::array<double, kMost + 1> c = b;
  for (std::size_t left = degree; left > 0; --left)
    for (std::size_t i = 0; i < left; ++i) c[i] = std::lerp(c[i], c[i + 1], s);
  return c[0];
}

Curve Curve::slope(double over) const {
  Curve out{degree - 1, {}};
  for (std::size_t i = 0; i < degree; ++i) out.b[i] = static_cast<double>(degree) / over * (b[i + 1] - b[i]);
  return out;
}

double Curve::least() const { return *std::min_element(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(degree) + 1); }
double Curve::most() const { return *std::max_element(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(degree) + 1); }

std::vector<double> Curve::roots() const {
  if (!(least() < 0 && most() > 0)) return {};
  // Between the roots of its slope it only rises or only falls.
  std::vector<double> corners = degree > 1 ? slope().roots() : std::vector<double>{};
  corners.push_back(1);
  std::vector<double> found;
  double before = 0;
  for (const double corner : corners) {
    const bool rises = at(before) < 0;
    if (rises != (at(corner) < 0)) {
      double low = before, high = corner;
      for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) ((at(middle) < 0) == rises ? low : high) = middle;
      found.push_back(high);
    }
    before = corner;
  }
  return found;
}

}  // namespace ulna::internal
