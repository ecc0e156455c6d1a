// The inertia matrix by composite bodies (Walker & Orin 1982) on (m, h, S), and its factors M = Lᵀ D L along the tree. O(n d), d the depth.
#pragma once

#include "dynamics/joint-inl.hpp"

namespace ulna::internal::kernel {

/// Every body alone, about its own origin: what composites begin with.
template <class P, Scalar T>
void own_composites(const PlanOf<P>& plan, WorkspaceOf<T>& ws) noexcept(kIsNumber<T>) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    BodyState<T>& s = ws.bodies[i];
    if (plan.bodies[i].still) {
      s.composite = s.own;
      continue;
    }
    const PseudoInertia<P>& own = plan.bodies[i].lumped;
    s.composite = {T(own.m), {T(own.h.x), T(own.h.y), T(own.h.z)}, {T(own.S.xx), T(own.S.yy), T(own.S.zz), T(own.S.xy), T(own.S.xz), T(own.S.yz)}};
  }
  if (plan.free) ws.base.composite = plan.lumped_base.template cast<T>();
}

/// The free base's own block, from the composite of the whole robot: J, [h]x and m.
template <Scalar T, class Entry>
void base_entries(const PseudoInertia<T>& c, Entry entry) {
  const Mat3<T> J = c.J().full();
  const T block[3][3] = {{J.xx, J.xy, J.xz}, {J.yx, J.yy, J.yz}, {J.zx, J.zy, J.zz}};
  const T hx[3][3] = {{T(0), -c.h.z, c.h.y}, {c.h.z, T(0), -c.h.x}, {-c.h.y, c.h.x, T(0)}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      entry(i, j) = block[i][j];
      entry(i, 3 + j) = entry(3 + j, i) = hx[i][j];
      entry(3 + i, 3 + j) = i == j ? c.m : T(0);
    }
  }
}

/// Transforms forces and moments, side by side, to another origin and axes by R and p.
template <class T>
void carry(const Mat3<T>& R, const Vec3<T>& p, std::size_t count, T* __restrict fx, T* __restrict fy, T* __restrict fz, T* __restrict nx, T* __restrict ny,
           T* __restrict nz) {
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3<T> f = R * Vec3<T>{fx[k], fy[k], fz[k]};
    const Vec3<T> n = R * Vec3<T>{nx[k], ny[k], nz[k]} + cross(p, f);
    fx[k] = f.x, fy[k] = f.y, fz[k] = f.z;
    nx[k] = n.x, ny[k] = n.y, nz[k] = n.z;
  }
}

/// mass_matrix_entries() of numbers, where subtrees are contiguous: the columns of their joints are transformed to the parent side by side.
template <class P, Scalar T>
void mass_matrix_columns(const PlanOf<P>& plan, WorkspaceOf<T>& ws, bool rotor, T* M, std::size_t down, std::size_t across) noexcept(kIsNumber<T>) {
  const auto entry = [=](std::size_t row, std::size_t column) -> T& { return M[row * down + column * across]; };
  const std::size_t bodies = plan.bodies.size(), first = plan.nv - bodies;
  T *const fx = ws.columns.data(), *const fy = fx + bodies, *const fz = fy + bodies, *const nx = fz + bodies, *const ny = nx + bodies, *const nz = ny + bodies;
  own_composites(plan, ws);
  for (std::size_t i = bodies; i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    const PseudoInertia<T>& c = s.composite;
    const std::size_t end = i + body.behind;
    if (body.prismatic) {
      fx[i] = T(0), fy[i] = T(0), fz[i] = c.m;
      nx[i] = c.h.y, ny[i] = -c.h.x, nz[i] = T(0);
    } else {
      fx[i] = -c.h.y, fy[i] = c.h.x, fz[i] = T(0);
      nx[i] = -c.S.xz, ny[i] = -c.S.yz, nz[i] = c.S.xx + c.S.yy;
    }
    const T* transmitted = body.prismatic ? fz : nz;
    for (std::size_t k = i; k < end; ++k) entry(first + k, first + i) = transmitted[k];
    for (std::size_t k = end; k < bodies; ++k) entry(first + k, first + i) = T(0);
    for (std::size_t k = i + 1; k < end; ++k) entry(first + i, first + k) = transmitted[k];
    for (std::size_t k = end; k < bodies; ++k) entry(first + i, first + k) = T(0);
    if (rotor) entry(first + i, first + i) = transmitted[i] + T(body.rotor);
    if (bolted(plan, body)) continue;
    const Mat3<T> R = rotation(body, s);
    const Vec3<T> p = s.p_PB;
    carry(R, p, body.behind, fx + i, fy + i, fz + i, nx + i, ny + i, nz + i);
    BodyState<T>& parent = ws.parent(body.parent);
    parent.composite = parent.composite + ulna::moved(c, R, p);
  }
  if (!plan.free) return;
  const T* rows[kFreeV] = {nx, ny, nz, fx, fy, fz};
  for (std::size_t k = 0; k < bodies; ++k)
    for (std::size_t row = 0; row < kFreeV; ++row) entry(row, first + k) = entry(first + k, row) = rows[row][k];
  base_entries(ws.base.composite, entry);
}

