#include "features/expected.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/verify/verify.hpp>

#include "support/arm.hpp"
#include "text/message.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {

namespace {

using V = Vec3<Real>;
using Vector = Truth::Vector;
using internal::Acting;
using internal::Bounds;
using internal::Precision;
using internal::Terms;

Model on_joints(const Model& model) { return model.base() == RootJoint::planar ? with_base_as_joints(model) : model; }

/// Links are found by name: the model that the reference has may have more of them.
std::size_t link_in(const Model& model, const std::string& name) {
  const std::optional<std::size_t> found = model.find_link(name);
  if (!found) throw std::logic_error("the reference has no link " + name);
  return *found;
}

Acting acting_on(const Drawn& drawn, const Model& model) {
  Acting acting{{}, drawn.motion};
  const Model own = drawn.model();
  for (const Wrench& w : drawn.wrenches) acting.loads.push_back({link_in(model, own.links()[w.link].name) - 1, {}, w.axes, w.force, w.moment});
  return acting;
}

/// For the sizes of terms, on merged bodies.
Terms terms_of(const Drawn& drawn, const Model& model) {
  std::vector<Wrench> wrenches = drawn.wrenches;
  const Model own = drawn.model();
  for (Wrench& w : wrenches) w.link = link_in(model, own.links()[w.link].name);
  Terms terms(internal::snapped_model(model, drawn.snap));
  terms.act(internal::on_bodies(model, drawn.snap, wrenches, drawn.motion));
  return terms;
}

/// The same robot at a configuration whose angles are within half a turn, q becomes: joints that follow are off by whole turns of their own.
Description without_turns(Description d, Vector& q) {
  const Model model = build(d);
  const std::size_t first = base_nq(model.base());
  const auto reduced = [](Real angle) { return std::atan2(std::sin(angle), std::cos(angle)); };  // 2 π itself is rounded, and so are many of it
  const Vector far = q;
  if (model.base() == RootJoint::planar) q[2] = reduced(q[2]);
  std::map<std::size_t, std::size_t> place;
  for (std::size_t k = 0; k < model.independent().size(); ++k) {
    place[model.independent()[k]] = first + k;
    if (model.joints()[model.independent()[k]].type != JointType::prismatic) q[first + k] = reduced(q[first + k]);
  }
  for (Description::JointEntry& entry : d.joints) {
    const Joint& joint = model.joints()[*model.find_joint(entry.joint.name)];
    if (!joint.mimic) continue;
    const std::size_t k = place.at(joint.mimic->leader);
    const Real multiplier = joint.mimic->multiplier, angle = multiplier * far[k] + joint.mimic->offset;
    entry.joint.mimic =
        Mimic{kNone, joint.mimic->multiplier, static_cast<double>((joint.type == JointType::prismatic ? angle : reduced(angle)) - multiplier * q[k])};
    entry.leader = model.joints()[joint.mimic->leader].name;
  }
  return d;
}

V three(const Vector& x, std::size_t k) { return {x[k], x[k + 1], x[k + 2]}; }
void put(Vector& x, const V& v) { x.push_back(v.x), x.push_back(v.y), x.push_back(v.z); }
double size(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

}  // namespace

std::vector<Real> solved(std::vector<Real> A, std::vector<Real> b, std::size_t n) {
  const std::size_t m = b.size() / n;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
    for (std::size_t c = 0; c < m; ++c) std::swap(b[k + c * n], b[pivot + c * n]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Real factor = A[i * n + k] / A[k * n + k];
      for (std::size_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      for (std::size_t c = 0; c < m; ++c) b[i + c * n] -= factor * b[k + c * n];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < m; ++c) b[i + c * n] /= A[i * n + i];
  return b;
}

Truth::Truth(const Drawn& drawn, const Description& description, const std::vector<double>& q)
    : near_(q.begin(), q.end()),
      model_(on_joints(build(q.empty() ? description : without_turns(description, near_)))),
      reference_(model_),
      acted_(model_, acting_on(drawn, model_)),
      motion_(drawn.motion),
      friction_on_(drawn.friction),
      nv_(model_.nv()),
      link_(link_in(model_, drawn.model().links()[drawn.link].name)) {}

Vector Truth::friction(const Vector& v, double smooth) const {
  Vector out(nv_, 0);
  if (!friction_on_) return out;
  const std::size_t first = base_nv(model_.base());
  for (std::size_t k = 0; k < model_.independent().size(); ++k)
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (joint.type == JointType::fixed || (joint.mimic ? joint.mimic->leader : j) != model_.independent()[k]) continue;
      const Real share = joint.mimic ? joint.mimic->multiplier : 1, speed = share * v[first + k];
      const Real side = held_.empty() ? speed : share * held_[first + k];
      const Real sign = smooth > 0 ? std::tanh(speed / smooth) : side > 0 ? 1 : side < 0 ? -1 : 0;
      out[first + k] += share * (joint.friction.viscous * speed + joint.friction.coulomb * sign);
    }
  return out;
}

Vector Truth::friction_slope(const Vector& v, double smooth) const {
  constexpr Real kStep = 0x1p-20L;
  Vector out(nv_, 0);
  for (std::size_t k = 0; k < nv_; ++k) {
    if (smooth > 0) {
      Vector more = v, less = v;
      more[k] += kStep, less[k] -= kStep;
      out[k] = (friction(more, smooth)[k] - friction(less, smooth)[k]) / (2 * kStep);
    } else {  // Coulomb's friction is a constant of the state
      Vector unit(nv_, 0), twice(nv_, 0);
      unit[k] = 1, twice[k] = 2;
      out[k] = friction(twice)[k] - friction(unit)[k];
    }
  }
  return out;
}

std::vector<double> Truth::friction_size(const std::vector<double>& v) const {
  Vector slope = friction_slope(wide(v)), unit(nv_, 1);
  const Vector all = friction(unit);
  std::vector<double> out(nv_);
  for (std::size_t k = 0; k < nv_; ++k) out[k] = static_cast<double>(std::abs(slope[k] * v[k]) + std::abs(all[k]) + std::abs(slope[k]));
  if (!friction_on_) std::fill(out.begin(), out.end(), 0.0);
  // Shares of joints may cancel where they follow with other signs.
  for (std::size_t j = 0; friction_on_ && j < model_.joints().size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const double share = joint.mimic ? std::abs(joint.mimic->multiplier) : 1;
    for (double& x : out)
      if (joint.mimic) x += share * joint.friction.coulomb + share * share * joint.friction.viscous;
  }
  return out;
}

std::vector<Truth::Moving> Truth::moving(const Vector& q, const Vector& v, bool base) const {
  std::vector<Moving> all;
  for (std::size_t l = 0; l < model_.links().size(); ++l) {
    const Vector J = reference_.jacobian(q, l);
    const Pose<Real> X = reference_.pose(q, l);
    V w, velocity;
    for (std::size_t j = 0; j < nv_; ++j) w = w + v[j] * three(J, 6 * j), velocity = velocity + v[j] * three(J, 6 * j + 3);
    if (base) {
      const V w_base = motion_.angular_velocity.cast<Real>();
      w = w + w_base;
      velocity = velocity + motion_.linear_velocity.cast<Real>() + cross(w_base, X.p);
    }
    const Link& link = model_.links()[l];
    const V c = X.R * link.com.cast<Real>();
    all.push_back({X.p + c, velocity + cross(w, c), w, congruence(X.R, link.inertia.cast<Real>())});
  }
  return all;
}

Vector Truth::centroidal_momentum(const Vector& q, const Vector& v) const {
  const std::vector<Moving> all = moving(q, v, false);
  Real mass = 0;
  V first, linear, angular;
  for (std::size_t l = 0; l < all.size(); ++l) {
    const Real m = model_.links()[l].mass;
    mass += m;
    first = first + m * all[l].com;
    linear = linear + m * all[l].velocity;
  }
  const V com = (1 / mass) * first;
  for (std::size_t l = 0; l < all.size(); ++l)
    angular = angular + all[l].inertia * all[l].w + Real(model_.links()[l].mass) * cross(all[l].com - com, all[l].velocity);
  Vector out;
  put(out, com), put(out, (1 / mass) * linear), put(out, angular), put(out, linear);
  return out;
}

Vector Truth::value(Quantity quantity, const Vector& q, const Vector& v, const Vector& last) const {
  const std::size_t n = nv_;
  const Vector rest(n, 0);
  Vector out;
  const auto add = [&](const Vector& more) {
    for (std::size_t i = 0; i < n; ++i) out[i] += more[i];
  };
  const auto mass = [&] {
    Vector M;
    reference_.mass(q, M);
    return M;
  };
  switch (quantity) {
    case Quantity::inverse: acted_.torque(q, v, last, out), add(friction(v)); return out;
    case Quantity::bias: acted_.torque(q, v, rest, out), add(friction(v)); return out;
    case Quantity::gravity: reference_.gravity(q, out); return out;
    case Quantity::mass: return mass();
    case Quantity::mass_inverse: {
      Vector unit(n * n, 0);
      for (std::size_t i = 0; i < n; ++i) unit[i * n + i] = 1;
      return solved(mass(), unit, n);
    }
    case Quantity::coriolis: reference_.coriolis(q, v, out); return out;
    case Quantity::forward: {
      const Vector bias = value(Quantity::bias, q, v, {});
      Vector left = last;
      for (std::size_t i = 0; i < n; ++i) left[i] -= bias[i];
      return solved(mass(), left, n);
    }
    case Quantity::energy: {
      const std::vector<Moving> all = moving(q, v, true);
      Real twice = 0;
      for (std::size_t l = 0; l < all.size(); ++l)
        twice += model_.links()[l].mass * dot(all[l].velocity, all[l].velocity) + dot(all[l].w, all[l].inertia * all[l].w);
      const std::size_t first = base_nv(model_.base());
      for (std::size_t j = 0; j < model_.joints().size(); ++j) {
        const Joint& joint = model_.joints()[j];
        if (joint.type == JointType::fixed) continue;
        const auto& independent = model_.independent();
        const auto k = static_cast<std::size_t>(std::find(independent.begin(), independent.end(), joint.mimic ? joint.mimic->leader : j) - independent.begin());
        const Real speed = (joint.mimic ? Real(joint.mimic->multiplier) : 1) * v[first + k] * joint.gear;
        twice += joint.rotor * speed * speed;
      }
      return {twice / 2, reference_.potential(q)};
    }
    case Quantity::momentum: {
      V linear, angular;
      const std::vector<Moving> all = moving(q, v, true);
      for (std::size_t l = 0; l < all.size(); ++l) {
        const V p = Real(model_.links()[l].mass) * all[l].velocity;
        linear = linear + p;
        angular = angular + all[l].inertia * all[l].w + cross(all[l].com, p);
      }
      put(out, angular), put(out, linear);
      return out;
    }
    case Quantity::centroidal: {
      out = centroidal_momentum(q, v);
      Vector steady(n, 0);  // v keeps its numbers: its axes turn with a free base
      if (free()) {
        const V turned = cross(three(v, 0), three(v, 3));
        steady[3] = turned.x, steady[4] = turned.y, steady[5] = turned.z;
      }
      Vector rate(6, 0);
      Real speed = 1;
      for (const Real x : v) speed += std::abs(x);
      const Real step = 0.02L / speed;
      for (const auto& [k, weight] : {std::pair{1, Real(672)}, std::pair{2, Real(-168)}, std::pair{3, Real(32)}, std::pair{4, Real(-3)}})
        for (const int sign : {1, -1}) {
          const Vector there = centroidal_momentum(reference_.along(q, v, steady, sign * k * step), v);
          for (std::size_t i = 0; i < 6; ++i) rate[i] += sign * weight * there[6 + i] / (840 * step);
        }
      out.insert(out.end(), rate.begin(), rate.end());
      return out;
    }
    case Quantity::centroidal_matrix: {
      Vector unit(n, 0);
      for (std::size_t j = 0; j < n; ++j) {
        unit[j] = 1;
        const Vector column = centroidal_momentum(q, unit);
        unit[j] = 0;
        out.insert(out.end(), column.begin() + 6, column.end());
      }
      return out;
    }
    case Quantity::pose: {
      const Pose<Real> X = reference_.pose(q, link_);
      return {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
    }
    case Quantity::jacobian: return reference_.jacobian(q, link_);
    case Quantity::inverse_derivatives: {
      Vector by_v;
      acted_.derivatives(q, v, last, out, by_v);
      const Vector slope = friction_slope(v), M = mass();
      for (std::size_t i = 0; i < n; ++i) by_v[i + i * n] += slope[i];
      out.insert(out.end(), by_v.begin(), by_v.end());
      out.insert(out.end(), M.begin(), M.end());
      return out;
    }
    case Quantity::forward_derivatives: {
      Vector by = value(Quantity::inverse_derivatives, q, v, value(Quantity::forward, q, v, last));
      by.resize(2 * n * n);
      for (Real& x : by) x = -x;
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) by.push_back(i == j);
      return solved(mass(), by, n);
    }
    case Quantity::regressor: acted_.regressor(q, v, last, out); return out;
    case Quantity::closure:
    case Quantity::loop_motion: break;  // of loops
  }
  throw std::logic_error("no such quantity");
}

Expected::Expected(const Drawn& drawn, const State& state)
    : truth_(drawn, drawn.apart(), state.q), q_(state.q), v_(state.v), a_(state.a), terms_(terms_of(drawn, truth_.model())) {
  const Truth& truth = truth_;
  const std::size_t n = truth.nv();
  roundings_ = verify_tolerance(std::max(n, drawn.description.joints.size()));  // joints that do not move turn and shift what lies behind them, too
  for (const Lock& lock : drawn.locks)                                          // and those that follow a locked joint by a rounded angle
    for (const Description::JointEntry& entry : drawn.description.joints)
      if (entry.joint.mimic) roundings_ *= 1 + std::abs(entry.joint.mimic->multiplier * lock.value) / 8;
  base_w_ = size(drawn.motion.angular_velocity), base_v_ = size(drawn.motion.linear_velocity);
  for (const Real x : truth.value(Quantity::inverse, truth.near(), wide(v_), wide(a_))) tau_.push_back(static_cast<double>(x));
  Bounds of_terms(truth.reference(), terms_, q_, v_, a_);
  inverse_ = truth.value(Quantity::mass_inverse, truth.near(), {}, {});
  mass_bound_ = of_terms.mass_bound;
  torque_bound_ = of_terms.torque_bound;
  derivatives_bound_ = of_terms.derivatives_bound;
  const std::vector<double> rubbing = truth.friction_size(v_);
  const Vector slope = truth.friction_slope(wide(v_));
  acceleration_bound_.assign(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    torque_bound_[j] += rubbing[j];
    derivatives_bound_[j + (n + j) * n] += static_cast<double>(std::abs(slope[j])) + rubbing[j];
    double effort = torque_bound_[j] + std::abs(tau_[j]);
    for (std::size_t k = 0; k < n; ++k) effort += mass_bound_[j + k * n] * std::abs(a_[k]);
    for (std::size_t i = 0; i < n; ++i) acceleration_bound_[i] += static_cast<double>(std::abs(inverse_[i * n + j])) * effort;
  }
}

std::vector<const std::vector<double>*> Expected::inputs(Quantity quantity) const {
  const QuantityRow& row = row_of(quantity);
  std::vector<const std::vector<double>*> out{&q_};
  if (row.takes("v")) out.push_back(&v_);
  if (row.takes("a")) out.push_back(&a_);
  if (row.takes("tau")) out.push_back(&tau_);
  return out;
}

bool Expected::holds(bool single) const {
  Vector M;
  truth_.reference().mass(truth_.near(), M);
  const std::size_t n = truth_.nv();
  if (!internal::pivots_hold(M, n, single ? Precision::single : Precision::full)) return false;
  // Beyond, terms of second order in roundings are as large as those of the first.
  const double tolerance = verify_tolerance(n) * (single ? internal::unit_roundoff(Precision::single) / internal::unit_roundoff(Precision::full) : 1);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) row += static_cast<double>(std::abs(inverse_[i * n + k])) * mass_bound_[k + j * n];
    most = std::max(most, row);
  }
  return most * tolerance < 0.1;
}

