// Mechanisms whose motion has a closed form, and spatial ones that are closed by construction (support/random_loop.hpp).
#pragma once

#include <string>

#include "loop/loop_robot.hpp"
#include "support/arm.hpp"
#include "support/random_loop.hpp"

namespace ulna::test {

/// Crank of radius r about z at the origin, rod of length l, a slider along x: x = r cos q + sqrt(l² - r² sin² q). All mass is the slider's.
inline LoopRobot slider_crank(double r, double l, double mass) {
  Description d;
  d.name = "slider-crank";
  for (const char* name : {"base", "crank", "rod"}) d.links.push_back(frame(name));
  d.links.push_back(body("slider", mass));
  d.joints.push_back(joint("turn", JointType::revolute, "base", "crank"));
  d.joints.push_back(joint("elbow", JointType::revolute, "crank", "rod", {0, 0, 1}, {r, 0, 0}));
  d.joints.push_back(joint("slide", JointType::prismatic, "base", "slider", {1, 0, 0}));
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

}  // namespace ulna::test
