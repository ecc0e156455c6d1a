#include <ulna/spatial/inertia.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ulna {

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

Vec3<double> principal_moments(const Sym3<double>& tensor) {
  double a[3][3] = {{tensor.xx, tensor.xy, tensor.xz}, {tensor.xy, tensor.yy, tensor.yz}, {tensor.xz, tensor.yz, tensor.zz}};
  constexpr int kSweeps = 50;  // quadratic convergence: about five are enough
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double off = std::abs(a[0][1]) + std::abs(a[0][2]) + std::abs(a[1][2]);
    const double diagonal = std::abs(a[0][0]) + std::abs(a[1][1]) + std::abs(a[2][2]);
    if (!(off > 1e-17 * diagonal)) break;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      if (a[p][q] == 0) continue;
      const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
      const double c = 1 / std::hypot(t, 1.0), s = t * c;
      for (int k = 0; k < 3; ++k) {
        const double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
      }
      for (int k = 0; k < 3; ++k) {
        const double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
      }
    }
  }
  double d[3] = {a[0][0], a[1][1], a[2][2]};
  std::sort(d, d + 3);
  return {d[0], d[1], d[2]};
}

}  // namespace ulna
