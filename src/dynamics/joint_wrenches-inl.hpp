// Parts of the derivatives of inverse dynamics: the motion of every body, integrals over the subtree of a joint, and the wrenches that its motion
// needs. The equations stand at the head of derivatives-inl.hpp.
#pragma once

#include "dynamics/coriolis-inl.hpp"
#include "dynamics/inverse-inl.hpp"

namespace ulna::internal::kernel {

/// z × u.
template <class T>
Vec3<T> across_z(const Vec3<T>& u) {
  return {-u.y, u.x, T(0)};
}
/// s (z × u).
template <class T>
Vec3<T> across_z(const T& s, const Vec3<T>& u) {
  return {-(s * u.y), s * u.x, T(0)};
}

/// differences() of Rᵀ U R from those of U, R a signed permutation: they change places, and all of them sign when the permutation is odd.
template <class P, class T>
Vec3<T> permuted_differences(const Mat3<P>& R, const Vec3<T>& D) {
  const Mat3<P> places{R.xx * R.xx, R.xy * R.xy, R.xz * R.xz, R.yx * R.yx, R.yy * R.yy, R.yz * R.yz, R.zx * R.zx, R.zy * R.zy, R.zz * R.zz};
  const Mat3<P>& p = places;
  const P even = p.xx * (p.yy * p.zz - p.yz * p.zy) - p.xy * (p.yx * p.zz - p.yz * p.zx) + p.xz * (p.yx * p.zy - p.yy * p.zx);
  return even * Vec3<T>(tmul(places, D));
}

/// The motion of every body in the form for the wrenches: in J that of the parent (w_J, U_J, and a_J of the parent's point at Bo), in B the body's own.
template <class P, Scalar T>
void motion(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, const BaseMotionOf<T>& base) noexcept(kIsNumber<T>) {
  move_base(plan, ws, v, base);
  accelerate_base(plan, ws, q, a, base);
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, ws.base.alpha_WB_B);
  ws.base.D = differences(ws.base.U);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    s.v = joint_rate(plan, body, v);
    s.a = joint_rate(plan, body, a);
    const Vec3<T> alpha_J = tmul(body.R_PB, parent.alpha_WB_B);
    s.w_J = tmul(body.R_PB, parent.w_WB_B);
    s.U_J = body.square ? body.R_PB.transposed() * parent.U * body.R_PB : acceleration_matrix(s.w_J, alpha_J);
    s.D_J = body.square ? permuted_differences(body.R_PB, parent.D) : differences(s.U_J);
    s.a_J = tmul(body.R_PB, parent.a_WBo_B + parent.U * s.p_PB);
    if (body.prismatic) {
      const T twice = s.v + s.v;  // Coriolis: 2 w x z v
      s.w_WB_B = s.w_J;
      s.alpha_WB_B = alpha_J;
      s.U = s.U_J;
      s.D = s.D_J;
      s.a_WBo_B = {s.a_J.x + s.w_J.y * twice, s.a_J.y - s.w_J.x * twice, s.a_J.z + s.a};
      continue;
    }
    // A point on the axis does not move with the joint, so U z is the parent's; see turn() in inverse-inl.hpp.
    const Vec3<T> w_P = from_joint(body, s, s.w_J);
    const Vec3<T> w{w_P.x, w_P.y, w_P.z + s.v};
    const Vec3<T> Uz = from_joint(body, s, s.U_J.column_z());
    const T xx = w.x * w.x, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    const Vec3<T> alpha{yz - Uz.y, Uz.x - xz, alpha_J.z + s.a};
    // 2 w is at hand, so an entry of alpha that no child takes need not be formed.
    const T zx = body.passes_y ? xz - alpha.y : (w.x + w.x) * w.z - Uz.x;
    const T zy = body.passes_x ? yz + alpha.x : (w.y + w.y) * w.z - Uz.y;
    s.w_WB_B = w;
    s.alpha_WB_B = alpha;
    s.U = {Uz.z + (xx - zz), xy - alpha.z, Uz.x, xy + alpha.z, -(xx + zz), Uz.y, zx, zy, Uz.z};
    s.D = {s.U.zz - s.U.yy, xx - zz, s.U.yy - s.U.xx};
    s.a_WBo_B = from_joint(body, s, s.a_J);
  }
}

/// Integrals over the subtree of a body, about its origin, in the axes of J, with the joint's motion.
template <class T>
struct Subtree {
  PseudoInertia<T> c;
  T trace_S, trace_Q;  // of the parts in x and y
  Vec3<T> P;
  Mat3<T> Q;
  Vec3<T> rate;    // P'
  Vec3<T> moment;  // t
};

/// Wrenches on its subtree that one joint's motion needs, about Bo, in J.
template <class T>
struct JointWrenches {
  Vec3<T> Fa, Na, Y;  // by acceleration; Y or B as the form has it
  Vec3<T> Fv, Nv;     // by rate
  Vec3<T> Fq, Nq;     // by position
};

