// What the formulations of one paper share: joint matrices, inertias, and the recursion of velocities and accelerations.
//
// J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity",
// IEEE Transactions on Systems, Man, and Cybernetics, vol. SMC-10, no. 11, pp. 730-736, November 1980. Equation numbers are those of that paper.
//
// Frames are the standard Denavit-Hartenberg ones of DhChain: frame i is fixed in link i, at its far end, and z_{i-1} is the axis of joint i. Links and
// joints are counted from 1 as in the paper, 0 being the base; only q[i-1] and rows[i-1] show that C++ counts otherwise. Homogeneous vectors carry their
// 1 in front: (1, x, y, z).
//
// How the paper counts: economies "should be explicit in the formulation rather than implicit in the programming", so no product with a 0 or 1 inside a
// matrix is skipped (as_variables), while products with W_0 = I and sums with the nothing behind the last link are. The entries of A, ∂A/∂q and ∂²A/∂q²
// themselves are not counted (NotCounted). Only the counting scalar sees the difference.
#pragma once

#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"
#include "scalar/counted.hpp"

#include "formulation/as_variable.hpp"
#include "formulation/loads.hpp"
#include "formulation/mat4.hpp"
#include "formulation/paper_quantity.hpp"

namespace ulna::internal::hollerbach {

// --- 3x3 matrices as a whole ---------------------------------------------------------------------------------------------------------------------

/// 9 add.
template <class T>
Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy, a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
/// 9 mul.
template <class T>
Mat3<T> operator*(const T& s, const Mat3<T>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy, s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
/// The column a times the row b. 9 mul.
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}
/// 2 add.
template <class T>
T trace(const Mat3<T>& a) {
  return a.xx + a.yy + a.zz;
}

template <class T, class P>
Vec3<T> as_variables(const Vec3<P>& v) {
  return {as_variable(T(v.x)), as_variable(T(v.y)), as_variable(T(v.z))};
}
template <class T, class P>
Mat3<T> as_variables(const Mat3<P>& m) {
  return {as_variable(T(m.xx)), as_variable(T(m.xy)), as_variable(T(m.xz)), as_variable(T(m.yx)), as_variable(T(m.yy)),
          as_variable(T(m.yz)), as_variable(T(m.zx)), as_variable(T(m.zy)), as_variable(T(m.zz))};
}
template <class T, class P>
Vec4<T> as_variables(const Vec4<P>& v) {
  return {as_variable(T(v[0])), as_variable(T(v[1])), as_variable(T(v[2])), as_variable(T(v[3]))};
}
template <class T, class P>
Mat4<T> as_variables(const Mat4<P>& m) {
  Mat4<T> to;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) to(i, j) = as_variable(T(m(i, j)));
  return to;
}

// --- links ---------------------------------------------------------------------------------------------------------------------------------------

/// ∫ h hᵀ dm over the link, h from the origin of its frame: the paper's 3x3 J_i (appendix A). With I about the mass centre and r* the mass centre it
/// is (tr(I)/2) E - I + m r* r*ᵀ, so no mass is divided by.
template <class P>
Sym3<P> second_moments(const DhRow<P>& row) {
  const Sym3<P>& I = row.inertia;
  const Vec3<P> n = row.mass * row.com;
  const P half_trace = P(0.5) * I.trace();
  return {half_trace - I.xx + n.x * row.com.x,
          half_trace - I.yy + n.y * row.com.y,
          half_trace - I.zz + n.z * row.com.z,
          n.x * row.com.y - I.xy,
          n.x * row.com.z - I.xz,
          n.y * row.com.z - I.yz};
}

/// A link as eqs 4 to 14 see it.
template <class T>
struct Link4 {
  Mat4<T> J;  // ∫ (1, h)ᵀ(1, h) dm: mass, first and second moments about the origin of frame i
  T m{};
  Vec4<T> r;  // mass centre (1, x, y, z) in frame i
};
template <class T, class P>
Link4<T> make_link4(const DhRow<P>& row) {
  const Vec3<P> n = row.mass * row.com;
  const Sym3<P> S = second_moments(row);
  const Mat4<P> J{{{{row.mass, n.x, n.y, n.z}, {n.x, S.xx, S.xy, S.xz}, {n.y, S.xy, S.yy, S.yz}, {n.z, S.xz, S.yz, S.zz}}}};
  const Vec4<P> r{{P(1), row.com.x, row.com.y, row.com.z}};
  return {as_variables<T>(J), as_variable(T(row.mass)), as_variables<T>(r)};
}
template <class T, class P>
std::vector<Link4<T>> make_links4(const DhChain<P>& chain) {
  std::vector<Link4<T>> links;
  for (const DhRow<P>& row : chain.rows) links.push_back(make_link4<T>(row));
  return links;
}
/// Gravity as a homogeneous vector: a direction has a 0 in front.
template <class T, class P>
Vec4<T> gravity4(const DhChain<P>& chain) {
  const Vec3<P>& g = chain.gravity_0;
  return as_variables<T>(Vec4<P>{{P(0), g.x, g.y, g.z}});
}

