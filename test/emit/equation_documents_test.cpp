// Equations as documents: well formed in every format, harmless whatever names a file has, and typeset where TeX is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include <ulna/emit/equations.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "support/folder.hpp"

namespace ulna::test {
namespace {

constexpr EquationFormat kFormats[] = {EquationFormat::text, EquationFormat::latex, EquationFormat::markdown, EquationFormat::html};

std::size_t occurrences(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++count;
  return count;
}

std::vector<EquationSet> all_of(const Model& model) {
  std::vector<EquationSet> sets;
  for (const Quantity what : equation_quantities()) sets.push_back(make_equations(model, what));
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
    const bool in_lines = !open.empty() && (open.back() == "align*" || open.back() == "bmatrix");
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

TEST(EquationDocuments, DocumentsAreWellFormed) {
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

TEST(EquationDocuments, DocumentsOfFormulationsAreWellFormed) {
  const Model model = load("stanford");
  for (const char* id : {"newton-euler", "kane-stanford", "lagrange", "uicker-kahn"}) {
    SCOPED_TRACE(id);
    EquationOptions options;
    options.formulation = id;
    const std::vector<EquationSet> sets{make_equations(model, Quantity::inverse, options)};
    expect_well_formed_latex(write_equations(model, sets, EquationFormat::latex));
    expect_well_formed_html(write_equations(model, sets, EquationFormat::html));
    EXPECT_NE(write_equations(model, sets, EquationFormat::markdown).find(std::string("By the formulation ") + id), std::string::npos);
    options.formulation = "modified-newton-euler";
    const std::vector<EquationSet> others{make_equations(model, Quantity::inverse, options)};
    expect_well_formed_latex(write_equations_beside(model, sets, others, EquationFormat::latex));
    expect_well_formed_html(write_equations_beside(model, sets, others, EquationFormat::html));
    const std::string markdown = write_equations_beside(model, sets, others, EquationFormat::markdown);
    EXPECT_EQ(occurrences(markdown, "```math\n"), occurrences(markdown, "\n```\n"));
    EXPECT_EQ(occurrences(markdown, "<td"), occurrences(markdown, "</td>"));
  }
}

TEST(EquationDocuments, LatexOfThePlanarArm) {
  const Model model = load("planar-2r");
  const std::vector<EquationSet> sets{make_equations(model, Quantity::mass), make_equations(model, Quantity::forward)};
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

TEST(EquationDocuments, NamesFromFilesAreHarmless) {
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
TEST(EquationDocuments, PdfIsBuiltWhereTexIsInstalled) {
  if (!support::installed("pdflatex")) GTEST_SKIP() << "no pdflatex";
  const support::Folder folder;
  int number = 0;
  EquationOptions by_kane;
  by_kane.formulation = "kane-stanford";
  const std::vector<EquationSet> kane{make_equations(load("stanford"), Quantity::inverse, by_kane)};
  folder.write("kane.tex", write_equations(load("stanford"), kane, EquationFormat::latex));
  EXPECT_EQ(folder.run("pdflatex -interaction=nonstopmode -halt-on-error kane.tex"), 0);
  EquationOptions by_hollerbach;
  by_hollerbach.formulation = "hollerbach-3x3";
  const std::vector<EquationSet> hollerbach{make_equations(load("stanford"), Quantity::inverse, by_hollerbach)};
  folder.write("beside.tex", write_equations_beside(load("stanford"), kane, hollerbach, EquationFormat::latex));
  EXPECT_EQ(folder.run("pdflatex -interaction=nonstopmode -halt-on-error beside.tex"), 0);
  for (const Model& model : {load("planar-2r"), load("stanford"), hostile()}) {
    const std::string name = "robot" + std::to_string(++number);
    folder.write(name + ".tex", document_of(model, EquationFormat::latex));
    EXPECT_EQ(folder.run("pdflatex -interaction=nonstopmode -halt-on-error " + name + ".tex"), 0) << model.name();
    EXPECT_TRUE(std::filesystem::exists(folder.at(name + ".pdf")));
  }
}

// Papers' rules are stored in ASCII and shown as mathematics; a letter is explained once.
TEST(EquationDocuments, RulesOfPapersAreTypeset) {
  std::size_t letters = 0;
  for (const Formulation& row : formulations())
    for (const char* robot : {"planar-3r", "stanford"}) {
      const Model model = load(robot);
      EquationOptions options;
      options.formulation = row.id;
      std::vector<EquationSet> sets;
      for (const Quantity what : equation_quantities())
        if (row.make_symbolic != nullptr && row.gives(what) && row.why_not(Prepared(model)).empty()) sets.push_back(make_equations(model, what, options));
      if (sets.empty()) continue;
      SCOPED_TRACE(std::string(row.id) + " of " + robot);
      expect_well_formed_latex(write_equations(model, sets, EquationFormat::latex));
      for (const EquationSet& set : sets) {
        const std::string page = write_equations(model, {&set, 1}, EquationFormat::html);
        expect_well_formed_html(page);
        const std::string words = page.substr(page.find("<body>"));
        for (const char* raw :
             {"^", "omega", "(i-1)", "(i+1)", "chat(", "phat(", "Jhat(", "shat(", "mhat(", "rbar(", "cbar(", "Denavit−", " int ", " dm ", " >= ", "''"})
          EXPECT_EQ(words.find(raw), std::string::npos) << raw << ": " << words.substr(words.find(raw) - 80, 160);
        std::set<std::string> explained;
        for (std::size_t at = words.find("<p><i>"); at != std::string::npos; at = words.find("<p><i>", at + 1)) {
          EXPECT_TRUE(explained.insert(words.substr(at, words.find_first_of(",:", at) - at)).second) << words.substr(at, 80);
          ++letters;
        }
      }
    }
  EXPECT_GT(letters, 150u);
  const auto shown = [](const char* id, EquationFormat format) {
    EquationOptions options;
    options.formulation = id;
    const Model model = load("planar-3r");
    const EquationSet set = make_equations(model, Quantity::inverse, options);
    return write_equations(model, {&set, 1}, format);
  };
  // (3.15) of Turney, Mudge and Lee, (23) of Kane and Levinson.
  EXPECT_NE(shown("newton-euler", EquationFormat::html).find("<i>R</i><sup>T</sup> (<i>ω</i><sub>i−1</sub> + <i>q\u0307</i><sub>i</sub> <i>z</i>)  (3.15)."),
            std::string::npos);
  EXPECT_NE(shown("newton-euler", EquationFormat::latex).find("$R^{T} (\\omega_{i-1} + \\dot{q}_{i} z)$  (3.15)."), std::string::npos);
  EXPECT_NE(shown("newton-euler", EquationFormat::text).find("R^T (omega(i-1) + q(i)' z)  (3.15)."), std::string::npos);
  EXPECT_NE(shown("kane", EquationFormat::latex).find("angular velocity; $\\textstyle\\sum  \\omega_{Rr} u_{r}$  (23)."), std::string::npos);
}

// c_23 is a name; a sum with a factor or a sign is written out where it stands.
TEST(EquationDocuments, SumsOfAnglesAreWrittenOut) {
  Diagnostics problems;
  const Model model = *with_locked(load("puma560"), {{"joint4", 0}, {"joint5", 0}, {"joint6", 0}}, problems);
  const EquationSet mass = make_equations(model, Quantity::mass);
  ASSERT_EQ(mass.form, EquationForm::closed);
  const std::string text = write_equations(model, {&mass, 1}, EquationFormat::text), page = write_equations(model, {&mass, 1}, EquationFormat::html);
  EXPECT_NE(text.find("cos(2 q2 + q3)"), std::string::npos);
  EXPECT_NE(page.find("cos(2 <i>q</i><sub>2</sub> + <i>q</i><sub>3</sub>)"), std::string::npos);
  for (const char* name : {"c(", " s(", "c2q", "+3"}) EXPECT_EQ(text.find(name), std::string::npos) << name;
  EXPECT_NE(text.find("c23 = cos(q2 + q3)"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
