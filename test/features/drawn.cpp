#include "features/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/model/model.hpp>

#include "features/loops.hpp"
#include "support/arm.hpp"
#include "support/compiled.hpp"
#include "text/message.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {

namespace {

double in_float(double x) { return static_cast<float>(x); }
Vec3<double> in_float(const Vec3<double>& x) { return {in_float(x.x), in_float(x.y), in_float(x.z)}; }

Description drawn_tree(Random& random, std::uint64_t seed, const Features& features, const DrawOptions& options) {
  RandomOptions tree;
  const bool held = has(features, Feature::locked), coupled = has(features, Feature::mimic);
  tree.fewest = held + coupled >= 1 ? 2 + (held && coupled) : 1;
  tree.most = std::max(tree.fewest, options.most);
  tree.prismatic = false;
  tree.massless = !held && !coupled && !has(features, Feature::prismatic);
  tree.rotor = tree.friction = false;
  tree.identity_MB = options.file || random.chance(0.5);
  Description d = random_description(seed, tree);
  d.name = cat("robot", seed);
  if (options.file) d.gravity = {0, 0, -9.81};
  return d;
}

Payload drawn_payload(Random& random) {
  Link load = random_link({}, random);
  if (random.chance(0.3)) load.inertia = {};  // a point
  return {load.mass, load.com, load.inertia};
}

std::optional<Drawn> attempt(std::uint64_t seed, const Features& features, const DrawOptions& options) {
  Random random(seed);
  Drawn out;
  out.seed = seed;
  out.features = features;
  const bool tree = !has(features, Feature::loop);
  if (tree)
    out.description = drawn_tree(random, seed, features, options);
  else
    draw_loop(random, seed, options, out);
  Description& d = out.description;
  for (Link& link : d.links) link.mass = in_float(link.mass);
  const bool tilted = add_features(d, random,
                                   {.prismatic = tree && has(features, Feature::prismatic),
                                    .mimic = tree && has(features, Feature::mimic),
                                    .tilted = tree && options.tilt && !options.file,
                                    .rotor = has(features, Feature::rotor),
                                    .viscous = has(features, Feature::viscous),
                                    .coulomb = has(features, Feature::coulomb)});
  if (tilted) out.snap = 0;
  out.friction = has(features, Feature::viscous) || has(features, Feature::coulomb);
  out.base = has(features, Feature::free_base) ? RootJoint::free : has(features, Feature::planar_base) ? RootJoint::planar : RootJoint::fixed;
  if (tree && has(features, Feature::locked)) {
    std::vector<Joint> all;
    for (const Description::JointEntry& entry : d.joints)
      if (entry.joint.type != JointType::fixed && !entry.joint.mimic) all.push_back(entry.joint);
    const Joint& joint = all[all.size() == 1 ? 0 : random.below(all.size())];
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
    out.states.push_back(random_state(model, random, {.far = has(features, Feature::far), .rest = has(features, Feature::coulomb), .floats = true}));
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
