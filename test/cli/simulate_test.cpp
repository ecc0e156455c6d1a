// ulna simulate and ulna torques, as a user calls them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

using support::Folder;

/// A file of this text; its path.
std::string with(const Folder& folder, const std::string& name, const std::string& text) {
  folder.write(name, text);
  return folder.at(name);
}

std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Simulate, KaneFigure1AsCsv) {
  const Folder folder;
  const Outcome run = ulna("simulate kane-figure-1 --out " + folder.at("f.csv"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");  // no bar where there is no terminal
  const auto rows = cells_of(text_of(folder.at("f.csv")));
  ASSERT_EQ(rows.size(), 1002u);
  EXPECT_EQ(rows[0].front(), "t");
  EXPECT_EQ(rows[0][30], "sigma");
  EXPECT_EQ(rows[0].back(), "W31");
  EXPECT_EQ(rows[0][20], "tau.q2");
  EXPECT_EQ(rows[8][0], "0.07");
  // The paper's figure at t = 5 s, by an independent program: tau2 and sigma.
  ASSERT_EQ(rows[501][0], "5");
  EXPECT_NEAR(std::stod(rows[501][26]), 17.07302440276535, 1e-9);
  EXPECT_NEAR(std::stod(rows[501][30]), -15.382667101590057, 1e-9);
  EXPECT_NEAR(std::stod(rows[501][20]), -17.07302440276535, 1e-9);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Simulate, JsonIsTheSameRun) {
  const Folder folder;
  const nlohmann::json out = ulna_json("simulate kane-figure-3 --out " + folder.at("f.json"));
  EXPECT_EQ(out["ending"], "done");
  EXPECT_NEAR(out["q"][1].get<double>(), 1.056016803855097, 1e-7);  // of the paper's figure at 10 s
  EXPECT_LT(out["audit"]["energy_drift"].get<double>(), 1e-8);
  EXPECT_EQ(out["audit"]["momenta"][0]["joint"], "q1");
  EXPECT_EQ(out["formulation"], "kane-stanford");
  EXPECT_EQ(out["equations"], "accelerations by kane-stanford, integrated in its generalized speeds");
  EXPECT_EQ(out["audit"]["momenta"][1]["by"], "W31");
  EXPECT_LT(out["audit"]["difference_from_production"]["relative"].get<double>(), 1e-12);
  const nlohmann::json table = nlohmann::json::parse(text_of(folder.at("f.json")));
  EXPECT_EQ(table["columns"][2], "q.q2");
  EXPECT_EQ(table["rows"].size(), 1001u);
  EXPECT_EQ(table["rows"][1000][2], out["q"][1]);
}

TEST(Simulate, ListAndShow) {
  const Outcome list = ulna("simulate --list");
  EXPECT_EQ(list.status, 0);
  for (const char* id : {"kane-figure-1", "kane-figure-3", "turney-rk4", "lin-adams", "nasser-space-arm", "double-pendulum", "space-arm-push", "payload-drop",
                         "law-race", "servicer-turn", "satellite-capture", "quadruped-fall"})
    EXPECT_NE(list.out.find(id), std::string::npos) << id;
  EXPECT_EQ(ulna_json("simulate --list")["scenarios"].size(), 17u);
  const Outcome show = ulna("simulate turney-rk4 --show");
  EXPECT_NE(show.out.find("formulation: strobing"), std::string::npos);
  const Folder folder;
  EXPECT_EQ(ulna("simulate " + with(folder, "own.yaml", show.out)).status, 0);
  expect_refused("simulate turney --show", "there is no built-in scenario 'turney'");
}

// One scenario, four laws: what each leaves out, a row says.
TEST(Simulate, LawsThatLeaveSomethingOut) {
  const Folder folder;
  const nlohmann::json full = ulna_json("simulate law-race");
  ASSERT_EQ(full["tracking"]["peak"].size(), 6u);
  EXPECT_LT(full["tracking"]["peak"][2].get<double>(), 1e-9);
  EXPECT_LE(full["tracking"]["rms"][2].get<double>(), full["tracking"]["peak"][2].get<double>());
  EXPECT_NE(ulna("simulate law-race").out.find("tracking: largest distance from the reference"), std::string::npos);
  EXPECT_FALSE(ulna_json("simulate double-pendulum").contains("tracking"));
  const std::string rows = with(folder, "laws.csv", "law.coriolis,law.inertia,law.payload.mass\n1,1,2\n0,1,2\n0,0,2\n1,1,0\n");
  const nlohmann::json batch = ulna_json("simulate law-race --batch " + rows);
  const auto column = [&](const std::string& name) {
    for (std::size_t k = 0; k < batch["columns"].size(); ++k)
      if (batch["columns"][k] == name) return k;
    ADD_FAILURE() << name;
    return std::size_t{0};
  };
  const std::size_t peak = column("peak_error.joint3");
  EXPECT_EQ(batch["rows"][0][peak], full["tracking"]["peak"][2]);
  EXPECT_GT(batch["rows"][1][peak].get<double>(), 0.05);
  EXPECT_GT(batch["rows"][2][peak].get<double>(), batch["rows"][1][peak].get<double>());
  EXPECT_GT(batch["rows"][3][peak].get<double>(), 0.05);
  expect_refused("simulate payload-drop --batch " + with(folder, "pd.csv", "law.coriolis\n0\n"), "the law pd has nothing of this name");
  expect_refused("simulate law-race --batch " + with(folder, "negative.csv", "law.payload.mass\n-1\n"), "must not have a negative mass");
}

TEST(Simulate, ABaseThatMoves) {
  const Folder folder;
  const std::string text =
      "model: servicer\nduration: 1\ninitial: {v: {shoulder_yaw: 0.2}}\nintegrator: {type: implicit-midpoint, step: 0.01}\nlimits: ignore\n";
  const std::string file = with(folder, "own.yaml", text);
  const nlohmann::json fixed = ulna_json("simulate " + file), free = ulna_json("simulate " + file + " --base free");
  EXPECT_EQ(fixed["q"].size(), 6u);
  EXPECT_FALSE(fixed["audit"].contains("world_momentum"));
  EXPECT_EQ(free["q"].size(), 13u);
  EXPECT_EQ(free["v"].size(), 12u);
  EXPECT_EQ(free["joints"].size(), 6u);
  ASSERT_EQ(free["audit"]["world_momentum"].size(), 2u);
  for (const nlohmann::json& m : free["audit"]["world_momentum"]) {
    EXPECT_TRUE(m["constant"].get<bool>());
    EXPECT_LT(m["drift"].get<double>(), 1e-12 * m["scale"].get<double>());
  }
  EXPECT_NE(ulna("simulate " + file + " --base free").out.find("angular momentum in the world: nothing acts on it"), std::string::npos);
  expect_refused("simulate " + with(folder, "prescribed.yaml", text + "base: free\nlaw: {type: prescribed}\nreference: {type: hold, to: 0}\n"),
                 "computed-torque");
  expect_refused("simulate " + with(folder, "twice.yaml", text + "base: {angular_velocity: [0, 0, 1]}\n") + " --base free", "cannot be prescribed");
  expect_refused("simulate " + with(folder, "long.yaml", "model: servicer\nbase: free\nduration: 1\ninitial: {q: {base.qw: 1.1}}\n"),
                 "the quaternion of the base has length 1.1, not 1; divide base.qx, .qy, .qz and .qw by it");
  const Outcome nearly = ulna("simulate " + with(folder, "nearly.yaml", "model: servicer\nbase: free\nduration: 0.01\ninitial: {q: {base.qw: 1.0000005}}\n"));
  EXPECT_EQ(nearly.status, 0);
  EXPECT_NE(nearly.err.find("initial q: the quaternion of the base was given unit length; it was off by 5e-07"), std::string::npos) << nearly.err;
  const Outcome four =
      ulna("simulate " + with(folder, "four.yaml", "model: servicer\nbase: free\nduration: 0.01\ninitial: {q: {base.qw: .7071, base.qx: .7071}}\n"));
  EXPECT_EQ(four.status, 0) << four.err;
  EXPECT_NE(four.err.find("it was off by 9.59"), std::string::npos) << four.err;
  expect_refused("simulate " + with(folder, "brake.yaml", text + "brakes: [{joints: [elbow]}]\n"), "has no free joint 'elbow'");
  const nlohmann::json torques = ulna_json("torques servicer-turn");
  EXPECT_EQ(torques["joints"].size(), 6u);
  EXPECT_EQ(torques["along"], "simulated motion");
}

TEST(Simulate, AnotherFormulation) {
  const nlohmann::json by_paper = ulna_json("simulate kane-figure-3"), by_ulna = ulna_json("simulate kane-figure-3 --formulation ulna");
  EXPECT_EQ(by_ulna["formulation"], "ulna");
  EXPECT_EQ(by_ulna["equations"], "accelerations by the production path");
  EXPECT_FALSE(by_ulna["audit"].contains("difference_from_production"));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(by_paper["q"][i].get<double>(), by_ulna["q"][i].get<double>(), 1e-9) << i;
  const Outcome run = ulna("simulate double-pendulum --formulation nasser");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("formulation nasser\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("equations: accelerations by nasser\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("of the production path's accelerations"), std::string::npos) << run.out;
  expect_refused("simulate kane-figure-3 --formulation kane-stanfrd", "did you mean 'kane-stanford'?");
  expect_refused("simulate kane-figure-1 --formulation nasser", "nasser gives acceleration, and a prescribed motion needs the torques");
  expect_refused("simulate double-pendulum --formulation kane-stanford", "not the Stanford arm");
  expect_refused("simulate double-pendulum --formulation horn-raibert", "use another one");
}

TEST(Simulate, PlotsAreWholeDrawings) {
  const Folder folder;
  EXPECT_EQ(ulna("simulate kane-figure-3 --plot " + folder.at("plots")).status, 0);
  for (const char* name : {"positions", "velocities", "torques", "energy", "audit"}) {
    const std::string svg = text_of(folder.at(std::string("plots/") + name + ".svg"));
    EXPECT_EQ(svg.rfind("<svg ", 0), 0u) << name;
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << name;
  }
  const std::string positions = text_of(folder.at("plots/positions.svg"));
  EXPECT_NE(positions.find("position [rad]"), std::string::npos);
  EXPECT_NE(positions.find("position [m]"), std::string::npos);
  EXPECT_NE(positions.find(">q6</text>"), std::string::npos);
}

const char* const kDiverges =
    "model: planar-2r\nduration: 2\ninitial: {q: [0.5, 0.5]}\nintegrator: {type: rk4, step: 0.01}\n"
    "law: {type: pd, kp: 1.2e5, kd: 0}\nreference: {type: hold, to: 0}\nlimits: ignore\n";

TEST(Simulate, DivergenceKeepsNothingUnlessAsked) {
  const Folder folder;
  const std::string scenario = with(folder, "s.yaml", kDiverges);
  const Outcome run = ulna("simulate " + scenario + " --out " + folder.at("x.csv") + " --plot " + folder.at("p"));
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("diverged"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("nothing was written"), std::string::npos) << run.err;
  EXPECT_EQ(folder.files(), 1u);
  const Outcome partial = ulna("simulate " + scenario + " --partial --out " + folder.at("x.csv"));
  EXPECT_EQ(partial.status, 1);
  const std::size_t rows = cells_of(text_of(folder.at("x.csv"))).size();
  EXPECT_GT(rows, 2u);
  EXPECT_LT(rows, 202u);
}

TEST(Simulate, InterruptingWritesWhatThereIs) {
  const Folder folder;
  const std::string scenario =
      with(folder, "s.yaml", "model: panda\nduration: 1e5\nlimits: ignore\nintegrator: {type: rk4, step: 0.001}\noutput: {step: 0.1}\n");
  const int status = std::system(("timeout --preserve-status -s INT 0.7 '" + std::string(ULNA_PROGRAM) + "' simulate " + scenario + " --out " +
                                  folder.at("x.csv") + " > " + folder.at("out") + " 2> " + folder.at("err"))
                                     .c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(text_of(folder.at("err")).find("interrupted at t = "), std::string::npos) << text_of(folder.at("err"));
  EXPECT_NE(text_of(folder.at("err")).find("holds the rows up to there"), std::string::npos);
  EXPECT_GT(cells_of(text_of(folder.at("x.csv"))).size(), 2u);
}

TEST(Simulate, WrongCallsWriteNothing) {
  const Folder folder;
  const std::string out = " --out " + folder.at("x.csv");
  expect_refused("simulate kane-figure3" + out, "did you mean 'kane-figure-3'?");
  expect_refused("simulate " + folder.at("nowhere.yaml") + out, "cannot be opened");
  expect_refused("simulate" + out, "SCENARIO");
  expect_refused("simulate kane-figure-1 --out " + folder.at("x.txt"), "must end in .csv or .json");
  expect_refused("simulate kane-figure-1 --out " + folder.at("no/x.csv"), "cannot write");
  expect_refused("torques kane-figure-1 --batch x", "--batch");
  EXPECT_EQ(folder.files(), 0u);
  const std::string bad = with(folder, "bad.yaml", "model: planar-2r\nduration: -1\nintegrator: {type: rk5}\n");
  expect_refused("simulate " + bad + out, "bad.yaml:2: error: duration: -1 is not positive");
  expect_refused("torques " + bad + out, "bad.yaml:3: error: integrator type: there is no 'rk5'; did you mean 'rk4'?");
  const std::string batch = with(folder, "b.csv", "q.q1,q.q7\n1,2\n");
  expect_refused("simulate kane-figure-3 --batch " + batch + out, "b.csv:1: error: column 'q.q7': robot 'stanford' has no free joint 'q7'");
  expect_refused("simulate kane-figure-3 --threads 0 --batch " + batch + out, "whole number from 1 to 1024");
  expect_refused("simulate kane-figure-3 --plot x --batch " + batch, "option --plot has no effect with --batch");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(Simulate, BatchOverInitialStates) {
  const Folder folder;
  const std::string table = with(folder, "b.csv", "q.q1,duration\n0,1\n0.5,1\n1,1\n");
  const nlohmann::json out = ulna_json("simulate kane-figure-3 --threads 2 --batch " + table + " --out " + folder.at("r.csv"));
  EXPECT_EQ(out["runs"], 3);
  EXPECT_EQ(out["done"], 3);
  const auto rows = cells_of(text_of(folder.at("r.csv")));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0][1], "set.q.q1");
  EXPECT_EQ(rows[0][7], "q.q1");
  // The first row is the figure itself, after 1 s.
  EXPECT_NEAR(std::stod(rows[1][7]), 0.37263790387369466, 1e-7);
  EXPECT_NEAR(out["q"][0]["least"].get<double>(), 0.37263790387369466, 1e-7);
  EXPECT_NE(ulna("simulate kane-figure-3 --batch " + table).out.find("3 runs, 3 done"), std::string::npos);
}

// The summary says how many runs went in step, and why the others did not; results are those of the runs alone.
TEST(Simulate, BatchThroughTheKernels) {
  const Folder folder;
  const std::string table = with(folder, "b.csv", "q.q1,v.q6,duration\n0,0,0.2\n0.5,0.1,0.2\n1,0,0.2\n1,0,0.1\n");
  std::string text = ulna("simulate kane-figure-3 --show").out;
  text.replace(text.find("integrator:"), text.find('\n', text.find("integrator:")) - text.find("integrator:"), "integrator: {type: rk4, step: 0.002}");
  const std::string scenario = with(folder, "s.yaml", text);
  const nlohmann::json out = ulna_json("simulate " + scenario + " --batch " + table + " --out " + folder.at("r.csv"));
  EXPECT_EQ(out["done"], 4);
  EXPECT_EQ(out["closing_broken"], 0);
  if (out["together"] != 0) {  // machine code can be made here
    EXPECT_EQ(out["together"], 3);
    ASSERT_EQ(out["alone"].size(), 1u);
    EXPECT_EQ(out["alone"][0]["runs"], 1);
    EXPECT_NE(ulna("simulate " + scenario + " --batch " + table).out.find("through the batch kernels: 3\nalone: 1 (no other run"), std::string::npos);
  }
  const auto rows = cells_of(text_of(folder.at("r.csv")));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].back(), "together");
  const nlohmann::json alone =
      ulna_json("simulate " + with(folder, "t.yaml", text + "\n") + " --batch " + with(folder, "c.csv", "q.q1,v.q6,duration\n0.5,0.1,0.2\n"));
  EXPECT_EQ(alone["together"], 0);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::stod(rows[2][8 + i]), alone["rows"][0][8 + i].get<double>()) << i;
  const nlohmann::json whole = ulna_json("simulate kane-figure-3 --batch " + table);
  EXPECT_EQ(whole["together"], 0);
  EXPECT_NE(whole["alone"][0]["why"].get<std::string>().find("dormand-prince-5"), std::string::npos);
}

