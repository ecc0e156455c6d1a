#include "support/random_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "support/arm.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

constexpr double kQuarter = std::numbers::pi / 2;

bool slides(const Joint& joint) { return joint.type == JointType::prismatic; }

/// Moving joints, by their numbers.
std::vector<std::size_t> movers(const Description& d) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < d.joints.size(); ++k)
    if (d.joints[k].joint.type != JointType::fixed) out.push_back(k);
  return out;
}

/// Symmetric limits, of an angle of 3 rad or of this length.
void set_limits(Joint& joint, double metre) {
  joint.upper = slides(joint) ? metre : 3, joint.velocity = slides(joint) ? metre : 2;
  joint.lower = -joint.upper, joint.effort = 100;
}

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {
    if (!scales()) return;
    metre_ = power_of_ten(-3, 3), kilogram_ = power_of_ten(-3, 3);
    twelve_decades_ = random_.chance(0.3);
    all_lengths_ = random_.chance(0.3);
  }

  Description description(std::string name) {
    Description d;
    d.name = std::move(name);
    d.gravity = near_edge() || random_.chance(0.5) ? Vec3<double>{0, 0, -9.81} : random_.vector(10);
    d.links.push_back(near_edge() ? frame("link0") : link("link0"));
    const int moving = random_.integer(options_.fewest, options_.most);
    bool bare = false;  // the last link has no mass: it needs a moving child, or the inertia matrix is singular
    for (int made = 0; made < moving;) {
      Description::JointEntry entry;
      Joint& joint = entry.joint;
      joint.type = type(bare);
      joint.axis = axis();
      const bool ball = options_.balls && !bare && random_.chance(0.4);
      if (ball) joint.type = JointType::ball, joint.axis = {0, 0, 1};
      joint.X_PF = placement();
      if (!options_.identity_MB && random_.chance(0.5)) joint.X_MB = placement();
      const bool moves = joint.type != JointType::fixed;
      if (moves && near_edge()) drive(entry, d);  // here, so that seeds keep their robots
      const std::size_t last = d.links.size() - 1;
      const bool branch = options_.branches && !bare && random_.chance(near_edge() ? 0.15 : 0.25);
      const std::size_t parent = branch ? random_.below(last + 1) : last;
      Link link = this->link({});
      if (moves && !near_edge()) drive(entry, d);
      made += moves;
      // Nor must a massless link slide: its child could slide as it does.
      bare = moves && options_.massless && !bare && !ball && made < moving && !slides(joint) && random_.chance(0.2);
      if (bare || (!moves && random_.chance(0.4))) link = frame({});
      append(d, std::move(entry), std::move(link), parent);
    }
    if (options_.mimic && !near_edge()) couple_some(d);
    return d;
  }

  /// Links, rotors and some gaps between joints of other numbers of the same kind.
  void redraw(Description& d) {
    for (Link& link : d.links)
      if (link.inertial) link = this->link(link.name);
    for (Description::JointEntry& entry : d.joints) {
      if (entry.joint.rotor != 0) entry.joint.rotor = rotor(entry.joint);
      for (double* x : {&entry.joint.X_PF.p.x, &entry.joint.X_PF.p.y, &entry.joint.X_PF.p.z})
        if (random_.chance(0.2)) *x *= random_.uniform(0.5, 2);
    }
  }

  Link link(std::string name) {
    if (!near_edge()) return random_link(std::move(name), random_);
    Link link = frame(std::move(name));
    link.inertial = true;
    link.mass = random_.uniform(0.2, 5) * kilogram_;
    if (twelve_decades_) link.mass *= power_of_ten(-6, 6);
    if (scales() && random_.chance(0.1)) link.mass *= 1e-9;
    link.com = offsets();
    double size = 0.2 * metre_;
    if (scales() && random_.chance(0.2)) size *= power_of_ten(-3, 0);
    const double w = size * random_.uniform(0.1, 1), h = size * random_.uniform(0.1, 1), l = random_.chance(0.2) ? w : size * random_.uniform(0.1, 1);
    const double m = link.mass / 12;
    link.inertia = {m * (h * h + l * l),         m * (w * w + l * l),         m * (w * w + h * h),
                    residue() * m * size * size, residue() * m * size * size, residue() * m * size * size};
    if (random_.chance(0.4)) link.inertia = congruence(random_.rotation(), link.inertia);
    return link;
  }

 private:
  bool near_edge() const { return options_.edge.has_value(); }
  bool scales() const { return near_edge() && options_.edge->scales; }
  double power_of_ten(double from, double to) { return std::pow(10, random_.uniform(from, to)); }
  double sign() { return random_.chance(0.5) ? -1 : 1; }
  double little() { return sign() * std::pow(10, -random_.integer(1, 16)); }
  double residue() { return options_.edge->residues && random_.chance(0.3) ? sign() * power_of_ten(-40, -12) : 0; }

  JointType type(bool after_bare) {
    if (options_.fixed && random_.chance(0.2) && !after_bare) return JointType::fixed;
    if (options_.prismatic && random_.chance(near_edge() ? 0.2 : 0.3)) return JointType::prismatic;
    return options_.continuous && random_.chance(0.2) ? JointType::continuous : JointType::revolute;
  }

  Vec3<double> axis() {
    constexpr std::array<Vec3<double>, 6> kAligned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    if (!near_edge()) return random_.chance(0.6) ? kAligned[random_.below(6)] : random_.direction();
    Vec3<double> z{0, 0, sign()};
    if (options_.edge->angles && random_.chance(0.3)) {
      z.x = little();
      if (random_.chance(0.5)) z.y = little();
    }
    return (1 / std::sqrt(dot(z, z))) * z;
  }

  /// Next to a right angle, a right angle, or any.
  double angle() {
    if (random_.chance(0.1)) return random_.uniform(-3, 3);
    const double right = kQuarter * random_.integer(-1, 2);
    if (random_.chance(0.1)) return right + residue();
    return options_.edge->angles && random_.chance(0.7) ? right + little() : right;
  }
  double offset() {
    if (random_.chance(0.5)) return residue() * metre_;
    return random_.uniform(-0.5, 0.5) * metre_ * (all_lengths_ ? power_of_ten(-3, 0) : 1);
  }
  Vec3<double> offsets() { return {offset(), offset(), offset()}; }

  Pose<double> placement() {
    if (near_edge()) {
      const Vec3<double> rpy{angle(), angle(), angle()};  // in this order, by every compiler
      return {rotation_rpy(rpy.x, rpy.y, rpy.z), offsets()};
    }
    // Quarter turns are common in files and take their own path through the plan.
    Pose<double> X;
    if (random_.chance(0.5))
      X.R = rotation_rpy(kQuarter * random_.integer(-1, 2), kQuarter * random_.integer(-1, 1), kQuarter * random_.integer(-1, 2));
    else
      X.R = random_.rotation();
    X.p = random_.vector(0.4);
    if (random_.chance(0.3)) X.p.x = 0;
    if (random_.chance(0.3)) X.p.y = 0;
    return X;
  }

  double rotor(const Joint& joint) { return random_.uniform(0.001, 0.1) * kilogram_ * (slides(joint) ? 1 : metre_ * metre_); }

  /// Limits, rotor and friction. Near the edge a joint may follow the one before, and friction is left out.
  void drive(Description::JointEntry& entry, const Description& d) {
    Joint& joint = entry.joint;
    if (near_edge()) {
      set_limits(joint, metre_);
      if (options_.rotor && random_.chance(0.2)) joint.rotor = rotor(joint);
      if (!options_.mimic || d.joints.empty() || !random_.chance(0.05)) return;
      const Description::JointEntry& leader = d.joints.back();
      if (!leader.joint.mimic && slides(leader.joint) == slides(joint)) couple(entry, leader, -0.5, 0);  // or it would turn by metres
      return;
    }
    if (joint.type != JointType::continuous && joint.type != JointType::ball) {
      joint.lower = random_.uniform(-4, -3);
      joint.upper = random_.uniform(3, 4);
    }
    if (options_.rotor && random_.chance(0.5)) {
      joint.rotor = random_.uniform(1e-5, 1e-4);
      joint.gear = random_.uniform(-120, 120);
    }
    if (options_.friction && random_.chance(0.5)) {
      joint.friction.viscous = random_.uniform(0, 2);
      joint.friction.coulomb = random_.uniform(0, 2);
    }
  }

  void couple_some(Description& d) {
    const std::vector<std::size_t> all = movers(d);
    if (all.size() < 2) return;
    for (int f = random_.integer(1, static_cast<int>(all.size()) / 2); f > 0; --f) {
      const std::size_t follower = all[1 + random_.below(all.size() - 1)], leader = all[random_.below(all.size())];
      const auto ball = [&](std::size_t k) { return d.joints[k].joint.type == JointType::ball; };
      if (leader >= follower || d.joints[follower].joint.mimic || ball(leader) || ball(follower))
        continue;  // leaders come first, so no circle; chains may form
      const double multiplier = random_.uniform(-2, 2), offset = random_.uniform(-1, 1);
      couple(d.joints[follower], d.joints[leader], multiplier, offset);
    }
  }

  Random random_;
  RandomOptions options_;
  double metre_ = 1, kilogram_ = 1;
  bool twelve_decades_ = false, all_lengths_ = false;
};

