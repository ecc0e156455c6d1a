// The planar arm of two links in closed form, as every textbook has it; numbers of the built-in planar-2r.
#pragma once

#include <cmath>
#include <vector>

namespace ulna::test {

struct PlanarArm {
  std::vector<double> tau;
  double M11, M12, M22;
  double size;  // of what the torques are sums of, for rates and accelerations of up to 4

  PlanarArm(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
    const double l1 = 1, m1 = 6, c1 = 0.5, I1 = 0.5, m2 = 4, c2 = 0.4, I2 = 0.2, g = 9.81;
    M11 = I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * std::cos(q[1]));
    M12 = I2 + m2 * (c2 * c2 + l1 * c2 * std::cos(q[1]));
    M22 = I2 + m2 * c2 * c2;
    const double h = m2 * l1 * c2 * std::sin(q[1]), g2 = g * m2 * c2 * std::cos(q[0] + q[1]), g1 = g * (m1 * c1 + m2 * l1) * std::cos(q[0]) + g2;
    tau = {M11 * a[0] + M12 * a[1] - h * (2 * v[0] * v[1] + v[1] * v[1]) + g1, M12 * a[0] + M22 * a[1] + h * v[0] * v[0] + g2};
    size = M11 * 8 + h * 48 + g * (m1 * c1 + m2 * (l1 + c2));
  }
};

}  // namespace ulna::test
