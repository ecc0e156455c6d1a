#include "source/xacro_parser.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

// Tokens.

struct Token {
  enum class Kind { end, name, number, text, sign } kind = Kind::end;
  std::string text;
  XacroValue value{};
};

std::vector<Token> tokens_of(std::string_view s) {
  std::vector<Token> out;
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at < s.size();) {
    const char c = s[at];
    if (is_space(c)) {
      ++at;
    } else if (digit(c) || (c == '.' && at + 1 < s.size() && digit(s[at + 1]))) {
      std::size_t end = at;
      const bool hex = s.substr(at, 2) == "0x" || s.substr(at, 2) == "0X";
      if (hex) end += 2;
      while (end < s.size() && (std::isalnum(static_cast<unsigned char>(s[end])) || s[end] == '.' || s[end] == '_' ||
                                ((s[end] == '-' || s[end] == '+') && !hex && (s[end - 1] == 'e' || s[end - 1] == 'E'))))
        ++end;
      std::string text(s.substr(at, end - at));
      std::erase(text, '_');
      Token token{Token::Kind::number, text};
      if (hex)
        token.value = static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 16));
      else if (const auto integer = python_integer(text))
        token.value = *integer;
      else if (const auto number = python_number(text); number && text.find_first_not_of("0123456789.eE+-") == std::string::npos)
        token.value = *number;
      else
        refuse(cat(in_quotes(text), " is not a number"));
      out.push_back(std::move(token));
      at = end;
    } else if ((c == 'u' || c == 'U') && (s.substr(at + 1, 1) == "'" || s.substr(at + 1, 1) == "\"")) {
      ++at;  // u'text' is 'text'
    } else if (c == '\'' || c == '"') {
      const bool triple = s.substr(at, 3) == std::string(3, c);
      const std::string closing(triple ? 3 : 1, c);
      Token token{Token::Kind::text, {}};
      std::size_t end = at + closing.size();
      for (; end < s.size() && s.substr(end, closing.size()) != closing; ++end) {
        if (s[end] != '\\' || end + 1 == s.size()) {
          token.text += s[end];
          continue;
        }
        const char escaped = s[++end];
        token.text += escaped == 'n'                                         ? "\n"
                      : escaped == 't'                                       ? "\t"
                      : escaped == '\\' || escaped == '\'' || escaped == '"' ? std::string(1, escaped)
                                                                             : std::string{'\\', escaped};
      }
      if (end >= s.size()) refuse("a quote is never closed", cat("close it with ", closing));
      token.value = token.text;
      out.push_back(std::move(token));
      at = end + closing.size();
    } else if (letter(c)) {
      std::size_t end = at;
      while (end < s.size() && (letter(s[end]) || digit(s[end]))) ++end;
      out.push_back({Token::Kind::name, std::string(s.substr(at, end - at))});
      at = end;
    } else {
      constexpr std::string_view kSigns[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">",
                                             "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".", "&", "|", "^", "~", "="};
      const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](std::string_view known) { return s.substr(at, known.size()) == known; });
      if (sign == std::end(kSigns)) refuse(cat("the character ", in_quotes(s.substr(at, 1)), " belongs to no expression"));
      out.push_back({Token::Kind::sign, std::string(*sign)});
      at += sign->size();
    }
  }
  out.emplace_back();
  return out;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : tokens_(tokens_of(text)) {}

  Expression parse() {
    Expression whole = list_of_expressions();
    if (now().kind != Token::Kind::end) refuse(cat("it makes no sense at ", in_quotes(now().text)));
    return whole;
  }

 private:
  using Kind = Expression::Kind;
  const Token& now() const { return tokens_[at_]; }
  bool is(std::string_view text) const {
    return now().kind != Token::Kind::text && now().kind != Token::Kind::number && now().text == text && now().kind != Token::Kind::end;
  }
  bool accept(std::string_view text) { return is(text) && (++at_, true); }
  void expect(std::string_view text) {
    if (!accept(text))
      refuse(now().kind == Token::Kind::end ? cat("it ends where ", in_quotes(text), " belongs")
                                            : cat(in_quotes(text), " belongs where ", in_quotes(now().text), " stands"));
  }

  /// a, b: a tuple without brackets.
  Expression list_of_expressions() {
    Expression first = expression();
    if (!is(",")) return first;
    Expression tuple{Kind::tuple};
    tuple.parts.push_back(std::move(first));
    while (accept(",") && now().kind != Token::Kind::end) tuple.parts.push_back(expression());
    return tuple;
  }

  Expression expression() {
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) refuse(cat("brackets are nested more than ", kDeepest, " deep"));
    Expression value = logical(Kind::either, "or");
    if (accept("if")) {
      Expression choice{Kind::choice};
      choice.parts.push_back(logical(Kind::either, "or"));
      expect("else");
      choice.parts.push_back(std::move(value));
      choice.parts.push_back(expression());
      value = std::move(choice);
    }
    --depth_;
    return value;
  }

  Expression logical(Kind kind, std::string_view word) {
    const auto next = [&] { return kind == Kind::either ? logical(Kind::both, "and") : negation(); };
    Expression first = next();
    if (!is(word)) return first;
    Expression out{kind};
    out.parts.push_back(std::move(first));
    while (accept(word)) out.parts.push_back(next());
    return out;
  }

  Expression negation() {
    bool negated = false, any = false;
    while (accept("not")) negated = !negated, any = true;
    Expression value = comparison();
    if (!any) return value;
    Expression out{Kind::negate, negated ? "not" : ""};
    out.parts.push_back(std::move(value));
    return out;
  }

  Expression comparison() {
    Expression first = chain(0);
    Expression out{Kind::compare};
    while (true) {
      std::string sign;
      for (const std::string_view known : {"==", "!=", "<=", ">=", "<", ">", "in", "is", "not"})
        if (sign.empty() && accept(known)) sign = known;
      if (sign.empty()) break;
      if (sign == "not") expect("in"), sign = "not in";
      if (sign == "is" && accept("not")) sign = "is not";
      out.signs.push_back(sign);
      out.parts.push_back(chain(0));
    }
    if (out.signs.empty()) return first;
    out.parts.insert(out.parts.begin(), std::move(first));
    return out;
  }

  Expression chain(std::size_t level) {
    static const std::vector<std::vector<std::string_view>> kLevels{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%"}};
    if (level == kLevels.size()) return unary();
    Expression first = chain(level + 1);
    Expression out{Kind::chain};
    while (true) {
      const auto found = std::find_if(kLevels[level].begin(), kLevels[level].end(), [&](std::string_view sign) { return is(sign); });
      if (found == kLevels[level].end()) break;
      ++at_;
      out.signs.emplace_back(*found);
      out.parts.push_back(chain(level + 1));
    }
    if (out.signs.empty()) return first;
    out.parts.insert(out.parts.begin(), std::move(first));
    return out;
  }

  Expression unary() {
    std::string signs;
    while (is("-") || is("+") || is("~")) signs += tokens_[at_++].text;
    Expression value = power();
    if (signs.empty()) return value;
    Expression out{Kind::sign, signs};
    out.parts.push_back(std::move(value));
    return out;
  }

  Expression power() {
    Expression base = postfix();
    if (!accept("**")) return base;
    constexpr int kMostPowers = 50;
    if (++powers_ > kMostPowers) refuse(cat("it has more than ", kMostPowers, " powers"));
    Expression out{Kind::power};
    out.parts.push_back(std::move(base));
    out.parts.push_back(unary());
    return out;
  }

  Expression postfix() {
    Expression value = atom();
    std::size_t links = 0;
    while (true) {
      constexpr std::size_t kMostLinks = 200;
      if (++links > kMostLinks) refuse(cat("more than ", kMostLinks, " brackets and points follow one value"));
      if (accept(".")) {
        if (now().kind != Token::Kind::name) refuse("a name belongs after a point");
        Expression member{Kind::member, tokens_[at_++].text};
        member.parts.push_back(std::move(value));
        value = std::move(member);
      } else if (accept("(")) {
        value = call(std::move(value));
      } else if (accept("[")) {
        value = subscript(std::move(value));
      } else {
        return value;
      }
    }
  }

  Expression call(Expression function) {
    Expression out{Kind::call};
    out.parts.push_back(std::move(function));
    while (!accept(")")) {
      std::string keyword;
      if (now().kind == Token::Kind::name && tokens_[at_ + 1].kind == Token::Kind::sign && tokens_[at_ + 1].text == "=") keyword = now().text, at_ += 2;
      Expression argument = expression();
      if (is("for")) argument = comprehension(std::move(argument));
      out.parts.push_back(std::move(argument));
      out.signs.push_back(keyword);
      if (!is(")")) expect(",");
    }
    return out;
  }

  Expression subscript(Expression of) {
    Expression from, to, step;  // constants None
    bool slice = false;
    if (!is(":")) from = list_of_expressions();
    if (accept(":")) {
      slice = true;
      if (!is("]") && !is(":")) to = expression();
      if (accept(":") && !is("]")) step = expression();
    }
    expect("]");
    Expression out{slice ? Kind::slice : Kind::index};
    out.parts.push_back(std::move(of));
    out.parts.push_back(std::move(from));
    if (slice) out.parts.push_back(std::move(to)), out.parts.push_back(std::move(step));
    return out;
  }

  Expression comprehension(Expression value) {
    Expression out{Kind::comprehension};
    expect("for");
    do {
      if (now().kind != Token::Kind::name) refuse("a name belongs after 'for'");
      out.signs.push_back(tokens_[at_++].text);
    } while (accept(","));
    expect("in");
    out.parts.push_back(std::move(value));
    out.parts.push_back(logical(Kind::either, "or"));
    while (accept("if")) out.parts.push_back(logical(Kind::either, "or"));
    return out;
  }

  Expression atom() {
    const Token& token = now();
    if (token.kind == Token::Kind::number || token.kind == Token::Kind::text) {
      Expression constant{Kind::constant};
      constant.value = token.value;
      for (++at_; token.kind == Token::Kind::text && now().kind == Token::Kind::text; ++at_) constant.value = constant.value.str() + now().text;
      return constant;
    }
    if (token.kind == Token::Kind::name) {
      for (const std::string_view word : {"if", "else", "for", "in", "and", "or", "is", "lambda"})
        if (token.text == word) refuse(cat(in_quotes(word), " stands where a value belongs"));
      ++at_;
      if (token.text == "True" || token.text == "False" || token.text == "None") {
        Expression constant{Kind::constant};
        if (token.text != "None") constant.value = token.text == "True";
        return constant;
      }
      return {Kind::name, token.text};
    }
    if (accept("(")) {
      if (accept(")")) return {Kind::tuple};
      Expression inner = list_of_brackets(")");
      return inner;
    }
    if (accept("[")) {
      Expression out{Kind::list};
      while (!accept("]")) {
        Expression item = expression();
        if (is("for") && out.parts.empty()) {
          item = comprehension(std::move(item));
          expect("]");
          return item;
        }
        out.parts.push_back(std::move(item));
        if (!is("]")) expect(",");
      }
      return out;
    }
    if (accept("{")) {
      Expression out{Kind::dict};
      while (!accept("}")) {
        out.parts.push_back(expression());
        expect(":");
        out.parts.push_back(expression());
        if (!is("}")) expect(",");
      }
      return out;
    }
    refuse(token.kind == Token::Kind::end ? std::string("it ends where a value belongs") : cat(in_quotes(token.text), " stands where a value belongs"));
  }

  Expression list_of_brackets(std::string_view closing) {
    Expression first = expression();
    if (is("for")) first = comprehension(std::move(first));
    if (accept(closing)) return first;
    Expression tuple{Kind::tuple};
    tuple.parts.push_back(std::move(first));
    while (accept(",") && !is(closing)) tuple.parts.push_back(expression());
    expect(closing);
    return tuple;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0, powers_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) { return ExpressionParser(text).parse(); }

}  // namespace ulna::internal
