// The equations of named formulations: what is printed is evaluated, and compared with the library, which knows nothing of the formulation.
#include <map>

#include <ulna/emit/equations.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "emit/equations_steps.hpp"
#include "emit/generated.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

EquationOptions by(std::string_view formulation) {
  EquationOptions options;
  options.formulation = formulation;
  return options;
}

struct Asked {
  Quantity what;
  Quantity quantity;
};
constexpr Asked kAsked[] = {
    {Quantity::inverse, Quantity::inverse}, {Quantity::mass, Quantity::mass}, {Quantity::bias, Quantity::bias}, {Quantity::forward, Quantity::forward}};

/// All quantities that the formulation gives; how many there were.
int expect_as_library(const Formulation& row, const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(std::string(row.id) + " of " + model.name());
  const Plan plan = make_plan(model);
  Random random(seed);
  int compared = 0;
  for (const Asked& asked : kAsked) {
    if (!row.gives(asked.quantity)) continue;
    const EquationSet set = make_equations(model, asked.what, by(row.id));
    EXPECT_EQ(set.form, EquationForm::recursive);
    EXPECT_EQ(set.formulation, row.id);
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(model, random);
      double blow_up = asked.what == Quantity::forward ? condition_number(mass_of(plan, s.q)) : 1;
      if (row.amplification != nullptr) blow_up *= row.amplification(s.q.data());
      EXPECT_LT(relative_error(numbers_of(asked.what, plan, s), evaluate(set, s.q, s.v, s.a)), tolerance(model.joints().size(), blow_up, 64))
          << to_string(asked.what);
    }
    ++compared;
  }
  return compared;
}

/// The same robot with a rotor of another size on every joint.
Model with_rotors(const Model& model) {
  Description d;
  d.name = model.name();
  d.gravity = model.gravity();
  d.links = model.links();
  for (const Joint& joint : model.joints()) {
    d.joints.push_back({joint, d.links[joint.parent].name, d.links[joint.child].name, ""});
    d.joints.back().joint.rotor = 0.01 * static_cast<double>(d.joints.size() * d.joints.size());
  }
  return build(d);
}

// Right angles and odd ones, sliding joints, rotors (PUMA 560, SCARA).
TEST(FormulationEquations, GiveWhatTheLibraryGives) {
  int compared = 0;
  for (const std::string_view id : equation_formulations()) {
    if (id == "kane-stanford") continue;
    for (const char* robot : {"stanford", "puma560", "scara", "general-RPRR"}) compared += expect_as_library(*find_formulation(id), load(robot), 11);
  }
  compared += expect_as_library(*find_formulation("kane-stanford"), load("stanford"), 12);
  compared += expect_as_library(*find_formulation("kane-stanford"), with_rotors(load("stanford")), 13);
  EXPECT_EQ(compared, 116);
}

// Branches, followers, rotations that are no turn about one axis, links without mass.
TEST(FormulationEquations, GiveWhatTheLibraryGivesOnTrees) {
  RandomOptions options;
  options.fewest = 4;
  options.most = 7;
  int offsets = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    options.mimic = seed % 2 == 0;
    const Model model = random_model(seed, options);
    if (model.nv() == 0) continue;
    for (const Joint& joint : model.joints()) offsets += joint.mimic && joint.mimic->offset != 0;
    for (const char* id : {"kane", "walker-orin"}) expect_as_library(*find_formulation(id), model, seed);
    if (!options.mimic)
      for (const char* id : {"nasser", "composite-ldl"}) expect_as_library(*find_formulation(id), model, seed);
  }
  EXPECT_GE(offsets, 5);
}

TEST(FormulationEquations, EveryFormulationButTheTablesIsThere) {
  std::vector<std::string_view> missing;
  const std::vector<std::string_view> there = equation_formulations();
  for (const Formulation& row : formulations())
    if (std::find(there.begin(), there.end(), row.id) == there.end()) missing.push_back(row.id);
  EXPECT_EQ(missing, (std::vector<std::string_view>{"albus", "raibert", "horn-raibert"}));
}

