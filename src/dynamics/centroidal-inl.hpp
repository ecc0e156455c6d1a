// Momentum about the mass centre, in the world's axes: which only external forces change. With the model's own parameters. O(n).
//
// D. E. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35, 2013, doi:10.1007/s10514-013-9341-4: h = A v.
#pragma once

#include "dynamics/inverse-inl.hpp"
#include "dynamics/kinematics-inl.hpp"

namespace ulna::internal::kernel {

/// Composites of all bodies about their own origins, and of the whole robot about the root link's. Needs place().
template <class P, Scalar T>
void whole_composites(const PlanOf<P>& plan, WorkspaceOf<T>& ws) noexcept(kIsNumber<T>) {
  ws.base.composite = plan.base.template cast<T>();
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) ws.bodies[i].composite = plan.bodies[i].inertia.template cast<T>();
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    PseudoInertia<T>& parent = ws.parent(body.parent).composite;
    parent = parent + to_parent(body, ws.bodies[i], ws.bodies[i].composite);
  }
}

template <class P>
P total_mass(const PlanOf<P>& plan) {
  P mass = plan.base.m;
  for (const PlanBody<P>& body : plan.bodies) mass = mass + body.inertia.m;
  return mass;
}

/// Root link in the world: a fixed one is the world.
template <class P, Scalar T>
Pose<T> root_pose(const PlanOf<P>& plan, const WorkspaceOf<T>& ws) {
  return plan.free ? ws.base.X_WB : Pose<T>{Mat3<T>::identity(), {T(0), T(0), T(0)}};
}

/// The mass centre in the world. Needs whole_composites() and place_in_world().
template <class P, Scalar T>
Vec3<T> mass_centre(const PlanOf<P>& plan, const WorkspaceOf<T>& ws) {
  const Pose<T> X = root_pose(plan, ws);
  return X.p + (P(1) / total_mass(plan)) * (X.R * ws.base.composite.h);
}

/// Angular, then linear, about c, in the world's axes, of a wrench or momentum about Bo in B.
template <class T>
void about(const Vec3<T>& c, const Pose<T>& X_WB, const Vec3<T>& n, const Vec3<T>& f, T* out) {
  const Vec3<T> f_W = X_WB.R * f;
  write(X_WB.R * n + cross(X_WB.p - c, f_W), f_W, out);
}

/// A: 6 x nv, column by column. Angular momentum about the mass centre, then linear momentum, by velocities.
template <class P, Scalar T>
void centroidal_matrix(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* A, std::size_t stride) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  place_in_world(plan, ws, q);
  whole_composites(plan, ws);
  const Vec3<T> c = mass_centre(plan, ws);
  for (std::size_t column = 0; column < plan.nv; ++column)
    for (std::size_t row = 0; row < 6; ++row) A[column * stride + row] = T(0);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    const PseudoInertia<T>& own = ws.bodies[i].composite;
    // Momentum of the composite when the joint moves at unit rate, as in the inertia matrix.
    const Vec3<T> f = body.prismatic ? Vec3<T>{T(0), T(0), own.m} : Vec3<T>{-own.h.y, own.h.x, T(0)};
    const Vec3<T> n = body.prismatic ? Vec3<T>{own.h.y, -own.h.x, T(0)} : Vec3<T>{-own.S.xz, -own.S.yz, own.S.xx + own.S.yy};
    T column[6];
    about(c, ws.bodies[i].X_WB, n, f, column);
    for (std::size_t row = 0; row < 6; ++row) {
      T& entry = A[body.v * stride + row];
      entry = plan.coupled ? entry + body.multiplier * column[row] : column[row];
    }
  }
  if (!plan.free) return;
  const PseudoInertia<T>& whole = ws.base.composite;
  const Vec3<T> axes[] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  for (std::size_t k = 0; k < 3; ++k) {
    about(c, ws.base.X_WB, whole.J() * axes[k], cross(axes[k], whole.h), A + k * stride);
    about(c, ws.base.X_WB, cross(whole.h, axes[k]), whole.m * axes[k], A + (3 + k) * stride);
  }
}

/// Mass centre, its velocity, angular momentum about it, linear momentum, and Ȧ v, angular, then linear: 18 numbers. Ȧ v is the rate of the momentum when the
/// numbers of v stay what they are.
template <class P, Scalar T>
void centroidal(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, T* out) noexcept(kIsNumber<T>) {
  const BaseMotionOf<T> at_rest{};
  const MomentumOf<T> total = kernel::momentum(plan, ws, q, v, at_rest);  // about the world's origin
  whole_composites(plan, ws);
  const Vec3<T> c = mass_centre(plan, ws);
  const Vec3<T> velocity = (P(1) / total_mass(plan)) * total.linear;
  const Vec3<T> angular = total.angular - cross(c, total.linear);

  // Forces that this motion takes, body by body: the forward sweep of inverse dynamics without gravity. A free base whose linear velocity keeps its numbers in
  // axes that turn accelerates with w x v.
  const Vec3<T> none{T(0), T(0), T(0)};
  Vec3<T> n_W = none, f_W = none;
  const auto add = [&](const Pose<T>& X_WB, const BodyState<T>& s) {
    T six[6];
    about(c, X_WB, s.n_B, s.f_B, six);
    n_W = n_W + three(six, 0);
    f_W = f_W + three(six, 3);
  };
  ws.base.alpha_WB_B = none;
  ws.base.a_WBo_B = plan.free ? cross(ws.base.w_WB_B, ws.base.v_WBo_B) : none;
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, none);
  own_force(ws.base, turning(ws.base.w_WB_B, none, ws.base.U), plan.base, false);
  add(root_pose(plan, ws), ws.base);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    const T* steady = nullptr;
    const Turning<T> turning = turn(body, s, parent.w_WB_B, parent.alpha_WB_B, parent.U, joint_acceleration(plan, body, v, steady));
    s.a_WBo_B = to_child(body, s, parent.a_WBo_B + parent.U * s.p_PB);
    if (body.prismatic) {
      const T twice = s.v + s.v;
      s.a_WBo_B = {s.a_WBo_B.x + s.w_WB_B.y * twice, s.a_WBo_B.y - s.w_WB_B.x * twice, s.a_WBo_B.z};
    }
    own_force(s, turning, body.inertia, false);
    add(s.X_WB, s);
  }
  write(c, velocity, out);
  write(angular, total.linear, out + 6);
  write(n_W, f_W, out + 12);
}

}  // namespace ulna::internal::kernel
