#include <map>
#include <set>

#include "emit/equations_steps.hpp"
#include "emit/equations_style.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal {

namespace {

class Html : public Style {
 public:
  std::string mark(const EquationMark& mark) const override { return written(mark, "i"); }
  std::string whole(const EquationQuantity& quantity) const override { return written(quantity.mark, "b"); }
  static std::string written(const EquationMark& mark, const char* tag) {
    const Greek* known = greek(mark.letter);
    // Dots are letters of their own that stand above the one before.
    constexpr const char* kDots[] = {"", "\u0307", "\u0308"};
    std::string out = cat("<", tag, ">", known == nullptr ? mark.letter : known->html, kDots[mark.dots], "</", tag, ">");
    if (!mark.above.empty()) out += cat("<sup>", mark.above, "</sup>");
    const std::string index = mark.index();
    if (!index.empty()) out += cat("<sub>", mark.angle.empty() ? "" : greek(mark.angle)->html, index, "</sub>");
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
  std::string escaped(std::string_view text) const override { return xml_text(text); }
  std::string sign(const std::string& text) const override {
    static const std::map<std::string, std::string> signs{{"x", "×"},   {"dot", "·"}, {"-", "−"},  {">=", "≥"}, {"...", "…"},
                                                          {"sum", "Σ"}, {"int", "∫"}, {"\'", "′"}, {"Tr", "tr"}};
    const auto found = signs.find(text);
    return found == signs.end() ? escaped(text) : found->second;
  }
};

class HtmlDocument : public Document {
 public:
  void begin(const std::string& title) override {
    out_ =
        cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
            "initial-scale=1\">\n<title>",
            title,
            "</title>\n<style>\nbody { font-family: serif; max-width: 60em; margin: 2em auto; padding: 0 1em; line-height: 1.5; overflow-wrap: break-word }\n"
            "table { border-collapse: collapse; margin: 1em 0 }\nth, td { text-align: left; vertical-align: top; padding: 0.1em 1em 0.1em 0 }\n"
            ".eq td:first-child { text-align: right; white-space: nowrap; padding-right: 0.4em }\nsub, sup { line-height: 0 }\n"
            ".matrix { display: inline-table; vertical-align: middle; margin: 0.2em 0; border: solid; border-width: 0 1px; border-radius: 0.3em }\n"
            ".wide { overflow-x: auto }\n"
            ".beside { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2em; width: 96vw; margin-left: calc(50% - 48vw) }\n"
            ".beside > div { min-width: 0; overflow-x: auto }\n"
            // On a telephone the columns stand below each other, piece by piece, each with its name.
            "@media (max-width: 50em) {\n"
            ".beside { grid-template-columns: minmax(0, 1fr); width: auto; margin-left: 0 }\n"
            ".beside > div::before { content: attr(data-of); font-weight: bold }\n"
            "}\n"
            ".eq .matrix td { text-align: left; padding: 0.1em 0.7em }\n</style>\n</head>\n<body>\n<h1>",
            title, "</h1>\n");
  }
  void heading(const std::string& text) override { out_ += cat("<h2>", text, "</h2>\n"); }
  void paragraph(const std::string& text) override { out_ += cat("<p>", text, "</p>\n"); }
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) override {
    out_ += cat("<div class=\"wide\"><table>\n", row(head, "th"));
    for (const std::vector<std::string>& cells : rows) out_ += row(cells, "td");
    out_ += "</table></div>\n";
  }
  void equations(const std::vector<Equation>& all) override {
    if (all.empty()) return;
    std::string rows;
    for (const Equation& equation : all)
      rows += cat("<tr", anchor(equation.left), "><td>", math(equation.left), "</td><td>= ", without_breaks(style().formula(equation.right)), "</td></tr>\n");
    out_ += cat("<div class=\"wide\"><table class=\"eq\">\n", rows, "</table></div>\n");
  }
  void beside(const std::array<std::string, 2>& names, const std::vector<std::pair<std::string, std::string>>& rows) override {
    out_ += "<div class=\"beside\">\n";
    for (const auto& [left, right] : rows)
      out_ += cat("<div data-of=\"", names[0], "\">\n", left, "</div>\n<div data-of=\"", names[1], "\">\n", right, "</div>\n");
    out_ += "</div>\n";
  }
  bool fits(const EquationQuantity&) const override { return true; }
  void quantity(const EquationQuantity& quantity) override {
    out_ += cat("<div class=\"wide\"><table class=\"eq\">\n<tr><td>", style().whole(quantity), "</td><td>= ");
    if (!quantity.same_as.letter.empty()) {
      out_ += style().twin(quantity);
    } else {
      out_ += "<table class=\"matrix\">";
      for (std::size_t k = 0; k < quantity.entries.size(); ++k) {
        EquationMark mark = quantity.mark;
        mark.entry = entry_name(quantity.rows, quantity.columns, k);
        out_ += cat(k % quantity.columns == 0 ? "<tr>" : "", "<td", anchor(mark), ">", style().entry(quantity.entries[k], "·"), "</td>",
                    (k + 1) % quantity.columns == 0 ? "</tr>" : "");
      }
      out_ += "</table>";
    }
    out_ += "</td></tr>\n</table></div>\n";
  }
  std::string end() override { return out_ + "</body>\n</html>\n"; }
  std::string math(const EquationMark& mark) const override { return style_.mark(mark); }
  const Style& style() const override { return style_; }

