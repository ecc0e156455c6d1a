// Transforms vectors and bodies across one joint. The constant rotation R_PB and the joint's rotation about z are applied separately: the
// first folds away where it is a permutation, the second costs 4 mul, 2 add.
#pragma once

#include <cmath>
#include <stdexcept>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>
#include "dynamics/base-inl.hpp"
#include "scalar/dual.hpp"
#include "scalar/sincos_many.hpp"

namespace ulna::internal::kernel {

/// Rz v and Rzᵀ v.
template <class T>
Vec3<T> rotated(const SinCos<T>& sc, const Vec3<T>& v) {
  return {sc.cos * v.x - sc.sin * v.y, sc.sin * v.x + sc.cos * v.y, v.z};
}
template <class T>
Vec3<T> rotated_back(const SinCos<T>& sc, const Vec3<T>& v) {
  return {sc.cos * v.x + sc.sin * v.y, sc.cos * v.y - sc.sin * v.x, v.z};
}

/// A vector of J in the axes of B, and back. J has the axes of B before the joint rotates.
template <class P, class T>
Vec3<T> from_joint(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_J) {
  if (body.ball == 1) return tmul(s.ball, v_J);
  return body.rotates() ? rotated_back(s.sincos, v_J) : v_J;
}
template <class P, class T>
Vec3<T> to_joint(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_B) {
  if (body.ball == 1) return s.ball * v_B;
  return body.rotates() ? rotated(s.sincos, v_B) : v_B;
}

/// A vector of P in the axes of B.
template <class P, class T>
Vec3<T> to_child(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_P) {
  return from_joint(body, s, Vec3<T>(tmul(body.R_PB, v_P)));
}

/// A vector of B in the axes of P.
template <class P, class T>
Vec3<T> to_parent(const PlanBody<P>& body, const BodyState<T>& s, const Vec3<T>& v_B) {
  return body.R_PB * to_joint(body, s, v_B);
}

/// R_PB times the joint's rotation, as one matrix. 12 mul, 6 add, less where R_PB folds.
template <class P, class T>
Mat3<T> rotation(const PlanBody<P>& body, const BodyState<T>& s) {
  const Vec3<T> x = to_parent(body, s, Vec3<T>{T(1), T(0), T(0)});
  const Vec3<T> y = to_parent(body, s, Vec3<T>{T(0), T(1), T(0)});
  if (body.ball == 1) {
    const Vec3<T> z = to_parent(body, s, Vec3<T>{T(0), T(0), T(1)});
    return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
  }
  const Vec3<P> z = body.R_PB.column_z();
  return {x.x, y.x, T(z.x), x.y, y.y, T(z.y), x.z, y.z, T(z.z)};
}

/// Rz S Rzᵀ. 8 mul, 9 add with sin² and sin·cos shared.
template <class T>
Sym3<T> rotated(const SinCos<T>& sc, const Sym3<T>& S) {
  const T ss = sc.sin * sc.sin;
  const T cs = sc.cos * sc.sin;
  const T difference = S.yy - S.xx;
  const T twice = S.xy + S.xy;
  const T change = ss * difference - cs * twice;
  return {S.xx + change, S.yy - change, S.zz, S.xy - cs * difference - ss * twice, sc.cos * S.xz - sc.sin * S.yz, sc.sin * S.xz + sc.cos * S.yz};
}

/// The same of B in the axes of J.
template <class P, class T>
Sym3<T> to_joint(const PlanBody<P>& body, const BodyState<T>& s, const Sym3<T>& S_B) {
  if (body.ball == 1) return congruence(s.ball, S_B);
  return body.rotates() ? rotated(s.sincos, S_B) : S_B;
}

/// R_PB S R_PBᵀ. A rotation about x is written as rotated() writes one about z: 8 mul, 9 add.
template <class P, class T>
Sym3<T> in_parent(const PlanBody<P>& body, const Sym3<T>& S) {
  if (!body.about_x) return congruence(body.R_PB, S);
  const P &c = body.R_PB.yy, &s = body.R_PB.zy;
  const P ss = s * s, cs = c * s;
  const T difference = S.zz - S.yy;
  const T twice = S.yz + S.yz;
  const T change = ss * difference - cs * twice;
  return {S.xx, S.yy + change, S.zz - change, c * S.xy - s * S.xz, s * S.xy + c * S.xz, S.yz - cs * difference - ss * twice};
}

/// R_PB K R_PBᵀ.
template <class P, class T>
Mat3<T> in_parent(const PlanBody<P>& body, const Mat3<T>& K) {
  if (!body.about_x) return body.R_PB * K * body.R_PB.transposed();
  const P &c = body.R_PB.yy, &s = body.R_PB.zy;
  const P ss = s * s, cs = c * s;
  const T difference = K.zz - K.yy;
  const T sum = K.yz + K.zy;
  const T change = ss * difference - cs * sum;
  const T across = cs * difference + ss * sum;
  return {K.xx, c * K.xy - s * K.xz, s * K.xy + c * K.xz, c * K.yx - s * K.zx, K.yy + change, K.yz - across, s * K.yx + c * K.zx, K.zy - across, K.zz - change};
}

/// A mass distribution about Bo, in the axes that R_PB leads to, as one about Po, in those of P: see moved() of spatial/spatial.hpp.
template <class P, class T>
PseudoInertia<T> moved(const PlanBody<P>& body, const PseudoInertia<T>& c, const Vec3<T>& p_PB) {
  PseudoInertia<T> rotated = {c.m, body.R_PB * c.h, in_parent(body, c.S)};
  return moved_along(rotated, p_PB);
}

/// The mass distribution of B as one of P, about Po.
template <class P, class T>
PseudoInertia<T> to_parent(const PlanBody<P>& body, const BodyState<T>& s, const PseudoInertia<T>& c) {
  PseudoInertia<T> aligned = c;
  aligned.h = to_joint(body, s, c.h);
  aligned.S = to_joint(body, s, c.S);
  return moved(body, aligned, s.p_PB);
}

/// A body whose axes are still, or whose parent's are: Rz(held) R_PB = R_PB Rz(±held) for parallel axes, so the parent's angle is added to the joint's.
template <class P, Scalar T>
void place_still(const PlanBody<P>& body, BodyState<T>& s, const BodyState<T>* parent, T coordinate) {
  T offset(body.offset);
  if (parent != nullptr) {
    s.p_PB = rotated(parent->held, s.p_PB);
    coordinate = coordinate + body.R_PB.zz * parent->held_angle;
    offset = offset + body.R_PB.zz * parent->held_offset;
  }
  s.sincos = sincos(coordinate, offset);
  if (!body.still) return;
  s.held = s.sincos;
  s.held_angle = coordinate;
  s.held_offset = offset;
  const PseudoInertia<P>& I = body.lumped;
  const Sym3<T> S{T(I.S.xx), T(I.S.yy), T(I.S.zz), T(I.S.xy), T(I.S.xz), T(I.S.yz)};
  s.own = {T(I.m), rotated(s.held, Vec3<T>{T(I.h.x), T(I.h.y), T(I.h.z)}), rotated(s.held, S)};
}

/// The axes of the first body are the child's y, z, x, and the quaternion is that in these; see add_first_of_ball() in plan/plan.cpp.
template <class P, Scalar T>
void place_ball(const PlanBody<P>& body, BodyState<T>& s, const T* q) {
  if (body.ball == 1) s.ball = rotation_of(q[body.q + 1], q[body.q + 2], q[body.q], q[body.q + 3]);
}

/// The joint's coordinate, its sine and cosine, and the offset. `still` is the parent where its axes are still, else null.
template <class P, Scalar T>
void place(const PlanBody<P>& body, BodyState<T>& s, const T* q, const BodyState<T>* still = nullptr) {
  const T coordinate = body.multiplier * q[body.q];
  s.p_PB = {T(body.p_PB.x), T(body.p_PB.y), T(body.p_PB.z)};
  if (body.prismatic)
    s.p_PB = s.p_PB + T(coordinate + body.offset) * body.R_PB.column_z();
  else if (body.ball > 0)
    place_ball(body, s, q);
  else if (still != nullptr || body.still)
    place_still(body, s, still, coordinate);
  else
    s.sincos = sincos(coordinate, body.offset);
}
/// Of all joints, sines and cosines together; false where axes are still, whose angles are sums.
template <class T>
bool place_together(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const T* q) {
  const std::size_t count = plan.bodies.size(), room = (count + kAnglesAtOnce - 1) / kAnglesAtOnce * kAnglesAtOnce;
  double *const angles = ws.angles.data(), *const sines = angles + room, *const cosines = sines + room;
  for (std::size_t i = 0; i < count; ++i) {
    const PlanBody<T>& body = plan.bodies[i];
    if (body.still) return false;
    const T coordinate = body.multiplier * q[body.q];
    const auto x = static_cast<double>(coordinate), offset = static_cast<double>(body.offset);
    angles[i] = body.prismatic || body.ball > 0 ? 0 : body.offset == 0 ? x : less_whole_turns(x) + offset;
    BodyState<T>& s = ws.bodies[i];
    s.p_PB = body.p_PB;
    if (body.prismatic) s.p_PB = s.p_PB + (coordinate + body.offset) * body.R_PB.column_z();
    if (body.ball > 0) place_ball(body, s, q);
  }
  for (std::size_t i = count; i < room; ++i) angles[i] = 0;
  sincos_many(room, angles, sines, cosines);
  for (std::size_t i = 0; i < count; ++i) ws.bodies[i].sincos = {static_cast<T>(sines[i]), static_cast<T>(cosines[i])};
  return true;
}

/// Of all joints.
template <class P, Scalar T>
void place(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q) {
  if constexpr (std::is_same_v<P, T> && (std::is_same_v<T, double> || std::is_same_v<T, float>)) {
    if (place_together(plan, ws, q)) return;
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    const bool carried = body.parent != kNone && plan.bodies[body.parent].still;
    place(body, ws.bodies[i], q, carried ? &ws.bodies[body.parent] : nullptr);
  }
}

/// f(the body's own mass distribution, in B): numbers of the robot, unless its axes are still.
template <class P, class T, class F>
void with_own(const PlanBody<P>& body, const BodyState<T>& s, F f) {
  if (body.still)
    f(s.own);
  else
    f(body.lumped);
}

/// A body's frame in its parent's. Needs place().
template <class P, Scalar T>
Pose<T> pose_in_parent(const PlanBody<P>& body, const BodyState<T>& s) {
  if (body.ball == 1) return {body.R_PB * s.ball, s.p_PB};
  const Mat3<P>& R = body.R_PB;
  Mat3<T> R_PB = {T(R.xx), T(R.xy), T(R.xz), T(R.yx), T(R.yy), T(R.yz), T(R.zx), T(R.zy), T(R.zz)};
  if (body.rotates()) {
    const T c = s.sincos.cos, n = s.sincos.sin;
    R_PB = {R.xx * c + R.xy * n, R.xy * c - R.xx * n, R_PB.xz, R.yx * c + R.yy * n, R.yy * c - R.yx * n, R_PB.yz,
            R.zx * c + R.zy * n, R.zy * c - R.zx * n, R_PB.zz};
  }
  return {R_PB, s.p_PB};
}

/// After place(): every body's frame in the world.
template <class P, Scalar T>
void place_in_world(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q) {
  if (plan.free) ws.base.X_WB = base_pose(q);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const Pose<T> X_PB = pose_in_parent(body, s);
    s.X_WB = bolted(plan, body) ? X_PB : ws.parent(body.parent).X_WB * X_PB;
  }
}

