// Every count on the pages of docs/formulations: those of our code are what the program counts, those of a paper what its table prints.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>

#include <ulna/formulation/formulation.hpp>
#include <ulna/formulation/speeds.hpp>
#include <ulna/source/load.hpp>

#include "count/polynomial.hpp"
#include "count/published.hpp"
#include "count/table_arms.hpp"
#include "formulation/as_variable.hpp"
#include "formulation/frames.hpp"
#include "formulation/stanford_count.hpp"
#include "support/random_model.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using internal::cat;
using internal::find_published;
using internal::general_arm;
using internal::Polynomial;
using internal::Rational;
using internal::table_arm;

std::string page(const std::string& id) {
  std::ifstream in(std::filesystem::path(ULNA_DOCS_DIR) / "formulations" / (id + ".md"));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// In ASCII: "13½n² − 4" is "13 1/2n^2 - 4".
std::string plain(std::string text) {
  const std::pair<std::string, std::string> letters[] = {{"−", "-"},    {"²", "^2"},   {"³", "^3"},   {"⁴", "^4"},
                                                         {"½", " 1/2"}, {"⅓", " 1/3"}, {"⅔", " 2/3"}, {"¼", " 1/4"}};
  for (const auto& [from, to] : letters)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

const std::string kTerm = R"((?:(?:\d+/\d+|\d+(?:\.\d+)?(?: \d+/\d+)?) ?)?[nN](?:\^\d)?|\d+(?:\.\d+)?)";

/// Sums of two terms or more that hold n, as they stand on a page.
std::vector<std::string> sums(const std::string& text) {
  const std::regex sum(cat("(?:", kTerm, ")(?: [+-] (?:", kTerm, "))+(?![\\w(^])"));
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), sum), end; it != end; ++it) {
    const std::size_t at = static_cast<std::size_t>(it->position());
    const char before = at == 0 ? ' ' : text[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) || before == '^' || before == '.' || before == '_') continue;
    const std::string found = it->str();
    if (found.find_first_of("nN") != std::string::npos) out.push_back(found);
  }
  return out;
}

/// "13 1/2n^2 - 4n" as a polynomial.
Polynomial polynomial_of(const std::string& text) {
  std::vector<Rational> coefficients(5, Rational(0));
  const std::regex term(R"(([+-]? ?)(\d+(?:\.\d+)?(?![\d/]))?( ?\d+/\d+)? ?([nN](?:\^(\d))?)?)");
  for (std::sregex_iterator it(text.begin(), text.end(), term), end; it != end; ++it) {
    const std::smatch& m = *it;
    if (!m[2].matched && !m[3].matched && !m[4].matched) continue;
    Rational value(m[2].matched || m[3].matched ? 0 : 1);
    if (m[2].matched) {
      const std::string number = m[2].str();
      const std::size_t point = number.find('.');
      std::int64_t scale = 1;
      for (std::size_t k = point; point != std::string::npos && k + 1 < number.size(); ++k) scale *= 10;
      std::string digits = number;
      if (point != std::string::npos) digits.erase(point, 1);
      value = Rational(std::stoll(digits), scale);
    }
    if (m[3].matched) {
      const std::string fraction = m[3].str();
      const std::size_t slash = fraction.find('/');
      value = value + Rational(std::stoll(fraction.substr(0, slash)), std::stoll(fraction.substr(slash + 1)));
    }
    if (m[1].str().find('-') != std::string::npos) value = -value;
    const std::size_t power = !m[4].matched ? 0 : m[5].matched ? static_cast<std::size_t>(std::stoi(m[5].str())) : 1;
    coefficients.at(power) = coefficients.at(power) + value;
  }
  return Polynomial(coefficients);
}

using Arm = Prepared (*)(std::size_t);

/// A chain whose frames lie as they like, the first one and gravity included: no number is 0 or 1.
Prepared random_arm(std::size_t n) {
  Random random(3);
  Description arm;
  arm.name = "random";
  arm.gravity = {1.7, -2.3, -9.2};
  arm.links.push_back({.name = "base"});
  for (std::size_t k = 0; k < n; ++k) {
    Link link = random_link({}, random);
    Description::JointEntry entry;
    entry.joint.type = JointType::continuous;
    entry.joint.axis = {0, 0, 1};
    entry.joint.X_PF = {random.rotation(), random.vector(1)};
    append(arm, entry, link, k);
  }
  Diagnostics diagnostics;
  return Prepared(*build(arm, diagnostics));
}

