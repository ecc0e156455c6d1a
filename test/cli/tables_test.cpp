// ulna tables, as a user calls it.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.hpp"

using nlohmann::json;

namespace {

TEST(Tables, TextShowsPrintedAndOurs) {
  const Outcome all = ulna("tables");
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.err, "");
  for (const char* piece : {"turney-1: ", "turney-5: ", "hollerbach-2: ", "lin-2: ", "nasser: ", "kane: ", "crossovers: ", "81/6 n³ + 165/2 n² + 5n",
                            "13.5n³ + 90.5n² + 13n", "8n² + 8n", "not determined by the paper", "66271 is printed"})
    EXPECT_TRUE(has(all.out, piece)) << piece;
  EXPECT_FALSE(has(all.out, "Fault of this program"));
  const Outcome lin = ulna("tables lin-1");
  EXPECT_TRUE(has(lin.out, "10.5n² + 38.5n - 85"));
  EXPECT_FALSE(has(lin.out, "turney"));
}

TEST(Tables, JsonHasEveryCellAndVerdict) {
  const json out = ulna_json("tables");
  ASSERT_EQ(out["tables"].size(), 12u);
  ASSERT_EQ(out["crossovers"].size(), 4u);
  for (const json& table : out["tables"]) {
    SCOPED_TRACE(table["id"].dump());
    EXPECT_FALSE(table["paper"].get<std::string>().empty());
    const std::size_t cells = table["last"].get<std::size_t>() - table["first"].get<std::size_t>() + 1;
    for (const json& entry : table["entries"])
      for (const char* operation : {"mul", "add"}) {
        const json& count = entry[operation];
        SCOPED_TRACE(entry["name"].dump() + operation);
        if (count.contains("ours")) {
          EXPECT_EQ(count["ours"].size(), cells);
        }
        if (!count.contains("verdict")) continue;
        const std::string verdict = count["verdict"];
        EXPECT_TRUE(verdict == "exact" || verdict == "differs" || verdict == "not determined by the paper");
        EXPECT_EQ(count.contains("reason"), verdict != "exact");
      }
  }
  const json& present = out["tables"][7]["entries"][5];  // behind two lines of Fijany and Bejczy
  ASSERT_EQ(present["name"], "Present");
  EXPECT_EQ(present["mul"]["verdict"], "exact");
  EXPECT_EQ(present["mul"]["ours"], json({0, 34, 125, 237, 370, 524, 699, 895}));
  EXPECT_EQ(present["mul"]["coefficients"], json({-85.0, 38.5, 10.5}));
  EXPECT_EQ(present["mul"]["from"], 2);
  EXPECT_EQ(present["mul"]["printed_cells"][6], json({{"n", 8}, {"value", 895}}));
  const json& lagrange = out["tables"][0]["entries"][0];
  EXPECT_EQ(lagrange["add"]["coefficients"], json({0.0, "-8/3", 74.0, "32/3"}));
  EXPECT_EQ(lagrange["add"]["verdict"], "differs");
}

TEST(Tables, NamesChooseTables) {
  const json two = ulna_json("tables kane turney-3");
  ASSERT_EQ(two["tables"].size(), 2u);
  EXPECT_EQ(two["tables"][0]["id"], "turney-3");  // in their own order
  EXPECT_EQ(two["tables"][1]["id"], "kane");
  EXPECT_EQ(two["crossovers"], json::array());
  EXPECT_EQ(ulna_json("tables crossovers")["tables"], json::array());
  EXPECT_EQ(ulna_json("tables crossovers")["crossovers"][2]["lines"][0]["holds"], true);
}

TEST(Tables, MarkdownHasHeadingsAndRules) {
  const Outcome page = ulna("tables turney-1 crossovers --markdown");
  EXPECT_EQ(page.status, 0);
  EXPECT_TRUE(has(page.out, "## turney-1: "));
  EXPECT_TRUE(has(page.out, "| Lagrange | mul | 81/6 n³ + 165/2 n² + 5n | 13.5n³ + 90.5n² + 13n | 8n² + 8n | differs |"));
  EXPECT_TRUE(has(page.out, "## crossovers: "));
  // Every line of a grid has as many cells as the rule below its heading.
  std::size_t bars = 0, start = 0;
  std::string before;
  while (start < page.out.size()) {
    const std::size_t end = page.out.find('\n', start);
    const std::string line = page.out.substr(start, end - start);
    const std::size_t count = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (line.rfind("|---", 0) == 0) bars = count;
    if (!line.empty() && line[0] == '|' && !before.empty() && before[0] == '|') {
      EXPECT_EQ(count, bars) << line;
    }
    before = line;
    start = end + 1;
  }
  EXPECT_GT(bars, 0u);
}

TEST(Tables, WrongCalls) {
  expect_refused("tables lin1", "did you mean 'lin-1'?");
  expect_refused("tables turney-1 hollerbach-3", "there is no table 'hollerbach-3'");
  expect_refused("tables --json --markdown", "exclude each other");
  expect_refused("tables --latex", "--latex");
}

}  // namespace
