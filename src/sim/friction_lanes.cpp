#include "sim/friction_lanes.hpp"

#include <algorithm>

#include <ulna/dynamics/joint-inl.hpp>

#include "dynamics/smooth_sign.hpp"
#include "sim/for_each_set.hpp"

namespace ulna::sim::internal {

namespace {

/// At the joint's rate m v, on its side and back.
ULNA_FOR_EACH_SET void rub_smoothly(std::size_t lanes, double m, double inverse, const double* __restrict viscous, const double* __restrict coulomb,
                                    const double* __restrict v, double* __restrict tau) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double rate = m * v[l];
    tau[l] += m * kernel::friction(Friction{viscous[l], coulomb[l], 0}, rate, ulna::internal::smooth_sign(rate * inverse));
  }
}

}  // namespace

FrictionLanes::FrictionLanes(const Plan& plan, const std::vector<const Scenario*>& runs)
    : lanes_(runs.size()), size_(plan.nv * lanes_), smooth_(runs.front()->friction.smooth) {
  const Model& model = runs.front()->model;
  for (const PlanBody<double>& body : plan.bodies) {
    if (body.link == kNone) continue;
    const auto behind = std::find_if(model.joints().begin(), model.joints().end(), [&](const Joint& joint) { return joint.child == body.link; });
    if (behind == model.joints().end()) continue;
    const std::size_t j = static_cast<std::size_t>(behind - model.joints().begin());
    if (std::none_of(runs.begin(), runs.end(),
                     [&](const Scenario* run) { return run->model.joints()[j].friction.viscous != 0 || run->model.joints()[j].friction.coulomb != 0; }))
      continue;
    bodies_.push_back({body.v, body.multiplier});
    for (const Scenario* run : runs) viscous_.push_back(run->model.joints()[j].friction.viscous), coulomb_.push_back(run->model.joints()[j].friction.coulomb);
  }
}

void FrictionLanes::torques(const double* speeds, double* tau) const {
  std::fill_n(tau, size_, 0.0);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto [at, m] = bodies_[k];
    const double *d = &viscous_[k * lanes_], *c = &coulomb_[k * lanes_], *v = speeds + at * lanes_;
    if (smooth_ > 0)
      rub_smoothly(lanes_, m, 1 / smooth_, d, c, v, tau + at * lanes_);
    else
      for (std::size_t l = 0; l < lanes_; ++l) tau[at * lanes_ + l] += m * kernel::friction(Friction{d[l], c[l], 0}, m * v[l], sign(m * v[l]));
  }
}

}  // namespace ulna::sim::internal
