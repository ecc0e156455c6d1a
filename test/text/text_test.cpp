// What messages, tables and pages are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "text/csv.hpp"
#include "text/json.hpp"
#include "text/message.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"
#include "text/xml.hpp"

namespace ulna::test {
namespace {

TEST(Text, NumbersReadBackAndNaNHasNoSign) {
  for (const double x : {0.1, -1e-300, 1.0 / 3, 12345678.9}) EXPECT_EQ(std::stod(to_text(x)), x);
  EXPECT_EQ(to_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(to_text(-INFINITY), "-inf");
  EXPECT_EQ(rounded(2.0 / 3), "0.666667");
  EXPECT_EQ(cat("q has ", std::size_t{5}, ' ', 0.5), "q has 5 0.5");
}

TEST(Text, QuotesShowWhatTerminalsWouldObey) {
  EXPECT_EQ(in_quotes("a\x1b[31m\n"), "'a\\x1b[31m\\x0a'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\x9b'");
  EXPECT_TRUE(has_control_character("a\tb"));
  EXPECT_FALSE(has_control_character("Gelenk ä"));
  // Cut between characters: 119 letters and one of two bytes.
  EXPECT_EQ(in_quotes(cat(std::string(119, 'x'), "ää")), cat("'", std::string(119, 'x'), "...'"));
}

TEST(Text, TheNearestNameIsASlipAway) {
  const std::vector<std::string> known{"panda", "puma560", "ur5"};
  EXPECT_EQ(nearest("pnda", known), "panda");
  EXPECT_EQ(nearest("quadruped", known), "");
  const std::vector<std::string> names{"xyz", "origin", "damping", "loop"};
  EXPECT_EQ(slip_of("XYZ", names), "xyz");
  EXPECT_EQ(slip_of("xzy", names), "xyz");
  EXPECT_EQ(slip_of("Orgin", names), "origin");
  EXPECT_EQ(slip_of("dampnig", names), "damping");
  EXPECT_EQ(slip_of("dapmign", names), "damping");
  EXPECT_EQ(slip_of("tool", names), "");
  EXPECT_EQ(slip_of("abc", names), "");
  EXPECT_TRUE(same_but_case("XyZ", "xyz"));
  EXPECT_FALSE(same_but_case("xz", "xyz"));
  EXPECT_EQ(there_is_no("robot", "pnda", known, "; 'ulna models' lists them"), "there is no robot 'pnda'; did you mean 'panda'?");
  EXPECT_EQ(there_is_no("robot", "quadruped", known, "; 'ulna models' lists them"), "there is no robot 'quadruped'; 'ulna models' lists them");
  EXPECT_EQ(there_is_no("robot", "quadruped", known), "there is no robot 'quadruped'");
  EXPECT_EQ(joined(known), "panda, puma560, ur5");
  EXPECT_EQ(joined({}), "");
}

TEST(Text, Utf8IsWhatUnicodeSaysItIs) {
  // The bounds of table 3-7 of the Unicode standard: first and last sequence of each length, and what lies just outside.
  for (const char* good : {"a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(utf8_length(good), std::string_view(good).size()) << good;
  for (const char* bad :
       {"\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe1\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(utf8_length(bad), 0u) << bad;
  EXPECT_EQ(first_not_utf8("ab\xff"), 2u);
  EXPECT_TRUE(is_utf8("腕"));
  EXPECT_EQ(utf8_characters("腕 ä"), 3u);
  EXPECT_EQ(utf8_length(""), 0u);
}

TEST(Text, CellsOfCsvComeBackAsTheyWere) {
  const std::vector<std::string> names{"q.plain", "q.with, comma", "q.\"quoted\"", ""};
  std::string line;
  for (const std::string& name : names) line += cat(&name == &names.front() ? "" : ",", csv_cell(name));
  std::vector<std::string> cells;
  ASSERT_TRUE(read_csv_cells(line + "\r", cells));
  EXPECT_EQ(cells, names);
  ASSERT_TRUE(read_csv_cells(" a ,\tb", cells));
  EXPECT_EQ(cells, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(read_csv_cells("a,\"b", cells));
}

TEST(Text, JsonFieldsAreWhatKeysAndValuesWrite) {
  StringSink out;
  Json json(out);
  const std::optional<int> none, seven = 7;
  const std::vector<double> numbers{1.5, -2};
  const std::vector<std::string> names{"x", "y"};
  json.begin_object().fields("text", "t", "number", 0.1, "truth", true, "none", none, "seven", seven, "numbers", numbers, "names", names);
  json.fields("own", [&] { json.object("inside", 1); }).line();
  json.key("rows").lines(names, [&](const std::string& name) { json.object("name", name); }).end_object();
  EXPECT_EQ(out.text(),
            R"({"text": "t", "number": 0.1, "truth": true, "none": null, "seven": 7, "numbers": [1.5, -2], "names": ["x", "y"], "own": {"inside": 1},
  "rows": [
    {"name": "x"},
    {"name": "y"}]})");
}

TEST(Text, XmlAndJsonHoldWhateverANameHolds) {
  EXPECT_EQ(xml_text("<a b=\"c\">&'\x01\xff"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39; \xef\xbf\xbd");
  StringSink out;
  Json json(out);
  json.begin_object().key("a\"b").value("\\\n\xff").key("x").value(std::numeric_limits<double>::quiet_NaN()).key("n").begin_array();
  json.value(0.5).value(true).end_array().end_object();
  EXPECT_EQ(out.text(), "{\"a\\\"b\": \"\\\\\\u000a\xef\xbf\xbd\", \"x\": null, \"n\": [0.5, true]}");
}

TEST(Text, WordsStandBetweenBlanks) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(words(" 1  2\t3\n"), (std::vector<std::string_view>{"1", "2", "3"}));
  EXPECT_TRUE(words(" \n").empty());
}

}  // namespace
}  // namespace ulna::test
