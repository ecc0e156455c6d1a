// M. G. Nasser, "Recursive Newton-Euler Formulation of Manipulator Dynamics", NASA document N90-29862, 1990, executed: from Newton's and Euler's laws of a
// link in the frame before it (eqs 2.1.1 to 2.1.7, 2.2.1 to 2.2.4) and the motion of the next frame (2.1.13) to the recursion of A* and B* (2.1.14 to 2.1.20),
// line by line, on any scalar.
//
//   paper             here              meaning, in the axes of frame i-1
//   r_i*, P_i*        r(i), P(i)        from origin i-1 to the mass centre, and to origin i
//   f, n of i-1, i    f[i], n[i]        reaction loads of link i-1 on link i, the moment about origin i-1; zero along the degree of freedom
//   f_i^c, n_i^c      fc[i], nc[i]      control loads: all of the load along the degree of freedom, and here half of it elsewhere, so that none is zero
//   F_i^E             FE(i)             external force: the weight
//   A_{i,i-1}, B      A(i), B(i)        (2.1.7.4), (2.1.7.6)
//   A*, B*            A_star, B_star    (2.1.19.3), (2.1.19.5), with γ = I - Z Zᵀ and no actuator inertia
//   Z, S, L, G        Z(i), …           of rotational and, by 2.2, translational joints
//
// Left sides: second rates of places and rotations as matrix products (turney_arm.hpp), loads by sums over the links beyond.
// Misprints, run as printed, too: 2.1.3 and 2.2.4 have f_{i+1}^c and F_i^E with the opposite signs (2.1.7.6 has them right), 2.1.13.2 a minus in its lower
// part. 2.2.1 has v_i* for r_i*.
// L⁻¹ has quotients, so that lines from 2.1.12 on are no polynomials and are compared as numbers alone.
//
// Takes: chains of revolute and prismatic joints. Links are rigid bodies alone: no rotors, no friction.
#pragma once

#include "formulation/nasser_algebra.hpp"
#include "verify/chain_motion.hpp"
#include "verify/derivation.hpp"

