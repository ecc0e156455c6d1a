// Kane's dynamical equations for any chain or tree.
//
// T. R. Kane, D. A. Levinson, "The use of Kane's dynamical equations in robotics", Int. J. Robotics Research 2(3), 1983, pp. 3-21. The paper works
// the method out by hand for one arm (that is kane_stanford.hpp); here its steps are the loops of a program. Beyond the paper: any number of revolute
// and prismatic joints, trees.
//
//   paper                               here
//   u_r, u̇_r           (1)              v[r], v_dot[r] by default, or u, u_dot of a GeneralizedSpeeds (kane_speeds.hpp)
//   ω_r^R              (23)             omega_r(R, r): partial angular velocity of body R, in R's axes
//   v_r^{R*}           (44)             v_r(R, r): partial velocity of R's mass centre R*, in R's axes
//   ω^R                (14)-(22)        body.omega
//   α^R less Σ ω_r u̇_r (56)-(60)        body.alpha_t
//   a^{R*} less Σ v_r u̇_r (71)-(75)     body.a_t
//   T*, R*             (79)             T_star, R_star: inertia torque and inertia force
//   K_r*               (77), (78)       from T* and R*
//   K_r                (89), (90)       gravity G_R = m g at R* (91), (92), and the joint forces
//   K_r* + K_r = 0     (117)            solved for the joint forces
//
// As in the paper, every vector of body R is resolved in axes fixed in R, and angular velocities are known in two forms: explicit in the speeds (the
// partial velocities, which the generalized forces need) and implicit (numbers, which the products ω × … need). For speeds with B != 0 the remainders
// ω_t, v_t of eqs 23 and 44 are contained in the implicit form.
//
// Gravity enters as an active force on each body, not as an acceleration of the base. tree.gravity points down. A load on a body is a further active force in
// eqs 89 and 90, at its mass centre. A base that moves in a prescribed way is contained in ω_t, v_t and thus in the implicit form.
// Misprints of the paper that concern the general method: eq. 106 prints ω_r^B for ω_3^B; the text below eq. 86 says that a body adds nothing to K_r*
// for the speeds other than u_1, which is not so: every speed with a non-zero partial velocity counts.
//
// Cost: partial velocities O(n d), d the depth of the tree; torque and bias O(n d); M O(n d²). With chosen speeds, whose partial velocities are all
// non-zero in general, O(n² d) and O(n³).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"

#include "formulation/kane_speeds.hpp"
#include "formulation/loads.hpp"

namespace ulna::internal {

/// One body R at one instant, in its own axes.
template <class T>
struct KaneBody {
  // computed by kane_partials()
  SinCos<T> sincos{};                 // of the joint angle; revolute joints only
  Vec3<T> p_PB{};                     // from the parent's origin to this one's, in the parent's axes
  std::vector<std::size_t> moved_by;  // the speeds whose partial velocities may differ from zero, in rising order
  std::vector<Vec3<T>> omega_r;       // (n), zero for all others
  std::vector<Vec3<T>> v_origin_r;    // of the body frame's origin
  std::vector<Vec3<T>> v_r;           // of the mass centre
  // computed by kane_motion()
  Vec3<T> omega{};
  Vec3<T> alpha_t{};
  Vec3<T> a_origin_t{};
  Vec3<T> a_t{};
  Vec3<T> g{};  // gravity
  // computed by kane_generalized_forces()
  Vec3<T> T_star{}, R_star{};
};

/// Scratch of the functions below; made once per tree, one per thread.
template <class T>
struct KaneWorkspace {
  template <class P>
  explicit KaneWorkspace(const BodyTree<P>& tree)
      : bodies(tree.size()), path(tree.size()), all(tree.loops ? tree.loops->order.independent.size() : tree.size()) {
    const std::size_t n = tree.size();
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
    for (std::size_t i = 0; i < n; ++i) {
      if (tree.bodies[i].parent != kNone) path[i] = path[tree.bodies[i].parent];
      path[i].push_back(i);
      KaneBody<T>& body = bodies[i];
      body.omega_r.resize(n);
      body.v_origin_r.resize(n);
      body.v_r.resize(n);
    }
  }

