#include <algorithm>
#include <stdexcept>

#include <ulna/sim/forward_model.hpp>

#include "model/text.hpp"
#include "sim/side_law.hpp"

namespace ulna::sim {

void require_entries(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) throw std::invalid_argument(cat("the law's ", what, " has ", got, " entries, but the robot has ", wanted, " coordinates"));
}

namespace {

class Following : public Law {
 public:
  Following(const std::vector<const LawSettings*>& settings, const Model& model, bool rotor, const ReferenceMotion& reference, const Dynamics* like)
      : kind_(settings.front()->kind == LawKind::prescribed ? LawKind::feedforward : settings.front()->kind),
        compensates_(settings.front()->gravity),
        reference_(reference),
        robot_(model, "ulna", rotor, like),
        n_(robot_.size()),
        lanes_(settings.size()),
        q_(n_),
        v_(n_),
        a_(n_),
        wanted_(n_ * lanes_),
        gravity_(n_ * lanes_) {
    if (kind_ == LawKind::feedforward) return;
    side_by_side("kp", settings, &LawSettings::kp, kp_);
    side_by_side("kd", settings, &LawSettings::kd, kd_);
    if (kind_ == LawKind::pid) side_by_side("ki", settings, &LawSettings::ki, ki_);
  }

  std::size_t memory() const override { return kind_ == LawKind::pid ? n_ : 0; }

  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    reference_.at(t, q_.data(), v_.data(), a_.data());
    if (kind_ == LawKind::feedforward) {
      robot_.torques(q_.data(), v_.data(), a_.data(), wanted_.data());
      each([&](std::size_t i, std::size_t k) { tau[k] = wanted_[i]; });
      return;
    }
    each([&](std::size_t i, std::size_t k) { tau[k] = kp_[k] * (q_[i] - q[k]) + kd_[k] * (v_[i] - v[k]); });
    if (kind_ == LawKind::computed_torque) {
      each([&](std::size_t i, std::size_t k) { wanted_[k] = a_[i] + tau[k]; });
      if (lanes_ == 1)
        robot_.torques(q, v, wanted_.data(), tau);
      else
        robot_.kernels()->inverse_lanes(q, v, wanted_.data(), tau, 1);
      return;
    }
    if (kind_ == LawKind::pid)
      for (std::size_t k = 0; k < n_ * lanes_; ++k) tau[k] += ki_[k] * memory[k];
    if (!compensates_) return;
    if (lanes_ == 1)
      robot_.gravity_torques(q, gravity_.data());
    else
      robot_.kernels()->gravity_lanes(q, gravity_.data(), 1);
    for (std::size_t k = 0; k < n_ * lanes_; ++k) tau[k] += gravity_[k];
  }

  void memory_rate(double t, const double* q, const double*, double* rate) override {
    if (kind_ != LawKind::pid) return;
    reference_.at(t, q_.data(), v_.data(), a_.data());
    each([&](std::size_t i, std::size_t k) { rate[k] = q_[i] - q[k]; });
  }

  std::vector<double> breaks() const override { return reference_.breaks(); }

 private:
  /// `act(i, k)` for every coordinate i and the places k of its lanes.
  template <class Act>
  void each(const Act& act) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = i * lanes_; k < (i + 1) * lanes_; ++k) act(i, k);
  }

  void side_by_side(const char* what, const std::vector<const LawSettings*>& settings, std::vector<double> LawSettings::*gains, std::vector<double>& out) {
    out.resize(n_ * lanes_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      const std::vector<double>& own = settings[l]->*gains;
      require_entries(what, own.size(), n_);
      for (std::size_t i = 0; i < n_; ++i) out[i * lanes_ + l] = own[i];
    }
  }

  LawKind kind_;
  bool compensates_;
  const ReferenceMotion& reference_;
  ForwardModel robot_;
  std::size_t n_, lanes_;
  std::vector<double> kp_, kd_, ki_;  // of every lane
  std::vector<double> q_, v_, a_;     // of the reference
  std::vector<double> wanted_, gravity_;
};

class Saturated : public Law {
 public:
  Saturated(std::unique_ptr<Law> law, const Model& model, std::size_t lanes) : law_(std::move(law)), lanes_(lanes) {
    for (const int j : model.independent()) effort_.push_back(model.joints()[static_cast<std::size_t>(j)].effort);
  }
  std::size_t memory() const override { return law_->memory(); }
  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    law_->torque(t, q, v, memory, tau);
    for (std::size_t k = 0; k < effort_.size() * lanes_; ++k) tau[k] = std::clamp(tau[k], -effort_[k / lanes_], effort_[k / lanes_]);
  }
  void memory_rate(double t, const double* q, const double* v, double* rate) override { law_->memory_rate(t, q, v, rate); }
  std::vector<double> breaks() const override { return law_->breaks(); }

 private:
  std::unique_ptr<Law> law_;
  std::size_t lanes_;
  std::vector<double> effort_;
};

}  // namespace

std::unique_ptr<Law> make_following(const std::vector<const LawSettings*>& settings, const Model& model, bool rotor, const ReferenceMotion& reference,
                                    const Dynamics* like) {
  return std::make_unique<Following>(settings, model, rotor, reference, like);
}

std::unique_ptr<Law> saturated(std::unique_ptr<Law> law, const Model& model, std::size_t lanes) {
  return std::make_unique<Saturated>(std::move(law), model, lanes);
}

}  // namespace ulna::sim
