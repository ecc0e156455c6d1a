#include "source/xacro_expression.hpp"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <set>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

using Values = std::vector<XacroValue>;

[[noreturn]] void refuse(std::string problem, std::string cure = {}) { throw XacroError{std::move(problem), std::move(cure)}; }

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

// Expressions as trees. Chains of operators of one level are one node, so that a long sum is no deep tree.

struct Expression {
  enum class Kind { constant, name, chain, power, sign, compare, either, both, negate, choice, list, tuple, dict, index, slice, member, call, comprehension };
  Kind kind = Kind::constant;
  std::string text{};                // a name
  XacroValue value{};                // of a constant
  std::vector<Expression> parts{};   // operands
  std::vector<std::string> signs{};  // operators between them; names of keyword arguments; targets of a comprehension
};

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

// Arithmetic, by Python's rules.

/// By reference: the operation that overflows or not may write it after this argument is taken.
std::int64_t exact(bool overflow, const std::int64_t& value) {
  if (overflow) refuse("an integer of it needs more than 64 bits", "write a number with a point");
  return value;
}

XacroValue arithmetic(const XacroValue& a, const std::string& sign, const XacroValue& b);

std::string python_format(const std::string& format, const XacroValue& values) {
  const XacroValue::List* list = values.as_list() && values.as_list()->tuple ? values.as_list() : nullptr;
  std::size_t next = 0;
  std::string out;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      out += format[at];
      continue;
    }
    std::size_t end = format.find_first_not_of("-+ #0123456789.", at + 1);
    if (end == std::string::npos) refuse("a format ends in '%'", "write %% for a percent sign");
    std::string flags = format.substr(at, end - at);
    const char kind = format[end];
    at = end;
    if (kind == '%') {
      out += '%';
      continue;
    }
    if (list ? next == list->items.size() : next == 1) refuse("a format has more places than values");
    const XacroValue& value = list ? list->items[next] : values;
    ++next;
    if (flags.size() > 12 || flags.find_first_of("123456789") != std::string::npos)
      if (std::count_if(flags.begin(), flags.end(), [](char c) { return c >= '0' && c <= '9'; }) > 4) refuse("a format is wider than 99 places");
    char piece[1024];
    if (kind == 's' || kind == 'r') {
      std::string text = kind == 's' ? value.str() : value.repr();
      const std::size_t point = flags.find('.'), width = flags.find_first_of("123456789");
      if (point != std::string::npos) text = text.substr(0, static_cast<std::size_t>(std::atoi(flags.c_str() + point + 1)));
      const std::size_t wide = width < point ? static_cast<std::size_t>(std::atoi(flags.c_str() + width)) : 0;
      const std::string blanks(wide > text.size() ? wide - text.size() : 0, ' ');
      out += flags.find('-') != std::string::npos ? text + blanks : blanks + text;
    } else if ((kind == 'd' || kind == 'i') && value.is_number())
      std::snprintf(piece, sizeof piece, (flags + "lld").c_str(),
                    static_cast<long long>(value.is_integer() ? value.integer() : static_cast<std::int64_t>(value.number()))),
          out += piece;
    else if (std::string_view("xXo").find(kind) != std::string_view::npos && value.is_integer() && value.integer() >= 0)
      std::snprintf(piece, sizeof piece, (flags + "ll" + kind).c_str(), static_cast<unsigned long long>(value.integer())), out += piece;
    else if (std::string_view("feEgGF").find(kind) != std::string_view::npos && value.is_number())
      std::snprintf(piece, sizeof piece, (flags + kind).c_str(), value.number()), out += piece;
    else
      refuse(cat("a format has %", std::string(1, kind), " for ", value.type()), "write %s, %d, %f or %g");
  }
  if (list ? next < list->items.size() : next == 0 && !values.as_dict() && !values.as_list()) refuse("a format has fewer places than values");
  return out;
}

double python_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (b < 0) != (rest < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

double python_floor_division(double a, double b) {
  const double quotient = (a - python_modulo(a, b)) / b, low = std::floor(quotient);
  return quotient == 0 ? std::copysign(0.0, a / b) : quotient - low > 0.5 ? low + 1 : low;
}

XacroValue raise(const XacroValue& a, const XacroValue& b) {
  if (!a.is_number() || !b.is_number()) refuse(cat("** takes numbers, not ", a.type(), " and ", b.type()));
  if (a.is_integer() && b.is_integer() && b.integer() >= 0) {
    std::int64_t base = a.integer(), out = 1;
    if (base == 0 || base == 1) return b.integer() == 0 ? std::int64_t{1} : base;
    if (base == -1) return std::int64_t{b.integer() % 2 == 0 ? 1 : -1};
    for (std::int64_t n = b.integer(); n > 0; --n) out = exact(__builtin_mul_overflow(out, base, &out), out);
    return out;
  }
  const double x = a.number(), y = b.number();
  if (x == 0 && y < 0) refuse("0 is raised to a negative power");
  if (x < 0 && y != std::floor(y)) refuse("a negative number is raised to a fraction, which gives a complex number");
  return std::pow(x, y);
}

XacroValue on_integers(std::int64_t a, const std::string& sign, std::int64_t b) {
  std::int64_t out = 0;
  if (sign == "+") return exact(__builtin_add_overflow(a, b, &out), out);
  if (sign == "-") return exact(__builtin_sub_overflow(a, b, &out), out);
  if (sign == "*") return exact(__builtin_mul_overflow(a, b, &out), out);
  if (sign == "&") return a & b;
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "<<" || sign == ">>") {
    if (b < 0) refuse("a shift is negative");
    if (sign == ">>") return a >> std::min<std::int64_t>(b, 63);
    if (a == 0) return a;
    exact(b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << std::min<std::int64_t>(b, 62), &out), out);
    return out;
  }
  if (b == 0) refuse("it divides by 0");
  if (sign == "/") return static_cast<double>(a) / static_cast<double>(b);
  exact(b == -1 && a == std::numeric_limits<std::int64_t>::min(), 0);
  const std::int64_t quotient = a / b, rest = a % b;
  const bool below = rest != 0 && (rest < 0) != (b < 0);
  return sign == "//" ? quotient - below : below ? rest + b : rest;
}

