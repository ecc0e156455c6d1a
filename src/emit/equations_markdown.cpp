#include "emit/equations_latex.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

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
      out_ += cat("\n```math\n\\begin{aligned}\n", latex_lines(all, from, style_), "\\end{aligned}\n```\n");
  }
  void quantity(const EquationQuantity& quantity) override { out_ += cat("\n```math\n", latex_matrix(quantity, style_), "\n```\n"); }
  bool fits(const EquationQuantity& quantity) const override { return latex_fits(quantity, style_); }
  void beside(const std::vector<std::pair<std::string, std::string>>& rows) override {
    out_ += "\n<table>\n";
    for (const auto& [left, right] : rows) out_ += cat("<tr><td valign=\"top\">\n", left, "\n</td><td valign=\"top\">\n", right, "\n</td></tr>\n");
    out_ += "</table>\n";
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
};

}  // namespace

std::unique_ptr<Document> markdown_document() { return std::make_unique<MarkdownDocument>(); }

}  // namespace ulna::internal
