#include "verify/reference_parts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

namespace ulna::internal {

namespace {

using Real = Reference::Real;
using V = Vec3<Real>;
using R3 = Mat3<Real>;

/// Rodrigues, in extended precision.
R3 rotation(const V& n, Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  return {t * n.x * n.x + c,       t * n.x * n.y - s * n.z, t * n.x * n.z + s * n.y,  //
          t * n.x * n.y + s * n.z, t * n.y * n.y + c,       t * n.y * n.z - s * n.x,  //
          t * n.x * n.z - s * n.y, t * n.y * n.z + s * n.x, t * n.z * n.z + c};
}

/// Of a unit quaternion x, y, z, w: a rotation by twice the angle whose sine is the length of the first three about them.
R3 rotation(const Real* quaternion) {
  const V u{quaternion[0], quaternion[1], quaternion[2]};
  const Real length = std::sqrt(dot(u, u));
  if (length == 0) return R3::identity();
  return rotation((1 / length) * u, 2 * std::atan2(length, quaternion[3]));
}

/// Rotates a quaternion by the rotation vector w, in its own axes.
void turn_by(Real* q, const V& w) {
  const Real angle = std::sqrt(dot(w, w)), half = angle / 2, sinc = angle == 0 ? Real(0.5L) : std::sin(half) / angle;
  const Real qx = q[0], qy = q[1], qz = q[2], qw = q[3], dw = std::cos(half);
  const V d = sinc * w;
  q[0] = qw * d.x + qx * dw + qy * d.z - qz * d.y;
  q[1] = qw * d.y + qy * dw + qz * d.x - qx * d.z;
  q[2] = qw * d.z + qz * dw + qx * d.y - qy * d.x;
  q[3] = qw * dw - qx * d.x - qy * d.y - qz * d.z;
}

V three(const std::vector<Real>& x, std::size_t first) { return {x[first], x[first + 1], x[first + 2]}; }

}  // namespace

Reference::Reference(const Model& model, Acting acting)
    : model_(model),
      links_(model.links()),
      acting_(std::move(acting)),
      free_(model.base() == RootJoint::free),
      loaded_(std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.friction.load != 0; })),
      nv_(model.nv()),
      tree_(model.nv_tree()),
      position_(model.joints().size()),
      coordinate_(model.joints().size()),
      multiplier_(model.joints().size(), 1),
      offset_(model.joints().size(), 0) {
  std::size_t at = base_nq(model.base()), first = base_nv(model.base());
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.mimic) continue;
    position_[j] = at, coordinate_[j] = first;
    at += joint_nq(joint.type), first += joint_nv(joint.type);
  }
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const std::optional<Mimic>& mimic = model.joints()[j].mimic;
    if (!mimic) continue;
    position_[j] = position_[mimic->leader], coordinate_[j] = coordinate_[mimic->leader];
    multiplier_[j] = mimic->multiplier;
    offset_[j] = mimic->offset;
  }
}

std::vector<Reference::Place> Reference::placed(const std::vector<Real>& q, std::size_t displaced, Real by) const {
  std::vector<Place> at(model_.links().size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    Place& link = at[i];
    if (i == 0 && free_) link.X = {rotation(&q[3]), three(q, 0)};
    if (i > 0) {
      const Joint& joint = model_.joints()[i - 1];
      const bool ball = joint.type == JointType::ball, moves = joint.type != JointType::fixed && !ball, slides = joint.type == JointType::prismatic;
      const Real qj = (moves ? multiplier_[i - 1] * q[position_[i - 1]] + offset_[i - 1] : 0) + (i - 1 == displaced ? by : 0);
      const V axis = joint.axis.cast<Real>();
      const Pose<Real> X_FM = slides ? Pose<Real>{R3::identity(), qj * axis} : Pose<Real>{ball ? rotation(&q[position_[i - 1]]) : rotation(axis, qj), {}};
      const Pose<Real> X_WF = at[joint.parent].X * joint.X_PF.cast<Real>();
      link.X = X_WF * X_FM * joint.X_MB.cast<Real>();
      link.axis = X_WF.R * axis;
      link.pivot = X_WF.p + X_WF.R * X_FM.p;
      link.R_WM = X_WF.R * X_FM.R;
    }
    const Link& body = links_[i];
    link.com = link.X.R * body.com.cast<Real>();
    link.inertia = congruence(link.X.R, body.inertia.cast<Real>());
  }
  return at;
}

