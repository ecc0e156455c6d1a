// The papers' tables: what is printed agrees with itself where it does, and every verdict is the one that comparing gives.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "count/table_arms.hpp"
#include "count/tables.hpp"

namespace ulna::test {
namespace {

const std::vector<ComparedTable>& tables() {
  static const std::vector<ComparedTable> all = compare_tables();
  return all;
}
const ComparedTable& table(std::string_view id) {
  for (const ComparedTable& t : tables())
    if (t.published->id == id) return t;
  throw std::logic_error("no such table");
}
const ComparedEntry& entry(std::string_view id, std::string_view name) {
  for (const ComparedEntry& e : table(id).entries)
    if (e.name == name) return e;
  throw std::logic_error("no such entry");
}

/// Every count of every table.
template <class Body>
void for_each_count(Body body) {
  for (const ComparedTable& t : tables())
    for (const ComparedEntry& e : t.entries)
      for (const ComparedCount* count : {&e.mul, &e.add}) {
        SCOPED_TRACE(testing::Message() << t.published->id << ", " << e.name << ", " << (count == &e.mul ? "mul" : "add"));
        body(t, *count);
      }
}

TEST(Published, NumbersAreThoseOfThePolynomials) {
  for (const std::string_view id : {"lin-1", "lin-2"})
    for (const PublishedEntry& e : find_published(id)->entries)
      for (const PublishedCount* count : {&e.mul, &e.add}) {
        if (e.name != "Present, H and b") {
          EXPECT_EQ(count->cells.size(), 7u) << e.name;
        }
        for (const PublishedCell& cell : count->cells) EXPECT_EQ(count->polynomial(cell.n), Rational(cell.value)) << id << " " << e.name << " n = " << cell.n;
      }
}

// Two numbers of Hollerbach's Table II are not what his Table I says. They must be found, and no others.
TEST(Published, TwoNumbersOfHollerbachsTableTwoAreNotThoseOfTableOne) {
  std::map<std::string, std::string> found;
  for (const PublishedEntry& e : find_published("hollerbach-2")->entries) {
    const PublishedEntry& polynomials = *find_published("hollerbach-1")->find(e.name);
    for (const auto count : {&PublishedEntry::mul, &PublishedEntry::add}) {
      const Rational follows = (polynomials.*count).polynomial(6);
      if (!((e.*count).cells.front().n == 6 && follows == Rational((e.*count).cells.front().value))) found[std::string(e.name)] = follows.text();
    }
  }
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"Uicker/Kahn", "67143"}, {"Waters", "7045"}}));
}

