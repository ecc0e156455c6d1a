#include "trace/goal.hpp"

#include <ulna/dynamics/forward-inl.hpp>

namespace ulna {

Tracer::Tracer(const Plan& plan, Quantity quantity, bool rotor, ForwardMethod method) : quantity_(quantity), rotor_(rotor), method_(method), ws_(plan) {
  const std::size_t n = static_cast<std::size_t>(plan.nv);
  results_.resize(quantity == Quantity::mass ? n * n : n);
}

const char* Tracer::output() const {
  switch (quantity_) {
    case Quantity::mass: return "M";
    case Quantity::bias: return "bias";
    case Quantity::acceleration: return "a";
    default: return "tau";
  }
}

const std::vector<Expr>& Tracer::operator()(const Plan& plan) {
  graph_.clear();
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const std::vector<Expr> q = graph_.inputs("q", plan.nq);
  if (quantity_ == Quantity::mass) {
    kernel::mass_matrix(plan, ws_, q.data(), results_.data(), static_cast<std::size_t>(plan.nv), rotor_);
    return results_;
  }
  const std::vector<Expr> v = graph_.inputs("v", plan.nv);
  const Expr* none = nullptr;
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
