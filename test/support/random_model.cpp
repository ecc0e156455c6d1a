#include "support/random_model.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "support/arm.hpp"
#include "text/cat.hpp"

namespace ulna::test {

namespace {

std::string numbered(const char* stem, std::size_t k) { return cat(stem, k); }

Vec3<double> random_axis(Random& random) {
  constexpr std::array<Vec3<double>, 6> kAligned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  return random.chance(0.6) ? kAligned[random.integer(0, 5)] : random.direction();
}

/// Quarter turns are common in files and take their own path through the plan.
Pose<double> random_placement(Random& random) {
  constexpr double kQuarter = std::numbers::pi / 2;
  Pose<double> X;
  if (random.chance(0.5))
    X.R = rotation_rpy(kQuarter * random.integer(-1, 2), kQuarter * random.integer(-1, 1), kQuarter * random.integer(-1, 2));
  else
    X.R = random.rotation();
  X.p = random.vector(0.4);
  if (random.chance(0.3)) X.p.x = 0;
  if (random.chance(0.3)) X.p.y = 0;
  return X;
}

JointType random_type(Random& random, const RandomOptions& options) {
  if (options.prismatic && random.chance(0.3)) return JointType::prismatic;
  return random.chance(0.2) ? JointType::continuous : JointType::revolute;
}

void decorate(Joint& joint, Random& random, const RandomOptions& options) {
  if (joint.type != JointType::continuous) {
    joint.lower = random.uniform(-4, -3);
    joint.upper = random.uniform(3, 4);
  }
  if (options.rotor && random.chance(0.5)) {
    joint.rotor = random.uniform(1e-5, 1e-4);
    joint.gear = random.uniform(-120, 120);
  }
  if (options.friction && random.chance(0.5)) {
    joint.friction.viscous = random.uniform(0, 2);
    joint.friction.coulomb = random.uniform(0, 2);
  }
}

}  // namespace

void set_random_inertia(Link& link, Random& random) {
  constexpr int kPoints = 6;
  std::array<double, kPoints> m{};
  std::array<Vec3<double>, kPoints> r{};
  const Vec3<double> about = random.vector(0.2);
  link.mass = 0;
  Vec3<double> moment{};
  for (std::size_t k = 0; k < kPoints; ++k) {
    m[k] = random.uniform(0.05, 1);
    r[k] = about + random.vector(0.15);
    link.mass += m[k];
    moment = moment + m[k] * r[k];
  }
  link.com = (1 / link.mass) * moment;
  link.inertia = {};
  for (std::size_t k = 0; k < kPoints; ++k) {
    const Vec3<double> d = r[k] - link.com;
    link.inertia.xx += m[k] * (d.y * d.y + d.z * d.z);
    link.inertia.yy += m[k] * (d.x * d.x + d.z * d.z);
    link.inertia.zz += m[k] * (d.x * d.x + d.y * d.y);
    link.inertia.xy -= m[k] * d.x * d.y;
    link.inertia.xz -= m[k] * d.x * d.z;
    link.inertia.yz -= m[k] * d.y * d.z;
  }
  link.inertial = true;
}

Description random_description(std::uint64_t seed, const RandomOptions& options) {
  Random random(seed);
  Description d;
  d.name = numbered("random-", seed);
  d.gravity = random.chance(0.5) ? Vec3<double>{0, 0, -9.81} : random.vector(10);
  d.links.push_back({});
  d.links[0].name = "link0";
  set_random_inertia(d.links[0], random);
  const int moving = random.integer(options.fewest, options.most);
  std::size_t massless = 0;  // 0: none so far wants a child; else its index
  std::vector<std::size_t> movers;
  for (int made = 0; made < moving;) {
    const std::size_t k = d.joints.size();
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    joint.name = numbered("joint", k);
    joint.type = options.fixed && random.chance(0.2) && massless == 0 ? JointType::fixed : random_type(random, options);
    joint.axis = random_axis(random);
    joint.X_PF = random_placement(random);
    if (!options.identity_MB && random.chance(0.5)) joint.X_MB = random_placement(random);
    const auto last = static_cast<int>(d.links.size()) - 1;
    const bool branch = options.branches && massless == 0 && random.chance(0.25);
    entry.parent = numbered("link", branch ? random.integer(0, last) : last);
    entry.child = numbered("link", k + 1);
    Link link;
    link.name = entry.child;
    set_random_inertia(link, random);
    if (joint.type == JointType::fixed) {
      if (random.chance(0.4)) link = frame(link.name);
      massless = 0;
    } else {
      ++made;
      decorate(joint, random, options);
      // A massless link needs a moving child, or the inertia matrix is singular; so does one whose child slides as it does.
      const bool bare = options.massless && massless == 0 && made < moving && joint.type != JointType::prismatic && random.chance(0.2);
      if (bare) link = frame(link.name);
      massless = bare ? k + 1 : 0;
      movers.push_back(k);
    }
    d.links.push_back(link);
    d.joints.push_back(entry);
  }
  if (options.mimic && movers.size() > 1) {
    const int followers = random.integer(1, static_cast<int>(movers.size()) / 2);
    for (int f = 0; f < followers; ++f) {
      const auto follower = movers[random.integer(1, static_cast<int>(movers.size()) - 1)];
      const auto leader = movers[random.below(movers.size())];
      if (leader >= follower || d.joints[follower].joint.mimic) continue;  // leaders come first, so no circle; chains may form
      d.joints[follower].joint.mimic = Mimic{kNone, random.uniform(-2, 2), random.uniform(-1, 1)};
      d.joints[follower].leader = d.joints[leader].joint.name;
    }
  }
  return d;
}

Model random_model(std::uint64_t seed, const RandomOptions& options) { return build(random_description(seed, options)); }

State random_state(const Model& model, Random& random) {
  State s;
  if (model.base() == RootJoint::planar)
    for (const double reach : {1.0, 1.0, std::numbers::pi}) s.q.push_back(random.uniform(-reach, reach));
  if (model.base() == RootJoint::free) {
    for (int k = 0; k < 3; ++k) s.q.push_back(random.uniform(-1, 1));
    double e[4], length = 0;
    while (!(length > 0.1 && length < 1)) {  // all directions alike
      length = 0;
      for (double& x : e) x = random.uniform(-1, 1), length += x * x;
    }
    for (const double x : e) s.q.push_back(x / std::sqrt(length));
  }
  for (std::size_t k = 0; k < base_nv(model.base()); ++k) s.v.push_back(random.uniform(-2, 2)), s.a.push_back(random.uniform(-2, 2));
  for (const std::size_t j : model.independent()) {
    const bool slides = model.joints()[j].type == JointType::prismatic;
    s.q.push_back(slides ? random.uniform(-0.5, 0.5) : random.uniform(-std::numbers::pi, std::numbers::pi));
    s.v.push_back(random.uniform(-2, 2));
    s.a.push_back(random.uniform(-2, 2));
  }
  return s;
}

}  // namespace ulna::test