XacroValue arithmetic(const XacroValue& a, const std::string& sign, const XacroValue& b) {
  if (a.is_integer() && b.is_integer()) return on_integers(a.integer(), sign, b.integer());
  if (a.is_number() && b.is_number()) {
    const double x = a.number(), y = b.number();
    if (sign == "+") return x + y;
    if (sign == "-") return x - y;
    if (sign == "*") return x * y;
    if (y == 0 && (sign == "/" || sign == "//" || sign == "%")) refuse("it divides by 0");
    if (sign == "/") return x / y;
    if (sign == "//") return python_floor_division(x, y);
    if (sign == "%") return python_modulo(x, y);
  }
  const std::string *text = a.as_text(), *other = b.as_text();
  if (sign == "%" && text) return python_format(*text, b);
  if (sign == "+" && text && other) return *text + *other;
  const XacroValue::List *list = a.as_list(), *more = b.as_list();
  if (sign == "+" && list && more) {
    Values all = list->items;
    all.insert(all.end(), more->items.begin(), more->items.end());
    return XacroValue::list(std::move(all), list->tuple);
  }
  if (list && more && list->set && more->set && (sign == "-" || sign == "|" || sign == "&" || sign == "^")) {
    const XacroValue::Dict mine(list->items), others(more->items);
    Values items;
    for (const XacroValue& one : list->items)
      if (sign == "|" || (others.find(one) != nullptr) == (sign == "&")) items.push_back(one);
    for (const XacroValue& one : more->items)
      if ((sign == "|" || sign == "^") && mine.find(one) == nullptr) items.push_back(one);
    return XacroValue::set(items);
  }
  if (sign == "*" && b.is_integer() && (text || list)) {
    constexpr std::int64_t kMost = 100'000;
    const std::int64_t times = std::max<std::int64_t>(b.integer(), 0), length = static_cast<std::int64_t>(text ? text->size() : list->items.size());
    if (times > kMost || times * length > 10 * kMost) refuse(cat("it repeats ", a.type(), " ", times, " times"), "repeat it less often");
    std::string repeated;
    Values items;
    for (std::int64_t i = 0; i < times; ++i)
      if (text)
        repeated += *text;
      else
        items.insert(items.end(), list->items.begin(), list->items.end());
    return text ? XacroValue(std::move(repeated)) : XacroValue::list(std::move(items), list->tuple);
  }
  if (sign == "*" && a.is_integer() && (other || more)) return arithmetic(b, sign, a);
  const bool text_for_number = (text && b.is_number()) || (other && a.is_number());
  refuse(cat(sign, " cannot join ", a.type(), text ? cat(" ", in_quotes(*text)) : "", " and ", b.type(), other ? cat(" ", in_quotes(*other)) : ""),
         text_for_number ? "convert with float(...) or str(...); YAML takes 1e-3 for a text, and 1.0e-3 for a number" : "");
}

bool less(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) return a.is_integer() && b.is_integer() ? a.integer() < b.integer() : a.number() < b.number();
  if (a.as_text() && b.as_text()) return *a.as_text() < *b.as_text();
  if (a.as_list() && b.as_list()) {
    const Values &x = a.as_list()->items, &y = b.as_list()->items;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (!equal(x[i], y[i])) return less(x[i], y[i]);
    return x.size() < y.size();
  }
  refuse(cat(a.type(), " cannot be compared with ", b.type()));
}

bool holds(const XacroValue& container, const XacroValue& item) {
  if (const std::string* text = container.as_text()) {
    if (!item.as_text()) refuse(cat("'in' looks for ", item.type(), " in a text"));
    return text->find(*item.as_text()) != std::string::npos;
  }
  if (const XacroValue::List* list = container.as_list())
    return std::any_of(list->items.begin(), list->items.end(), [&](const XacroValue& one) { return equal(one, item); });
  if (const XacroValue::Dict* dict = container.as_dict()) return dict->find(item) != nullptr;
  refuse(cat("'in' takes a text, a list or a dictionary, not ", container.type()));
}

bool compares(const XacroValue& a, const std::string& sign, const XacroValue& b) {
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  if (sign == "is" || sign == "is not") return (a.data.index() == b.data.index() && equal(a, b)) == (sign == "is");
  if (sign == "in") return holds(b, a);
  if (sign == "not in") return !holds(b, a);
  const bool nan = (a.as<double>() && std::isnan(*a.as<double>())) || (b.as<double>() && std::isnan(*b.as<double>()));
  if (nan) return false;
  if (sign == "<") return less(a, b);
  if (sign == ">") return less(b, a);
  return sign == "<=" ? !less(b, a) : !less(a, b);
}

// Functions.

/// What can be gone through: items of a list, keys of a dictionary, letters of a text.
Values items_of(const XacroValue& value) {
  if (const XacroValue::List* list = value.as_list()) return list->items;
  Values out;
  if (const XacroValue::Dict* dict = value.as_dict())
    for (const auto& [key, unused] : dict->entries) out.push_back(key);
  else if (const std::string* text = value.as_text())
    for (const char c : *text) out.emplace_back(std::string(1, c));
  else
    refuse(cat(value.type(), " has no items"));
  return out;
}

