// Exact fractions and polynomials, fits that succeed and fits that must not.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "count/polynomial.hpp"

namespace ulna::test {
namespace {

Polynomial poly(std::initializer_list<Rational> falling) {
  std::vector<Rational> rising(falling);
  std::reverse(rising.begin(), rising.end());
  return Polynomial(rising);
}

template <class F>
std::vector<std::int64_t> values(int first, int last, F f) {
  std::vector<std::int64_t> out;
  for (int n = first; n <= last; ++n) out.push_back(f(static_cast<std::int64_t>(n)));
  return out;
}

TEST(Rational, IsInLowestTermsWithAPositiveDenominator) {
  EXPECT_EQ(Rational(6, -4), Rational(-3, 2));
  EXPECT_EQ(Rational(6, -4).numerator(), -3);
  EXPECT_EQ(Rational(6, -4).denominator(), 2);
  EXPECT_EQ(Rational(0, -7), Rational(0));
  EXPECT_THROW(Rational(1, 0), std::domain_error);
}

TEST(Rational, Arithmetic) {
  EXPECT_EQ(Rational(1, 6) + Rational(1, 10), Rational(4, 15));
  EXPECT_EQ(Rational(1, 6) - Rational(1, 10), Rational(1, 15));
  EXPECT_EQ(Rational(4, 15) * Rational(5, 2), Rational(2, 3));
  EXPECT_EQ(Rational(4, 15) / Rational(-2, 5), Rational(-2, 3));
  EXPECT_EQ(-Rational(3, 2), Rational(-3, 2));
  EXPECT_THROW(Rational(1) / Rational(0), std::domain_error);
  EXPECT_TRUE(Rational(1, 3) < Rational(1, 2));
  EXPECT_FALSE(Rational(1, 2) < Rational(1, 2));
  EXPECT_TRUE(Rational(-1, 2) < Rational(0));
}

TEST(Rational, ThrowsInsteadOfOverflowing) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THROW(Rational(most) + Rational(1), std::overflow_error);
  EXPECT_THROW(Rational(-most) - Rational(2), std::overflow_error);
  EXPECT_THROW(Rational(most) * Rational(2), std::overflow_error);
  EXPECT_THROW(Rational(1, most) * Rational(1, 2), std::overflow_error);
  EXPECT_THROW(Rational(1, most) + Rational(1, most - 1), std::overflow_error);
  EXPECT_THROW(Rational(least, 3), std::overflow_error);
  EXPECT_EQ(Rational(most) * Rational(2, most), Rational(2));  // fits once it is cancelled
}

TEST(Rational, Text) {
  EXPECT_EQ(Rational(27, 2).text(), "13.5");
  EXPECT_EQ(Rational(-1, 4).text(), "-0.25");
  EXPECT_EQ(Rational(32, 3).text(), "32/3");
  EXPECT_EQ(Rational(-8, 3).text(), "-8/3");
  EXPECT_EQ(Rational(1, 10000).text(), "0.0001");
  EXPECT_EQ(Rational(1, 32768).text(), "1/32768");
  EXPECT_EQ(Rational(-7).text(), "-7");
}

TEST(Polynomial, Text) {
  EXPECT_EQ(poly({{27, 2}, {181, 2}, 13, 0}).text(), "13.5n³ + 90.5n² + 13n");
  EXPECT_EQ(poly({{32, 3}, 74, {-8, 3}, 0}).text(), "32/3 n³ + 74n² - 8/3 n");
  EXPECT_EQ(poly({112, -24}).text(), "112n - 24");
  EXPECT_EQ(poly({-1, 0, 1}).text(), "-n² + 1");
  EXPECT_EQ(poly({258, -119}).text('N'), "258N - 119");
  EXPECT_EQ(poly({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}).text(), "n¹⁰");
  EXPECT_EQ(Polynomial().text(), "0");
  EXPECT_EQ(poly({-5}).text(), "-5");
}

TEST(Polynomial, Arithmetic) {
  const Polynomial a = poly({1, 2}), b = poly({{1, 2}, 0, -3});
  EXPECT_EQ(a + b, poly({{1, 2}, 1, -1}));
  EXPECT_EQ(a - a, Polynomial());
  EXPECT_EQ((a - a).degree(), -1);
  EXPECT_EQ(a * b, poly({{1, 2}, 1, -3, -6}));
  EXPECT_EQ(b(4), Rational(5));
  EXPECT_EQ(b(-1), Rational(-5, 2));
  EXPECT_EQ(Polynomial({Rational(1), Rational(0)}).degree(), 0);
}

TEST(Fit, FindsThePolynomial) {
  const auto cubic = fit_polynomial(1, values(1, 8, [](std::int64_t n) { return (32 * n * n * n + 222 * n * n - 8 * n) / 3; }));
  ASSERT_TRUE(cubic);
  EXPECT_EQ(cubic->polynomial, poly({{32, 3}, 74, {-8, 3}, 0}));
  EXPECT_EQ(cubic->from, 1);
  const auto quartic = fit_polynomial(1, values(1, 8, [](std::int64_t n) { return (390 * n * n * n * n + 1037 * n * n * n + 12) / 1; }));
  ASSERT_TRUE(quartic);
  EXPECT_EQ(quartic->polynomial, poly({390, 1037, 0, 0, 12}));
  const auto constant = fit_polynomial(3, {7, 7, 7});
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->polynomial, poly({7}));
  EXPECT_EQ(constant->from, 3);
  const auto zero = fit_polynomial(1, {0, 0, 0});
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->polynomial, Polynomial());
}

TEST(Fit, FindsTheSmallestNFromWhichItHolds) {
  std::vector<std::int64_t> v = values(1, 9, [](std::int64_t n) { return n * n + 5; });
  v[0] = 0;
  v[2] += 1;  // n = 3
  const auto fit = fit_polynomial(1, v);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->polynomial, poly({1, 0, 5}));
  EXPECT_EQ(fit->from, 4);
}

// A polynomial passes through any values when its degree is high enough; that must not count.
TEST(Fit, FailsWithoutSurplus) {
  EXPECT_FALSE(fit_polynomial(1, values(1, 8, [](std::int64_t n) { return std::int64_t{1} << n; })));
  std::vector<std::int64_t> v = values(1, 8, [](std::int64_t n) { return 3 * n - 1; });
  v.back() += 1;  // the last value off by one: nothing that ends there is a polynomial
  EXPECT_FALSE(fit_polynomial(1, v));
  EXPECT_FALSE(fit_polynomial(1, {1, 2, 3}));  // a line with one value to spare, and two are asked for
  EXPECT_TRUE(fit_polynomial(1, {1, 2, 3}, 1));
  EXPECT_TRUE(fit_polynomial(1, {1, 2, 3, 4}));
  EXPECT_FALSE(fit_polynomial(1, {4, 9, 1, 0, 0}));  // two zeros at the end are not three
  EXPECT_FALSE(fit_polynomial(1, {}));
  EXPECT_THROW(fit_polynomial(1, {1, 2, 3}, 0), std::invalid_argument);
}

TEST(Fit, ThrowsInsteadOfOverflowing) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(fit_polynomial(1, {most, -most, most, -most, most}), std::overflow_error);
}

}  // namespace
}  // namespace ulna::test
