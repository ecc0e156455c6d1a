// Robots with loops, on any scalar: speeds and accelerations of the tree follow from the independent ones, v_tree = G(q) v and a_tree = G a + γ, and what the
// tree's joints would need is gathered at the independent ones, tau = Gᵀ tau_tree (Kane & Levinson 1983, sec. 4: nonholonomic partial velocities). Dependent
// speeds come by an elimination of fixed order: no pivot is chosen while it runs, so that programs can be made of it, and pivots are among the results of
// closure, for the caller to test. O(conditions · nv) besides the tree's own cost.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/centroidal-inl.hpp"
#include "dynamics/coriolis-inl.hpp"
#include "dynamics/inverse-inl.hpp"
#include "dynamics/kinematics-inl.hpp"
#include "dynamics/loops-inl.hpp"
#include "dynamics/mass-inl.hpp"
#include "dynamics/regressor-inl.hpp"

namespace ulna::internal::kernel {

/// J_D, then its inverse: up to three rows by determinants, more of them by L U.
template <class P, Scalar T>
void eliminate(const PlanOf<P>& plan, ClosedSpaceOf<T>& s) noexcept(kIsNumber<T>) {
  const std::size_t r = plan.order.rows.size();
  const auto at = [&](std::size_t i, std::size_t k) -> T& { return s.A[i * r + k]; };
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t k = 0; k < r; ++k) at(i, k) = s.J[plan.order.rows[i] * plan.nv + plan.order.columns[k]];
  if (r == 0) return;
  if (r > kMostByDeterminants) {
    for (std::size_t k = 0; k < r; ++k) {
      s.pivots[k] = at(k, k);
      s.inverse[k] = T(1) / at(k, k);
      for (std::size_t i = k + 1; i < r; ++i) {
        at(i, k) = at(i, k) * s.inverse[k];
        for (std::size_t j = k + 1; j < r; ++j) at(i, j) = at(i, j) - at(i, k) * at(k, j);
      }
    }
    return;
  }
  T adjugate[kMostByDeterminants * kMostByDeterminants];
  if (r == 1) {
    adjugate[0] = T(1);
  } else if (r == 2) {
    adjugate[0] = at(1, 1), adjugate[1] = -at(0, 1), adjugate[2] = -at(1, 0), adjugate[3] = at(0, 0);
  } else {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        adjugate[k * 3 + i] = at(i1, k1) * at(i2, k2) - at(i1, k2) * at(i2, k1);
      }
  }
  T determinant = T(0);
  for (std::size_t k = 0; k < r; ++k) determinant = determinant + at(0, k) * adjugate[k * r];
  s.pivots[0] = determinant;
  const T inverse = T(1) / determinant;
  for (std::size_t k = 0; k < r * r; ++k) s.A[k] = inverse * adjugate[k];
}

/// s.mu becomes J_D⁻¹ mu, or J_D⁻ᵀ mu.
template <class P, Scalar T>
void solve_loops(const PlanOf<P>& plan, ClosedSpaceOf<T>& s, bool transposed) noexcept(kIsNumber<T>) {
  const std::size_t r = plan.order.rows.size();
  auto& x = s.mu;
  const auto at = [&](std::size_t i, std::size_t k) -> const T& { return s.A[i * r + k]; };
  if (r <= kMostByDeterminants) {
    T sums[kMostByDeterminants];
    for (std::size_t i = 0; i < r; ++i) {
      sums[i] = T(0);
      for (std::size_t k = 0; k < r; ++k) sums[i] = sums[i] + (transposed ? at(k, i) : at(i, k)) * x[k];
    }
    for (std::size_t i = 0; i < r; ++i) x[i] = sums[i];
  } else if (!transposed) {
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < i; ++j) x[i] = x[i] - at(i, j) * x[j];
    for (std::size_t i = r; i-- > 0;) {
      for (std::size_t j = i + 1; j < r; ++j) x[i] = x[i] - at(i, j) * x[j];
      x[i] = s.inverse[i] * x[i];
    }
  } else {
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] = x[i] - at(j, i) * x[j];
      x[i] = s.inverse[i] * x[i];
    }
    for (std::size_t i = r; i-- > 0;)
      for (std::size_t j = i + 1; j < r; ++j) x[i] = x[i] - at(j, i) * x[j];
  }
}