struct Arguments1 {
  std::string function;
  Values list;
  std::vector<std::pair<std::string, XacroValue>> keywords;

  void count(std::size_t least, std::size_t most) const {
    if (list.size() >= least && list.size() <= most) return;
    refuse(
        cat(function, "() takes ", least == most ? cat(least) : cat(least, " to ", most), most == 1 ? " argument" : " arguments", ", and has ", list.size()));
  }
  double number(std::size_t i) const {
    if (!list[i].is_number())
      refuse(cat(function, "() takes a number, not ", list[i].type(), list[i].as_text() ? cat(" ", in_quotes(*list[i].as_text())) : ""));
    return list[i].number();
  }
  std::int64_t integer(std::size_t i) const {
    if (!list[i].is_integer()) refuse(cat(function, "() takes an integer, not ", list[i].type()));
    return list[i].integer();
  }
  const std::string& text(std::size_t i) const {
    if (!list[i].as_text()) refuse(cat(function, "() takes a text, not ", list[i].type()));
    return *list[i].as_text();
  }
  const XacroValue* keyword(std::string_view name) const {
    for (const auto& [known, value] : keywords)
      if (known == name) return &value;
    return nullptr;
  }
};

XacroValue integer_of(double value, const std::string& function) {
  if (!(std::fabs(value) < 9.2e18)) refuse(cat(function, "() of ", python_text(value), " is no integer of 64 bits"));
  return static_cast<std::int64_t>(value);
}

struct RealFunction {
  std::string_view name;
  double (*value)(double);
};
constexpr double kDegree = std::numbers::pi / 180, kInDegrees = 180 / std::numbers::pi;
const RealFunction kRealFunctions[] = {
    {"sin", [](double x) { return std::sin(x); }},     {"cos", [](double x) { return std::cos(x); }},     {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},   {"acos", [](double x) { return std::acos(x); }},   {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},   {"cosh", [](double x) { return std::cosh(x); }},   {"tanh", [](double x) { return std::tanh(x); }},
    {"asinh", [](double x) { return std::asinh(x); }}, {"acosh", [](double x) { return std::acosh(x); }}, {"atanh", [](double x) { return std::atanh(x); }},
    {"exp", [](double x) { return std::exp(x); }},     {"expm1", [](double x) { return std::expm1(x); }}, {"log10", [](double x) { return std::log10(x); }},
    {"log2", [](double x) { return std::log2(x); }},   {"log1p", [](double x) { return std::log1p(x); }}, {"sqrt", [](double x) { return std::sqrt(x); }},
    {"fabs", [](double x) { return std::fabs(x); }},   {"radians", [](double x) { return x * kDegree; }}, {"degrees", [](double x) { return x * kInDegrees; }},
};

/// Correctly rounded, halves to even, as Python does it.
XacroValue rounded_value(const Arguments1& a) {
  a.count(1, 2);
  const double x = a.number(0);
  if (a.list.size() == 1 || std::holds_alternative<std::monostate>(a.list[1].data))
    return a.list[0].is_integer() ? XacroValue(a.list[0].integer()) : integer_of(std::nearbyint(x), "round");
  const std::int64_t digits = a.integer(1);
  if (a.list[0].is_integer() && digits >= 0) return a.list[0].integer();
  if (digits > 300 || !std::isfinite(x)) return a.list[0];
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-std::max<std::int64_t>(digits, -300)));
    const double out = std::nearbyint(x / unit) * unit;
    return a.list[0].is_integer() ? integer_of(out, "round") : XacroValue(out);
  }
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), x);
  return std::strtod(text, nullptr);
}

std::optional<XacroValue> of_math(const Arguments1& a) {
  const std::string& f = a.function;
  if (const auto* found = std::find_if(std::begin(kRealFunctions), std::end(kRealFunctions), [&](const RealFunction& row) { return row.name == f; });
      found != std::end(kRealFunctions)) {
    a.count(1, 1);
    const double x = a.number(0), out = found->value(x);
    if (std::isnan(out) && !std::isnan(x)) refuse(cat(f, "() is not defined for ", python_text(x)));
    if (std::isinf(out) && std::isfinite(x)) refuse(cat(f, "() of ", python_text(x), " is not finite"));
    return out;
  }
  if (f == "atan2" || f == "pow" || f == "fmod" || f == "copysign") {
    a.count(2, 2);
    const double x = a.number(0), y = a.number(1);
    const double out = f == "atan2" ? std::atan2(x, y) : f == "pow" ? std::pow(x, y) : f == "fmod" ? std::fmod(x, y) : std::copysign(x, y);
    if (!std::isfinite(out) && std::isfinite(x) && std::isfinite(y)) refuse(cat(f, "() is not defined for ", python_text(x), " and ", python_text(y)));
    return out;
  }
  if (f == "hypot") {
    double sum = 0;
    for (std::size_t i = 0; i < a.list.size(); ++i) sum = std::hypot(sum, a.number(i));
    return sum;
  }
  if (f == "log") {
    a.count(1, 2);
    if (!(a.number(0) > 0) || (a.list.size() > 1 && !(a.number(1) > 0 && a.number(1) != 1))) refuse("log() is not defined there");
    return a.list.size() == 1 ? std::log(a.number(0)) : std::log(a.number(0)) / std::log(a.number(1));
  }
  if (f == "floor" || f == "ceil" || f == "trunc") {
    a.count(1, 1);
    if (a.list[0].is_integer()) return a.list[0].integer();
    return integer_of(f == "floor" ? std::floor(a.number(0)) : f == "ceil" ? std::ceil(a.number(0)) : std::trunc(a.number(0)), f);
  }
  if (f == "isnan" || f == "isinf" || f == "isfinite") {
    a.count(1, 1);
    const double x = a.number(0);
    return f == "isnan" ? std::isnan(x) : f == "isinf" ? std::isinf(x) : std::isfinite(x);
  }
  if (f == "gcd") {
    a.count(2, 2);
    std::int64_t x = std::abs(a.integer(0)), y = std::abs(a.integer(1));
    while (y != 0) x = std::exchange(y, x % y);
    return x;
  }
  if (f == "factorial") {
    a.count(1, 1);
    if (a.integer(0) < 0 || a.integer(0) > 20) refuse("factorial() takes 0 to 20 here");
    std::int64_t out = 1;
    for (std::int64_t n = 2; n <= a.integer(0); ++n) out *= n;
    return out;
  }
  return {};
}

