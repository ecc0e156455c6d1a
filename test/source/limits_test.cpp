// Hostile files: whatever they hold or are, they are refused in bounded time and memory, and the message names the limit and how to raise it.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <ulna/source/load.hpp>

#include "source/source_text.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using test::has_problem;
using test::listing;
using test::repeated;

constexpr std::string_view kInertial = R"(<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

std::string chain(int joints) {
  std::string text = "<robot name=\"chain\"><link name=\"l0\"/>\n";
  for (int i = 1; i <= joints; ++i)
    text += cat("<link name=\"l", i, "\">", kInertial, "</link><joint name=\"j", i, "\" type=\"continuous\"><parent link=\"l", i - 1, "\"/><child link=\"l", i,
                "\"/><origin xyz=\"0 0.1 0.1\"/><axis xyz=\"", i % 2, " ", 1 - i % 2, " 0\"/></joint>\n");
  return text + "</robot>\n";
}

std::string table(int rows, const std::string& name = "r") {
  return cat("robot: ", name, "\nconvention: standard\nlinks:\n",
             repeated("- {joint: revolute, a: 0.1, alpha: 0, d: 0, theta: 0, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n", rows));
}

struct LimitCase {
  const char* limit;
  std::size_t ReadLimits::*value;
  std::size_t too_low, enough;
  std::string text;
  const char* file;
  const char* piece;
};

TEST(Limits, EachIsNamedAndCanBeRaised) {
  const std::string deep = "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh><a><b/></a></mesh></geometry></visual></link></robot>";
  const std::vector<LimitCase> cases{
      {"file-bytes", &ReadLimits::file_bytes, 500, 5000, chain(2), "a.urdf", "more than 500"},
      {"elements", &ReadLimits::elements, 10, 100, chain(2), "a.urdf", "more than 10 elements"},
      {"xml-depth", &ReadLimits::xml_depth, 3, 6, deep, "a.urdf", "nested more than 3 deep"},
      {"joints", &ReadLimits::joints, 2, 3, chain(3), "a.urdf", "more than 2 joints"},
      {"joints", &ReadLimits::joints, 2, 3, table(3), "a.yaml", "3 rows, more than 2 joints"},
      {"name-bytes", &ReadLimits::name_bytes, 12, 13, "<robot name=\"thirteen-long\"><link name=\"a\"/></robot>", "a.urdf", "has 13 bytes, more than 12"},
      {"name-bytes", &ReadLimits::name_bytes, 7, 8, table(1, "longname"), "a.yaml", "has 8 bytes, more than 7"},
      {"yaml-bytes", &ReadLimits::yaml_bytes, 100, 1000, table(2), "a.yaml", "larger than 100"},
      {"yaml-depth", &ReadLimits::yaml_depth, 3, 4, table(1), "a.yaml", "nested more than 3 deep"},
  };
  for (const LimitCase& c : cases) {
    SCOPED_TRACE(c.limit);
    LoadOptions options;
    options.limits.*c.value = c.too_low;
    const LoadResult refused = try_parse(c.text, c.file, options);
    EXPECT_FALSE(refused.model);
    EXPECT_NE(listing(refused.diagnostics).find(c.piece), std::string::npos) << listing(refused.diagnostics);
    EXPECT_NE(listing(refused.diagnostics).find(cat("--limit ", c.limit, "=N")), std::string::npos) << listing(refused.diagnostics);
    options.limits.*c.value = c.enough;
    const LoadResult read = try_parse(c.text, c.file, options);
    EXPECT_TRUE(read.model) << listing(read.diagnostics);
  }
}

TEST(Limits, OfCoupledCoordinates) {
  std::string text = chain(4);
  text.replace(text.find("</joint>\n</robot>"), 8, "<mimic joint=\"j1\"/></joint>");
  LoadOptions options;
  options.limits.coupled = 2;
  const LoadResult refused = try_parse(text, "a.urdf", options);
  EXPECT_FALSE(refused.model);
  EXPECT_TRUE(has_problem(refused.diagnostics, Severity::error, 0, "3 coordinates, more than 2")) << listing(refused.diagnostics);
  options.mimic = MimicPolicy::ignore;
  EXPECT_TRUE(try_parse(text, "a.urdf", options).model);  // then nothing is coupled
  options.mimic = MimicPolicy::honour;
  options.limits.coupled = 3;
  EXPECT_TRUE(try_parse(text, "a.urdf", options).model);
  options.limits.coupled = 2;
  const LoadResult closed = try_load("four-bar", options);
  EXPECT_FALSE(closed.model);
  EXPECT_TRUE(has_problem(closed.diagnostics, Severity::error, 0, "it has loops and 3 coordinates, more than 2")) << listing(closed.diagnostics);
  options.loops = LoopPolicy::ignore;
  EXPECT_TRUE(try_load("four-bar", options).model);
}

