// A study's folder is there whole or not at all.
#include <gtest/gtest.h>

#include <ulna/study/study.hpp>

#include "study/studied.hpp"
#include "support/folder.hpp"

namespace study_test {
namespace {

ulna::Study small(const std::string& text) {
  ulna::Study study;
  study.files = {{"index.html", text}, {"report.json", "{}"}, {"certificate.json", "{}"}, {"c/a.c", "x"}};
  return study;
}

TEST(WriteStudy, WholeAndOnlyOnce) {
  const support::Folder folder;
  const std::string to = folder.at("deep/er/study");
  ulna::write_study(small("one"), to);
  EXPECT_EQ(folder.text_of("deep/er/study/index.html"), "one");
  EXPECT_EQ(folder.text_of("deep/er/study/c/a.c"), "x");
  EXPECT_EQ(folder.files(), 8u);  // two folders, the study, four files, c/
  EXPECT_THROW(ulna::write_study(small("two"), to), std::runtime_error);
  EXPECT_EQ(folder.text_of("deep/er/study/index.html"), "one");
  ulna::write_study(small("two"), to + "/", true);
  EXPECT_EQ(folder.text_of("deep/er/study/index.html"), "two");
  EXPECT_EQ(folder.files(), 8u);
}

TEST(WriteStudy, NothingElseIsEverReplaced) {
  const support::Folder folder;
  folder.write("precious.txt", "mine");
  EXPECT_THROW(ulna::write_study(small("one"), folder.at("."), true), std::runtime_error);
  EXPECT_THROW(ulna::write_study(small("one"), folder.at("precious.txt"), true), std::runtime_error);
  EXPECT_THROW(ulna::write_study(small("one"), folder.at("precious.txt/below"), true), std::runtime_error);
  EXPECT_THROW(ulna::write_study(small("one"), "", true), std::runtime_error);
  EXPECT_THROW(ulna::write_study(small("one"), "/", true), std::runtime_error);
  std::filesystem::create_directory(folder.at("empty"));
  ulna::write_study(small("one"), folder.at("empty"));  // an empty folder has nothing to lose
  EXPECT_EQ(folder.text_of("precious.txt"), "mine");
  std::filesystem::create_directory_symlink(folder.at("empty"), folder.at("link"));
  EXPECT_NE(ulna::why_not_written(folder.at("link"), true), "");
}

TEST(WriteStudy, AFailureLeavesNothingBehind) {
  const support::Folder folder;
  ulna::Study broken = small("one");
  broken.files.push_back({"index.html/below", "no file can be here"});
  EXPECT_THROW(ulna::write_study(broken, folder.at("study")), std::runtime_error);
  EXPECT_EQ(folder.files(), 0u);
  ulna::write_study(small("old"), folder.at("study"));
  EXPECT_THROW(ulna::write_study(broken, folder.at("study"), true), std::runtime_error);
  EXPECT_EQ(folder.text_of("study/index.html"), "old");
  EXPECT_EQ(folder.files(), 6u);
}

TEST(Study, EndsWhenAskedTo) {
  ulna::StudyOptions options = quick();
  const ulna::Model model = ulna::load("planar-2r");
  for (const int calls : {0, 1, 3}) {
    int asked = 0;
    options.go_on = [&] { return asked++ < calls; };
    EXPECT_THROW(ulna::study(model, options), ulna::StudyInterrupted);
    EXPECT_EQ(asked, calls + 1);
  }
}

TEST(Study, TellsAboutEveryStep) {
  ulna::StudyOptions options = quick();
  std::vector<std::string> told;
  options.done = [&](const ulna::StudyStep& step) {
    told.push_back(step.name);
    EXPECT_FALSE(step.result.empty());
    EXPECT_GE(step.seconds, 0);
  };
  options.ask_peers = [](const ulna::Model&, const ulna::VerifyOptions&) {
    return std::vector<ulna::PeerCheck>{{"other <library>", "torque", "", 1, 1e-9, false}};
  };
  const Studied s(ulna::load("planar-2r"), options);
  EXPECT_EQ(told, (std::vector<std::string>{"lint", "verify", "count", "generate", "schedule", "torques", "simulate", "equations"}));
  // A library that differs is no small thing.
  EXPECT_FALSE(s.study.good);
  EXPECT_NE(s.text().find("They do not agree."), std::string::npos);
  EXPECT_NE(s.text().find("other <library>"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(s.file("certificate.json"))["agree"].get<bool>());
}

}  // namespace
}  // namespace study_test