std::optional<XacroValue> of_python(const Arguments1& a) {
  const std::string& f = a.function;
  if (f == "round") return rounded_value(a);
  if (f == "len") {
    a.count(1, 1);
    return static_cast<std::int64_t>(a.list[0].as_text() ? a.list[0].as_text()->size() : items_of(a.list[0]).size());
  }
  if (f == "str" || f == "repr") {
    a.count(f == "str" ? 0 : 1, 1);
    return a.list.empty() ? std::string() : f == "str" ? a.list[0].str() : a.list[0].repr();
  }
  if (f == "bool") {
    a.count(0, 1);
    return !a.list.empty() && a.list[0].truth();
  }
  if (f == "int" || f == "float") {
    a.count(0, 1);
    if (a.list.empty()) return f == "int" ? XacroValue(std::int64_t{0}) : XacroValue(0.0);
    if (const std::string* text = a.list[0].as_text()) {
      if (f == "int")
        if (const auto value = python_integer(*text)) return *value;
      if (f == "float")
        if (const auto value = python_number(*text)) return *value;
      refuse(cat(f, "() cannot read ", in_quotes(*text)));
    }
    return f == "float" ? XacroValue(a.number(0)) : a.list[0].is_integer() ? XacroValue(a.list[0].integer()) : integer_of(a.number(0), f);
  }
  if (f == "abs") {
    a.count(1, 1);
    if (!a.list[0].is_integer()) return std::fabs(a.number(0));
    return exact(a.integer(0) == std::numeric_limits<std::int64_t>::min(), std::abs(a.integer(0)));
  }
  if (f == "min" || f == "max") {
    const Values all = a.list.size() == 1 ? items_of(a.list[0]) : a.list;
    if (all.empty()) refuse(cat(f, "() of nothing"));
    const XacroValue* best = all.data();
    for (const XacroValue& one : all)
      if (f == "min" ? less(one, *best) : less(*best, one)) best = &one;
    return *best;
  }
  if (f == "sum") {
    a.count(1, 2);
    XacroValue total = a.list.size() == 2 ? a.list[1] : XacroValue(std::int64_t{0});
    for (const XacroValue& one : items_of(a.list[0])) total = arithmetic(total, "+", one);
    return total;
  }
  if (f == "any" || f == "all") {
    a.count(1, 1);
    const Values all = items_of(a.list[0]);
    const auto truth = [](const XacroValue& one) { return one.truth(); };
    return f == "any" ? std::any_of(all.begin(), all.end(), truth) : std::all_of(all.begin(), all.end(), truth);
  }
  if (f == "list" || f == "tuple" || f == "set" || f == "frozenset" || f == "sorted" || f == "reversed") {
    a.count(f == "sorted" || f == "reversed" ? 1 : 0, 1);
    Values all = a.list.empty() ? Values() : items_of(a.list[0]);
    if (f == "sorted") std::stable_sort(all.begin(), all.end(), less);
    const XacroValue* reverse = a.keyword("reverse");
    if (f == "reversed" || (reverse && reverse->truth())) std::reverse(all.begin(), all.end());
    return f == "set" || f == "frozenset" ? XacroValue::set(all) : XacroValue::list(std::move(all), f == "tuple");
  }
  if (f == "dict") {
    XacroValue::Dict out;
    if (!a.list.empty() && a.list[0].as_dict()) out = *a.list[0].as_dict();
    if (!a.list.empty() && a.list[0].as_list())
      for (const XacroValue& pair : a.list[0].as_list()->items) {
        const Values both = items_of(pair);
        if (both.size() != 2) refuse("dict() takes a list of pairs");
        out.set(both[0], both[1]);
      }
    for (const auto& [name, value] : a.keywords) out.set(name, value);
    return XacroValue::dict(std::move(out));
  }
  if (f == "range") {
    a.count(1, 3);
    const std::int64_t from = a.list.size() > 1 ? a.integer(0) : 0, to = a.integer(a.list.size() > 1 ? 1 : 0), step = a.list.size() > 2 ? a.integer(2) : 1;
    constexpr std::int64_t kLongest = 100'000;
    if (step == 0) refuse("range() has steps of 0");
    if (std::fabs((static_cast<double>(to) - static_cast<double>(from)) / static_cast<double>(step)) > kLongest)
      refuse(cat("range() is longer than ", kLongest));
    Values out;
    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += step) out.emplace_back(i);
    return XacroValue::list(std::move(out));
  }
  if (f == "enumerate" || f == "zip") {
    std::vector<Values> columns;
    for (const XacroValue& one : a.list) columns.push_back(items_of(one));
    if (f == "enumerate") {
      a.count(1, 1);
      Values numbers;
      for (std::size_t i = 0; i < columns[0].size(); ++i) numbers.emplace_back(static_cast<std::int64_t>(i));
      columns.insert(columns.begin(), std::move(numbers));
    }
    Values rows;
    std::size_t count = columns.empty() ? 0 : columns[0].size();
    for (const Values& column : columns) count = std::min(count, column.size());
    for (std::size_t i = 0; i < count; ++i) {
      Values row;
      for (const Values& column : columns) row.push_back(column[i]);
      rows.push_back(XacroValue::list(std::move(row), true));
    }
    return XacroValue::list(std::move(rows));
  }
  if (f == "divmod") {
    a.count(2, 2);
    return XacroValue::list({arithmetic(a.list[0], "//", a.list[1]), arithmetic(a.list[0], "%", a.list[1])}, true);
  }
  if (f == "isinstance") {
    a.count(2, 2);
    const Values types = a.list[1].as_list() ? a.list[1].as_list()->items : Values{a.list[1]};
    return std::any_of(types.begin(), types.end(), [&](const XacroValue& type) {
      const auto* name = type.as<XacroValue::Function>();
      const XacroValue& x = a.list[0];
      if (name == nullptr) return false;
      return (name->name == "str" && x.as_text()) || (name->name == "bool" && x.as<bool>()) || (name->name == "int" && x.is_integer()) ||
             (name->name == "float" && x.as<double>()) || (name->name == "list" && x.as_list() && !x.as_list()->tuple) ||
             (name->name == "tuple" && x.as_list() && x.as_list()->tuple) || (name->name == "dict" && x.as_dict());
    });
  }
  return {};
}

