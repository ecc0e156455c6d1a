// Shards, threads, interruptions: the same bytes; and what does not belong together is refused.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <ulna/campaign/campaign.hpp>

#include "campaign/folder.hpp"
#include "campaign/results.hpp"

namespace ulna::internal::campaign {
namespace {

namespace fs = std::filesystem;

class Folders : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("ulna-campaign-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  std::string at(const std::string& name) const { return (root_ / name).string(); }
  static std::string text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Every file of the folder, by name.
  static std::map<std::string, std::string> files(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      all[entry.path().filename().string()] = entry.is_regular_file() ? text(entry.path().string()) : "";
    return all;
  }
  fs::path root_;
};

Campaign small(const std::string& seed = "3") {
  CampaignResult result = try_parse_campaign("seed: " + seed + R"(
runs: 203
scenario:
  model: scara
  duration: 0.05
  reference: {type: quintic, to: [0.4, 0.3, 0.05, 0.2], duration: 0.04}
  law: {type: computed-torque, kp: 100, kd: 20}
  integrator: {type: rk4, step: 0.001}
control: {noise: {q: 1e-5, v: 1e-4}}
vary: {kp: {uniform: [0.5, 2]}, mass: {normal: [1, 0.05]}}
)",
                                             "small.yaml");
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  return result.campaign.value();
}

TEST_F(Folders, ShardsAndThreadsGiveTheSameBytes) {
  const Campaign campaign = small();
  const Report whole = run_campaign(campaign, at("whole"), {.threads = 1});
  EXPECT_EQ(whole.runs, 203u);
  EXPECT_EQ(whole.failed, 0u);
  run_campaign(campaign, at("two"), {.threads = 2});
  EXPECT_EQ(files(at("whole")), files(at("two")));
  EXPECT_EQ(files(at("whole")).size(), 3u);  // results.csv, spec.yaml, campaign.json
  std::vector<std::string> shards;
  for (std::uint64_t i = 5; i >= 1; --i) {
    shards.push_back(at("shard" + std::to_string(i)));
    run_campaign(campaign, shards.back(), {.shard = {i, 5}, .threads = 2});
  }
  merge_campaigns(shards, at("merged"));
  EXPECT_EQ(files(at("whole")), files(at("merged")));
}

TEST_F(Folders, SoDoesHdf5WithTheNumbersOfTheCsv) {
  const Campaign campaign = small();
  const Report csv = run_campaign(campaign, at("csv"));
  const Report whole = run_campaign(campaign, at("whole"), {.format = Format::h5, .threads = 2});
  std::vector<std::string> shards;
  for (std::uint64_t i = 3; i >= 1; --i) {
    shards.push_back(at("shard" + std::to_string(i)));
    run_campaign(campaign, shards.back(), {.shard = {i, 3}, .format = Format::h5, .threads = 1});
  }
  merge_campaigns(shards, at("merged"));
  EXPECT_EQ(files(at("whole")), files(at("merged")));
  EXPECT_EQ(files(at("whole")).count("results.h5"), 1u);
  EXPECT_EQ(files(at("whole")).count("results.csv"), 0u);
  std::vector<std::vector<double>> rows;
  each_row(at("csv"), Format::csv, [&](std::uint64_t, std::string_view, const std::vector<double>& x) { rows.push_back(x); });
  std::uint64_t next = 0;
  each_row(at("whole"), Format::h5, [&](std::uint64_t run, std::string_view status, const std::vector<double>& x) {
    EXPECT_EQ(run, next);
    EXPECT_EQ(status, "done");
    const std::vector<double>& other = rows.at(next++);
    ASSERT_EQ(x.size(), other.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(x[i] == other[i] || (std::isnan(x[i]) && std::isnan(other[i]))) << run << " " << i;
  });
  EXPECT_EQ(next, 203u);
  ASSERT_EQ(whole.metrics.size(), csv.metrics.size());
  for (std::size_t i = 0; i < csv.metrics.size(); ++i) {
    EXPECT_EQ(whole.metrics[i].mean, csv.metrics[i].mean);
    EXPECT_EQ(whole.metrics[i].quantiles, csv.metrics[i].quantiles);
  }
  run_campaign(campaign, at("whole"), {.format = Format::h5, .resume = true});         // complete: no error
  EXPECT_THROW(run_campaign(campaign, at("whole"), {.resume = true}), FolderError);    // another format
  EXPECT_THROW(merge_campaigns({at("shard1"), at("csv")}, at("mixed")), FolderError);  // a mixture
  std::string torn = text(at("shard2") + "/results.h5");
  torn.back() = static_cast<char>(torn.back() ^ 1);
  std::ofstream(at("shard2") + "/results.h5", std::ios::binary) << torn;
  EXPECT_THROW(merge_campaigns(shards, at("torn")), FolderError);
}

TEST_F(Folders, AnInterruptedCampaignGoesOn) {
  const Campaign campaign = small();
  run_campaign(campaign, at("whole"), {.threads = 1});
  std::vector<std::string> torn;
  for (int times = 0; times < 3; ++times) {
    const Report report =
        run_campaign(campaign, at("cut"), {.resume = true, .threads = 2, .go_on = [calls = 0](std::uint64_t, std::uint64_t) mutable { return ++calls < 6; }});
    EXPECT_TRUE(report.interrupted);
    EXPECT_FALSE(fs::exists(at("cut") + "/results.csv"));
    // A part that was torn is made again, and told.
    EXPECT_EQ(report.remade, torn);
    torn.clear();
    for (const fs::directory_entry& part : fs::directory_iterator(at("cut") + "/parts")) {
      if (part.path().extension() != ".part") continue;
      std::ofstream(part.path(), std::ios::app) << "torn";
      torn = {part.path().string()};
      break;
    }
    ASSERT_EQ(torn.size(), 1u);
  }
  std::uint64_t first = 0;
  const Report finished = run_campaign(
      campaign, at("cut"), {.resume = true, .threads = 1, .go_on = [&](std::uint64_t done, std::uint64_t) { return first = first == 0 ? done : first, true; }});
  EXPECT_GT(first, 8u);  // finished parts were not made again
  EXPECT_EQ(finished.remade, torn);
  EXPECT_EQ(files(at("whole")), files(at("cut")));
  const Report again = run_campaign(campaign, at("cut"), {.resume = true});
  EXPECT_EQ(again.runs, 203u);
}

/// A shard that was interrupted and becomes the whole: its parts are used, and where they overlap with others no run is there twice.
TEST_F(Folders, PartsOfAnotherShardAreUsed) {
  const Campaign campaign = small();
  const Report whole = run_campaign(campaign, at("whole"), {.threads = 1});
  const auto stop_after = [](int calls) { return [left = calls](std::uint64_t, std::uint64_t) mutable { return --left > 0; }; };
  EXPECT_TRUE(run_campaign(campaign, at("grown"), {.shard = {2, 3}, .threads = 1, .go_on = stop_after(5)}).interrupted);
  EXPECT_TRUE(run_campaign(campaign, at("grown"), {.resume = true, .threads = 1, .go_on = stop_after(12)}).interrupted);
  EXPECT_TRUE(run_campaign(campaign, at("grown"), {.shard = {7, 7}, .resume = true, .threads = 1, .go_on = stop_after(2)}).interrupted);
  const Report report = run_campaign(campaign, at("grown"), {.resume = true, .threads = 2});
  EXPECT_EQ(files(at("whole")), files(at("grown")));
  EXPECT_TRUE(report.remade.empty());
  // The summary of parts is that of the file.
  for (const Report& other : {report, summarise(at("whole"))})
    for (std::size_t i = 0; i < whole.metrics.size(); ++i) {
      EXPECT_EQ(other.metrics[i].mean, whole.metrics[i].mean);
      EXPECT_EQ(other.metrics[i].quantiles, whole.metrics[i].quantiles);
      EXPECT_EQ(other.metrics[i].explained, whole.metrics[i].explained);
      EXPECT_EQ(other.metrics[i].histogram, whole.metrics[i].histogram);
    }
}

/// So few runs that all are measured: the bytes are those that are written.
TEST_F(Folders, AnEstimateOfAllRunsIsTheirSize) {
  const Campaign campaign = small();
  for (const Format format : {Format::csv, Format::h5}) {
    const Estimate estimate = estimate_campaign(campaign, at("none/yet"), {.format = format, .threads = 2});
    EXPECT_FALSE(fs::exists(at("none")));
    EXPECT_EQ(estimate.runs, 203u);
    EXPECT_EQ(estimate.measured, 203u);
    EXPECT_EQ(estimate.threads, 2u);
    EXPECT_GT(estimate.free_bytes, 0);
    EXPECT_DOUBLE_EQ(estimate.runs_per_second, 203 / estimate.measured_seconds);
    EXPECT_GE(estimate.seconds, 203 / estimate.runs_per_second);
    const std::string folder = at("made." + std::string(to_string(format)));
    run_campaign(campaign, folder, {.format = format});
    const std::string bytes = text(folder + "/results." + std::string(to_string(format)));
    const std::size_t head = format == Format::csv ? bytes.find('\n') + 1 : bytes.size() - 203 * (8 + 8 + 128 + 8 * (campaign.columns().size() - 3));
    EXPECT_EQ(estimate.bytes, static_cast<double>(bytes.size() - head));
  }
  const Estimate part = estimate_campaign(campaign, {}, {.shard = {2, 2}, .threads = 1});
  EXPECT_EQ(part.runs, 102u);
  EXPECT_TRUE(std::isnan(part.free_bytes));
  EXPECT_THROW(estimate_campaign(campaign, {}, {.shard = {3, 2}}), FolderError);
}

/// What is asked before the runs are made.
TEST_F(Folders, NamesThatHdf5CannotHoldAreTold) {
  const std::string head = "runs: 3\nscenario: {model: scara, duration: 0.01, integrator: {type: rk4}}\n";
  const CampaignResult result = try_parse_campaign(head, "few.yaml");
  ASSERT_TRUE(result.campaign);
  std::vector<std::string> names = result.campaign->columns();
  for (int k = 0; k < 3000; ++k) names.push_back("coulomb.a_joint_of_this_name" + std::to_string(k) + " [Nm]");
  Identity identity{.version = "1", .hash = "0", .instruction_set = "none", .path = "lanes", .sampling = "random", .format = Format::h5};
  EXPECT_THROW(results_head(identity, names, head), FolderError);
  identity.format = Format::csv;
  EXPECT_NO_THROW(results_head(identity, names, head));
}

TEST_F(Folders, WhatDoesNotBelongTogetherIsRefused) {
  const Campaign campaign = small(), other = small("4");
  run_campaign(campaign, at("a"), {.shard = {1, 2}});
  run_campaign(campaign, at("b"), {.shard = {2, 2}});
  run_campaign(other, at("other"), {.shard = {2, 2}});
  EXPECT_THROW(run_campaign(campaign, at("a"), {}), FolderError);                              // not empty
  EXPECT_THROW(run_campaign(other, at("a"), {.shard = {1, 2}, .resume = true}), FolderError);  // another campaign
  EXPECT_THROW(merge_campaigns({at("a"), at("other")}, at("m1")), FolderError);
  EXPECT_THROW(merge_campaigns({at("a")}, at("m2")), FolderError);                    // runs are missing
  EXPECT_THROW(merge_campaigns({at("a"), at("a"), at("b")}, at("m3")), FolderError);  // twice
  std::string identity = text(at("b") + "/campaign.json");
  const std::size_t set = identity.find("\"instruction_set\": \"") + 20;
  std::ofstream(at("b") + "/campaign.json") << identity.substr(0, set) << "other-" << identity.substr(set);
  EXPECT_THROW(merge_campaigns({at("a"), at("b")}, at("m4")), FolderError);
  const std::size_t version = identity.find("\"ulna\": \"") + 9;
  std::ofstream(at("b") + "/campaign.json") << identity.substr(0, version) << "9." << identity.substr(version);
  EXPECT_THROW(merge_campaigns({at("a"), at("b")}, at("m6")), FolderError);  // another version
  std::ofstream(at("b") + "/campaign.json") << identity;
  std::string rows = text(at("b") + "/results.csv");
  rows[rows.size() - 2] = rows[rows.size() - 2] == '1' ? '2' : '1';
  std::ofstream(at("b") + "/results.csv") << rows;
  EXPECT_THROW(merge_campaigns({at("a"), at("b")}, at("m5")), FolderError);  // its checksum
  EXPECT_THROW(run_campaign(campaign, at("b"), {.shard = {2, 2}, .resume = true}), FolderError);
  std::ofstream(at("a") + "/spec.yaml") << "campaign: [\n";
  EXPECT_THROW(merge_campaigns({at("a"), at("b")}, at("m7")), FolderError);
  EXPECT_THROW(run_campaign(campaign, at("c"), {.shard = {1, 1'000'001}}), FolderError);
  // Parts of another campaign, in a folder whose spec is this one's.
  const auto begun = [&](const Campaign& what, const std::string& where) {
    EXPECT_TRUE(run_campaign(what, where, {.threads = 1, .go_on = [calls = 0](std::uint64_t, std::uint64_t) mutable { return ++calls < 9; }}).interrupted);
  };
  begun(campaign, at("mine"));
  begun(other, at("foreign"));
  for (const fs::directory_entry& part : fs::directory_iterator(at("foreign") + "/parts"))
    fs::copy(part.path(), at("mine") + "/parts/9" + part.path().filename().string());
  EXPECT_THROW(run_campaign(campaign, at("mine"), {.resume = true}), FolderError);
  EXPECT_FALSE(fs::exists(at("mine") + "/results.csv"));
}

TEST_F(Folders, QuantilesAreThoseOfTheRows) {
  const Campaign campaign = small();
  const Report report = run_campaign(campaign, at("whole"));
  std::ifstream in(at("whole") + "/results.csv");
  std::string line;
  std::getline(in, line);
  std::vector<double> values;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.find("energy [J]"); ++at) column += line[at] == ',';
  while (std::getline(in, line)) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < column; ++k) begin = line.find(',', begin) + 1;
    values.push_back(std::stod(line.substr(begin)));
  }
  ASSERT_EQ(values.size(), 203u);
  double mean = 0;
  for (const double x : values) mean += x / 203;
  std::sort(values.begin(), values.end());
  for (const MetricSummary& m : report.metrics) {
    if (m.name != "energy [J]") continue;
    EXPECT_NEAR(m.mean, mean, 1e-12 * mean);
    EXPECT_EQ(m.least, values.front());
    EXPECT_EQ(m.most, values.back());
    for (const auto& [share, value] : m.quantiles) {
      const double where = share * 202;
      const std::size_t k = static_cast<std::size_t>(where);
      EXPECT_NEAR(value, values[k] + (where - static_cast<double>(k)) * (values[std::min<std::size_t>(k + 1, 202)] - values[k]), 1e-12 * mean) << share;
    }
    // P(Binomial(203, 0.95) >= r) <= 0.05 for r = 199, not for 198.
    EXPECT_EQ(m.upper_tolerance, values[198]);
    // Of 203 - 198 = 5 numbers that may lie outside, two are left out on either side.
    EXPECT_EQ(m.tolerance, std::make_pair(values[1], values[201]));
  }
}

}  // namespace
}  // namespace ulna::internal::campaign
