// Arithmetic modulo a prime. What is true of numbers is true here, without rounding: a program that was rewritten gives the same remainder or is wrong.
#pragma once

#include <cmath>
#include <cstdint>

namespace ulna::fuzz {

class Field {
 public:
  Field() = default;
  explicit Field(std::uint64_t value) : value_(value % kPrime) {}
  /// Of a number that is exact: a whole one times a power of two.
  static Field of(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);  // x = fraction * 2^exponent
    Field result(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
    result = result * power(Field(2), exponent >= 53 ? static_cast<std::uint64_t>(exponent - 53) : 0);
    if (exponent < 53) result = result / power(Field(2), static_cast<std::uint64_t>(53 - exponent));
    return x < 0 ? -result : result;
  }

  bool zero() const { return value_ == 0; }
  std::uint64_t value() const { return value_; }
  friend Field operator+(Field a, Field b) { return Field(a.value_ + b.value_); }
  friend Field operator-(Field a) { return Field(kPrime - a.value_); }
  friend Field operator-(Field a, Field b) { return a + -b; }
  friend Field operator*(Field a, Field b) { return Field(a.value_ * b.value_); }
  friend Field operator/(Field a, Field b) { return a * power(b, kPrime - 2); }  // Fermat
  friend bool operator==(Field a, Field b) { return a.value_ == b.value_; }

  /// Odd and even functions that mean nothing, for sine and cosine.
  Field sine() const {
    if (zero()) return {};
    return value_ > kPrime / 2 ? -(-*this).mixed(1) : mixed(1);
  }
  Field cosine() const {
    if (zero()) return Field(1);
    return value_ > kPrime / 2 ? (-*this).mixed(2) : mixed(2);
  }

 private:
  static constexpr std::uint64_t kPrime = 2147483647;  // 2^31 - 1
  static Field power(Field base, std::uint64_t exponent) {
    Field result(1);
    for (; exponent > 0; exponent >>= 1, base = base * base)
      if (exponent & 1) result = result * base;
    return result;
  }
  Field mixed(std::uint64_t salt) const {
    std::uint64_t x = value_ + salt * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return Field(x ^ (x >> 31));
  }
  std::uint64_t value_ = 0;
};

}  // namespace ulna::fuzz
