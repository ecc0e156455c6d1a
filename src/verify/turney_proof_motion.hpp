// Turney, Mudge & Lee 1980, eqs 1.11 … 1.19 and 4.1 … 4.9: the motion of Newton and Euler's recursion is made of derivatives of the T matrices.
//
// Misprints, all of the printed right sides: eq. 1.14 has R_{i-1}^{i-1} for R_i^{i-1}; eq. 1.18 R_m^m for R_{j-1}^m; eqs 4.2 and 4.4 sum k to i-1 where it ends
// with j-1 (4.2 and 4.4 are run as printed, too); line 1 of eq. 4.3 sums k to n for i; eq. 4.7 has first derivatives of p where second ones belong, and lacks
// dots; eq. 4.9 has R_0^i before g z_0 for R_i^0. No number 4.8 is printed: it is the line before 4.9.
#pragma once

#include "verify/derivation.hpp"
#include "verify/dual_chain.hpp"
#include "verify/turney_arm.hpp"

namespace ulna::internal::proof {

/// Eqs 3.15 to 3.21 link by link, in frame i; [0] is the base.
template <class T>
struct TurneyRecursion {
  TurneyRecursion(const TurneyArm<T>& arm, const std::vector<T>& v, const std::vector<T>& a_joints)
      : omega(arm.n + 2, zero<T>()), alpha(omega), a(omega), abar(omega), f(omega), n(omega), tau(arm.n) {
    a[0] = arm.up;
    for (std::size_t i = 1; i <= arm.n; ++i) {
      const Mat3<T> R = arm.R(i, i - 1);
      const Vec3<T> z = arm.z(i - 1, i);
      const T &rate = v[i - 1], &acceleration = a_joints[i - 1];
      if (arm.revolute[i]) {
        omega[i] = R * (omega[i - 1] + rate * z);                                          // 3.15
        alpha[i] = R * (alpha[i - 1] + cross(omega[i - 1], rate * z) + acceleration * z);  // 3.16
      } else {
        omega[i] = R * omega[i - 1];
        alpha[i] = R * alpha[i - 1];
      }
      a[i] = cross(omega[i], cross(omega[i], arm.r[i])) + cross(alpha[i], arm.r[i]) + R * a[i - 1];  // 3.17
      if (!arm.revolute[i]) a[i] = a[i] + acceleration * (R * z) + (rate + rate) * cross(omega[i], R * z);
      abar[i] = cross(omega[i], cross(omega[i], arm.rbar[i])) + cross(alpha[i], arm.rbar[i]) + a[i];  // 3.18
    }
    for (std::size_t i = arm.n; i >= 1; --i) {
      const bool last = i == arm.n;
      const Vec3<T> Rf = last ? zero<T>() : arm.R(i, i + 1) * f[i + 1], Rn = last ? zero<T>() : arm.R(i, i + 1) * n[i + 1];
      f[i] = arm.m[i] * abar[i] + Rf;                                    // 3.19
      n[i] = arm.I[i] * alpha[i] + cross(omega[i], arm.I[i] * omega[i])  // 3.20
             + arm.m[i] * cross(arm.rbar[i] + arm.r[i], abar[i]) + cross(arm.r[i], Rf) + Rn;
      tau[i - 1] = dot(arm.z(i, i), arm.revolute[i] ? n[i] : f[i]);  // 3.21
    }
  }
  std::vector<Vec3<T>> omega, alpha, a, abar, f, n;
  std::vector<T> tau;
};

// --- derivatives by dual numbers: what the paper's matrices must equal -------------------------------------------------------------------------------

/// The arm where joints j and k have a derivative each.
template <class T>
TurneyArm<Dual<Dual<T>>> differentiated(const DhChain<T>& chain, const std::vector<T>& q, std::size_t j, std::size_t k) {
  using D = Dual<T>;
  std::vector<Dual<D>> at;
  for (std::size_t i = 1; i <= q.size(); ++i) at.push_back({{q[i - 1], T(i == j ? 1 : 0)}, {T(i == k ? 1 : 0), T(0)}});
  return TurneyArm<Dual<D>>(constant_chain<Dual<D>>(chain), at);
}

template <class T>
void prove_derivatives(Derivation<T>& d, const DhChain<T>& chain, const TurneyArm<T>& arm, const std::vector<T>& q) {
  const std::size_t n = arm.n;
  const auto first = [](const Dual<Dual<T>>& x) { return x.value.rate; };
  const auto second = [](const Dual<Dual<T>>& x) { return x.rate.rate; };
  std::vector<TurneyArm<Dual<Dual<T>>>> pairs;
  for (std::size_t k = 1; k <= n; ++k)
    for (std::size_t j = 1; j <= k; ++j) pairs.push_back(differentiated(chain, q, j, k));
  const auto by = [&](std::size_t j, std::size_t k) -> const TurneyArm<Dual<Dual<T>>>& { return pairs[(k - 1) * k / 2 + j - 1]; };

  d.begin("1.15", "p_0^i, the last column of T_0^i", {each<T>(n, [&](std::size_t i) { return arm.p(0, i); })});
  d.follows("1.16", "Σ_m R_0^m r_m", {each<T>(n, [&](std::size_t i) { return sum(1, i, zero<T>(), [&](std::size_t m) { return arm.R(0, m) * arm.r[m]; }); })});

  d.begin("1.11 left", "∂R_0^i/∂θ_j, by dual numbers", {each_below<T>(n, [&](std::size_t i, std::size_t j) { return parts<T>(by(j, j).R(0, i), first); })});
  d.follows("1.11 line 1", "R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^i", {each_below<T>(n, [&](std::size_t i, std::size_t j) { return arm.dR(i, j); })});
  d.follows("1.11 line 2", "Q_0^{j-1} R_0^i", {each_below<T>(n, [&](std::size_t i, std::size_t j) { return arm.Q(0, j) * arm.R(0, i); })});

  d.begin("1.12 left", "∂²R_0^i/∂θ_j∂θ_k, by dual numbers",
          {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) { return parts<T>(by(j, k).R(0, i), second); })});
  d.follows("1.12 line 1", "R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^{k-1} Q_{k-1}^{k-1} R_{k-1}^i",
            {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) { return arm.ddR(i, j, k); })});
  d.follows("1.12 line 2", "Q_0^{j-1} Q_0^{k-1} R_0^i",
            {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) { return arm.Q(0, j) * arm.Q(0, k) * arm.R(0, i); })});

  d.begin("1.18 left", "∂p_0^i/∂θ_j, by dual numbers", {each_below<T>(n, [&](std::size_t i, std::size_t j) { return parts<T>(by(j, j).p(0, i), first); })});
  d.follows("1.18 line 1", "Σ_{m>=j} R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^m r_m", {each_below<T>(n, [&](std::size_t i, std::size_t j) { return arm.dp(i, j); })});
  d.follows("1.18 line 2", "Σ_{m>=j} Q_0^{j-1} R_0^m r_m",
            {each_below<T>(n, [&](std::size_t i, std::size_t j) { return sum(j, i, zero<T>(), [&](std::size_t m) { return arm.dr(0, m, j); }); })});

  d.begin("1.19 left", "∂²p_0^i/∂θ_j∂θ_k, by dual numbers",
          {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) { return parts<T>(by(j, k).p(0, i), second); })});
  d.follows("1.19 line 1", "Σ_{m>=k} R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^{k-1} Q_{k-1}^{k-1} R_{k-1}^m r_m",
            {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) { return arm.ddp(i, j, k); })});
  d.follows("1.19 line 2", "Σ_{m>=k} Q_0^{j-1} Q_0^{k-1} R_0^m r_m", {each_pair_below<T>(n, [&](std::size_t i, std::size_t j, std::size_t k) {
              return sum(k, i, zero<T>(), [&](std::size_t m) { return arm.ddr(0, m, j, k); });
            })});
}

