// ulna campaign and ulna dataset as a user calls them: killed, out of disk, in shards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

using support::Folder;

constexpr const char* kSpec = R"(runs: 400
scenario:
  model: scara
  duration: 0.2
  reference: {type: quintic, to: [0.4, 0.3, 0.05, 0.2], duration: 0.15}
  law: {type: computed-torque, kp: 100, kd: 20}
  integrator: {type: rk4, step: 0.001}
control: {noise: {q: 1e-5, v: 1e-4}}
vary: {mass: {uniform: [0.8, 1.2]}, kp: {uniform: [0.5, 2]}}
)";

std::string text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CampaignCommand, WritesRowsInOrderAndASummary) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  const nlohmann::json report = ulna_json("campaign " + folder.at("c.yaml") + " --runs 50 --out " + folder.at("out"));
  EXPECT_EQ(report.at("runs"), 50);
  EXPECT_EQ(report.at("failed"), 0);
  EXPECT_FALSE(report.at("worst").empty());
  EXPECT_TRUE(report.at("metrics").at("energy [J]").at("quantiles").contains("0.95"));
  const std::string rows = text(folder.at("out/results.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 51);
  EXPECT_NE(rows.find("\n49,done,"), std::string::npos);
  EXPECT_EQ(text(folder.at("out/spec.yaml")).substr(0, 9), "runs: 50\n");
  // The worst run alone is that row.
  const nlohmann::json alone = ulna_json("campaign " + folder.at("c.yaml") + " --runs 50 --only " + report.at("worst")[0].at("run").dump());
  EXPECT_NE(rows.find("\n" + alone.at("run").get<std::string>() + ",done,," + alone.at("mass factor [1]").get<std::string>() + ","), std::string::npos);
  // So is the command that the summary gives for it, in every number.
  for (const nlohmann::json& worst : report.at("worst")) {
    const std::string command = worst.at("alone");
    const nlohmann::json again = ulna_json(command.substr(command.find(' ')));
    EXPECT_EQ(std::stod(again.at(worst.at("metric")).get<std::string>()), worst.at("value").get<double>()) << command;
    std::string row = "\n";
    for (std::istringstream names(rows.substr(0, rows.find('\n'))); !names.eof();) {
      std::string name;
      std::getline(names, name, ',');
      row += (row.size() > 1 ? "," : "") + again.at(name).get<std::string>();
    }
    EXPECT_NE(rows.find(row + "\n"), std::string::npos) << row;
  }
  EXPECT_EQ(report.at("path").get<std::string>().substr(0, 5), report.at("instruction_set") == "none" ? "one b" : "lanes");
  EXPECT_TRUE(report.at("failures").empty());
}

TEST(CampaignCommand, Hdf5InShardsAndKilledIsTheSameBytes) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  const std::string call = "campaign " + folder.at("c.yaml") + " --runs 90 --format h5 --out ";
  const nlohmann::json report = ulna_json(call + folder.at("whole"));
  EXPECT_EQ(report.at("format"), "h5");
  EXPECT_TRUE(report.at("metrics").at("energy [J]").at("quantiles").contains("0.95"));
  EXPECT_EQ(text(folder.at("whole/results.h5")).substr(1, 3), "HDF");
  ASSERT_EQ(ulna(call + folder.at("b") + " --shard 2/2").status, 0);
  const std::string cut = "\"$ULNA\" " + call + folder.at("a") + " --shard 1/2 --threads 1 --resume > /dev/null";
  ASSERT_EQ(shell(cut + " 2>&1 & sleep 0.1; kill -9 $! 2> /dev/null; wait $! 2> /dev/null; " + cut).status, 0);
  ASSERT_EQ(ulna("campaign merge " + folder.at("b") + " " + folder.at("a") + " --out " + folder.at("all")).status, 0);
  for (const char* name : {"/results.h5", "/spec.yaml", "/campaign.json"}) EXPECT_EQ(text(folder.at("whole") + name), text(folder.at("all") + name)) << name;
}

