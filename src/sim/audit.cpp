#include "sim/audit.hpp"

#include <algorithm>
#include <numeric>

#include "dynamics/pivots.hpp"

namespace ulna::internal::sim {

namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

constexpr std::size_t kPoints = 6;

/// Weights of `count` function values whose weighted sum is the integral from `begin` to `end` of the polynomial through them: by Gauss's three
/// points, which are exact to degree five.
void find_weights(const PowerIntegral::Point* points, std::size_t count, double begin, double end, double* weights) {
  const double middle = (begin + end) / 2, half = (end - begin) / 2, root = std::sqrt(0.6);
  std::fill(weights, weights + count, 0.0);
  for (const auto& [place, share] : {std::array{-root, 5.0 / 9}, std::array{0.0, 8.0 / 9}, std::array{root, 5.0 / 9}}) {
    const double at = middle + half * place;
    for (std::size_t k = 0; k < count; ++k) {
      double value = share * half;
      for (std::size_t j = 0; j < count; ++j)
        if (j != k) value *= (at - points[j].t) / (points[k].t - points[j].t);
      weights[k] += value;
    }
  }
}

}  // namespace

Auditor::Auditor(const Scenario& scenario, System& system)
    : scenario_(scenario), system_(system), n_(system.coordinates()), torque_(n_), acceleration_(n_), mass_(n_ * n_), power_(n_) {
  audit_.balanced = !scenario.base.moves;
  audit_.smallest_pivot = INFINITY;
  audit_.joints.resize(n_);
  for (std::vector<double>* each : {&audit_.closing, &audit_.closing_own, &audit_.torque_scale}) each->assign(n_, 0.0);
  if (system.robot().other_formulation() != nullptr)
    for (std::vector<double>* each : {&audit_.difference, &audit_.difference_scale}) each->assign(n_, 0.0);
  const std::vector<std::string> names = scenario.model.velocity_names();
  if (system.free_base()) audit_.world = {{.kind = "angular"}, {.kind = "linear"}};
  for (const std::size_t i : system.cyclic()) {
    audit_.momenta.push_back({.joint = names[i]});
    impulse_of_.push_back(impulse_of_.size());
  }
  // The formulation's own momentum is that of one of these joints.
  const ConstantOfMotion own = system.constant();
  const auto found = std::find(system.cyclic().begin(), system.cyclic().end(), own.joint);
  if (!own.symbol.empty() && found != system.cyclic().end()) {
    audit_.momenta.push_back({.joint = names[own.joint], .by = std::string(own.symbol)});
    impulse_of_.push_back(static_cast<std::size_t>(found - system.cyclic().begin()));
  }
  largest_impulse_.assign(impulse_of_.size(), 0.0);
}

/// p = M v, or the momentum of the formulation.
void Auditor::momenta(const RowFacts& facts, std::vector<double>& out) const {
  out.clear();
  for (const std::size_t i : system_.cyclic()) {
    double p = 0;
    for (std::size_t j = 0; j < n_; ++j) p += facts.mass[i * n_ + j] * facts.v[j];
    out.push_back(p);
  }
  if (out.size() < audit_.momenta.size()) out.push_back(*facts.constant);
}

/// A point of the joints' balance. Its power is that of the torques by inverse dynamics with the a that forward dynamics gave; rows inside a stretch get that
/// of the motion alone in the end.
void Auditor::point(double t, const RowFacts& facts, int segment) {
  const std::size_t k = power_.add({t, segment, total(facts) - energy_start_ + sum(facts.losses) - sum(facts.external)});
  for (std::size_t i = 0; i < n_; ++i) {
    power_.power(k)[i] = facts.v[i] * facts.closing[i];
    power_.work(k)[i] = facts.work[i];
  }
}

void Auditor::before_break(double t, const RowFacts& facts, int segment) {
  point(t, facts, segment);
  energy_before_ = total(facts);
  momenta(facts, momentum_before_);
}

