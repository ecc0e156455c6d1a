#include <algorithm>

#include "emit/equations_style.hpp"
#include "text/cat.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

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
    const auto widen = [&](const std::vector<std::string>& cells) {
      for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], utf8_characters(cells[k]));
    };
    widen(head);
    for (const std::vector<std::string>& cells : rows) widen(cells);
    const auto put = [&](const std::vector<std::string>& cells) {
      std::string line = "  ";
      for (std::size_t k = 0; k < cells.size(); ++k)
        line += cells[k] + (k + 1 < cells.size() ? std::string(widths[k] - utf8_characters(cells[k]) + 2, ' ') : "");
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

}  // namespace

std::unique_ptr<Document> text_document() { return std::make_unique<TextDocument>(); }

}  // namespace ulna::internal

namespace ulna ULNA_API {

std::string plain_text(const EquationFormula& formula) { return without_breaks(PlainText().formula(formula)); }

}  // namespace ULNA_API
