// Numbers that carry a bound of their rounding.
#include "scalar/rounded.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

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

/// Values and bounds of operations in and beyond the range of floats.
template <class R>
std::vector<double> some_operations() {
  std::vector<double> all;
  for (const double scale : {1.0, 1e-25, 1e25, 1e-160}) {
    const R x = R::exact(0.3 * scale), y(-0.7 * scale);
    for (const R& z : {x + y, x - y, x * y, x / y, 0.1 * y, x * R(1), sincos(x).sin, x * x * x - y})
      all.insert(all.end(), {z.value(), z.error(), z.absolute_error()});
  }
  return all;
}

// One instance serves both precisions: the same bits as those of their own.
TEST(Rounded, TakesThePrecisionOfTheThread) {
  Either::range = kRange<float>;
  EXPECT_EQ(some_operations<Rounded<Either>>(), some_operations<Rounded<float>>());
  EXPECT_NE(some_operations<Rounded<Either>>(), some_operations<Rounded<double>>());
  Either::range = kRange<double>;
  EXPECT_EQ(some_operations<Rounded<Either>>(), some_operations<Rounded<double>>());
}

}  // namespace
}  // namespace ulna::test
