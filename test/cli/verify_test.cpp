// ulna verify, ulna formulations and --formulation, as a user calls them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;

namespace {

/// A folder with a copy of the program, so that a test can choose the peers beside it.
class FolderWithPeers {
 public:
  FolderWithPeers() { std::filesystem::copy_file(ULNA_PROGRAM, folder_ / "ulna"); }

  void add_peer(const std::string& name, const std::string& script) const {
    const std::filesystem::path path = folder_ / ("ulna-peer-" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0700);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// The peers of a verification of the planar arm, and its exit status.
  json peers(int expected_status) const {
    const std::string out = file("out");
    const int status = std::system((in_quotes(file("ulna")) + " verify planar-2r --samples 3 --json > " + in_quotes(out)).c_str());
    EXPECT_EQ(WEXITSTATUS(status), expected_status);
    std::ifstream text(out);
    return json::parse(text, nullptr, false)["peers"];
  }

 private:
  support::Folder own_;
  std::filesystem::path folder_{own_.at("")};
};

std::filesystem::path real_peer(const char* name) { return std::filesystem::path(ULNA_PROGRAM).parent_path() / (std::string("ulna-peer-") + name); }

TEST(Verify, AProofHasTheFieldsOfTheContract) {
  const json proof = ulna_json("verify stanford --proof turney --samples 2");
  EXPECT_EQ(proof["agree"], true);
  EXPECT_EQ(proof["robot"], "stanford");
  ASSERT_GE(proof["steps"].size(), 34u);
  for (const json& step : proof["steps"]) {
    EXPECT_TRUE(step["equation"].is_string());
    EXPECT_LE(step["max_relative_difference"].get<double>(), proof["tolerance"].get<double>()) << step;
    EXPECT_EQ(step["agree"], true) << step;
    EXPECT_FALSE(step.contains("same_normal_form"));
  }
  for (const json& step : ulna_json("verify planar-2r --proof hollerbach --samples 1")["steps"]) EXPECT_EQ(step["same_normal_form"], true) << step;
}

TEST(Verify, AProofIsShownEquationByEquation) {
  const Outcome run = ulna("verify puma560 --proof turney --samples 1");
  EXPECT_EQ(run.status, 0);
  for (const char* piece : {"4.34", "holds", "The proof holds.", "As printed", "differs"}) EXPECT_NE(run.out.find(piece), std::string::npos) << piece;
  EXPECT_EQ(run.out.find("DIFFERS"), std::string::npos);
}

TEST(Verify, AProofThatDoesNotFitIsRefused) {
  const auto refused = [](const std::string& words, const char* message) {
    const Outcome run = ulna("verify " + words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_EQ(run.out, "") << words;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  };
  refused("torso --proof turney", "serial chains");
  refused("scara --proof turny", "did you mean 'turney'");
  refused("scara --proof turney --peers off", "--peers is about certificates");
  refused("scara --proof turney --samples 0", "whole number from 1");
}

TEST(Verify, CertificateHasTheFieldsOfTheContract) {
  const json c = ulna_json("verify planar-2r --samples 20");
  EXPECT_EQ(c["agree"], true);
  EXPECT_EQ(c["robot"], "planar-2r");
  EXPECT_EQ(c["samples"], 20);
  EXPECT_EQ(c["model_hash"].get<std::string>().size(), 16u);
  ASSERT_TRUE(c["formulations"].is_array());
  EXPECT_GE(c["formulations"].size(), 19u);
  bool some_apply = false;
  for (const json& f : c["formulations"]) {
    SCOPED_TRACE(f.dump());
    EXPECT_TRUE(f["id"].is_string() && f["quantity"].is_string() && f["why_not"].is_string());
    EXPECT_TRUE(f["max_relative_difference"].is_number() && f["tolerance"].is_number());
    EXPECT_EQ(f["applies"].get<bool>(), f["why_not"].get<std::string>().empty());
    EXPECT_EQ(f["agree"], f["applies"]);
    some_apply = some_apply || f["applies"].get<bool>();
  }
  EXPECT_TRUE(some_apply);
  ASSERT_FALSE(c["laws"].empty());
  for (const json& law : c["laws"]) EXPECT_EQ(law["holds"], true) << law.dump();
  for (const json& peer : c["peers"]) {
    SCOPED_TRACE(peer.dump());
    EXPECT_TRUE(peer["name"].is_string());
    EXPECT_TRUE(peer["quantity"] == "torque" || peer["quantity"] == "mass");
    EXPECT_EQ(peer["agree"], peer["applies"]);
  }
  EXPECT_EQ(c["witnesses"].size(), 3u);
}

/// The row of a certificate; null when there is none.
json row(const json& certificate, const std::string& id, const std::string& quantity) {
  for (const json& f : certificate["formulations"])
    if (f["id"] == id && f["quantity"] == quantity) return f;
  return nullptr;
}

TEST(Verify, WhatShipsHasItsRows) {
  const json c = ulna_json("verify stanford --samples 5 --peers off"), without = ulna_json("verify stanford --samples 5 --peers off --generated off");
  for (const char* quantity : {"torque", "mass", "bias", "acceleration"}) {
    for (const char* id : {"templates", "compiled-double", "compiled-float"}) {
      EXPECT_EQ(row(c, id, quantity)["agree"], true) << id << " " << quantity;
      EXPECT_EQ(row(without, id, quantity)["agree"], true) << id << " " << quantity;
    }
    const json generated = row(c, "generated-c", quantity), left_out = row(without, "generated-c", quantity);
    EXPECT_TRUE(generated["agree"] == true || generated["why_not"].get<std::string>().starts_with("not checked: ")) << generated.dump();
    EXPECT_EQ(left_out["applies"], false);
    EXPECT_EQ(left_out["why_not"], "not checked: it was not requested");
    EXPECT_TRUE(row(c, "ulna", quantity).is_null());
  }
  EXPECT_LT(row(c, "compiled-double", "torque")["tolerance"], 1e-12);
  EXPECT_GT(row(c, "compiled-float", "torque")["tolerance"], 1e-7);
}

// Certificates of version 0.1 call the templates `ulna`; generated C that cannot be checked here is no change of the robot.
TEST(Verify, AnOlderCertificateIsStillTrue) {
  json kept = ulna_json("verify planar-2r --samples 5 --peers off");
  for (json& f : kept["formulations"])
    if (f["id"] == "templates") f["id"] = "ulna";
  const TemporaryFile file("certificate.json", kept.dump());
  const Outcome again = ulna("verify planar-2r --samples 5 --peers off --generated off --against " + in_quotes(file.path()));
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_NE(again.out.find("still true"), std::string::npos) << again.out;
  kept["formulations"][0]["id"] = "no-such-row";
  const TemporaryFile other("certificate.json", kept.dump());
  EXPECT_EQ(ulna("verify planar-2r --samples 5 --peers off --against " + in_quotes(other.path())).status, 1);
}

TEST(Verify, ARobotThatIsTooLargeIsToldTheLimit) {
  std::string chain = "<robot name=\"chain\"><link name=\"l0\"/>";
  for (int k = 1; k <= 5000; ++k) {
    const std::string here = std::to_string(k), before = std::to_string(k - 1);
    chain += "<link name=\"l" + here +
             R"("><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>)";
    chain += "<joint name=\"j" + here + "\" type=\"continuous\"><parent link=\"l" + before + "\"/><child link=\"l" + here +
             R"("/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/></joint>)";
  }
  const TemporaryFile file("chain.urdf", chain + "</robot>");
  expect_refused("verify " + in_quotes(file.path()) + " --samples 1", "is too large to verify: with 5000 joints that move, the formulations need some ");
}

TEST(Verify, PeersBesideTheProgramAreAsked) {
  for (const auto& [program, name] : {std::pair{"kdl", "KDL "}, std::pair{"mujoco", "MuJoCo "}}) {
    if (!std::filesystem::exists(real_peer(program))) continue;
    int rows = 0;
    const json c = ulna_json("verify stanford --samples 10");
    for (const json& peer : c["peers"])
      if (peer["name"].get<std::string>().starts_with(name)) {
        EXPECT_TRUE(peer["agree"].get<bool>()) << peer.dump();
        ++rows;
      }
    EXPECT_EQ(rows, 2) << name;
  }
  EXPECT_TRUE(ulna_json("verify planar-2r --samples 3 --peers off")["peers"].empty());
}

TEST(Verify, MimicJointsAreNotForPeers) {
  const TemporaryFile file("coupled.urdf", R"(<robot name="coupled">
<link name="base"/>
<link name="one"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/><mimic joint="j" multiplier="-2"/></joint>
</robot>)");
  const json honoured = ulna_json("verify " + in_quotes(file.path()) + " --samples 3"),
             ignored = ulna_json("verify " + in_quotes(file.path()) + " --samples 3 --mimic ignore");
  EXPECT_EQ(honoured["peers"].size(), ignored["peers"].size());
  for (const json& peer : honoured["peers"]) {
    EXPECT_EQ(peer["applies"], false);
    EXPECT_EQ(peer["why_not"], "mimic joints");
  }
  for (const json& peer : ignored["peers"]) EXPECT_EQ(peer["agree"], true) << peer.dump();
}

TEST(Verify, AFailingPeerIsNotOurFailure) {
  const FolderWithPeers folder;
  EXPECT_TRUE(folder.peers(0).empty());
  folder.add_peer("kdl", "kill -SEGV $$");
  folder.add_peer("mujoco", "echo 'MuJoCo 9'\necho 'no such robot' >&2\nexit 3");
  folder.add_peer("pinocchio", "echo 'not installed' >&2\nexit 3");
  const json peers = folder.peers(0);
  ASSERT_EQ(peers.size(), 4u) << peers.dump();
  EXPECT_EQ(peers[0]["name"], "KDL");
  EXPECT_EQ(peers[0]["why_not"], "it was ended by signal 11");
  EXPECT_EQ(peers[2]["name"], "MuJoCo 9");
  EXPECT_EQ(peers[2]["why_not"], "no such robot");
  for (const json& peer : peers) EXPECT_EQ(peer["applies"], false);

  folder.add_peer("kdl", "echo gone wrong >&2; exit 7");
  folder.add_peer("mujoco", "echo MuJoCo; echo 2; echo q1; echo q2; echo 1 2 3 x");
  const json worse = folder.peers(0);
  EXPECT_EQ(worse[0]["why_not"], "it ended with status 7: gone wrong");
  EXPECT_EQ(worse[2]["why_not"], "its answer is not of the form agreed on");
}

TEST(Verify, ADifferingPeerIsAnAnswer) {
  if (!std::filesystem::exists(real_peer("kdl"))) GTEST_SKIP() << "KDL was not found";
  const FolderWithPeers folder;
  const std::string real = in_quotes(real_peer("kdl").string());
  folder.add_peer("kdl", "exec " + real + " \"$@\"");
  for (const json& peer : folder.peers(0)) EXPECT_EQ(peer["agree"], true) << peer.dump();
  // Torques that differ in the tenth digit, a joint order that is not ours, and a number that is none.
  folder.add_peer("kdl", real + " \"$@\" | awk 'NR > 4 { $1 = sprintf(\"%.17g\", $1 * 1.0000000001) } { print }'");
  const json differs = folder.peers(1);
  EXPECT_EQ(differs[0]["agree"], false);
  EXPECT_EQ(differs[1]["agree"], true);
  folder.add_peer(
      "kdl", real + " \"$@\" | awk 'NR == 3 { held = $0; next } NR == 4 { print; print held; next } NR > 4 { print $2, $1, $6, $5, $4, $3; next } { print }'");
  for (const json& peer : folder.peers(0)) EXPECT_EQ(peer["agree"], true) << peer.dump();
  folder.add_peer("kdl", real + " \"$@\" | sed '5s/^[^ ]*/nan/'");
  const json none = folder.peers(1);
  EXPECT_EQ(none[0]["agree"], false);
  EXPECT_EQ(none[1]["agree"], true);
}

TEST(Verify, ACertificateCanBeKeptAndTestedAgain) {
  const TemporaryFile kept("certificate.json", "");
  const std::string path = in_quotes(kept.path());
  EXPECT_EQ(ulna("verify planar-2r --samples 20 --force --out " + path).status, 0);
  std::ifstream text(kept.path());
  const json c = json::parse(text, nullptr, false);
  EXPECT_EQ(c["agree"], true);

  const Outcome again = ulna("verify planar-2r --samples 20 --against " + path);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("still true"), std::string::npos) << again.out;
  const Outcome other = ulna("verify planar-3r --samples 20 --against " + path);
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.out.find("another model"), std::string::npos) << other.out;
  const Outcome gravity = ulna("verify planar-2r --gravity 0,0,-9.8 --samples 20 --against " + path);
  EXPECT_EQ(gravity.status, 1);

  std::string whole = c.dump();
  const TemporaryFile cut("certificate.json", whole.substr(0, whole.size() / 2)), empty("certificate.json", "");
  expect_refused("verify planar-2r --samples 3 --against " + in_quotes(cut.path()), "is not a certificate");
  expect_refused("verify planar-2r --samples 3 --against " + in_quotes(empty.path()), "is not a certificate");
  json wrong = c;
  wrong["witnesses"][0]["tau"] = "none";
  const TemporaryFile damaged("certificate.json", wrong.dump());
  expect_refused("verify planar-2r --samples 3 --against " + in_quotes(damaged.path()), "is damaged");
  expect_refused("verify planar-2r --samples 3 --against /nowhere.json", "cannot read");
  expect_refused("verify planar-2r --samples 3 --out /nowhere/x.json", "cannot write");
  expect_refused("verify planar-2r --samples 0", "takes a whole number");
  expect_refused("verify planar-2r --samples 1.5", "takes a whole number");
}

