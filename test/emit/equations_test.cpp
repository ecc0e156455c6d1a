// Equations for people: the object that is printed is evaluated, and compared with the library and with closed forms; then the text is looked at.
#include <filesystem>
#include <map>

#include <ulna/emit/equations.hpp>
#include <ulna/source/load.hpp>

#include "support/cases.hpp"
#include "support/folder.hpp"

namespace ulna::test {
namespace {

const std::vector<EquationsOf>& kAll = equation_quantities();
constexpr EquationFormat kFormats[] = {EquationFormat::text, EquationFormat::latex, EquationFormat::markdown, EquationFormat::html};

EquationOptions in_form(EquationForm form) {
  EquationOptions options;
  options.form = form;
  return options;
}

std::vector<double> library_result(const Plan& plan, EquationsOf what, const State& s, int link) {
  Workspace ws(plan);
  const auto n = static_cast<std::size_t>(plan.nv);
  std::vector<double> out(what == EquationsOf::mass ? n * n : n);
  switch (what) {
    case EquationsOf::inverse: inverse_dynamics(plan, ws, s.q, s.v, s.a, out); break;
    case EquationsOf::mass: mass_matrix(plan, ws, s.q.data(), out.data()); break;
    case EquationsOf::bias: bias_forces(plan, ws, s.q, s.v, out); break;
    case EquationsOf::gravity: gravity_forces(plan, ws, s.q, out); break;
    case EquationsOf::forward: forward_dynamics(plan, ws, s.q, s.v, s.a, out); break;
    case EquationsOf::energy: {
      const Energy e = energy(plan, ws, s.q, s.v);
      return {e.kinetic, e.potential};
    }
    case EquationsOf::pose: {
      const Pose<double> X = link_pose(plan, ws, s.q, link);
      return {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
    }
    case EquationsOf::jacobian: {
      Eigen::MatrixXd J(6, plan.nv);
      jacobian(plan, ws, s.q, link, J);
      return {J.data(), J.data() + J.size()};
    }
  }
  return out;
}

/// What stands in the tables and lines, put together by hand of the test, gives the library's numbers.
void expect_as_library(const std::string& id, EquationForm form) {
  SCOPED_TRACE(id);
  const Model model = load(id);
  const Plan plan = make_plan(model);
  const int last = static_cast<int>(model.links().size()) - 1;
  Random random(5);
  for (const EquationsOf what : kAll) {
    SCOPED_TRACE(to_string(what));
    const EquationSet set = make_equations(model, what, in_form(form));
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, random);
      const double blow_up = what == EquationsOf::forward ? condition_number(mass_of(plan, s.q)) : 1;
      // Sums are added in the order of their terms, not of the kernel: c = 64 for some cancellation in either.
      EXPECT_LT(relative_error(library_result(plan, what, s, last), evaluate(set, s.q, s.v, s.a)), tolerance(model.joints().size(), blow_up, 64));
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
    const int middle = static_cast<int>(model.links().size()) / 2;
    EquationOptions of_middle;
    of_middle.link = model.links()[static_cast<std::size_t>(middle)].name;
    for (const EquationsOf what : kAll) {
      if (what == EquationsOf::forward) continue;
      SCOPED_TRACE(to_string(what));
      const EquationSet set = make_equations(model, what, of_middle);
      EXPECT_LT(relative_error(library_result(plan, what, s, middle), evaluate(set, s.q, s.v, s.a)), tolerance(model.joints().size(), 1, 64));
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
    EquationSet set = make_equations(model, EquationsOf::inverse);
    const std::vector<double> before = evaluate(set, s.q, s.v, s.a);
    for (EquationSymbol& symbol : set.symbols) {
      symbol.value *= 1.5;
      EXPECT_GT(relative_error(before, evaluate(set, s.q, s.v, s.a)), 1e-12) << symbol.mark.text();
      symbol.value /= 1.5;
    }
  }
}

std::map<std::string, std::string> lines_of(const EquationSet& set) {
  std::map<std::string, std::string> lines;
  for (const Equation& e : set.definitions) lines[e.left.text()] = plain_text(e.right);
  for (const Equation& e : set.results) lines[e.left.text()] = plain_text(e.right);
  return lines;
}

// Two links in a vertical plane, as textbooks have them: M, the Coriolis and centripetal terms, and gravity.
TEST(Equations, PlanarArmIsTheTextbooks) {
  const Model model = load("planar-2r");
  const EquationSet mass = make_equations(model, EquationsOf::mass), inverse = make_equations(model, EquationsOf::inverse),
                    gravity = make_equations(model, EquationsOf::gravity);
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
  std::map<std::string, std::string> energy = lines_of(make_equations(model, EquationsOf::energy)), pose = lines_of(make_equations(model, EquationsOf::pose)),
                                     jacobian = lines_of(make_equations(model, EquationsOf::jacobian));
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
  EXPECT_EQ(make_equations(model, EquationsOf::pose).link, model.links().back().name);
  EquationOptions still;
  still.rotor = false;
  for (const EquationSymbol& symbol : make_equations(load("puma560"), EquationsOf::energy, still).symbols) EXPECT_NE(symbol.mark.letter, "J");
}

TEST(Equations, FormsAreChosenAndRefused) {
  EXPECT_EQ(make_equations(load("planar-3r"), EquationsOf::inverse).form, EquationForm::closed);
  EXPECT_EQ(make_equations(load("panda"), EquationsOf::inverse).form, EquationForm::recursive);
  EXPECT_EQ(make_equations(load("planar-2r"), EquationsOf::forward).form, EquationForm::recursive);
  EXPECT_THROW(make_equations(load("panda"), EquationsOf::mass, in_form(EquationForm::closed)), std::invalid_argument);
  EquationOptions still;
  still.rotor = false;
  for (const EquationSymbol& symbol : make_equations(load("scara"), EquationsOf::mass, still).symbols) EXPECT_NE(symbol.mark.letter, "J");
}

TEST(Equations, EvaluationChecksSizesAndOrder) {
  EquationSet set = make_equations(load("planar-2r"), EquationsOf::inverse);
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

std::size_t occurrences(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++count;
  return count;
}

std::vector<EquationSet> all_of(const Model& model) {
  std::vector<EquationSet> sets;
  for (const EquationsOf what : kAll) sets.push_back(make_equations(model, what));
  return sets;
}
std::string document_of(const Model& model, EquationFormat format) { return write_equations(model, all_of(model), format); }

/// Environments nest and close, braces balance, mathematics begins and ends; what is escaped counts as text.
void expect_well_formed_latex(const std::string& text) {
  std::vector<std::string> open;
  int braces = 0, lines = 0;
  bool math = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      for (const std::string command : {"begin", "end"}) {
        if (text.compare(at + 1, command.size() + 1, command + "{") != 0) continue;
        const std::size_t from = at + command.size() + 2;
        const std::string name = text.substr(from, text.find('}', from) - from);
        if (command == "begin") {
          open.push_back(name);
        } else {
          ASSERT_FALSE(open.empty()) << name;
          EXPECT_EQ(open.back(), name);
          open.pop_back();
        }
      }
      ++at;  // the character behind it is no special one
      continue;
    }
    lines += c == '\n';
    braces += c == '{' ? 1 : c == '}' ? -1 : 0;
    ASSERT_GE(braces, 0) << "line " << lines;
    if (c == '$') math = !math;
    const bool in_lines = !open.empty() && open.back() == "align*";
    ASSERT_TRUE((c != '_' && c != '^') || math || in_lines) << "line " << lines << ": " << text.substr(at > 40 ? at - 40 : 0, 60);
    ASSERT_TRUE(c != '&' || in_lines || open.back() == "tabular") << "line " << lines;
    ASSERT_TRUE(c != '%' && c != '#' && c != '~') << "line " << lines;
    ASSERT_TRUE(static_cast<unsigned char>(c) < 0x80 && (c >= 0x20 || c == '\n')) << "line " << lines;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(braces, 0);
  EXPECT_FALSE(math);
}

/// Every tag that is opened is closed, in order; those without an end apart.
void expect_well_formed_html(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with("!") || tag.starts_with("meta")) continue;
    if (tag.starts_with("/")) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  EXPECT_TRUE(open.empty());
  for (const char* foreign : {"http", "<script", "src=", "<link"}) EXPECT_EQ(text.find(foreign), std::string::npos) << foreign;
}

TEST(Equations, DocumentsAreWellFormed) {
  for (const char* id : {"planar-2r", "scara", "panda", "torso"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    const std::vector<EquationSet> sets = all_of(model), again = all_of(model);
    const std::string latex = write_equations(model, sets, EquationFormat::latex);
    expect_well_formed_latex(latex);
    EXPECT_TRUE(latex.starts_with("\\documentclass"));
    EXPECT_TRUE(latex.ends_with("\\end{document}\n"));
    EXPECT_EQ(occurrences(latex, "\\usepackage"), 1u);
    expect_well_formed_html(write_equations(model, sets, EquationFormat::html));
    const std::string markdown = write_equations(model, sets, EquationFormat::markdown);
    EXPECT_EQ(occurrences(markdown, "```math\n"), occurrences(markdown, "\n```\n"));
    EXPECT_EQ(occurrences(markdown, "\\begin{aligned}"), occurrences(markdown, "\\end{aligned}"));
    for (const EquationFormat format : kFormats) {
      const std::string text = write_equations(model, sets, format);
      EXPECT_EQ(text.find('\x01'), std::string::npos) << "a place for a break that was left";
      EXPECT_EQ(text, write_equations(model, again, format)) << "the same input gives the same bytes";
    }
  }
}

TEST(Equations, DocumentsOfFormulationsAreWellFormed) {
  const Model model = load("stanford");
  for (const char* id : {"newton-euler", "kane-stanford", "lagrange", "uicker-kahn"}) {
    SCOPED_TRACE(id);
    EquationOptions options;
    options.formulation = id;
    const std::vector<EquationSet> sets{make_equations(model, EquationsOf::inverse, options)};
    expect_well_formed_latex(write_equations(model, sets, EquationFormat::latex));
    expect_well_formed_html(write_equations(model, sets, EquationFormat::html));
    EXPECT_NE(write_equations(model, sets, EquationFormat::markdown).find(std::string("By the formulation ") + id), std::string::npos);
  }
}

TEST(Equations, LatexOfThePlanarArm) {
  const Model model = load("planar-2r");
  const std::vector<EquationSet> sets{make_equations(model, EquationsOf::mass), make_equations(model, EquationsOf::forward)};
  const std::string latex = write_equations(model, sets, EquationFormat::latex);
  EXPECT_NE(latex.find("M_{11} &= I_{1} + I_{2} + m_{1} l_{c1}^{2} + m_{2} l_{1}^{2} + m_{2} l_{c2}^{2} + 2 m_{2} l_{1} l_{c2} c_{2} \\\\\n"),
            std::string::npos)
      << latex;
  EXPECT_NE(latex.find("c_{2} &= \\cos q_{2}"), std::string::npos);
  EXPECT_NE(latex.find("\\frac{"), std::string::npos);
  EXPECT_NE(latex.find("\\ddot{q}_{1} &= "), std::string::npos);
  EXPECT_EQ(latex.find("{("), std::string::npos) << "brackets around a whole numerator or denominator";
  const std::string html = write_equations(model, sets, EquationFormat::html);
  EXPECT_NE(html.find("<i>M</i><sub>12</sub></td><td>= <i>I</i><sub>2</sub> + <i>m</i><sub>2</sub> <i>l</i><sub>c2</sub><sup>2</sup> + "), std::string::npos);
}

// A pendulum whose names are meant to break out of their cells.
Model hostile() {
  Description d;
  d.name = "a_b$%\\end{document}<script>|`&#~^{}\"'\n";
  d.links = {Link{.name = "base"}, Link{.name = "ro_d$ \\input{y} <i>", .mass = 2, .com = {0.5, 0, 0}, .inertia = {0.1, 0.1, 0.1}, .inertial = true}};
  Description::JointEntry joint;
  joint.joint.name = "$x_1^2$ \\input{x} </td><b> | `c` & 100% #1 \xc3\xa4 [a](b) *";
  joint.joint.type = JointType::continuous;
  joint.parent = "base";
  joint.child = d.links[1].name;
  d.joints = {joint};
  return build(d);
}

TEST(Equations, NamesFromFilesAreHarmless) {
  const Model model = hostile();
  const std::string latex = document_of(model, EquationFormat::latex);
  expect_well_formed_latex(latex);
  EXPECT_EQ(occurrences(latex, "\\end{document}"), 1u);
  EXPECT_EQ(latex.find("\\input"), std::string::npos);
  const std::string html = document_of(model, EquationFormat::html);
  expect_well_formed_html(html);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  const std::string markdown = document_of(model, EquationFormat::markdown);
  EXPECT_EQ(markdown.find("<script"), std::string::npos);
  EXPECT_NE(markdown.find("\\$x\\_1^2\\$ \\\\input\\{x\\} &lt;/td\\>&lt;b\\> \\| \\`c\\` &amp; 100% \\#1"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("\\[a\\]\\(b\\) \\*"), std::string::npos);
  EXPECT_EQ(markdown.substr(0, 2), "# ");
  EXPECT_NE(document_of(model, EquationFormat::text).find("Equations of motion: a_b$%"), std::string::npos);
}

// The document, typeset.
TEST(Equations, PdfIsBuiltWhereTexIsInstalled) {
  if (!support::installed("pdflatex")) GTEST_SKIP() << "no pdflatex";
  const support::Folder folder;
  int number = 0;
  EquationOptions by_kane;
  by_kane.formulation = "kane-stanford";
  const std::vector<EquationSet> kane{make_equations(load("stanford"), EquationsOf::inverse, by_kane)};
  folder.write("kane.tex", write_equations(load("stanford"), kane, EquationFormat::latex));
  EXPECT_EQ(folder.run("pdflatex -interaction=nonstopmode -halt-on-error kane.tex"), 0);
  for (const Model& model : {load("planar-2r"), load("stanford"), hostile()}) {
    const std::string name = "robot" + std::to_string(++number);
    folder.write(name + ".tex", document_of(model, EquationFormat::latex));
    EXPECT_EQ(folder.run("pdflatex -interaction=nonstopmode -halt-on-error " + name + ".tex"), 0) << model.name();
    EXPECT_TRUE(std::filesystem::exists(folder.at(name + ".pdf")));
  }
}

}  // namespace
}  // namespace ulna::test