/// Needs place(). Writes every entry of M; rows are `down` apart, columns `across`.
template <class P, Scalar T>
void mass_matrix_entries(const PlanOf<P>& plan, WorkspaceOf<T>& ws, bool rotor, T* M, std::size_t down, std::size_t across) noexcept(kIsNumber<T>) {
  if constexpr (kIsNumber<T>) {
    if (!plan.bodies.empty() && plan.bodies.front().behind > 0) return mass_matrix_columns(plan, ws, rotor, M, down, across);
  }
  const auto entry = [=](std::size_t row, std::size_t column) -> T& { return M[row * down + column * across]; };
  for (std::size_t row = 0; row < plan.nv; ++row)
    for (std::size_t column = 0; column < plan.nv; ++column) entry(row, column) = T(0);
  own_composites(plan, ws);
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    const PlanBody<P>& body = plan.bodies[i];
    const BodyState<T>& s = ws.bodies[i];
    const PseudoInertia<T>& c = s.composite;
    // Momentum of the composite when joint i moves at unit rate, about Bo, in B.
    Vec3<T> f = body.prismatic ? Vec3<T>{T(0), T(0), c.m} : Vec3<T>{-c.h.y, c.h.x, T(0)};
    Vec3<T> n = body.prismatic ? Vec3<T>{c.h.y, -c.h.x, T(0)} : Vec3<T>{-c.S.xz, -c.S.yz, c.S.xx + c.S.yy};
    for (std::size_t j = i;;) {
      const PlanBody<P>& at = plan.bodies[j];
      T value = at.prismatic ? f.z : n.z;
      if (i == j && rotor) value = value + T(at.rotor);
      if (plan.coupled) {
        value = (body.multiplier * at.multiplier) * value;
        entry(body.v, at.v) = entry(body.v, at.v) + value;
        if (i != j) entry(at.v, body.v) = entry(at.v, body.v) + value;
      } else {
        entry(body.v, at.v) = value;
        entry(at.v, body.v) = value;
      }
      if (bolted(plan, at)) break;
      const Vec3<T> f_P = to_parent(at, ws.bodies[j], f);
      n = to_parent(at, ws.bodies[j], n) + cross(ws.bodies[j].p_PB, f_P);
      f = f_P;
      j = at.parent;
      if (j != kNone) continue;
      T column[kFreeV];
      write(n, f, column);
      for (std::size_t k = 0; k < kFreeV; ++k) entry(k, body.v) = entry(body.v, k) = plan.coupled ? entry(k, body.v) + body.multiplier * column[k] : column[k];
      break;
    }
    if (bolted(plan, body)) continue;
    BodyState<T>& parent = ws.parent(body.parent);
    parent.composite = parent.composite + to_parent(body, s, c);
  }
  if (plan.free) base_entries(ws.base.composite, entry);
}

template <class P, Scalar T>
void mass_matrix(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* M, std::size_t stride, bool rotor) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  mass_matrix_entries(plan, ws, rotor, M, 1, stride);
}

/// ws.M (row by row) becomes L below its diagonal, ws.d the inverse pivots. Only entries along the paths to the base are touched
/// (Featherstone's order: from the tips, no fill-in).
template <class P, Scalar T>
void factor(const PlanOf<P>& plan, WorkspaceOf<T>& ws) noexcept(kIsNumber<T>) {
  const auto M = [&](std::size_t row, std::size_t column) -> T& { return ws.M[row * plan.nv + column]; };
  const auto next = [&](std::size_t k) { return plan.mass_parent[k]; };
  for (std::size_t k = plan.nv; k-- > 0;) {
    const T inverse = T(1) / M(k, k);
    ws.d[k] = inverse;
    for (std::size_t i = next(k); i != kNone; i = next(i)) {
      const T l = M(k, i) * inverse;
      for (std::size_t j = i; j != kNone; j = next(j)) M(i, j) = M(i, j) - l * M(k, j);
      M(k, i) = l;
    }
  }
}

/// Solves Lᵀ D L x = x in place.
template <class P, Scalar T>
void solve(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, T* x) noexcept(kIsNumber<T>) {
  const auto L = [&](std::size_t row, std::size_t column) -> const T& { return ws.M[row * plan.nv + column]; };
  const auto next = [&](std::size_t k) { return plan.mass_parent[k]; };
  for (std::size_t k = plan.nv; k-- > 0;)
    for (std::size_t i = next(k); i != kNone; i = next(i)) x[i] = x[i] - L(k, i) * x[k];
  for (std::size_t k = 0; k < plan.nv; ++k) x[k] = x[k] * ws.d[k];
  for (std::size_t k = 0; k < plan.nv; ++k)
    for (std::size_t i = next(k); i != kNone; i = next(i)) x[k] = x[k] - L(k, i) * x[i];
}

/// M⁻¹, full and symmetric, column by column from the factors, through `entry(row, column)`. O(n² d).
template <class P, Scalar T, class Entry>
void inverse_from_factors(const PlanOf<P>& plan, WorkspaceOf<T>& ws, Entry entry) noexcept(kIsNumber<T>) {
  for (std::size_t column = 0; column < plan.nv; ++column) {
    for (std::size_t k = 0; k < plan.nv; ++k) ws.x[k] = T(k == column ? 1 : 0);
    solve(plan, ws, ws.x.data());
    for (std::size_t row = 0; row <= column; ++row) entry(row, column) = entry(column, row) = ws.x[row];
  }
}

template <class P, Scalar T>
void mass_inverse(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* inverse, std::size_t stride, bool rotor) noexcept(kIsNumber<T>) {
  place(plan, ws, q);
  mass_matrix_entries(plan, ws, rotor, ws.M.data(), plan.nv, 1);
  factor(plan, ws);
  inverse_from_factors(plan, ws, [&](std::size_t row, std::size_t column) -> T& { return inverse[row + column * stride]; });
}

}  // namespace ulna::internal::kernel