/// Each of the joints that move by chance, and one at least.
template <class Set>
void on_some(Description& d, Random& random, Set set) {
  const std::vector<std::size_t> all = movers(d);
  const std::size_t sure = all[random.below(all.size())];
  for (const std::size_t k : all)
    if (k == sure || random.chance(0.4)) set(d.joints[k].joint);
}

RandomOptions edge_options(const Edge& edge) {
  RandomOptions options;
  options.fewest = 2, options.most = 7;
  options.continuous = options.fixed = options.massless = options.friction = false;
  options.mimic = options.identity_MB = true;
  options.edge = edge;
  return options;
}

EdgeCase changed_and_loaded(std::uint64_t seed, const RandomOptions& options) {
  Generator generator(seed, options);
  EdgeCase out;
  out.robot = out.changed = generator.description("edge");
  generator.redraw(out.changed);
  const Link load = generator.link("load");
  out.payload = {load.mass, load.com, load.inertia};
  return out;
}

int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }

WholeJoint mirrored(WholeJoint s) {
  s.turn = opposite(s.turn), s.tilt = opposite(s.tilt), s.y = opposite(s.y);
  s.axis = s.axis == 2 ? 5 : s.axis == 5 ? 2 : s.axis;
  return s;
}

}  // namespace

void append(Description& robot, Description::JointEntry entry, Link link, std::size_t parent) {
  const std::size_t k = robot.joints.size();
  entry.joint.name = cat("joint", k);
  entry.parent = robot.links[parent].name;
  entry.child = link.name = cat("link", k + 1);
  robot.links.push_back(std::move(link));
  robot.joints.push_back(std::move(entry));
}

