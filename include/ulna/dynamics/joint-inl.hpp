// Passing vectors and bodies across one joint. The constant rotation R_PB and the joint's turn about z are applied one after the other: the
// first folds away where it is a permutation, the second costs 4 mul, 2 add.
#pragma once

#include <ulna/dynamics/base-inl.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::kernel {

/// A vector of P in the axes of B.
template <class P, class T>
Vec3<T> to_child(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_P) {
  const Vec3<T> u = tmul(body.R_PB, v_P);
  if (body.prismatic) return u;
  return {s.turn.cos * u.x + s.turn.sin * u.y, s.turn.cos * u.y - s.turn.sin * u.x, u.z};
}

/// A vector of B in the axes of P.
template <class P, class T>
Vec3<T> to_parent(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_B) {
  if (body.prismatic) return body.R_PB * v_B;
  return body.R_PB * Vec3<T>{s.turn.cos * v_B.x - s.turn.sin * v_B.y, s.turn.sin * v_B.x + s.turn.cos * v_B.y, v_B.z};
}

/// Rz S Rzᵀ. 8 mul, 9 add with sin² and sin·cos shared.
template <class T>
Sym3<T> turned(const SinCos<T>& turn, const Sym3<T>& S) {
  const T ss = turn.sin * turn.sin;
  const T cs = turn.cos * turn.sin;
  const T difference = S.yy - S.xx;
  const T twice = S.xy + S.xy;
  const T change = ss * difference - cs * twice;
  return {S.xx + change, S.yy - change, S.zz, S.xy - cs * difference - ss * twice, turn.cos * S.xz - turn.sin * S.yz, turn.sin * S.xz + turn.cos * S.yz};
}

/// The mass distribution of B as one of P, about Po.
template <class P, class T>
PseudoInertia<T> to_parent(const PlanBody<P>& body, const BodyState<T>& s, const PseudoInertia<T>& c) {
  PseudoInertia<T> aligned = c;
  if (!body.prismatic) {
    aligned.h = {s.turn.cos * c.h.x - s.turn.sin * c.h.y, s.turn.sin * c.h.x + s.turn.cos * c.h.y, c.h.z};
    aligned.S = turned(s.turn, c.S);
  }
  return moved(aligned, body.R_PB, s.p_PB);
}

/// The joint's coordinate, its sine and cosine, and the offset.
template <class P, Scalar T>
void place(const PlanBody<P>& body, BodyState<T>& s, const T* q) {
  const T coordinate = body.multiplier * q[body.q];
  s.p_PB = {T(body.p_PB.x), T(body.p_PB.y), T(body.p_PB.z)};
  if (body.prismatic)
    s.p_PB = s.p_PB + T(coordinate + body.offset) * body.R_PB.column_z();
  else
    s.turn = sincos(coordinate, body.offset);
}
/// Of all joints.
template <class P, Scalar T>
void place(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) place(plan.bodies[i], ws.bodies[i], q);
}

/// After place(): every body's frame in the world.
template <class P, Scalar T>
void place_in_world(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q) {
  if (plan.free) ws.base.X_WB = base_pose(q);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const Mat3<P>& R = body.R_PB;
    Mat3<T> R_PB = {T(R.xx), T(R.xy), T(R.xz), T(R.yx), T(R.yy), T(R.yz), T(R.zx), T(R.zy), T(R.zz)};
    if (!body.prismatic) {
      const T c = s.turn.cos, n = s.turn.sin;
      R_PB = {R.xx * c + R.xy * n, R.xy * c - R.xx * n, R_PB.xz, R.yx * c + R.yy * n, R.yy * c - R.yx * n, R_PB.yz,
              R.zx * c + R.zy * n, R.zy * c - R.zx * n, R_PB.zz};
    }
    const Pose<T> X_PB{R_PB, s.p_PB};
    s.X_WB = bolted(plan, body) ? X_PB : ws.parent(body.parent).X_WB * X_PB;
  }
}

/// The rate or acceleration of body i's joint from that of the independent coordinates; a null vector is zero.
template <class P, Scalar T>
T joint_rate(const PlanOf<P>& plan, const PlanBody<P>& body, const T* v) {
  if (v == nullptr) return T(0);
  return plan.coupled ? T(body.multiplier * v[body.v]) : v[body.v];
}

/// What friction takes at a joint's rate, on the joint's side; `side` is the rate's sign, or what stands for it.
template <class P, class T>
T friction(const PlanBody<P>& body, const T& rate, const T& side) {
  return body.viscous * rate + body.coulomb * side;
}
/// A scalar without order (an expression) has no sign: its friction is viscous.
template <class P, class T>
T friction(const PlanBody<P>& body, const T& rate) {
  if constexpr (requires { sign(rate); })
    return friction(body, rate, sign(rate));
  else
    return body.viscous * rate;
}

/// tau += factor * what friction takes of each coordinate, in lanes: number i of lane l at [i * lanes + l]. side(rate) as above.
template <class T, class Side>
void add_friction(const PlanOf<T>& plan, const T* v, T factor, T* tau, std::size_t lanes, const Side& side) noexcept {
  for (const PlanBody<T>& body : plan.bodies)
    for (std::size_t k = body.v * lanes; k < (body.v + 1) * lanes; ++k) {
      const T rate = body.multiplier * v[k];
      tau[k] += factor * body.multiplier * friction(body, rate, side(rate));
    }
}
template <class T>
void add_friction(const PlanOf<T>& plan, const T* v, T factor, T* tau, std::size_t lanes = 1) noexcept {
  add_friction(plan, v, factor, tau, lanes, [](T rate) { return sign(rate); });
}

}  // namespace ulna::kernel