/// An arm in whose table of Denavit and Hartenberg no number is 0 or 1. Only for counting: the other forms in it are another robot's.
Prepared dense_table_arm(std::size_t n) {
  const Prepared arm = general_arm(n);
  internal::Forms forms = arm.forms();
  for (internal::DhRow<double>& row : forms.dh->rows) {
    row.a = 0.31, row.d = 0.27, row.alpha = 0.7;
    row.cos_alpha = std::cos(row.alpha), row.sin_alpha = std::sin(row.alpha);
    row.theta = 0.4, row.cos_theta = std::cos(row.theta), row.sin_theta = std::sin(row.theta);
    row.com = {0.11, 0.12, 0.13};
    row.inertia = {1.1, 1.2, 1.3, 0.21, 0.22, 0.23};
  }
  forms.dh->gravity_0 = {1.7, -2.3, -9.2};
  return Prepared(arm.model, arm.snap, std::move(forms));
}

/// A formula of a page: a pair of ours (multiplications, then additions), a pair of a paper, or a number that is no count.
struct Formula {
  enum class Kind { ours, paper, neither } kind;
  std::string id;     // of the formulation, or of the published table
  std::string entry;  // of that table
  Quantity quantity = Quantity::inverse;
  std::string_view part = {};  // of the count; empty for the total
  long from = 1;               // first n it holds for
  Arm arm = table_arm;
  bool divisions = false;           // counted as multiplications
  long less_mul = 0, less_add = 0;  // what the page says that ours has less than the formula
};

Formula ours(std::string id, Quantity quantity = Quantity::inverse, long from = 1, std::string_view part = {}, Arm arm = table_arm) {
  return {Formula::Kind::ours, std::move(id), {}, quantity, part, from, arm};
}
Formula paper(std::string table, std::string entry) { return {Formula::Kind::paper, std::move(table), std::move(entry)}; }

OperationCounts counted(const Formula& f, std::size_t n) {
  const AsWritten counts = count_as_written(*find_formulation(f.id), f.quantity, f.arm(n));
  return f.part.empty() ? counts.total : counts.find(f.part)->counts;
}

