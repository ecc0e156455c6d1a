// Vectors of six and 6x6 matrices, as Nasser 1990 writes a link's six equations: force over moment, linear over angular.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ulna/scalar/scalar.hpp>
#include <ulna/spatial/spatial.hpp>

#include "formulation/loads.hpp"

namespace ulna::internal::nasser {

/// A 6-vector: force over moment, or linear over angular acceleration.
template <class T>
struct Six {
  Vec3<T> upper = zero_vector<T>();
  Vec3<T> lower = zero_vector<T>();
};
template <class T>
Six<T> operator+(const Six<T>& a, const Six<T>& b) {
  return {a.upper + b.upper, a.lower + b.lower};
}

template <class T>
using Matrix6 = std::array<std::array<T, 6>, 6>;

template <class T>
Mat3<T> block(const Matrix6<T>& A, std::size_t r, std::size_t c) {
  return {A[r][c],     A[r][c + 1],     A[r][c + 2],      //
          A[r + 1][c], A[r + 1][c + 1], A[r + 1][c + 2],  //
          A[r + 2][c], A[r + 2][c + 1], A[r + 2][c + 2]};
}
template <class T>
void set_block(Matrix6<T>& A, std::size_t r, std::size_t c, const Mat3<T>& M) {
  A[r][c] = M.xx, A[r][c + 1] = M.xy, A[r][c + 2] = M.xz;
  A[r + 1][c] = M.yx, A[r + 1][c + 1] = M.yy, A[r + 1][c + 2] = M.yz;
  A[r + 2][c] = M.zx, A[r + 2][c + 1] = M.zy, A[r + 2][c + 2] = M.zz;
}
template <class T>
Sym3<T> symmetric_part(const Mat3<T>& M) {
  return {M.xx, M.yy, M.zz, M.xy, M.xz, M.yz};  // of a matrix that is symmetric
}
template <class T>
Six<T> operator*(const Matrix6<T>& A, const Six<T>& x) {
  return {block(A, 0, 0) * x.upper + block(A, 0, 3) * x.lower, block(A, 3, 0) * x.upper + block(A, 3, 3) * x.lower};
}

template <class T, class P>
Vec3<T> as_state(const Vec3<P>& v) {
  return {T(v.x), T(v.y), T(v.z)};
}
template <class T, class P>
Sym3<T> as_state(const Sym3<P>& s) {
  return {T(s.xx), T(s.yy), T(s.zz), T(s.xy), T(s.xz), T(s.yz)};
}

/// Rz(q) v, and back. 4 mul, 2 add.
template <class T, class V>
Vec3<T> rotated(const SinCos<T>& t, const Vec3<V>& v) {
  return {t.cos * v.x - t.sin * v.y, t.sin * v.x + t.cos * v.y, T(v.z)};
}
template <class T>
Vec3<T> rotated_back(const SinCos<T>& t, const Vec3<T>& v) {
  return {t.cos * v.x + t.sin * v.y, t.cos * v.y - t.sin * v.x, v.z};
}
/// Rz S Rzᵀ. 10 mul, 9 add; 7 add for a constant S.
template <class T, class V>
Sym3<T> rotated(const SinCos<T>& t, const Sym3<V>& S) {
  const T ss = t.sin * t.sin, cs = t.cos * t.sin;
  const auto difference = S.yy - S.xx;
  const auto twice = S.xy + S.xy;
  const T change = ss * difference - cs * twice;
  return {S.xx + change, S.yy - change, T(S.zz), S.xy - (cs * difference + ss * twice), t.cos * S.xz - t.sin * S.yz, t.sin * S.xz + t.cos * S.yz};
}
/// Rz M Rzᵀ. 24 mul, 12 add.
template <class T>
Mat3<T> rotated(const SinCos<T>& t, const Mat3<T>& M) {
  const Vec3<T> x = rotated(t, Vec3<T>{M.xx, M.yx, M.zx}), y = rotated(t, Vec3<T>{M.xy, M.yy, M.zy}), z = rotated(t, Vec3<T>{M.xz, M.yz, M.zz});
  const Vec3<T> X = rotated(t, Vec3<T>{x.x, y.x, z.x}), Y = rotated(t, Vec3<T>{x.y, y.y, z.y}), Z = rotated(t, Vec3<T>{x.z, y.z, z.z});
  return {X.x, X.y, X.z, Y.x, Y.y, Y.z, Z.x, Z.y, Z.z};
}

/// Applies `symmetric_change` to the diagonal blocks and `change` to the others, where A is symmetric; else `change` to all four.
template <class T, class Change, class SymmetricChange>
Matrix6<T> by_blocks(const Matrix6<T>& A, bool symmetric, Change change, SymmetricChange symmetric_change) {
  Matrix6<T> X = A;
  const Mat3<T> corner = change(block(A, 0, 3));
  set_block(X, 0, 3, corner);
  if (symmetric) {
    set_block(X, 0, 0, symmetric_change(symmetric_part(block(A, 0, 0))).full());
    set_block(X, 3, 3, symmetric_change(symmetric_part(block(A, 3, 3))).full());
    set_block(X, 3, 0, corner.transposed());
  } else {
    for (const auto& [r, c] : {std::pair<std::size_t, std::size_t>{0, 0}, {3, 0}, {3, 3}}) set_block(X, r, c, Mat3<T>(change(block(A, r, c))));
  }
  return X;
}
/// R* A R*ᵀ of (2.1.18) with a constant R, and with R = Rz(q).
template <class P, class T>
Matrix6<T> rotated(const Mat3<P>& R, const Matrix6<T>& A, bool symmetric) {
  return by_blocks(
      A, symmetric, [&](const Mat3<T>& M) { return R * M * R.transposed(); }, [&](const Sym3<T>& S) { return congruence(R, S); });
}
template <class T>
Matrix6<T> rotated(const SinCos<T>& t, const Matrix6<T>& A, bool symmetric) {
  return by_blocks(
      A, symmetric, [&](const Mat3<T>& M) { return rotated(t, M); }, [&](const Sym3<T>& S) { return rotated(t, S); });
}

/// P A Pᵀ with P = (1 0; [p]x 1), the transpose of (2.1.13.3): moments about a point that lies -p from the old one.
template <class T>
Matrix6<T> shifted(const Vec3<T>& at, const Matrix6<T>& A, bool symmetric) {
  const std::array<T, 3> p{at.x, at.y, at.z};
  const auto next = [](std::size_t k) { return (k + 1) % 3; };
  const auto last = [](std::size_t k) { return (k + 2) % 3; };
  Matrix6<T> X = A;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) {
      X[3 + k][l] = A[3 + k][l] + (p[next(k)] * A[last(k)][l] - p[last(k)] * A[next(k)][l]);                  // + [p]x ff
      if (!symmetric) X[k][3 + l] = A[k][3 + l] + (p[next(l)] * A[k][last(l)] - p[last(l)] * A[k][next(l)]);  // - ff [p]x
    }
  if (symmetric)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) X[k][3 + l] = X[3 + l][k];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = symmetric ? k : 0; l < 3; ++l) {
      X[3 + k][3 + l] = A[3 + k][3 + l] + (p[next(l)] * A[3 + k][last(l)] - p[last(l)] * A[3 + k][next(l)])  // - nf [p]x
                        + (p[next(k)] * X[last(k)][3 + l] - p[last(k)] * X[next(k)][3 + l]);                 // + [p]x fn', fn' already shifted
      if (symmetric) X[3 + l][3 + k] = X[3 + k][3 + l];
    }
  return X;
}

}  // namespace ulna::internal::nasser
