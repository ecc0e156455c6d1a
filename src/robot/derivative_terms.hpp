// Derivative's quantity on any scalar: what a payload or other masses change, effects as constants, and the tangents of a free base.
#pragma once

#include <algorithm>
#include <vector>

#include <ulna/dynamics/base-inl.hpp>

#include "robot/dual_derivative.hpp"

namespace ulna::internal::jit {

/// How the nq numbers of q move with coordinate k of a robot whose base is free: a rotation or a translation of the base in its own axes, or a joint.
template <class T>
void tangent(const T* q, std::size_t nq, std::size_t k, T* to) {
  std::fill_n(to, nq, T(0));
  if (k >= kernel::kFreeV) {
    to[k + 1] = T(1);
    return;
  }
  const Pose<T> X = kernel::base_pose(q);
  const T half(0.5), x = half * q[3], y = half * q[4], z = half * q[5], w = half * q[6];
  const T rotations[3][4] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
  const T axes[3][3] = {{X.R.xx, X.R.yx, X.R.zx}, {X.R.xy, X.R.yy, X.R.zy}, {X.R.xz, X.R.yz, X.R.zz}};
  if (k < 3)
    std::copy_n(rotations[k], 4, to + 3);
  else
    std::copy_n(axes[k - 3], 3, to);
}

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

}  // namespace ulna::internal::jit