std::vector<Reference::LinkMotion> Reference::motions(const std::vector<Place>& place, const std::vector<Real>& v, const std::vector<Real>& a,
                                                      Around around) const {
  const std::size_t nlinks = place.size();
  std::vector<LinkMotion> at(nlinks);
  if (around != Around::nothing) at[0].a = -model_.gravity().cast<Real>();
  if (around == Around::all) {
    at[0].w = acting_.base.angular_velocity.cast<Real>();
    at[0].alpha = acting_.base.angular_acceleration.cast<Real>();
    at[0].a = at[0].a + acting_.base.linear_acceleration.cast<Real>();
  }
  const R3& R_W0 = place[0].X.R;
  if (free_) {
    at[0].w = R_W0 * three(v, 0);
    at[0].v = R_W0 * three(v, 3);
    at[0].alpha = R_W0 * three(a, 0);
    at[0].a = at[0].a + R_W0 * three(a, 3);
  }
  for (std::size_t i = 0; i < nlinks; ++i) {
    LinkMotion& link = at[i];
    const Place& here = place[i];
    if (i > 0) {
      const Joint& joint = model_.joints()[i - 1];
      const LinkMotion& parent = at[joint.parent];
      const bool ball = joint.type == JointType::ball, moves = joint.type != JointType::fixed, slides = joint.type == JointType::prismatic;
      const Real vj = moves ? multiplier_[i - 1] * v[coordinate_[i - 1]] : 0;
      const Real aj = moves ? multiplier_[i - 1] * a[coordinate_[i - 1]] : 0;
      // The relative velocity of a ball joint is in axes that rotate with the link, where its rate is the same as in those of the parent.
      const V turn = ball ? here.R_WM * three(v, coordinate_[i - 1]) : slides ? V{} : vj * here.axis;
      const V faster = ball ? here.R_WM * three(a, coordinate_[i - 1]) : slides ? V{} : aj * here.axis;
      link.w = parent.w + turn;
      link.alpha = parent.alpha + faster + cross(parent.w, turn);
      // The origin of M first: fixed to the parent but for the slide; then from it to the link's origin, rigidly.
      const V p_PM = here.pivot - place[joint.parent].X.p;
      V velocity = parent.v + cross(parent.w, p_PM);
      V acceleration = parent.a + cross(parent.alpha, p_PM) + cross(parent.w, cross(parent.w, p_PM));
      if (slides) {
        velocity = velocity + vj * here.axis;
        acceleration = acceleration + aj * here.axis + Real(2) * cross(parent.w, vj * here.axis);
      }
      const V p_MB = here.X.p - here.pivot;
      link.v = velocity + cross(link.w, p_MB);
      link.a = acceleration + cross(link.alpha, p_MB) + cross(link.w, cross(link.w, p_MB));
    }
  }
  return at;
}

