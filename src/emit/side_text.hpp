// A scalar that records operations as source text: friction in generated code uses the kernel's own laws.
#pragma once

#include <cmath>
#include <string>

#include "emit/written.hpp"
#include "text/message.hpp"

namespace ulna::internal {

class Text {
 public:
  Text() = default;
  explicit Text(double number) : number_(number) {}
  /// `atom`: it needs no brackets, whatever is done with it. The syntax must outlive it.
  Text(std::string text, const Syntax& syntax, bool atom = true) : text_(std::move(text)), syntax_(&syntax), atom_(atom) {}

  bool is_number() const { return text_.empty(); }
  double number() const { return number_; }
  std::string text(const Syntax& syntax) const {
    if (!is_number()) return text_;
    return std::signbit(number_) && number_ != 0 ? cat("-", syntax.number(-number_)) : syntax.number(std::fabs(number_));
  }

  friend Text operator+(const Text& a, const Text& b) {
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    return a.both(b) ? Text(a.number_ + b.number_) : joined(a, " + ", b);
  }
  friend Text operator-(const Text& a, const Text& b) {
    if (b.is(0)) return a;
    if (a.is(0)) return -b;
    return a.both(b) ? Text(a.number_ - b.number_) : joined(a, " - ", b);
  }
  friend Text operator*(const Text& a, const Text& b) {
    if (a.is(0) || b.is(0)) return {};
    if (a.is(1)) return b;
    if (b.is(1)) return a;
    return a.both(b) ? Text(a.number_ * b.number_) : joined(a, " * ", b);
  }
  friend Text operator/(const Text& a, const Text& b) {
    if (a.is(0) || b.is(1)) return a;
    return a.both(b) ? Text(a.number_ / b.number_) : joined(a, " / ", b);
  }
  friend Text operator-(const Text& a) { return a.is_number() ? Text(-a.number_) : Text(cat("-", a.operand(*a.syntax_)), *a.syntax_, false); }

  friend Text sign(const Text& x) {
    if (x.is_number()) return Text((x.number_ > 0) - (x.number_ < 0));
    return {x.syntax_->sign(x.operand(*x.syntax_)), *x.syntax_, false};
  }
  friend Text exp(const Text& x) { return x.is_number() ? Text(std::exp(x.number_)) : x.call("exp"); }
  friend Text tanh(const Text& x) { return x.is_number() ? Text(std::tanh(x.number_)) : x.call("tanh"); }
  friend Text abs(const Text& x) { return x.is_number() ? Text(std::fabs(x.number_)) : x.call("fabs"); }
  friend Text pow(const Text& x, const Text& exponent) {
    if (exponent.is(0)) return Text(1);
    if (exponent.is(1)) return x;
    if (x.both(exponent)) return Text(std::pow(x.number_, exponent.number_));
    const Syntax& syntax = x.is_number() ? *exponent.syntax_ : *x.syntax_;
    return {syntax.power(x.operand(syntax), exponent.operand(syntax)), syntax};
  }

 private:
  bool is(double number) const { return is_number() && number_ == number; }
  bool both(const Text& other) const { return is_number() && other.is_number(); }
  std::string operand(const Syntax& syntax) const {
    const std::string own = text(syntax);
    return is_number() ? number_ < 0 ? cat("(", own, ")") : own : atom_ ? own : cat("(", own, ")");
  }
  static Text joined(const Text& a, const char* sign, const Text& b) {
    const Syntax& syntax = a.is_number() ? *b.syntax_ : *a.syntax_;
    return {cat(a.operand(syntax), sign, b.operand(syntax)), syntax, false};
  }
  Text call(const char* function) const { return {syntax_->called(function, text_), *syntax_}; }

  std::string text_;
  double number_ = 0;
  const Syntax* syntax_ = nullptr;
  bool atom_ = true;
};

}  // namespace ulna::internal
