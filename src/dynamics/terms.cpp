#include "dynamics/terms.hpp"

#include <algorithm>

namespace ulna::internal {

namespace {

double magnitude(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

double size_of(const Sym3<double>& I) { return std::fabs(I.xx) + std::fabs(I.yy) + std::fabs(I.zz); }

}  // namespace

double rounding_tolerance(std::size_t n) { return kRoundings * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

void Terms::add_joint(const Model& model, std::size_t j, Body& body) {
  const Joint& joint = model.joints()[j];
  if (joint.type == JointType::fixed) return;
  body.slides = joint.type == JointType::prismatic;
  body.revolute = !body.slides;
  const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
  for (std::size_t k = model.independent().size(); k-- > 0;)
    if (model.independent()[k] == leader) body.coordinate = k;
  body.coordinates = joint_nv(joint.type);
  body.position = places_[body.coordinate];
  if (root_ == RootJoint::free) {  // whose angular velocity stands first, where the joints' linear one does
    const std::size_t k = body.coordinate;
    body.coordinate = k < 3 ? k + 3 : k < 6 ? k - 3 : k;
  }
  body.multiplier = joint.mimic ? std::fabs(joint.mimic->multiplier) : 1;
  body.offset = joint.mimic ? std::fabs(joint.mimic->offset) : 0;
  body.rotor = joint.gear * joint.gear * joint.rotor;
  const Friction& f = joint.friction;
  for (std::size_t k = 0; k < body.coordinates; ++k) {
    Share& share = shares_[body.coordinate + k];
    (body.slides ? share.force : share.moment) += body.multiplier;
    share.rotor += body.multiplier * body.multiplier * body.rotor;
    share.viscous += body.multiplier * body.multiplier * (f.viscous + std::fabs(f.viscous_asymmetry));
    share.coulomb += body.multiplier * ((f.stribeck_speed > 0 ? f.level() : f.coulomb) + std::fabs(f.asymmetry) + std::fabs(f.offset));
    share.quadratic += body.multiplier * body.multiplier * body.multiplier * f.quadratic;
  }
}

Terms::Terms(const Model& model) : Terms(model.base() == RootJoint::fixed ? Terms(model.base(), model) : Terms(model.base(), with_base_as_joints(model))) {}

void Terms::find_places(const Model& model) {
  places_ = model.places();
  for (std::size_t k = 0; free() && k < places_.size(); ++k) places_[k] = k < base_nv(root_) ? kNone : places_[k] + 1;
}

Terms::Terms(RootJoint root, const Model& model) : root_(root), shares_(model.nv_tree()), gravity_(magnitude(model.gravity())) {
  find_places(model);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Link& link = model.links()[j + 1];  // the link behind joint j, in any model
    Body body;
    body.parent = joint.parent - 1;  // 0 - 1 is kNone
    body.before = magnitude(joint.X_PF.p);
    body.after = magnitude(joint.X_MB.p);
    body.mass = std::fabs(link.mass);
    body.centre = magnitude(link.com);
    body.inertia = size_of(link.inertia);
    add_joint(model, j, body);
    bodies_.push_back(body);
  }
}

Terms::Terms(const Model& of, Chain chain) : root_(of.base()), shares_(of.nv_tree()), gravity_(chain.gravity), base_shift_(chain.shift) {
  const Model model = with_base_as_joints(of);
  find_places(model);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    if (model.joints()[j].type == JointType::fixed) continue;
    Body body{chain.links[bodies_.size()]};
    body.parent = bodies_.size() - 1;  // 0 - 1 is kNone
    add_joint(model, j, body);
    bodies_.push_back(body);
  }
}

double Terms::slide(const Body& body, const std::vector<double>& q) {
  return body.slides && body.position != kNone ? body.multiplier * std::fabs(q[body.position]) + body.offset : 0;
}

void Terms::act(const Acting& acting) {
  base_ = {magnitude(acting.base.angular_velocity), magnitude(acting.base.angular_acceleration), magnitude(acting.base.linear_acceleration)};
  base_.acceleration += (base_.alpha + base_.w * base_.w) * base_shift_;
  rubs_ = acting.friction;
  for (const Acting::Load& load : acting.loads) {
    const std::size_t body = load.body + (root_ == RootJoint::free ? base_nv(root_) : 0);  // kNone is the root, the last of the base's
    loads_.push_back({body, magnitude(load.force), magnitude(load.moment), magnitude(load.X_BL.p) + bodies_[body].shift + bodies_[body].centre});
  }
}

std::vector<Terms::Motion> Terms::motions(const std::vector<double>& q, const std::vector<double>* v, const std::vector<double>& a, const Base& moving) const {
  std::vector<Motion> at(bodies_.size());
  const Motion base{0, moving.w, moving.alpha, moving.acceleration};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    const Motion& parent = body.parent == kNone ? base : at[body.parent];
    const bool moves = body.revolute || body.slides;
    double speed = 0, push = 0;
    for (std::size_t k = body.coordinate; moves && k < body.coordinate + body.coordinates; ++k) {
      if (v != nullptr) speed += body.multiplier * std::fabs((*v)[k]);
      push += body.multiplier * std::fabs(a[k]);
    }
    if (body.coordinates > 1) push += speed * speed;  // one axis rotates the other
    const double lever = body.before + slide(body, q);
    Motion& own = at[i] = parent;
    own.path += lever + body.after;
    if (body.revolute) {
      own.alpha += push + speed * parent.w;
      own.w += speed;
    }
    own.acceleration += parent.rate() * lever + own.rate() * body.after;
    if (body.slides) own.acceleration += push + 2 * parent.w * speed;
  }
  return at;
}

