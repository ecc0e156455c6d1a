// Inverse dynamics: the modified Newton-Euler recursion (Turney, Mudge & Lee 1980, sec. 5) with U = [alpha]x + [w]x[w]x, on lumped parameters.
// Gravity enters as an upward acceleration of the base. A free base is one body more, with given motion and unknown wrench. O(n).
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/joint-inl.hpp"

namespace ulna::internal::kernel {

/// [alpha]x + [w]x[w]x. 6 mul, 9 add.
template <class T>
Mat3<T> acceleration_matrix(const Vec3<T>& w, const Vec3<T>& alpha) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {-(yy + zz), xy - alpha.z, xz + alpha.y, xy + alpha.z, -(xx + zz), yz - alpha.x, xz - alpha.y, yz + alpha.x, -(xx + yy)};
}

/// U_zz - U_yy, U_xx - U_zz, U_yy - U_xx: what the products of inertia are multiplied with.
template <class T>
Vec3<T> differences(const Mat3<T>& U) {
  return {U.zz - U.yy, U.xx - U.zz, U.yy - U.xx};
}

/// Angular motion of a body, in the forms that its torque is written in.
template <class T>
struct Turning {
  Vec3<T> alpha;
  T xy, xz, yz;  // products of the angular velocity's entries
  Vec3<T> D;     // differences() of U
};

/// Moment of the inertia forces about the origin, less h x a: the antisymmetric part of U S.
/// Row z is written with alpha_z, w_x w_y and constants S_xx ± S_yy: as many products as U_yx S_xx - U_xy S_yy, but fewer for a body of revolution, and
/// U_xy, U_yx are not needed. Rows x and y likewise where S_zz stays, while with S_zz = 0 one product of U is left. 13 mul, 10 add with S_zz = 0.
template <class P, class T>
Vec3<T> inertia_moment(const Mat3<T>& U, const Turning<T>& t, const Sym3<P>& S, bool flat) {
  Vec3<T> n{U.zy * S.yy, -(U.zx * S.xx), (S.xx + S.yy) * t.alpha.z + (S.xx - S.yy) * t.xy};
  if (!flat) {
    n.x = (S.yy + S.zz) * t.alpha.x + (S.yy - S.zz) * t.yz;
    n.y = (S.xx + S.zz) * t.alpha.y + (S.zz - S.xx) * t.xz;
  }
  return {n.x + U.zx * S.xy - U.yx * S.xz + t.D.x * S.yz,  //
          n.y + U.xy * S.yz - U.zy * S.xy + t.D.y * S.xz,  //
          n.z + U.yz * S.xz - U.xz * S.yz + t.D.z * S.xy};
}

/// The Turning of a body whose U was made from w and alpha.
template <class T>
Turning<T> turning(const Vec3<T>& w, const Vec3<T>& alpha, const Mat3<T>& U) {
  return {alpha, w.x * w.y, w.x * w.z, w.y * w.z, differences(U)};
}

/// Angular motion of B and its U from those of P.
///
/// A point on the axis does not move with the joint: U z is the same for B and P. Where z lies along an axis of P, U z is a column of P's U, and only
/// has to be rotated. It then yields alpha_x and alpha_y, of which each would cost a product more, and the sum of squares in U_zz for nothing:
/// 13 mul, 14 add against 16 mul, 18 add with the rotation of alpha.
template <class P, class T>
Turning<T> turn(const PlanBody<P>& body, BodyState<T>& s, const Vec3<T>& w_P, const Vec3<T>& alpha_P, const Mat3<T>& U_P, const T& joint_a) {
  Vec3<T> w = to_child(body, s, w_P);
  if (body.prismatic || !body.aligned) {
    Vec3<T> alpha = to_child(body, s, alpha_P);
    if (!body.prismatic) {
      alpha = {alpha.x + w.y * s.v, alpha.y - w.x * s.v, alpha.z + joint_a};
      w.z = w.z + s.v;
    }
    s.w_WB_B = w;
    s.alpha_WB_B = alpha;
    s.U = body.aligned ? body.R_PB.transposed() * U_P * body.R_PB : acceleration_matrix(w, alpha);
    return turning(w, alpha, s.U);
  }
  const Vec3<P> z_P = body.R_PB.column_z();
  const Vec3<T> Uz = to_child(body, s, U_P * z_P);
  w.z = w.z + s.v;
  const T xz = w.x * w.z, yz = w.y * w.z, xy = w.x * w.y, xx = w.x * w.x, zz = w.z * w.z;
  const Vec3<T> alpha{yz - Uz.y, Uz.x - xz, dot(z_P, alpha_P) + joint_a};
  const T difference = xx - zz;  // U_xx - U_zz
  s.w_WB_B = w;
  s.alpha_WB_B = alpha;
  s.U = {Uz.z + difference, xy - alpha.z, Uz.x, xy + alpha.z, -(xx + zz), Uz.y, xz - alpha.y, yz + alpha.x, Uz.z};
  return {alpha, xy, xz, yz, {s.U.zz - s.U.yy, difference, s.U.yy - s.U.xx}};
}

