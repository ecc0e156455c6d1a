// Shared by the formats of equations. The shape of a formula is written once; a Style holds the differences between formats, a Document the frame.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/emit/equations.hpp>

namespace ulna::internal {

inline constexpr double kWidth = 72;    // of a line of mathematics, in letters
inline constexpr char kBreak = '\x01';  // a possible line break; removed before output

struct Greek {
  const char* latex;
  const char* html;
};
/// Null when it is no Greek letter's name.
const Greek* greek(const std::string& name);

std::string replaced(std::string text, std::string_view from, std::string_view to);
std::string number_text(double value);

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
  /// A vector or a matrix as a whole.
  virtual std::string whole(const EquationQuantity& quantity) const = 0;

  /// A rule as a paper forms it, from ASCII: "R^T (omega(i-1) + q(i)' z)  (3.15)".
  virtual std::string rule(std::string_view text) const;

  /// The one that it is the same as.
  std::string twin(EquationQuantity quantity) const {
    quantity.mark = quantity.same_as;
    return whole(quantity);
  }
  /// `none` for an unused entry.
  std::string entry(const EquationQuantity::Entry& entry, const char* none) const;
  std::string factors(const std::vector<EquationFactor>& all) const;
  std::string formula(const EquationFormula& sum) const;

 protected:
  /// A part of a rule: a word, a letter with what hangs on it, "sum", "int" or "tr", or a sign, which may be a space, a bracket or a digit.
  struct RulePiece {
    enum class Kind { word, letter, operation, sign } kind;
    std::string text;
    EquationMark mark;
  };
  static std::vector<RulePiece> pieces_of_rule(std::string_view text);
  std::string of_piece(const RulePiece& piece) const;
  virtual std::string sign(const std::string& text) const { return escaped(text); }

 private:
  std::string one(const EquationFactor& factor) const;
  std::string body(const EquationTerm& term) const;  // without the sign
};

/// How wide it is when set, roughly: a command is one letter, what stands below or above a letter is smaller.
double width_of(std::string_view latex);
std::string without_breaks(const std::string& text);
/// Breaks taken where the line would be too long, within brackets only where these are too long themselves; the others removed.
std::string broken(const std::string& text, std::string_view line_end, double first_width);

/// One document; the formats differ in how these pieces are framed.
class Document {
 public:
  virtual ~Document() = default;
  virtual void begin(const std::string& title) = 0;
  virtual void heading(const std::string& text) = 0;
  virtual void paragraph(const std::string& text) = 0;
  virtual void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) = 0;
  virtual void equations(const std::vector<Equation>& all) = 0;
  virtual void begin_set(const EquationSet&) {}  // what follows belongs to it
  virtual void symbols(const std::vector<EquationSymbol>& all);
  /// Single definitions, and quantities as whole matrices where they are complete. One that is too wide is drawn with the names of its entries, which follow.
  void definitions(const EquationSet& set);
  virtual void quantity(const EquationQuantity& quantity) = 0;
  virtual bool fits(const EquationQuantity& quantity) const = 0;
  virtual std::string end() = 0;
  /// Takes the text since the last call out of the document.
  std::string take() { return std::exchange(out_, {}); }
  /// Inserts text that was taken before, or made elsewhere.
  void put(const std::string& written) { out_ += written; }
  /// Pieces of two columns, row by row; `names` are those of the columns.
  virtual void beside(const std::array<std::string, 2>& names, const std::vector<std::pair<std::string, std::string>>& rows) = 0;
  virtual std::string math(const EquationMark& mark) const = 0;  // within a table
  virtual const Style& style() const = 0;

 protected:
  std::string out_;
};

/// `narrow` is for two columns.
std::unique_ptr<Document> latex_document(bool narrow = false);
std::unique_ptr<Document> markdown_document();
std::unique_ptr<Document> html_document();
/// A part of a page: headings from the third level on, every symbol a link to where it is defined. The ids of the k-th set begin with prefixes[k].
std::unique_ptr<Document> html_fragment(std::vector<std::string> prefixes);
std::unique_ptr<Document> text_document(bool narrow = false);

// The parts that documents are put together from.

/// `narrow` is for two columns.
std::unique_ptr<Document> equations_document(EquationFormat format, bool narrow);

/// A column of the table of joints: what the coordinates are numbered with.
struct NumberedBy {
  std::string title;
  std::vector<std::size_t> numbers;
};
void write_joints(Document& out, const Model& model, const std::vector<NumberedBy>& columns, double snap);

/// Whose equations these are, and what their letters mean.
void write_intro(Document& out, const EquationSet& set);
/// The results, with the words around them.
void write_results(Document& out, const EquationSet& set);

}  // namespace ulna::internal