void Auditor::after_break(double t, const RowFacts& facts, int segment) {
  momenta(facts, momentum_);
  if (!started_) {
    energy_start_ = total(facts);
    potential_start_ = facts.energy.potential;
    momentum_start_ = momentum_;
    world_start_ = facts.world.momentum;
    started_ = true;
  } else {
    energy_start_ += total(facts) - energy_before_;
    for (std::size_t k = 0; k < momentum_.size(); ++k) momentum_start_[k] += momentum_[k] - momentum_before_[k];
    if (!facts.transferred.empty()) {
      world_start_.angular = world_start_.angular + Vec3<double>{facts.transferred[0], facts.transferred[1], facts.transferred[2]};
      world_start_.linear = world_start_.linear + Vec3<double>{facts.transferred[3], facts.transferred[4], facts.transferred[5]};
    }
  }
  point(t, facts, segment);
}

void Auditor::compare(const RowFacts& facts) {
  const std::vector<double>& given = system_.prescribed() ? facts.tau : facts.a;
  for (std::size_t i = 0; i < facts.production.size(); ++i) {
    const double off = std::abs(given[i] - facts.production[i]);
    if (!(off <= audit_.difference[i])) audit_.difference[i] = off;  // NaN, too
    audit_.difference_scale[i] = std::max(audit_.difference_scale[i], std::abs(facts.production[i]));
  }
}

/// What closing differences are measured against. All of a joint's torques may be zero by symmetry, but the terms that cancel there are not, and leave their
/// rounding: so a thousandth of what the other joints' torques would be at this one, by the geometric mean of inertias (M_ij² <= M_ii M_jj), is the least.
void Auditor::weigh_torques(const RowFacts& facts) {
  constexpr double kLeast = 1e-3;
  double all = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double inertia = 0;
    for (std::size_t j = 0; j < n_; ++j) inertia += std::abs(facts.mass[i * n_ + j] * facts.a[j]);
    torque_[i] = std::max({std::abs(facts.bias[i]), std::abs(facts.tau[i]), inertia});
    all = std::max(all, torque_[i] / std::sqrt(facts.mass[i * n_ + i]));
  }
  for (std::size_t i = 0; i < n_; ++i)
    audit_.torque_scale[i] = std::max({audit_.torque_scale[i], torque_[i], kLeast * all * std::sqrt(facts.mass[i * n_ + i])});
}

/// Of a free base: only external impulses and transferred momentum may change it.
void Auditor::weigh_world(const RowFacts& facts) {
  const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
  const auto weigh = [&](WorldMomentum& w, const Vec3<double>& p, const Vec3<double>& start, const double* world_impulse, double scale) {
    const Vec3<double> impulse{world_impulse[0], world_impulse[1], world_impulse[2]};
    w.constant = w.constant && length(impulse) == 0;
    w.largest = std::max(w.largest, length(p));
    w.drift = std::max(w.drift, length(p - start - impulse));
    w.scale = std::max(w.scale, scale);
  };
  if (audit_.world.empty()) return;
  weigh(audit_.world[0], facts.world.momentum.angular, world_start_.angular, facts.world_impulse.data(), facts.world.angular);
  weigh(audit_.world[1], facts.world.momentum.linear, world_start_.linear, facts.world_impulse.data() + 3, facts.world.linear);
}

