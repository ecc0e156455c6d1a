#include "trace/goal.hpp"

#include "trace/compute_expr.hpp"
#include "trace/friction.hpp"
#include "trace/inputs.hpp"
#include "trace/joint_names.hpp"

namespace ulna::internal {

Tracer::Tracer(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method)
    : quantity_(quantity),
      rotor_(options.rotor),
      method_(method),
      form_(first_form(quantity)),
      ws_(plan.cast<Expr>()),
      results_(row_of(quantity).size(plan.sizes())) {}

void Tracer::name_quantities() {
  for (std::size_t i = 0; i < ws_.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws_.bodies[i];
    const JointNames name([this](const NodeName& known, const Expr& x) { graph_.name(x, known); }, i);
    name("s", s.sincos.sin);
    name("c", s.sincos.cos);
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
  if (extras.any()) return with_extras(plan, extras, unit);
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.sizes());
  kernel::compute(quantity_, plan, ws_, in.of(kNone, method_, form_), results_.data(), effects);
  return results_;
}

const std::vector<Expr>& Tracer::with_extras(const Plan& plan, const Extras& extras, double unit) {
  const QuantityRow& row = row_of(quantity_);
  results_.resize(row.size(plan.sizes()));
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.sizes());
  InputsOf<Expr> given = in.of(kNone, method_, form_);
  Plan at_origin = plan;
  WrenchOf<Expr> acting{extras.wrench_link};
  if (extras.wrench_link != kNone && row.influences.wrenches) {
    const std::vector<Expr> w = graph_.inputs("wrench", 6);
    PlanLink<double>& link = at_origin.links[extras.wrench_link];
    // At the body's origin, in its axes: if these do not rotate with the body, the wrench is rotated.
    acting.force = link.X_BL.R * Vec3<Expr>{unit * w[0], unit * w[1], unit * w[2]};
    acting.moment = link.X_BL.R * Vec3<Expr>{w[3], w[4], w[5]} + cross(link.X_BL.p, acting.force);
    if (link.body != kNone && plan.bodies[link.body].still) {
      kernel::place(plan.cast<Expr>(), ws_, given.q);
      const SinCos<Expr>& held = ws_.bodies[link.body].held;
      acting.force = kernel::rotated(held, acting.force);
      acting.moment = kernel::rotated(held, acting.moment);
    }
    link.X_BL = {};
    effects.wrenches = {&acting, 1};
    given.form.rates_give_bias = false;
  }
  const std::vector<Expr> table = extras.table != nullptr ? graph_.inputs("table", extras.table->size()) : std::vector<Expr>{};
  const auto run = [&](const InputsOf<Expr>& inputs) {
    if (extras.table != nullptr)
      kernel::compute(quantity_, extras.table->symbolic(at_origin, table), ws_, inputs, results_.data(), effects);
    else
      kernel::compute(quantity_, at_origin, ws_, inputs, results_.data(), effects);
  };
  if (extras.friction && row.influences.friction)
    with_friction(plan, Sides(plan, extras.smooth ? 2 : row.parts.empty() ? 0 : 1, row.takes("tau")), graph_, row, given, results_, run);
  else
    run(given);
  return results_;
}

}  // namespace ulna::internal