/// In the order of each page. A formula that is new, gone or changed on a page is found by the comparison of the whole list.
const std::map<std::string, std::vector<std::pair<std::vector<std::string>, Formula>>>& formulas() {
  const Quantity mass = Quantity::mass, bias = Quantity::bias, torque = Quantity::inverse;
  const Formula aside{Formula::Kind::neither, {}, {}};
  Formula nasser = ours("nasser", Quantity::forward, 3);
  nasser.divisions = true;
  Formula both = ours("lin", bias, 2, kMassAndBias);
  both.less_mul = 3, both.less_add = 2;
  static const std::map<std::string, std::vector<std::pair<std::vector<std::string>, Formula>>> all{
      {"fijany-bejczy",
       {{{"4.5n^2 + 93.5n - 210", "4n^2 + 67n - 147"}, ours("fijany-bejczy", mass, 4)},
        {{"4.5n^2 + 115.5n - 175", "4n^2 + 88n - 134"}, paper("lin-1", "Fijany and Bejczy")},
        {{"4.5n^2 + 95.5n - 195", "4n^2 + 68n - 138"}, ours("fijany-bejczy", mass, 4, kInEndEffector)}}},
      {"hollerbach-3x3",
       {{{"410n - 274", "317n - 225"}, ours("hollerbach-3x3")},
        {{"398n - 271", "302n - 222"}, ours("hollerbach-3x3", torque, 1, kAsPrinted)},
        {{"412n - 277", "320n - 201"}, paper("hollerbach-1", "Hollerbach (3x3)")}}},
      {"hollerbach-4x4", {{{"810n - 609", "643n - 512"}, ours("hollerbach-4x4")}, {{"830n - 592", "675n - 464"}, paper("hollerbach-1", "Hollerbach (4x4)")}}},
      {"horn-raibert",
       {{{"n + n^2 + n^3"}, aside},  // numbers of a node
        {{"n + n^2 + n^3"}, aside},
        {{"2n^3 + n^2", "n^3 + n^2"}, ours("horn-raibert")},
        {{"2 n^3 + n^2", "n^3 + n^2"}, ours("horn-raibert")},
        {{"n^3 + n^2 + 2 n"}, paper("hollerbach-1", "Horn, Raibert")}}},
      {"kane",
       {{{"20n^2 + 70n - 109", "16n^2 + 47n - 95"}, ours("kane", torque, 3, {}, general_arm)},
        {{"17n^2 + 71n - 115", "13n^2 + 47n - 99"}, ours("kane", bias, 3, {}, general_arm)},
        {{"n^3 + 22.5n^2 - 33.5n + 14", "n^3 + 15n^2 - 26n + 12"}, ours("kane", mass, 3, {}, general_arm)}}},
      {"lagrange",
       {{{"13.5 n^3 + 90.5 n^2 + 13 n", "32/3 n^3 + 74 n^2 - 8/3 n"}, ours("lagrange")},
        {{"13.5 n^3 + 82.5 n^2 + 5 n", "40/3 n^3 + 58 n^2 - 64/3 n"}, paper("turney-1", "Lagrange")}}},
      {"lin", {{{"10.5n^2 + 38.5n - 85", "6n^2 + 39n - 70"}, ours("lin", mass, 2)}, {{"23n^2 + 44n - 82", "15n^2 + 40n - 70"}, both}}},
      {"modified-newton-euler",
       {{{"94 n - 42", "83 n - 39"}, ours("modified-newton-euler")},
        {{"90 n - 27", "88 n - 24"}, paper("turney-1", "Modified Newton-Euler")},
        {{"9 n - 6"}, aside}}},  // of one row
      {"nasser",
       {{{"N - 1"}, aside},  // a number of bodies
        {{"258N - 119", "191N - 83"}, paper("nasser", "Nasser")},
        {{"331n - 378", "261n - 328"}, nasser},
        {{"258n - 349", "205n - 307"}, aside}}},  // of one convention of many: NasserCount.NoConventionGivesThePrintedOne counts it
      {"newton-euler-base", {{{"183n - 100", "141n - 98"}, ours("newton-euler-base", torque, 2, {}, dense_table_arm)}}},
      {"newton-euler-link", {{{"144n - 30", "119n - 36"}, ours("newton-euler-link")}, {{"150n - 48", "131n - 48"}, paper("hollerbach-1", "Newton-Euler")}}},
      {"newton-euler",
       {{{"112 n - 24", "98 n - 24"}, ours("newton-euler")}, {{"108 n - 12", "100 n - 9"}, paper("turney-1", "Newton-Euler")}, {{"12 n - 6"}, aside}}},
      {"renaud", {{{"13.5n^2 + 22.5n - 68", "9n^2 + 26n - 64"}, ours("renaud", mass, 2)}}},
      {"uicker-kahn",
       {{{"32 1/2n^4 + 118 2/3n^3 + 203 1/2n^2 + 53 1/3n - 128", "25n^4 + 91 1/3n^3 + 155n^2 + 40 2/3n - 96"}, ours("uicker-kahn")},
        {{"32 1/2n^4 + 86 5/12 n^3 + 171 1/4n^2 + 53 1/3n - 128", "25n^4 + 66 1/3n^3 + 129 1/2n^2 + 42 1/3n - 96"}, paper("hollerbach-1", "Uicker/Kahn")}}},
      {"walker-orin",
       {{{"12n^2 + 68n - 72", "9n^2 + 64n - 69"}, ours("walker-orin", mass, 2, {}, random_arm)},
        {{"11n^2 + 65n - 68", "8n^2 + 61n - 65"}, ours("walker-orin", mass, 2)},
        {{"11n^2 + 53n - 74", "8n^2 + 52n - 62"}, paper("lin-1", "Walker and Orin")}}},
      {"waters",
       {{{"106 1/2n^2 + 620 1/2n - 529", "82n^2 + 481n - 432"}, ours("waters")},
        {{"106 1/2n^2 + 620 1/4n - 512"}, aside},  // as printed: the page says that 1/4 is a misprint
        {{"82n^2 + 514n - 384"}, paper("hollerbach-1", "Waters")}}},
  };
  return all;
}

TEST(FormulaPages, EveryFormulaIsListedInTheTest) {
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(ULNA_DOCS_DIR) / "formulations")) {
    const std::string id = entry.path().stem().string();
    if (entry.path().extension() != ".md") continue;
    std::vector<std::string> listed;
    if (const auto found = formulas().find(id); found != formulas().end())
      for (const auto& [texts, formula] : found->second) listed.insert(listed.end(), texts.begin(), texts.end());
    EXPECT_EQ(sums(plain(page(id))), listed) << id << ".md: a formula is new, gone or changed; list it with what it counts";
  }
}

