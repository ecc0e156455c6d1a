// Formulas in LaTeX, for documents of their own and within Markdown.
#include <algorithm>
#include <map>

#include "emit/equations_style.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

class Latex : public Style {
 public:
  std::string mark(const EquationMark& mark) const override { return written(mark, false); }
  std::string whole(const EquationQuantity& quantity) const override { return written(quantity.mark, true); }
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
    constexpr std::pair<char, const char*> kNamed[] = {{'\\', "textbackslash"}, {'^', "textasciicircum"}, {'~', "textasciitilde"},
                                                       {'<', "textless"},       {'>', "textgreater"},     {'|', "textbar"}};
    std::string out;
    for (const char c : text) {
      const auto code = static_cast<unsigned char>(c);
      const auto* named = std::find_if(std::begin(kNamed), std::end(kNamed), [c](const auto& one) { return one.first == c; });
      if (named != std::end(kNamed))
        out += cat("\\", named->second, "{}");
      else if (c == '"')
        out += "''";
      else if (code < 0x20 || code == 0x7f)
        out += ' ';
      else if (code < 0x80)
        out += std::string_view("{}$&#_%").find(c) == std::string_view::npos ? std::string(1, c) : cat("\\", c);
      else if (code >= 0xc0)  // the first byte of a letter; the others are dropped
        out += '?';
    }
    return out;
  }
  /// Words as text, what stands between letters as mathematics. Signs at the end are text, but for brackets that close one within.
  std::string rule(std::string_view text) const override {
    using Kind = RulePiece::Kind;
    const std::vector<RulePiece> pieces = pieces_of_rule(text);
    const auto mathematics = [&](std::size_t k) {
      return pieces[k].kind == Kind::letter || pieces[k].kind == Kind::operation || pieces[k].text == "x" || pieces[k].text == "dot";
    };
    const auto one_of = [&](std::size_t k, std::string_view signs) {
      return pieces[k].kind == Kind::sign && signs.find(pieces[k].text) != std::string_view::npos;
    };
    std::string out;
    for (std::size_t from = 0; from < pieces.size();) {
      std::size_t stop = from, last = from, depth = 0;
      while (stop < pieces.size() && pieces[stop].kind != Kind::word) ++stop;
      for (std::size_t k = from; k < stop; ++k) last = mathematics(k) ? k + 1 : last;
      std::size_t first = from;
      while (first < last && one_of(first, " ,:;)]}")) ++first;
      for (std::size_t k = first; k < last; ++k) depth += one_of(k, "([{") ? 1 : one_of(k, ")]}") && depth > 0 ? std::size_t(-1) : 0;
      if (first < last && last + 1 < stop && one_of(last, "+-") && one_of(last + 1, "0123456789")) last += 2;
      while (depth > 0 && last < stop && last > first && one_of(last, ")]}")) --depth, ++last;
      for (std::size_t k = from; k < first; ++k) out += escaped(pieces[k].text);
      if (first < last) {
        out += "$";
        for (std::size_t k = first; k < last; ++k) out += of_piece(pieces[k]);
        out += "$";
      }
      for (std::size_t k = std::max(first, last); k < stop; ++k) out += escaped(pieces[k].text);
      for (; stop < pieces.size() && pieces[stop].kind == Kind::word; ++stop) out += escaped(pieces[stop].text);
      from = stop;
    }
    return out;
  }
  std::string sign(const std::string& text) const override {
    static const std::map<std::string, std::string> signs{{"x", "\\times "},
                                                          {"dot", "\\cdot "},
                                                          {">=", "\\ge "},
                                                          {"...", "\\ldots "},
                                                          {"sum", "\\textstyle\\sum "},
                                                          {"int", "\\textstyle\\int "},
                                                          {"tr", "\\operatorname{tr}"},
                                                          {"Tr", "\\operatorname{tr}"},
                                                          {"{", "\\{"},
                                                          {"}", "\\}"}};
    const auto found = signs.find(text);
    return found == signs.end() ? text : found->second;
  }

 private:
  static std::string written(const EquationMark& mark, bool bold) {
    const Greek* known = greek(mark.letter);
    std::string out = known == nullptr ? mark.letter : known->latex;
    if (bold) out = cat("\\boldsymbol{", out, "}");
    if (mark.dots > 0) out = cat(mark.dots == 1 ? "\\dot{" : "\\ddot{", out, "}");
    const std::string index = mark.index();
    if (!index.empty()) out += cat("_{", mark.angle.empty() ? "" : cat(greek(mark.angle)->latex, " "), index, "}");
    if (!mark.above.empty()) out += cat("^{", mark.above, "}");
    return out;
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

/// What both documents have: equations in TeX's own frames.
template <class Own>
class TexDocument : public Document {
 public:
  void equations(const std::vector<Equation>& all) override {
    constexpr std::size_t kLinesAtOnce = 25;  // lines that TeX lines up with one another
    for (std::size_t from = 0; from < all.size(); from += kLinesAtOnce) {
      std::string lines;
      const std::size_t to = std::min(from + kLinesAtOnce, all.size());
      for (std::size_t k = from; k < to; ++k) {
        const std::string left = style_.mark(all[k].left);
        lines += cat(left, " &= ", broken(style_.formula(all[k].right), " \\\\\n  &\\quad", width_of(left) + 2), k + 1 < to ? " \\\\\n" : "\n");
      }
      out_ += framed(lines, true);
    }
  }
  void quantity(const EquationQuantity& quantity) override {
    std::string matrix = quantity.same_as.letter.empty() ? "\\begin{bmatrix}" : style_.twin(quantity);
    if (quantity.same_as.letter.empty()) {
      for (std::size_t k = 0; k < quantity.entries.size(); ++k)
        matrix += cat(k % quantity.columns != 0 ? " & " : k == 0 ? " " : " \\\\ ", style_.entry(quantity.entries[k], kNoEntry));
      matrix += " \\end{bmatrix}";
    }
    out_ += framed(cat(style_.whole(quantity), " = ", matrix, "\n"), false);
  }
  bool fits(const EquationQuantity& quantity) const override {
    std::vector<double> widths(quantity.columns);
    for (std::size_t k = 0; k < quantity.entries.size(); ++k)
      widths[k % quantity.columns] = std::max(widths[k % quantity.columns], width_of(style_.entry(quantity.entries[k], kNoEntry)));
    double sum = width_of(style_.whole(quantity)) + 4;
    for (const double width : widths) sum += width + 2;
    return sum <= kWidth;
  }
  std::string math(const EquationMark& mark) const override { return cat("$", style_.mark(mark), "$"); }
  const Style& style() const override { return style_; }

 private:
  static constexpr const char* kNoEntry = "\\cdot";
  /// Lines of mathematics, which may be lined up with one another.
  virtual std::string framed(const std::string& lines, bool aligned) const = 0;
  Own style_;
};

class LatexDocument : public TexDocument<Latex> {
 public:
  explicit LatexDocument(bool narrow) : narrow_(narrow) {}
  void begin(const std::string& title) override {
    out_ = cat(
        "\\documentclass[a4paper", narrow_ ? ",landscape" : "", "]{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n",
        narrow_ ? "\\ifdefined\\pdfpagewidth\\pdfpagewidth=\\paperwidth\\pdfpageheight=\\paperheight\\fi\n"
                  "\\setlength{\\textwidth}{27.7cm}\n\\setlength{\\oddsidemargin}{-1.54cm}\n\\setlength{\\textheight}{17cm}\n\\setlength{\\topmargin}{-1.5cm}\n"
                : "\\setlength{\\textwidth}{17cm}\n\\setlength{\\oddsidemargin}{-0.5cm}\n\\setlength{\\textheight}{24cm}\n\\setlength{\\topmargin}{-1.5cm}\n",
        "\\begin{document}\n\\section*{", title, "}\n", narrow_ ? "\\footnotesize\n" : "");
  }
  void beside(const std::array<std::string, 2>& /*names*/, const std::vector<std::pair<std::string, std::string>>& rows) override {
    for (const auto& [left, right] : rows)
      out_ += cat("\\noindent\\begin{minipage}[t]{0.495\\textwidth}\n", left, "\\end{minipage}\\hfill\\begin{minipage}[t]{0.495\\textwidth}\n", right,
                  "\\end{minipage}\n\n\\medskip\n");
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
  std::string end() override { return out_ + "\\end{document}\n"; }

 private:
  std::string framed(const std::string& lines, bool) const override { return cat("\\begin{align*}\n", lines, "\\end{align*}\n"); }
  static std::string row(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) out += cat(out.empty() ? "" : " & ", cell.empty() ? "{}" : cell);
    return out + " \\\\\n";
  }
  bool narrow_;
};

class MarkdownDocument : public TexDocument<Markdown> {
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
  void beside(const std::array<std::string, 2>& /*names*/, const std::vector<std::pair<std::string, std::string>>& rows) override {
    out_ += "\n<table>\n";
    for (const auto& [left, right] : rows) out_ += cat("<tr><td valign=\"top\">\n", left, "\n</td><td valign=\"top\">\n", right, "\n</td></tr>\n");
    out_ += "</table>\n";
  }
  std::string end() override { return out_; }

 private:
  std::string framed(const std::string& lines, bool aligned) const override {
    return cat("\n```math\n", aligned ? cat("\\begin{aligned}\n", lines, "\\end{aligned}\n") : lines, "```\n");
  }
  static std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += cat(" ", cell, " |");
    return out + "\n";
  }
};

}  // namespace

std::unique_ptr<Document> latex_document(bool narrow) { return std::make_unique<LatexDocument>(narrow); }
std::unique_ptr<Document> markdown_document() { return std::make_unique<MarkdownDocument>(); }

}  // namespace ulna::internal
