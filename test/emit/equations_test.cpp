// Equations for people: the object that is printed is evaluated, and compared with the library and with closed forms.
#include <map>

#include <ulna/emit/equations.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

const std::vector<Quantity>& kAllEquations = equation_quantities();

EquationOptions in_form(EquationForm form) {
  EquationOptions options;
  options.form = form;
  return options;
}

/// What stands in the tables and lines, put together by hand of the test, gives the library's numbers.
void expect_as_library(const std::string& id, EquationForm form, RootJoint base = RootJoint::fixed) {
  SCOPED_TRACE(::testing::Message() << id << ", base " << to_string(base));
  LoadOptions options;
  options.base = base;
  const Model model = load(id, options);
  const Plan plan = make_plan(model);
  const std::size_t last = model.links().size() - 1;
  Random random(5);
  for (const Quantity what : kAllEquations) {
    SCOPED_TRACE(to_string(what));
    const EquationSet set = make_equations(model, what, in_form(form));
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, random);
      const bool solves = what == Quantity::forward || what == Quantity::forward_derivatives;
      const double blow_up = solves ? condition_number(mass_of(plan, s.q)) : 1;
      // Sums are added in the order of their terms, not of the kernel: c = 64 for some cancellation in either.
      EXPECT_LT(relative_error(numbers_of(what, plan, s, last), evaluate(set, s.q, s.v, s.a)), tolerance(model.joints().size(), blow_up, 64));
    }
  }
}

TEST(Equations, GiveWhatTheLibraryGives) {
  for (const char* id : {"planar-2r", "planar-3r", "scara", "stanford", "puma560", "puma560-mdh", "panda", "iiwa14", "ur5", "space-arm", "torso", "humanoid-38",
                         "general-RR", "general-RP", "general-PR", "general-RRRR"})
    expect_as_library(id, EquationForm::automatic);
}

TEST(Equations, RecursiveFormGivesTheSameWhereAClosedOneExists) {
  for (const char* id : {"planar-2r", "planar-3r", "scara"}) expect_as_library(id, EquationForm::recursive);
}

TEST(Equations, OfABaseThatMoves) {
  for (const char* id : {"panda", "ur5", "servicer", "mini-cheetah"}) expect_as_library(id, EquationForm::automatic, RootJoint::free);
  for (const char* id : {"scara", "panda"}) expect_as_library(id, EquationForm::automatic, RootJoint::planar);
  const Model model = with_base(load("panda"), RootJoint::free);
  EXPECT_THROW(make_equations(model, Quantity::mass, in_form(EquationForm::closed)), std::invalid_argument);
  EquationOptions kane;
  kane.formulation = "newton-euler";
  EXPECT_THROW(make_equations(model, Quantity::inverse, kane), std::invalid_argument);
}

// Rotations that are no turns about one axis, offsets everywhere, trees, followers.
TEST(Equations, GiveWhatTheLibraryGivesOnRandomTrees) {
  RandomOptions options;
  options.most = 12;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    options.mimic = seed % 2 == 0;
    const Model model = random_model(seed, options);
    if (model.nv() == 0) continue;
    const Plan plan = make_plan(model);
    Random random(seed);
    const State s = random_state(model, random);
    const std::size_t middle = model.links().size() / 2;
    EquationOptions of_middle;
    of_middle.link = model.links()[middle].name;
    for (const Quantity what : kAllEquations) {
      if (what == Quantity::forward) continue;
      SCOPED_TRACE(to_string(what));
      const EquationSet set = make_equations(model, what, of_middle);
      EXPECT_LT(relative_error(numbers_of(what, plan, s, middle), evaluate(set, s.q, s.v, s.a)), tolerance(model.joints().size(), 1, 64));
    }
  }
}

