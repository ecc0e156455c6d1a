// Numbers modulo the prime 2^61 - 1: kernels that run on them decide identities exactly. Two polynomials that differ are equal at a random point with a
// probability of at most their degree over the prime (Schwartz 1980, Zippel 1979), and nothing is rounded.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// An integer modulo p = 2^61 - 1, a field.
class Residue {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  constexpr Residue() = default;
  constexpr explicit Residue(std::int64_t n) : x_(n >= 0 ? reduced(static_cast<std::uint64_t>(n)) : kPrime - reduced(static_cast<std::uint64_t>(-n))) {
    if (x_ == kPrime) x_ = 0;
  }
  static constexpr Residue of_bits(std::uint64_t bits) { return Residue(reduced(bits), 0); }
  constexpr std::uint64_t bits() const { return x_; }
  /// The representative of smallest magnitude.
  constexpr std::int64_t smallest() const { return x_ > kPrime / 2 ? -static_cast<std::int64_t>(kPrime - x_) : static_cast<std::int64_t>(x_); }

  friend constexpr Residue operator+(Residue a, Residue b) { return Residue(reduced(a.x_ + b.x_), 0); }
  friend constexpr Residue operator-(Residue a, Residue b) { return Residue(reduced(a.x_ + kPrime - b.x_), 0); }
  friend constexpr Residue operator-(Residue a) { return Residue(a.x_ == 0 ? 0 : kPrime - a.x_, 0); }
  friend constexpr Residue operator*(Residue a, Residue b) {
    const Wide product = static_cast<Wide>(a.x_) * b.x_;  // below 2^122: 2^61 is 1
    return Residue(reduced((static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61)), 0);
  }
  friend constexpr bool operator==(Residue, Residue) = default;

