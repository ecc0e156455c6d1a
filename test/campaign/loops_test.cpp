// Campaigns and data sets of robots with loops: runs against simulate(), states against multipliers in extended precision.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/campaign/campaign.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/spec.hpp"
#include "model/describe.hpp"
#include "verify/multipliers.hpp"

namespace ulna::internal::campaign {
namespace {

Campaign parsed_loops(const std::string& text) {
  CampaignResult result = try_parse_campaign(text, "test.yaml");
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  return result.campaign.value();
}

/// Friction of the joints, which simulate() takes from the model.
Model rubbing(const Model& model, double viscous, double coulomb) {
  Description d = ulna::internal::describe(model);
  for (Description::JointEntry& entry : d.joints) entry.joint.friction.viscous = viscous, entry.joint.friction.coulomb = coulomb;
  Diagnostics problems;
  return with_closed(build(d, problems).value(), {model.loops(), model.order(), model.reference(), model.singularity()});
}

/// A torque that never changes is the same sampled or not: the motion is simulate()'s. Joints that loops determine rub, too.
TEST(CampaignOfLoops, RunsAreThoseOfSimulate) {
  for (const char* const base : {"fixed", "free"}) {
    const bool free = std::string(base) == "free";
    const Campaign campaign = parsed_loops(std::string(R"(
runs: 5
scenario:
  model: five-bar
  gravity: [0, -3, 0]
  duration: 0.15
  base: )") + base + R"(
  initial: {q: {left_motor: 0.1, right_motor: -0.1}, v: {left_motor: 1, right_motor: -2}}
  law: {type: constant, tau: [)" + (free ? "0, 0, 0, 0, 0, 0, " : "") +
                                           R"(0.05, -0.02]}
  payloads: [{link: left_forearm, mass: 0.1, com: [0.1, 0, 0], from: 0.05}]
  integrator: {type: rk4, step: 0.0005}
  limits: ignore
friction: {viscous: 0.02, coulomb: 0.01, smooth: 0.3}
vary:
  payload.mass: {uniform: [0.05, 0.2 kg]}
  mass.right_arm: {uniform: [0.8, 1.2], as: factor}
  q.left_motor: {uniform: [0, 0.2]}
)");
    const Spec& spec = campaign.spec();
    for (const std::uint64_t run : {0, 4}) {
      const Replay replay = campaign::replay(campaign, run);
      ASSERT_EQ(replay.status, "done") << replay.reason;
      sim::Scenario s = numbers_of(spec, drawn(spec, run)).scenario;
      ASSERT_TRUE(s.model.closed());
      s.model = rubbing(s.model, 0.02, 0.01);
      s.friction = {true, 0.3};
      s.output_step = 5e-4;
      const sim::Outcome outcome = sim::simulate(s);
      const sim::Trajectory& t = outcome.trajectory;
      ASSERT_EQ(t.rows(), replay.rows.size()) << outcome.message;
      const std::size_t nq = s.model.nq(), nv = s.model.nv(), last = t.rows() - 1;
      ASSERT_EQ(replay.names.size(), 1 + nq + 2 * nv);
      for (std::size_t i = 0; i < nq; ++i) EXPECT_NEAR(replay.rows[last][1 + i], t.q[last * nq + i], 1e-10) << replay.names[1 + i];
      for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(replay.rows[last][1 + nq + i], t.v[last * nv + i], 1e-8) << replay.names[1 + nq + i];
      EXPECT_LT(Mechanism::of(s.model).residual({&replay.rows[last][1], nq}).residual, 1e-11);
      EXPECT_GT(std::abs(t.q[last * nq + nq - 1] - t.q[nq - 1]), 0.02) << "joints were to move";
    }
  }
}

TEST(CampaignOfLoops, RunsThatLoseTheirLoopsSaySo) {
  const Campaign campaign = parsed_loops(R"(
runs: 3
scenario:
  model: five-bar
  duration: 2
  law: {type: constant, tau: [3, -3]}
  integrator: {type: rk4, step: 0.001}
  limits: ignore
vary: {mass.left_arm: {uniform: [0.9, 1.1], as: factor}}
)");
  const Replay replay = campaign::replay(campaign, 1);
  EXPECT_EQ(replay.status, "diverged");
  EXPECT_NE(replay.reason.find("after t = "), std::string::npos) << replay.reason;
  // Where no run can begin, the file is wrong.
  const CampaignResult nowhere = try_parse_campaign(
      "runs: 2\nscenario: {model: five-bar, duration: 0.1, limits: ignore, integrator: {type: rk4, step: 0.001}}\nvary: {q.left_motor: {uniform: [1.6, 1.7]}, "
      "q.right_motor: {uniform: [-1.7, -1.6]}}\n",
      "test.yaml");
  const std::string told = nowhere.campaign ? campaign::replay(*nowhere.campaign, 0).reason : to_string(nowhere.diagnostics.front());
  EXPECT_NE(told.find("does not close in this state"), std::string::npos) << told;
}

TEST(DatasetOfLoops, StatesAreClosedOnTheCircuitOfTheReference) {
  for (const char* const robot : {"five-bar", "delta"}) {
    const DatasetResult result = try_parse_dataset(std::string("model: ") + robot + "\nseed: 3\nrows: 500\nquantities: [inverse, forward, mass]\n", "d.yaml");
    for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
    ASSERT_TRUE(result.dataset);
    const Dataset& data = *result.dataset;
    const Model model = load(robot);
    const Mechanism loops = Mechanism::of(model);
    const std::size_t nq = model.nq(), nv = model.nv(), columns = data.columns().size(), count = 37;
    ASSERT_EQ(columns, nq + 3 * nv + 2 * nv + nv * nv);
    std::vector<double> all(columns * count), last(columns);
    data.make(40, count, all.data());
    for (std::size_t r = 0; r < count; ++r) {
      const auto numbers = [&](std::size_t from, std::size_t size) {
        std::vector<double> out;
        for (std::size_t i = 0; i < size; ++i) out.push_back(all[(from + i) * count + r]);
        return out;
      };
      const std::vector<double> q = numbers(0, nq), v = numbers(nq, nv), a = numbers(nq + nv, nv), tau = numbers(nq + 3 * nv, nv),
                                M = numbers(nq + 5 * nv, nv * nv);
      EXPECT_LT(loops.residual(q).residual, 1e-11);
      std::vector<double> assembled = q;
      const Closure closure = loops.assemble(assembled);
      ASSERT_TRUE(closure.closed && !closure.crossed);
      for (std::size_t i = 0; i < nq; ++i) EXPECT_NEAR(q[i], assembled[i], 1e-9) << data.columns()[i];
      const auto right = ulna::internal::inverse_by_multipliers(loops, q.data(), v.data(), a.data(), {});
      for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(tau[i], static_cast<double>(right.tau[i]), 1e-9 * (1 + std::abs(tau[i]))) << data.columns()[i];
      for (std::size_t i = 0; i < nv; ++i) EXPECT_GT(M[i * nv + i], 0);
    }
    data.make(40 + count - 1, 1, last.data());
    for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(last[c], all[c * count + count - 1]) << data.columns()[c];
  }
}

}  // namespace
}  // namespace ulna::internal::campaign
