// Where an implementation of a formulation departs from its paper: one of the Newton-Euler recursion is written here, by Turney, Mudge & Lee's equations 3.15
// to 3.21, and makes one mistake at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <Eigen/Geometry>

#include <ulna/explain/explain.hpp>
#include <ulna/source/load.hpp>

#include "formulation/frames.hpp"
#include "support/cases.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

using Three = Eigen::Vector3d;
using Turn = Eigen::Matrix3d;

enum class Mistake {
  none,
  minus_force,       // f = F - R f
  force_not_turned,  // f = F + f
  force_forgotten,   // f = F
  moment_forgotten,  // n without r x R f
  transposed,        // R is R^T
  no_gravity,
  gravity_down,  // a_0 = g
  omega_before,  // omega in frame i-1
  half_force,    // F = m abar / 2
  no_coriolis,   // alpha without omega x z q'
  as_printed,    // eq. 3.16 of the text: q' for q''
  degrees        // angles taken as degrees
};

/// What a student would write.
std::vector<GivenLine> own_newton_euler(const Model& model, const State& s, Mistake mistake) {
  const Prepared prepared(model);
  const auto& chain = *prepared.forms().dh;
  const std::size_t n = chain.size();
  const auto vector = [](const Vec3<double>& v) { return Three(v.x, v.y, v.z); };
  std::vector<Turn> R(n + 1, Turn::Identity());
  std::vector<Three> omega(n + 1, Three::Zero()), alpha(omega), a(omega), F(omega), f(n + 2, Three::Zero()), moment(f), r(omega);
  a[0] = vector(chain.gravity_0) * (mistake == Mistake::no_gravity ? 0 : mistake == Mistake::gravity_down ? 1 : -1);
  std::vector<GivenLine> lines;
  const auto give = [&](const char* symbol, std::size_t link, const Eigen::MatrixXd& x) {
    GivenLine line{symbol, std::to_string(link), {}, static_cast<int>(lines.size()) + 2};
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j) line.value.push_back(x(i, j));
    lines.push_back(std::move(line));
  };
  for (std::size_t i = 1; i <= n; ++i) {
    const auto& row = chain.rows[i - 1];
    const double theta = row.theta + (mistake == Mistake::degrees ? s.q[i - 1] * std::acos(-1.0) / 180 : s.q[i - 1]), v = s.v[i - 1], acceleration = s.a[i - 1];
    R[i] = Eigen::AngleAxisd(theta, Three::UnitZ()) * Eigen::AngleAxisd(row.alpha, Three::UnitX());
    if (mistake == Mistake::transposed) R[i].transposeInPlace();
    const Turn back = R[i].transpose();
    const Three z = Three::UnitZ();
    r[i] = back * Three(row.a * std::cos(theta), row.a * std::sin(theta), row.d);
    omega[i] = back * (omega[i - 1] + v * z);
    if (mistake == Mistake::omega_before) omega[i] = omega[i - 1] + v * z;
    const Three spun = omega[i - 1].cross(z) * v;
    alpha[i] = back * (alpha[i - 1] + (mistake == Mistake::no_coriolis ? Three::Zero() : spun) + (mistake == Mistake::as_printed ? v : acceleration) * z);
    a[i] = omega[i].cross(omega[i].cross(r[i])) + alpha[i].cross(r[i]) + back * a[i - 1];
    const Three c = vector(row.com);
    F[i] = row.mass * (omega[i].cross(omega[i].cross(c)) + alpha[i].cross(c) + a[i]) * (mistake == Mistake::half_force ? 0.5 : 1);
    give("R", i, R[i]), give("omega", i, omega[i]), give("alpha", i, alpha[i]), give("a", i, a[i]), give("F", i, F[i]);
  }
  for (std::size_t i = n; i >= 1; --i) {
    const auto& row = chain.rows[i - 1];
    Turn I;
    I << row.inertia.xx, row.inertia.xy, row.inertia.xz, row.inertia.xy, row.inertia.yy, row.inertia.yz, row.inertia.xz, row.inertia.yz, row.inertia.zz;
    const Turn next = i == n ? Turn(Turn::Identity()) : R[i + 1];
    const Three Rf = next * f[i + 1];
    f[i] = F[i] + (mistake == Mistake::minus_force        ? Three(-Rf)
                   : mistake == Mistake::force_not_turned ? f[i + 1]
                   : mistake == Mistake::force_forgotten  ? Three::Zero()
                                                          : Rf);
    moment[i] = I * alpha[i] + omega[i].cross(I * omega[i]) + (vector(row.com) + r[i]).cross(F[i]) + next * moment[i + 1];
    if (mistake != Mistake::moment_forgotten) moment[i] += r[i].cross(Rf);
    give("f", i, f[i]), give("n", i, moment[i]);
    give("tau", i, Eigen::MatrixXd::Constant(1, 1, moment[i].dot(R[i].transpose() * Three::UnitZ())));
  }
  return lines;
}

