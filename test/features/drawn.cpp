#include "features/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/model/model.hpp>

#include "features/loops.hpp"
#include "support/arm.hpp"
#include "support/compiled.hpp"
#include "text/cat.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {

namespace {

double in_float(double x) { return static_cast<float>(x); }
Vec3<double> in_float(const Vec3<double>& x) { return {in_float(x.x), in_float(x.y), in_float(x.z)}; }

bool moves(const Description::JointEntry& entry) { return entry.joint.type != JointType::fixed; }

std::vector<std::size_t> movers(const Description& d) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < d.joints.size(); ++k)
    if (moves(d.joints[k])) out.push_back(k);
  return out;
}

/// Each of the joints that move by chance, and one at least.
template <class Set>
void on_some(Description& d, Random& random, Set set) {
  const std::vector<std::size_t> all = movers(d);
  const std::size_t sure = all[random.below(all.size())];
  for (const std::size_t k : all)
    if (k == sure || random.chance(0.4)) set(d.joints[k].joint);
}

void slide(Joint& joint) {
  joint.type = JointType::prismatic;
  joint.lower = -2, joint.upper = 2, joint.effort = 100, joint.velocity = 3;
}

/// Quarter turns that are off by a little, and by more than what plans take for a quarter: results must have that little in them.
void tilt(Description& d, Random& random) {
  for (Description::JointEntry& entry : d.joints)
    if (random.chance(0.3)) {
      const double little = std::pow(10, random.uniform(-8, -5));
      entry.joint.X_PF.R = entry.joint.X_PF.R * rotation_rpy(random.chance(0.5) ? little : 0, 0, random.chance(0.5) ? -little : 0);
    }
}

Description drawn_tree(Random& random, std::uint64_t seed, const Features& features, const DrawOptions& options) {
  RandomOptions tree;
  const bool held = has(features, Feature::locked), coupled = has(features, Feature::mimic), slides = has(features, Feature::prismatic);
  tree.fewest = held + coupled >= 1 ? 2 + (held && coupled) : 1;
  tree.most = std::max(tree.fewest, options.most);
  tree.prismatic = false;
  tree.massless = !held && !coupled && !slides;
  tree.rotor = tree.friction = false;
  tree.identity_MB = options.file || random.chance(0.5);
  Description d = random_description(seed, tree);
  d.name = cat("robot", seed);
  if (options.file) d.gravity = {0, 0, -9.81};
  if (slides) on_some(d, random, slide);
  return d;
}

void add_mimic(Description& d, Random& random) {
  const std::vector<std::size_t> all = movers(d);
  bool any = false;
  for (std::size_t k = 1; k < all.size(); ++k) {
    if (k + 1 < all.size() ? !random.chance(0.4) : any) continue;
    const std::size_t leader = all[random.below(k)];  // leaders come first; chains may form
    Joint& joint = d.joints[all[k]].joint;
    joint.mimic = Mimic{kNone, (random.chance(0.5) ? 1 : -1) * random.uniform(0.3, 1.5), random.uniform(-1, 1)};
    d.joints[all[k]].leader = d.joints[leader].joint.name;
    any = true;
  }
}

Payload drawn_payload(Random& random) {
  Link load;
  set_random_inertia(load, random);
  if (random.chance(0.3)) load.inertia = {};  // a point
  return {load.mass, load.com, load.inertia};
}

}  // namespace

State drawn_state(const Drawn& drawn, const Model& model, Random& random) {
  State s = random_state(model, random);
  const std::size_t first_q = base_nq(model.base()), first_v = base_nv(model.base());
  if (has(drawn.features, Feature::far)) {
    const auto far = [&](double& angle) { angle += (random.chance(0.5) ? 1 : -1) * std::pow(10, random.uniform(3, 5.8)); };
    if (model.base() == RootJoint::planar) far(s.q[2]);
    for (std::size_t k = 0; k < model.independent().size(); ++k)
      if (model.joints()[model.independent()[k]].type != JointType::prismatic) far(s.q[first_q + k]);
  }
  if (has(drawn.features, Feature::coulomb))
    for (std::size_t k = first_v; k < s.v.size(); ++k)
      if (random.chance(0.25)) s.v[k] = random.chance(0.5) ? 0.0 : -0.0;
  for (std::size_t k = 0; k < s.v.size(); ++k) s.v[k] = in_float(s.v[k]), s.a[k] = in_float(s.a[k]);
  for (std::size_t k = 0; k < s.q.size(); ++k)
    if (model.base() != RootJoint::free || k < 3 || k >= 7) s.q[k] = in_float(s.q[k]);
  return s;
}

