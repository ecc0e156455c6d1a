#include "sim/friction_lanes.hpp"

#include <algorithm>

#include "dynamics/joint-inl.hpp"

#include "dynamics/smooth_sign.hpp"
#include "sim/for_each_set.hpp"

namespace ulna::internal::sim {

namespace {

ULNA_FOR_EACH_SET void rub_smoothly(std::size_t count, double inverse, const double* __restrict viscous, const double* __restrict coulomb,
                                    const double* __restrict rate, double* __restrict taken) {
  for (std::size_t k = 0; k < count; ++k)
    taken[k] = kernel::friction(Friction{viscous[k], coulomb[k], 0}, rate[k], ulna::internal::smooth_sign(rate[k] * inverse));
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
  rate_.resize(viscous_.size()), taken_.resize(viscous_.size());
  direct_ = viscous_.size() == size_;
  for (std::size_t k = 0; k < bodies_.size(); ++k) direct_ = direct_ && bodies_[k].v == k && bodies_[k].multiplier == 1;
}

void FrictionLanes::rub(const double* rate, double* taken) const {
  if (smooth_ > 0) return rub_smoothly(viscous_.size(), 1 / smooth_, viscous_.data(), coulomb_.data(), rate, taken);
  for (std::size_t k = 0; k < viscous_.size(); ++k) taken[k] = kernel::friction(Friction{viscous_[k], coulomb_[k], 0}, rate[k], sign(rate[k]));
}

void FrictionLanes::torques(const double* speeds, double* tau) {
  if (direct_) return rub(speeds, tau);
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    for (std::size_t l = 0; l < lanes_; ++l) rate_[k * lanes_ + l] = bodies_[k].multiplier * speeds[bodies_[k].v * lanes_ + l];
  rub(rate_.data(), taken_.data());
  std::fill_n(tau, size_, 0.0);
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    for (std::size_t l = 0; l < lanes_; ++l) tau[bodies_[k].v * lanes_ + l] += bodies_[k].multiplier * taken_[k * lanes_ + l];
}

}  // namespace ulna::internal::sim
