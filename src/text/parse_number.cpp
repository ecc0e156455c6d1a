#include "text/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

// Locale-free versions of <cctype> for bytes.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool same_word(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower_case[i]) return false;
  return true;
}

struct Prefix {
  double value = 0;
  std::size_t length = 0;  // 0: the text does not begin with a number
  bool too_large = false;
};

/// Whether a number beyond the range of double is a tiny one: by the power of ten of its first digit.
bool underflows(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, e);
  std::int64_t power =
      static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size())) - static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  if (e < number.size()) {
    std::string_view exponent = number.substr(e + 1);
    if (exponent[0] == '+') exponent.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    if (error == std::errc::result_out_of_range) return exponent[0] == '-';
    power += value;
  }
  return power < 0;
}

/// The longest number at the start. Unlike from_chars it takes a leading plus, and it never takes "inf" or "nan".
Prefix number_prefix(std::string_view text) {
  std::size_t sign = 0;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) sign = 1;
  if (sign == text.size() || !(is_digit(text[sign]) || text[sign] == '.')) return {};
  const char* const first = text.data() + (text[0] == '+' ? 1 : 0);
  Prefix result;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), result.value);
  if (error == std::errc::invalid_argument) return {};
  result.length = static_cast<std::size_t>(end - text.data());
  if (error == std::errc::result_out_of_range) {
    result.value = 0;
    result.too_large = !underflows(text.substr(0, result.length));
  }
  return result;
}

struct Unit {
  std::string_view name;
  double numerator, denominator;  // of what one of it is in SI units: 5.5 / 100 is the double nearest to 0.055, 5.5 * 0.01 may not be
  std::string_view si;

  double in_si(double value) const { return value * numerator / denominator; }
};

constexpr std::string_view kRadians = "radians";
constexpr std::array kUnits{
    Unit{"m", 1, 1, "metres"},
    Unit{"mm", 1, 1000, "metres"},
    Unit{"cm", 1, 100, "metres"},
    Unit{"in", 254, 10000, "metres"},
    Unit{"inch", 254, 10000, "metres"},
    Unit{"rad", 1, 1, kRadians},
    Unit{"deg", std::numbers::pi, 180, kRadians},
    Unit{"degree", std::numbers::pi, 180, kRadians},
    Unit{"degrees", std::numbers::pi, 180, kRadians},
    Unit{"\u00b0", std::numbers::pi, 180, kRadians},
    Unit{"kg", 1, 1, "kilograms"},
    Unit{"g", 1, 1000, "kilograms"},
    Unit{"lb", 45359237, 100000000, "kilograms"},
};

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

/// "cm", "°", "kg*m^2", "%": a letter or a byte beyond ASCII (or a percent sign) first, no digits but exponents.
bool looks_like_unit(std::string_view rest) {
  if (rest.empty()) return false;
  if (!is_letter(rest[0]) && static_cast<unsigned char>(rest[0]) < 0x80 && rest[0] != '%') return false;
  if (rest.size() > 1 && is_digit(rest[1]) && rest[1] != '2' && rest[1] != '3') return false;  // 0x10, 5e…
  return rest[0] != 'e' && rest[0] != 'E' && rest.find_first_of(",;()") == std::string_view::npos;
}

bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma + 1 == text.size() || !is_digit(text[comma + 1])) return false;
  std::string with_point(text);
  with_point[comma] = '.';
  return number_prefix(with_point).length == with_point.size();
}

/// Why a text is no number, from the most specific reason to the most general.
NumberProblem explain(std::string_view text, const Prefix& prefix) {
  if (text.empty()) return {"is empty", "write a number"};
  const std::string_view bare = text[0] == '+' || text[0] == '-' ? text.substr(1) : text;
  if (is_nan(text) || same_word(bare, "inf") || same_word(bare, "infinity")) return {cat(in_quotes(text), " is not a finite number"), "write a finite number"};
  if (text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos)
    return {cat(in_quotes(text), " is a xacro expression"), "expand the file first: xacro robot.urdf.xacro > robot.urdf"};
  if (has_decimal_comma(text)) {
    std::string with_point(text);
    with_point[with_point.find(',')] = '.';
    constexpr std::size_t kShown = 40;
    return {cat(in_quotes(text), " has a decimal comma"), with_point.size() <= kShown ? cat("write ", with_point) : std::string("write a point")};
  }
  if (text.back() == ',' && prefix.length + 1 == text.size()) return {cat(in_quotes(text), " ends in a comma"), "separate numbers by spaces alone"};
  if (prefix.length > 0) {
    const std::string_view rest = trimmed(text.substr(prefix.length));
    if (const Unit* unit = find_unit(rest))
      return {cat(in_quotes(text), " carries a unit"), cat("write the number alone, in ", unit->si, ": ", unit->in_si(prefix.value))};
    if (looks_like_unit(rest)) return {cat(in_quotes(text), " carries a unit"), "write the number alone, in SI units (m, kg, s, rad)"};
  }
  return {cat(in_quotes(text), " is not a number"), "write a number such as 1.5 or -2e-3"};
}

