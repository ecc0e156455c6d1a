#include "trace/goal.hpp"

#include <cmath>

#include "formulation/compute_expr.hpp"
#include "formulation/joint_names.hpp"
#include "trace/inputs.hpp"

namespace ulna::internal {

Tracer::Tracer(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method)
    : quantity_(quantity), rotor_(options.rotor), method_(method), form_(first_form(quantity)), ws_(plan), results_(row_of(quantity).size(plan.sizes())) {}

void Tracer::name_quantities() {
  for (std::size_t i = 0; i < ws_.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws_.bodies[i];
    const JointNames name([this](const NodeName& known, const Expr& x) { graph_.name(x, known); }, i);
    name("s", s.turn.sin);
    name("c", s.turn.cos);
    name("w", s.w_WB_B);
    name("dw", s.alpha_WB_B);
    name("a", s.a_WBo_B);
    name("f", s.f_B);
    name("n", s.n_B);
    name("U", s.U);
    name("m", s.composite.m);
    name("h", s.composite.h);
    name("S", s.composite.S);
  }
}

const std::vector<Expr>& Tracer::operator()(const Plan& plan, const Extras& extras, double unit) {
  graph_.clear();
  if (extras.any()) return under(plan, extras, unit);
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.sizes());
  kernel::compute(quantity_, plan, ws_, in.of(kNone, method_, form_), results_.data(), effects);
  return results_;
}

namespace {

/// What friction takes of each coordinate: viscous v + coulomb side. A coordinate's side is that of its joints, but for their multipliers' signs.
struct CoordinateFriction {
  explicit CoordinateFriction(const Plan& plan) : viscous(plan.nv, 0), coulomb(plan.nv, 0) {
    for (const PlanBody<double>& body : plan.bodies) {
      viscous[body.v] += body.multiplier * body.multiplier * body.viscous;
      coulomb[body.v] += std::fabs(body.multiplier) * body.coulomb;
    }
  }
  Expr of(std::size_t k, const Expr& v, const Expr& side) const { return viscous[k] * v + coulomb[k] * side; }

  std::vector<double> viscous, coulomb;
};

}  // namespace

const std::vector<Expr>& Tracer::under(const Plan& plan, const Extras& extras, double unit) {
  const QuantityRow& row = row_of(quantity_);
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.sizes());
  InputsOf<Expr> given = in.of(kNone, method_, form_);
  Plan at_origin = plan;
  WrenchOf<Expr> acting{extras.wrench_link};
  if (extras.wrench_link != kNone && row.influences.wrenches) {
    const std::vector<Expr> w = graph_.inputs("wrench", 6);
    PlanLink<double>& link = at_origin.links[extras.wrench_link];
    // At the body's origin, in its axes: those of one that is held still do not turn with it, so the wrench does.
    acting.force = link.X_BL.R * Vec3<Expr>{unit * w[0], unit * w[1], unit * w[2]};
    acting.moment = link.X_BL.R * Vec3<Expr>{w[3], w[4], w[5]} + cross(link.X_BL.p, acting.force);
    if (link.body != kNone && plan.bodies[link.body].still) {
      kernel::place(plan, ws_, given.q);
      const SinCos<Expr>& held = ws_.bodies[link.body].held;
      acting.force = kernel::turned(held, acting.force);
      acting.moment = kernel::turned(held, acting.moment);
    }
    link.X_BL = {};
    effects.wrenches = {&acting, 1};
    given.form.rates_give_bias = false;
  }
  const std::vector<Expr> table = extras.table != nullptr ? graph_.inputs("table", extras.table->size()) : std::vector<Expr>{};
  const auto run = [&] {
    if (extras.table != nullptr)
      kernel::compute(quantity_, extras.table->symbolic(at_origin, table), ws_, given, results_.data(), effects);
    else
      kernel::compute(quantity_, at_origin, ws_, given, results_.data(), effects);
  };
  if (!extras.friction || !row.influences.friction) {
    run();
    return results_;
  }
  const CoordinateFriction friction(plan);
  const std::vector<Expr> side = graph_.inputs("side", plan.nv);
  const std::size_t n = plan.nv;
  std::vector<Expr> taken(n), driving = in.last();
  for (std::size_t k = 0; k < n; ++k) taken[k] = friction.of(k, in.v()[k], side[k]);
  if (row.takes("tau")) {
    for (std::size_t k = 0; k < n; ++k) driving[k] = driving[k] - taken[k];
    given.last = driving.data();
  }
  run();
  if (row.parts.empty()) {
    for (std::size_t k = 0; k < n && !row.takes("tau"); ++k) results_[k] = results_[k] + taken[k];
    return results_;
  }
  // Derivatives: the second matrix is by rates, and of accelerations the third is M⁻¹.
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t column = n * n + k * n;
    if (!row.takes("tau")) results_[column + k] = results_[column + k] + Expr(friction.viscous[k]);
    for (std::size_t i = 0; i < n && row.takes("tau"); ++i) results_[column + i] = results_[column + i] - friction.viscous[k] * results_[n * n + column + i];
  }
  return results_;
}

}  // namespace ulna::internal