/// The rate or acceleration of body i's joint from that of the independent coordinates; a null vector is zero.
template <class P, Scalar T>
T joint_rate(const PlanOf<P>& plan, const PlanBody<P>& body, const T* v) {
  if (v == nullptr) return T(0);
  return plan.coupled ? T(body.multiplier * v[body.v]) : v[body.v];
}

/// The acceleration of body i's joint: of a ball joint more than the coordinate's. Its axes are the child's, but each of its bodies rotates those behind
/// it: that gives the child the angular acceleration (v_y v_z, -v_x v_z, v_x v_y), which is taken off here.
template <class P, Scalar T>
T joint_acceleration(const PlanOf<P>& plan, const PlanBody<P>& body, const T* v, const T* a) {
  const T own = joint_rate(plan, body, a);
  if (body.ball == 0 || v == nullptr) return own;
  const T* w = v + (body.v + 1 - body.ball);
  return body.ball == 1 ? own - w[1] * w[2] : body.ball == 2 ? own + w[0] * w[2] : own - w[0] * w[1];
}

// Of numbers; other scalars bring their own.
using std::exp;
using std::pow;
using std::tanh;

/// Scalars that can have the whole law of friction. An expression has no sign: programs have signs as inputs (src/trace/friction.hpp).
template <class T>
concept Rubs = requires(const T& x) {
  sign(x);
  exp(x);
  pow(x, x);
  tanh(x);
};

