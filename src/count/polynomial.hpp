// Polynomials through whole numbers, exactly: counts as functions of the number of joints. Fractions of 64-bit integers; an overflow throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ulna::internal {

/// A fraction in lowest terms, its denominator positive. Every operation throws std::overflow_error rather than give a wrong value.
class Rational {
 public:
  Rational() = default;
  Rational(std::int64_t whole) : numerator_(whole) {}  // not explicit: whole numbers are rationals
  /// Throws std::domain_error when the denominator is 0.
  Rational(std::int64_t numerator, std::int64_t denominator);

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  /// "13.5" where four decimals suffice, else "32/3".
  std::string text() const;

  friend Rational operator-(const Rational& a);
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);  // throws std::domain_error for b = 0
  friend bool operator==(const Rational&, const Rational&) = default;
  friend bool operator<(const Rational& a, const Rational& b);

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// c[0] + c[1] n + c[2] n² + …, without zeros at the top.
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(std::vector<Rational> coefficients);  // constant term first

  const std::vector<Rational>& coefficients() const { return coefficients_; }
  /// -1 for the polynomial 0.
  int degree() const { return static_cast<int>(coefficients_.size()) - 1; }
  Rational operator()(std::int64_t n) const;
  /// "13.5n³ + 90.5n² + 13n", "32/3 n³ - 8/3 n"; the letter may be another one.
  std::string text(char variable = 'n') const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

 private:
  std::vector<Rational> coefficients_;
};

/// A polynomial that passes through every value from n = `from` on.
struct PolynomialFit {
  Polynomial polynomial;
  int from = 0;
};

/// Values at first, first + 1, …. Takes the smallest n from which a polynomial passes through all values, and of those polynomials the one of least
/// degree. `surplus` values more than its coefficients must lie on it, so that a fit can fail; nothing is returned then: the values are not a polynomial
/// in n from any n on. Throws std::invalid_argument for a surplus of 0, std::overflow_error where differences leave 64 bits. O(values³).
std::optional<PolynomialFit> fit_polynomial(int first, const std::vector<std::int64_t>& values, std::size_t surplus = 2);

}  // namespace ulna::internal