/// Conditions, their Jacobian and J_D⁻¹ at a configuration of the tree.
template <class P, Scalar T>
void resolve_loops(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  const T* none = nullptr;
  T* nothing = nullptr;
  loop_equations(plan, ws, none, ws.closed.phi.data(), ws.closed.J.data(), nothing, ws.closed);
  eliminate(plan, ws.closed);
}

/// J_D x_D = -J_I x_I - c: all of x from its independent numbers, and zeros where these are null. c is null for none.
template <class P, Scalar T>
void complete(const PlanOf<P>& plan, ClosedSpaceOf<T>& s, const T* independent, const T* c, T* x) noexcept(kIsNumber<T>) {
  const EliminationOrder& order = plan.order;
  for (std::size_t i = 0; i < order.rows.size(); ++i) {
    T sum = c == nullptr ? T(0) : -c[order.rows[i]];
    for (std::size_t k = 0; independent != nullptr && k < order.independent.size(); ++k)
      sum = sum - s.J[order.rows[i] * plan.nv + order.independent[k]] * independent[k];
    s.mu[i] = sum;
  }
  solve_loops(plan, s, false);
  for (std::size_t k = 0; k < order.columns.size(); ++k) x[order.columns[k]] = s.mu[k];
  for (std::size_t k = 0; k < order.independent.size(); ++k) x[order.independent[k]] = independent == nullptr ? T(0) : independent[k];
}

/// v_tree = G v, in s.v. Needs resolve_loops().
template <class P, Scalar T>
const T* complete_speeds(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v) noexcept(kIsNumber<T>) {
  if (v == nullptr) return nullptr;
  const T* none = nullptr;
  complete(plan, ws.closed, v, none, ws.closed.v.data());
  return ws.closed.v.data();
}

/// a_tree = G a + γ, in s.a; γ is what speeds make. Needs complete_speeds().
template <class P, Scalar T>
const T* complete_accelerations(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v_tree, const T* a) noexcept(kIsNumber<T>) {
  if (v_tree == nullptr && a == nullptr) return nullptr;
  ClosedSpaceOf<T>& s = ws.closed;
  T* nothing = nullptr;
  const T* c = nullptr;
  if (v_tree != nullptr) loop_equations(plan, ws, v_tree, nothing, nothing, s.c.data(), s), c = s.c.data();
  complete(plan, s, a, c, s.a.data());
  return s.a.data();
}

/// Gᵀ x.
template <class P, Scalar T>
void gather(const PlanOf<P>& plan, ClosedSpaceOf<T>& s, const T* x, T* out) noexcept(kIsNumber<T>) {
  const EliminationOrder& order = plan.order;
  for (std::size_t k = 0; k < order.columns.size(); ++k) s.mu[k] = x[order.columns[k]];
  solve_loops(plan, s, true);
  for (std::size_t k = 0; k < order.independent.size(); ++k) {
    T sum = x[order.independent[k]];
    for (std::size_t i = 0; i < order.rows.size(); ++i) sum = sum - s.J[order.rows[i] * plan.nv + order.independent[k]] * s.mu[i];
    out[k] = sum;
  }
}

/// s.G, column by column.
template <class P, Scalar T>
void dependence(const PlanOf<P>& plan, ClosedSpaceOf<T>& s) noexcept(kIsNumber<T>) {
  const std::size_t m = plan.order.independent.size();
  const T* none = nullptr;
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < m; ++i) s.b[i] = T(i == k ? 1 : 0);
    complete(plan, s, s.b.data(), none, s.G.data() + k * plan.nv);
  }
}

/// X G of a matrix of the tree with `rows` rows, column by column.
template <class P, Scalar T>
void times_dependence(const PlanOf<P>& plan, ClosedSpaceOf<T>& s, const T* X, std::size_t rows, T* out, std::size_t stride) noexcept(kIsNumber<T>) {
  for (std::size_t k = 0; k < plan.order.independent.size(); ++k)
    for (std::size_t i = 0; i < rows; ++i) {
      T sum = T(0);
      for (std::size_t j = 0; j < plan.nv; ++j) sum = sum + X[i + j * rows] * s.G[j + k * plan.nv];
      out[i + k * stride] = sum;
    }
}

