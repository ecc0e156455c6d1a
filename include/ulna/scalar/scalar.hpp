// What a kernel may ask of a scalar. Every algorithm of Ulna is written once as a template and runs on any type that satisfies this concept.
#pragma once

#include <cmath>
#include <concepts>

namespace ulna {

/// Sine and cosine of one angle; kernels fetch both together, once per joint.
template <class T>
struct SinCos {
  T sin;
  T cos;
};

inline SinCos<double> sincos(double x) { return {std::sin(x), std::cos(x)}; }
inline SinCos<float> sincos(float x) { return {std::sin(x), std::cos(x)}; }

/// -1, 0 or 1 with the sign of x, without a branch; NaN stays NaN so that a bad speed cannot turn into a plausible friction.
inline double sign(double x) { return x != x ? x : double((x > 0) - (x < 0)); }
inline float sign(float x) { return x != x ? x : float((x > 0) - (x < 0)); }

/// Arithmetic, a literal that needs no context (`T(0)`), and sincos found by argument-dependent lookup. No comparison: kernels never branch on a T.
template <class T>
concept Scalar = std::copyable<T> && requires(const T a, const T b) {
  T(0.0);
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { -a } -> std::convertible_to<T>;
  { sincos(a).sin } -> std::convertible_to<T>;
};

}  // namespace ulna
