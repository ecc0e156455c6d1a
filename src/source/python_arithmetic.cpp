#include "source/python_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

std::int64_t exact(bool overflow, const std::int64_t& value) {
  if (overflow) refuse("an integer of it needs more than 64 bits", "write a number with a point");
  return value;
}

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

namespace {

double python_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (b < 0) != (rest < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

double python_floor_division(double a, double b) {
  const double quotient = (a - python_modulo(a, b)) / b, low = std::floor(quotient);
  return quotient == 0 ? std::copysign(0.0, a / b) : quotient - low > 0.5 ? low + 1 : low;
}

}  // namespace

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
  const double out = std::pow(x, y);
  if (std::isinf(out) && std::isfinite(x) && std::isfinite(y)) refuse("the power is larger than numbers are");
  return out;
}

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

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

}  // namespace ulna::internal