// As appendix 1 of the paper has them: equations 14 to 22 and what follows, by number.
TEST(FormulationEquations, KaneAndLevinsonsZ) {
  const EquationSet set = make_equations(load("stanford"), Quantity::inverse, by("kane-stanford"));
  EXPECT_EQ(set.numbers, (std::vector<std::size_t>{1, 2, 6, 3, 4, 5}));
  std::map<std::string, std::string> lines = lines_of(set);
  EXPECT_EQ(lines["s3"], "sin(q3)");
  EXPECT_EQ(lines["Z4"], "s3 / s2");
  EXPECT_EQ(lines["Z5"], "-c3 / s2");
  EXPECT_EQ(lines["Z6"], "c2 Z4");
  EXPECT_EQ(lines["Z15"], "s4 s5");
  EXPECT_EQ(lines["Z18"], "c4 c5");
  EXPECT_EQ(lines["Z22"], "-L1 Z4");
  EXPECT_EQ(lines["Z25"], "-Z8 q6");
  EXPECT_EQ(lines["Z50"], "L6 s4");
  EXPECT_EQ(lines["C33"], "c3 c4");
  std::size_t listed = 0;
  for (const auto& [left, right] : lines) listed += left.front() == 'Z';
  EXPECT_GT(listed, 140u);  // of 196; some are others with another sign, and some only forward dynamics needs
  EXPECT_EQ(lines.count("Z24"), 0u);
  const std::map<std::string, double> appendix3{{"L1", 0.1}, {"L2", 0.6}, {"L3", 0.2}, {"L5", 0.7},  {"L6", 0.06},
                                                {"mB", 6},   {"mF", 0.5}, {"C1", 0.4}, {"F3", 0.003}};
  std::size_t found = 0;
  for (const EquationSymbol& symbol : set.symbols)
    if (const auto known = appendix3.find(symbol.mark.text()); known != appendix3.end()) {
      EXPECT_NEAR(symbol.value, known->second, 1e-15) << known->first;
      ++found;
    }
  EXPECT_EQ(found, appendix3.size());
}

// Quantities of the links have names, and lengths the table's letters.
TEST(FormulationEquations, NewtonEulerSpeaksOfTheTable) {
  const EquationSet set = make_equations(load("general-RRR"), Quantity::inverse, by("newton-euler"));
  std::map<std::string, std::string> lines = lines_of(set);
  EXPECT_TRUE(lines.contains("omega3_z"));
  EXPECT_TRUE(lines.contains("alpha3_x"));
  const auto has = [&](const std::string& name) {
    return std::any_of(set.symbols.begin(), set.symbols.end(), [&](const EquationSymbol& s) { return s.mark.text() == name; });
  };
  for (const char* name : {"a1", "d2", "calpha1", "salpha2", "m3", "I3_xy"}) EXPECT_TRUE(has(name)) << name;
}

// Papers write down products of inertia of the first link, though the joint does not feel them; so links from the second on.
TEST(FormulationEquations, EverySymbolIsFelt) {
  for (const char* id : {"newton-euler", "walker-orin", "kane"}) {
    SCOPED_TRACE(id);
    const Model model = load("general-RRPR");
    const Quantity what = std::string_view(id) == "walker-orin" ? Quantity::mass : Quantity::inverse;
    Random random(3);
    const State s = random_state(model, random);
    EquationSet set = make_equations(model, what, by(id));
    const std::vector<double> before = evaluate(set, s.q, s.v, s.a);
    for (EquationSymbol& symbol : set.symbols) {
      if (symbol.mark.below.starts_with("1") || symbol.mark.below.ends_with("1")) continue;
      symbol.value *= 1.5;
      EXPECT_GT(relative_error(before, evaluate(set, s.q, s.v, s.a)), 1e-12) << symbol.mark.text();
      symbol.value /= 1.5;
    }
  }
}

void expect_no_hidden_numbers(const EquationFormula& formula) {
  for (const EquationTerm& term : formula.terms) {
    EXPECT_EQ(4 * term.coefficient, std::round(4 * term.coefficient)) << plain_text(formula);
    for (const std::vector<EquationFactor>* factors : {&term.factors, &term.divisors})
      for (const EquationFactor& factor : *factors)
        if (factor.inside) expect_no_hidden_numbers(*factor.inside);
  }
}

