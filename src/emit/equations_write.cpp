// Equations as documents: the frame that all formats share.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "emit/equations_steps.hpp"
#include "emit/equations_style.hpp"
#include "model/moving_tree.hpp"
#include "text/message.hpp"

namespace ulna::internal {

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
    rows.push_back({cat(rows.size() + 1), joint.name, joint.type == JointType::prismatic ? "prismatic" : "revolute", cat(numbers.at(coordinate))});
  }
  return rows;
}

/// Whose parameters these are, and in which axes.
std::string frames_of(const EquationSet& set, const Style& style) {
  constexpr const char* kOwn =
      "In the parameters of the links. A link includes everything that is fixed to it. Its frame is at its joint, with z along the joint's axis";
  if (const Formulation* paper = paper_of(set.formulation))
    return cat("By the formulation ", set.formulation, " (", style.escaped(paper->citation), "). ", style.rule(frames_in_words(paper->frames)));
  if (set.form == EquationForm::closed || !row_of(set.what).lumps) return kOwn;
  return "In lumped parameters: mass, first and second moments of each link about its joint, in a frame with z along the joint's axis. Some of them do not "
         "change the joint's torque. They have been added to the parent link, from the tips to the base: of a revolute joint the mass, the first moment along "
         "z and "
         "the second moment zz; of a prismatic joint all second moments. Vectors and matrices belong to the numbered link and are in its own axes";
}

/// What the letters of a set mean, those that occur.
std::string intro_of(const EquationSet& set, const Document& out) {
  std::string text = frames_of(set, out.style());
  if (set.form == EquationForm::closed) return text + ".";
  const char* separator = paper_of(set.formulation) == nullptr ? ": " : ". Letters: ";
  const auto explain = [&](const EquationMark& mark, const char* meaning) {
    const auto has = [&](const Equation& e) {
      return e.left.letter == mark.letter && e.left.above == mark.above && e.left.dots == mark.dots && (set.letters.empty() || e.left.entry.empty());
    };
    if (std::any_of(set.letters.begin(), set.letters.end(), [&](const EquationLetter& l) { return l.mark == mark && l.rows == 1; })) return;  // the paper's
    if (std::any_of(set.definitions.begin(), set.definitions.end(), has)) text += cat(std::exchange(separator, "; "), out.math(mark), " ", meaning);
  };
  explain({"omega", "", "", 0}, "angular velocity");
  explain({"omega", "", "", 1}, "angular acceleration");
  explain({"v", "", "", 0}, "velocity of the origin");
  explain({"U", "", "", 0}, "matrix whose product with a point is its acceleration relative to the origin");
  explain({"a", "", "", 0}, "acceleration of the origin less gravity");
  explain({"f", "", "", 0}, "force of the parent link on the link");
  explain({"n", "", "", 0}, "moment of the parent link on the link, about the origin");
  explain({"m", "", "c", 0}, "mass of the link and all links beyond it");
  explain({"h", "", "c", 0}, "first moment of the link and all links beyond it");
  explain({"S", "", "c", 0}, "second moment of the link and all links beyond it");
  explain({"R", "", "0", 0}, "axes of the link in those of the base");
  explain({"p", "", "0", 0}, "its origin from that of the base, in the base's axes");
  explain({"G", "", "", 0}, "rate of the dependent coordinate with the first number while that with the second moves at rate 1 alone");
  explain({"q", "", "", 1}, "rate of a dependent coordinate");
  explain({"q", "", "", 2}, "its acceleration");
  explain({"K", "", "", 0}, "constants of the robot");
  explain({"Z", "", "", 0}, "intermediate results");
  explain({"V", "", "", 0}, "expressions that the paper writes in several places without a name");
  text += ".";
  const bool dots = std::any_of(set.quantities.begin(), set.quantities.end(), [](const EquationQuantity& quantity) {
    return std::any_of(quantity.entries.begin(), quantity.entries.end(), [](const EquationQuantity::Entry& entry) { return !entry.needed; });
  });
  return dots ? text + " A dot in a vector or matrix stands for an entry that no result needs." : text;
}