// --- joints --------------------------------------------------------------------------------------------------------------------------------------

/// A_i of eq. 2 with its first and second derivative by the joint variable; M is Mat4 or Mat3.
template <class M>
struct JointMatrices {
  M A, dA, d2A;
};

/// A row at q: sine and cosine of θ, and s; θ or s is the joint variable.
template <class T>
struct Place {
  T cos_theta{}, sin_theta{}, s{};
};
template <class P, class T>
Place<T> place(const DhRow<P>& row, const T& q) {
  if (row.prismatic) return {T(row.cos_theta), T(row.sin_theta), row.d + q};
  const SinCos<T> theta = sincos(q, row.theta);
  return {theta.cos, theta.sin, T(row.d)};
}

/// The rotation from frame i to frame i-1. 4 mul.
template <class P, class T>
Mat3<T> rotation(const DhRow<P>& row, const Place<T>& at) {
  const T &c = at.cos_theta, &s = at.sin_theta;
  return {c,    -(row.cos_alpha * s), row.sin_alpha * s,     //
          s,    row.cos_alpha * c,    -(row.sin_alpha * c),  //
          T(0), T(row.sin_alpha),     T(row.cos_alpha)};
}
/// p*_i in frame i: from the origin of frame i-1 to that of frame i. 2 mul.
template <class P, class T>
Vec3<T> offset(const DhRow<P>& row, const Place<T>& at) {
  return {T(row.a), row.sin_alpha * at.s, row.cos_alpha * at.s};
}

/// Eq. 2 and its derivatives. A rotation by θ takes the rows (x, y) of A to (-y, x); a slide has one entry in ∂A/∂q and none in ∂²A/∂q².
template <class P, class T>
JointMatrices<Mat4<T>> joint_matrices4(const DhRow<P>& row, const T& q) {
  [[maybe_unused]] const NotCounted<T> entries{};
  const Place<T> at = place(row, q);
  const Mat3<T> R = rotation(row, at);
  const T zero = T(0), one = T(1);
  const std::array<T, 4> nothing{zero, zero, zero, zero};
  const std::array<T, 4> x{row.a * at.cos_theta, R.xx, R.xy, R.xz}, minus_x{-x[0], -x[1], -x[2], -x[3]};
  const std::array<T, 4> y{row.a * at.sin_theta, R.yx, R.yy, R.yz}, minus_y{-y[0], -y[1], -y[2], -y[3]};
  const Mat4<T> A{{{{one, zero, zero, zero}, x, y, {at.s, R.zx, R.zy, R.zz}}}};
  const Mat4<T> turn{{{nothing, minus_y, x, nothing}}}, turn2{{{nothing, minus_x, minus_y, nothing}}};
  const Mat4<T> slide{{{nothing, nothing, nothing, {one, zero, zero, zero}}}}, slide2{{{nothing, nothing, nothing, nothing}}};
  return {as_variables<T>(A), as_variables<T>(row.prismatic ? slide : turn), as_variables<T>(row.prismatic ? slide2 : turn2)};
}

/// The same for rotations alone. A slide has no rotation: its derivatives are structural zeros, and nothing is counted for them.
template <class P, class T>
JointMatrices<Mat3<T>> joint_matrices3(const DhRow<P>& row, const Place<T>& at) {
  [[maybe_unused]] const NotCounted<T> entries{};
  const Mat3<T> R = rotation(row, at);
  const T zero = T(0);
  const Mat3<T> none{zero, zero, zero, zero, zero, zero, zero, zero, zero};
  if (row.prismatic) return {as_variables<T>(R), none, none};
  const Mat3<T> turn{-R.yx, -R.yy, -R.yz, R.xx, R.xy, R.xz, zero, zero, zero};
  const Mat3<T> turn2{-R.xx, -R.xy, -R.xz, -R.yx, -R.yy, -R.yz, zero, zero, zero};
  return {as_variables<T>(R), as_variables<T>(turn), as_variables<T>(turn2)};
}

// --- backward recursion --------------------------------------------------------------------------------------------------------------------------

/// W_j, the transform from frame j to the base, with its time derivatives.
template <class M>
struct Motion {
  M W, W_dot, W_ddot;
};

/// The base at rest: W_0 = I, as literals, so that products with it cost nothing.
template <class M, class T>
Motion<M> motion_of_base() {
  const M zero = T(0) * M::identity();
  return {M::identity(), zero, zero};
}

