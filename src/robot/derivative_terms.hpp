// Derivative's quantity on any scalar: changes by a payload or other masses, effects as constants, and the tangents of a free base.
#pragma once

#include <algorithm>
#include <vector>

#include "dynamics/base-inl.hpp"

#include "robot/dual_derivative.hpp"

namespace ulna::internal::robot {

/// Adds what `parameters`, masses of the bodies or a payload's mass and mass centre, stand for. Torques are linear in masses and moments, and lumped ones stay
/// so.
template <class T>
void add_parameters(const DerivativeTask& task, const PlanOf<T>& robot, const T* parameters, PlanOf<T>& to) {
  const auto add = [&](std::size_t k, const T& m, const Vec3<T>& c) {
    const PseudoInertia<T> more = moved_along(PseudoInertia<T>{m, {}, {}}, c);
    if (k == kNone) {
      to.base = robot.base + more, to.lumped_base = robot.lumped_base + more;
      return;
    }
    PlanBody<T>& body = to.bodies[k];
    body.inertia = robot.bodies[k].inertia + more, body.lumped = robot.bodies[k].lumped + more;
    body.flat = false;
  };
  if (task.by("payload")) {
    const PlanLink<double>& link = task.plan.links[task.options.link];
    add(link.body, parameters[0], link.X_BL.R.template cast<T>() * Vec3<T>{parameters[1], parameters[2], parameters[3]} + link.X_BL.p.template cast<T>());
  } else {
    for (std::size_t k = 0; k < task.parameters; ++k) {
      const PseudoInertia<double>& I = task.plan.bodies[task.bodies[k]].inertia;
      add(task.bodies[k], parameters[k], (I.m > 0 ? (1 / I.m) * I.h : Vec3<double>{}).template cast<T>());
    }
  }
}

/// Rotors, friction where `friction` says so, and the rest as constants; `wrenches` is their memory.
template <class T>
EffectsOf<T> constant_effects(const DerivativeTask& task, bool friction, std::vector<WrenchOf<T>>& wrenches) {
  for (const Wrench& w : task.wrenches) wrenches.push_back({w.link, w.axes, w.force.cast<T>(), w.moment.cast<T>()});
  const BaseMotion& b = task.options.effects.base;
  return {task.options.effects.rotor,
          friction,
          {b.angular_velocity.cast<T>(), b.linear_velocity.cast<T>(), b.angular_acceleration.cast<T>(), b.linear_acceleration.cast<T>()},
          wrenches};
}

}  // namespace ulna::internal::robot
