#include "property/random_robot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <ostream>

#include "text/cat.hpp"

namespace ulna::test {

namespace {

/// 0, 1, -1, 2, -2, …: RapidCheck shrinks towards 0.
double zigzag(int k) { return k % 2 == 1 ? (k + 1) / 2 : -k / 2; }

int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }

JointSpec mirrored(JointSpec s) {
  s.turn = opposite(s.turn), s.tilt = opposite(s.tilt), s.y = opposite(s.y);
  s.axis = s.axis == 2 ? 5 : s.axis == 5 ? 2 : s.axis;
  return s;
}

Vec3<double> axis_of(int k) {
  constexpr Vec3<double> kAxes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {0, 0.28, -0.96}};
  return kAxes[k];
}

std::uint64_t next(std::uint64_t& state) { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; }

}  // namespace

Description description_of(const RobotSpec& spec) {
  const double metre = std::pow(10, zigzag(spec.length)), kilogram = std::pow(10, zigzag(spec.mass));
  Description d;
  d.name = "random";
  d.gravity = {0, 0, -9.81};
  d.links.push_back({});
  d.links[0].name = "link0";
  std::vector<std::size_t> movers;
  for (std::size_t k = 0; k < spec.joints.size(); ++k) {
    const JointSpec& s = spec.joints[k];
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    joint.name = cat("joint", k + 1);
    joint.type = s.type == 1 ? JointType::prismatic : s.type == 2 ? JointType::continuous : s.type == 3 ? JointType::fixed : JointType::revolute;
    joint.axis = axis_of(s.axis);
    joint.X_PF.R = rotation_rpy(zigzag(s.tilt) * std::numbers::pi / 6, 0, zigzag(s.turn) * std::numbers::pi / 6);
    joint.X_PF.p = (0.1 * metre) * Vec3<double>{zigzag(s.x), zigzag(s.y), zigzag(s.z)};
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
      const double range = joint.type == JointType::prismatic ? metre : 3;
      joint.lower = -range, joint.upper = range, joint.effort = 100, joint.velocity = joint.type == JointType::prismatic ? metre : 2;
    }
    const std::size_t last = d.links.size() - 1;
    entry.parent = d.links[last - std::min(last, s.branch)].name;
    entry.child = cat("link", k + 1);
    Link link;
    link.name = entry.child;
    if (s.mass > 0) {
      link.inertial = true;
      link.mass = s.mass * kilogram;
      link.com = (0.1 * metre) * Vec3<double>{zigzag(s.com_x), 0, zigzag(s.com_z)};
      const double w = 0.1 * metre * (1 + s.width), h = 0.1 * metre * (1 + s.height), l = 0.1 * metre;
      link.inertia = {link.mass / 12 * (h * h + l * l), link.mass / 12 * (w * w + l * l), link.mass / 12 * (w * w + h * h), 0, 0, 0};
    }
    if (joint.type != JointType::fixed) {
      if (s.mass == 0 || s.rotor > 0) joint.rotor = (1 + s.rotor) * 0.01 * kilogram * (joint.type == JointType::prismatic ? 1 : metre * metre);
      if (s.follows > 0 && movers.size() >= static_cast<std::size_t>(s.follows)) {
        const std::size_t leader = movers[movers.size() - static_cast<std::size_t>(s.follows)];
        if ((d.joints[leader].joint.type == JointType::prismatic) == (joint.type == JointType::prismatic)) {  // or it would turn by metres
          joint.mimic = Mimic{kNone, 0.5, 0.1};
          entry.leader = d.joints[leader].joint.name;
        }
      }
      movers.push_back(k);
    }
    d.links.push_back(link);
    d.joints.push_back(entry);
  }
  std::uint64_t state = static_cast<std::uint64_t>(spec.order);
  if (spec.order > 0)
    for (std::size_t k = d.joints.size(); k > 1; --k) std::swap(d.joints[k - 1], d.joints[next(state) % k]);
  return d;
}

RobotSpec with_limbs(RobotSpec spec, std::size_t size, std::size_t times) {
  const std::size_t root = spec.joints.size() - size;  // the link that the limb hangs from
  spec.joints[root].branch = 0;
  for (std::size_t k = 1; k <= times; ++k)
    for (std::size_t i = root; i < root + size; ++i) {
      const JointSpec& s = spec.joints[i];
      const std::size_t parent = std::max(root, i - std::min(i, s.branch));
      JointSpec copy = k % 2 == 1 ? mirrored(s) : s;
      copy.branch = parent == root ? k * size + i - root : i - parent;
      spec.joints.push_back(copy);
    }
  return spec;
}

rc::Gen<RobotSpec> random_robot(std::size_t most) {
  using rc::gen::inRange;
  using rc::gen::set;
  const auto joint = rc::gen::build<JointSpec>(
      set(&JointSpec::type, rc::gen::weightedElement<int>({{6, 0}, {3, 1}, {2, 2}, {2, 3}})), set(&JointSpec::branch, inRange(0, 3)),
      set(&JointSpec::axis, inRange(0, 8)), set(&JointSpec::turn, inRange(0, 12)), set(&JointSpec::tilt, inRange(0, 12)), set(&JointSpec::x, inRange(0, 9)),
      set(&JointSpec::y, inRange(0, 9)), set(&JointSpec::z, inRange(0, 9)), set(&JointSpec::mass, inRange(0, 9)), set(&JointSpec::com_x, inRange(0, 5)),
      set(&JointSpec::com_z, inRange(0, 5)), set(&JointSpec::width, inRange(0, 5)), set(&JointSpec::height, inRange(0, 5)),
      set(&JointSpec::rotor, inRange(0, 3)), set(&JointSpec::follows, rc::gen::weightedElement<int>({{12, 0}, {1, 1}, {1, 2}})));
  return rc::gen::mapcat(inRange<std::size_t>(1, most + 1), [joint](std::size_t count) {
    return rc::gen::build<RobotSpec>(set(&RobotSpec::joints, rc::gen::container<std::vector<JointSpec>>(count, joint)), set(&RobotSpec::length, inRange(0, 7)),
                                     set(&RobotSpec::mass, inRange(0, 13)), set(&RobotSpec::order, inRange(0, 100)));
  });
}

std::ostream& operator<<(std::ostream& out, const RobotSpec& spec) {
  return out << spec.joints.size() << " joints, lengths times 1e" << zigzag(spec.length) << ", masses times 1e" << zigzag(spec.mass) << ", order "
             << spec.order;
}

int robots() {
  const char* text = std::getenv("ULNA_ROBOTS");
  return text == nullptr ? 2000 : std::atoi(text);
}

}  // namespace ulna::test
