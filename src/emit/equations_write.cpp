// Equations as documents. What differs between the formats is a Style; the shape of a formula is written once.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include <ulna/emit/equations.hpp>
#include <ulna/model/reduce.hpp>

#include "model/text.hpp"

namespace ulna {

namespace {

constexpr char kBreak = '\x01';  // where a line may be broken; taken out again before anyone sees it
constexpr double kWidth = 72;    // of a line of mathematics, in letters

struct Greek {
  const char* latex;
  const char* html;
};
const Greek* greek(const std::string& name) {
  static const std::map<std::string, Greek> letters{
      {"alpha", {"\\alpha", "α"}}, {"mu", {"\\mu", "μ"}}, {"omega", {"\\omega", "ω"}}, {"tau", {"\\tau", "τ"}}, {"theta", {"\\theta", "θ"}}};
  const auto found = letters.find(name);
  return found == letters.end() ? nullptr : &found->second;
}

/// "alpha3" below a letter, as Greek and digits.
std::pair<const Greek*, std::string> split_greek(const std::string& below) {
  std::size_t letters = 0;
  while (letters < below.size() && below[letters] >= 'a' && below[letters] <= 'z') ++letters;
  const Greek* known = greek(below.substr(0, letters));
  return {known, known == nullptr ? below : below.substr(letters)};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string number_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

class Style {
 public:
  virtual ~Style() = default;
  virtual std::string mark(const EquationMark& mark) const = 0;
  virtual std::string number(double value) const = 0;  // value > 0
  virtual std::string power(const std::string& base, int exponent) const = 0;
  virtual std::string fraction(const std::string& above, const std::string& below, bool simple) const = 0;
  virtual std::string function(bool sine, const std::string& of, bool simple) const = 0;
  virtual bool stacks() const { return false; }  // fractions have a bar between above and below
  virtual const char* times() const = 0;
  virtual const char* minus() const = 0;
  virtual std::string escaped(std::string_view text) const = 0;
  virtual std::string unit(const std::string& text) const { return text; }

  std::string factors(const std::vector<EquationFactor>& all) const {
    std::string out;
    for (const EquationFactor& factor : all) out += cat(out.empty() ? "" : times(), one(factor));
    return out;
  }
  std::string formula(const EquationFormula& sum) const {
    if (sum.terms.empty()) return "0";
    std::string out;
    for (const EquationTerm& term : sum.terms) {
      const bool negative = term.coefficient < 0;
      if (out.empty())
        out = negative ? cat(minus(), body(term)) : body(term);
      else
        out += cat(kBreak, negative ? cat(" ", minus(), " ") : " + ", body(term));
    }
    return out;
  }

 private:
  static std::string unbroken(const std::string& text) { return replaced(text, std::string_view(&kBreak, 1), ""); }
  std::string one(const EquationFactor& factor) const {
    switch (factor.kind) {
      case EquationFactor::Kind::mark: return factor.power == 1 ? mark(factor.mark) : power(mark(factor.mark), factor.power);
      case EquationFactor::Kind::bracket: {
        const std::string bracket = cat("(", formula(*factor.inside), ")");
        return factor.power == 1 ? bracket : power(bracket, factor.power);
      }
      default: {
        const bool simple = factor.inside->terms.size() == 1;
        return function(factor.kind == EquationFactor::Kind::sine, unbroken(formula(*factor.inside)), simple);
      }
    }
  }
  /// Without the sign.
  std::string body(const EquationTerm& term) const {
    const double size = std::fabs(term.coefficient);
    std::string above = factors(term.factors);
    if (above.empty())
      above = number(size);
    else if (size != 1)
      above = cat(number(size), times(), above);
    if (term.divisors.empty()) return above;
    // A stacked fraction needs no brackets around what is above or below.
    const auto bare = [&](const std::vector<EquationFactor>& all) {
      return all.size() == 1 && all.front().kind == EquationFactor::Kind::bracket && all.front().power == 1;
    };
    if (stacks() && size == 1 && bare(term.factors)) above = formula(*term.factors.front().inside);
    const std::string below = stacks() && bare(term.divisors) ? formula(*term.divisors.front().inside) : factors(term.divisors);
    return fraction(unbroken(above), unbroken(below), term.divisors.size() == 1);
  }
};

class PlainText : public Style {
 public:
  std::string mark(const EquationMark& mark) const override { return mark.text(); }
  std::string number(double value) const override { return number_text(value); }
  std::string power(const std::string& base, int exponent) const override { return cat(base, "^", exponent); }
  std::string fraction(const std::string& above, const std::string& below, bool simple) const override {
    return simple ? cat(above, " / ", below) : cat(above, " / (", below, ")");
  }
  std::string function(bool sine, const std::string& of, bool) const override { return cat(sine ? "sin(" : "cos(", of, ")"); }
  const char* times() const override { return " "; }
  const char* minus() const override { return "-"; }
  std::string escaped(std::string_view text) const override {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return out;
  }
};

class Latex : public Style {
 public:
  std::string mark(const EquationMark& mark) const override {
    const Greek* known = greek(mark.letter);
    std::string out = known == nullptr ? mark.letter : known->latex;
    if (mark.dots > 0) out = cat(mark.dots == 1 ? "\\dot{" : "\\ddot{", out, "}");
    if (!mark.below.empty()) {
      const auto [letter, rest] = split_greek(mark.below);
      out += cat("_{", letter == nullptr ? "" : cat(letter->latex, " "), rest, "}");
    }
    if (!mark.above.empty()) out += cat("^{", mark.above, "}");
    return out;
  }
  std::string number(double value) const override {
    if (value == 0.5) return "\\tfrac{1}{2}";
    if (value == 0.25) return "\\tfrac{1}{4}";
    const std::string text = number_text(value);
    const std::size_t e = text.find('e');
    return e == std::string::npos ? text : cat(text.substr(0, e), " \\cdot 10^{", std::stoi(text.substr(e + 1)), "}");
  }
  std::string power(const std::string& base, int exponent) const override {
    return base.find('^') == std::string::npos || base.back() == ')' ? cat(base, "^{", exponent, "}") : cat("{", base, "}^{", exponent, "}");
  }
  std::string fraction(const std::string& above, const std::string& below, bool) const override { return cat("\\frac{", above, "}{", below, "}"); }
  std::string function(bool sine, const std::string& of, bool simple) const override {
    return simple ? cat(sine ? "\\sin " : "\\cos ", of) : cat(sine ? "\\sin(" : "\\cos(", of, ")");
  }
  bool stacks() const override { return true; }
  const char* times() const override { return " "; }
  const char* minus() const override { return "-"; }
  std::string unit(const std::string& text) const override { return replaced(text, "²", "$^2$"); }
  /// Letters that pdflatex may not know become '?': a name is no reason for a document not to compile.
  std::string escaped(std::string_view text) const override {
    std::string out;
    for (const char c : text) {
      switch (c) {
        case '\\': out += "\\textbackslash{}"; break;
        case '^': out += "\\textasciicircum{}"; break;
        case '~': out += "\\textasciitilde{}"; break;
        case '<': out += "\\textless{}"; break;
        case '>': out += "\\textgreater{}"; break;
        case '|': out += "\\textbar{}"; break;
        case '"': out += "\\textquotedbl{}"; break;
        case '{':
        case '}':
        case '$':
        case '&':
        case '#':
        case '_':
        case '%': out += cat("\\", c); break;
        default: {
          const auto code = static_cast<unsigned char>(c);
          if (code < 0x20 || code == 0x7f)
            out += ' ';
          else if (code < 0x80)
            out += c;
          else if (code >= 0xc0)  // the first byte of a letter; the others are dropped
            out += '?';
        }
      }
    }
    return replaced(out, "\\textquotedbl{}", "''");
  }
};

class Markdown : public Latex {
 public:
  std::string unit(const std::string& text) const override { return text; }
  std::string escaped(std::string_view text) const override {
    std::string out;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        out += ' ';
      else if (c == '<')
        out += "&lt;";
      else if (c == '&')
        out += "&amp;";
      else if (std::string_view("\\`*_{}[]()#+-.!|$>~").find(c) != std::string_view::npos)
        out += cat("\\", c);
      else
        out += c;
    }
    return out;
  }
};

class Html : public Style {
 public:
  std::string mark(const EquationMark& mark) const override {
    const Greek* known = greek(mark.letter);
    // Dots are letters of their own that stand above the one before.
    std::string out = cat("<i>", known == nullptr ? mark.letter : known->html, mark.dots == 1 ? "\u0307" : mark.dots == 2 ? "\u0308" : "", "</i>");
    if (!mark.above.empty()) out += cat("<sup>", mark.above, "</sup>");
    if (!mark.below.empty()) {
      const auto [letter, rest] = split_greek(mark.below);
      out += cat("<sub>", letter == nullptr ? "" : letter->html, rest, "</sub>");
    }
    return out;
  }
  std::string number(double value) const override {
    if (value == 0.5) return "½";
    if (value == 0.25) return "¼";
    return number_text(value);
  }
  std::string power(const std::string& base, int exponent) const override { return cat(base, "<sup>", exponent, "</sup>"); }
  std::string fraction(const std::string& above, const std::string& below, bool simple) const override {
    return simple ? cat(above, " / ", below) : cat(above, " / (", below, ")");
  }
  std::string function(bool sine, const std::string& of, bool simple) const override {
    return simple ? cat(sine ? "sin " : "cos ", of) : cat(sine ? "sin(" : "cos(", of, ")");
  }
  const char* times() const override { return " "; }
  const char* minus() const override { return "−"; }
  std::string escaped(std::string_view text) const override {
    std::string out;
    for (const char c : text) {
      switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
      }
    }
    return out;
  }
};

/// How wide it is when set, roughly: a command is one letter, what stands below or above a letter is smaller.
double width_of(std::string_view latex) {
  double width = 0, scale = 1;
  for (std::size_t at = 0; at < latex.size(); ++at) {
    const char c = latex[at];
    if (c == '\\') {
      while (at + 1 < latex.size() && std::isalpha(static_cast<unsigned char>(latex[at + 1])) != 0) ++at;
      width += scale;
    } else if ((c == '_' || c == '^') && at + 1 < latex.size() && latex[at + 1] == '{') {
      scale = 0.7;
    } else if (c == '}') {
      scale = 1;
    } else if (c == '+' || c == '-' || c == '=') {
      width += 2 * scale;
    } else if (c != '{' && c != ' ' && c != kBreak) {
      width += scale;
    }
  }
  return width;
}

std::string without_breaks(const std::string& text) { return replaced(text, std::string_view(&kBreak, 1), ""); }

/// Cut at the places for breaks: at those outside of all brackets, or at all of them.
std::vector<std::string> pieces_of(const std::string& text, bool inside) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == kBreak && (inside || depth == 0))
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