/// GᵀMG, full. Needs resolve_loops(); makes s.G.
template <class P, Scalar T>
void closed_mass(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* out, std::size_t stride, bool rotor) noexcept(kIsNumber<T>) {
  ClosedSpaceOf<T>& s = ws.closed;
  const std::size_t n = plan.nv, m = plan.order.independent.size();
  kernel::mass_matrix(plan, ws, q, s.tree.data(), n, rotor);
  dependence(plan, s);
  for (std::size_t l = 0; l < m; ++l) {
    for (std::size_t i = 0; i < n; ++i) {
      s.x[i] = T(0);
      for (std::size_t j = 0; j < n; ++j) s.x[i] = s.x[i] + s.tree[i * n + j] * s.G[j + l * n];
    }
    for (std::size_t k = 0; k <= l; ++k) {
      T sum = T(0);
      for (std::size_t i = 0; i < n; ++i) sum = sum + s.G[i + k * n] * s.x[i];
      out[k * stride + l] = out[l * stride + k] = sum;
    }
  }
}

/// M, of m rows, becomes its factors L D Lᵀ, which need no choice of pivots, with one over D on the diagonal.
template <Scalar T>
void factor_full(std::size_t m, T* M) noexcept(kIsNumber<T>) {
  for (std::size_t k = 0; k < m; ++k) {
    M[k * m + k] = T(1) / M[k * m + k];
    for (std::size_t i = k + 1; i < m; ++i) {
      const T factor = M[i * m + k] * M[k * m + k];
      for (std::size_t j = k + 1; j <= i; ++j) M[i * m + j] = M[i * m + j] - factor * M[j * m + k];
    }
  }
}

/// M x = b in place, by those factors.
template <Scalar T>
void solve_full(std::size_t m, const T* M, T* x) noexcept(kIsNumber<T>) {
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = k + 1; i < m; ++i) x[i] = x[i] - (M[i * m + k] * M[k * m + k]) * x[k];
  for (std::size_t k = m; k-- > 0;) {
    x[k] = M[k * m + k] * x[k];
    for (std::size_t i = k + 1; i < m; ++i) x[k] = x[k] - M[k * m + k] * (M[i * m + k] * x[i]);
  }
}

template <class P, Scalar T>
void closed_inverse(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* tau, const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  resolve_loops(plan, ws, q);
  const T* v_tree = complete_speeds(plan, ws, v);
  const T* a_tree = complete_accelerations(plan, ws, v_tree, a);
  kernel::inverse_dynamics(plan, ws, q, v_tree, a_tree, ws.closed.x.data(), effects);
  gather(plan, ws.closed, ws.closed.x.data(), tau);
}

template <class P, Scalar T>
void closed_forward(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* a, const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  const std::size_t m = plan.order.independent.size();
  const T* none = nullptr;
  closed_inverse(plan, ws, q, v, none, a, effects);
  for (std::size_t k = 0; k < m; ++k) a[k] = tau == nullptr ? -a[k] : tau[k] - a[k];
  closed_mass(plan, ws, q, ws.closed.M.data(), m, effects.rotor);
  factor_full(m, ws.closed.M.data());
  solve_full(m, ws.closed.M.data(), a);
}

template <class P, Scalar T>
void closed_mass_inverse(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* out, std::size_t stride, bool rotor) noexcept(kIsNumber<T>) {
  const std::size_t m = plan.order.independent.size();
  resolve_loops(plan, ws, q);
  closed_mass(plan, ws, q, ws.closed.M.data(), m, rotor);
  factor_full(m, ws.closed.M.data());
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < m; ++i) out[i + k * stride] = T(i == k ? 1 : 0);
    solve_full(m, ws.closed.M.data(), out + k * stride);
  }
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i < k; ++i) out[k + i * stride] = out[i + k * stride];
}