namespace {

std::optional<Drawn> attempt(std::uint64_t seed, const Features& features, const DrawOptions& options) {
  Random random(seed);
  Drawn out;
  out.seed = seed;
  out.features = features;
  if (has(features, Feature::loop)) {
    draw_loop(random, seed, options, out);
  } else {
    out.description = drawn_tree(random, seed, features, options);
    if (has(features, Feature::mimic)) add_mimic(out.description, random);
    if (options.tilt && !options.file && random.chance(0.3)) {
      tilt(out.description, random);
      out.snap = 0;
    }
  }
  Description& d = out.description;
  for (Link& link : d.links) link.mass = in_float(link.mass);
  if (has(features, Feature::rotor))
    on_some(d, random, [&](Joint& joint) { joint.rotor = random.uniform(1e-5, 1e-4), joint.gear = random.uniform(-120, 120); });
  if (has(features, Feature::viscous)) on_some(d, random, [&](Joint& joint) { joint.friction.viscous = random.uniform(0, 2); });
  if (has(features, Feature::coulomb)) on_some(d, random, [&](Joint& joint) { joint.friction.coulomb = random.uniform(0.1, 2); });
  out.friction = has(features, Feature::viscous) || has(features, Feature::coulomb);
  out.base = has(features, Feature::free_base) ? RootJoint::free : has(features, Feature::planar_base) ? RootJoint::planar : RootJoint::fixed;
  if (has(features, Feature::locked) && out.loops.loops.empty()) {
    std::vector<std::size_t> all;
    for (const std::size_t k : movers(d))
      if (!d.joints[k].joint.mimic) all.push_back(k);
    const Joint& joint = d.joints[all[all.size() == 1 ? 0 : random.below(all.size())]].joint;
    const bool slides = joint.type == JointType::prismatic;
    out.locks.push_back({joint.name, slides ? random.uniform(-0.5, 0.5) : random.uniform(-3, 3) + (has(features, Feature::far) ? 1e4 : 0)});
  }
  if (has(features, Feature::payload)) {
    out.payload = drawn_payload(random);
    out.payload_link = d.links[1 + random.below(d.links.size() - 1)].name;
  }
  const Model model = out.model();
  if (model.nv() == 0) return {};  // all joints followed the one that is locked
  out.link = model.links().size() - 1 - random.below(std::min<std::size_t>(2, model.links().size() - 1));
  if (has(features, Feature::wrench))
    for (int k = options.one_wrench ? 1 : random.integer(0, 1); k < 2; ++k)
      out.wrenches.push_back({1 + random.below(model.links().size() - 1), options.one_wrench || random.chance(0.5) ? Axes::link : Axes::world,
                              in_float(random.vector(10)), in_float(random.vector(3))});
  if (has(features, Feature::base_motion))
    out.motion = {in_float(random.vector(1)), in_float(random.vector(1)), in_float(random.vector(2)), in_float(random.vector(3))};
  for (std::size_t k = 0; k < options.states; ++k) {
    if (!out.loops.loops.empty()) {
      if (!draw_closed_state(random, out)) return {};
      continue;
    }
    out.states.push_back(drawn_state(out, model, random));
    std::vector<long double> M;
    const Model apart = build(out.apart());
    const std::vector<double>& q = out.states.back().q;
    internal::Reference(apart.base() == RootJoint::planar ? with_base_as_joints(apart) : apart).mass({q.begin(), q.end()}, M);
    if (!internal::pivots_hold(M, model.nv(), internal::Precision::single)) return {};
  }
  return out;
}

}  // namespace

std::optional<Drawn> draw(std::uint64_t seed, const Features& features, const DrawOptions& options) {
  try {
    return attempt(seed, features, options);
  } catch (const SourceError&) {  // a link without mass whose joint shares the axis of the next: no robot
    return {};
  }
}

