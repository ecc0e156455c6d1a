// A run of a campaign alone, as a file: what simulate() makes of it is what the campaign makes, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/campaign/campaign.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/block.hpp"
#include "support/folder.hpp"

namespace ulna::internal::campaign {
namespace {

constexpr const char* kHead = R"(
campaign: hold
seed: 3
runs: 9
scenario:
  model: panda
  duration: 0.1
  initial: {q: [0, -0.4, 0.1, -2.0, 0.2, 1.6, 0.8]}
  reference: {type: quintic, to: [0.1, -0.3, 0, -1.9, 0.3, 1.5, 0.7], duration: 0.08}
  law: {type: computed-torque, kp: 200, kd: 30, saturate: true}
  integrator: {type: rk4, step: 0.001}
)";
constexpr const char* kTail = R"(
control: {rate: 500 Hz, delay: 4 ms, noise: {q: 0.1 mrad, v: 5 mrad/s}, quantisation: {q: 0.05 mrad}}
vary:
  payload.mass: {uniform: [0, 3 kg]}
  kp: {uniform: [0.8, 1.2]}
  delay: {uniform: [2, 6 ms]}
  mass.link3: {uniform: [0.8, 1.2], as: factor}
)";

sim::Scenario loaded(const std::string& path) {
  sim::ScenarioResult run = try_load_run(path);
  for (const Diagnostic& d : run.diagnostics) ADD_FAILURE() << to_string(d);
  return std::move(run.scenario).value();
}

/// By the lanes' kernels, by one lane that is recorded, and by simulate(), which audits.
void expect_the_same_bits(const support::Folder& folder, const std::string& text, const std::string& path_begins) {
  folder.write("c.yaml", text);
  const Campaign campaign = load_campaign(folder.at("c.yaml"));
  const Machinery machinery(campaign.spec());
  EXPECT_EQ(machinery.path.rfind(path_begins, 0), 0u) << machinery.path;
  std::vector<RunRow> rows;
  Block block(machinery);
  for (std::uint64_t first = 0; first < campaign.runs(); first += machinery.lanes)
    for (RunRow& row : block.run(first, std::min<std::size_t>(machinery.lanes, campaign.runs() - first))) rows.push_back(std::move(row));
  for (const std::uint64_t k : {0, 3, 8}) {
    SCOPED_TRACE(k);
    folder.write("run.yaml", run_file(campaign, folder.at("c.yaml"), k, folder.at("run.yaml")));
    EXPECT_TRUE(is_run_file(folder.at("run.yaml")));
    EXPECT_FALSE(is_run_file(folder.at("c.yaml")));
    sim::Scenario scenario = loaded(folder.at("run.yaml"));
    scenario.output_step = scenario.control.period;
    const sim::Outcome outcome = sim::simulate(scenario);
    ASSERT_EQ(to_string(outcome.ending), rows[k].status) << rows[k].reason << outcome.message;
    const Replay replay = campaign::replay(campaign, k);
    const std::size_t nq = scenario.model.nq(), nv = scenario.model.nv();
    ASSERT_EQ(outcome.trajectory.rows(), replay.rows.size());
    for (std::size_t r = 0; r < replay.rows.size(); ++r)
      for (std::size_t i = 0; i < nq; ++i) ASSERT_EQ(outcome.trajectory.q[r * nq + i], replay.rows[r][1 + i]) << r;
    for (std::size_t i = 0; i < nv; ++i) ASSERT_EQ(outcome.v[i], replay.rows.back()[1 + nq + i]);
    const std::vector<RunRow> alone = Block(machinery).run(k, 1, [](double, const double*, const double*, const double*, const double*) {});
    EXPECT_EQ(alone.front().metrics.size(), rows[k].metrics.size());
    for (std::size_t i = 0; i < rows[k].metrics.size(); ++i) EXPECT_TRUE(alone.front().metrics[i] == rows[k].metrics[i] || std::isnan(rows[k].metrics[i])) << i;
    EXPECT_LT(outcome.audit.energy_drift, 1e-6 * (1 + outcome.audit.energy_scale));
    EXPECT_TRUE(outcome.audit.closed);
  }
}

TEST(RunFile, IsTheRunOfLanes) {
  const support::Folder folder;
  expect_the_same_bits(folder,
                       std::string(kHead) +
                           "  payloads: [{link: hand, mass: 1, com: [0, 0, 0.1], from: 0.03, to: 0.07}]\nfriction: {viscous: 0.4, coulomb: 0.3, smooth: 0.2}" +
                           kTail,
                       "lanes");
}

// Friction is there in all runs or in none: one whose factor is 0 does not take it from those beside it.
TEST(RunFile, IsTheRunOfLanesThatRubDifferently) {
  const support::Folder folder;
  std::string text = std::string(kHead) + "  payloads: [{link: hand, mass: 1, com: [0, 0, 0.1]}]\nfriction: {viscous: 0.4, coulomb: 0.3, smooth: 0.2}" + kTail +
                     "  friction: {grid: [0, 1, 2]}\n";
  expect_the_same_bits(folder, text, "lanes");
  const Campaign campaign = load_campaign(folder.at("c.yaml"));
  const Replay without = campaign::replay(campaign, 0), with = campaign::replay(campaign, 2);
  EXPECT_NE(without.rows.back()[1], with.rows.back()[1]);
}

