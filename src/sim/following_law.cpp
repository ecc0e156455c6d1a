#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "sim/base_state.hpp"
#include "sim/forward_model.hpp"
#include "sim/loop_keeper.hpp"

#include "sim/side_law.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

void require_entries(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) throw std::invalid_argument(cat("the law's ", what, " has ", got, " entries, but the robot has ", wanted, " coordinates"));
}

namespace {

bool same_belief(const LawSettings& a, const LawSettings& b) {
  if (!a.payload || !b.payload) return a.payload.has_value() == b.payload.has_value();
  const ulna::Payload &x = a.payload->body, &y = b.payload->body;
  return a.payload->link == b.payload->link && x.mass == y.mass && x.com == y.com && x.inertia == y.inertia;
}

/// All torques of a model are quadratic in its speeds but for those that do not depend on them: at speeds times the root of a share, the Coriolis and
/// centrifugal torques are that share of theirs, and all others are unchanged.
class Following : public Law {
 public:
  Following(const std::vector<const LawSettings*>& settings, const Model& model, bool rotor, const std::vector<const ReferenceMotion*>& references,
            const Dynamics* like)
      : kind_(settings.front()->kind == LawKind::prescribed ? LawKind::feedforward : settings.front()->kind),
        compensates_(settings.front()->gravity),
        references_(references),
        base_(model.base()),
        driven_(driven_positions(model)),
        n_(model.nv() - base_.v),
        lanes_(settings.size()),
        own_q_(n_),
        own_v_(n_),
        own_a_(n_),
        own_tau_(model.nv()),
        lane_q_(model.nq()),
        lane_v_(model.nv()),
        slow_(model.nv() * lanes_),
        joints_q_(n_ * lanes_),
        q_(n_ * lanes_),
        v_(n_ * lanes_),
        a_(n_ * lanes_),
        wanted_(n_ * lanes_),
        gravity_(model.nv() * lanes_) {
    const bool alike = std::all_of(settings.begin(), settings.end(), [&](const LawSettings* own) { return same_belief(*own, *settings.front()); });
    for (std::size_t l = 0; l < (alike ? 1 : lanes_); ++l) robots_.emplace_back(believed(model, *settings[l]), "ulna", rotor, like);
    if (model.closed()) keeper_.emplace(*robots_.front().kernels());
    const bool prescribed = settings.front()->kind == LawKind::prescribed;  // that takes all that it takes
    for (std::size_t k = 0; k < n_ * lanes_; ++k) inertia_.push_back(prescribed ? 1 : settings[k % lanes_]->inertia);
    for (std::size_t k = 0; k < slow_.size(); ++k) slowness_.push_back(prescribed ? 1 : std::sqrt(settings[k % lanes_]->coriolis));
    if (kind_ == LawKind::feedforward) return;
    side_by_side("kp", settings, &LawSettings::kp, kp_);
    side_by_side("kd", settings, &LawSettings::kd, kd_);
    if (kind_ == LawKind::pid) side_by_side("ki", settings, &LawSettings::ki, ki_);
  }

  std::size_t memory() const override { return kind_ == LawKind::pid ? n_ : 0; }

  /// The base has no drives: its torques are zero, and all else is about the joints, which stand behind it.
  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    std::fill(tau, tau + base_.v * lanes_, 0.0);
    follow(t);
    if (kind_ == LawKind::feedforward) return feed_forward(q, v, tau);
    const double *joints_q = driven(q), *joints_v = v + base_.v * lanes_;
    double* joints_tau = tau + base_.v * lanes_;
    for (std::size_t k = 0; k < n_ * lanes_; ++k) joints_tau[k] = kp_[k] * (q_[k] - joints_q[k]) + kd_[k] * (v_[k] - joints_v[k]);
    if (kind_ == LawKind::computed_torque) {
      for (std::size_t k = 0; k < n_ * lanes_; ++k) wanted_[k] = inertia_[k] * a_[k] + joints_tau[k];
      return drive(q, v, tau);
    }
    if (kind_ == LawKind::pid)
      for (std::size_t k = 0; k < n_ * lanes_; ++k) joints_tau[k] += ki_[k] * memory[k];
    if (!compensates_) return;
    if (lanes_ == 1)
      robots_.front().gravity_torques(q, gravity_.data());
    else if (robots_.size() == 1)
      robots_.front().kernels()->compute_lanes(Quantity::gravity, {q}, gravity_.data(), 1);
    else
      for (std::size_t l = 0; l < lanes_; ++l) {
        take_lane(q, v, l);
        robots_[l].gravity_torques(lane_q_.data(), own_tau_.data());
        give_lane(l, gravity_.data());
      }
    for (std::size_t k = 0; k < n_ * lanes_; ++k) joints_tau[k] += gravity_[base_.v * lanes_ + k];
  }

  void memory_rate(double t, const double* q, const double*, double* rate) override {
    if (kind_ != LawKind::pid) return;
    follow(t);
    const double* joints_q = driven(q);
    for (std::size_t k = 0; k < n_ * lanes_; ++k) rate[k] = q_[k] - joints_q[k];
  }

  /// Those of every lane's: references differ in where they begin, not when.
  std::vector<double> breaks() const override { return references_.front()->breaks(); }

 private:
  /// Positions of the joints that v lists, which are a part of q where there are loops.
  const double* driven(const double* q) {
    if (!keeper_) return q + base_.q * lanes_;
    for (std::size_t k = 0; k < n_; ++k) std::copy_n(q + driven_[k] * lanes_, lanes_, &joints_q_[k * lanes_]);
    return joints_q_.data();
  }

