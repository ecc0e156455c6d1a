// Inverse dynamics: the modified Newton-Euler recursion (Turney, Mudge & Lee 1980, sec. 5) with U = [alpha]x + [w]x[w]x, on lumped parameters.
// Gravity enters as an upward acceleration of the base. O(n).
#pragma once

#include <ulna/dynamics/effects.hpp>
#include <ulna/dynamics/joint-inl.hpp>

namespace ulna::kernel {

/// [alpha]x + [w]x[w]x. 6 mul, 9 add.
template <class T>
Mat3<T> acceleration_matrix(const Vec3<T>& w, const Vec3<T>& alpha) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {-(yy + zz), xy - alpha.z, xz + alpha.y, xy + alpha.z, -(xx + zz), yz - alpha.x, xz - alpha.y, yz + alpha.x, -(xx + yy)};
}

/// Moment of the inertia forces about the origin, less h x a: the antisymmetric part of U S.
template <class P, class T>
Vec3<T> inertia_moment(const Mat3<T>& U, const Sym3<P>& S) {
  return {U.zx * S.xy + U.zy * S.yy + U.zz * S.yz - (U.yx * S.xz + U.yy * S.yz + U.yz * S.zz),
          U.xx * S.xz + U.xy * S.yz + U.xz * S.zz - (U.zx * S.xx + U.zy * S.xy + U.zz * S.xz),
          U.yx * S.xx + U.yy * S.xy + U.yz * S.xz - (U.xx * S.xy + U.xy * S.yy + U.xz * S.yz)};
}

/// Takes the external wrenches off the bodies' f and n, which is what the joints need not supply.
template <class P, Scalar T>
void subtract_wrenches(const PlanOf<P>& plan, WorkspaceOf<T>& ws, std::span<const WrenchOf<T>> wrenches) {
  if (wrenches.empty()) return;
  bool world = false;
  for (const WrenchOf<T>& wrench : wrenches) world = world || wrench.axes == Axes::world;
  if (world) place_in_world(plan, ws);
  for (const WrenchOf<T>& wrench : wrenches) {
    const PlanLink<P>& link = plan.links[static_cast<std::size_t>(wrench.link)];
    if (link.body < 0) continue;  // the base takes it
    BodyState<T>& s = ws.bodies[static_cast<std::size_t>(link.body)];
    const bool turned = wrench.axes == Axes::world;
    const Vec3<T> f_B = turned ? tmul(s.X_WB.R, wrench.force) : link.X_BL.R * wrench.force;
    const Vec3<T> n_B = turned ? tmul(s.X_WB.R, wrench.moment) : link.X_BL.R * wrench.moment;
    s.f_B = s.f_B - f_B;
    s.n_B = s.n_B - (n_B + cross(link.X_BL.p, f_B));
  }
}

/// Joint-side friction of one joint.
template <class P, class T>
T friction(const PlanBody<P>& body, const T& v) {
  if constexpr (requires { sign(v); })
    return body.viscous * v + body.coulomb * sign(v);
  else
    return body.viscous * v;  // a scalar without order (an expression) has no sign: Coulomb friction is added outside
}

/// tau from q, v, a; null v or a is zero. Passing neither gives gravity, passing no a gives the bias.
template <class P, Scalar T>
void inverse_dynamics(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* tau, const EffectsOf<T>& effects) noexcept {
  place(plan, ws, q);
  const Vec3<T> base_a = effects.base.linear_acceleration - plan.gravity;
  const Mat3<T> base_U = acceleration_matrix(effects.base.angular_velocity, effects.base.angular_acceleration);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const bool rooted = body.parent < 0;
    const BodyState<T>* parent = rooted ? nullptr : &ws.bodies[static_cast<std::size_t>(body.parent)];
    s.v = joint_rate(plan, body, v);
    const T joint_a = joint_rate(plan, body, a);
    Vec3<T> w = to_child(body, s, rooted ? effects.base.angular_velocity : parent->w_WB_B);
    Vec3<T> alpha = to_child(body, s, rooted ? effects.base.angular_acceleration : parent->alpha_WB_B);
    const Vec3<T> a_P = rooted ? base_a + base_U * s.p_PB : parent->a_WBo_B + parent->U * s.p_PB;
    Vec3<T> acceleration = to_child(body, s, a_P);
    if (body.prismatic) {
      const T twice = s.v + s.v;  // Coriolis: 2 w x z v
      acceleration = {acceleration.x + w.y * twice, acceleration.y - w.x * twice, acceleration.z + joint_a};
    } else {
      alpha = {alpha.x + w.y * s.v, alpha.y - w.x * s.v, alpha.z + joint_a};
      w.z = w.z + s.v;
    }
    s.w_WB_B = w;
    s.alpha_WB_B = alpha;
    s.a_WBo_B = acceleration;
    s.U = acceleration_matrix(w, alpha);
    s.f_B = s.U * body.lumped.h + body.lumped.m * acceleration;
    s.n_B = inertia_moment(s.U, body.lumped.S) + cross(body.lumped.h, acceleration);
  }
  subtract_wrenches(plan, ws, effects.wrenches);

  for (int k = 0; k < plan.nv; ++k) tau[k] = T(0);
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    T joint = body.prismatic ? s.f_B.z : s.n_B.z;
    if (effects.rotor) joint = joint + body.rotor * joint_rate(plan, body, a);
    if (effects.friction) joint = joint + friction(body, s.v);
    tau[body.v] = plan.coupled ? tau[body.v] + body.multiplier * joint : joint;
    if (body.parent < 0) continue;
    BodyState<T>& parent = ws.bodies[static_cast<std::size_t>(body.parent)];
    const Vec3<T> f_P = to_parent(body, s, s.f_B);
    parent.f_B = parent.f_B + f_P;
    parent.n_B = parent.n_B + to_parent(body, s, s.n_B) + cross(s.p_PB, f_P);
  }
}

}  // namespace ulna::kernel