void Auditor::row(double t, const RowFacts& facts, int segment, Trajectory& to) {
  to.t.push_back(t);
  const auto append = [](std::vector<double>& all, const std::vector<double>& part) { all.insert(all.end(), part.begin(), part.end()); };
  append(to.q, facts.q);
  append(to.v, facts.v);
  append(to.a, facts.a);
  append(to.tau, facts.tau);
  append(to.joint_work, facts.work);
  append(to.joint_v, facts.joint_v);
  append(to.joint_a, facts.joint_a);
  append(friction_, facts.friction);
  to.segment.push_back(segment);

  const Energy& e = facts.energy;
  const double work = sum(facts.work);
  to.kinetic.push_back(e.kinetic);
  to.potential.push_back(e.potential);
  to.work.push_back(work);
  if (audit_.balanced) {
    const double drift = e.kinetic + e.potential - energy_start_ - work + sum(facts.losses) - sum(facts.external);
    to.energy_drift.push_back(drift);
    audit_.energy_drift = std::max(audit_.energy_drift, std::abs(drift));
  }
  audit_.energy_scale = std::max({audit_.energy_scale, e.kinetic, std::abs(e.potential - potential_start_), std::abs(work)});
  momenta(facts, momentum_);
  for (std::size_t k = 0; k < momentum_.size(); ++k) {
    MomentumAudit& m = audit_.momenta[k];
    const double impulse = facts.impulse[impulse_of_[k]];
    largest_impulse_[k] = std::max(largest_impulse_[k], std::abs(impulse));
    m.largest = std::max(m.largest, std::abs(momentum_[k]));
    m.drift = std::max(m.drift, std::abs(momentum_[k] - momentum_start_[k] - impulse));
  }

  weigh_world(facts);

  mass_ = facts.mass;
  to.pivot.push_back(INFINITY);
  for_each_pivot(mass_.data(), n_, [&](std::size_t, double pivot) {
    to.pivot.back() = std::min(to.pivot.back(), pivot);
    return true;
  });
  if (to.pivot.back() < audit_.smallest_pivot) {
    audit_.smallest_pivot = to.pivot.back();
    audit_.at = t;
  }

  if (facts.constant) to.constant.push_back(*facts.constant);
  compare(facts);
  weigh_torques(facts);
  for (std::size_t i = 0; i < n_; ++i) {
    const double difference = std::abs(facts.closing[i] - facts.tau[i]);
    if (!(difference <= audit_.closing[i])) audit_.closing[i] = difference;  // NaN, too
    audit_.closed = audit_.closed && !std::isnan(difference);
  }
  // The row at the beginning of a stretch exists already.
  if (power_.points().back().t < t) point(t, facts, segment);
  point_of_row_.push_back(power_.points().size() - 1);
}

/// As Kane and Levinson did it: the motion as it came out, differentiated, through inverse dynamics. Differences of order six over the output step, so this
/// measures the integrator and the resolution of the output. Rows next to a jump of the forces are left out: a has no derivative there.
void Auditor::close_by_differences(const Trajectory& r) {
  constexpr std::array<double, 3> kWeight{3.0 / 4, -3.0 / 20, 1.0 / 60};
  constexpr std::size_t kReach = kWeight.size();
  int entered = -1;
  for (std::size_t row = kReach; row + kReach < r.rows(); ++row) {
    if (r.segment[row - kReach] != r.segment[row + kReach]) continue;
    for (std::size_t i = 0; i < n_; ++i) {
      double slope = 0;
      for (std::size_t k = 1; k <= kReach; ++k) slope += kWeight[k - 1] * (r.v[(row + k) * n_ + i] - r.v[(row - k) * n_ + i]);
      acceleration_[i] = slope / scenario_.output_step;
    }
    const double *q = &r.q[row * r.positions], *v = &r.v[row * n_];
    if (system_.free_base()) numbers_to_classical(v, acceleration_.data());
    if (r.segment[row] != entered) system_.enter_at(r.t[row]);
    entered = r.segment[row];
    system_.closing_torques(r.t[row], q, v, acceleration_.data(), torque_.data(), friction_.empty() ? nullptr : &friction_[row * n_]);
    for (std::size_t i = 0; i < n_; ++i) {
      audit_.closing_own[i] = std::max(audit_.closing_own[i], std::abs(torque_[i] - r.tau[row * n_ + i]));
      power_.power(point_of_row_[row])[i] = r.v[row * n_ + i] * torque_[i];
    }
  }
}