/// Runs it and says how long it took.
template <class F>
double seconds(F&& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
constexpr double kBounded = 30;  // generous: the machine may be busy; what is not bounded takes minutes or hours

TEST(Hostile, AMillionJoints) {
  const std::string text = repeated("<joint name=\"j\" type=\"fixed\"/>", 1'000'000);
  EXPECT_LT(seconds([&] {
              const LoadResult result = try_parse("<robot name=\"r\"><link name=\"l\"/>" + text + "</robot>", "a.urdf");
              EXPECT_NE(listing(result.diagnostics).find("problems"), std::string::npos);
              const std::string all = chain(10'001);
              const LoadResult many = try_parse(all, "a.urdf");
              EXPECT_TRUE(has_problem(many.diagnostics, Severity::error, 1, "more than 10000 joints")) << listing(many.diagnostics);
            }),
            kBounded);
}

TEST(Hostile, AsManyJointsAsAreAllowed) {
  EXPECT_LT(seconds([] {
              const LoadResult result = try_parse(chain(10'000), "a.urdf");
              ASSERT_TRUE(result.model) << listing(result.diagnostics).substr(0, 1000);
              EXPECT_EQ(result.model->nv(), 10'000);
            }),
            kBounded);
}

TEST(Hostile, EveryParentIsUnknown) {
  std::string text = chain(10'000);
  for (std::size_t at = text.find("parent link=\"l"); at != std::string::npos; at = text.find("parent link=\"l", at)) text.replace(at + 13, 1, "m");
  EXPECT_LT(seconds([&] { EXPECT_FALSE(try_parse(text, "a.urdf").model); }), kBounded);
}

TEST(Hostile, EntityBomb) {
  std::string text = "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY e0 \"ha\">";
  for (int i = 1; i < 100; ++i) text += cat("<!ENTITY e", i, " \"&e", i - 1, ";&e", i - 1, ";\">");
  text += "]><robot name=\"&e99;\"><link name=\"a\"/></robot>";
  const LoadResult result = try_parse(text, "a.urdf");
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 1, "defines entities, which are not expanded")) << listing(result.diagnostics);
}

TEST(Hostile, DeepNesting) {
  EXPECT_LT(seconds([] {
              EXPECT_FALSE(try_parse("<robot name=\"r\">" + repeated("<a>", 1'000'000), "a.urdf").model);
              EXPECT_FALSE(try_parse("<robot name=\"r\">" + repeated("<a>", 1'000'000) + repeated("</a>", 1'000'000) + "</robot>", "a.urdf").model);
              EXPECT_FALSE(try_parse("robot: " + repeated("[", 1'000'000), "a.yaml").model);
              EXPECT_FALSE(try_parse("robot: " + repeated("{a: ", 400'000), "a.yaml").model);
              EXPECT_FALSE(try_parse("robot:\n" + repeated("- ", 1'000'000), "a.yaml").model);
            }),
            kBounded);
}

TEST(Hostile, LongNamesAndBytesThatAreNoText) {
  const std::string name(5'000'000, 'x');
  const LoadResult longs = try_parse("<robot name=\"r\"><link name=\"" + name + "\"/></robot>", "a.urdf");
  EXPECT_NE(listing(longs.diagnostics).find("5000000 bytes, more than 1000"), std::string::npos);
  EXPECT_LT(listing(longs.diagnostics).size(), 2000u) << "a message must not repeat such a name";
  std::string zeros = chain(1);
  zeros[zeros.find("l0") + 1] = '\0';
  EXPECT_NE(listing(try_parse(zeros, "a.urdf").diagnostics).find("control character 0x00"), std::string::npos);
  for (const char* bytes : {"\xc3\x28", "\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const LoadResult result = try_parse(cat("<robot name=\"r\"><link name=\"", bytes, "\"/></robot>"), "a.urdf");
    EXPECT_FALSE(result.model);
    EXPECT_NE(listing(result.diagnostics).find("is not UTF-8"), std::string::npos) << listing(result.diagnostics);
  }
}

// A line end in a name would go through to generated comments and to reports.
TEST(Hostile, LineEndsInNames) {
  const auto says = [](const std::string& text, const char* file) { return listing(try_parse(text, file).diagnostics); };
  EXPECT_NE(says("<robot name=\"a&#10;b\"><link name=\"l\"/></robot>", "a.urdf").find("'a\\x0ab' holds a control character"), std::string::npos);
  EXPECT_NE(says("<robot name=\"a\"><link name=\"l&#13;\"/></robot>", "a.urdf").find("holds a control character"), std::string::npos);
  EXPECT_NE(says(table(1, "\"a\\nb\""), "a.yaml").find("'a\\x0ab' holds a control character"), std::string::npos);
  EXPECT_NE(says(test::replaced(table(1), "- {", "- {name: \"j\\r\", link: \"k\\t\", "), "a.yaml").find("'k\\x09' holds a control character"),
            std::string::npos);
}

// No number comes out of numbers that overflow: masses whose sum is infinite are refused, tiny ones are computed with.
TEST(Hostile, NumbersAtTheEndsOfTheRange) {
  const auto arm = [](const std::string& mass, const std::string& inertia) {
    std::string text = chain(3);
    for (const auto& [name, value] : {std::pair{"mass value=\"", mass}, {"ixx=\"", inertia}, {"iyy=\"", inertia}, {"izz=\"", inertia}})
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) text.replace(at + std::string(name).size(), 1, value);
    return text;
  };
  EXPECT_TRUE(try_parse(arm("1e100", "1e100"), "a.urdf").model);
  EXPECT_TRUE(try_parse(arm("1e-300", "1e-300"), "a.urdf").model);
  EXPECT_FALSE(try_parse(arm("1e308", "1e308"), "a.urdf").model);
  EXPECT_FALSE(try_parse(arm("1e999", "1"), "a.urdf").model);
}

TEST(Hostile, WhatIsNoFile) {
  const support::Folder folder;
  EXPECT_NE(listing(try_load(folder.at("")).diagnostics).find("this is a folder"), std::string::npos);
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/null"})
    EXPECT_NE(listing(try_load(device).diagnostics).find("this is a device"), std::string::npos) << device;
  folder.write("arm.urdf", chain(2));
  ASSERT_EQ(symlink(folder.at("arm.urdf").c_str(), folder.at("link.urdf").c_str()), 0);
  EXPECT_TRUE(try_load(folder.at("link.urdf")).model);
  ASSERT_EQ(symlink(folder.at("nowhere").c_str(), folder.at("dangling.urdf").c_str()), 0);
  EXPECT_NE(listing(try_load(folder.at("dangling.urdf")).diagnostics).find("no such file"), std::string::npos);
  ASSERT_EQ(symlink(folder.at("circle.urdf").c_str(), folder.at("circle.urdf").c_str()), 0);
  EXPECT_FALSE(try_load(folder.at("circle.urdf")).found);
}

TEST(Hostile, PipesAreReadAndDoNotHang) {
  const support::Folder folder;
  const std::string path = folder.at("pipe.urdf");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  LoadOptions options;
  options.limits.pipe_seconds = 1;
  const LoadResult nobody = try_load(path, options);
  EXPECT_NE(listing(nobody.diagnostics).find("nothing came through this pipe for 1 s"), std::string::npos) << listing(nobody.diagnostics);
  EXPECT_NE(listing(nobody.diagnostics).find("--limit pipe-seconds=N"), std::string::npos);
  options.limits.pipe_seconds = 30;
  std::thread writer([&] { std::ofstream(path) << chain(5); });
  const LoadResult read = try_load(path, options);
  writer.join();
  ASSERT_TRUE(read.model) << listing(read.diagnostics);
  EXPECT_EQ(read.model->nv(), 5);
}

TEST(Hostile, AFileThatChangesWhileItIsRead) {
  const support::Folder folder;
  folder.write("arm.urdf", chain(2));
  Diagnostics diagnostics;
  EXPECT_TRUE(read_whole(folder.at("arm.urdf"), &ReadLimits::file_bytes, {}, diagnostics));
  EXPECT_FALSE(
      read_whole(folder.at("arm.urdf"), &ReadLimits::file_bytes, {}, diagnostics, [&] { std::ofstream(folder.at("arm.urdf"), std::ios::app) << "<!-- -->"; }));
  EXPECT_TRUE(has_problem(diagnostics.all(), Severity::error, 0, "it changed while it was read")) << listing(diagnostics.all());
}

}  // namespace
}  // namespace ulna::test
