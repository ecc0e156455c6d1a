// Formulas in LaTeX, for documents of their own and within Markdown.
#pragma once

#include "emit/equations_style.hpp"

namespace ulna::internal {

class Latex : public Style {
 public:
  std::string mark(const EquationMark& mark) const override;
  std::string number(double value) const override;
  std::string power(const std::string& base, int exponent) const override;
  std::string fraction(const std::string& above, const std::string& below, bool simple) const override;
  std::string function(bool sine, const std::string& of, bool simple) const override;
  bool stacks() const override { return true; }
  const char* times() const override { return " "; }
  const char* minus() const override { return "-"; }
  std::string unit(const std::string& text) const override;
  std::string whole(const EquationQuantity& quantity) const override;
  /// Letters that pdflatex may not know become '?': a name is no reason for a document not to compile.
  std::string escaped(std::string_view text) const override;
};

inline constexpr std::size_t kLinesAtOnce = 25;  // lines that TeX lines up with one another

/// The equations from number `from` on, kLinesAtOnce at most, lined up at their equals signs.
std::string latex_lines(const std::vector<Equation>& all, std::size_t from, const Style& style);

/// A quantity as an equation with a matrix, and whether that is no wider than a line.
std::string latex_matrix(const EquationQuantity& quantity, const Style& style);
bool latex_fits(const EquationQuantity& quantity, const Style& style);

}  // namespace ulna::internal
