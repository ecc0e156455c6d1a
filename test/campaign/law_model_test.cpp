// What a law believes of its robot, as a variation of a campaign: each run is the one whose file says so.
#include <gtest/gtest.h>

#include <fstream>

#include <ulna/campaign/campaign.hpp>

#include "support/folder.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {
namespace {

using ulna::internal::cat;

Campaign with_law(const std::string& coriolis, const std::string& inertia, const std::string& mass, const std::string& vary) {
  const CampaignResult result = try_parse_campaign(cat("runs: 8\nscenario:\n  model: scara\n  duration: 0.3\n  reference: {type: quintic, to: [0.8, -0.9, "
                                                       "0.05, 0.5]}\n  law: {type: computed-torque, kp: 100, "
                                                       "kd: 20, coriolis: ",
                                                       coriolis, ", inertia: ", inertia, ", payload: {link: flange, mass: ", mass,
                                                       ", com: [0.1, 0, 0]}}\n  payloads: [{link: flange, mass: 1, com: [0.1, 0, 0]}]\n  integrator: {type: "
                                                       "rk4, step: 0.001}\n  limits: ignore\ncontrol: {rate: "
                                                       "500 Hz}\nvary:\n",
                                                       vary),
                                                   "test.yaml");
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  return result.campaign.value();
}

TEST(LawModel, VariedIsAsWritten) {
  const Campaign varied = with_law("yes", "yes", "1", "  law.coriolis: {grid: [0, 0.5]}\n  law.inertia: {grid: [0, 1]}\n  law.payload.mass: {grid: [0, 2]}\n");
  const support::Folder folder;
  run_campaign(varied, folder.at("all"), {.threads = 1});  // runs of different beliefs side by side
  std::ifstream results(folder.at("all/results.csv"));
  std::string line;
  std::getline(results, line);
  for (std::size_t run = 0; run < 8; ++run) {
    const Campaign written = with_law(run % 2 == 0 ? "no" : "0.5", run / 2 % 2 == 0 ? "no" : "yes", run / 4 == 0 ? "0" : "2", "  kp: {grid: [1]}\n");
    const Replay a = replay(varied, run), b = replay(written, 0);
    EXPECT_EQ(a.status, "done") << a.reason;
    EXPECT_EQ(a.rows, b.rows) << run;
    std::getline(results, line);
    std::string own;
    for (const std::string& cell : a.cells) own += cat(own.empty() ? "" : ",", cell);
    EXPECT_EQ(line, own);
    EXPECT_NE(a.rows.back(), replay(varied, (run + 1) % 8).rows.back());
  }
}

TEST(LawModel, TheRaceOfTheRepositoryIsRight) {
  const CampaignResult result = try_load_campaign(ULNA_CAMPAIGNS_DIR "/law-race.yaml");
  EXPECT_TRUE(result.campaign);
}

}  // namespace
}  // namespace ulna::internal::campaign