// The numbers of a symbol matter: no symbol is for show, and none hides a number.
TEST(Equations, EverySymbolIsFelt) {
  for (const char* id : {"planar-2r", "stanford", "panda"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    Random random(3);
    const State s = random_state(model, random);
    EquationSet set = make_equations(model, Quantity::inverse);
    const std::vector<double> before = evaluate(set, s.q, s.v, s.a);
    for (EquationSymbol& symbol : set.symbols) {
      symbol.value *= 1.5;
      EXPECT_GT(relative_error(before, evaluate(set, s.q, s.v, s.a)), 1e-12) << symbol.mark.text();
      symbol.value /= 1.5;
    }
  }
}

// Two links in a vertical plane, as textbooks have them: M, the Coriolis and centripetal terms, and gravity.
TEST(Equations, PlanarArmIsTheTextbooks) {
  const Model model = load("planar-2r");
  const EquationSet mass = make_equations(model, Quantity::mass), inverse = make_equations(model, Quantity::inverse),
                    gravity = make_equations(model, Quantity::gravity);
  EXPECT_EQ(mass.form, EquationForm::closed);
  EXPECT_EQ(lines_of(mass), (std::map<std::string, std::string>{{"c2", "cos(q2)"},
                                                                {"M11", "I1 + I2 + m1 lc1^2 + m2 l1^2 + m2 lc2^2 + 2 m2 l1 lc2 c2"},
                                                                {"M12", "I2 + m2 lc2^2 + m2 l1 lc2 c2"},
                                                                {"M22", "I2 + m2 lc2^2"}}));
  EXPECT_EQ(lines_of(gravity), (std::map<std::string, std::string>{
                                   {"c1", "cos(q1)"}, {"c12", "cos(q1 + q2)"}, {"G1", "(m1 lc1 + m2 l1) g c1 + m2 lc2 g c12"}, {"G2", "m2 lc2 g c12"}}));
  EXPECT_EQ(lines_of(inverse)["tau2"], "(I2 + m2 lc2^2 + m2 l1 lc2 c2) q1'' + (I2 + m2 lc2^2) q2'' + m2 l1 lc2 s2 q1'^2 + m2 lc2 g c12");

  // And in numbers, those of the model's file.
  const double m1 = 6, m2 = 4, l1 = 1, r1 = 0.5, r2 = 0.4, I1 = 0.5, I2 = 0.2, g = 9.81;
  const std::vector<double> q{0.3, -1.1}, v{0.7, -0.4}, a{1.2, 2.5};
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c1 = std::cos(q[0]), c12 = std::cos(q[0] + q[1]);
  const double M11 = I1 + I2 + m1 * r1 * r1 + m2 * (l1 * l1 + r2 * r2 + 2 * l1 * r2 * c2), M12 = I2 + m2 * (r2 * r2 + l1 * r2 * c2), M22 = I2 + m2 * r2 * r2;
  EXPECT_LT(relative_error(std::vector<double>{M11, M12, M12, M22}, evaluate(mass, q)), tolerance(2));
  const double h = m2 * l1 * r2 * s2;
  const std::vector<double> tau{M11 * a[0] + M12 * a[1] - h * (2 * v[0] * v[1] + v[1] * v[1]) + (m1 * r1 + m2 * l1) * g * c1 + m2 * r2 * g * c12,
                                M12 * a[0] + M22 * a[1] + h * v[0] * v[0] + m2 * r2 * g * c12};
  EXPECT_LT(relative_error(tau, evaluate(inverse, q, v, a)), tolerance(2));
  const std::map<std::string, double> values{{"I1", I1}, {"I2", I2}, {"m1", m1}, {"m2", m2}, {"l1", l1}, {"lc1", r1}, {"lc2", r2}, {"g", g}};
  ASSERT_EQ(inverse.symbols.size(), values.size());
  for (const EquationSymbol& symbol : inverse.symbols) EXPECT_NEAR(symbol.value, values.at(symbol.mark.text()), 1e-15) << symbol.mark.text();
}

// Energies and the place of the forearm's end, by elementary geometry.
TEST(Equations, PlanarArmsEnergyPoseAndJacobian) {
  const Model model = load("planar-2r");
  std::map<std::string, std::string> energy = lines_of(make_equations(model, Quantity::energy)), pose = lines_of(make_equations(model, Quantity::pose)),
                                     jacobian = lines_of(make_equations(model, Quantity::jacobian));
  EXPECT_EQ(energy["V"], "(m1 lc1 + m2 l1) g s1 + m2 lc2 g s12");
  EXPECT_NE(energy["T"].find(" + (I2 + m2 lc2^2 + m2 l1 lc2 c2) q1' q2' + "), std::string::npos) << energy["T"];
  EXPECT_EQ(pose["Rxy"], "-s12");
  EXPECT_EQ(pose["Rzz"], "1");
  EXPECT_EQ(pose["Rxz"], "0");
  EXPECT_EQ(pose["px"], "l1 c1 + l2 c12");
  EXPECT_EQ(pose["py"], "l1 s1 + l2 s12");
  EXPECT_EQ(jacobian["J31"], "1");
  EXPECT_EQ(jacobian["J41"], "-l1 s1 - l2 s12");
  EXPECT_EQ(jacobian["J52"], "l2 c12");
  EXPECT_FALSE(jacobian.contains("J61"));
  EXPECT_EQ(make_equations(model, Quantity::pose).link, model.links().back().name);
  EquationOptions still;
  still.rotor = false;
  for (const EquationSymbol& symbol : make_equations(load("puma560"), Quantity::energy, still).symbols) EXPECT_NE(symbol.mark.letter, "J");
}

TEST(Equations, FormsAreChosenAndRefused) {
  EXPECT_EQ(make_equations(load("planar-3r"), Quantity::inverse).form, EquationForm::closed);
  EXPECT_EQ(make_equations(load("panda"), Quantity::inverse).form, EquationForm::recursive);
  EXPECT_EQ(make_equations(load("planar-2r"), Quantity::forward).form, EquationForm::recursive);
  EXPECT_THROW(make_equations(load("panda"), Quantity::mass, in_form(EquationForm::closed)), std::invalid_argument);
  EquationOptions still;
  still.rotor = false;
  for (const EquationSymbol& symbol : make_equations(load("scara"), Quantity::mass, still).symbols) EXPECT_NE(symbol.mark.letter, "J");
}

TEST(Equations, EvaluationChecksSizesAndOrder) {
  EquationSet set = make_equations(load("planar-2r"), Quantity::inverse);
  const std::vector<double> two{0.1, 0.2}, three{1, 2, 3};
  EXPECT_THROW(evaluate(set, three, two, two), std::invalid_argument);
  EXPECT_THROW(evaluate(set, two, {}, two), std::invalid_argument);
  EXPECT_THROW(evaluate(set, two, two, three), std::invalid_argument);
  EquationSet twice = set;
  twice.definitions.push_back(twice.definitions.front());
  EXPECT_THROW(evaluate(twice, two, two, two), std::invalid_argument);
  set.definitions.clear();
  EXPECT_THROW(evaluate(set, two, two, two), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