// All numbers of a general arm are odd ones: what stands in the text are quarters at most, which formulas have of their own.
TEST(FormulationEquations, EveryNumberIsASymbol) {
  const Model model = load("general-RRPR");
  for (const std::string_view id : equation_formulations()) {
    if (id == "kane-stanford") continue;
    SCOPED_TRACE(id);
    for (const Asked& asked : kAsked) {
      if (!find_formulation(id)->gives(asked.quantity)) continue;
      const EquationSet set = make_equations(model, asked.what, by(id));
      for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
        for (const Equation& equation : *equations) expect_no_hidden_numbers(equation.right);
    }
  }
  for (const Quantity what : {Quantity::energy, Quantity::pose, Quantity::jacobian})
    for (const char* robot : {"general-RRPR", "panda", "ur5", "torso"}) {
      SCOPED_TRACE(robot);
      const EquationSet set = make_equations(load(robot), what);
      for (const std::vector<Equation>* equations : {&set.definitions, &set.results})
        for (const Equation& equation : *equations) expect_no_hidden_numbers(equation.right);
    }
}

TEST(FormulationEquations, RotorsCanBeLeftOut) {
  EquationOptions options = by("composite-ldl");
  const auto rotors = [&] {
    int count = 0;
    for (const EquationSymbol& symbol : make_equations(load("puma560"), Quantity::forward, options).symbols) count += symbol.mark.letter == "J";
    return count;
  };
  EXPECT_EQ(rotors(), 6);
  options.rotor = false;
  EXPECT_EQ(rotors(), 0);
}

void expect_refused(const char* robot, Quantity what, const EquationOptions& options, const std::string& part) {
  try {
    make_equations(load(robot), what, options);
    FAIL() << "not refused: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}
TEST(FormulationEquations, WrongCallsSayWhy) {
  expect_refused("panda", Quantity::mass, by("newton-euler"), "it gives torque, not mass");
  expect_refused("panda", Quantity::gravity, by("newton-euler"), "does not give the gravity");
  expect_refused("torso", Quantity::mass, by("lin"), "formulation lin does not give the mass of robot 'torso': ");
  expect_refused("panda", Quantity::inverse, by("kane-stanford"), "RRPRRR");
  expect_refused("panda", Quantity::inverse, by("horn-raibert"), "There are those of uicker-kahn, waters, ");
  expect_refused("panda", Quantity::inverse, by("newton-oiler"), "did you mean 'newton-euler'?");
  EquationOptions closed = by("kane");
  closed.form = EquationForm::closed;
  expect_refused("planar-2r", Quantity::mass, closed, "without one");
  EquationOptions link;
  link.link = "hnd";
  expect_refused("panda", Quantity::pose, link, "did you mean 'hand'?");
}

// Numbers and signs of a divisor go to the front of the fraction: x / (-2 y), x / (-y - z).
TEST(Lines, DivisorsGiveTheirNumbersAway) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  const std::vector<EquationMark> marks{{"x", "", "", 0}, {"y", "", "", 0}, {"z", "", "", 0}};
  const Expr sum = Expr(-4) * (x[1] * x[1]) - Expr(8) * (x[2] * x[2]);
  const std::vector<Expr> results{x[0] / (Expr(-2) * x[1]), x[0] / sum};
  const OutputOf output{"result", results};
  std::vector<Equation> definitions;
  const std::vector<EquationFormula> made = write_lines(make_program(graph, {&output, 1}), {}, marks, {}, definitions);
  EXPECT_TRUE(definitions.empty());
  EXPECT_EQ(plain_text(made[0]), "-0.5 x / y");
  EXPECT_TRUE(plain_text(made[1]).starts_with("-x / (")) << plain_text(made[1]);
  EXPECT_EQ(plain_text(made[1]).find(" - "), std::string::npos) << plain_text(made[1]);
}

}  // namespace
}  // namespace ulna::test
