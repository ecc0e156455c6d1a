// The regressor of the rigid bodies: tau = Y(q, v, a) pi, where pi has ten parameters of each moving body, m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz,
// J_yz: mass [kg], first moments [kg m] and inertia tensor [kg m²] in the frame of the link behind its joint, about that link's origin. Links that are fixed to
// this one count to it. O(n d), d the depth.
//
// A body's parameters act by the wrenches that their units need in the body's motion: a of m; the columns of U, and e_k x a, of h; alpha and products of
// angular velocities of J. A joint's share of a wrench is its power in the twist of the joint's unit rate. So one twist is carried from each joint to
// the bodies beyond it, where ten wrenches would be carried from each body to the joints before it (Atkeson, An & Hollerbach 1986, Int. J. Robotics Research
// 5(3), carry wrenches).
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/inverse-inl.hpp"

namespace ulna::internal::kernel {

/// The frame of the link behind a body's joint, in the body's. The first two bodies of a planar base have no link: their own.
template <class P>
Pose<P> link_frame(const PlanOf<P>& plan, const PlanBody<P>& body) {
  return body.link == kNone ? Pose<P>{} : plan.links[body.link].X_BL;
}

/// pi of a body: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz. A free base is body 0, and its link the root.
template <class P>
void parameters(const PlanOf<P>& plan, std::size_t body, P* out) {
  PseudoInertia<P> own = plan.base;
  if (!plan.free || body > 0) {
    const PlanBody<P>& moving = plan.bodies[plan.free ? body - 1 : body];
    const Pose<P> X_LB = link_frame(plan, moving).inverse();
    own = moved(moving.inertia, X_LB.R, X_LB.p);
  }
  const Sym3<P> J = own.J();
  for (const P& number : {own.m, own.h.x, own.h.y, own.h.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}) *out++ = number;
}

/// Y(joint, parameters of the link): `entries` are `stride` apart. z, s: the joint's unit rate as a twist of the link's frame, in its axes. `scale` is the
/// joint's multiplier where coordinates are coupled, else null. 33 mul, 30 add.
template <class P, class T>
void project(const BodyState<T>& link, const Vec3<T>& z, const Vec3<T>& s, const P* scale, T* entries, std::size_t stride) {
  const Vec3<T>&a = link.a_L, &al = link.alpha_L;
  const Sym3<T>& ww = link.ww_L;
  const Vec3<T> rotated = cross(a, z);  // z · (e_k x a), k by k
  // s · U e_k, with the columns of U = [alpha]x + [w]x[w]x
  const Vec3<T> s_U{(ww.xy + al.z) * s.y + (ww.xz - al.y) * s.z - (ww.yy + ww.zz) * s.x,  //
                    (ww.xy - al.z) * s.x + (ww.yz + al.x) * s.z - (ww.xx + ww.zz) * s.y,  //
                    (ww.xz + al.y) * s.x + (ww.yz - al.x) * s.y - (ww.xx + ww.yy) * s.z};
  const T numbers[kBodyParameters] = {dot(s, a),
                                      rotated.x + s_U.x,
                                      rotated.y + s_U.y,
                                      rotated.z + s_U.z,
                                      al.x * z.x + ww.xz * z.y - ww.xy * z.z,
                                      al.y * z.y + ww.xy * z.z - ww.yz * z.x,
                                      al.z * z.z + ww.yz * z.x - ww.xz * z.y,
                                      (al.y - ww.xz) * z.x + (al.x + ww.yz) * z.y + (ww.xx - ww.yy) * z.z,
                                      (al.z + ww.xy) * z.x + (ww.zz - ww.xx) * z.y + (al.x - ww.yz) * z.z,
                                      (ww.yy - ww.zz) * z.x + (al.z - ww.xy) * z.y + (al.y + ww.xz) * z.z};
  for (std::size_t k = 0; k < kBodyParameters; ++k) {
    T& entry = entries[k * stride];
    entry = scale != nullptr ? entry + *scale * numbers[k] : numbers[k];
  }
}

/// How the frame of a link moves that is fixed to a body.
template <class P, class T>
void move_link(const Pose<P>& X_BL, BodyState<T>& s) {
  const Vec3<T> w = tmul(X_BL.R, s.w_WB_B);
  s.ww_L = {w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z};
  s.alpha_L = tmul(X_BL.R, s.alpha_WB_B);
  s.a_L = tmul(X_BL.R, s.a_WBo_B + s.U * X_BL.p);
}

/// How each body and the link behind its joint move. Needs place().
template <class P, Scalar T>
void move_links(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, const BaseMotionOf<T>& base) noexcept(kIsNumber<T>) {
  move_base(plan, ws, v, base);
  accelerate_base(plan, ws, q, a, base);
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, ws.base.alpha_WB_B);
  if (plan.free) move_link(Pose<P>{}, ws.base);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    s.v = joint_rate(plan, body, v);
    const T joint_a = joint_acceleration(plan, body, v, a);
    turn(body, s, parent.w_WB_B, parent.alpha_WB_B, parent.U, joint_a);
    s.a_WBo_B = to_child(body, s, parent.a_WBo_B + parent.U * s.p_PB);
    if (body.prismatic) {
      const T twice = s.v + s.v;  // Coriolis: 2 w x z v
      s.a_WBo_B = {s.a_WBo_B.x + s.w_WB_B.y * twice, s.a_WBo_B.y - s.w_WB_B.x * twice, s.a_WBo_B.z + joint_a};
    }
    move_link(link_frame(plan, body), s);
  }
}

