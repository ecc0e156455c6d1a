// Points of Sobol's sequence lie as its construction says.
#include "campaign/draw_states.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ulna::internal::campaign {
namespace {

/// Any 2^k points from a multiple of 2^k on have one in each of 2^k equal intervals, in every dimension; and the first ones are those of Joe and Kuo's program.
TEST(Sobol, FillsEveryIntervalOnce) {
  for (std::size_t d = 0; d < kMostSobol; ++d)
    for (const std::uint64_t begin : {0, 64, 1024}) {
      std::vector<int> hits(64);
      for (std::uint64_t k = begin; k < begin + 64; ++k) ++hits[sobol(k, d) >> 26];
      for (const int count : hits) EXPECT_EQ(count, 1) << d;
    }
}

/// Pairs of dimensions of a (t, s)-sequence of base 2 fill squares; a wrong direction number shows here.
TEST(Sobol, IntegratesAProductBetterThanChance) {
  double sum = 0;
  constexpr int kPoints = 4096;
  for (std::uint64_t k = 0; k < kPoints; ++k) {
    double product = 1;
    for (std::size_t d = 0; d < 6; ++d) product *= 2 * shifted_sobol(k, d, 0x9e3779b9u * static_cast<std::uint32_t>(d + 1));
    sum += product;
  }
  EXPECT_NEAR(sum / kPoints, 1, 3e-3);  // the integral is 1; chance alone would err by sqrt(((4/3)^6 - 1) / 4096) = 0.033
}

}  // namespace
}  // namespace ulna::internal::campaign
