// The equations of formulations in their papers' vectors and matrices: what is printed is evaluated and compared with what the formulation computes on numbers.
#include <algorithm>
#include <map>

#include <ulna/emit/equations.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "formulation/evaluator.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

EquationSet by(std::string_view formulation, const Model& model, Quantity what) {
  EquationOptions options;
  options.formulation = formulation;
  return make_equations(model, what, options);
}

/// "W2''" and "u1(3)", as EquationMark::text() has them, made from what a formulation shows.
std::string text_of(const PaperQuantity<Expr>& quantity, std::size_t n) {
  const auto number = [](std::size_t k) { return std::to_string(k); };
  const PaperIndex& at = quantity.index;
  const std::string pair = at.second == 0 ? number(at.first) : number(at.first) + (n < 10 ? "" : "_") + number(at.second);
  const std::string above = quantity.symbol.above;
  const std::string dots(static_cast<std::size_t>(quantity.symbol.dots), '\'');
  if (at.frame != 0) return quantity.symbol.letter + pair + "(" + number(at.frame) + ")" + dots;
  return quantity.symbol.letter + above + pair + dots;
}

std::map<std::string, PaperQuantity<Expr>> shown_by(const Formulation& row, Quantity what, const Model& model, const State& s) {
  const Prepared prepared(model);
  const std::unique_ptr<Evaluator<Expr>> evaluator = row.make_expr(prepared);  // on numbers, which fold as soon as they meet
  const auto numbers = [](const std::vector<double>& x) { return std::vector<Expr>(x.begin(), x.end()); };
  const std::vector<Expr> q = numbers(s.q), v = numbers(s.v), a = numbers(s.a);
  std::vector<Expr> out(row_of(what).size(model.sizes()));
  evaluator->compute(what, {q.data(), v.data(), a.data()}, out.data());
  std::map<std::string, PaperQuantity<Expr>> all;
  evaluator->visit([&](const PaperQuantity<Expr>& quantity) { all.emplace(text_of(quantity, model.nv()), quantity); });
  return all;
}

/// The values of formulas, which take the places of the results as far as these go.
std::vector<double> values_of(EquationSet set, const std::vector<EquationFormula>& formulas, const State& s) {
  std::vector<double> values;
  for (std::size_t from = 0; from < formulas.size(); from += set.results.size()) {
    const std::size_t count = std::min(set.results.size(), formulas.size() - from);
    for (std::size_t k = 0; k < count; ++k) set.results[k].right = formulas[from + k];
    const std::vector<double> out = evaluate(set, s.q, s.v, s.a);
    for (std::size_t k = 0; k < count; ++k) values.push_back(out[k]);
  }
  return values;
}

/// How many vectors and matrices were compared.
int expect_as_computed(const Formulation& row, const Model& model, Quantity what, std::uint64_t seed) {
  SCOPED_TRACE(std::string(row.id) + " of " + model.name());
  Random random(seed);
  const State s = random_state(model, random);
  const EquationSet set = by(row.id, model, what);
  const std::map<std::string, PaperQuantity<Expr>> shown = shown_by(row, what, model, s);
  std::vector<EquationFormula> formulas;
  std::vector<double> wanted;
  double largest = 0;
  for (const EquationQuantity& quantity : set.quantities) {
    const auto computed = shown.find(quantity.mark.text());
    if (computed == shown.end()) {
      ADD_FAILURE() << quantity.mark.text() << " is not the formulation's";
      continue;
    }
    EXPECT_EQ(quantity.rows, computed->second.rows);
    EXPECT_EQ(quantity.entries.size(), computed->second.entries.size());
    for (std::size_t k = 0; k < quantity.entries.size(); ++k) {
      if (!quantity.entries[k].needed) continue;
      for (const EquationFormula* formula : {&quantity.entries[k].formula, &quantity.entries[k].name}) {
        formulas.push_back(*formula);
        wanted.push_back(computed->second.entries[k].number());
        largest = std::max(largest, std::fabs(wanted.back()));
      }
    }
  }
  if (formulas.empty()) return 0;
  const std::vector<double> made = values_of(set, formulas, s);
  for (std::size_t k = 0; k < made.size(); ++k) EXPECT_NEAR(made[k], wanted[k], 1e-11 * largest) << plain_text(formulas[k]);
  return static_cast<int>(set.quantities.size());
}

