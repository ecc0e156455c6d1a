// A number and its derivative along one direction, of any scalar: derivatives that are exact, and, of duals of duals, derivatives of derivatives.
#pragma once

#include <cmath>
#include <concepts>

#include <ulna/export.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

using std::exp;
using std::pow;
using std::tanh;
using ulna::sign;
using ulna::sincos;

template <class T>
struct Dual {
  T value{}, rate{};
  Dual() = default;
  explicit(!std::same_as<T, double>) Dual(double v) : value(T(v)), rate(T(0.0)) {}
  Dual(T v, T r) : value(v), rate(r) {}
  template <std::same_as<T> U>
  requires(!std::floating_point<U>) explicit Dual(const U& v) : value(v), rate(T(0.0)) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.rate + b.rate}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.rate - b.rate}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.value * b.value, a.rate * b.value + a.value * b.rate}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T ratio = a.value / b.value;
    return {ratio, (a.rate - ratio * b.rate) / b.value};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.rate}; }
};

template <class T>
SinCos<Dual<T>> moving(const SinCos<T>& at, const T& rate) {
  return {{at.sin, at.cos * rate}, {at.cos, -(at.sin * rate)}};
}
template <class T>
SinCos<Dual<T>> sincos(const Dual<T>& x) {
  return moving(sincos(x.value), x.rate);
}
template <class T>
SinCos<Dual<T>> sincos(const Dual<T>& x, const Dual<T>& offset) {
  return moving(sincos(x.value, offset.value), T(x.rate + offset.rate));
}

/// The derivative of a sign is 0; where it jumps it is taken as 0, too.
template <class T>
Dual<T> sign(const Dual<T>& x) requires requires(const T& t) {
  sign(t);
}
{ return {sign(x.value), T(0.0)}; }

// What friction is made of. A power has a base that is not negative and an exponent that does not change; its derivative at 0 is taken as 0.
template <class T>
Dual<T> exp(const Dual<T>& x) requires requires(const T& t) {
  exp(t);
}
{
  const T at = exp(x.value);
  return {at, at * x.rate};
}
template <class T>
Dual<T> tanh(const Dual<T>& x) requires requires(const T& t) {
  tanh(t);
}
{
  const T at = tanh(x.value);
  return {at, (T(1.0) - at * at) * x.rate};
}
template <class T>
Dual<T> pow(const Dual<T>& x, const Dual<T>& exponent) requires requires(const T& t) {
  pow(t, t);
  sign(t);
}
{
  const T zero = T(1.0) - sign(x.value) * sign(x.value), base = x.value + zero;  // 1 in place of 0
  return {pow(x.value, exponent.value), (T(1.0) - zero) * exponent.value * pow(base, T(exponent.value - T(1.0))) * x.rate};
}

}  // namespace ulna::internal

template <class T>
inline constexpr bool ulna::kTakesLoops<ulna::internal::Dual<T>> = ulna::kTakesLoops<T>;