/// Breaks taken where the line would be too long, within brackets only where these are too long themselves; the others removed.
std::string broken(const std::string& text, std::string_view line_end, double first_width) {
  constexpr double kIndent = 4;
  std::string out;
  double width = first_width;
  const auto put = [&](const std::string& piece) {
    const std::string clean = without_breaks(piece);
    const double own = width_of(clean);
    if (!out.empty() && width + own > kWidth) {
      out += line_end;
      width = kIndent;
    }
    out += clean;
    width += own;
  };
  for (const std::string& piece : pieces_of(text, false)) {
    if (width_of(piece) + kIndent <= kWidth) {
      put(piece);
    } else {
      for (const std::string& part : pieces_of(piece, true)) put(part);
    }
  }
  return out;
}

const char* title_of(EquationsOf what) {
  switch (what) {
    case EquationsOf::mass: return "Inertia matrix";
    case EquationsOf::bias: return "Bias forces: joint forces without acceleration";
    case EquationsOf::gravity: return "Joint forces of gravity";
    case EquationsOf::forward: return "Forward dynamics: accelerations from joint forces";
    default: return "Inverse dynamics: joint forces from the motion";
  }
}

std::string after_results(const EquationSet& set) {
  return set.what == EquationsOf::mass ? "M is symmetric; entries that are not listed are those below the diagonal, or zero." : "";
}

