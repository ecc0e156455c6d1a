// Equations as documents: the frame that all formats share.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "emit/equations_formulation.hpp"
#include "emit/equations_marks.hpp"
#include "emit/equations_style.hpp"
#include "model/moving_tree.hpp"
#include "text/cat.hpp"

namespace ulna ULNA_API {

namespace {

struct JointRow {
  std::string number, name, kind, follows;
};
std::vector<JointRow> joint_rows(const Model& model, const std::vector<std::size_t>& numbers, double snap) {
  std::vector<JointRow> rows;
  for (const MovingBody& body : merge_fixed(model, snap).bodies) {
    const Joint& joint = model.joints()[body.joint];
    std::size_t coordinate = 0;
    const std::size_t leader = joint.mimic ? joint.mimic->leader : body.joint;
    while (coordinate < model.independent().size() && model.independent()[coordinate] != leader) ++coordinate;
    rows.push_back({cat(rows.size() + 1), joint.name, joint.type == JointType::prismatic ? "sliding" : "turning", cat(numbers.at(coordinate))});
  }
  return rows;
}

/// Whose parameters these are, and in which axes.
std::string frames_of(const EquationSet& set, const Style& style) {
  constexpr const char* kOwn =
      "In the parameters of the links: each link with everything fixed to it, in axes that stand at its joint, z along the joint's axis";
  if (const Formulation* paper = paper_of(set.formulation))
    return cat("By the formulation ", set.formulation, " (", style.escaped(paper->citation), "). ", frames_in_words(paper->frames));
  if (set.form == EquationForm::closed || !row_of(set.what).lumps) return kOwn;
  return "On lumped parameters: mass and the first and second moments of each link about its joint, in axes that stand at the joint, z along its axis. From "
         "the "
         "tips to the base, what a joint cannot feel of its link has been added to the link before: of a turning joint the mass, the first moment along z and "
         "the second moment zz; of a sliding joint all second moments. Vectors and matrices are those of the numbered link, in its own axes";
}

/// What the letters of a set mean, those that occur.
std::string intro_of(const EquationSet& set, const Document& out) {
  std::string text = frames_of(set, out.style());
  if (set.form == EquationForm::closed) return text + ".";
  const char* separator = paper_of(set.formulation) == nullptr ? ": " : ". Letters: ";
  const auto explain = [&](const EquationMark& mark, const char* meaning) {
    const auto has = [&](const Equation& e) { return e.left.letter == mark.letter && e.left.above == mark.above && e.left.dots == mark.dots; };
    if (std::any_of(set.definitions.begin(), set.definitions.end(), has)) text += cat(std::exchange(separator, "; "), out.math(mark), " ", meaning);
  };
  explain({"omega", "", "", 0}, "angular velocity");
  explain({"omega", "", "", 1}, "angular acceleration");
  explain({"v", "", "", 0}, "velocity of the origin");
  explain({"U", "", "", 0}, "the matrix that gives the acceleration of a point against that of the origin");
  explain({"a", "", "", 0}, "acceleration of the origin less gravity");
  explain({"f", "", "", 0}, "force that the link before exerts on it");
  explain({"n", "", "", 0}, "moment that it exerts, about the origin");
  explain({"m", "", "c", 0}, "mass of the link and all beyond it");
  explain({"h", "", "c", 0}, "first moment of the link and all beyond it");
  explain({"S", "", "c", 0}, "second moment of the link and all beyond it");
  explain({"r", "", "c", 0}, "mass centre of the link and all beyond it");
  explain({"I", "", "c", 0}, "inertia of the link and all beyond it about that centre");
  explain({"R", "", "0", 0}, "axes of the link in those of the base");
  explain({"p", "", "0", 0}, "its origin from that of the base, in the base's axes");
  explain({"u", "", "", 0}, "generalized speeds");
  explain({"u", "", "", 1}, "their rates");
  explain({"K", "", "", 0}, "constants of the robot");
  const bool paper = line_options(paper_of(set.formulation)).every_name;
  explain({"Z", "", "", 0}, paper ? "the paper's intermediate quantities" : "what has no name");
  explain({"C", "", "", 0}, "and X those of the paper with two numbers");
  explain({"V", "", "", 0}, "what the paper writes in several places and does not name");
  return text + ".";
}

std::unique_ptr<Document> document(EquationFormat format) {
  switch (format) {
    case EquationFormat::latex: return latex_document();
    case EquationFormat::markdown: return markdown_document();
    case EquationFormat::html: return html_document();
    default: return text_document();
  }
}

}  // namespace

namespace {

std::string write_into(Document* out, const Model& model, std::span<const EquationSet> sets, double snap) {
  const Style& style = out->style();
  out->begin(cat("Equations of motion: ", style.escaped(model.name())));
  std::vector<std::vector<std::string>> rows;
  // All sets are by one formulation.
  const std::vector<std::size_t> numbers = coordinate_numbers(sets.empty() ? nullptr : paper_of(sets.front().formulation), model.independent().size());
  for (const JointRow& joint : joint_rows(model, numbers, snap))
    rows.push_back({joint.number, style.escaped(joint.name), joint.kind, out->math({"q", joint.follows, "", 0})});
  out->paragraph(cat("Joints and the links behind them. ", out->math({"q", "", "", 0}), " are the joint coordinates, ", out->math({"q", "", "", 1}), " and ",
                     out->math({"q", "", "", 2}), " their rates and accelerations, ", out->math({"tau", "", "", 0}), " the joint forces. SI units."));
  out->table({"number", "joint", "kind", "coordinate"}, rows);
  for (const EquationSet& set : sets) {
    out->begin_set(set);
    out->heading(std::string(row_of(set.what).heading));
    if (!set.link.empty()) out->paragraph(cat("The link is ", style.escaped(set.link), "."));
    out->paragraph(intro_of(set, *out));
    if (!set.symbols.empty()) out->symbols(set.symbols);
    if (!set.definitions.empty()) {
      out->paragraph("With");
      out->equations(set.definitions);
      out->paragraph(set.results.empty() ? "nothing is left: every result is zero." : "the results are");
    }
    out->equations(set.results);
    if (const std::string note = std::string(row_of(set.what).remark); !note.empty()) out->paragraph(note);
  }
  return out->end();
}

}  // namespace

void Document::symbols(const std::vector<EquationSymbol>& all) {
  std::vector<std::vector<std::string>> rows;
  for (const EquationSymbol& symbol : all) rows.push_back({math(symbol.mark), number_text(symbol.value), style().unit(symbol.unit), symbol.meaning});
  table({"symbol", "value", "unit", "meaning"}, rows);
}

std::string write_equations(const Model& model, std::span<const EquationSet> sets, EquationFormat format, double snap) {
  return write_into(document(format).get(), model, sets, snap);
}

std::string equations_fragment(const Model& model, std::span<const EquationSet> sets, const std::vector<std::string>& prefixes, double snap) {
  if (prefixes.size() != sets.size()) throw std::invalid_argument(cat("there are ", sets.size(), " sets of equations, but ", prefixes.size(), " prefixes"));
  return write_into(html_fragment(prefixes).get(), model, sets, snap);
}

}  // namespace ULNA_API
