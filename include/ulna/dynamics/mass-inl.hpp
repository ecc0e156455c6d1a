// The inertia matrix by composite bodies (Walker & Orin 1982) on (m, h, S), and its factors M = Lᵀ D L along the tree. O(n d), d the depth.
#pragma once

#include <ulna/dynamics/joint-inl.hpp>

namespace ulna::kernel {

/// Every body alone, about its own origin: what composites begin with.
template <class P, Scalar T>
void own_composites(const PlanOf<P>& plan, WorkspaceOf<T>& ws) noexcept {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PseudoInertia<P>& own = plan.bodies[i].lumped;
    ws.bodies[i].composite = {T(own.m), {T(own.h.x), T(own.h.y), T(own.h.z)}, {T(own.S.xx), T(own.S.yy), T(own.S.zz), T(own.S.xy), T(own.S.xz), T(own.S.yz)}};
  }
}

/// Needs place(). Writes every entry of M through `entry(row, column)`, which must return a reference.
template <class P, Scalar T, class Entry>
void mass_matrix_entries(const PlanOf<P>& plan, WorkspaceOf<T>& ws, bool rotor, Entry entry) noexcept {
  for (int row = 0; row < plan.nv; ++row)
    for (int column = 0; column < plan.nv; ++column) entry(row, column) = T(0);
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
      if (at.parent < 0) break;
      const Vec3<T> f_P = to_parent(at, ws.bodies[j], f);
      n = to_parent(at, ws.bodies[j], n) + cross(ws.bodies[j].p_PB, f_P);
      f = f_P;
      j = static_cast<std::size_t>(at.parent);
    }
    if (body.parent < 0) continue;
    BodyState<T>& parent = ws.bodies[static_cast<std::size_t>(body.parent)];
    parent.composite = parent.composite + to_parent(body, s, c);
  }
}

template <class P, Scalar T>
void mass_matrix(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* M, std::size_t stride, bool rotor) noexcept {
  place(plan, ws, q);
  mass_matrix_entries(plan, ws, rotor,
                      [M, stride](int row, int column) -> T& { return M[static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * stride]; });
}

/// ws.M (row by row) becomes L below its diagonal, ws.d the inverse pivots. Only entries along the paths to the base are touched
/// (Featherstone's order: from the tips, no fill-in).
template <class P, Scalar T>
void factor(const PlanOf<P>& plan, WorkspaceOf<T>& ws) noexcept {
  const auto M = [&](int row, int column) -> T& { return ws.M[static_cast<std::size_t>(row * plan.nv + column)]; };
  const auto next = [&](int k) { return plan.mass_parent[static_cast<std::size_t>(k)]; };
  for (int k = plan.nv - 1; k >= 0; --k) {
    const T inverse = T(1) / M(k, k);
    ws.d[static_cast<std::size_t>(k)] = inverse;
    for (int i = next(k); i >= 0; i = next(i)) {
      const T l = M(k, i) * inverse;
      for (int j = i; j >= 0; j = next(j)) M(i, j) = M(i, j) - l * M(k, j);
      M(k, i) = l;
    }
  }
}

/// Solves Lᵀ D L x = x in place.
template <class P, Scalar T>
void solve(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, T* x) noexcept {
  const auto L = [&](int row, int column) -> const T& { return ws.M[static_cast<std::size_t>(row * plan.nv + column)]; };
  const auto next = [&](int k) { return plan.mass_parent[static_cast<std::size_t>(k)]; };
  for (int k = plan.nv - 1; k >= 0; --k)
    for (int i = next(k); i >= 0; i = next(i)) x[i] = x[i] - L(k, i) * x[k];
  for (int k = 0; k < plan.nv; ++k) x[k] = x[k] * ws.d[static_cast<std::size_t>(k)];
  for (int k = 0; k < plan.nv; ++k)
    for (int i = next(k); i >= 0; i = next(i)) x[k] = x[k] - L(k, i) * x[i];
}

/// M⁻¹, full and symmetric, column by column from the factors. O(n² d).
template <class P, Scalar T>
void mass_inverse(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* inverse, std::size_t stride, bool rotor) noexcept {
  place(plan, ws, q);
  mass_matrix_entries(plan, ws, rotor, [&](int row, int column) -> T& { return ws.M[static_cast<std::size_t>(row * plan.nv + column)]; });
  factor(plan, ws);
  const auto entry = [&](int row, int column) -> T& { return inverse[static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * stride]; };
  for (int column = 0; column < plan.nv; ++column) {
    for (int k = 0; k < plan.nv; ++k) ws.x[static_cast<std::size_t>(k)] = T(k == column ? 1 : 0);
    solve(plan, ws, ws.x.data());
    for (int row = 0; row <= column; ++row) entry(row, column) = entry(column, row) = ws.x[static_cast<std::size_t>(row)];
  }
}

}  // namespace ulna::kernel