namespace ulna::internal::proof {

template <class T>
nasser::Six<T> operator-(const nasser::Six<T>& x) {
  return {-x.upper, -x.lower};
}

template <class T>
std::vector<Line<T>> nasser_lines(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                                  std::string_view spoiled = {}) {
  using Index = std::size_t;
  using Vec = Vec3<T>;
  using Mat = Mat3<T>;
  using Six = nasser::Six<T>;
  using Matrix = nasser::Matrix6<T>;
  Derivation<T> d(spoiled);
  const ChainMotion<T> at(chain, q, v, a);
  const TurneyArm<T>& arm = at.arm;
  const Index count = arm.n;
  const T o(0);
  const Vec none = zero<T>(), z{o, o, T(1)};
  const Mat E = Mat::identity(), O = zero_matrix<T>();
  const auto all = [&](auto value) { return each<T>(count, value); };
  const auto revolute = [&](Index i) { return arm.revolute[i]; };

  // Of link i in the axes of frame i-1.
  const auto in = [&](Index i, const Vec& x) { return tmul(arm.R(0, i - 1), x); };
  const auto m = [&](Index i) { return arm.m[i]; };
  const auto J = [&](Index i) { return arm.R(i - 1, i) * arm.I[i] * arm.R(i, i - 1); };  // 2.1.5.1
  const auto P = [&](Index i) { return arm.R(i - 1, i) * arm.r[i]; };
  const auto r = [&](Index i) { return arm.R(i - 1, i) * (arm.r[i] + arm.rbar[i]); };
  const auto rate = [&](Index i) { return v[i - 1]; };
  const auto drive = [&](Index i) { return a[i - 1]; };
  const auto w = [&](Index i) { return in(i, at.omega(i)); };
  const auto w_dot = [&](Index i) { return in(i, at.alpha(i)); };
  const auto w_before = [&](Index i) { return i == 1 ? none : in(i, at.omega(i - 1)); };
  const auto w_dot_before = [&](Index i) { return i == 1 ? none : in(i, at.alpha(i - 1)); };
  const auto v_dot_before = [&](Index i) { return i == 1 ? none : in(i, at.acceleration(i - 1, none)); };
  const auto centre = [&](Index i) { return in(i, at.acceleration(i, arm.rbar[i])); };
  const auto FE = [&](Index i) { return m(i) * in(i, chain.gravity_0); };

  // Reactions and control loads, from sums over the links beyond; load[i] is in the axes of frame i-1, of link i+1 in those of link i where it is needed.
  std::vector<Vec> f(count + 2, none), n(count + 2, none), fc(count + 2, none), nc(count + 2, none);
  const auto next = [&](Index i, const std::vector<Vec>& of) { return i == count ? none : arm.R(i - 1, i) * of[i + 1]; };
  const auto inertia_torque = [&](Index i) { return J(i) * w_dot(i) + cross(w(i), J(i) * w(i)); };
  for (Index i = count; i >= 1; --i) {
    const Vec F = m(i) * centre(i) - FE(i), beyond = next(i, f) + next(i, fc);
    const Vec whole = F + beyond, moment = inertia_torque(i) + cross(r(i), F) + cross(P(i), beyond) + next(i, n) + next(i, nc);
    fc[i] = T(0.5) * whole, nc[i] = T(0.5) * moment;
    (revolute(i) ? nc[i].z : fc[i].z) = revolute(i) ? moment.z : whole.z;
    f[i] = whole - fc[i], n[i] = moment - nc[i];
    (revolute(i) ? n[i].z : f[i].z) = o;
  }

  // Newton's law.
  const auto z_rate = [&](Index i) { return rate(i) * cross(w_before(i), z); };  // ω_{i-1} x z θ'
  d.begin("2.1.1 left", "m_i times the acceleration of the mass centre, of second rates of places", {all([&](Index i) { return m(i) * centre(i); })});
  d.follows("2.1.1", "m (v'_{i-1} + ω_i x (ω_i x r*) + (ω'_{i-1} + ω_{i-1} x z θ' + z θ'') x r*), translational: + 2 ω x z θ' + z θ''",
            {all([&](Index i) { return m(i) * v_dot_before(i); }), all([&](Index i) { return m(i) * cross(w(i), cross(w(i), r(i))); }), all([&](Index i) {
               if (revolute(i)) return m(i) * cross(w_dot_before(i) + z_rate(i) + drive(i) * z, r(i));
               return m(i) * (cross(w_dot_before(i), r(i)) + T(2) * z_rate(i) + drive(i) * z);
             })});
  const auto alpha = [&](Index i) { return m(i) * (v_dot_before(i) + cross(w_dot_before(i), r(i))); };  // 2.1.3.1
  const auto beta = [&](Index i) {                                                                      // 2.1.3.2, 2.2.1
    return m(i) * (cross(w(i), cross(w(i), r(i))) + (revolute(i) ? cross(z_rate(i), r(i)) : T(2) * z_rate(i)));
  };
  const auto by_drive = [&](Index i) { return m(i) * (revolute(i) ? cross(r(i), drive(i) * z) : -(drive(i) * z)); };
  const auto next_f = [&](Index i) { return next(i, f); };
  const auto next_fc = [&](Index i) { return next(i, fc); };
  d.begin("2.1.2", "f_{i-1,i} + m r* x z θ'' (translational: - m z θ''), f by sums over the links beyond", {all([&](Index i) { return f[i] + by_drive(i); })});
  const auto a_b_f = all([&](Index i) { return alpha(i) + beta(i) + next_f(i) - fc[i]; });
  d.follows("2.1.3", "α_i + β_i + f_{i,i+1} - f_i^c + f_{i+1}^c - F_i^E", {a_b_f, all(next_fc), all([&](Index i) { return -FE(i); })});
  d.printed("2.1.3", "- f_{i+1}^c + F_i^E", {a_b_f, all([&](Index i) { return -next_fc(i); }), all(FE)});

  // Euler's law about the joint before.
  d.begin("2.1.4 left", "∫ (P - origin i-1) x a^P dm",
          {all([&](Index i) { return in(i, at.integral(i, [&](const Vec& h) { return cross(at.place(i, h) - arm.p(0, i - 1), at.acceleration(i, h)); })); })});
  const auto v_before = [&](Index i) { return i == 1 ? none : in(i, at.velocity(i - 1, none)); };
  const auto momentum = [&](Index i) { return m(i) * in(i, at.velocity(i, arm.rbar[i])); };
  const auto inertia_rate = [&](Index i) { return spin(w(i)) * J(i) - J(i) * spin(w(i)); };
  d.follows("2.1.4", "d/dt (r* x p + I ω) + v_{i-1} x p",
            {all([&](Index i) { return cross(in(i, at.velocity(i, arm.rbar[i])) - v_before(i), momentum(i)); }),
             all([&](Index i) { return cross(r(i), m(i) * centre(i)) + inertia_rate(i) * w(i) + J(i) * w_dot(i); }),
             all([&](Index i) { return cross(v_before(i), momentum(i)); })});
  d.follows("2.1.5", "r* x m v'^cg + J ω' + ω x J ω",
            {all([&](Index i) { return cross(r(i), m(i) * centre(i)); }), all([&](Index i) { return J(i) * w_dot(i); }),
             all([&](Index i) { return cross(w(i), J(i) * w(i)); })});
  const auto Nt = [&](Index i) { return cross(r(i), FE(i)) - cross(P(i), next_fc(i)) - next(i, nc) + nc[i]; };  // 2.1.5.3, N^E = 0
  d.follows("2.1.5.2", "n_{i-1,i} - n_{i,i+1} + N^t - P* x f_{i,i+1}",
            {all([&](Index i) { return n[i]; }), all([&](Index i) { return -next(i, n); }), all(Nt), all([&](Index i) { return -cross(P(i), next_f(i)); })});
  const auto beta_star = [&](Index i) {  // 2.1.6.2, 2.2.2
    const Vec spun = cross(w(i), J(i) * w(i));
    return revolute(i) ? J(i) * z_rate(i) + spun : spun;
  };
  d.begin("2.1.6 left", "n_{i-1,i} + m r* x (r* x z θ'') - J z θ'' (translational: - m r* x z θ'')",
          {all([&](Index i) { return n[i]; }),
           all([&](Index i) { return revolute(i) ? cross(r(i), by_drive(i)) - J(i) * (drive(i) * z) : cross(r(i), by_drive(i)); })});
  d.follows(
      "2.1.6", "α* + β* + r* x β - N^t + r* x α + n_{i,i+1} + P* x f_{i,i+1}",
      {all([&](Index i) { return J(i) * w_dot_before(i); }), all([&](Index i) { return beta_star(i) + cross(r(i), beta(i)) - Nt(i); }),
       all([&](Index i) { return cross(r(i), alpha(i)); }), all([&](Index i) { return next(i, n); }), all([&](Index i) { return cross(P(i), next_f(i)); })});

  // Six equations.
  const auto Z = [&](Index i) -> Index { return revolute(i) ? 5 : 2; };
  const auto matrix = [&](const Mat& a11, const Mat& a12, const Mat& a21, const Mat& a22) {
    Matrix X;
    nasser::set_block(X, 0, 0, a11), nasser::set_block(X, 0, 3, a12), nasser::set_block(X, 3, 0, a21), nasser::set_block(X, 3, 3, a22);
    return X;
  };
  const auto times = [](const Matrix& X, const Matrix& Y) {
    Matrix XY;
    for (Index k = 0; k < 6; ++k)
      for (Index l = 0; l < 6; ++l) {
        XY[k][l] = X[k][0] * Y[0][l];
        for (Index s = 1; s < 6; ++s) XY[k][l] = XY[k][l] + X[k][s] * Y[s][l];
      }
    return XY;
  };
  const auto transposed = [](const Matrix& X) {
    Matrix Y;
    for (Index k = 0; k < 6; ++k)
      for (Index l = 0; l < 6; ++l) Y[k][l] = X[l][k];
    return Y;
  };
  const auto A = [&](Index i) {  // 2.1.7.4
    const Mat r_skew = m(i) * spin(r(i));
    return matrix(m(i) * E, T(-1) * r_skew, r_skew, J(i) - r_skew * spin(r(i)));
  };
  const auto B = [&](Index i) {  // 2.1.7.6
    return Six{beta(i) - fc[i] + next_fc(i) - FE(i), beta_star(i) + cross(r(i), beta(i)) - Nt(i)};
  };
  const auto motion = [&](Index i) { return Six{v_dot_before(i), w_dot_before(i)}; };  // 2.1.7.5
  const auto along = [&](Index i, const T& x) { return revolute(i) ? Six{none, x * z} : Six{x * z, none}; };
  const auto entry = [&](Index i, const Six& x) { return revolute(i) ? x.lower.z : x.upper.z; };
  /// (1 - Z Zᵀ - X Z Zᵀ) U: S_i by 2.1.7.2, L_i by 2.1.19.1.
  const auto solved = [&](const Matrix& X, Index i) { return Six{f[i], n[i]} + -(X * along(i, drive(i))); };
  d.begin("2.1.7", "S_i U_i", {all([&](Index i) { return solved(A(i), i); })});
  d.follows("2.1.7.3", "A q_{i-1} + B + (U_{i,i+1}, 0) + (0, P* x f_{i,i+1})",
            {all([&](Index i) { return A(i) * motion(i); }), all(B), all([&](Index i) {
               return Six{next_f(i), next(i, n)};
             }),
             all([&](Index i) {
               return Six{none, cross(P(i), next_f(i))};
             })});
  const auto lower = all([&](Index i) { return A(i) * motion(i) + Six{next_f(i), next(i, n) + cross(P(i), next_f(i))}; });
  const auto own = [&](Index i, bool printed) {
    const Vec loads = printed ? FE(i) - next_fc(i) : next_fc(i) - FE(i);
    return Six{beta(i) - fc[i] + loads, beta_star(i) + cross(r(i), beta(i)) - Nt(i)};
  };
  d.follows("2.2.4", "the same, B' of a translational joint", {lower, all([&](Index i) { return own(i, false); })});
  d.printed("2.2.4", "- f_{i+1}^c + F_i^E", {lower, all([&](Index i) { return own(i, true); })});

  const auto P_T = [&](Index i) { return matrix(E, T(-1) * spin(P(i)), O, E); };  // 2.1.13.3
  const auto sigma_star = [&](Index i, bool printed) {                            // 2.1.13.2, 2.2.6
    if (!revolute(i)) return Six{cross(w_before(i), cross(w_before(i), P(i))) + T(2) * z_rate(i), none};
    return Six{cross(w(i), cross(w(i), P(i))), printed ? -z_rate(i) : z_rate(i)};
  };
  const auto carried = all([&](Index i) { return P_T(i) * (motion(i) + along(i, drive(i))); });
  d.begin("2.1.13 left", "(v'_i, ω'_i), of second rates of places and rotations", {all([&](Index i) {
            return Six{in(i, at.acceleration(i, none)), w_dot(i)};
          })});
  // The lower part of P^T does not see σ*'s upper one, whose centripetal term is that of P* itself.
  d.follows("2.1.13", "Pᵀ (q_{i-1} + σ + σ*)", {carried, all([&](Index i) { return P_T(i) * sigma_star(i, false); })});
  d.printed("2.1.13.2", "σ* with -ω_{i-1} x z θ'", {carried, all([&](Index i) { return P_T(i) * sigma_star(i, true); })});

  // The recursion.
  std::vector<Matrix> A_star(count + 1), G(count + 1);
  std::vector<Six> B_star(count + 1);
  for (Index i = count; i >= 1; --i) {
    A_star[i] = A(i), B_star[i] = B(i);
    if (i < count) {
      const Mat R = arm.R(i - 1, i);
      const Matrix R_star = matrix(R, O, O, R), P_i = transposed(P_T(i));  // 2.1.18
      Matrix gamma_G = G[i + 1];
      for (T& x : gamma_G[Z(i + 1)]) x = o;
      const Matrix shift = times(P_i, R_star);
      const Matrix beyond = times(times(times(shift, gamma_G), A_star[i + 1]), transposed(shift));  // 2.1.19.4
      for (Index k = 0; k < 6; ++k)
        for (Index l = 0; l < 6; ++l) A_star[i][k][l] = A_star[i][k][l] + beyond[k][l];           // 2.1.19.3
      B_star[i] = B_star[i] + shift * (gamma_G * B_star[i + 1]) + beyond * sigma_star(i, false);  // 2.1.19.5 to 2.1.19.7
    }
    const Index at_Z = Z(i);
    const T minus_inverse = T(-1) / A_star[i][at_Z][at_Z];
    G[i] = matrix(E, O, O, E);
    for (Index k = 0; k < 6; ++k) G[i][k][at_Z] = k == at_Z ? minus_inverse : A_star[i][k][at_Z] * minus_inverse;
  }
  const auto by_motion = [&](Index i) { return A_star[i] * motion(i); };
  d.begin("2.1.19", "L_i U_i", {all([&](Index i) { return solved(A_star[i], i); })});
  d.rational("2.1.19.2", "F_i = A* q_{i-1} + B*, A* and B* by 2.1.14 to 2.1.18, 2.1.19.3 to 2.1.19.7",
             {all(by_motion), all([&](Index i) { return B_star[i]; })});
  const auto U = [&](Index i) { return Six{f[i], n[i]} + along(i, drive(i)); };
  d.begin("2.1.12 left", "U_i", {all(U)});
  d.rational("2.1.12", "G_i F_i, G = L⁻¹", {all([&](Index i) { return G[i] * by_motion(i); }), all([&](Index i) { return G[i] * B_star[i]; })});
  d.begin("2.1.20 left", "θ''_i", {a});
  d.rational("2.1.20", "Zᵀ G_i F_i", {all([&](Index i) { return entry(i, G[i] * by_motion(i)); }), all([&](Index i) { return entry(i, G[i] * B_star[i]); })});
  return d.take();
}

}  // namespace ulna::internal::proof
