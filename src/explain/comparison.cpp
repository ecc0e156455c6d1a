#include "explain/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/plan/plan.hpp>

#include "dynamics/springs.hpp"
#include "model/describe.hpp"

namespace ulna::internal {

namespace {

/// As it is: right angles of a file are not made exact, so that a copy of a number is the same robot.
Plan plan_of(const Model& model) { return make_plan(model, {.snap = 0, .lumping = Lumping::none}); }

std::optional<Model> model_of(const Description& description) {
  Diagnostics ignored;
  return build(description, ignored);
}

/// A wrench on a free base as the other program writes it; q is ours.
void as_other(const BaseConvention& to, const double* q, double* wrench) {
  if (to.axes != BaseConvention::Axes::local) {
    const double x = q[3], y = q[4], z = q[5], w = q[6];
    const Mat3<double> R{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    const auto turn = [&](double* v) {
      const Vec3<double> out = R * Vec3<double>{v[0], v[1], v[2]};
      v[0] = out.x, v[1] = out.y, v[2] = out.z;
    };
    if (to.axes == BaseConvention::Axes::world) turn(wrench);
    turn(wrench + 3);
  }
  if (to.order == BaseConvention::Order::linear) std::swap_ranges(wrench, wrench + 3, wrench + 3);
}

}  // namespace

Numbers numbers_of(const Model& model, const Numbers& states) {
  const std::size_t n = model.nv(), nq = model.nq();
  Numbers out = states;
  out.tau.assign(states.states * n, 0);
  out.gravity.clear();
  out.mass.clear();
  const Plan plan = plan_of(model);
  Workspace ws(plan);
  Effects effects;
  effects.friction = true;
  std::vector<double> q(nq), v(n), a(n), tau(n);
  for (std::size_t s = 0; s < states.states; ++s) {
    std::copy_n(states.q.begin() + static_cast<std::ptrdiff_t>(s * nq), nq, q.begin());
    std::copy_n(states.v.begin() + static_cast<std::ptrdiff_t>(s * n), n, v.begin());
    std::copy_n(states.a.begin() + static_cast<std::ptrdiff_t>(s * n), n, a.begin());
    inverse_dynamics(plan, ws, q, v, a, tau, effects);
    std::copy(tau.begin(), tau.end(), out.tau.begin() + static_cast<std::ptrdiff_t>(s * n));
  }
  return out;
}

Comparison::Comparison(const Model& a, const Numbers& numbers)
    : n_(a.nv()), nq_(a.nq()), joints_(a.independent().size()), free_(a.base() == RootJoint::free), numbers_(numbers) {
  constexpr double kSmallest = 1e-6;  // of the largest: a joint without torque has no scale of its own
  Trial own{describe(a), Coordinates(joints_)};
  const auto add = [&](const std::vector<double>& values, Entry::Of of, std::size_t columns) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isnan(values[i])) entries_.push_back({1, i / (n_ * columns), (i / columns) % n_, i % columns, of}), target_.push_back(values[i]);
  };
  add(numbers.tau, Entry::Of::torque, 1);
  add(numbers.gravity, Entry::Of::gravity, 1);
  add(numbers.mass, Entry::Of::mass, n_);
  // Scales: the largest that either side has, of each joint and kind of number.
  const std::vector<double> ours = predict(own);
  std::vector<double> largest(3 * n_, 0.0);
  const auto index = [&](const Entry& e) { return static_cast<std::size_t>(e.of) * n_ + e.row; };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    double& most = largest[index(entries_[i])];
    most = std::max({most, std::abs(target_[i]), ours.empty() || !std::isfinite(ours[i]) ? 0.0 : std::abs(ours[i])});
  }
  double overall[3] = {0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < n_; ++j) overall[k] = std::max(overall[k], largest[k * n_ + j]);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& e = entries_[i];
    // Entries of M couple two joints: the geometric mean of their own.
    const double own_scale = e.of == Entry::Of::mass ? std::sqrt(largest[index(e)] * largest[2 * n_ + e.column]) : largest[index(e)];
    const double most = overall[static_cast<std::size_t>(e.of)];
    e.scale = std::max(own_scale, kSmallest * most);
    if (!(e.scale > 0)) e.scale = 1;
    target_[i] /= e.scale;
  }
}