struct JointRow {
  std::string number, name, kind, follows;
};
std::vector<JointRow> joint_rows(const Model& model, double snap) {
  std::vector<JointRow> rows;
  const std::vector<std::string> names = model.coordinate_names();
  for (const MovingBody& body : merge_fixed(model, snap).bodies) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(body.joint)];
    std::size_t coordinate = 0;
    const int leader = joint.mimic ? joint.mimic->leader : body.joint;
    while (coordinate < model.independent().size() && model.independent()[coordinate] != leader) ++coordinate;
    rows.push_back({cat(rows.size() + 1), joint.name, joint.type == JointType::prismatic ? "sliding" : "turning", cat(coordinate + 1)});
  }
  return rows;
}

/// One document; the formats differ in how these pieces are framed.
class Document {
 public:
  virtual ~Document() = default;
  virtual void begin(const std::string& title) = 0;
  virtual void heading(const std::string& text) = 0;
  virtual void paragraph(const std::string& text) = 0;
  virtual void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) = 0;
  virtual void equations(const std::vector<Equation>& all) = 0;
  virtual std::string end() = 0;
  virtual std::string math(const EquationMark& mark) const = 0;  // within a table
  virtual const Style& style() const = 0;
};

constexpr std::size_t kLinesAtOnce = 25;  // lines that TeX lines up with one another

