// What a file may ask for, as users meet it; and what Ulna does not do to theirs.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "program.hpp"
#include "support/folder.hpp"

namespace {

using support::Folder;

TEST(Limit, IsNamedByItsMessageAndRaisedByAnOption) {
  expect_refused("info panda --limit joints=3", "more than 3 joints; raise the limit if it is meant: --limit joints=N");
  EXPECT_EQ(ulna("info panda --limit joints=100 --limit name-bytes=50").status, 0);
  expect_refused("info panda --limit joint=3", "did you mean 'joints'?");
  expect_refused("info panda --limit joints", "takes a whole number above 0");
  expect_refused("info panda --limit joints=-1", "takes a whole number above 0");
  expect_refused("info panda --limit joints=1e3", "takes a whole number above 0, not '1e3'");
  expect_refused("simulate double-pendulum --limit yaml-bytes=10", "--limit yaml-bytes=N");
}

TEST(Limit, OfStates) {
  const Folder folder;
  folder.write("s.csv", "q.q1\n0.1\n0." + std::string(1000, '1') + "\n");
  expect_refused("inverse stanford --limit line-bytes=100 --states " + folder.at("s.csv"), "this line is longer than 100 bytes");
  EXPECT_EQ(ulna("inverse stanford --states " + folder.at("s.csv")).status, 0);
  expect_refused("inverse stanford --states /dev/zero", "this is a device");
  expect_refused("inverse stanford --states " + folder.at(""), "this is a directory");
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  expect_refused("inverse stanford --limit pipe-seconds=1 --states " + folder.at("pipe"), "nothing came through this pipe for 1 s");
  const Outcome piped = ulna("inverse stanford --limit pipe-bytes=10 --states -", "q.q1\n0.1\n0.2\n");
  EXPECT_EQ(piped.status, 2);
  EXPECT_NE(piped.err.find("more than 10 bytes came through the pipe"), std::string::npos) << piped.err;
}

// A file in a folder of one's own is replaced only when that is asked for, by every command that writes.
TEST(Files, AreNotReplacedUnlessAsked) {
  const Folder folder;
  const auto twice = [&](const std::string& command, const std::string& option, const std::string& path, const std::string& written) {
    SCOPED_TRACE(command);
    const std::string call = command + " " + option + " " + folder.at(path);
    const Outcome first = ulna(call);
    ASSERT_LE(first.status, 1) << first.err;
    const std::string before = folder.text_of(written);
    ASSERT_FALSE(before.empty());
    folder.write(written, "mine");
    const Outcome second = ulna(call);
    EXPECT_EQ(second.status, 2);
    EXPECT_NE(second.err.find("it exists; --force replaces it"), std::string::npos) << second.err;
    EXPECT_EQ(folder.text_of(written), "mine");
    const Outcome third = ulna(call + " --force");
    ASSERT_LE(third.status, 1) << third.err;
    EXPECT_EQ(folder.text_of(written).size() > 4, true);
    struct stat info {};
    ASSERT_EQ(stat(folder.at(written).c_str(), &info), 0);
    const mode_t mask = umask(0);
    umask(mask);
    EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask) << "while it is written it is private; then it is as any file";
  };
  twice("generate planar-2r", "--out", "code", "code/planar_2r.c");
  twice("equations planar-2r", "--out", "e.txt", "e.txt");
  twice("verify planar-2r --samples 3 --peers off", "--out", "v.json", "v.json");
  twice("schedule planar-2r", "--svg", "s.svg", "s.svg");
  folder.write("s.yaml", "model: planar-2r\nduration: 0.02\n");
  folder.write("b.csv", "duration\n0.02\n0.03\n");
  const std::string scenario = folder.at("s.yaml");
  twice("simulate " + scenario, "--out", "s.csv", "s.csv");
  twice("simulate " + scenario, "--plot", "plots", "plots/positions.svg");
  twice("simulate " + scenario + " --batch " + folder.at("b.csv"), "--out", "batch.csv", "batch.csv");
  twice("torques " + scenario, "--out", "t.csv", "t.csv");
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.at("")))
    EXPECT_EQ(file.path().filename().string().find(".XXXXXX"), std::string::npos) << file.path();
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder.at(""))) ++count;
  EXPECT_EQ(count, 10u);  // nothing was left behind
}

// A link at the place of an output is not followed.
TEST(Files, ALinkIsReplacedNotFollowed) {
  const Folder folder;
  folder.write("precious", "mine");
  std::filesystem::create_symlink(folder.at("precious"), folder.at("e.txt"));
  expect_refused("equations planar-2r --out " + folder.at("e.txt"), "it exists");
  EXPECT_EQ(ulna("equations planar-2r --force --out " + folder.at("e.txt")).status, 0);
  EXPECT_EQ(folder.text_of("precious"), "mine");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.at("e.txt")));
}

}  // namespace
