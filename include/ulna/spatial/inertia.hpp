// A rigid body's mass distribution as (m, h, S) about the origin of its frame.
#pragma once

#include <ulna/export.hpp>
#include <ulna/spatial/vec3.hpp>

namespace ulna ULNA_API {

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

/// The same body about the origin of A, its own frame B being turned by R_AB and displaced by p_AB.
/// h' = R h + m p,  S' = R S Rᵀ + (R h) pᵀ + p (R h)ᵀ + m p pᵀ = R S Rᵀ + (R h) pᵀ + p h'ᵀ.
template <class B, class R, class A>
auto moved(const PseudoInertia<B>& body_B, const Mat3<R>& R_AB, const Vec3<A>& p_AB) -> PseudoInertia<decltype(p_AB.x * body_B.m)> {
  const auto Rh = R_AB * body_B.h;
  const auto h = Rh + body_B.m * p_AB;
  auto S = congruence(R_AB, body_B.S);
  S.xx = S.xx + (Rh.x * p_AB.x + p_AB.x * h.x);
  S.yy = S.yy + (Rh.y * p_AB.y + p_AB.y * h.y);
  S.zz = S.zz + (Rh.z * p_AB.z + p_AB.z * h.z);
  S.xy = S.xy + (Rh.x * p_AB.y + p_AB.x * h.y);
  S.xz = S.xz + (Rh.x * p_AB.z + p_AB.x * h.z);
  S.yz = S.yz + (Rh.y * p_AB.z + p_AB.y * h.z);
  return {decltype(p_AB.x * body_B.m)(body_B.m), h, S};
}

/// From what files carry: mass, mass centre, inertia tensor about the mass centre.
PseudoInertia<double> pseudo_inertia(double mass, const Vec3<double>& com, const Sym3<double>& inertia_com);
/// And back: inertia about the mass centre (about the origin when the mass is zero).
Sym3<double> inertia_about_com(const PseudoInertia<double>& body);

struct PrincipalAxes {
  Vec3<double> moments;  // ascending
  Mat3<double> R;        // columns: the axis of each moment; right-handed
};
/// Of a symmetric tensor, by Jacobi rotations: tensor = R diag(moments) Rᵀ.
PrincipalAxes principal_axes(const Sym3<double>& tensor);
/// Its moments alone.
Vec3<double> principal_moments(const Sym3<double>& tensor);

}  // namespace ULNA_API
