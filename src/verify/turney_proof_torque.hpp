// Turney, Mudge & Lee 1980, eqs 4.10 … 4.34: the torques of Newton and Euler's recursion are those of Lagrange's equations.
//
// Misprints, of the printed right sides: eq. 4.11 lacks m_i on the terms in rbar_i; the gravity terms of 4.17 and after it have m_i twice; eq. 4.22 repeats the
// bracket of 4.18 and has "=" for "+" after it; eq. 4.25 keeps an R_i^0 that cancels; eqs 4.29, 4.30 and 4.32 have R_0^{i-1} Q_{i-1}^{i-1} before r_i where
// R_{i-1}^i is missing between; eq. 4.30 lacks m_{i+1}; eq. 4.31 has gravity inside the sum over j and lacks rbar_{i+1}ᵗ behind it; 4.33 lacks rbar_{i+1}
// there. 4.11, 4.17, 4.25 and 4.29 are run as printed, too. Numbers 4.14 and 4.23 are lost; they are the lines between their neighbours.
//
// The paper takes link i+1 for the last one in eqs 4.29 to 4.33 and then says that sums run to n. Here they do from the start: what stands for link i+1 there
// is a sum over the links m > i, with the lever of each from origin i.
#pragma once

#include "verify/turney_proof_motion.hpp"

namespace ulna::internal::proof {

template <class T>
class TurneyTorques {
 public:
  TurneyTorques(const TurneyArm<T>& arm, const TurneyRecursion<T>& run, const std::vector<T>& v, const std::vector<T>& a)
      : arm_(arm), run_(run), v_(v), a_(a), n_(arm.n) {
    for (std::size_t i = 0; i <= n_; ++i) {
      S_.push_back(zero_matrix<T>());
      P_.push_back(zero<T>());
      for (std::size_t j = 1; j <= i; ++j) {
        S_[i] = S_[i] + a[j - 1] * arm.dR(i, j);
        P_[i] = P_[i] + a[j - 1] * arm.dp(i, j);
        for (std::size_t k = 1; k <= i; ++k) {
          const T vv = v[j - 1] * v[k - 1];
          S_[i] = S_[i] + vv * arm.ddR(i, j, k);
          P_[i] = P_[i] + vv * arm.ddp(i, j, k);
        }
      }
    }
  }

