#include "emit/equations_style.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

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

}  // namespace

const Greek* greek(const std::string& name) {
  static const std::map<std::string, Greek> letters{{"alpha", {"\\alpha", "α"}},
                                                    {"gamma", {"\\gamma", "γ"}},
                                                    {"mu", {"\\mu", "μ"}},
                                                    {"omega", {"\\omega", "ω"}},
                                                    {"sigma", {"\\sigma", "σ"}},
                                                    {"tau", {"\\tau", "τ"}},
                                                    {"theta", {"\\theta", "θ"}},
                                                    {"zeta", {"\\zeta", "ζ"}},
                                                    {"Ja", {"J_{a}", "J<sub>a</sub>"}},
                                                    {"dm", {"\\mathrm{d}m", "dm"}},
                                                    // accents are combining characters above the letter before
                                                    {"chat", {"\\hat{c}", "c\u0302"}},
                                                    {"cbar", {"\\bar{c}", "c\u0304"}},
                                                    {"mhat", {"\\hat{m}", "m\u0302"}},
                                                    {"rbar", {"\\bar{r}", "r\u0304"}},
                                                    {"Itilde", {"\\tilde{I}", "I\u0303"}},
                                                    {"Jbar", {"\\bar{J}", "J\u0304"}},
                                                    {"Jhat", {"\\hat{J}", "J\u0302"}},
                                                    {"phat", {"\\hat{p}", "p\u0302"}},
                                                    {"shat", {"\\hat{s}", "s\u0302"}},
                                                    {"zetahat", {"\\hat{\\zeta}", "ζ\u0302"}},
                                                    {"dA", {"\\partial A", "∂A"}},
                                                    {"ddA", {"\\partial^{2} A", "∂²A"}},
                                                    {"dT", {"\\partial T", "∂T"}},
                                                    {"ddT", {"\\partial^{2} T", "∂²T"}},
                                                    {"dW", {"\\partial W", "∂W"}},
                                                    {"ddW", {"\\partial^{2} W", "∂²W"}}};
  const auto found = letters.find(name);
  return found == letters.end() ? nullptr : &found->second;
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

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// "(i-1)" at a place of a rule: what hangs below a letter; empty when it is a bracket of its own.
std::string index_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '(') return {};
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrsuvwxyzR0123456789+-,", at + 1);
  return end == std::string_view::npos || text[end] != ')' || end == at + 1 || end > at + 8 ? std::string() : std::string(text.substr(at + 1, end - at - 1));
}

}  // namespace

std::vector<Style::RulePiece> Style::pieces_of_rule(std::string_view text) {
  using Kind = RulePiece::Kind;
  std::vector<RulePiece> out;
  const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : ' '; };
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = from;
    // "Kane's" and "Newton-Euler" are words, "u'" and "i-1" are not.
    const auto goes_on = [&] { return end > from + 1 && (at(end) == '\'' || (at(end) == '-' && is_letter(at(end + 2)))) && is_letter(at(end + 1)); };
    while (is_letter(at(end)) || goes_on()) ++end;
    const std::string name(text.substr(from, end - from));
    if (name.empty()) {
      end = from + (text.substr(from, 3) == "..." ? 3 : text.substr(from, 2) == ">=" ? 2 : 1);
      const bool dot = at(from) == '.' && end == from + 1 && ((at(from - 1) == ' ' && at(end) == ' ') || (is_letter(at(from - 1)) && is_letter(at(end))));
      out.push_back({Kind::sign, dot ? "dot" : std::string(text.substr(from, end - from)), {}});
    } else if (name == "sum" || name == "int" || name == "tr" || name == "Tr") {
      out.push_back({Kind::operation, name, {}});
    } else if (name == "x" && (at(end) == ' ' || at(end) == ']')) {
      out.push_back({Kind::sign, "x", {}});
    } else {
      EquationMark mark{name, "", "", 0};
      std::size_t after = end;
      if (at(after) == '*') mark.above = "*", ++after;
      if (mark.below = index_at(text, after); !mark.below.empty()) after += mark.below.size() + 2;
      while (at(after) == '\'' && mark.dots < 2) ++mark.dots, ++after;
      if (at(after) == '^') {
        const std::size_t power = after + 1;
        after = power + (at(power) == '-' ? 2 : 1);
        mark.above += text.substr(power, after - power);
      }
      const bool letter = greek(name) != nullptr || !mark.below.empty() || (name.size() == 1 && (name != "a" || after > end));
      out.push_back({letter ? Kind::letter : Kind::word, name, mark});
      if (letter) end = after;
    }
    from = end;
  }
  return out;
}

std::string Style::of_piece(const RulePiece& piece) const {
  if (piece.kind == RulePiece::Kind::word) return escaped(piece.text);
  if (piece.kind != RulePiece::Kind::letter) return sign(piece.text);
  EquationMark mark = piece.mark;
  mark.below = replaced(mark.below, "-", minus());
  mark.above = replaced(mark.above, "-", minus());
  return this->mark(mark);
}

std::string Style::rule(std::string_view text) const {
  std::string out;
  for (const RulePiece& piece : pieces_of_rule(text)) out += of_piece(piece);
  return out;
}

std::string Style::entry(const EquationQuantity::Entry& entry, const char* none) const { return entry.needed ? without_breaks(formula(entry.formula)) : none; }
std::string Style::factors(const std::vector<EquationFactor>& all) const {
  std::string out;
  for (const EquationFactor& factor : all) out += cat(out.empty() ? "" : times(), one(factor));
  return out;
}
std::string Style::formula(const EquationFormula& sum) const {
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

std::string Style::one(const EquationFactor& factor) const {
  switch (factor.kind) {
    case EquationFactor::Kind::mark: return factor.power == 1 ? mark(factor.mark) : power(mark(factor.mark), factor.power);
    case EquationFactor::Kind::bracket: {
      const std::string bracket = cat("(", formula(*factor.inside), ")");
      return factor.power == 1 ? bracket : power(bracket, factor.power);
    }
    default: {
      const bool simple = factor.inside->terms.size() == 1;
      return function(factor.kind == EquationFactor::Kind::sine, without_breaks(formula(*factor.inside)), simple);
    }
  }
}
std::string Style::body(const EquationTerm& term) const {
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
  return fraction(without_breaks(above), without_breaks(below), term.divisors.size() == 1);
}

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

}  // namespace ulna::internal