void couple(Description::JointEntry& entry, const Description::JointEntry& leader, double multiplier, double offset) {
  entry.joint.mimic = Mimic{kNone, multiplier, offset};
  entry.leader = leader.joint.name;
}

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

Link random_link(std::string name, Random& random) {
  Link link = frame(std::move(name));
  set_random_inertia(link, random);
  return link;
}

Description random_description(std::uint64_t seed, const RandomOptions& options) { return Generator(seed, options).description(cat("random-", seed)); }

Model random_model(std::uint64_t seed, const RandomOptions& options) { return build(random_description(seed, options)); }

bool add_features(Description& robot, Random& random, const SureFeatures& features) {
  if (features.prismatic)
    on_some(robot, random, [](Joint& joint) {
      joint.type = JointType::prismatic;
      joint.lower = -2, joint.upper = 2, joint.effort = 100, joint.velocity = 3;
    });
  if (features.mimic) {
    const std::vector<std::size_t> all = movers(robot);
    bool any = false;
    for (std::size_t k = 1; k < all.size(); ++k) {
      if (k + 1 < all.size() ? !random.chance(0.4) : any) continue;
      const std::size_t leader = all[random.below(k)];
      const double multiplier = (random.chance(0.5) ? 1 : -1) * random.uniform(0.3, 1.5), offset = random.uniform(-1, 1);
      couple(robot.joints[all[k]], robot.joints[leader], multiplier, offset);
      any = true;
    }
  }
  const bool tilted = features.tilted && random.chance(0.3);
  for (Description::JointEntry& entry : robot.joints)
    if (tilted && random.chance(0.3)) {
      const double little = std::pow(10, random.uniform(-8, -5));
      entry.joint.X_PF.R = entry.joint.X_PF.R * rotation_rpy(random.chance(0.5) ? little : 0, 0, random.chance(0.5) ? -little : 0);
    }
  if (features.rotor) on_some(robot, random, [&](Joint& joint) { joint.rotor = random.uniform(1e-5, 1e-4), joint.gear = random.uniform(-120, 120); });
  if (features.viscous) on_some(robot, random, [&](Joint& joint) { joint.friction.viscous = random.uniform(0, 2); });
  if (features.coulomb) on_some(robot, random, [&](Joint& joint) { joint.friction.coulomb = random.uniform(0.1, 2); });
  return tilted;
}

EdgeCase edge_case(std::uint64_t seed, const Edge& edge) { return changed_and_loaded(seed, edge_options(edge)); }

EdgeCase almost_right_case(std::uint64_t seed) {
  RandomOptions chain = edge_options({.residues = false, .scales = false});
  chain.fewest = 6, chain.most = 7;
  chain.prismatic = chain.branches = chain.mimic = false;
  return changed_and_loaded(seed, chain);
}

double zigzag(int k) { return k % 2 == 1 ? (k + 1) / 2 : -k / 2; }

