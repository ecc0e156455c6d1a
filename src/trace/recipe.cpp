#include "trace/recipe.hpp"

namespace ulna::internal {

namespace {

/// Exact zeros where the rotation was made for them.
void settle(Plan& plan, std::size_t i) {
  PseudoInertia<double>& I = plan.bodies[i].inertia;
  const double h = std::fabs(I.h.x) + std::fabs(I.h.y);
  const double S = std::fabs(I.S.xx) + std::fabs(I.S.yy) + std::fabs(I.S.zz);
  for (double* x : {&I.h.x, &I.h.y})
    if (std::fabs(*x) <= kEntryRounding * h) *x = 0;
  for (double* x : {&I.S.xy, &I.S.xz, &I.S.yz})
    if (std::fabs(*x) <= kEntryRounding * S) *x = 0;
}

bool is_rotation_step(Reframing::Kind kind) { return kind >= Reframing::turn_by; }
bool by_numbers(Reframing::Kind kind) {
  return kind != Reframing::slide_by && kind != Reframing::strip_offset && kind != Reframing::hold_axes && kind != Reframing::turn_by;
}

}  // namespace

Vec3<double> slide_of(const PlanBody<double>& body, Reframing::Kind kind) {
  const PseudoInertia<double>& I = body.lumped;
  switch (kind) {
    case Reframing::slide_to_com: return body.inertia.m > 0 ? (1 / body.inertia.m) * body.inertia.h : Vec3<double>{};
    // S_xz' = S_xz - s h_x, because the lumped body has no mass
    case Reframing::slide_sxz: return {0, 0, I.h.x != 0 ? I.S.xz / I.h.x : 0};
    case Reframing::slide_syz: return {0, 0, I.h.y != 0 ? I.S.yz / I.h.y : 0};
    default: return {};
  }
}

double turn_of(const PlanBody<double>& body, Reframing::Kind kind) {
  const PseudoInertia<double>& I = body.lumped;
  const auto angle = [](double y, double x) { return y == 0 || x == 0 ? 0 : std::atan2(y, x); };  // none along an axis
  switch (kind) {
    case Reframing::turn_sxy: return 0.5 * angle(2 * I.S.xy, I.S.xx - I.S.yy);
    case Reframing::turn_hy: return angle(I.h.y, I.h.x);
    case Reframing::turn_syz: return angle(I.S.yz, I.S.xz);
    default: return 0;
  }
}

void reframe(Plan& plan, const Reframing& step) {
  const PlanBody<double>& body = plan.bodies[step.body];
  if (step.kind == Reframing::strip_offset) return strip(plan, step.body);
  if (step.kind == Reframing::hold_axes) {
    hold_still(plan, step.body);  // one that is no longer parallel does not fit the programs: its pattern differs
    return;
  }
  if (!is_rotation_step(step.kind)) return slide(plan, step.body, step.kind == Reframing::slide_by ? step.t : slide_of(body, step.kind));
  rotate_frame(plan, step.body, step.kind == Reframing::turn_by ? step.angle : turn_of(body, step.kind));
  for (std::size_t k = 0; k < plan.bodies.size(); ++k)
    if (plan.bodies[k].parent == step.body) strip(plan, k);
  settle(plan, step.body);
}

std::optional<Plan> replay(const Recipe& recipe, Plan plan, Digits& digits, const Digits::Question& question) {
  const double farthest = 2 * reach(plan);
  for (const Reframing& step : recipe.steps) {
    if (by_numbers(step.kind)) lump(plan, step.choices);
    reframe(plan, step);
    // A slide by a quotient may lose digits that no later step restores, even an opposite one.
    const Vec3<double>& p = plan.bodies[step.body].p_PB;
    if (by_numbers(step.kind) && !is_rotation_step(step.kind) && !(std::hypot(p.x, p.y, p.z) <= farthest)) return std::nullopt;
  }
  lump(plan, recipe.choices);
  if (recipe.unit != 1) {
    if (!suits_as_unit(plan, recipe.unit)) return std::nullopt;
    plan = in_length_unit(plan, recipe.unit);
  }
  if (!digits.keep(plan.closed() ? plan.opened() : plan, question)) return std::nullopt;
  return plan;
}

}  // namespace ulna::internal