// Rows of `simulate`, sample by sample, are those of the run in the campaign.
TEST(CampaignCommand, ARunIsAFileThatSimulateMakes) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  const std::string one = "campaign " + folder.at("c.yaml") + " --only 17 --out " + folder.at("only.csv") + " --scenario " + folder.at("run.yaml");
  ASSERT_EQ(ulna(one).status, 0);
  EXPECT_EQ(ulna(one).status, 2);  // it is there already
  ASSERT_EQ(ulna("simulate " + folder.at("run.yaml") + " --out " + folder.at("rows.csv")).status, 0);
  const auto rows = [&](const char* name) {
    std::istringstream in(text(folder.at(name)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> samples = rows("only.csv"), steps = rows("rows.csv");
  ASSERT_EQ(samples.size(), 202u);
  ASSERT_EQ(steps.size(), 22u);  // every 0.01 s
  for (std::size_t k = 1; k < steps.size(); ++k) {
    const std::string& sample = samples[1 + 10 * (k - 1)];
    std::size_t end = 0;
    for (int comma = 0; comma < 5; ++comma) end = sample.find(',', end) + 1;  // t and q
    EXPECT_EQ(steps[k].substr(0, end), sample.substr(0, end)) << k;
  }
  const Outcome alone = ulna("campaign " + folder.at("c.yaml") + " --out " + folder.at("out") + " --scenario " + folder.at("other.yaml"));
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("--scenario"), std::string::npos) << alone.err;
}

TEST(CampaignCommand, WritesAPage) {
  const Folder folder;
  folder.write("<i>.yaml", kSpec);
  const Outcome nowhere = ulna("campaign '" + folder.at("<i>.yaml") + "' --runs 4 --out " + folder.at("none") + " --report " + folder.at("nowhere/page.html"));
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.at("none"))) << "told before the work begins";
  ASSERT_EQ(ulna("campaign '" + folder.at("<i>.yaml") + "' --runs 120 --out " + folder.at("out") + " --report " + folder.at("page.html")).status, 0);
  const std::string page = text(folder.at("page.html"));
  for (const char* piece : {"<h1>", "120 runs, 0 failed", "energy [J]", "What explains the variance", "--only ", "</html>"})
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  EXPECT_EQ(page.find("<i>"), std::string::npos);
}

TEST(CampaignCommand, KilledTwiceIsTheSameBytes) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  ASSERT_EQ(ulna("campaign " + folder.at("c.yaml") + " --out " + folder.at("whole")).status, 0);
  const std::string call = "\"$ULNA\" campaign " + folder.at("c.yaml") + " --threads 2 --resume --out " + folder.at("cut");
  const Outcome outcome = shell("for pause in 0.15 0.25; do " + call +
                                " > /dev/null 2>&1 & sleep $pause; kill -9 $! 2> /dev/null; wait $! 2> /dev/null; done; " + call + " > /dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"/results.csv", "/spec.yaml", "/campaign.json"}) EXPECT_EQ(text(folder.at("whole") + name), text(folder.at("cut") + name)) << name;
}

TEST(CampaignCommand, AFullDiskKeepsFinishedParts) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  ASSERT_EQ(ulna("campaign " + folder.at("c.yaml") + " --out " + folder.at("whole")).status, 0);
  const std::string call = "\"$ULNA\" campaign " + folder.at("c.yaml") + " --resume --out " + folder.at("full");
  // Files of 20 kB at most: parts fit, the whole does not.
  const Outcome full = shell("trap '' XFSZ; ulimit -f 40; " + call);
  EXPECT_EQ(full.status, 2);
  EXPECT_NE(full.err.find("results.csv cannot be written: File too large; finished parts are kept"), std::string::npos) << full.err;
  EXPECT_EQ(shell(call + " > /dev/null").status, 0);
  EXPECT_EQ(text(folder.at("whole/results.csv")), text(folder.at("full/results.csv")));
}