// Dry friction that varies is no matter for lanes; static levels of a robot do nothing where friction is off.
TEST(RunFile, IsTheRunOfFrictionThatVaries) {
  const support::Folder folder;
  folder.write("arm.urdf", R"(<robot name="arm"><link name="base"/>
    <link name="a"><inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="x" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><dynamics damping="0.1" friction="2" static="3"/></joint></robot>)");
  const std::string head =
      "runs: 9\nscenario: {model: arm.urdf, duration: 0.2, initial: {q: 0.4}, law: {type: constant, tau: 1}, integrator: {type: rk4, step: 0.001}}\n";
  expect_the_same_bits(folder, head + "vary: {coulomb.x: {uniform: [0.5, 1]}}\n", "one by one: ");
  expect_the_same_bits(folder, head + "vary: {mass: {uniform: [0.9, 1.1]}}\n", "lanes");
  const Replay free = campaign::replay(load_campaign(folder.at("c.yaml")), 0);
  EXPECT_GT(std::fabs(free.rows.back()[2]), 1);  // it falls
}

TEST(RunFile, IsTheRunOfWhatLanesCannotDo) {
  const support::Folder folder;
  const std::string payload = "  payloads: [{link: hand, mass: 1, com: [0, 0, 0.1]}]\n";
  for (const char* more : {"  disturbances: [{link: hand, force: [10, 0, 5], axes: world, from: 0.02, to: 0.05}]\n",
                           "  brakes: [{joints: [joint2, joint5], from: 0.02, to: 0.06}]\n", "  base: {shake: [0, 0, 0.01], frequency: 5}\n"}) {
    SCOPED_TRACE(more);
    expect_the_same_bits(folder, kHead + payload + more + kTail, "one by one: ");
  }
  const std::string dry = "  coulomb.joint2: {uniform: [1, 5]}\n  static.joint2: {uniform: [3, 9]}\n  coulomb.joint6: {uniform: [0.1, 1]}\n";
  expect_the_same_bits(folder, kHead + payload + "  friction: yes\n" + kTail + dry, "one by one: the friction that varies is dry");
}

TEST(RunFile, TellsWhatIsWrong) {
  const support::Folder folder;
  folder.write("c.yaml", std::string(kHead) + "  payloads: [{link: hand, mass: 1, com: [0, 0, 0.1]}]" + kTail);
  const Campaign campaign = load_campaign(folder.at("c.yaml"));
  EXPECT_THROW(run_file(campaign, folder.at("c.yaml"), 9, folder.at("run.yaml")), std::invalid_argument);
  const std::string right = run_file(campaign, folder.at("c.yaml"), 2, folder.at("run.yaml"));
  const auto problem = [&](const std::string& from, const std::string& to) {
    std::string text = right;
    text.replace(text.find(from), from.size(), to);
    folder.write("run.yaml", text);
    const sim::ScenarioResult run = try_load_run(folder.at("run.yaml"));
    EXPECT_FALSE(run.scenario.has_value()) << text;
    return run.diagnostics.empty() ? std::string() : to_string(run.diagnostics.front());
  };
  EXPECT_NE(problem("run: 2", "run: 9").find("run.yaml:3"), std::string::npos);
  EXPECT_NE(problem(campaign.hash(), "0123456789abcdef").find("when this file was written"), std::string::npos);
  EXPECT_NE(problem("c.yaml", "d.yaml").find("cannot be read"), std::string::npos);
  EXPECT_NE(problem("payload.mass", "payload.mas").find("payload.mas"), std::string::npos);
  EXPECT_NE(problem("'kp': ", "'kp': -").find("is below 0"), std::string::npos);
  EXPECT_NE(problem("'mass.link3': ", "'mass.link3': -").find("is below 0"), std::string::npos);
}

// A value that was changed is the one that is simulated.
TEST(RunFile, ValuesMayBeChanged) {
  const support::Folder folder;
  folder.write("c.yaml", std::string(kHead) + "  payloads: [{link: hand, mass: 1, com: [0, 0, 0.1]}]" + kTail);
  const Campaign campaign = load_campaign(folder.at("c.yaml"));
  std::string text = run_file(campaign, folder.at("c.yaml"), 2, folder.at("run.yaml"));
  const std::size_t at = text.find("payload.mass"), end = text.find('\n', at);
  text.replace(text.find(": ", at), end - text.find(": ", at), ": 2.25");
  folder.write("run.yaml", text);
  EXPECT_EQ(loaded(folder.at("run.yaml")).payloads.front().mass, 2.25);
}

}  // namespace
}  // namespace ulna::internal::campaign
