// Sines and cosines that templates take together, against long doubles.
#include "scalar/sincos_many.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace ulna::test {
namespace {

double ulps(double got, long double wanted) {
  const double size = std::fabs(static_cast<double>(wanted));
  return static_cast<double>(std::fabs(got - wanted)) / (std::nextafter(size, std::numeric_limits<double>::infinity()) - size);
}

TEST(SincosMany, IsWithinOneUnitInTheLastPlace) {
  Random random(7);
  for (const double span : {0.1, 4.0, 1000.0, kLargestAngle})
    for (int k = 0; k < 20'000; ++k) {
      double x[kAnglesAtOnce], s[kAnglesAtOnce], c[kAnglesAtOnce];
      for (double& angle : x) angle = random.uniform(-span, span);
      x[0] = std::nearbyint(x[0]) * 0x1.921fb54442d18p+0;  // next to a multiple of π/2, where most digits cancel
      sincos_many(kAnglesAtOnce, x, s, c);
      for (std::size_t i = 0; i < kAnglesAtOnce; ++i) {
        if (std::fabs(x[i]) > kLargestAngle) continue;
        ASSERT_LT(ulps(s[i], std::sin(static_cast<long double>(x[i]))), 1) << x[i];
        ASSERT_LT(ulps(c[i], std::cos(static_cast<long double>(x[i]))), 1) << x[i];
      }
    }
}

TEST(SincosMany, OfBadAnglesIsNotANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double x[kAnglesAtOnce] = {1.01 * kLargestAngle, -infinity, std::numeric_limits<double>::quiet_NaN(), -1.01 * kLargestAngle};
  double s[kAnglesAtOnce], c[kAnglesAtOnce];
  sincos_many(kAnglesAtOnce, x, s, c);
  for (std::size_t i = 0; i < kAnglesAtOnce; ++i) EXPECT_TRUE(std::isnan(s[i]) && std::isnan(c[i])) << x[i];
}

}  // namespace
}  // namespace ulna::test
