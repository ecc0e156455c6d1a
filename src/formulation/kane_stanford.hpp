// The Stanford arm as Kane and Levinson wrote it out: Z_1 … Z_196, X_rs and W_1 … W_31, misprints corrected.
//
// T. R. Kane, D. A. Levinson, "The use of Kane's dynamical equations in robotics", Int. J. Robotics Research 2(3), 1983, pp. 3-21; appendices 1, 2, 4.
//
//   paper                          here
//   q_1 … q_6, u_1 … u_6           q[1] … q[6], u[1] … u[6]: index 0 is unused in every array, so that indices are the paper's
//   s_i, c_i                       s[i], c[i] of q_i, i = 2 … 5 (q_1 does not occur, q_6 is a length)
//   C_ij         (36)-(39)         C[i][j] = c_i · e_j
//   Z_1 … Z_196  (appendix 1)      Z[1] … Z[196]
//   X_rs         (appendix 2)      X[r][s]: coefficient of u̇_s in K_r*, that is minus the inertia matrix in these speeds
//   Z_182 … Z_187                  the rest of K_r*;   Z_192 … Z_196: gravity's part of K_r (K_5 has none)
//   W_1 … W_31   (appendix 4)      W[1] … W[31]; W_31 = H · n_2, angular momentum about the vertical through A*; constant while tau_1 = 0
//   tau_1 … tau_5, sigma           force[1] … force[6]; all but tau_1 are exerted by the outer on the inner body
//
// Joints of the model are in chain order q1, q2, q6, q3, q4, q5, and its joint forces are (τ1, -τ2, -σ, -τ3, -τ4, -τ5).
// Gravity acts on every body along -n_2 (eqs 91, 92). Speeds: ω^D in the axes of D, and the rates of q_4, q_5, q_6 (eqs 2, 3). They are singular where
// sin q_2 = 0; near it the relative error of the results grows as eps / sin²q_2.
//
// Corrections of the printed text are marked "misprint" with what is printed; "lost" marks entries that are missing in the transcription that we worked from
// and were derived again. Cost: 638 multiplications (divisions included) and 400 additions for Z, C_ij, X, X u̇ and the forces; 7 and 3 more for u. The paper
// says 646 and 394, by a convention that it does not state. Beyond the paper: rotors on the joint axes
// (stanford_accelerations).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"

namespace ulna::internal {

/// Lengths L_i of the paper's figure 2, masses and central principal moments of inertia of bodies A … F, g. Defaults: appendix 3; g = 9.81 (the paper gives
/// none).
template <class P>
struct StanfordArm {
  P L1 = P(0.1), L2 = P(0.6), L3 = P(0.2), L4 = P(0.1), L5 = P(0.7), L6 = P(0.06);
  P mA = P(9), mB = P(6), mC = P(4), mD = P(1), mE = P(0.6), mF = P(0.5);
  P A1 = P(0.01), A2 = P(0.02), A3 = P(0.01);
  P B1 = P(0.06), B2 = P(0.01), B3 = P(0.05);
  P C1 = P(0.4), C2 = P(0.01), C3 = P(0.4);
  P D1 = P(0.0005), D2 = P(0.001), D3 = P(0.001);
  P E1 = P(0.0005), E2 = P(0.0002), E3 = P(0.0005);
  P F1 = P(0.001), F2 = P(0.002), F3 = P(0.003);
  P g = P(9.81);
  std::array<P, 7> rotor{};  // gear² times rotor inertia on q_1 … q_6; not in the paper