void Reference::recursion(const std::vector<Place>& place, const std::vector<Real>& v, const std::vector<Real>& a, Around around,
                          std::vector<Real>& tau) const {
  const std::size_t nlinks = place.size();
  const R3& R_W0 = place[0].X.R;
  std::vector<LinkMotion> at = motions(place, v, a, around);
  for (std::size_t i = 0; i < nlinks; ++i) {
    LinkMotion& link = at[i];
    const Place& here = place[i];
    const Real mass = links_[i].mass;
    const V& c = here.com;
    const V force = mass * (link.a + cross(link.alpha, c) + cross(link.w, cross(link.w, c)));
    const V moment = here.inertia * link.alpha + cross(link.w, here.inertia * link.w);
    link.f = force;
    link.n = moment + cross(c, force);
  }
  if (around == Around::all)
    for (const Acting::Load& load : acting_.loads) {  // what the environment exerts, the joints need not
      LinkMotion& link = at[load.body + 1];
      const Pose<Real>& X_WB = place[load.body + 1].X;
      const R3 R = load.axes == Axes::world ? R3::identity() : X_WB.R * load.X_BL.R.cast<Real>();
      const V f = R * load.force.cast<Real>();
      link.f = link.f - f;
      link.n = link.n - (R * load.moment.cast<Real>() + cross(X_WB.R * load.X_BL.p.cast<Real>(), f));
    }
  tau.assign(tree_, 0);
  for (std::size_t i = nlinks; i-- > 1;) {
    const Joint& joint = model_.joints()[i - 1];
    LinkMotion& parent = at[joint.parent];
    const LinkMotion& link = at[i];
    const Place& here = place[i];
    parent.f = parent.f + link.f;
    parent.n = parent.n + link.n + cross(here.X.p - place[joint.parent].X.p, link.f);
    if (joint.type == JointType::fixed) continue;
    // A revolute joint transmits the moment about a point of its axis: M's origin, which need not be the link's.
    const V n_M = link.n + cross(here.X.p - here.pivot, link.f);
    if (joint.type == JointType::ball) {
      const V transmitted = tmul(here.R_WM, n_M);
      const Real moment[] = {transmitted.x, transmitted.y, transmitted.z};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t at_v = coordinate_[i - 1] + k;
        const Real side = sides_.empty() ? v[at_v] : sides_[at_v];
        tau[at_v] = moment[k];
        if (acting_.rotor) tau[at_v] += static_cast<Real>(joint.gear) * joint.gear * joint.rotor * a[at_v];
        if (around == Around::all && acting_.friction) tau[at_v] += friction_of(joint.friction, v[at_v], side);
      }
      continue;
    }
    const Real rigid = joint.type == JointType::prismatic ? dot(here.axis, link.f) : dot(here.axis, n_M);
    const Real rotor = !acting_.rotor ? 0 : static_cast<Real>(joint.gear) * joint.gear * joint.rotor * multiplier_[i - 1] * a[coordinate_[i - 1]];
    const Real rate = multiplier_[i - 1] * v[coordinate_[i - 1]];
    const Real side = sides_.empty() ? rate : multiplier_[i - 1] * sides_[coordinate_[i - 1]];
    const Real friction = around == Around::all && acting_.friction ? friction_of(joint.friction, rate, side) : Real(0);
    tau[coordinate_[i - 1]] += multiplier_[i - 1] * (rigid + rotor + friction);
  }
  if (!free_) return;
  const V n = tmul(R_W0, at[0].n), f = tmul(R_W0, at[0].f);
  tau[0] = n.x, tau[1] = n.y, tau[2] = n.z, tau[3] = f.x, tau[4] = f.y, tau[5] = f.z;
}

/// The law of FrictionOf, but for load. Where derivatives are differences of polynomials, only what is one: the rest has curved_slope().
Real Reference::friction_of(const Friction& f, Real rate, Real sided) const {
  const bool smooth = f.smoothing_speed > 0;
  Real taken = f.offset + f.viscous * rate;
  if (straight_ && smooth) return taken;
  const Real s = smooth ? std::tanh(rate / f.smoothing_speed) : Real((sided > 0) - (sided < 0));
  taken += s * f.coulomb + s * s * f.asymmetry + s * rate * f.viscous_asymmetry + s * rate * rate * f.quadratic;
  if (straight_ || f.stribeck_speed == 0) return taken;
  return taken + s * (f.level() - f.coulomb) * std::exp(-std::pow(std::fabs(rate) / f.stribeck_speed, Real(f.stribeck_exponent)));
}
Real Reference::curved_slope(const Friction& f, Real rate) {
  const bool smooth = f.smoothing_speed > 0;
  const Real w = f.smoothing_speed, s = smooth ? std::tanh(rate / w) : Real((rate > 0) - (rate < 0)), s_by_rate = smooth ? (1 - s * s) / w : Real(0);
  Real slope = 0;
  if (smooth)
    slope = s_by_rate * f.coulomb + 2 * s * s_by_rate * f.asymmetry + (s + rate * s_by_rate) * f.viscous_asymmetry +
            (2 * rate * s + rate * rate * s_by_rate) * f.quadratic;
  if (f.stribeck_speed == 0) return slope;
  const Real n = f.stribeck_exponent, way = (rate > 0) - (rate < 0), x = std::fabs(rate) / f.stribeck_speed, e = std::exp(-std::pow(x, n));
  const Real e_by_rate = rate == 0 ? Real(0) : -e * n * std::pow(x, n - 1) * way / f.stribeck_speed;
  return slope + (f.level() - f.coulomb) * (e_by_rate * s + e * s_by_rate);
}