TEST(PaperEquations, VectorsAndMatricesAreThoseOfTheFormulation) {
  std::map<std::string, int> compared;
  for (const Formulation& row : formulations()) {
    if (row.make_symbolic == nullptr) continue;
    for (const char* robot : {"stanford", "general-RPRR", "general-RRR"})
      for (const Quantity what : {Quantity::inverse, Quantity::bias, Quantity::forward}) {
        const Model model = load(robot);
        if (row.gives(what) && row.why_not(Prepared(model)).empty()) compared[std::string(row.id)] += expect_as_computed(row, model, what, 5);
      }
  }
  for (const auto& [id, count] : compared) {
    if (id == "kane-stanford") continue;  // scalars
    EXPECT_GT(count, 30) << id;
  }
}

// M is symmetric, so its results are not a vector; the inertia matrix alone is what these give.
TEST(PaperEquations, OfInertiaMatrices) {
  for (const char* id : {"walker-orin", "renaud", "fijany-bejczy", "lin", "lagrange", "kane"}) {
    const Model model = load("general-RRPR");
    const EquationSet set = by(id, model, Quantity::mass);
    EXPECT_GT(set.quantities.size(), 5u) << id;
    Random random(3);
    const State s = random_state(model, random);
    const auto shown = shown_by(*find_formulation(id), Quantity::mass, model, s);
    for (const EquationQuantity& quantity : set.quantities)
      for (std::size_t k = 0; k < quantity.entries.size(); ++k) {
        if (!quantity.entries[k].needed) continue;
        EquationSet one = set;
        one.results.front().right = quantity.entries[k].formula;
        EXPECT_NEAR(evaluate(one, s.q).front(), shown.at(quantity.mark.text()).entries[k].number(), 1e-10) << id << " " << quantity.mark.text() << " " << k;
      }
  }
}

// --- what is shown obeys the rules that are shown with it, on a general arm of three revolute joints --------------------------------------------------

struct Matrix {
  std::size_t rows, columns;
  std::vector<double> e;
  double operator()(std::size_t i, std::size_t j) const { return e[i * columns + j]; }
};
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j)
      for (std::size_t k = 0; k < a.columns; ++k) c.e[i * b.columns + j] += a(i, k) * b(k, j);
  return c;
}
Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t k = 0; k < a.e.size(); ++k) a.e[k] += b.e[k];
  return a;
}
Matrix operator*(double factor, Matrix a) {
  for (double& x : a.e) x *= factor;
  return a;
}
Matrix transposed(const Matrix& a) {
  Matrix b{a.columns, a.rows, {}};
  for (std::size_t j = 0; j < a.columns; ++j)
    for (std::size_t i = 0; i < a.rows; ++i) b.e.push_back(a(i, j));
  return b;
}
Matrix crossed(const Matrix& a, const Matrix& b) {
  return {3, 1, {a.e[1] * b.e[2] - a.e[2] * b.e[1], a.e[2] * b.e[0] - a.e[0] * b.e[2], a.e[0] * b.e[1] - a.e[1] * b.e[0]}};
}

class Shown {
 public:
  Shown(const char* id, Quantity what) : model_(load("general-RRR")) {
    Random random(17);
    state_ = random_state(model_, random);
    all_ = shown_by(*find_formulation(id), what, model_, state_);
  }
  Matrix operator[](const std::string& name) const {
    const PaperQuantity<Expr>& quantity = all_.at(name);
    Matrix m{quantity.rows, quantity.columns, {}};
    for (const Expr& x : quantity.entries) m.e.push_back(x.number());
    return m;
  }
  const State& state() const { return state_; }

 private:
  Model model_;
  State state_;
  std::map<std::string, PaperQuantity<Expr>> all_;
};

void expect_equal(const Matrix& a, const Matrix& b, const char* rule) {
  ASSERT_EQ(a.e.size(), b.e.size()) << rule;
  double size = 0;
  for (const double x : a.e) size = std::max(size, std::fabs(x));
  EXPECT_GT(size, 1e-6) << rule;
  for (std::size_t k = 0; k < a.e.size(); ++k) EXPECT_NEAR(a.e[k], b.e[k], 1e-12 * size) << rule << " " << k;
}