// Work, losses and uptake of every joint are told, and add up to the energy that went in.
TEST(Simulate, WorkByJoint) {
  const nlohmann::json audit = ulna_json("simulate kane-figure-1")["audit"];
  ASSERT_EQ(audit["uptake"].size(), 6u);
  double uptake = 0, work = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    uptake += audit["uptake"][i].get<double>();
    work += audit["work"][i].get<double>();
    EXPECT_EQ(audit["joint_losses"][i], 0);
    EXPECT_LT(audit["work_drift"][i].get<double>(), 1e-9);
  }
  EXPECT_NEAR(uptake, work, 1e-9);
  EXPECT_LT(audit["uptake_error"].get<double>(), 1e-9);
}

TEST(Torques, SharesAndTheErrorOfIgnoringCoriolis) {
  const Folder folder;
  const nlohmann::json out = ulna_json("torques kane-figure-1 --plot " + folder.at("p") + " --out " + folder.at("t.csv"));
  EXPECT_EQ(out["along"], "reference");
  const nlohmann::json& q2 = out["joints"][1];
  EXPECT_NEAR(q2["shares"]["gravity"]["peak"].get<double>(), 17.67, 0.01);
  EXPECT_EQ(q2["ignoring_coriolis"], q2["shares"]["coriolis"]["peak"]);
  EXPECT_TRUE(q2["effort_limit"].is_null());  // the paper gives none
  const auto rows = cells_of(text_of(folder.at("t.csv")));
  ASSERT_EQ(rows[0].size(), 32u + 36);
  for (const std::size_t row : {1u, 300u, 1001u}) {  // shares of joint q2 add up
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += std::stod(rows[row][32 + 6 * k + 1]);
    EXPECT_NEAR(sum, std::stod(rows[row][20]), 1e-10);
  }
  EXPECT_NE(text_of(folder.at("p/shares.svg")).find("coriolis"), std::string::npos);
  const Outcome text = ulna("torques payload-drop");
  EXPECT_NE(text.out.find("Error made by ignoring the Coriolis"), std::string::npos);
}

