// The Coriolis matrix of Christoffel symbols, by composite bodies. O(n d), d the depth.
//
// Let r_i be the velocity that the unit rate of joint i gives to a particle. Then M_ij = ∫ r_i · r_j dm, and since ∂r_j/∂q_k = ∂r_k/∂q_j, the Christoffel
// symbols ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) are ∫ r_i · ∂r_j/∂q_k dm. So C_ij = ∫ r_i · ṙ_j dm, over all that both joints move.
// C v = bias - gravity, and Ṁ - 2 C is skew-symmetric.
//
// This needs no coordinates, only fields r_j that are linear in the rates: of a free base, with e_k an axis of the root link, which rotates with it, and r
// from its origin, they are e_k x r and e_k. So Ṁ is the rate of M as it is given, in the root link's axes, and C v = bias - gravity with the accelerations
// that belong to these rates: the derivatives of their numbers. Of the base's linear velocity v that is the classical acceleration less w x v, so with
// classical ones C v = bias - gravity + M_linear (w x v), M_linear being columns 4 to 6 of M. After S. Echeandia & P. M. Wensing, Numerical methods to compute
// the Coriolis matrix and Christoffel symbols for rigid-body systems, J. Computational and Nonlinear Dynamics 16(9), 2021, whose 6 x 6 matrix B_C of a
// composite body is K and k here.
#pragma once

#include "dynamics/mass-inl.hpp"

namespace ulna::internal::kernel {

/// [w]x S. 18 mul, 9 add.
template <class P, class T>
Mat3<T> cross_columns(const Vec3<T>& w, const Sym3<P>& S) {
  return {w.y * S.xz - w.z * S.xy, w.y * S.yz - w.z * S.yy, w.y * S.zz - w.z * S.yz,  //
          w.z * S.xx - w.x * S.xz, w.z * S.xy - w.x * S.yz, w.z * S.xz - w.x * S.zz,  //
          w.x * S.xy - w.y * S.xx, w.x * S.yy - w.y * S.xy, w.x * S.yz - w.y * S.xz};
}

/// Rz K Rzᵀ. 12 mul, 13 add with sin² and sin·cos shared.
template <class T>
Mat3<T> rotated(const SinCos<T>& sc, const Mat3<T>& K) {
  const T ss = sc.sin * sc.sin;
  const T cs = sc.cos * sc.sin;
  const T difference = K.yy - K.xx;
  const T sum = K.xy + K.yx;
  const T change = ss * difference - cs * sum;
  const T across = cs * difference + ss * sum;
  return {K.xx + change,
          K.xy - across,
          sc.cos * K.xz - sc.sin * K.yz,  //
          K.yx - across,
          K.yy - change,
          sc.sin * K.xz + sc.cos * K.yz,  //
          sc.cos * K.zx - sc.sin * K.zy,
          sc.sin * K.zx + sc.cos * K.zy,
          K.zz};
}

/// a bᵀ
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

/// Angular velocities, and K and k of every body alone. Needs place().
template <class P, Scalar T>
void own_flow(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v) noexcept(kIsNumber<T>) {
  const Vec3<T> rest{T(0), T(0), T(0)};
  ws.base.w_WB_B = plan.free ? three(v, 0) : rest;
  if (plan.free) {
    ws.base.K = cross_columns(ws.base.w_WB_B, plan.lumped_base.S);
    ws.base.k = cross(ws.base.w_WB_B, plan.lumped_base.h);
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const Vec3<T>& w_P = ws.parent(body.parent).w_WB_B;
    s.v = joint_rate(plan, body, v);
    s.w_WB_B = to_child(body, s, w_P);
    s.u_PB = cross(w_P, s.p_PB);
    if (body.prismatic)
      s.u_PB = s.u_PB + s.v * body.R_PB.column_z();
    else
      s.w_WB_B.z = s.w_WB_B.z + s.v;
    if (body.ball == 3) {  // its axes rotate with the child, all three
      BodyState<T>& second = ws.bodies[i - 1];
      second.w_WB_B = body.R_PB * s.w_WB_B;
      ws.bodies[i - 2].w_WB_B = plan.bodies[i - 1].R_PB * second.w_WB_B;
    }
    with_own(body, s, [&](const auto& own) {
      s.K = cross_columns(s.w_WB_B, own.S);
      s.k = cross(s.w_WB_B, own.h);
    });
  }
}

/// The free base's own block, from K, k and the composite of the whole robot:
///   J [w]x + tr(K) E - K     [h]x [w]x
///   -[h]x [w]x - [k]x        m [w]x
template <Scalar T, class Entry>
void base_coriolis(const BodyState<T>& s, Entry entry) {
  const Vec3<T>& w = s.w_WB_B;
  const PseudoInertia<T>& c = s.composite;
  const Vec3<T> e[] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  const T trace = s.K.xx + s.K.yy + s.K.zz;
  const Sym3<T> J = c.J();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<T> de = cross(w, e[k]);
    const Vec3<T> hde = cross(c.h, de);
    T column[kFreeV];
    const Vec3<T> Ke = s.K * e[k];
    write(J * de + trace * e[k] - Ke, -(hde + cross(s.k, e[k])), column);
    for (std::size_t i = 0; i < kFreeV; ++i) entry(i, k) = column[i];
    write(hde, c.m * de, column);
    for (std::size_t i = 0; i < kFreeV; ++i) entry(i, 3 + k) = column[i];
  }
}