TEST(PaperEquations, RulesOfHollerbach) {
  for (const char* id : {"waters", "hollerbach-4x4", "hollerbach-3x3"}) {
    SCOPED_TRACE(id);
    const Shown of(id, Quantity::inverse);
    const double v = of.state().v[1], a = of.state().a[1];
    expect_equal(of["W2"], of["W1"] * of["A2"], "(8)");
    expect_equal(of["W2'"], of["W1'"] * of["A2"] + v * (of["W1"] * of["dA2"]), "(9)");
    expect_equal(of["W2''"], of["W1''"] * of["A2"] + 2 * v * (of["W1'"] * of["dA2"]) + v * v * (of["W1"] * of["ddA2"]) + a * (of["W1"] * of["dA2"]), "(10)");
  }
  const Shown four("hollerbach-4x4", Quantity::inverse), three("hollerbach-3x3", Quantity::inverse), waters("waters", Quantity::inverse);
  expect_equal(four["D2"], four["J2"] * transposed(four["W2''"]) + four["A3"] * four["D3"], "(12)");
  expect_equal(four["dW2"], four["W1"] * four["dA2"], "(14)");
  expect_equal(four["c2"] + -1.0 * (four["A3"] * four["c3"]), {4, 1, {four["J2"](0, 0), four["J2"](0, 1), four["J2"](0, 2), four["J2"](0, 3)}}, "(13)");
  expect_equal(waters["dW13"], waters["dW12"] * waters["A3"], "(6)");
  expect_equal(three["p2''"], three["p1''"] + three["W2''"] * three["p*2"], "(16)");
  expect_equal(three["D2"],
               three["A3"] * three["D3"] + three["A3"] * three["p*3"] * transposed(three["e3"]) + three["n2"] * transposed(three["p2''"]) +
                   three["J2"] * transposed(three["W2''"]),
               "(18)");
  const double m2 = three["M2"].e[0] - three["M3"].e[0];
  expect_equal(three["e2"], three["e3"] + m2 * three["p2''"] + three["W2''"] * three["n2"], "(18)");
  expect_equal(three["c2"], three["n2"] + three["A3"] * three["c3"] + three["M3"].e[0] * (three["A3"] * three["p*3"]), "(13)");
  const Shown kahn("uicker-kahn", Quantity::inverse);
  expect_equal(kahn["W03"], kahn["A1"] * kahn["W13"], "(3)");
  expect_equal(kahn["dW13"], kahn["dA1"] * kahn["W13"], "(5)");
  expect_equal(kahn["ddW12(3)"], kahn["dA1"] * kahn["dA2"] * kahn["A3"], "(5)");
}

TEST(PaperEquations, RulesOfTheRecursions) {
  const Shown base("newton-euler-base", Quantity::inverse);
  expect_equal(base["f2"], base["F2"] + base["f3"], "f");
  expect_equal(base["p2''"], crossed(base["omega2'"], base["p*2"]) + crossed(base["omega2"], crossed(base["omega2"], base["p*2"])) + base["p1''"], "p''");
  expect_equal(base["N2"], base["I02"] * base["omega2'"] + crossed(base["omega2"], base["I02"] * base["omega2"]), "N");
  for (const char* id : {"newton-euler", "modified-newton-euler"}) {
    const Shown of(id, Quantity::inverse);
    expect_equal(of["f2"], of["F2"] + of["R3"] * of["f3"], "(3.19), (5.1)");
    expect_equal(of["R2"] * of["omega2"], of["omega1"] + Matrix{3, 1, {0, 0, of.state().v[1]}}, "(3.15)");
    const double v = of.state().v[1], a = of.state().a[1];
    expect_equal(of["R2"] * of["alpha2"], of["alpha1"] + v * crossed(of["omega1"], {3, 1, {0, 0, 1}}) + Matrix{3, 1, {0, 0, a}}, "(3.16)");
  }
  const Shown modified("modified-newton-euler", Quantity::inverse);
  const Matrix AK = modified["A2"] * modified["K2"];
  expect_equal(modified["N2"], {3, 1, {AK(2, 1) - AK(1, 2), AK(0, 2) - AK(2, 0), AK(1, 0) - AK(0, 1)}}, "(5.2)");
  const Shown lagrange("lagrange", Quantity::inverse);
  expect_equal(lagrange["T03"], lagrange["T01"] * lagrange["T13"], "(1.15)");
  const double v = lagrange.state().v[0], a = lagrange.state().a[0];
  expect_equal(lagrange["S1"], (a * lagrange["dT11"] + v * v * lagrange["ddT11(1)"]) * lagrange["J1"], "(2.10)");
  const Shown kane("kane", Quantity::inverse);
  expect_equal(kane["omega2"], kane.state().v[0] * kane["omega21"] + kane.state().v[1] * kane["omega22"], "(23)");
  const Shown nasser("nasser", Quantity::forward);
  expect_equal(nasser["G2"], {1, 1, {-1 / nasser["A*2"](5, 5)}}, "(2.1.11)");
  const Shown lin("lin", Quantity::bias);
  const Matrix z{3, 1, {0, 0, 1}};
  expect_equal(lin["shat2(2)"], crossed(z, lin["s2"]), "(15)");
  expect_equal(lin["d23"], lin["B3"] * lin["u2(3)"] + crossed(lin["shat2(3)"], lin["e3"]), "(66)");
  const Matrix J = lin["Jbar3"];
  expect_equal(lin["a3"], Matrix{3, 1, {J(0, 2), J(1, 2), -J(0, 0) - J(1, 1)}} + crossed(lin["shat3(3)"], lin["phat3"]), "(62)");
  const Shown walker("walker-orin", Quantity::mass), composite("composite-ldl", Quantity::forward);
  expect_equal(composite["hc2"], composite["mc2"].e[0] * walker["c2"], "h = m c");
  const Shown renaud("renaud", Quantity::mass), fijany("fijany-bejczy", Quantity::mass);
  expect_equal(fijany["chat2"], renaud["chat2"], "(A7)");
  expect_equal(renaud["u1(3)"], lin["u1(3)"], "(24)");
  expect_equal(fijany["t13"], fijany["t23"] + crossed(fijany["s1"], fijany["f3"]), "(A15)");
}