/// "inertia forces of the links from i on; A(i+1) D(i+1) + …  (18)": the number of the equation is no formula.
std::string meaning_of(const EquationLetter& letter, const Style& style) {
  const std::size_t number =
      letter.rule.starts_with("(") && letter.rule.find("  (") == std::string::npos ? 0 : std::min(letter.rule.rfind("  ("), letter.rule.size());
  const char* between = letter.meaning.empty() || letter.rule.empty() ? "" : "; ";
  return cat(style.rule(letter.meaning), between, style.rule(letter.rule.substr(0, number)), style.escaped(letter.rule.substr(number)));
}
/// "D, 3 x 3"
std::string letter_of(const EquationLetter& letter, const Document& out) {
  const std::string size = letter.rows == 1 ? "" : letter.columns == 1 ? cat(", ", letter.rows, " entries") : cat(", ", letter.rows, " x ", letter.columns);
  return cat(out.math(letter.mark), out.style().rule(size));
}

}  // namespace

std::unique_ptr<Document> equations_document(EquationFormat format, bool narrow) {
  switch (format) {
    case EquationFormat::latex: return latex_document(narrow);
    case EquationFormat::markdown: return markdown_document();
    case EquationFormat::html: return html_document();
    default: return text_document(narrow);
  }
}

void write_joints(Document& out, const Model& model, const std::vector<NumberedBy>& columns, double snap) {
  const Style& style = out.style();
  std::vector<std::string> head{"number", "joint", "kind"};
  std::vector<std::vector<std::string>> rows;
  for (const NumberedBy& column : columns) {
    head.push_back(column.title);
    const std::vector<JointRow> joints = joint_rows(model, column.numbers, snap);
    rows.resize(joints.size());
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (rows[k].empty()) rows[k] = {joints[k].number, style.escaped(joints[k].name), joints[k].kind};
      rows[k].push_back(out.math({"q", joints[k].follows, "", 0}));
    }
  }
  out.paragraph(cat("Joints and the links behind them. ", out.math({"q", "", "", 0}), " are the joint coordinates, ", out.math({"q", "", "", 1}), " and ",
                    out.math({"q", "", "", 2}), " their rates and accelerations, ", out.math({"tau", "", "", 0}), " the joint forces. SI units."));
  out.table(head, rows);
  if (model.base() != RootJoint::free) return;
  const auto of = [&](const char* letter, int dots = 0) { return out.math({letter, "0", "", dots}); };
  out.paragraph(cat("The base is free: ", of("r"), " is its position in the world, ", of("e"),
                    " the unit quaternion x, y, z, w that turns its vectors into the world's, ", of("omega"), " and ", of("v"),
                    " its angular and linear velocity in its own axes, ", of("omega", 1), " and ", of("v", 1),
                    " its accelerations there (the linear one is that of its origin), and ", out.math({"tau", "", "", 0}),
                    " with nx, ny, nz and fx, fy, fz the moment and the force on it."));
}

void write_intro(Document& out, const EquationSet& set) {
  if (!set.link.empty()) out.paragraph(cat("The link is ", out.style().escaped(set.link), "."));
  out.paragraph(intro_of(set, out));
  // A letter that stands for two quantities has one line.
  for (std::size_t k = 0; k < set.letters.size(); ++k) {
    const auto same = [&](const EquationLetter& other) { return other.mark == set.letters[k].mark; };
    if (std::any_of(set.letters.begin(), set.letters.begin() + static_cast<std::ptrdiff_t>(k), same)) continue;
    std::string line = letter_of(set.letters[k], out), separator = ": ";
    for (const EquationLetter& letter : set.letters)
      if (same(letter)) line += std::exchange(separator, "; and ") + meaning_of(letter, out.style());
    out.paragraph(line + ".");
  }
  if (set.own_speeds.empty()) return;
  std::string speeds = "Generalized speeds in place of the rates v of the joints: ";
  for (std::size_t r = 0; r < set.own_speeds.size(); ++r)
    speeds += cat(r == 0 ? "" : "; ", out.math(set.own_speeds[r]), " = ", out.style().escaped(set.own_speeds_are[r]));
  out.paragraph(speeds + (set.heading.empty() && set.what != Quantity::inverse
                              ? ". M and b are those of M u' + b = Q, Q being the generalized active forces of the drives."
                              : "."));
}