/// [w]x, as a function of w.
template <class T>
Mat3<T> cross_matrix(const Vec3<T>& w) {
  const T o = T(0);
  return {o, -w.z, w.y, w.z, o, -w.x, -w.y, w.x, o};
}

/// 3x3 entries behind the 1 of homogeneous vectors, `first` in the column of that 1, zeros in its row.
template <class T>
Mat4<T> homogeneous(const Vec3<T>& first, const Mat3<T>& A) {
  const T o = T(0);
  return {{{{o, o, o, o}, {first.x, A.xx, A.xy, A.xz}, {first.y, A.yx, A.yy, A.yz}, {first.z, A.zx, A.zy, A.zz}}}};
}

// Beyond the paper: a base that moves, and loads on the links. Eq. 6 is d'Alembert's principle, tr(∂W_j/∂q_i J_j W_ddot_jᵀ) being the work of link j's inertia
// forces when q_i changes, so it holds for whatever motion W_ddot describes: a base that moves is W_dot_0 = [w]x and W_ddot_0 = [dw]x + [w]x² in eqs 9 and 10,
// seen from an inertial frame in which it stands at W_0 = I at this instant, its origin without velocity. Forces f_k at the points r_k of link j work
// tr(∂W_j/∂q_i P_jᵀ), P_j = Σ f_k r_kᵀ, f in frame 0 and r in frame j. So P_j of what link j exerts on the environment is added to W_ddot_j J_j.

template <class M, class T>
Motion<M> motion_of_base(const Loads<T>& loads) {
  Motion<M> motion = motion_of_base<M, T>();
  if (!loads.base) return motion;
  const Mat3<T> w = cross_matrix(loads.base->w), w_ddot = cross_matrix(loads.base->dw) + w * w;
  if constexpr (std::is_same_v<M, Mat4<T>>) {
    motion.W_dot = homogeneous(zero_vector<T>(), w);
    motion.W_ddot = homogeneous(loads.base->dv, w_ddot);
  } else {
    motion.W_dot = w;
    motion.W_ddot = w_ddot;
  }
  return motion;
}

/// P_j of the opposite of a load, whose force acts at the origin of frame j. A couple n has P = [n]x W / 2, and [W N]x W is W [N]x.
template <class T>
Mat4<T> load_matrix(const Mat4<T>& W, const LinkLoad<T>& load) {
  return W * homogeneous(-load.F, T(-0.5) * cross_matrix(load.N));
}
/// The same without the column of the force.
template <class T>
Mat3<T> load_matrix(const Mat3<T>& W, const LinkLoad<T>& load) {
  return W * (T(-0.5) * cross_matrix(load.N));
}

/// Eqs 8, 9 and 10: link j from link j-1. W_{j-1} ∂A_j/∂q_j is formed in 9 and again in 10, as set forth.
/// 4x4: 514 mul, 400 add (49 and 16 for link 1). 3x3: 227 mul, 162 add (28 and 9).
template <class M, class T>
Motion<M> next_motion(const Motion<M>& before, bool at_rest, const JointMatrices<M>& joint, const T& v, const T& a) {
  const T twice_v = at_rest ? T(0) : T(2) * v;                 // a base at rest has no terms to double
  return {before.W * joint.A,                                  // (8)
          before.W_dot * joint.A + v * (before.W * joint.dA),  // (9)
          before.W_ddot * joint.A + twice_v * (before.W_dot * joint.dA) + (v * v) * (before.W * joint.d2A) + a * (before.W * joint.dA)};  // (10)
}

// --- names ---------------------------------------------------------------------------------------------------------------------------------------

/// Shows A_i, ∂A_i/∂q_i, W_i and its derivatives of link i, in the order of eqs 2 and 8 to 10.
template <class M, class T>
void show_motion(const PaperQuantities<T>& show, std::size_t i, const JointMatrices<M>& joint, const Motion<M>& motion) {
  static constexpr PaperSymbol A{"A", "transform from frame i to frame i-1", "", "2"}, dA{"dA", "its derivative to q(i)", "", "9"},
      d2A{"ddA", "its second derivative to q(i)", "", "10"}, W{"W", "transform from frame i to the base", "W(i-1) A(i)", "8"},
      W_dot{"W", "its rate", "W(i-1)' A(i) + W(i-1) dA(i) q(i)'", "9", 1},
      W_ddot{"W", "its second derivative in time", "W(i-1)'' A(i) + 2 W(i-1)' dA(i) q(i)' + W(i-1) ddA(i) q(i)'^2 + W(i-1) dA(i) q(i)''", "10", 2};
  show(A, {i}, joint.A);
  show(dA, {i}, joint.dA);
  show(d2A, {i}, joint.d2A);
  show(W, {i}, motion.W);
  show(W_dot, {i}, motion.W_dot);
  show(W_ddot, {i}, motion.W_ddot);
}

}  // namespace ulna::internal::hollerbach