const EquationQuantity& find(const EquationSet& set, const std::string& name) {
  for (const EquationQuantity& quantity : set.quantities)
    if (quantity.mark.text() == name) return quantity;
  throw std::out_of_range(name);
}
std::vector<std::string> texts(const EquationQuantity& quantity) {
  std::vector<std::string> out;
  for (const EquationQuantity::Entry& entry : quantity.entries) out.push_back(entry.needed ? plain_text(entry.formula) : ".");
  return out;
}

// Hollerbach 1980, eqs 2, 8, 13, 16 and 18 for two links in a plane, by hand.
TEST(PaperEquations, HollerbachsLettersOnTwoLinks) {
  const EquationSet set = by("hollerbach-3x3", load("planar-2r"), Quantity::inverse);
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(find(set, "A1")), (Texts{"ctheta1", "-stheta1", "0", "stheta1", "ctheta1", "0", "0", "0", "1"}));
  EXPECT_EQ(find(set, "W1").same_as.text(), "A1");
  EXPECT_EQ(texts(find(set, "p*1")), (Texts{"a1", "0", "0"}));
  EXPECT_EQ(find(set, "c2").same_as.text(), "n2");
  EXPECT_EQ(texts(find(set, "n2")), (Texts{"m2 lc2", "0", "0"}));
  EXPECT_EQ(texts(find(set, "e2")), (Texts{"n2_x W2_xx'' + m2 p2_x''", "-n2_x W2_xy'' + m2 p2_y''", "0"}));
  EXPECT_EQ(find(set, "D1").rows, 3u);
  EXPECT_EQ(find(set, "D1").columns, 3u);
  const auto letter = [&](const std::string& name) {
    return std::find_if(set.letters.begin(), set.letters.end(), [&](const EquationLetter& l) { return l.mark.text() == name; });
  };
  ASSERT_NE(letter("D"), set.letters.end());
  EXPECT_EQ(letter("D")->rule, "A(i+1) D(i+1) + p*(i+1) e(i+1) + n(i) p(i)''^T + J(i) W(i)''^T  (18)");
  EXPECT_NE(letter("W''"), set.letters.end());
}

// What used to be Z1 to Z97.
TEST(PaperEquations, LittleIsLeftWithoutAName) {
  const Model model = load("general-RRR");
  for (const auto& [id, most] : std::map<std::string, int>{{"hollerbach-4x4", 4}, {"hollerbach-3x3", 30}, {"lin", 25}}) {
    const EquationSet set = by(id, model, id == "lin" ? Quantity::mass : Quantity::inverse);
    const auto nameless = std::count_if(set.definitions.begin(), set.definitions.end(), [](const Equation& e) { return e.left.letter == "Z"; });
    EXPECT_LE(nameless, most) << id;
  }
}

