// Two robots with one joint, whose motion has closed forms.
#pragma once

#include <numbers>
#include <string>

#include <ulna/sim/scenario.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal::sim {

inline constexpr double kPi = std::numbers::pi;

/// Slides along z, level: 2 kg. `more`: further keys of the joint, each with its comma before it.
inline Model slider(const std::string& more = "") {
  return parse(
      "robot: slider\nconvention: standard\ngravity: [0, -9.81, 0]\nlinks:\n"
      "  - {joint: prismatic, name: x, link: car, a: 0, alpha: 0, d: 0, theta: 0, mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]" +
          more + "}\n",
      "slider.yaml");
}

/// Swings in a vertical plane; hangs at q = -pi/2. 2 kg at 0.5 m from the axis, 0.6 kg m² about it, so that m g l = 9.81 N m.
inline constexpr double kPendulumInertia = 0.6, kPendulumWeight = 9.81;
inline Model pendulum(const std::string& more = "") {
  return parse(
      "robot: pendulum\nconvention: standard\ngravity: [0, -9.81, 0]\nlinks:\n"
      "  - {joint: revolute, name: hinge, link: bob, a: 1, alpha: 0, d: 0, theta: 0, mass: 2, com: [-0.5, 0, 0], inertia: [0.1, 0.1, 0.1]" +
          more + "}\n",
      "pendulum.yaml");
}

}  // namespace ulna::internal::sim