/// Y(i, 10 body + k) at Y[i + (10 body + k) * stride], a free base being body 0; null v or a is zero. Masses are not used.
template <class P, Scalar T>
void regressor(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* Y, std::size_t stride,
               const BaseMotionOf<T>& base) noexcept(kIsNumber<T>) {
  const Vec3<T> none{T(0), T(0), T(0)}, unit{T(0), T(0), T(1)};
  const std::size_t before = plan.free ? 1 : 0, bodies = before + plan.bodies.size();
  for (std::size_t column = 0; column < kBodyParameters * bodies; ++column)
    for (std::size_t row = 0; row < plan.nv; ++row) Y[row + column * stride] = T(0);
  place(plan, ws, q);
  move_links(plan, ws, q, v, a, base);
  // The twist that is at hand, at a body and then at its link.
  const auto carry = [&](const PlanBody<P>& body, BodyState<T>& s) {
    const BodyState<T>& parent = ws.parent(body.parent);
    s.z_j = to_child(body, s, parent.z_j);
    s.s_j = to_child(body, s, parent.s_j + cross(parent.z_j, s.p_PB));
  };
  const auto transmit = [&](std::size_t row, const P* scale, const Pose<P>& X_BL, const BodyState<T>& s, std::size_t body) {
    if (body >= before && plan.bodies[body - before].ball % 3 > 0) return;  // no link, no columns
    project(s, tmul(X_BL.R, s.z_j), tmul(X_BL.R, s.s_j + cross(s.z_j, X_BL.p)), scale, Y + row + kBodyParameters * body * stride, stride);
  };
  const P* const alone = nullptr;
  for (std::size_t row = 0; plan.free && row < 6; ++row) {  // the wrench on the base: moment, force, in its axes
    const Vec3<T> axis{T(row % 3 == 0 ? 1 : 0), T(row % 3 == 1 ? 1 : 0), T(row % 3 == 2 ? 1 : 0)};
    ws.base.z_j = row < 3 ? axis : none;
    ws.base.s_j = row < 3 ? none : axis;
    transmit(row, alone, Pose<P>{}, ws.base, 0);
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      carry(plan.bodies[i], ws.bodies[i]);
      transmit(row, alone, link_frame(plan, plan.bodies[i]), ws.bodies[i], before + i);
    }
  }
  for (std::size_t j = 0; j < plan.bodies.size(); ++j) {
    const PlanBody<P>& joint = plan.bodies[j];
    // Bodies are numbered depth first: those beyond j follow it, up to the first whose parent comes before j.
    for (std::size_t i = j; i < plan.bodies.size(); ++i) {
      const PlanBody<P>& body = plan.bodies[i];
      BodyState<T>& s = ws.bodies[i];
      if (i == j) {
        s.z_j = joint.prismatic ? none : unit;
        s.s_j = joint.prismatic ? unit : none;
      } else {
        if (body.parent == kNone || body.parent < j) break;
        carry(body, s);
      }
      transmit(joint.v, plan.coupled ? &joint.multiplier : nullptr, link_frame(plan, body), s, before + i);
    }
  }
}

}  // namespace ulna::internal::kernel