std::vector<double> Comparison::predict(const Trial& trial) const {
  const std::optional<Model> model = model_of(trial.robot);
  if (!model || model->nv() != n_ || model->nq() != nq_) return {};
  const Plan plan = plan_of(*model);
  std::optional<Springs> springs, compensation;  // seldom tried
  if (trial.springs) springs.emplace(*model, Springs::Acting{true, false});
  if (trial.gravcomp) compensation.emplace(*model, Springs::Acting{false, true});
  Workspace ws(plan);
  const Coordinates& c = trial.coordinates;
  const bool mass = !numbers_.mass.empty(), gravity = !numbers_.gravity.empty(), torque = !numbers_.tau.empty();
  std::vector<double> q(nq_), v(n_), a(n_), tau(n_), g(n_), part(n_), M(mass ? n_ * n_ : 0);
  const std::size_t bq = nq_ - joints_, bv = n_ - joints_;  // numbers of the base
  std::vector<std::size_t> place(n_);                       // of the other's entry, in ours
  std::vector<double> sign(n_, 1.0);
  for (std::size_t k = 0; k < bv; ++k) place[k] = k;
  for (std::size_t k = 0; k < joints_; ++k) place[bv + c.order[k]] = bv + k, sign[bv + k] = c.sign[k];
  std::vector<double> out;
  out.reserve(entries_.size());
  std::vector<double> by_kind[3];  // all states of one kind, then the next, in the order of the entries
  Effects effects;
  effects.friction = true;
  for (std::size_t s = 0; s < numbers_.states; ++s) {
    std::copy_n(numbers_.q.begin() + static_cast<std::ptrdiff_t>(s * nq_), bq, q.begin());
    std::copy_n(numbers_.v.begin() + static_cast<std::ptrdiff_t>(s * n_), bv, v.begin());
    std::copy_n(numbers_.a.begin() + static_cast<std::ptrdiff_t>(s * n_), bv, a.begin());
    if (free_) to_ulna(c.base, q.data(), v.data(), a.data(), nullptr);
    for (std::size_t k = 0; k < joints_; ++k) {
      const std::size_t from = s * n_ + bv + c.order[k];
      const double own = c.sign[k] * c.scale[k];
      q[bq + k] = own * c.q_scale * numbers_.q[s * nq_ + bq + c.order[k]] + c.offset[k];
      v[bv + k] = own * c.v_scale * numbers_.v[from];
      a[bv + k] = own * c.a_scale * numbers_.a[from];
    }
    if (torque) {
      inverse_dynamics(plan, ws, q, v, a, tau, effects);
      if (trial.velocity_terms != 1) {
        Effects bare;
        bias_forces(plan, ws, q, v, part, bare);
        gravity_forces(plan, ws, q, g);
        for (std::size_t k = 0; k < n_; ++k) tau[k] += (trial.velocity_terms - 1) * (part[k] - g[k]);
      }
      if (springs) springs->add_to(q.data(), tau.data());
      if (compensation) compensation->add_to(q.data(), tau.data());
      if (free_) as_other(c.base, q.data(), tau.data());
      for (std::size_t k = 0; k < n_; ++k) by_kind[0].push_back(sign[place[k]] * tau[place[k]]);
    }
    if (gravity) {
      gravity_forces(plan, ws, q, g);
      if (compensation) compensation->add_to(q.data(), g.data());
      if (free_) as_other(c.base, q.data(), g.data());
      for (std::size_t k = 0; k < n_; ++k) by_kind[1].push_back(sign[place[k]] * g[place[k]]);
    }
    if (mass) {
      mass_matrix(plan, ws, q, MatrixView<double>(M.data(), n_, n_));
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t j = 0; j < n_; ++j) by_kind[2].push_back(sign[place[k]] * sign[place[j]] * M[place[k] * n_ + place[j]]);
    }
  }
  for (const Entry& e : entries_) {
    const std::vector<double>& values = by_kind[static_cast<std::size_t>(e.of)];
    const std::size_t i = e.of == Entry::Of::mass ? (e.state * n_ + e.row) * n_ + e.column : e.state * n_ + e.row;
    out.push_back(values[i] / e.scale);
  }
  return out;
}

std::vector<double> Comparison::difference(const std::vector<double>& predicted) const {
  if (predicted.size() != target_.size()) return {};
  std::vector<double> out(target_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = target_[i] - predicted[i];
  return out;
}

double Comparison::size(const std::vector<double>& difference) const {
  if (difference.size() != target_.size()) return std::numeric_limits<double>::infinity();
  if (difference.empty()) return 0;
  double sum = 0;
  for (const double d : difference) sum += d * d;
  return std::isfinite(sum) ? std::sqrt(sum / static_cast<double>(difference.size())) : std::numeric_limits<double>::infinity();
}

}  // namespace ulna::internal
