// Principal axes of inertia tensors, against tensors that are made from known ones.
#include <ulna/spatial/spatial.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace ulna::test {
namespace {

double difference(const Sym3<double>& a, const Sym3<double>& b) {
  return std::max(
      {std::fabs(a.xx - b.xx), std::fabs(a.yy - b.yy), std::fabs(a.zz - b.zz), std::fabs(a.xy - b.xy), std::fabs(a.xz - b.xz), std::fabs(a.yz - b.yz)});
}

TEST(PrincipalAxes, AreThoseThatTheTensorWasMadeOf) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    Vec3<double> moments{random.uniform(0, 2), random.uniform(0, 2), random.uniform(0, 2)};
    if (k % 3 == 0) moments.y = moments.x;  // any two axes across the third will do
    if (k % 7 == 0) moments.z = 0;
    const double a = random.uniform(-3, 3), b = random.uniform(-3, 3), ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b);
    const Mat3<double> R = Mat3<double>{ca, -sa, 0, sa, ca, 0, 0, 0, 1} * Mat3<double>{1, 0, 0, 0, cb, -sb, 0, sb, cb};
    const Sym3<double> tensor = congruence(R, Sym3<double>{moments.x, moments.y, moments.z, 0, 0, 0});
    const PrincipalAxes found = principal_axes(tensor);
    double expected[3] = {moments.x, moments.y, moments.z};
    std::sort(expected, expected + 3);
    const double rounding = 16 * std::numeric_limits<double>::epsilon() * expected[2];
    EXPECT_NEAR(found.moments.x, expected[0], rounding);
    EXPECT_NEAR(found.moments.y, expected[1], rounding);
    EXPECT_NEAR(found.moments.z, expected[2], rounding);
    const Vec3<double>& m = found.moments;
    EXPECT_LE(difference(congruence(found.R, Sym3<double>{m.x, m.y, m.z, 0, 0, 0}), tensor), rounding);
    const Vec3<double> x{found.R.xx, found.R.yx, found.R.zx}, y{found.R.xy, found.R.yy, found.R.zy};
    EXPECT_NEAR(dot(cross(x, y), found.R.column_z()), 1, 16 * std::numeric_limits<double>::epsilon());  // right-handed
  }
}

TEST(PrincipalAxes, OfADiagonalTensorAreItsOwn) {
  const PrincipalAxes found = principal_axes({3, 1, 2, 0, 0, 0});
  EXPECT_EQ(found.moments, (Vec3<double>{1, 2, 3}));
  EXPECT_EQ(found.R, (Mat3<double>{0, 0, 1, 1, 0, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace ulna::test
