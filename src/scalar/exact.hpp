// Numbers modulo the prime 2^61 - 1: kernels that run on them decide identities exactly. Two polynomials that differ are equal at a random point with a
// probability of at most their degree over the prime (Schwartz 1980, Zippel 1979), and nothing is rounded.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

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

/// Denominators of quotients as products of what was divided by, by number, 0 being none: so a sum's degree is that over their least common one, and not over
/// their product, which doubles at least with every pivot of an elimination. One table a thread.
class Denominators {
 public:
  using Id = std::uint32_t;

  static Denominators& here() {
    thread_local Denominators table;
    return table;
  }
  /// No number with a denominator may be used afterwards.
  void clear() { *this = {}; }
  float degree(Id id) const { return entries_[id].degree; }

  Id product(Id a, Id b) {
    if (a == 0 || b == 0) return a + b;
    return combined(0, a, b, [](std::uint32_t x, std::uint32_t y) { return x + y; });
  }
  Id least_common(Id a, Id b) {
    if (a == 0 || b == 0 || a == b) return a == 0 ? b : a;
    return combined(1, a, b, [](std::uint32_t x, std::uint32_t y) { return x > y ? x : y; });
  }
  /// a over what it has in common with b.
  Id without(Id a, Id b) {
    if (a == 0 || b == 0) return a;
    return combined(2, a, b, [](std::uint32_t x, std::uint32_t y) { return x > y ? x - y : 0; });
  }
  /// The numerator of this value over this denominator, of this degree. Numerators are told apart by their values at the point.
  Id factor(std::uint64_t value, Id over, float degree) {
    const auto [at, is_new] = factors_.try_emplace({value, over, degree}, static_cast<std::uint32_t>(degrees_.size()));
    if (is_new) degrees_.push_back(degree);
    return id_of({{at->second, 1}});
  }

 private:
  using Powers = std::map<std::uint32_t, std::uint32_t>;  // of factors
  struct Entry {
    Powers powers;
    float degree = 0;
  };

  template <class F>
  Id combined(std::uint32_t operation, Id a, Id b, const F& f) {
    const auto [at, is_new] = known_.try_emplace({operation, a, b}, 0);
    if (!is_new) return at->second;
    Powers powers = entries_[a].powers;
    for (auto& [factor, power] : powers) {
      const auto other = entries_[b].powers.find(factor);
      power = f(power, other == entries_[b].powers.end() ? 0 : other->second);
    }
    if (operation < 2) powers.insert(entries_[b].powers.begin(), entries_[b].powers.end());  // those that a does not have
    std::erase_if(powers, [](const auto& one) { return one.second == 0; });
    return at->second = id_of(std::move(powers));
  }
  Id id_of(Powers powers) {
    const auto [at, is_new] = ids_.try_emplace(powers, static_cast<Id>(entries_.size()));
    if (!is_new) return at->second;
    float degree = 0;
    for (const auto& [factor, power] : powers) degree += static_cast<float>(power) * degrees_[factor];
    entries_.push_back({std::move(powers), degree});
    return at->second;
  }

  std::vector<float> degrees_;  // of factors
  std::vector<Entry> entries_{1};
  std::map<Powers, Id> ids_{{Powers(), 0}};
  std::map<std::tuple<std::uint64_t, Id, float>, std::uint32_t> factors_;
  std::map<std::array<std::uint32_t, 3>, Id> known_;  // results of operations
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
  double degree() const { return static_cast<double>(degree_) + static_cast<double>(below()); }
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
    Exact x(a.value_ * b.value_.inverse(), a.degree_);
    x.over_ = a.over_;
    if (b.degree_ == 0 && b.over_ == 0) return x;
    Denominators& all = Denominators::here();
    x.degree_ += all.degree(all.without(b.over_, a.over_));
    x.over_ = all.without(a.over_, b.over_);
    const std::uint64_t size = std::min(b.value_.bits(), (-b.value_).bits());
    if (b.degree_ != 0) x.over_ = all.product(x.over_, all.factor(size, b.over_, b.degree_));
    return x;
  }
  friend bool operator==(const Exact& a, const Exact& b) { return a.value_ == b.value_; }

 private:
  void set_angle(const CirclePoint& angle, float degree) { angle_ = angle, angle_degree_ = degree, is_angle_ = true; }
  float harmonics() const { return angle_degree_ * static_cast<float>(parts_ < 0 ? -parts_ : parts_); }
  float below() const { return over_ == 0 ? 0 : Denominators::here().degree(over_); }
  /// Of a sum.
  void join(const Exact& a, const Exact& b) {
    over_ = a.over_;
    if (a.over_ == b.over_) {
      degree_ = std::fmax(a.degree_, b.degree_);
      return;
    }
    Denominators& all = Denominators::here();
    over_ = all.least_common(a.over_, b.over_);
    degree_ = std::fmax(a.degree_ + all.degree(all.without(over_, a.over_)), b.degree_ + all.degree(all.without(over_, b.over_)));
  }
  void multiply(const Exact& a, const Exact& b) {
    degree_ = a.degree_ + b.degree_;
    if ((a.over_ | b.over_) != 0) over_ = Denominators::here().product(a.over_, b.over_);
  }
  /// A whole multiple of an angle, or a fraction of a coordinate that has its parts, is an angle; any other product is none.
  void take_multiple(const Exact& angle, const Exact& factor) {
    if (factor.degree_ != 0 || factor.over_ != 0) return;
    const std::int64_t times = (factor.value_ * Residue(angle.parts_)).smallest();
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (times > kMost || times < -kMost) return;
    angle_ = angle.angle_, angle_degree_ = angle.angle_degree_, parts_ = times, is_angle_ = true;
  }

  Residue value_{};
  CirclePoint angle_{};
  std::int64_t parts_ = 1;
  Denominators::Id over_ = 0;
  float degree_ = 0, angle_degree_ = 0;  // of the numerator; of its sine and cosine
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
