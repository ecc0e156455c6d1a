// "Equivalence of two formulations for robot arm dynamics" (J. L. Turney, T. N. Mudge, C. S. G. Lee, University of Michigan, 1980), executed: Lagrange's
// equations from the energies (sec. 2), derivatives as matrix products (sec. 1), and the connection with Newton and Euler's recursion (sec. 4), line by line,
// on any scalar.
//
// Takes: chains of turning joints, as the paper, and sliding ones, which are ours (turney_arm.hpp). Any inertia tensors, where the paper has principal axes;
// gravity in any direction, where it has -z_0. Links are rigid bodies alone: no rotors, no friction.
#pragma once

#include "formulation/lagrange.hpp"
#include "formulation/newton_euler.hpp"
#include "verify/turney_proof_torque.hpp"

namespace ulna::internal::proof {

/// K.E. of eq. 2.6, with the sum over k and the speeds that are missing in print.
template <class T>
T kinetic_energy(const TurneyArm<T>& arm, const std::vector<T>& v) {
  return sum(1, arm.n, T(0), [&](std::size_t q) {
    const Mat4<T> J = arm.J4(q);
    return sum(1, q, T(0), [&](std::size_t j) {
      return sum(1, q, T(0), [&](std::size_t k) { return T(0.5) * v[j - 1] * v[k - 1] * trace_of(arm.dT(q, j) * J, arm.dT(q, k)); });
    });
  });
}
/// P.E. of eq. 2.1, with the sign that makes height cost energy; 2.7 then subtracts L's gradient, not the energy's.
template <class T>
T potential_energy(const TurneyArm<T>& arm) {
  return sum(1, arm.n, T(0), [&](std::size_t q) { return arm.m[q] * arm.lifted(q, arm.T4(0, q)); });
}

/// Eqs 2.7 to 2.10: what Lagrange's equation makes of the energies. Derivatives on the left are by dual numbers.
template <class T>
void prove_lagrange(Derivation<T>& d, const DhChain<T>& chain, const TurneyArm<T>& arm, const std::vector<T>& q, const std::vector<T>& v,
                    const std::vector<T>& a) {
  const std::size_t n = arm.n;
  using Index = std::size_t;
  using U = Dual<T>;
  using UU = Dual<U>;
  const DhChain<UU> in_time = constant_chain<UU>(chain);
  const DhChain<U> displaced = constant_chain<U>(chain);
  std::vector<T> momentum_rate, energy_slope, potential_slope;
  for (Index i = 1; i <= n; ++i) {
    std::vector<UU> q_t, v_t;  // the inner rate is along θ'_i, the outer one along time
    std::vector<U> q_i, v_i;   // the rate is along θ_i
    for (Index j = 1; j <= n; ++j) {
      const T own(i == j ? 1 : 0);
      q_t.push_back({{q[j - 1], T(0)}, {v[j - 1], T(0)}});
      v_t.push_back({{v[j - 1], own}, {a[j - 1], T(0)}});
      q_i.push_back({q[j - 1], own});
      v_i.push_back({v[j - 1], T(0)});
    }
    momentum_rate.push_back(kinetic_energy(TurneyArm<UU>(in_time, q_t), v_t).rate.rate);
    const TurneyArm<U> moved(displaced, q_i);
    energy_slope.push_back(-kinetic_energy(moved, v_i).rate);
    potential_slope.push_back(potential_energy(moved).rate);
  }
  /// Σ_{q>=i} Σ_j Σ_k Tr{X J_q^a Yᵗ} θ'_j θ'_k.
  const auto mixed = [&](auto X, auto Y) {
    return each<T>(n, [&](Index i) {
      return sum(i, n, T(0), [&](Index link) {
        const Mat4<T> J = arm.J4(link);
        return sum(1, link, T(0), [&](Index j) {
          return sum(1, link, T(0), [&](Index k) { return v[j - 1] * v[k - 1] * trace_of(X(link, i, j, k) * J, Y(link, i, j, k)); });
        });
      });
    });
  };
  const auto by_i = [&](Index link, Index i, Index, Index) { return arm.dT(link, i); };
  const auto by_j = [&](Index link, Index, Index j, Index) { return arm.dT(link, j); };
  const auto by_jk = [&](Index link, Index, Index j, Index k) { return arm.ddT(link, j, k); };
  const auto by_ik = [&](Index link, Index i, Index, Index k) { return arm.ddT(link, i, k); };
  const auto inertia = each<T>(n, [&](Index i) {
    return sum(i, n, T(0), [&](Index link) {
      const Mat4<T> J = arm.J4(link);
      return sum(1, link, T(0), [&](Index j) { return a[j - 1] * trace_of(arm.dT(link, j) * J, arm.dT(link, i)); });
    });
  });
  const auto gravity = each<T>(n, [&](Index i) { return sum(i, n, T(0), [&](Index link) { return arm.m[link] * arm.lifted(link, arm.dT(link, i)); }); });
  const auto half_turned = mixed(by_j, by_ik);
  std::vector<T> less;
  for (const T& x : half_turned) less.push_back(-x);

  d.begin("2.7, first term", "d/dt ∂K.E./∂θ'_i, by dual numbers", {momentum_rate});
  d.follows("2.9",
            "Σ_q Σ_j Tr{∂T_0^q/∂θ_j J_q^a (∂T_0^q/∂θ_i)ᵗ} θ''_j + Σ_q Σ_j Σ_k Tr{∂²T_0^q/∂θ_j∂θ_k J_q^a (∂T_0^q/∂θ_i)ᵗ + ∂T_0^q/∂θ_j J_q^a "
            "(∂²T_0^q/∂θ_i∂θ_k)ᵗ} θ'_j θ'_k",
            {inertia, mixed(by_jk, by_i), half_turned});
  d.begin("2.7, second term", "-∂K.E./∂θ_i, by dual numbers", {energy_slope});
  d.follows("2.10", "-Σ_q Σ_j Σ_k Tr{∂T_0^q/∂θ_j J_q^a (∂²T_0^q/∂θ_i∂θ_k)ᵗ} θ'_j θ'_k", {less});
  d.begin("2.7, third term", "∂P.E./∂θ_i, by dual numbers", {potential_slope});
  d.follows("2.8", "Σ_q g (z_0^a)ᵗ ∂T_0^q/∂θ_i m_q rbar_q^a", {gravity});
  d.begin("2.7", "d/dt ∂K.E./∂θ'_i - ∂K.E./∂θ_i + ∂P.E./∂θ_i", {momentum_rate, energy_slope, potential_slope});
  d.follows("2.10, sum", "Σ_q Σ_j Tr{…} θ''_j + Σ_q Σ_j Σ_k Tr{∂²T_0^q/∂θ_j∂θ_k J_q^a (∂T_0^q/∂θ_i)ᵗ} θ'_j θ'_k + Σ_q g (z_0^a)ᵗ ∂T_0^q/∂θ_i m_q rbar_q^a",
            {inertia, gravity, mixed(by_jk, by_i)});
}

/// The whole proof in one state. Cost: O(n⁴).
template <class T>
std::vector<Line<T>> turney_lines(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                                  std::string_view spoiled = {}) {
  Derivation<T> d(spoiled);
  const TurneyArm<T> arm(chain, q);
  const TurneyRecursion<T> run(arm, v, a);
  prove_derivatives(d, chain, arm, q);
  prove_lagrange(d, chain, arm, q, v, a);
  prove_motion(d, arm, run, v, a);
  std::vector<T> newton_euler(arm.n), lagrange(arm.n);
  turney::NewtonEuler<T, T>(chain).torque(q.data(), v.data(), a.data(), newton_euler.data());
  turney::Lagrange<T, T>(chain).torque(q.data(), v.data(), a.data(), lagrange.data());
  const TurneyTorques<T> torques(arm, run, v, a);
  torques.prove_own(d);
  torques.prove_all(d, newton_euler, lagrange);
  return d.take();
}

}  // namespace ulna::internal::proof