void write_results(Document& out, const EquationSet& set) {
  if (!set.definitions.empty()) out.paragraph(set.results.empty() ? "nothing is left: every result is zero." : "the results are");
  out.equations(set.results);
  if (!set.heading.empty())
    out.paragraph(
        "Entries that are not listed are zero. The numbers are those of link and speed; vectors are in the axes of the link, velocities those of its mass "
        "centre.");
  else if (const std::string note = std::string(row_of(set.what).remark); !note.empty())
    out.paragraph(note);
}

namespace {

std::string write_into(Document* out, const Model& given, std::span<const EquationSet> sets, double snap) {
  const Model model = given.base() == RootJoint::planar ? with_base_as_joints(given) : given;
  out->begin(cat("Equations of motion: ", out->style().escaped(model.name())));
  // All sets are by one formulation.
  write_joints(*out, model, {{"coordinate", sets.empty() ? coordinate_numbers(nullptr, model) : sets.front().numbers}}, snap);
  for (const EquationSet& set : sets) {
    out->begin_set(set);
    out->heading(set.heading.empty() ? std::string(row_of(set.what).heading) : set.heading);
    write_intro(*out, set);
    if (set.speeds.size() < set.numbers.size()) {
      std::string independent;
      for (const std::size_t number : set.speeds) independent += cat(independent.empty() ? "" : ", ", out->math({"q", cat(number), "", 0}));
      out->paragraph(cat("Links form loops: ", independent, set.speeds.size() == 1 ? " is" : " are", " independent, and the other coordinates follow."));
    }
    if (!set.symbols.empty()) out->symbols(set.symbols);
    if (!set.definitions.empty()) {
      out->paragraph("With");
      out->definitions(set);
    }
    write_results(*out, set);
  }
  return out->end();
}

}  // namespace

void Document::symbols(const std::vector<EquationSymbol>& all) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(all.size());
  for (const EquationSymbol& symbol : all) rows.push_back({math(symbol.mark), number_text(symbol.value), style().unit(symbol.unit), symbol.meaning});
  table({"symbol", "value", "unit", "meaning"}, rows);
}

void Document::definitions(const EquationSet& set) {
  const auto from_to = [&](std::size_t first, std::size_t last) {
    const auto begin = set.definitions.begin();
    if (first < last) equations({begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)});
  };
  std::size_t at = 0;
  for (const EquationQuantity& whole : set.quantities) {
    from_to(at, whole.first);
    at = whole.last;
    if (fits(whole)) {
      quantity(whole);
      continue;
    }
    EquationQuantity names = whole;
    for (EquationQuantity::Entry& entry : names.entries) entry.formula = entry.name;
    if (fits(names)) quantity(names);
    from_to(whole.first, whole.last);
  }
  from_to(at, set.definitions.size());
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::string write_equations(const Model& model, std::span<const EquationSet> sets, EquationFormat format, double snap) {
  return write_into(equations_document(format, false).get(), model, sets, snap);
}

std::string equations_fragment(const Model& model, std::span<const EquationSet> sets, const std::vector<std::string>& prefixes, double snap) {
  if (prefixes.size() != sets.size()) throw std::invalid_argument(cat("there are ", sets.size(), " sets of equations, but ", prefixes.size(), " prefixes"));
  return write_into(html_fragment(prefixes).get(), model, sets, snap);
}

// Two formulations side by side.

