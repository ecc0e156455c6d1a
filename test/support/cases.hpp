// The loop that most law tests share: seeded random models, a few states each, the seed in every failure message.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>

#include "support/oracle.hpp"
#include "support/random_model.hpp"
#include "support/tolerance.hpp"

namespace ulna::test {

constexpr std::uint64_t kModels = 40;
constexpr int kStates = 3;

/// body(model, state, random). Every failure names the seed: `random_model(seed, options)` gives the model again.
template <class Body>
void for_each_case(const RandomOptions& options, Body body) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, options);
    Random random(seed + 1000);
    for (int k = 0; k < kStates; ++k) {
      SCOPED_TRACE(::testing::Message() << "state " << k);
      const State state = random_state(model, random);
      body(model, state, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Shortcuts that return what they compute, each with a workspace of its own.
inline std::vector<double> inverse_of(const Plan& plan, const State& s, const Effects& effects = {}) {
  Workspace ws(plan);
  std::vector<double> tau(plan.nv);
  inverse_dynamics(plan, ws, s.q, s.v, s.a, tau, effects);
  return tau;
}
inline Eigen::MatrixXd mass_of(const Plan& plan, const std::vector<double>& q, bool rotor = true) {
  Workspace ws(plan);
  Eigen::MatrixXd M(plan.nv, plan.nv);
  mass_matrix(plan, ws, q, M, rotor);
  return M;
}
inline std::vector<double> forward_of(const Plan& plan, const State& s, const std::vector<double>& tau, const Effects& effects = {},
                                      ForwardMethod method = ForwardMethod::automatic) {
  Workspace ws(plan);
  std::vector<double> a(plan.nv);
  forward_dynamics(plan, ws, s.q, s.v, tau, a, effects, method);
  return a;
}
/// Of any quantity; those of a link need its number.
inline std::vector<double> numbers_of(Quantity quantity, const Plan& plan, const State& s, std::size_t link = kNone,
                                      ForwardMethod method = ForwardMethod::automatic) {
  Workspace ws(plan);
  std::vector<double> out(row_of(quantity).size(plan.sizes()));
  compute(quantity, plan, ws, {s.q.data(), s.v.data(), s.a.data(), link, method}, out.data());
  return out;
}
inline std::vector<double> zeros(const std::vector<double>& like) { return std::vector<double>(like.size(), 0.0); }

/// A root link with inertia, which a base that moves needs: random ones may have none.
inline Model with_heavy_root(const Model& model) {
  return with_payload(model, model.links()[0].name, {3, {0.1, -0.2, 0.05}, {0.3, 0.4, 0.5, 0.01, -0.02, 0.03}});
}

/// Wrenches on some links, in either axes.
inline std::vector<Wrench> random_wrenches(const Model& model, Random& random) {
  std::vector<Wrench> wrenches;
  for (int k = random.integer(1, 3); k > 0; --k)
    wrenches.push_back({random.below(model.links().size()), random.chance(0.5) ? Axes::link : Axes::world, random.vector(20), random.vector(5)});
  return wrenches;
}
inline BaseMotion random_base(Random& random) { return {random.vector(2), random.vector(2), random.vector(3), random.vector(5)}; }

/// Number of links a torque passes through, fixed ones included: the n of tolerance().
inline std::size_t steps(const Model& model) { return model.joints().size(); }
/// The cond of tolerance() for torques: how much of what they are made of cancels.
inline double torque_condition(const Oracle& oracle) {
  const RealVector tau = oracle.torques();
  const auto most = static_cast<double>(tau.size() > 0 ? tau.cwiseAbs().maxCoeff() : 0);
  return most > 0 ? oracle.torque_size() / most : 1;
}

}  // namespace ulna::test
