// Kane's equations for closed chains.
//
// T. R. Kane, D. A. Levinson, "The use of Kane's dynamical equations in robotics", Int. J. Robotics Research 2(3), 1983, sec. 4; the paper's loops are by hand,
// for one robot. A loop that is cut at a joint leaves conditions on the speeds v_s of the tree's joints, J v = 0: of them m are independent, the generalized
// speeds u_r, and the others follow, v_s = Σ_r G_sr u_r. What is the coefficient of u_r then are the nonholonomic partial velocities
//   ω̃_r = Σ_s ω_s G_sr,  ṽ_r = Σ_s v_s G_sr
// and generalized inertia forces K̃_r* and active forces K̃_r are summed with them, as for a tree, in kane_generalized_forces().
//
//   here            meaning
//   G, gamma        v = G u and v̇ = G u̇ + γ
//   place           bodies in the base's axes
//
// J is made of the partial velocities of the two frames that meet in the joint, seen from the last body that both hang from, and γ of what their relative
// acceleration has besides u̇. Dependent speeds come by an elimination that chooses its rows by size where numbers have one, and takes those of the reference
// assembly where they are written down. Mimic joints are conditions, too, which are solved already: v_s = (multiplier) v_leader. O(n d) for J and O(n³) for G
// besides the tree's cost.
#pragma once

#include "formulation/kane.hpp"

namespace ulna::internal {

template <class P, class T>
class KaneLoops {
 public:
  explicit KaneLoops(const BodyTree<P>& tree)
      : m_(tree.loops->order.independent.size()), place_(tree.size()), G_(tree.size() * m_), gamma_(tree.size()), v_(tree.size()), a_(tree.size()) {}

  /// tau of u and u̇, which may be null for zero.
  void torque(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q, const T* u, const T* u_dot, T* tau, const Loads<T>& loads) {
    dependence(tree, ws, q);
    kane_gravity(tree, ws);
    for (std::size_t s = 0; s < tree.size(); ++s) {
      v_[s] = T(0);
      for (std::size_t r = 0; r < m_; ++r) v_[s] = v_[s] + G_[s * m_ + r] * u[r];
    }
    kane_motion(tree, ws, v_.data());
    remainder(tree, ws);
    kane_motion(tree, ws, v_.data(), gamma_.data(), loads.base);
    kane_change_speeds(tree, ws, G_);
    kane_generalized_forces(tree, ws, u_dot, tau, loads.links);
    for (std::size_t s = 0; s < tree.size(); ++s) {
      a_[s] = gamma_[s];
      for (std::size_t r = 0; u_dot != nullptr && r < m_; ++r) a_[s] = a_[s] + G_[s * m_ + r] * u_dot[r];
    }
  }
  void mass(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q, T* M) {
    dependence(tree, ws, q);
    kane_change_speeds(tree, ws, G_);
    kane_inertia(tree, ws, M);
  }

  // Of the last call: of the moving joints, and G joint by joint.
  const std::vector<T>& v() const { return v_; }
  const std::vector<T>& a() const { return a_; }
  const std::vector<T>& G() const { return G_; }

 private:
  /// A vector, or the place of a point, with its first two rates, in the base's axes.
  struct Moving {
    Vec3<T> x, rate, second;
  };
  static T rate_of(const Moving& a, const Moving& b) { return dot(a.rate, b.x) + dot(a.x, b.rate); }
  static T second_of(const Moving& a, const Moving& b) {
    const T mixed = dot(a.rate, b.rate);
    return dot(a.second, b.x) + (mixed + mixed) + dot(a.x, b.second);
  }