Model Drawn::model() const {
  Diagnostics diagnostics;
  Model model = with_base(build(description), base);
  if (!locks.empty()) model = with_locked(model, locks, diagnostics).value();
  return model;
}

Model Drawn::loaded() const { return payload ? with_payload(model(), payload_link, *payload) : model(); }

Model Drawn::closed() const {
  const Model bare = with_loops(model(), loops);
  return payload ? with_payload(bare, payload_link, *payload) : bare;
}

Mechanism Drawn::mechanism() const { return Mechanism::of(closed()); }

Effects Drawn::effects() const { return {rotor, friction, motion, wrenches}; }

DynamicsOptions Drawn::options() const {
  DynamicsOptions options;
  options.rotor = rotor;
  options.friction = friction;
  options.snap = snap;
  options.threads = 1;
  options.quantities = all_compiled();
  options.links = {model().links()[link].name};
  return options;
}

Description Drawn::apart() const {
  Description d = description;
  d.base = base;
  std::vector<std::pair<std::string, long double>> held;
  for (const Lock& lock : locks) held.emplace_back(lock.joint, lock.value);
  for (std::size_t k = 0; k < held.size(); ++k)  // and all that follow
    for (const Description::JointEntry& entry : d.joints)
      if (entry.leader == held[k].first) held.emplace_back(entry.joint.name, entry.joint.mimic->multiplier * held[k].second + entry.joint.mimic->offset);
  for (const auto& [name, value] : held)
    for (Description::JointEntry& entry : d.joints) {
      if (entry.joint.name != name) continue;
      Joint& joint = entry.joint;
      if (joint.type == JointType::prismatic) {
        joint.X_PF.p = joint.X_PF.p + joint.X_PF.R * (static_cast<double>(value) * joint.axis);
      } else {
        const auto c = static_cast<double>(std::cos(value)), s = static_cast<double>(std::sin(value)), t = 1 - c;
        const Vec3<double>& n = joint.axis;
        joint.X_PF.R =
            joint.X_PF.R * Mat3<double>{t * n.x * n.x + c,       t * n.x * n.y - s * n.z, t * n.x * n.z + s * n.y, t * n.x * n.y + s * n.z, t * n.y * n.y + c,
                                        t * n.y * n.z - s * n.x, t * n.x * n.z - s * n.y, t * n.y * n.z + s * n.x, t * n.z * n.z + c};
      }
      joint.type = JointType::fixed;
      joint.mimic = {};
      entry.leader.clear();
    }
  for (Description::JointEntry& entry : d.joints)
    if (!rotor) entry.joint.rotor = 0;
  if (payload) {
    Link load;
    load.name = "the load";
    load.mass = payload->mass, load.com = payload->com, load.inertia = payload->inertia;
    load.inertial = true;
    d.links.push_back(load);
    Description::JointEntry entry;
    entry.joint.name = "to the load";
    entry.parent = payload_link;
    entry.child = load.name;
    d.joints.push_back(entry);
  }
  return d;
}

std::string Drawn::text() const {
  std::string out = cat("seed ", seed, ": ", to_string(features), "; ", description.joints.size(), " joints");
  const auto list = [&](const char* name, const std::vector<double>& x) {
    out += cat("\n  ", name, " =");
    for (const double number : x) out += cat(" ", number);
  };
  for (const Lock& lock : locks) out += cat("\n  locked: ", lock.joint, " at ", lock.value);
  if (payload) out += cat("\n  payload on ", payload_link, ": ", payload->mass, " kg at ", payload->com.x, " ", payload->com.y, " ", payload->com.z);
  for (const Wrench& w : wrenches)
    out += cat("\n  wrench on link ", w.link, w.axes == Axes::link ? " (link)" : " (world)", ": force ", w.force.x, " ", w.force.y, " ", w.force.z, ", moment ",
               w.moment.x, " ", w.moment.y, " ", w.moment.z);
  for (const State& s : states) list("q", s.q), list("v", s.v), list("a", s.a);
  return out;
}

}  // namespace ulna::test
