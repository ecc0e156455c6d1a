// The moves of reframe.hpp and lump() for any scalar of parameters: doubles, where what rounding leaves of a zero is removed, and exact numbers.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include <ulna/scalar/scalar.hpp>

#include "plan/reframe.hpp"

namespace ulna::internal {

namespace reframing {

inline constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();

/// a + b, and exactly zero where the two cancel up to rounding: a move that shall make a number vanish must give zero.
template <class P>
P sum(const P& a, const P& b) {
  const P c = a + b;
  if constexpr (std::floating_point<P>)
    return std::fabs(c) <= kRounding * (std::fabs(a) + std::fabs(b)) ? 0 : c;
  else
    return c;
}
template <class P>
Vec3<P> sum(const Vec3<P>& a, const Vec3<P>& b) {
  return {sum(a.x, b.x), sum(a.y, b.y), sum(a.z, b.z)};
}

/// Entries of a rotation: 0 or ±1 with rounding become exact.
inline double clean(double x) {
  if (std::fabs(x) <= kRounding) return 0;
  if (std::fabs(std::fabs(x) - 1) <= kRounding) return x > 0 ? 1 : -1;
  return x;
}
template <class P>
Mat3<P> clean(const Mat3<P>& R) {
  if constexpr (std::floating_point<P>)
    return {clean(R.xx), clean(R.xy), clean(R.xz), clean(R.yx), clean(R.yy), clean(R.yz), clean(R.zx), clean(R.zy), clean(R.zz)};
  else
    return R;
}

/// Rz(-angle) v.
template <class P>
Vec3<P> rotated_back(const SinCos<P>& angle, const Vec3<P>& v) {
  return {sum<P>(angle.cos * v.x, angle.sin * v.y), sum<P>(angle.cos * v.y, -(angle.sin * v.x)), v.z};
}

template <class P>
bool along_an_axis(const Vec3<P>& z) {
  return (z.x != P(0)) + (z.y != P(0)) + (z.z != P(0)) == 1;
}

template <class P>
P without_rounding(const P& sum, const P& term) {
  if constexpr (std::floating_point<P>)
    return std::fabs(sum) <= 8 * std::numeric_limits<double>::epsilon() * std::fabs(term) ? 0 : sum;
  else
    return sum;
}
/// `a + b` with the entries that are rounding of what was added replaced by zero: they would live on as terms of the equations.
template <class P>
PseudoInertia<P> without_rounding(const PseudoInertia<P>& a, const PseudoInertia<P>& b) {
  const PseudoInertia<P> c = a + b;
  return {without_rounding(c.m, b.m),
          {without_rounding(c.h.x, b.h.x), without_rounding(c.h.y, b.h.y), without_rounding(c.h.z, b.h.z)},
          {without_rounding(c.S.xx, b.S.xx), without_rounding(c.S.yy, b.S.yy), without_rounding(c.S.zz, b.S.zz), without_rounding(c.S.xy, b.S.xy),
           without_rounding(c.S.xz, b.S.xz), without_rounding(c.S.yz, b.S.yz)}};
}

/// Entries that are smaller than the rounding of the body they belong to: remains where rotated frames should have given 0.
template <class P>
void drop_dust(PlanBody<P>& body) {
  if constexpr (std::floating_point<P>) {
    const auto trace = [](const Sym3<double>& S) { return std::fabs(S.xx) + std::fabs(S.yy) + std::fabs(S.zz); };
    PseudoInertia<double>& own = body.lumped;
    const double size_S = trace(own.S) + trace(body.inertia.S);
    const double size_h = std::fabs(own.h.x) + std::fabs(own.h.y) + std::sqrt(std::fabs(body.inertia.m)) * std::sqrt(trace(body.inertia.S));  // |h|² <= m tr S
    const auto clean = [](double& x, double size) {
      if (std::fabs(x) <= 0.5 * std::numeric_limits<double>::epsilon() * size) x = 0;
    };
    for (double* x : {&own.h.x, &own.h.y, &own.h.z}) clean(*x, size_h);
    for (double* x : {&own.S.xx, &own.S.yy, &own.S.zz, &own.S.xy, &own.S.xz, &own.S.yz}) clean(*x, size_S);
  }
}

/// Moves mass on the axis of child `to` between the two so that one entry of h of `own` vanishes.
template <class P>
void balance(PlanBody<P>& own, PlanBody<P>& child, int axis) {
  const Vec3<P>& p = child.p_PB;
  Vec3<P>& h = own.lumped.h;
  const P offset = axis == 0 ? p.x : p.y;
  if (child.prismatic || child.ball > 0 || offset == P(0)) return;
  const P mass = (axis == 0 ? h.x : h.y) / offset;
  const PseudoInertia<P> point = moved(PseudoInertia<P>{mass, {}, {}}, Mat3<P>::identity(), p);
  own.lumped = without_rounding(own.lumped, {-point.m, -point.h, Sym3<P>{} - point.S});
  (axis == 0 ? h.x : h.y) = P(0);
  child.lumped.m = child.lumped.m + mass;
}

/// The same with second moments along the child's axis and a product of inertia.
template <class P>
void decouple(PlanBody<P>& own, PlanBody<P>& child, int entry) {
  const Vec3<P> z = child.R_PB.column_z();
  Sym3<P>& S = own.lumped.S;
  const P reach = entry == 0 ? z.x * z.y : entry == 1 ? z.x * z.z : z.y * z.z;
  P& product = entry == 0 ? S.xy : entry == 1 ? S.xz : S.yz;
  if (child.prismatic || child.ball > 0 || reach == P(0)) return;
  const P amount = product / reach;
  S = S - amount * Sym3<P>{z.x * z.x, z.y * z.y, z.z * z.z, z.x * z.y, z.x * z.z, z.y * z.z};
  product = P(0);
  child.lumped.S.zz = child.lumped.S.zz + amount;
}

/// The part of a lumped body that moves to its parent: mass on its axis, m, h_z and S_zz of any amount, has no effect at a revolute joint; a prismatic link
/// only translates against its parent, so that its second moments can be the parent's, which do not depend on its position.
template <class P>
PseudoInertia<P> given_to_parent(const PlanBody<P>& body, Lumping lumping) {
  PseudoInertia<P> given;
  const PseudoInertia<P>& own = body.lumped;
  if (lumping == Lumping::none || body.ball > 0) return given;
  if (body.prismatic) {
    given.S = own.S;
    return given;
  }
  given.m = own.m;
  given.h.z = own.h.z;
  given.S.zz = lumping == Lumping::szz ? own.S.zz : lumping == Lumping::jyy ? own.S.zz + own.S.xx : own.S.zz + own.S.yy;
  return given;
}

}  // namespace reframing

/// See find_aligned().
template <class P>
void find_aligned_axes(PlanOf<P>& plan) {
  using reframing::along_an_axis;
  for (PlanBody<P>& body : plan.bodies) {
    const Mat3<P>& R = body.R_PB;
    const P zero(0);
    body.square = along_an_axis(R.column_z()) && along_an_axis(Vec3<P>{R.xx, R.yx, R.zx}) && along_an_axis(Vec3<P>{R.xy, R.yy, R.zy});
    body.aligned = body.prismatic ? body.square : body.ball != 1 && along_an_axis(R.column_z());
    body.about_x = !body.square && R.xx == P(1) && R.xy == zero && R.xz == zero && R.yx == zero && R.zx == zero;
    body.passes_x = body.passes_y = false;
    if (body.parent == kNone) continue;
    PlanBody<P>& parent = plan.bodies[body.parent];
    parent.passes_x = parent.passes_x || !body.square || R.xz != zero || body.prismatic;
    parent.passes_y = parent.passes_y || !body.square || R.yz != zero || body.prismatic;
  }
}

template <class P>
void slide(PlanOf<P>& plan, std::size_t body, const Vec3<P>& t) {
  using reframing::sum;
  PlanBody<P>& own = plan.bodies[body];
  own.p_PB = sum(own.p_PB, Vec3<P>(own.R_PB * t));
  own.inertia = moved(own.inertia, Mat3<P>::identity(), -t);
  for (PlanBody<P>& other : plan.bodies)
    if (other.parent == body) other.p_PB = sum(other.p_PB, -t);
  for (PlanLink<P>& link : plan.links)
    if (link.body == body) link.X_BL.p = link.X_BL.p - t;
  for (LoopRowsOf<P>& loop : plan.loops) {
    if (loop.body_A == body) loop.X_A.p = sum(loop.X_A.p, -t);
    if (loop.body_B == body) loop.X_B.p = sum(loop.X_B.p, -t);
  }
}

/// rotate_frame() by an angle whose sine and cosine are known.
template <class P>
void rotate_frame(PlanOf<P>& plan, std::size_t body, const P& angle, const SinCos<P>& sc) {
  using namespace reframing;
  PlanBody<P>& own = plan.bodies[body];
  const P &c = sc.cos, &s = sc.sin, zero(0);
  const Mat3<P> R{c, s, zero, -s, c, zero, zero, zero, P(1)};  // from B to the rotated frame
  if (own.prismatic)
    own.R_PB = clean(own.R_PB * R.transposed());
  else
    own.offset = own.offset + angle;
  own.inertia = moved(own.inertia, R, Vec3<P>{});
  for (PlanBody<P>& other : plan.bodies) {
    if (other.parent != body) continue;
    other.R_PB = clean(R * other.R_PB);
    other.p_PB = rotated_back(sc, other.p_PB);
  }
  for (PlanLink<P>& link : plan.links)
    if (link.body == body) link.X_BL = {R * link.X_BL.R, R * link.X_BL.p};
  for (LoopRowsOf<P>& loop : plan.loops) {
    if (loop.body_A == body) loop.X_A = {clean(R * loop.X_A.R), rotated_back(sc, loop.X_A.p)};
    if (loop.body_B == body) loop.X_B = {clean(R * loop.X_B.R), rotated_back(sc, loop.X_B.p)};
  }
  find_aligned_axes(plan);
}

template <class P>
bool hold_still(PlanOf<P>& plan, std::size_t body) {
  PlanBody<P>& own = plan.bodies[body];
  if (own.prismatic || own.ball > 0) return false;
  bool any = false;
  for (const PlanBody<P>& other : plan.bodies) {
    if (other.parent != body) continue;
    if (other.prismatic || other.ball > 0 || (other.R_PB.zz != P(1) && other.R_PB.zz != P(-1))) return false;
    any = true;
  }
  own.still = any;
  return any;
}

template <class P>
PlanOf<P> in_length_unit(const PlanOf<P>& plan, const P& unit) {
  if (plan.free) throw std::invalid_argument("a length unit of its own is only possible where the base is fixed");
  PlanOf<P> to = plan;
  const auto scaled = [](PseudoInertia<P> body, const P& length) {
    body.m = body.m * (length * length);  // m / (1 / unit²), and lengths / unit
    body.h = length * body.h;
    return body;
  };
  // Divided, so that an offset of one unit becomes exactly 1.
  const auto in_units = [&](const Vec3<P>& p) { return Vec3<P>{p.x / unit, p.y / unit, p.z / unit}; };
  for (PlanBody<P>& body : to.bodies) {
    if (body.prismatic) throw std::invalid_argument("a length unit of its own is only possible where all joints are revolute");
    body.p_PB = in_units(body.p_PB);
    body.inertia = scaled(body.inertia, unit);
    body.lumped = scaled(body.lumped, unit);
  }
  for (PlanLink<P>& link : to.links) link.X_BL.p = in_units(link.X_BL.p);
  to.base = scaled(to.base, unit);
  to.gravity = in_units(to.gravity);
  return to;
}

template <class P>
void lump(PlanOf<P>& plan, std::span<const LumpChoice> choices) {
  using namespace reframing;
  if (choices.size() != plan.bodies.size())
    throw std::invalid_argument("lump: " + std::to_string(choices.size()) + " choices for " + std::to_string(plan.bodies.size()) + " bodies");
  for (PlanBody<P>& body : plan.bodies) body.lumped = body.inertia;
  plan.lumped_base = plan.base;
  const auto child_of = [&](std::size_t i, std::size_t child) -> PlanBody<P>* {
    if (child >= plan.nbody() || plan.bodies[child].parent != i) return nullptr;
    return &plan.bodies[child];
  };
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const Lumping lumping = choices[i].lumping;
    PlanBody<P>& body = plan.bodies[i];
    PseudoInertia<P>& own = body.lumped;
    drop_dust(body);
    if (PlanBody<P>* child = child_of(i, choices[i].mass_to)) balance(body, *child, choices[i].axis);
    if (PlanBody<P>* child = child_of(i, choices[i].moment_to)) decouple(body, *child, choices[i].entry);
    if (lumping == Lumping::none || body.ball > 0) continue;
    const PseudoInertia<P> given = given_to_parent(body, lumping);
    if (body.prismatic) {
      own.S = {};
    } else {
      own.m = own.h.z = P(0);
      own.S.zz = lumping == Lumping::szz ? P(0) : lumping == Lumping::jyy ? -own.S.xx : -own.S.yy;
    }
    if (body.parent == kNone && !plan.free) continue;  // a fixed base has no equation
    PseudoInertia<P>& parent = body.parent == kNone ? plan.lumped_base : plan.bodies[body.parent].lumped;
    parent = without_rounding(parent, moved(given, body.R_PB, body.prismatic ? Vec3<P>{} : body.p_PB));
  }
  for (PlanBody<P>& body : plan.bodies) body.flat = body.lumped.S.zz == P(0);
}

}  // namespace ulna::internal
