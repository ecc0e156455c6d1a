// Poses, Jacobians, energy and momentum: with the model's own parameters, because lumping keeps joint torques only.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/joint-inl.hpp"

namespace ulna::internal::kernel {

template <class P, Scalar T>
Pose<T> link_pose(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, std::size_t link) noexcept(kIsNumber<T>) {
  const PlanLink<P>& l = plan.links[link];
  const Pose<T> X_BL = l.X_BL.template cast<T>();
  return l.body == kNone && !plan.free ? X_BL : ws.parent(l.body).X_WB * X_BL;
}

/// 6 x nv, column by column: angular velocity, then velocity of the link's origin, in the world's axes. Needs place_in_world().
template <class P, Scalar T>
void jacobian(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, std::size_t link, T* J, std::size_t stride) noexcept(kIsNumber<T>) {
  for (std::size_t column = 0; column < plan.nv; ++column)
    for (std::size_t row = 0; row < 6; ++row) J[column * stride + row] = T(0);
  const Vec3<T> p_WL = link_pose(plan, ws, link).p;
  for (std::size_t i = plan.links[link].body; i != kNone; i = plan.bodies[i].parent) {
    const PlanBody<P>& body = plan.bodies[i];
    const Pose<T>& X_WB = ws.bodies[i].X_WB;
    const Vec3<T> z = body.multiplier * X_WB.R.column_z();
    const Vec3<T> angular = body.prismatic ? Vec3<T>{T(0), T(0), T(0)} : z;
    const Vec3<T> linear = body.prismatic ? z : cross(z, p_WL - X_WB.p);
    T* column = J + body.v * stride;
    column[0] = column[0] + angular.x;
    column[1] = column[1] + angular.y;
    column[2] = column[2] + angular.z;
    column[3] = column[3] + linear.x;
    column[4] = column[4] + linear.y;
    column[5] = column[5] + linear.z;
  }
  if (!plan.free) return;
  const Pose<T>& X_WB = ws.base.X_WB;
  const Vec3<T> p = p_WL - X_WB.p;
  const Vec3<T> none{T(0), T(0), T(0)};
  const Vec3<T> axes[] = {{X_WB.R.xx, X_WB.R.yx, X_WB.R.zx}, {X_WB.R.xy, X_WB.R.yy, X_WB.R.zy}, X_WB.R.column_z()};
  for (std::size_t k = 0; k < 3; ++k) {
    write(axes[k], cross(axes[k], p), J + k * stride);
    write(none, axes[k], J + (3 + k) * stride);
  }
}

/// Angular and linear velocity of every body, in B. Needs place().
template <class P, Scalar T>
void velocities(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v, const BaseMotionOf<T>& base) noexcept(kIsNumber<T>) {
  move_base(plan, ws, v, base);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const Vec3<T>& w_P = ws.parent(body.parent).w_WB_B;
    const Vec3<T>& v_P = ws.parent(body.parent).v_WBo_B;
    s.v = joint_rate(plan, body, v);
    s.w_WB_B = to_child(body, s, w_P);
    s.v_WBo_B = to_child(body, s, v_P + cross(w_P, s.p_PB));
    T& along = body.prismatic ? s.v_WBo_B.z : s.w_WB_B.z;
    along = along + s.v;
  }
}

template <class P, class T>
MomentumOf<T> own_momentum(const PseudoInertia<P>& body, const Vec3<T>& w, const Vec3<T>& v) {
  return {body.J() * w + cross(body.h, v), body.m * v + cross(w, body.h)};
}

/// About the world's origin, in its axes.
template <class T>
MomentumOf<T> in_world(const Pose<T>& X_WB, const MomentumOf<T>& own) {
  const Vec3<T> linear = X_WB.R * own.linear;
  return {X_WB.R * own.angular + cross(X_WB.p, linear), linear};
}

template <class P, Scalar T>
EnergyOf<T> energy(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  place_in_world(plan, ws, q);
  velocities(plan, ws, v, effects.base);
  const auto twice_kinetic = [](const PseudoInertia<P>& body, const Vec3<T>& w, const Vec3<T>& velocity) {
    const MomentumOf<T> own = own_momentum(body, w, velocity);
    return dot(w, own.angular) + dot(velocity, own.linear);
  };
  T twice = twice_kinetic(plan.base, ws.base.w_WB_B, ws.base.v_WBo_B);
  Vec3<T> moment = plan.base.h.template cast<T>();  // ∫ r dm over the robot, from the world's origin
  if (plan.free) moment = plan.base.m * ws.base.X_WB.p + ws.base.X_WB.R * moment;
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    twice = twice + twice_kinetic(body.inertia, s.w_WB_B, s.v_WBo_B);
    if (effects.rotor) twice = twice + body.rotor * (s.v * s.v);
    moment = moment + body.inertia.m * s.X_WB.p + s.X_WB.R * body.inertia.h;
  }
  return {T(0.5) * twice, -dot(plan.gravity, moment)};
}

template <class P, Scalar T>
MomentumOf<T> momentum(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const BaseMotionOf<T>& base) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  place_in_world(plan, ws, q);
  velocities(plan, ws, v, base);
  MomentumOf<T> total = own_momentum(plan.base, ws.base.w_WB_B, ws.base.v_WBo_B);
  if (plan.free) total = in_world(ws.base.X_WB, total);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const BodyState<T>& s = ws.bodies[i];
    const MomentumOf<T> own = own_momentum(plan.bodies[i].inertia, s.w_WB_B, s.v_WBo_B);
    const MomentumOf<T> moved = in_world(s.X_WB, own);
    total.linear = total.linear + moved.linear;
    total.angular = total.angular + moved.angular;
  }
  return total;
}

}  // namespace ulna::internal::kernel
