#include "count/polynomial.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

[[noreturn]] void overflow() { throw std::overflow_error("a fraction does not fit into 64-bit integers"); }

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) overflow();
  return out;
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) overflow();
  return out;
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_sub_overflow(a, b, &out)) overflow();
  return out;
}
/// std::gcd of the smallest integer is not defined.
std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (a == kLeast || b == kLeast) overflow();
  return std::gcd(a, b);
}

std::string power(char variable, std::size_t exponent) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 0) return {};
  std::string out(1, variable);
  if (exponent == 1) return out;
  for (const char digit : std::to_string(exponent)) out += kDigits[digit - '0'];
  return out;
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) throw std::domain_error("a fraction has the denominator 0");
  const std::int64_t divisor = common_divisor(numerator, denominator);
  numerator_ = numerator / divisor;
  denominator_ = denominator / divisor;
  if (denominator_ < 0) {
    numerator_ = -numerator_;
    denominator_ = -denominator_;
  }
}

std::string Rational::text() const {
  constexpr std::int64_t kTenThousand = 10000;
  if (kTenThousand % denominator_ != 0) return cat(numerator_, "/", denominator_);
  const std::uint64_t size = numerator_ < 0 ? 0 - static_cast<std::uint64_t>(numerator_) : static_cast<std::uint64_t>(numerator_);
  const auto unit = static_cast<std::uint64_t>(denominator_);
  std::string out = cat(numerator_ < 0 ? "-" : "", size / unit);
  const std::uint64_t rest = size % unit * (kTenThousand / unit);
  if (rest == 0) return out;
  std::string decimals = std::to_string(rest);
  decimals.insert(0, 4 - decimals.size(), '0');
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return cat(out, ".", decimals);
}

Rational operator-(const Rational& a) { return {product(-1, a.numerator_), a.denominator_}; }
Rational operator+(const Rational& a, const Rational& b) {
  // Over the least common denominator, so that only what is truly large overflows.
  const std::int64_t divisor = common_divisor(a.denominator_, b.denominator_), a_times = b.denominator_ / divisor, b_times = a.denominator_ / divisor;
  return {sum(product(a.numerator_, a_times), product(b.numerator_, b_times)), product(a.denominator_, a_times)};
}
Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
Rational operator*(const Rational& a, const Rational& b) {
  const Rational left(a.numerator_, b.denominator_), right(b.numerator_, a.denominator_);  // cancel first
  return {product(left.numerator_, right.numerator_), product(left.denominator_, right.denominator_)};
}
Rational operator/(const Rational& a, const Rational& b) {
  if (b.numerator_ == 0) throw std::domain_error("a fraction is divided by 0");
  return a * Rational(b.denominator_, b.numerator_);
}
bool operator<(const Rational& a, const Rational& b) { return (a - b).numerator_ < 0; }

Polynomial::Polynomial(std::vector<Rational> coefficients) : coefficients_(std::move(coefficients)) {
  while (!coefficients_.empty() && coefficients_.back() == Rational(0)) coefficients_.pop_back();
}

Rational Polynomial::operator()(std::int64_t n) const {
  Rational value;
  for (std::size_t k = coefficients_.size(); k-- > 0;) value = value * Rational(n) + coefficients_[k];
  return value;
}

std::string Polynomial::text(char variable) const {
  std::string out;
  for (std::size_t k = coefficients_.size(); k-- > 0;) {
    const Rational& c = coefficients_[k];
    if (c == Rational(0)) continue;
    const bool negative = c < Rational(0);
    const std::string size = (negative ? -c : c).text();
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (k == 0 || size != "1") out += size;
    if (k > 0 && size.find('/') != std::string::npos) out += ' ';
    out += power(variable, k);
  }
  return out.empty() ? "0" : out;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  std::vector<Rational> c(std::max(a.coefficients_.size(), b.coefficients_.size()));
  for (std::size_t k = 0; k < a.coefficients_.size(); ++k) c[k] = c[k] + a.coefficients_[k];
  for (std::size_t k = 0; k < b.coefficients_.size(); ++k) c[k] = c[k] + b.coefficients_[k];
  return Polynomial(std::move(c));
}
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + Polynomial({Rational(-1)}) * b; }
Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.coefficients_.empty() || b.coefficients_.empty()) return {};
  std::vector<Rational> c(a.coefficients_.size() + b.coefficients_.size() - 1);
  for (std::size_t i = 0; i < a.coefficients_.size(); ++i)
    for (std::size_t j = 0; j < b.coefficients_.size(); ++j) c[i + j] = c[i + j] + a.coefficients_[i] * b.coefficients_[j];
  return Polynomial(std::move(c));
}

std::optional<PolynomialFit> fit_polynomial(int first, const std::vector<std::int64_t>& values, std::size_t surplus) {
  if (surplus == 0) throw std::invalid_argument("fit_polynomial needs at least 1 value more than coefficients, and 0 were requested: any values would fit");
  for (std::size_t skip = 0; skip < values.size(); ++skip) {
    // Newton's differences: those of order k vanish when the degree is below k. Their first entries are the coefficients of (n - from choose k).
    std::vector<std::int64_t> row(values.begin() + static_cast<std::ptrdiff_t>(skip), values.end());
    std::vector<std::int64_t> heads;
    while (!row.empty()) {
      if (std::all_of(row.begin(), row.end(), [](std::int64_t x) { return x == 0; })) break;
      heads.push_back(row.front());
      for (std::size_t k = 0; k + 1 < row.size(); ++k) row[k] = difference(row[k + 1], row[k]);
      row.pop_back();
    }
    if (values.size() - skip < std::max<std::size_t>(heads.size(), 1) + surplus) continue;
    const int from = first + static_cast<int>(skip);
    Polynomial fit, basis({Rational(1)});
    for (std::size_t k = 0; k < heads.size(); ++k) {
      fit = fit + Polynomial({Rational(heads[k])}) * basis;
      const auto order = static_cast<std::int64_t>(k);
      basis = basis * Polynomial({Rational(-from - order, order + 1), Rational(1, order + 1)});  // (n - from - k) / (k + 1)
    }
    return PolynomialFit{std::move(fit), from};
  }
  return {};
}

}  // namespace ulna::internal
