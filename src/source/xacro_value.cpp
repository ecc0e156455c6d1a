#include "source/xacro_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

void refuse(std::string problem, std::string cure) { throw XacroError{std::move(problem), std::move(cure)}; }

namespace {

/// Equal numbers of any type are one key.
std::string key_text(const XacroValue& key) { return key.is_number() ? cat("n", python_text(key.number())) : cat("t", key.repr()); }

std::string joined_reprs(const XacroValue::List& list) {
  if (list.set && list.items.empty()) return "set()";
  std::string out = list.tuple ? "(" : list.set ? "{" : "[";
  for (std::size_t i = 0; i < list.items.size(); ++i) out += cat(i == 0 ? "" : ", ", list.items[i].repr());
  if (list.tuple && list.items.size() == 1) out += ",";
  return out + (list.tuple ? ")" : list.set ? "}" : "]");
}

}  // namespace

XacroValue::Dict::Dict(const std::vector<XacroValue>& keys) {
  for (const XacroValue& key : keys)
    if (find(key) == nullptr) set(key, {});
}

const XacroValue* XacroValue::Dict::find(const XacroValue& key) const {
  const auto found = places.find(key_text(key));
  return found == places.end() ? nullptr : &entries[found->second].second;
}

void XacroValue::Dict::set(XacroValue key, XacroValue value) {
  const auto [place, is_new] = places.try_emplace(key_text(key), entries.size());
  if (is_new)
    entries.emplace_back(std::move(key), std::move(value));
  else
    entries[place->second].second = std::move(value);
}

double XacroValue::number() const {
  if (const double* value = as<double>()) return *value;
  return static_cast<double>(integer());
}

std::int64_t XacroValue::integer() const {
  if (const bool* value = as<bool>()) return *value ? 1 : 0;
  return std::get<std::int64_t>(data);
}

bool XacroValue::truth() const {
  if (std::holds_alternative<std::monostate>(data)) return false;
  if (is_number()) return number() != 0;
  if (const std::string* text = as_text()) return !text->empty();
  if (const List* list = as_list()) return !list->items.empty();
  if (const Dict* entries = as_dict()) return !entries->entries.empty();
  return true;
}

std::string python_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[40];
  const auto scientific = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific);
  const std::string_view text(digits, static_cast<std::size_t>(scientific.ptr - digits));
  const std::size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);
  char fixed[400];
  const auto plain = std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed);
  std::string out(fixed, plain.ptr);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

std::string XacroValue::str() const {
  if (const std::string* text = as_text()) return *text;
  return repr();
}

std::string XacroValue::repr() const {
  if (std::holds_alternative<std::monostate>(data)) return "None";
  if (const bool* value = as<bool>()) return *value ? "True" : "False";
  if (const std::int64_t* value = as<std::int64_t>()) return std::to_string(*value);
  if (const double* value = as<double>()) return python_text(*value);
  if (const std::string* text = as_text()) {
    const char quote = text->find('\'') != std::string::npos && text->find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : *text) {
      if (c == quote || c == '\\') out += '\\';
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    return out + quote;
  }
  if (const List* list = as_list()) return joined_reprs(*list);
  if (const Dict* dict = as_dict()) {
    std::string out = "{";
    for (std::size_t i = 0; i < dict->entries.size(); ++i) out += cat(i == 0 ? "" : ", ", dict->entries[i].first.repr(), ": ", dict->entries[i].second.repr());
    return out + "}";
  }
  return cat("<", type(), ">");
}

std::string_view XacroValue::type() const {
  constexpr std::string_view kTypes[] = {"None",         "a boolean",  "an integer", "a number",    "a text", "a list",
                                         "a dictionary", "a function", "a module",   "a namespace", "a block"};
  return kTypes[data.index()];
}

XacroValue XacroValue::set(const std::vector<XacroValue>& items) {
  List out{{}, false, true};
  for (const auto& [item, unused] : Dict(items).entries) out.items.push_back(item);
  return std::make_shared<List>(std::move(out));
}

bool equal(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) return a.is_integer() && b.is_integer() ? a.integer() == b.integer() : a.number() == b.number();
  if (a.data.index() != b.data.index()) return false;
  if (const std::string* text = a.as_text()) return *text == *b.as_text();
  if (const XacroValue::List* list = a.as_list()) {
    const XacroValue::List& other = *b.as_list();
    if (list->set != other.set || list->items.size() != other.items.size()) return false;
    if (list->set) {
      const XacroValue::Dict others(other.items);
      return std::all_of(list->items.begin(), list->items.end(), [&](const XacroValue& item) { return others.find(item) != nullptr; });
    }
    return list->tuple == other.tuple && std::equal(list->items.begin(), list->items.end(), other.items.begin(), other.items.end(), equal);
  }
  if (const XacroValue::Dict* dict = a.as_dict()) {
    const XacroValue::Dict& other = *b.as_dict();
    return dict->entries.size() == other.entries.size() && std::all_of(dict->entries.begin(), dict->entries.end(), [&](const auto& entry) {
             const XacroValue* value = other.find(entry.first);
             return value != nullptr && equal(entry.second, *value);
           });
  }
  return std::holds_alternative<std::monostate>(a.data);
}

std::optional<std::int64_t> python_integer(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> python_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);  // takes inf and nan in any case, as Python does
  if (text.empty() || text.find('(') != std::string_view::npos || end != text.data() + text.size()) return {};
  if (error == std::errc::result_out_of_range)
    value = text.find("e-") != std::string_view::npos ? 0.0 : HUGE_VAL;
  else if (error != std::errc{})
    return {};
  return value;
}

XacroValue literal(XacroValue value) {
  const std::string* text = value.as_text();
  if (!text) return value;
  if (text->size() >= 2 && text->front() == '\'' && text->back() == '\'') return text->substr(1, text->size() - 2);
  if (text->find('_') != std::string::npos) return value;  // a text, though Python would take 1_000 for a number
  if (const auto integer = python_integer(*text)) return *integer;
  if (const auto number = python_number(*text)) return *number;
  if (*text == "true" || *text == "True") return true;
  if (*text == "false" || *text == "False") return false;
  return value;
}

bool condition(const XacroValue& value, std::string_view text) {
  const std::string* word = value.as_text();
  if (!word) return value.truth();
  if (*word == "true" || *word == "True") return true;
  if (*word == "false" || *word == "False") return false;
  if (const auto integer = python_integer(*word)) return *integer != 0;
  throw XacroError{cat("the condition ", in_quotes(text), " gives ", in_quotes(*word), ", which is neither true nor false"),
                   "write true, false, 1, 0 or a comparison"};
}

}  // namespace ulna::internal