Description random_description(const WholeRobot& robot) {
  constexpr JointType kTypes[] = {JointType::revolute, JointType::prismatic, JointType::continuous, JointType::fixed};
  constexpr Vec3<double> kAxes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {0, 0.28, -0.96}};
  const double metre = std::pow(10, zigzag(robot.length)), kilogram = std::pow(10, zigzag(robot.mass));
  Description d;
  d.name = "random";
  d.gravity = {0, 0, -9.81};
  d.links.push_back(frame("link0"));
  for (const WholeJoint& s : robot.joints) {
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    joint.type = kTypes[s.type];
    joint.axis = kAxes[s.axis];
    joint.X_PF.R = rotation_rpy(zigzag(s.tilt) * std::numbers::pi / 6, 0, zigzag(s.turn) * std::numbers::pi / 6);
    joint.X_PF.p = (0.1 * metre) * Vec3<double>{zigzag(s.x), zigzag(s.y), zigzag(s.z)};
    if (joint.type == JointType::revolute || slides(joint)) set_limits(joint, metre);
    Link link;
    if (s.mass > 0) {
      const double mass = s.mass * kilogram, w = 0.1 * metre * (1 + s.width), h = 0.1 * metre * (1 + s.height), l = 0.1 * metre;
      link = body({}, mass, (0.1 * metre) * Vec3<double>{zigzag(s.com_x), 0, zigzag(s.com_z)},
                  {mass / 12 * (h * h + l * l), mass / 12 * (w * w + l * l), mass / 12 * (w * w + h * h), 0, 0, 0});
    }
    if (joint.type != JointType::fixed) {
      if (s.mass == 0 || s.rotor > 0) joint.rotor = (1 + s.rotor) * 0.01 * kilogram * (slides(joint) ? 1 : metre * metre);
      const std::vector<std::size_t> before = movers(d);
      const auto back = static_cast<std::size_t>(s.follows);
      if (back > 0 && before.size() >= back)
        if (const Description::JointEntry& leader = d.joints[before[before.size() - back]]; slides(leader.joint) == slides(joint))
          couple(entry, leader, 0.5, 0.1);  // or it would turn by metres
    }
    const std::size_t last = d.links.size() - 1;
    append(d, std::move(entry), std::move(link), last - std::min(last, s.branch));
  }
  auto state = static_cast<std::uint64_t>(robot.order);
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
  if (robot.order > 0)
    for (std::size_t k = d.joints.size(); k > 1; --k) std::swap(d.joints[k - 1], d.joints[next() % k]);
  return d;
}

WholeRobot with_limbs(WholeRobot robot, std::size_t size, std::size_t times) {
  const std::size_t root = robot.joints.size() - size;  // the link that the limb hangs from
  robot.joints[root].branch = 0;
  for (std::size_t k = 1; k <= times; ++k)
    for (std::size_t i = root; i < root + size; ++i) {
      const WholeJoint& s = robot.joints[i];
      const std::size_t parent = std::max(root, i - std::min(i, s.branch));
      WholeJoint copy = k % 2 == 1 ? mirrored(s) : s;
      copy.branch = parent == root ? k * size + i - root : i - parent;
      robot.joints.push_back(copy);
    }
  return robot;
}

State random_state(const Model& model, Random& random, const StateOptions& options) {
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
  const std::size_t first_q = s.q.size(), first_v = base_nv(model.base());
  for (std::size_t k = 0; k < first_v; ++k) s.v.push_back(random.uniform(-2, 2)), s.a.push_back(random.uniform(-2, 2));
  for (const std::size_t j : model.independent()) {
    s.q.push_back(slides(model.joints()[j]) ? random.uniform(-0.5, 0.5) : random.uniform(-std::numbers::pi, std::numbers::pi));
    s.v.push_back(random.uniform(-2, 2));
    s.a.push_back(random.uniform(-2, 2));
  }
  for (const std::size_t at : model.quaternions()) {  // of ball joints: a number more
    if (at < first_q) continue;
    s.q.insert(s.q.begin() + static_cast<std::ptrdiff_t>(at) + 3, random.uniform(-3, 3));
    double length = 0;
    for (std::size_t k = at; k < at + 4; ++k) length += s.q[k] * s.q[k];
    for (std::size_t k = at; k < at + 4; ++k) s.q[k] /= std::sqrt(length);
  }
  const auto go_far = [&](double& angle) { angle += (random.chance(0.5) ? 1 : -1) * std::pow(10, random.uniform(3, 5.8)); };
  if (options.far && model.base() == RootJoint::planar) go_far(s.q[2]);
  for (std::size_t k = 0; k < model.independent().size(); ++k)
    if (options.far && !slides(model.joints()[model.independent()[k]])) go_far(s.q[first_q + k]);  // not of robots with ball joints
  for (std::size_t k = first_v; k < s.v.size(); ++k)
    if (options.rest && random.chance(0.25)) s.v[k] = random.chance(0.5) ? 0.0 : -0.0;
  if (options.floats) {
    for (std::vector<double>* x : {&s.q, &s.v, &s.a})
      for (std::size_t k = 0; k < x->size(); ++k)
        if (x != &s.q || model.base() != RootJoint::free || k < 3 || k >= 7) (*x)[k] = static_cast<float>((*x)[k]);
  }
  return s;
}

}  // namespace ulna::test