// Definitions stand before they are used, and those of a vector or a matrix together.
TEST(PaperEquations, EntriesStandTogether) {
  for (const char* id : {"nasser", "uicker-kahn", "composite-ldl"}) {
    const Formulation& row = *find_formulation(id);
    const EquationSet set = by(id, load("general-RRPR"), row.gives(Quantity::forward) ? Quantity::forward : Quantity::inverse);
    std::size_t at = 0;
    for (const EquationQuantity& quantity : set.quantities) {
      EXPECT_GE(quantity.first, at) << id << " " << quantity.mark.text();
      EXPECT_LE(quantity.last, set.definitions.size());
      for (std::size_t k = quantity.first; k < quantity.last; ++k) {
        EXPECT_EQ(set.definitions[k].left.letter, quantity.mark.letter);
        EXPECT_EQ(set.definitions[k].left.below, quantity.mark.below);
      }
      at = quantity.last;
    }
  }
}

// The joints of the Stanford arm are called as Kane and Levinson call their coordinates: q6 slides, and stands third.
TEST(PaperEquations, JointNamesAreTheCoordinates) {
  const Model model = load("stanford");
  const std::vector<std::size_t> numbers{1, 2, 6, 3, 4, 5};
  for (const char* id : {"", "newton-euler", "kane-stanford"}) {
    const EquationSet set = by(id, model, Quantity::inverse);
    EXPECT_EQ(set.numbers, numbers) << id;
    for (const Equation& line : set.definitions)
      if (line.left.text() == "s3" || line.left.text() == "stheta3") {
        EXPECT_EQ(plain_text(line.right).substr(0, 6), "sin(q3") << id;
      }
    const std::string text = write_equations(model, {&set, 1}, EquationFormat::text);
    for (const char* joint : {"\n  3       q6     prismatic  q6\n", "\n  4       q3     revolute   q3\n"})
      EXPECT_NE(text.find(joint), std::string::npos) << id << joint;
  }
  EXPECT_EQ(by("", load("puma560"), Quantity::gravity).numbers, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
}

TEST(PaperEquations, SideBySide) {
  const Model model = load("planar-2r");
  const std::vector<EquationSet> left{by("hollerbach-3x3", model, Quantity::inverse)}, right{by("newton-euler", model, Quantity::inverse)};
  const std::string text = write_equations_beside(model, left, right, EquationFormat::text);
  const std::size_t at = text.find("  tau1 = ");
  ASSERT_NE(at, std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  EXPECT_NE(line.find(" |   tau1 = "), std::string::npos) << line;
  EXPECT_NE(text.find("hollerbach-3x3 beside newton-euler"), std::string::npos);
  for (const EquationFormat format : {EquationFormat::latex, EquationFormat::markdown, EquationFormat::html}) {
    const std::string page = write_equations_beside(model, left, right, format);
    const std::string lone = write_equations(model, left, format), other = write_equations(model, right, format);
    // Every equation of the one and of the other, and no more.
    const auto matrices = [&](const std::string& of) {
      const std::string mark = format == EquationFormat::html ? "class=\"matrix\"" : "begin{bmatrix}";
      std::size_t count = 0;
      for (std::size_t k = of.find(mark); k != std::string::npos; k = of.find(mark, k + 1)) ++count;
      return count;
    };
    EXPECT_GT(matrices(lone), 10u);
    EXPECT_EQ(matrices(page), matrices(lone) + matrices(other));
  }
  EXPECT_THROW(write_equations_beside(model, left, {}, EquationFormat::text), std::invalid_argument);
  const std::vector<EquationSet> mass{by("lagrange", model, Quantity::mass)};
  EXPECT_THROW(write_equations_beside(model, left, mass, EquationFormat::text), std::invalid_argument);
  // Two numberings: a column for each.
  const Model stanford = load("stanford");
  const std::vector<EquationSet> one{by("kane-stanford", stanford, Quantity::inverse)}, two{by("newton-euler", stanford, Quantity::inverse)};
  EXPECT_NE(write_equations_beside(stanford, one, two, EquationFormat::text).find("kane-stanford beside newton-euler"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