/// The number that a scalar stands for, to decide which terms a law has: numbers of the robot, no state. Expressions of one have no other terms than numbers.
template <class P>
double standing_for(const P& x) {
  if constexpr (requires { static_cast<double>(x); })
    return static_cast<double>(x);
  else if constexpr (requires { x.value; })
    return standing_for(x.value);
  else if constexpr (requires { x.number(); })
    return x.is_number() ? x.number() : 1;
  else if constexpr (requires { static_cast<double>(x.value()); })
    return static_cast<double>(x.value());
  else
    return 1;
}
template <class P>
bool given(const P& x) {
  return standing_for(x) != 0;
}
/// Whether the law is viscous * v + coulomb * side, and whether its jump falls with speed.
template <class P>
bool has_curve(const FrictionOf<P>& f) {
  return given(f.stribeck_speed) && standing_for(f.static_level) > standing_for(f.coulomb);
}
template <class P>
bool is_plain(const FrictionOf<P>& f) {  // without a branch for each number: control loops ask for every joint
  const int further = given(f.offset) + given(f.asymmetry) + given(f.viscous_asymmetry) + given(f.quadratic) + given(f.smoothing_speed);
  return further + given(f.stribeck_speed) == 0 || (further == 0 && !has_curve(f));
}

/// What stands for a rate's sign.
template <class P, class T>
T side_of(const FrictionOf<P>& f, const T& rate) {
  if (given(f.smoothing_speed)) return tanh(T(rate / T(f.smoothing_speed)));
  return sign(rate);
}