/// Subtracts the external wrenches from the bodies' f and n: the joints need not supply them. Needs place().
template <class P, Scalar T>
void subtract_wrenches(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, std::span<const WrenchOf<T>> wrenches) {
  if (wrenches.empty()) return;
  bool world = false;
  for (const WrenchOf<T>& wrench : wrenches) world = world || wrench.axes == Axes::world;
  if (world) place_in_world(plan, ws, q);
  for (const WrenchOf<T>& wrench : wrenches) {
    const PlanLink<P>& link = plan.links[wrench.link];
    if (link.body == kNone && !plan.free) continue;  // the ground takes it
    BodyState<T>& s = ws.parent(link.body);
    const bool rotated = wrench.axes == Axes::world;
    const Vec3<T> f_B = rotated ? tmul(s.X_WB.R, wrench.force) : link.X_BL.R * wrench.force;
    const Vec3<T> n_B = rotated ? tmul(s.X_WB.R, wrench.moment) : link.X_BL.R * wrench.moment;
    s.f_B = s.f_B - f_B;
    s.n_B = s.n_B - (n_B + cross(link.X_BL.p, f_B));
  }
}

/// The inertia force of a body, and its moment about Bo.
template <class P, class T>
void own_force(BodyState<T>& s, const Turning<T>& turning, const PseudoInertia<P>& own, bool flat) {
  s.f_B = s.U * own.h + own.m * s.a_WBo_B;
  s.n_B = inertia_moment(s.U, turning, own.S, flat) + cross(own.h, s.a_WBo_B);
}

/// tau from q, v, a; null v or a is zero. Passing neither gives gravity, passing no a gives the bias.
template <class P, Scalar T>
void inverse_dynamics(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* tau,
                      const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  move_base(plan, ws, v, effects.base);
  accelerate_base(plan, ws, q, a, effects.base);
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, ws.base.alpha_WB_B);
  if (plan.free) own_force(ws.base, turning(ws.base.w_WB_B, ws.base.alpha_WB_B, ws.base.U), plan.lumped_base, false);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    s.v = joint_rate(plan, body, v);
    const T joint_a = joint_acceleration(plan, body, v, a);
    const Turning<T> turning = turn(body, s, parent.w_WB_B, parent.alpha_WB_B, parent.U, joint_a);
    s.a_WBo_B = to_child(body, s, parent.a_WBo_B + parent.U * s.p_PB);
    if (body.prismatic) {
      const T twice = s.v + s.v;  // Coriolis: 2 w x z v
      s.a_WBo_B = {s.a_WBo_B.x + s.w_WB_B.y * twice, s.a_WBo_B.y - s.w_WB_B.x * twice, s.a_WBo_B.z + joint_a};
    }
    with_own(body, s, [&](const auto& own) { own_force(s, turning, own, body.flat); });
  }
  subtract_wrenches(plan, ws, q, effects.wrenches);

  for (std::size_t k = 0; k < plan.nv; ++k) tau[k] = T(0);
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    T joint = body.prismatic ? s.f_B.z : s.n_B.z;
    if (effects.rotor) joint = joint + body.rotor * joint_rate(plan, body, a);
    if (effects.friction) joint = joint + friction(body, s.v);
    tau[body.v] = plan.coupled ? tau[body.v] + body.multiplier * joint : joint;
    if (bolted(plan, body)) continue;
    BodyState<T>& parent = ws.parent(body.parent);
    const Vec3<T> f_P = to_parent(body, s, s.f_B);
    parent.f_B = parent.f_B + f_P;
    parent.n_B = parent.n_B + to_parent(body, s, s.n_B) + cross(s.p_PB, f_P);
  }
  if (plan.free) write(ws.base.n_B, ws.base.f_B, tau);
}

}  // namespace ulna::internal::kernel
