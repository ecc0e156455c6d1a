#include "sim/lanes.hpp"

#include <algorithm>

#include "dynamics/joint-inl.hpp"

#include "dynamics/smooth_sign.hpp"
#include "sim/for_each_set.hpp"
#include "sim/random.hpp"

namespace ulna::internal::sim {

namespace {

/// Two numbers above 0 and below 1 for every joint of every run: number `first` + joint of the run's stream of noise.
ULNA_FOR_EACH_SET void draw_noise(std::uint64_t seed, std::uint64_t first, std::size_t count, const std::uint32_t* joint, const std::uint32_t* run_low,
                                  const std::uint32_t* run_high, double* one, double* other) {
  const std::uint32_t key_low = static_cast<std::uint32_t>(seed), key_high = static_cast<std::uint32_t>(seed >> 32);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t k = first + joint[i];
    const Words w =
        philox({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32) ^ static_cast<std::uint32_t>(Stream::noise) << 28, run_low[i], run_high[i]},
               {key_low, key_high});
    one[i] = open_unit(w[0], w[1]);
    other[i] = open_unit(w[2], w[3]);
  }
}

/// Numbers of each lane's joints side by side; none where no run has any.
bool side_by_side(const std::vector<const Scenario*>& runs, std::vector<double> ControlSettings::*numbers, std::size_t n, std::vector<double>& out) {
  out.assign(n * runs.size(), 0.0);
  bool any = false;
  for (std::size_t l = 0; l < runs.size(); ++l) {
    const std::vector<double>& own = runs[l]->control.*numbers;
    for (std::size_t i = 0; i < own.size(); ++i) out[i * runs.size() + l] = own[i], any = any || own[i] != 0;
  }
  return any;
}

ULNA_FOR_EACH_SET void rub_smoothly(std::size_t count, double inverse, const double* __restrict viscous, const double* __restrict coulomb,
                                    const double* __restrict rate, double* __restrict taken) {
  for (std::size_t k = 0; k < count; ++k)
    taken[k] = kernel::friction(Friction{viscous[k], coulomb[k], 0}, rate[k], ulna::internal::smooth_sign(rate[k] * inverse));
}

}  // namespace

SampledLaw::SampledLaw(const std::vector<const Scenario*>& runs, Law& law, const Dynamics* closer)
    : law_(law),
      closer_(closer),
      base_(runs.front()->model.base()),
      period_(runs.front()->control.period),
      seed_(runs.front()->control.seed),
      lanes_(runs.size()),
      n_(runs.front()->model.nv() - base_.v),
      driven_(driven_positions(runs.front()->model)) {
  const std::size_t nq = runs.front()->model.nq(), nv = runs.front()->model.nv();
  const bool noise_q = side_by_side(runs, &ControlSettings::noise_q, n_, noise_q_), noise_v = side_by_side(runs, &ControlSettings::noise_v, n_, noise_v_);
  const bool step_q = side_by_side(runs, &ControlSettings::step_q, n_, step_q_), step_v = side_by_side(runs, &ControlSettings::step_v, n_, step_v_);
  noisy_ = noise_q || noise_v, coarse_ = step_q || step_v;
  for (std::size_t i = 0; i < n_; ++i)
    for (const Scenario* run : runs) {
      joint_.push_back(static_cast<std::uint32_t>(i));
      run_low_.push_back(static_cast<std::uint32_t>(run->control.run));
      run_high_.push_back(static_cast<std::uint32_t>(run->control.run >> 32));
    }
  for (const Scenario* run : runs) delay_.push_back(static_cast<std::size_t>(std::llround(run->control.delay / period_)));
  drawn_q_.resize(n_ * lanes_), drawn_v_.resize(n_ * lanes_);
  q_.resize(nq * lanes_), v_.resize(nv * lanes_), asked_.resize(nv * lanes_), tau_.resize(nv * lanes_);
  late_.resize((*std::max_element(delay_.begin(), delay_.end()) + 1) * nv * lanes_);
  memory_.resize(law.memory() * lanes_), rate_.resize(memory_.size());
}

