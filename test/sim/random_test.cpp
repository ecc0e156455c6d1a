// Random numbers against published ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/smooth_sign.hpp"
#include "sim/random.hpp"

namespace ulna::internal::sim {
namespace {

/// The known answers that come with Random123 1.14 (kat_vectors, philox4x32 of 10 rounds).
TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UnitNumbersLieStrictlyInside) {
  EXPECT_GT(open_unit(0, 0), 0);
  EXPECT_LT(open_unit(~0u, ~0u), 1);
}

TEST(Philox, StreamsAndRunsDiffer) {
  const double x = unit_pair(1, Stream::noise, 5, 7).first;
  EXPECT_NE(x, unit_pair(1, Stream::variations, 5, 7).first);
  EXPECT_NE(x, unit_pair(1, Stream::noise, 6, 7).first);
  EXPECT_NE(x, unit_pair(2, Stream::noise, 5, 7).first);
  EXPECT_NE(x, unit_pair(1, Stream::noise, 5, 8).first);
}

/// The distribution function of the C library, backwards.
TEST(Normal, QuantileIsTheInverseOfTheDistribution) {
  for (double p = 1e-300; p < 1e-3; p *= 7.3) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1, 1e-12 * std::max(1.0, x * x)) << p;  // conditioning: d ln P / d ln x = x²
  }
  for (double p = 1e-3; p < 1; p += 1.37e-3) EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 4e-16 + 1e-15 * p) << p;
  EXPECT_DOUBLE_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 4e-16 * 2);  // of every table
}

TEST(Normal, LogarithmAndSmoothSignAreTheCLibrarysToRounding) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) EXPECT_NEAR(natural_logarithm(x), std::log(x), 4e-16 * std::max(1.0, std::fabs(std::log(x))));
  for (double x = -30; x < 30; x += 1e-2) EXPECT_NEAR(ulna::internal::smooth_sign(x), std::tanh(x), 5e-16) << x;
  EXPECT_EQ(ulna::internal::smooth_sign(0), 0);
  EXPECT_TRUE(std::isnan(ulna::internal::smooth_sign(std::nan(""))));
}

}  // namespace
}  // namespace ulna::internal::sim