/// What the law has besides viscous and Coulomb friction. Load is not in it: see loaded-inl.hpp.
template <class P, class T>
[[gnu::noinline]] T further_friction(const FrictionOf<P>& f, const T& rate, const T& side) {
  T taken = T(f.offset);
  if (given(f.asymmetry)) taken = taken + T(f.asymmetry) * side * side;
  if (given(f.viscous_asymmetry)) taken = taken + T(f.viscous_asymmetry) * rate * side;
  if (given(f.quadratic)) taken = taken + T(f.quadratic) * rate * rate * side;
  if (!has_curve(f)) return taken;
  const T fast = rate / T(f.stribeck_speed);
  const T power = standing_for(f.stribeck_exponent) == 2 ? T(fast * fast) : T(pow(T(sign(fast) * fast), T(f.stribeck_exponent)));
  return taken + (T(f.static_level) - T(f.coulomb)) * exp(T(-power)) * side;
}

/// Viscous and Coulomb friction.
template <class P, class T>
T usual_friction(const FrictionOf<P>& f, const T& rate, const T& side) {
  return f.viscous * rate + f.coulomb * side;
}
/// What friction takes at a joint's rate, on the joint's side; `side` is the rate's sign, or what stands for it.
template <class P, class T>
T friction(const FrictionOf<P>& f, const T& rate, const T& side) {
  const T taken = usual_friction(f, rate, side);
  if (is_plain(f)) return taken;
  if constexpr (Rubs<T>)
    return taken + further_friction(f, rate, side);
  else
    throw std::logic_error("this scalar has viscous and Coulomb friction only");
}
/// Of the rate's own side.
template <class P, class T>
T friction(const FrictionOf<P>& f, const T& rate) {
  if constexpr (Rubs<T>)
    return friction(f, rate, side_of(f, rate));
  else if constexpr (requires { sign(rate); })
    return friction(f, rate, sign(rate));
  else
    throw std::logic_error("friction needs the sign of a rate, which this scalar does not have");
}
template <class P, class T>
T friction(const PlanBody<P>& body, const T& rate) {
  return friction(body.friction, rate);
}
/// Its derivative by the rate. A jump has none.
template <class T, class P>
T friction_slope(const FrictionOf<P>& f, const T& rate) {
  if (is_plain(f)) return T(f.viscous);
  if constexpr (Rubs<T>)
    return friction(f.template cast<Dual<T>>(), Dual<T>(rate, T(1.0))).rate;
  else
    throw std::logic_error("this scalar has viscous and Coulomb friction only");
}