class LatexDocument : public Document {
 public:
  void begin(const std::string& title) override {
    out_ = cat("\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n",
               "\\setlength{\\textwidth}{17cm}\n\\setlength{\\oddsidemargin}{-0.5cm}\n\\setlength{\\textheight}{24cm}\n\\setlength{\\topmargin}{-1.5cm}\n",
               "\\begin{document}\n\\section*{", title, "}\n");
  }
  void heading(const std::string& text) override { out_ += cat("\n\\subsection*{", text, "}\n"); }
  void paragraph(const std::string& text) override { out_ += cat(text, "\n\n"); }
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) override {
    constexpr std::size_t kRows = 40;  // a table does not break over pages
    for (std::size_t from = 0; from < rows.size(); from += kRows) {
      out_ += cat("\\begin{tabular}{", std::string(head.size(), 'l'), "}\n", row(head), "\\hline\n");
      for (std::size_t k = from; k < std::min(from + kRows, rows.size()); ++k) out_ += row(rows[k]);
      out_ += "\\end{tabular}\n\n\\medskip\n";
    }
  }
  void equations(const std::vector<Equation>& all) override {
    for (std::size_t from = 0; from < all.size(); from += kLinesAtOnce) out_ += cat("\\begin{align*}\n", lines(all, from, style_), "\\end{align*}\n");
  }
  std::string end() override { return out_ + "\\end{document}\n"; }
  std::string math(const EquationMark& mark) const override { return cat("$", style_.mark(mark), "$"); }
  const Style& style() const override { return style_; }

  static std::string lines(const std::vector<Equation>& all, std::size_t from, const Style& style) {
    std::string out;
    const std::size_t to = std::min(from + kLinesAtOnce, all.size());
    for (std::size_t k = from; k < to; ++k) {
      const std::string left = style.mark(all[k].left);
      out += cat(left, " &= ", broken(style.formula(all[k].right), " \\\\\n  &\\quad", width_of(left) + 2), k + 1 < to ? " \\\\\n" : "\n");
    }
    return out;
  }

 private:
  static std::string row(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) out += cat(out.empty() ? "" : " & ", cell.empty() ? "{}" : cell);
    return out + " \\\\\n";
  }
  Latex style_;
  std::string out_;
};

class MarkdownDocument : public Document {
 public:
  void begin(const std::string& title) override { out_ = cat("# ", title, "\n"); }
  void heading(const std::string& text) override { out_ += cat("\n## ", text, "\n"); }
  void paragraph(const std::string& text) override { out_ += cat("\n", text, "\n"); }
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) override {
    out_ += "\n" + row(head);
    out_ += "|";
    for (std::size_t k = 0; k < head.size(); ++k) out_ += "---|";
    out_ += "\n";
    for (const std::vector<std::string>& cells : rows) out_ += row(cells);
  }
  void equations(const std::vector<Equation>& all) override {
    for (std::size_t from = 0; from < all.size(); from += kLinesAtOnce)
      out_ += cat("\n```math\n\\begin{aligned}\n", LatexDocument::lines(all, from, style_), "\\end{aligned}\n```\n");
  }
  std::string end() override { return out_; }
  std::string math(const EquationMark& mark) const override { return cat("$", style_.mark(mark), "$"); }
  const Style& style() const override { return style_; }

 private:
  static std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += cat(" ", cell, " |");
    return out + "\n";
  }
  Markdown style_;
  std::string out_;
};

