#include "source/xacro_yaml.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// A value of a YAML file as YAML 1.1 types it.
class YamlValues {
 public:
  explicit YamlValues(const XacroNames& names) : names_(names) {}

  XacroValue value(const YamlNode& node) {
    names_.spend(1, node.text.size());
    if (node.kind == YamlNode::Kind::sequence) {
      std::vector<XacroValue> items;
      for (const YamlNode& item : node.items) items.push_back(value(item));
      return XacroValue::list(std::move(items));
    }
    if (node.kind == YamlNode::Kind::mapping) {
      XacroValue::Dict out;
      for (const YamlNode::Entry& entry : node.entries) {
        const XacroValue of = value(entry.value);
        if (entry.key != "<<") {
          out.set(plain(entry.key), of);
          continue;
        }
        const std::vector<XacroValue> merged = of.as_list() ? of.as_list()->items : std::vector<XacroValue>{of};
        for (const XacroValue& one : merged)
          if (const XacroValue::Dict* more = one.as_dict())
            for (const auto& [key, inner] : more->entries)
              if (!out.find(key)) out.set(key, inner);
      }
      return XacroValue::dict(std::move(out));
    }
    if (node.kind != YamlNode::Kind::scalar) return {};
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"!radians", 1}, {"!degrees", 3.14159265358979323846 / 180.0}, {"!meters", 1}, {"!millimeters", 0.001}, {"!foot", 0.3048}, {"!inches", 0.0254}};
    for (const auto& [tag, factor] : kUnits)
      if (node.tag == tag) {
        const XacroValue number = evaluate_expression(node.text, names_);
        if (!number.is_number()) throw XacroError{cat("line ", node.line, ": ", tag, " is followed by ", number.type()), "write a number"};
        return number.number() * factor;
      }
    if (node.tag == "!" || node.tag == "tag:yaml.org,2002:str") return node.text;
    if (node.tag == "tag:yaml.org,2002:float")
      if (const auto number = python_number(node.text)) return *number;
    if (!node.tag.empty() && node.tag != "?" && node.tag.rfind("tag:yaml.org,2002:", 0) != 0)
      throw XacroError{cat("line ", node.line, ": the tag ", in_quotes(node.tag), " is unknown"),
                       "the tags are !degrees, !radians, !meters, !millimeters, !foot and !inches"};
    return plain(node.text);
  }

 private:
  static XacroValue plain(const std::string& text) {
    for (const std::string_view word : {"", "~", "null", "Null", "NULL"})
      if (text == word) return {};
    for (const std::string_view word : {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
      if (text == word) return true;
    for (const std::string_view word : {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
      if (text == word) return false;
    std::string digits = text;
    std::erase(digits, '_');
    const bool negative = !digits.empty() && digits[0] == '-';
    const std::string_view whole = std::string_view(digits).substr(!digits.empty() && (digits[0] == '-' || digits[0] == '+') ? 1 : 0);
    if (whole.empty() || text[digits.size() - whole.size()] == '_') return text;
    const auto only = [](std::string_view s, std::string_view of) { return !s.empty() && s.find_first_not_of(of) == std::string_view::npos; };
    const auto integer = [&](std::string_view s, int base) -> XacroValue {
      const std::string copy(s);
      const std::int64_t magnitude = std::strtoll(copy.c_str(), nullptr, base);
      return negative ? -magnitude : magnitude;
    };
    if (whole.size() > 2 && whole.substr(0, 2) == "0x" && only(whole.substr(2), "0123456789abcdefABCDEF")) return integer(whole.substr(2), 16);
    if (whole.size() > 2 && whole.substr(0, 2) == "0b" && only(whole.substr(2), "01")) return integer(whole.substr(2), 2);
    if (whole.size() > 1 && whole[0] == '0' && only(whole, "01234567")) return integer(whole, 8);
    if (only(whole, "0123456789") && (whole[0] != '0' || whole.size() == 1) && whole.size() < 19) return integer(whole, 10);
    if (whole == ".inf" || whole == ".Inf" || whole == ".INF") return negative ? -HUGE_VAL : HUGE_VAL;
    if (digits == ".nan" || digits == ".NaN" || digits == ".NAN") return std::nan("");
    // Of numbers with an exponent YAML 1.1 takes those alone that have a point and a sign: 1.0e-3, 1.0e+3.
    const std::size_t e = whole.find_first_of("eE"), point = whole.find('.');
    const bool digits_only = only(whole.substr(0, e), "0123456789.") && std::count(whole.begin(), whole.end(), '.') == 1 && whole.size() > 1;
    const bool power = e == std::string_view::npos ||
                       (point < e && e + 2 < whole.size() && (whole[e + 1] == '+' || whole[e + 1] == '-') && only(whole.substr(e + 2), "0123456789"));
    if (digits_only && power)
      if (const auto number = python_number(digits)) return *number;
    // 1:30 is 90, and 1:30.5 is 90.5: numbers to the base 60.
    if (whole.find(':') != std::string_view::npos && only(whole, "0123456789:.") && whole[0] != ':' && whole.back() != ':') {
      double sum = 0;
      bool good = true;
      std::string_view rest = whole;
      while (good) {
        const std::size_t colon = rest.find(':');
        const std::string_view part = rest.substr(0, colon);
        const auto number = python_number(part);
        good = number && (sum == 0 || *number < 60) && (colon == std::string_view::npos || part.find('.') == std::string_view::npos);
        if (good) sum = 60 * sum + *number;
        if (colon == std::string_view::npos) break;
        rest = rest.substr(colon + 1);
      }
      if (good && point == std::string_view::npos) return static_cast<std::int64_t>(negative ? -sum : sum);
      if (good) return negative ? -sum : sum;
    }
    return text;
  }

  const XacroNames& names_;
};

}  // namespace

XacroValue yaml_value(const YamlNode& node, const XacroNames& names) { return YamlValues(names).value(node); }

}  // namespace ulna::internal
