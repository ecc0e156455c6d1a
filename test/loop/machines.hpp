// Mechanisms whose motion has a closed form, and spatial ones that are closed by construction.
#pragma once

#include <random>
#include <string>

#include "loop/loop_robot.hpp"

namespace ulna::test {

/// Crank of radius r about z at the origin, rod of length l, a slider along x: x = r cos q + sqrt(l² - r² sin² q). All mass is the slider's.
inline LoopRobot slider_crank(double r, double l, double mass) {
  Description d;
  d.name = "slider-crank";
  const auto link = [&](const char* name, double m) {
    Link made;
    made.name = name;
    made.mass = m;
    d.links.push_back(made);
  };
  const auto joint = [&](const char* name, JointType type, const char* parent, const char* child, Vec3<double> p, Vec3<double> axis) {
    Description::JointEntry entry;
    entry.joint.name = name;
    entry.joint.type = type;
    entry.joint.X_PF.p = p;
    entry.joint.axis = axis;
    entry.parent = parent;
    entry.child = child;
    d.joints.push_back(entry);
  };
  link("base", 0), link("crank", 0), link("rod", 0), link("slider", mass);
  joint("turn", JointType::revolute, "base", "crank", {}, {0, 0, 1});
  joint("elbow", JointType::revolute, "crank", "rod", {r, 0, 0}, {0, 0, 1});
  joint("slide", JointType::prismatic, "base", "slider", {}, {1, 0, 0});
  Diagnostics diagnostics;
  LoopDescription loops;
  Loop pin;
  pin.name = "pin";
  pin.type = LoopType::revolute;
  pin.X_PA.p = {l, 0, 0};
  loops.loops.push_back({pin, "rod", "slider"});
  loops.motors = {"turn"};
  return LoopRobot(build(d, diagnostics).value(), loops);
}

/// A chain of joints in general position whose last link is held to the base by a joint of the given type, closed at q.
struct RandomLoop {
  Description robot;
  LoopDescription loops;
};

RandomLoop random_loop(LoopType type, std::size_t joints, unsigned seed);

}  // namespace ulna::test
