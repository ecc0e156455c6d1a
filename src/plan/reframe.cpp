#include "plan/reframe.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ulna::internal {

namespace {

constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();

/// a + b, and exactly zero where the two cancel but for rounding: a move that is made to bring a number to zero has to arrive there.
double sum(double a, double b) {
  const double c = a + b;
  return std::fabs(c) <= kRounding * (std::fabs(a) + std::fabs(b)) ? 0 : c;
}
Vec3<double> sum(const Vec3<double>& a, const Vec3<double>& b) { return {sum(a.x, b.x), sum(a.y, b.y), sum(a.z, b.z)}; }

/// Entries of a rotation: what is rounding of 0 or ±1 becomes it.
double clean(double x) {
  if (std::fabs(x) <= kRounding) return 0;
  if (std::fabs(std::fabs(x) - 1) <= kRounding) return x > 0 ? 1 : -1;
  return x;
}
Mat3<double> clean(const Mat3<double>& R) {
  return {clean(R.xx), clean(R.xy), clean(R.xz), clean(R.yx), clean(R.yy), clean(R.yz), clean(R.zx), clean(R.zy), clean(R.zz)};
}

/// Rz(-angle) v.
Vec3<double> turned_back(double c, double s, const Vec3<double>& v) { return {sum(c * v.x, s * v.y), sum(c * v.y, -s * v.x), v.z}; }

}  // namespace

void slide(Plan& plan, std::size_t body, const Vec3<double>& t) {
  PlanBody<double>& own = plan.bodies[body];
  own.p_PB = sum(own.p_PB, own.R_PB * t);
  own.inertia = moved(own.inertia, Mat3<double>::identity(), -t);
  for (PlanBody<double>& other : plan.bodies)
    if (other.parent == body) other.p_PB = sum(other.p_PB, -t);
  for (PlanLink<double>& link : plan.links)
    if (link.body == body) link.X_BL.p = link.X_BL.p - t;
  for (LoopRowsOf<double>& loop : plan.loops) {
    if (loop.body_A == body) loop.X_A.p = sum(loop.X_A.p, -t);
    if (loop.body_B == body) loop.X_B.p = sum(loop.X_B.p, -t);
  }
}

void turn(Plan& plan, std::size_t body, double angle) {
  PlanBody<double>& own = plan.bodies[body];
  const double c = clean(std::cos(angle)), s = clean(std::sin(angle));
  const Mat3<double> R{c, s, 0, -s, c, 0, 0, 0, 1};  // from B to the turned frame
  if (own.prismatic)
    own.R_PB = clean(own.R_PB * R.transposed());
  else
    own.offset += angle;
  own.inertia = moved(own.inertia, R, Vec3<double>{});
  for (PlanBody<double>& other : plan.bodies) {
    if (other.parent != body) continue;
    other.R_PB = clean(R * other.R_PB);
    other.p_PB = turned_back(c, s, other.p_PB);
  }
  for (PlanLink<double>& link : plan.links)
    if (link.body == body) link.X_BL = {R * link.X_BL.R, R * link.X_BL.p};
  for (LoopRowsOf<double>& loop : plan.loops) {
    if (loop.body_A == body) loop.X_A = {clean(R * loop.X_A.R), turned_back(c, s, loop.X_A.p)};
    if (loop.body_B == body) loop.X_B = {clean(R * loop.X_B.R), turned_back(c, s, loop.X_B.p)};
  }
  find_aligned(plan);
}

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
  if (own.prismatic || std::fabs(s) <= kRounding || std::fabs(c) <= kRounding) return;  // right angles fold away as they are
  own.R_PB = clean({x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z});
  own.offset += angle;
  find_aligned(plan);
}

bool hold_still(Plan& plan, std::size_t body) {
  PlanBody<double>& own = plan.bodies[body];
  if (own.prismatic) return false;
  bool any = false;
  for (const PlanBody<double>& other : plan.bodies) {
    if (other.parent != body) continue;
    if (other.prismatic || std::fabs(other.R_PB.zz) != 1) return false;
    any = true;
  }
  own.still = any;
  return any;
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

Plan in_length_unit(const Plan& plan, double unit) {
  if (plan.free) throw std::invalid_argument("a length unit of its own is only possible where the base is bolted down");
  Plan to = plan;
  const auto scaled = [](PseudoInertia<double> body, double length) {
    body.m = body.m * (length * length);  // m / (1 / unit²), and lengths / unit
    body.h = length * body.h;
    return body;
  };
  for (PlanBody<double>& body : to.bodies) {
    if (body.prismatic) throw std::invalid_argument("a length unit of its own is only possible where all joints are revolute");
    const Vec3<double> p = body.p_PB;  // divided, so that an offset of one unit becomes exactly 1
    body.p_PB = {p.x / unit, p.y / unit, p.z / unit};
    body.inertia = scaled(body.inertia, unit);
    body.lumped = scaled(body.lumped, unit);
  }
  for (PlanLink<double>& link : to.links) link.X_BL.p = {link.X_BL.p.x / unit, link.X_BL.p.y / unit, link.X_BL.p.z / unit};
  to.base = scaled(to.base, unit);
  to.gravity = {to.gravity.x / unit, to.gravity.y / unit, to.gravity.z / unit};
  return to;
}

}  // namespace ulna::internal
