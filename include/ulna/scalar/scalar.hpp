// Requirements of kernels on a scalar. Every algorithm of Ulna is written once as a template and runs on any type that satisfies this concept; what it does is
// counted as OperationCounts.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

#include <ulna/export.hpp>

namespace ulna ULNA_API {

/// Sine and cosine of one angle; kernels fetch both together, once per joint.
template <class T>
struct SinCos {
  T sin;
  T cos;
};

inline SinCos<double> sincos(double x) { return {std::sin(x), std::cos(x)}; }            // Sine and cosine.
inline SinCos<float> sincos(float x) { return {std::sin(x), std::cos(x)}; }              // Sine and cosine.
inline SinCos<long double> sincos(long double x) { return {std::sin(x), std::cos(x)}; }  // Sine and cosine.

/// Largest joint angle: 2^20 quarter turns, rounded down [rad]. Machine code reduces angles up to there without loss; beyond, results are NaN everywhere.
inline constexpr double kLargestAngle = 1647099.3;
/// The factor by which an angle overflows exactly when it exceeds that, but for the rounding of one product.
template <class T>
inline constexpr T kOverflowsBeyond = std::numeric_limits<T>::max() / static_cast<T>(kLargestAngle);

/// Number of sines and cosines that are computed together; arrays of angles have room for a multiple of it.
inline constexpr std::size_t kAnglesAtOnce = 4;

/// x minus the multiple of 2π that leaves it nearest to 0, for |x| <= kLargestAngle. The multiple has at most 18 bits and the first two parts of 2π have 33, so
/// products with them are exact; the remainder is rounded at its own size. An angle within half a turn is returned unchanged.
inline double less_whole_turns(double x) {
  const double turns = std::floor(x * 0x1.45f306dc9c883p-3 + 0.5);
  return ((x - turns * 0x1.921fb544p+2) - turns * 0x1.0b4611a6p-32) - turns * 0x1.3198a2e037073p-67;
}

/// Sine and cosine of x + offset, the offset being a number of the robot. Adding it to a large angle would round at that angle's size, so x is reduced first.
inline SinCos<double> sincos(double x, double offset) { return offset == 0 ? sincos(x) : sincos(less_whole_turns(x) + offset); }
inline SinCos<float> sincos(float x, float offset) {  // Sine and cosine.
  return offset == 0 ? sincos(x) : sincos(static_cast<float>(less_whole_turns(static_cast<double>(x)) + static_cast<double>(offset)));
}
/// Scalars that record, count or bound operations take it as a sum: programs get the same care when they are made ready to run (src/expr/ready.hpp).
template <class T, class P>
auto sincos(const T& x, const P& offset) -> decltype(sincos(T(x + offset))) {
  return sincos(T(x + offset));
}

/// -1, 0 or 1 with the sign of x, without a branch; NaN stays NaN so that a bad speed does not give a plausible friction.
inline double sign(double x) { return x != x ? x : double((x > 0) - (x < 0)); }
inline float sign(float x) { return x != x ? x : float((x > 0) - (x < 0)); }
inline long double sign(long double x) { return x != x ? x : static_cast<long double>((x > 0) - (x < 0)); }

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

/// Whether T is a plain number, as double is, which neither counts nor records operations. Structural zeros then save nothing, so kernels skip the special
/// cases for them where loops are faster; and they cannot throw, while a graph may run out of memory.
template <class T>
inline constexpr bool kIsNumber = std::floating_point<T>;

/// Whether kernels for robots with loops support T, with derivatives by its duals (dual.hpp). Otherwise their results are 0 / 0.
template <class T>
inline constexpr bool kTakesLoops = std::floating_point<T>;

/// Subtractions count as additions; changes of sign are free; a sine with its cosine is one sincos.
struct OperationCounts {
  long mul = 0;
  long add = 0;
  long div = 0;
  long sincos = 0;
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

}  // namespace ULNA_API
