#include "source/xml_element.hpp"

#include <algorithm>

#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"
#include "text/parse_number.hpp"
#include "text/quote.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

/// "0, 0, 1" and "0,0,1": commas between numbers, as against the decimal commas of "0,5 0 1".
bool is_comma_list(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == std::string_view::npos) return false;
  const bool spaced = text.find_first_of(" \t\r\n") != std::string_view::npos;
  if (!spaced) return text.find(',', first + 1) != std::string_view::npos;
  for (std::size_t at = first; at != std::string_view::npos; at = text.find(',', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\t' && text[at + 1] != '\r' && text[at + 1] != '\n') return false;
  return true;
}

}  // namespace

void UnusedContent::add(const std::string& kind, int line) {
  constexpr std::size_t kMostKinds = 200;  // a file made of unknown names needs no complete list
  if (kinds_.size() == kMostKinds && !kinds_.count(kind)) return;
  Occurrence& occurrence = kinds_[kind];
  if (occurrence.count++ == 0) occurrence.line = line;
}

void UnusedContent::report(Diagnostics& diagnostics) const {
  for (const auto& [kind, occurrence] : kinds_)
    diagnostics.note(occurrence.line, kind,
                     occurrence.count == 1 ? std::string("it is not used") : cat("it is not used (", occurrence.count, " times in this file)"), "");
}

XmlElement XmlElement::child(const char* name) const {
  const pugi::xml_node first = node_.child(name);
  XmlElement result(*context_, first, label_.with(tag_text(name)));
  for (pugi::xml_node other = first.next_sibling(name); other; other = other.next_sibling(name)) {
    if (too_many_problems(context_->xml.line(other), context_->diagnostics)) break;
    context_->diagnostics.error(context_->xml.line(other), result.label_, cat("it is given twice, first in line ", result.line()), "keep one of them");
  }
  return result;
}

XmlElement XmlElement::require_child(const char* name, std::string_view example) const {
  XmlElement result = child(name);
  if (!result) error(cat(tag_text(name), " is missing"), cat("add ", example));
  return result;
}

void XmlElement::report_unexpected(bool attribute, std::string_view name, int at, const std::vector<std::string>& known) const {
  const std::string what = attribute ? cat("attribute ", in_quotes(name)) : cat("element ", tag_text(name));
  const std::string slip = slip_of(name, known), near = slip.empty() ? nearest(name, known) : slip;
  const bool taken = attribute ? has(slip.c_str()) : static_cast<bool>(node_.child(slip.c_str()));  // the right name is there, too: nothing is lost
  const std::vector<std::string>* idle = context_->without_effect;
  if (idle == nullptr || (!slip.empty() && !contains(*idle, slip) && (!taken || same_but_case(name, slip))))
    context_->diagnostics.error(at, label_, cat(what, " is unknown"),
                                near.empty() ? std::string("correct its name, or remove it") : cat("write ", in_quotes(near)));
  else if (near.empty())
    context_->unused.add(cat(tag_text(node_.name()), ", ", what), at);
  else
    context_->diagnostics.warning(at, label_, cat(what, " is unknown and ignored"), cat("did you mean ", in_quotes(near), "?"));
}

void XmlElement::expect(const std::vector<std::string>& attributes, const std::vector<std::string>& children) const {
  for (const pugi::xml_attribute& attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (contains(attributes, name) || name == "xmlns" || name.substr(0, 6) == "xmlns:") continue;
    if (too_many_problems(line(), context_->diagnostics)) return;
    report_unexpected(true, name, context_->xml.line(attribute), attributes);
  }
  for (const pugi::xml_node& inner : node_.children()) {
    const int at = context_->xml.line(inner);
    if (inner.type() == pugi::node_pcdata || inner.type() == pugi::node_cdata) context_->unused.add(cat(tag_text(node_.name()), ", text inside"), at);
    if (inner.type() != pugi::node_element || contains(children, inner.name())) continue;
    if (too_many_problems(at, context_->diagnostics)) return;
    if (contains(attributes, inner.name()))
      context_->diagnostics.error(at, label_, cat(tag_text(inner.name()), " is an attribute, not an element"),
                                  cat("write <", node_.name(), " ", inner.name(), "=\"...\"/>"));
    else
      report_unexpected(false, inner.name(), at, children);
  }
}

