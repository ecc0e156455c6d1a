#include "emit/equations_latex.hpp"

#include <algorithm>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

std::string latex_mark(const EquationMark& mark, bool bold) {
  const Greek* known = greek(mark.letter);
  std::string out = known == nullptr ? mark.letter : known->latex;
  if (bold) out = cat("\\boldsymbol{", out, "}");
  if (mark.dots > 0) out = cat(mark.dots == 1 ? "\\dot{" : "\\ddot{", out, "}");
  const std::string index = mark.index();
  if (!index.empty()) out += cat("_{", mark.angle.empty() ? "" : cat(greek(mark.angle)->latex, " "), index, "}");
  if (!mark.above.empty()) out += cat("^{", mark.above, "}");
  return out;
}

constexpr const char* kNoEntry = "\\cdot";

}  // namespace

std::string Latex::mark(const EquationMark& mark) const { return latex_mark(mark, false); }
std::string Latex::whole(const EquationQuantity& quantity) const { return latex_mark(quantity.mark, true); }
std::string Latex::number(double value) const {
  if (value == 0.5) return "\\tfrac{1}{2}";
  if (value == 0.25) return "\\tfrac{1}{4}";
  const std::string text = number_text(value);
  const std::size_t e = text.find('e');
  return e == std::string::npos ? text : cat(text.substr(0, e), " \\cdot 10^{", std::stoi(text.substr(e + 1)), "}");
}
std::string Latex::power(const std::string& base, int exponent) const {
  return base.find('^') == std::string::npos || base.back() == ')' ? cat(base, "^{", exponent, "}") : cat("{", base, "}^{", exponent, "}");
}
std::string Latex::fraction(const std::string& above, const std::string& below, bool) const { return cat("\\frac{", above, "}{", below, "}"); }
std::string Latex::function(bool sine, const std::string& of, bool simple) const {
  return simple ? cat(sine ? "\\sin " : "\\cos ", of) : cat(sine ? "\\sin(" : "\\cos(", of, ")");
}
std::string Latex::unit(const std::string& text) const { return replaced(text, "²", "$^2$"); }
std::string Latex::escaped(std::string_view text) const {
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

std::string latex_lines(const std::vector<Equation>& all, std::size_t from, const Style& style) {
  std::string out;
  const std::size_t to = std::min(from + kLinesAtOnce, all.size());
  for (std::size_t k = from; k < to; ++k) {
    const std::string left = style.mark(all[k].left);
    out += cat(left, " &= ", broken(style.formula(all[k].right), " \\\\\n  &\\quad", width_of(left) + 2), k + 1 < to ? " \\\\\n" : "\n");
  }
  return out;
}

std::string latex_matrix(const EquationQuantity& quantity, const Style& style) {
  if (!quantity.same_as.letter.empty()) return cat(style.whole(quantity), " = ", style.twin(quantity));
  std::string out = cat(style.whole(quantity), " = \\begin{bmatrix}");
  for (std::size_t k = 0; k < quantity.entries.size(); ++k)
    out += cat(k % quantity.columns != 0 ? " & " : k == 0 ? " " : " \\\\ ", style.entry(quantity.entries[k], kNoEntry));
  return out + " \\end{bmatrix}";
}

bool latex_fits(const EquationQuantity& quantity, const Style& style) {
  std::vector<double> widths(quantity.columns);
  for (std::size_t k = 0; k < quantity.entries.size(); ++k)
    widths[k % quantity.columns] = std::max(widths[k % quantity.columns], width_of(style.entry(quantity.entries[k], kNoEntry)));
  double sum = width_of(style.whole(quantity)) + 4;
  for (const double width : widths) sum += width + 2;
  return sum <= kWidth;
}

namespace {

class LatexDocument : public Document {
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
  void beside(const std::vector<std::pair<std::string, std::string>>& rows) override {
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
  void equations(const std::vector<Equation>& all) override {
    for (std::size_t from = 0; from < all.size(); from += kLinesAtOnce) out_ += cat("\\begin{align*}\n", latex_lines(all, from, style_), "\\end{align*}\n");
  }
  void quantity(const EquationQuantity& quantity) override { out_ += cat("\\begin{align*}\n", latex_matrix(quantity, style_), "\n\\end{align*}\n"); }
  bool fits(const EquationQuantity& quantity) const override { return latex_fits(quantity, style_); }
  std::string end() override { return out_ + "\\end{document}\n"; }
  std::string math(const EquationMark& mark) const override { return cat("$", style_.mark(mark), "$"); }
  const Style& style() const override { return style_; }

 private:
  static std::string row(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) out += cat(out.empty() ? "" : " & ", cell.empty() ? "{}" : cell);
    return out + " \\\\\n";
  }
  bool narrow_;
  Latex style_;
};

}  // namespace

std::unique_ptr<Document> latex_document(bool narrow) { return std::make_unique<LatexDocument>(narrow); }

}  // namespace ulna::internal
