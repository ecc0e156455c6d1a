#include <algorithm>

#include "emit/equations_style.hpp"
#include "text/message.hpp"
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
  std::string whole(const EquationQuantity& quantity) const override { return cat(quantity.mark.text(), quantity.columns == 1 ? "_i" : "_ij"); }
  const char* times() const override { return " "; }
  const char* minus() const override { return "-"; }
  std::string escaped(std::string_view text) const override {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return out;
  }
  std::string rule(std::string_view text) const override { return escaped(text); }
};

class TextDocument : public Document {
 public:
  explicit TextDocument(bool narrow) : columns_(narrow ? 72 : 110) {}
  void begin(const std::string& title) override { out_ = title + "\n"; }
  void heading(const std::string& text) override { out_ += cat("\n", text, "\n", std::string(text.size(), '-'), "\n"); }
  void paragraph(const std::string& text) override {
    std::string line;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find(' ', from), text.size());
      if (line.size() + end - from > columns_) out_ += line + "\n", line.clear();
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
  bool fits(const EquationQuantity& quantity) const override { return style_.whole(quantity).size() + draw(quantity).width <= columns_; }
  void quantity(const EquationQuantity& quantity) override {
    const std::string left = cat("  ", style_.whole(quantity), " = ");
    if (!quantity.same_as.letter.empty()) {
      out_ += cat(left, style_.twin(quantity), "\n\n");
      return;
    }
    const Drawn drawn = draw(quantity);
    for (std::size_t r = 0; r < quantity.rows; ++r) {
      out_ += cat(r == 0 ? left : std::string(left.size(), ' '), "[");
      for (std::size_t c = 0; c < quantity.columns; ++c) {
        const std::string& entry = drawn.entries[r * quantity.columns + c];
        out_ += cat(c == 0 ? " " : "   ", entry, std::string(drawn.widths[c] - entry.size(), ' '));
      }
      out_ += " ]\n";
    }
    out_ += "\n";
  }
  void beside(const std::array<std::string, 2>& /*names*/, const std::vector<std::pair<std::string, std::string>>& rows) override {
    const auto lines = [](const std::string& text) {
      std::vector<std::string> all;
      for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        all.push_back(text.substr(from, end - from));
        from = end + 1;
      }
      return all;
    };
    std::size_t width = columns_;
    for (const auto& [left, right] : rows)
      for (const std::string& line : lines(left)) width = std::max(width, utf8_characters(line));
    for (const auto& [left, right] : rows) {
      const std::vector<std::string> a = lines(left), b = lines(right);
      for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
        std::string line = k < a.size() ? a[k] : "";
        if (k < b.size() && !b[k].empty()) line += cat(std::string(width - utf8_characters(line), ' '), " | ", b[k]);
        line.erase(line.find_last_not_of(' ') + 1);
        out_ += line + "\n";
      }
    }
  }
  std::string end() override { return out_; }
  std::string math(const EquationMark& mark) const override { return mark.text(); }
  const Style& style() const override { return style_; }

 private:
  struct Drawn {
    std::vector<std::string> entries;
    std::vector<std::size_t> widths;  // of the columns
    std::size_t width = 7;            // of all, with what is around
  };
  Drawn draw(const EquationQuantity& quantity) const {
    Drawn drawn;
    drawn.widths.resize(quantity.columns);
    for (std::size_t k = 0; k < quantity.entries.size(); ++k) {
      drawn.entries.push_back(style_.entry(quantity.entries[k], "."));
      drawn.widths[k % quantity.columns] = std::max(drawn.widths[k % quantity.columns], drawn.entries.back().size());
    }
    for (const std::size_t width : drawn.widths) drawn.width += width + 3;
    return drawn;
  }
  std::size_t columns_;
  PlainText style_;
};

}  // namespace

std::unique_ptr<Document> text_document(bool narrow) { return std::make_unique<TextDocument>(narrow); }

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::string plain_text(const EquationFormula& formula) { return without_breaks(PlainText().formula(formula)); }

}  // namespace ULNA_API