void XmlElement::expect_numbers(const std::vector<std::string>& attributes) const {
  expect(attributes, {});
  for (const pugi::xml_attribute& attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (contains(attributes, name) || name.find(':') != std::string_view::npos || name == "xmlns" || !slip_of(name, attributes).empty()) continue;
    if (too_many_problems(line(), context_->diagnostics)) return;
    context_->diagnostics.error(context_->xml.line(attribute), label_, cat("attribute ", in_quotes(name), " is unknown, and its number would be lost"),
                                cat("write ", listed(attributes, "and")));
  }
}

void XmlElement::error_at(const char* attribute, const std::string& problem, const std::string& cure) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  const int at = found ? context_->xml.line(found) : line();
  context_->diagnostics.error(at, label_, problem, cure);
}

void XmlElement::report_missing(const char* attribute) const {
  NumberProblem ignored;
  const std::optional<double> inside = parse_number(node_.text().get(), ignored);  // <mass>2</mass>: a slip worth showing the cure of
  error(cat("attribute ", in_quotes(attribute), " is missing"), cat("write <", node_.name(), " ", attribute, "=\"", inside ? to_text(*inside) : "...", "\"/>"));
}

std::optional<std::string> XmlElement::require_name(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) {
    report_missing(attribute);
    return {};
  }
  const std::string name = found.value();
  if (name.find_first_not_of(" \t\r\n") == std::string::npos)
    error_at(attribute, cat("attribute ", in_quotes(attribute), " is empty"), "write a name");
  else if (!is_utf8(name))
    error_at(attribute, cat("the name ", in_quotes(name), " is not UTF-8"), "save the file as UTF-8");
  else if (has_control_character(name))
    error_at(attribute, cat("the name ", in_quotes(name), " holds a control character"), "remove it");
  else if (name.size() > context_->limits.name_bytes)
    error_at(attribute, cat("the name ", in_quotes(name), " has ", name.size(), " bytes, more than ", context_->limits.name_bytes),
             how_to_raise(&ReadLimits::name_bytes));
  else
    return name;
  return {};
}

double XmlElement::number(const char* attribute, double fallback) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) return fallback;
  NumberProblem problem;
  const std::optional<double> value = parse_number(found.value(), problem);
  if (!value) error_at(attribute, cat(attribute, " ", problem.problem), problem.cure);
  return value.value_or(fallback);
}

double XmlElement::require_number(const char* attribute, double fallback) const {
  if (!has(attribute)) report_missing(attribute);
  return number(attribute, fallback);
}

double XmlElement::not_negative(const char* attribute, double fallback) const {
  const double value = number(attribute, fallback);
  if (value >= 0) return value;
  error_at(attribute, cat(attribute, " ", value, " is negative"), "write a positive number");
  return fallback;
}

std::vector<double> XmlElement::numbers(const char* attribute, std::size_t least, std::size_t most) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) return {};
  const std::string_view text = found.value();
  if (is_comma_list(text)) {
    error_at(attribute, cat(attribute, " ", in_quotes(text), " has commas between its numbers"), "separate numbers by spaces alone");
    return {};
  }
  const std::vector<std::string_view> components = words(text);
  std::vector<double> values;
  bool good = true;
  for (std::size_t i = 0; i < std::min(components.size(), most); ++i) {
    NumberProblem problem;
    const std::optional<double> value = parse_number(components[i], problem);
    if (!value) error_at(attribute, cat(attribute, " component ", i + 1, ": ", problem.problem), problem.cure);
    good = good && value;
    values.push_back(value.value_or(0));
  }
  if (good && (components.size() < least || components.size() > most)) {
    const std::string needed = least == most ? cat(least, least == 1 ? " is" : " are") : cat(least, " to ", most, " are");
    error_at(attribute, cat(attribute, " has ", components.size(), components.size() == 1 ? " number" : " numbers", ", but ", needed, " needed"),
             least == 3 && most == 3 ? cat("write ", attribute, "=\"x y z\"")
                                     : cat("write ", needed.substr(0, needed.rfind(' ')), least == 1 && most == 1 ? " number" : " numbers"));
    good = false;
  }
  return good ? values : std::vector<double>{};
}

Vec3<double> XmlElement::vector(const char* attribute, const Vec3<double>& fallback) const {
  const std::vector<double> values = numbers(attribute, 3, 3);
  return values.empty() ? fallback : Vec3<double>{values[0], values[1], values[2]};
}

}  // namespace ulna::internal
