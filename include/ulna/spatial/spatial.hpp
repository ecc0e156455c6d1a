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

// Rigid placements: X_AB takes the coordinates of a point from frame B to frame A.

template <class T>
struct Pose {                       // Rotation and origin of one frame in another.
  Mat3<T> R = Mat3<T>::identity();  // R_AB
  Vec3<T> p{};                      // p_AB: from Ao to Bo, in A

  Pose inverse() const { return {R.transposed(), -tmul(R, p)}; }  // The other frame in this one.
  template <class U>
  Pose<U> cast() const {  // In another scalar.
    return {R.template cast<U>(), p.template cast<U>()};
  }
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// X_AC = X_AB * X_BC: adjacent letters cancel.
template <class A, class B>
auto operator*(const Pose<A>& X_AB, const Pose<B>& X_BC) -> Pose<decltype(X_AB.p.x * X_BC.p.x)> {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

// The elementary placements that file formats are written in (double only: they are used while reading, never in kernels).
Mat3<double> rotation_x(double angle);
Mat3<double> rotation_y(double angle);
Mat3<double> rotation_z(double angle);
/// Fixed axes x, y, z in this order, as URDF means it: Rz(yaw) Ry(pitch) Rx(roll).
Mat3<double> rotation_rpy(double roll, double pitch, double yaw);
/// Rotation by an angle about a unit axis (Rodrigues).
Mat3<double> rotation_about(const Vec3<double>& axis, double angle);
/// A rotation whose third column is the unit vector `axis`; a permutation with signs when the axis lies along a coordinate axis.
Mat3<double> rotation_z_to(const Vec3<double>& axis);

/// Unit quaternion, order x, y, z, w, with w >= 0.
struct Quaternion {
  double x, y, z, w;
};
Quaternion quaternion(const Mat3<double>& R);   // Of a rotation; w is not negative.
Mat3<double> rotation_of(const Quaternion& q);  // Of a quaternion of any length but 0.

// A rigid body's mass distribution as (m, h, S) about the origin of its frame.

/// Moments of the mass distribution up to order two: m = ∫dm, h = ∫r dm, S = ∫r rᵀ dm. Sums of bodies are sums of these numbers, and the
/// usual inertia about the origin is J = tr(S) E - S. With U = [α]× + [ω]×² at hand, the moment of the inertia forces costs less in S than in J.
template <class T>
struct PseudoInertia {
  T m{};
  Vec3<T> h{};
  Sym3<T> S{};

  /// Inertia tensor about the frame's origin. 5 add.
  Sym3<T> J() const { return {S.yy + S.zz, S.xx + S.zz, S.xx + S.yy, -S.xy, -S.xz, -S.yz}; }
  template <class U>
  PseudoInertia<U> cast() const {
    return {U(m), h.template cast<U>(), S.template cast<U>()};
  }
  friend bool operator==(const PseudoInertia&, const PseudoInertia&) = default;
};

template <class T>
PseudoInertia<T> operator+(const PseudoInertia<T>& a, const PseudoInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.S + b.S};
}
template <class T>
PseudoInertia<T> operator-(const PseudoInertia<T>& a, const PseudoInertia<T>& b) {
  return {a.m - b.m, a.h - b.h, a.S - b.S};
}

/// The same body about another origin, from which its own is displaced by p: h' = h + m p, S' = S + h pᵀ + p hᵀ + m p pᵀ = S + h pᵀ + p h'ᵀ.
template <class B, class A>
auto moved_along(const PseudoInertia<B>& body, const Vec3<A>& p) -> PseudoInertia<decltype(p.x * body.m)> {
  const auto& h0 = body.h;
  const auto h = h0 + body.m * p;
  const auto& S = body.S;
  return {decltype(p.x * body.m)(body.m),
          h,
          {S.xx + (h0.x * p.x + p.x * h.x), S.yy + (h0.y * p.y + p.y * h.y), S.zz + (h0.z * p.z + p.z * h.z), S.xy + (h0.x * p.y + p.x * h.y),
           S.xz + (h0.x * p.z + p.x * h.z), S.yz + (h0.y * p.z + p.y * h.z)}};
}

/// The same body about the origin of A, with R_AB and p_AB the placement of its own frame B.
template <class B, class R, class A>
auto moved(const PseudoInertia<B>& body_B, const Mat3<R>& R_AB, const Vec3<A>& p_AB) -> PseudoInertia<decltype(p_AB.x * body_B.m)> {
  using T = decltype(R_AB.xx * body_B.m);
  return moved_along(PseudoInertia<T>{T(body_B.m), R_AB * body_B.h, congruence(R_AB, body_B.S)}, p_AB);
}

/// From mass, mass centre and inertia tensor about the mass centre, as files state them.
PseudoInertia<double> pseudo_inertia(double mass, const Vec3<double>& com, const Sym3<double>& inertia_com);
/// And back: inertia about the mass centre (about the origin when the mass is zero).
Sym3<double> inertia_about_com(const PseudoInertia<double>& body);

struct PrincipalAxes {   // Principal moments and their axes.
  Vec3<double> moments;  // ascending
  Mat3<double> R;        // columns: the axis of each moment; right-handed
};
/// Of a symmetric tensor, by Jacobi rotations: tensor = R diag(moments) Rᵀ.
PrincipalAxes principal_axes(const Sym3<double>& tensor);
/// Its moments alone.
Vec3<double> principal_moments(const Sym3<double>& tensor);

// Tolerances for rounding, each with its reason: how near two numbers must be to count as equal. Bounds that grow with a computation are not here;
// they are multiples of the unit roundoff next to the computation (dynamics/rounding.hpp, dynamics/pivots.hpp).

/// Of angles in files: 1.57079632679 means π/2. Rotation entries this near to 0 and ±1 are taken as exact, unless a caller says otherwise (--snap).
inline constexpr double kSnap = 1e-9;

/// Of measured or published numbers, and of floats (inertias, unit vectors, rotation matrices): six digits. A law that is missed by less holds.
inline constexpr double kGivenDigits = 1e-6;

/// Of a robot that was converted, or of equations that were multiplied out: twelve digits are kept, and what is smaller has cancelled.
inline constexpr double kKeptDigits = 1e-12;

/// Of directions that were computed in doubles: a few dozen operations.
inline constexpr double kDirectionRounding = 1e-14;

/// Of one entry relative to the largest of its vector or matrix: a few operations. cos(π/2) in doubles is 6e-17.
inline constexpr double kEntryRounding = 1e-15;

}  // namespace ULNA_API
