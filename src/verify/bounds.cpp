#include "verify/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "dynamics/pivots.hpp"
#include "model/moving_tree.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

using Real = Reference::Real;

/// M⁻¹ by Gauss-Jordan elimination; M is symmetric and positive definite, so no pivoting is needed.
std::vector<Real> inverse_of(const std::vector<Real>& M, std::size_t n) {
  std::vector<Real> left = M, right(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) right[i * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const Real pivot = left[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      left[k * n + j] /= pivot;
      right[k * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Real factor = left[i * n + k];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        left[i * n + j] -= factor * left[k * n + j];
        right[i * n + j] -= factor * right[k * n + j];
      }
    }
  }
  return right;
}

// A slide without effect has no terms; the reference, a difference of torques, still has its own rounding, which is 2000 times smaller than that of
// doubles.
constexpr double kOfReference = 1e-3;

double size_of(Real x) { return static_cast<double>(std::abs(x)); }

}  // namespace

Bounds::Bounds(const Reference& reference, const Terms& terms, const std::vector<double>& q, const std::vector<double>& v,
               const std::vector<double>& accelerations, bool matrices)
    : acceleration(accelerations.begin(), accelerations.end()), matrices_(matrices) {
  const std::vector<Real> ql(q.begin(), q.end()), vl(v.begin(), v.end()), rest(v.size(), 0);
  reference.torque(ql, vl, acceleration, tau);
  reference.torque(ql, vl, rest, bias);
  reference.gravity(ql, gravity);
  const auto doubles = [](const std::vector<Real>& x) { return std::vector<double>(x.begin(), x.end()); };
  v_ = doubles(reference.speeds(ql, vl));
  a_ = doubles(reference.accelerations(ql, vl, acceleration));
  for (std::size_t j = 0; j < v.size(); ++j) ways_.push_back(doubles(reference.moved_by(ql, j)));
  condition_ = static_cast<double>(reference.condition(ql));
  // Positions of joints that went round many times are rounded where they are, and loops are closed to that.
  double farthest = 0;
  for (const double at : q) farthest = std::fmax(farthest, std::fabs(at));
  if (reference.closed()) condition_ *= 1 + farthest / 8;
  if (matrices_) {
    if (reference.closed()) {
      // Kernels take them for the mixed part of a quadratic form, from sums and differences of v and the unit rate: their own terms count, too. What loops
      // are solved from may be larger than the solution, by their condition.
      const std::vector<double> of_v = doubles(reference.accelerations(ql, vl, rest));
      for (const std::vector<Real>& rates : reference.moved_by_rates(ql, vl)) {
        std::vector<Real> unit(v.size(), 0);
        unit[way_rates_.size()] = 1;
        const std::vector<double> of_unit = doubles(reference.accelerations(ql, unit, rest));
        std::vector<double>& sizes = way_rates_.emplace_back(doubles(rates));
        for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = condition_ * (std::fabs(sizes[k]) + (std::fabs(of_v[k]) + std::fabs(of_unit[k])) / 2);
      }
    }
    reference.mass(ql, M);
    reference.coriolis(ql, vl, C);
    inverse_ = inverse_of(M, v.size());
    const std::size_t n = v.size();
    std::vector<Real> by_q, by_v;
    reference.derivatives(ql, vl, acceleration, by_q, by_v);
    derivatives = by_q;
    derivatives.insert(derivatives.end(), by_v.begin(), by_v.end());
    derivatives.insert(derivatives.end(), M.begin(), M.end());
    forward_derivatives.assign(3 * n * n, 0);
    for (std::size_t j = 0; j < 2 * n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) forward_derivatives[i + j * n] -= inverse_[i * n + k] * derivatives[k + j * n];
    std::copy(inverse_.begin(), inverse_.end(), forward_derivatives.begin() + static_cast<std::ptrdiff_t>(2 * n * n));
  }
  add(terms, q, v, accelerations);
}

Bounds::Bounds(const Reference& reference, const Model& model, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a)
    : Bounds(reference, Terms(model), q, v, a) {}

std::vector<Terms::Share> Bounds::shares(const Terms& terms) const {
  std::vector<Terms::Share> all(ways_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < terms.shares().size(); ++k) {
      const double part = condition_ * std::fabs(ways_[i][k]);
      all[i].force += part * terms.shares()[k].force, all[i].moment += part * terms.shares()[k].moment;
    }
  return all;
}

double Bounds::rotor(const Terms& terms, std::size_t i, const std::vector<double>& a) const {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += condition_ * terms.shares()[k].rotor * std::fabs(ways_[i][k] * a[k]);
  return sum;
}

double Bounds::friction(const Terms& terms, std::size_t i, const std::vector<double>& v) const {
  double sum = 0;
  for (std::size_t k = 0; k < v.size(); ++k) sum += condition_ * std::fabs(ways_[i][k]) * terms.friction(k, v[k]);
  return sum;
}