// Angles: products and quotients of numbers and pi.

constexpr std::string_view kAngleCure = "write radians: a number, or an expression such as pi/2, -pi/2, 2*pi/3";

/// Takes `pi`, `π` or a number off the front of `text`.
std::optional<double> take_factor(std::string_view& text) {
  text = trimmed(text);
  for (const std::string_view pi : {std::string_view("pi"), std::string_view("\u03c0")}) {
    if (text.substr(0, pi.size()) != pi) continue;
    text.remove_prefix(pi.size());
    return std::numbers::pi;
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) return {};  // one sign, at the very front
  const Prefix prefix = number_prefix(text);
  if (prefix.length == 0 || prefix.too_large) return {};
  text.remove_prefix(prefix.length);
  return prefix.value;
}

bool mentions_pi(std::string_view text) { return text.find("pi") != std::string_view::npos || text.find("\u03c0") != std::string_view::npos; }

/// sign factor {(*|/) factor}; empty when `text` is not of this form.
std::optional<double> angle_expression(std::string_view text) {
  text = trimmed(text);
  double value = 1;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    if (text[0] == '-') value = -1;
    text.remove_prefix(1);
  }
  char operation = '*';
  for (;;) {
    const std::optional<double> factor = take_factor(text);
    if (!factor) return {};
    value = operation == '*' ? value * *factor : value / *factor;
    text = trimmed(text);
    if (text.empty()) return value;
    operation = text[0];
    if (operation != '*' && operation != '/') return {};
    text.remove_prefix(1);
  }
}

/// 90 -> "pi/2", 120 -> "2*pi/3"; a plain number of radians when the angle is not a whole number of degrees.
std::string radians_text(double degrees) {
  if (degrees != std::floor(degrees) || std::abs(degrees) > 3600 || degrees == 0) return to_text(degrees * std::numbers::pi / 180);
  const auto whole = static_cast<std::int64_t>(std::abs(degrees));
  const std::int64_t divisor = std::gcd(whole, std::int64_t{180});
  const std::int64_t numerator = whole / divisor, denominator = 180 / divisor;
  return cat(degrees < 0 ? "-" : "", numerator == 1 ? std::string() : cat(numerator, "*"), "pi", denominator == 1 ? std::string() : cat("/", denominator));
}

}  // namespace

bool is_nan(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return same_word(text, "nan");
}

std::optional<double> parse_number(std::string_view raw, NumberProblem& problem) {
  const std::string_view text = trimmed(raw);
  const Prefix prefix = number_prefix(text);
  if (prefix.length > 0 && prefix.length == text.size()) {
    if (!prefix.too_large) return prefix.value;
    problem = {cat(in_quotes(text), " is too large for a number"), "write a number below 1.8e308 in size"};
    return {};
  }
  problem = explain(text, prefix);
  if (mentions_pi(text)) {
    const std::optional<double> value = angle_expression(text);
    if (value && std::isfinite(*value)) problem = {cat(in_quotes(text), " is an expression, but a plain number belongs here"), cat("write ", *value)};
  }
  return {};
}

std::optional<double> parse_angle(std::string_view raw, NumberProblem& problem) {
  const std::string_view text = trimmed(raw);
  if (!mentions_pi(text)) {
    const std::optional<double> value = parse_number(text, problem);
    if (value) return value;
    const Prefix prefix = number_prefix(text);
    const Unit* unit = prefix.length > 0 ? find_unit(trimmed(text.substr(prefix.length))) : nullptr;
    if (unit && unit->denominator == 180) problem.cure = cat("write radians: ", radians_text(prefix.value));
    return {};
  }
  const std::optional<double> value = angle_expression(text);
  if (!value)
    problem = {cat(in_quotes(text), " is not an angle that can be read"), std::string(kAngleCure)};
  else if (!std::isfinite(*value))
    problem = {cat(in_quotes(text), " is not a finite number"), std::string(kAngleCure)};
  else
    return value;
  return {};
}

}  // namespace ulna::internal
