// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 1991, 197-219, executed: the inertia matrix from forces
// and torques of composite bodies at the base (eqs 4 to 30), the bias from two joints that move (31 to 58), and the forms of the algorithm (62 to 67), line by
// line, on any scalar.
//
//   paper            here                 meaning, in the axes of the base
//   E_j, s_j         s[j]                 a frame fixed in link j, its origin on the axis of joint j: here the foot of the common normal
//   u_j, K_j*        u[j], revolute(j)    axis of joint j; whether it is revolute
//   p_i              c[i]                 mass centre of link i, from the base
//   m̂_j, p̂_j, Ĵ_j    m[j], p[j], J[j]     mass, first moment and inertia about the base of the links from j on (13, 14)
//   J̄_j              J_bar[j]             (22)
//   r_j, J_j         p[j], JJ[j]          r_j = p̂_j / m̂_j: lines that contain it are multiplied by m̂_j, those that contain J_j about it by m̂_j², so that
//   massless
//                                         links and symbols are no exception
//   (j)              in(j, x)             in the axes of E_j
//
// Left sides: derivatives of places and rotations as matrix products (turney_arm.hpp); H, its derivatives by dual numbers, b and η by other formulations.
// Misprints: (51) has a minus, and is run as printed, too; (43) has D_mij for D_mjj; (44) lacks the cross product in ω x (J ω); (67) K_j for K_m.
//
// Takes: chains of revolute and prismatic joints. Links are rigid bodies alone: no rotors, no friction.
#pragma once

#include "formulation/lagrange.hpp"
#include "formulation/newton_euler_base.hpp"
#include "verify/chain_motion.hpp"
#include "verify/derivation.hpp"
#include "verify/dual_chain.hpp"

