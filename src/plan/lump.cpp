#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "plan/reframe.hpp"

namespace ulna::internal {

namespace {

/// `sum` with the entries that are rounding of what was added replaced by zero: they would live on as terms of the equations.
double without_rounding(double sum, double term) { return std::fabs(sum) <= 8 * std::numeric_limits<double>::epsilon() * std::fabs(term) ? 0 : sum; }
PseudoInertia<double> without_rounding(const PseudoInertia<double>& a, const PseudoInertia<double>& b) {
  const PseudoInertia<double> c = a + b;
  return {without_rounding(c.m, b.m),
          {without_rounding(c.h.x, b.h.x), without_rounding(c.h.y, b.h.y), without_rounding(c.h.z, b.h.z)},
          {without_rounding(c.S.xx, b.S.xx), without_rounding(c.S.yy, b.S.yy), without_rounding(c.S.zz, b.S.zz), without_rounding(c.S.xy, b.S.xy),
           without_rounding(c.S.xz, b.S.xz), without_rounding(c.S.yz, b.S.yz)}};
}

/// Entries that are smaller than the rounding of the body they belong to: left over where turned frames should have given 0.
void drop_dust(PlanBody<double>& body) {
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

/// Moves mass on the axis of child `to` between the two so that one entry of h of `own` vanishes.
void balance(PlanBody<double>& own, PlanBody<double>& child, int axis) {
  const Vec3<double>& p = child.p_PB;
  Vec3<double>& h = own.lumped.h;
  const double offset = axis == 0 ? p.x : p.y;
  if (child.prismatic || offset == 0) return;
  const double mass = (axis == 0 ? h.x : h.y) / offset;
  const PseudoInertia<double> point = moved(PseudoInertia<double>{mass, {}, {}}, Mat3<double>::identity(), p);
  own.lumped = without_rounding(own.lumped, {-point.m, -point.h, Sym3<double>{} - point.S});
  (axis == 0 ? h.x : h.y) = 0;
  child.lumped.m += mass;
}

/// The same with second moments along the child's axis and a product of inertia.
void decouple(PlanBody<double>& own, PlanBody<double>& child, int entry) {
  const Vec3<double> z = child.R_PB.column_z();
  Sym3<double>& S = own.lumped.S;
  const double reach = entry == 0 ? z.x * z.y : entry == 1 ? z.x * z.z : z.y * z.z;
  double& product = entry == 0 ? S.xy : entry == 1 ? S.xz : S.yz;
  if (child.prismatic || reach == 0) return;
  const double amount = product / reach;
  S = S - amount * Sym3<double>{z.x * z.x, z.y * z.y, z.z * z.z, z.x * z.y, z.x * z.z, z.y * z.z};
  product = 0;
  child.lumped.S.zz += amount;
}

}  // namespace

void lump(Plan& plan, std::span<const LumpChoice> choices) {
  if (choices.size() != plan.bodies.size())
    throw std::invalid_argument("lump: " + std::to_string(choices.size()) + " choices for " + std::to_string(plan.bodies.size()) + " bodies");
  for (PlanBody<double>& body : plan.bodies) body.lumped = body.inertia;
  plan.lumped_base = plan.base;
  const auto child_of = [&](std::size_t i, std::size_t child) -> PlanBody<double>* {
    if (child >= plan.nbody() || plan.bodies[child].parent != i) return nullptr;
    return &plan.bodies[child];
  };
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const Lumping lumping = choices[i].lumping;
    PlanBody<double>& body = plan.bodies[i];
    PseudoInertia<double>& own = body.lumped;
    drop_dust(body);
    if (PlanBody<double>* child = child_of(i, choices[i].mass_to)) balance(body, *child, choices[i].axis);
    if (PlanBody<double>* child = child_of(i, choices[i].moment_to)) decouple(body, *child, choices[i].entry);
    if (lumping == Lumping::none) continue;
    PseudoInertia<double> given;  // to the parent
    if (body.prismatic) {
      // A sliding link only translates against its parent, so its second moments might as well be the parent's. They turn with it and do not
      // depend on where it is.
      given.S = own.S;
      own.S = {};
    } else {
      // Mass on the joint's axis moves with the parent, whatever the joint does: m, h_z, and S_zz of any amount.
      const double kept = lumping == Lumping::szz ? 0 : lumping == Lumping::jyy ? -own.S.xx : -own.S.yy;
      given.m = own.m;
      given.h.z = own.h.z;
      given.S.zz = own.S.zz - kept;
      own.m = 0;
      own.h.z = 0;
      own.S.zz = kept;
    }
    if (body.parent == kNone && !plan.free) continue;  // a base that is bolted down feels nothing that anybody asks for
    PseudoInertia<double>& parent = body.parent == kNone ? plan.lumped_base : plan.bodies[body.parent].lumped;
    parent = without_rounding(parent, moved(given, body.R_PB, body.prismatic ? Vec3<double>{} : body.p_PB));
  }
  for (PlanBody<double>& body : plan.bodies) body.flat = body.lumped.S.zz == 0;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

void lump(Plan& plan, Lumping lumping) {
  const std::vector<LumpChoice> same(plan.bodies.size(), LumpChoice{lumping});
  lump(plan, same);
}

}  // namespace ULNA_API
