#include "plan/reframe-inl.hpp"

namespace ulna::internal {

using namespace reframing;

template void slide(Plan&, std::size_t, const Vec3<double>&);
template bool hold_still(Plan&, std::size_t);
template Plan in_length_unit(const Plan&, const double&);

void rotate_frame(Plan& plan, std::size_t body, double angle) { rotate_frame<double>(plan, body, angle, {clean(std::sin(angle)), clean(std::cos(angle))}); }

void strip(Plan& plan, std::size_t body) {
  PlanBody<double>& own = plan.bodies[body];
  const Mat3<double>& R = own.R_PB;
  const Vec3<double> z = R.column_z();
  // x of R0 along an axis of P where z allows it, else across z and z of P.
  Vec3<double> x;
  if (z.x == 0)
    x = {1, 0, 0};
  else if (z.y == 0)
    x = {0, 1, 0};
  else if (z.z == 0)
    x = {0, 0, 1};
  else {
    const double length = std::hypot(z.x, z.y);
    x = {z.y / length, -z.x / length, 0};
  }
  const Vec3<double> y = cross(z, x);
  const double c = x.x * R.xx + x.y * R.yx + x.z * R.zx;  // x of B in R0
  const double s = y.x * R.xx + y.y * R.yx + y.z * R.zx;
  const double angle = std::atan2(s, c);
  if (own.prismatic || own.ball > 0 || std::fabs(s) <= kRounding || std::fabs(c) <= kRounding) return;  // right angles fold away as they are
  own.R_PB = clean(Mat3<double>{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z});
  own.offset += angle;
  find_aligned(plan);
}

double reach(const Plan& plan) {
  double sum = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    sum += std::hypot(body.p_PB.x, body.p_PB.y, body.p_PB.z);
    if (body.inertia.m > 0) sum += std::sqrt(std::fabs(body.inertia.S.trace())) / std::sqrt(body.inertia.m);  // not of a quotient: it may overflow
  }
  return sum;
}

bool suits_as_unit(const Plan& plan, double length) {
  constexpr double kDecades = 1e4;
  const double size = reach(plan);
  return length >= size / kDecades && length <= size * kDecades;
}

}  // namespace ulna::internal