namespace ulna::internal::proof {

/// value(j, k) for k < j <= n.
template <class T, class Value>
std::vector<T> each_strictly_below(std::size_t n, const Value& value) {
  std::vector<T> list;
  for (std::size_t j = 2; j <= n; ++j)
    for (std::size_t k = 1; k < j; ++k) append(list, value(j, k));
  return list;
}

template <class T>
std::vector<Line<T>> lin_lines(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                               std::string_view spoiled = {}) {
  using Index = std::size_t;
  using Vec = Vec3<T>;
  using Mat = Mat3<T>;
  Derivation<T> d(spoiled);
  const TurneyArm<T> arm(chain, q);
  const Index n = arm.n;
  const T o(0), half(0.5), two(2);
  const Vec none = zero<T>(), g = chain.gravity_0;
  const Mat E = Mat::identity();
  const auto revolute = [&](Index j) { return arm.revolute[j]; };
  const auto when = [&](bool holds, const auto& x) { return holds ? x : T(0) * x; };
  const auto square = [](const Vec& x) { return spin(x) * spin(x); };

  // A point of link i, from the origin of its frame, and how joints move it.
  const auto place = [&](Index i, const Vec& h) { return arm.p(0, i) + arm.R(0, i) * h; };
  const auto moved = [&](Index i, const Vec& h, Index j) { return arm.dp(i, j) + arm.dR(i, j) * h; };
  const auto moved_twice = [&](Index i, const Vec& h, Index j, Index k) { return arm.ddp(i, j, k) + arm.ddR(i, j, k) * h; };
  const auto foot = [&](Index j) { return Vec{-chain.rows[j - 1].a, o, o}; };
  const auto in = [&](Index j, const Vec& x) { return tmul(arm.R(0, j), x); };
  const auto in_axes = [&](Index j, const Mat& X) { return arm.R(j, 0) * X * arm.R(0, j); };

  std::vector<Vec> u(n + 1), s(n + 1), s_hat(n + 1), c(n + 1), p(n + 2, none);
  std::vector<T> m(n + 2, o);
  std::vector<Mat> I(n + 1), I_tilde(n + 1), J(n + 2, zero_matrix<T>()), J_bar(n + 2, zero_matrix<T>()), JJ(n + 1);
  for (Index i = n; i >= 1; --i) {
    u[i] = arm.z(0, i), s[i] = place(i, foot(i)), c[i] = place(i, arm.rbar[i]);
    s_hat[i] = cross(u[i], s[i]);  // 15
    I[i] = arm.R(0, i) * arm.I[i] * arm.R(i, 0);
    I_tilde[i] = I[i] - half * trace(I[i]) * E;  // 19
    m[i] = m[i + 1] + arm.m[i];                  // 2
    p[i] = p[i + 1] + arm.m[i] * c[i];           // 14
    J[i] = J[i + 1] + I[i] - arm.m[i] * square(c[i]);
    J_bar[i] = J_bar[i + 1] + I_tilde[i] - arm.m[i] * outer(c[i], c[i]);  // 22
  }
  const auto links_from = [&](Index j, const auto& zero_of, const auto& term) { return sum(j, n, zero_of, term); };
  const auto rho = [&](Index j) { return p[j] - m[j] * s[j]; };  // m̂_j (r_j - s_j)

  // --- inertia matrix --------------------------------------------------------------------------------------------------------------------------------
  for (Index j = 1; j <= n; ++j) JJ[j] = links_from(j, zero_matrix<T>(), [&](Index i) { return m[j] * m[j] * I[i] - arm.m[i] * square(m[j] * c[i] - p[j]); });
  d.begin("4 line 1", "J_j = Σ_i I_i - m_i [(p_i - r_j) x]², times m̂²", {each<T>(n, [&](Index j) { return JJ[j]; })});
  d.follows("4 line 2", "Σ_i (I_i - m_i [p_i x]²) + m̂ [r_j x]², times m̂²",
            {each<T>(n, [&](Index j) { return m[j] * m[j] * J[j]; }), each<T>(n, [&](Index j) { return m[j] * square(p[j]); })});

  const auto force = [&](Index j) { return -(a[j - 1] * (revolute(j) ? cross(u[j], rho(j)) : m[j] * u[j])); };  // 5, 8
  const auto alpha_of = [&](Index i, Index j) { return a[j - 1] * axial(arm.dR(i, j) * arm.R(i, 0)); };
  const auto torque = [&](Index j) {  // about the base, of joint j alone
    return -links_from(j, none, [&](Index i) { return I[i] * alpha_of(i, j) + arm.m[i] * cross(c[i], a[j - 1] * moved(i, arm.rbar[i], j)); });
  };
  d.begin("5 left", "-m̂_j r''_j = -Σ_i m_i ∂p_i/∂q_j q''_j",
          {each<T>(n, [&](Index j) { return -links_from(j, none, [&](Index i) { return arm.m[i] * (a[j - 1] * moved(i, arm.rbar[i], j)); }); })});
  d.follows("8", "f_Ej = -m̂_j r''_j, r'' by 5: (K* u_j x (r_j - s_j) + K u_j) q''_j",
            {each<T>(n, [&](Index j) { return when(!revolute(j), force(j)); }), each<T>(n, [&](Index j) { return when(revolute(j), force(j)); })});
  d.begin("6 left", "α_j, of the rotation that q_j changes", {each<T>(n, [&](Index j) { return alpha_of(j, j); })});
  d.follows("6", "K_j* u_j q''_j", {each<T>(n, [&](Index j) { return when(revolute(j), a[j - 1] * u[j]); })});
  d.begin("9 left", "-Σ_i (I_i α_i + p_i x m_i p''_i), times m̂²", {each<T>(n, [&](Index j) { return m[j] * m[j] * torque(j); })});
  d.follows(
      "9", "t_Ej = -J_j α_j - m̂_j r_j x r''_j, times m̂²",
      {each<T>(n, [&](Index j) { return -(JJ[j] * when(revolute(j), a[j - 1] * u[j])); }), each<T>(n, [&](Index j) { return m[j] * cross(p[j], force(j)); })});

  DhChain<T> weightless = chain;
  weightless.gravity_0 = none;
  const auto newton_euler = [&](const DhChain<T>& of, const std::vector<T>& rates, const std::vector<T>& accelerations) {
    std::vector<T> tau(n);
    hollerbach::NewtonEulerBase<T, T>(of).torque(q.data(), rates.data(), accelerations.data(), tau.data());
    return tau;
  };
  const std::vector<T> still(n, o);
  const auto alone = [&](const std::vector<T>& of, Index j, Index k) {
    std::vector<T> x = still;
    x[j - 1] = of[j - 1], x[k - 1] = of[k - 1];
    return x;
  };
  std::vector<std::vector<T>> column(n + 1);
  for (Index j = 1; j <= n; ++j) column[j] = newton_euler(weightless, still, alone(a, j, j));
  /// Σ of K's: each term holds for one of the four kinds of pairs.
  const auto of_pairs = [&](bool revolute_m, bool revolute_j, auto value) {
    return each_below<T>(n, [&](Index j, Index i) { return revolute(i) == revolute_m && revolute(j) == revolute_j ? value(i, j) : T(0); });
  };
  d.begin("11", "τ_mj = H_mj q''_j of the formulation newton-euler-base, q''_j alone and no weight",
          {each_below<T>(n, [&](Index j, Index i) { return column[j][i - 1]; })});
  d.follows("10", "-u_m · (K_m* (t_Ej - s_m x f_Ej) + K_m f_Ej)",
            {each_below<T>(n, [&](Index j, Index i) { return revolute(i) ? T(0) : -dot(u[i], force(j)); }),
             each_below<T>(n, [&](Index j, Index i) { return revolute(i) ? -dot(u[i], torque(j)) : T(0); }),
             each_below<T>(n, [&](Index j, Index i) { return revolute(i) ? dot(u[i], cross(s[i], force(j))) : T(0); })});
  const auto e = [&](Index j) { return cross(u[j], rho(j)); };                                        // 63
  const auto beyond = [&](Index i, Index j) { return cross(u[i], p[j]) - m[j] * s_hat[i]; };          // of a prismatic j
  const auto H_R = [&](Index i, Index j) { return dot(u[i], J[j] * u[j] + cross(s_hat[j], p[j])); };  // first part, both revolute
  const auto accelerated = [&](auto value) { return [&, value](Index i, Index j) { return value(i, j) * a[j - 1]; }; };
  d.follows("12", "K_m*K_j* {u_m · (Ĵ_j u_j + (u_j x s_j) x p̂_j) - (u_m x s_m) · (u_j x (p̂_j - m̂_j s_j))} + …, times q''_j",
            {of_pairs(false, false, accelerated([&](Index i, Index j) { return m[j] * dot(u[i], u[j]); })),
             of_pairs(false, true, accelerated([&](Index i, Index j) { return dot(u[i], e(j)); })),
             of_pairs(true, false, accelerated([&](Index i, Index j) { return dot(u[j], beyond(i, j)); })), of_pairs(true, true, accelerated(H_R)),
             of_pairs(true, true, accelerated([&](Index i, Index j) { return -dot(s_hat[i], e(j)); }))});
  const auto a_j = [&](Index j) { return J_bar[j] * u[j] - trace(J_bar[j]) * u[j] + cross(s_hat[j], p[j]); };
  d.follows("65", "K_m*K_j* (a_j · u_m - ŝ_m · e_j) + K_m K_j* e_j · u_m + K_m* K_j (u_m x p̂_j - m̂ ŝ_m)_z + K_m K_j m̂ (u_m)_z, times q''_j",
            {of_pairs(false, false, accelerated([&](Index i, Index j) { return m[j] * dot(u[i], u[j]); })),
             of_pairs(false, true, accelerated([&](Index i, Index j) { return dot(e(j), u[i]); })),
             of_pairs(true, false, accelerated([&](Index i, Index j) { return dot(beyond(i, j), u[j]); })),
             of_pairs(true, true, accelerated([&](Index i, Index j) { return -dot(s_hat[i], e(j)); })),
             of_pairs(true, true, accelerated([&](Index i, Index j) { return dot(a_j(j), u[i]); }))});

  // --- their recursions, in the axes of E_j --------------------------------------------------------------------------------------------------------------
  const auto each_inner = [&](auto value) {
    std::vector<T> list;
    for (Index j = 1; j < n; ++j) append(list, value(j));
    return list;
  };
  d.begin("16 left", "s_{j+1} in the axes of E_j", {each_inner([&](Index j) { return in(j, s[j + 1]); })});
  d.follows("16", "R times it in those of E_{j+1}", {each_inner([&](Index j) { return arm.R(j, j + 1) * in(j + 1, s[j + 1]); })});
  d.begin(
      "18", "Ĵ_{j+1} in the axes of E_j, a sum of vectors there",
      {each_inner([&](Index j) { return links_from(j + 1, zero_matrix<T>(), [&](Index i) { return in_axes(j, I[i]) - arm.m[i] * square(in(j, c[i])); }); })});
  d.follows("17", "R Ĵ_{j+1} Rᵀ", {each_inner([&](Index j) { return arm.R(j, j + 1) * in_axes(j + 1, J[j + 1]) * arm.R(j + 1, j); })});
  d.begin("19", "I_i", {each<T>(n, [&](Index i) { return I[i]; })});
  d.follows("20", "Ĩ_i - tr(Ĩ_i) E", {each<T>(n, [&](Index i) { return I_tilde[i]; }), each<T>(n, [&](Index i) { return T(-1) * (trace(I_tilde[i]) * E); })});
  d.begin("21 left", "[p_i x][s_i x]", {each<T>(n, [&](Index i) { return spin(c[i]) * spin(s[i]); })});
  d.follows("21", "s_i p_iᵀ - tr(s_i p_iᵀ) E",
            {each<T>(n, [&](Index i) { return outer(s[i], c[i]); }), each<T>(n, [&](Index i) { return T(-1) * (dot(s[i], c[i]) * E); })});
  d.begin("13", "Ĵ_j = Σ_i I_i - m_i [p_i x][p_i x]", {each<T>(n, [&](Index j) { return J[j]; })});
  d.follows("23", "J̄_j - tr(J̄_j) E, J̄ by 22",
            {each<T>(n, [&](Index j) { return J_bar[j]; }), each<T>(n, [&](Index j) { return T(-1) * (trace(J_bar[j]) * E); })});
  const auto carried = [&](Index j, const Vec& x) { return arm.R(j, j - 1) * in(j - 1, x); };
  d.begin("24 left", "u_m in the axes of E_j", {each_strictly_below<T>(n, [&](Index j, Index i) { return in(j, u[i]); })});
  d.follows("24", "R u_m", {each_strictly_below<T>(n, [&](Index j, Index i) { return carried(j, u[i]); })});
  const auto each_outer = [&](auto value) {
    std::vector<T> list;
    for (Index j = 2; j <= n; ++j) append(list, value(j));
    return list;
  };
  d.begin("25 left", "s_j in the axes of E_j", {each_outer([&](Index j) { return in(j, s[j]); })});
  d.follows("25", "R (s_{j-1} + the step from E_{j-1} to E_j)",
            {each_outer([&](Index j) { return carried(j, s[j - 1]); }), each_outer([&](Index j) {
               const DhRow<T>& row = chain.rows[j - 1];
               return arm.R(j, j - 1) * Vec{chain.rows[j - 2].a, o, row.prismatic ? row.d + q[j - 1] : row.d};
             })});
  d.begin("26 left", "p_j in the axes of E_j", {each<T>(n, [&](Index j) { return in(j, c[j]); })});
  d.follows("26", "s_j + c_j", {each<T>(n, [&](Index j) { return in(j, s[j]); }), each<T>(n, [&](Index j) { return arm.rbar[j] - foot(j); })});
  d.begin("27 left", "ŝ_m in the axes of E_j", {each_strictly_below<T>(n, [&](Index j, Index i) { return in(j, s_hat[i]); })});
  d.follows("27", "R ŝ_m", {each_strictly_below<T>(n, [&](Index j, Index i) { return carried(j, s_hat[i]); })});
  d.begin("2", "m̂_j = Σ_i m_i", {each<T>(n, [&](Index j) { return links_from(j, o, [&](Index i) { return arm.m[i]; }); })});
  d.follows("28", "m̂_{j+1} + m_j", {each<T>(n, [&](Index j) { return m[j + 1]; }), each<T>(n, [&](Index j) { return arm.m[j]; })});
  d.begin("14", "p̂_j = Σ_i m_i p_i in the axes of E_j",
          {each<T>(n, [&](Index j) { return links_from(j, none, [&](Index i) { return arm.m[i] * in(j, c[i]); }); })});
  d.follows("29", "R p̂_{j+1} + m_j p_j", {each<T>(n, [&](Index j) { return j == n ? none : arm.R(j, j + 1) * in(j + 1, p[j + 1]); }), each<T>(n, [&](Index j) {
                                            return arm.m[j] * in(j, c[j]);
                                          })});
  d.begin("22", "J̄_j = Σ_i Ĩ_i - m_i p_i p_iᵀ in the axes of E_j", {each<T>(n, [&](Index j) {
            return links_from(j, zero_matrix<T>(), [&](Index i) { return in_axes(j, I_tilde[i]) - arm.m[i] * outer(in(j, c[i]), in(j, c[i])); });
          })});
  d.follows(
      "30", "R J̄_{j+1} Rᵀ + Ĩ_j - m_j p_j p_jᵀ",
      {each<T>(n, [&](Index j) { return j == n ? zero_matrix<T>() : arm.R(j, j + 1) * in_axes(j + 1, J_bar[j + 1]) * arm.R(j + 1, j); }),
       each<T>(n, [&](Index j) { return in_axes(j, I_tilde[j]); }), each<T>(n, [&](Index j) { return T(-1) * (arm.m[j] * outer(in(j, c[j]), in(j, c[j]))); })});

  // --- bias ----------------------------------------------------------------------------------------------------------------------------------------
  std::vector<std::vector<T>> H_by(n + 1);  // ∂H/∂q_k
  for (Index k = 1; k <= n; ++k) {
    std::vector<Dual<T>> at, H(n * n);
    for (Index i = 0; i < n; ++i) at.push_back({q[i], T(i + 1 == k ? 1 : 0)});
    turney::Lagrange<Dual<T>, Dual<T>>(constant_chain<Dual<T>>(chain)).mass(at.data(), H.data());
    for (const Dual<T>& entry : H) H_by[k].push_back(entry.rate);
  }
  const auto H_of = [&](Index i, Index j, Index k) { return H_by[k][(i - 1) * n + j - 1]; };  // ∂H_ij/∂q_k
  const auto D = [&](Index i, Index k, Index j) { return half * (H_of(i, k, j) + H_of(i, j, k) - H_of(k, j, i)); };
  const auto rate = [&](Index j) { return v[j - 1]; };
  const auto each_torque = [&](auto value) { return each<T>(n, value); };
  const std::vector<T> eta = newton_euler(chain, still, still);
  d.begin("1", "b of the formulation newton-euler-base", {newton_euler(chain, v, still)});
  d.follows("31", "η_m + Σ_kj D_mkj q'_k q'_j, D the Christoffel symbols of H by dual numbers",
            {eta, each_torque(
                      [&](Index i) { return sum(1, n, o, [&](Index j) { return sum(1, n, o, [&](Index k) { return D(i, k, j) * rate(k) * rate(j); }); }); })});
  d.follows("35", "η_m + Σ_j Σ_{k<j} 2 D_mkj q'_k q'_j + Σ_j D_mjj q'_j²",
            {eta, each_torque([&](Index i) {
               return sum(1, n, o, [&](Index j) { return sum(1, j - 1, o, [&](Index k) { return two * D(i, k, j) * rate(k) * rate(j); }); });
             }),
             each_torque([&](Index i) { return sum(1, n, o, [&](Index j) { return D(i, j, j) * rate(j) * rate(j); }); })});
  const auto triples = [&](auto value) {  // k <= m <= j
    return each_pair_below<T>(n, [&](Index j, Index k, Index i) { return value(i, k, j); });
  };
  d.begin("32 left", "D_mkj, k <= m <= j", {triples(D)});
  d.follows("32", "D_mjk", {triples([&](Index i, Index k, Index j) { return half * (H_of(i, j, k) + H_of(i, k, j)); }), triples([&](Index i, Index k, Index j) {
                              return -(half * H_of(j, k, i));
                            })});
  d.begin("33 left", "0", {each_below<T>(n, [&](Index, Index) { return o; })});
  d.follows("33", "D_jkj, j >= k",
            {each_below<T>(n, [&](Index j, Index k) { return half * (H_of(j, k, j) + H_of(j, j, k)); }),
             each_below<T>(n, [&](Index j, Index k) { return -(half * H_of(k, j, j)); })});
  d.begin("34 left", "-D_mkj, k <= m <= j", {triples([&](Index i, Index k, Index j) { return -D(i, k, j); })});
  d.follows("34", "D_jkm", {triples([&](Index i, Index k, Index j) { return D(j, k, i); })});

  // Joints k and j alone move, k < j, at constant speeds.
  const auto two_moving = [&](auto value) { return each_strictly_below<T>(n, [&](Index j, Index k) { return value(k, j); }); };
  const auto vv = [&](Index k, Index j) { return rate(k) * rate(j); };
  const auto first_rate = [&](Index i, Index k, Index j) { return rate(k) * arm.dR(i, k) + (j > i ? zero_matrix<T>() : rate(j) * arm.dR(i, j)); };
  const auto second_rate = [&](const auto& by, Index i, Index k, Index j) {  // by(i, j, k): a second derivative; joints beyond link i do not move it
    const auto own = vv(k, k) * by(i, k, k);
    return j > i ? own : own + (two * vv(k, j)) * by(i, k, j) + vv(j, j) * by(i, j, j);
  };
  const auto omega_of = [&](Index i, Index k, Index j) { return axial(first_rate(i, k, j) * arm.R(i, 0)); };
  const auto alpha_moving = [&](Index i, Index k, Index j) {
    const Mat R_dot = first_rate(i, k, j);
    const Mat R_ddot = second_rate([&](Index l, Index x, Index y) { return arm.ddR(l, x, y); }, i, k, j);
    return axial(R_ddot * arm.R(i, 0) + R_dot * R_dot.transposed());
  };
  const auto acceleration = [&](Index i, const Vec& h, Index k, Index j) {
    return second_rate([&](Index l, Index x, Index y) { return moved_twice(l, h, x, y); }, i, k, j);
  };
  const auto w = [&](Index j) { return when(revolute(j), rate(j) * u[j]); };  // K* u q'
  d.begin("36 left", "ω_j, of the rate of the rotation", {two_moving([&](Index k, Index j) { return omega_of(j, k, j); })});
  d.follows("36", "K_j* u_j q'_j + K_k* u_k q'_k", {two_moving([&](Index, Index j) { return w(j); }), two_moving([&](Index k, Index) { return w(k); })});
  d.begin("37 left", "α_j, of the second rate of the rotation", {two_moving([&](Index k, Index j) { return alpha_moving(j, k, j); })});
  d.follows("37", "K_k* K_j* (u_k q'_k) x (u_j q'_j)", {two_moving([&](Index k, Index j) { return cross(w(k), w(j)); })});
  const auto slide = [&](Index j) { return when(!revolute(j), rate(j) * u[j]); };
  const auto s_ddot = [&](Index k, Index j) { return cross(w(k), cross(w(k), s[j] - s[k])) + two * cross(w(k), slide(j)); };
  d.begin("38", "s''_j, of the second rates of places", {two_moving([&](Index k, Index j) { return acceleration(j, foot(j), k, j); })});
  d.follows("39 line 1", "2 ω_k x (K_j u_j q'_j) + ω_k x (ω_k x (s_j - s_k))",
            {two_moving([&](Index k, Index j) { return two * cross(w(k), slide(j)); }),
             two_moving([&](Index k, Index j) { return cross(w(k), cross(w(k), s[j] - s[k])); })});
  d.follows("39 line 2", "2 K_k* K_j u_k x u_j q'_k q'_j + K_k* u_k x (u_k x (s_j - s_k)) q'_k²",
            {two_moving([&](Index k, Index j) { return when(revolute(k) && !revolute(j), (two * vv(k, j)) * cross(u[k], u[j])); }),
             two_moving([&](Index k, Index j) { return when(revolute(k), vv(k, k) * cross(u[k], cross(u[k], s[j] - s[k]))); })});
  const auto twice_cross = [&](Index k, Index j, const Vec& x) { return cross(u[k], cross(u[j], x)); };
  d.begin("40 left", "m̂_j r''_j = Σ_i m_i p''_i",
          {two_moving([&](Index k, Index j) { return links_from(j, none, [&](Index i) { return arm.m[i] * acceleration(i, arm.rbar[i], k, j); }); })});
  d.follows("40 line 1", "s''_j + ω_j x (ω_j x (r_j - s_j)) + α_j x (r_j - s_j), times m̂",
            {two_moving([&](Index k, Index j) { return m[j] * s_ddot(k, j); }),
             two_moving([&](Index k, Index j) { return cross(w(k) + w(j), cross(w(k) + w(j), rho(j))); }),
             two_moving([&](Index k, Index j) { return cross(cross(w(k), w(j)), rho(j)); })});
  const auto both = [&](Index k, Index j) { return revolute(k) && revolute(j); };
  d.follows("40 line 2",
            "s''_j + K_k* u_k x (u_k x …) q'_k² + K_j* u_j x (u_j x …) q'_j² + K_k* K_j* (u_k x (u_j x …) + u_j x (u_k x …) + (u_k x u_j) x …) q'_k q'_j",
            {two_moving([&](Index k, Index j) { return m[j] * s_ddot(k, j); }), two_moving([&](Index k, Index j) {
               return when(revolute(k), vv(k, k) * twice_cross(k, k, rho(j))) + when(revolute(j), vv(j, j) * twice_cross(j, j, rho(j)));
             }),
             two_moving([&](Index k, Index j) {
               return when(both(k, j), vv(k, j) * (twice_cross(k, j, rho(j)) + twice_cross(j, k, rho(j)) + cross(cross(u[k], u[j]), rho(j))));
             })});
  const auto between = [&](auto value) {  // k <= i < j
    std::vector<T> list;
    for (Index j = 2; j <= n; ++j)
      for (Index i = 1; i < j; ++i)
        for (Index k = 1; k <= i; ++k) append(list, value(k, i, j));
    return list;
  };
  d.begin("41", "p''_i - α_i x (p_i - s_k), of second rates, k <= i < j: α_i is zero",
          {between([&](Index k, Index i, Index j) { return acceleration(i, arm.rbar[i], k, j) - cross(alpha_moving(i, k, j), c[i] - s[k]); })});
  d.follows("42", "K_k* u_k x (u_k x (p_i - s_k)) q'_k²",
            {between([&](Index k, Index i, Index) { return when(revolute(k), vv(k, k) * twice_cross(k, k, c[i] - s[k])); })});
  std::vector<std::vector<T>> of_two(n * n + n + 1);
  for (Index j = 2; j <= n; ++j)
    for (Index k = 1; k < j; ++k) of_two[j * n + k] = newton_euler(weightless, alone(v, j, k), still);
  const auto torques_of_two = [&](auto value) {
    std::vector<T> list;
    for (Index i = 1; i <= n; ++i)
      for (Index j = 2; j <= n; ++j)
        for (Index k = 1; k < j; ++k) list.push_back(value(i, k, j));
    return list;
  };
  d.begin("43 left", "b_m of newton-euler-base, joints k and j alone and no weight",
          {torques_of_two([&](Index i, Index k, Index j) { return of_two[j * n + k][i - 1]; })});
  d.follows("43", "D_mkk q'_k² + D_mjj q'_j² + 2 D_mkj q'_k q'_j",
            {torques_of_two([&](Index i, Index k, Index) { return D(i, k, k) * vv(k, k); }),
             torques_of_two([&](Index i, Index, Index j) { return D(i, j, j) * vv(j, j); }),
             torques_of_two([&](Index i, Index k, Index j) { return two * D(i, k, j) * vv(k, j); })});
  d.begin("44 left", "-Σ_i (I_i α_i + ω_i x I_i ω_i + (p_i - r_j) x m_i p''_i), times m̂²", {two_moving([&](Index k, Index j) {
            return -links_from(j, none, [&](Index i) {
              const Vec omega = omega_of(i, k, j);
              return m[j] * m[j] * (I[i] * alpha_moving(i, k, j) + cross(omega, I[i] * omega)) +
                     m[j] * cross(m[j] * c[i] - p[j], arm.m[i] * acceleration(i, arm.rbar[i], k, j));
            });
          })});
  d.follows("44 line 1", "-J_j α_j - ω_j x (J_j ω_j), times m̂²",
            {two_moving([&](Index k, Index j) { return -(JJ[j] * cross(w(k), w(j))); }),
             two_moving([&](Index k, Index j) { return -cross(w(k) + w(j), JJ[j] * (w(k) + w(j))); })});
  const auto spun = [&](Index j, Index x, Index y) { return cross(u[x], JJ[j] * u[y]); };
  d.follows("44 line 2",
            "K_k* K_j* (-J_j (u_k x u_j) - u_k x J_j u_j - u_j x J_j u_k) q'_k q'_j - K_j* u_j x J_j u_j q'_j² - K_k* u_k x J_j u_k q'_k², times m̂²",
            {two_moving([&](Index k, Index j) { return when(both(k, j), -(vv(k, j) * (JJ[j] * cross(u[k], u[j]) + spun(j, k, j) + spun(j, j, k)))); }),
             two_moving([&](Index, Index j) { return when(revolute(j), -(vv(j, j) * spun(j, j, j))); }),
             two_moving([&](Index k, Index j) { return when(revolute(k), -(vv(k, k) * spun(j, k, k))); })});

  // Identities.
  d.begin("48 left", "u_k x (u_j x (r_j - s_j)) + u_j x (u_k x (r_j - s_j)) + (u_k x u_j) x (r_j - s_j), times m̂",
          {two_moving([&](Index k, Index j) { return twice_cross(k, j, rho(j)) + twice_cross(j, k, rho(j)) + cross(cross(u[k], u[j]), rho(j)); })});
  d.follows("48", "2 u_k x (u_j x (r_j - s_j))", {two_moving([&](Index k, Index j) { return two * twice_cross(k, j, rho(j)); })});
  const auto less_half = [&](const Mat& X) { return X - half * trace(X) * E; };
  d.begin("49 left", "J_j (u_k x u_j) + u_k x J_j u_j + u_j x J_j u_k, times m̂²",
          {two_moving([&](Index k, Index j) { return JJ[j] * cross(u[k], u[j]) + spun(j, k, j) + spun(j, j, k); })});
  d.follows("49", "2 u_j x ((J_j - ½ tr J_j E) u_k)", {two_moving([&](Index k, Index j) { return two * cross(u[j], less_half(JJ[j]) * u[k]); })});
  d.begin("50 left", "(u_m x r_j) x (u_j x r_j), times m̂²", {two_moving([&](Index k, Index j) { return cross(cross(u[k], p[j]), cross(u[j], p[j])); })});
  d.follows("50", "-r_j r_jᵀ [u_j x] u_m", {two_moving([&](Index k, Index j) { return -(outer(p[j], p[j]) * cross(u[j], u[k])); })});
  const auto J_part = each<T>(n, [&](Index j) { return m[j] * m[j] * J_bar[j]; });
  d.begin("51 left", "J_j - ½ tr J_j E, times m̂²", {each<T>(n, [&](Index j) { return less_half(JJ[j]); })});
  d.follows("51", "J̄_j + m̂_j r_j r_jᵀ", {J_part, each<T>(n, [&](Index j) { return m[j] * outer(p[j], p[j]); })});
  d.printed("51", "minus m̂_j r_j r_jᵀ", {J_part, each<T>(n, [&](Index j) { return T(-1) * (m[j] * outer(p[j], p[j])); })});
  d.begin("52 left", "u_j x ((J_j - ½ tr J_j E) u_j), times m̂²", {each<T>(n, [&](Index j) { return cross(u[j], less_half(JJ[j]) * u[j]); })});
  d.follows("52", "u_j x J_j u_j", {each<T>(n, [&](Index j) { return spun(j, j, j); })});
  d.begin("53 left", "[p_i x][s_i x] - ½ tr([p_i x][s_i x]) E", {each<T>(n, [&](Index i) { return less_half(spin(c[i]) * spin(s[i])); })});
  d.follows("53", "s_i p_iᵀ", {each<T>(n, [&](Index i) { return outer(s[i], c[i]); })});

  // D_mkj, m < j and k <= j, from 10 with these; then by d_mj.
  const auto coefficients = [&](auto value) {
    std::vector<T> list;
    for (Index j = 2; j <= n; ++j)
      for (Index i = 1; i < j; ++i)
        for (Index k = 1; k <= j; ++k) list.push_back(value(i, k, j));
    return list;
  };
  const auto half_force = [&](Index k, Index j) {  // half of -m̂ r'' by q'_k q'_j, or by q'_j² for k = j
    return -(revolute(k) ? revolute(j) ? twice_cross(k, j, rho(j)) : m[j] * cross(u[k], u[j]) : none);
  };
  d.begin("34", "D_mkj, m < j and k <= j, times m̂²", {coefficients([&](Index i, Index k, Index j) { return m[j] * m[j] * D(i, k, j); })});
  d.follows("10 by 40 and 44", "-u_m · (K_m* (t_E - s_m x f_E) + K_m f_E), half of what q'_k q'_j has in it",
            {coefficients([&](Index i, Index k, Index j) { return revolute(i) ? T(0) : -(m[j] * m[j] * dot(u[i], half_force(k, j))); }),
             coefficients([&](Index i, Index k, Index j) {
               return revolute(i) ? m[j] * dot(u[i], m[j] * cross(s[i], half_force(k, j)) - cross(p[j], half_force(k, j))) : T(0);
             }),
             coefficients([&](Index i, Index k, Index j) { return revolute(i) && both(k, j) ? dot(u[i], cross(u[j], less_half(JJ[j]) * u[k])) : T(0); })});
  const auto d_revolute = [&](Index i, Index j) { return cross(s_hat[j], cross(p[j], u[i])) + cross(s_hat[i], e(j)); };
  const auto d_mj = [&](Index i, Index j) -> Vec {  // 46
    if (revolute(i)) return revolute(j) ? d_revolute(i, j) - J_bar[j] * cross(u[j], u[i]) : cross(u[j], beyond(i, j));
    return revolute(j) ? -cross(u[i], e(j)) : m[j] * cross(u[j], u[i]);
  };
  const auto by_d = [&](auto value) { return coefficients([&](Index i, Index k, Index j) { return revolute(k) ? dot(u[k], value(i, j)) : T(0); }); };
  d.begin("34", "D_mkj, m < j and k <= j", {coefficients(D)});
  d.follows(
      "45", "K_k* u_k · d_mj, d by 46: K_m* K_j* {-J̄_j (u_j x u_m) + ŝ_j x (p̂_j x u_m) + ŝ_m x (u_j x (p̂_j - m̂_j s_j))} - …",
      {by_d([&](Index i, Index j) { return both(i, j) ? none : d_mj(i, j); }), by_d([&](Index i, Index j) { return both(i, j) ? d_revolute(i, j) : none; }),
       by_d([&](Index i, Index j) { return both(i, j) ? -(J_bar[j] * cross(u[j], u[i])) : none; })});
  const auto beyond_both = [&](auto value) {  // m > j > k
    std::vector<T> list;
    for (Index i = 3; i <= n; ++i)
      for (Index j = 2; j < i; ++j)
        for (Index k = 1; k < j; ++k) list.push_back(value(i, k, j));
    return list;
  };
  d.begin("34 right", "D_mkj, m > j > k", {beyond_both(D)});
  d.follows("47", "-K_k* u_k · d_jm", {beyond_both([&](Index i, Index k, Index j) { return revolute(k) ? -dot(u[k], d_mj(j, i)) : T(0); })});
  d.begin("46", "d_mj", {each_strictly_below<T>(n, [&](Index j, Index i) { return d_mj(i, j); })});
  const auto B_u = [&](Index i, Index j) { return cross(s_hat[j], cross(p[j], u[i])) - J_bar[j] * cross(u[j], u[i]); };  // 64
  d.follows("66", "K_m K_j m̂ u_j x u_m + K_m* K_j u_j x (u_m x p̂_j - m̂_j ŝ_m) + K_m K_j* e_j x u_m + K_m* K_j* (ŝ_m x e_j + B_j u_m), B by 64",
            {each_strictly_below<T>(n, [&](Index j, Index i) { return revolute(j) ? none : d_mj(i, j); }),
             each_strictly_below<T>(n, [&](Index j, Index i) { return revolute(j) ? revolute(i) ? cross(s_hat[i], e(j)) : cross(e(j), u[i]) : none; }),
             each_strictly_below<T>(n, [&](Index j, Index i) { return both(i, j) ? B_u(i, j) : none; })});

  const auto zeta = [&](Index j) { return sum(1, j - 1, none, [&](Index k) { return two * w(k); }) + w(j); };  // 55
  d.begin("35 less η", "Σ_kj D_mkj q'_k q'_j",
          {each_torque([&](Index i) { return sum(1, n, o, [&](Index j) { return sum(1, n, o, [&](Index k) { return D(i, k, j) * vv(k, j); }); }); })});
  d.follows("54", "-Σ_{j<m} (ζ_j q'_j) · d_jm + Σ_{j>m} (ζ_j q'_j) · d_mj, ζ by 55",
            {each_torque([&](Index i) { return sum(1, i - 1, o, [&](Index j) { return -(rate(j) * dot(zeta(j), d_mj(j, i))); }); }),
             each_torque([&](Index i) { return sum(i + 1, n, o, [&](Index j) { return rate(j) * dot(zeta(j), d_mj(i, j)); }); })});
  d.begin("55", "ζ_{j+1} in the axes of E_{j+1}", {each_outer([&](Index j) { return in(j, zeta(j)); })});
  d.follows("56", "K_{j+1}* u_{j+1} q'_{j+1} + R (ζ_j + K_j* u_j q'_j)",
            {each_outer([&](Index j) { return in(j, w(j)); }), each_outer([&](Index j) { return carried(j, zeta(j - 1) + w(j - 1)); })});
  d.begin("57 left", "ζ_j q'_j in the axes of E_m", {each_strictly_below<T>(n, [&](Index i, Index j) { return rate(j) * in(i, zeta(j)); })});
  d.follows("57", "R (ζ_j q'_j)", {each_strictly_below<T>(n, [&](Index i, Index j) { return rate(j) * carried(i, zeta(j)); })});
  d.begin("58 left", "η of the formulation newton-euler-base, at rest", {eta});
  d.follows("58", "-K_j u_j · m̂_j g - K_j* u_j · ((r_j - s_j) x m̂_j g)",
            {each_torque([&](Index j) { return revolute(j) ? T(0) : -(m[j] * dot(u[j], g)); }),
             each_torque([&](Index j) { return revolute(j) ? -dot(u[j], cross(rho(j), g)) : T(0); })});
  d.follows("67", "-K_m m̂_m (g)_z - K_m* e_m · g",
            {each_torque([&](Index j) { return revolute(j) ? T(0) : -(m[j] * dot(u[j], g)); }),
             each_torque([&](Index j) { return revolute(j) ? -dot(e(j), g) : T(0); })});
  return d.take();
}

}  // namespace ulna::internal::proof