  constexpr Residue power(std::uint64_t exponent) const {
    Residue result(1), square = *this;
    for (; exponent != 0; exponent >>= 1, square = square * square)
      if (exponent & 1) result = result * square;
    return result;
  }
  /// 1 / x by Fermat's little theorem; throws std::domain_error for 0.
  constexpr Residue inverse() const {
    if (x_ == 0) throw std::domain_error("0 has no inverse modulo 2^61 - 1");
    return power(kPrime - 2);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  constexpr Residue(std::uint64_t reduced, int) : x_(reduced) {}
  static constexpr std::uint64_t reduced(std::uint64_t x) {
    x = (x & kPrime) + (x >> 61);
    return x >= kPrime ? x - kPrime : x;
  }
  std::uint64_t x_ = 0;
};

/// The shortest decimal fraction that is read as this double, which is how people write it, as a fraction modulo p. So 0.1 is 1/10, and what is exactly true
/// of the numbers in a file is true of these.
inline Residue residue_of(double x) {
  if (x == std::trunc(x) && std::fabs(x) < 0x1p53) return Residue(static_cast<std::int64_t>(x));
  char text[40];
  const char* const end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
  std::int64_t digits = 0;
  int decimals = 0, exponent = 0;
  const char* at = *text == '-' ? text + 1 : text;
  bool point = false;
  for (; at != end && *at != 'e'; ++at)
    if (*at == '.')
      point = true;
    else if (*at < '0' || *at > '9')
      throw std::domain_error("an infinite number or NaN is not a fraction");
    else
      digits = 10 * digits + (*at - '0'), decimals += point;
  if (at != end) std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
  exponent -= decimals;
  constexpr Residue kTen(10), kTenth = kTen.inverse();
  const Residue size = Residue(digits) * (exponent < 0 ? kTenth : kTen).power(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  return x < 0 ? -size : size;
}

/// A point of the circle s² + c² = 1 modulo p: what an angle is to the equations of a robot. -1 is no square modulo p, so the circle has p + 1 points.
struct CirclePoint {
  Residue s{}, c{};
  /// Cayley's pair (2t, 1 - t²) / (1 + t²), t the tangent of half the angle: every point but (0, -1).
  static CirclePoint of_half_tangent(Residue t) {
    const Residue one(1), scale = (one + t * t).inverse();
    return {(t + t) * scale, (one - t * t) * scale};
  }
  friend CirclePoint operator*(const CirclePoint& a, const CirclePoint& b) { return {a.s * b.c + a.c * b.s, a.c * b.c - a.s * b.s}; }  // addition theorem
  CirclePoint opposite() const { return {-s, c}; }
  CirclePoint times(std::int64_t n) const {
    CirclePoint result{Residue(0), Residue(1)}, square = n < 0 ? opposite() : *this;
    for (std::uint64_t k = static_cast<std::uint64_t>(n < 0 ? -n : n); k != 0; k >>= 1, square = square * square)
      if (k & 1) result = result * square;
    return result;
  }
};

/// A number modulo p that knows its degree as a rational function of the state, and, where it may be an angle, its point of the circle. A parameter and a
/// state of kernels alike.
class Exact {
 public:
  Exact() = default;
  /// A number of a robot or of an algorithm: of degree 0. It is an angle only if it is 0.
  explicit Exact(double number)
      : value_(residue_of(number)), angle_(number == 0 ? CirclePoint{Residue(0), Residue(1)} : CirclePoint{}), is_angle_(number == 0) {}
  explicit Exact(Residue value, float degree = 0) : value_(value), degree_(degree) {}
  /// An input: of degree 1.
  static Exact variable(Residue value) { return Exact(value, 1); }
  /// A joint's coordinate: `parts` times the angle of `part`, so that a follower may rotate by fractions of it. Its value is the coordinate of a slider.
  static Exact coordinate(Residue value, const CirclePoint& part, std::int64_t parts = 1) {
    Exact x = variable(value);
    x.set_angle(part, 1);
    x.parts_ = parts;
    return x;
  }
  /// A number of the robot that may be an angle.
  static Exact constant(Residue value, const CirclePoint& angle) {
    Exact x(value);
    x.set_angle(angle, 0);
    return x;
  }

  Residue value() const { return value_; }
  bool is_angle() const { return is_angle_; }
  bool is(double number) const { return value_ == Residue(static_cast<std::int64_t>(number)) && number == std::trunc(number); }
  /// Of numerator and denominator together. A polynomial in sines, cosines and other inputs of this total degree that is not zero on the circles is zero at
  /// no more than twice this part of 1/p of all points.
  double degree() const { return static_cast<double>(degree_) + static_cast<double>(below_); }
  /// Throws std::domain_error for a number that is no angle.
  SinCos<Exact> sincos() const {
    if (!is_angle_) throw std::domain_error("the sine of a number that is no angle");
    const CirclePoint at = angle_.times(parts_);
    return {Exact(at.s, harmonics()), Exact(at.c, harmonics())};
  }

  Exact operator-() const {
    Exact x = *this;
    x.value_ = -value_;
    x.angle_ = angle_.opposite();
    return x;
  }
  friend Exact operator+(const Exact& a, const Exact& b) {
    Exact x(a.value_ + b.value_);
    x.join(a, b);
    if (a.is_angle_ && b.is_angle_) {
      x.set_angle(a.angle_.times(a.parts_) * b.angle_.times(b.parts_), a.harmonics() + b.harmonics());
    }
    return x;
  }
  friend Exact operator-(const Exact& a, const Exact& b) { return a + -b; }
  friend Exact operator*(const Exact& a, const Exact& b) {
    Exact x(a.value_ * b.value_);
    x.multiply(a, b);
    if (a.is_angle_) x.take_multiple(a, b);
    if (b.is_angle_ && !x.is_angle_) x.take_multiple(b, a);  // a number of the robot may be an angle and a factor
    return x;
  }
  friend Exact operator/(const Exact& a, const Exact& b) {
    Exact x(a.value_ * b.value_.inverse());
    const bool same = a.tag_ == b.tag_;
    x.degree_ = a.degree_ + (same ? 0 : b.below_);
    x.below_ = b.degree_ + (same ? 0 : a.below_);
    x.tag_ = x.below_ == 0 ? 1 : (same ? 1 : a.tag_) * (2 * (b.value_.bits() ^ b.tag_) + 1);
    return x;
  }
  friend bool operator==(const Exact& a, const Exact& b) { return a.value_ == b.value_; }

 private:
  void set_angle(const CirclePoint& angle, float degree) { angle_ = angle, angle_degree_ = degree, is_angle_ = true; }
  float harmonics() const { return angle_degree_ * static_cast<float>(parts_ < 0 ? -parts_ : parts_); }
  /// Of a sum: what has the same denominator, or none, keeps it.
  void join(const Exact& a, const Exact& b) {
    if (a.tag_ == b.tag_) {
      degree_ = std::fmax(a.degree_, b.degree_), below_ = a.below_, tag_ = a.tag_;
      return;
    }
    degree_ = std::fmax(a.degree_ + b.below_, b.degree_ + a.below_);
    below_ = a.below_ + b.below_;
    tag_ = product(a.tag_, b.tag_);
  }
  void multiply(const Exact& a, const Exact& b) { degree_ = a.degree_ + b.degree_, below_ = a.below_ + b.below_, tag_ = product(a.tag_, b.tag_); }
  /// Denominators by their names: 1 is none.
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a * b; }
  /// A whole multiple of an angle, or a fraction of a coordinate that has its parts, is an angle; any other product is none.
  void take_multiple(const Exact& angle, const Exact& factor) {
    if (factor.degree_ != 0 || factor.below_ != 0) return;
    const std::int64_t times = (factor.value_ * Residue(angle.parts_)).smallest();
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (times > kMost || times < -kMost) return;
    angle_ = angle.angle_, angle_degree_ = angle.angle_degree_, parts_ = times, is_angle_ = true;
  }

  Residue value_{};
  CirclePoint angle_{};
  std::int64_t parts_ = 1;
  std::uint64_t tag_ = 1;  // of the denominator
  float degree_ = 0, below_ = 0, angle_degree_ = 0;
  bool is_angle_ = false;
};

inline Exact operator+(double p, const Exact& b) { return Exact(p) + b; }
inline Exact operator+(const Exact& a, double p) { return a + Exact(p); }
inline Exact operator-(double p, const Exact& b) { return Exact(p) - b; }
inline Exact operator-(const Exact& a, double p) { return a - Exact(p); }
inline Exact operator*(double p, const Exact& b) { return Exact(p) * b; }
inline Exact operator*(const Exact& a, double p) { return a * Exact(p); }
inline Exact operator/(double p, const Exact& b) { return Exact(p) / b; }
inline Exact operator/(const Exact& a, double p) { return a / Exact(p); }

using ulna::sincos;  // else those of plain numbers were hidden

inline SinCos<Exact> sincos(const Exact& x) { return x.sincos(); }

}  // namespace ulna::internal

template <>
inline constexpr bool ulna::kTakesLoops<ulna::internal::Exact> = true;