/// Gᵀ (C G + M Ġ), which keeps Ṁ - 2 C skew; rotors of dependent joints are in it, because their speeds are not proportional to v. Column k of Ġ is -J_D⁻¹ c(v,
/// G e_k): c is a quadratic form in speeds, whose bilinear form is a quarter of the difference of c at the sum and at the difference of its two speeds.
template <class P, Scalar T>
void closed_coriolis(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, T* out, std::size_t stride, bool rotor) noexcept(kIsNumber<T>) {
  ClosedSpaceOf<T>& s = ws.closed;
  const std::size_t n = plan.nv, m = plan.order.independent.size();
  resolve_loops(plan, ws, q);
  const T* v_tree = complete_speeds(plan, ws, v);
  T *C = s.tree.data(), *M = C + n * n, *nothing = nullptr;
  kernel::coriolis_matrix(plan, ws, q, v_tree, C, n);
  kernel::mass_matrix(plan, ws, q, M, n, rotor);
  dependence(plan, s);
  const T* none = nullptr;
  for (std::size_t k = 0; k < m; ++k) {
    const T* g = s.G.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) s.x[i] = T(0);
    if (v_tree != nullptr) {
      for (std::size_t i = 0; i < n; ++i) s.a[i] = v_tree[i] + g[i];
      loop_equations(plan, ws, s.a.data(), nothing, nothing, s.c.data(), s);
      for (std::size_t i = 0; i < n; ++i) s.a[i] = v_tree[i] - g[i];
      loop_equations(plan, ws, s.a.data(), nothing, nothing, s.phi.data(), s);
      for (std::size_t i = 0; i < plan.conditions; ++i) s.c[i] = T(0.25) * (s.c[i] - s.phi[i]);
      complete(plan, s, none, s.c.data(), s.a.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) s.x[i] = s.x[i] + M[i * n + j] * s.a[j] + C[i + j * n] * g[j];
    }
    gather(plan, s, s.x.data(), out + k * stride);
  }
}

/// Speeds and accelerations of all joints; and what the loops exert. Torques that dependent joints of the open tree would need are what the conditions do
/// there, J_Dᵀ mu: mu is along d of meeting points, along the normals of right angles, and along the axes that sliding leaves out. Redundant conditions have
/// none.
template <class P, Scalar T>
void loop_motion(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* out, const EffectsOf<T>& effects) noexcept(kIsNumber<T>) {
  ClosedSpaceOf<T>& s = ws.closed;
  closed_inverse(plan, ws, q, v, a, s.b.data(), effects);  // leaves mu, s.v and s.a
  for (std::size_t k = 0; k < plan.nv; ++k) *out++ = v == nullptr ? T(0) : s.v[k];
  for (std::size_t k = 0; k < plan.nv; ++k) *out++ = v == nullptr && a == nullptr ? T(0) : s.a[k];
  for (T& x : s.phi) x = T(0);
  for (std::size_t i = 0; i < plan.order.rows.size(); ++i) s.phi[plan.order.rows[i]] = s.mu[i];
  const T* none = nullptr;
  for (const LoopRowsOf<P>& loop : plan.loops) {
    const LoopEndOf<T> A = follow(plan, ws, loop.to_A, loop.X_A, none, s);
    const LoopEndOf<T> B = follow(plan, ws, loop.to_B, loop.X_B, none, s);
    Vec3<T> force{T(0), T(0), T(0)}, moment = force;  // in C
    const T* mu = s.phi.data() + loop.first;
    if (meeting_rows(loop.type) == 3) force = {mu[0], mu[1], mu[2]}, mu += 3;
    for (std::size_t k = 0; k < turning_rows(loop.type); ++k)
      moment = moment + *mu++ * cross(k == 2 ? column_x(B.X.R) : B.X.R.column_z(), k == 0 ? column_x(A.X.R) : column_y(A.X.R));
    for (std::size_t k = 0; k < sliding_rows(loop.type); ++k)
      force = force + *mu++ * (loop.type == LoopType::planar ? A.X.R.column_z() : k == 0 ? column_x(A.X.R) : column_y(A.X.R));
    for (const Vec3<T>& part : {Vec3<T>(tmul(A.X.R, force)), Vec3<T>(tmul(A.X.R, moment))}) *out++ = part.x, *out++ = part.y, *out++ = part.z;
  }
}

/// Dependent positions after a step of Newton's method, at their places in q; conditions; pivots.
template <class P, Scalar T>
void closure(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* out) noexcept(kIsNumber<T>) {
  ClosedSpaceOf<T>& s = ws.closed;
  resolve_loops(plan, ws, q);
  for (std::size_t i = 0; i < plan.order.rows.size(); ++i) s.mu[i] = s.phi[plan.order.rows[i]];
  solve_loops(plan, s, false);
  for (std::size_t k = 0; k < plan.nq; ++k) out[k] = q[k];
  for (std::size_t k = 0; k < plan.order.columns.size(); ++k) {
    const std::size_t at = plan.position_of(plan.order.columns[k]);
    out[at] = q[at] - s.mu[k];
  }
  out += plan.nq;
  for (const T& x : s.phi) *out++ = x;
  out = opposed(plan, ws, out, s);
  for (const T& x : s.pivots) *out++ = x;
}

}  // namespace ulna::internal::kernel