const std::set<std::string, std::less<>>& python_functions() {
  static const std::set<std::string, std::less<>> names{"round",    "len",  "str",   "repr",      "bool", "int",    "float",      "abs",       "min",
                                                        "max",      "sum",  "any",   "all",       "list", "tuple",  "set",        "frozenset", "sorted",
                                                        "reversed", "dict", "range", "enumerate", "zip",  "divmod", "isinstance", "map",       "filter"};
  return names;
}
const std::set<std::string, std::less<>>& math_functions() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> out{"atan2", "pow",   "fmod",  "copysign", "hypot",    "log", "floor",
                                           "ceil",  "trunc", "isnan", "isinf",    "isfinite", "gcd", "factorial"};
    for (const RealFunction& row : kRealFunctions) out.emplace(row.name);
    return out;
  }();
  return names;
}
const std::set<std::string, std::less<>>& reader_functions() {
  static const std::set<std::string, std::less<>> names{"load_yaml", "abs_filename", "dotify",         "arg", "find",   "message", "warning", "error",
                                                        "fatal",     "tokenize",     "print_location", "env", "optenv", "dirname"};
  return names;
}

std::optional<double> math_constant(const std::string& name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "tau") return 2 * std::numbers::pi;
  if (name == "inf") return HUGE_VAL;
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return {};
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool ends(std::string_view text, std::string_view with) { return text.size() >= with.size() && text.substr(text.size() - with.size()) == with; }

XacroValue split_text(const std::string& text, const Arguments1& a) {
  a.count(0, 2);
  Values out;
  const std::int64_t most = a.list.size() > 1 ? a.integer(1) : -1;
  if (a.list.empty() || !a.list[0].as_text()) {
    for (const std::string_view word : words(text)) {
      const bool last = static_cast<std::int64_t>(out.size()) == most;
      out.emplace_back(last ? text.substr(static_cast<std::size_t>(word.data() - text.data())) : std::string(word));
      if (last) break;
    }
    return XacroValue::list(std::move(out));
  }
  const std::string& by = a.text(0);
  if (by.empty()) refuse("split() takes a separator that is not empty");
  std::size_t at = 0;
  for (std::size_t next = text.find(by); next != std::string::npos && (most < 0 || static_cast<std::int64_t>(out.size()) < most); next = text.find(by, at)) {
    out.emplace_back(text.substr(at, next - at));
    at = next + by.size();
  }
  out.emplace_back(text.substr(at));
  return XacroValue::list(std::move(out));
}