  /// How a body moves, in its own axes: by a partial velocity, or by all speeds.
  struct BodyMotion {
    Vec3<T> omega = kane_detail::zero<T>(), v = omega, alpha = omega, a = omega;
  };
  Moving fixed(std::size_t body, const BodyMotion& motion, const Vec3<P>& in_body) const {
    const Vec3<T> x = in_body.template cast<T>(), none = kane_detail::zero<T>();
    if (body == kNone) return {x, none, none};
    const Mat3<T>& R = place_[body].R;
    const Vec3<T> rate = cross(motion.omega, x);
    return {R * x, R * rate, R * Vec3<T>(cross(motion.alpha, x) + cross(motion.omega, rate))};
  }
  Moving point(std::size_t body, const BodyMotion& motion, const Vec3<P>& in_body) const {
    Moving at = fixed(body, motion, in_body);
    if (body == kNone) return at;
    const Pose<T>& X = place_[body];
    return {X.p + at.x, X.R * motion.v + at.rate, X.R * motion.a + at.second};
  }
  /// Calls take(a, b) for each condition a · b = const of a loop. Frames that meet do so in the axes of C.
  template <class Take>
  void conditions(const TreeLoop<P>& loop, const BodyMotion& of_A, const BodyMotion& of_B, const BodyMotion& of_C, const Take& take) const {
    const auto column = [](const Mat3<P>& R, int k) { return k == 0 ? Vec3<P>{R.xx, R.yx, R.zx} : k == 1 ? Vec3<P>{R.xy, R.yy, R.zy} : R.column_z(); };
    const auto in_A = [&](int k) { return fixed(loop.A, of_A, column(loop.X_A.R, k)); };
    const auto in_B = [&](int k) { return fixed(loop.B, of_B, column(loop.X_B.R, k)); };
    const Moving A = point(loop.A, of_A, loop.X_A.p), B = point(loop.B, of_B, loop.X_B.p);
    const Moving d{B.x - A.x, B.rate - A.rate, B.second - A.second};
    for (std::size_t k = 0; k < meeting_rows(loop.type); ++k) take(fixed(loop.C, of_C, {P(k == 0 ? 1 : 0), P(k == 1 ? 1 : 0), P(k == 2 ? 1 : 0)}), d);
    for (std::size_t k = 0; k < turning_rows(loop.type); ++k) take(in_A(k == 0 ? 0 : 1), in_B(k == 2 ? 0 : 2));
    for (std::size_t k = 0; k < sliding_rows(loop.type); ++k) take(in_A(loop.type == LoopType::planar ? 2 : static_cast<int>(k)), d);
  }