TEST(Formulations, AreListed) {
  const json all = ulna_json("formulations")["formulations"];
  EXPECT_EQ(all.size(), 22u);
  for (const json& f : all) {
    EXPECT_FALSE(f["citation"].get<std::string>().empty()) << f.dump();
    EXPECT_FALSE(f["quantities"].empty()) << f.dump();
  }
  EXPECT_EQ(all.back()["id"], "ulna");
  EXPECT_EQ(ulna_json("formulations newton-euler")["formulations"].size(), 1u);
  expect_refused("formulations newton-eulr", "did you mean 'newton-euler'?");
  EXPECT_TRUE(ulna_json("formulations horn-raibert --sizes stanford")["bytes"]["horn-raibert"].is_number());
}

/// The largest difference of two nested arrays of numbers over the largest number.
struct Distance {
  double largest = 0, difference = 0;
  void add(const json& a, const json& b) {
    if (a.is_array()) {
      ASSERT_TRUE(b.is_array() && a.size() == b.size());
      for (std::size_t i = 0; i < a.size(); ++i) add(a[i], b[i]);
      return;
    }
    ASSERT_TRUE(a.is_number() && b.is_number()) << a << " " << b;
    largest = std::max(largest, std::abs(b.get<double>()));
    difference = std::max(difference, std::abs(a.get<double>() - b.get<double>()));
  }
};