void Reference::torque(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& tau) const {
  const std::vector<Real> all = speeds(q, v);
  recursion(placed(q), all, accelerations(q, v, a), Around::all, tau);
  gather(q, tau);
  if (!loaded_ || !acting_.friction) return;
  // A share of the torque of the links, without that of the rotor.
  Reference links = *this;
  links.acting_.friction = false;
  std::vector<Real> passed;
  links.torque(q, v, a, passed);
  const std::vector<std::size_t> driven = model_.driven();
  const std::size_t first = nv_ - driven.size();
  for (std::size_t j = 0; j < model_.joints().size() && acting_.rotor; ++j)
    for (std::size_t k = 0; k < driven.size(); ++k) {
      const Joint& joint = model_.joints()[j];
      if (joint.type != JointType::fixed && (driven[k] == j || (joint.mimic && joint.mimic->leader == driven[k])))
        passed[first + k] -= static_cast<Real>(joint.gear) * joint.gear * joint.rotor * multiplier_[j] * multiplier_[j] * a[first + k];
    }
  for (std::size_t k = 0; k < driven.size(); ++k) {
    const Friction& f = model_.joints()[driven[k]].friction;
    const Real rate = v[first + k], s = f.smoothing_speed > 0 ? std::tanh(rate / f.smoothing_speed) : Real((rate > 0) - (rate < 0));
    tau[first + k] += f.load * s * std::fabs(passed[first + k]);
  }
}

void Reference::gravity(const std::vector<Real>& q, std::vector<Real>& tau) const {
  const std::vector<Real> rest(tree_, 0);
  recursion(placed(q), rest, rest, Around::gravity, tau);
  gather(q, tau);
}

void Reference::mass(const std::vector<Real>& q, std::vector<Real>& M) const {
  M.assign(nv_ * nv_, 0);
  const std::vector<Place> place = placed(q);
  const std::vector<Real> rest(tree_, 0);
  std::vector<Real> column;
  for (std::size_t j = 0; j < nv_; ++j) {
    recursion(place, rest, moved_by(q, j), Around::nothing, column);
    gather(q, column);
    for (std::size_t i = 0; i < nv_; ++i) M[i * nv_ + j] = column[i];
  }
}

