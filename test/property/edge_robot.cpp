#include "property/edge_robot.hpp"

#include <cmath>
#include <numbers>

#include "support/random.hpp"
#include "text/cat.hpp"

namespace ulna::test {

namespace {

constexpr double kQuarter = std::numbers::pi / 2;

double power_of_ten(Random& random, double from, double to) { return std::pow(10, random.uniform(from, to)); }
double sign(Random& random) { return random.chance(0.5) ? -1 : 1; }

class Maker {
 public:
  Maker(std::uint64_t seed, const Edge& edge) : random_(seed), edge_(edge) {
    if (edge.scales) metre_ = power_of_ten(random_, -3, 3), kilogram_ = power_of_ten(random_, -3, 3);
    twelve_decades_ = edge.scales && random_.chance(0.3);
    all_lengths_ = edge.scales && random_.chance(0.3);
  }

  EdgeCase robot(int least, int most, bool chain) {
    EdgeCase made;
    made.robot = description(random_.integer(least, most), chain);
    made.changed = made.robot;
    redraw(made.changed);
    const Link load = link("load");
    made.payload = {load.mass, load.com, load.inertia};
    return made;
  }

 private:
  Description description(int joints, bool chain) {
    Description d;
    d.name = "edge";
    d.gravity = {0, 0, -9.81};
    d.links.push_back({});
    d.links[0].name = "link0";
    for (int k = 1; k <= joints; ++k) {
      Description::JointEntry entry;
      Joint& joint = entry.joint;
      joint.name = cat("joint", k);
      joint.type = !chain && random_.chance(0.2) ? JointType::prismatic : JointType::revolute;
      joint.axis = axis();
      const Vec3<double> rpy{angle(), angle(), angle()};  // in this order, by every compiler
      joint.X_PF.R = rotation_rpy(rpy.x, rpy.y, rpy.z);
      joint.X_PF.p = {offset(), offset(), offset()};
      const bool slides = joint.type == JointType::prismatic;
      joint.lower = slides ? -metre_ : -3, joint.upper = slides ? metre_ : 3;
      joint.velocity = slides ? metre_ : 2, joint.effort = 100;
      if (random_.chance(0.2)) joint.rotor = rotor(slides);
      if (!chain && !d.joints.empty() && random_.chance(0.05)) follow(entry, d.joints.back());
      const int last = static_cast<int>(d.links.size()) - 1;
      entry.parent = d.links[!chain && random_.chance(0.15) ? random_.integer(0, last) : last].name;
      entry.child = cat("link", k);
      d.links.push_back(link(entry.child));
      d.joints.push_back(entry);
    }
    return d;
  }

  static void follow(Description::JointEntry& entry, const Description::JointEntry& leader) {
    if (leader.joint.mimic || (leader.joint.type == JointType::prismatic) != (entry.joint.type == JointType::prismatic)) return;  // or it would turn by metres
    entry.joint.mimic = Mimic{kNone, -0.5, 0};
    entry.leader = leader.joint.name;
  }

  /// Next to a right angle, a right angle, or any.
  double angle() {
    if (random_.chance(0.1)) return random_.uniform(-3, 3);
    const double right = kQuarter * random_.integer(-1, 2);
    if (random_.chance(0.1)) return right + residue();
    return edge_.angles && random_.chance(0.7) ? right + sign(random_) * std::pow(10, -random_.integer(1, 16)) : right;
  }

  Vec3<double> axis() {
    Vec3<double> z{0, 0, sign(random_)};
    if (edge_.angles && random_.chance(0.3)) {
      z.x = sign(random_) * std::pow(10, -random_.integer(1, 16));
      if (random_.chance(0.5)) z.y = sign(random_) * std::pow(10, -random_.integer(1, 16));
    }
    return (1 / std::sqrt(dot(z, z))) * z;
  }

  double rotor(bool slides) { return random_.uniform(0.001, 0.1) * kilogram_ * (slides ? 1 : metre_ * metre_); }
  double residue() { return edge_.residues && random_.chance(0.3) ? sign(random_) * power_of_ten(random_, -40, -12) : 0; }
  double offset() {
    if (random_.chance(0.5)) return residue() * metre_;
    return random_.uniform(-0.5, 0.5) * metre_ * (all_lengths_ ? power_of_ten(random_, -3, 0) : 1);
  }

  void redraw(Description& d) {
    for (Link& link : d.links)
      if (link.inertial) link = this->link(link.name);
    for (Description::JointEntry& entry : d.joints) {
      if (entry.joint.rotor != 0) entry.joint.rotor = rotor(entry.joint.type == JointType::prismatic);
      for (double* x : {&entry.joint.X_PF.p.x, &entry.joint.X_PF.p.y, &entry.joint.X_PF.p.z})
        if (random_.chance(0.2)) *x *= random_.uniform(0.5, 2);
    }
  }

  Link link(const std::string& name) {
    Link link;
    link.name = name;
    link.inertial = true;
    link.mass = random_.uniform(0.2, 5) * kilogram_;
    if (twelve_decades_) link.mass *= power_of_ten(random_, -6, 6);
    if (edge_.scales && random_.chance(0.1)) link.mass *= 1e-9;
    link.com = {offset(), offset(), offset()};
    double size = 0.2 * metre_;
    if (edge_.scales && random_.chance(0.2)) size *= power_of_ten(random_, -3, 0);
    const double w = size * random_.uniform(0.1, 1), h = size * random_.uniform(0.1, 1), l = random_.chance(0.2) ? w : size * random_.uniform(0.1, 1);
    const double m = link.mass / 12;
    link.inertia = {m * (h * h + l * l),         m * (w * w + l * l),         m * (w * w + h * h),
                    residue() * m * size * size, residue() * m * size * size, residue() * m * size * size};
    if (random_.chance(0.4)) link.inertia = congruence(random_.rotation(), link.inertia);
    return link;
  }

  Random random_;
  Edge edge_;
  double metre_ = 1, kilogram_ = 1;
  bool twelve_decades_ = false, all_lengths_ = false;
};

}  // namespace

EdgeCase edge_case(std::uint64_t seed, const Edge& edge) { return Maker(seed, edge).robot(2, 7, false); }

EdgeCase almost_right_case(std::uint64_t seed) { return Maker(seed, {.residues = false, .scales = false}).robot(6, 7, true); }

}  // namespace ulna::test
