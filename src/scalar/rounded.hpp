// A double with a bound of its rounding error: kernels run on it determine how many digits a robot's equations keep.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// Of a precision: its smallest normal number, the largest one that a double can exceed, and half a unit in the last place of 1.
struct NumberRange {
  double smallest, largest, unit;
};
template <class Real>
inline constexpr NumberRange kRange{
    std::numeric_limits<Real>::min(),
    sizeof(Real) < sizeof(double) ? static_cast<double>(std::numeric_limits<Real>::max()) : std::numeric_limits<double>::infinity(),
    static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2};

/// In place of float or double: the precision that the thread has set last, so that kernels are compiled once for both.
struct Either {
#if defined(__GLIBC__)                // which keeps room for it in libraries that are loaded later
  [[gnu::tls_model("initial-exec")]]  // else a call for each operation
#endif
  static inline constinit thread_local NumberRange range = kRange<double>;
};

/// A value and a bound of its rounding error, to first order, in units of the unit roundoff of Real (float, double or Either), the precision in which the
/// equations will be run (running error analysis: Wilkinson 1986, Error analysis revisited). Operations that are exact, with a structural 0 or ±1, add nothing.
/// What leaves Real's range is an error, too: results below its smallest normal number lose digits, beyond its largest they are infinite.
template <class Real>
class Rounded {
 public:
  Rounded() = default;
  /// A number of the robot: rounded once, unless it is 0 or ±1.
  explicit Rounded(double number) : value_(number), error_(number == 0 || number == 1 || number == -1 ? 0 : rounding(number)) {}
  /// An input, given exactly.
  static Rounded exact(double value) { return {value, 0}; }
  /// The result of an operation whose operands have the error bound `inherited`.
  static Rounded result(double value, double inherited, bool exact = false) { return {value, exact ? inherited : inherited + rounding(value)}; }

  double value() const { return value_; }
  double error() const { return error_; }
  /// In the unit of the value.
  double absolute_error() const { return error_ * range().unit; }

  bool is(double number) const { return value_ == number && error_ == 0; }
  Rounded operator-() const { return {-value_, error_}; }

 private:
  Rounded(double value, double error) : value_(value), error_(error) {}
  static NumberRange range() {
    if constexpr (std::is_same_v<Real, Either>)
      return Either::range;
    else
      return kRange<Real>;
  }
  static double rounding(double value) {
    const double size = std::fabs(value);
    const NumberRange range = Rounded::range();
    if (size > range.largest) return std::numeric_limits<double>::infinity();
    return size < range.smallest ? range.smallest : size;
  }

  double value_ = 0;
  double error_ = 0;
};

// Written without branches as far as possible: these run by the thousand while a file is loaded.
template <class R>
inline Rounded<R> operator+(const Rounded<R>& a, const Rounded<R>& b) {
  return Rounded<R>::result(a.value() + b.value(), a.error() + b.error(), a.is(0) || b.is(0));
}
template <class R>
inline Rounded<R> operator-(const Rounded<R>& a, const Rounded<R>& b) {
  return a + -b;
}
template <class R>
inline Rounded<R> operator*(const Rounded<R>& a, const Rounded<R>& b) {
  const double size_a = std::fabs(a.value()), size_b = std::fabs(b.value());
  const bool exact = (a.error() == 0 && (size_a == 0 || size_a == 1)) || (b.error() == 0 && (size_b == 0 || size_b == 1));
  return Rounded<R>::result(a.value() * b.value(), size_a * b.error() + size_b * a.error(), exact);
}
template <class R>
Rounded<R> operator/(const Rounded<R>& a, const Rounded<R>& b) {
  if (a.is(0) || b.is(1)) return a;
  const double quotient = a.value() / b.value();
  return Rounded<R>::result(quotient, (a.error() + std::fabs(quotient) * b.error()) / std::fabs(b.value()));
}
template <class R>
Rounded<R> operator+(double p, const Rounded<R>& b) {
  return Rounded<R>(p) + b;
}
template <class R>
Rounded<R> operator+(const Rounded<R>& a, double p) {
  return a + Rounded<R>(p);
}
template <class R>
Rounded<R> operator-(double p, const Rounded<R>& b) {
  return Rounded<R>(p) - b;
}
template <class R>
Rounded<R> operator-(const Rounded<R>& a, double p) {
  return a - Rounded<R>(p);
}
template <class R>
Rounded<R> operator*(double p, const Rounded<R>& b) {
  const double size = std::fabs(p);
  if (size == 0 || size == 1) return Rounded<R>::result(p * b.value(), size * b.error(), true);  // as most numbers of a robot are
  return Rounded<R>(p) * b;
}
template <class R>
Rounded<R> operator*(const Rounded<R>& a, double p) {
  return p * a;
}

using std::exp, std::pow, std::tanh;
using ulna::sign, ulna::sincos;  // else those of plain numbers were hidden

template <class R>
Rounded<R> sign(const Rounded<R>& x) {
  return Rounded<R>::exact(sign(x.value()));
}
template <class R>
Rounded<R> exp(const Rounded<R>& x) {
  const double at = std::exp(x.value());
  return Rounded<R>::result(at, at * x.error());
}
template <class R>
Rounded<R> tanh(const Rounded<R>& x) {
  const double at = std::tanh(x.value());
  return Rounded<R>::result(at, (1 - at * at) * x.error());
}
template <class R>
Rounded<R> pow(const Rounded<R>& x, const Rounded<R>& exponent) {
  const double at = std::pow(x.value(), exponent.value());
  return Rounded<R>::result(at, x.value() == 0 ? 0 : std::fabs(exponent.value() * at / x.value()) * x.error());
}

/// Sine and cosine propagate the error of the angle.
template <class R>
SinCos<Rounded<R>> sincos(const Rounded<R>& x) {
  const SinCos<double> values = sincos(x.value());
  return {Rounded<R>::result(values.sin, x.error() * std::fabs(values.cos)), Rounded<R>::result(values.cos, x.error() * std::fabs(values.sin))};
}
/// Of the sum x + offset no more than a rounding of the reduced angle and one of the offset enter, however large x is: templates reduce x before they add
/// (scalar.hpp), programs combine sines and cosines (expr/ready.hpp). What x itself has lost stays lost: a follower's angle is a product.
template <class R>
SinCos<Rounded<R>> sincos(const Rounded<R>& x, double offset) {
  const Rounded<R> sum = Rounded<R>::exact(x.value()) + offset;
  return sincos(Rounded<R>::result(sum.value(), x.error() + std::fmin(sum.error(), 2.0), true));
}

}  // namespace ulna::internal

namespace ulna {

template <class R>
inline constexpr bool kIsNumber<internal::Rounded<R>> = true;

}  // namespace ulna
