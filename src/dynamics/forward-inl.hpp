// Forward dynamics in two ways: the inertia matrix with its factors, and articulated bodies (Featherstone 1983) in O(n).
#pragma once

#include "dynamics/inverse-inl.hpp"
#include "dynamics/mass-inl.hpp"

namespace ulna::internal::kernel {

/// a = M⁻¹ (tau - bias). Any model, couplings included.
template <class P, Scalar T>
void forward_by_mass(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* a,
                     const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  const T* no_acceleration = nullptr;
  kernel::inverse_dynamics(plan, ws, q, v, no_acceleration, ws.x.data(), effects);
  mass_matrix_entries(plan, ws, effects.rotor, ws.M.data(), plan.nv, 1);
  factor(plan, ws);
  for (std::size_t k = 0; k < plan.nv; ++k) ws.x[k] = (tau == nullptr ? T(0) : tau[k]) - ws.x[k];
  solve(plan, ws, ws.x.data());
  for (std::size_t k = 0; k < plan.nv; ++k) a[k] = ws.x[k];
}

/// [p]x M, column by column.
template <class T>
Mat3<T> cross_columns(const Vec3<T>& p, const Mat3<T>& M) {
  return {p.y * M.zx - p.z * M.yx, p.y * M.zy - p.z * M.yy, p.y * M.zz - p.z * M.yz,  //
          p.z * M.xx - p.x * M.zx, p.z * M.xy - p.x * M.zy, p.z * M.xz - p.x * M.zz,  //
          p.x * M.yx - p.y * M.xx, p.x * M.yy - p.y * M.xy, p.x * M.yz - p.y * M.xz};
}

/// The inertia of B alone.
template <class P, class T>
void begin_articulated(const PseudoInertia<P>& own, BodyState<T>& s) {
  s.A = {T(own.S.yy + own.S.zz), T(own.S.xx + own.S.zz), T(own.S.xx + own.S.yy), T(-own.S.xy), T(-own.S.xz), T(-own.S.yz)};
  s.B = {T(0), T(-own.h.z), T(own.h.y), T(own.h.z), T(0), T(-own.h.x), T(-own.h.y), T(own.h.x), T(0)};
  s.C = {T(own.m), T(own.m), T(own.m), T(0), T(0), T(0)};
}

/// The articulated inertia about the joint, without its rotor, once everything beyond B has been added.
template <class P, class T>
T articulated_pivot(const PlanBody<P>& body, BodyState<T>& s) {
  s.U_moment = body.prismatic ? Vec3<T>{s.B.xz, s.B.yz, s.B.zz} : Vec3<T>{s.A.xz, s.A.yz, s.A.zz};
  s.U_force = body.prismatic ? Vec3<T>{s.C.xz, s.C.yz, s.C.zz} : Vec3<T>{s.B.zx, s.B.zy, s.B.zz};
  return body.prismatic ? s.U_force.z : s.U_moment.z;
}

/// Adds the articulated inertia of B, freed at its joint, to its parent's, about Po.
template <class P, class T>
void add_articulated(const PlanBody<P>& body, const BodyState<T>& s, BodyState<T>& parent) {
  // Without the part that the joint cannot transmit: I - U D⁻¹ Uᵀ.
  const Vec3<T> kn = s.D_inverse * s.U_moment;
  const Vec3<T> kf = s.D_inverse * s.U_force;
  const Vec3<T>&un = s.U_moment, &uf = s.U_force;
  const Sym3<T> A{s.A.xx - kn.x * un.x, s.A.yy - kn.y * un.y, s.A.zz - kn.z * un.z, s.A.xy - kn.x * un.y, s.A.xz - kn.x * un.z, s.A.yz - kn.y * un.z};
  const Sym3<T> C{s.C.xx - kf.x * uf.x, s.C.yy - kf.y * uf.y, s.C.zz - kf.z * uf.z, s.C.xy - kf.x * uf.y, s.C.xz - kf.x * uf.z, s.C.yz - kf.y * uf.z};
  const Mat3<T> B{s.B.xx - kn.x * uf.x, s.B.xy - kn.x * uf.y, s.B.xz - kn.x * uf.z, s.B.yx - kn.y * uf.x, s.B.yy - kn.y * uf.y,
                  s.B.yz - kn.y * uf.z, s.B.zx - kn.z * uf.x, s.B.zy - kn.z * uf.y, s.B.zz - kn.z * uf.z};
  // Bias with the joint's velocity-product acceleration and its own force passed on.
  const T gain = s.D_inverse * s.u;
  const Vec3<T> pn = s.n_B + A * s.c_angular + B * s.c_linear + gain * un;
  const Vec3<T> pf = s.f_B + tmul(B, s.c_angular) + C * s.c_linear + gain * uf;
  // Rotate to the axes of P, then shift: with a_Bo = a_Po - p x alpha,
  //   B' = B + [p]x C,   A' = A + [p]x Bᵀ + ([p]x Bᵀ)ᵀ + [p]x C [p]xᵀ.
  const Mat3<T> R = rotation(body, s);
  const Vec3<T>& p = s.p_PB;
  const Sym3<T> A_P = in_parent(body, to_joint(body, s, A));
  const Sym3<T> C_P = in_parent(body, to_joint(body, s, C));
  const Mat3<T> B_P = R * B * R.transposed();
  const Mat3<T> pC = cross_columns(p, C_P.full());
  const Mat3<T> X = cross_columns(p, B_P.transposed());
  const Mat3<T> Y = cross_columns(p, pC.transposed());  // [p]x C [p]xᵀ, symmetric
  parent.A = parent.A + A_P + Sym3<T>{X.xx + X.xx + Y.xx, X.yy + X.yy + Y.yy, X.zz + X.zz + Y.zz, X.xy + X.yx + Y.xy, X.xz + X.zx + Y.xz, X.yz + X.zy + Y.yz};
  parent.C = parent.C + C_P;
  parent.B = {parent.B.xx + B_P.xx + pC.xx, parent.B.xy + B_P.xy + pC.xy, parent.B.xz + B_P.xz + pC.xz,
              parent.B.yx + B_P.yx + pC.yx, parent.B.yy + B_P.yy + pC.yy, parent.B.yz + B_P.yz + pC.yz,
              parent.B.zx + B_P.zx + pC.zx, parent.B.zy + B_P.zy + pC.zy, parent.B.zz + B_P.zz + pC.zz};
  const Vec3<T> f_P = to_parent(body, s, pf);
  parent.f_B = parent.f_B + f_P;
  parent.n_B = parent.n_B + to_parent(body, s, pn) + cross(p, f_P);
}

/// Accelerations of a free base from the wrench (moment, then force) that acts on it: its articulated inertia times them is the wrench less the bias. The 6 x 6
/// matrix is symmetric and positive, so it is taken apart as LᵀDL from the last row to the first, without a choice of pivots.
template <Scalar T>
void accelerate_free_base(BodyState<T>& s, const T* wrench) noexcept(kIsNumber<T>) {
  const Mat3<T> A = s.A.full(), C = s.C.full();
  const Mat3<T>& B = s.B;
  T I[kFreeV][kFreeV] = {{A.xx, A.xy, A.xz, B.xx, B.xy, B.xz}, {A.yx, A.yy, A.yz, B.yx, B.yy, B.yz}, {A.zx, A.zy, A.zz, B.zx, B.zy, B.zz},
                         {B.xx, B.yx, B.zx, C.xx, C.xy, C.xz}, {B.xy, B.yy, B.zy, C.yx, C.yy, C.yz}, {B.xz, B.yz, B.zz, C.zx, C.zy, C.zz}};
  T x[kFreeV];
  write(three(wrench, 0) - s.n_B, three(wrench, 3) - s.f_B, x);
  T inverse[kFreeV];
  for (std::size_t k = kFreeV; k-- > 0;) {
    inverse[k] = T(1) / I[k][k];
    for (std::size_t i = k; i-- > 0;) {
      const T l = I[k][i] * inverse[k];
      for (std::size_t j = 0; j <= i; ++j) I[i][j] = I[i][j] - l * I[k][j];
      x[i] = x[i] - l * x[k];
      I[k][i] = l;
    }
  }
  for (std::size_t k = 0; k < kFreeV; ++k) {
    x[k] = x[k] * inverse[k];
    for (std::size_t i = 0; i < k; ++i) x[k] = x[k] - I[k][i] * x[i];
  }
  s.alpha_WB_B = {x[0], x[1], x[2]};
  s.a_WBo_B = {x[3], x[4], x[5]};
}

/// Three sweeps. Not for coupled models: a mimic joint ties bodies that do not follow one another in the tree.
template <class P, Scalar T>
void forward_by_articulated_bodies(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* a,
                                   const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  move_base(plan, ws, v, effects.base);
  const Vec3<T> none{T(0), T(0), T(0)};
  // Velocity forces of B alone, and its inertia; U holds [w]x[w]x only.
  const auto begin = [&](BodyState<T>& s, const auto& own, bool flat) {
    s.f_B = s.U * own.h;
    s.n_B = inertia_moment(s.U, turning(s.w_WB_B, none, s.U), own.S, flat);
    begin_articulated(own, s);
  };
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, none);
  if (plan.free) begin(ws.base, plan.lumped_base, false);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    s.v = joint_rate(plan, body, v);
    Vec3<T> w = to_child(body, s, parent.w_WB_B);
    s.c_linear = to_child(body, s, parent.U * s.p_PB);  // centripetal
    if (body.prismatic) {
      const T twice = s.v + s.v;
      s.c_angular = none;
      s.c_linear = {s.c_linear.x + w.y * twice, s.c_linear.y - w.x * twice, s.c_linear.z};
    } else {
      const T* steady = nullptr;
      s.c_angular = {w.y * s.v, -(w.x * s.v), body.ball > 0 ? joint_acceleration(plan, body, v, steady) : T(0)};
      w.z = w.z + s.v;
    }
    s.w_WB_B = w;
    s.U = acceleration_matrix(w, none);
    with_own(body, s, [&](const auto& own) { begin(s, own, body.flat); });
  }
  subtract_wrenches(plan, ws, q, effects.wrenches);

  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    T D = articulated_pivot(body, s);
    if (effects.rotor) D = D + T(body.rotor);
    s.D_inverse = T(1) / D;
    T drive = tau == nullptr ? T(0) : tau[body.v];
    if (effects.friction) drive = drive - friction(body, s.v);
    s.u = drive - (body.prismatic ? s.f_B.z : s.n_B.z);
    if (!bolted(plan, body)) add_articulated(body, s, ws.parent(body.parent));
  }

  if (plan.free) {
    accelerate_free_base(ws.base, tau);
    write(ws.base.alpha_WB_B, ws.base.a_WBo_B + gravity_in_base(plan, q), a);
  } else {
    const T* prescribed = nullptr;  // by the effects, not by a state
    accelerate_base(plan, ws, q, prescribed, effects.base);
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    Vec3<T> alpha = to_child(body, s, parent.alpha_WB_B) + s.c_angular;
    Vec3<T> acceleration = to_child(body, s, parent.a_WBo_B + cross(parent.alpha_WB_B, s.p_PB)) + s.c_linear;
    const T joint = s.D_inverse * (s.u - dot(s.U_moment, alpha) - dot(s.U_force, acceleration));
    if (body.prismatic)
      acceleration.z = acceleration.z + joint;
    else
      alpha.z = alpha.z + joint;
    s.alpha_WB_B = alpha;
    s.a_WBo_B = acceleration;
    a[body.v] = joint;
  }
}

}  // namespace ulna::internal::kernel
