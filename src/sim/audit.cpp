#include "sim/audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ulna::sim {

Auditor::Auditor(const Scenario& scenario, System& system)
    : scenario_(scenario), system_(system), n_(system.coordinates()), p_(n_), torque_(n_), acceleration_(n_), largest_impulse_(system.cyclic().size(), 0.0) {
  audit_.balanced = !scenario.base.moves;
  audit_.smallest_pivot = INFINITY;
  for (std::vector<double>* each : {&audit_.closing, &audit_.closing_own, &audit_.torque_scale}) each->assign(n_, 0.0);
  const std::vector<std::string> names = scenario.model.coordinate_names();
  for (const std::size_t i : system.cyclic()) {
    audit_.momenta.emplace_back();
    audit_.momenta.back().joint = names[i];
  }
}

double Auditor::energy(const double* q, const double* v) {
  const Energy e = system_.robot().energy(q, v);
  return e.kinetic + e.potential;
}

void Auditor::momenta(const double* q, const double* v, std::vector<double>& out) {
  out.clear();
  if (system_.cyclic().empty()) return;
  system_.robot().inertia_torques(q, v, p_.data());
  for (const std::size_t i : system_.cyclic()) out.push_back(p_[i]);
}

void Auditor::before_break(const double* x) {
  if (!started_) return;
  energy_before_ = energy(x, x + n_);
  momenta(x, x + n_, momentum_before_);
}

void Auditor::after_break(const double* x) {
  if (!started_) return;
  energy_start_ += energy(x, x + n_) - energy_before_;
  momenta(x, x + n_, momentum_);
  for (std::size_t k = 0; k < momentum_.size(); ++k) momentum_start_[k] += momentum_[k] - momentum_before_[k];
}

void Auditor::row(double t, const double* x, int segment, Trajectory& to) {
  const System::Instant now = system_.at(t, x);
  to.t.push_back(t);
  to.q.insert(to.q.end(), now.q, now.q + n_);
  to.v.insert(to.v.end(), now.v, now.v + n_);
  to.a.insert(to.a.end(), now.a, now.a + n_);
  to.tau.insert(to.tau.end(), now.tau, now.tau + n_);
  to.segment.push_back(segment);
  const double *q = &to.q[to.q.size() - n_], *v = &to.v[to.v.size() - n_], *a = &to.a[to.a.size() - n_], *tau = &to.tau[to.tau.size() - n_];

  const Energy e = system_.robot().energy(q, v);
  double work = 0;
  for (std::size_t i = 0; i < n_; ++i) work += system_.work(x)[i];
  momenta(q, v, momentum_);
  if (!started_) {
    energy_start_ = e.kinetic + e.potential;
    potential_start_ = e.potential;
    momentum_start_ = momentum_;
    started_ = true;
  }
  to.kinetic.push_back(e.kinetic);
  to.potential.push_back(e.potential);
  to.work.push_back(work);
  if (audit_.balanced) {
    const double drift = e.kinetic + e.potential - energy_start_ - work + system_.losses(x) - system_.external(x);
    to.energy_drift.push_back(drift);
    audit_.energy_drift = std::max(audit_.energy_drift, std::abs(drift));
  }
  audit_.energy_scale = std::max({audit_.energy_scale, e.kinetic, std::abs(e.potential - potential_start_), std::abs(work)});
  for (std::size_t k = 0; k < momentum_.size(); ++k) {
    MomentumAudit& m = audit_.momenta[k];
    const double impulse = system_.impulse(x, k);
    largest_impulse_[k] = std::max(largest_impulse_[k], std::abs(impulse));
    m.largest = std::max(m.largest, std::abs(momentum_[k]));
    m.drift = std::max(m.drift, std::abs(momentum_[k] - momentum_start_[k] - impulse));
  }

  to.pivot.push_back(system_.robot().smallest_pivot(q));
  if (to.pivot.back() < audit_.smallest_pivot) {
    audit_.smallest_pivot = to.pivot.back();
    audit_.at = t;
  }

  // The closing check. A prescribed motion's torques come from inverse dynamics, so they go through forward dynamics first.
  system_.bias(t, q, v, torque_.data());
  for (std::size_t i = 0; i < n_; ++i) audit_.torque_scale[i] = std::max({audit_.torque_scale[i], std::abs(torque_[i]), std::abs(tau[i])});
  if (system_.prescribed()) {
    system_.closing_accelerations(t, q, v, tau, acceleration_.data());
    a = acceleration_.data();
  }
  system_.closing_torques(t, q, v, a, torque_.data());
  for (std::size_t i = 0; i < n_; ++i) audit_.closing[i] = std::max(audit_.closing[i], std::abs(torque_[i] - tau[i]));
}

/// As Kane and Levinson did it: the motion as it came out, differentiated, through inverse dynamics. Differences of order six over the output step, so this
/// tells of the integrator and of how fine the output is. Rows next to a jump of the forces are left out: a has no derivative there.
void Auditor::close_by_differences(const Trajectory& r) {
  constexpr std::array<double, 3> kWeight{3.0 / 4, -3.0 / 20, 1.0 / 60};
  constexpr std::size_t kReach = kWeight.size();
  for (std::size_t row = kReach; row + kReach < r.rows(); ++row) {
    if (r.segment[row - kReach] != r.segment[row + kReach]) continue;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::size_t k = 1; k <= kReach; ++k) sum += kWeight[k - 1] * (r.v[(row + k) * n_ + i] - r.v[(row - k) * n_ + i]);
      acceleration_[i] = sum / scenario_.output_step;
    }
    system_.enter_at(r.t[row]);
    system_.closing_torques(r.t[row], &r.q[row * n_], &r.v[row * n_], acceleration_.data(), torque_.data());
    for (std::size_t i = 0; i < n_; ++i) audit_.closing_own[i] = std::max(audit_.closing_own[i], std::abs(torque_[i] - r.tau[row * n_ + i]));
  }
}

Audit Auditor::finish(const double* x, const Trajectory& trajectory, long steps) {
  audit_.evaluations = system_.evaluations();
  audit_.steps = steps;
  audit_.work.assign(system_.work(x), system_.work(x) + n_);
  audit_.losses = system_.losses(x);
  audit_.external = system_.external(x);
  const auto none = [](double value) { return value == 0; };
  audit_.conservative = std::all_of(audit_.work.begin(), audit_.work.end(), none) && audit_.losses == 0 && audit_.external == 0;
  for (std::size_t k = 0; k < audit_.momenta.size(); ++k) audit_.momenta[k].constant = largest_impulse_[k] == 0;
  constexpr double kClosed = 1e-9;  // rounding, times what a badly conditioned M makes of it
  for (std::size_t i = 0; i < n_; ++i) audit_.closed = audit_.closed && audit_.closing[i] <= kClosed * audit_.torque_scale[i];
  close_by_differences(trajectory);
  return audit_;
}

}  // namespace ulna::sim