TEST(CampaignCommand, AnEstimateWritesNothing) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  const std::string call = "campaign " + folder.at("c.yaml") + " --runs 90000 --threads 1 --estimate";
  const nlohmann::json estimate = ulna_json(call + " --out " + folder.at("out"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("out")));
  EXPECT_EQ(estimate.at("runs"), 90000);
  const double measured = estimate.at("measured_runs"), rate = estimate.at("runs_per_second"), seconds = estimate.at("seconds");
  EXPECT_GT(measured, 0);
  EXPECT_LT(measured, 90000);
  EXPECT_GE(seconds, 90000 / rate);
  EXPECT_DOUBLE_EQ(estimate.at("hours").get<double>(), seconds / 3600);
  EXPECT_GT(estimate.at("free_bytes"), 0);
  EXPECT_GT(estimate.at("bytes"), 90000 * 28);  // a number is a character at least
  const Outcome told = ulna(call);
  EXPECT_EQ(told.status, 0);
  for (const char* piece : {"90000 runs would take ", " h (", " runs a second", " of the runs, in ", " of parts beside it"})
    EXPECT_NE(told.out.find(piece), std::string::npos) << piece;
  expect_refused(call + " --resume", "option --resume has no effect with --estimate, which writes nothing");
}

TEST(CampaignCommand, DamagedAndFormerPartsAreTold) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  const std::string call = "\"$ULNA\" campaign " + folder.at("c.yaml") + " --resume --out " + folder.at("cut"), parts = folder.at("cut/parts/");
  ASSERT_EQ(ulna("campaign " + folder.at("c.yaml") + " --out " + folder.at("whole")).status, 0);
  ASSERT_EQ(shell("trap '' XFSZ; ulimit -f 40; " + call).status, 2);  // as above: parts are kept
  const std::string first = parts + "0000000000000.part";
  std::string bytes = text(first);
  ASSERT_FALSE(bytes.empty());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  folder.write("cut/parts/0000000000000.part", bytes);
  folder.write("cut/parts/0000000000000.csv", "ulna-part-1 and rows");
  const Outcome former = shell(call);
  EXPECT_EQ(former.status, 2);
  EXPECT_NE(former.err.find("0000000000000.csv is text, as earlier versions of Ulna wrote their parts; finish the folder by the version that began it"),
            std::string::npos)
      << former.err;
  std::filesystem::remove(parts + "0000000000000.csv");
  const Outcome damaged = shell(call);
  EXPECT_EQ(damaged.status, 0);
  EXPECT_NE(damaged.err.find("0000000000000.part was damaged (its checksum differed); its runs were made again"), std::string::npos) << damaged.err;
  EXPECT_EQ(text(folder.at("whole/results.csv")), text(folder.at("cut/results.csv")));
}

TEST(CampaignCommand, OfAFreeBaseThatIsPushed) {
  const Folder folder;
  folder.write("c.yaml",
               "runs: 12\nscenario:\n  model: servicer\n  base: free\n  duration: 0.1\n  law: {type: pd, kp: 40, kd: 10}\n  reference: {type: hold, to: 0}\n"
               "  disturbances: [{link: base, force: [5, 0, 0], axes: world}]\n  integrator: {type: rk4, step: 0.001}\n"
               "vary: {disturbances: {uniform: [0, 2]}, kp: {uniform: [0.5, 2]}, v.base.wx: {normal: [0, 0.1]}}\n");
  const nlohmann::json report = ulna_json("campaign " + folder.at("c.yaml") + " --out " + folder.at("out"));
  EXPECT_EQ(report.at("failed"), 0);
  EXPECT_EQ(report.at("path").get<std::string>().substr(0, 10), "one by one");
}

TEST(CampaignCommand, RefusesWhatIsWrong) {
  const Folder folder;
  folder.write("c.yaml", kSpec);
  folder.write("bad.yaml", std::string(kSpec) + "vry: 1\n");
  const std::string call = "campaign " + folder.at("c.yaml");
  expect_refused(call, "--out DIR");
  expect_refused(call + " --out " + folder.at("o") + " --shard 0/4", "option --shard takes i/n");
  expect_refused(call + " --out " + folder.at("o") + " --shard 5/4", "option --shard takes i/n");
  expect_refused(call + " --out " + folder.at("o") + " --runs 0", "option --runs");
  expect_refused(call + " --out " + folder.at("o") + " --format parquet", "option --format: Parquet is written by ulna.campaign() in Python; here csv or h5");
  expect_refused("campaign " + folder.at("bad.yaml") + " --out " + folder.at("o"), "bad.yaml:10: error: unknown key 'vry'; did you mean 'vary'?");
  expect_refused("campaign " + folder.at("none.yaml") + " --out " + folder.at("o"), "the file cannot be opened");
  expect_refused("campaign merge " + folder.at("o") + " --out " + folder.at("m"), "holds no finished results");
  EXPECT_TRUE(text(folder.at("o/spec.yaml")).empty());
}

