// A number with its first two derivatives by time: motions differentiated exactly, without any recursion.
#pragma once

#include <cmath>

namespace ulna::test {

struct Jet {
  double x = 0, d = 0, dd = 0;
  Jet(double value = 0, double rate = 0, double second = 0) : x(value), d(rate), dd(second) {}
};
inline Jet operator+(const Jet& a, const Jet& b) { return {a.x + b.x, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a) { return {-a.x, -a.d, -a.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return a + -b; }
inline Jet operator*(const Jet& a, const Jet& b) { return {a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2 * a.d * b.d + a.x * b.dd}; }
inline Jet cosine(const Jet& a) { return {std::cos(a.x), -std::sin(a.x) * a.d, -std::cos(a.x) * a.d * a.d - std::sin(a.x) * a.dd}; }
inline Jet sine(const Jet& a) { return {std::sin(a.x), std::cos(a.x) * a.d, -std::sin(a.x) * a.d * a.d + std::cos(a.x) * a.dd}; }

}  // namespace ulna::test
