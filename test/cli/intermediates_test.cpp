// --intermediates: what a formulation computes on the way, as text, CSV and JSON; and ulna explain, which compares it with an own implementation.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.hpp"

namespace {

const std::string kState = " --q 0.7,-1.1 --v 1.3,-0.4 --a 0.9,2.1";
const std::string kArm = "planar-2r --formulation newton-euler" + kState;

nlohmann::json entry_of(const nlohmann::json& lines, const std::string& symbol, const nlohmann::json& link) {
  for (const nlohmann::json& line : lines)
    if (line["symbol"] == symbol && line["link"] == link) return line;
  ADD_FAILURE() << "there is no " << symbol << " of " << link;
  return {};
}

TEST(IntermediatesCommand, JsonHasTheFieldsOfTheContract) {
  const nlohmann::json all = ulna_json("inverse " + kArm + " --intermediates");
  const nlohmann::json& lines = all["intermediates"];
  ASSERT_EQ(lines.size(), 16u);
  for (const nlohmann::json& line : lines)
    for (const char* key : {"symbol", "equation", "link", "value"}) EXPECT_TRUE(line.contains(key)) << key;
  // By hand: link 2 turns at 0.9 rad/s; R is the rotation by q2; gravity accelerates the base upward.
  const nlohmann::json omega = entry_of(lines, "omega", 2), R = entry_of(lines, "R", 2), a = entry_of(lines, "a", 1), tau = entry_of(lines, "tau", 1);
  EXPECT_EQ(omega["equation"], "3.15");
  EXPECT_NEAR(omega["value"][2].get<double>(), 0.9, 1e-14);
  EXPECT_NEAR(R["value"][0][1].get<double>(), -std::sin(-1.1), 1e-14);
  EXPECT_NEAR(R["value"][1][0].get<double>(), std::sin(-1.1), 1e-14);
  EXPECT_NEAR(a["value"][1].get<double>(), 0.9 + 9.81 * std::cos(0.7), 1e-12);
  EXPECT_EQ(tau["value"], all["tau"][0][0]);
  EXPECT_EQ(tau["equation"], "");
  // Indices: none of a robot that the paper writes out, a text for a pair and for an index in a frame.
  const nlohmann::json stanford = ulna_json("inverse stanford --formulation kane-stanford --q 0.3,1.1,0.15,-0.4,0.7,0.2 --intermediates")["intermediates"];
  EXPECT_TRUE(entry_of(stanford, "Z196", nullptr)["value"].is_number());
  EXPECT_TRUE(entry_of(stanford, "W31", nullptr)["value"].is_number());
  EXPECT_EQ(entry_of(ulna_json("bias puma560 --formulation lin --intermediates")["intermediates"], "u", "1(3)")["value"].size(), 3u);
  EXPECT_EQ(entry_of(ulna_json("mass torso --formulation kane --intermediates")["intermediates"], "omega", "2,1")["equation"], "23");
  const nlohmann::json nasser = ulna_json("forward stanford --formulation nasser --tau 1,2,3,4,5,6 --intermediates")["intermediates"];
  EXPECT_EQ(entry_of(nasser, "A*", 1)["value"].size(), 6u);
  EXPECT_EQ(entry_of(nasser, "U", 6)["value"].size(), 6u);
  EXPECT_FALSE(ulna_json("inverse " + kArm).contains("intermediates"));
  // The production path is a row like the others; what it does not form is null.
  const nlohmann::json own = ulna_json("inverse panda --formulation ulna --q 0.1,0.2,0.3,0.4,0.5,0.6,0.7 --v 1,2,3,4,5,6,7 --intermediates")["intermediates"];
  EXPECT_EQ(entry_of(own, "f", 7)["value"].size(), 3u);
}

TEST(IntermediatesCommand, TextAndCsv) {
  const Outcome text = ulna("inverse " + kArm + " --intermediates");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(has(text.out, "  omega2  (3.15)")) << text.out;
  EXPECT_TRUE(has(text.out, "In this result"));
  const Outcome csv = ulna("inverse " + kArm + " --intermediates --csv");
  EXPECT_EQ(csv.out.substr(0, 27), "symbol,link,equation,value\n") << csv.out;
  EXPECT_TRUE(has(csv.out, "\nalpha,1,\"3.16, corrected\",0 0 0.9")) << csv.out;
  // It is what explain reads.
  for (const char* form : {"--csv", "--json"}) {
    const TemporaryFile own(form + std::string("own"), ulna("inverse " + kArm + " --intermediates " + form).out);
    const Outcome same = ulna("explain " + kArm + " --intermediates " + own.path());
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_TRUE(has(same.out, "All that are given agree."));
  }
}

TEST(IntermediatesCommand, ExplainNamesTheFirstLine) {
  const std::string csv = ulna("inverse " + kArm + " --intermediates --csv").out;
  const std::size_t at = csv.find("\nf,1,3.19,") + 10;
  const std::string value = csv.substr(at, csv.find('\n', at) - at);
  std::string minus;
  for (std::size_t k = 0; k < value.size(); ++k)
    if (k == 0 || value[k - 1] == ' ')
      minus += value[k] == '-' ? "" : "-" + value.substr(k, 1);
    else
      minus += value[k];
  const TemporaryFile own("own.csv", replaced(replaced(csv, "f,1,3.19," + value, "f,1,3.19," + minus), "\nR,1,", "\nR,2,"));
  expect_refused("explain " + kArm + " --intermediates " + own.path(), "twice");
  const TemporaryFile good("own.csv", replaced(csv, "f,1,3.19," + value, "f,1,3.19," + minus));
  const Outcome text = ulna("explain " + kArm + " --intermediates " + good.path());
  EXPECT_EQ(text.status, 1) << text.out << text.err;
  for (const char* piece : {"First line that differs: f1 (3.19)", "  given ", "  right ", "R2  agrees", "f2  agrees", "F1  agrees", "its sign is opposite"})
    EXPECT_TRUE(has(text.out, piece)) << piece << "\n" << text.out;
  const nlohmann::json found = nlohmann::json::parse(ulna("explain " + kArm + " --intermediates " + good.path() + " --json").out);
  EXPECT_EQ(found["agree"], false);
  EXPECT_EQ(found["first"]["name"], "f1");
  EXPECT_EQ(found["first"]["equation"], "3.19");
  EXPECT_EQ(found["differ"], nlohmann::json({"f1"}));
  EXPECT_TRUE(found["missing"].empty());
  for (const nlohmann::json& input : found["first"]["inputs"]) EXPECT_EQ(input["status"], "agrees");
  EXPECT_EQ(ulna("explain " + kArm + " --tolerance 0.99 --intermediates " + good.path()).status, 1);  // minus a value is twice it off
}

TEST(IntermediatesCommand, WrongCallsAreRefused) {
  expect_refused("inverse planar-2r --intermediates", "needs --formulation");
  const TemporaryFile states("s.csv", "q.shoulder,q.elbow\n0,0\n");
  expect_refused("inverse planar-2r --formulation newton-euler --intermediates --states " + states.path(), "one state");
  expect_refused("inverse stanford --formulation kane-stanford --intermediates", "no right answer");
  const TemporaryFile own("own.csv", "symbol,link,value\nomga,1,0 0 1\n"), lines("own.csv", "symbol,link,value\nomega,1,0 0 1.3\n");
  expect_refused("explain " + kArm + " --intermediates " + own.path(), "own.csv:2: error: symbol 'omga'");
  expect_refused("explain planar-2r --intermediates " + lines.path(), "needs --formulation");
  expect_refused("explain " + kArm + " --intermediates /no/such/file", "/no/such/file");
  expect_refused("explain planar-2r " + kArm + " --intermediates " + lines.path(), "one model");
  expect_refused("explain " + kArm + " --what mass --intermediates " + lines.path(), "--what");
  expect_refused("explain " + kArm + " --tau 1,2 --intermediates " + lines.path(), "--tau");
  expect_refused("explain panda panda --q 1", "--q");
  expect_refused("explain " + kArm + " --samples 3 --intermediates " + lines.path(), "--samples");
  const Outcome one = ulna("explain " + kArm + " --intermediates " + lines.path());
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(has(one.out, "Not given:"));
}

}  // namespace