TEST(DatasetCommand, ShardsAreTheWhole) {
  const Folder folder;
  folder.write("d.yaml", "model: ur5\nrows: 40000\nquantities: [inverse, forward_derivatives]\ntau: [-5, 5]\na: [-1, 1]\n");
  const std::string call = "dataset " + folder.at("d.yaml") + " --rows 500 --out ";
  ASSERT_EQ(ulna(call + folder.at("whole.csv")).status, 0);
  ASSERT_EQ(ulna(call + folder.at("a.csv") + " --shard 1/2").status, 0);
  ASSERT_EQ(ulna(call + folder.at("b.csv") + " --shard 2/2").status, 0);
  const std::string b = text(folder.at("b.csv"));
  EXPECT_EQ(text(folder.at("whole.csv")), text(folder.at("a.csv")) + b.substr(b.find('\n') + 1));
  // As HDF5: a head, and eight bytes a number.
  ASSERT_EQ(ulna(call + folder.at("whole.h5")).status, 0);
  const std::string csv = text(folder.at("whole.csv")), h5 = text(folder.at("whole.h5"));
  const std::size_t columns = static_cast<std::size_t>(std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ',')) + 1;
  ASSERT_GT(h5.size(), 500 * columns * 8);
  double first = 0, last = 0;
  std::memcpy(&first, &h5[h5.size() - 500 * columns * 8], sizeof first);
  std::memcpy(&last, &h5[h5.size() - 8], sizeof last);
  EXPECT_EQ(first, std::stod(csv.substr(csv.find('\n') + 1)));
  EXPECT_EQ(last, std::stod(csv.substr(csv.rfind(',') + 1)));
  expect_refused("dataset " + folder.at("d.yaml"), "--out FILE.csv");
  folder.write("bad.yaml", "model: ur5\nrows: 10\nquantities: [invers]\n");
  expect_refused("dataset " + folder.at("bad.yaml") + " --out " + folder.at("x.csv"),
                 "bad.yaml:3: error: quantities: there is no quantity 'invers'; did you mean 'inverse'?");
}

TEST(DatasetCommand, RowsThatAreNotFiniteAreTold) {
  const Folder folder;
  const auto call = [&](const std::string& text) {
    folder.write("d.yaml", "rows: 100\nquantities: [inverse]\n" + text);
    return "dataset " + folder.at("d.yaml") + " --force --out " + folder.at("x.csv");
  };
  expect_refused(call("model: ur5\nq: [-1e9, 1e9]\n"), "d.yaml:4: error: q: the range of 'shoulder_pan' reaches 1e+09 rad");
  // Torques of this one overflow from some rate on.
  const std::string planet =
      "<inertial><origin xyz='0 1 0'/><mass value='1e300'/><inertia ixx='1e299' iyy='1e299' izz='1e299' ixy='0' ixz='0' iyz='0'/></inertial>";
  folder.write("planets.urdf", "<robot name='planets'><link name='base'/><link name='a'>" + planet + "</link><link name='b'>" + planet +
                                   "</link><joint name='j' type='continuous'><parent link='base'/><child link='a'/></joint>"
                                   "<joint name='k' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0 1 0'/></joint></robot>");
  const Outcome some = ulna(call("model: ./planets.urdf\nv: [-3e4, 3e4]\n"));
  EXPECT_EQ(some.status, 0);
  const std::string rows = text(folder.at("x.csv"));
  std::size_t bad = 0;
  for (std::istringstream lines(rows.substr(rows.find('\n') + 1)); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    bad += line.find("inf") != std::string::npos || line.find("nan") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(bad, 0u);
  EXPECT_EQ(some.err, "ulna: note: " + std::to_string(bad) + " of 100 rows have a number that is not finite\n");
  EXPECT_EQ(ulna_json(call("model: ./planets.urdf\nv: [-3e4, 3e4]\n")).at("not_finite"), bad);
  std::filesystem::remove(folder.at("x.csv"));
  expect_refused(call("model: ./planets.urdf\nv: [1e7, 1e8]\n"), "every row has a number that is not finite");
  EXPECT_FALSE(std::filesystem::exists(folder.at("x.csv")));
}

}  // namespace