const Expected::Number& Expected::of(Quantity quantity) const {
  const auto found = numbers_.find(quantity);
  return found != numbers_.end() ? found->second : numbers_[quantity] = compute(quantity);
}

Expected::Number Expected::compute(Quantity quantity) const {
  const std::vector<double>& last = row_of(quantity).takes("tau") ? tau_ : a_;
  Number out{truth_.value(quantity, truth_.near(), wide(v_), wide(last)), {}};
  out.bound = bound(quantity, out.value);
  return out;
}

std::vector<double> Expected::bound(Quantity quantity, const std::vector<Real>& value) const {
  const std::size_t n = truth_.nv();
  const std::vector<Terms::Share>& share = terms_.shares();
  const double blur = terms_.blurred(q_);
  // Moments of all links, the root's as well, about the world's origin.
  double mass = 0, first = 0, second = 0, reach = 0, aside = 0;
  if (truth_.free()) aside = std::hypot(q_[0], q_[1], q_[2]);
  {
    const Terms::Extent all = terms_.extent(q_);
    reach = 1e-300 + all.reach + aside;
    for (const Link& link : truth_.model().links()) {
      const double distance = reach + size(link.com);
      mass += link.mass, first += link.mass * distance, second += link.mass * distance * distance + link.inertia.trace();
    }
  }
  double w = base_w_, slide = base_v_;
  for (std::size_t j = 0; j < n; ++j) w += share[j].moment * std::abs(v_[j]), slide += share[j].force * std::abs(v_[j]);
  const auto minv = [&](std::size_t i, std::size_t j) { return static_cast<double>(std::abs(inverse_[i * n + j])); };
  std::vector<double> out(value.size());
  switch (quantity) {
    case Quantity::inverse:
    case Quantity::bias: return torque_bound_;
    case Quantity::gravity: {
      const Terms::Size weight = terms_.weight(q_);
      for (std::size_t i = 0; i < n; ++i) out[i] = share[i].force * weight.force + share[i].moment * weight.moment;
      return out;
    }
    case Quantity::mass: return mass_bound_;
    case Quantity::mass_inverse:
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = 0; l < n; ++l) out[i + j * n] += minv(i, k) * mass_bound_[k + l * n] * minv(l, j);
      return out;
    case Quantity::coriolis:
      for (std::size_t j = 0; j < n; ++j) {
        const Terms::Size moving = terms_.coriolis_column(q_, v_, j);
        for (std::size_t i = 0; i < n; ++i) out[i + j * n] = std::max(0.0, share[i].force * moving.force + share[i].moment * moving.moment);  // a difference
      }
      return out;
    case Quantity::forward: return acceleration_bound_;
    case Quantity::energy: {
      out[0] = blur * (mass * slide * slide + 2 * first * w * slide + second * w * w);
      for (std::size_t i = 0; i < n; ++i) out[0] += share[i].rotor * v_[i] * v_[i];
      out[1] = blur * size(truth_.model().gravity()) * first;
      return out;
    }
    case Quantity::momentum:
      for (std::size_t k = 0; k < 6; ++k) out[k] = blur * (k < 3 ? first * slide + second * w : mass * slide + first * w);
      return out;
    case Quantity::centroidal:
      for (std::size_t k = 0; k < 18; ++k) {
        const double linear = mass * slide + first * w, angular = first * slide + second * w;
        out[k] = k < 3    ? reach + first / mass
                 : k < 6  ? linear / mass
                 : k < 9  ? 2 * angular
                 : k < 12 ? linear
                 : k < 15 ? 4 * w * angular + 2 * slide * linear
                          : 2 * w * linear;
        out[k] *= blur;
      }
      return out;
    case Quantity::centroidal_matrix:
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < 6; ++k)
          out[k + 6 * j] = blur * (k < 3 ? 2 * (first * share[j].force + second * share[j].moment) : mass * share[j].force + first * share[j].moment);
      return out;
    case Quantity::pose:
      for (std::size_t k = 0; k < 12; ++k) out[k] = blur * (k < 9 ? 1 : reach);
      return out;
    case Quantity::jacobian:
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < 6; ++k) out[k + 6 * j] = blur * (k < 3 ? share[j].moment : share[j].force + share[j].moment * reach);
      return out;
    case Quantity::closure:
    case Quantity::loop_motion: break;  // of loops
    case Quantity::inverse_derivatives: return derivatives_bound_;
    case Quantity::forward_derivatives:
      for (std::size_t j = 0; j < 3 * n; ++j)
        for (std::size_t k = 0; k < n; ++k) {
          double effort = j < 2 * n ? derivatives_bound_[k + j * n] : 0;
          for (std::size_t l = 0; l < n; ++l) {
            effort += mass_bound_[k + l * n] * static_cast<double>(std::abs(value[l + j * n]));
            if (j < n) effort += 4 * std::fmax(share[j].moment, share[j].force) * mass_bound_[k + l * n] * acceleration_bound_[l];
          }
          for (std::size_t i = 0; i < n; ++i) out[i + j * n] += minv(i, k) * effort;
        }
      return out;
    case Quantity::regressor: {
      const std::vector<Terms::Size> sizes = terms_.unit_parameters(q_, v_, a_);
      double all[3] = {0, 0, 0};
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t p = 0; p < 3; ++p) {
          all[p] = 0;
          for (std::size_t body = 0; body < sizes.size() / 3; ++body)
            all[p] = std::max(all[p], share[i].force * sizes[3 * body + p].force + share[i].moment * sizes[3 * body + p].moment);
          for (std::size_t c = 0; c < value.size() / n; ++c) {
            const std::size_t kind = c % 10 == 0 ? 0 : c % 10 < 4 ? 1 : 2;
            if (kind == p) out[i + c * n] = all[p];
          }
        }
      return out;
    }
  }
  throw std::logic_error("no such quantity");
}

template <class T>
std::string Expected::differs(Quantity quantity, const T* got, double* used) const {
  const Number& wanted = of(quantity);
  const double roundoff = sizeof(T) == 4 ? internal::unit_roundoff(Precision::single) / internal::unit_roundoff(Precision::full) : 1;
  for (std::size_t i = 0; i < wanted.value.size(); ++i) {
    const double allowed = this->allowed(quantity, i, roundoff);
    const auto difference = static_cast<double>(std::abs(static_cast<Real>(got[i]) - wanted.value[i]));
    if (used != nullptr && difference > 0 && allowed > 0) *used = std::max(*used, difference / allowed);
    if (!(difference <= allowed))
      return cat(to_string(quantity), ", number ", i, " of ", wanted.value.size(), " is ", static_cast<double>(got[i]), " for ",
                 static_cast<double>(wanted.value[i]), ": off by ", difference, ", allowed ", allowed);
  }
  return {};
}
template std::string Expected::differs(Quantity, const double*, double*) const;
template std::string Expected::differs(Quantity, const float*, double*) const;

}  // namespace ulna::test