// The text of each polynomial, read by eye as coefficients, gives what other places of the same papers say.
TEST(Published, PolynomialsAtSixJoints) {
  const auto at_six = [](std::string_view id, std::string_view name) {
    const PublishedEntry& e = *find_published(id)->find(name);
    return std::pair(e.mul.polynomial(6).text(), e.add.polynomial(6).text());
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(at_six("turney-1", "Lagrange"), Pair("5916", "4840"));
  EXPECT_EQ(at_six("turney-1", "Newton-Euler"), Pair("636", "591"));
  EXPECT_EQ(at_six("turney-1", "Modified Newton-Euler"), Pair("513", "504"));
  EXPECT_EQ(at_six("hollerbach-1", "Hollerbach (4x4)"), Pair("4388", "3586"));  // in the text of the paper, too
  EXPECT_EQ(at_six("nasser", "Nasser"), Pair("1429", "1063"));
  EXPECT_EQ(at_six("lin-2", "Present, H and b"), Pair("1010", "710"));
}

TEST(Published, EachTableChecksItself) {
  for (const ComparedTable& t : tables())
    for (const TableCheck& check : t.checks) {
      SCOPED_TRACE(testing::Message() << t.published->id << ": " << check.what);
      EXPECT_EQ(check.holds, t.published->id != "hollerbach-2");
      EXPECT_EQ(check.detail.empty(), check.holds);
    }
  ASSERT_EQ(table("hollerbach-2").checks.size(), 1u);
  EXPECT_EQ(table("hollerbach-2").checks.front().detail,
            "Uicker/Kahn, mul, n = 6: 66271 is printed, 67143 follows; Waters, mul, n = 6: 7051 is printed, 7045 follows");
  for (const std::string_view id : {"turney-2", "turney-3", "turney-4", "turney-5"}) EXPECT_EQ(table(id).checks.size(), 1u) << id;
  EXPECT_EQ(table("turney-1").checks.size(), 3u);
  EXPECT_EQ(table("lin-2").checks.size(), 2u);
}

TEST(Verdicts, ReasonsOnFileAreNeitherStaleNorMissing) {
  std::size_t used = 0;
  for (const ComparedTable& t : tables()) {
    for (const std::string& problem : t.problems) ADD_FAILURE() << problem;
    if (t.published->id == "hollerbach-2") continue;
    for (const ComparedEntry& e : t.entries) used += std::size_t{!e.mul.reason.empty()} + std::size_t{!e.add.reason.empty()};
  }
  EXPECT_EQ(used, reasons_on_file());
}

// What 'exact' means, checked on the numbers themselves and not on the polynomials.
TEST(Verdicts, AreThoseOfTheNumbers) {
  for_each_count([](const ComparedTable& t, const ComparedCount& count) {
    const PublishedTable& p = *t.published;
    ASSERT_TRUE(count.verdict);
    bool equal = !count.ours.empty();
    for (std::size_t k = 0; k < count.ours.size(); ++k) {
      const int n = p.only != 0 ? p.only : static_cast<int>(k) + 1;
      if (n >= p.first && !(count.printed.polynomial(n) == Rational(count.ours[k]))) equal = false;
    }
    EXPECT_EQ(*count.verdict == Verdict::exact, equal);
    EXPECT_EQ(count.reason.empty(), equal);
    if (!count.ours.empty() && p.only == 0) {
      EXPECT_EQ(count.ours.size(), std::size_t{kMostTableJoints});
      EXPECT_TRUE(count.fit);
    }
  });
}

// Which entries reproduce, as an independent counter found them.
TEST(Verdicts, Exact) {
  std::set<std::string> exact;
  for (const ComparedTable& t : tables()) {
    if (t.published->has_total) continue;
    for (const ComparedEntry& e : t.entries) {
      if (e.mul.verdict == Verdict::exact) exact.insert(std::string(t.published->id) + " " + e.name + " mul");
      if (e.add.verdict == Verdict::exact) exact.insert(std::string(t.published->id) + " " + e.name + " add");
    }
  }
  EXPECT_EQ(exact, (std::set<std::string>{"hollerbach-1 Horn, Raibert mul", "hollerbach-2 Horn, Raibert mul", "lin-1 Present add", "lin-1 Present mul",
                                          "lin-1 Renaud add", "lin-1 Renaud mul", "lin-frames saved mul"}));
  EXPECT_EQ(entry("turney-4", "a").mul.verdict, Verdict::exact);
  EXPECT_EQ(entry("turney-4", "a").add.verdict, Verdict::exact);
  for (const std::string_view row : {"T", "dT", "d2T", "trace", "gravity"}) {
    EXPECT_EQ(entry("turney-2", row).mul.verdict, Verdict::exact) << row;
    EXPECT_EQ(entry("turney-2", row).add.verdict, Verdict::exact) << row;
  }
}

// In lock-step, by hand from the counted rows: omega 9 7, alpha 11 9, A 6 9, omega 9 7, alpha 11 9; outward the longest is a, 18 15, inward f, R n and the sum
// of four vectors, 9 9. The paper has alpha with 9 multiplications, and the sum of five vectors, 12.
TEST(Verdicts, TableFiveInLockStep) {
  const auto fits = [](std::string_view name) {
    return std::pair(entry("turney-5", name).mul.fit->polynomial.text(), entry("turney-5", name).add.fit->polynomial.text());
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(fits("omega_1"), Pair("9", "7"));
  EXPECT_EQ(fits("alpha_1"), Pair("11", "9"));
  EXPECT_EQ(fits("A_1"), Pair("6", "9"));
  EXPECT_EQ(fits("alpha_2"), Pair("11", "9"));
  EXPECT_EQ(fits("each link, outward"), Pair("18n", "15n"));
  EXPECT_EQ(fits("each link, inward"), Pair("9n", "9n"));
  EXPECT_EQ(fits("Total"), Pair("27n + 46", "24n + 41"));
  EXPECT_EQ(entry("turney-5", "Total").mul.difference->text(), "4");
  for (const ComparedEntry& e : table("turney-5").entries)
    EXPECT_EQ(e.add.verdict == Verdict::exact, e.name != "each link, inward" && !e.name.starts_with("Total")) << e.name;
}

// A unit for each vector equation, which does not wait for the others. Outward each link waits for a, 18 multiplications and 15 additions; inward for R n, 9
// and 6, and for the 3 additions that join it to the rest of n. No unit is slower than its own row, and none can begin before the link before it is done.
TEST(Verdicts, TableFiveIsASchedule) {
  const ComparedEntry& total = entry("turney-5", "Total, without lock-step");
  for (const auto& [count, a_link] : {std::pair(&total.mul, 18 + 9), std::pair(&total.add, 15 + 6 + 3)}) {
    ASSERT_TRUE(count->fit);
    EXPECT_LE(count->fit->from, 3);
    for (std::size_t n = 4; n <= count->ours.size(); ++n) EXPECT_EQ(count->ours[n - 1] - count->ours[n - 2], a_link) << n;
    for (std::size_t n = 1; n <= count->ours.size(); ++n)
      EXPECT_LT(Rational(count->ours[n - 1]).numerator(), count->printed.polynomial(static_cast<int>(n)).numerator()) << n;
  }
  for (std::size_t n = 1; n <= 8; ++n) {
    const std::vector<CountedRow> rows = counted_rows(*find_formulation("modified-newton-euler"), Quantity::inverse, table_arm(n));
    const Arrival last = last_arrival(rows);
    EXPECT_EQ(last.steps, last.mul + last.add);  // the chain never waits
    long work = 0;
    for (const CountedRow& row : rows) {
      EXPECT_GE(row.free.steps, row.counts.mul + row.counts.add) << row.name;
      work += row.counts.mul + row.counts.add;
    }
    EXPECT_GE(last.steps * static_cast<long>(rows.size()), work);
  }
}

// What Kane and Levinson quote from Hollerbach is what he prints.
TEST(Published, QuotationsAreRight) {
  const auto cell = [](std::string_view id, std::string_view name) {
    const PublishedEntry& e = *find_published(id)->find(name);
    return std::pair(e.mul.polynomial(6).text(), e.add.polynomial(6).text());
  };
  EXPECT_EQ(cell("kane", "Lagrange, quoted from Hollerbach"), cell("hollerbach-1", "Hollerbach (3x3)"));
  EXPECT_EQ(cell("kane", "Newton-Euler, quoted from Hollerbach"), cell("hollerbach-1", "Newton-Euler"));
  EXPECT_EQ(table("kane").entries.size(), 5u);
}

TEST(Verdicts, DifferencesAreWhereTheReasonsSay) {
  const auto difference = [](std::string_view id, std::string_view name) {
    const ComparedEntry& e = entry(id, name);
    return std::pair(e.mul.difference->text(), e.add.difference->text());
  };
  using Pair = std::pair<std::string, std::string>;
  // 16q products of link q: 16 (1 + … + n).
  EXPECT_EQ(difference("turney-2", "kinetic").first, "8n² + 8n");
  EXPECT_EQ(difference("turney-1", "Lagrange").first, "8n² + 8n");
  // Additions of link q: the paper means 16 (q² + q + 2) and sums it to 16/3 n (n² - 1) + 32 n; ours are 8q² + 24q + 32.
  Polynomial ours;
  const Polynomial n({Rational(0), Rational(1)}), one({Rational(1)});
  ours = Polynomial({Rational(8, 6)}) * n * (n + one) * (n + n + one) + Polynomial({Rational(12)}) * n * (n + one) + Polynomial({Rational(32)}) * n;
  EXPECT_EQ(entry("turney-2", "kinetic").add.fit->polynomial, ours);
  // The rows that differ make up the totals' differences.
  for (const std::string_view id : {"turney-3", "turney-4"})
    for (const auto count : {&ComparedEntry::mul, &ComparedEntry::add}) {
      Polynomial sum;
      for (const ComparedEntry& e : table(id).entries)
        if (e.name != "Total") sum = sum + *(e.*count).difference;
      EXPECT_EQ(sum, *(entry(id, "Total").*count).difference) << id;
    }
  EXPECT_EQ(difference("turney-3", "Total"), Pair("4n - 12", "-2n - 15"));
  EXPECT_EQ(difference("turney-4", "Total"), Pair("4n - 15", "-5n - 15"));
  EXPECT_EQ(difference("turney-1", "Newton-Euler"), Pair("4n - 12", "-2n - 15"));
  EXPECT_EQ(difference("turney-1", "Modified Newton-Euler"), Pair("4n - 15", "-5n - 15"));
  // 129 multiplications for each of n(n + 1)(2n + 1)/6 - n(n + 1)(n + 2)/12 terms.
  const Polynomial terms = Polynomial({Rational(1, 6)}) * n * (n + one) * (n + n + one) - Polynomial({Rational(1, 12)}) * n * (n + one) * (n + one + one);
  EXPECT_EQ(*entry("hollerbach-1", "Uicker/Kahn").mul.difference, Polynomial({Rational(129)}) * terms);
  EXPECT_EQ((*entry("hollerbach-1", "Uicker/Kahn").add.difference - Polynomial({Rational(100)}) * terms).text(), "0.5n² - 5/3 n");
  EXPECT_EQ(entry("hollerbach-1", "Uicker/Kahn").add.verdict, Verdict::not_determined);  // so the place is not known
  EXPECT_EQ(difference("hollerbach-1", "Waters"), Pair("-17", "-33n - 48"));
  EXPECT_EQ(difference("hollerbach-1", "Hollerbach (4x4)"), Pair("-20n - 17", "-32n - 48"));
  EXPECT_EQ(difference("hollerbach-1", "Hollerbach (3x3)"), Pair("-14n + 6", "-18n - 21"));
  EXPECT_EQ(difference("hollerbach-1", "Horn, Raibert"), Pair("0", "-2n"));
  EXPECT_EQ(difference("lin-2", "Present"), Pair("-3", "-2"));
  EXPECT_EQ(difference("lin-2", "Present, H and b"), Pair("-3", "-2"));
  EXPECT_EQ(difference("kane", "Stanford arm"), Pair("-8", "6"));
  EXPECT_EQ(difference("kane", "Stanford arm, constants not folded"), Pair("4", "39"));
  EXPECT_EQ(difference("hollerbach-1", "Newton-Euler"), Pair("-6n + 18", "-12n + 12"));
  // What is known of these two agrees: the part in n².
  // And here in n³.
  EXPECT_EQ(entry("lin-1", "Lin 1988").mul.difference->degree(), 2);
  EXPECT_EQ(entry("lin-1", "Lin 1988").add.difference->degree(), 2);
  for (const std::string_view name : {"Walker and Orin", "Fijany and Bejczy", "Fijany and Bejczy, end-effector's frame"}) {
    EXPECT_EQ(entry("lin-1", name).mul.difference->degree(), 1) << name;
    EXPECT_EQ(entry("lin-1", name).add.difference->degree(), 1) << name;
  }
  EXPECT_EQ(entry("lin-1", "Fijany and Bejczy").mul.fit->from, 4);
  EXPECT_EQ(entry("lin-1", "Present").mul.fit->from, 2);
}

TEST(Verdicts, AreComputed) {
  const Reason reason{Verdict::not_determined, "so"};
  const auto line = [](std::int64_t offset) {
    ComparedCount count;
    count.printed.text = "2n + 1";
    count.printed.polynomial = Polynomial({Rational(1), Rational(2)});
    for (std::int64_t n = 1; n <= 8; ++n) count.ours.push_back(2 * n + 1 + offset);
    return count;
  };
  ComparedCount same = line(0);
  EXPECT_EQ(judge(same, 1, false, {}), "");
  EXPECT_EQ(same.verdict, Verdict::exact);
  EXPECT_TRUE(same.reason.empty());
  ComparedCount stale = line(0);
  EXPECT_NE(judge(stale, 1, false, reason), "");  // agrees, and has a reason why it does not
  EXPECT_EQ(stale.verdict, Verdict::exact);
  ComparedCount off = line(1);
  EXPECT_EQ(judge(off, 1, false, reason), "");
  EXPECT_EQ(off.verdict, Verdict::not_determined);
  EXPECT_EQ(off.reason, "so");
  EXPECT_EQ(off.difference->text(), "1");
  ComparedCount unexplained = line(1);
  EXPECT_NE(judge(unexplained, 1, false, {}), "");
  EXPECT_EQ(unexplained.verdict, Verdict::differs);
  ComparedCount late = line(0);  // holds from n = 3 only, and is printed for n >= 1, then for n >= 3
  late.ours[0] = late.ours[1] = 0;
  EXPECT_EQ(judge(late, 1, false, reason), "");
  EXPECT_NE(late.verdict, Verdict::exact);
  EXPECT_EQ(judge(late, 3, false, {}), "");
  EXPECT_EQ(late.verdict, Verdict::exact);
  ComparedCount ragged = line(0);
  ragged.ours.back() += 1;
  EXPECT_EQ(judge(ragged, 1, false, reason), "");
  EXPECT_FALSE(ragged.fit);
  EXPECT_EQ(ragged.verdict, Verdict::not_determined);
  ComparedCount missing = line(0);
  missing.ours.clear();
  EXPECT_EQ(judge(missing, 1, false, reason), "");
  EXPECT_EQ(missing.verdict, Verdict::not_determined);
  ComparedCount single;
  single.printed.polynomial = Polynomial({Rational(646)});
  single.ours = {646};
  EXPECT_EQ(judge(single, 6, true, {}), "");
  EXPECT_EQ(single.verdict, Verdict::exact);
}

TEST(Tables, Names) {
  EXPECT_EQ(table_names(), (std::vector<std::string>{"turney-1", "turney-2", "turney-3", "turney-4", "turney-5", "hollerbach-1", "hollerbach-2", "lin-1",
                                                     "lin-2", "lin-frames", "nasser", "kane", "crossovers"}));
  EXPECT_EQ(tables().size(), 12u);
  EXPECT_EQ(compare_tables({"kane", "lin-1"}).size(), 2u);
  EXPECT_TRUE(compare_tables({"crossovers"}).empty());
  EXPECT_THROW(compare_tables({"lin-3"}), std::invalid_argument);
}

// By the printed polynomials, worked out by hand: sums of multiplications and additions.
TEST(Crossovers, OfThePrintedPolynomials) {
  const std::vector<Crossover> all = compare_crossovers();
  ASSERT_EQ(all.size(), 4u);
  // 8n² - 126n + 154 changes sign between 14 and 15.
  EXPECT_EQ(all[0].lines[0].cheapest, "n = 2-4: Lin 1988; 5-14: Present; 15-20: Fijany and Bejczy");
  EXPECT_EQ(all[0].lines[0].holds, false);
  EXPECT_EQ(all[1].lines[0].cheapest, "n = 2-6: Present; 7-20: Balafoutis et al.");
  EXPECT_EQ(all[1].lines[0].holds, true);
  EXPECT_EQ(all[1].lines[1].cheapest, "n = 2-5: Present; 6-7: Khalil and Kleinfinger; 8-20: Balafoutis et al.");
  EXPECT_EQ(all[1].lines[1].holds, false);
  EXPECT_EQ(all[2].lines[0].cheapest, "n = 1-8: Horn, Raibert; 9-12: Newton-Euler");
  EXPECT_EQ(all[2].lines[0].holds, true);
  EXPECT_EQ(all[2].lines[1].cheapest, "n = 1-9: Horn, Raibert; 10-12: Newton-Euler");
  EXPECT_EQ(all[2].lines[1].holds, false);
  // Our counts, from their polynomials: 2n³ + n² against 112n - 24, and with the additions 3n³ + 2n² against 210n - 48.
  EXPECT_EQ(all[2].lines[2].cheapest, "n = 1-7: horn-raibert; 8-12: newton-euler");
  EXPECT_EQ(all[2].lines[3].cheapest, "n = 1-7: horn-raibert; 8-12: newton-euler");
  // 16.5n² + 77.5n - 155 (lin), 22.5n² + 48.5n - 132 (renaud), 8.5n² + 160.5n - 357 from n = 4 (fijany-bejczy).
  EXPECT_EQ(all[0].lines[1].cheapest, "n = 2: renaud; 3: fijany-bejczy; 4-6: lin; 7-20: fijany-bejczy");
  // Nasser claims to exceed Walker and Orin's methods and prints no count of theirs; the matrix must win for few joints and the recursion for many.
  EXPECT_EQ(all[3].lines[0].cheapest, "n = 2-8: Lin; 9-20: Nasser");  // 38n² + 84n - 152 + elimination against 449n - 202
  EXPECT_EQ(all[3].lines[2].cheapest.rfind("n = 2-", 0), 0u);
  EXPECT_NE(all[3].lines[2].cheapest.find("-20: nasser"), std::string::npos);
  for (const std::size_t line : {0, 1, 3}) EXPECT_FALSE(all[3].lines[line].holds.has_value());
  EXPECT_EQ(all[3].lines[2].holds, false);
}

}  // namespace
}  // namespace ulna::test