TEST(FormulaPages, OursAreWhatTheProgramCounts) {
  for (const auto& [id, list] : formulas())
    for (const auto& [texts, f] : list) {
      if (f.kind != Formula::Kind::ours) continue;
      ASSERT_EQ(texts.size(), 2u);
      const Polynomial mul = polynomial_of(texts[0]), add = polynomial_of(texts[1]);
      for (long n = f.from; n <= 8; ++n) {
        if (!formulation_named(f.id).why_not(f.arm(static_cast<std::size_t>(n))).empty()) continue;  // a table may be too large
        SCOPED_TRACE(cat(id, ".md: ", texts[0], "; ", texts[1], ", n = ", n));
        const OperationCounts c = counted(f, static_cast<std::size_t>(n));
        EXPECT_EQ(Rational(c.mul + (f.divisions ? c.div : 0) + f.less_mul).text(), mul(n).text());
        EXPECT_EQ(Rational(c.add + f.less_add).text(), add(n).text());
      }
    }
}

TEST(FormulaPages, PapersAreWhatTheirTablesPrint) {
  for (const auto& [id, list] : formulas())
    for (const auto& [texts, f] : list) {
      if (f.kind != Formula::Kind::paper) continue;
      SCOPED_TRACE(cat(id, ".md: ", texts[0]));
      const internal::PublishedEntry* entry = find_published(f.id)->find(f.entry);
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(polynomial_of(texts.back()).text(), entry->add.polynomial.text());
      if (texts.size() == 1) continue;
      EXPECT_EQ(polynomial_of(texts[0]).text(), entry->mul.polynomial.text());
    }
}

// Numbers at six joints, and of whole robots.
TEST(FormulaPages, NumbersAreWhatTheProgramCounts) {
  const auto six = [](const Formula& f) {
    const OperationCounts c = counted(f, 6);
    return std::pair(c.mul + (f.divisions ? c.div : 0), c.add);
  };
  const auto stands = [](const std::string& id, const std::string& text) { EXPECT_NE(page(id).find(text), std::string::npos) << id << ".md: " << text; };
  for (const std::string id : {"uicker-kahn", "waters", "hollerbach-4x4", "hollerbach-3x3"}) {
    const auto [mul, add] = six(ours(id));
    stands(id, cat("| ", mul, " ; ", add, " |"));
  }
  const auto [base_mul, base_add] = six(ours("newton-euler-base", Quantity::inverse, 2, {}, dense_table_arm));
  stands("newton-euler-base", cat(base_mul, " and ", base_add, " for n = 6"));
  Formula nasser = ours("nasser", Quantity::forward, 3);
  nasser.divisions = true;
  const auto [nasser_mul, nasser_add] = six(nasser);
  stands("nasser", cat("For six joints: ", nasser_mul, " and ", nasser_add));
  std::string of_mass[2] = {"| multiplications |", "| additions |"};
  for (std::size_t n = 2; n <= 8; ++n) {
    const OperationCounts c = counted(ours("fijany-bejczy", Quantity::mass), n);
    of_mass[0] += cat(" ", c.mul, " |"), of_mass[1] += cat(" ", c.add, " |");
  }
  for (const std::string& row : of_mass) stands("fijany-bejczy", row);
  Prepared arm(load("stanford"));
  const OperationCounts stanford = count_as_written(*find_formulation("kane"), Quantity::inverse, arm).total;
  stands("kane", cat("the torque takes ", stanford.mul, " multiplications and ", stanford.add, " additions"));
  arm.speeds = std::make_shared<const Speeds>(choose_speeds(arm.model, "kane-stanford"));
  const OperationCounts in_speeds = count_as_written(*find_formulation("kane"), Quantity::inverse, arm).total;
  stands("kane", cat("with the paper's speeds ", in_speeds.mul + in_speeds.div, " and ", in_speeds.add));
  const AsWritten written_out = internal::count_stanford_torque(internal::general_stanford_arm());
  const OperationCounts &folded = written_out.total, &unfolded = written_out.find(kStanfordUnfolded)->counts;
  stands("kane-stanford", cat("We count ", folded.mul + folded.div, " and ", folded.add, " for"));
  stands("kane-stanford", cat("with those between parameters ", unfolded.mul + unfolded.div, " and ", unfolded.add));
}

TEST(FormulaPages, TheReaderOfFormulas) {
  EXPECT_EQ(polynomial_of("86 5/12 n^3 - 1/4n^2 + n - 2.5").text(), Polynomial({Rational(-5, 2), Rational(1), Rational(-1, 4), Rational(1037, 12)}).text());
  EXPECT_EQ(polynomial_of("40/3 n^3 + 12"), Polynomial({Rational(12), Rational(0), Rational(0), Rational(40, 3)}));
  EXPECT_EQ(sums("O(n^2); for n >= 3: 3n - 2 and n^2 + 1, not 9(n-1), k^n + n k, 3 n + 9(n-1)"), (std::vector<std::string>{"3n - 2", "n^2 + 1"}));
}

}  // namespace
}  // namespace ulna::test