// A joint that turns freely at 2 rad/s comes from 0 to its limit of 1 rad after half a second.
TEST(Simulate, LimitsThatAreCrossedAreReported) {
  const TemporaryFile model("wheel.urdf", R"(<robot name="wheel"><link name="base"/>
<link name="rim"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hub" type="revolute"><parent link="base"/><child link="rim"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="9"/></joint></robot>)");
  const TemporaryFile scenario("turn.yaml", "scenario: turn\nmodel: " + model.path() +
                                                "\nduration: 0.8\ninitial: {q: [0], v: [2]}\nlimits: report\nintegrator: {type: rk4, step: 0.01}\n");
  const nlohmann::json events = ulna_json("simulate '" + scenario.path() + "'")["events"];
  ASSERT_EQ(events.size(), 1u) << events;
  EXPECT_NEAR(events[0]["t"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(events[0]["joint"], "hub");
  EXPECT_EQ(events[0]["side"], "upper");
  EXPECT_EQ(events[0]["limit"], 1);
  EXPECT_NEAR(events[0]["speed"].get<double>(), 2, 1e-12);
  EXPECT_NE(ulna("simulate '" + scenario.path() + "'").out.find("limit: joint 'hub' crosses its upper limit 1 at t = 0.5 s with speed 2"), std::string::npos);
}

// A run that cannot begin is bad input: told with its line, and nothing is run.
TEST(Simulate, ARowOfABatchThatCannotBeginIsRefused) {
  for (const auto& [column, bad] : {std::pair("duration", "-1"), std::pair("q.elbow", "2e6")}) {
    const TemporaryFile table("runs.csv", std::string(column) + "\n0.1\n" + bad + "\n");
    const Outcome run = ulna("simulate double-pendulum --batch '" + table.path() + "'");
    EXPECT_EQ(run.status, 2) << column;
    EXPECT_EQ(run.out, "") << column;
    EXPECT_NE(run.err.find(":3: error: row 2: "), std::string::npos) << run.err;
  }
  const TemporaryFile far("far.csv", "q.base.qw\n1\n1.01\n"), near("near.csv", "q.base.qw\n1\n1.0000005\n");
  const TemporaryFile free("free.yaml", "model: servicer\nbase: free\nduration: 0.01\n");
  expect_refused("simulate '" + free.path() + "' --batch '" + far.path() + "'", "row 2: the initial q: the quaternion of the base has length 1.01, not 1");
  const Outcome run = ulna("simulate '" + free.path() + "' --batch '" + near.path() + "'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find(":3: warning: row 2: the quaternion of the base was given unit length; it was off by 5e-07"), std::string::npos) << run.err;
}

}  // namespace