/// tau += factor * what friction takes of each coordinate, in lanes: number i of lane l at [i * lanes + l].
template <class T>
void add_friction(const PlanOf<T>& plan, const T* v, T factor, T* tau, std::size_t lanes = 1) noexcept(kIsNumber<T>) {
  for (const PlanBody<T>& body : plan.bodies) {
    const T scale = factor * body.multiplier;
    const std::size_t first = body.v * lanes, end = first + lanes;
    if (is_plain(body.friction)) {
      for (std::size_t k = first; k < end; ++k) {
        const T rate = body.multiplier * v[k];
        tau[k] = tau[k] + scale * usual_friction(body.friction, rate, T(sign(rate)));
      }
    } else {
      for (std::size_t k = first; k < end; ++k) tau[k] = tau[k] + scale * friction(body, T(body.multiplier * v[k]));
    }
  }
}

/// What friction adds to derivatives by rates, in lanes: its slope on the diagonal of ∂tau/∂v, -M⁻¹ times that to ∂a/∂v. `d`: three matrices side
/// by side, of which the second is by rates and, of forward dynamics, the third is M⁻¹.
template <class T>
void add_friction_derivatives(const PlanOf<T>& plan, Quantity quantity, const T* v, T* d, std::size_t lanes = 1) noexcept(kIsNumber<T>) {
  const std::size_t n = plan.nv;
  for (const PlanBody<T>& body : plan.bodies) {
    const std::size_t column = body.v * n;
    const bool inverse = quantity == Quantity::inverse_derivatives;
    const T squared = body.multiplier * body.multiplier, viscous = squared * body.friction.viscous;
    if (is_plain(body.friction)) {
      for (std::size_t l = 0; l < lanes && inverse; ++l) d[(n * n + column + body.v) * lanes + l] += viscous;
      for (std::size_t k = 0; k < n * lanes && !inverse; ++k) d[(n * n + column) * lanes + k] -= viscous * d[(2 * n * n + column) * lanes + k];
      continue;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      const T slope = squared * friction_slope(body.friction, v == nullptr ? T(0) : T(body.multiplier * v[body.v * lanes + l]));
      if (inverse) d[(n * n + column + body.v) * lanes + l] += slope;
      for (std::size_t k = l; k < n * lanes && !inverse; k += lanes) d[(n * n + column) * lanes + k] -= slope * d[(2 * n * n + column) * lanes + k];
    }
  }
}

}  // namespace ulna::internal::kernel