  std::vector<KaneBody<T>> bodies;
  std::vector<std::vector<std::size_t>> path;  // joints between the base and each body, its own included
  std::vector<std::size_t> all;                // speeds: 0 … n-1, or as many as loops leave
  SpeedState<T> speeds;                        // of chosen speeds
  std::function<T(const T&)> simplest{};       // an expression that equals another one in fewer words; empty: as it comes

  Vec3<T> simplified(const Vec3<T>& x) const { return simplest ? Vec3<T>{simplest(x.x), simplest(x.y), simplest(x.z)} : x; }
};

namespace kane_detail {

/// A vector of the parent, in the child's axes.
template <class P, class T>
Vec3<T> to_child(const TreeBody<P>& joint, const SinCos<T>& sc, const Vec3<T>& x_P) {
  const Vec3<T> y = tmul(joint.R_PB, x_P);
  if (joint.prismatic) return y;
  return {sc.cos * y.x + sc.sin * y.y, sc.cos * y.y - sc.sin * y.x, y.z};
}

template <class T>
Vec3<T> zero() {
  return {T(0), T(0), T(0)};
}
template <class T>
Vec3<T> axis() {
  return {T(0), T(0), T(1)};
}

}  // namespace kane_detail

/// Partial angular velocities and partial velocities (eqs 23, 44) for the speeds u = v: joint s rotates everything beyond it about its axis or
/// carries it along. For a body R and a joint s on its path: ω_s^R = ω_s^P, and v_s of R's origin = v_s^{Po} + ω_s^P × p_PB, P being the parent.
template <class P, class T>
void kane_partials(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q) {
  using namespace kane_detail;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<P>& joint = tree.bodies[i];
    KaneBody<T>& body = ws.bodies[i];
    body.moved_by = ws.path[i];
    body.omega_r.assign(tree.size(), zero<T>());
    body.v_origin_r.assign(tree.size(), zero<T>());
    body.v_r.assign(tree.size(), zero<T>());
    if (joint.prismatic) {
      body.sincos = {T(0), T(1)};
      body.p_PB = joint.p_PB + q[i] * joint.R_PB.column_z();
    } else {
      body.sincos = sincos(q[i]);
      body.p_PB = joint.p_PB.template cast<T>();
    }
    if (joint.parent != kNone) {
      const std::size_t p = joint.parent;
      const KaneBody<T>& parent = ws.bodies[p];
      for (const std::size_t s : ws.path[p]) {
        body.omega_r[s] = to_child(joint, body.sincos, parent.omega_r[s]);
        body.v_origin_r[s] = to_child(joint, body.sincos, parent.v_origin_r[s] + cross(parent.omega_r[s], body.p_PB));
      }
    }
    (joint.prismatic ? body.v_origin_r : body.omega_r)[i] = axis<T>();
    for (const std::size_t s : ws.path[i]) body.v_r[s] = body.v_origin_r[s] + cross(body.omega_r[s], joint.com);
  }
}

/// The same for chosen speeds: with v = W (u - B), the coefficient of u_r in ω^R = Σ_s ω_s^R v_s is Σ_s ω_s^R W_sr; and the nonholonomic ones of a closed
/// chain, where v = W u and there are fewer speeds than joints (kane_loops.hpp). Needs kane_partials() and W.
template <class P, class T>
void kane_change_speeds(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const std::vector<T>& W) {
  const std::size_t n = ws.all.size();
  std::vector<Vec3<T>> omega(n), v(n);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    KaneBody<T>& body = ws.bodies[i];
    for (std::size_t r = 0; r < n; ++r) {
      omega[r] = v[r] = kane_detail::zero<T>();
      for (const std::size_t s : ws.path[i]) {
        const T& W_sr = W[s * n + r];
        omega[r] = omega[r] + W_sr * body.omega_r[s];
        v[r] = v[r] + W_sr * body.v_r[s];
      }
      omega[r] = ws.simplified(omega[r]);
      v[r] = ws.simplified(v[r]);
    }
    body.omega_r = omega;
    body.v_r = v;
    body.moved_by = ws.all;
  }
}

/// Gravity in each body's axes. Needs the rotations of kane_partials().
template <class P, class T>
void kane_gravity(const BodyTree<P>& tree, KaneWorkspace<T>& ws) {
  const Vec3<T> g_base = tree.gravity.template cast<T>();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<P>& joint = tree.bodies[i];
    ws.bodies[i].g = kane_detail::to_child(joint, ws.bodies[i].sincos, joint.parent == kNone ? g_base : ws.bodies[joint.parent].g);
  }
}