struct Arm {
  Arm() : model(load("general-RRRR")), prepared(model) {
    Random random(12);
    s = random_state(model, random);
  }
  InputsOf<double> in() const { return {s.q.data(), s.v.data(), s.a.data()}; }
  LineExplanation explain(const std::vector<GivenLine>& given, double tolerance = 1e-9) const {
    Diagnostics diagnostics("own.csv");
    const std::optional<LineExplanation> found =
        explain_lines(*find_formulation("newton-euler"), Quantity::inverse, prepared, in(), given, diagnostics, tolerance);
    if (!found) throw std::runtime_error(to_string(diagnostics.all().at(0)));
    return *found;
  }
  Model model;
  Prepared prepared;
  State s;
};

TEST(ExplainLines, TheFirstThatDiffersAndWhy) {
  const Arm arm;
  const LineExplanation right = arm.explain(own_newton_euler(arm.model, arm.s, Mistake::none));
  EXPECT_TRUE(right.agree());
  EXPECT_TRUE(std::all_of(right.lines.begin(), right.lines.end(), [](const ComparedLine& line) { return !line.given.empty() && line.difference < 1e-12; }));

  struct Case {
    Mistake mistake;
    const char *first, *equation, *hint;
  };
  for (const Case& c : {Case{Mistake::minus_force, "f3", "3.19", "the term f4 (in other axes) has the wrong sign"},
                        {Mistake::force_not_turned, "f3", "3.19", "f4 is added without its rotation"},
                        {Mistake::force_forgotten, "f3", "3.19", "the term f4 (in other axes) is left out"},
                        {Mistake::moment_forgotten, "n3", "3.20, 3.21", ""},
                        {Mistake::transposed, "R1", "1.10", "the matrix is transposed"},
                        {Mistake::no_gravity, "a1", "3.17", "it is the right value without gravity"},
                        {Mistake::gravity_down, "a1", "3.17", "gravity the other way"},
                        {Mistake::omega_before, "omega1", "3.15", "other axes: taken from frame 1 to frame 0"},
                        {Mistake::half_force, "F1", "3.18", "half the right value"},
                        {Mistake::no_coriolis, "alpha2", "3.16, corrected", "the right value at rest"},
                        {Mistake::as_printed, "alpha1", "3.16, corrected", "the value of omega1"},
                        {Mistake::degrees, "R1", "1.10", "q converted from degrees"}}) {
    SCOPED_TRACE(c.first + std::string(" ") + c.hint);
    const LineExplanation found = arm.explain(own_newton_euler(arm.model, arm.s, c.mistake));
    ASSERT_FALSE(found.agree());
    const ComparedLine& line = found.lines[found.first];
    EXPECT_EQ(line.name, c.first);
    EXPECT_EQ(line.right.equation, c.equation);
    // All that it is computed from agrees, or it would not be the first.
    EXPECT_FALSE(line.inputs.empty());
    for (const std::string& input : line.inputs)
      for (const ComparedLine& other : found.lines)
        if (other.name == input) {
          EXPECT_TRUE(other.agrees) << input;
        }
    const bool named = std::any_of(found.hints.begin(), found.hints.end(), [&](const std::string& hint) { return hint.find(c.hint) != std::string::npos; });
    EXPECT_EQ(*c.hint == 0 ? found.hints.empty() : named, true) << (found.hints.empty() ? "no hint" : found.hints.front());
  }
}