  /// τ_i without what comes from the links behind: 4.10 to 4.27.
  void prove_own(Derivation<T>& d) const {
    const auto torque = [&](auto moment, auto force) { return torques(moment, force); };
    const auto m_abar = [&](std::size_t i) { return arm_.m[i] * run_.abar[i]; };
    const auto lever_abar = [&](std::size_t i) { return arm_.m[i] * cross(arm_.rbar[i] + arm_.r[i], run_.abar[i]); };
    const auto gyroscopic = [&](std::size_t i, const Mat3<T>& inertia) { return inertia * run_.alpha[i] + cross(run_.omega[i], inertia * run_.omega[i]); };
    const auto nothing = [](std::size_t) { return zero<T>(); };

    const auto lever = torque(lever_abar, m_abar);
    d.begin("4.10", "(R_i^{i-1} z_{i-1})ᵗ [I_i α_i + ω_i × I_i ω_i + m_i (rbar_i + r_i) × abar_i]",
            {torque([&](std::size_t i) { return gyroscopic(i, arm_.I[i]); }, nothing), lever});
    const auto J_terms = torque([&](std::size_t i) { return gyroscopic(i, trace_less(arm_.J[i])); }, nothing);
    d.follows("4.11 line 1",
              "(…)ᵗ [(Tr{J}E-J) α_i + ω_i × (Tr{J}E-J) ω_i - m_i (Tr{rbar rbarᵗ}E - rbar rbarᵗ) α_i - ω_i × m_i (…) ω_i + m_i (rbar_i + r_i) × abar_i]",
              {J_terms, lever, torque([&](std::size_t i) { return -gyroscopic(i, arm_.m[i] * trace_less(outer(arm_.rbar[i], arm_.rbar[i]))); }, nothing)});
    const auto rbar_terms = [&](bool with_mass) {
      return torque(
          [&](std::size_t i) {
            const Vec3<T>& c = arm_.rbar[i];
            const Vec3<T> moment = cross(c, cross(run_.alpha[i], c)) + cross(c, cross(run_.omega[i], cross(run_.omega[i], c)));
            return -(with_mass ? arm_.m[i] * moment : moment);
          },
          nothing);
    };
    d.follows("4.11 line 2", "(…)ᵗ [(Tr{J}E-J) α_i + ω_i × (Tr{J}E-J) ω_i - m_i rbar × (α × rbar) - m_i rbar × (ω × (ω × rbar)) + m_i (rbar_i + r_i) × abar_i]",
              {J_terms, lever, rbar_terms(true)});
    d.printed("4.11 line 2", "no m_i before the terms in rbar", {J_terms, lever, rbar_terms(false)});

    prove_inertia(d, J_terms);
    d.begin("4.11, last terms", "(…)ᵗ [m_i (rbar_i + r_i) × abar_i - m_i rbar × (α × rbar) - m_i rbar × (ω × (ω × rbar))]", {lever, rbar_terms(true)});
    prove_levers(d);
    prove_gravity(d);

    d.begin("4.11", "all terms of line 2", {J_terms, lever, rbar_terms(true)});
    d.follows("4.26",
              "Tr{(Σ_j ∂R_0^i/∂θ_j θ''_j + …) J_i + m_i (Σ_j ∂p_0^i/∂θ_j θ''_j + …) rbarᵗ) (∂R_0^i/∂θ_i)ᵗ} + Tr{m_i (… rbar_i + …) (∂p_0^i/∂θ_i)ᵗ} + gravity",
              {each<T>(n_, [&](std::size_t i) { return own_kinetic(i, i); }), each<T>(n_, [&](std::size_t i) { return own_weight(i, i); })});
    d.follows(
        "4.27",
        "Σ_j Tr{∂T_0^i/∂θ_j J_i^a (∂T_0^i/∂θ_i)ᵗ} θ''_j + Σ_j Σ_k Tr{∂²T_0^i/∂θ_j∂θ_k J_i^a (∂T_0^i/∂θ_i)ᵗ} θ'_j θ'_k + m_i g (z_0^a)ᵗ ∂T_0^i/∂θ_i rbar_i^a",
        {each<T>(n_, [&](std::size_t i) { return inertia_by_T(i, i); }), each<T>(n_, [&](std::size_t i) { return coriolis_by_T(i, i); }),
         each<T>(n_, [&](std::size_t i) { return weight_by_T(i, i); })});
  }

