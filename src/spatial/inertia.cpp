#include <ulna/spatial/spatial.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ulna ULNA_API {

PseudoInertia<double> pseudo_inertia(double mass, const Vec3<double>& c, const Sym3<double>& I) {
  const double half_trace = 0.5 * I.trace();
  PseudoInertia<double> body{mass, mass * c, {}};
  body.S = {half_trace - I.xx + mass * c.x * c.x,
            half_trace - I.yy + mass * c.y * c.y,
            half_trace - I.zz + mass * c.z * c.z,
            mass * c.x * c.y - I.xy,
            mass * c.x * c.z - I.xz,
            mass * c.y * c.z - I.yz};
  return body;
}

Sym3<double> inertia_about_com(const PseudoInertia<double>& body) {
  if (body.m == 0) return body.J();
  const Vec3<double> c = (1 / body.m) * body.h;
  const Vec3<double>& h = body.h;
  const PseudoInertia<double> central{body.m,
                                      {},
                                      {body.S.xx - h.x * c.x, body.S.yy - h.y * c.y, body.S.zz - h.z * c.z,  //
                                       body.S.xy - h.x * c.y, body.S.xz - h.x * c.z, body.S.yz - h.y * c.z}};
  return central.J();
}

PrincipalAxes principal_axes(const Sym3<double>& tensor) {
  double a[3][3] = {{tensor.xx, tensor.xy, tensor.xz}, {tensor.xy, tensor.yy, tensor.yz}, {tensor.xz, tensor.yz, tensor.zz}};
  double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // column k belongs to a[k][k]
  constexpr int kSweeps = 50;                             // quadratic convergence: about five are enough
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double off = std::abs(a[0][1]) + std::abs(a[0][2]) + std::abs(a[1][2]);
    const double diagonal = std::abs(a[0][0]) + std::abs(a[1][1]) + std::abs(a[2][2]);
    if (!(off > 1e-17 * diagonal)) break;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      if (a[p][q] == 0) continue;
      const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
      const double c = 1 / std::hypot(t, 1.0), s = t * c;
      const auto turn = [c, s](double& x, double& y) {
        const double before = x;
        x = c * x - s * y;
        y = s * before + c * y;
      };
      for (int k = 0; k < 3; ++k) turn(a[k][p], a[k][q]);
      for (int k = 0; k < 3; ++k) turn(a[p][k], a[q][k]);
      for (int k = 0; k < 3; ++k) turn(axis[k][p], axis[k][q]);
      a[p][q] = a[q][p] = 0;  // its rounding residue would rotate a body with equal moments in every sweep
    }
  }
  int order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](int i, int k) { return a[i][i] < a[k][k]; });
  const auto column = [&](int k) { return Vec3<double>{axis[0][k], axis[1][k], axis[2][k]}; };
  const Vec3<double> x = column(order[0]), y = column(order[1]), z = cross(x, y);  // right-handed
  return {{a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]}, {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

Vec3<double> principal_moments(const Sym3<double>& tensor) { return principal_axes(tensor).moments; }

}  // namespace ULNA_API
