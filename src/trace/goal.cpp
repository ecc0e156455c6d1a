#include "trace/goal.hpp"

#include <ulna/dynamics/forward-inl.hpp>

#include "formulation/joint_names.hpp"

namespace ulna {

Tracer::Tracer(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method)
    : quantity_(quantity), rotor_(options.rotor), at_rest_(options.at_rest && quantity == Quantity::bias), method_(method), ws_(plan) {
  const std::size_t n = plan.nv;
  results_.resize(quantity == Quantity::mass ? n * n : n);
}

const char* Tracer::output() const {
  switch (quantity_) {
    case Quantity::mass: return "M";
    case Quantity::bias: return at_rest_ ? "gravity" : "bias";
    case Quantity::acceleration: return "a";
    default: return "tau";
  }
}

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
    if (quantity_ != Quantity::mass && quantity_ != Quantity::acceleration) continue;
    name("m", s.composite.m);
    name("h", s.composite.h);
    name("S", s.composite.S);
  }
}

const std::vector<Expr>& Tracer::operator()(const Plan& plan) {
  graph_.clear();
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const std::vector<Expr> q = graph_.inputs("q", plan.nq);
  if (quantity_ == Quantity::mass) {
    kernel::mass_matrix(plan, ws_, q.data(), results_.data(), plan.nv, rotor_);
    return results_;
  }
  const Expr* none = nullptr;
  if (at_rest_) {
    kernel::inverse_dynamics(plan, ws_, q.data(), none, none, results_.data(), effects);
    return results_;
  }
  const std::vector<Expr> v = graph_.inputs("v", plan.nv);
  if (quantity_ == Quantity::bias) {
    kernel::inverse_dynamics(plan, ws_, q.data(), v.data(), none, results_.data(), effects);
  } else if (quantity_ == Quantity::torque) {
    const std::vector<Expr> a = graph_.inputs("a", plan.nv);
    kernel::inverse_dynamics(plan, ws_, q.data(), v.data(), a.data(), results_.data(), effects);
  } else {
    const std::vector<Expr> tau = graph_.inputs("tau", plan.nv);
    if (method_ == ForwardMethod::mass_matrix)
      kernel::forward_by_mass(plan, ws_, q.data(), v.data(), tau.data(), results_.data(), effects);
    else
      kernel::forward_by_articulated_bodies(plan, ws_, q.data(), v.data(), tau.data(), results_.data(), effects);
  }
  return results_;
}

}  // namespace ulna