  /// What the links behind add, and the whole: 4.28 to 4.34.
  void prove_all(Derivation<T>& d, const std::vector<T>& newton_euler, const std::vector<T>& lagrange) const {
    const auto behind = [&](auto term) {  // Σ_{m>i} term(i, m)
      return each<T>(n_, [&](std::size_t i) { return sum(i + 1, n_, T(0), [&](std::size_t m) { return term(i, m); }); });
    };
    /// R_0^{i+1} f_{i+1}; zero behind the last link.
    const auto f_behind = [&](std::size_t i) { return i == n_ ? zero<T>() : arm_.R(0, i + 1) * run_.f[i + 1]; };
    const auto n_behind = [&](std::size_t i) { return i == n_ ? zero<T>() : arm_.R(i, i + 1) * run_.n[i + 1]; };
    const auto by_force =
        torques([&](std::size_t i) { return cross(arm_.r[i], arm_.R(i, 0) * f_behind(i)); }, [&](std::size_t i) { return arm_.R(i, 0) * f_behind(i); });
    const auto by_moment = torques(n_behind, [](std::size_t) { return zero<T>(); });

    d.begin("4.28, first term", "(R_i^{i-1} z_{i-1})ᵗ (r_i × R_i^{i+1} f_{i+1})", {by_force});
    d.follows("4.29 line 1", "Tr{R_i^{i+1} f_{i+1} (Q_i^{i-1} r_i)ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace(outer(arm_.R(i, 0) * f_behind(i), arm_.dr(i, i, i))); })});
    d.follows("4.29 line 2", "Tr{R_0^{i+1} f_{i+1} (R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^i r_i)ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace(outer(f_behind(i), arm_.R(0, i - 1) * arm_.dr(i - 1, i, i))); })});
    d.printed("4.29 line 2", "R_{i-1}^i missing before r_i", {each<T>(n_, [&](std::size_t i) {
                const Vec3<T> moved = arm_.revolute[i] ? arm_.Q(i - 1, i) * arm_.r[i] : arm_.dr(i - 1, i, i);
                return trace(outer(f_behind(i), arm_.R(0, i - 1) * moved));
              })});
    d.follows("4.30", "Σ_m Tr{m_m [Σ_j (∂R_0^m/∂θ_j rbar_m + ∂p_0^m/∂θ_j) θ''_j + … + g z_0] (R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^i r_i)ᵗ}",
              {behind([&](std::size_t i, std::size_t m) { return trace(arm_.m[m] * outer(S_[m] * arm_.rbar[m] + P_[m], arm_.dr(0, i, i))); }),
               behind([&](std::size_t i, std::size_t m) { return trace(arm_.m[m] * outer(arm_.up, arm_.dr(0, i, i))); })});

    d.begin("4.28, second term", "(R_i^{i-1} z_{i-1})ᵗ R_i^{i+1} n_{i+1}", {by_moment});
    const auto beyond = [&](std::size_t i, std::size_t m) { return sum(i + 1, m, zero<T>(), [&](std::size_t l) { return arm_.dr(0, l, i); }); };
    d.follows("4.31",
              "Σ_m Tr{([…] J_m + m_m ([…] + g z_0) rbar_mᵗ) (∂R_0^m/∂θ_i)ᵗ + m_m ([…] rbar_m + […] + g z_0) (Σ_l R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^l r_l)ᵗ}",
              {behind([&](std::size_t i, std::size_t m) { return kinetic(i, m, beyond(i, m)); }),
               behind([&](std::size_t i, std::size_t m) { return weight(i, m, beyond(i, m)); })});

    d.begin("4.32 left", "R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^i r_i + Σ_{i<l<=m} R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^l r_l",
            {each_below<T>(n_, [&](std::size_t, std::size_t i) { return arm_.dr(0, i, i); }),
             each_below<T>(n_, [&](std::size_t m, std::size_t i) { return beyond(i, m); })});
    d.follows("4.32", "∂p_0^m/∂θ_i", {each_below<T>(n_, [&](std::size_t m, std::size_t i) { return arm_.dp(m, i); })});

    d.begin("4.28", "(R_i^{i-1} z_{i-1})ᵗ (r_i × R_i^{i+1} f_{i+1} + R_i^{i+1} n_{i+1})", {by_force, by_moment});
    d.follows(
        "4.33",
        "Σ_m Tr{([…] J_m + m_m […] rbar_mᵗ) (∂R_0^m/∂θ_i)ᵗ + m_m ([…] rbar_m + […]) (∂p_0^m/∂θ_i)ᵗ} + Tr{m_m g z_0 (∂R_0^m/∂θ_i rbar_m + ∂p_0^m/∂θ_i)ᵗ}",
        {behind([&](std::size_t i, std::size_t m) { return own_kinetic(i, m); }), behind([&](std::size_t i, std::size_t m) { return own_weight(i, m); })});

    const auto from = [&](auto term) {  // Σ_{m>=i} term(i, m)
      return each<T>(n_, [&](std::size_t i) { return sum(i, n_, T(0), [&](std::size_t m) { return term(i, m); }); });
    };
    d.begin("3.21", "τ_i of the formulation newton-euler", {newton_euler});
    d.follows("3.21, in frames of the links", "τ_i = (R_i^{i-1} z_{i-1})ᵗ n_i", {run_.tau});
    d.follows("4.34",
              "Σ_m Σ_j Tr{∂T_0^m/∂θ_j J_m^a (∂T_0^m/∂θ_i)ᵗ} θ''_j + Σ_m Σ_j Σ_k Tr{∂²T_0^m/∂θ_j∂θ_k J_m^a (∂T_0^m/∂θ_i)ᵗ} θ'_j θ'_k + Σ_m m_m g (z_0^a)ᵗ "
              "∂T_0^m/∂θ_i rbar_m^a",
              {from([&](std::size_t i, std::size_t m) { return inertia_by_T(i, m); }), from([&](std::size_t i, std::size_t m) { return weight_by_T(i, m); }),
               from([&](std::size_t i, std::size_t m) { return coriolis_by_T(i, m); })});
    d.follows("2.11", "τ_i of the formulation lagrange", {lagrange});
  }

 private:
  /// (R_i^{i-1} z_{i-1})ᵗ times the moment about a revolute joint, the force along a prismatic one.
  template <class Moment, class Force>
  std::vector<T> torques(const Moment& moment, const Force& force) const {
    return each<T>(n_, [&](std::size_t i) { return arm_.revolute[i] ? dot(arm_.z(i, i), moment(i)) : dot(arm_.z(i, i), force(i)); });
  }
  /// The same for revolute joints alone.
  template <class Term>
  std::vector<T> turning(const Term& term) const {
    return each<T>(n_, [&](std::size_t i) { return arm_.revolute[i] ? T(term(i)) : T(0); });
  }

  /// The terms in J of 4.11: 4.12 to 4.16.
  void prove_inertia(Derivation<T>& d, const std::vector<T>& J_terms) const {
    const auto over_link = [&](auto f) {  // ∫ f(i, d) dm
      return turning([&](std::size_t i) { return integral(arm_.moments(i), [&](const Vec3<T>& at) { return T(f(i, at)); }); });
    };
    const auto z = [&](std::size_t i) { return arm_.z(i, i); };
    const auto rotated = [&](std::size_t i, const Vec3<T>& b) { return cross(run_.alpha[i], b); };
    const auto pulled = [&](std::size_t i, const Vec3<T>& b) { return cross(run_.omega[i], cross(run_.omega[i], b)); };
    d.begin("4.11, terms in J", "(R_i^{i-1} z_{i-1})ᵗ [(Tr{J}E-J) α_i + ω_i × (Tr{J}E-J) ω_i]", {J_terms});
    d.follows("4.12 line 1", "∫ (…)ᵗ (Tr{d dᵗ}E - d dᵗ) α_i + (…)ᵗ ω_i × ((Tr{d dᵗ}E - d dᵗ) ω_i) dm",
              {over_link([&](std::size_t i, const Vec3<T>& b) { return dot(z(i), trace_less(outer(b, b)) * run_.alpha[i]); }),
               over_link([&](std::size_t i, const Vec3<T>& b) { return dot(z(i), cross(run_.omega[i], trace_less(outer(b, b)) * run_.omega[i])); })});
    const auto d_x_alpha = over_link([&](std::size_t i, const Vec3<T>& b) { return dot(z(i), cross(b, rotated(i, b))); });
    d.follows("4.12 line 2", "∫ (…)ᵗ d × (α_i × d) + (…)ᵗ (ω_i × (d × (ω_i × d))) dm",
              {d_x_alpha, over_link([&](std::size_t i, const Vec3<T>& b) { return dot(z(i), cross(run_.omega[i], cross(b, cross(run_.omega[i], b)))); })});
    d.follows("4.13", "∫ (…)ᵗ d × (α_i × d) + (…)ᵗ d × (ω_i × (ω_i × d)) dm",
              {d_x_alpha, over_link([&](std::size_t i, const Vec3<T>& b) { return dot(z(i), cross(b, pulled(i, b))); })});
    d.follows("4.14 line 1", "∫ (R_i^{i-1} z_{i-1} × d)ᵗ (α_i × d) + (R_i^{i-1} z_{i-1} × d)ᵗ (ω_i × (ω_i × d)) dm",
              {over_link([&](std::size_t i, const Vec3<T>& b) { return dot(cross(z(i), b), rotated(i, b)); }),
               over_link([&](std::size_t i, const Vec3<T>& b) { return dot(cross(z(i), b), pulled(i, b)); })});
    d.follows("4.14 line 2", "∫ Tr{(α_i × d) (Q_i^{i-1} d)ᵗ + (ω_i × (ω_i × d)) (Q_i^{i-1} d)ᵗ} dm",
              {over_link([&](std::size_t i, const Vec3<T>& b) { return trace(outer(rotated(i, b), arm_.Q(i, i) * b)); }),
               over_link([&](std::size_t i, const Vec3<T>& b) { return trace(outer(pulled(i, b), arm_.Q(i, i) * b)); })});
    d.follows("4.14 line 3", "∫ Tr{(α_i × d) dᵗ (Q_i^{i-1})ᵗ + (ω_i × (ω_i × d)) dᵗ (Q_i^{i-1})ᵗ} dm",
              {over_link([&](std::size_t i, const Vec3<T>& b) { return trace_of(outer(rotated(i, b), b), arm_.Q(i, i)); }),
               over_link([&](std::size_t i, const Vec3<T>& b) { return trace_of(outer(pulled(i, b), b), arm_.Q(i, i)); })});
    // R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^i is dR: 1.11, 1.12.
    d.follows("4.14 line 4", "∫ Tr{R_i^0 (Σ_j R_0^{j-1} Q_{j-1}^{j-1} R_{j-1}^i θ''_j + …) d dᵗ (R_i^0 R_0^{i-1} Q_{i-1}^{i-1} R_{i-1}^i)ᵗ} dm",
              {over_link([&](std::size_t i, const Vec3<T>& b) { return trace_of(arm_.R(i, 0) * S_[i] * outer(b, b), arm_.R(i, 0) * arm_.dR(i, i)); })});
    d.follows("4.15", "Tr{R_i^0 (Σ_j ∂R_0^i/∂θ_j θ''_j + Σ_j Σ_k ∂²R_0^i/∂θ_j∂θ_k θ'_j θ'_k) J_i (∂R_0^i/∂θ_i)ᵗ R_0^i}",
              {each<T>(n_, [&](std::size_t i) { return trace(arm_.R(i, 0) * S_[i] * arm_.J[i] * arm_.dR(i, i).transposed() * arm_.R(0, i)); })});
    d.follows(
        "4.16", "Σ_j Tr{∂R_0^i/∂θ_j J_i (∂R_0^i/∂θ_i)ᵗ} θ''_j + Σ_j Σ_k Tr{∂²R_0^i/∂θ_j∂θ_k J_i (∂R_0^i/∂θ_i)ᵗ} θ'_j θ'_k",
        {each<T>(n_,
                 [&](std::size_t i) { return sum(1, i, T(0), [&](std::size_t j) { return a_[j - 1] * trace_of(arm_.dR(i, j) * arm_.J[i], arm_.dR(i, i)); }); }),
         each<T>(n_, [&](std::size_t i) {
           return sum(1, i, T(0), [&](std::size_t j) {
             return sum(1, i, T(0), [&](std::size_t k) { return v_[j - 1] * v_[k - 1] * trace_of(arm_.ddR(i, j, k) * arm_.J[i], arm_.dR(i, i)); });
           });
         })});
  }

  /// The other terms of 4.11, from the chain that has begun with them: 4.17 to 4.25.
  void prove_levers(Derivation<T>& d) const {
    const auto in_i = [&](std::size_t i, const Vec3<T>& b) { return arm_.R(i, 0) * b; };
    const auto both = [&](std::size_t i) { return S_[i] * arm_.rbar[i] + P_[i]; };  // the bracket with the subscript chi
    const auto first = torques([&](std::size_t i) { return arm_.m[i] * cross(arm_.rbar[i] + arm_.r[i], in_i(i, P_[i])); },
                               [&](std::size_t i) { return arm_.m[i] * in_i(i, P_[i]); });
    const auto second = torques([&](std::size_t i) { return arm_.m[i] * cross(arm_.r[i], in_i(i, S_[i] * arm_.rbar[i])); },
                                [&](std::size_t i) { return arm_.m[i] * in_i(i, S_[i] * arm_.rbar[i]); });
    const auto gravity = weights_in_links();
    d.follows("4.17",
              "(…)ᵗ [m_i (rbar_i + r_i) × R_i^0 (Σ_j ∂p_0^i/∂θ_j θ''_j + …) + m_i r_i × R_i^0 (Σ_j ∂R_0^i/∂θ_j rbar_i θ''_j + …)] + (…)ᵗ [(rbar_i + r_i) × "
              "R_i^0 m_i g z_0]",
              {first, second, gravity});
    std::vector<T> twice = gravity;
    for (std::size_t i = 1; i <= n_; ++i) twice[i - 1] = arm_.m[i] * twice[i - 1];
    d.printed("4.17", "m_i twice before gravity", {first, second, twice});

    d.begin("4.18", "(R_i^{i-1} z_{i-1})ᵗ (m_i rbar_i × R_i^0 [Σ_j ∂p_0^i/∂θ_j θ''_j + Σ_j Σ_k ∂²p_0^i/∂θ_j∂θ_k θ'_j θ'_k])",
            {turning([&](std::size_t i) { return dot(arm_.z(i, i), arm_.m[i] * cross(arm_.rbar[i], in_i(i, P_[i]))); })});
    d.follows("4.19 line 1", "Tr{R_i^0 […] (R_i^{i-1} z_{i-1} × m_i rbar_i)ᵗ}",
              {turning([&](std::size_t i) { return trace(outer(in_i(i, P_[i]), cross(arm_.z(i, i), arm_.m[i] * arm_.rbar[i]))); })});
    d.follows("4.19 line 2", "Tr{R_i^0 […] m_i rbar_iᵗ (Q_i^{i-1})ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace_of(arm_.m[i] * outer(in_i(i, P_[i]), arm_.rbar[i]), arm_.Q(i, i)); })});
    d.follows("4.21", "Tr{[Σ_j ∂p_0^i/∂θ_j θ''_j + Σ_j Σ_k ∂²p_0^i/∂θ_j∂θ_k θ'_j θ'_k] m_i rbar_iᵗ (∂R_0^i/∂θ_i)ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace_of(arm_.m[i] * outer(P_[i], arm_.rbar[i]), arm_.dR(i, i)); })});
    d.begin("4.20 left", "Q_i^{i-1}", {each<T>(n_, [&](std::size_t i) { return arm_.Q(i, i); })});
    d.follows("4.20", "R_i^0 ∂R_0^i/∂θ_i", {each<T>(n_, [&](std::size_t i) { return arm_.R(i, 0) * arm_.dR(i, i); })});

    d.begin(
        "4.22", "(R_i^{i-1} z_{i-1})ᵗ m_i r_i × R_i^0 [Σ_j ∂p_0^i/∂θ_j θ''_j + … + Σ_j ∂R_0^i/∂θ_j rbar_i θ''_j + …]",
        {torques([&](std::size_t i) { return arm_.m[i] * cross(arm_.r[i], in_i(i, both(i))); }, [&](std::size_t i) { return arm_.m[i] * in_i(i, both(i)); })});
    const auto moved = [&](std::size_t i) { return arm_.revolute[i] ? cross(arm_.z(i, i), arm_.r[i]) : arm_.z(i, i); };
    d.follows("4.23", "Tr{R_i^0 […] (R_i^{i-1} z_{i-1} × m_i r_i)ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace(outer(in_i(i, both(i)), arm_.m[i] * moved(i))); })});
    d.follows("4.25", "Tr{m_i […] (∂p_0^i/∂θ_i)ᵗ}", {each<T>(n_, [&](std::size_t i) { return trace(arm_.m[i] * outer(both(i), arm_.dp(i, i))); })});
    d.printed("4.25", "R_i^0 left before the bracket", {each<T>(n_, [&](std::size_t i) { return trace(arm_.m[i] * outer(in_i(i, both(i)), arm_.dp(i, i))); })});
    d.begin("4.24 left", "R_i^{i-1} z_{i-1} × r_i", {each<T>(n_, moved)});
    d.follows("4.24", "R_i^0 ∂p_0^i/∂θ_i", {each<T>(n_, [&](std::size_t i) { return arm_.R(i, 0) * arm_.dp(i, i); })});
  }

  /// The gravity term of 4.17.
  std::vector<T> weights_in_links() const {
    return torques([&](std::size_t i) { return cross(arm_.rbar[i] + arm_.r[i], arm_.R(i, 0) * (arm_.m[i] * arm_.up)); },
                   [&](std::size_t i) { return arm_.R(i, 0) * (arm_.m[i] * arm_.up); });
  }
  void prove_gravity(Derivation<T>& d) const {
    /// What joint i does to the mass centre of link i, in frame i.
    const auto crossed = [&](std::size_t i) { return arm_.revolute[i] ? cross(arm_.z(i, i), arm_.rbar[i] + arm_.r[i]) : arm_.z(i, i); };
    const auto by_Q = [&](std::size_t i) { return arm_.revolute[i] ? arm_.Q(i, i) * (arm_.rbar[i] + arm_.r[i]) : arm_.z(i, i); };
    const auto weight = [&](std::size_t i) { return arm_.R(i, 0) * (arm_.m[i] * arm_.up); };
    d.begin("4.17, gravity", "(R_i^{i-1} z_{i-1})ᵗ [(rbar_i + r_i) × R_i^0 m_i g z_0]", {weights_in_links()});
    d.follows("4.26 gravity, line 1", "(R_i^{i-1} z_{i-1} × (rbar_i + r_i))ᵗ R_i^0 m_i g z_0",
              {each<T>(n_, [&](std::size_t i) { return dot(crossed(i), weight(i)); })});
    d.follows("4.26 gravity, line 2", "Tr{R_i^0 m_i g z_0 [Q_i^{i-1} (rbar_i + r_i)]ᵗ}",
              {each<T>(n_, [&](std::size_t i) { return trace(outer(weight(i), by_Q(i))); })});
    d.follows("4.26 gravity, line 3", "Tr{m_i g z_0 [∂R_0^i/∂θ_i rbar_i + ∂p_0^i/∂θ_i]ᵗ}", {each<T>(n_, [&](std::size_t i) { return own_weight(i, i); })});
    d.follows("4.26 gravity, line 4", "m_i g (z_0^a)ᵗ ∂T_0^i/∂θ_i rbar_i^a", {each<T>(n_, [&](std::size_t i) { return weight_by_T(i, i); })});
  }

  // What link m adds to joint i, by 3x3 matrices; `lever` is what the joint moves the origin of frame m by.
  T kinetic(std::size_t i, std::size_t m, const Vec3<T>& lever) const {
    return trace_of(S_[m] * arm_.J[m] + arm_.m[m] * outer(P_[m], arm_.rbar[m]), arm_.dR(m, i)) + trace(arm_.m[m] * outer(S_[m] * arm_.rbar[m] + P_[m], lever));
  }
  T weight(std::size_t i, std::size_t m, const Vec3<T>& lever) const { return trace(arm_.m[m] * outer(arm_.up, arm_.dR(m, i) * arm_.rbar[m] + lever)); }
  T own_kinetic(std::size_t i, std::size_t m) const { return kinetic(i, m, arm_.dp(m, i)); }
  T own_weight(std::size_t i, std::size_t m) const { return weight(i, m, arm_.dp(m, i)); }

  // And by 4x4 matrices.
  T inertia_by_T(std::size_t i, std::size_t m) const {
    const Mat4<T> J = arm_.J4(m), by_i = arm_.dT(m, i);
    return sum(1, m, T(0), [&](std::size_t j) { return a_[j - 1] * trace_of(arm_.dT(m, j) * J, by_i); });
  }
  T coriolis_by_T(std::size_t i, std::size_t m) const {
    const Mat4<T> J = arm_.J4(m), by_i = arm_.dT(m, i);
    return sum(1, m, T(0),
               [&](std::size_t j) { return sum(1, m, T(0), [&](std::size_t k) { return v_[j - 1] * v_[k - 1] * trace_of(arm_.ddT(m, j, k) * J, by_i); }); });
  }
  T weight_by_T(std::size_t i, std::size_t m) const { return arm_.m[m] * arm_.lifted(m, arm_.dT(m, i)); }

  const TurneyArm<T>& arm_;
  const TurneyRecursion<T>& run_;
  const std::vector<T>&v_, &a_;
  std::size_t n_;
  std::vector<Mat3<T>> S_;  // Σ_j ∂R_0^i/∂θ_j θ''_j + Σ_j Σ_k ∂²R_0^i/∂θ_j∂θ_k θ'_j θ'_k
  std::vector<Vec3<T>> P_;  // the same of p_0^i: the bracket with the subscript gamma
};

}  // namespace ulna::internal::proof
