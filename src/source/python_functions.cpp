#include "source/python_functions.hpp"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "source/python_arithmetic.hpp"
#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

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

void FunctionArguments::count(std::size_t least, std::size_t most) const {
  if (list.size() >= least && list.size() <= most) return;
  refuse(cat(function, "() takes ", least == most ? cat(least) : cat(least, " to ", most), most == 1 ? " argument" : " arguments", ", and has ", list.size()));
}
double FunctionArguments::number(std::size_t i) const {
  if (!list[i].is_number()) refuse(cat(function, "() takes a number, not ", list[i].type(), list[i].as_text() ? cat(" ", in_quotes(*list[i].as_text())) : ""));
  return list[i].number();
}
std::int64_t FunctionArguments::integer(std::size_t i) const {
  if (!list[i].is_integer()) refuse(cat(function, "() takes an integer, not ", list[i].type()));
  return list[i].integer();
}
const std::string& FunctionArguments::text(std::size_t i) const {
  if (!list[i].as_text()) refuse(cat(function, "() takes a text, not ", list[i].type()));
  return *list[i].as_text();
}
const XacroValue* FunctionArguments::keyword(std::string_view name) const {
  for (const auto& [known, value] : keywords)
    if (known == name) return &value;
  return nullptr;
}

namespace {

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
XacroValue rounded_value(const FunctionArguments& a) {
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

}  // namespace

std::optional<XacroValue> of_math(const FunctionArguments& a) {
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

std::optional<XacroValue> of_python(const FunctionArguments& a) {
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
    a.count(0, 1);
    XacroValue::Dict out;
    if (!a.list.empty() && a.list[0].as_dict())
      out = *a.list[0].as_dict();
    else if (!a.list.empty())
      for (const XacroValue& pair : items_of(a.list[0])) {
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

namespace {

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool ends(std::string_view text, std::string_view with) { return text.size() >= with.size() && text.substr(text.size() - with.size()) == with; }

XacroValue split_text(const std::string& text, const FunctionArguments& a) {
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

}  // namespace

XacroValue of_text(const std::string& text, const FunctionArguments& a) {
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

XacroValue of_dict(const XacroValue::Dict& dict, const FunctionArguments& a) {
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

}  // namespace ulna::internal
