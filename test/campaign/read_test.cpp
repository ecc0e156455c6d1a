// What a campaign's file can have wrong, with its line, its cause and its cure.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <ulna/campaign/campaign.hpp>

namespace ulna::internal::campaign {
namespace {

std::string with(const std::string& more, const std::string& law = "{type: none}") {
  return "runs: 10\nscenario:\n  model: scara\n  duration: 0.1\n  integrator: {type: rk4, step: 0.001}\n  law: " + law + "\n" + more;
}

std::string problems(const std::string& text) {
  const CampaignResult result = try_parse_campaign(text, "c.yaml");
  std::string all;
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == Severity::error) all += to_string(d) + "\n";
  EXPECT_EQ(result.campaign.has_value(), all.empty());
  return all;
}

void expect_problem(const std::string& text, const std::string& wanted) {
  const std::string got = problems(text);
  EXPECT_NE(got.find(wanted), std::string::npos) << got;
}

TEST(ReadCampaign, AllIsWell) { EXPECT_EQ(problems(with("vary: {gravity.z: {uniform: [-10, -9]}}\n")), ""); }

TEST(ReadCampaign, UnknownParameterNamesTheNearest) {
  expect_problem(with("vary:\n  fricton: {uniform: [0.7, 1.3]}\n"), "c.yaml:8: error: vary: unknown key 'fricton'; did you mean 'friction'?");
}
TEST(ReadCampaign, ImpossibleDistributions) {
  expect_problem(with("vary:\n  delay: {uniform: [3, 1 ms]}\n"),
                 "c.yaml:8: error: vary delay uniform: from 0.003 to 0.001 is no interval; write the smaller number first");
  expect_problem(with("vary:\n  delay: {normal: [1 ms, 0 ms]}\n"), "the standard deviation is 0");
  expect_problem(with("vary:\n  mass: {normal: [1, 0.5]}\n"), "six standard deviations below the mean is -2, but mass cannot be below 0");
  expect_problem(with("vary:\n  mass: {uniform: [-1, 1]}\n"), "its lower end is -1, but mass cannot be below 0");
  expect_problem(with("vary:\n  mass: {uniform: [1, 2], normal: [1, 0.1]}\n"), "it has 2 distributions");
  expect_problem(with("vary:\n  mass: 3\n"), "a distribution belongs here");
  expect_problem(with("vary:\n  mass: {uniform: [1, 2], as: value}\n"), "stands for several numbers");
}
TEST(ReadCampaign, UnitsOfAnotherKind) {
  expect_problem(with("vary:\n  delay: {uniform: [0, 3 kg]}\n"), "'0 kg' is in kg, but this is counted in s; write s, ms or us");
  expect_problem(with("vary:\n  delay: {uniform: [0, 3 sec]}\n"), "there is no unit 'sec'");
  expect_problem(with("control: {rate: 1 ms}\n"), "'1 ms' is in ms, but this is counted in Hz; write Hz or kHz");
}
TEST(ReadCampaign, MemoryThatIsStated) { expect_problem(with("memory: 1 MB\n"), "more than the 1 MB that are stated"); }
TEST(ReadCampaign, WhatCannotRun) {
  expect_problem("runs: 1\nscenario: {model: scara, duration: 1, integrator: {type: implicit-midpoint}}\n", "implicit midpoint rule is for smooth motions");
  expect_problem("scenario: {model: scara, duration: 1, integrator: {type: rk4}}\n", "the key 'runs' is missing");
  expect_problem("runs: 0\nscenario: {model: scara, duration: 1, integrator: {type: rk4}}\n", "0 is no whole number");
  expect_problem(with("control: {rate: 333 Hz}\n"), "which is no whole number");
  expect_problem("runs: 1\nscenario: nowhere\n", "there is no scenario 'nowhere'");
  expect_problem("[1, 2]\n", "a campaign is a mapping");
}
TEST(ReadCampaign, BallJointsAreRefusedByTheirName) {  // and not for the sampled law, which no campaign is without
  const std::string robot = ::testing::TempDir() + "campaign_ball.xml";
  std::ofstream(robot) << R"(<mujoco model="swing"><worldbody><body name="b"><joint name="k" type="ball"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>)";
  const std::string got = problems("runs: 4\nscenario: {model: " + robot + ", duration: 1}\nvary: {gravity.z: {uniform: [-10, -9]}}\n");
  EXPECT_NE(got.find("'swing' has ball joints, which no campaign varies or measures"), std::string::npos) << got;
  EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 1) << got;
}
TEST(ReadCampaign, NumbersInAnotherUnitThanWasMeant) {
  const std::string arm = "runs: 1\nscenario: {model: ur5, duration: 0.1, payloads: [{link: tool, mass: 1}], integrator: {type: rk4, step: 0.001}}\n";
  expect_problem(arm + "vary: {delay: {uniform: [0, 3]}}\n", "the delay reaches 3 s, but the run has 0.1 s; write shorter ones, or their unit: ms");
  expect_problem(arm + "vary: {q.elbow: {uniform: [-90, 90]}}\n", "it goes from -90 to 90 rad, beyond the limits of 'elbow'");
  expect_problem(arm + "vary: {payload.mass: {uniform: [-5, 1], as: offset}}\n", "what is added to payload.mass cannot be below -1 kg");
  expect_problem(arm + "vary: {q.elbow: {uniform: [-1.7e308, 1.7e308]}}\n", "is too wide");
  expect_problem(arm + "control: {rate: 1e12 Hz}\n", "a run of 0.1 s would have 1e+11 samples of the law");
  const CampaignResult per_cent = try_parse_campaign(arm + "vary: {friction: {uniform: [70, 130]}}\n", "c.yaml");
  ASSERT_TRUE(per_cent.campaign);
  ASSERT_EQ(per_cent.diagnostics.size(), 1u);
  EXPECT_EQ(per_cent.diagnostics[0].severity, Severity::warning);
  EXPECT_TRUE(try_parse_campaign(arm + "vary: {friction: {uniform: [70, 130 %]}, q.elbow: {uniform: [-90, 90 deg]}}\n", "c.yaml").diagnostics.empty());
}
TEST(ReadCampaign, GridsCountThemselves) {
  const CampaignResult result = try_parse_campaign(
      "scenario: {model: scara, duration: 0.1, integrator: {type: rk4}}\nvary:\n  delay: {grid: [0, 1, 2 ms]}\n  gravity.z: {grid: {from: -10, to: -9, count: "
      "4}}\n",
      "c.yaml");
  ASSERT_TRUE(result.campaign);
  EXPECT_EQ(result.campaign->runs(), 12u);
}
TEST(ReadCampaign, RunsOfTheCallStandInItsText) {
  const CampaignResult result = try_parse_campaign(with(""), "c.yaml", 77);
  ASSERT_TRUE(result.campaign);
  EXPECT_EQ(result.campaign->runs(), 77u);
  const CampaignResult again = try_parse_campaign(result.campaign->text(), "c.yaml");
  ASSERT_TRUE(again.campaign);
  EXPECT_EQ(again.campaign->hash(), result.campaign->hash());
}
TEST(ReadCampaign, ExamplesAreRight) {
  const CampaignResult result = try_load_campaign(ULNA_CAMPAIGNS_DIR "/panda-payload.yaml");
  EXPECT_TRUE(result.campaign);
}

}  // namespace
}  // namespace ulna::internal::campaign
