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

/// The same body about the origin of A, its own frame B being turned by R_AB and displaced by p_AB.
template <class B, class R, class A>
auto moved(const PseudoInertia<B>& body_B, const Mat3<R>& R_AB, const Vec3<A>& p_AB) -> PseudoInertia<decltype(p_AB.x * body_B.m)> {
  using T = decltype(R_AB.xx * body_B.m);
  return moved_along(PseudoInertia<T>{T(body_B.m), R_AB * body_B.h, congruence(R_AB, body_B.S)}, p_AB);
}

/// From what files carry: mass, mass centre, inertia tensor about the mass centre.
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

}  // namespace ULNA_API