XacroValue of_text(const std::string& text, const Arguments1& a) {
  const std::string& f = a.function;
  std::string out = text;
  if (f == "split") return split_text(text, a);
  if (f == "strip" || f == "lstrip" || f == "rstrip") {
    a.count(0, 1);
    const std::string of = a.list.empty() ? " \t\r\n" : a.text(0);
    const std::size_t first = f == "rstrip" ? 0 : std::min(text.find_first_not_of(of), text.size()),
                      last = f == "lstrip" ? text.size() : text.find_last_not_of(of) + 1;
    return last > first ? text.substr(first, last - first) : std::string();
  }
  if (f == "lower" || f == "upper" || f == "capitalize" || f == "title") {
    a.count(0, 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto c = static_cast<unsigned char>(out[i]);
      const bool first = f == "title" ? i == 0 || !std::isalpha(static_cast<unsigned char>(out[i - 1])) : i == 0;
      out[i] = static_cast<char>(f == "upper" || (f != "lower" && first) ? std::toupper(c) : std::tolower(c));
    }
    return out;
  }
  if (f == "replace") {
    a.count(2, 2);
    const std::string &from = a.text(0), &to = a.text(1);
    if (from.empty()) refuse("replace() takes a text that is not empty");
    if (to.size() > 1000 * from.size()) refuse("replace() puts in a text that is too long");
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
      out.replace(at, from.size(), to);
      if (out.size() > 10'000'000) refuse("replace() makes a text that is too long");
    }
    return out;
  }
  if (f == "startswith" || f == "endswith") {
    a.count(1, 1);
    const Values all = a.list[0].as_list() ? a.list[0].as_list()->items : Values{a.list[0]};
    return std::any_of(all.begin(), all.end(), [&](const XacroValue& one) { return f == "startswith" ? starts(text, one.str()) : ends(text, one.str()); });
  }
  if (f == "join") {
    a.count(1, 1);
    std::string all;
    const Values items = items_of(a.list[0]);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].as_text()) refuse(cat("join() takes texts, not ", items[i].type()), "write ' '.join([str(x) for x in ...])");
      all += cat(i == 0 ? "" : text, *items[i].as_text());
    }
    return all;
  }
  if (f == "find" || f == "rfind" || f == "count") {
    a.count(1, 1);
    const std::string& what = a.text(0);
    if (f == "count") {
      std::int64_t n = 0;
      for (std::size_t at = text.find(what); !what.empty() && at != std::string::npos; at = text.find(what, at + what.size())) ++n;
      return n;
    }
    const std::size_t at = f == "find" ? text.find(what) : text.rfind(what);
    return at == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(at);
  }
  if (f == "isdigit" || f == "isalpha" || f == "isnumeric") {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [&](char c) { return f == "isalpha" ? std::isalpha(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '9'; });
  }
  if (f == "zfill") {
    a.count(1, 1);
    const std::int64_t width = std::min<std::int64_t>(a.integer(0), 1000);
    while (static_cast<std::int64_t>(out.size()) < width) out.insert(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0, "0");
    return out;
  }
  if (f == "format") {
    std::size_t next = 0;
    std::string all;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text.substr(at, 2) == "{{" || text.substr(at, 2) == "}}") {
        all += text[at++];
      } else if (text[at] == '{') {
        const std::size_t end = std::min(text.find('}', at), text.size());
        const std::string field = text.substr(at + 1, end - at - 1), name = field.substr(0, field.find(':'));
        const auto place = name.empty() ? std::optional<std::int64_t>(static_cast<std::int64_t>(next++)) : python_integer(name);
        const XacroValue* value =
            place ? (*place >= 0 && *place < static_cast<std::int64_t>(a.list.size()) ? &a.list[static_cast<std::size_t>(*place)] : nullptr) : a.keyword(name);
        if (value == nullptr) refuse(cat("format() has no value for {", field, "}"));
        all += field.find(':') == std::string::npos ? value->str() : python_format(cat("%", field.substr(field.find(':') + 1)), *value);
        at = end;
      } else {
        all += text[at];
      }
    }
    return all;
  }
  refuse(cat("texts have no function ", in_quotes(f)), "split, strip, replace, lower, upper, startswith, endswith, join, find, count and format are there");
}

XacroValue of_dict(const XacroValue::Dict& dict, const Arguments1& a) {
  const std::string& f = a.function;
  if (f == "get") {
    a.count(1, 2);
    const XacroValue* found = dict.find(a.list[0]);
    return found ? *found : a.list.size() > 1 ? a.list[1] : XacroValue();
  }
  a.count(0, 0);
  Values out;
  for (const auto& [key, value] : dict.entries) out.push_back(f == "keys" ? key : f == "values" ? value : XacroValue::list({key, value}, true));
  if (f == "copy") return XacroValue::dict(dict);
  return XacroValue::list(std::move(out));
}

// Evaluation.

class Evaluator {
 public:
  explicit Evaluator(const XacroNames& names) : names_(names) {}

