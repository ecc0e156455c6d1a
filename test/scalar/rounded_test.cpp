// Numbers that carry a bound of their rounding.
#include "scalar/rounded.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ulna::test {
namespace {

// The bound of a sum, a product and a quotient, by hand.
TEST(Rounded, CarriesBounds) {
  using R = Rounded<double>;
  const R x = R::exact(3), y = R::exact(4), c(0.1);
  EXPECT_EQ((x + y).error(), 7);                     // one rounding of the sum
  EXPECT_EQ((x * y + x).error(), 12 + 15);           // of the product, and of the sum
  EXPECT_DOUBLE_EQ((c * x).error(), 0.1 * 3 + 0.3);  // of the constant, times three, and of the product
  EXPECT_EQ((R(1) * x).error(), 0);
  EXPECT_EQ((R(0) * (x * y)).error(), 0);
  EXPECT_DOUBLE_EQ(((x * y) / y).error(), 12.0 / 4 + 3);
  EXPECT_EQ((Rounded<float>::exact(1e30) * Rounded<float>::exact(1e30)).error(), std::numeric_limits<double>::infinity());
  EXPECT_GT((Rounded<float>::exact(1e-30) * Rounded<float>::exact(1e-30)).error(), 1e-39);  // it loses all digits
  EXPECT_EQ((R::exact(1e-30) * R::exact(1e-30)).error(), 1e-30 * 1e-30);
}

}  // namespace
}  // namespace ulna::test