void Bounds::add(const Terms& terms, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& accelerations) {
  const std::size_t n = v.size();
  const std::vector<Terms::Share> share = shares(terms);
  const auto torque_size = [&](const Terms::Size& size, std::size_t i) { return share[i].force * size.force + share[i].moment * size.moment; };
  torque_bound.resize(n);
  gravity_bound.resize(n);
  const Terms::Size size = terms.torque(q, v_, a_);
  for (std::size_t i = 0; i < n; ++i) torque_bound[i] += torque_size(size, i) + rotor(terms, i, a_) + friction(terms, i, v_);
  const Terms::Size weight = terms.weight(q);
  for (std::size_t i = 0; i < n; ++i) gravity_bound[i] += torque_size(weight, i);
  if (!matrices_) return;
  mass_bound.resize(n * n);
  mass_bound_base.resize(n * n);
  coriolis_bound.resize(n * n);
  const std::size_t base = terms.free() ? base_nv(RootJoint::free) : 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Terms::Size column = terms.column(q, ways_[j]);
    Terms::Size moving = j < base ? terms.coriolis_column(q, v_, j) : terms.coriolis_column(q, v_, ways_[j]);
    if (!way_rates_.empty()) {
      const Terms::Size more = terms.column(q, way_rates_[j]);
      moving = {moving.force + more.force, moving.moment + more.moment};
    }
    for (std::size_t i = 0; i < n; ++i) {
      mass_bound[i + j * n] += torque_size(column, i) + rotor(terms, i, ways_[j]);
      coriolis_bound[i + j * n] += torque_size(moving, i) + (way_rates_.empty() ? 0 : rotor(terms, i, way_rates_[j]));
    }
  }
  // C_ij is the sum over k of v_k D_ikj, and D_ikj half of a run with speeds k and j less those with one of them. The terms of the first are at most twice
  // the sum of the others', since they are quadratic in the speeds.
  coriolis_bound_runs.resize(n * n);
  std::vector<Terms::Size> runs;
  for (std::size_t k = 0; k < n; ++k) runs.push_back(terms.coriolis_column(q, ways_[k], ways_[k]));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) coriolis_bound_runs[i + j * n] += 1.5 * std::fabs(v[k]) * (torque_size(runs[j], i) + torque_size(runs[k], i));
  const Terms::Extent extent = terms.extent(q);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      mass_bound_base[i * n + j] += share[i].force * share[j].force * extent.mass +
                                    (share[i].force * share[j].moment + share[i].moment * share[j].force) * extent.first +
                                    share[i].moment * share[j].moment * extent.second + rotor(terms, i, ways_[j]);
  const Terms::Size drives = terms.drives(q, a_);
  acceleration_bound.assign(n, 0);
  acceleration_bound_drives.assign(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    double effort = torque_bound[j];
    for (std::size_t k = 0; k < n; ++k) effort += mass_bound[j + k * n] * std::abs(accelerations[k]);
    for (std::size_t i = 0; i < n; ++i) {
      acceleration_bound[i] += size_of(inverse_[i * n + j]) * effort;
      acceleration_bound_drives[i] += size_of(inverse_[i * n + j]) * (effort + torque_size(drives, j));
    }
  }
  add_derivatives(terms, q);
}

void Bounds::add_derivatives(const Terms& terms, const std::vector<double>& q) {
  const std::size_t n = ways_.size();
  const std::vector<Terms::Share> share = shares(terms);
  const bool closed = !way_rates_.empty();
  derivatives_bound.resize(3 * n * n);
  const Terms::Size size = terms.torque(q, v_, a_);
  for (std::size_t j = 0; j < n; ++j) {
    // Sizes are polynomials of lengths and rates with positive terms, so what one more of either adds is no less than their derivative. An angle rotates
    // at most two rates, a lever and an axis of a term. In loops, dependent joints rotate with it, and slides rotate bodies behind loops.
    std::vector<double> faster = v_, farther = q;
    for (std::size_t k = 0; k < v_.size(); ++k) {
      faster[k] += std::copysign(ways_[j][k], v_[k]);
      if (const std::size_t at = terms.places()[k]; at != kNone) farther[at] += std::copysign(ways_[j][k], q[at]);
    }
    const Terms::Size more = terms.torque(q, faster, a_), longer = terms.torque(farther, v_, a_);
    std::vector<double> bent(v_.size(), 0.0);
    for (std::size_t k = 0; closed && k < bent.size(); ++k) bent[k] = 2 * way_rates_[j][k];
    const Terms::Size accelerated = terms.column(q, bent);
    for (std::size_t i = 0; i < n; ++i) {
      const auto torque_size = [&](const Terms::Size& s) { return share[i].force * s.force + share[i].moment * s.moment; };
      derivatives_bound[i + j * n] +=
          4 * (share[j].moment + (closed ? share[j].force : 0)) * (torque_size(size) + (closed ? rotor(terms, i, a_) + friction(terms, i, v_) : 0)) +
          (share[j].force != 0 ? torque_size(longer) - torque_size(size) + kOfReference * torque_size(longer) : 0);
      derivatives_bound[i + (n + j) * n] += torque_size(more) - torque_size(size) + friction(terms, i, faster) - friction(terms, i, v_) +
                                            (closed ? torque_size(accelerated) + rotor(terms, i, bent) + kOfReference * torque_size(more) : 0);
    }
  }
  std::copy(mass_bound.begin(), mass_bound.end(), derivatives_bound.begin() + static_cast<std::ptrdiff_t>(2 * n * n));
  // Accelerations by derivatives of the torques at rounded accelerations: M⁻¹ times what these are off by, and what M is off by times the result.
  forward_derivatives_bound.assign(3 * n * n, 0);
  for (std::size_t j = 0; j < 3 * n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      double effort = j < 2 * n ? derivatives_bound[k + j * n] : 0;
      for (std::size_t l = 0; l < n; ++l) {
        effort += mass_bound[k + l * n] * size_of(forward_derivatives[l + j * n]);
        if (j < n) effort += 4 * std::fmax(share[j].moment, share[j].force) * mass_bound[k + l * n] * acceleration_bound[l];
      }
      for (std::size_t i = 0; i < n; ++i) forward_derivatives_bound[i + j * n] += size_of(inverse_[i * n + k]) * effort;
    }
}

