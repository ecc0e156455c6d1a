// `ulna study` as people call it.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

const std::string kQuick = " --samples 3 --bench off --self-test off --peers off";

TEST(StudyCommand, WritesAPageAndSaysWhere) {
  const support::Folder folder;
  const std::string to = folder.at("arm");
  const Outcome made = ulna("study planar-2r --out " + to + kQuick);
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(made.out, to + "/index.html\n");
  for (const char* step : {"lint ", "verify ", "count ", "generate ", "schedule ", "torques ", "simulate ", "equations "})
    EXPECT_NE(made.err.find(step), std::string::npos) << step;
  for (const char* file : {"index.html", "report.json", "certificate.json", "counts.json", "schedule.json", "motion.csv", "torques.csv", "equations.tex",
                           "c/planar_2r.c", "c/planar_2r.h"})
    EXPECT_FALSE(folder.text_of(std::string("arm/") + file).empty()) << file;
  // The certificate is one that verify takes.
  const Outcome again = ulna("verify planar-2r --samples 3 --peers off --against " + to + "/certificate.json");
  EXPECT_EQ(again.status, 0) << again.out;
  // Not twice, unless it is asked for.
  expect_refused("study planar-2r --out " + to + kQuick, "not empty; --force");
  EXPECT_EQ(ulna("study planar-2r --force --out " + to + kQuick).status, 0);
}

TEST(StudyCommand, JsonAlone) {
  const support::Folder folder;
  const nlohmann::json result = ulna_json("study planar-2r --out " + folder.at("arm") + kQuick);
  EXPECT_TRUE(result["good"].get<bool>());
  EXPECT_EQ(result["page"], folder.at("arm/index.html"));
  EXPECT_EQ(result["files"][0]["bytes"].get<std::size_t>(), folder.text_of("arm/index.html").size());
}

TEST(StudyCommand, ARobotFromElsewhere) {
  const support::Folder folder;
  folder.write("робот.urdf",
               "<robot name=\"рука\"><link name=\"основа\"/><link name=\"плечо\"><inertial><mass value=\"1\"/><inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\" "
               "ixy=\"0\" ixz=\"0\" "
               "iyz=\"0\"/></inertial></link><joint name=\"сустав\" type=\"continuous\"><parent link=\"основа\"/><child link=\"плечо\"/><axis xyz=\"0 0 "
               "1\"/></joint></robot>");
  const Outcome made = ulna("study " + folder.at("робот.urdf") + " --out " + folder.at("out") + kQuick);
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(folder.text_of("out/index.html").find("плечо"), std::string::npos);
}

TEST(StudyCommand, RefusesWhatMakesNoSense) {
  const support::Folder folder;
  expect_refused("study pandda --out " + folder.at("x"), "did you mean 'panda'?");
  expect_refused("study panda stanford", "'stanford' follows it");
  expect_refused("study panda --samples 0 --out " + folder.at("x"), "--samples takes a whole number");
  folder.write("file", "");
  expect_refused("study planar-2r --force --out " + folder.at("file"), "is no folder");
  folder.write("bad.urdf", "<robot name=\"x\"><link name=\"a\"/><link name=\"b\"/></robot>");
  expect_refused("study " + folder.at("bad.urdf") + " --out " + folder.at("x"), "bad.urdf");
  EXPECT_EQ(folder.files(), 2u);
}

// Ctrl-C ends the work, and nothing is left.
TEST(StudyCommand, InterruptedLeavesNothing) {
  const support::Folder folder;
  const Outcome stopped = [&] {
    std::string text;
    const int status = folder.run(std::string("timeout -s INT 0.3 ") + ULNA_PROGRAM + " study humanoid-38 --samples 100000 --out here", &text);
    return Outcome{status, "", text};
  }();
  EXPECT_EQ(stopped.status, 124) << stopped.err;  // by timeout: it was still at work
  EXPECT_NE(stopped.err.find("interrupted; nothing was written"), std::string::npos) << stopped.err;
  EXPECT_EQ(folder.files(), 1u);  // output.txt
}

}  // namespace