TEST(Formulations, GiveTheNumbersOfTheProductionPath) {
  struct Case {
    const char *quantity, *command, *state, *field;
  };
  const char* q = " --q 0.3,-0.7,0.6,0.4,-1.1,0.2";
  const char* v = " --v 0.5,0.2,-0.3,0.9,0.4,-0.8";
  const std::string motion = std::string(q) + v;
  const Case cases[] = {{"torque", "inverse", " --a 1,-0.5,0.3,2,0.7,-1", "tau"},
                        {"mass", "mass", "", "M"},
                        {"bias", "bias", "", "bias"},
                        {"acceleration", "forward", " --tau 3,-20,15,0.5,0.4,0.1", "a"}};
  int compared = 0;
  const json all = ulna_json("formulations");
  for (const json& f : all["formulations"]) {
    if (f.contains("memory")) continue;  // between the nodes of its table it interpolates
    for (const Case& c : cases) {
      if (std::find(f["quantities"].begin(), f["quantities"].end(), c.quantity) == f["quantities"].end()) continue;
      const std::string id = f["id"], call = std::string(c.command) + " stanford" + (c.command == std::string("mass") ? q : motion) + c.state;
      SCOPED_TRACE(call + " --formulation " + id);
      const Outcome run = ulna(call + " --json --formulation " + id);
      ASSERT_EQ(run.status, 0) << run.err;
      const json answer = json::parse(run.out, nullptr, false);
      EXPECT_EQ(answer["formulation"], id);
      Distance distance;
      distance.add(answer[c.field], ulna_json(call)[c.field]);
      EXPECT_GT(distance.largest, 0);
      EXPECT_LE(distance.difference, 1e-12 * distance.largest);
      ++compared;
    }
  }
  EXPECT_GE(compared, 19);
}

TEST(Formulations, RefusalsNameTheProperty) {
  expect_refused("inverse stanford --formulation newton-eulr", "did you mean 'newton-euler'?");
  expect_refused("inverse stanford --formulation zzzzzzzzzz", "'ulna formulations' lists them");
  expect_refused("inverse torso --formulation newton-euler", "a chain has one tip");
  expect_refused("mass stanford --formulation newton-euler", "mass");
  expect_refused("bias stanford --formulation lin --wrench F:1,2,3,4,5,6@link", "it takes no wrenches: ");
}

}  // namespace