  template <class U>
  StanfordArm<U> cast() const;
};

/// The arm of a model, or the property that the model lacks.
struct StanfordFit {
  std::string why_not;  // empty: it is a Stanford arm
  StanfordArm<double> arm;
};
/// Recognises the arm for any link frames and base axes of the file: six joints RRPRRR whose axes, mass centres and principal axes lie at q = 0 as in
/// the paper's figure 2 (to 1e-12), with the paper's zero positions and positive directions.
StanfordFit fit_stanford(const BodyTree<double>& tree);

/// All intermediate quantities at one instant.
template <class T>
struct StanfordQuantities {
  std::array<T, 7> q{}, u{};
  std::array<T, 6> s{}, c{};
  std::array<std::array<T, 4>, 4> C{};
  std::array<T, 197> Z{};
  std::array<std::array<T, 7>, 7> X{};
};

// From the paper's numbering to the model's chain and back.
inline constexpr std::array<std::size_t, 7> kStanfordChain{0, 0, 1, 3, 4, 5, 2};  // chain index of the paper's q_r; entry 0 unused
template <class T>
std::array<T, 7> stanford_from_chain(const T* x) {
  std::array<T, 7> y{};
  for (std::size_t r = 1; r <= 6; ++r) y[r] = x[kStanfordChain[r]];
  return y;
}
template <class T>
void stanford_to_chain(const std::array<T, 7>& y, T* x) {
  for (std::size_t r = 1; r <= 6; ++r) x[kStanfordChain[r]] = y[r];
}
/// tau_1 … tau_5, sigma and joint forces in chain order: all but the first change sign.
template <class T>
void stanford_forces_to_chain(const std::array<T, 7>& force, T* tau) {
  for (std::size_t r = 1; r <= 6; ++r) tau[kStanfordChain[r]] = r == 1 ? force[r] : -force[r];
}
template <class T>
std::array<T, 7> stanford_forces_from_chain(const T* tau) {
  std::array<T, 7> force{};
  for (std::size_t r = 1; r <= 6; ++r) force[r] = r == 1 ? tau[kStanfordChain[r]] : -tau[kStanfordChain[r]];
  return force;
}

/// q, and sines and cosines.
template <class T>
void stanford_place(const std::array<T, 7>& q, StanfordQuantities<T>& k) {
  k.q = q;
  for (std::size_t i = 2; i <= 5; ++i) {
    const SinCos<T> sc = sincos(q[i]);
    k.s[i] = sc.sin;
    k.c[i] = sc.cos;
  }
}

/// u of eqs 3, 5-7 from the rates. Needs stanford_place(). 7 mul, 3 add.
template <class T>
void stanford_speeds_from_rates(StanfordQuantities<T>& k, const std::array<T, 7>& qd) {
  const auto &s = k.s, &c = k.c;
  k.u[1] = qd[1] * s[2] * s[3] + qd[2] * c[3];          // (5)
  k.u[2] = qd[1] * c[2] + qd[3];                        // (6)
  k.u[3] = -qd[1] * s[2] * c[3] + qd[2] * s[3];         // (7)
  for (std::size_t i = 4; i <= 6; ++i) k.u[i] = qd[i];  // (3)
}

/// The rates from u: eqs 8-11. Needs stanford_place() and u. Where sin q_2 = 0 there are none.
template <class T>
std::array<T, 7> stanford_rates_from_speeds(const StanfordQuantities<T>& k) {
  const auto &s = k.s, &c = k.c;
  const auto& u = k.u;
  std::array<T, 7> qd = u;                     // (11): q̇_4, q̇_5, q̇_6
  qd[1] = (u[1] * s[3] - u[3] * c[3]) / s[2];  // (8)
  qd[2] = u[1] * c[3] + u[3] * s[3];           // (9)
  qd[3] = u[2] - qd[1] * c[2];                 // (10)
  return qd;
}

/// Why there is no answer so near to sin q_2 = 0, where the relative error, which grows as eps / sin² q_2, leaves no digit. Empty elsewhere. Needs
/// stanford_place().
template <class T>
std::string stanford_why_not_here(const StanfordQuantities<T>& k) {
  if constexpr (std::is_floating_point_v<T>)
    if (k.s[2] * k.s[2] <= std::numeric_limits<T>::epsilon())
      return "its generalized speeds are singular where q2 is 0 or 180 degrees, and the state is too near to it";
  return {};
}
/// Throws std::domain_error there.
template <class T>
void refuse_singular_speeds(const StanfordQuantities<T>& k) {
  if (const std::string why = stanford_why_not_here(k); !why.empty()) throw std::domain_error("kane-stanford: " + why);
}

/// u̇: the derivatives of eqs 3, 5-7. Needs stanford_place().
template <class T>
std::array<T, 7> stanford_speed_rates(const StanfordQuantities<T>& k, const std::array<T, 7>& qd, const std::array<T, 7>& qdd) {
  const auto &s = k.s, &c = k.c;
  const T h = qd[1] * s[2];
  const T h_dot = qdd[1] * s[2] + qd[1] * c[2] * qd[2];
  std::array<T, 7> u_dot{};
  u_dot[1] = (h_dot - qd[2] * qd[3]) * s[3] + (qdd[2] + h * qd[3]) * c[3];
  u_dot[2] = qdd[1] * c[2] - h * qd[2] + qdd[3];
  u_dot[3] = (qdd[2] + h * qd[3]) * s[3] - (h_dot - qd[2] * qd[3]) * c[3];
  for (std::size_t i = 4; i <= 6; ++i) u_dot[i] = qdd[i];
  return u_dot;
}

// Compiled for double, float, Counted, and Expr on parameters of type double; others include kane_stanford-inl.hpp.
/// C_ij, Z_1 … Z_196. Needs q, s, c and u.
template <class P, class T>
void stanford_Z(const StanfordArm<P>& arm, StanfordQuantities<T>& k);
/// X_rs. Needs stanford_Z().
template <class P, class T>
void stanford_X(const StanfordArm<P>& arm, StanfordQuantities<T>& k);
/// W_1 … W_31. Needs stanford_Z().
template <class P, class T>
std::array<T, 32> stanford_W(const StanfordArm<P>& arm, const StanfordQuantities<T>& k);

/// tau_1 … tau_5 and sigma from u̇: eqs 118-126. Needs Z and X.
template <class T>
std::array<T, 7> stanford_forces(const StanfordQuantities<T>& k, const std::array<T, 7>& u_dot) {
  const auto& Z = k.Z;
  std::array<T, 7> Xu{};
  for (std::size_t r = 1; r <= 6; ++r) {
    T sum = k.X[r][1] * u_dot[1];
    for (std::size_t j = 2; j <= 6; ++j) sum = sum + k.X[r][j] * u_dot[j];
    Xu[r] = sum;
  }
  std::array<T, 7> force{};
  force[3] = Xu[2] + Z[193] + Z[183];                      // (119)
  force[4] = Xu[4] + Z[195] + Z[185];                      // (121)
  force[5] = Xu[5] + Z[186];                               // (122)
  force[6] = Xu[6] + Z[196] + Z[187];                      // (123), sigma
  const T Y1 = Xu[1] + force[3] * Z[6] + Z[192] + Z[182];  // (124)
  const T Y2 = Xu[3] + force[3] * Z[7] + Z[194] + Z[184];  // (125)
  force[1] = k.s[2] * (Y2 * k.c[3] - Y1 * k.s[3]);         // (126)
  force[2] = Y1 * k.c[3] + Y2 * k.s[3];
  return force;
}

/// u̇ from tau_1 … tau_5 and sigma: eqs 118-123 solved by LDLᵀ (-X is symmetric and positive definite: no pivoting). Needs Z and X.
/// Rotors, which the paper's arm has not, enter as further bodies with one rate each: rotor i rotates at q̇_i = Σ_r p_ir u_r, with p_1 = (Z4, 0, Z5),
/// p_2 = (c3, 0, s3), p_3 = (-Z6, 1, -Z7), and q̈_i = Σ_r p_ir u̇_r + d_i with d_1 = Z71, d_2 = Z72, d_3 = -Z73. It adds -J_i p_ir p_is to X_rs and
/// -J_i p_ir d_i to the rest of K_r*.
template <class P, class T>
std::array<T, 7> stanford_accelerations(const StanfordArm<P>& arm, const StanfordQuantities<T>& k, const std::array<T, 7>& force) {
  const auto& Z = k.Z;
  const auto &s = k.s, &c = k.c;
  std::array<T, 7> b{};
  std::array<std::array<T, 7>, 7> M{};
  for (std::size_t r = 1; r <= 6; ++r)
    for (std::size_t j = 1; j <= 6; ++j) M[r][j] = -k.X[r][j];
  b[1] = force[1] * Z[4] - force[2] * c[3] + force[3] * Z[6] + Z[192] + Z[182];  // minus (118)
  b[2] = Z[193] + Z[183] - force[3];                                             // minus (119)
  b[3] = force[1] * Z[5] - force[2] * s[3] + force[3] * Z[7] + Z[194] + Z[184];  // minus (120)
  b[4] = Z[195] + Z[185] - force[4];                                             // minus (121)
  b[5] = Z[186] - force[5];                                                      // minus (122)
  b[6] = Z[196] + Z[187] - force[6];                                             // minus (123)

  const std::array<std::array<T, 4>, 4> p{{{}, {T(0), Z[4], T(0), Z[5]}, {T(0), c[3], T(0), s[3]}, {T(0), -Z[6], T(1), -Z[7]}}};
  const std::array<T, 4> d{T(0), Z[71], Z[72], -Z[73]};
  for (std::size_t i = 1; i <= 3; ++i)
    for (std::size_t r = 1; r <= 3; ++r) {
      const T Jp = arm.rotor[i] * p[i][r];
      b[r] = b[r] - Jp * d[i];
      for (std::size_t j = 1; j <= 3; ++j) M[r][j] = M[r][j] + Jp * p[i][j];
    }
  for (std::size_t i = 4; i <= 6; ++i) M[i][i] = M[i][i] + arm.rotor[i];

  std::array<T, 7> D{};
  for (std::size_t j = 1; j <= 6; ++j) {  // M = L D Lᵀ, L in place below the diagonal
    for (std::size_t i = 1; i < j; ++i) {
      const T DL = M[j][i];  // L_ji D_i so far
      M[j][i] = DL / D[i];
      for (std::size_t r = j; r <= 6; ++r) M[r][j] = M[r][j] - (r == j ? DL * M[j][i] : M[r][i] * M[j][i]);
    }
    D[j] = M[j][j];
  }
  for (std::size_t j = 1; j <= 6; ++j)
    for (std::size_t i = 1; i < j; ++i) b[j] = b[j] - M[j][i] * b[i];
  for (std::size_t j = 6; j >= 1; --j) {
    b[j] = b[j] / D[j];
    for (std::size_t i = j + 1; i <= 6; ++i) b[j] = b[j] - M[i][j] * b[i];
  }
  return b;
}

/// q̈ from u̇: q̈_i = Σ_r p_ir u̇_r + d_i as above (eqs 8-11 differentiated; α of eqs 56 and 57). Needs Z.
template <class T>
std::array<T, 7> stanford_joint_accelerations(const StanfordQuantities<T>& k, const std::array<T, 7>& u_dot) {
  const auto& Z = k.Z;
  std::array<T, 7> qdd = u_dot;
  qdd[1] = Z[4] * u_dot[1] + Z[5] * u_dot[3] + Z[71];
  qdd[2] = k.c[3] * u_dot[1] + k.s[3] * u_dot[3] + Z[72];
  qdd[3] = u_dot[2] - Z[6] * u_dot[1] - Z[7] * u_dot[3] - Z[73];
  return qdd;
}

template <class P>
template <class U>
StanfordArm<U> StanfordArm<P>::cast() const {
  StanfordArm<U> to;
  to.L1 = U(L1), to.L2 = U(L2), to.L3 = U(L3), to.L4 = U(L4), to.L5 = U(L5), to.L6 = U(L6);
  to.mA = U(mA), to.mB = U(mB), to.mC = U(mC), to.mD = U(mD), to.mE = U(mE), to.mF = U(mF);
  to.A1 = U(A1), to.A2 = U(A2), to.A3 = U(A3), to.B1 = U(B1), to.B2 = U(B2), to.B3 = U(B3);
  to.C1 = U(C1), to.C2 = U(C2), to.C3 = U(C3), to.D1 = U(D1), to.D2 = U(D2), to.D3 = U(D3);
  to.E1 = U(E1), to.E2 = U(E2), to.E3 = U(E3), to.F1 = U(F1), to.F2 = U(F2), to.F3 = U(F3);
  to.g = U(g);
  for (std::size_t r = 0; r < rotor.size(); ++r) to.rotor[r] = U(rotor[r]);
  return to;
}

}  // namespace ulna::internal