void Reference::coriolis(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const {
  if (!closed()) return tree_coriolis(q, v, C);
  // Speeds of the tree are G v, whose rates are G a + Ġ v: Gᵀ (C G + M Ġ).
  const std::vector<Place> place = placed(q);
  const std::vector<Real> rest(tree_, 0);
  const std::vector<std::vector<Real>> rates = moved_by_rates(q, v);
  std::vector<Real> of_tree, column;
  tree_coriolis(q, speeds(q, v), of_tree);
  C.clear();
  for (std::size_t j = 0; j < nv_; ++j) {
    recursion(place, rest, rates[j], Around::nothing, column);
    const std::vector<Real> way = moved_by(q, j);
    for (std::size_t i = 0; i < tree_; ++i)
      for (std::size_t k = 0; k < tree_; ++k) column[i] += of_tree[i + k * tree_] * way[k];
    gather(q, column);
    C.insert(C.end(), column.begin(), column.end());
  }
}

void Reference::tree_coriolis(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const {
  C.resize(tree_ * tree_);
  if (free_ || model_.has_balls()) return coriolis_by_fields(q, v, C);
  const std::vector<Place> place = placed(q);
  const std::vector<Real> rest(tree_, 0);
  std::vector<Real> rates = v, more, less;
  for (std::size_t j = 0; j < tree_; ++j) {
    rates[j] = v[j] + 1;
    recursion(place, rates, rest, Around::nothing, more);
    rates[j] = v[j] - 1;
    recursion(place, rates, rest, Around::nothing, less);
    rates[j] = v[j];
    for (std::size_t i = 0; i < tree_; ++i) C[i + j * tree_] = (more[i] - less[i]) / 4;
  }
}

void Reference::regressor(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& Y) const {
  Y.clear();
  Reference alone = *this;  // all links without mass but one, and no rotors
  alone.acting_.loads.clear();
  alone.acting_.rotor = alone.acting_.friction = false;
  for (Link& link : alone.links_) link.mass = 0, link.com = {}, link.inertia = {};
  std::vector<Real> tau;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const bool has_columns = l == 0 ? free_ : model_.joints()[l - 1].type != JointType::fixed;
    if (!has_columns) continue;
    if (l > 0 && model_.joints()[l - 1].type == JointType::ball) Y.insert(Y.end(), 2 * kBodyParameters * nv_, 0);  // it counts as three bodies
    Link& link = alone.links_[l];
    const auto torque_of = [&](double mass, const Vec3<double>& com, const Sym3<double>& inertia) {
      link.mass = mass, link.com = com, link.inertia = inertia;
      alone.torque(q, v, a, tau);
      link.mass = 0, link.com = {}, link.inertia = {};
      return tau;
    };
    std::vector<std::vector<Real>> J;
    for (const Sym3<double>& unit :
         {Sym3<double>{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}})
      J.push_back(torque_of(0, {}, unit));
    const std::vector<Real> m = torque_of(1, {}, {});
    Y.insert(Y.end(), m.begin(), m.end());
    for (std::size_t k = 0; k < 3; ++k) {  // a point of mass 1 at e_k has m = 1, h = e_k, and J = E - e_k e_kᵀ
      const std::vector<Real> point = torque_of(1, {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0}, {});
      for (std::size_t i = 0; i < nv_; ++i) Y.push_back(point[i] - m[i] - J[(k + 1) % 3][i] - J[(k + 2) % 3][i]);
    }
    for (const std::vector<Real>& column : J) Y.insert(Y.end(), column.begin(), column.end());
  }
}

void Reference::derivatives(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& by_q,
                            std::vector<Real>& by_v) const {
  if (acting_.friction && sides_.empty()) {
    Reference held = *this;
    held.sides_ = speeds(q, v);
    held.straight_ = !closed();
    held.derivatives(q, v, a, by_q, by_v);
    for (std::size_t j = 0; j < model_.joints().size() && !closed(); ++j)
      for (std::size_t k = 0; k < joint_nv(model_.joints()[j].type); ++k) {
        const std::size_t at = coordinate_[j] + k;
        by_v[at * (nv_ + 1)] += multiplier_[j] * multiplier_[j] * curved_slope(model_.joints()[j].friction, multiplier_[j] * v[at]);
      }
    return;
  }
  if (closed()) return closed_derivatives(q, v, a, by_q, by_v);
  by_q.assign(nv_ * nv_, 0);
  by_v.resize(nv_ * nv_);
  const std::vector<Place> place = placed(q);
  std::vector<Real> rates = v, more, less;
  for (std::size_t j = 0; j < nv_; ++j) {
    rates[j] = v[j] + 1;
    recursion(place, rates, a, Around::all, more);
    rates[j] = v[j] - 1;
    recursion(place, rates, a, Around::all, less);
    rates[j] = v[j];
    for (std::size_t i = 0; i < nv_; ++i) by_v[i + j * nv_] = (more[i] - less[i]) / 2;
  }
  const Real quarter = std::numbers::pi_v<Real> / 2;
  // A free base in the tangents of its coordinates. Only gravity and forces of the world change with its rotation: one harmonic.
  for (std::size_t k = 0; free_ && k < 6; ++k) {
    std::vector<Real> way(nv_, 0);
    way[k] = 1;
    const std::vector<Real> steady(nv_, 0);
    recursion(placed(along(q, way, steady, quarter)), v, a, Around::all, more);
    recursion(placed(along(q, way, steady, -quarter)), v, a, Around::all, less);
    for (std::size_t i = 0; i < nv_; ++i) by_q[i + k * nv_] = (more[i] - less[i]) / 2;
  }
  for (std::size_t k = 0; k < model_.joints().size(); ++k) {
    const Joint& joint = model_.joints()[k];
    if (joint.type == JointType::fixed) continue;
    for (std::size_t j = coordinate_[k]; joint.type == JointType::ball && j < coordinate_[k] + 3; ++j) {  // by rotations about the axes of M, as below
      std::vector<Real> way(nv_, 0);
      way[j] = 1;
      const std::vector<Real> steady(nv_, 0);
      for (const auto& [angle, weight] : {std::pair{quarter / 2, Real(1)}, std::pair{quarter, (1 - std::numbers::sqrt2_v<Real>) / 2}}) {
        recursion(placed(along(q, way, steady, angle)), v, a, Around::all, more);
        recursion(placed(along(q, way, steady, -angle)), v, a, Around::all, less);
        for (std::size_t i = 0; i < nv_; ++i) by_q[i + j * nv_] += weight * (more[i] - less[i]);
      }
    }
    if (joint.type == JointType::ball) continue;
    const auto add = [&](Real distance, Real weight) {
      recursion(placed(q, k, distance), v, a, Around::all, more);
      recursion(placed(q, k, -distance), v, a, Around::all, less);
      for (std::size_t i = 0; i < nv_; ++i) by_q[i + coordinate_[k] * nv_] += multiplier_[k] * weight * (more[i] - less[i]);
    };
    if (joint.type == JointType::prismatic) {
      add(1, 0.5L);
      continue;
    }
    // f = b sin x + c sin 2x and what is even: f(π/2) - f(-π/2) = 2 b, f(π/4) - f(-π/4) = √2 b + 2 c, and f' = b + 2 c at 0.
    add(quarter / 2, 1);
    add(quarter, (1 - std::numbers::sqrt2_v<Real>) / 2);
  }
}

std::vector<Real> Reference::tree_along(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, Real t) const {
  std::vector<Real> at = q;
  if (model_.base() == RootJoint::planar)
    for (std::size_t k = 0; k < 3; ++k) at[k] += t * (v[k] + t / 2 * a[k]);
  for (std::size_t j = 0; j < model_.joints().size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const std::size_t k = position_[j], l = coordinate_[j];
    if (joint.type == JointType::fixed || joint.mimic) continue;
    if (joint.type == JointType::ball)
      turn_by(&at[k], t * three(v, l) + (t * t / 2) * three(a, l));
    else
      at[k] += t * (v[l] + t / 2 * a[l]);
  }
  if (!free_) return at;
  const V v_lin = three(v, 3);
  const V w = t * three(v, 0) + (t * t / 2) * three(a, 0);
  const V u = t * v_lin + (t * t / 2) * (three(a, 3) - cross(three(v, 0), v_lin));  // whose numbers change by that much less
  const Real angle = std::sqrt(dot(w, w));
  const Pose<Real> X{rotation(&q[3]), three(q, 0)};
  const V once = cross(w, u), twice = cross(w, once);
  // 1 - cos and x - sin by their series: angles of steps are small.
  Real second = 0, third = 0, term = 1;
  for (int k = 2; k < 24; k += 2) {
    term /= k * (k - 1);
    second += term;
    third += term / (k + 1);
    term *= -angle * angle;
  }
  const V p = X.p + X.R * (u + second * once + third * twice);
  at[0] = p.x, at[1] = p.y, at[2] = p.z;
  turn_by(&at[3], w);
  return at;
}

void Reference::coriolis_by_fields(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const {
  // The field of rate j in link i: angular velocity, and velocity of the mass centre, in the world's axes.
  const auto fields = [&](const std::vector<Real>& at) {
    const std::vector<Place> place = placed(at);
    std::vector<std::vector<Real>> J(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      J[i] = tree_jacobian(at, i);
      for (std::size_t j = 0; j < tree_; ++j) {
        Real* column = &J[i][6 * j];
        const V more = cross(V{column[0], column[1], column[2]}, place[i].com);
        column[3] += more.x, column[4] += more.y, column[5] += more.z;
      }
    }
    return J;
  };
  const std::vector<Real> steady(tree_, 0);
  // Steps turn no link by more than 0.004 rad, where truncation of differences is as small as their rounding; a body balanced about its axis does not count.
  const auto J = fields(q);
  Real fastest = 4;
  for (std::size_t i = 1; i < J.size(); ++i) {
    const Joint& joint = model_.joints()[i - 1];
    const bool balanced = model_.links()[i].com == Vec3<double>{} && joint.X_MB.p == Vec3<double>{};
    const std::vector<Real>& turning = J[balanced ? joint.parent : i];
    Real speed = 0;
    for (std::size_t j = 0; j < tree_; ++j) speed += std::fabs(v[j]) * std::hypot(turning[6 * j], std::hypot(turning[6 * j + 1], turning[6 * j + 2]));
    fastest = std::max(fastest, speed);
  }
  const Real width = 4e-3L / fastest;
  std::vector<std::vector<Real>> rate(model_.links().size(), std::vector<Real>(6 * tree_, 0));
  for (const auto& [step, weight] : {std::pair{1, Real(45)}, std::pair{2, Real(-9)}, std::pair{3, Real(1)}})
    for (const int sign : {1, -1}) {
      const auto there = fields(tree_along(q, v, steady, sign * step * width));
      for (std::size_t i = 0; i < there.size(); ++i)
        for (std::size_t k = 0; k < there[i].size(); ++k) rate[i][k] += sign * weight * there[i][k] / (60 * width);
    }
  const std::vector<Place> place = placed(q);
  std::fill(C.begin(), C.end(), Real(0));
  for (std::size_t link = 0; link < place.size(); ++link) {
    const Real mass = model_.links()[link].mass;
    const Sym3<Real>& I = place[link].inertia;
    const auto vec = [](const std::vector<Real>& x, std::size_t first) { return V{x[first], x[first + 1], x[first + 2]}; };
    V w;  // of the link
    for (std::size_t j = 0; j < tree_; ++j) w = w + v[j] * vec(J[link], 6 * j);
    for (std::size_t j = 0; j < tree_; ++j) {
      const V r = vec(J[link], 6 * j);
      // About the mass centre: ∫ s x (dr x s) dm + ∫ s x (r x (w x s)) dm, s from there; second moments are tr(I)/2 - I.
      const V second = (I.trace() / 2) * r - I * r;
      const V moment = I * vec(rate[link], 6 * j) - cross(w, second);
      const V force = mass * vec(rate[link], 6 * j + 3);
      for (std::size_t i = 0; i < tree_; ++i) C[i + j * tree_] += dot(vec(J[link], 6 * i), moment) + dot(vec(J[link], 6 * i + 3), force);
    }
  }
}

Reference::Real Reference::kinetic(const std::vector<Real>& q, const std::vector<Real>& v) const {
  // v·(M v)/2 would repeat the mass matrix; momentum at acceleration v from rest is M v in one recursion.
  const std::vector<Real> rest(tree_, 0), rates = speeds(q, v);
  std::vector<Real> Mv;
  recursion(placed(q), rest, rates, Around::nothing, Mv);
  Real twice = 0;
  for (std::size_t i = 0; i < tree_; ++i) twice += rates[i] * Mv[i];
  return twice / 2;
}

std::vector<Real> Reference::momentum(const std::vector<Real>& q, const std::vector<Real>& v) const {
  const std::vector<Place> place = placed(q);
  const std::vector<Real> rest(tree_, 0);
  std::vector<Real> Mv;  // of the base: about its origin, in its axes
  recursion(place, rest, speeds(q, v), Around::nothing, Mv);
  const V linear = place[0].X.R * three(Mv, 3), angular = place[0].X.R * three(Mv, 0) + cross(place[0].X.p, linear);
  return {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
}

std::vector<Real> Reference::weight(const std::vector<Real>& q) const {
  const V g = model_.gravity().cast<Real>();
  V moment, force;
  const std::vector<Place> place = placed(q);
  for (std::size_t i = 0; i < place.size(); ++i) {
    const Real mass = model_.links()[i].mass;
    force = force + mass * g;
    moment = moment + mass * cross(place[i].X.p + place[i].com, g);
  }
  return {moment.x, moment.y, moment.z, force.x, force.y, force.z};
}

std::vector<Pose<Reference::Real>> Reference::poses(const std::vector<Real>& q) const {
  std::vector<Pose<Real>> X;
  for (const Place& link : placed(q)) X.push_back(link.X);
  return X;
}

Reference::Real Reference::potential(const std::vector<Real>& q) const {
  const std::vector<Pose<Real>> X = poses(q);
  const V g = model_.gravity().cast<Real>();
  Real sum = 0;
  for (std::size_t i = 0; i < X.size(); ++i) sum -= model_.links()[i].mass * dot(g, X[i].p + X[i].R * model_.links()[i].com.cast<Real>());
  return sum;
}

Reference::Real Reference::potential_difference(const std::vector<Real>& from, const std::vector<Real>& to) const {
  const std::vector<Pose<Real>> before = poses(from), after = poses(to);
  const V g = model_.gravity().cast<Real>();
  Real sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const V com = model_.links()[i].com.cast<Real>();
    sum -= model_.links()[i].mass * dot(g, (after[i].p - before[i].p) + (after[i].R * com - before[i].R * com));
  }
  return sum;
}

std::vector<Real> Reference::tree_jacobian(const std::vector<Real>& q, std::size_t link) const {
  const std::vector<Pose<Real>> X = poses(q);
  std::vector<Real> J(6 * tree_, 0);
  for (std::size_t i = link; i > 0; i = model_.joints()[i - 1].parent) {
    const Joint& joint = model_.joints()[i - 1];
    if (joint.type == JointType::fixed) continue;
    const Pose<Real> X_WF = X[joint.parent] * joint.X_PF.cast<Real>();
    if (joint.type == JointType::ball) {
      const R3 R = X_WF.R * rotation(&q[position_[i - 1]]);
      const V axes[] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
      for (std::size_t k = 0; k < 3; ++k) {
        const V linear = cross(axes[k], X[link].p - X_WF.p);
        const Real numbers[] = {axes[k].x, axes[k].y, axes[k].z, linear.x, linear.y, linear.z};
        std::copy(std::begin(numbers), std::end(numbers), &J[6 * (coordinate_[i - 1] + k)]);
      }
      continue;
    }
    const V axis = multiplier_[i - 1] * (X_WF.R * joint.axis.cast<Real>());
    const bool slides = joint.type == JointType::prismatic;
    const V angular = slides ? V{} : axis, linear = slides ? axis : cross(axis, X[link].p - X_WF.p);
    Real* column = &J[6 * coordinate_[i - 1]];
    column[0] += angular.x, column[1] += angular.y, column[2] += angular.z;
    column[3] += linear.x, column[4] += linear.y, column[5] += linear.z;
  }
  if (!free_) return J;
  const R3 R = X[0].R;
  const V axes[] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
  for (std::size_t k = 0; k < 3; ++k) {
    const V linear = cross(axes[k], X[link].p - X[0].p);
    const Real turn[] = {axes[k].x, axes[k].y, axes[k].z, linear.x, linear.y, linear.z}, slide[] = {0, 0, 0, axes[k].x, axes[k].y, axes[k].z};
    std::copy(std::begin(turn), std::end(turn), &J[6 * k]);
    std::copy(std::begin(slide), std::end(slide), &J[6 * (3 + k)]);
  }
  return J;
}

}  // namespace ulna::internal