  /// Partial velocities of the tree, and G.
  void dependence(const BodyTree<P>& tree, KaneWorkspace<T>& ws, const T* q) {
    kane_partials(tree, ws, q);
    const TreeLoops<P>& loops = *tree.loops;
    const EliminationOrder& order = loops.order;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeBody<P>& joint = tree.bodies[i];
      const KaneBody<T>& body = ws.bodies[i];
      Mat3<T> R = joint.R_PB.template cast<T>();
      if (!joint.prismatic) {
        const T &c = body.sincos.cos, &s = body.sincos.sin;
        R = {R.xx * c + R.xy * s, R.xy * c - R.xx * s, R.xz, R.yx * c + R.yy * s, R.yy * c - R.yx * s, R.yz, R.zx * c + R.zy * s, R.zy * c - R.zx * s, R.zz};
      }
      place_[i] = {R, body.p_PB};
      if (joint.parent != kNone) place_[i] = {place_[joint.parent].R * R, place_[joint.parent].p + place_[joint.parent].R * body.p_PB};
    }
    const std::size_t n = loops.coordinates, r = order.rows.size();
    J_.clear();
    for (const TreeLoop<P>& loop : loops.loops) {
      const std::size_t first = J_.size();
      for (const std::size_t end : {loop.A, loop.B})
        for (std::size_t s = end; s != loop.C; s = tree.bodies[s].parent) {
          BodyMotion partial;
          partial.omega = ws.bodies[end].omega_r[s], partial.v = ws.bodies[end].v_origin_r[s];
          std::size_t row = first;
          conditions(loop, end == loop.A ? partial : BodyMotion{}, end == loop.B ? partial : BodyMotion{}, {}, [&](const Moving& a, const Moving& b) {
            if (row == J_.size()) J_.push_back(std::vector<T>(n, T(0)));
            T& entry = J_[row++][loops.coordinate[s]];
            entry = entry + loops.multiplier[s] * rate_of(a, b);
          });
        }
    }
    A_.assign(r, std::vector<T>(r, T(0)));
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t k = 0; k < r; ++k) A_[i][k] = J_[order.rows[i]][order.columns[k]];
    factor();
    std::vector<T> b(r, T(0)), x(n, T(0));
    for (std::size_t u = 0; u < m_; ++u) {
      for (std::size_t i = 0; i < r; ++i) b[i] = -J_[order.rows[i]][order.independent[u]];
      solve(b);
      for (std::size_t k = 0; k < m_; ++k) x[order.independent[k]] = T(k == u ? 1 : 0);
      for (std::size_t k = 0; k < r; ++k) x[order.columns[k]] = b[k];
      for (std::size_t s = 0; s < tree.size(); ++s) G_[s * m_ + u] = loops.multiplier[s] * x[loops.coordinate[s]];
    }
  }

  /// γ, from accelerations that the speeds alone make. Needs dependence() and kane_motion().
  void remainder(const BodyTree<P>& tree, const KaneWorkspace<T>& ws) {
    const TreeLoops<P>& loops = *tree.loops;
    const EliminationOrder& order = loops.order;
    const auto motion = [&](std::size_t body) {
      BodyMotion out;
      if (body == kNone) return out;
      const KaneBody<T>& b = ws.bodies[body];
      out.omega = b.omega, out.alpha = b.alpha_t, out.a = b.a_origin_t;
      for (const std::size_t s : ws.path[body]) out.v = out.v + v_[s] * b.v_origin_r[s];
      return out;
    };
    std::vector<T> c, b(order.rows.size(), T(0)), x(loops.coordinates, T(0));
    for (const TreeLoop<P>& loop : loops.loops)
      conditions(loop, motion(loop.A), motion(loop.B), motion(loop.C), [&](const Moving& p, const Moving& q) { c.push_back(second_of(p, q)); });
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = -c[order.rows[i]];
    solve(b);
    for (std::size_t k = 0; k < b.size(); ++k) x[order.columns[k]] = b[k];
    for (std::size_t s = 0; s < tree.size(); ++s) gamma_[s] = loops.multiplier[s] * x[loops.coordinate[s]];
  }

  /// A = L U, rows by size.
  void factor() {
    const std::size_t r = A_.size();
    row_.resize(r), inverse_.assign(r, T(0));
    for (std::size_t k = 0; k < r; ++k) row_[k] = k;
    for (std::size_t k = 0; k < r; ++k) {
      if constexpr (speeds_detail::Sized<T>)
        for (std::size_t i = k + 1; i < r; ++i)
          if (speeds_detail::magnitude(A_[row_[i]][k]) > speeds_detail::magnitude(A_[row_[k]][k])) std::swap(row_[i], row_[k]);
      const std::vector<T>& pivot = A_[row_[k]];
      inverse_[k] = T(1) / pivot[k];
      for (std::size_t i = k + 1; i < r; ++i) {
        std::vector<T>& row = A_[row_[i]];
        row[k] = row[k] * inverse_[k];
        for (std::size_t j = k + 1; j < r; ++j) row[j] = row[j] - row[k] * pivot[j];
      }
    }
  }
  void solve(std::vector<T>& b) const {
    const std::size_t r = A_.size();
    std::vector<T> x(r, T(0));
    for (std::size_t i = 0; i < r; ++i) {
      x[i] = b[row_[i]];
      for (std::size_t j = 0; j < i; ++j) x[i] = x[i] - A_[row_[i]][j] * x[j];
    }
    for (std::size_t i = r; i-- > 0;) {
      for (std::size_t j = i + 1; j < r; ++j) x[i] = x[i] - A_[row_[i]][j] * x[j];
      x[i] = inverse_[i] * x[i];
    }
    b = std::move(x);
  }

  std::size_t m_;
  std::vector<Pose<T>> place_;
  std::vector<std::vector<T>> J_, A_;  // conditions by coordinates of the tree; those that are eliminated, then their factors
  std::vector<std::size_t> row_;
  std::vector<T> inverse_;  // of the pivots
  std::vector<T> G_, gamma_, v_, a_;
};

}  // namespace ulna::internal