/// C(i, j) at C[i + j * stride]; a null v is zero.
template <class P, Scalar T>
void coriolis_matrix(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, T* C, std::size_t stride) noexcept(kIsNumber<T>) {
  const auto entry = [C, stride](std::size_t row, std::size_t column) -> T& { return C[row + column * stride]; };
  for (std::size_t row = 0; row < plan.nv; ++row)
    for (std::size_t column = 0; column < plan.nv; ++column) entry(row, column) = T(0);
  place(plan, ws, q);
  own_composites(plan, ws);
  own_flow(plan, ws, v);
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    const PseudoInertia<T>& c = s.composite;
    const Vec3<T>& w = s.w_WB_B;
    // With z the joint's axis, dz = w x z its rate, and r from Bo: r_i = z x r, ṙ_i = dz x r + z x u of a revolute joint; r_i = z, ṙ_i = dz of a
    // prismatic one.
    Vec3<T> f, n;  // ∫ ṙ_i dm, ∫ r x ṙ_i dm: the force and moment of column i
    Vec3<T> g, l;  // ∫ r_i dm, ∫ r x r_i dm: as in the inertia matrix
    Vec3<T> e;     // ∫ u x r_i dm
    if (body.prismatic) {
      f = {c.m * w.y, -(c.m * w.x), T(0)};
      n = {c.h.z * w.x, c.h.z * w.y, -(c.h.x * w.x + c.h.y * w.y)};
      g = {T(0), T(0), c.m};
      l = {c.h.y, -c.h.x, T(0)};
      e = {s.k.y, -s.k.x, T(0)};
    } else {
      const T trace = s.K.xx + s.K.yy;
      f = {-(c.h.z * w.x) - s.k.y, s.k.x - c.h.z * w.y, c.h.x * w.x + c.h.y * w.y};
      n = {(c.S.yy + c.S.zz) * w.y + c.S.xy * w.x - s.K.xz, -(c.S.xy * w.y + (c.S.xx + c.S.zz) * w.x) - s.K.yz, c.S.yz * w.x - c.S.xz * w.y + trace};
      g = {-c.h.y, c.h.x, T(0)};
      l = {-c.S.xz, -c.S.yz, c.S.xx + c.S.yy};
      e = {-s.K.zx, -s.K.zy, trace};
    }
    for (std::size_t j = i;;) {
      const PlanBody<P>& at = plan.bodies[j];
      const BodyState<T>& t = ws.bodies[j];
      const auto by_rate = [&t](const Vec3<T>& a) { return a.x * t.w_WB_B.y - a.y * t.w_WB_B.x; };  // a · (w x z)
      T down = at.prismatic ? f.z : n.z;                                                            // ∫ r_j · ṙ_i dm
      T across = at.prismatic ? by_rate(g) : by_rate(l) + e.z;                                      // ∫ r_i · ṙ_j dm
      if (plan.coupled) {
        const auto scale = body.multiplier * at.multiplier;
        entry(at.v, body.v) = entry(at.v, body.v) + scale * down;
        if (i != j) entry(body.v, at.v) = entry(body.v, at.v) + scale * across;
      } else {
        entry(at.v, body.v) = down;
        if (i != j) entry(body.v, at.v) = across;
      }
      if (bolted(plan, at)) break;
      const Vec3<T> f_P = to_parent(at, t, f), g_P = to_parent(at, t, g);
      n = to_parent(at, t, n) + cross(t.p_PB, f_P);
      l = to_parent(at, t, l) + cross(t.p_PB, g_P);
      e = to_parent(at, t, e) + cross(t.u_PB, g_P);
      f = f_P, g = g_P;
      j = at.parent;
      if (j != kNone) continue;
      const Vec3<T>& w_0 = ws.base.w_WB_B;
      T column[kFreeV], line[kFreeV];  // C(base, i) and C(i, base)
      write(n, f, column);
      write(cross(l, w_0) + e, cross(g, w_0), line);
      for (std::size_t k = 0; k < kFreeV; ++k) {
        entry(k, body.v) = plan.coupled ? entry(k, body.v) + body.multiplier * column[k] : column[k];
        entry(body.v, k) = plan.coupled ? entry(body.v, k) + body.multiplier * line[k] : line[k];
      }
      break;
    }
    if (bolted(plan, body)) continue;
    BodyState<T>& parent = ws.parent(body.parent);
    const PseudoInertia<T> c_P = to_parent(body, s, c);
    const Vec3<T> k_P = to_parent(body, s, s.k);
    const Mat3<T> K_P = in_parent(body, body.ball == 1 ? Mat3<T>(s.ball * s.K * s.ball.transposed()) : body.rotates() ? rotated(s.sincos, s.K) : s.K);
    parent.composite = parent.composite + c_P;
    parent.K = parent.K + K_P + outer(k_P, s.p_PB) + outer(s.u_PB, c_P.h);
    parent.k = parent.k + k_P + c.m * s.u_PB;
  }
  if (plan.free) base_coriolis(ws.base, entry);
}

}  // namespace ulna::internal::kernel