class HtmlDocument : public Document {
 public:
  void begin(const std::string& title) override {
    out_ =
        cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", title,
            "</title>\n<style>\nbody { font-family: serif; max-width: 60em; margin: 2em auto; padding: 0 1em; line-height: 1.5 }\n"
            "table { border-collapse: collapse; margin: 1em 0 }\nth, td { text-align: left; vertical-align: top; padding: 0.1em 1em 0.1em 0 }\n"
            ".eq td:first-child { text-align: right; white-space: nowrap; padding-right: 0.4em }\nsub, sup { line-height: 0 }\n</style>\n</head>\n<body>\n<h1>",
            title, "</h1>\n");
  }
  void heading(const std::string& text) override { out_ += cat("<h2>", text, "</h2>\n"); }
  void paragraph(const std::string& text) override { out_ += cat("<p>", text, "</p>\n"); }
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) override {
    out_ += cat("<table>\n", row(head, "th"));
    for (const std::vector<std::string>& cells : rows) out_ += row(cells, "td");
    out_ += "</table>\n";
  }
  void equations(const std::vector<Equation>& all) override {
    if (all.empty()) return;
    out_ += "<table class=\"eq\">\n";
    for (const Equation& equation : all)
      out_ += cat("<tr><td>", style_.mark(equation.left), "</td><td>= ", without_breaks(style_.formula(equation.right)), "</td></tr>\n");
    out_ += "</table>\n";
  }
  std::string end() override { return out_ + "</body>\n</html>\n"; }
  std::string math(const EquationMark& mark) const override { return style_.mark(mark); }
  const Style& style() const override { return style_; }

 private:
  static std::string row(const std::vector<std::string>& cells, const char* kind) {
    std::string out = "<tr>";
    for (const std::string& cell : cells) out += cat("<", kind, ">", cell, "</", kind, ">");
    return out + "</tr>\n";
  }
  Html style_;
  std::string out_;
};

class TextDocument : public Document {
 public:
  void begin(const std::string& title) override { out_ = title + "\n"; }
  void heading(const std::string& text) override { out_ += cat("\n", text, "\n", std::string(text.size(), '-'), "\n"); }
  void paragraph(const std::string& text) override {
    std::string line;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find(' ', from), text.size());
      if (line.size() + end - from > kColumns) out_ += line + "\n", line.clear();
      line += cat(line.empty() ? "" : " ", text.substr(from, end - from));
      from = end + 1;
    }
    out_ += line + "\n";
  }
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) override {
    std::vector<std::size_t> widths(head.size());
    const auto letters = [](const std::string& s) {
      return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
    };
    const auto widen = [&](const std::vector<std::string>& cells) {
      for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], letters(cells[k]));
    };
    widen(head);
    for (const std::vector<std::string>& cells : rows) widen(cells);
    const auto put = [&](const std::vector<std::string>& cells) {
      std::string line = "  ";
      for (std::size_t k = 0; k < cells.size(); ++k) line += cells[k] + (k + 1 < cells.size() ? std::string(widths[k] - letters(cells[k]) + 2, ' ') : "");
      line.erase(line.find_last_not_of(' ') + 1);
      out_ += line + "\n";
    };
    out_ += "\n";
    put(head);
    for (const std::vector<std::string>& cells : rows) put(cells);
    out_ += "\n";
  }
  void equations(const std::vector<Equation>& all) override {
    for (const Equation& equation : all)
      out_ += cat("  ", equation.left.text(), " = ", broken(style_.formula(equation.right), "\n     ", static_cast<double>(equation.left.text().size())), "\n");
    out_ += "\n";
  }
  std::string end() override { return out_; }
  std::string math(const EquationMark& mark) const override { return mark.text(); }
  const Style& style() const override { return style_; }

 private:
  static constexpr std::size_t kColumns = 110;
  PlainText style_;
  std::string out_;
};