std::vector<Terms::Size> Terms::unit_parameters(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const {
  std::vector<Size> sizes;
  const double blur = blurred(q);
  for (const Motion& own : motions(q, &v, a, {base_.w, base_.alpha, gravity_ + base_.acceleration})) {
    sizes.push_back({blur * own.acceleration, blur * own.acceleration * own.path});
    sizes.push_back({blur * own.rate(), blur * (own.acceleration + own.rate() * own.path)});
    sizes.push_back({0, blur * own.rate()});
  }
  return sizes;
}

Terms::Size Terms::recursion(const std::vector<double>& q, const std::vector<double>* v, const std::vector<double>& a, const Base& moving, bool loads) const {
  const std::vector<Motion> at = motions(q, v, a, moving);
  Size size;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    const Motion& own = at[i];
    const double force = body.mass * (own.acceleration + own.rate() * body.centre);
    // Plans drop entries of a first moment that are below half a rounding of sqrt(m tr S) (plan/lump.cpp): all of the force on a slide, and all of the
    // weight's moment, where the mass centre lies next to the axis. There are three entries, and 2 tr S is the trace of the inertia.
    const double dust = 0.5 * std::sqrt(1.5) / kRoundings * std::sqrt(body.mass) * std::sqrt(body.inertia);
    size.force += force + dust * own.rate();
    size.moment += force * (own.path + body.centre) + dust * (own.acceleration + own.rate() * own.path) + body.inertia * own.rate();
  }
  if (loads)
    for (const Load& load : loads_) {  // moved to the body's mass centre, or its frame's origin, wherever a method takes it
      size.force += load.force;
      size.moment += load.moment + load.force * (at[load.body].path + load.lever);
    }
  const double blur = blurred(q);
  return {size.force * blur, size.moment * blur};
}

double Terms::blurred(const std::vector<double>& q) const {
  double blur = 1;
  for (const Body& body : bodies_)
    if (body.revolute && body.multiplier != 1) blur += body.multiplier * std::fabs(q[body.position]) / kRoundings;
  return blur;
}

double Terms::fastest() const {
  double rate = 1;
  for (const Share& share : shares_) rate = std::fmax(rate, share.force + share.moment);
  return rate;
}

Terms::Size Terms::torque(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const {
  return recursion(q, &v, a, {base_.w, base_.alpha, gravity_ + base_.acceleration}, true);
}

Terms::Size Terms::weight(const std::vector<double>& q) const {
  const std::vector<double> rest(shares_.size(), 0.0);
  return recursion(q, nullptr, rest, {.acceleration = gravity_}, false);
}

Terms::Size Terms::drives(const std::vector<double>& q, const std::vector<double>& a) const {
  std::vector<double> path(bodies_.size());
  Size size;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    path[i] = (body.parent == kNone ? 0 : path[body.parent]) + body.before + slide(body, q) + body.after;
    double load = 0;
    for (std::size_t k = body.coordinate; k < body.coordinate + body.coordinates; ++k) load += body.rotor * body.multiplier * std::fabs(a[k]);
    if (body.slides) size.force += load;
    size.moment += body.slides ? load * path[i] : load;
  }
  return size;
}

Terms::Size Terms::column(const std::vector<double>& q, std::size_t j) const {
  std::vector<double> unit(shares_.size(), 0.0);
  unit[j] = 1;
  return column(q, unit);
}

Terms::Size Terms::coriolis_column(const std::vector<double>& q, const std::vector<double>& v, std::size_t j) const {
  if (root_ == RootJoint::free && j >= 3 && j < 6) {  // an axis that rotates with the root link: all mass moves by w x e
    const Extent all = extent(q);
    const double w = blurred(q) * (std::fabs(v[0]) + std::fabs(v[1]) + std::fabs(v[2]));
    return {all.mass * w, all.first * w};
  }
  std::vector<double> unit(v.size(), 0.0);
  unit[j] = 1;
  return coriolis_column(q, v, unit);
}

Terms::Size Terms::coriolis_column(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& way) const {
  // Terms of rates are a quadratic form of them, and what is linear in v and in the other rates is its mixed part.
  std::vector<double> rates(v.size()), rest(v.size(), 0.0);
  for (std::size_t k = 0; k < v.size(); ++k) rates[k] = std::fabs(v[k]);
  const Size of_v = recursion(q, &rates, rest, {}, false), of_way = recursion(q, &way, rest, {}, false);
  for (std::size_t k = 0; k < v.size(); ++k) rates[k] += std::fabs(way[k]);
  const Size of_both = recursion(q, &rates, rest, {}, false);
  return {(of_both.force - of_v.force - of_way.force) / 2, (of_both.moment - of_v.moment - of_way.moment) / 2};
}

Terms::Extent Terms::extent(const std::vector<double>& q) const {
  std::vector<double> path(bodies_.size());
  Extent all;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    path[i] = (body.parent == kNone ? 0 : path[body.parent]) + body.before + slide(body, q) + body.after;
    const double distance = path[i] + body.centre;
    all.reach = std::max(all.reach, path[i]);
    all.mass += body.mass;
    all.first += body.mass * distance;
    all.second += body.mass * distance * distance + body.inertia;
  }
  return all;
}

}  // namespace ulna::internal
