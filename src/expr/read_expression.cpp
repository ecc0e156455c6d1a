#include "expr/read_expression.hpp"

#include <charconv>
#include <cmath>
#include <numbers>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

constexpr int kDeepest = 100;  // brackets in brackets: each takes a few frames of the stack
constexpr int kLargestPower = 16;
constexpr std::size_t kLongestExpression = 4000;  // signs before signs take frames of the stack, too

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const NameOf& name_of) : text_(text), name_of_(name_of) {}

  Expr read() {
    if (text_.size() > kLongestExpression) fail(0, cat("the expression has more than ", kLongestExpression, " characters"), "define parts of it under `where`");
    const Expr x = sum();
    if (at_ < text_.size()) fail(at_, cat("an operator is missing before ", in_quotes(text_.substr(at_, 1))), "write + - * or / between terms");
    return x;
  }

 private:
  [[noreturn]] static void fail(std::size_t at, std::string problem, std::string cure) { throw ExpressionProblem{at, std::move(problem), std::move(cure)}; }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }

  Expr sum() {
    Expr x = product();
    for (;;) {
      if (take('+'))
        x = x + product();
      else if (take('-'))
        x = x - product();
      else
        return x;
    }
  }
  Expr product() {
    Expr x = signed_factor();
    for (;;) {
      if (take('*')) {
        x = x * signed_factor();
      } else if (take('/')) {
        const std::size_t at = at_;
        const Expr by = signed_factor();
        if (by.is(0)) fail(at, "this divides by zero", "divide by something else");
        x = x / by;
      } else {
        return x;
      }
    }
  }
  Expr signed_factor() {
    if (take('-')) return -signed_factor();
    if (take('+')) return signed_factor();
    const Expr x = atom();
    if (!take('^')) return x;
    int power = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), power);
    if (error != std::errc() || power < 1 || power > kLargestPower) fail(at_, "a power is a whole number", cat("write one from 1 to ", kLargestPower));
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    Expr product = x;
    for (int k = 1; k < power; ++k) product = product * x;
    return product;
  }
  Expr atom() {
    skip();
    if (at_ >= text_.size()) fail(at_, "the expression ends where a term is expected", "complete it");
    if (take('(')) return bracket(at_ - 1);
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (!is_word(c))
      fail(at_, cat(in_quotes(text_.substr(at_, 1)), " cannot begin a term"), "write a number, pi, v.JOINT, q.JOINT, sin(…), cos(…), tan(…) or (…)");
    const std::size_t begin = at_;
    const std::string_view first = word();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      const std::size_t named = at_;
      if (first != "v" && first != "q") fail(begin, cat("there is no ", in_quotes(first), " of a joint"), "write v.JOINT for a rate, q.JOINT for a coordinate");
      return known(named, first, at_ < text_.size() && text_[at_] == '"' ? quoted() : word());
    }
    if (take('(')) return function(first, begin);
    skip();
    if (first == "pi") return Expr(std::numbers::pi);
    return known(begin, "", first);
  }
  Expr bracket(std::size_t open) {
    if (++depth_ > kDeepest) fail(open, cat("brackets are nested more than ", kDeepest, " deep"), "define a part of it under `where`");
    const Expr x = sum();
    if (!take(')')) fail(open, "the bracket that opens here is never closed", "close it with )");
    --depth_;
    return x;
  }
  Expr function(std::string_view name, std::size_t begin) {
    const Expr x = bracket(at_ - 1);
    const SinCos<Expr> s = sincos(x);
    if (name == "sin") return s.sin;
    if (name == "cos") return s.cos;
    if (name == "tan") return s.sin / s.cos;
    fail(begin, cat("there is no function ", in_quotes(name), did_you_mean(name, {"sin", "cos", "tan"})), "there are sin, cos and tan");
  }
  Expr number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail(at_, "this is no number", "write digits with a point, 0.25 or 1e-3");
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    return Expr(value);
  }
  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin) fail(begin, "the name of a joint is missing", "write v.JOINT; a name that is no word in double quotes: v.\"left knee\"");
    return text_.substr(begin, at_ - begin);
  }
  std::string_view quoted() {
    const std::size_t open = at_++, end = text_.find('"', at_);
    if (end == std::string_view::npos) fail(open, "the quote that opens here is never closed", "close it with \"");
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end + 1;
    return name;
  }
  Expr known(std::size_t at, std::string_view scope, std::string_view name) {
    skip();
    try {
      return name_of_(scope, name);
    } catch (ExpressionProblem& problem) {
      problem.at = at;
      throw;
    }
  }

  std::string_view text_;
  const NameOf& name_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expr read_expression(std::string_view text, const NameOf& name_of) { return ExpressionReader(text, name_of).read(); }

}  // namespace ulna::internal
