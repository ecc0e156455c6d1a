#include "trace/goal.hpp"

#include <ulna/dynamics/compute-inl.hpp>

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

const std::vector<Expr>& Tracer::operator()(const Plan& plan) {
  graph_.clear();
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.sizes());
  kernel::compute(quantity_, plan, ws_, in.of(kNone, method_, form_), results_.data(), effects);
  return results_;
}

}  // namespace ulna::internal