/// Angular velocities, and what accelerations are while every v̇ has the value in v_dot_t (null: zero). Needs kane_partials().
template <class P, class T>
void kane_motion(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* v, const T* v_dot_t = nullptr, const std::optional<MovingBase<T>>& base = {}) {
  using namespace kane_detail;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<P>& joint = tree.bodies[i];
    KaneBody<T>& body = ws.bodies[i];
    const T joint_a = v_dot_t == nullptr ? T(0) : v_dot_t[i];
    body.omega = body.alpha_t = body.a_origin_t = zero<T>();
    const auto carried = [&](const Vec3<T>& omega, const Vec3<T>& alpha_t, const Vec3<T>& a_origin_t) {
      body.omega = to_child(joint, body.sincos, omega);
      body.alpha_t = to_child(joint, body.sincos, alpha_t);
      body.a_origin_t = to_child(joint, body.sincos, a_origin_t + cross(alpha_t, body.p_PB) + cross(omega, cross(omega, body.p_PB)));
    };
    if (joint.parent != kNone)
      carried(ws.bodies[joint.parent].omega, ws.bodies[joint.parent].alpha_t, ws.bodies[joint.parent].a_origin_t);
    else if (base)
      carried(base->w, base->dw, base->dv);
    // ω here is still the parent's: d/dt (v z) = v̇ z + v ω × z
    const Vec3<T> omega_x_z{body.omega.y, -body.omega.x, T(0)};
    if (joint.prismatic) {
      body.a_origin_t = body.a_origin_t + (v[i] + v[i]) * omega_x_z;
      body.a_origin_t.z = body.a_origin_t.z + joint_a;
    } else {
      body.alpha_t = body.alpha_t + v[i] * omega_x_z;
      body.alpha_t.z = body.alpha_t.z + joint_a;
      body.omega.z = body.omega.z + v[i];
    }
    body.omega = ws.simplified(body.omega);
    body.alpha_t = ws.simplified(body.alpha_t);
    body.a_t = ws.simplified(body.a_origin_t + cross(body.alpha_t, joint.com) + cross(body.omega, cross(body.omega, joint.com)));
  }
}

/// -(K_r* + the part of K_r that gravity and loads have): what the joint forces must be (eq. 117). u_dot null: zero. Needs partial velocities, motion and
/// gravity.
template <class P, class T>
void kane_generalized_forces(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* u_dot, T* force, std::span<const LinkLoad<T>> loads = {}) {
  for (const std::size_t r : ws.all) force[r] = T(0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<P>& R = tree.bodies[i];
    KaneBody<T>& body = ws.bodies[i];
    Vec3<T> alpha = body.alpha_t, a = body.a_t;
    if (u_dot != nullptr)
      for (const std::size_t r : body.moved_by) {
        alpha = alpha + u_dot[r] * body.omega_r[r];  // (56)-(60)
        a = a + u_dot[r] * body.v_r[r];              // (71)-(75)
      }
    body.T_star = -(R.inertia * alpha + cross(body.omega, R.inertia * body.omega));  // (79)
    body.R_star = -(R.mass * a);
    const Vec3<T> G = R.mass * body.g;  // (91), (92)
    Vec3<T> moment = body.T_star, together = body.R_star + G;
    if (!loads.empty()) moment = moment + loads[i].N, together = together + loads[i].F;
    for (const std::size_t r : body.moved_by) force[r] = force[r] - (dot(body.omega_r[r], moment) + dot(body.v_r[r], together));  // (78), (90)
  }
}

/// Coefficients of u̇ in -K_r* (the paper's -X_rs): M_rs = Σ_R ω_r · I ω_s + m v_r · v_s. Row by row, full and symmetric. Needs partial velocities.
template <class P, class T>
void kane_inertia(const BodyTree<P>& tree, const KaneWorkspace<T>& ws, T* M) {
  const std::size_t n = ws.all.size();
  for (std::size_t k = 0; k < n * n; ++k) M[k] = T(0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<P>& R = tree.bodies[i];
    const KaneBody<T>& body = ws.bodies[i];
    for (const std::size_t s : body.moved_by) {
      const Vec3<T> angular = R.inertia * body.omega_r[s];
      const Vec3<T> linear = R.mass * body.v_r[s];
      for (const std::size_t r : body.moved_by) {
        if (r > s) break;
        M[r * n + s] = M[r * n + s] + (dot(body.omega_r[r], angular) + dot(body.v_r[r], linear));
      }
    }
  }
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = 0; s < r; ++s) M[r * n + s] = M[s * n + r];
}