Bounds::Exact Bounds::of(Quantity quantity) const {
  switch (quantity) {
    case Quantity::inverse: return {tau, torque_bound};
    case Quantity::mass: return {M, mass_bound};
    case Quantity::bias: return {bias, torque_bound};
    case Quantity::gravity: return {gravity, gravity_bound};
    case Quantity::coriolis: return {C, coriolis_bound};
    case Quantity::forward: return {acceleration, acceleration_bound};
    case Quantity::inverse_derivatives: return {derivatives, derivatives_bound};
    case Quantity::forward_derivatives: return {forward_derivatives, forward_derivatives_bound};
    default: throw std::logic_error(cat("there is no reference for the ", result_name(quantity)));
  }
}

bool pivots_hold(const std::vector<long double>& M, std::size_t n, Precision precision) {
  std::vector<Real> left = M;
  bool all = true;
  for_each_pivot(left.data(), n, [&](std::size_t k, Real pivot) {
    all = all && pivot_holds(static_cast<double>(pivot), static_cast<double>(M[k * n + k]), n, unit_roundoff(precision));
    return all;
  });
  return all;
}

Bounds::Exact Bounds::of(Quantity quantity, const Formulation& by) const {
  const Exact exact = of(quantity);
  const std::vector<double>& bound = quantity == Quantity::mass && by.from_base             ? mass_bound_base
                                     : quantity == Quantity::forward && by.carries_drives   ? acceleration_bound_drives
                                     : quantity == Quantity::coriolis && by.superposes_runs ? coriolis_bound_runs
                                                                                            : exact.bound;
  return {exact.value, bound};
}

double largest_difference(const std::vector<double>& got, const std::vector<long double>& wanted, const std::vector<double>& bound, double amplification) {
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = static_cast<double>(std::abs(got[i] - wanted[i]));
    const double relative = difference == 0 ? 0 : difference / (amplification * bound[i]);
    largest = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(largest, relative);
  }
  return largest;
}

Model snapped_model(const Model& model, double snap) {
  const MovingTree tree = merge_fixed(model, snap);
  Description d;
  d.name = model.name();
  d.file = model.file();
  d.gravity = model.gravity();
  d.base = model.base();
  const auto body_name = [](std::size_t body) { return body == kNone ? std::string("base") : "body" + std::to_string(body); };
  const auto add_link = [&](std::size_t index, const PseudoInertia<double>& body) {
    Link link;
    link.name = body_name(index);
    link.mass = body.m;
    if (body.m != 0) link.com = (1 / body.m) * body.h;
    link.inertia = inertia_about_com(body);
    d.links.push_back(std::move(link));
  };
  add_link(kNone, tree.base);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MovingBody& body = tree.bodies[i];
    add_link(i, body.inertia);
    Description::JointEntry entry;
    entry.joint = model.joints()[body.joint];
    entry.joint.X_PF = body.X_PB;
    entry.joint.X_MB = {};
    entry.joint.axis = {0, 0, 1};
    entry.parent = body_name(body.parent);
    entry.child = body_name(i);
    if (entry.joint.mimic) entry.leader = model.joints()[entry.joint.mimic->leader].name;
    d.joints.push_back(std::move(entry));
  }
  Diagnostics ignored;
  const Model merged = *build(d, ignored);
  if (!model.closed()) return merged;
  ClosedLoops closed{model.loops(), model.order(), model.reference(), model.singularity()};
  for (Loop& loop : closed.loops) {
    loop.X_PA = tree.X_BL[loop.predecessor] * loop.X_PA, loop.X_SB = tree.X_BL[loop.successor] * loop.X_SB;
    loop.predecessor = tree.body_of_link[loop.predecessor] + 1, loop.successor = tree.body_of_link[loop.successor] + 1;  // kNone + 1 is the base
  }
  return with_closed(merged, std::move(closed));
}

}  // namespace ulna::internal
