#include <algorithm>
#include <cmath>

#include "study/data.hpp"

namespace ulna {

namespace {

struct Principal {
  double value[3];
  double axis[3][3];  // column k belongs to value[k]
};

/// Jacobi rotations: a 3x3 matrix needs a handful of sweeps.
Principal principal_axes(const Sym3<double>& tensor) {
  double a[3][3] = {{tensor.xx, tensor.xy, tensor.xz}, {tensor.xy, tensor.yy, tensor.yz}, {tensor.xz, tensor.yz, tensor.zz}};
  Principal out{{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]), c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < 3; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = out.axis[k][p], y = out.axis[k][q];
          out.axis[k][p] = c * x - s * y;
          out.axis[k][q] = s * x + c * y;
        }
      }
  for (int k = 0; k < 3; ++k) out.value[k] = a[k][k];
  return out;
}

}  // namespace

std::optional<Ellipsoid> equal_inertia_ellipsoid(const Link& link) {
  if (!(link.mass > 0)) return {};
  const Principal p = principal_axes(link.inertia);
  // I_1 = m (b² + c²) / 5 and so on: a² = 5 (I_2 + I_3 - I_1) / (2 m).
  const double sum = p.value[0] + p.value[1] + p.value[2], rounding = 1e-9 * std::abs(sum);
  double axes[3];
  for (int k = 0; k < 3; ++k) {
    const double square = 2.5 * (sum - 2 * p.value[k]) / link.mass;
    if (!(2.5 * (sum - 2 * p.value[k]) >= -2.5 * rounding)) return {};  // NaN, too
    axes[k] = std::sqrt(std::max(0.0, square));
  }
  Ellipsoid out{{axes[0], axes[1], axes[2]},
                {p.axis[0][0], p.axis[0][1], p.axis[0][2], p.axis[1][0], p.axis[1][1], p.axis[1][2], p.axis[2][0], p.axis[2][1], p.axis[2][2]}};
  const Mat3<double>& R = out.rotation;
  // Right-handed.
  if (dot(cross(Vec3<double>{R.xx, R.yx, R.zx}, Vec3<double>{R.xy, R.yy, R.zy}), R.column_z()) < 0)
    out.rotation = {R.xx, R.xy, -R.xz, R.yx, R.yy, -R.yz, R.zx, R.zy, -R.zz};
  return out;
}

}  // namespace ulna
