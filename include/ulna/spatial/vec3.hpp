// Three-vectors and 3x3 matrices of any scalar. Parameters (P) and state quantities (T) may differ in type; P*T is T.
#pragma once

#include <ulna/export.hpp>

namespace ulna ULNA_API {

template <class T>
struct Vec3 {  // Three numbers.
  T x{};
  T y{};
  T z{};

  template <class U>
  Vec3<U> cast() const {  // In another scalar.
    return {U(x), U(y), U(z)};
  }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

template <class A, class B>
auto operator+(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x + b.x)> {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
auto operator-(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x - b.x)> {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
/// 3 mul.
template <class S, class A>
auto operator*(const S& s, const Vec3<A>& a) -> Vec3<decltype(s * a.x)> {
  return {s * a.x, s * a.y, s * a.z};
}
/// 3 mul, 2 add.
template <class A, class B>
auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// 6 mul, 3 add.
template <class A, class B>
auto cross(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Row by row: xy is the entry in row x, column y.
template <class T>
struct Mat3 {
  T xx{}, xy{}, xz{};
  T yx{}, yy{}, yz{};
  T zx{}, zy{}, zz{};

  static Mat3 identity() { return {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}; }  // Ones on the diagonal.
  Mat3 transposed() const { return {xx, yx, zx, xy, yy, zy, xz, yz, zz}; }                   // Rows and columns exchanged.
  Vec3<T> column_z() const { return {xz, yz, zz}; }                                          // The third column.
  template <class U>
  Mat3<U> cast() const {  // In another scalar.
    return {U(xx), U(xy), U(xz), U(yx), U(yy), U(yz), U(zx), U(zy), U(zz)};
  }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

template <class A, class B>
auto operator+(const Mat3<A>& a, const Mat3<B>& b) -> Mat3<decltype(a.xx + b.xx)> {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy, a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
/// 9 mul, 6 add.
template <class A, class B>
auto operator*(const Mat3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z, m.zx * v.x + m.zy * v.y + m.zz * v.z};
}
/// The transpose of m times v: for a rotation R_PB this takes a vector from P to B.
template <class A, class B>
auto tmul(const Mat3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.xy * v.x + m.yy * v.y + m.zy * v.z, m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
/// 27 mul, 18 add.
template <class A, class B>
auto operator*(const Mat3<A>& m, const Mat3<B>& n) -> Mat3<decltype(m.xx * n.xx)> {
  const auto column = [&](const B& x, const B& y, const B& z) { return m * Vec3<B>{x, y, z}; };
  const auto c0 = column(n.xx, n.yx, n.zx);
  const auto c1 = column(n.xy, n.yy, n.zy);
  const auto c2 = column(n.xz, n.yz, n.zz);
  return {c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z};
}

/// A symmetric 3x3 matrix: six numbers.
template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{};
  T xy{}, xz{}, yz{};

  Mat3<T> full() const { return {xx, xy, xz, xy, yy, yz, xz, yz, zz}; }  // All nine entries.
  T trace() const { return xx + yy + zz; }                               // Sum of the diagonal.
  template <class U>
  Sym3<U> cast() const {  // In another scalar.
    return {U(xx), U(yy), U(zz), U(xy), U(xz), U(yz)};
  }
  friend bool operator==(const Sym3&, const Sym3&) = default;
};

template <class A, class B>
auto operator+(const Sym3<A>& a, const Sym3<B>& b) -> Sym3<decltype(a.xx + b.xx)> {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class A, class B>
auto operator-(const Sym3<A>& a, const Sym3<B>& b) -> Sym3<decltype(a.xx - b.xx)> {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
/// 6 mul.
template <class S, class A>
auto operator*(const S& s, const Sym3<A>& a) -> Sym3<decltype(s * a.xx)> {
  return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
template <class A, class B>
auto operator*(const Sym3<A>& s, const Vec3<B>& v) -> Vec3<decltype(s.xx * v.x)> {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z, s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
/// R s Rᵀ, only the six entries that a symmetric result needs.
template <class A, class B>
auto congruence(const Mat3<A>& R, const Sym3<B>& s) -> Sym3<decltype(R.xx * s.xx)> {
  const auto c = R * s.full();  // R s, then its product with Rᵀ
  const auto entry = [](const auto& cx, const auto& cy, const auto& cz, const A& rx, const A& ry, const A& rz) { return cx * rx + cy * ry + cz * rz; };
  return {entry(c.xx, c.xy, c.xz, R.xx, R.xy, R.xz), entry(c.yx, c.yy, c.yz, R.yx, R.yy, R.yz), entry(c.zx, c.zy, c.zz, R.zx, R.zy, R.zz),
          entry(c.xx, c.xy, c.xz, R.yx, R.yy, R.yz), entry(c.xx, c.xy, c.xz, R.zx, R.zy, R.zz), entry(c.yx, c.yy, c.yz, R.zx, R.zy, R.zz)};
}

}  // namespace ULNA_API