template <class P, class T>
Subtree<T> with_joint(const PlanBody<P>& body, const BodyState<T>& s) {
  Subtree<T> t{s.composite, s.composite.S.xx + s.composite.S.yy, s.K.xx + s.K.yy, s.k, s.K, s.flow_rate, s.flow_moment};
  const T &v = s.v, &a = s.a;
  if (body.prismatic) {  // ρ° += v z, ρ°° += a z; what a particle does to its parent, O_j being the parent's point
    const T along = (v + v) * t.c.m;
    const T twice = v + v;
    t.P.z = t.P.z + along;
    t.rate.z = t.rate.z + a * t.c.m;
    t.moment = {t.moment.x + a * t.c.h.y, t.moment.y - a * t.c.h.x, t.moment.z};
    t.Q.zx = t.Q.zx + twice * t.c.h.x;
    t.Q.zy = t.Q.zy + twice * t.c.h.y;
    t.Q.zz = t.Q.zz + twice * t.c.h.z;
    return t;
  }
  if (body.rotates()) {
    t.c.h = rotated(s.sincos, s.composite.h);
    t.c.S = rotated(s.sincos, s.composite.S);
    t.P = rotated(s.sincos, s.k);
    t.Q = rotated(s.sincos, s.K);
    t.rate = rotated(s.sincos, s.flow_rate);
    t.moment = rotated(s.sincos, s.flow_moment);
  }
  // ρ° += v z × ρ, ρ°° += 2v z × ρ° + a z × ρ + v² z × (z × ρ)
  const Vec3<T> zh = across_z(t.c.h);
  const Vec3<T> vzh{v * zh.x, v * zh.y, T(0)};
  const Vec3<T> middle = t.P + vzh;
  t.rate = {t.rate.x - v * middle.y + a * zh.x, t.rate.y + v * middle.x + a * zh.y, t.rate.z};
  t.P = middle + vzh;
  const Sym3<T>& S = t.c.S;
  const T vx = v * S.yz, vy = v * S.xz;
  const T Qxz = t.Q.xz - vx, Qyz = t.Q.yz + vy;
  t.moment = {t.moment.x - v * Qxz - a * S.xz, t.moment.y - v * Qyz - a * S.yz, t.moment.z + v * t.trace_Q + a * t.trace_S};
  const T v2 = v + v, xy = v2 * S.xy;
  t.Q = {t.Q.xx - xy, t.Q.xy - v2 * S.yy, Qxz - vx, t.Q.yx + v2 * S.xx, t.Q.yy + xy, Qyz + vy, t.Q.zx, t.Q.zy, t.Q.zz};
  return t;
}

/// Of a revolute joint. A rotation about z by δ = 1 changes X by δX = Z X - X Z, Z = [z]×.
template <class T>
JointWrenches<T> revolute_wrenches(const Subtree<T>& t, const Vec3<T>& w, const Mat3<T>& U, const Vec3<T>& D, const Vec3<T>& a, bool absolute) {
  const Vec3<T>&h = t.c.h, &P = t.P;
  const Sym3<T>& S = t.c.S;
  const Mat3<T>& Q = t.Q;
  const Vec3<T> w2 = w + w;
  JointWrenches<T> r;
  r.Fa = across_z(h);
  r.Na = {-S.xz, -S.yz, t.trace_S};
  const T sx = S.xx * w2.x + S.xy * w2.y + S.xz * w2.z, sy = S.xy * w2.x + S.yy * w2.y + S.yz * w2.z;  // 2 S w
  r.Nv = {sy - Q.xz, -sx - Q.yz, t.trace_Q};
  r.Fv = {-(w2.z * h.x) - P.y, P.x - w2.z * h.y, w2.x * h.x + w2.y * h.y};
  if (absolute)
    r.Y = {w2.y * S.xx - w2.x * S.xy - Q.zx, w2.y * S.xy - w2.x * S.yy - Q.zy, w2.y * S.xz - w2.x * S.yz + t.trace_Q};
  else
    r.Y = {-sy - Q.zx, sx - Q.zy, t.trace_Q};
  const T dS = S.xx - S.yy, S2 = S.xy + S.xy, dQ = Q.xx - Q.yy, sQ = Q.xy + Q.yx;
  r.Nq = {U.zx * dS + U.zy * S2 + D.x * S.xz + U.yx * S.yz + (sQ * w.x - dQ * w.y + Q.yz * w.z) - t.moment.y + h.x * a.z,
          U.zx * S2 - U.zy * dS - D.y * S.yz + U.xy * S.xz - (dQ * w.x + sQ * w.y + Q.xz * w.z) + t.moment.x + h.y * a.z,
          D.z * dS - S2 * (U.xy + U.yx) - U.yz * S.yz - U.xz * S.xz + (Q.zy * w.x - Q.zx * w.y) - (h.x * a.x + h.y * a.y)};
  r.Fq = {U.xy * h.x - U.xx * h.y - w.z * P.x - t.rate.y,  //
          U.yy * h.x - U.yx * h.y - w.z * P.y + t.rate.x,  //
          U.zy * h.x - U.zx * h.y + w.x * P.x + w.y * P.y};
  return r;
}

/// Of a prismatic joint: every particle moves along z, and the force F of the subtree with it.
template <class T>
JointWrenches<T> prismatic_wrenches(const Subtree<T>& t, const Vec3<T>& w, const Mat3<T>& U, const Vec3<T>& a, bool absolute) {
  const Vec3<T>& h = t.c.h;
  const T& m = t.c.m;
  const Vec3<T> Uz = U.column_z();
  const Vec3<T> dz{w.y + w.y, -(w.x + w.x), T(0)};  // 2 w × z
  const Vec3<T> F = m * a + U * h + cross(w, t.P) + t.rate;
  JointWrenches<T> r;
  r.Fa = {T(0), T(0), m};
  r.Na = {h.y, -h.x, T(0)};
  r.Fv = m * dz;
  r.Nv = cross(h, dz);
  r.Fq = m * Uz;
  r.Nq = across_z(F) + cross(h, Uz);
  // B = (2 w × h + P) × z, Y = B - 2 w × (h × z) = P × z - h × (2 w × z)
  const Vec3<T> Pz{t.P.y, -t.P.x, T(0)};
  r.Y = Pz - r.Nv;
  if (absolute) {
    const Vec3<T> wh = cross(w + w, h);
    r.Y = {wh.y + Pz.x, Pz.y - wh.x, T(0)};
  }
  return r;
}
}  // namespace ulna::internal::kernel