  XacroValue value(const Expression& e) {
    names_.spend(1, 0);
    switch (e.kind) {
      case Expression::Kind::constant: return e.value;
      case Expression::Kind::name: return named(e.text);
      case Expression::Kind::chain: {
        XacroValue out = value(e.parts[0]);
        for (std::size_t i = 0; i < e.signs.size(); ++i) {
          out = arithmetic(out, e.signs[i], value(e.parts[i + 1]));
          names_.spend(out.as_list() ? out.as_list()->items.size() : 1, out.as_text() ? out.as_text()->size() : 0);
        }
        return out;
      }
      case Expression::Kind::power: {
        const XacroValue base = value(e.parts[0]);
        return raise(base, value(e.parts[1]));
      }
      case Expression::Kind::sign: {
        XacroValue out = value(e.parts[0]);
        for (auto sign = e.text.rbegin(); sign != e.text.rend(); ++sign) {
          if (!out.is_number() || (*sign == '~' && !out.is_integer())) refuse(cat(std::string(1, *sign), " cannot stand before ", out.type()));
          if (*sign == '~')
            out = ~out.integer();
          else if (*sign == '-' || out.as<bool>())
            out = out.is_integer() ? arithmetic(std::int64_t{0}, std::string(1, *sign), out.integer()) : XacroValue(-out.number());
        }
        return out;
      }
      case Expression::Kind::compare: {
        XacroValue left = value(e.parts[0]);
        for (std::size_t i = 0; i < e.signs.size(); ++i) {
          XacroValue right = value(e.parts[i + 1]);
          if (!compares(left, e.signs[i], right)) return false;
          left = std::move(right);
        }
        return true;
      }
      case Expression::Kind::either:
      case Expression::Kind::both: {
        XacroValue out;
        for (const Expression& part : e.parts) {
          out = value(part);
          if (out.truth() == (e.kind == Expression::Kind::either)) break;
        }
        return out;
      }
      case Expression::Kind::negate: return value(e.parts[0]).truth() == e.text.empty();
      case Expression::Kind::choice: return value(e.parts[value(e.parts[0]).truth() ? 1 : 2]);
      case Expression::Kind::list:
      case Expression::Kind::tuple: {
        Values items;
        for (const Expression& part : e.parts) items.push_back(value(part));
        return XacroValue::list(std::move(items), e.kind == Expression::Kind::tuple);
      }
      case Expression::Kind::dict: {
        XacroValue::Dict out;
        for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
          XacroValue key = value(e.parts[i]);
          out.set(std::move(key), value(e.parts[i + 1]));
        }
        return XacroValue::dict(std::move(out));
      }
      case Expression::Kind::index: {
        const XacroValue of = value(e.parts[0]);
        return item(of, value(e.parts[1]));
      }
      case Expression::Kind::slice: return slice(e);
      case Expression::Kind::member: return member(value(e.parts[0]), e.text);
      case Expression::Kind::call: return call(e);
      case Expression::Kind::comprehension: return comprehension(e);
    }
    return {};
  }

 private:
  XacroValue named(const std::string& name) {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
      if (local->first == name) return local->second;
    if (const std::optional<XacroValue> found = names_.find(name)) return *found;
    if (const std::optional<double> constant = math_constant(name)) return *constant;
    if (name == "math" || name == "python" || name == "xacro") return XacroValue::Module{name};
    if (python_functions().contains(name) || math_functions().contains(name) || reader_functions().contains(name)) return XacroValue::Function{name};
    std::vector<std::string> known = names_.known();
    refuse(cat("there is no property ", in_quotes(name)), cat("define it before its first use", did_you_mean(name, known)));
  }

  XacroValue item(const XacroValue& of, const XacroValue& key) {
    if (const XacroValue::Dict* dict = of.as_dict()) {
      if (const XacroValue* found = dict->find(key)) return *found;
      std::vector<std::string> keys;
      for (const auto& [known, unused] : dict->entries)
        if (keys.size() < 1000) keys.push_back(known.str());
      refuse(cat("the dictionary has no key ", key.as_text() ? in_quotes(*key.as_text()) : key.repr()),
             cat("correct it", did_you_mean(key.str(), keys, keys.size() < 20 ? cat("; there are ", joined(keys)) : std::string())));
    }
    const std::string* text = of.as_text();
    const XacroValue::List* list = of.as_list();
    if (!text && !list) refuse(cat(of.type(), " has no items, and ", key.as_text() ? in_quotes(*key.as_text()) : key.repr(), " is used as its index"));
    if (!key.is_integer()) refuse(cat(of.type(), " has items by number, not by ", key.type(), key.as_text() ? cat(" ", in_quotes(*key.as_text())) : ""));
    const auto size = static_cast<std::int64_t>(text ? text->size() : list->items.size());
    const std::int64_t at = key.integer() < 0 ? key.integer() + size : key.integer();
    if (at < 0 || at >= size) refuse(cat("item ", key.integer(), " of ", of.type(), " of ", size, " items"), "items are counted from 0");
    return text ? XacroValue(std::string(1, (*text)[static_cast<std::size_t>(at)])) : list->items[static_cast<std::size_t>(at)];
  }

  XacroValue slice(const Expression& e) {
    const XacroValue of = value(e.parts[0]);
    const std::string* text = of.as_text();
    const XacroValue::List* list = of.as_list();
    if (!text && !list) refuse(cat(of.type(), " cannot be sliced"));
    const auto size = static_cast<std::int64_t>(text ? text->size() : list->items.size());
    const auto bound = [&](const Expression& part, std::int64_t otherwise, std::int64_t low, std::int64_t high) {
      const XacroValue at = value(part);
      if (std::holds_alternative<std::monostate>(at.data)) return otherwise;
      if (!at.is_integer()) refuse("slices take integers");
      return std::clamp(at.integer() < 0 ? std::max<std::int64_t>(at.integer(), -size - 1) + size : at.integer(), low, high);
    };
    const XacroValue by = value(e.parts[3]);
    const std::int64_t step = by.is_integer() ? by.integer() : 1;
    if (step == 0) refuse("a slice has steps of 0");
    const std::int64_t from = step > 0 ? bound(e.parts[1], 0, 0, size) : bound(e.parts[1], size - 1, -1, size - 1);
    const std::int64_t to = step > 0 ? bound(e.parts[2], size, 0, size) : bound(e.parts[2], -1, -1, size - 1);
    Values items;
    std::string out;
    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += std::clamp<std::int64_t>(step, -size - 1, size + 1))
      if (text)
        out += (*text)[static_cast<std::size_t>(i)];
      else
        items.push_back(list->items[static_cast<std::size_t>(i)]);
    return text ? XacroValue(std::move(out)) : XacroValue::list(std::move(items), list->tuple);
  }

  XacroValue member(const XacroValue& of, const std::string& name) {
    if (of.as<std::shared_ptr<XacroScope>>()) return names_.member(of, name);
    if (of.as_dict()) return item(of, name);
    if (const auto* module = of.as<XacroValue::Module>()) {
      if (module->name == "math")
        if (const std::optional<double> constant = math_constant(name)) return *constant;
      const auto& functions = module->name == "math" ? math_functions() : module->name == "python" ? python_functions() : reader_functions();
      if (functions.contains(name)) return XacroValue::Function{name};
      refuse(cat(module->name, " has no ", in_quotes(name)), cat("correct the name", did_you_mean(name, {functions.begin(), functions.end()})));
    }
    refuse(cat(of.type(), " has no member ", in_quotes(name)));
  }

  XacroValue call(const Expression& e) {
    const Expression& callee = e.parts[0];
    XacroValue of;
    Arguments1 a;
    const bool method = callee.kind == Expression::Kind::member;
    if (method) of = value(callee.parts[0]);
    const auto* dict = of.as_dict();
    const bool of_dictionary =
        dict && (callee.text == "get" || callee.text == "keys" || callee.text == "values" || callee.text == "items" || callee.text == "copy");
    const bool own = method && (of.as_text() || of.as_list() || of_dictionary);
    if (own) {
      a.function = callee.text;
    } else {
      const XacroValue function = method ? member(of, callee.text) : value(callee);
      if (!function.as<XacroValue::Function>()) refuse(cat(function.type(), " is called as a function"));
      a.function = function.as<XacroValue::Function>()->name;
    }
    for (std::size_t i = 1; i < e.parts.size(); ++i) {
      XacroValue argument = value(e.parts[i]);
      if (e.signs[i - 1].empty())
        a.list.push_back(std::move(argument));
      else
        a.keywords.emplace_back(e.signs[i - 1], std::move(argument));
    }
    place_keywords(a);
    XacroValue out = own ? called_on(of, a) : called(a);
    names_.spend(out.as_list() ? out.as_list()->items.size() : 1, out.as_text() ? out.as_text()->size() : 0);
    return out;
  }

  /// Arguments by name, in their places; what a function does not know would be lost.
  static void place_keywords(Arguments1& a) {
    struct Parameter {
      std::string_view function, name;
      std::size_t place;
      XacroValue otherwise{};
    };
    static const Parameter kParameters[] = {{"tokenize", "s", 0},
                                            {"tokenize", "sep", 1, std::string(",; ")},
                                            {"tokenize", "skip_empty", 2},
                                            {"load_yaml", "filename", 0},
                                            {"arg", "name", 0},
                                            {"round", "number", 0},
                                            {"round", "ndigits", 1},
                                            {"split", "sep", 0},
                                            {"split", "maxsplit", 1},
                                            {"sum", "start", 1}};
    for (const Parameter& parameter : kParameters) {
      if (a.function != parameter.function || a.keywords.empty()) continue;
      const auto given = std::find_if(a.keywords.begin(), a.keywords.end(), [&](const auto& keyword) { return keyword.first == parameter.name; });
      if (a.list.size() == parameter.place) a.list.push_back(given == a.keywords.end() ? parameter.otherwise : given->second);
      if (given != a.keywords.end()) a.keywords.erase(given);
    }
    static const std::set<std::string_view> by_name{"dict", "format", "sorted", "message", "warning", "error", "fatal"};
    if (!a.keywords.empty() && !by_name.contains(a.function))
      refuse(cat(a.function, "() takes no argument ", in_quotes(a.keywords[0].first), " by its name here"));
  }

  XacroValue called_on(const XacroValue& of, const Arguments1& a) {
    if (const std::string* text = of.as_text()) return of_text(*text, a);
    if (const XacroValue::Dict* dict = of.as_dict()) return of_dict(*dict, a);
    const Values& items = of.as_list()->items;
    if (a.function == "index" || a.function == "count") {
      a.count(1, 1);
      const auto same = [&](const XacroValue& one) { return equal(one, a.list[0]); };
      if (a.function == "count") return static_cast<std::int64_t>(std::count_if(items.begin(), items.end(), same));
      const auto found = std::find_if(items.begin(), items.end(), same);
      if (found == items.end()) refuse(cat(a.list[0].repr(), " is not in the list"));
      return static_cast<std::int64_t>(found - items.begin());
    }
    if (a.function == "copy") return of;
    constexpr std::pair<std::string_view, std::string_view> kOfSets[] = {
        {"union", "|"}, {"intersection", "&"}, {"difference", "-"}, {"symmetric_difference", "^"}};
    for (const auto& [name, sign] : kOfSets)
      if (of.as_list()->set && a.function == name) {
        a.count(1, 1);
        return arithmetic(of, std::string(sign), XacroValue::set(items_of(a.list[0])));
      }
    refuse(cat("lists have no function ", in_quotes(a.function), " here"), "index and count are there");
  }

  XacroValue called(const Arguments1& a) {
    if (a.function == "map" || a.function == "filter") {
      a.count(2, 2);
      const auto* function = a.list[0].as<XacroValue::Function>();
      if (function == nullptr) refuse(cat(a.function, "() takes a function"));
      Values out;
      for (const XacroValue& one : items_of(a.list[1])) {
        const XacroValue result = called({function->name, {one}, {}});
        if (a.function == "map")
          out.push_back(result);
        else if (result.truth())
          out.push_back(one);
      }
      return XacroValue::list(std::move(out));
    }
    if (reader_functions().contains(a.function))
      if (std::optional<XacroValue> out = names_.call(a.function, a.list)) return *std::move(out);
    if (std::optional<XacroValue> out = of_python(a)) return *std::move(out);
    if (std::optional<XacroValue> out = of_math(a)) return *std::move(out);
    refuse(cat("there is no function ", in_quotes(a.function)));
  }

  XacroValue comprehension(const Expression& e) {
    Values out;
    const Values items = items_of(value(e.parts[1]));
    for (const XacroValue& one : items) {
      const std::size_t before = locals_.size();
      if (e.signs.size() == 1) {
        locals_.emplace_back(e.signs[0], one);
      } else {
        const Values parts = items_of(one);
        if (parts.size() != e.signs.size()) refuse(cat(parts.size(), " values for ", e.signs.size(), " names"));
        for (std::size_t i = 0; i < parts.size(); ++i) locals_.emplace_back(e.signs[i], parts[i]);
      }
      const bool wanted = std::all_of(e.parts.begin() + 2, e.parts.end(), [&](const Expression& condition) { return value(condition).truth(); });
      if (wanted) out.push_back(value(e.parts[0]));
      locals_.resize(before);
    }
    return XacroValue::list(std::move(out));
  }

  const XacroNames& names_;
  std::vector<std::pair<std::string, XacroValue>> locals_;
};

}  // namespace

XacroValue evaluate_expression(std::string_view text, const XacroNames& names) {
  constexpr std::size_t kLongest = 100'000;
  if (text.size() > kLongest) refuse(cat("it is longer than ", kLongest, " bytes"));
  if (trimmed(text).empty()) refuse("it is empty", "write an expression between the braces");
  const Expression whole = ExpressionParser(text).parse();
  return Evaluator(names).value(whole);
}

}  // namespace ulna::internal
