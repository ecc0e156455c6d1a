#include <algorithm>
#include <cmath>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

Mat3<double> rotation_x(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {1, 0, 0, 0, c, -s, 0, s, c};
}

Mat3<double> rotation_y(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c, 0, s, 0, 1, 0, -s, 0, c};
}

Mat3<double> rotation_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}

Mat3<double> rotation_rpy(double roll, double pitch, double yaw) { return rotation_z(yaw) * rotation_y(pitch) * rotation_x(roll); }

Mat3<double> rotation_about(const Vec3<double>& n, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  return {t * n.x * n.x + c,       t * n.x * n.y - s * n.z, t * n.x * n.z + s * n.y,  //
          t * n.x * n.y + s * n.z, t * n.y * n.y + c,       t * n.y * n.z - s * n.x,  //
          t * n.x * n.z - s * n.y, t * n.y * n.z + s * n.x, t * n.z * n.z + c};
}

Mat3<double> rotation_z_to(const Vec3<double>& a) {
  if (a == Vec3<double>{0, 0, 1}) return Mat3<double>::identity();
  if (a == Vec3<double>{0, 0, -1}) return {1, 0, 0, 0, -1, 0, 0, 0, -1};
  if (std::abs(a.x) == 1 && a.y == 0 && a.z == 0) return {0, 0, a.x, 1, 0, 0, 0, a.x, 0};
  if (std::abs(a.y) == 1 && a.x == 0 && a.z == 0) return {0, a.y, 0, 0, 0, a.y, 1, 0, 0};
  const Vec3<double> helper = std::abs(a.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  Vec3<double> x = helper - dot(helper, a) * a;
  x = (1 / std::sqrt(dot(x, x))) * x;
  const Vec3<double> y = cross(a, x);
  return {x.x, y.x, a.x, x.y, y.y, a.y, x.z, y.z, a.z};
}

Mat3<double> rotation_of(const Quaternion& q) {
  const double largest = std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z), std::abs(q.w)});  // its square might overflow
  const double w = q.w / largest, x = q.x / largest, y = q.y / largest, z = q.z / largest, n = w * w + x * x + y * y + z * z;
  return {(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n, 2 * (x * y + w * z) / n,
          (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n, 2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n,
          (w * w - x * x - y * y + z * z) / n};
}

Quaternion quaternion(const Mat3<double>& R) {
  // The largest of the four squared components divides, so the result keeps full precision for every rotation.
  const double squares[4] = {1 + R.xx - R.yy - R.zz, 1 - R.xx + R.yy - R.zz, 1 - R.xx - R.yy + R.zz, 1 + R.xx + R.yy + R.zz};
  int largest = 0;
  for (int k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  const double twice = std::sqrt(squares[largest]);
  const double f = 0.5 / twice;
  Quaternion r{};
  switch (largest) {
    case 0: r = {0.5 * twice, (R.xy + R.yx) * f, (R.xz + R.zx) * f, (R.zy - R.yz) * f}; break;
    case 1: r = {(R.xy + R.yx) * f, 0.5 * twice, (R.yz + R.zy) * f, (R.xz - R.zx) * f}; break;
    case 2: r = {(R.xz + R.zx) * f, (R.yz + R.zy) * f, 0.5 * twice, (R.yx - R.xy) * f}; break;
    default: r = {(R.zy - R.yz) * f, (R.xz - R.zx) * f, (R.yx - R.xy) * f, 0.5 * twice}; break;
  }
  return r.w < 0 ? Quaternion{-r.x, -r.y, -r.z, -r.w} : r;
}

}  // namespace ULNA_API
