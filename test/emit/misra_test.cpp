// The subset of C after MISRA C:2012: strictest flags of two compilers, the stated stack, and cppcheck with its rules where it is installed.
#include <gtest/gtest.h>

#include <sstream>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "support/folder.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using support::Folder;
using support::installed;

constexpr const char* kStrictest =
    " -std=c99 -Wall -Wextra -pedantic -Werror -Wconversion -Wsign-conversion -Wfloat-conversion -Wdouble-promotion -Wshadow -Wcast-qual -Wstrict-prototypes"
    " -Wmissing-prototypes -Wundef -Wvla -Wswitch-enum ";

GenerateOptions misra(ulna::Real real) {
  GenerateOptions options{.what = {"inverse", "forward", "mass"}, .real = real, .name = "robot"};
  options.misra = options.friction = options.static_const = options.single_file = true;
  options.parameters = {"payload"};
  return options;
}

/// The number behind "takes less than".
std::size_t stated_stack(const std::string& text) {
  const std::string words = "takes less than ";
  return std::stoul(text.substr(text.find(words) + words.size()));
}

TEST(Misra, CompilesUnderTheStrictestFlagsWithinItsStack) {
  for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision})
    for (const char* robot : {"panda", "scara"}) {
      const Folder folder;
      const std::vector<GeneratedFile> files = generate(load(robot), misra(real));
      ASSERT_EQ(files.size(), 1U);
      folder.write(files);
      const std::size_t stack = stated_stack(files[0].text);
      EXPECT_GT(stack, 100U);
      for (const char* compiler : {"gcc", "clang"})
        for (const char* level : {"-O0", "-O2"}) {
          if (!installed(compiler) || (!soaks() && robot == std::string("panda") && level == std::string("-O2"))) continue;
          SCOPED_TRACE(cat(robot, ", ", compiler, " ", level));
          std::string output;
          EXPECT_EQ(
              folder.run(cat(compiler, " ", level, kStrictest, "-fstack-usage -DROBOT_SELFTEST_MAIN -c robot.c && ", compiler, " robot.o -lm -o t && ./t"),
                         &output),
              0)
              << output;
          // Lines of name, bytes and kind, between tabs.
          std::istringstream frames(folder.text_of("robot.su"));
          std::size_t count = 0;
          for (std::string line; std::getline(frames, line); ++count) {
            const std::size_t at = line.find('\t');
            EXPECT_LT(std::stoul(line.substr(at + 1)), stack) << line;
            EXPECT_FALSE(line.ends_with("dynamic")) << line;  // of a size that nobody knows
          }
          EXPECT_GT(count, 8U);
        }
    }
}

TEST(Misra, KeepsToTheSubset) {
  const std::string text = generate(load("panda"), misra(ulna::Real::double_precision))[0].text;
  for (const char* word : {"malloc", "goto", "restrict", "RESTRICT", "printf", "stdio", "  int ", "  double ", "const double"})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  EXPECT_NE(text.find("const ulna_float64 q[7]"), std::string::npos);
  EXPECT_NE(text.find("int32_t robot_selftest(void)"), std::string::npos);
}

TEST(Misra, CppcheckHasNothingToSay) {
  if (!installed("cppcheck")) GTEST_SKIP() << "no cppcheck";
  const Folder folder;
  folder.write(generate(load("planar-2r"), misra(ulna::Real::double_precision)));
  folder.write("nothing.c", "extern int nothing;\n");
  const std::string rules = folder.run("cppcheck -q --addon=misra nothing.c") == 0 ? " --addon=misra" : "";
  // 8.7 and 2.5: entries and constants of a library are used elsewhere. Of headers of the system cppcheck has its own idea.
  const std::string quiet = " --suppress=missingIncludeSystem --suppress=misra-c2012-8.7 --suppress=misra-c2012-2.5 --suppress=unmatchedSuppression ";
  std::string output;
  const int status = folder.run("cppcheck -q --enable=style,warning,performance,portability --std=c99 --error-exitcode=1" + rules + quiet + "robot.c", &output);
  EXPECT_EQ(status, 0) << output;
}

TEST(Misra, IsForCAlone) {
  const auto refused = [](GenerateOptions options, const std::string& says) {
    options.misra = true;
    try {
      generate(load("planar-2r"), options);
      ADD_FAILURE() << says;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused({.language = "rust"}, "for plain C");
  GenerateOptions many;
  many.batch = true;
  refused(many, "without batch entries");
  refused({.what = {"inverse"}, .name = "an_arm_with_a_long_name_of_its_own"}, "first 31 characters");
}

}  // namespace
}  // namespace ulna::test
