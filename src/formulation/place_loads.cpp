#include "formulation/place_loads.hpp"

#include <algorithm>

#include "dynamics/joint-inl.hpp"

#include "formulation/frames.hpp"

namespace ulna::internal {

LoadsInForm::LoadsInForm(const Plan& plan, const Prepared& prepared, Frames frames) : workspace_(plan), links_(plan.bodies.size()) {
  const Forms& forms = prepared.forms();
  const ChainRows<double>* chain = nullptr;
  if (frames == Frames::dh && forms.dh) chain = &*forms.dh;
  if (frames == Frames::mdh && forms.mdh) chain = &*forms.mdh;
  if (chain != nullptr) {
    X_W0_ = chain->X_W0;
    X_BF_ = chain->X_BF;
  } else {
    for (const TreeBody<double>& body : forms.tree.bodies) X_BF_.push_back({Mat3<double>::identity(), body.com});
  }
}

Loads<double> LoadsInForm::at(const Plan& plan, const double* q, const Effects& effects) {
  Loads<double> loads;
  const ActingLoads acting = acting_loads(Quantity::inverse, effects);
  if (acting.base) {
    const Vec3<double>&w = effects.base.angular_velocity, &dw = effects.base.angular_acceleration, &p = X_W0_.p;
    const Vec3<double> dv = effects.base.linear_acceleration + cross(dw, p) + cross(w, cross(w, p));
    loads.base = {tmul(X_W0_.R, w), tmul(X_W0_.R, dw), tmul(X_W0_.R, dv)};
  }
  if (!acting.wrenches) return loads;
  if (std::any_of(effects.wrenches.begin(), effects.wrenches.end(), [](const Wrench& wrench) { return wrench.axes == Axes::world; })) {
    kernel::place(plan, workspace_, q);
    kernel::place_in_world(plan, workspace_, q);
  }
  std::fill(links_.begin(), links_.end(), LinkLoad<double>{});
  for (const Wrench& wrench : effects.wrenches) {
    const PlanLink<double>& link = plan.links[wrench.link];
    if (link.body == kNone) continue;  // the base takes it
    const auto in_body = [&](const Vec3<double>& x) { return wrench.axes == Axes::world ? tmul(workspace_.bodies[link.body].X_WB.R, x) : link.X_BL.R * x; };
    const Vec3<double> force = in_body(wrench.force), moment = in_body(wrench.moment);
    const Pose<double>& X_BF = X_BF_[link.body];
    LinkLoad<double>& load = links_[link.body];
    load.F = load.F + tmul(X_BF.R, force);
    load.N = load.N + tmul(X_BF.R, moment + cross(link.X_BL.p - X_BF.p, force));
  }
  loads.links = links_;
  return loads;
}

}  // namespace ulna::internal
