// Forward dynamics by an inbound and an outbound pass, after
//   M. G. Nasser, "Recursive Newton-Euler Formulation of Manipulator Dynamics", Lockheed Engineering & Sciences Company, Houston, 1990 (NASA document
//   N90-29862).
// Each link's six equations of motion, written in the frame before its joint, are solved for five reaction loads and one hinge acceleration. From the
// tips to the base the hinge accelerations are eliminated (inbound); from the base to the tips they are computed (outbound). O(n).
//
// Frames. The paper's frame i-1 sits on link i-1 at joint i, its z along the axis of joint i. Here it is F: the body frame B as it stands at q_i = 0,
// fixed in the parent. In a tree every branch has its own frame on its root link, where the paper has one frame K for all of them.
//
//   paper                  here                                                                                    in the axes of
//   i-1, i                 F of a body; F of one of its children
//   theta_i, z_{i-1}       q (radians or metres); (0, 0, 1)                                                        F
//   m_i, I_i, J_i          mass, inertia about the mass centre: of B (I), rotated to F (J)
//   r_i*, P_i*             r: from Fo to the mass centre; P_star: from Fo to the child's Fo                        F
//   R_{i-1,i}              Rz(q_i) R_PB of the child
//   omega_{i-1}, omega_i   the parent's w; w                                                                       F
//   q_{i-1,i-1}            motion: acceleration of Fo less gravity, angular acceleration of the parent             F
//   F^E, N^E               LinkLoad, rotated to F                                                                  F
//   f^c, n^c               tau along the axis, and Loads::control across it, rotated to F                          F
//   sigma_i*               sigma, one for each child because P_i* is                                               F
//   A*_{i,i-1}, B*_{i,i-1} A, B: force row first, then moment                                                      F
//   S_i, L_i, G_i, gamma_i not stored; see freed()
//   J_i^a                  rotor
//
// Corrections (the printed text is wrong or silent there):
//   (2.1.13.2) lower part is +omega_{i-1} x z theta-dot; a minus is printed.
//   (2.1.3), (2.2.4) the distal control force has a plus and the external force a minus, as (2.1.7.6) has it.
//   (2.2.1) has r_i* where v_i* is printed.
//   gamma_i is used but never defined: I - Z Zᵀ, which takes the hinge acceleration out of U_i, when there is no actuator inertia; else see NasserReaction.
//   Gravity is not mentioned: it enters as the base acceleration dv - g. (As an external force m_i g on every link it gives the same.)
//
// Takes revolute and prismatic joints and trees as the paper does, massless links, a prescribed motion of the base, actuator inertia, external loads and
// control loads. The paper claims 258N - 119 multiplications and 191N - 83 additions for N links and does not say how they were saved.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"

#include "formulation/loads.hpp"
#include "formulation/nasser_algebra.hpp"
#include "formulation/paper_quantity.hpp"

namespace ulna::internal {

/// Where the actuator's inertia torque Ja theta-ddot reacts. The paper's S_i puts it on link i; its undefined gamma_i decides about link i-1.
enum class NasserReaction {
  carried,  // gamma = I - (1 + Ja) Z Zᵀ: on the link that carries the motor. Action equals reaction, and the inertia matrix is M + diag(Ja).
  dropped   // gamma = I - Z Zᵀ: nowhere, the literal reading. The inertia matrix is then not symmetric and energy is not kept.
};

/// One robot. Calls do not allocate; one object per thread.
template <class P, class T>
class Nasser {
 public:
  explicit Nasser(BodyTree<P> tree, NasserReaction reaction = NasserReaction::carried) : tree_(std::move(tree)), reaction_(reaction), links_(tree_.size()) {}

  std::size_t size() const { return tree_.size(); }

  /// Hinge accelerations from coordinates, rates and drive forces.
  void acceleration(const T* q, const T* v, const T* tau, T* a, const Loads<T>& loads = {}) {
    const MovingBase<T> base = loads.motion();
    for (std::size_t i = 0; i < size(); ++i) kinematics(i, q[i], v[i], base);
    for (std::size_t i = 0; i < size(); ++i) own_terms(i, tau[i], loads);
    inbound();
    outbound(a, base);
  }

