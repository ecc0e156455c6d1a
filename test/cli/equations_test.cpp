// ulna equations, as a user calls it.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;

namespace {

json results_of(const json& set) {
  json out;
  for (const json& line : set["results"]) out[line["left"].get<std::string>()] = line["right"];
  return out;
}

TEST(EquationsCommand, PlanarArmInJson) {
  const json all = ulna_json("equations planar-2r --what mass,gravity");
  EXPECT_EQ(all["model"], "planar-2r");
  EXPECT_EQ(all["coordinates"], json({"shoulder", "elbow"}));
  ASSERT_EQ(all["equations"].size(), 2u);
  const json& mass = all["equations"][0];
  EXPECT_EQ(mass["what"], "mass");
  EXPECT_EQ(mass["form"], "closed");
  EXPECT_EQ(results_of(mass),
            json({{"M11", "I1 + I2 + m1 lc1^2 + m2 l1^2 + m2 lc2^2 + 2 m2 l1 lc2 c2"}, {"M12", "I2 + m2 lc2^2 + m2 l1 lc2 c2"}, {"M22", "I2 + m2 lc2^2"}}));
  EXPECT_EQ(all["equations"][1]["what"], "gravity");
  EXPECT_EQ(mass["symbols"][2], json({{"name", "m1"}, {"value", 6.0}, {"unit", "kg"}, {"meaning", "mass of link 1"}}));
}

TEST(EquationsCommand, EveryFormatIsWritten) {
  const auto begins = [](const std::string& options, const std::string& beginning, const std::string& piece) {
    const Outcome run = ulna("equations planar-2r " + options);
    EXPECT_EQ(run.status, 0) << options;
    EXPECT_EQ(run.err, "") << options;
    EXPECT_EQ(run.out.substr(0, beginning.size()), beginning);
    EXPECT_TRUE(has(run.out, piece)) << run.out;
  };
  begins("--latex", "\\documentclass", "\\tau_{1} &= (I_{1} + I_{2}");
  begins("--markdown", "# Equations of motion: planar", "```math\n\\begin{aligned}\n");
  begins("--html", "<!DOCTYPE html>", "<i>τ</i><sub>1</sub>");
  begins("", "Equations of motion: planar-2r\n", "  c12 = cos(q1 + q2)\n");
  begins("--form recursive --what mass", "Equations of motion", "lumped first moment of link 2, x");
}

TEST(EquationsCommand, FileIsWholeOrNotThere) {
  const support::Folder folder;
  const std::string path = folder.at("planar.tex");
  const Outcome run = ulna("equations planar-2r --latex --out '" + path + "'");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(folder.text_of("planar.tex"), ulna("equations planar-2r --latex").out);
  // Refused after the file was begun: it leaves nothing.
  expect_refused("equations panda --form closed --out '" + folder.at("panda.txt") + "'", "no short closed form");
  expect_refused("equations planar-2r --out '" + folder.at("no/such.txt") + "'", "option --out: cannot write");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(EquationsCommand, WrongCallsSayWhy) {
  expect_refused("equations", "MODEL");
  expect_refused("equations no-such-robot", "no-such-robot");
  expect_refused("equations planar-2r --what mas", "did you mean 'mass'?");
  expect_refused("equations planar-2r --what mass,", "option --what takes inverse, mass");
  expect_refused("equations planar-2r --what mass,mass", "names mass twice");
  expect_refused("equations planar-2r --latex --html", "options --latex and --html exclude each other");
  expect_refused("equations planar-2r --html --json", "exclude each other");
  expect_refused("equations planar-2r --form long", "'long'");
  expect_refused("equations planar-2r --snap 1", "from 0 to 0.1");
  expect_refused("equations planar-2r --rotor maybe", "maybe");
}

TEST(EquationsCommand, FormulationsAndLinks) {
  const json kane = ulna_json("equations stanford --formulation kane-stanford")["equations"][0];
  EXPECT_EQ(kane["formulation"], "kane-stanford");
  EXPECT_EQ(kane["form"], "recursive");
  EXPECT_EQ(kane["results"][2]["left"], "tau6");
  for (const char* format : {"--latex", "--markdown", "--html"}) {
    const Outcome run = ulna(std::string("equations panda --what mass --formulation walker-orin ") + format);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(has(run.out, "By the formulation walker-orin (M")) << format;
  }
  const json poses = ulna_json("equations panda --what pose,jacobian,energy --link link1");
  EXPECT_EQ(poses["equations"][0]["link"], "link1");
  EXPECT_EQ(results_of(poses["equations"][0])["Rxx"], "c1");
  EXPECT_EQ(results_of(poses["equations"][1]), json({{"J31", "1"}}));
  EXPECT_EQ(poses["equations"][2]["results"].size(), 2u);
  EXPECT_FALSE(poses["equations"][2].contains("link"));
  expect_refused("equations panda --what pose --link hnd", "did you mean 'hand'?");
  expect_refused("equations panda --formulation newton-oiler", "did you mean 'newton-euler'?");
  expect_refused("equations panda --formulation horn-raibert", "There are those of uicker-kahn, ");
  expect_refused("equations panda --formulation lin --what mass,inverse", "it gives mass, bias, gravity, coriolis, not torque");
  expect_refused("equations stanford --formulation kane --form closed", "ask for it without one");
}

TEST(EquationsCommand, PapersMatricesAndTwoFormulationsSideBySide) {
  const json both = ulna_json("equations planar-2r --formulation hollerbach-3x3 --beside newton-euler");
  EXPECT_EQ(both["equations"][0]["formulation"], "hollerbach-3x3");
  EXPECT_EQ(both["beside"][0]["formulation"], "newton-euler");
  const json& quantities = both["equations"][0]["quantities"];
  const auto D2 = std::find_if(quantities.begin(), quantities.end(), [](const json& q) { return q["name"] == "D2"; });
  ASSERT_NE(D2, quantities.end());
  EXPECT_EQ((*D2)["rows"], 3);
  EXPECT_EQ((*D2)["entries"].size(), 9u);
  EXPECT_EQ((*D2)["entries"][8], "0");
  EXPECT_FALSE(ulna_json("equations planar-2r --formulation newton-euler").contains("beside"));
  const Outcome text = ulna("equations planar-2r --formulation hollerbach-3x3 --beside newton-euler");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(has(text.out, "D2_ij = [ "));
  EXPECT_TRUE(has(text.out, " |   tau1 = "));
  for (const char* format : {"--latex", "--markdown", "--html"})
    EXPECT_EQ(ulna(std::string("equations planar-2r --what mass --formulation lin --beside renaud ") + format).status, 0) << format;
  EXPECT_EQ(ulna("equations planar-2r --beside kane").status, 0);  // beside the production path
  expect_refused("equations planar-2r --formulation lin --what mass --beside lin", "take another one");
  expect_refused("equations planar-2r --beside newton-oiler", "did you mean 'newton-euler'?");
  expect_refused("equations panda --what mass --formulation lin --beside newton-euler", "it gives torque, not mass");
}

TEST(EquationsCommand, RotorsCanBeLeftOut) {
  EXPECT_TRUE(has(ulna("equations scara --what mass").out, "rotor of joint 1"));
  EXPECT_FALSE(has(ulna("equations scara --what mass --rotor off").out, "rotor"));
}

}  // namespace