/// What the letters of a set mean, those that occur.
std::string intro_of(const EquationSet& set, const Document& out) {
  if (set.form == EquationForm::closed)
    return "In the parameters of the links: each link with everything fixed to it, in axes that stand at its joint, z along the joint's axis.";
  std::string text =
      "On lumped parameters: mass and the first and second moments of each link about its joint, in axes that stand at the joint, z along its axis. From the "
      "tips "
      "to the base, what a joint cannot feel of its link has been added to the link before: of a turning joint the mass, the first moment along z and the "
      "second "
      "moment zz; of a sliding joint all second moments. Vectors and matrices are those of the numbered link, in its own axes";
  const char* separator = ": ";
  const auto explain = [&](const EquationMark& mark, const char* meaning) {
    const auto has = [&](const Equation& e) { return e.left.letter == mark.letter && e.left.above == mark.above && e.left.dots == mark.dots; };
    if (std::any_of(set.definitions.begin(), set.definitions.end(), has)) text += cat(std::exchange(separator, "; "), out.math(mark), " ", meaning);
  };
  explain({"omega", "", "", 0}, "angular velocity");
  explain({"omega", "", "", 1}, "angular acceleration");
  explain({"U", "", "", 0}, "the matrix that gives the acceleration of a point against that of the origin");
  explain({"a", "", "", 0}, "acceleration of the origin less gravity");
  explain({"f", "", "", 0}, "force that the link before exerts on it");
  explain({"n", "", "", 0}, "moment that it exerts, about the origin");
  explain({"m", "", "c", 0}, "mass of the link and all beyond it");
  explain({"h", "", "c", 0}, "first moment of the link and all beyond it");
  explain({"S", "", "c", 0}, "second moment of the link and all beyond it");
  explain({"K", "", "", 0}, "constants of the robot");
  explain({"Z", "", "", 0}, "what has no name");
  return text + ".";
}

std::unique_ptr<Document> document(EquationFormat format) {
  switch (format) {
    case EquationFormat::latex: return std::make_unique<LatexDocument>();
    case EquationFormat::markdown: return std::make_unique<MarkdownDocument>();
    case EquationFormat::html: return std::make_unique<HtmlDocument>();
    default: return std::make_unique<TextDocument>();
  }
}

}  // namespace

std::string plain_text(const EquationFormula& formula) { return without_breaks(PlainText().formula(formula)); }

std::string write_equations(const Model& model, std::span<const EquationSet> sets, EquationFormat format, double snap) {
  const std::unique_ptr<Document> out = document(format);
  const Style& style = out->style();
  out->begin(cat("Equations of motion: ", style.escaped(model.name())));
  std::vector<std::vector<std::string>> rows;
  for (const JointRow& joint : joint_rows(model, snap))
    rows.push_back({joint.number, style.escaped(joint.name), joint.kind, out->math({"q", joint.follows, "", 0})});
  out->paragraph(cat("Joints and the links behind them. ", out->math({"q", "", "", 0}), " are the joint coordinates, ", out->math({"q", "", "", 1}), " and ",
                     out->math({"q", "", "", 2}), " their rates and accelerations, ", out->math({"tau", "", "", 0}), " the joint forces. SI units."));
  out->table({"number", "joint", "kind", "coordinate"}, rows);
  for (const EquationSet& set : sets) {
    out->heading(title_of(set.what));
    out->paragraph(intro_of(set, *out));
    rows.clear();
    for (const EquationSymbol& symbol : set.symbols)
      rows.push_back({out->math(symbol.mark), number_text(symbol.value), style.unit(symbol.unit), symbol.meaning});
    if (!rows.empty()) out->table({"symbol", "value", "unit", "meaning"}, rows);
    if (!set.definitions.empty()) {
      out->paragraph("With");
      out->equations(set.definitions);
      out->paragraph(set.results.empty() ? "nothing is left: every result is zero." : "the results are");
    }
    out->equations(set.results);
    if (const std::string note = after_results(set); !note.empty()) out->paragraph(note);
  }
  return out->end();
}

}  // namespace ulna