  /// Of the last call: U_i (2.1.7.1) with the drive in the place of the hinge acceleration, in the body's axes about its mass centre. By (2.1.7), (2.1.19.2) it
  /// is what A* and B* make of the acceleration of frame i-1 and of the hinge.
  LinkLoad<T> transmitted(std::size_t i) const {
    const TreeBody<P>& body = tree_.bodies[i];
    const Link& s = links_[i];
    Six x = s.motion;
    T& along = body.prismatic ? x.upper.z : x.lower.z;
    along = along + s.a;
    Six U = s.A * x + s.B;
    T& driven = body.prismatic ? U.upper.z : U.lower.z;
    driven = driven + entry(s.drive, body.prismatic);
    if (body.prismatic) return {U.upper, U.lower - cross(Vec3<T>{T(body.com.x), T(body.com.y), T(body.com.z) + s.q}, U.upper)};
    const Vec3<T> f = nasser::rotated_back(s.sincos, U.upper);
    return {f, nasser::rotated_back(s.sincos, U.lower) - cross(nasser::as_state<T>(body.com), f)};
  }

  /// Of the last call, all in the axes of frame i-1.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol w{"omega", "angular velocity", "omega(i-1) + z q(i)'", "A.2.5"},
        P_star{"P", "from the joint before to this one, in the frame before", "", "A.1.3", 0, "*"},
        sigma{"sigma",
              "acceleration of this frame against the one before, apart from that of the joint",
              "[omega x (omega x P*); omega(i-1) x z q']",
              "2.1.13.2, corrected",
              0,
              "*"},
        A{"A", "inertia of the link and all beyond it", "A(i) + P R gamma G(i+1) A*(i+1) R^T P^T", "2.1.19.3, 2.1.19.4", 0, "*"},
        B{"B", "velocity terms and loads of the link and all beyond it", "B(i) + P R gamma G(i+1) B*(i+1) + A' sigma*", "2.1.19.5 to 2.1.19.7", 0, "*"},
        G{"G", "entry of G(i) = L(i)^-1 at the place of the drive", "-1 / (Z^T A* Z + Ja)", "2.1.11"},
        q{"a", "acceleration (v', omega') of frame i-1 less gravity; the paper's q(i-1,i-1)",
          "R^T P^T (a(i-1) + Z q(i-1)'' + sigma*); q(i)'' = Z^T G(i) (A* a(i) + B*)", "2.1.13, 2.1.20"};
    static constexpr PaperSymbol U{"U",
                                   "load of link i-1 on link i, its constraint's five components and, at the place of the drive, the acceleration q(i)''",
                                   "G(i) (A*(i) a(i) + B*(i))",
                                   "2.1.19",
                                   0,
                                   "",
                                   true};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 0; i < size(); ++i) {
      const Link& s = links_[i];
      show(P_star, {i + 1}, s.P_star);
      show(w, {i + 1}, s.w);
      show(sigma, {i + 1}, s.sigma.upper, s.sigma.lower);
    }
    for (std::size_t i = size(); i-- > 0;) {
      show(A, {i + 1}, links_[i].A);
      show(B, {i + 1}, links_[i].B.upper, links_[i].B.lower);
      show(G, {i + 1}, links_[i].minus_inverse);
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const Link& s = links_[i];
      show(q, {i + 1}, s.motion.upper, s.motion.lower);
      // G_i is the identity but for the column of the drive: what the joint's acceleration adds to the constraint.
      const std::size_t z = Z(tree_.bodies[i]);
      Six load = s.A * s.motion + s.B + Six{Vec3<T>{s.A[0][z] * s.a, s.A[1][z] * s.a, s.A[2][z] * s.a}, {s.A[3][z] * s.a, s.A[4][z] * s.a, s.A[5][z] * s.a}};
      (z == 2 ? load.upper.z : load.lower.z) = s.a;
      show(U, {i + 1}, load.upper, load.lower);
    }
  }

 private:
  using Six = nasser::Six<T>;
  using Matrix6 = nasser::Matrix6<T>;

  struct Link {
    // computed by kinematics()
    T q;
    SinCos<T> sincos;  // of q, revolute joints only
    Vec3<T> w;         // omega_i
    Vec3<T> z_rate;    // omega_{i-1} x z theta-dot
    Vec3<T> P_star;    // from the parent's Fo to this Fo, in the parent's F
    Six sigma;         // sigma* of the parent for this branch, in the parent's F
    // computed by own_terms(), then summed by inbound()
    Six drive;  // f_i^c over n_i^c
    Matrix6 A;
    Six B;
    // computed by inbound()
    T minus_inverse;  // -1 / (Zᵀ A* Z + Ja), the entry of G_i on the drive's place
    // computed by outbound()
    Six motion;  // q_{i-1,i-1} of (2.1.7.5), less gravity
    T a;         // of the hinge
  };

  const Link* parent_of(std::size_t i) const { return tree_.bodies[i].parent == kNone ? nullptr : &links_[tree_.bodies[i].parent]; }
  bool parent_revolute(std::size_t i) const { return tree_.bodies[i].parent != kNone && !tree_.bodies[tree_.bodies[i].parent].prismatic; }
  /// The place of the drive in U_i: (2.1.7.1) and (2.2.3).
  static std::size_t Z(const TreeBody<P>& body) { return body.prismatic ? 2 : 5; }
  static T entry(const Six& x, bool prismatic) { return prismatic ? x.upper.z : x.lower.z; }

  // R_{i-1,i} and its transpose: from this F to the parent's, and back.
  Vec3<T> to_parent(std::size_t i, const Vec3<T>& x) const {
    const Vec3<T> y = tree_.bodies[i].R_PB * x;
    return parent_revolute(i) ? nasser::rotated(parent_of(i)->sincos, y) : y;
  }
  Vec3<T> from_parent(std::size_t i, const Vec3<T>& x) const {
    return tmul(tree_.bodies[i].R_PB, parent_revolute(i) ? nasser::rotated_back(parent_of(i)->sincos, x) : x);
  }

  /// The appendix: frames and angular velocities, from the base to the tips.
  void kinematics(std::size_t i, const T& q, const T& rate, const MovingBase<T>& base) {
    const TreeBody<P>& body = tree_.bodies[i];
    const Link* parent = parent_of(i);
    Link& s = links_[i];
    s.q = q;
    if (!body.prismatic) s.sincos = sincos(q);
    s.P_star = parent_revolute(i) ? nasser::rotated(parent->sincos, body.p_PB) : nasser::as_state<T>(body.p_PB);
    if (parent != nullptr && !parent_revolute(i)) s.P_star.z = s.P_star.z + parent->q;
    const Vec3<T>& w_parent = parent == nullptr ? base.w : parent->w;
    s.w = from_parent(i, w_parent);  // omega_{i-1} so far
    s.z_rate = {s.w.y * rate, -(s.w.x * rate), T(0)};
    if (!body.prismatic) s.w.z = s.w.z + rate;  // (A.2.5)
    // (2.1.13.2) with a plus in its lower part; (2.2.6) when the parent slides. omega_i = omega_{i-1} there, so the first term is the same.
    s.sigma.upper = cross(w_parent, cross(w_parent, s.P_star));
    if (parent_revolute(i)) {
      s.sigma.lower = parent->z_rate;
    }
    if (parent != nullptr && !parent_revolute(i)) s.sigma.upper = s.sigma.upper + (parent->z_rate + parent->z_rate);
  }

  /// A_{i,i-1} (2.1.7.4) and B_{i,i-1} (2.1.7.6, 2.2.4) of the link alone, apart from the control loads of its children, which inbound() adds.
  void own_terms(std::size_t i, const T& tau, const Loads<T>& loads) {
    const TreeBody<P>& body = tree_.bodies[i];
    Link& s = links_[i];
    const T m(body.mass);
    Vec3<T> r = body.prismatic ? nasser::as_state<T>(body.com) : nasser::rotated(s.sincos, body.com);
    if (body.prismatic) r.z = r.z + s.q;
    const Vec3<T> mr = m * r;
    const Sym3<T> J = body.prismatic ? nasser::as_state<T>(body.inertia) : nasser::rotated(s.sincos, body.inertia);  // (2.1.5.1)

    const T xx = mr.x * r.x, yy = mr.y * r.y, zz = mr.z * r.z, xy = mr.x * r.y, xz = mr.x * r.z, yz = mr.y * r.z;
    const T o(0.0);
    const Mat3<T> r_skew{o, -mr.z, mr.y, mr.z, o, -mr.x, -mr.y, mr.x, o};
    nasser::set_block(s.A, 0, 0, Mat3<T>{m, o, o, o, m, o, o, o, m});
    nasser::set_block(s.A, 0, 3, r_skew.transposed());
    nasser::set_block(s.A, 3, 0, r_skew);
    nasser::set_block(s.A, 3, 3, Sym3<T>{J.xx + (yy + zz), J.yy + (xx + zz), J.zz + (xx + yy), J.xy - xy, J.xz - xz, J.yz - yz}.full());

    Vec3<T> beta = cross(s.w, cross(s.w, mr));
    Vec3<T> beta_star = cross(s.w, J * s.w);
    if (body.prismatic) {  // (2.2.1) with r*, (2.2.2); omega_i = omega_{i-1}
      beta = beta + m * (s.z_rate + s.z_rate);
    } else {  // (2.1.3.2), (2.1.6.2)
      beta = beta + cross(s.z_rate, mr);
      beta_star = J * s.z_rate + beta_star;
    }
    s.drive = Six{};
    if (!loads.control.empty()) {  // the joint's reaction takes all but the part along its degree of freedom
      const LinkLoad<T>& c = loads.control[i];
      s.drive =
          body.prismatic ? Six{c.F, c.N + Vec3<T>{-(s.q * c.F.y), s.q * c.F.x, T(0)}} : Six{nasser::rotated(s.sincos, c.F), nasser::rotated(s.sincos, c.N)};
    }
    T& along = body.prismatic ? s.drive.upper.z : s.drive.lower.z;
    along = along + tau;
    s.B = {beta - s.drive.upper, beta_star + cross(r, beta) - s.drive.lower};
    if (loads.links.empty()) return;
    const LinkLoad<T>& load = loads.links[i];
    const Vec3<T> F = body.prismatic ? load.F : nasser::rotated(s.sincos, load.F);
    const Vec3<T> N = body.prismatic ? load.N : nasser::rotated(s.sincos, load.N);
    s.B = {s.B.upper - F, s.B.lower - (N + cross(r, F))};  // (2.1.5.3)
  }

  /// gamma_i G_i times A* and B*. L_i = 1 - (Z + A* Z + Ja Z) Zᵀ by (2.1.7.2) and (2.1.19.1): the identity but for the column Z, so its inverse G_i is the
  /// identity but for that column g = G_i Z, whose entries are g_z = -1 / (Zᵀ A* Z + Ja) and g_k = (A* Z)_k g_z. One division.
  std::pair<Matrix6, Six> freed(std::size_t i) const {
    const TreeBody<P>& body = tree_.bodies[i];
    const Link& s = links_[i];
    const std::size_t z = Z(body);
    const bool carried = reaction_ == NasserReaction::carried;
    std::array<T, 6> g{};
    for (std::size_t k = 0; k < 6; ++k) g[k] = s.A[k][z] * s.minus_inverse;
    // Row Z of gamma is -Ja Zᵀ, or zero: what the joint passes on along its own axis.
    g[z] = carried ? -(T(body.rotor) * s.minus_inverse) : T(0);
    Matrix6 X;
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t l = carried ? k : 0; l < 6; ++l) {
        if (k == z)
          X[k][l] = g[z] * s.A[z][l];
        else if (carried && l == z)
          X[k][l] = g[z] * s.A[z][k];  // the mirror of row Z: exactly zero when there is no actuator inertia
        else
          X[k][l] = s.A[k][l] + g[k] * s.A[z][l];
        if (carried) X[l][k] = X[k][l];
      }
    const T b = entry(s.B, body.prismatic);
    Six y{Vec3<T>{s.B.upper.x + g[0] * b, s.B.upper.y + g[1] * b, s.B.upper.z + g[2] * b},
          Vec3<T>{s.B.lower.x + g[3] * b, s.B.lower.y + g[4] * b, s.B.lower.z + g[5] * b}};
    (body.prismatic ? y.upper.z : y.lower.z) = g[z] * b;
    return {X, y};
  }

  /// Sec. 3.1.1 and 3.2.1: from the tips to the base, every branch added to its root link (2.3.3), (2.3.4).
  void inbound() {
    const bool symmetric = reaction_ == NasserReaction::carried;
    for (std::size_t i = size(); i-- > 0;) {
      const TreeBody<P>& body = tree_.bodies[i];
      Link& s = links_[i];
      s.minus_inverse = T(-1.0) / (s.A[Z(body)][Z(body)] + T(body.rotor));
      if (body.parent == kNone) continue;
      Link& parent = links_[body.parent];
      auto [X, y] = freed(i);
      X = nasser::rotated(body.R_PB, X, symmetric);
      if (parent_revolute(i)) X = nasser::rotated(parent.sincos, X, symmetric);
      X = nasser::shifted(s.P_star, X, symmetric);  // (2.1.19.4)
      // (2.1.19.7), and the joint's control loads, which act on this link with a plus and on its parent with a minus: (2.1.7.6), (2.1.5.3).
      const Vec3<T> f = to_parent(i, y.upper + s.drive.upper);
      const Vec3<T> n = to_parent(i, y.lower + s.drive.lower);
      parent.B = parent.B + Six{f, n + cross(s.P_star, f)} + X * s.sigma;  // (2.1.19.5), (2.1.19.6)
      add(parent.A, X, symmetric);                                         // (2.1.19.3)
    }
  }

  static void add(Matrix6& A, const Matrix6& X, bool symmetric) {
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t l = symmetric ? k : 0; l < 6; ++l) {
        A[k][l] = A[k][l] + X[k][l];
        if (symmetric) A[l][k] = A[k][l];
      }
  }

  /// Sec. 3.1.2: from the base to the tips.
  void outbound(T* a, const MovingBase<T>& base) {
    for (std::size_t i = 0; i < size(); ++i) {
      const TreeBody<P>& body = tree_.bodies[i];
      const Link* parent = parent_of(i);
      Link& s = links_[i];
      Six x{base.dv - tree_.gravity, base.dw};
      if (parent != nullptr) {  // (2.1.13): q + sigma + sigma*; (2.1.13.1) or (2.2.5)
        x = parent->motion;
        T& along = parent_revolute(i) ? x.lower.z : x.upper.z;
        along = along + a[body.parent];
      }
      x = x + s.sigma;
      s.motion = {from_parent(i, x.upper + cross(x.lower, s.P_star)), from_parent(i, x.lower)};
      // (2.1.20): Zᵀ G_i F_i, for which only row Z of F_i = A* q + B* is needed.
      const std::array<T, 6>& row = s.A[Z(body)];
      const Vec3<T>&v = s.motion.upper, &w = s.motion.lower;
      const T F = row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z + entry(s.B, body.prismatic);
      a[i] = s.a = s.minus_inverse * F;
    }
  }

  BodyTree<P> tree_;
  NasserReaction reaction_;
  std::vector<Link> links_;
};

}  // namespace ulna::internal