/// Eqs 4.1 to 4.9; θ' and θ'' are v and a.
template <class T>
void prove_motion(Derivation<T>& d, const TurneyArm<T>& arm, const TurneyRecursion<T>& run, const std::vector<T>& v, const std::vector<T>& a) {
  const std::size_t n = arm.n;
  using Index = std::size_t;
  const Vec3<T> none = zero<T>();
  const auto z = [&](Index i, Index j) { return arm.revolute[j] ? arm.z(i, j) : none; };  // axis of a revolute joint
  /// Σ_{j<=last} θ''_j term(j), and Σ_{j<=last} Σ_{first(j)<=k<=end(j)} θ'_j θ'_k term(j, k).
  const auto linear = [&](Index last, auto term) { return sum(1, last, none, [&](Index j) { return a[j - 1] * term(j); }); };
  const auto quadratic = [&](Index last, auto first, auto end, auto term) {
    return sum(1, last, none, [&](Index j) { return sum(first(j), end(j), none, [&](Index k) { return v[j - 1] * v[k - 1] * term(j, k); }); });
  };
  const auto one = [](Index) { return Index{1}; };
  const auto less = [](Index j) { return j - 1; };
  const auto itself = [](Index j) { return j; };

  d.begin("3.15", "ω_i = R_i^{i-1}(ω_{i-1} + θ'_i z_{i-1})", {each<T>(n, [&](Index i) { return run.omega[i]; })});
  d.follows("4.1", "Σ_j R_i^{j-1} z_{j-1} θ'_j", {each<T>(n, [&](Index i) { return sum(1, i, none, [&](Index j) { return v[j - 1] * z(i, j); }); })});

  const auto rotated = each<T>(n, [&](Index i) { return linear(i, [&](Index j) { return z(i, j); }); });
  d.begin("3.16", "α_i = R_i^{i-1}(α_{i-1} + ω_{i-1} × z_{i-1} θ'_i + θ''_i z_{i-1})", {each<T>(n, [&](Index i) { return run.alpha[i]; })});
  d.follows("4.2 line 1", "Σ_j R_i^{j-1} z_{j-1} θ''_j + Σ_j R_i^{j-1}(ω_{j-1} × z_{j-1}) θ'_j",
            {rotated, each<T>(n, [&](Index i) {
               return sum(1, i, none, [&](Index j) { return v[j - 1] * (arm.R(i, j - 1) * cross(run.omega[j - 1], z(j - 1, j))); });
             })});
  const auto z_x_z = [&](auto end) {
    return each<T>(n, [&](Index i) {
      return quadratic(
          i, one, [&](Index j) { return end(i, j); }, [&](Index j, Index k) { return cross(z(i, k), z(i, j)); });
    });
  };
  const auto to_j = [](Index, Index j) { return j - 1; };
  const auto to_i = [](Index i, Index) { return i - 1; };
  d.follows("4.2 line 2", "Σ_j R_i^{j-1} z_{j-1} θ''_j + Σ_j Σ_{k<j} R_i^{k-1} z_{k-1} × R_i^{j-1} z_{j-1} θ'_j θ'_k", {rotated, z_x_z(to_j)});
  d.printed("4.2 line 2", "k runs to i-1", {rotated, z_x_z(to_i)});

  const auto all = [](Index i) { return [i](Index) { return i; }; };
  d.begin("4.3 left", "ω_i × (ω_i × r_i)", {each<T>(n, [&](Index i) { return cross(run.omega[i], cross(run.omega[i], arm.r[i])); })});
  d.follows("4.3 line 1", "Σ_j Σ_k R_i^{j-1} z_{j-1} × (R_i^{k-1} z_{k-1} × r_i) θ'_j θ'_k",
            {each<T>(n, [&](Index i) { return quadratic(i, one, all(i), [&](Index j, Index k) { return cross(z(i, j), cross(z(i, k), arm.r[i])); }); })});
  d.follows("4.3 line 2", "Σ_j Σ_k Q_i^{j-1} Q_i^{k-1} r_i θ'_j θ'_k",
            {each<T>(n, [&](Index i) { return quadratic(i, one, all(i), [&](Index j, Index k) { return arm.Q(i, j) * (arm.Q(i, k) * arm.r[i]); }); })});

  const auto z_x_r = each<T>(n, [&](Index i) { return linear(i, [&](Index j) { return cross(z(i, j), arm.r[i]); }); });
  d.begin("4.4 left", "α_i × r_i", {each<T>(n, [&](Index i) { return cross(run.alpha[i], arm.r[i]); })});
  d.follows("4.4 line 1", "Σ_j R_i^{j-1} z_{j-1} × r_i θ''_j + Σ_j Σ_{k<j} [R_i^{k-1} z_{k-1} × R_i^{j-1} z_{j-1}] × r_i θ'_j θ'_k",
            {z_x_r, each<T>(n, [&](Index i) { return quadratic(i, one, less, [&](Index j, Index k) { return cross(cross(z(i, k), z(i, j)), arm.r[i]); }); })});
  d.follows("4.4 line 2", "… + Σ_j Σ_{k<j} (R_i^{k-1} z_{k-1} × [R_i^{j-1} z_{j-1} × r_i] - R_i^{j-1} z_{j-1} × [R_i^{k-1} z_{k-1} × r_i]) θ'_j θ'_k",
            {z_x_r, each<T>(n, [&](Index i) {
               return quadratic(i, one, less,
                                [&](Index j, Index k) { return cross(z(i, k), cross(z(i, j), arm.r[i])) - cross(z(i, j), cross(z(i, k), arm.r[i])); });
             })});
  const auto Q_r = each<T>(n, [&](Index i) { return linear(i, [&](Index j) { return arm.Q(i, j) * arm.r[i]; }); });
  const auto commuted = [&](auto end) {
    return each<T>(n, [&](Index i) {
      return quadratic(
          i, one, [&](Index j) { return end(i, j); },
          [&](Index j, Index k) { return arm.Q(i, k) * (arm.Q(i, j) * arm.r[i]) - arm.Q(i, j) * (arm.Q(i, k) * arm.r[i]); });
    });
  };
  d.follows("4.4 line 3", "Σ_j Q_i^{j-1} r_i θ''_j + Σ_j Σ_{k<j} (Q_i^{k-1} Q_i^{j-1} - Q_i^{j-1} Q_i^{k-1}) r_i θ'_j θ'_k", {Q_r, commuted(to_j)});
  d.printed("4.4 line 3", "k runs to i-1", {Q_r, commuted(to_i)});

  // From here on a slide takes part: see dr() and ddr().
  const auto own_linear = each<T>(n, [&](Index i) { return linear(i, [&](Index j) { return arm.dr(i, i, j); }); });
  const auto carried = each<T>(n, [&](Index i) { return arm.R(i, i - 1) * run.a[i - 1]; });
  const auto own = [&](Index i) { return [&arm, i](Index j, Index k) { return arm.ddr(i, i, j, k); }; };
  d.begin("3.17", "a_i = ω_i × (ω_i × r_i) + α_i × r_i + R_i^{i-1} a_{i-1}", {each<T>(n, [&](Index i) { return run.a[i]; })});
  d.follows("4.5 line 1",
            "Σ_j Q_i^{j-1} r_i θ''_j + Σ_j Σ_{k<j} Q_i^{k-1} Q_i^{j-1} r_i θ'_j θ'_k + Σ_j Σ_{k>=j} Q_i^{j-1} Q_i^{k-1} r_i θ'_j θ'_k + R_i^{i-1} a_{i-1}",
            {own_linear, carried, each<T>(n, [&](Index i) { return quadratic(i, one, less, own(i)); }),
             each<T>(n, [&](Index i) { return quadratic(i, itself, all(i), own(i)); })});
  d.follows("4.5 line 2", "Σ_j Q_i^{j-1} r_i θ''_j + Σ_j Σ_k Q_i^{v-1} Q_i^{u-1} r_i θ'_j θ'_k + R_i^{i-1} a_{i-1}, u = max(j,k), v = min(j,k)",
            {own_linear, each<T>(n, [&](Index i) { return quadratic(i, one, all(i), own(i)); }), carried});
  const auto gravity = each<T>(n, [&](Index i) { return arm.R(i, 0) * arm.up; });
  d.follows("4.6 line 1", "Σ_m Σ_{j<=m} Q_i^{j-1} R_i^m r_m θ''_j + Σ_m Σ_{j,k<=m} Q_i^{v-1} Q_i^{u-1} R_i^m r_m θ'_j θ'_k + R_i^0 g z_0",
            {each<T>(n, [&](Index i) { return sum(1, i, none, [&](Index m) { return linear(m, [&](Index j) { return arm.dr(i, m, j); }); }); }),
             each<T>(n,
                     [&](Index i) {
                       return sum(1, i, none, [&](Index m) { return quadratic(m, one, all(m), [&](Index j, Index k) { return arm.ddr(i, m, j, k); }); });
                     }),
             gravity});
  /// Σ_{m>=u} of the changes of link vectors, in the axes of frame `in`.
  const auto outer_linear = [&](Index i, Index in) { return linear(i, [&](Index j) { return sum(j, i, none, [&](Index m) { return arm.dr(in, m, j); }); }); };
  const auto outer_quadratic = [&](Index i, Index in) {
    return quadratic(i, one, all(i), [&](Index j, Index k) { return sum(std::max(j, k), i, none, [&](Index m) { return arm.ddr(in, m, j, k); }); });
  };
  d.follows("4.6 line 2", "Σ_j Σ_{m>=j} Q_i^{j-1} R_i^m r_m θ''_j + Σ_j Σ_k Σ_{m>=u} Q_i^{v-1} Q_i^{u-1} R_i^m r_m θ'_j θ'_k + R_i^0 g z_0",
            {each<T>(n, [&](Index i) { return outer_linear(i, i); }), each<T>(n, [&](Index i) { return outer_quadratic(i, i); }), gravity});
  d.follows("4.7 line 1", "R_i^0 [Σ_j Σ_{m>=j} Q_0^{j-1} R_0^m r_m θ''_j + Σ_j Σ_k Σ_{m>=u} Q_0^{v-1} Q_0^{u-1} R_0^m r_m θ'_j θ'_k] + R_i^0 g z_0",
            {each<T>(n, [&](Index i) { return arm.R(i, 0) * outer_linear(i, 0); }), each<T>(n, [&](Index i) { return arm.R(i, 0) * outer_quadratic(i, 0); }),
             gravity});
  d.follows("4.7 line 2", "R_i^0 (Σ_j ∂p_0^i/∂θ_j θ''_j + Σ_j Σ_k ∂²p_0^i/∂θ_j∂θ_k θ'_j θ'_k) + R_i^0 g z_0",
            {each<T>(n, [&](Index i) { return arm.R(i, 0) * linear(i, [&](Index j) { return arm.dp(i, j); }); }), gravity,
             each<T>(n, [&](Index i) { return arm.R(i, 0) * quadratic(i, one, all(i), [&](Index j, Index k) { return arm.ddp(i, j, k); }); })});

  const auto a_i = each<T>(n, [&](Index i) { return run.a[i]; });
  d.begin("3.18", "abar_i = ω_i × (ω_i × rbar_i) + α_i × rbar_i + a_i", {each<T>(n, [&](Index i) { return run.abar[i]; })});
  d.follows("4.8", "R_i^0 [Σ_j Q_0^{j-1} R_0^i rbar_i θ''_j + Σ_j Σ_k Q_0^{v-1} Q_0^{u-1} R_0^i rbar_i θ'_j θ'_k] + a_i",
            {each<T>(n, [&](Index i) { return arm.R(i, 0) * linear(i, [&](Index j) { return arm.Q(0, j) * (arm.R(0, i) * arm.rbar[i]); }); }), a_i,
             each<T>(n, [&](Index i) {
               return arm.R(i, 0) * quadratic(i, one, all(i), [&](Index j, Index k) {
                        return arm.Q(0, std::min(j, k)) * (arm.Q(0, std::max(j, k)) * (arm.R(0, i) * arm.rbar[i]));
                      });
             })});
  d.follows("4.9 line 1", "R_i^0 Σ_j (∂R_0^i/∂θ_j rbar_i) θ''_j + R_i^0 Σ_j Σ_k (∂²R_0^i/∂θ_j∂θ_k rbar_i) θ'_j θ'_k + a_i",
            {each<T>(n, [&](Index i) { return arm.R(i, 0) * linear(i, [&](Index j) { return arm.dR(i, j) * arm.rbar[i]; }); }), a_i,
             each<T>(n, [&](Index i) { return arm.R(i, 0) * quadratic(i, one, all(i), [&](Index j, Index k) { return arm.ddR(i, j, k) * arm.rbar[i]; }); })});
  const auto centre_linear = each<T>(n, [&](Index i) { return arm.R(i, 0) * linear(i, [&](Index j) { return arm.dR(i, j) * arm.rbar[i] + arm.dp(i, j); }); });
  const auto centre_quadratic = each<T>(
      n, [&](Index i) { return arm.R(i, 0) * quadratic(i, one, all(i), [&](Index j, Index k) { return arm.ddR(i, j, k) * arm.rbar[i] + arm.ddp(i, j, k); }); });
  d.follows("4.9 line 2",
            "R_i^0 Σ_j (∂R_0^i/∂θ_j rbar_i + ∂p_0^i/∂θ_j) θ''_j + R_i^0 Σ_j Σ_k (∂²R_0^i/∂θ_j∂θ_k rbar_i + ∂²p_0^i/∂θ_j∂θ_k) θ'_j θ'_k + R_i^0 g z_0",
            {centre_linear, centre_quadratic, gravity});
  d.printed("4.9 line 2", "gravity turned by R_0^i", {centre_linear, centre_quadratic, each<T>(n, [&](Index i) { return arm.R(0, i) * arm.up; })});
}

}  // namespace ulna::internal::proof