namespace {

std::string name_of(const EquationSet& set) { return set.formulation.empty() ? std::string("production path") : set.formulation; }

/// A column of text is as high as it is; TeX cannot break one over pages, so definitions come in pieces of about this many lines.
constexpr std::ptrdiff_t kLines = 30;

std::ptrdiff_t lines_in(const std::string& text) {
  std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
  for (std::size_t at = text.find("\\\\"); at != std::string::npos; at = text.find("\\\\", at + 2)) ++lines;
  return lines;
}

/// The definitions in pieces: whole for formats that scroll.
std::vector<std::string> definitions_of(const EquationSet& set, Document& out, bool pages) {
  std::vector<std::string> pieces;
  if (set.definitions.empty()) return pieces;
  if (!pages) {
    out.paragraph("With");
    out.definitions(set);
    return {out.take()};
  }
  constexpr std::size_t kAtOnce = 15;
  EquationSet part = set;
  for (std::size_t first = 0; first < set.definitions.size();) {
    std::size_t last = std::min(first + kAtOnce, set.definitions.size());
    for (const EquationQuantity& quantity : set.quantities)  // never through a matrix
      if (quantity.first < last && last < quantity.last) last = quantity.last;
    const auto begin = set.definitions.begin();
    part.definitions.assign(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
    part.quantities.clear();
    for (EquationQuantity quantity : set.quantities) {
      const bool own = quantity.first < quantity.last;
      const bool here =
          own ? first <= quantity.first && quantity.last <= last : first <= quantity.first && (quantity.first < last || last == set.definitions.size());
      if (!here) continue;
      quantity.first -= first;
      quantity.last -= first;
      part.quantities.push_back(std::move(quantity));
    }
    out.definitions(part);
    std::string piece = out.take();
    if (!pieces.empty() && lines_in(pieces.back()) + lines_in(piece) < kLines)
      pieces.back() += piece;
    else
      pieces.push_back(std::move(piece));
    first = last;
  }
  return pieces;
}

}  // namespace

std::string write_equations_beside(const Model& model, std::span<const EquationSet> left, std::span<const EquationSet> right, EquationFormat format,
                                   double snap) {
  if (left.size() != right.size())
    throw std::invalid_argument(cat("there are ", left.size(), " sets of equations on the left, but ", right.size(), " on the right"));
  const std::unique_ptr<Document> document = equations_document(format, true);
  Document& out = *document;
  out.begin(cat("Equations of motion: ", out.style().escaped(model.name())));
  if (!left.empty()) {
    std::vector<NumberedBy> columns{{"coordinate", left[0].numbers}};
    if (right[0].numbers != left[0].numbers) columns = {{name_of(left[0]), left[0].numbers}, {name_of(right[0]), right[0].numbers}};
    write_joints(out, model, columns, snap);
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k].what != right[k].what) throw std::invalid_argument("equations of different quantities cannot be put side by side");
    out.heading(cat(row_of(left[k].what).heading, ": ", name_of(left[k]), " beside ", name_of(right[k])));
    const std::string before = out.take();
    std::vector<std::pair<std::string, std::string>> rows;
    const auto both = [&](auto&& write) {
      write(left[k]);
      std::string a = out.take();
      write(right[k]);
      rows.emplace_back(std::move(a), out.take());
    };
    both([&](const EquationSet& set) { write_intro(out, set); });
    both([&](const EquationSet& set) { out.symbols(set.symbols); });
    const bool pages = format == EquationFormat::latex;
    std::vector<std::string> a = definitions_of(left[k], out, pages), b = definitions_of(right[k], out, pages);
    for (std::size_t piece = 0; piece < std::max(a.size(), b.size()); ++piece)
      rows.emplace_back(piece < a.size() ? a[piece] : std::string(), piece < b.size() ? b[piece] : std::string());
    both([&](const EquationSet& set) { write_results(out, set); });
    out.put(before);
    out.beside({name_of(left[k]), name_of(right[k])}, rows);
  }
  return out.end();
}

}  // namespace ULNA_API
