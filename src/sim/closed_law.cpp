// Torque laws of a robot with loops: references and gains are of its independent joints, which have the drives.
#include <algorithm>
#include <stdexcept>

#include "loop/continuation.hpp"
#include "sim/closed_forward.hpp"
#include "sim/side_law.hpp"
#include "text/cat.hpp"

namespace ulna::sim::internal {

namespace {

class ClosedFollowing : public Law {
 public:
  ClosedFollowing(const LawSettings& settings, const Mechanism& mechanism, const std::vector<double>& begin, bool rotor, const ReferenceMotion& reference)
      : settings_(settings),
        feeds_forward_(settings.kind == LawKind::feedforward || settings.kind == LawKind::prescribed),
        reference_(reference),
        robot_(mechanism, rotor),
        moving_(mechanism.independent()),
        own_q_(moving_.size()),
        own_v_(moving_.size()),
        own_a_(moving_.size()),
        q_(begin),
        v_(mechanism.nv()),
        wanted_(mechanism.nv()) {
    if (feeds_forward_) return;
    require_entries("kp", settings.kp.size(), moving_.size());
    require_entries("kd", settings.kd.size(), moving_.size());
    if (settings.kind == LawKind::pid) require_entries("ki", settings.ki.size(), moving_.size());
  }

  std::size_t memory() const override { return settings_.kind == LawKind::pid ? moving_.size() : 0; }

  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    reference_.at(t, own_q_.data(), own_v_.data(), own_a_.data());
    if (feeds_forward_) return feed_forward(tau);
    std::fill(wanted_.begin(), wanted_.end(), 0.0);
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      const std::size_t i = moving_[k];
      wanted_[i] = settings_.kp[k] * (own_q_[k] - q[i]) + settings_.kd[k] * (own_v_[k] - v[i]);
      if (settings_.kind == LawKind::pid) wanted_[i] += settings_.ki[k] * memory[k];
      if (settings_.kind == LawKind::computed_torque) wanted_[i] += own_a_[k];
    }
    if (settings_.kind == LawKind::computed_torque) return robot_.torques(q, v, wanted_.data(), tau, Effects{.rotor = rotor()});
    if (settings_.gravity)
      robot_.gravity(q, tau);
    else
      std::fill(tau, tau + v_.size(), 0.0);
    for (const std::size_t i : moving_) tau[i] += wanted_[i];
  }

  void memory_rate(double t, const double* q, const double*, double* rate) override {
    if (memory() == 0) return;
    reference_.at(t, own_q_.data(), own_v_.data(), own_a_.data());
    for (std::size_t k = 0; k < moving_.size(); ++k) rate[k] = own_q_[k] - q[moving_[k]];
  }

  std::vector<double> breaks() const override { return reference_.breaks(); }

 private:
  bool rotor() const { return robot_.rotor(); }

  /// Dependent positions of the reference follow from where they were the last time.
  void feed_forward(double* tau) {
    for (std::size_t k = 0; k < moving_.size(); ++k) v_[moving_[k]] = own_v_[k], wanted_[moving_[k]] = own_a_[k];
    const ulna::internal::Determined determined(robot_.mechanism().parts());
    ulna::internal::LoopState state(determined.plan);
    state.at(determined.plan, q_.data());
    int steps = 0;
    if (!ulna::internal::follow(determined, state, q_, own_q_, steps))
      throw LoopsLost("the reference cannot be followed: it leads beyond a singular assembly, or out of reach");
    robot_.mechanism().velocities(q_, own_v_, v_);
    robot_.torques(q_.data(), v_.data(), wanted_.data(), tau, Effects{.rotor = rotor()});
  }

  LawSettings settings_;
  bool feeds_forward_;
  const ReferenceMotion& reference_;
  ClosedForward robot_;
  std::vector<std::size_t> moving_;
  std::vector<double> own_q_, own_v_, own_a_;  // the reference, of the independent joints
  std::vector<double> q_, v_, wanted_;         // of all
};

}  // namespace

std::unique_ptr<Law> make_closed_law(const Scenario& scenario, const ReferenceMotion* reference) {
  const Mechanism& mechanism = *scenario.mechanism;
  LawSettings settings = scenario.law;
  // Of the independent joints alone: the others have no drives.
  const auto of_all = [&](std::vector<double>& tau) {
    if (tau.size() == mechanism.nv()) return;
    require_entries("tau", tau.size(), mechanism.mobility());
    std::vector<double> all(mechanism.nv(), 0.0);
    for (std::size_t k = 0; k < tau.size(); ++k) all[mechanism.independent()[k]] = tau[k];
    tau = all;
  };
  if (settings.kind == LawKind::constant) of_all(settings.tau);
  if (settings.kind == LawKind::table)
    for (std::vector<double>& row : settings.table.tau) of_all(row);
  switch (settings.kind) {
    case LawKind::none:
    case LawKind::constant:
    case LawKind::table:
    case LawKind::function: return make_law(settings, mechanism.tree(), scenario.rotor, reference);
    default: break;
  }
  if (reference == nullptr) throw std::invalid_argument(cat("the law ", to_string(settings.kind), " needs a reference motion"));
  std::unique_ptr<Law> law = std::make_unique<ClosedFollowing>(settings, mechanism, scenario.q, scenario.rotor, *reference);
  return settings.saturate ? saturated(std::move(law), mechanism.tree(), 1) : std::move(law);
}

}  // namespace ulna::sim::internal
