// Counts as the papers write, against the polynomials that an independent counter found for the same conventions.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "count/table_arms.hpp"
#include "formulation/as_variable.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/stanford_count.hpp"
#include "formulation/strobing.hpp"

namespace ulna::test {
namespace {

AsWritten counted(std::string_view id, Quantity quantity, const Prepared& arm) { return count_as_written(*find_formulation(id), quantity, arm); }

using OfN = std::function<long(long)>;
struct Expected {
  std::string_view id;
  Quantity quantity;
  std::string_view part;  // empty: the total
  long from;
  OfN mul, add;
};

TEST(AsWritten, GivesTheKnownPolynomials) {
  const Quantity torque = Quantity::inverse, mass = Quantity::mass, bias = Quantity::bias;
  const std::vector<Expected> all{
      {"lagrange",
       torque,
       {},
       1,
       [](long n) { return (27 * n * n * n + 181 * n * n + 26 * n) / 2; },
       [](long n) { return (32 * n * n * n + 222 * n * n - 8 * n) / 3; }},
      {"newton-euler", torque, {}, 1, [](long n) { return 112 * n - 24; }, [](long n) { return 98 * n - 24; }},
      {"modified-newton-euler", torque, {}, 1, [](long n) { return 94 * n - 42; }, [](long n) { return 83 * n - 39; }},
      // A link in the middle by hand: omega 12 9, omega' 18 15, A^T z 9 6, p'' 27 21, p* + r* 0 3, r'' 18 15, F 3 0, N 24 18, f 9 9, n 21 21, tau 3 2. The base
      // at rest saves 6 12, the last link 24 24.
      {"newton-euler-link", torque, {}, 1, [](long n) { return 144 * n - 30; }, [](long n) { return 119 * n - 36; }},
      {"uicker-kahn",
       torque,
       {},
       1,
       [](long n) { return (195 * n * n * n * n + 712 * n * n * n + 1221 * n * n + 320 * n) / 6 - 128; },
       [](long n) { return (75 * n * n * n * n + 274 * n * n * n + 465 * n * n + 122 * n) / 3 - 96; }},
      {"waters", torque, {}, 1, [](long n) { return (213 * n * n + 1241 * n) / 2 - 529; }, [](long n) { return 82 * n * n + 481 * n - 432; }},
      {"hollerbach-4x4", torque, {}, 1, [](long n) { return 810 * n - 609; }, [](long n) { return 643 * n - 512; }},
      {"hollerbach-3x3", torque, {}, 1, [](long n) { return 410 * n - 274; }, [](long n) { return 317 * n - 225; }},
      {"hollerbach-3x3", torque, kAsPrinted, 1, [](long n) { return 398 * n - 271; }, [](long n) { return 302 * n - 222; }},
      {"raibert", torque, {}, 1, [](long n) { return n * n; }, [](long n) { return n * n; }},
      {"albus", torque, {}, 1, [](long) { return 0L; }, [](long) { return 0L; }},
      {"horn-raibert", torque, {}, 1, [](long n) { return 2 * n * n * n + n * n; }, [](long n) { return n * n * n + n * n; }},
      {"renaud", mass, {}, 2, [](long n) { return (27 * n * n + 45 * n) / 2 - 68; }, [](long n) { return 9 * n * n + 26 * n - 64; }},
      {"lin", mass, {}, 2, [](long n) { return (21 * n * n + 77 * n) / 2 - 85; }, [](long n) { return 6 * n * n + 39 * n - 70; }},
      {"lin", bias, kMassAndBias, 2, [](long n) { return 23 * n * n + 44 * n - 82 - 3; }, [](long n) { return 15 * n * n + 40 * n - 70 - 2; }},
      // What the article prints: with the line for zeta that is missing in our transcription carried out term by term.
      {"lin", bias, kZetaTermByTerm, 2, [](long n) { return 23 * n * n + 44 * n - 82; }, [](long n) { return 15 * n * n + 40 * n - 70; }},
      {"lin", bias, kBeyondMass, 2, [](long n) { return (25 * n * n + 11 * n) / 2; }, [](long n) { return 9 * n * n + n - 2; }},
      {"lin", mass, kRotationEntries, 1, [](long n) { return 4 * n; }, [](long) { return 0L; }},
  };
  for (long n = 1; n <= 8; ++n) {
    const Prepared arm = table_arm(n);
    for (const Expected& e : all) {
      if (n < e.from || !formulation_named(e.id).why_not(arm).empty()) continue;  // a table may be too large
      SCOPED_TRACE(testing::Message() << e.id << " " << e.part << ", n = " << n);
      const AsWritten counts = counted(e.id, e.quantity, arm);
      const CountedPart* part = counts.find(e.part);
      ASSERT_EQ(part == nullptr, e.part.empty());
      const OperationCounts& c = part == nullptr ? counts.total : part->counts;
      EXPECT_EQ(c.mul, e.mul(n));
      EXPECT_EQ(c.add, e.add(n));
      EXPECT_EQ(c.div, 0);
      EXPECT_EQ(counts.total.sincos, formulation_named(e.id).valid_at == ValidAt::table_nodes ? 0 : n);
    }
  }
}

// Every formulation and quantity, on a plain arm: what is in the total and what is not adds up to what the evaluator does.
TEST(AsWritten, PartsAddUpToTheEvaluatorsRun) {
  const Prepared stanford(load("stanford"));
  Prepared general(load("general-RRPRPR"));
  general.accept_interpolation = true;  // looking numbers up costs nothing, between nodes or at them
  for (const Formulation& row : formulations())
    for (const Quantity quantity : row.quantities) {
      SCOPED_TRACE(testing::Message() << row.id << " " << result_name(quantity));
      const Prepared& arm = row.id == "kane-stanford" ? stanford : general;
      if (row.id == "albus") continue;  // too large for six joints; it has no operations
      const AsWritten counts = count_as_written(row, quantity, arm);
      OperationCounts all = counts.total;
      for (const CountedPart& part : counts.parts) {
        const auto outside = {kBeyondMass,     kMassAndBias,   kAsPrinted,      kInEndEffector, kFromLastFrame,
                              kFromLastCentre, kSavedByFrames, kZetaTermByTerm, kLinkByLink,    kStanfordUnfolded};
        if (part.in_total || std::find(outside.begin(), outside.end(), part.label) != outside.end()) continue;
        all.mul += part.counts.mul;
        all.add += part.counts.add;
        all.div += part.counts.div;
      }
      const auto evaluator = row.make_counted(arm);
      std::vector<Counted> x, out(row_of(quantity).size({6, 6, 6}));
      for (int k = 0; k < 6; ++k) x.push_back(Counted::variable(0.1 + 0.05 * k));
      operation_counts() = {};
      evaluator->compute(quantity, {x.data(), x.data(), x.data()}, out.data());
      const OperationCounts run = operation_counts();
      EXPECT_EQ(all, run) << all.mul << "/" << all.add << "/" << all.div << "/" << all.sincos << " and " << run.mul << "/" << run.add << "/" << run.div << "/"
                          << run.sincos;
    }
}

TEST(AsWritten, TotalsHoldThePartsThatAreInThem) {
  const AsWritten torque = count_stanford_torque(general_stanford_arm());
  OperationCounts sum{};
  for (const CountedPart& part : torque.parts)
    if (part.in_total) sum.mul += part.counts.mul, sum.add += part.counts.add, sum.div += part.counts.div;
  EXPECT_EQ(sum.mul, torque.total.mul);
  EXPECT_EQ(sum.add, torque.total.add);
  EXPECT_EQ(sum.div, torque.total.div);
  // Found by an independent counter: 638 and 400, and 7 and 3 for u.
  EXPECT_EQ(torque.total.mul + torque.total.div, 638);
  EXPECT_EQ(torque.total.add, 400);
  const auto pair = [&](std::string_view label) {
    const OperationCounts& c = torque.find(label)->counts;
    return std::pair(c.mul + c.div, c.add);
  };
  EXPECT_EQ(pair(kStanfordZ), std::pair(482L, 264L));
  EXPECT_EQ(pair(kStanfordX), std::pair(121L, 99L));
  EXPECT_EQ(pair(kStanfordForces), std::pair(35L, 37L));
  EXPECT_EQ(pair(kStanfordSpeeds), std::pair(7L, 3L));
  EXPECT_EQ(pair(kStanfordUnfolded), std::pair(650L, 433L));  // by the same independent counter
  EXPECT_FALSE(torque.find(kStanfordSpeeds)->in_total);
  EXPECT_EQ(torque.find("no such part"), nullptr);
}

// Lin counts the inertia matrix alone without the entries of the rotations, and the bias with them; theta + q never.
TEST(AsWritten, RotationEntriesBelongToLinsBiasOnly) {
  const Prepared arm(load("general-RRPRR"));
  for (const std::string_view id : {"lin", "renaud", "fijany-bejczy", "walker-orin"})
    EXPECT_FALSE(counted(id, Quantity::mass, arm).find(kRotationEntries)->in_total) << id;
  const AsWritten bias = counted("lin", Quantity::bias, arm);
  EXPECT_TRUE(bias.find(kRotationEntries)->in_total);
  EXPECT_FALSE(bias.find(kJointOffsets)->in_total);
  // H and b together are b alone and the products of H that b does not share: never less, and beyond H never more than b alone.
  EXPECT_GT(bias.find(kMassAndBias)->counts.mul, bias.total.mul);
  EXPECT_LT(bias.find(kBeyondMass)->counts.mul, bias.total.mul);
}

TEST(AsWritten, LeavesTheCallersCounterAlone) {
  operation_counts() = {1, 2, 3, 4};
  counted("lin", Quantity::bias, general_arm(3));
  EXPECT_EQ(operation_counts(), (OperationCounts{1, 2, 3, 4}));
  EXPECT_THROW(counted("lin", Quantity::inverse, general_arm(3)), std::invalid_argument);
  EXPECT_EQ(operation_counts(), (OperationCounts{1, 2, 3, 4}));
  operation_counts() = {};
}

TEST(AsWritten, SaysWhyNot) {
  const auto message = [](std::string_view id, Quantity quantity, const Prepared& arm) -> std::string {
    try {
      counted(id, quantity, arm);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("lin", Quantity::inverse, general_arm(2)).find("it gives mass, bias, gravity, coriolis, not torque"), std::string::npos);
  EXPECT_NE(message("kane-stanford", Quantity::inverse, general_arm(2)).find("not the Stanford arm"), std::string::npos);
}

// The printed 3x3 form has revolute joints only, so there is no count of it for an arm that slides.
TEST(AsWritten, PrintedThreeByThreeHasNoSlidingJoints) {
  EXPECT_EQ(counted("hollerbach-3x3", Quantity::inverse, Prepared(load("general-RPR"))).find(kAsPrinted), nullptr);
  EXPECT_NE(counted("hollerbach-3x3", Quantity::inverse, general_arm(3)).find(kAsPrinted), nullptr);
}

// Nothing that a formulation counts is in no row of its table, and nothing is in two.
TEST(CountedRows, AddUpToTheFormulations) {
  for (std::size_t n = 1; n <= 8; ++n) {
    const Prepared arm = table_arm(n);
    for (const std::string_view id : {"lagrange", "newton-euler", "modified-newton-euler"}) {
      OperationCounts sum;
      for (const CountedRow& row : counted_rows(*find_formulation(id), Quantity::inverse, arm)) sum.mul += row.counts.mul, sum.add += row.counts.add;
      const OperationCounts total = counted(id, Quantity::inverse, arm).total;
      EXPECT_EQ(sum.mul, total.mul) << id << ", n = " << n;
      EXPECT_EQ(sum.add, total.add) << id << ", n = " << n;
    }
  }
  EXPECT_TRUE(counted_rows(*find_formulation("kane"), Quantity::inverse, table_arm(2)).empty());
  EXPECT_EQ(row_record().rows, nullptr);
}

// One link of the modified equations by hand, each vector equation on a unit of its own, multiplications and additions of a component in the order of the text.
TEST(CountedRows, AUnitWaitsForItsOperands) {
  std::vector<CountedRow> rows;
  row_record() = {&rows};
  const auto x = [] { return Counted::variable(0.3); };
  const Counted p = in_row<Counted>("p", [&] { return x() * x() + x() * x(); });  // 3 steps: two products, a sum
  const Counted r = in_row<Counted>("r", [&] { return x() * x(); });              // 1 step, at once
  const Counted s = in_row<Counted>("s", [&] { return p + r; });                  // waits for p: ends with step 4
  in_row<Counted>("p", [&] { return s * x(); });                                  // the unit of p waits for s: ends with step 5
  row_record() = {};
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].counts.mul, 3);
  EXPECT_EQ(rows[0].counts.add, 1);
  EXPECT_EQ(rows[1].free.steps, 1);
  EXPECT_EQ(rows[2].free.steps, 4);
  const Arrival last = last_arrival(rows);
  EXPECT_EQ(last.steps, 5);
  EXPECT_EQ(last.mul, 3);  // two of p before s, one after
  EXPECT_EQ(last.add, 2);
}

/// Multiplications and additions of the rows on the way out (else of those on the way back) of one call with an arm of n joints.
template <class Call>
std::pair<long, long> one_way(std::size_t n, bool outward, const Call& call) {
  std::vector<CountedRow> rows;
  row_record() = {&rows};
  const Prepared prepared = table_arm(n);
  turney::Strobing<double, Counted> arm(*prepared.forms().dh);
  std::vector<Counted> q, out(n * n * n);
  for (std::size_t i = 0; i < n; ++i) q.push_back(Counted::variable(0.3 + 0.1 * static_cast<double>(i)));
  call(arm, q.data(), out.data());
  row_record() = {};
  const std::set<std::string_view> out_rows{"omega", "alpha", "A", "a", "m abar", "Tr A K sigma"};
  std::pair<long, long> sum{0, 0};
  for (const CountedRow& row : rows)
    if (out_rows.contains(row.name) == outward) sum.first += row.counts.mul, sum.second += row.counts.add;
  return sum;
}
/// The order-th difference of a sequence: what is left of a polynomial of that degree, its leading coefficient times order!.
std::vector<long> differences(std::vector<long> x, int order) {
  for (; order > 0; --order) {
    for (std::size_t k = 0; k + 1 < x.size(); ++k) x[k] = x[k + 1] - x[k];
    x.pop_back();
  }
  return x;
}

// The cost forms of sec. 6, with k and d of a link in the middle by hand: R v is 9 and 6, and zeros of a link that does not turn, or that nothing moves, cost
// nothing.
TEST(Strobing, CostsWhatTruncatedRecursionsCost) {
  struct Form {
    bool matrix, outward;
    int order;      // of n
    long mul, add;  // the leading coefficient times order!
  };
  // M: unit acceleration, no speed. Outward alpha 9 6, a 15 12, m abar 9 6, Tr 6 3; inward R f 9 9, R n 9 6, two cross products 12 6, sums 9, tau 2 1. n (n +
  // 1) / 2 links each way. C: outward 51 36 for a link between the two joints, (n³ - n) / 6 in all, and 60 48 behind both, n (n + 1) (n + 2) / 6; inward 32 31
  // for links that move, n (n + 1) (2n + 1) / 6, and 26 19 for those that only carry, (n³ - n) / 6.
  for (const Form& form : {Form{true, true, 2, 9 + 15 + 9 + 6, 6 + 12 + 6 + 3}, Form{true, false, 2, 9 + 9 + 12 + 2, 9 + 6 + 6 + 9 + 1},
                           Form{false, true, 3, 51 + 60, 36 + 48}, Form{false, false, 3, 2 * 32 + 26, 2 * 31 + 19}}) {
    std::vector<long> mul, add;
    for (std::size_t n = 3; n <= 8; ++n) {
      const auto [m, a] =
          one_way(n, form.outward, [&](auto& arm, const Counted* q, Counted* out) { form.matrix ? arm.mass(q, out) : arm.coriolis_coefficients(q, out); });
      mul.push_back(m);
      add.push_back(a);
    }
    for (const long x : differences(mul, form.order)) EXPECT_EQ(x, form.mul) << form.matrix << form.outward;
    for (const long x : differences(add, form.order)) EXPECT_EQ(x, form.add) << form.matrix << form.outward;
  }
}

}  // namespace
}  // namespace ulna::test