// One line of a list that is right otherwise: any of them is found, and by how much it is off.
TEST(ExplainLines, AnyLine) {
  const Arm arm;
  const std::vector<GivenLine> right = own_newton_euler(arm.model, arm.s, Mistake::none);
  for (std::size_t k = 0; k < right.size(); ++k) {
    std::vector<GivenLine> wrong = right;
    wrong[k].value.back() += 0.25;
    const LineExplanation found = arm.explain(wrong);
    ASSERT_FALSE(found.agree()) << k;
    const ComparedLine& line = found.lines[found.first];
    EXPECT_EQ(line.right.symbol, right[k].symbol);
    EXPECT_EQ(line.right.link, right[k].link);
    double largest = 0;
    for (const ComparedLine& other : found.lines)
      if (other.right.symbol == line.right.symbol)
        for (const double x : other.right.value) largest = std::max(largest, std::fabs(x));
    EXPECT_NEAR(line.difference, 0.25 / largest, 1e-12);
    EXPECT_TRUE(arm.explain(wrong, 0.99 * std::min(1.0, 1.02 * line.difference)).agree() || line.difference > 0.97);
  }
  // A line may be missing, and an entry may be nan: neither differs.
  std::vector<GivenLine> part{right[0], right[7]};
  part[1].value[1] = std::nan("");
  const LineExplanation found = arm.explain(part);
  EXPECT_TRUE(found.agree());
  EXPECT_EQ(std::count_if(found.lines.begin(), found.lines.end(), [](const ComparedLine& line) { return line.given.empty(); }),
            static_cast<std::ptrdiff_t>(found.lines.size()) - 2);
}

TEST(ExplainLines, CsvAndJson) {
  const Arm arm;
  const std::vector<GivenLine> own = own_newton_euler(arm.model, arm.s, Mistake::none);
  for (const int form : {0, 1, 2, 3}) {
    std::ostringstream text;
    text.precision(17);
    text << (form < 2 ? "symbol,link,note,value\n" : form == 2 ? "{\"robot\": \"x\", \"intermediates\": [" : "[");
    for (const GivenLine& line : own) {
      if (form < 2)
        text << (form == 0 ? line.symbol + "," + line.link : line.symbol + line.link + ",") << ",mine,";  // "omega2" may stand alone
      else
        text << (&line == &own[0] ? "" : ", ") << "{\"symbol\": \"" << line.symbol << "\", \"link\": " << line.link << ", \"value\": [";
      for (std::size_t k = 0; k < line.value.size(); ++k) text << (k == 0 ? "" : form == 0 ? (k % 3 == 0 ? "; " : " ") : ",") << line.value[k];
      text << (form < 2 ? "\n" : "]}");
    }
    text << (form == 2 ? "]}" : form == 3 ? "]" : "");
    Diagnostics diagnostics("own");
    const std::optional<std::vector<GivenLine>> read = read_lines(text.str(), diagnostics);
    ASSERT_TRUE(read) << form << to_string(diagnostics.all().at(0));
    EXPECT_EQ(read->size(), own.size());
    EXPECT_TRUE(arm.explain(*read).agree()) << form;
  }
}

