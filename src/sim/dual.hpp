// A number and its derivative along one direction: what the time derivative of the inertia matrix is computed with, exactly.
#pragma once

#include <ulna/scalar/scalar.hpp>

namespace ulna::sim::internal {

struct Dual {
  double value = 0, rate = 0;
  Dual() = default;
  Dual(double v, double r = 0) : value(v), rate(r) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.rate + b.rate}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.rate - b.rate}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.value * b.value, a.rate * b.value + a.value * b.rate}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double ratio = a.value / b.value;
    return {ratio, (a.rate - ratio * b.rate) / b.value};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.rate}; }
};

inline SinCos<Dual> sincos(const Dual& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return {{s, c * x.rate}, {c, -s * x.rate}};
}

}  // namespace ulna::sim::internal
