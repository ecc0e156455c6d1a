#include <gtest/gtest.h>

#include <numbers>

#include "text/parse_number.hpp"
#include "text/words.hpp"

namespace ulna::test {
namespace {

using std::numbers::pi;

struct Good {
  std::string_view text;
  double value;
};

struct Bad {
  std::string_view text;
  std::string_view problem;
  std::string_view cure;
};

TEST(Number, ReadsPlainNumbers) {
  for (const Good& good : {Good{"0", 0},
                           {"1.5", 1.5},
                           {"-1.5", -1.5},
                           {"+2", 2},
                           {".5", 0.5},
                           {"5.", 5},
                           {"1e3", 1000},
                           {"1E-3", 1e-3},
                           {"-2.5e+2", -250},
                           {"  7\n", 7},
                           {"0.1", 0.1},
                           {"1.7976931348623157e308", 1.7976931348623157e308},
                           {"00012", 12},
                           {"0e999", 0}}) {
    NumberProblem problem;
    const std::optional<double> value = parse_number(good.text, problem);
    ASSERT_TRUE(value) << good.text << ": " << problem.problem;
    EXPECT_EQ(*value, good.value) << good.text;
  }
}

TEST(Number, TinyNumbersAreZero) {
  for (const std::string& text :
       {std::string("1e-400"), std::string("-1e-99999999999999999999"), "0." + std::string(400, '0') + "1", "0." + std::string(400, '0') + "1e5"}) {
    NumberProblem problem;
    const std::optional<double> value = parse_number(text, problem);
    ASSERT_TRUE(value) << text << ": " << problem.problem;
    EXPECT_EQ(*value, 0) << text;
  }
}

TEST(Number, ExplainsWhatIsNone) {
  const std::string long_number(400, '9');
  for (const Bad& bad : {Bad{"", "is empty", "write a number"},
                         {"   ", "is empty", "write a number"},
                         {"abc", "'abc' is not a number", "1.5"},
                         {"1,5", "'1,5' has a decimal comma", "write 1.5"},
                         {"-0,25e-3", "decimal comma", "write -0.25e-3"},
                         {"1,", "ends in a comma", "spaces"},
                         {"5cm", "'5cm' carries a unit", "in metres: 0.05"},
                         {"5 cm", "carries a unit", "in metres: 0.05"},
                         {"12kg", "carries a unit", "in kilograms: 12"},
                         {"90deg", "carries a unit", "in radians: 1.57079632679"},
                         {"90\u00b0", "carries a unit", "in radians: 1.57079632679"},
                         {"3 N*m", "carries a unit", "SI"},
                         {"50%", "carries a unit", "SI"},
                         {"nan", "not a finite number", "finite"},
                         {"-NaN", "not a finite number", "finite"},
                         {"inf", "not a finite number", "finite"},
                         {"-Infinity", "not a finite number", "finite"},
                         {"1e999", "too large", "1.8e308"},
                         {"-1e99999999999999999999", "too large", "1.8e308"},
                         {long_number, "too large", "1.8e308"},
                         {"1.2.3", "is not a number", ""},
                         {"1 2", "is not a number", ""},
                         {"0x10", "is not a number", ""},
                         {"1e", "is not a number", ""},
                         {"--1", "is not a number", ""},
                         {"+-1", "is not a number", ""},
                         {"+", "is not a number", ""},
                         {".", "is not a number", ""},
                         {"1_000", "is not a number", ""},
                         {"pi/2", "is an expression", "write 1.5707963267948966"},
                         {"${mass}", "xacro expression", "xacro"}}) {
    NumberProblem problem;
    EXPECT_FALSE(parse_number(bad.text, problem)) << bad.text;
    EXPECT_NE(problem.problem.find(bad.problem), std::string::npos) << bad.text << ": " << problem.problem;
    EXPECT_NE(problem.cure.find(bad.cure), std::string::npos) << bad.text << ": " << problem.cure;
    EXPECT_FALSE(problem.cure.empty()) << bad.text;
  }
}

TEST(Number, ReadsAngles) {
  for (const Good& good : {Good{"0", 0},
                           {"-1.25", -1.25},
                           {"pi", pi},
                           {"-pi", -pi},
                           {"+pi", pi},
                           {"pi/2", pi / 2},
                           {"-pi/2", -pi / 2},
                           {"2*pi/3", 2 * pi / 3},
                           {"0.5*pi", 0.5 * pi},
                           {"pi*0.5", pi * 0.5},
                           {" - pi / 4 ", -pi / 4},
                           {"-3*pi/4", -3 * pi / 4},
                           {"\u03c0/2", pi / 2},
                           {"1e0*pi", pi}}) {
    NumberProblem problem;
    const std::optional<double> value = parse_angle(good.text, problem);
    ASSERT_TRUE(value) << good.text << ": " << problem.problem;
    EXPECT_EQ(*value, good.value) << good.text;
  }
}

TEST(Number, ExplainsWhatIsNoAngle) {
  for (const Bad& bad : {Bad{"90 deg", "carries a unit", "radians: pi/2"},
                         {"90\u00b0", "carries a unit", "radians: pi/2"},
                         {"-120deg", "carries a unit", "radians: -2*pi/3"},
                         {"180 degrees", "carries a unit", "radians: pi"},
                         {"12.5deg", "carries a unit", "radians: 0.218166156"},
                         {"1,57", "decimal comma", "write 1.57"},
                         {"pi/0", "not a finite number", "pi/2"},
                         {"2pi", "not an angle", "2*pi/3"},
                         {"pi/", "not an angle", "pi/2"},
                         {"pi+1", "not an angle", "pi/2"},
                         {"pi/-2", "not an angle", "pi/2"},
                         {"sin(pi)", "not an angle", "pi/2"},
                         {"*pi", "not an angle", "pi/2"},
                         {"1e999*pi", "not an angle", "pi/2"},
                         {"half", "is not a number", ""},
                         {"", "is empty", ""}}) {
    NumberProblem problem;
    EXPECT_FALSE(parse_angle(bad.text, problem)) << bad.text;
    EXPECT_NE(problem.problem.find(bad.problem), std::string::npos) << bad.text << ": " << problem.problem;
    EXPECT_NE(problem.cure.find(bad.cure), std::string::npos) << bad.text << ": " << problem.cure;
  }
}

TEST(Number, SplitsWords) {
  EXPECT_TRUE(words("").empty());
  EXPECT_TRUE(words(" \t\n").empty());
  EXPECT_EQ(words(" 1\t-2\n 3 "), (std::vector<std::string_view>{"1", "-2", "3"}));
}

}  // namespace
}  // namespace ulna::test
