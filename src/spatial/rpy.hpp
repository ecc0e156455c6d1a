// Roll, pitch and yaw of a rotation, for writers of files.
#pragma once

#include <cmath>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

/// The angles that rotation_rpy() takes. Roll is read after yaw has been taken off, so that the three fit together even where pitch is near a right
/// angle and yaw is hardly defined.
inline Vec3<double> rpy_of(const Mat3<double>& R) {
  const double across = std::hypot(R.xx, R.yx);
  const double yaw = across <= kDirectionRounding ? 0 : std::atan2(R.yx, R.xx);
  const double c = std::cos(yaw), s = std::sin(yaw);
  const double pitch = across <= kDirectionRounding ? std::copysign(std::acos(0.0), -R.zx) : std::atan2(-R.zx, across);
  Vec3<double> rpy{std::atan2(s * R.xz - c * R.yz, c * R.yy - s * R.xy), pitch, yaw};
  const double right = std::acos(0.0);
  for (double* angle : {&rpy.x, &rpy.y, &rpy.z}) {
    const double quarters = std::round(*angle / right);
    if (std::abs(*angle - quarters * right) <= kDirectionRounding) *angle = quarters * right + 0.0;  // a right angle stays one; no -0
  }
  return rpy;
}

}  // namespace ulna::internal