  /// Of one lane, into lane_q_ and lane_v_; and own_tau_ back to it.
  void take_lane(const double* q, const double* v, std::size_t lane) {
    for (std::size_t i = 0; i < lane_q_.size(); ++i) lane_q_[i] = q[i * lanes_ + lane];
    for (std::size_t i = 0; i < lane_v_.size(); ++i) lane_v_[i] = v[i * lanes_ + lane];
  }
  void give_lane(std::size_t lane, double* tau) const {
    for (std::size_t i = 0; i < own_tau_.size(); ++i) tau[i * lanes_ + lane] = own_tau_[i];
  }

  /// The reference's torques; those of a base that moves depend on how it moves, and dependent positions of the reference are those that it comes to from the
  /// robot's own, so that each lane has its own.
  void feed_forward(const double* q, const double* v, double* tau) {
    for (std::size_t k = 0; k < n_ * lanes_; ++k) wanted_[k] = inertia_[k] * a_[k];
    if (base_.v == 0 && !keeper_) return drive(q_.data(), v_.data(), tau);
    for (std::size_t l = 0; l < lanes_; ++l) {
      take_lane(q, v, l);
      for (std::size_t i = 0; i < n_; ++i) {
        own_q_[i] = q_[i * lanes_ + l];
        lane_v_[base_.v + i] = v_[i * lanes_ + l];
      }
      if (keeper_)
        keeper_->lead(lane_q_, own_q_.data());
      else
        std::copy(own_q_.begin(), own_q_.end(), lane_q_.begin() + static_cast<std::ptrdiff_t>(base_.q));
      for (double& rate : lane_v_) rate *= slowness_[l];
      drive_lane(l, tau);
    }
  }

  /// Torques of the wanted accelerations of the joints, there and at those speeds.
  void drive(const double* q, const double* v, double* tau) {
    for (std::size_t k = 0; k < slow_.size(); ++k) slow_[k] = slowness_[k] * v[k];
    if (lanes_ > 1 && base_.v == 0 && robots_.size() == 1)
      return robots_.front().kernels()->compute_lanes(Quantity::inverse, {q, slow_.data(), wanted_.data()}, tau, 1);
    for (std::size_t l = 0; l < lanes_; ++l) {
      take_lane(q, slow_.data(), l);
      drive_lane(l, tau);
    }
  }
  void drive_lane(std::size_t l, double* tau) {
    for (std::size_t i = 0; i < n_; ++i) own_a_[i] = wanted_[i * lanes_ + l];
    robots_[robots_.size() == 1 ? 0 : l].driven_torques(lane_q_.data(), lane_v_.data(), own_a_.data(), own_tau_.data());
    give_lane(l, tau);
  }

  /// Numbers of reference r to its lanes: all of them where there is one reference.
  void to_lanes(std::size_t r, const std::vector<double>& own, double* all) const {
    const std::size_t count = references_.size() == 1 ? lanes_ : 1;
    for (std::size_t i = 0; i < n_; ++i) std::fill_n(all + i * lanes_ + r, count, own[i]);
  }

  /// The references at time t in q_, v_ and a_.
  void follow(double t) {
    for (std::size_t r = 0; r < references_.size(); ++r) {
      references_[r]->at(t, own_q_.data(), own_v_.data(), own_a_.data());
      to_lanes(r, own_q_, q_.data());
      to_lanes(r, own_v_, v_.data());
      to_lanes(r, own_a_, a_.data());
    }
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
  std::vector<const ReferenceMotion*> references_;
  std::vector<ForwardModel> robots_;  // the law's model: one for all lanes, or one for each where they differ
  BaseState base_;
  std::vector<std::size_t> driven_;                      // see driven_positions()
  std::optional<LoopKeeper> keeper_;                     // of a robot with loops
  std::size_t n_, lanes_;                                // n_: of joints
  std::vector<double> kp_, kd_, ki_;                     // of every lane
  std::vector<double> own_q_, own_v_, own_a_, own_tau_;  // of one reference; the last of a base, too
  std::vector<double> lane_q_, lane_v_, slow_, joints_q_;
  std::vector<double> inertia_, slowness_;  // of every number of a and v: share of M a_ref, root of that of C v
  std::vector<double> q_, v_, a_;           // of every lane's reference
  std::vector<double> wanted_, gravity_;
};

class Saturated : public Law {
 public:
  Saturated(std::unique_ptr<Law> law, const Model& model, std::size_t lanes) : law_(std::move(law)) {
    effort_.assign(base_nv(model.base()) * lanes, std::numeric_limits<double>::infinity());
    for (const std::size_t j : model.driven()) effort_.insert(effort_.end(), lanes, model.joints()[j].effort);
  }
  std::size_t memory() const override { return law_->memory(); }
  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    law_->torque(t, q, v, memory, tau);
    for (std::size_t k = 0; k < effort_.size(); ++k) tau[k] = std::clamp(tau[k], -effort_[k], effort_[k]);
  }
  void memory_rate(double t, const double* q, const double* v, double* rate) override { law_->memory_rate(t, q, v, rate); }
  std::vector<double> breaks() const override { return law_->breaks(); }

 private:
  std::unique_ptr<Law> law_;
  std::vector<double> effort_;  // of every lane
};

}  // namespace

std::unique_ptr<Law> make_following(const std::vector<const LawSettings*>& settings, const Model& model, bool rotor,
                                    const std::vector<const ReferenceMotion*>& references, const Dynamics* like) {
  return std::make_unique<Following>(settings, model, rotor, references, like);
}

std::unique_ptr<Law> saturated(std::unique_ptr<Law> law, const Model& model, std::size_t lanes) {
  return std::make_unique<Saturated>(std::move(law), model, lanes);
}

}  // namespace ulna::internal::sim