// --- speeds u = v -------------------------------------------------------------------------------------------------------------------------------

/// Joint forces for a motion.
template <class P, class T>
void kane_torque(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q, const T* v, const T* v_dot, T* tau, const Loads<T>& loads = {}) {
  kane_partials(tree, ws, q);
  kane_gravity(tree, ws);
  kane_motion<P, T>(tree, ws, v, nullptr, loads.base);
  kane_generalized_forces(tree, ws, v_dot, tau, loads.links);
}
template <class P, class T>
void kane_mass(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q, T* M) {
  kane_partials(tree, ws, q);
  kane_inertia(tree, ws, M);
}
template <class P, class T>
void kane_bias(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q, const T* v, T* bias, const Loads<T>& loads = {}) {
  kane_torque(tree, ws, q, v, static_cast<const T*>(nullptr), bias, loads);
}

// --- chosen speeds: M u̇ + bias = Q, Q_r being the generalized active force of the joint forces --------------------------------------------------
// All throw std::domain_error where the choice is singular.

template <class P, class T>
void kane_mass(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const GeneralizedSpeeds<T>& speeds, const T* q, const T& t, T* M) {
  solve_speeds(speeds, tree.size(), q, t, ws.speeds);
  kane_partials(tree, ws, q);
  kane_change_speeds(tree, ws, ws.speeds.W);
  kane_inertia(tree, ws, M);
}

/// M u̇ + bias for given u̇ (null: the bias, gravity included).
template <class P, class T>
void kane_force(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const GeneralizedSpeeds<T>& speeds, const T* q, const T* u, const T* u_dot, const T& t, T* Q,
                const Loads<T>& loads = {}) {
  rates_from_speeds(speeds, tree.size(), q, u, t, ws.speeds);
  differentiate_speeds(speeds, q, t, ws.speeds);
  kane_partials(tree, ws, q);
  kane_gravity(tree, ws);
  kane_motion(tree, ws, ws.speeds.v.data(), ws.speeds.v_dot_t.data(), loads.base);
  kane_change_speeds(tree, ws, ws.speeds.W);
  kane_generalized_forces(tree, ws, u_dot, Q, loads.links);
}
template <class P, class T>
void kane_bias(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const GeneralizedSpeeds<T>& speeds, const T* q, const T* u, const T& t, T* bias) {
  kane_force(tree, ws, speeds, q, u, static_cast<const T*>(nullptr), t, bias);
}

/// Q_r of joint forces tau: joint s works on its own rate v_s alone, whose coefficient of u_r is W_sr, so Q_r = Σ_s W_sr tau_s (eqs 111-116).
template <class T>
void kane_active_forces(const GeneralizedSpeeds<T>& speeds, std::size_t n, const T* q, const T& t, SpeedState<T>& state, const T* tau, T* Q) {
  solve_speeds(speeds, n, q, t, state);
  for (std::size_t r = 0; r < n; ++r) {
    T sum = T(0);
    for (std::size_t s = 0; s < n; ++s) sum = sum + state.W[s * n + r] * tau[s];
    Q[r] = sum;
  }
}

/// Joint forces for a motion given in chosen speeds: tau = Aᵀ Q, as the paper does by hand in eqs 124-126.
template <class P, class T>
void kane_torque(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const GeneralizedSpeeds<T>& speeds, const T* q, const T* u, const T* u_dot, const T& t,
                 T* tau) {
  const std::size_t n = tree.size();
  std::vector<T> Q(n, T(0));
  kane_force(tree, ws, speeds, q, u, u_dot, t, Q.data());
  for (std::size_t s = 0; s < n; ++s) {
    T sum = T(0);
    for (std::size_t r = 0; r < n; ++r) sum = sum + ws.speeds.A[r * n + s] * Q[r];
    tau[s] = sum;
  }
}

}  // namespace ulna::internal