 protected:
  /// Where links to a definition lead.
  virtual std::string anchor(const EquationMark&) const { return {}; }
  static std::string row(const std::vector<std::string>& cells, const char* kind) {
    std::string out = "<tr>";
    for (const std::string& cell : cells) out += cat("<", kind, ">", cell, "</", kind, ">");
    return out + "</tr>\n";
  }

 private:
  Html style_;
};

/// A symbol that is defined in the set at hand is a link.
class LinkedHtml : public Html {
 public:
  std::string mark(const EquationMark& mark) const override {
    const std::string text = mark.text();
    return defined_.count(text) == 0 ? Html::mark(mark) : cat("<a class=\"symbol\" href=\"#", id(text), "\">", Html::mark(mark), "</a>");
  }
  /// Letters, digits and '_' stay; rates end in "-d" and "-dd".
  std::string id(const std::string& text) const {
    std::string out = prefix_;
    for (const char c : text) out += c == '\'' ? "-d" : std::string(1, c);
    return out;
  }
  void begin(const EquationSet& set, std::string prefix) {
    prefix_ = std::move(prefix);
    defined_.clear();
    for (const EquationSymbol& symbol : set.symbols) defined_.insert(symbol.mark.text());
    for (const std::vector<Equation>* all : {&set.definitions, &set.results})
      for (const Equation& equation : *all) defined_.insert(equation.left.text());
  }

 private:
  std::string prefix_;
  std::set<std::string> defined_;
};

class HtmlFragment : public HtmlDocument {
 public:
  explicit HtmlFragment(std::vector<std::string> prefixes) : prefixes_(std::move(prefixes)) {}
  void begin(const std::string&) override {}
  void begin_set(const EquationSet& set) override { linked_.begin(set, prefixes_.at(next_++)); }
  void heading(const std::string& text) override { out_ += cat("<h3>", text, "</h3>\n"); }
  void symbols(const std::vector<EquationSymbol>& all) override {
    out_ += "<details><summary>Symbols and their values</summary>\n<div class=\"wide\"><table>\n" + row({"symbol", "value", "unit", "meaning"}, "th");
    for (const EquationSymbol& symbol : all)
      out_ += cat("<tr id=\"", linked_.id(symbol.mark.text()), "\"><td>", math(symbol.mark), "</td><td>", number_text(symbol.value), "</td><td>",
                  linked_.unit(symbol.unit), "</td><td>", linked_.escaped(symbol.meaning), "</td></tr>\n");
    out_ += "</table></div></details>\n";
  }
  std::string end() override { return out_; }
  const Style& style() const override { return linked_; }

 private:
  std::string anchor(const EquationMark& mark) const override { return cat(" id=\"", linked_.id(mark.text()), "\""); }
  LinkedHtml linked_;
  std::vector<std::string> prefixes_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Document> html_document() { return std::make_unique<HtmlDocument>(); }
std::unique_ptr<Document> html_fragment(std::vector<std::string> prefixes) { return std::make_unique<HtmlFragment>(std::move(prefixes)); }

}  // namespace ulna::internal