/// Work of each drive compared with the power of the motion.
void Auditor::balance_joints() {
  const std::vector<double> taken = power_.integrals();
  for (std::size_t k = 0; k < power_.points().size(); ++k) {
    double all = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double own = taken[k * n_ + i];
      all += own;
      audit_.joints[i].drift = std::max(audit_.joints[i].drift, std::abs(power_.work(k)[i] - own));
      audit_.joints[i].uptake = own - audit_.joints[i].losses + audit_.joints[i].external;  // the last one stays
    }
    if (audit_.balanced) audit_.uptake_error = std::max(audit_.uptake_error, std::abs(all - power_.points()[k].energy));
  }
}

Audit Auditor::finish(double t, const RowFacts& facts, int segment, const Trajectory& trajectory, long steps) {
  audit_.evaluations = system_.evaluations();
  audit_.steps = steps;
  for (std::size_t i = 0; i < n_; ++i) {
    JointWork& joint = audit_.joints[i];
    joint.work = facts.work[i];
    if (!facts.losses.empty()) joint.losses = facts.losses[i];
    if (!facts.external.empty()) joint.external = facts.external[i];
    audit_.conservative = audit_.conservative && joint.work == 0 && joint.losses == 0 && joint.external == 0;
  }
  audit_.losses = sum(facts.losses);
  audit_.external = sum(facts.external);
  if (started_ && power_.points().back().t < t) point(t, facts, segment);
  for (std::size_t k = 0; k < audit_.momenta.size(); ++k) audit_.momenta[k].constant = largest_impulse_[k] == 0;
  constexpr double kClosed = 1e-9;  // rounding, times the amplification by a badly conditioned M
  for (std::size_t i = 0; i < n_; ++i) audit_.closed = audit_.closed && audit_.closing[i] <= kClosed * audit_.torque_scale[i];
  close_by_differences(trajectory);
  balance_joints();
  return std::move(audit_);
}

std::size_t PowerIntegral::add(const Point& point) {
  points_.push_back(point);
  power_.resize(power_.size() + size_);
  work_.resize(work_.size() + size_);
  return points_.size() - 1;
}

std::vector<double> PowerIntegral::integrals() const {
  std::vector<double> out(power_.size(), 0.0);
  std::size_t first = 0, last = 0;  // of the present stretch
  std::array<double, kPoints> weights{}, known{};
  std::size_t known_count = 0, known_place = 0;
  const auto stretch = [&](std::size_t k) { return points_[k].stretch; };
  const auto time = [&](std::size_t k) { return points_[k].t; };
  for (std::size_t k = 1; k < points_.size(); ++k) {
    std::copy_n(&out[(k - 1) * size_], size_, &out[k * size_]);
    if (stretch(k) != stretch(k - 1)) {
      first = k;
      continue;
    }
    for (last = std::max(last, k); last + 1 < points_.size() && stretch(last + 1) == stretch(k);) ++last;
    const std::size_t count = std::min(kPoints, last - first + 1);
    // As many on either side as there are.
    const std::size_t before = std::min(k - 1 - first, (count - 2) / 2), from = std::min(k - 1 - before, last + 1 - count), place = k - 1 - from;
    // Rows are evenly spaced, so that most intervals have the weights of the one before.
    bool same = count == known_count && place == known_place;
    const double h = time(k) - time(k - 1);
    for (std::size_t j = 0; j < count && same; ++j) same = same_time(time(from + j) - time(from), known[j], h);
    if (!same) {
      find_weights(&points_[from], count, time(k - 1), time(k), weights.data());
      known_count = count;
      known_place = place;
      for (std::size_t j = 0; j < count; ++j) known[j] = time(from + j) - time(from);
    }
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < size_; ++i) out[k * size_ + i] += weights[j] * power_[(from + j) * size_ + i];
  }
  return out;
}

}  // namespace ulna::internal::sim