TEST(ExplainLines, BadListsAreRefused) {
  const Arm arm;
  const auto refused = [&](const std::string& text, int line, const std::string& piece) {
    Diagnostics diagnostics("own.csv");
    const std::optional<std::vector<GivenLine>> read = read_lines(text, diagnostics);
    if (read) {
      EXPECT_FALSE(explain_lines(*find_formulation("newton-euler"), Quantity::inverse, arm.prepared, arm.in(), *read, diagnostics));
    }
    ASSERT_FALSE(diagnostics.all().empty()) << text;
    EXPECT_EQ(diagnostics.all()[0].line, line) << text;
    EXPECT_NE(to_string(diagnostics.all()[0]).find(piece), std::string::npos) << to_string(diagnostics.all()[0]);
  };
  refused("", 0, "header");
  refused("a,b\n1,2\n", 1, "symbol");
  refused("symbol,link,value\n", 0, "no lines");
  refused("symbol,link,value\nomga,2,1 2 3\n", 2, "did you mean 'omega'");
  refused("symbol,link,value\nomega,9,1 2 3\n", 2, "of 1, 2, 3, 4");
  refused("symbol,link,value\nomega,2,1 2\n", 2, "a vector of 3");
  refused("symbol,link,value\n\nR,2,1 2 3\n", 3, "a matrix of 3 x 3");
  refused("symbol,link,value\nomega,2,1 2 x\n", 2, "x");
  refused("symbol,link,value\nomega,2,1 2 3\nomega2,,1 2 3\n", 3, "twice");
  refused("symbol,link,value\n\"omega,2,1 2 3\n", 2, "quotation");
  refused("{\"a\": 1}", 1, "no list");
  refused("[{\"symbol\": \"omega\", \"link\": 2}]", 1, "no value");
  refused("[{\"link\": 2, \"value\": 3}]", 1, "no symbol");
  refused("[{\"symbol\": \"omega\", \"value\": {\"x\": 3}}]", 1, "mapping");
}

// Other shapes: six components, matrices of six, scalars that a paper writes out.
TEST(ExplainLines, OfOtherFormulations) {
  const Arm arm;
  const auto lines_of = [&](const char* id, Quantity what, const Prepared& prepared, const InputsOf<double>& in) {
    std::vector<GivenLine> given;
    for (const Intermediate& line : intermediates(*find_formulation(id), what, prepared, in)) given.push_back({line.symbol, line.link, line.value});
    return given;
  };
  const auto explained = [&](const char* id, Quantity what, const Prepared& prepared, const InputsOf<double>& in, const std::vector<GivenLine>& given) {
    Diagnostics diagnostics("own.csv");
    return *explain_lines(*find_formulation(id), what, prepared, in, given, diagnostics);
  };
  std::vector<GivenLine> given = lines_of("nasser", Quantity::forward, arm.prepared, arm.in());
  const auto B = std::find_if(given.begin(), given.end(), [](const GivenLine& line) { return line.symbol == "B*" && line.link == "2"; });
  std::swap_ranges(B->value.begin(), B->value.begin() + 3, B->value.begin() + 3);
  LineExplanation found = explained("nasser", Quantity::forward, arm.prepared, arm.in(), given);
  EXPECT_EQ(found.lines[found.first].name, "B*2");
  EXPECT_NE(found.hints.at(0).find("halves are exchanged"), std::string::npos);
  // Z20 as the paper prints it, with u4 for u5 (eq. 22), and what follows.
  const Prepared stanford(load("stanford"));
  Random random(3);
  const State s = random_state(stanford.model, random);
  const InputsOf<double> in{s.q.data(), s.v.data(), s.a.data()};
  given = lines_of("kane-stanford", Quantity::inverse, stanford, in);
  const auto Z20 = std::find_if(given.begin(), given.end(), [](const GivenLine& line) { return line.symbol == "Z20"; });
  Z20->value[0] += s.v[4] - s.v[5];
  found = explained("kane-stanford", Quantity::inverse, stanford, in, given);
  EXPECT_EQ(found.lines[found.first].name, "Z20");
  EXPECT_EQ(found.lines[found.first].right.equation, "appendix 1");
  EXPECT_NE(std::find(found.lines[found.first].inputs.begin(), found.lines[found.first].inputs.end(), "u5"), found.lines[found.first].inputs.end());
}

}  // namespace
}  // namespace ulna::test
