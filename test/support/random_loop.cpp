#include "support/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "support/arm.hpp"
#include "support/random_model.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

/// The ground, and nothing on it yet.
RandomLoop on_ground() {
  RandomLoop out;
  out.robot.name = "random";
  out.robot.links.push_back(frame("ground"));
  return out;
}

void close(RandomLoop& robot, const char* name, LoopType type, const Vec3<double>& axis, const Pose<double>& X_PA, const Pose<double>& X_SB,
           const std::string& predecessor, const std::string& successor) {
  Loop loop;
  loop.name = name;
  loop.type = type;
  loop.axis = axis;
  loop.X_PA = X_PA;
  loop.X_SB = X_SB;
  robot.loops.loops.push_back({loop, predecessor, successor});
}

Pose<double> shifted(double x) { return {Mat3<double>::identity(), {x, 0, 0}}; }

/// The same by every compiler, whatever order it evaluates arguments in.
Mat3<double> small_rotation(Random& random) {
  const Vec3<double> ypr = random.vector(1);
  return rotation_rpy(ypr.z, ypr.y, ypr.x);
}

}  // namespace

RandomLoop random_crank_rocker(Random& random) {
  const double crank = random.uniform(0.15, 0.4), rocker = random.uniform(0.8, 1.2), coupler = random.uniform(0.8, 1.3);
  // Grashof: the shortest and the longest link are no longer than the other two together. Some tenths of the crank are left.
  const double low = std::max(std::abs(coupler - rocker) + crank, crank) + 0.3 * crank, high = coupler + rocker - crank - 0.3 * crank;
  const double ground = random.uniform(std::max(low, 0.5 * high), high);
  const Vec3<double> y{0, 1, 0};
  RandomLoop out = on_ground();
  Description& d = out.robot;
  for (const char* name : {"crank", "coupler", "rocker"}) d.links.push_back(random_link(name, random));
  d.joints.push_back(joint("crank", JointType::continuous, "ground", "crank", y));
  d.joints.push_back(joint("elbow", JointType::continuous, "crank", "coupler", y, {crank, 0, 0}));
  d.joints.back().joint.X_PF.R = rotation_rpy(0, random.uniform(-1, -0.5), 0);
  d.joints.push_back(joint("pivot", JointType::continuous, "ground", "rocker", y, {ground, 0, 0}));
  d.joints.back().joint.X_PF.R = rotation_rpy(0, random.uniform(-1.5, -0.9), 0);
  close(out, "pin", LoopType::revolute, y, shifted(coupler), shifted(rocker), "coupler", "rocker");
  out.loops.motors = {"crank"};
  return out;
}

RandomLoop random_slider_crank(Random& random) {
  const double r = random.uniform(0.15, 0.4), l = random.uniform(1.6, 3) * r;
  const Vec3<double> z{0, 0, 1};
  RandomLoop out = on_ground();
  Description& d = out.robot;
  for (const char* name : {"crank", "rod", "slider"}) d.links.push_back(random_link(name, random));
  d.joints.push_back(joint("crank", JointType::continuous, "ground", "crank", z));
  d.joints.push_back(joint("elbow", JointType::continuous, "crank", "rod", z, {r, 0, 0}));
  d.joints.push_back(joint("slide", JointType::prismatic, "ground", "slider", {1, 0, 0}, {0, random.uniform(-0.1, 0.1) * r, 0}));
  close(out, "pin", LoopType::revolute, Loop{}.axis, shifted(l), {}, "rod", "slider");
  out.loops.motors = {"crank"};
  return out;
}

RandomLoop random_chain(Random& random, const ChainOptions& options) {
  RandomLoop out = on_ground();
  Description& d = out.robot;
  Pose<double> tip;
  for (std::size_t k = 0; k < options.joints; ++k) {
    const std::string parent = d.links.back().name, name = cat("link", k);
    d.links.push_back(random_link(name, random));
    const Mat3<double> R = small_rotation(random);
    const Vec3<double> p = random.vector(0.5);
    d.joints.push_back(joint(cat("j", k), options.slides && k == 2 ? JointType::prismatic : JointType::revolute, parent, name, random.direction(), p));
    Joint& last = d.joints.back().joint;
    last.X_PF.R = R;
    if (options.coupled && k == 3) couple(d.joints[3], d.joints[1], random.uniform(-1.2, 1.2), 0);
    tip = tip * last.X_PF;
  }
  const Vec3<double> axis = random.direction();
  const Mat3<double> R = small_rotation(random);
  const Pose<double> end{R, random.vector(0.3)};
  close(out, "loop", options.type, axis, tip * end, end, "ground", d.links.back().name);
  return out;
}

RandomLoop random_loop(LoopType type, std::size_t joints, std::uint64_t seed) {
  std::mt19937 engine(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](double size) { return Vec3<double>{size * uniform(engine), size * uniform(engine), size * uniform(engine)}; };
  const auto direction = [&] {
    Vec3<double> v = vector(1);
    while (dot(v, v) < 0.2) v = vector(1);
    return (1 / std::sqrt(dot(v, v))) * v;
  };
  const auto rotation = [&] {
    const Vec3<double> ypr = vector(1);
    return rotation_rpy(ypr.z, ypr.y, ypr.x);
  };
  RandomLoop out = on_ground();
  Description& d = out.robot;
  Pose<double> tip;
  for (std::size_t k = 0; k < joints; ++k) {
    const std::string parent = d.links.back().name, name = cat("link", k);
    const double mass = 1 + 0.5 * uniform(engine);
    const Vec3<double> com = vector(0.2);
    d.links.push_back(
        body(name, mass, com,
             {0.1 + 0.02 * uniform(engine), 0.1 + 0.02 * uniform(engine), 0.1 + 0.02 * uniform(engine), 0.01 * uniform(engine), 0.01 * uniform(engine), 0.0}));
    const Pose<double> X{rotation(), vector(0.5)};
    d.joints.push_back(joint(cat("j", k), k == 2 ? JointType::prismatic : JointType::revolute, parent, name, direction()));
    Joint& last = d.joints.back().joint;
    last.X_PF = X;
    last.rotor = 0.01;
    last.friction.viscous = 0.3;
    tip = tip * X;
  }
  const Vec3<double> axis = direction();
  const Pose<double> end{rotation(), vector(0.3)};
  close(out, "loop", type, axis, tip * end, end, "ground", d.links.back().name);
  return out;
}

}  // namespace ulna::test