void SampledLaw::measure(std::uint64_t k, const double* q, const double* v) {
  std::copy_n(q, q_.size(), q_.begin());
  std::copy_n(v, v_.size(), v_.begin());
  if (noisy_) {
    draw_noise(seed_, k * n_, n_ * lanes_, joint_.data(), run_low_.data(), run_high_.data(), drawn_q_.data(), drawn_v_.data());
    normal_quantiles(drawn_q_.data(), drawn_q_.size());
    normal_quantiles(drawn_v_.data(), drawn_v_.size());
  }
  if (!noisy_ && !coarse_) return;
  for (std::size_t i = 0; i < n_; ++i) {
    double *at_q = &q_[driven_[i] * lanes_], *at_v = &v_[(base_.v + i) * lanes_];
    const std::size_t first = i * lanes_;
    for (std::size_t l = 0; noisy_ && l < lanes_; ++l) {
      at_q[l] += noise_q_[first + l] * drawn_q_[first + l];
      at_v[l] += noise_v_[first + l] * drawn_v_[first + l];
    }
    const auto in_steps = [](double x, double step) { return step > 0 ? step * std::nearbyint(x / step) : x; };
    for (std::size_t l = 0; coarse_ && l < lanes_; ++l) at_q[l] = in_steps(at_q[l], step_q_[first + l]), at_v[l] = in_steps(at_v[l], step_v_[first + l]);
  }
  if (closer_ != nullptr) closer_->close(q_.data());
}

void SampledLaw::sample(std::uint64_t k, double t, const double* q, const double* v) {
  measure(k, q, v);
  law_.torque(t, q_.data(), v_.data(), memory_.data(), asked_.data());
  if (!memory_.empty()) {
    law_.memory_rate(t, q_.data(), v_.data(), rate_.data());
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] += period_ * rate_[i];
  }
  const std::size_t size = asked_.size(), slots = late_.size() / size;
  if (slots == 1) {
    tau_ = asked_;
    return;
  }
  // Before the first torque arrives, the first acts.
  for (std::size_t slot = 0; slot < slots; ++slot)
    if (k == 0 || slot == k % slots) std::copy(asked_.begin(), asked_.end(), late_.begin() + static_cast<std::ptrdiff_t>(slot * size));
  for (std::size_t l = 0; l < lanes_; ++l) {
    const double* from = &late_[(k + slots - delay_[l]) % slots * size];
    for (std::size_t i = l; i < size; i += lanes_) tau_[i] = from[i];
  }
}

FrictionLanes::FrictionLanes(const Plan& plan, const std::vector<const Scenario*>& runs)
    : lanes_(runs.size()), size_(plan.nv * lanes_), smooth_(runs.front()->friction.smooth) {
  const Model& model = runs.front()->model;
  for (const PlanBody<double>& body : plan.bodies) {
    if (body.link == kNone) continue;
    const auto behind = std::find_if(model.joints().begin(), model.joints().end(), [&](const Joint& joint) { return joint.child == body.link; });
    if (behind == model.joints().end()) continue;
    const std::size_t j = static_cast<std::size_t>(behind - model.joints().begin());
    if (std::none_of(runs.begin(), runs.end(), [&](const Scenario* run) { return run->model.joints()[j].friction.rubs(false); })) continue;
    bodies_.push_back({body.v, body.multiplier});
    for (const Scenario* run : runs) {
      Friction law = run->model.joints()[j].friction;
      if (law.smoothing_speed == 0) law.smoothing_speed = smooth_;
      if (run->friction.static_factor > 0) law.static_level = run->friction.static_factor * law.coulomb;
      if (!run->model.joints()[j].friction.plain()) further_.emplace_back(viscous_.size(), law);
      viscous_.push_back(law.viscous), coulomb_.push_back(law.coulomb);
    }
  }
  rate_.resize(viscous_.size()), taken_.resize(viscous_.size());
  direct_ = viscous_.size() == size_;
  for (std::size_t k = 0; k < bodies_.size(); ++k) direct_ = direct_ && bodies_[k].v == k && bodies_[k].multiplier == 1;
}

void FrictionLanes::rub(const double* rate, double* taken) const {
  if (smooth_ > 0)
    rub_smoothly(viscous_.size(), 1 / smooth_, viscous_.data(), coulomb_.data(), rate, taken);
  else
    for (std::size_t k = 0; k < viscous_.size(); ++k) taken[k] = kernel::friction(Friction{viscous_[k], coulomb_[k], 0}, rate[k], sign(rate[k]));
  for (const auto& [k, law] : further_) taken[k] = kernel::friction(law, rate[k]);
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

void FrictionLanes::slopes(const double* speeds, double* out) const {
  std::fill_n(out, size_, 0.0);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& [v, multiplier] = bodies_[k];
    const double way = smooth_ > 0 ? ulna::internal::smooth_sign(multiplier * speeds[v] / smooth_) : 1;
    const double jump = smooth_ > 0 ? (1 - way * way) / smooth_ : 0;
    const auto own = std::find_if(further_.begin(), further_.end(), [k = k](const auto& other) { return other.first == k; });
    out[v] += multiplier * multiplier *
              (own == further_.end() ? kernel::friction(Friction{viscous_[k], coulomb_[k], 0}, 1.0, jump)
                                     : kernel::friction_slope(own->second, multiplier * speeds[v]));
  }
}

}  // namespace ulna::internal::sim
