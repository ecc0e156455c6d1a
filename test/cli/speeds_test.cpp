// Generalized speeds and reactions through the program.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "cli/program.hpp"

namespace {

TEST(SpeedsCommand, ComparesChoices) {
  const nlohmann::json done = ulna_json("speeds planar-2r --speeds 'u1 = v.shoulder, u2 = v.shoulder + v.elbow'");
  ASSERT_EQ(done["choices"].size(), 3u);
  EXPECT_EQ(done["choices"][1]["name"], "joint-rates");
  EXPECT_EQ(done["choices"][0]["as_written"], done["choices"][2]["as_written"]);  // body rates are absolute angles
  EXPECT_EQ(done["choices"][0]["speeds"], nlohmann::json({"u1", "u2"}));
  EXPECT_FALSE(done["partial_velocities"].empty());
  const nlohmann::json arm = ulna_json("speeds stanford");
  const nlohmann::json paper = ulna_json("count stanford --quantity inverse --formulation kane-stanford");
  EXPECT_EQ(arm["written_out_by_the_paper"], paper["formulations"][0]["as_written"]);
  EXPECT_NE(ulna("speeds stanford").out.find("Cheapest for torques"), std::string::npos);
}

TEST(SpeedsCommand, OfOtherCommands) {
  const std::string speeds = "--formulation kane --speeds 'u1 = v.shoulder, u2 = v.shoulder + v.elbow'", state = " --q 0.3,0.4 --v 1,2 --a 3,4";
  const nlohmann::json with = ulna_json("inverse planar-2r " + speeds + state), without = ulna_json("inverse planar-2r" + state);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(with["tau"][0][k].get<double>(), without["tau"][0][k].get<double>(), 1e-12 * 100);
  EXPECT_EQ(with["speeds"], "--speeds");
  const nlohmann::json count = ulna_json("count planar-2r --quantity inverse " + speeds);
  EXPECT_EQ(count["formulations"][0]["parts"][0]["label"], "u from q, v");
  const nlohmann::json equations = ulna_json("equations planar-2r --what mass " + speeds);
  EXPECT_EQ(equations["speeds"][1]["expression"], "v.shoulder + v.elbow");
  const nlohmann::json partial = ulna_json("equations planar-2r --partial-velocities --speeds 'u1 = v.shoulder, u2 = v.shoulder + v.elbow'");
  ASSERT_EQ(partial["partial_velocities"].size(), 4u);
  EXPECT_EQ(partial["partial_velocities"][3]["link"], "forearm");
  EXPECT_EQ(partial["partial_velocities"][3]["speed"], "u2");
  EXPECT_EQ(partial["partial_velocities"][3]["omega"], nlohmann::json({"0", "0", "1"}));
  const Outcome run = ulna("simulate kane-figure-3 --formulation kane --speeds kane-stanford --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("integrated in its generalized speeds"), std::string::npos) << run.out.substr(0, 500);
}

// In absolute angles link 2 rotates by u2 alone. An own implementation in these speeds is compared with them, too.
TEST(SpeedsCommand, IntermediatesAreInTheSpeeds) {
  const std::string call = "planar-2r --formulation kane --speeds 'u1 = v.shoulder, u2 = v.shoulder + v.elbow' --q 0.3,0.4 --v 1,2";
  std::map<std::string, nlohmann::json> values;
  const nlohmann::json done = ulna_json("inverse " + call + " --a 3,4 --intermediates");
  for (const nlohmann::json& line : done["intermediates"])
    values[line["symbol"].get<std::string>() + (line["link"].is_null()     ? ""
                                                : line["link"].is_string() ? line["link"].get<std::string>()
                                                                           : line["link"].dump())] = line["value"];
  EXPECT_EQ(values["u1"], 1);
  EXPECT_EQ(values["u2"], 3);
  EXPECT_EQ(values["u'2"], 7);
  EXPECT_EQ(values["omega2,1"], nlohmann::json({0, 0, 0}));
  EXPECT_EQ(values["omega2,2"], nlohmann::json({0, 0, 1}));
  EXPECT_NEAR(values["R*1"][0].get<double>(), 6 * 0.5 * 1, 1e-14);  // -m a: the first link's mass centre on a circle of 0.5 m
  EXPECT_NEAR(values["R*1"][1].get<double>(), -6 * 0.5 * 3, 1e-14);
  EXPECT_NEAR(values["T*2"][2].get<double>(), -0.2 * 7, 1e-14);  // -I alpha
  const TemporaryFile own("own.json", done.dump());
  EXPECT_EQ(ulna_json("explain " + call + " --a 3,4 --intermediates " + own.path())["agree"], true);
}

// Functions of q, v and a, whatever the speeds inside.
TEST(SpeedsCommand, GeneratedCodePassesItsSelfTest) {
  const Outcome done = shell(
      "d=$(mktemp -d) && \"$ULNA\" generate stanford --formulation kane --speeds kane-stanford --what inverse,mass,bias --out $d/c > /dev/null && "
      "echo 'int stanford_selftest(void); int main(void) { return stanford_selftest(); }' > $d/main.c && cc -o $d/t $d/main.c $d/c/stanford.c -lm && $d/t; "
      "s=$?; [ $(grep -c 'generalized speeds of kane-stanford' $d/c/stanford.h) = 3 ] || s=99; rm -rf $d; exit $s");
  EXPECT_EQ(done.status, 0) << done.err;
}

TEST(SpeedsCommand, Refusals) {
  const auto refused = [](const std::string& words, const char* message) {
    const Outcome done = ulna(words);
    EXPECT_EQ(done.status, 2) << words;
    EXPECT_EQ(done.out, "") << words;
    EXPECT_NE(done.err.find(message), std::string::npos) << words << "\n" << done.err;
  };
  refused("inverse planar-2r --speeds body-rates", "--formulation kane");
  refused("inverse planar-2r --formulation lagrange --speeds body-rates", "rates of the joints");
  refused("inverse planar-2r --formulation kane --speeds bodyrates", "did you mean 'body-rates'?");
  refused("inverse planar-2r --formulation kane --speeds 'u1 = v.sholder, u2 = v.elbow'", "did you mean 'shoulder'?");
  refused("inverse stanford --formulation kane --speeds kane-stanford --q 0,0,0,0,0,0", "cannot be solved for the joint rates");
  refused("inverse planar-2r --formulation lagrange --reactions", "newton-euler");
  refused("inverse planar-2r --control elbow:0,0,1,0,0,0", "add --reactions");
  refused("inverse planar-2r --reactions --control elbow:0,0,0,0,0,1", "along the joint's axis");
  refused("inverse planar-2r --reactions --control elbw:0,0,0,1,0,0", "did you mean 'elbow'?");
}

// A planar arm at rest: the shoulder carries the weight of both links, the elbow that of the forearm, with their levers.
TEST(ReactionsOption, PlanarArmAtRest) {
  const double g = 9.81, m1 = 6, m2 = 4;
  for (const char* formulation : {"", " --formulation newton-euler", " --formulation newton-euler-base", " --formulation modified-newton-euler"}) {
    const nlohmann::json done = ulna_json(std::string("inverse planar-2r --reactions --q 0,0") + formulation);
    ASSERT_EQ(done["reactions"].size(), 2u) << formulation;
    const nlohmann::json &shoulder = done["reactions"][0], &elbow = done["reactions"][1];
    EXPECT_EQ(shoulder["joint"], "shoulder");
    EXPECT_EQ(shoulder["axes"], "joint");
    EXPECT_NEAR(shoulder["force"][1].get<double>(), g * (m1 + m2), 1e-11);
    EXPECT_NEAR(elbow["force"][1].get<double>(), g * m2, 1e-11);
    EXPECT_NEAR(shoulder["moment"][2].get<double>(), g * (m1 * 0.5 + m2 * 1.4), 1e-11);
    EXPECT_NEAR(elbow["moment"][2].get<double>(), g * m2 * 0.4, 1e-11);
  }
  const nlohmann::json still = ulna_json("forward planar-2r --formulation nasser --reactions --q 0,0 --tau 84.366,15.696");
  EXPECT_NEAR(still["a"][0][0].get<double>(), 0, 1e-11);
  EXPECT_NEAR(still["reactions"][1]["force"][1].get<double>(), g * m2, 1e-9);
  const Outcome csv = ulna("inverse planar-2r --reactions --q 0,0 --csv");
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')).find("reactions.shoulder.fx"), std::string("tau.shoulder,tau.elbow,").size());
  EXPECT_NE(ulna("inverse planar-2r --reactions --q 0,0").out.find("joint transmits"), std::string::npos);
  const nlohmann::json pushed = ulna_json("inverse planar-2r --reactions --q 0,0 --control elbow:0,0,5,2,0,0");
  EXPECT_NEAR(pushed["reactions"][1]["force"][2].get<double>(), -5, 1e-12);
  EXPECT_NEAR(pushed["reactions"][1]["moment"][0].get<double>(), -2, 1e-12);
  const TemporaryFile states("s.csv", "q.shoulder,q.elbow\n0,0\n0.1,0.2\n");
  EXPECT_EQ(ulna_json("inverse planar-2r --reactions --states " + states.path())["reactions"].size(), 2u);
  EXPECT_EQ(ulna_json("inverse planar-2r --reactions --states " + states.path())["reactions"][0][0]["joint"], "shoulder");
}

}  // namespace
