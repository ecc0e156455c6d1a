#include "loop/machines.hpp"

#include <cmath>

namespace ulna::test {

RandomLoop random_loop(LoopType type, std::size_t joints, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](double size) { return Vec3<double>{size * uniform(random), size * uniform(random), size * uniform(random)}; };
  const auto unit = [&] {
    Vec3<double> v = vector(1);
    while (dot(v, v) < 0.2) v = vector(1);
    return (1 / std::sqrt(dot(v, v))) * v;
  };
  // Arguments of a function are evaluated in whatever order the compiler likes.
  const auto rotation = [&] {
    const double yaw = uniform(random), pitch = uniform(random), roll = uniform(random);
    return rotation_rpy(roll, pitch, yaw);
  };
  RandomLoop made;
  Description& d = made.robot;
  d.name = "random";
  Link base;
  base.name = "base";
  d.links.push_back(base);
  Pose<double> tip;
  for (std::size_t j = 0; j < joints; ++j) {
    Link link;
    link.name = "link" + std::to_string(j);
    link.mass = 1 + 0.5 * uniform(random);
    link.com = vector(0.2);
    link.inertia = {0.1 + 0.02 * uniform(random), 0.1 + 0.02 * uniform(random), 0.1 + 0.02 * uniform(random),
                    0.01 * uniform(random),       0.01 * uniform(random),       0.0};
    Description::JointEntry entry;
    entry.joint.name = "j" + std::to_string(j);
    entry.joint.type = j == 2 ? JointType::prismatic : JointType::revolute;
    entry.joint.X_PF = {rotation(), vector(0.5)};
    entry.joint.axis = unit();
    entry.joint.rotor = 0.01;
    entry.joint.friction.viscous = 0.3;
    entry.parent = d.links.back().name;
    entry.child = link.name;
    tip = tip * entry.joint.X_PF;  // at q = 0
    d.links.push_back(link);
    d.joints.push_back(entry);
  }
  Loop loop;
  loop.name = "loop";
  loop.type = type;
  loop.axis = unit();
  const Pose<double> end{rotation(), vector(0.3)};
  loop.X_PA = tip * end;  // closed at q = 0
  loop.X_SB = end;
  made.loops.loops.push_back({loop, "base", d.links.back().name});
  return made;
}

}  // namespace ulna::test
